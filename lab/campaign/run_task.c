/* SPDX-License-Identifier: BSD-3-Clause */
/* run_task.c -- a run as a task of an executor (executor.h): done in this process, shared with
 * other ranks, or serialised for a process without the campaign. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/campaign.h"
#include "base/clock.h"
#include "base/memory.h"
#include "config/plugin.h"
#include "lab/campaign/running.h"
#include "sim/parallel/mpi_world.h"
#include "sim/run/run.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- progress of a run --- */

struct run_pulse {
	const struct campaign *campaign; /* NULL: the result folder is on another machine */
	uint64_t task;
	struct task_output *out;
	int64_t reported_ns, shown_ns; /* when the share and the series were last reported */
};

static void run_task_progress(void *context, const struct run_progress *at)
{
	enum { REPORT_NS = WEIR_NS_PER_S / 10 };
	struct run_pulse *p = context;
	int64_t now_ns = clock_ns();
	double share = 0;

	if (now_ns - p->reported_ns < REPORT_NS)
		return;
	p->reported_ns = now_ns;
	/* flows may outlast the measured interval */
	if (at->end_ps > 0)
		share = at->now_ps < at->end_ps ? (double)at->now_ps / (double)at->end_ps : 1;
	p->out->report_share(p->out, share);
	if (!p->campaign || now_ns - p->shown_ns < WEIR_NS_PER_S)
		return;
	p->shown_ns = now_ns;
	running_write_series(p->campaign->folder, p->campaign->pid, p->task, at);
}

/* Maps the failure of a run to the end of its task. */
static enum task_end run_task_failure(int failed, const struct scenario *s, struct weir_error *e)
{
	if (failed == RUN_REFUSED)
		scenario_locate(s, e);
	/* RUN_PLUGIN_FAULT is a plug-in's fault, RUN_FAILED the system's */
	return failed == RUN_REFUSED || failed == RUN_PLUGIN_FAULT || failed == RUN_FAILED
		       ? TASK_FAILED
		       : TASK_BUG;
}

/* --- runs shared with other ranks --- */

#define NO_TASK UINT64_MAX

/* Broadcasts the task from rank 0. */
static uint64_t run_task_agree(struct exchange *x, uint64_t task)
{
	exchange_append_own(x, &task, sizeof(task));
	exchange_allgather(x);
	memcpy(&task, x->in[0].bytes, sizeof(task));
	return task;
}

void campaign_dismiss(struct exchange *x)
{
	run_task_agree(x, NO_TASK);
}

void campaign_follow(struct campaign *c)
{
	const struct run_control control = { .threads = c->threads, .exchange = c->exchange };
	struct run_result result;
	struct config config;
	struct weir_error e;
	uint64_t task;

	while ((task = run_task_agree(c->exchange, NO_TASK)) != NO_TASK) {
		if (sweep_apply(c->sweep, task, c->scenario, &e) ||
		    scenario_config(c->scenario, &config, &e))
			exchange_lost(c->exchange, c->exchange->rank, e.text);
		run(&config, &control, &result, &e);
		run_result_free(&result);
		config_free(&config);
	}
}

/* Does the run in this process, either with the ranks that share it or with ranks forked for it. */
static int run_task_run(const struct campaign *c, uint64_t task, const struct config *config,
			struct run_control *control, struct run_result *r, struct weir_error *e)
{
	int failed;

	control->exchange = c->exchange;
	if (c->exchange)
		run_task_agree(c->exchange, task);
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

/* --- on this machine --- */

/* 1: another process has stored it in the meantime. */
static int run_task_is_stored(const struct campaign *c, uint64_t task, struct weir_error *e)
{
	struct store *store;
	int found;

	if (c->extent == CAMPAIGN_AGAIN)
		return 0;
	if (store_open(&store, c->folder, STORE_ADD, e))
		return -1;
	found = store_has(store, c->keys[task], e);
	store_close(store);
	return found;
}

static enum task_end run_task_store(const struct campaign *c, uint64_t task,
				    const struct config *config, const struct run_result *r,
				    struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, c->folder, STORE_ADD, e))
		return TASK_UNSTORED;
	failed = store_add(store, c->keys[task], config, r, e);
	store_close(store);
	return failed ? TASK_UNSTORED : TASK_DONE;
}

