/* SPDX-License-Identifier: BSD-3-Clause */
/* farm_task.c -- see farm_task.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/farm_task.h"
#include "base/clock.h"
#include "sim/parallel/mpi_world.h"
#include "config/plugin.h"
#include "sim/run/run.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a scenario as bytes --- */

static void pack_settings(struct parcel *p, const struct setting *settings, uint32_t count)
{
	parcel_put_number(p, count);
	for (uint32_t i = 0; i < count; i++) {
		parcel_put_text(p, settings[i].path);
		parcel_put_text(p, settings[i].value);
		parcel_put_number(p, (uint64_t)settings[i].line);
	}
}

/* Of cases only the one in use: no other counts. */
static void pack_scenario(struct parcel *p, const struct scenario *s)
{
	parcel_put_text(p, s->file);
	parcel_put_text(p, s->title);
	parcel_put_number(p, s->section_count);
	for (uint32_t i = 0; i < s->section_count; i++) {
		parcel_put_text(p, s->sections[i].path);
		parcel_put_number(p, (uint64_t)s->sections[i].line);
	}
	pack_settings(p, s->settings, s->setting_count);
	parcel_put_number(p, s->in_case != NULL);
	if (!s->in_case)
		return;
	parcel_put_text(p, s->in_case->name);
	parcel_put_number(p, (uint64_t)s->in_case->line);
	pack_settings(p, s->in_case->settings, s->in_case->count);
}

/* As many as the parcel can hold, whatever it says. */
static uint32_t count_of(struct parcel_reader *r)
{
	uint64_t count = parcel_number(r);

	if (count <= r->left)
		return (uint32_t)count;
	r->is_torn = 1;
	return 0;
}

static void unpack_case(struct parcel_reader *r, struct scenario *s)
{
	struct setting_bundle *b = memory_zeroed(1, sizeof(*b));
	uint32_t count;

	s->cases = b;
	s->case_count = 1;
	s->in_case = b;
	b->name = text_copy(parcel_text(r));
	b->line = (int)parcel_number(r);
	count = count_of(r);
	for (uint32_t i = 0; i < count; i++) {
		const char *path = parcel_text(r), *value = parcel_text(r);

		bundle_add(b, path, value, (int)parcel_number(r));
	}
}

static void unpack_scenario(struct parcel_reader *r, struct scenario *s)
{
	uint32_t count;

	memset(s, 0, sizeof(*s));
	s->file = text_copy(parcel_text(r));
	snprintf(s->title, sizeof(s->title), "%s", parcel_text(r));
	s->section_count = count_of(r);
	s->sections = memory_zeroed(s->section_count, sizeof(*s->sections));
	for (uint32_t i = 0; i < s->section_count; i++) {
		s->sections[i].path = text_copy(parcel_text(r));
		s->sections[i].line = (int)parcel_number(r);
	}
	count = count_of(r);
	for (uint32_t i = 0; i < count; i++) {
		const char *path = parcel_text(r), *value = parcel_text(r);

		scenario_add(s, path, value, (int)parcel_number(r));
	}
	if (parcel_number(r))
		unpack_case(r, s);
}

void farm_pack_run(struct parcel *asked, const struct scenario *s, uint32_t threads,
		   const char *key)
{
	parcel_put_number(asked, threads);
	parcel_put_text(asked, key);
	pack_scenario(asked, s);
}

/* --- where it is done --- */

struct pulse {
	struct task_voice *voice;
	int64_t told_ns;
};

static void tell_share(void *context, const struct run_progress *at)
{
	enum { TELL_NS = WEIR_NS_PER_S / 10 };
	struct pulse *p = context;
	int64_t now_ns = clock_ns();

	if (now_ns - p->told_ns < TELL_NS)
		return;
	p->told_ns = now_ns;
	p->voice->say_share(p->voice, at->end_ps <= 0 ? 0
				      : at->now_ps < at->end_ps
					      ? (double)at->now_ps / (double)at->end_ps
					      : 1);
}

static enum task_end make_store(struct parcel *made, const char *key, const struct config *c,
				const struct run_result *r, struct weir_error *e)
{
	unsigned char *bytes = NULL;
	struct store *s;
	size_t size;

	if (store_open_bytes(&s, NULL, 0, e))
		return TASK_FAILED;
	if (store_add(s, key, c, r, e) == 0)
		bytes = store_bytes(s, &size, e);
	if (bytes)
		parcel_put_rest(made, bytes, size);
	store_bytes_free(bytes);
	store_close(s);
	return bytes ? TASK_DONE : TASK_FAILED;
}

static int check_key(const struct config *c, const char *key, struct weir_error *e)
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

/* What a parcel asks for. */
struct errand {
	struct scenario s;
	const char *key;
	struct run_control control;
};

static enum task_end do_config(const struct errand *x, const struct config *c, struct parcel *made,
			       struct weir_error *e)
{
	enum task_end end = TASK_FAILED;
	struct run_result result;
	int failed = run(c, &x->control, &result, e);

	if (failed == -1) {
		scenario_locate(&x->s, e);
		return end;
	}
	if (failed == 0)
		end = make_store(made, x->key, c, &result, e);
	else if (failed != RUN_MISLED &&
		 failed != RUN_FAILED) /* a plug-in's fault, or the system's */
		end = TASK_BUG;
	run_result_free(&result);
	return end;
}

static enum task_end do_run(const struct errand *x, struct parcel *made, struct weir_error *e)
{
	enum task_end end = TASK_FAILED;
	struct config c;

	if (scenario_config(&x->s, &c, e))
		return end;
	if (check_key(&c, x->key, e) == 0)
		end = do_config(x, &c, made, e);
	config_free(&c);
	return end;
}

enum task_end farm_serve_run(const struct parcel *asked, struct parcel *made, struct task_voice *v,
			     struct weir_error *e)
{
	struct parcel_reader r = { asked->bytes, asked->size, 0 };
	struct pulse pulse = { v, clock_ns() };
	struct errand x = { .control = { .progress = tell_share, .context = &pulse } };
	enum task_end end = TASK_FAILED;

	x.control.threads = (uint32_t)parcel_number(&r);
	x.key = parcel_text(&r);
	unpack_scenario(&r, &x.s);
	plugin_permit_tree_of(x.s.file);
	if (r.is_torn || r.left)
		weir_error_set(e, "what was asked for is torn");
	else
		end = do_run(&x, made, e);
	scenario_free(&x.s);
	return end;
}

/* --- where it was asked for --- */

enum task_end farm_keep_run(const struct parcel *made, const char *key, const char *folder,
			    enum store_copying copying, struct weir_error *e)
{
	struct planned_run run = { .id = 1 }; /* the first, and only, one of its store */
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
