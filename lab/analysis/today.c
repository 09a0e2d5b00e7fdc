/* SPDX-License-Identifier: BSD-3-Clause */
/* today.c -- compares stored runs with the scenario's current runs by a digest of their settings.
 * Run keys would not do, because they also differ between builds. */
#define _POSIX_C_SOURCE 200809L
#include "lab/analysis/today.h"
#include "base/version.h"
#include "lab/analysis/planned.h"
#include "lab/scenario/sections.h"
#include "base/digest.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

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
static int empty_scenario(struct scenario *s, const struct stored_run *run, struct weir_error *e)
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
static void spell_out(char *text, const char *path, const char *value)
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

/* Length up to the comma or closing bracket, skipping nested brackets. */
static size_t part_length(const char *text)
{
	size_t length = 0;

	for (int depth = 0; text[length]; length++) {
		depth += (text[length] == '(') - (text[length] == ')');
		if (depth < 0 || (depth == 0 && text[length] == ','))
			break;
	}
	return length;
}

static int has_part(const char *spelt, const char *part, size_t length)
{
	const char *at = strchr(spelt, '(');

	while (at && *at) {
		size_t one;

		at += 1 + strspn(at + 1, " ");
		one = part_length(at);
		if (one == length && strncmp(at, part, length) == 0)
			return 1;
		at += one;
	}
	return 0;
}

/* A scheme with all options can exceed the length limit of a scenario's value. So options with the
 * current default are removed, as are empty ones, which a user cannot have written. */
static char *shortened(const char *path, const char *value)
{
	const char *at = strchr(value, '('), *comma = "";
	char spelt[SPELT_ROOM], *text = NULL;
	size_t size = 0;
	FILE *out;

	spell_out(spelt, path, value);
	if (!at || !strchr(spelt, '('))
		return text_copy(value);
	out = open_memstream(&text, &size);
	if (!out)
		memory_refused(size);
	fprintf(out, "%.*s(", (int)(at - value), value);
	while (*at == '(' || *at == ',') {
		size_t length;

		at += 1 + strspn(at + 1, " ");
		length = part_length(at);
		if (length && at[length - 1] != '=' && !has_part(spelt, at, length)) {
			fprintf(out, "%s%.*s", comma, (int)length, at);
			comma = ", ";
		}
		at += length;
	}
	fputc(')', out);
	fclose(out);
	return text;
}

static int set_all(struct scenario *s, const struct stored_run *run, struct weir_error *e)
{
	int failed = 0;

	for (uint32_t i = 0; i < run->setting_count && !failed; i++) {
		const struct stored_setting *one = &run->settings[i];
		char *assignment = NULL, *value;

		if (is_digest(one->path) || strcmp(one->path, CASE_PATH) == 0)
			continue;
		value = shortened(one->path, one->value);
		text_print(&assignment, "%s=%s", one->path, value);
		failed = scenario_set(s, assignment, e);
		free(assignment);
		free(value);
	}
	return failed;
}

/* Digests of files and the case stay as stored; everything else is parsed by this build. */
static void keep_old(struct stored_run *now, const struct stored_run *old)
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
static int read_again(struct stored_run *now, const struct stored_run *old)
{
	struct weir_error e;
	struct scenario s;
	int failed;

	if (empty_scenario(&s, old, &e))
		return -1;
	failed = set_all(&s, old, &e) || planned_run(now, &s, &e);
	scenario_free(&s);
	if (!failed)
		keep_old(now, old);
	return failed;
}

/* --- digests of runs --- */

/* What is recorded does not change a run, with one exception: a figure that reads flow records
 * needs runs that stored them. */
static int decides(const struct figure *f, const struct stored_setting *s)
{
	return strcmp(s->path, "measure.flows") != 0 || figure_reads_flows(f);
}

/* Sorts the run's settings in place. */
static struct digest run_digest(const struct figure *f, struct stored_run *run)
{
	struct digest_sum sum = { 0, 0 };
	struct digest d;
	char *all = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&all, &length);

	if (!out)
		memory_refused(length);
	qsort(run->settings, run->setting_count, sizeof(*run->settings), compare_settings);
	for (uint32_t i = 0; i < run->setting_count; i++)
		if (decides(f, &run->settings[i]))
			fprintf(out, "%s = %s\n", run->settings[i].path, run->settings[i].value);
	fclose(out);
	digest_add(&sum, all, length);
	d = digest_end(&sum);
	free(all);
	return d;
}

/* Digests of the scenario's runs, in plan order. The caller frees them. */
static struct digest *wanted_digests(const struct figure *f, struct stored_runs *runs)
{
	struct digest *all = memory_zeroed(runs->count + UINT64_C(1), sizeof(*all));

	for (uint32_t i = 0; i < runs->count; i++)
		all[i] = run_digest(f, &runs->runs[i]);
	return all;
}

/* Digests of the stored runs; "" for runs that this build does not understand. The caller frees
 * them. */
static struct digest *stored_digests(const struct figure *f, const struct stored_runs *runs)
{
	struct digest *all = memory_zeroed(runs->count + UINT64_C(1), sizeof(*all));

	for (uint32_t i = 0; i < runs->count; i++) {
		struct stored_run now = { .id = 0 };

		if (read_again(&now, &runs->runs[i]) == 0)
			all[i] = run_digest(f, &now);
		stored_run_free(&now);
	}
	return all;
}

static int has(const struct digest *sorted, uint32_t count, const struct digest *d)
{
	return bsearch(d, sorted, count, sizeof(*d), compare_digests) != NULL;
}

static void count_runs(struct figure_freshness *t, const struct figure *f,
		       struct stored_runs *wanted, const struct stored_runs *there)
{
	const struct version version = version_of_results();
	struct digest *of_wanted = wanted_digests(f, wanted), *of_there = stored_digests(f, there);

	t->wanted = wanted->count;
	qsort(of_wanted, wanted->count, sizeof(*of_wanted), compare_digests);
	for (uint32_t i = 0; i < there->count; i++) {
		if (!has(of_wanted, wanted->count, &of_there[i]))
			t->extra++;
		else if (strcmp(there->runs[i].version, version.text) != 0)
			t->other_builds++;
	}
	qsort(of_there, there->count, sizeof(*of_there), compare_digests);
	for (uint32_t i = 0; i < wanted->count; i++)
		t->missing += !has(of_there, there->count, &of_wanted[i]);
	free(of_there);
	free(of_wanted);
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
	failed = planned_runs(&wanted, &w, &s, e);
	if (!failed) {
		count_runs(t, f, &wanted, runs);
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
