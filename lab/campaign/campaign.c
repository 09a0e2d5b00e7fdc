/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.c -- determines which runs of a sweep a result folder lacks, and has an executor do
 * them. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/campaign.h"
#include "base/clock.h"
#include "lab/campaign/running.h"
#include "lab/store/store.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int campaign_check(struct campaign *c, struct weir_error *e)
{
	c->keys = memory_zeroed(c->sweep->run_count, sizeof(*c->keys));
	c->missing = memory_zeroed(c->sweep->run_count, sizeof(*c->missing));
	return sweep_check(c->sweep, c->scenario, c->keys, e);
}

int campaign_find_missing(struct campaign *c, struct weir_error *e)
{
	uint64_t count = c->sweep->run_count;
	struct store *store;
	int failed;

	if (store_open(&store, c->folder, STORE_WRITE, e))
		return -1;
	failed = store_plan(store, (const char(*)[RUN_KEY_SIZE])c->keys, count, e) ||
		 (c->shard.count && shard_write(&c->shard, c->folder, e));
	c->own_count = shard_runs(&c->shard, count);
	for (uint64_t i = 0; i < count && !failed; i++) {
		if (!shard_has(&c->shard, i))
			continue;

		int there = c->extent == CAMPAIGN_AGAIN ? 0 : store_has(store, c->keys[i], e);

		failed = there < 0;
		if (there == 0)
			c->missing[c->missing_count++] = i;
	}
	store_close(store); /* store connections must not be inherited by forked workers */
	return failed ? -1 : 0;
}

/* Sets how many runs are done in parallel. With fewer runs than cores, and automatic threads, each
 * run gets several cores. */
static uint32_t campaign_share_machine(struct campaign *c, uint32_t jobs)
{
	uint32_t cores = cpu_count(), each = c->threads * (c->ranks > 1 ? c->ranks : 1);

	if (!jobs)
		jobs = cores > each ? cores / each : 1;
	if (c->missing_count > 0 && jobs > c->missing_count)
		jobs = (uint32_t)c->missing_count;
	if (c->adapts && cores > jobs * c->threads)
		c->threads = cores / jobs;
	return jobs;
}

/* Watcher of the task list: forwards to the caller and updates the progress file of the live
 * view. */
struct watched {
	const struct campaign *campaign;
	const struct campaign_watch *watch;
	uint64_t ended, failed;
	int64_t begin_ns, reported_ns;
};

static void watched_end_task(void *context, const struct task_result *r)
{
	struct watched *w = context;

	w->ended++;
	w->failed += r->end != TASK_DONE && r->end != TASK_SKIPPED;
	w->watch->ended(w->watch->context, r);
}

static void watched_write(const struct watched *w, const struct running_task *running,
			  uint32_t count)
{
	const struct campaign *c = w->campaign;
	struct running_campaign now = {
		.pid = c->pid,
		.seconds = (double)(clock_ns() - w->begin_ns) / WEIR_NS_PER_S,
		.total = c->own_count,
		.todo = c->missing_count,
		.ended = w->ended,
		.failed = w->failed,
	};

	for (uint32_t i = 0; i < count && i < RUNNING_TASKS_MAX; i++) {
		struct running_run *one = &now.runs[now.run_count++];

		one->task = running[i].task;
		one->share = running[i].share;
		sweep_label(c->sweep, one->task, one->label, sizeof(one->label));
	}
	running_write(c->folder, &now);
}

static int watched_tick(void *context, const struct running_task *running, uint32_t count)
{
	enum { REPORT_NS = WEIR_NS_PER_S / 2 };
	struct watched *w = context;
	int64_t now_ns = clock_ns();

	if (now_ns - w->reported_ns >= REPORT_NS) {
		w->reported_ns = now_ns;
		watched_write(w, running, count);
	}
	return w->watch->tick(w->watch->context, running, count);
}

int campaign_run(struct campaign *c, const struct executor_ops *executor, uint32_t jobs,
		 const struct campaign_watch *watch, struct weir_error *e)
{
	struct watched w = { c, watch, 0, 0, clock_ns(), clock_ns() };
	const struct task_list list = {
		.jobs = campaign_share_machine(c, jobs),
		.count = c->missing_count,
		.tasks = c->missing,
		.work = run_task_work(c),
		.watcher = &w,
		.ended = watched_end_task,
		.tick = watched_tick,
	};
	int failed;

	c->pid = getpid();
	running_remove(c->folder, c->pid);
	failed = executor_run(executor, &list, e);
	running_remove(c->folder, c->pid);
	return failed;
}

void campaign_free(struct campaign *c)
{
	free(c->keys);
	free(c->missing);
}
