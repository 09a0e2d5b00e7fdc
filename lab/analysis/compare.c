/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c -- makes a comparison: chooses rows (settings that differ) and columns (metrics) for
 * stored runs. */
#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- settings --- */

static const char version_path[] = COMPARE_VERSION;

const char *compare_value(const struct stored_run *run, const char *path)
{
	const char *value =
		strcmp(path, version_path) == 0 ? run->version : stored_setting(run, path);

	return value ? value : "";
}

int compare_differs(const struct stored_runs *runs, const char *path)
{
	for (uint32_t i = 1; i < runs->count; i++)
		if (strcmp(compare_value(&runs->runs[i], path),
			   compare_value(&runs->runs[0], path)) != 0)
			return 1;
	return 0;
}

static void compare_add_axis(struct comparison *c, const char *path)
{
	for (uint32_t i = 0; i < c->axis_count; i++)
		if (strcmp(c->axes[i].path, path) == 0)
			return;
	c->axes = memory_grow(c->axes, c->axis_count + 1, sizeof(*c->axes));
	c->axes[c->axis_count++] = (struct compare_axis){ .path = path };
}

static const char digest_of[] = COMPARE_DIGEST;

/* A digest of a file or plug-in is shown only if the same name stands for several contents. */
static int compare_is_rebuilt(const struct stored_runs *runs, const char *path)
{
	const char *named = path + strlen(digest_of);

	for (uint32_t i = 1; i < runs->count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(compare_value(&runs->runs[i], named),
				   compare_value(&runs->runs[k], named)) == 0 &&
			    strcmp(compare_value(&runs->runs[i], path),
				   compare_value(&runs->runs[k], path)) != 0)
				return 1;
	return 0;
}

static const char case_path[] = COMPARE_CASE;

int compare_is_of_case(const struct stored_runs *runs, const char *path)
{
	for (uint32_t i = 1; i < runs->count; i++) {
		const char *in_case = compare_value(&runs->runs[i], case_path);
		uint32_t first = 0;

		while (strcmp(compare_value(&runs->runs[first], case_path), in_case) != 0)
			first++;
		if (strcmp(compare_value(&runs->runs[first], path),
			   compare_value(&runs->runs[i], path)) != 0)
			return 0;
	}
	return 1;
}

int compare_is_compared(const struct stored_runs *runs, const char *path)
{
	if (strncmp(path, digest_of, strlen(digest_of)) == 0)
		return compare_is_rebuilt(runs, path);
	return strcmp(path, "seed") != 0 && strcmp(path, "measure.probe") != 0;
}

/* Adds every setting that differs, in order of first appearance; settings that a case determines
 * are represented by the case. */
static void compare_add_differing(struct comparison *c)
{
	int has_cases = compare_differs(&c->runs, case_path);

	if (compare_differs(&c->runs, version_path))
		compare_add_axis(c, version_path);
	for (uint32_t i = 0; i < c->runs.count; i++)
		for (uint32_t k = 0; k < c->runs.runs[i].setting_count; k++) {
			const char *path = c->runs.runs[i].settings[k].path;

			if (i > 0 && stored_setting(&c->runs.runs[0], path))
				continue; /* already handled */
			if (!compare_differs(&c->runs, path) ||
			    !compare_is_compared(&c->runs, path) ||
			    (has_cases && strcmp(path, case_path) != 0 &&
			     compare_is_of_case(&c->runs, path)))
				continue;
			compare_add_axis(c, path);
		}
}

/* A full path, or its last part if unambiguous. NULL with a message otherwise. */
static const char *compare_find_path(const struct comparison *c, const char *wanted,
				     struct weir_error *e)
{
	const struct stored_run *run = &c->runs.runs[0];
	const char *names[256], *found = NULL;
	char current[SETTING_PATH_SIZE];
	size_t count = 0;

	wanted = setting_current_path(wanted, current);
	if (strcmp(wanted, version_path) == 0)
		return version_path;
	for (uint32_t i = 0; i < c->runs.count; i++)
		for (uint32_t k = 0; k < c->runs.runs[i].setting_count; k++)
			if (strcmp(c->runs.runs[i].settings[k].path, wanted) == 0)
				return c->runs.runs[i].settings[k].path;
	for (uint32_t k = 0; k < run->setting_count; k++) {
		const char *path = run->settings[k].path, *dot = strrchr(path, '.');

		if (dot && strcmp(dot + 1, wanted) == 0) {
			if (found) {
				weir_error_set(e, "%s could be %s or %s", weir_quote(wanted).text,
					       found, path);
				return NULL;
			}
			found = path;
		}
		if (count < sizeof(names) / sizeof(names[0]))
			names[count++] = path;
	}
	if (!found) {
		const char *nearest = weir_nearest_name(wanted, names, count);

		weir_error_set(e, "no run has a setting %s%s%s%s; parts of runs are %s, %s and %s",
			       weir_quote(wanted).text, nearest ? " (nearest: " : "",
			       nearest ? nearest : "", nearest ? ")" : "",
			       compare_split_names[SPLIT_TRAFFIC], compare_split_names[SPLIT_CLASS],
			       compare_split_names[SPLIT_SIZE]);
	}
	return found;
}

