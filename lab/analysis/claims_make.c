/* SPDX-License-Identifier: BSD-3-Clause */
/* claims_make.c -- builds a panel or claim from the keys of a section and validates every value;
 * and writes numbers of claims as text. */
#include "lab/analysis/claims.h"
#include "lab/analysis/compare.h"
#include "base/quantity.h"
#include "lab/store/results.h"
#include "lab/scenario/scenario.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOLERANCE 0.2

/* --- metrics --- */

/* Looks up a metric of `weir table` and its unit. */
static int claims_find_metric(const char *name, const char **unit, struct weir_error *e)
{
	const char *names[METRICS_MAX + FLOW_METRICS], *nearest;
	int index = metric_index(name);
	size_t count = 0;

	if (index >= 0) {
		*unit = metric_all[index].unit;
		return 0;
	}
	if (flow_metric_known(name, unit))
		return 0;
	for (; metric_all[count].name; count++)
		names[count] = metric_all[count].name;
	for (uint32_t i = 0; flow_metric_name(i); i++)
		names[count++] = flow_metric_name(i);
	nearest = weir_nearest_name(name, names, count);
	return weir_error_set(
		e, "unknown metric %s; 'weir list metric' and 'weir help table' name them%s%s%s",
		weir_quote(name).text, nearest ? " (nearest: " : "", nearest ? nearest : "",
		nearest ? ")" : "");
}

/* Looks up one of several words. */
static int claims_find_word(const char *kind, const char *word, const char *const *names,
			    size_t count, struct weir_error *e)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0)
			return (int)i;
	return weir_error_unknown(e, kind, word, names, count);
}

/* --- panels --- */

static void panel_add_y(struct panel *p, const char *text, size_t length)
{
	while (length > 0 && strchr(" \t", text[length - 1]))
		length--;
	p->y = memory_grow(p->y, p->y_count + 1, sizeof(*p->y));
	p->y[p->y_count++] = memory_text(text, length);
}

/* Splits the names of series at commas. */
static int panel_split_y(struct panel *p, const char *text, struct weir_error *e)
{
	for (;; text++) {
		size_t length;

		text += strspn(text, " \t");
		length = strcspn(text, ",");
		if (length == 0)
			return weir_error_set(
				e, "the name of a series is missing, as in queue sw->h0");
		panel_add_y(p, text, length);
		text += length;
		if (*text == '\0')
			return 0;
	}
}

static int panel_read_y(struct panel *p, const char *text, struct weir_error *e)
{
	static const char *const quantities[] = { "fct", "slowdown" };
	struct flow_metric m;
	const char *unit;

	if (p->kind == PANEL_TIME)
		return panel_split_y(p, text, e);
	if (p->kind == PANEL_SIZES && !(flow_metric_find(text, &m) && m.class == CLASS_ALL))
		return weir_error_set(e,
				      "%s; allowed are fct and slowdown of all flows, as in "
				      "slowdown_p99 or fct_p95_ns",
				      weir_quote(text).text);
	if (p->kind == PANEL_CDF ? claims_find_word("quantity of a cdf", text, quantities, 2, e) < 0
				 : claims_find_metric(text, &unit, e))
		return -1;
	panel_add_y(p, text, strlen(text));
	return 0;
}

/* Reads a number in the claim's unit. If the unit is not known yet, the first number defines it. */
static int claims_read_number(const char *text, const char **unit, double *number,
			      struct weir_error *e)
{
	struct quantity q;

	if (quantity_read(&q, text, e))
		return -1;
	if (!*unit)
		*unit = q.unit;
	return quantity_in(&q, text, *unit, number, e);
}

static int panel_read_x_scale(struct panel *p, struct claims_section *s, struct weir_error *e)
{
	const char *text = claims_value(s, "x-scale"), *none = "";

	p->x_scale = 1;
	if (!text)
		return 0;
	if (claims_read_number(text, &none, &p->x_scale, e))
		return weir_error_prefix(e, "x-scale: ");
	if (!p->x || !(p->x_scale > 0))
		return weir_error_set(e,
				      "x-scale: %s; a number above zero that x is multiplied with",
				      weir_quote(text).text);
	return 0;
}

static int panel_check_x(struct panel *p, struct claims_section *s, struct weir_error *e)
{
	const char *x = claims_value(s, "x");

	if (x && p->kind != PANEL_LINES)
		return weir_error_set(e, "x: only lines are drawn over a setting");
	if (!x && p->kind == PANEL_LINES) {
		s->at = s->line;
		return weir_error_set(e, "x is missing; lines are drawn over "
					 "a setting, as in x = traffic.web.load");
	}
	return 0;
}

