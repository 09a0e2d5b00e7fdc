/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_cells.c -- the statistics of a table: means over runs, confidence intervals, and paired
 * ratios and differences of runs that differ in one setting (or one case) only. */
#include "lab/analysis/compare.h"
#include "lab/analysis/selection.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- statistics --- */

/* 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. */
static const double t_table[] = {
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
};

/* Beyond the table by the expansion t = z + (z^3 + z) / (4 n), which is exact to three digits there
 * (Abramowitz and Stegun, 26.7.5). */
static double student_t(uint32_t freedom)
{
	const double z = 1.959964;

	if (freedom <= sizeof(t_table) / sizeof(t_table[0]))
		return t_table[freedom - 1];
	return z + (z * z * z + z) / (4.0 * freedom);
}

static double cell_mean_of(const double *numbers, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += numbers[i];
	return count ? sum / count : (double)NAN;
}

double confidence_half(const double *numbers, uint32_t count)
{
	double mean = cell_mean_of(numbers, count), squares = 0;

	if (count < 2)
		return (double)NAN;
	for (uint32_t i = 0; i < count; i++)
		squares += (numbers[i] - mean) * (numbers[i] - mean);
	return student_t(count - 1) * sqrt(squares / (count - 1) / count);
}

/* --- cells --- */

/* The number of the row's i-th run. */
static double compare_number(const struct comparison *c, const struct compare_row *row, uint32_t i,
			     uint32_t column)
{
	size_t at = (size_t)row->runs[i] * c->part_count + row->part;

	return c->numbers[at * c->column_count + column];
}

static void compare_add_same(struct compare_reference *r, const char *path)
{
	for (uint32_t i = 0; i < r->same_count; i++)
		if (strcmp(r->same[i], path) == 0)
			return;
	r->same = memory_grow(r->same, r->same_count + 1, sizeof(*r->same));
	r->same[r->same_count++] = path;
}

/* Pairs must agree in every differing setting except the compared one and those that the compared
 * case determines. */
static void compare_find_same(struct compare_reference *r, const struct stored_runs *runs)
{
	int by_case = strcmp(r->path, COMPARE_CASE) == 0;

	for (uint32_t i = 0; i < runs->count; i++)
		for (uint32_t k = 0; k < runs->runs[i].setting_count; k++) {
			const char *at = runs->runs[i].settings[k].path;

			if (i > 0 && stored_setting(&runs->runs[0], at))
				continue; /* already handled */
			if (strcmp(at, r->path) == 0 ||
			    strncmp(at, COMPARE_DIGEST, strlen(COMPARE_DIGEST)) == 0 ||
			    !compare_differs(runs, at) || (by_case && compare_is_of_case(runs, at)))
				continue;
			compare_add_same(r, at);
		}
}

/* Do the runs differ in that setting only? Then they share the seed and form a pair. */
static int compare_is_pair(const struct stored_run *a, const struct stored_run *b,
			   const struct compare_reference *r)
{
	for (uint32_t i = 0; i < r->same_count; i++) {
		const char *value = stored_setting(a, r->same[i]);

		if (value && strcmp(value, compare_value(b, r->same[i])) != 0)
			return 0;
	}
	return strcmp(r->path, COMPARE_VERSION) == 0 || strcmp(a->version, b->version) == 0;
}

static double compare_reference_number(const struct comparison *c,
				       const struct compare_reference *r, uint32_t run,
				       uint32_t column)
{
	for (uint32_t i = 0; i < r->row->run_count; i++)
		if (compare_is_pair(&c->runs.runs[run], &c->runs.runs[r->row->runs[i]], r))
			return compare_number(c, r->row, i, column);
	return (double)NAN;
}

static struct compare_cell cell_mean(const struct comparison *c, const struct compare_row *row,
				     uint32_t column, double *sample)
{
	struct compare_cell cell = { .count = 0 };

	for (uint32_t i = 0; i < row->run_count; i++) {
		double x = compare_number(c, row, i, column);

		if (isfinite(x))
			sample[cell.count++] = x;
	}
	cell.mean = cell_mean_of(sample, cell.count);
	cell.half = confidence_half(sample, cell.count);
	cell.low = cell.mean - cell.half;
	cell.high = cell.mean + cell.half;
	return cell;
}

