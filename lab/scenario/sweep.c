/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.c -- makes the axes of a sweep from [sweep] and the cases, applies runs to the scenario,
 * and checks all runs before the first one starts. */
#include "lab/scenario/sweep.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 1000000 };

void sweep_free(struct sweep *w)
{
	for (uint32_t i = 0; i < w->axis_count; i++) {
		free(w->axes[i].path);
		list_free(&w->axes[i].values);
	}
	free(w->axes);
	memset(w, 0, sizeof(*w));
}

/* Takes ownership of the values. */
static int sweep_add_axis(struct sweep *w, const char *path, int line, struct text_list *values,
			  struct weir_error *e)
{
	w->axes = memory_grow(w->axes, w->axis_count + 1, sizeof(*w->axes));
	w->axes[w->axis_count++] = (struct sweep_axis){ text_copy(path), line, *values };
	w->run_count *= values->count;
	if (w->run_count > RUNS_MAX)
		return weir_error_set(e, "more than %d runs", RUNS_MAX);
	return 0;
}

/* --- cases --- */

static int sweep_add_all_cases(struct sweep *w, const struct scenario *s, struct weir_error *e)
{
	struct text_list names = { s->case_count,
				   memory_zeroed(s->case_count, sizeof(*names.items)) };

	for (uint32_t i = 0; i < s->case_count; i++)
		names.items[i] = text_copy(s->cases[i].name);
	return sweep_add_axis(w, CASE_PATH, s->cases[0].line, &names, e);
}

static int sweep_add_listed_cases(struct sweep *w, const struct scenario *s,
				  const struct setting *at, struct weir_error *e)
{
	struct text_list names;

	if (scenario_check_path(s, CASE_PATH, e) || list_split(&names, at->value, e))
		return -1;
	for (uint32_t i = 0; i < names.count; i++)
		if (scenario_check_case(s, names.items[i], e)) {
			list_free(&names);
			return -1;
		}
	return sweep_add_axis(w, CASE_PATH, at->line, &names, e);
}

/* Refuses a setting that both [sweep] lists and a case sets. A list given by --set overrides
 * cases. */
static int sweep_refuse_in_case(const struct scenario *s, const struct sweep_axis *a,
				struct weir_error *e)
{
	for (uint32_t i = 0; i < s->case_count && a->line != 0; i++) {
		const struct setting *at = bundle_find(&s->cases[i], a->path);

		if (!at)
			continue;
		weir_error_set(e,
			       "[case %s] sets it and [sweep] lists it, in line %d; leave one out",
			       s->cases[i].name, a->line);
		return setting_prefix(s, at, e);
	}
	return 0;
}

/* --- [sweep] --- */

static int sweep_add_listed(struct sweep *w, const struct scenario *s, const struct setting *at,
			    struct weir_error *e)
{
	const char *path = path_of_list(at->path);
	struct text_list values;

	if (scenario_check_path(s, path, e) || list_split(&values, at->value, e) ||
	    sweep_add_axis(w, path, at->line, &values, e))
		return setting_prefix(s, at, e);
	return sweep_refuse_in_case(s, &w->axes[w->axis_count - 1], e);
}

static int sweep_add_axes(struct sweep *w, const struct scenario *s, struct weir_error *e)
{
	const struct scenario_section *section = scenario_section(s, "sweep");
	const struct setting *cases = scenario_find(s, SWEEP_PREFIX CASE_PATH);

	if (cases && sweep_add_listed_cases(w, s, cases, e))
		return setting_prefix(s, cases, e);
	if (!cases && s->case_count > 0 && sweep_add_all_cases(w, s, e))
		return -1;
	for (uint32_t i = 0; i < s->setting_count; i++)
		if (path_of_list(s->settings[i].path) && &s->settings[i] != cases &&
		    sweep_add_listed(w, s, &s->settings[i], e))
			return -1;
	if (section && !cases && w->axis_count == (s->case_count > 0))
		return weir_error_set(
			e,
			"%.200s:%d: [sweep] is empty; list values of a setting, as in "
			"switch.marking = ecn, tcn, or leave it out",
			s->file, section->line);
	return 0;
}

int sweep_read(struct sweep *w, const struct scenario *s, struct weir_error *e)
{
	memset(w, 0, sizeof(*w));
	w->run_count = 1;
	if (sweep_add_axes(w, s, e) == 0)
		return 0;
	sweep_free(w);
	return -1;
}

/* --- seeds --- */

static struct text_list sweep_seeds_from(uint64_t first, uint32_t count)
{
	struct text_list seeds = { count, memory_zeroed(count, sizeof(*seeds.items)) };

	for (uint32_t i = 0; i < count; i++)
		text_print(&seeds.items[i], "%" PRIu64, first + i);
	return seeds;
}

/* Does a setting other than the case have several values, and the seed no list? */
static int sweep_lists_values(const struct sweep *w)
{
	int compares = 0;

	for (uint32_t i = 0; i < w->axis_count; i++) {
		if (strcmp(w->axes[i].path, SEED_PATH) == 0)
			return 0;
		compares |= strcmp(w->axes[i].path, CASE_PATH) != 0 && w->axes[i].values.count > 1;
	}
	return compares;
}

int sweep_add_seeds(struct sweep *w, const struct scenario *s)
{
	struct text_list seeds;
	struct weir_error ignored;

	if (!sweep_lists_values(w) || scenario_find(s, SEED_PATH) ||
	    w->run_count * SWEEP_SEEDS > RUNS_MAX)
		return 0;
	for (uint32_t i = 0; i < s->case_count; i++)
		if (bundle_find(&s->cases[i], SEED_PATH))
			return 0;
	seeds = sweep_seeds_from(1, SWEEP_SEEDS);
	sweep_add_axis(w, SEED_PATH, 0, &seeds, &ignored);
	return 1;
}