static enum task_end run_task_perform(void *context, uint64_t task, struct task_output *out,
				      struct weir_error *e)
{
	struct campaign *c = context;
	struct run_pulse pulse = { c, task, out, clock_ns(), clock_ns() };
	struct run_control control = { .threads = c->threads,
				       .adapts = c->adapts,
				       .progress = run_task_progress,
				       .context = &pulse };
	int is_stored = run_task_is_stored(c, task, e), failed;
	struct run_result result;
	struct config config;
	enum task_end end;

	if (is_stored)
		return is_stored < 0 ? TASK_UNSTORED : TASK_SKIPPED;
	if (sweep_apply(c->sweep, task, c->scenario, e) || scenario_config(c->scenario, &config, e))
		return TASK_FAILED;
	memset(&result, 0, sizeof(result));
	failed = run_task_run(c, task, &config, &control, &result, e);
	running_remove_series(c->folder, c->pid, task);
	end = failed ? run_task_failure(failed, c->scenario, e)
		     : run_task_store(c, task, &config, &result, e);
	run_result_free(&result);
	config_free(&config);
	return end;
}

/* --- serialised scenario --- */

static void run_task_pack_settings(struct payload *p, const struct setting *settings,
				   uint32_t count)
{
	payload_put_number(p, count);
	for (uint32_t i = 0; i < count; i++) {
		payload_put_text(p, settings[i].path);
		payload_put_text(p, settings[i].value);
		payload_put_number(p, (uint64_t)settings[i].line);
	}
}

/* Of the cases only the selected one is sent: the others have no effect. */
void run_task_pack(struct payload *asked, const struct scenario *s, uint32_t threads,
		   const char *key)
{
	payload_put_number(asked, threads);
	payload_put_text(asked, key);
	payload_put_text(asked, s->file);
	payload_put_text(asked, s->title);
	payload_put_number(asked, s->section_count);
	for (uint32_t i = 0; i < s->section_count; i++) {
		payload_put_text(asked, s->sections[i].path);
		payload_put_number(asked, (uint64_t)s->sections[i].line);
	}
	run_task_pack_settings(asked, s->settings, s->setting_count);
	payload_put_number(asked, s->in_case != NULL);
	if (!s->in_case)
		return;
	payload_put_text(asked, s->in_case->name);
	payload_put_number(asked, (uint64_t)s->in_case->line);
	run_task_pack_settings(asked, s->in_case->settings, s->in_case->count);
}

/* Reads a count. Each counted element has at least one byte, which bounds counts of a corrupt
 * payload. */
static uint32_t run_task_unpack_count(struct payload_reader *r)
{
	uint64_t count = payload_number(r);

	if (count <= r->left)
		return (uint32_t)count;
	r->is_truncated = 1;
	return 0;
}

static void run_task_unpack_case(struct payload_reader *r, struct scenario *s)
{
	struct setting_bundle *b = memory_zeroed(1, sizeof(*b));
	uint32_t count;

	s->cases = b;
	s->case_count = 1;
	s->in_case = b;
	b->name = text_copy(payload_text(r));
	b->line = (int)payload_number(r);
	count = run_task_unpack_count(r);
	for (uint32_t i = 0; i < count; i++) {
		const char *path = payload_text(r), *value = payload_text(r);

		bundle_add(b, path, value, (int)payload_number(r));
	}
}

static void run_task_unpack_scenario(struct payload_reader *r, struct scenario *s)
{
	uint32_t count;

	memset(s, 0, sizeof(*s));
	s->file = text_copy(payload_text(r));
	snprintf(s->title, sizeof(s->title), "%s", payload_text(r));
	s->section_count = run_task_unpack_count(r);
	s->sections = memory_zeroed(s->section_count, sizeof(*s->sections));
	for (uint32_t i = 0; i < s->section_count; i++) {
		s->sections[i].path = text_copy(payload_text(r));
		s->sections[i].line = (int)payload_number(r);
	}
	count = run_task_unpack_count(r);
	for (uint32_t i = 0; i < count; i++) {
		const char *path = payload_text(r), *value = payload_text(r);

		scenario_add(s, path, value, (int)payload_number(r));
	}
	if (payload_number(r))
		run_task_unpack_case(r, s);
}