/* Geometric mean of the paired ratios, exp(mean(log x/y)), with the confidence interval of the
 * logarithms, so that twice and half are equally far from 1. If a value is zero the logarithm does
 * not exist: then the ratio of the sums, without an interval. */
static struct compare_cell cell_ratio(const struct comparison *c, const struct compare_row *row,
				      const struct compare_reference *r, uint32_t column,
				      double *sample)
{
	struct compare_cell cell = { .count = 0, .half = (double)NAN };
	double sum = 0, reference_sum = 0, mean, half;
	uint32_t positive = 0;

	for (uint32_t i = 0; i < row->run_count; i++) {
		double x = compare_number(c, row, i, column);
		double y = compare_reference_number(c, r, row->runs[i], column);

		if (!isfinite(x / y))
			continue;
		cell.count++;
		sum += x;
		reference_sum += y;
		if (x / y > 0)
			sample[positive++] = log(x / y);
	}
	mean = cell_mean_of(sample, positive);
	half = confidence_half(sample, positive);
	if (positive < cell.count) {
		mean = log(sum / reference_sum);
		half = (double)NAN;
	}
	cell.mean = cell.count == 1 ? sum / reference_sum : exp(mean);
	cell.low = exp(mean - half);
	cell.high = exp(mean + half);
	cell.is_even = cell.low <= 1 && cell.high >= 1 && r->row != row;
	return cell;
}

/* Mean of the paired differences with its confidence interval. */
static struct compare_cell cell_difference(const struct comparison *c,
					   const struct compare_row *row,
					   const struct compare_reference *r, uint32_t column,
					   double *sample)
{
	struct compare_cell cell = { .count = 0 };

	for (uint32_t i = 0; i < row->run_count; i++) {
		double x = compare_number(c, row, i, column);
		double y = compare_reference_number(c, r, row->runs[i], column);

		if (isfinite(x - y))
			sample[cell.count++] = x - y;
	}
	cell.mean = cell_mean_of(sample, cell.count);
	cell.half = confidence_half(sample, cell.count);
	cell.low = cell.mean - cell.half;
	cell.high = cell.mean + cell.half;
	cell.is_even = cell.low <= 0 && cell.high >= 0;
	return cell;
}

struct compare_reference comparison_reference(const struct comparison *c, uint32_t axis)
{
	struct compare_reference r = { .path = c->axes[axis].path };

	compare_find_same(&r, &c->runs);
	return r;
}

void comparison_reference_free(struct compare_reference *r)
{
	free(r->same);
}

struct compare_cell comparison_pair(const struct comparison *c, const struct compare_row *row,
				    const struct compare_reference *r, uint32_t column,
				    enum compare_pairing how)
{
	double *sample = memory_grow(NULL, row->run_count, sizeof(*sample));
	struct compare_cell cell = how == PAIR_RATIO ? cell_ratio(c, row, r, column, sample)
						     : cell_difference(c, row, r, column, sample);

	free(sample);
	return cell;
}

static void compare_fill_row(struct comparison *c, struct compare_row *row,
			     const struct compare_reference *r, double *sample)
{
	for (uint32_t k = 0; k < c->column_count; k++) {
		enum metric_kind kind = column_kind(&c->columns[k]);
		struct compare_cell *cell = &row->cells[k];

		*cell = r->row ? cell_ratio(c, row, r, k, sample) : cell_mean(c, row, k, sample);
		cell->is_doubtful = health_is_doubtful(&row->health, kind) ||
				    (r->row && health_is_doubtful(&r->row->health, kind));
	}
}

/* Finds the axis and value that the text denotes: by value or label, in any spelling of [sweep]
 * ("20%" for "0.2"), or as a scheme's name with or without some of its options. */
