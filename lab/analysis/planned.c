/* SPDX-License-Identifier: BSD-3-Clause */
/* planned.c -- the runs of a figure's scenario before any has run, and whether stored runs match
 * them. Runs are matched by a digest of their settings: run keys also differ between builds. */
#define _POSIX_C_SOURCE 200809L
#include "lab/analysis/planned.h"
#include "base/digest.h"
#include "base/memory.h"
#include "base/version.h"
#include "lab/scenario/sections.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int figure_scenario(const char *file, enum figure_size size, struct scenario *s, struct sweep *w,
		    struct weir_error *e)
{
	if (scenario_read(s, file, e))
		return -1;
	if (size != FIGURE_QUICK)
		scenario_use_full(s);
	if (sweep_read(w, s, e) == 0)
		return 0;
	scenario_free(s);
	return -1;
}

int figure_more_seeds(struct scenario *s, struct sweep *w, struct weir_error *e)
{
	char *assignment = NULL;
	uint32_t seeds = 0;
	int failed;

	for (uint32_t i = 0; i < w->axis_count; i++)
		if (strcmp(w->axes[i].path, "seed") == 0)
			seeds = w->axes[i].values.count;
	sweep_free(w);
	if (seeds == 0)
		return weir_error_set(e, "the sweep has no seeds, so none can be added");
	text_print(&assignment, SWEEP_PREFIX "seed=%d..%u", MORE_SEEDS_FIRST,
		   MORE_SEEDS_FIRST + MORE_SEEDS * seeds - 1);
	failed = scenario_set(s, assignment, e) || sweep_read(w, s, e);
	free(assignment);
	return failed ? -1 : 0;
}

static void planned_add_setting(struct stored_run *run, const char *path, const char *text)
{
	run->settings = memory_grow(run->settings, run->setting_count + 1, sizeof(*run->settings));
	run->settings[run->setting_count++] =
		(struct stored_setting){ text_copy(path), text_copy(text) };
}

static void take_setting(void *context, const char *path, const char *text)
{
	planned_add_setting(context, path, text);
}

int planned_run(struct stored_run *run, const struct scenario *s, struct weir_error *e)
{
	struct config c;
	int failed;

	for (int i = 0; i < METRICS_MAX; i++)
		run->value[i] = (double)NAN;
	run->planned = 1;
	run->title = text_copy(s->title);
	run->version = text_copy("");
	if (scenario_config(s, &c, e))
		return -1;
	failed = scenario_settings(&c, take_setting, run, e);
	config_free(&c);
	return failed;
}

int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e)
{
	int failed = 0;

	memset(runs, 0, sizeof(*runs));
	runs->runs = memory_zeroed(w->run_count, sizeof(*runs->runs));
	for (uint64_t i = 0; i < w->run_count && !failed; i++)
		failed = sweep_apply(w, i, s, e) || planned_run(&runs->runs[runs->count++], s, e);
	if (failed)
		stored_runs_free(runs);
	return failed ? -1 : 0;
}

/* --- stored runs against planned runs --- */

static int compare_settings(const void *a, const void *b)
{
	const struct stored_setting *p = a, *q = b;

	return strcmp(p->path, q->path);
}

static int compare_digests(const void *a, const void *b)
{
	const struct digest *p = a, *q = b;

	return strcmp(p->text, q->text);
}

/* --- parsing the settings of a stored run again --- */

enum { SPELT_ROOM = 4096 };

static int is_digest(const char *path)
{
	return strncmp(path, "digest.", strlen("digest.")) == 0;
}

/* An empty scenario that has the traffic sections of a run, so that its settings can be applied. */
static int freshness_empty_scenario(struct scenario *s, const struct stored_run *run,
				    struct weir_error *e)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int failed;

	if (!out)
		memory_refused(length);
	for (uint32_t i = 0; i < run->setting_count; i++) {
		struct setting_path p;

		if (path_split(run->settings[i].path, &p) == 0 && p.name &&
		    strcmp(p.key, "pattern") == 0)
			fprintf(out, "[%s %s]\n", p.section, p.name);
	}
	fclose(out);
	failed = scenario_read_text(s, "a run", text, length, e);
	free(text);
	return failed;
}

