/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.c -- reads FIG.claims: sections and key-value pairs become a struct figure; checks, before
 * anything runs, that the runs of the scenario have what panels and claims name. */
#include "lab/analysis/claims.h"
#include "lab/store/results.h"
#include "base/ini.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct claims_form {
	const char *name, *example;
	const char *keys[CLAIMS_KEYS_MAX];     /* terminated by NULL */
	const char *required[CLAIMS_KEYS_MAX]; /* terminated by NULL */
} forms[] = {
	[SECTION_FIGURE] = { "figure",
			     "[figure]",
			     { "title", "paper", "about", "because", "time", "full-time", NULL },
			     { "title", "paper", NULL } },
	[SECTION_PANEL] = { "panel",
			    "[panel a]",
			    { "title", "kind", "y", "x", "by", "normalize", "where", "sizes",
			      "axes", "x-label", "x-scale", "y-label", NULL },
			    { "kind", "y", NULL } },
	[SECTION_CLAIM] = { "claim",
			    "[claim small-p99]",
			    { "says", "section", "metric", "of", "over", "value", "range",
			      "tolerance", "against", "best", "sentence", "contradicts", "fitted",
			      "size", "why", "note", NULL },
			    { "says", "section", "metric", NULL } },
	[SECTION_READING] = { "reading",
			      "[reading first-window-2]",
			      { "says", "source", "cases", "where", "metric", "claims", "result",
				NULL },
			      { "says", "source", NULL } },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

struct reader {
	struct figure *f;
	struct weir_error *e;
	int has_figure;
	struct claims_section section;
};

/* --- a section --- */

const char *claims_value(struct claims_section *s, const char *key)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->entries[i].key, key) == 0) {
			s->at = s->entries[i].line;
			return s->entries[i].value;
		}
	return NULL;
}

char *claims_take_value(struct claims_section *s, const char *key, enum absent absent)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->entries[i].key, key) == 0) {
			char *text = s->entries[i].value;

			s->entries[i].value = NULL;
			return text;
		}
	return absent == ABSENT_IS_NULL ? NULL : text_copy("");
}

static void section_clear(struct claims_section *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->entries[i].value);
	memset(s, 0, sizeof(*s));
}

static int claims_check_required(struct claims_section *s, struct weir_error *e)
{
	const struct claims_form *form = &forms[s->kind];

	for (const char *const *key = form->required; *key; key++)
		if (!claims_value(s, *key)) {
			s->at = s->line;
			return weir_error_set(e, "%s is missing", *key);
		}
	return 0;
}

/* The estimated time of all runs on one core. */
static int claims_read_seconds(struct claims_section *s, const char *key, double *seconds,
			       struct weir_error *e)
{
	const char *text = claims_value(s, key);
	struct quantity q;

	if (!text)
		return 0;
	if (quantity_read(&q, text, e) || quantity_in(&q, text, "s", seconds, e))
		return weir_error_prefix(e, "%s: ", key);
	return 0;
}

static int claims_add_figure(struct reader *r)
{
	struct claims_section *s = &r->section;

	r->has_figure = 1;
	if (claims_read_seconds(s, "time", &r->f->seconds[FIGURE_QUICK], r->e) ||
	    claims_read_seconds(s, "full-time", &r->f->seconds[FIGURE_FULL], r->e))
		return -1;
	r->f->title = claims_take_value(s, "title", ABSENT_IS_EMPTY);
	r->f->paper = claims_take_value(s, "paper", ABSENT_IS_EMPTY);
	r->f->about = claims_take_value(s, "about", ABSENT_IS_EMPTY);
	r->f->because = claims_take_value(s, "because", ABSENT_IS_NULL);
	return 0;
}

static int claims_add_panel(struct reader *r)
{
	struct figure *f = r->f;

	f->panels = memory_grow(f->panels, f->panel_count + 1, sizeof(*f->panels));
	memset(&f->panels[f->panel_count], 0, sizeof(*f->panels));
	return panel_make(&f->panels[f->panel_count++], &r->section, r->e);
}

static int claims_add_claim(struct reader *r)
{
	struct figure *f = r->f;

	f->claims = memory_grow(f->claims, f->claim_count + 1, sizeof(*f->claims));
	memset(&f->claims[f->claim_count], 0, sizeof(*f->claims));
	return claim_make(&f->claims[f->claim_count++], &r->section, r->e);
}

