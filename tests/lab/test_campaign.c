/* SPDX-License-Identifier: BSD-3-Clause */
/* test_campaign.c -- tasks that others do: what every executor promises, and which runs a folder
 * lacks. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "lab/campaign/campaign.h"
#include "lab/store/store.h"
#include "tests/folder.h"
#include <signal.h>

/* --- every executor --- */

static const struct executor_ops *const executor_all[] = { &executor_processes, &executor_mpi,
							   NULL };

struct bench {
	uint32_t ended[TASK_STOPPED + 1], most; /* most: at the same time */
	uint64_t seen;                          /* bit per task that came back */
};

static enum task_end do_task(void *context, uint64_t task, struct task_output *out,
			     struct weir_error *e)
{
	(void)context;
	out->report_share(out, 0.5);
	if (task == 2)
		raise(SIGKILL);
	if (task == 3)
		_exit(5);
	if (task == 4) {
		weir_error_set(e, "no luck");
		return TASK_FAILED;
	}
	return task == 5 ? TASK_SKIPPED : TASK_DONE;
}

/* Each comes back once. */
static void count_end(void *context, const struct task_result *r)
{
	struct bench *b = context;

	b->ended[r->end]++;
	CHECK(!(b->seen >> r->task & 1));
	b->seen |= UINT64_C(1) << r->task;
}

static void hear(void *context, const struct task_result *r)
{
	count_end(context, r);
	if (r->task == 2)
		CHECK_STR(r->error.text, "killed by signal 9 (Killed)");
	if (r->task == 3)
		CHECK_STR(r->error.text, "ended with status 5 and no result");
	if (r->task == 4)
		CHECK_STR(r->error.text, "no luck");
}

static int watch(void *context, const struct running_task *running, uint32_t count)
{
	struct bench *b = context;

	(void)running;
	if (count > b->most)
		b->most = count;
	return 0;
}