/* The value of a key that is the path of a setting; the caller frees it. */
static char *claim_read_path(struct claims_section *s, const char *key)
{
	char *path = claims_take_value(s, key, ABSENT_IS_NULL), current[SETTING_PATH_SIZE];

	if (path)
		text_print(&path, "%s", setting_current_path(path, current));
	return path;
}

static void claim_read_texts(struct panel *p, struct claims_section *s)
{
	p->title = claims_take_value(s, "title", ABSENT_IS_EMPTY);
	p->x = claim_read_path(s, "x");
	p->by = claim_read_path(s, "by");
	p->normalize = claims_take_value(s, "normalize", ABSENT_IS_NULL);
	p->sizes = claims_take_value(s, "sizes", ABSENT_IS_NULL);
	p->axes = claims_take_value(s, "axes", ABSENT_IS_NULL);
	p->x_label = claims_take_value(s, "x-label", ABSENT_IS_NULL);
	p->y_label = claims_take_value(s, "y-label", ABSENT_IS_NULL);
	if (!p->by)
		p->by = text_copy("case");
}

int panel_make(struct panel *p, struct claims_section *s, struct weir_error *e)
{
	static const char *const kinds[] = { [PANEL_LINES] = "lines",
					     [PANEL_BARS] = "bars",
					     [PANEL_CDF] = "cdf",
					     [PANEL_TIME] = "time",
					     [PANEL_SIZES] = "sizes" };
	const char *where;
	int kind;

	p->line = s->line;
	p->name = text_copy(s->name);
	kind = claims_find_word("kind", claims_value(s, "kind"), kinds,
				sizeof(kinds) / sizeof(kinds[0]), e);
	if (kind < 0)
		return weir_error_prefix(e, "kind: ");
	p->kind = (enum panel_kind)kind;
	if (panel_read_y(p, claims_value(s, "y"), e))
		return weir_error_prefix(e, "y: ");
	if (panel_check_x(p, s, e))
		return -1;
	if (claims_value(s, "sizes") && p->kind != PANEL_SIZES)
		return weir_error_set(e, "sizes: only panels of kind sizes are drawn over sizes");
	if (claims_value(s, "normalize") && p->kind != PANEL_LINES && p->kind != PANEL_BARS)
		return weir_error_set(
			e, "normalize: only lines and bars are drawn relative to another");
	where = claims_value(s, "where");
	if (where && selection_read(&p->where, where, e))
		return weir_error_prefix(e, "where: ");
	claim_read_texts(p, s);
	return panel_read_x_scale(p, s, e);
}

/* --- claims --- */

int claim_set_metric(struct claim *c, const char *text, const char **unit, struct weir_error *e)
{
	const char *ignored;
	int share = 0;

	c->is_series = is_series_metric(text);
	if (!c->is_series && metric_index(text) < 0 && !flow_metric_known(text, &ignored))
		share = flow_share_read(&c->share, text, e);
	if (share < 0)
		return weir_error_prefix(e, "metric: ");
	c->is_share = share;
	if (c->is_share)
		*unit = flow_share_unit(&c->share);
	else if (c->is_series ? series_metric_read(&c->series, text, e)
			      : claims_find_metric(text, unit, e))
		return weir_error_prefix(e, "metric: ");
	if (c->is_series)
		*unit = series_metric_unit(&c->series);
	text_print(&c->metric, "%s", text);
	return 0;
}

static int claims_read_selections(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	const char *of = claims_value(s, "of"), *over;

	if (of && selection_read(&c->of, of, e))
		return weir_error_prefix(e, "of: ");
	over = claims_value(s, "over");
	if (over && selection_read(&c->over, over, e))
		return weir_error_prefix(e, "over: ");
	return 0;
}

static int claims_read_range(struct claim *c, const char *text, const char **unit,
			     struct weir_error *e)
{
	struct quantity_range r;

	c->tolerance = 0;
	if (quantity_range_read(&r, text, e))
		return weir_error_prefix(e, "range: ");
	if (!*unit)
		*unit = r.low.unit;
	if (quantity_in(&r.low, text, *unit, &c->low, e) ||
	    quantity_in(&r.high, text, *unit, &c->high, e))
		return weir_error_prefix(e, "range: ");
	if (!r.has_low)
		c->low = (double)-INFINITY;
	if (!r.has_high)
		c->high = (double)INFINITY;
	return 0;
}