/* --- points --- */

void sweep_of_points(struct sweep *w, const struct text_list *points, uint64_t first_seed,
		     uint32_t seeds)
{
	struct text_list copies = { points->count,
				    memory_zeroed(points->count, sizeof(*copies.items)) };
	struct text_list numbers = sweep_seeds_from(first_seed, seeds);
	struct weir_error ignored;

	for (uint32_t i = 0; i < points->count; i++)
		copies.items[i] = text_copy(points->items[i]);
	memset(w, 0, sizeof(*w));
	w->run_count = 1;
	sweep_add_axis(w, POINT_PATH, 0, &copies, &ignored);
	sweep_add_axis(w, SEED_PATH, 0, &numbers, &ignored);
}

void point_apply(const char *point, struct scenario *s)
{
	size_t length;

	for (const char *at = line_part(point, &length); *at; at = line_part(at, &length)) {
		char *path = NULL, *value;

		text_print(&path, "%.*s", (int)length, at);
		value = strchr(path, '=');
		*value++ = '\0';
		if (*value)
			scenario_put(s, path, value, 0);
		else
			scenario_drop(s, path, DROP_ALL);
		free(path);
		at += strcspn(at, ";");
		at += *at == ';';
	}
}

/* Index of the run's value on the axis; the last axis changes fastest. */
static uint32_t value_index(const struct sweep *w, uint64_t run, uint32_t axis)
{
	for (uint32_t i = w->axis_count - 1; i > axis; i--)
		run /= w->axes[i].values.count;
	return (uint32_t)(run % w->axes[axis].values.count);
}

int sweep_apply(const struct sweep *w, uint64_t run, struct scenario *s, struct weir_error *e)
{
	for (uint32_t i = 0; i < w->axis_count; i++) {
		const struct sweep_axis *a = &w->axes[i];
		const char *value = a->values.items[value_index(w, run, i)];

		if (strcmp(a->path, CASE_PATH) == 0) {
			if (scenario_use_case(s, value, e))
				return -1;
		} else if (strcmp(a->path, POINT_PATH) == 0) {
			point_apply(value, s);
		} else {
			scenario_put(s, a->path, value, a->line);
		}
	}
	return 0;
}

const char *sweep_label(const struct sweep *w, uint64_t run, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (uint32_t i = 0; i < w->axis_count && used < size; i++) {
		const struct sweep_axis *a = &w->axes[i];

		used += (size_t)snprintf(buffer + used, size - used, "%s%s%s", i ? ", " : "",
					 strcmp(a->path, SEED_PATH) == 0 ? "seed " : "",
					 a->values.items[value_index(w, run, i)]);
	}
	return buffer;
}

/* --- before anything runs --- */

int sweep_is_other_seed(const struct sweep *w, uint64_t run)
{
	for (uint32_t i = 0; i < w->axis_count; i++)
		if (strcmp(w->axes[i].path, SEED_PATH) == 0 && value_index(w, run, i) > 0)
			return 1;
	return 0;
}

/* built: receives the built run, which the caller frees; NULL: not needed. */
static int sweep_check_run(const struct sweep *w, uint64_t number, struct scenario *s,
			   char key[RUN_KEY_SIZE], struct run_result *built, struct weir_error *e)
{
	/* builds everything that the run needs, without running it */
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result result;
	struct config c;
	int failed;

	if (sweep_apply(w, number, s, e) || scenario_config(s, &c, e))
		return -1;
	failed = run_key(&c, key, e);
	if (!failed && !sweep_is_other_seed(w, number)) {
		failed = run(&c, &control, built ? built : &result, e);
		if (!failed && !built)
			run_result_free(&result);
	}
	if (failed)
		scenario_locate(s, e);
	config_free(&c);
	return failed;
}

struct run_by_key {
	const char *key;
	uint64_t run;
};

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct run_by_key *)a)->key, ((const struct run_by_key *)b)->key);
}

static int sweep_refuse_duplicates(const struct sweep *w, const struct scenario *s,
				   char (*keys)[RUN_KEY_SIZE], struct weir_error *e)
{
	struct run_by_key *sorted = memory_grow(NULL, w->run_count, sizeof(*sorted));
	char one[256], other[256];
	int failed = 0;

	for (uint64_t i = 0; i < w->run_count; i++)
		sorted[i] = (struct run_by_key){ keys[i], i };
	qsort(sorted, w->run_count, sizeof(*sorted), compare_keys);
	for (uint64_t i = 1; i < w->run_count && !failed; i++)
		if (strcmp(sorted[i].key, sorted[i - 1].key) == 0)
			failed = weir_error_set(
				e, "%.200s: [sweep] has one run twice: (%s) and (%s) mean the same",
				s->file, sweep_label(w, sorted[i - 1].run, one, sizeof(one)),
				sweep_label(w, sorted[i].run, other, sizeof(other)));
	free(sorted);
	return failed;
}

int sweep_check(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		struct weir_error *e)
{
	return sweep_check_first(w, s, keys, NULL, e);
}

int sweep_check_first(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		      struct run_result *first, struct weir_error *e)
{
	struct weir_error unused = { "" };
	int failed = scenario_check_values(s, &unused); /* before sweep_apply replaces values */

	if (first)
		memset(first, 0, sizeof(*first));
	for (uint64_t i = 0; i < w->run_count; i++)
		if (sweep_check_run(w, i, s, keys[i], i == 0 ? first : NULL, e))
			return -1;
	if (failed)
		return weir_error_set(e, "%s", unused.text);
	return sweep_refuse_duplicates(w, s, keys, e);
}
