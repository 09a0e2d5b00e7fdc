/* SPDX-License-Identifier: BSD-3-Clause */
/* report_choice.c -- the outcome of a search (weir choose) in a report: goal and constraints, the
 * chosen setting beside the file's own on fresh seeds, the front, and every setting that was
 * tried. */
#include "lab/report/report.h"
#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct choice_sentences {
	struct report *report;
	uint32_t count; /* sentences so far */
};

/* The second sentence is the first of those about fresh seeds. */
static void choice_add_sentence(void *context, const char *line)
{
	struct choice_sentences *to = context;
	char *text = NULL;

	if (to->count++ == 1)
		text_print(&text, "%s: %s", choice_fresh_text(&to->report->choice).text, line);
	report_add_sentence(to->report, text ? text : line);
	free(text);
}

void report_choice_sentences(struct report *r)
{
	struct choice_sentences sentences = { r, 0 };
	char *goal = NULL;

	text_print(&goal, "Goal: %s.", choice_goal_text(&r->choice).text);
	report_add_sentence(r, goal);
	free(goal);
	choice_describe(&r->choice, &(struct line_sink){ choice_add_sentence, &sentences });
}

static uint32_t choice_setting_of_row(const struct report *r, const struct compare_row *row)
{
	return choice_setting_of(&r->choice, r->compare.runs.runs[row->runs[0]].key);
}

char *report_choice_label(const struct report *r, const struct compare_row *row)
{
	uint32_t number = choice_setting_of_row(r, row);
	struct choice_text role = { "" };
	char *label = NULL;

	if (number == UINT32_MAX)
		return NULL;
	if (number == 0 || number == r->choice.own)
		role = choice_role_text(&r->choice, number);
	text_print(&label, "%s%s%s", role.text, role.text[0] ? ": " : "",
		   choice_point_text(&r->choice, &r->choice.all[number]).text);
	if (number == r->choice.own &&
	    !choice_point_text(&r->choice, &r->choice.all[number]).text[0])
		text_print(&label, "%s", role.text);
	return label;
}

/* A row of the comparison and its place in the order of the search. */
struct placed_row {
	uint32_t setting, row;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed_row *p = a, *q = b;

	if (p->setting != q->setting)
		return p->setting < q->setting ? -1 : 1;
	return (p->row > q->row) - (p->row < q->row);
}

uint32_t *report_row_order(const struct report *r)
{
	uint32_t count = r->compare.row_count;
	uint32_t *order = memory_grow(NULL, count, sizeof(*order));
	struct placed_row *placed = memory_grow(NULL, count, sizeof(*placed));

	for (uint32_t i = 0; i < count; i++)
		placed[i] = (struct placed_row){
			r->has_choice ? choice_setting_of_row(r, &r->compare.rows[i]) : 0, i
		};
	qsort(placed, count, sizeof(*placed), compare_placed);
	for (uint32_t i = 0; i < count; i++)
		order[i] = placed[i].row;
	free(placed);
	return order;
}

/* --- tables --- */

/* Which means of a setting a table shows. */
enum choice_column { COLUMN_ALL, COLUMN_FIRST, COLUMN_FRESH };

/* Opens a table of settings and adds its heads; the caller adds further ones. */
static void choice_open_table(struct document *d, const struct choice *c)
{
	document_open(d, DOCUMENT_TABLE, "numbers choice");
	document_head_row(d);
	document_add(d, DOCUMENT_HEAD, NULL, "setting");
	for (uint32_t i = 0; i < c->range_count; i++) {
		document_add(d, DOCUMENT_HEAD, NULL, "%s", choice_path_text(c, c->ranges[i].path));
		document_tooltip(d, c->ranges[i].path);
	}
	document_add(d, DOCUMENT_HEAD, NULL, "%s", c->goal.name);
	document_tooltip(d, c->goal_is_most ? "goal: most" : "goal: least");
	for (uint32_t i = 0; i < c->rule_count; i++) {
		document_add(d, DOCUMENT_HEAD, NULL, "%s", c->rules[i].metric.name);
		document_tooltip(d, choice_rule_text(&c->rules[i]).text);
	}
}

static void choice_add_row(struct document *d, const struct choice *c, uint32_t number,
			   enum choice_column column)
{
	const struct choice_setting *s = &c->all[number];
	const struct choice_numbers *n = column == COLUMN_FRESH   ? &s->fresh
					 : column == COLUMN_FIRST ? &s->first
								  : &s->all;

