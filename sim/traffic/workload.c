/* SPDX-License-Identifier: BSD-3-Clause */
/* workload.c -- flow sizes as quantiles: of points, or of a formula.
 *
 * A file of points has one "size fraction" a line: the fraction of flows of at most that size,
 * never falling and ending with 1; linear between two points. Where the first fraction is above 0,
 * that share of the flows has exactly the first size. A file whose last fraction is 100 is in
 * percent, as those of HPCC's traffic generator. Sizes are multiples of the unit that a line "unit
 * 1460B" gives, else bytes. # starts a comment. */
#include "sim/traffic/workload.h"
#include "base/input.h"
#include "base/memory.h"
#include "weir/option.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_BYTES (UINT64_C(1000) * 1000 * 1000 * 1000)
#define PERCENT 100.0

enum { FILE_MAX_BYTES = 1 << 20, LINE_SIZE = 256 };

struct point {
	double bytes, fraction;
};

struct formula {
	uint64_t min_bytes, max_bytes; /* uniform */
	uint64_t mean_bytes;           /* exponential */
	uint64_t size_bytes;           /* fixed */
};

struct formula_ops {
	const char *name;
	const struct weir_option *options;
	double (*size)(const struct formula *f, double u);
	double (*mean)(const struct formula *f);
};

struct workload {
	const struct formula_ops *ops; /* NULL: points */
	struct formula formula;
	uint32_t count, capacity;
	struct point *points;
	double mean_bytes;
};

/* --- formulas --- */

#define BYTES_OPTION(name_, member, default_, help_) \
	{ \
		name_, WEIR_OPT_BYTES, offsetof(struct formula, member), default_, 1, \
			SIZE_MAX_BYTES, help_, NULL \
	}

static const struct weir_option fixed_options[] = {
	BYTES_OPTION("size", size_bytes, "1MB", "bytes of every flow"),
	{ .name = NULL },
};

static const struct weir_option exponential_options[] = {
	BYTES_OPTION("mean", mean_bytes, "1MB", "mean of the exponential distribution"),
	{ .name = NULL },
};

static const struct weir_option uniform_options[] = {
	BYTES_OPTION("min", min_bytes, "1B", "smallest flow"),
	BYTES_OPTION("max", max_bytes, "2MB", "largest flow"),
	{ .name = NULL },
};

static double fixed_size(const struct formula *f, double u)
{
	(void)u;
	return (double)f->size_bytes;
}

static double fixed_mean(const struct formula *f)
{
	return (double)f->size_bytes;
}

static double exponential_size(const struct formula *f, double u)
{
	return -(double)f->mean_bytes * log1p(-u);
}

static double exponential_mean(const struct formula *f)
{
	return (double)f->mean_bytes;
}

static double uniform_size(const struct formula *f, double u)
{
	return (double)f->min_bytes + u * ((double)f->max_bytes - (double)f->min_bytes);
}

static double uniform_mean(const struct formula *f)
{
	return ((double)f->min_bytes + (double)f->max_bytes) / 2;
}

static const struct formula_ops formula_all[] = {
	{ "fixed", fixed_options, fixed_size, fixed_mean },
	{ "exponential", exponential_options, exponential_size, exponential_mean },
	{ "uniform", uniform_options, uniform_size, uniform_mean },
};

enum { FORMULAS = sizeof(formula_all) / sizeof(formula_all[0]) };

static const struct formula_ops *formula_find(const char *name)
{
	for (size_t i = 0; i < FORMULAS; i++)
		if (strcmp(formula_all[i].name, name) == 0)
			return &formula_all[i];
	return NULL;
}

static int formula_read(struct workload *w, const char *spec, struct weir_error *e)
{
	struct formula *f = &w->formula;

	if (weir_spec_params(spec, f, w->ops->options, e))
		return -1;
	if (f->min_bytes > f->max_bytes)
		return weir_error_set(e, "uniform: min %" PRIu64 "B is above max %" PRIu64 "B",
				      f->min_bytes, f->max_bytes);
	w->mean_bytes = w->ops->mean(f);
	return 0;
}

/* --- points --- */

/* A text being read line by line. */
struct reader {
	const char *text;
	int line;
	uint64_t unit_bytes;
	int above_line; /* of the first fraction above 1; 0: none */
	double above;
};