/* --- on another machine --- */

static enum task_end run_task_make_store(struct payload *made, const char *key,
					 const struct config *c, const struct run_result *r,
					 struct weir_error *e)
{
	unsigned char *bytes = NULL;
	struct store *s;
	size_t size;

	if (store_open_bytes(&s, NULL, 0, e))
		return TASK_FAILED;
	if (store_add(s, key, c, r, e) == 0)
		bytes = store_bytes(s, &size, e);
	if (bytes)
		payload_put_bytes(made, bytes, size);
	store_bytes_free(bytes);
	store_close(s);
	return bytes ? TASK_DONE : TASK_FAILED;
}

static int run_task_check_key(const struct config *c, const char *key, struct weir_error *e)
{
	char own_key[RUN_KEY_SIZE];

	if (run_key(c, own_key, e))
		return -1;
	if (strcmp(own_key, key) == 0)
		return 0;
	return weir_error_set(e,
			      "on %s it would be another run: there is another program, or the "
			      "files that settings name are not the same",
			      world_place().name);
}

static enum task_end run_task_serve_scenario(const struct scenario *s, const char *key,
					     uint32_t threads, struct task_output *out,
					     struct weir_error *e)
{
	struct run_pulse pulse = { .out = out, .reported_ns = clock_ns() };
	const struct run_control control = { .threads = threads,
					     .progress = run_task_progress,
					     .context = &pulse };
	enum task_end end = TASK_FAILED;
	struct run_result result;
	struct config config;
	int failed;

	if (scenario_config(s, &config, e))
		return end;
	if (run_task_check_key(&config, key, e) == 0) {
		memset(&result, 0, sizeof(result));
		failed = run(&config, &control, &result, e);
		end = failed ? run_task_failure(failed, s, e)
			     : run_task_make_store(&out->made, key, &config, &result, e);
		run_result_free(&result);
	}
	config_free(&config);
	return end;
}

enum task_end run_task_serve(const struct payload *asked, struct task_output *out,
			     struct weir_error *e)
{
	struct payload_reader r = { asked->bytes, asked->size, 0 };
	uint32_t threads = (uint32_t)payload_number(&r);
	const char *key = payload_text(&r);
	enum task_end end = TASK_FAILED;
	struct scenario s;

	run_task_unpack_scenario(&r, &s);
	plugin_permit_tree_of(s.file);
	if (r.is_truncated || r.left)
		weir_error_set(e, "what was asked for is torn");
	else
		end = run_task_serve_scenario(&s, key, threads, out, e);
	scenario_free(&s);
	return end;
}

/* --- where the task came from --- */

enum task_end run_task_keep(const struct payload *made, const char *key, const char *folder,
			    enum store_copying copying, struct weir_error *e)
{
	struct planned_run run = { .id = 1 }; /* the first and only run of its store */
	struct store *from, *to;
	int failed;

	memcpy(run.key, key, sizeof(run.key));
	if (made->size == 0) {
		weir_error_set(e, "its result was lost on its way");
		return TASK_FAILED;
	}
	if (store_open_bytes(&from, made->bytes, made->size, e))
		return TASK_FAILED;
	failed = store_open(&to, folder, STORE_ADD, e);
	if (!failed) {
		failed = store_copy(to, from, &run, 1, copying, e);
		store_close(to);
	}
	store_close(from);
	return failed ? TASK_UNSTORED : TASK_DONE;
}

static int run_task_pack_missing(void *context, uint64_t task, struct payload *asked,
				 struct weir_error *e)
{
	const struct campaign *c = context;

	if (sweep_apply(c->sweep, task, c->scenario, e))
		return -1;
	run_task_pack(asked, c->scenario, c->threads, c->keys[task]);
	return 0;
}

static enum task_end run_task_keep_made(void *context, uint64_t task, const struct payload *made,
					struct weir_error *e)
{
	const struct campaign *c = context;

	return run_task_keep(made, c->keys[task], c->folder,
			     c->extent == CAMPAIGN_AGAIN ? COPY_ALL : COPY_LACKING, e);
}

struct task_work run_task_work(struct campaign *c)
{
	return (struct task_work){ c, run_task_perform, run_task_pack_missing, run_task_serve,
				   run_task_keep_made };
}