/* The canonical name of a split that the user named; NULL: not a split. */
static const char *compare_find_split(struct comparison *c, const char *wanted)
{
	for (uint32_t i = 0; i < c->split_count; i++)
		if (strcmp(compare_split_names[c->splits[i].kind], wanted) == 0)
			return compare_split_names[c->splits[i].kind];
	return comparison_add_split(c, wanted, c->axis_count)
		       ? compare_split_names[c->splits[c->split_count - 1].kind]
		       : NULL;
}

static int compare_choose_axes(struct comparison *c, const struct compare_request *q,
			       struct weir_error *e)
{
	for (uint32_t i = 0; i < q->by_count; i++) {
		const char *path = compare_find_split(c, q->by[i]);

		if (!path)
			path = compare_find_path(c, q->by[i], e);
		if (!path)
			return weir_error_prefix(e, "--by: ");
		compare_add_axis(c, path);
	}
	if (q->by_count == c->split_count)
		compare_add_differing(c);
	for (uint32_t i = 0; i < q->also_count; i++)
		if (compare_differs(&c->runs, q->also[i]))
			compare_add_axis(c, compare_find_path(c, q->also[i], e));
	return 0;
}

/* --- columns --- */

static int compare_unknown_metric(const char *name, struct weir_error *e)
{
	const char *names[METRICS_MAX + FLOW_METRICS];
	size_t count = 0;
	const char *nearest;

	for (; metric_all[count].name; count++)
		names[count] = metric_all[count].name;
	for (uint32_t i = 0; flow_metric_name(i); i++)
		names[count++] = flow_metric_name(i);
	nearest = weir_nearest_name(name, names, count);
	return weir_error_set(e,
			      "unknown metric %s; 'weir list metric' and 'weir help table' name "
			      "them%s%s%s",
			      weir_quote(name).text, nearest ? " (nearest: " : "",
			      nearest ? nearest : "", nearest ? ")" : "");
}

static int compare_add_column(struct comparison *c, const char *name, struct weir_error *e)
{
	struct compare_column *column = &c->columns[c->column_count];

	if (c->column_count == COMPARE_COLUMNS_MAX)
		return weir_error_set(e, "more than %d metrics", COMPARE_COLUMNS_MAX);
	column->metric = metric_index(name);
	if (flow_metric_known(name, &column->unit) && (column->metric < 0 || c->split_count))
		column->metric = -1;
	else if (column->metric < 0)
		return compare_unknown_metric(name, e);
	else if (c->split_count)
		return weir_error_set(e, "%s is no metric of flows; --by %s tells flows apart",
				      name, compare_split_names[c->splits[0].kind]);
	else
		column->unit = metric_all[column->metric].unit;
	column->name = name;
	column->info = metric_find(name);
	c->column_count++;
	return 0;
}

/* The column that rows are sorted by is always shown. */
static int compare_add_sorted(struct comparison *c, const char *sort, struct weir_error *e)
{
	if (!sort)
		return 0;
	sort += *sort == '-';
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, sort) == 0)
			return 0;
	return compare_add_column(c, sort, e) ? weir_error_prefix(e, "--sort: ") : 0;
}

/* Adds completion-time columns, first. For parts of runs these cover all flows of the part,
 * whatever their size. */
static int compare_add_shown_of_flows(struct comparison *c, struct weir_error *e)
{
	struct flow_metric m;

	for (uint32_t i = 0; flow_metric_name(i); i++) {
		const char *name = flow_metric_name(i);

		if (!(metric_find(name)->shown & METRIC_IN_TABLES) ||
		    (c->split_count && flow_metric_find(name, &m) && m.class != CLASS_ALL))
			continue;
		if (compare_add_column(c, name, e))
			return -1;
	}
	return 0;
}

/* Adds the default columns, group by group. */
static int compare_add_shown(struct comparison *c, struct weir_error *e)
{
	if (compare_add_shown_of_flows(c, e))
		return -1;
	for (int group = 0; group < METRIC_GROUPS && !c->split_count; group++)
		for (const struct metric *m = metric_all; m->name; m++)
			if (m->group == (enum metric_group)group && group != METRIC_COMPLETION &&
			    (m->shown & METRIC_IN_TABLES) && compare_add_column(c, m->name, e))
				return -1;
	return 0;
}

