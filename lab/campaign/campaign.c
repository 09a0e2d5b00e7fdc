/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.c -- the runs of a sweep that a result folder lacks. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/campaign.h"
#include "base/clock.h"
#include "lab/campaign/farm_task.h"
#include "lab/campaign/running.h"
#include "lab/store/store.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- where a run is done --- */

struct pulse {
	const struct campaign *campaign;
	uint64_t task;
	struct task_voice *voice;
	int64_t told_ns, shown_ns; /* the share; the series */
};

static void tell_share(void *context, const struct run_progress *at)
{
	enum { TELL_NS = WEIR_NS_PER_S / 10 };
	struct pulse *p = context;
	int64_t now_ns = clock_ns();
	double share = 0;

	if (now_ns - p->told_ns < TELL_NS)
		return;
	p->told_ns = now_ns;
	/* After the measured interval flows may still be on their way. */
	if (at->end_ps > 0)
		share = at->now_ps < at->end_ps ? (double)at->now_ps / (double)at->end_ps : 1;
	p->voice->say_share(p->voice, share);
	if (now_ns - p->shown_ns < WEIR_NS_PER_S)
		return;
	p->shown_ns = now_ns;
	running_write_series(p->campaign->folder, p->campaign->pid, p->task, at);
}

/* 1: another process has done it meanwhile. */
static int is_there(const struct campaign *c, uint64_t task, struct weir_error *e)
{
	struct store *store;
	int there;

	if (c->extent == CAMPAIGN_AGAIN)
		return 0;
	if (store_open(&store, c->folder, STORE_ADD, e))
		return -1;
	there = store_has(store, c->keys[task], e);
	store_close(store);
	return there;
}

static enum task_end keep(const struct campaign *c, uint64_t task, const struct config *config,
			  const struct run_result *r, struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, c->folder, STORE_ADD, e))
		return TASK_UNSTORED;
	failed = store_add(store, c->keys[task], config, r, e);
	store_close(store);
	return failed ? TASK_UNSTORED : TASK_DONE;
}

/* --- with other ranks --- */

#define NO_TASK UINT64_MAX

/* What the first rank says, all hear. */
static uint64_t hear_task(struct exchange *x, uint64_t task)
{
	exchange_append_own(x, &task, sizeof(task));
	exchange_share(x);
	memcpy(&task, x->in[0].bytes, sizeof(task));
	return task;
}

void campaign_dismiss(struct exchange *x)
{
	hear_task(x, NO_TASK);
}

void campaign_follow(struct campaign *c)
{
	const struct run_control control = { .threads = c->threads, .exchange = c->exchange };
	struct run_result result;
	struct config config;
	struct weir_error e;
	uint64_t task;

	while ((task = hear_task(c->exchange, NO_TASK)) != NO_TASK) {
		if (sweep_apply(c->sweep, task, c->scenario, &e) ||
		    scenario_config(c->scenario, &config, &e))
			exchange_lost(c->exchange, c->exchange->rank, e.text);
		run(&config, &control, &result, &e);
		run_result_free(&result);
		config_free(&config);
	}
}

/* The run, by this process, by those that share it with this one, or by some that are made for
 * it. */
static int run_shared(const struct campaign *c, uint64_t task, const struct config *config,
		      struct run_control *control, struct run_result *r, struct weir_error *e)
{
	int failed;

	control->exchange = c->exchange;
	if (c->exchange)
		hear_task(c->exchange, task);
	else if (c->ranks > 1 && exchange_fork(&control->exchange, c->ranks, e))
		return RUN_FAILED;
	if (control->exchange && control->exchange->rank > 0)
		control->progress = NULL;
	failed = run(config, control, r, e);
	if (c->exchange || !control->exchange)
		return failed;
	if (control->exchange->rank > 0)
		_exit(failed ? EXIT_FAILURE : EXIT_SUCCESS);
	control->exchange->ops->join(control->exchange);
	exchange_close(control->exchange);
	return failed;
}

