/* SPDX-License-Identifier: BSD-3-Clause */
/* test_merge.c -- shards of a sweep: who has which runs, and when two results of one run are the
 * same. */
#define _GNU_SOURCE
#include "lab/campaign/shard.h"
#include "lab/store/results.h"
#include "tests/folder.h"
#include "tests/sim.h"

static const char scenario_text[] =
	"# Is it the same?\nseed = %d\n[network]\ntopology = star\nhosts = 4\n"
	"[traffic a]\npattern = many-to-one\nsize = 20KB\n[measure]\nto = 1ms\n";

TEST(test_every_run_of_a_sweep_is_in_one_shard_and_shards_count_theirs)
{
	for (uint32_t count = 1; count < 9; count++)
		for (uint64_t runs = 0; runs < 20; runs++) {
			uint64_t sum = 0;

			for (uint64_t run = 0; run < runs; run++) {
				int owners = 0;

				for (uint32_t i = 1; i <= count; i++)
					owners += shard_has(&(struct shard){ i, count }, run);
				CHECK_INT(owners, 1);
			}
			for (uint32_t i = 1; i <= count; i++)
				sum += shard_runs(&(struct shard){ i, count }, runs);
			CHECK_INT(sum, runs);
		}
	CHECK_INT(shard_runs(&(struct shard){ 0, 0 }, 7), 7);
}

/* Its key counts its seed, and that is all the test wants of a name. */
static void name_run(int seed, char key[RUN_KEY_SIZE])
{
	snprintf(key, RUN_KEY_SIZE, "%016d", seed);
}

enum { RUNS = 3 };

/* A folder with that run of the three, whose metric has become so much more. */
static void put_run(const struct folder *f, int seed, int metric, double more)
{
	char keys[RUNS][RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct store *s;
	struct sim sim;

	for (int i = 0; i < RUNS; i++)
		name_run(i + 1, keys[i]);
	sim_read(&sim, scenario_text, seed);
	sim_run(&sim, 1);
	sim.r.value[metric] += more;
	CHECK_INT(store_open(&s, f->path, STORE_WRITE, &e), 0);
	CHECK_INT(store_plan(s, (const char(*)[RUN_KEY_SIZE])keys, RUNS, &e), 0);
	CHECK_INT(store_add(s, keys[seed - 1], &sim.c, &sim.r, &e), 0);
	store_close(s);
	sim_end(&sim);
}

static int merge_two(const struct folder *a, const struct folder *b, const struct folder *out,
		     struct merge *m, struct weir_error *e)
{
	const char *folders[] = { a->path, b->path };
	int failed;

	*m = (struct merge){ .folder_count = 2, .folders = folders, .out = out->path };
	failed = merge_folders(m, e);
	merge_free(m);
	return failed;
}

TEST(test_what_a_run_cost_does_not_tell_two_results_of_it_apart_and_what_came_out_does)
{
	struct folder a = folder_make(), b = folder_make(), c = folder_make(), out = folder_make();
	struct weir_error e = { "" };
	struct merge m;

	put_run(&a, 1, metric_index("drops"), 0);
	put_run(&b, 2, metric_index("drops"), 0); /* so that its number is another one */
	put_run(&b, 1, metric_index("cpu_seconds"), 1);
	CHECK_INT(merge_two(&a, &b, &out, &m, &e), 0);
	CHECK_INT(m.again, 1);
	CHECK_INT(m.added, 2);
	CHECK_INT(m.missing, 1);
	put_run(&c, 1, metric_index("drops"), 1);
	CHECK_INT(merge_two(&a, &c, &out, &m, &e), -1);
	CHECK_CONTAINS(e.text, "run 0000000000000001 is not the same in");
	folder_remove(&out);
	folder_remove(&a);
	folder_remove(&b);
	folder_remove(&c);
}

TEST(test_a_copied_run_is_the_same_and_passes_its_digests)
{
	struct folder a = folder_make(), b = folder_make(), out = folder_make();
	struct planned_run *runs;
	uint64_t one, two, count;
	struct weir_error e = { "" };
	struct store *s;
	struct merge m;

	put_run(&a, 3, 0, 0);
	put_run(&b, 1, 0, 0);
	CHECK_INT(merge_two(&b, &a, &out, &m, &e), 0);
	CHECK_INT(store_open(&s, a.path, STORE_READ, &e), 0);
	CHECK_INT(store_planned(s, &runs, &count, &e), 0);
	CHECK_INT(count, RUNS);
	CHECK_INT(store_run_digest(s, runs[2].id, &one, &e), 0);
	free(runs);
	store_close(s);
	CHECK_INT(store_open(&s, out.path, STORE_READ, &e), 0);
	CHECK_INT(store_planned(s, &runs, &count, &e), 0);
	CHECK(runs[0].id && !runs[1].id && runs[2].id);
	CHECK_INT(store_run_digest(s, runs[2].id, &two, &e), 0);
	CHECK(one == two);
	CHECK_INT(store_run_digest(s, runs[0].id, &two, &e), 0);
	CHECK(one != two);
	CHECK_INT(store_check_run(s, runs[2].id, &e), 0);
	free(runs);
	store_close(s);
	folder_remove(&out);
	folder_remove(&a);
	folder_remove(&b);
}
