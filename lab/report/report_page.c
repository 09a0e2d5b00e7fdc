/* SPDX-License-Identifier: BSD-3-Clause */
/* report_page.c -- the HTML page of a report: the answer first, then all numbers, charts and
 * settings in tabs. */
#include "lab/report/report.h"
#include "lab/analysis/selection.h"
#include "lab/scenario/sections.h"
#include <string.h>

/* --- what was run --- */

static uint32_t report_title_count(const struct report *r)
{
	const struct stored_run *runs = r->compare.runs.runs;
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->compare.runs.count; i++) {
		uint32_t before = 0;

		while (before < i && strcmp(runs[before].title, runs[i].title) != 0)
			before++;
		count += before == i;
	}
	return count;
}

static int option_has_default(const struct weir_option *options, const char *key, const char *value)
{
	const struct weir_option *o = options ? weir_option_find(options, key) : NULL;

	return o && (o->def ? setting_is(value, o->def) : value[0] == '\0');
}

/* Does the setting have the value it would have if the file did not mention it? */
static int report_is_default(const struct report_setting *s)
{
	char section[64];
	size_t length = strcspn(s->path, ".");
	const char *key = strrchr(s->path, '.'), *value = s->values[0];
	const struct section *found;
	struct kind k;

	if (s->value_count != 1 || !key || length >= sizeof(section))
		return 0;
	snprintf(section, sizeof(section), "%.*s", (int)length, s->path);
	found = section_find(section);
	if (!found)
		return 0;
	if (option_has_default(found->options, key + 1, value))
		return 1;
	for (size_t i = 0; found->kind && found->kind(i, &k); i++)
		if (option_has_default(k.options, key + 1, value))
			return 1;
	return 0;
}

enum setting_group { SETTINGS_DIFFER, SETTINGS_COMMON, SETTINGS_DEFAULT };

static void report_add_settings(struct document *d, const struct report *r,
				enum setting_group which)
{
	document_open(d, DOCUMENT_TABLE, "settings");
	for (uint32_t i = 0; i < r->setting_count; i++) {
		const struct report_setting *s = &r->settings[i];
		enum setting_group group = s->value_count > 1     ? SETTINGS_DIFFER
					   : report_is_default(s) ? SETTINGS_DEFAULT
								  : SETTINGS_COMMON;

		if (group != which)
			continue;
		document_row(d, NULL);
		document_add(d, DOCUMENT_HEAD, NULL, "%s", s->path);
		for (uint32_t k = 0; k < s->value_count; k++)
			if (k == 0)
				document_add(d, DOCUMENT_CELL, NULL, "<code>%s</code>",
					     s->values[k]);
			else
				document_append(d, ", <code>%s</code>", s->values[k]);
	}
	if (which == SETTINGS_DIFFER && r->compare.runs.count == 1) {
		document_row(d, NULL);
		document_add(d, DOCUMENT_CELL, NULL, "none: there is one run");
	}
	document_close(d);
}

void report_add_caveats(struct document *d, const struct comparison *c)
{
	struct health all = { .runs = 0 };

	for (uint32_t i = 0; i < c->runs.count; i++)
		health_add(&all, &c->runs.runs[i]);
	if (health_text(&all).text[0])
		document_add(d, DOCUMENT_PARAGRAPH, "warning",
			     "Caution: %s. !: unfinished flows, PFC deadlock, or a run disturbed "
			     "by the machine.",
			     health_text(&all).text);
	if (c->runs.left_out)
		document_add(d, DOCUMENT_PARAGRAPH, "note",
			     "%u run%s of other sweeps in this folder %s not shown.",
			     c->runs.left_out, c->runs.left_out == 1 ? "" : "s",
			     c->runs.left_out == 1 ? "is" : "are");
}

void report_add_runs(struct document *d, const struct report *r)
{
	const struct report_setting *seed = report_setting(r, "seed");
	uint32_t titles = report_title_count(r);

	document_open(d, DOCUMENT_SECTION, "runs");
	document_add(d, DOCUMENT_HEADING_2, NULL, "Runs");
	document_add(d, DOCUMENT_PARAGRAPH, NULL, "%u run%s: %u scheme%s", r->compare.runs.count,
		     r->compare.runs.count == 1 ? "" : "s", r->scheme_count,
		     r->scheme_count == 1 ? "" : "s");
	if (r->axis)
		document_append(d, ", %u values of <code>%s</code>", r->axis->value_count,
				r->axis->path);
	document_append(d, ", %u seed%s; Weir %s%s", seed ? seed->value_count : 1,
			seed && seed->value_count != 1 ? "s" : "", r->compare.runs.runs[0].version,
			report_setting(r, "version")->value_count > 1 ? " and others." : ".");
	if (titles > 1)
		document_append(d, " From %u scenarios; the title is that of the first.", titles);
	report_add_caveats(d, &r->compare);
	document_add(d, DOCUMENT_HEADING_3, NULL, "Settings that differ between runs");
	report_add_settings(d, r, SETTINGS_DIFFER);
	document_add(d, DOCUMENT_HEADING_3, NULL, "Settings common to all runs");
	report_add_settings(d, r, SETTINGS_COMMON);
	document_open(d, DOCUMENT_DETAILS, "Settings at their defaults");
	report_add_settings(d, r, SETTINGS_DEFAULT);
	document_close(d);
	document_close(d);
}