static enum task_end perform(void *context, uint64_t task, struct task_voice *v,
			     struct weir_error *e)
{
	struct campaign *c = context;
	struct pulse pulse = { c, task, v, clock_ns(), clock_ns() };
	struct run_control control = { .threads = c->threads,
				       .adapts = c->adapts,
				       .progress = tell_share,
				       .context = &pulse };
	int there = is_there(c, task, e), failed;
	struct run_result result;
	struct config config;

	if (there)
		return there < 0 ? TASK_UNSTORED : TASK_SKIPPED;
	if (sweep_apply(c->sweep, task, c->scenario, e) || scenario_config(c->scenario, &config, e))
		return TASK_FAILED;
	failed = run_shared(c, task, &config, &control, &result, e);
	running_remove_series(c->folder, c->pid, task);
	if (failed == -1) {
		scenario_locate(c->scenario, e);
		return TASK_FAILED;
	}
	if (failed == RUN_MISLED || failed == RUN_FAILED) /* a plug-in's fault, or the system's */
		return TASK_FAILED;
	return failed ? TASK_BUG : keep(c, task, &config, &result, e);
}

/* --- where it is done elsewhere --- */

static int pack(void *context, uint64_t task, struct parcel *asked, struct weir_error *e)
{
	const struct campaign *c = context;

	if (sweep_apply(c->sweep, task, c->scenario, e))
		return -1;
	farm_pack_run(asked, c->scenario, c->threads, c->keys[task]);
	return 0;
}

static enum task_end keep_made(void *context, uint64_t task, const struct parcel *made,
			       struct weir_error *e)
{
	const struct campaign *c = context;

	return farm_keep_run(made, c->keys[task], c->folder,
			     c->extent == CAMPAIGN_AGAIN ? COPY_ALL : COPY_LACKING, e);
}

/* --- where they are asked for --- */

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
	store_close(store); /* no process may take an open one over */
	return failed ? -1 : 0;
}

static uint32_t jobs_of_machine(const struct campaign *c)
{
	uint32_t cores = core_count(), each = c->threads * (c->ranks > 1 ? c->ranks : 1);

	return cores > each ? cores / each : 1;
}

/* Runs that are done at a time. Where they are fewer than the processors, each may have several of
 * these. */
static uint32_t share_machine(struct campaign *c, uint32_t jobs)
{
	uint32_t cores = core_count();

	if (!jobs)
		jobs = jobs_of_machine(c);
	if (c->missing_count > 0 && jobs > c->missing_count)
		jobs = (uint32_t)c->missing_count;
	if (c->adapts && cores > jobs * c->threads)
		c->threads = cores / jobs;
	return jobs;
}

/* A campaign that is watched, by its caller and by whoever looks into the folder. */
struct watched {
	const struct campaign *campaign;
	const struct campaign_watch *watch;
	uint64_t ended, failed;
	int64_t begin_ns, told_ns;
};

static void hear_end(void *context, const struct task_result *r)
{
	struct watched *w = context;

	w->ended++;
	w->failed += r->end != TASK_DONE && r->end != TASK_SKIPPED;
	w->watch->ended(w->watch->context, r);
}

static void tell_folder(const struct watched *w, const struct running_task *running, uint32_t count)
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

static int hear_tick(void *context, const struct running_task *running, uint32_t count)
{
	enum { TELL_NS = WEIR_NS_PER_S / 2 };
	struct watched *w = context;
	int64_t now_ns = clock_ns();

	if (now_ns - w->told_ns >= TELL_NS) {
		w->told_ns = now_ns;
		tell_folder(w, running, count);
	}
	return w->watch->tick(w->watch->context, running, count);
}

int campaign_run(struct campaign *c, const struct executor_ops *executor, uint32_t jobs,
		 const struct campaign_watch *watch, struct weir_error *e)
{
	struct watched w = { c, watch, 0, 0, clock_ns(), clock_ns() };
	const struct task_list list = {
		.jobs = share_machine(c, jobs),
		.count = c->missing_count,
		.tasks = c->missing,
		.work = { c, perform, pack, farm_serve_run, keep_made },
		.watcher = &w,
		.ended = hear_end,
		.tick = hear_tick,
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