TEST(test_every_executor_loses_one_task_and_no_other)
{
	static const uint64_t tasks[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (const struct executor_ops *const *ops = executor_all; *ops; ops++) {
		struct bench b = { .most = 0 };
		const struct task_list l = { 3, 8, tasks, { .perform = do_task }, &b, hear, watch };
		struct weir_error e;

		CHECK_INT(executor_run(*ops, &l, &e), 0);
		CHECK_INT(b.ended[TASK_DONE], 4);
		CHECK_INT(b.ended[TASK_KILLED], 2);
		CHECK_INT(b.ended[TASK_FAILED], 1);
		CHECK_INT(b.ended[TASK_SKIPPED], 1);
		CHECK_INT(b.seen, 0xff);
		CHECK_INT(b.most, 3);
	}
}

static enum task_end sleep_on(void *context, uint64_t task, struct task_output *out,
			      struct weir_error *e)
{
	(void)context, (void)task, (void)out, (void)e;
	while (getppid() > 0)
		pause();
	return TASK_FAILED;
}

static int stop_at_once(void *context, const struct running_task *running, uint32_t count)
{
	(void)context, (void)running, (void)count;
	return 1;
}

TEST(test_every_executor_ends_when_the_user_interrupts)
{
	static const uint64_t tasks[] = { 0, 1, 2, 3 };

	for (const struct executor_ops *const *ops = executor_all; *ops; ops++) {
		struct bench b = { .most = 0 };
		const struct task_list l = { 2,  4,         tasks,       { .perform = sleep_on },
					     &b, count_end, stop_at_once };
		struct weir_error e;

		CHECK_INT(executor_run(*ops, &l, &e), 0);
		CHECK_INT(b.ended[TASK_STOPPED], 2); /* the others were never begun */
		CHECK_INT(b.seen, 3);
	}
}

/* With one at a time the second is not begun once the first has said so. */
static enum task_end fill_disk(void *context, uint64_t task, struct task_output *out,
			       struct weir_error *e)
{
	(void)context, (void)task, (void)out;
	weir_error_set(e, "the disk is full");
	return TASK_UNSTORED;
}

TEST(test_nothing_is_begun_once_nothing_can_be_stored)
{
	static const uint64_t tasks[] = { 0, 1, 2, 3 };

	for (const struct executor_ops *const *ops = executor_all; *ops; ops++) {
		struct bench b = { .most = 0 };
		const struct task_list l = { 1,  4,         tasks, { .perform = fill_disk },
					     &b, count_end, watch };
		struct weir_error e;

		CHECK_INT(executor_run(*ops, &l, &e), 0);
		CHECK_INT(b.ended[TASK_UNSTORED], 1);
		CHECK_INT(b.seen, 1);
	}
}

/* --- a campaign --- */

static const char four_runs[] = "[network]\ntopology = star\nhosts = 3\n"
				"[traffic a]\npattern = many-to-one\nsenders = 2\nsize = 20KB\n"
				"[measure]\nto = 1ms\n"
				"[sweep]\nseed = 1..2\nswitch.marking = none, ecn\n";

struct ground {
	struct folder folder; /* the results, and nothing else */
	struct scenario s;
	struct sweep w;
	struct campaign c;
	struct bench b;
};

static void ground_open(struct ground *g)
{
	struct weir_error e;

	memset(g, 0, sizeof(*g));
	g->folder = folder_make();
	CHECK_INT(scenario_read_text(&g->s, "f.ini", four_runs, strlen(four_runs), &e), 0);
	CHECK_INT(sweep_read(&g->w, &g->s, &e), 0);
}

static void ground_close(struct ground *g)
{
	sweep_free(&g->w);
	scenario_free(&g->s);
	folder_remove(&g->folder);
}

/* How many runs there were to do. */
static uint64_t do_all_by(struct ground *g, const struct executor_ops *executor,
			  enum campaign_extent extent)
{
	const struct campaign_watch w = { &g->b, count_end, watch };
	uint64_t missing;
	struct weir_error e;

	memset(&g->b, 0, sizeof(g->b));
	g->c = (struct campaign){ .scenario = &g->s,
				  .sweep = &g->w,
				  .folder = g->folder.path,
				  .extent = extent,
				  .threads = 1 };
	CHECK_INT(campaign_check(&g->c, &e), 0);
	CHECK_INT(campaign_find_missing(&g->c, &e), 0);
	CHECK_INT(campaign_run(&g->c, executor, 2, &w, &e), 0);
	missing = g->c.missing_count;
	campaign_free(&g->c);
	return missing;
}

static uint64_t do_all(struct ground *g, enum campaign_extent extent)
{
	return do_all_by(g, executor_all[0], extent);
}

/* What came out of each run of the plan. */
static void read_digests(const struct ground *g, uint64_t digests[4])
{
	struct planned_run *runs;
	struct weir_error e;
	struct store *s;
	uint64_t count;

	CHECK_INT(store_open(&s, g->folder.path, STORE_READ, &e), 0);
	CHECK_INT(store_planned(s, &runs, &count, &e), 0);
	CHECK_INT(count, 4);
	for (uint64_t i = 0; i < count; i++)
		CHECK_INT(store_run_digest(s, runs[i].id, &digests[i], &e), 0);
	free(runs);
	store_close(s);
}

TEST(test_every_executor_leaves_the_same_in_the_store)
{
	uint64_t first[4] = { 0 }, other[4];

	for (const struct executor_ops *const *ops = executor_all; *ops; ops++) {
		struct ground g;

		ground_open(&g);
		CHECK_INT(do_all_by(&g, *ops, CAMPAIGN_MISSING), 4);
		CHECK_INT(g.b.ended[TASK_DONE], 4);
		read_digests(&g, ops == executor_all ? first : other);
		if (ops != executor_all)
			CHECK(memcmp(first, other, sizeof(first)) == 0);
		CHECK_INT(do_all_by(&g, *ops, CAMPAIGN_MISSING), 0);
		CHECK_INT(do_all_by(&g, *ops, CAMPAIGN_AGAIN), 4);
		read_digests(&g, other);
		CHECK(memcmp(first, other, sizeof(first)) == 0);
		ground_close(&g);
	}
}

TEST(test_campaign_does_what_the_folder_lacks)
{
	struct ground g;

	ground_open(&g);
	CHECK_INT(do_all(&g, CAMPAIGN_MISSING), 4);
	CHECK_INT(g.b.ended[TASK_DONE], 4);
	CHECK_INT(do_all(&g, CAMPAIGN_MISSING), 0);
	CHECK_INT(g.b.seen, 0);
	CHECK_INT(do_all(&g, CAMPAIGN_AGAIN), 4);
	CHECK_INT(g.b.ended[TASK_DONE], 4);
	ground_close(&g);
}

/* Both look at an empty folder; the first does all of it before the second begins. */
TEST(test_campaign_skips_what_somebody_else_has_done)
{
	struct ground g;
	struct campaign late;
	struct bench b = { .most = 0 };
	const struct campaign_watch w = { &b, count_end, watch };
	struct weir_error e;

	ground_open(&g);
	late = (struct campaign){
		.scenario = &g.s, .sweep = &g.w, .folder = g.folder.path, .threads = 1
	};
	CHECK_INT(campaign_check(&late, &e), 0);
	CHECK_INT(campaign_find_missing(&late, &e), 0);
	CHECK_INT(late.missing_count, 4);
	do_all(&g, CAMPAIGN_MISSING);
	CHECK_INT(campaign_run(&late, executor_all[0], 2, &w, &e), 0);
	CHECK_INT(b.ended[TASK_SKIPPED], 4);
	campaign_free(&late);
	ground_close(&g);
}

/* Where one run is done at a time and nobody says with how many threads, it has all processors. */
TEST(test_campaign_shares_processors_that_have_nothing_to_do)
{
	struct ground g;
	struct weir_error e;

	ground_open(&g);
	for (uint32_t adapts = 0; adapts < 2; adapts++) {
		struct bench b = { .most = 0 };
		const struct campaign_watch w = { &b, count_end, watch };
		struct campaign c = { .scenario = &g.s,
				      .sweep = &g.w,
				      .folder = g.folder.path,
				      .extent = CAMPAIGN_AGAIN,
				      .threads = 1,
				      .adapts = adapts };

		CHECK_INT(campaign_check(&c, &e), 0);
		CHECK_INT(campaign_find_missing(&c, &e), 0);
		CHECK_INT(campaign_run(&c, executor_all[0], 1, &w, &e), 0);
		CHECK_INT(c.threads, adapts ? cpu_count() : 1);
		CHECK_INT(b.ended[TASK_DONE], 4);
		campaign_free(&c);
	}
	ground_close(&g);
}