/* --- charts --- */

/* Adds the charts of a part. 0: it has none. */
static int report_add_charts(struct document *d, const struct chart_list *list,
			     enum report_part part)
{
	int found = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t before = 0;

		if (list->all[i].part != part)
			continue;
		while (list->all[before].part != part ||
		       strcmp(list->all[before].title, list->all[i].title) != 0)
			before++;
		if (before == i)
			document_chart(d, list, i);
		found = 1;
	}
	return found;
}

/* Adds a section for a part, with a sentence in place of charts if it has none. */
static void report_add_part(struct document *d, const struct report *r, enum report_part part)
{
	static const char no_flow[] = "No flow completed in the measured interval.";
	static const struct {
		const char *id, *title, *empty, *probe, *records;
	} parts[PART_COUNT] = {
		[PART_FCT] = { "fct", "Flow completion times", no_flow, NULL, NULL },
		[PART_SIZES] = { "sizes", "By flow size",
				 "No flows of several sizes completed in the measured interval.",
				 NULL, NULL },
		[PART_CDF] = { "distributions", "Distributions and tails", no_flow, NULL, NULL },
		[PART_QUEUE] = { "queues", "Queue length over time", "No queue was recorded.",
				 "queue PORT every 10us", "one" },
		[PART_THROUGHPUT] = { "throughput", "Throughput over time",
				      "No throughput was recorded.",
				      "throughput flow:N every 100us", "that of a flow" },
		[PART_WINDOW] = { "windows", "Windows over time", "No window was recorded.",
				  "window flow:N every 100us", "that of a flow" },
		[PART_OTHER] = { "variables", "State of the marking scheme over time",
				 "No state was recorded.", "scheme PORT every 10us",
				 "the state that the marking scheme of a port publishes" },
	};

	document_open(d, DOCUMENT_SECTION, parts[part].id);
	document_add(d, DOCUMENT_HEADING_2, NULL, "%s", parts[part].title);
	document_open(d, DOCUMENT_GROUP, "panels");
	if (!report_add_charts(d, &r->charts, part)) {
		document_add(d, DOCUMENT_PARAGRAPH, "empty", "%s", parts[part].empty);
		if (parts[part].probe)
			document_append(d,
					" <code>probe = %s</code> in <code>[measure]</code> "
					"records %s.",
					parts[part].probe, parts[part].records);
	}
	document_close(d);
	document_close(d);
}

/* --- the page --- */

/* The first screen: which scheme is best, the numbers that show it, and the slowdown of every
 * size. */
static void report_add_answer(struct document *d, const struct report *r)
{
	int has_charts = 0;

	for (uint32_t i = 0; i < r->charts.count; i++)
		has_charts |= r->charts.all[i].part == PART_FIRST;
	document_open(d, DOCUMENT_SECTION, "answer");
	for (uint32_t i = 0; i < r->sentence_count; i++)
		document_add(d, DOCUMENT_PARAGRAPH, "answer", "%s", r->sentences[i]);
	report_add_caveats(d, &r->compare);
	report_table_choice(d, r);
	document_open(d, DOCUMENT_GROUP,
		      r->has_choice ? "first settings-first"
		      : has_charts  ? "first"
				    : "first alone");
	document_open(d, DOCUMENT_GROUP, "");
	report_table_first(d, r);
	document_close(d);
	document_open(d, DOCUMENT_GROUP, "");
	report_add_charts(d, &r->charts, PART_FIRST);
	document_close(d);
	document_close(d);
	document_close(d);
}

static void report_add_tabs(struct document *d, const struct report *r)
{
	document_open(d, DOCUMENT_TAB, "All numbers");
	report_table_apps(d, r);
	report_table_all(d, r);
	report_add_part(d, r, PART_FCT);
	document_close(d);
	if (r->parts.row_count) {
		document_open(d, DOCUMENT_TAB, "By traffic");
		report_table_parts(d, r);
		document_close(d);
	}
	document_open(d, DOCUMENT_TAB, "By size");
	report_add_part(d, r, PART_SIZES);
	document_close(d);
	document_open(d, DOCUMENT_TAB, "Tails");
	report_add_part(d, r, PART_CDF);
	document_close(d);
	document_open(d, DOCUMENT_TAB, "Queues");
	report_table_tiers(d, r);
	report_add_part(d, r, PART_QUEUE);
	document_close(d);
	document_open(d, DOCUMENT_TAB, "Series");
	for (int part = PART_THROUGHPUT; part < PART_COUNT; part++)
		report_add_part(d, r, (enum report_part)part);
	document_close(d);
	document_open(d, DOCUMENT_TAB, "Settings");
	report_add_runs(d, r);
	document_close(d);
}

void report_html(FILE *f, const struct report *r)
{
	const struct stored_run *first = &r->compare.runs.runs[0];
	const struct document_page page = { .title = first->title, .version = first->version };
	struct document d = { .count = 0 };

	document_add(&d, DOCUMENT_HEADING_1, NULL, "%s",
		     first->title[0] ? first->title : "Results");
	report_add_answer(&d, r);
	report_add_tabs(&d, r);
	document_write_page(&d, f, &page);
	document_free(&d);
}
