/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.c -- charts as data: building, reducing, distributions. See chart.h. */
#include "lab/report/chart.h"
#include "base/sort.h"
#include "base/memory.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ID_SIZE = 96 };

/* "FCT, small flows: 99 %" becomes "fct-small-flows-99". */
static void chart_make_id(char id[ID_SIZE], const char *title, const char *variant)
{
	const char *parts[] = { title, variant };
	size_t length = 0;

	for (size_t p = 0; p < 2; p++) {
		int gap = length > 0;

		for (const char *c = parts[p]; *c && length + 2 < ID_SIZE; c++) {
			if ((unsigned char)*c > 0x7f || !isalnum((unsigned char)*c)) {
				gap = length > 0;
				continue;
			}
			if (gap)
				id[length++] = '-';
			gap = 0;
			id[length++] = (char)tolower((unsigned char)*c);
		}
	}
	id[length] = '\0';
}

static int chart_has_id(const struct chart_list *list, const char *id)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->all[i].id && strcmp(list->all[i].id, id) == 0)
			return 1;
	return 0;
}

struct chart *chart_add(struct chart_list *list, const char *title, const char *variant)
{
	char id[ID_SIZE];
	struct chart *c;

	list->all = memory_grow(list->all, list->count + UINT64_C(1), sizeof(*list->all));
	c = &list->all[list->count++];
	*c = (struct chart){ .kind = CHART_CURVES };
	chart_make_id(id, title, variant);
	text_print(&c->title, "%s", title);
	text_print(&c->variant, "%s", variant);
	text_print(&c->note, "%s", "");
	text_print(&c->x_label, "%s", "");
	text_print(&c->y_label, "%s", "");
	for (uint32_t n = 1; !c->id; n++) {
		char *candidate = NULL;

		if (n == 1 && id[0])
			text_print(&candidate, "%s", id);
		else
			text_print(&candidate, "%s%s%u", id[0] ? id : "chart", "-", n);
		if (chart_has_id(list, candidate))
			free(candidate);
		else
			c->id = candidate;
	}
	return c;
}

static void chart_free(struct chart *c)
{
	for (uint32_t k = 0; k < c->line_count; k++) {
		free(c->lines[k].name);
		free(c->lines[k].points);
	}
	free(c->lines);
	free(c->id);
	free(c->title);
	free(c->variant);
	free(c->note);
	free(c->x_label);
	free(c->y_label);
}

void chart_list_free(struct chart_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		chart_free(&list->all[i]);
	free(list->all);
	*list = (struct chart_list){ 0, NULL };
}

void chart_remove(struct chart_list *list, uint32_t at)
{
	chart_free(&list->all[at]);
	list->count--;
	memmove(&list->all[at], &list->all[at + 1], (list->count - at) * sizeof(*list->all));
}

struct chart_line *chart_line_add(struct chart *c, const char *name)
{
	struct chart_line *l;

	c->lines = memory_grow(c->lines, c->line_count + UINT64_C(1), sizeof(*c->lines));
	l = &c->lines[c->line_count++];
	*l = (struct chart_line){ .style = c->line_count - 1 };
	text_print(&l->name, "%s", name);
	return l;
}

void chart_note_add(struct chart *c, const char *format, ...)
{
	char sentence[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	text_print(&c->note, "%s%s%s", c->note, c->note[0] ? " " : "", sentence);
}

void chart_interval_add(struct chart_line *l, double x, double y, double low, double high)
{
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->points = memory_grow(l->points, l->room, sizeof(*l->points));
	}
	l->points[l->count++] = (struct chart_point){ x, y, low, high };
}

void chart_point_add(struct chart_line *l, double x, double y)
{
	chart_interval_add(l, x, y, (double)NAN, (double)NAN);
}

/* --- fewer points --- */

struct columns {
	double first, width; /* of the first column, in x or log x */
	uint32_t count;
	int log_x;
};

static double columns_position(const struct columns *k, double x)
{
	return k->log_x ? log10(x) : x;
}

static uint32_t columns_index(const struct columns *k, double x)
{
	double number = (columns_position(k, x) - k->first) / k->width;

	return number < k->count - 1.0 ? (uint32_t)number : k->count - 1;
}

/* Moves the points of points[from..to-1] that are kept to index `at`, which is at most `from`.
 * Returns the index after them. */
static uint64_t column_reduce(struct chart_point *points, uint64_t at, uint64_t from, uint64_t to)
{
	uint64_t lowest = from, highest = from;

	for (uint64_t i = from; i < to; i++) {
		if (points[i].y < points[lowest].y)
			lowest = i;
		if (points[i].y > points[highest].y)
			highest = i;
	}
	for (uint64_t i = from; i < to; i++)
		if (i == from || i == to - 1 || i == lowest || i == highest)
			points[at++] = points[i];
	return at;
}

/* Reduces the line column by column. Returns the number of points. */
static uint64_t columns_reduce(struct chart_line *l, const struct columns *k)
{
	uint64_t kept = 0, from = 0;
	uint32_t column = columns_index(k, l->points[0].x);

	for (uint64_t to = 1; to < l->count; to++) {
		uint32_t next = columns_index(k, l->points[to].x);

		if (next == column)
			continue;
		kept = column_reduce(l->points, kept, from, to);
		from = to;
		column = next;
	}
	return column_reduce(l->points, kept, from, l->count);
}

