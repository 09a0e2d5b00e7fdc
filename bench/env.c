/* SPDX-License-Identifier: BSD-3-Clause */
/* env.c -- what a step of an agent costs in an environment (weir/env.h), with random actions.
 *
 *	build/release/bench-env [FOLDER [FILE]]
 *
 * For each scenario of FOLDER (bench/env): one environment, a pool of 16 on one thread, and the
 *same on all processors. An agent's step is an observation with its reward, and the action that
 *follows: of a queue in an interval, or of a flow at a decision; rows that do not ask do not count
 *as flows' steps. Processor time is that of all threads, user and system. */
#define _POSIX_C_SOURCE 200809L
#include "bench/cost.h"
#include "weir/env.h"
#include "weir/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, SECONDS = 1, SECONDS_MAX = 20, POOL = 16 };

static const struct bench_case {
	const char *file, *what;
	enum weir_env_agents agents;
} cases[] = {
	{ "queues", "queues, settings", WEIR_ENV_QUEUES },
	{ "queues", "queues, thresholds", WEIR_ENV_THRESHOLDS },
	{ "queues-clos", "queues of a Clos, 64 hosts", WEIR_ENV_QUEUES },
	{ "flows-2", "2 flows", WEIR_ENV_FLOWS },
	{ "flows-12", "12 flows", WEIR_ENV_FLOWS },
	{ "flows-96", "96 flows", WEIR_ENV_FLOWS },
	{ "flows-clos", "flows of a Clos, 32 hosts", WEIR_ENV_FLOWS },
};

struct bench {
	struct weir_env_pool *pool;
	struct weir_env_shape shape;
	struct weir_env_view view;
	void *actions;
	uint32_t count;
	uint64_t state;
};

static void bench_read(const char *folder, const char *name, char *text)
{
	char path[512];
	FILE *file;
	size_t length;

	snprintf(path, sizeof(path), "%s/%s.ini", folder, name);
	file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(1);
	}
	length = fread(text, 1, TEXT_MAX - 1, file);
	text[length] = '\0';
	fclose(file);
}

static void bench_check(int status, const struct weir_error *e)
{
	if (status) {
		fprintf(stderr, "%s\n", e->text);
		exit(1);
	}
}

static void bench_open(struct bench *b, const char *text, const struct weir_env_pool_plan *plan)
{
	struct weir_error e;
	size_t rows, size;

	*b = (struct bench){ .count = plan->count, .state = 1 };
	bench_check(weir_env_pool_new(&b->pool, text, plan, &e), &e);
	weir_env_pool_shape(b->pool, &b->shape);
	rows = (size_t)plan->count * b->shape.rows;
	size = b->shape.action_size ? b->shape.action_size : 1;
	b->view = (struct weir_env_view){
		.observations = calloc(rows * b->shape.observation_size, sizeof(float)),
		.rewards = calloc(rows, sizeof(float)),
		.asks = calloc(rows, 1),
		.done = calloc(plan->count, 1),
	};
	b->actions = calloc(rows * size, sizeof(float));
	bench_check(weir_env_pool_reset(b->pool, 1, &b->view, &e), &e);
}

static void bench_close(struct bench *b)
{
	free(b->view.observations);
	free(b->view.rewards);
	free(b->view.asks);
	free(b->view.done);
	free(b->actions);
	weir_env_pool_free(b->pool);
}

/* Random actions for the rows that ask; returns how many there are. */
static uint64_t bench_act(struct bench *b)
{
	uint32_t size = b->shape.action_size;
	uint64_t asks = 0;

	for (size_t i = 0; i < (size_t)b->count * b->shape.rows; i++) {
		if (!b->view.asks[i])
			continue;
		asks++;
		for (uint32_t k = 0; k < (size ? size : 1); k++) {
			uint64_t bits = weir_mix64(b->state++) >> 40;

			if (size)
				((float *)b->actions)[i * size + k] =
					size == 1 ? (float)bits / (1 << 23) - 1
						  : (float)bits / (1 << 24);
			else
				((uint32_t *)b->actions)[i] =
					(uint32_t)(bits % b->shape.action_count);
		}
	}
	return asks;
}

static void bench_row(const struct bench_case *c, const char *text, uint32_t count,
		      uint32_t threads)
{
	const struct weir_env_pool_plan plan = { { .agents = c->agents }, count, threads };
	double begin_ns, ns = 0;
	uint64_t agents = 0, steps = 0, episodes = 0;
	struct weir_error e;
	struct bench b;
	char what[64];

	bench_open(&b, text, &plan);
	begin_ns = cost_now_ns();
	/* Whole episodes: their beginning has less traffic. */
	while (ns < SECONDS * 1e9 || (episodes < count && ns < SECONDS_MAX * 1e9)) {
		uint64_t asks = bench_act(&b);

		agents += c->agents == WEIR_ENV_FLOWS ? asks : (uint64_t)count * b.shape.rows;
		steps++;
		bench_check(weir_env_pool_step(b.pool, b.actions, &b.view, &e), &e);
		ns = cost_now_ns() - begin_ns;
		for (uint32_t i = 0; i < count; i++)
			episodes += b.view.done[i] != WEIR_ENV_GOES_ON;
	}
	bench_close(&b);
	snprintf(what, sizeof(what), "%u on %u", count, threads);
	printf("%-28s %-10s %12.0f %14.0f %10.2f\n", c->what, what, ns / (double)agents,
	       (double)agents / ns * 1e9, (double)agents / (double)steps / count);
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : "bench/env";
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	char text[TEXT_MAX];

	printf("\n%-28s %-10s %12s %14s %10s\n", "environments", "of, threads", "CPU-ns",
	       "a CPU-second", "a step");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 2 && strcmp(argv[2], cases[i].file) != 0)
			continue;
		bench_read(folder, cases[i].file, text);
		bench_row(&cases[i], text, 1, 1);
		bench_row(&cases[i], text, POOL, 1);
		if (processors > 1)
			bench_row(&cases[i], text, POOL, (uint32_t)processors);
	}
	return 0;
}