static int claims_add_reading(struct reader *r)
{
	struct figure *f = r->f;

	f->readings = memory_grow(f->readings, f->reading_count + 1, sizeof(*f->readings));
	memset(&f->readings[f->reading_count], 0, sizeof(*f->readings));
	return reading_make(&f->readings[f->reading_count++], &r->section, r->e);
}

/* Called at the end of a section, when all of its keys are known. An error may refer to any of its
 * lines. */
static int claims_end_section(struct reader *r, struct ini_place *at)
{
	static int (*const add[FORMS])(struct reader *) = {
		[SECTION_FIGURE] = claims_add_figure,
		[SECTION_PANEL] = claims_add_panel,
		[SECTION_CLAIM] = claims_add_claim,
		[SECTION_READING] = claims_add_reading,
	};
	struct claims_section *s = &r->section;
	int failed;

	if (s->line == 0)
		return 0;
	s->at = s->line;
	failed = claims_check_required(s, r->e) || add[s->kind](r);
	if (failed) {
		at->line = s->at;
		weir_error_prefix(r->e, "[%s%s%s]: ", forms[s->kind].name, *s->name ? " " : "",
				  s->name);
	}
	section_clear(s);
	return failed ? -1 : 0;
}

/* --- headers and pairs --- */

/* Line of the section with that name; 0: there is none. */
static int claims_line_of(const struct figure *f, enum claims_section_kind kind, const char *name)
{
	for (uint32_t i = 0; kind == SECTION_PANEL && i < f->panel_count; i++)
		if (strcmp(f->panels[i].name, name) == 0)
			return f->panels[i].line;
	for (uint32_t i = 0; kind == SECTION_CLAIM && i < f->claim_count; i++)
		if (strcmp(f->claims[i].name, name) == 0)
			return f->claims[i].line;
	for (uint32_t i = 0; kind == SECTION_READING && i < f->reading_count; i++)
		if (strcmp(f->readings[i].name, name) == 0)
			return f->readings[i].line;
	return 0;
}

static int claims_check_name(struct reader *r, const struct claims_form *form, const char *name)
{
	enum claims_section_kind kind = (enum claims_section_kind)(form - forms);
	int first;

	if (kind == SECTION_FIGURE) {
		if (*name)
			return weir_error_set(r->e, "[figure %s]: [figure] has no name", name);
		return r->has_figure ? weir_error_set(r->e, "[figure] is given twice") : 0;
	}
	if (!ini_name_is_good(name, "-_."))
		return weir_error_set(
			r->e,
			"[%s]: name %s; allowed are up to 63 letters, digits, -, _ and ., as in %s",
			form->name, *name ? weir_quote(name).text : "is missing", form->example);
	first = claims_line_of(r->f, kind, name);
	return first ? weir_error_set(r->e, "[%s %s]: given twice, first in line %d", form->name,
				      name, first)
		     : 0;
}

static int claims_on_header(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct reader *r = user;
	const char *names[FORMS];
	size_t i = 0;

	if (claims_end_section(r, at))
		return -1;
	for (size_t k = 0; k < FORMS; k++)
		names[k] = forms[k].name;
	while (i < FORMS && strcmp(names[i], kind) != 0)
		i++;
	if (i == FORMS)
		return weir_error_unknown(r->e, "section", kind, names, FORMS);
	if (claims_check_name(r, &forms[i], name))
		return -1;
	r->section =
		(struct claims_section){ .kind = (enum claims_section_kind)i, .line = at->line };
	snprintf(r->section.name, sizeof(r->section.name), "%s", name);
	return 0;
}

static int claims_on_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct reader *r = user;
	struct claims_section *s = &r->section;
	const struct claims_form *form = &forms[s->kind];
	size_t count = 0, i;

	if (s->line == 0)
		return weir_error_set(r->e,
				      "%s stands before the first section; [figure] comes first",
				      weir_quote(key).text);
	while (form->keys[count])
		count++;
	for (i = 0; i < count && strcmp(form->keys[i], key) != 0;)
		i++;
	if (i == count) {
		weir_error_unknown(r->e, "key", key, form->keys, count);
		return weir_error_prefix(r->e, "[%s]: ", form->name);
	}
	for (uint32_t k = 0; k < s->count; k++)
		if (s->entries[k].key == form->keys[i])
			return weir_error_set(r->e, "%s: given twice, first in line %d", key,
					      s->entries[k].line);
	if (*value == '\0')
		return weir_error_set(r->e, "%s has no value", key);
	s->entries[s->count++] = (struct claims_entry){ form->keys[i], text_copy(value), at->line };
	return 0;
}