void chart_line_reduce(struct chart_line *l, uint32_t columns, int log_x)
{
	struct columns k = { 0, 0, columns, log_x };

	if (l->count <= UINT64_C(4) * columns)
		return;
	k.first = columns_position(&k, l->points[0].x);
	k.width = (columns_position(&k, l->points[l->count - 1].x) - k.first) / columns;
	l->count = k.width > 0 ? columns_reduce(l, &k) : column_reduce(l->points, 0, 0, l->count);
	l->room = l->count; /* there are many lines, and few points of each remain */
	l->points = memory_grow(l->points, l->room, sizeof(*l->points));
}

/* --- distributions --- */

/* Sorts the values, and makes room for a point at each distinct one. */
static void chart_sort_values(struct chart_line *l, double *values, uint64_t count)
{
	uint64_t distinct = 1;

	sort_reals(values, count);
	for (uint64_t i = 1; i < count; i++)
		distinct += values[i] > values[i - 1];
	l->room = l->count + distinct;
	l->points = memory_grow(l->points, l->room, sizeof(*l->points));
}

void chart_line_cdf(struct chart_line *l, double *values, uint64_t count)
{
	chart_sort_values(l, values, count);
	for (uint64_t i = 0; i < count; i++)
		if (i + 1 == count || values[i + 1] > values[i])
			chart_point_add(l, values[i], (double)(i + 1) / (double)count);
}

void chart_line_tail(struct chart_line *l, double *values, uint64_t count)
{
	chart_sort_values(l, values, count);
	for (uint64_t i = 0; i + 1 < count; i++)
		if (values[i + 1] > values[i])
			chart_point_add(l, values[i], (double)(count - i - 1) / (double)count);
}

/* --- numbers of a whole chart --- */

void chart_scale(struct chart *c, double x_factor, double y_factor)
{
	for (uint32_t k = 0; k < c->line_count; k++)
		for (uint64_t i = 0; i < c->lines[k].count; i++) {
			struct chart_point *p = &c->lines[k].points[i];

			p->x /= x_factor;
			p->y /= y_factor;
			p->low /= y_factor;
			p->high /= y_factor;
		}
	c->frame.x_min /= x_factor;
	c->frame.x_max /= x_factor;
	c->frame.y_min /= y_factor;
	c->frame.y_max /= y_factor;
}

void chart_extent_join(struct chart_extent *extent, const struct chart_extent *other)
{
	extent->x_min = fmin(extent->x_min, other->x_min);
	extent->x_max = fmax(extent->x_max, other->x_max);
	extent->y_min = fmin(extent->y_min, other->y_min);
	extent->y_max = fmax(extent->y_max, other->y_max);
}

uint32_t chart_bars(const struct chart *c)
{
	uint32_t bars = 0;

	for (uint32_t i = 0; i < c->line_count; i++)
		bars += !c->lines[i].is_marks;
	return bars;
}

int chart_extent(const struct chart *c, struct chart_extent *extent)
{
	struct chart_extent x = { INFINITY, -INFINITY, INFINITY, -INFINITY };
	double low = INFINITY, high = -INFINITY;

	for (uint32_t k = 0; k < c->line_count; k++)
		for (uint64_t i = 0; i < c->lines[k].count; i++) {
			const struct chart_point *p = &c->lines[k].points[i];

			if (!isfinite(p->x) || !isfinite(p->y) || (c->log_x && p->x <= 0) ||
			    (c->log_y && p->y <= 0))
				continue;
			x.x_min = fmin(x.x_min, p->x);
			x.x_max = fmax(x.x_max, p->x);
			x.y_min = fmin(x.y_min, p->y);
			x.y_max = fmax(x.y_max, p->y);
			low = fmin(low, p->low);
			high = fmax(high, p->high);
		}
	if (x.x_min > x.x_max)
		return 0;
	low = x.y_min >= 0 ? fmax(low, 0) : low;
	high = x.y_max >= 0 ? fmin(high, 2 * x.y_max) : high;
	x.y_min = fmin(x.y_min, low);
	x.y_max = fmax(x.y_max, high);
	if (c->is_framed)
		chart_extent_join(&x, &c->frame);
	*extent = x;
	return 1;
}

/* --- ticks --- */

/* The smallest of 1, 2 and 5 times a power of ten that is not below the number. */
static double ticks_step(double number)
{
	double power = pow(10, floor(log10(number)));

	for (int i = 0; i < 3; i++) {
		static const double digits[] = { 1, 2, 5 };

		if (digits[i] * power >= number * (1 - 1e-9))
			return digits[i] * power;
	}
	return 10 * power;
}

void ticks_linear(struct ticks *t, double min, double max, uint32_t wanted)
{
	t->count = 0;
	if (!(max > min))
		return;

	double step = ticks_step((max - min) / wanted);
	double first = ceil(min / step - 1e-9);

	for (uint32_t i = 0; i < TICKS_MAX && (first + i) * step <= max + step * 1e-9; i++)
		t->at[t->count++] = (first + i) * step;
}

void ticks_log(struct ticks *t, double min, double max)
{
	int last = (int)ceil(log10(max)), few = log10(max / min) < 3;

	t->count = 0;
	for (int power = (int)floor(log10(min)); power <= last; power++)
		for (int digit = 1; digit <= 5; digit = digit == 1 ? 2 : digit + 3) {
			double at = digit * pow(10, power);

			if ((digit == 1 || few) && at >= min * (1 - 1e-9) &&
			    at <= max * (1 + 1e-9) && t->count < TICKS_MAX)
				t->at[t->count++] = at;
		}
	/* A range within a decade may hold one of these or none. */
	if (t->count < 2)
		ticks_linear(t, min, max, 5);
}