/* Reads the next line, without its comment. 0: none is left; -1: too long, with a message. */
static int next_line(struct reader *r, char *line, struct weir_error *e)
{
	size_t length = strcspn(r->text, "#\r\n");

	if (*r->text == '\0')
		return 0;
	r->line++;
	if (length >= LINE_SIZE)
		return weir_error_set(e, "the line has %zu bytes; allowed are %d", length,
				      LINE_SIZE - 1);
	memcpy(line, r->text, length);
	line[length] = '\0';
	r->text += strcspn(r->text, "\n");
	r->text += *r->text == '\n';
	return 1;
}

static void add_point(struct workload *w, struct point p)
{
	if (w->count == w->capacity) {
		w->capacity = w->capacity ? w->capacity * 2 : 32;
		w->points = memory_grow(w->points, w->capacity, sizeof(*w->points));
	}
	w->points[w->count++] = p;
}

/* Reads "10000 0.15". */
static int read_point(struct workload *w, struct reader *r, const char *line, struct weir_error *e)
{
	const struct point *before = w->count ? &w->points[w->count - 1] : NULL;
	struct point p;
	double size;
	int used = 0;

	if (sscanf(line, "%lf %lf %n", &size, &p.fraction, &used) != 2 || line[used] != '\0')
		return weir_error_set(e, "%s is not a size and a fraction, as in 10000 0.15",
				      weir_quote(line).text);
	p.bytes = size * (double)r->unit_bytes;
	if (!(p.bytes >= 0 && p.bytes <= (double)SIZE_MAX_BYTES))
		return weir_error_set(e, "size %g; allowed are 0 to %g", size,
				      (double)SIZE_MAX_BYTES / (double)r->unit_bytes);
	if (!(p.fraction >= 0 && p.fraction <= PERCENT))
		return weir_error_set(e, "fraction %g; allowed are 0 to 1, or 0 to 100 in percent",
				      p.fraction);
	if (p.fraction > 1 && !r->above_line) {
		r->above_line = r->line;
		r->above = p.fraction;
	}
	if (before && p.bytes < before->bytes)
		return weir_error_set(e, "size %g is below the %g before it; sizes must not fall",
				      size, before->bytes / (double)r->unit_bytes);
	if (before && p.fraction < before->fraction)
		return weir_error_set(
			e, "fraction %g is below the %g before it; fractions must not fall",
			p.fraction, before->fraction);
	add_point(w, p);
	return 0;
}

static int read_line(struct workload *w, struct reader *r, const char *line, struct weir_error *e)
{
	static const struct weir_option unit = { "unit", WEIR_OPT_BYTES, 0,  NULL,
						 1,      1 << 20,        "", NULL };
	char first[LINE_SIZE], second[LINE_SIZE], rest[LINE_SIZE];
	int words = sscanf(line, "%255s %255s %255s", first, second, rest);

	if (words < 1)
		return 0;
	if (strcmp(first, "unit") != 0)
		return read_point(w, r, line, e);
	if (words != 2)
		return weir_error_set(e, "%s is not a unit, as in unit 1460B",
				      weir_quote(line).text);
	if (w->count)
		return weir_error_set(
			e, "the unit stands behind a point; it must come before all of them");
	return weir_option_parse(&r->unit_bytes, &unit, second, e);
}

/* Mean size: the area left of the curve, as each piece's share times its middle. */
static double points_mean(const struct workload *w)
{
	double sum = w->points[0].fraction * w->points[0].bytes;

	for (uint32_t i = 1; i < w->count; i++) {
		const struct point *a = &w->points[i - 1], *b = &w->points[i];

		sum += (b->fraction - a->fraction) * (a->bytes + b->bytes) / 2;
	}
	return sum;
}

/* After the last point: scales percent to fractions, and checks that the last fraction is 1. */
static int end_points(struct workload *w, const char *name, const struct reader *r,
		      struct weir_error *e)
{
	double last = w->points[w->count - 1].fraction;

	if (r->above_line && last < PERCENT)
		return weir_error_set(
			e,
			"%.200s:%d: fraction %g; allowed are 0 to 1, or percent where "
			"the last is 100",
			name, r->above_line, r->above);
	for (uint32_t i = 0; r->above_line && i < w->count; i++)
		w->points[i].fraction /= PERCENT;
	if (last < 1)
		return weir_error_set(e, "%.200s:%d: the last fraction is %g; it must be 1", name,
				      r->line, last);
	return 0;
}