static int claims_read_expected(struct claim *c, struct claims_section *s, const char **unit,
				struct weir_error *e)
{
	const char *value = claims_value(s, "value"), *range;

	if (value && claims_value(s, "range"))
		return weir_error_set(e, "range: there is a value too; a claim has one of them");
	if (value) {
		c->tolerance = DEFAULT_TOLERANCE;
		if (claims_read_number(value, unit, &c->low, e))
			return weir_error_prefix(e, "value: ");
		c->high = c->low;
		return 0;
	}
	range = claims_value(s, "range");
	if (range)
		return claims_read_range(c, range, unit, e);
	s->at = s->line;
	return weir_error_set(e, "neither value nor range is given");
}

static int claims_read_tolerance(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	const char *text = claims_value(s, "tolerance");
	struct quantity q;

	if (text) {
		if (quantity_read(&q, text, e) || quantity_in(&q, text, "", &c->tolerance, e))
			return weir_error_prefix(e, "tolerance: ");
		if (c->tolerance < 0 || c->tolerance > 1)
			return weir_error_set(e, "tolerance: %s; allowed: 0%% to 100%%",
					      weir_quote(text).text);
	}
	c->accept_low = isinf(c->low) ? c->low : c->low - c->tolerance * fabs(c->low);
	c->accept_high = isinf(c->high) ? c->high : c->high + c->tolerance * fabs(c->high);
	return 0;
}

/* "none" declares that a claim has no direction, whatever its numbers. */
static int claims_read_against(struct claim *c, struct claims_section *s, const char **unit,
			       struct weir_error *e)
{
	const char *text = claims_value(s, "against");

	c->against = c->over.count ? 1 : (double)NAN;
	if (text && strcmp(text, "none") == 0)
		c->against = (double)NAN;
	else if (text && claims_read_number(text, unit, &c->against, e))
		return weir_error_prefix(e, "against: ");
	if (isnan(c->against))
		return 0;
	if (c->low == c->high ? c->low != c->against
			      : c->low >= c->against || c->high <= c->against)
		return 0;
	if (text)
		return weir_error_set(e, "against: %s; what is expected lies on neither side of it",
				      weir_quote(text).text);
	c->against = (double)NAN; /* a claim of equality has no direction */
	return 0;
}

/* The best point is undefined without a direction. */
static int claims_read_best(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	if (claims_value(s, "best") && isnan(c->against))
		return weir_error_set(e, "best: what is expected has no direction; over or against "
					 "says what is better");
	c->best = claim_read_path(s, "best");
	return 0;
}

static int claims_read_sentence(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	const char *text = claims_value(s, "sentence");

	if (text && !ini_name_is_good(text, "-_."))
		return weir_error_set(e,
				      "sentence: %s; allowed are up to 63 letters, digits, -, _ "
				      "and .: claims with the same word are parts of one sentence",
				      weir_quote(text).text);
	if (claims_value(s, "contradicts") && claims_value(s, "fitted"))
		return weir_error_set(e,
				      "fitted: there is contradicts too; a claim has one of them");
	c->sentence = claims_take_value(s, "sentence", ABSENT_IS_NULL);
	c->contradicts = claims_take_value(s, "contradicts", ABSENT_IS_NULL);
	c->fitted = claims_take_value(s, "fitted", ABSENT_IS_NULL);
	return 0;
}

static int claims_read_size(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	static const char *const sizes[] = { [FIGURE_QUICK] = "quick", [FIGURE_FULL] = "full" };
	const char *text = claims_value(s, "size");
	int size = text ? claims_find_word("size", text, sizes, 2, e) : FIGURE_QUICK;

	if (size < 0)
		return weir_error_prefix(e, "size: ");
	c->size = (enum figure_size)size;
	return 0;
}

/* Has the text a number, rather than the names of other claims alone? */
static int claims_has_number(const char *text)
{
	static const char between[] = " \t,;:()";

	for (const char *at = text; *at; at += strcspn(at, between)) {
		at += strspn(at, between);
		at += *at == '-'; /* "-3", and not the number in the name of a claim */
		if (*at >= '0' && *at <= '9')
			return 1;
	}
	return 0;
}