	document_row(d, number == 0 ? "chosen" : NULL);
	document_add(d, DOCUMENT_HEAD, NULL, "%s", choice_role_text(c, number).text);
	for (uint32_t i = 0; i < c->range_count; i++)
		document_add(d, DOCUMENT_CELL, NULL, "%s",
			     choice_value_text(s, c->ranges[i].path).text);
	document_add(d, DOCUMENT_CELL, NULL, "%s", choice_number_text(n->goal, c->goal.unit).text);
	for (uint32_t i = 0; i < c->rule_count; i++)
		document_add(d, DOCUMENT_CELL, NULL, "%s",
			     choice_number_text(n->rule[i], c->rules[i].metric.unit).text);
}

static void choice_add_fresh(struct document *d, const struct choice *c)
{
	document_add(d, DOCUMENT_HEADING_3, NULL, "%s", choice_fresh_text(c).text);
	choice_open_table(d, c);
	if (c->rule_count)
		document_add(d, DOCUMENT_HEAD, NULL, "constraints");
	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->all[i].is_judged)
			continue;
		choice_add_row(d, c, i, COLUMN_FRESH);
		if (c->rule_count)
			document_add(d, DOCUMENT_CELL, NULL,
				     c->all[i].is_fresh_kept ? "met" : "missed");
	}
	document_close(d);
	for (uint32_t i = 0; i < c->rule_count; i++)
		if (c->rules[i].is_of_best)
			document_add(d, DOCUMENT_PARAGRAPH, "note",
				     "%s: the limit on these seeds is %s.",
				     choice_rule_text(&c->rules[i]).text,
				     choice_number_text(c->rules[i].limit, c->rules[i].metric.unit)
					     .text);
}

static void choice_add_front(struct document *d, const struct choice *c)
{
	uint32_t *front = memory_zeroed(c->count, sizeof(*front)), count = choice_front(c, front);

	if (count) {
		document_add(d, DOCUMENT_HEADING_3, NULL,
			     "The front, on the %" PRIu64 " seed%s that all settings had", c->seeds,
			     c->seeds == 1 ? "" : "s");
		document_add(d, DOCUMENT_PARAGRAPH, "note",
			     "No other setting is better in both the goal and the first "
			     "constraint's metric.");
		choice_open_table(d, c);
		for (uint32_t i = 0; i < count; i++)
			choice_add_row(d, c, front[i], COLUMN_FIRST);
		document_close(d);
	}
	free(front);
}

static void choice_add_tried(struct document *d, const struct choice *c)
{
	char summary[96];

	snprintf(summary, sizeof(summary), "All %" PRIu32 " settings tried, the best first",
		 c->count);
	document_open(d, DOCUMENT_DETAILS, summary);
	choice_open_table(d, c);
	if (c->rule_count)
		document_add(d, DOCUMENT_HEAD, NULL, "constraints");
	document_add(d, DOCUMENT_HEAD, NULL, "seeds");
	for (uint32_t i = 0; i < c->count; i++) {
		choice_add_row(d, c, i, COLUMN_ALL);
		if (c->rule_count)
			document_add(d, DOCUMENT_CELL, NULL, c->all[i].is_kept ? "met" : "missed");
		document_add(d, DOCUMENT_CELL, NULL, "%" PRIu32, c->all[i].seeds);
	}
	document_close(d);
	document_add(d, DOCUMENT_PARAGRAPH, "note",
		     "Means over the seeds on which a setting took part in the search: the better "
		     "half goes on and gets as many seeds again. %" PRIu64
		     " runs of at most %" PRIu64 ".",
		     c->run_count, c->budget);
	document_close(d);
}

void report_table_choice(struct document *d, const struct report *r)
{
	const struct choice *c = &r->choice;

	if (!r->has_choice)
		return;
	document_open(d, DOCUMENT_SECTION, "choice");
	document_add(d, DOCUMENT_PARAGRAPH, "note", "Searched: ");
	for (uint32_t i = 0; i < c->range_count; i++)
		document_append(d, "%s<code>%s</code> %s", i ? ", " : "", c->ranges[i].path,
				c->ranges[i].text);
	document_append(d, ".");
	choice_add_fresh(d, c);
	choice_add_front(d, c);
	choice_add_tried(d, c);
	document_add(d, DOCUMENT_PARAGRAPH, "note",
		     "All other tables and charts are over every run that a setting has; settings "
		     "that left the search early have fewer seeds, so compare them by the tables "
		     "above.");
	document_close(d);
}