/* An axis group with a single panel is a mistake: the word is probably misspelt. */
static int claims_check_axes(const struct reader *r, struct ini_place *at)
{
	const struct figure *f = r->f;

	for (uint32_t i = 0; i < f->panel_count; i++) {
		const struct panel *p = &f->panels[i];
		int shared = !p->axes || strcmp(p->axes, PANEL_AXES_OWN) == 0;

		for (uint32_t k = 0; k < f->panel_count; k++)
			shared |= k != i && panels_share_axes(p, &f->panels[k]);
		if (shared)
			continue;
		at->line = p->line;
		return weir_error_set(r->e,
				      "[panel %s]: axes: no other panel of its kind has axes = %s; "
				      "panels with one word have equal axes, '" PANEL_AXES_OWN
				      "' is for one alone",
				      p->name, p->axes);
	}
	return 0;
}

/* Readings may precede the claims that they are about. */
static int claims_add_readings(struct reader *r, struct ini_place *at)
{
	struct figure *f = r->f;

	f->judged_count = f->claim_count;
	for (uint32_t i = 0; i < f->reading_count; i++)
		if (reading_add_claims(f, i, r->e)) {
			at->line = f->readings[i].line;
			return weir_error_prefix(r->e, "[reading %s]: ", f->readings[i].name);
		}
	return 0;
}

static int claims_on_end(void *user, struct ini_place *at)
{
	struct reader *r = user;

	if (claims_end_section(r, at) || claims_check_axes(r, at) || claims_add_readings(r, at))
		return -1;
	return r->has_figure ? 0 : weir_error_set(r->e, "[figure] is missing");
}

/* --- files --- */

static const struct ini_form claims_form = {
	.what = "claims",
	.example = "[claim NAME]",
	.section = claims_on_header,
	.pair = claims_on_pair,
	.end = claims_on_end,
};

int figure_read_text(struct figure *f, const char *file, const char *text, size_t length,
		     struct weir_error *e)
{
	const struct ini_text in = { file, text, length };
	struct reader r = { .f = f, .e = e };

	memset(f, 0, sizeof(*f));
	f->file = text_copy(file);
	if (ini_read(&claims_form, &r, &in, e) == 0)
		return 0;
	section_clear(&r.section);
	figure_free(f);
	return -1;
}

int figure_read(struct figure *f, const char *file, struct weir_error *e)
{
	size_t length;
	char *text = ini_load(&claims_form, file, &length, e);
	int failed;

	if (!text)
		return -1;
	failed = figure_read_text(f, file, text, length, e);
	free(text);
	return failed;
}

/* --- freeing --- */

static void panel_free(struct panel *p)
{
	for (uint32_t i = 0; i < p->y_count; i++)
		free(p->y[i]);
	free(p->y);
	free(p->name);
	free(p->title);
	free(p->x);
	free(p->by);
	free(p->normalize);
	free(p->sizes);
	free(p->axes);
	free(p->x_label);
	free(p->y_label);
	selection_free(&p->where);
}

void claim_free(struct claim *c)
{
	free(c->name);
	free(c->says);
	free(c->section);
	free(c->note);
	free(c->metric);
	free(c->best);
	free(c->sentence);
	free(c->contradicts);
	free(c->fitted);
	selection_free(&c->of);
	selection_free(&c->over);
}

void figure_free(struct figure *f)
{
	for (uint32_t i = 0; i < f->panel_count; i++)
		panel_free(&f->panels[i]);
	/* A file that was refused may have claims, but no count of those judged yet. */
	for (uint32_t i = 0; i < f->claim_count || i < f->judged_count; i++)
		claim_free(&f->claims[i]);
	for (uint32_t i = 0; i < f->reading_count; i++)
		reading_free(&f->readings[i]);
	free(f->panels);
	free(f->claims);
	free(f->readings);
	free(f->file);
	free(f->title);
	free(f->paper);
	free(f->about);
	free(f->because);
	memset(f, 0, sizeof(*f));
}