/* A failure has one of a few reasons, and the note shows it: by an experiment, with its numbers. */
static int claims_read_why(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	static const char *const words[WHYS - 1] = { "silent", "fails", "size", "unexplained" };
	const char *note = claims_value(s, "note"), *text = claims_value(s, "why");
	int why;

	if (text && (c->contradicts || c->fitted))
		return weir_error_set(e, "why: there is %s too; a claim has one of them",
				      c->contradicts ? "contradicts" : "fitted");
	if (text && !note)
		return weir_error_set(e, "why: a note is missing that says what was tried");
	if (!text && note && !c->contradicts && !c->fitted)
		return weir_error_set(e, "note: why is missing; allowed: silent, fails, size, "
					 "unexplained");
	if (!text)
		return 0;
	if (!claims_has_number(note)) {
		claims_value(s, "note");
		return weir_error_set(e,
				      "note: %s has no number of its own; a note names an "
				      "experiment and what it gave",
				      weir_quote(note).text);
	}
	why = claims_find_word("reason", text, words, WHYS - 1, e);
	if (why < 0)
		return weir_error_prefix(e, "why: ");
	c->why = (enum claim_why)(why + 1);
	return 0;
}

int claim_make(struct claim *c, struct claims_section *s, struct weir_error *e)
{
	const char *unit = NULL;

	c->line = s->line;
	c->name = text_copy(s->name);
	c->reading = NO_READING;
	if (claim_set_metric(c, claims_value(s, "metric"), &unit, e) ||
	    claims_read_selections(c, s, e))
		return -1;
	if (c->over.count)
		unit = "";
	if (claims_read_expected(c, s, &unit, e) || claims_read_tolerance(c, s, e) ||
	    claims_read_against(c, s, &unit, e) || claims_read_best(c, s, e) ||
	    claims_read_sentence(c, s, e) || claims_read_size(c, s, e) || claims_read_why(c, s, e))
		return -1;
	snprintf(c->unit, sizeof(c->unit), "%s", unit);
	c->says = claims_take_value(s, "says", ABSENT_IS_EMPTY);
	c->section = claims_take_value(s, "section", ABSENT_IS_EMPTY);
	c->note = claims_take_value(s, "note", ABSENT_IS_EMPTY);
	return 0;
}

/* --- text --- */

static const struct {
	const char *name, *begin;
} whys[WHYS] = {
	[WHY_NOT_SAID] = { "not said", "" },
	[WHY_SILENT] = { "paper silent", "Paper silent, " },
	[WHY_FAILS] = { "shown by experiment", "Shown by experiment: " },
	[WHY_SIZE] = { "too small to tell", "Too small to tell: " },
	[WHY_UNEXPLAINED] = { "unexplained", "Unexplained: " },
};

const char *why_name(enum claim_why why)
{
	return whys[why].name;
}

const char *why_begin(enum claim_why why)
{
	return whys[why].begin;
}

struct claim_text claim_number(double number, const char *unit)
{
	struct claim_text t;

	/* INFINITY is the time to reach a level that is never reached. */
	if (isinf(number))
		snprintf(t.text, sizeof(t.text), "never");
	else
		snprintf(t.text, sizeof(t.text), "%s%s", format_quantity(number, unit).text,
			 strcmp(unit, "pkts") == 0 && !isnan(number) ? " pkts" : "");
	return t;
}

/* A value, a range, or a range with an open end. */
static struct claim_text claim_span(double low, double high, const char *unit)
{
	struct claim_text t, first = claim_number(low, unit), last = claim_number(high, unit);

	if (isinf(low))
		snprintf(t.text, sizeof(t.text), "at most %.70s", last.text);
	else if (isinf(high))
		snprintf(t.text, sizeof(t.text), "at least %.70s", first.text);
	else if (low == high)
		t = first;
	else
		snprintf(t.text, sizeof(t.text), "%.70s..%.70s", first.text, last.text);
	return t;
}

struct claim_text claim_expected(const struct claim *c)
{
	struct claim_text says = claim_span(c->low, c->high, c->unit), t;
	struct claim_text agrees = claim_span(c->accept_low, c->accept_high, c->unit);

	if (c->tolerance == 0)
		return says;
	snprintf(t.text, sizeof(t.text), "%.75s (%.75s)", says.text, agrees.text);
	return t;
}

int claim_is_above(const struct claim *c)
{
	return c->low >= c->against;
}

struct claim_text claim_direction(const struct claim *c)
{
	struct claim_text t = { "" };

	if (!isnan(c->against))
		snprintf(t.text, sizeof(t.text), "%s than %.100s",
			 claim_is_above(c) ? "more" : "less",
			 claim_number(c->against, c->unit).text);
	return t;
}
