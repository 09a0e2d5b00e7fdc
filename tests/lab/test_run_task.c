/* SPDX-License-Identifier: BSD-3-Clause */
/* test_run_task.c -- runs for other processes: what is asked and what is made survive the way, or
 * are refused; and what a cluster is asked for. */
#define _GNU_SOURCE
#include "lab/campaign/campaign.h"
#include "lab/campaign/job.h"
#include "lab/scenario/sweep.h"
#include "tests/folder.h"

static const char text[] =
	"# Is it the same there?\n[network]\ntopology = star\nhosts = 4\n"
	"[traffic a]\npattern = many-to-one\nsize = 20KB\n"
	"[measure]\nprobe = queue sw->h0 every 10us\nprobe = queue sw->h1 every 20us\n"
	"to = 1ms\n"
	"[case small]\nswitch.buffer = 20pkts\n[case large]\nswitch.buffer = 200pkts\n"
	"[sweep]\nswitch.marking = none, ecn(k=5pkts)\nseed = 1..3\n";

struct ground {
	struct scenario s;
	struct sweep w;
	char key[RUN_KEY_SIZE];
};

/* A run of the sweep: of the second case, with marking, and seed 2. */
static void ground_open(struct ground *g)
{
	struct weir_error e;
	struct config c;

	CHECK_INT(scenario_read_text(&g->s, "f.ini", text, strlen(text), &e), 0);
	CHECK_INT(scenario_set(&g->s, "network.rate=5Gbps", &e), 0);
	CHECK_INT(sweep_read(&g->w, &g->s, &e), 0);
	CHECK_INT(sweep_apply(&g->w, 10, &g->s, &e), 0);
	CHECK_INT(scenario_config(&g->s, &c, &e), 0);
	CHECK_INT(run_key(&c, g->key, &e), 0);
	config_free(&c);
}

static void ground_close(struct ground *g)
{
	sweep_free(&g->w);
	scenario_free(&g->s);
}

static void be_silent(struct task_output *o, double share)
{
	(void)o, (void)share;
}

static enum task_end serve(const struct payload *asked, struct payload *made, struct weir_error *e)
{
	struct task_output out = { .report_share = be_silent };
	enum task_end end = run_task_serve(asked, &out, e);

	*made = out.made;
	return end;
}

TEST(test_a_run_that_is_done_elsewhere_is_kept_here_as_if_it_had_been_done_here)
{
	struct folder f = folder_make();
	struct planned_run *runs;
	struct payload asked = { NULL, 0, 0 }, made;
	struct weir_error e = { "" };
	uint64_t digest, count;
	struct ground g;
	struct store *s;

	ground_open(&g);
	run_task_pack(&asked, &g.s, 1, g.key);
	if (serve(&asked, &made, &e) != TASK_DONE)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_plan(s, (const char(*)[RUN_KEY_SIZE]) & g.key, 1, &e), 0);
	store_close(s);
	CHECK_INT(run_task_keep(&made, g.key, f.path, COPY_LACKING, &e), TASK_DONE);
	CHECK_INT(run_task_keep(&made, g.key, f.path, COPY_LACKING, &e), TASK_DONE);
	CHECK_INT(run_task_keep(&made, g.key, f.path, COPY_ALL, &e), TASK_DONE);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_planned(s, &runs, &count, &e), 0);
	CHECK(runs[0].id != 0);
	CHECK_INT(store_run_digest(s, runs[0].id, &digest, &e), 0);
	free(runs);
	store_close(s);
	payload_free(&asked);
	payload_free(&made);
	ground_close(&g);
	folder_remove(&f);
}

TEST(test_a_run_with_another_key_elsewhere_is_refused)
{
	struct payload asked = { NULL, 0, 0 }, made;
	struct weir_error e = { "" };
	struct ground g;

	ground_open(&g);
	run_task_pack(&asked, &g.s, 1, "0123456789abcdef");
	CHECK_INT(serve(&asked, &made, &e), TASK_FAILED);
	CHECK_CONTAINS(e.text, "it would be another run");
	payload_free(&asked);
	payload_free(&made);
	ground_close(&g);
}

TEST(test_whatever_is_cut_off_of_what_is_asked_or_made_is_refused)
{
	struct folder f = folder_make();
	struct payload asked = { NULL, 0, 0 }, made, none;
	struct weir_error e = { "" };
	struct ground g;
	struct store *s;

	ground_open(&g);
	run_task_pack(&asked, &g.s, 1, g.key);
	for (size_t size = 0; size < asked.size; size++) {
		const struct payload torn = { asked.bytes, size, 0 };

		CHECK_INT(serve(&torn, &none, &e), TASK_FAILED);
		CHECK_INT(none.size, 0);
	}
	CHECK_INT(serve(&asked, &made, &e), TASK_DONE);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	store_close(s);
	for (size_t size = 0; size < made.size; size += 1 + made.size / 40) {
		const struct payload torn = { made.bytes, size, 0 };

		CHECK(run_task_keep(&torn, g.key, f.path, COPY_LACKING, &e) != TASK_DONE);
	}
	made.bytes[made.size / 2] ^=
		1; /* wherever that is, nothing else must come of it than the run or a refusal */
	run_task_keep(&made, g.key, f.path, COPY_LACKING, &e);
	payload_free(&asked);
	payload_free(&made);
	ground_close(&g);
	folder_remove(&f);
}

TEST(test_a_cluster_is_asked_for_the_slowest_shard_and_the_largest_run)
{
	double run_s[] = { 60, 60, 240, 60, 60, 60 };
	const struct demand n = {
		.memory_bytes = 1e9, .total_s = 540, .longest_s = 240, .run_s = run_s
	};
	struct demand_request a = demand_request(&n, 6, 3, 1);

	CHECK_INT(a.memory_mb, 1700);    /* 200 + 1.5 x 1000 */
	CHECK_INT(a.minutes, 5 + 4 * 5); /* the third has 240 and 60 s */
	a = demand_request(&n, 6, 1, 2);
	CHECK_INT(a.memory_mb, 3200);
	CHECK_INT(a.minutes, 5 + 34);       /* 540 / 2 + 240 s, 4 times */
	CHECK_INT(demand_shards(&n, 6), 6); /* no more than there are runs */
	CHECK_INT(demand_shards(&n, 100), 16);
	CHECK_INT(demand_shards(&(struct demand){ .total_s = 6e4 }, 5000), 100);
	CHECK_INT(demand_shards(&(struct demand){ .total_s = 6e9 }, 5000), 1000);
}

TEST(test_needs_are_those_of_every_run_whatever_its_seed)
{
	struct weir_error e = { "" };
	struct ground g;
	struct demand n;

	ground_open(&g);
	CHECK_INT(demand_estimate(&n, &g.w, &g.s, &e), 0);
	CHECK_INT(g.w.run_count, 12);
	for (uint64_t i = 0; i < g.w.run_count; i++)
		CHECK(n.run_s[i] > 0);
	CHECK_NEAR(n.total_s, 12 * n.run_s[0], 1e-9);
	CHECK(n.memory_bytes > 0);
	demand_free(&n);
	ground_close(&g);
}