static int compare_choose_columns(struct comparison *c, const struct compare_request *q,
				  struct weir_error *e)
{
	c->columns = memory_zeroed(COMPARE_COLUMNS_MAX, sizeof(*c->columns));
	for (uint32_t i = 0; i < q->metric_count; i++)
		if (compare_add_column(c, q->metrics[i], e))
			return weir_error_prefix(e, "--metric: ");
	if (q->metric_count == 0 && compare_add_shown(c, e))
		return -1;
	return compare_add_sorted(c, q->sort, e);
}

static void compare_drop_columns(struct comparison *c, enum metric_kind kind)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->column_count; i++)
		if (column_kind(&c->columns[i]) != kind)
			c->columns[kept++] = c->columns[i];
	c->column_count = kept;
}

/* Finds the port at which each run's queue columns were measured. If ports differ, queue columns
 * are replaced by the all-port ones unless the user asked for them: queues of different ports are
 * not comparable. */
static int comparison_find_ports(struct comparison *c, struct store *s,
				 const struct compare_request *q, struct weir_error *e)
{
	uint32_t i = 0;

	while (i < c->column_count && column_kind(&c->columns[i]) != METRIC_PORT)
		i++;
	if (i == c->column_count)
		return 0;
	if (comparison_ports(c, s, e))
		return -1;
	if (q->metric_count == 0 || q->is_usual)
		compare_drop_columns(c, c->ports_differ ? METRIC_PORT : METRIC_PORTS);
	return 0;
}

static int comparison_read_numbers(struct comparison *c, struct store *s,
				   const struct compare_request *q, struct weir_error *e)
{
	size_t count = (size_t)c->runs.count * c->part_count;
	int of_flows = comparison_has_flows(c);

	c->numbers = memory_grow(NULL, count * c->column_count + 1, sizeof(*c->numbers));
	if (of_flows)
		c->flows = memory_grow(NULL, count + 1, sizeof(*c->flows));
	for (size_t i = 0; i < count; i++) {
		double *numbers = c->numbers + i * c->column_count;
		const struct stored_run *run = &c->runs.runs[i / c->part_count];

		for (uint32_t k = 0; k < c->column_count; k++)
			numbers[k] = c->columns[k].metric >= 0 ? run->value[c->columns[k].metric]
							       : (double)NAN;
		if (of_flows)
			c->flows[i] = (struct compare_flows){ .unfinished = 0 };
	}
	for (uint32_t i = 0; i < c->runs.count && of_flows; i++)
		if (comparison_read_flows(c, s, i, q, e))
			return -1;
	return 0;
}

/* --- entry point --- */

static int comparison_refuse_empty(const struct stored_runs *runs, struct weir_error *e)
{
	if (runs->left_out)
		return weir_error_set(
			e,
			"none of the runs of the latest sweep is there yet; --all shows %u "
			"of others",
			runs->left_out);
	return weir_error_set(e, "there are no runs in it yet");
}

int comparison_make(struct comparison *c, struct store *s, const struct compare_request *q,
		    struct weir_error *e)
{
	int failed;

	memset(c, 0, sizeof(*c));
	c->scope = q->scope;
	if (store_runs(s, q->scope, &c->runs, e))
		return -2;
	failed = c->runs.count == 0
			 ? comparison_refuse_empty(&c->runs, e)
			 : compare_choose_axes(c, q, e) || compare_choose_columns(c, q, e);
	if (!failed)
		failed = comparison_find_parts(c, s, q, e);
	if (!failed && (comparison_find_ports(c, s, q, e) || comparison_read_numbers(c, s, q, e)))
		failed = -2;
	if (!failed) {
		comparison_make_rows(c);
		failed = comparison_fill(c, q->normalize_to, e);
	}
	if (!failed && q->same == ROWS_JOINED)
		comparison_join(c);
	if (!failed && q->sort)
		failed = comparison_sort(c, q->sort, e);
	if (failed)
		comparison_free(c);
	else
		comparison_find_mixed(c);
	return failed == -2 ? -2 : failed ? -1 : 0;
}

void comparison_free(struct comparison *c)
{
	for (uint32_t i = 0; i < c->axis_count; i++) {
		for (uint32_t k = 0; c->axes[i].labels && k < c->axes[i].value_count; k++)
			free(c->axes[i].labels[k]);
		free(c->axes[i].labels);
		free(c->axes[i].values);
	}
	for (uint32_t i = 0; i < c->row_count; i++)
		compare_row_free(&c->rows[i]);
	free(c->joined);
	free(c->axes);
	free(c->rows);
	free(c->columns);
	free(c->numbers);
	for (uint32_t i = 0; c->ports && i < c->runs.count; i++)
		free(c->ports[i]);
	free(c->ports);
	comparison_free_parts(c);
	stored_runs_free(&c->runs);
	memset(c, 0, sizeof(*c));
}