/* Writes a scheme with all options and their current defaults: "acc(preset=paper, ...)" for "acc";
 * "" if the value is not a scheme. */
static void freshness_format_scheme(char *text, const char *path, const char *value)
{
	const struct section *section;
	struct weir_option option;
	struct setting_path p;
	char name[WEIR_OPT_TEXT_SIZE];

	text[0] = '\0';
	section = path_split(path, &p) == 0 ? path_section(&p) : NULL;
	for (const struct weir_option *o = section ? section->options : NULL; o && o->name; o++)
		if (strcmp(o->name, p.key) == 0 && o->type == WEIR_OPT_SCHEME) {
			option = *o;
			option.offset = 0;
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, "("), value);
			weir_option_format(text, SPELT_ROOM, &option, name);
		}
}

static int freshness_has_part(const char *spelt, const char *part, size_t length)
{
	const char *at = spelt + strcspn(spelt, "("), *argument;
	size_t one;

	while (spec_next_argument(&at, &argument, &one))
		if (one == length && strncmp(argument, part, length) == 0)
			return 1;
	return 0;
}

/* A scheme with all options can exceed the length limit of a scenario's value. So options with the
 * current default are removed, as are empty ones, which a user cannot have written. */
static char *freshness_shorten(const char *path, const char *value)
{
	const char *at = strchr(value, '('), *comma = "", *argument;
	char spelt[SPELT_ROOM], *text = NULL;
	size_t size = 0, length;
	FILE *out;

	freshness_format_scheme(spelt, path, value);
	if (!at || !strchr(spelt, '('))
		return text_copy(value);
	out = open_memstream(&text, &size);
	if (!out)
		memory_refused(size);
	fprintf(out, "%.*s(", (int)(at - value), value);
	while (spec_next_argument(&at, &argument, &length))
		if (length && argument[length - 1] != '=' &&
		    !freshness_has_part(spelt, argument, length)) {
			fprintf(out, "%s%.*s", comma, (int)length, argument);
			comma = ", ";
		}
	fputc(')', out);
	fclose(out);
	return text;
}

static int freshness_set_all(struct scenario *s, const struct stored_run *run, struct weir_error *e)
{
	int failed = 0;

	for (uint32_t i = 0; i < run->setting_count && !failed; i++) {
		const struct stored_setting *one = &run->settings[i];
		char *assignment = NULL, *value;

		if (is_digest(one->path) || strcmp(one->path, CASE_PATH) == 0)
			continue;
		value = freshness_shorten(one->path, one->value);
		text_print(&assignment, "%s=%s", one->path, value);
		failed = scenario_set(s, assignment, e);
		free(assignment);
		free(value);
	}
	return failed;
}

/* Digests of files and the case stay as stored; everything else is parsed by this build. */
static void freshness_keep_stored(struct stored_run *now, const struct stored_run *old)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < now->setting_count; i++) {
		if (is_digest(now->settings[i].path)) {
			free(now->settings[i].path);
			free(now->settings[i].value);
		} else {
			now->settings[count++] = now->settings[i];
		}
	}
	now->setting_count = count;
	for (uint32_t i = 0; i < old->setting_count; i++)
		if (is_digest(old->settings[i].path) ||
		    strcmp(old->settings[i].path, CASE_PATH) == 0)
			planned_add_setting(now, old->settings[i].path, old->settings[i].value);
}

/* -1: this build does not understand the settings. */
static int freshness_parse_run(struct stored_run *now, const struct stored_run *old)
{
	struct weir_error e;
	struct scenario s;
	int failed;

	if (freshness_empty_scenario(&s, old, &e))
		return -1;
	failed = freshness_set_all(&s, old, &e) || planned_run(now, &s, &e);
	scenario_free(&s);
	if (!failed)
		freshness_keep_stored(now, old);
	return failed;
}