static int points_read(struct workload *w, const char *name, const char *text, struct weir_error *e)
{
	struct reader r = { .text = text, .unit_bytes = 1 };
	char line[LINE_SIZE];
	int more;

	while ((more = next_line(&r, line, e)) > 0)
		if (read_line(w, &r, line, e))
			return weir_error_prefix(e, "%.200s:%d: ", name, r.line);
	if (more < 0)
		return weir_error_prefix(e, "%.200s:%d: ", name, r.line);
	if (w->count == 0)
		return weir_error_set(e,
				      "%.200s: no points; a line is a size and a fraction, as in "
				      "10000 0.15",
				      name);
	if (end_points(w, name, &r, e))
		return -1;
	w->mean_bytes = points_mean(w);
	if (w->mean_bytes < 1)
		return weir_error_set(e, "%.200s: the mean size is %g bytes; at least 1 is needed",
				      name, w->mean_bytes);
	return 0;
}

static int file_read(struct workload *w, const char *name, struct weir_error *e)
{
	const char *why;
	FILE *f = input_open(name, &why);
	char *text;
	size_t length;
	int failed;

	if (!f)
		return weir_error_set(e, "cannot read the workload %s: %s", weir_quote(name).text,
				      why);
	text = memory_grow(NULL, FILE_MAX_BYTES + 1, 1);
	length = fread(text, 1, FILE_MAX_BYTES + 1, f);
	if (ferror(f))
		failed = weir_error_set(e, "cannot read the workload %s: %s", weir_quote(name).text,
					strerror(errno));
	else if (length > FILE_MAX_BYTES)
		failed = weir_error_set(e, "%s is too large for a workload; allowed are %d bytes",
					weir_quote(name).text, FILE_MAX_BYTES);
	else if (memchr(text, '\0', length))
		failed = weir_error_set(e, "%s is not text", weir_quote(name).text);
	else {
		text[length] = '\0';
		failed = points_read(w, name, text, e);
	}
	free(text);
	fclose(f);
	return failed;
}

/* --- any workload --- */

static int workload_unknown(const char *name, struct weir_error *e)
{
	const char *names[64];
	size_t count = 0;

	for (; count < 32 && workload_files[count].name; count++)
		names[count] = workload_files[count].name;
	for (size_t i = 0; i < FORMULAS; i++)
		names[count++] = formula_all[i].name;
	weir_error_unknown(e, "workload", name, names, count);
	return weir_error_set(e, "%s; a file's name has a slash or a dot", e->text);
}

int workload_is_file(const char *spec)
{
	size_t name = strcspn(spec, "(");

	return memchr(spec, '/', name) || memchr(spec, '.', name);
}

const struct weir_scheme_set workload_specs = { { "workload", NULL }, NULL, workload_is_file };

static int workload_read(struct workload *w, const char *spec, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];

	for (const struct workload_file *f = workload_files; f->name; f++)
		if (strcmp(f->name, spec) == 0)
			return points_read(w, f->name, f->text, e);
	if (weir_spec_name(spec, name, sizeof(name), e))
		return -1;
	w->ops = formula_find(name);
	if (w->ops)
		return formula_read(w, spec, e);
	if (workload_is_file(spec))
		return file_read(w, spec, e);
	return workload_unknown(name, e);
}

int workload_new(struct workload **out, const char *spec, struct weir_error *e)
{
	struct workload *w = memory_zeroed(1, sizeof(*w));

	*out = NULL;
	if (workload_read(w, spec, e)) {
		workload_free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void workload_free(struct workload *w)
{
	if (w)
		free(w->points);
	free(w);
}

double workload_mean_bytes(const struct workload *w)
{
	return w->mean_bytes;
}

static double points_size(const struct workload *w, double u)
{
	uint32_t low = 0, high = w->count - 1;
	const struct point *a, *b;

	if (u < w->points[0].fraction)
		return w->points[0].bytes;
	/* points[low].fraction <= u < points[high].fraction, which is 1. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (w->points[middle].fraction <= u)
			low = middle;
		else
			high = middle;
	}
	a = &w->points[low];
	b = &w->points[high];
	return a->bytes + (b->bytes - a->bytes) * (u - a->fraction) / (b->fraction - a->fraction);
}

uint64_t workload_size(const struct workload *w, double u)
{
	double bytes = w->ops ? w->ops->size(&w->formula, u) : points_size(w, u);

	return bytes < 1 ? 1 : (uint64_t)(bytes + 0.5);
}