/* --- checks against the planned runs --- */

/* The value that others are divided by must exist. */
static int panel_check_normalize(const struct panel *p, const struct stored_runs *runs,
				 struct weir_error *e)
{
	struct condition one = { p->by, p->normalize };
	const struct selection s = { .text = p->normalize, .count = 1, .conditions = &one };

	return selection_check(&s, runs, e);
}

/* At least one run shown in the panel must have the series. */
static int panel_check_series(const struct panel *p, const char *name,
			      const struct stored_runs *runs, struct weir_error *e)
{
	for (uint32_t i = 0; i < runs->count; i++)
		if (selection_has(&p->where, &runs->runs[i]) &&
		    series_check(name, &runs->runs[i], e) == 0)
			return 0;
	return -1;
}

static int panel_check(const struct panel *p, const struct stored_runs *runs, struct weir_error *e)
{
	if (p->where.count && selection_check(&p->where, runs, e))
		return weir_error_prefix(e, "where: ");
	if (p->x && path_check(p->x, runs, e))
		return weir_error_prefix(e, "x: ");
	/* Without cases there is a single line. */
	if (strcmp(p->by, "case") != 0 && path_check(p->by, runs, e))
		return weir_error_prefix(e, "by: ");
	if (p->normalize && panel_check_normalize(p, runs, e))
		return weir_error_prefix(e, "normalize: ");
	for (uint32_t i = 0; p->kind == PANEL_TIME && i < p->y_count; i++)
		if (panel_check_series(p, p->y[i], runs, e))
			return weir_error_prefix(e, "y: ");
	return 0;
}

static int claim_check_side(const struct claim *c, const struct selection *s,
			    const struct stored_runs *runs, struct weir_error *e)
{
	const char *mixed;

	if (selection_check(s, runs, e))
		return -1;
	mixed = selection_mixes(s, runs, c->best);
	if (mixed)
		return weir_error_set(e, "the runs that it selects differ in %s; name its value",
				      mixed);
	for (uint32_t i = 0; c->is_series && i < runs->count; i++)
		if (selection_has(s, &runs->runs[i]))
			return series_metric_check(&c->series, &runs->runs[i], e);
	return 0;
}

static int claim_check(const struct claim *c, const struct stored_runs *runs, struct weir_error *e)
{
	if (c->best && path_check(c->best, runs, e))
		return weir_error_prefix(e, "best: ");
	if (claim_check_side(c, &c->of, runs, e))
		return weir_error_prefix(e, "of: ");
	if (c->over.count && claim_check_side(c, &c->over, runs, e))
		return weir_error_prefix(e, "over: ");
	return 0;
}

int figure_check(const struct figure *f, const struct stored_runs *runs, enum figure_size size,
		 struct weir_error *e)
{
	for (uint32_t i = 0; i < f->panel_count; i++)
		if (panel_check(&f->panels[i], runs, e))
			return weir_error_prefix(e, "%.200s:%d: [panel %s]: ", f->file,
						 f->panels[i].line, f->panels[i].name);
	for (uint32_t i = 0; i < f->judged_count; i++)
		if (f->claims[i].size <= size && claim_check(&f->claims[i], runs, e))
			return weir_error_prefix(e, "%.200s:%d: [claim %.100s]: ", f->file,
						 f->claims[i].line, f->claims[i].name);
	return 0;
}

/* --- need of per-flow records --- */

/* Every run stores the usual completion-time metrics itself. */
static int is_made_from_flows(const char *metric)
{
	const char *unit;

	return metric_index(metric) < 0 && flow_metric_known(metric, &unit);
}

int figure_reads_flows(const struct figure *f)
{
	for (uint32_t i = 0; i < f->judged_count; i++) {
		const struct claim *c = &f->claims[i];

		if (c->is_share || (!c->is_series && is_made_from_flows(c->metric)))
			return 1;
	}
	for (uint32_t i = 0; i < f->panel_count; i++) {
		const struct panel *p = &f->panels[i];

		if (p->kind == PANEL_CDF || p->kind == PANEL_SIZES ||
		    (p->kind != PANEL_TIME && is_made_from_flows(p->y[0])))
			return 1;
	}
	return 0;
}