/* --- digests of runs --- */

/* Sorts the run's settings in place. */
static struct digest freshness_run_digest(const struct figure *f, struct stored_run *run)
{
	struct digest_sum sum = { 0, 0 };
	struct digest d;
	char *all = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&all, &length);

	if (!out)
		memory_refused(length);
	qsort(run->settings, run->setting_count, sizeof(*run->settings), compare_settings);
	/* Recording does not change a run; but a figure that reads flow records needs runs that
	 * stored them. */
	for (uint32_t i = 0; i < run->setting_count; i++)
		if (strcmp(run->settings[i].path, "measure.flows") != 0 || figure_reads_flows(f))
			fprintf(out, "%s = %s\n", run->settings[i].path, run->settings[i].value);
	fclose(out);
	digest_add(&sum, all, length);
	d = digest_end(&sum);
	free(all);
	return d;
}

/* Digests of the stored runs; "" for runs that this build does not understand. The caller frees
 * them. */
static struct digest *freshness_stored_digests(const struct figure *f,
					       const struct stored_runs *runs)
{
	struct digest *all = memory_zeroed(runs->count + UINT64_C(1), sizeof(*all));

	for (uint32_t i = 0; i < runs->count; i++) {
		struct stored_run now = { .id = 0 };

		if (freshness_parse_run(&now, &runs->runs[i]) == 0)
			all[i] = freshness_run_digest(f, &now);
		stored_run_free(&now);
	}
	return all;
}

static void freshness_count_runs(struct figure_freshness *t, const struct figure *f,
				 struct stored_runs *wanted, const struct stored_runs *stored)
{
	const struct version version = version_of_results();
	struct digest *planned_digests =
		memory_zeroed(wanted->count + UINT64_C(1), sizeof(*planned_digests));
	struct digest *stored_digests = freshness_stored_digests(f, stored);

	t->wanted = wanted->count;
	for (uint32_t i = 0; i < wanted->count; i++)
		planned_digests[i] = freshness_run_digest(f, &wanted->runs[i]);
	qsort(planned_digests, wanted->count, sizeof(*planned_digests), compare_digests);
	for (uint32_t i = 0; i < stored->count; i++) {
		if (!bsearch(&stored_digests[i], planned_digests, wanted->count,
			     sizeof(*planned_digests), compare_digests))
			t->extra++;
		else if (strcmp(stored->runs[i].version, version.text) != 0)
			t->other_builds++;
	}
	qsort(stored_digests, stored->count, sizeof(*stored_digests), compare_digests);
	for (uint32_t i = 0; i < wanted->count; i++)
		t->missing += !bsearch(&planned_digests[i], stored_digests, stored->count,
				       sizeof(*stored_digests), compare_digests);
	free(stored_digests);
	free(planned_digests);
}

/* Were the runs made with fresh seeds? */
static int freshness_has_more_seeds(const struct stored_runs *runs)
{
	const char *seed = runs->count ? stored_setting(&runs->runs[0], "seed") : NULL;

	return seed && strtoul(seed, NULL, 10) >= MORE_SEEDS_FIRST;
}

int freshness_read(struct figure_freshness *t, const struct figure *f, const char *scenario,
		   enum figure_size size, const struct stored_runs *runs, struct weir_error *e)
{
	struct stored_runs wanted;
	struct scenario s;
	struct sweep w;
	int failed;

	*t = (struct figure_freshness){ 0 };
	if (figure_scenario(scenario, size, &s, &w, e))
		return -1;
	if (freshness_has_more_seeds(runs) && figure_more_seeds(&s, &w, e)) {
		scenario_free(&s);
		return -1;
	}
	failed = planned_runs(&wanted, &w, &s, e);
	if (!failed) {
		freshness_count_runs(t, f, &wanted, runs);
		stored_runs_free(&wanted);
	}
	sweep_free(&w);
	scenario_free(&s);
	return failed;
}

int freshness_is_complete(const struct figure_freshness *t)
{
	return t->wanted && !t->missing && !t->extra;
}