static int compare_find_reference(const struct comparison *c, const char *wanted, uint32_t *axis,
				  uint32_t *value, struct weir_error *e)
{
	const char *names[256];
	size_t count = 0;
	int found = 0;

	for (uint32_t a = 0; a < c->axis_count; a++)
		for (uint32_t v = 0; v < c->axes[a].value_count; v++) {
			if (strcmp(c->axes[a].labels[v], wanted) == 0 ||
			    setting_is(c->axes[a].values[v], wanted)) {
				*axis = a;
				*value = v;
				found++;
			}
			if (count < sizeof(names) / sizeof(names[0]))
				names[count++] = c->axes[a].labels[v];
		}
	if (found == 1)
		return 0;
	if (found > 1)
		weir_error_set(e, "%s means %d values; write one of them in full",
			       weir_quote(wanted).text, found);
	else if (count == 0)
		weir_error_set(e, "the runs do not differ, there is nothing to compare with");
	else
		weir_error_unknown(e, "value", wanted, names, count);
	return weir_error_prefix(e, "--normalize-to: ");
}

static const struct compare_row *compare_reference_row(const struct comparison *c,
						       const struct compare_row *row, uint32_t axis,
						       uint32_t value)
{
	for (uint32_t i = 0; i < c->row_count; i++) {
		const uint32_t *other = c->rows[i].value;
		int same = other[axis] == value;

		for (uint32_t a = 0; a < c->axis_count; a++)
			same &= a == axis || other[a] == row->value[a];
		if (same)
			return &c->rows[i];
	}
	return NULL;
}

static int compare_fill_relative(struct comparison *c, const char *normalize_to, double *sample,
				 struct weir_error *e)
{
	const struct compare_row nothing = { .run_count = 0 };
	struct compare_reference reference = { .row = NULL };
	uint32_t axis = 0, value = 0;

	if (compare_find_reference(c, normalize_to, &axis, &value, e))
		return -1;
	reference.path = c->axes[axis].path;
	compare_find_same(&reference, &c->runs);
	for (uint32_t i = 0; i < c->row_count; i++) {
		reference.row = compare_reference_row(c, &c->rows[i], axis, value);
		if (!reference.row)
			reference.row = &nothing;
		compare_fill_row(c, &c->rows[i], &reference, sample);
	}
	for (uint32_t k = 0; k < c->column_count; k++)
		c->columns[k].unit = "";
	free(reference.same);
	return 0;
}

int comparison_fill(struct comparison *c, const char *normalize_to, struct weir_error *e)
{
	const struct compare_reference nothing = { .row = NULL };
	double *sample = memory_grow(NULL, c->runs.count, sizeof(*sample));
	int failed = 0;

	if (normalize_to)
		failed = compare_fill_relative(c, normalize_to, sample, e);
	for (uint32_t i = 0; i < c->row_count && !normalize_to; i++)
		compare_fill_row(c, &c->rows[i], &nothing, sample);
	free(sample);
	return failed;
}

/* --- sorting --- */

/* Sort key of a row. Unknown numbers come last; the sort is stable. */
struct sort_key {
	double key;
	uint32_t part, at;
};

static int sort_key_compare(const void *a, const void *b)
{
	const struct sort_key *p = a, *q = b;

	if (p->part != q->part)
		return p->part < q->part ? -1 : 1;
	if (p->key != q->key && !(isnan(p->key) && isnan(q->key)))
		return isnan(q->key) || p->key < q->key ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

int comparison_sort(struct comparison *c, const char *metric, struct weir_error *e)
{
	struct sort_key *keys = memory_grow(NULL, c->row_count + UINT64_C(1), sizeof(*keys));
	struct compare_row *rows = memory_grow(NULL, c->row_count + UINT64_C(1), sizeof(*rows));
	int down = *metric == '-';
	uint32_t column = 0;

	while (column < c->column_count && strcmp(c->columns[column].name, metric + down) != 0)
		column++;
	if (column == c->column_count) {
		free(keys);
		free(rows);
		return weir_error_set(e, "--sort: %s is not known of these runs", metric + down);
	}
	for (uint32_t i = 0; i < c->row_count; i++) {
		double mean = c->rows[i].cells[column].mean;

		keys[i] = (struct sort_key){ down ? -mean : mean, c->rows[i].part, i };
		rows[i] = c->rows[i];
	}
	qsort(keys, c->row_count, sizeof(*keys), sort_key_compare);
	for (uint32_t i = 0; i < c->row_count; i++)
		c->rows[i] = rows[keys[i].at];
	free(keys);
	free(rows);
	return 0;
}
