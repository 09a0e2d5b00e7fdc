/* SPDX-License-Identifier: BSD-3-Clause */
/* needs.c -- see needs.h. */
#include "lab/campaign/needs.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_MB 1e6

/* Estimates leave out packets and connections under way, and cores differ. */
#define MEMORY_ROOM 1.5
#define MEMORY_BASE_MB 200.0 /* the program itself, SQLite, a result */
#define MEMORY_STEP_MB 100.0
#define TIME_ROOM 4.0
#define TIME_BASE_MINUTES 5.0

enum { SHARD_SECONDS = 600, SHARDS_FEW = 16, SHARDS_MANY = 1000, SECONDS_PER_MINUTE = 60 };

/* The run with the same settings and the first seed. */
static uint64_t first_seed_of(const struct sweep *w, uint64_t run)
{
	uint64_t stride = 1;

	for (uint32_t i = w->axis_count; i-- > 0;) {
		uint32_t count = w->axes[i].values.count;

		if (strcmp(w->axes[i].path, "seed") == 0)
			return run - run / stride % count * stride;
		stride *= count;
	}
	return run;
}

static int estimate(const struct sweep *w, uint64_t number, struct scenario *s,
		    struct estimate *found, struct weir_error *e)
{
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result result;
	struct config c;
	int failed;

	if (sweep_apply(w, number, s, e) || scenario_config(s, &c, e))
		return -1;
	failed = run(&c, &control, &result, e);
	if (!failed) {
		*found = result.estimate;
		run_result_free(&result);
	}
	config_free(&c);
	return failed ? -1 : 0;
}

int needs_find(struct needs *n, const struct sweep *w, struct scenario *s, struct weir_error *e)
{
	memset(n, 0, sizeof(*n));
	n->run_s = memory_zeroed(w->run_count, sizeof(*n->run_s));
	for (uint64_t i = 0; i < w->run_count; i++) {
		uint64_t first = first_seed_of(w, i);
		struct estimate found = { .memory_bytes = 0 };

		if (first == i && estimate(w, i, s, &found, e)) {
			needs_free(n);
			return -1;
		}
		n->run_s[i] = first == i ? found.cpu_seconds : n->run_s[first];
		n->memory_bytes = fmax(n->memory_bytes, found.memory_bytes);
		n->longest_s = fmax(n->longest_s, n->run_s[i]);
		n->total_s += n->run_s[i];
	}
	return 0;
}

void needs_free(struct needs *n)
{
	free(n->run_s);
	memset(n, 0, sizeof(*n));
}

uint32_t needs_shards(const struct needs *n, uint64_t runs)
{
	double wanted = fmax(ceil(n->total_s / SHARD_SECONDS), SHARDS_FEW);

	return (uint32_t)fmin(fmin(wanted, SHARDS_MANY), (double)runs);
}

/* Whatever the order of its runs, a shard takes no longer than this. */
static double slowest_shard_s(const struct needs *n, uint64_t runs, uint32_t shards, uint32_t jobs)
{
	double slowest = 0;

	for (uint32_t k = 0; k < shards; k++) {
		double sum = 0;

		for (uint64_t i = k; i < runs; i += shards)
			sum += n->run_s[i];
		slowest = fmax(slowest, sum);
	}
	return jobs > 1 ? slowest / jobs + n->longest_s : slowest;
}

struct needs_asked needs_asked(const struct needs *n, uint64_t runs, uint32_t shards, uint32_t jobs)
{
	double mb = MEMORY_BASE_MB + MEMORY_ROOM * jobs * n->memory_bytes / BYTES_PER_MB;
	double minutes = TIME_BASE_MINUTES +
			 TIME_ROOM * slowest_shard_s(n, runs, shards, jobs) / SECONDS_PER_MINUTE;

	return (struct needs_asked){ (uint64_t)(ceil(mb / MEMORY_STEP_MB) * MEMORY_STEP_MB),
				     (uint64_t)ceil(minutes) };
}
