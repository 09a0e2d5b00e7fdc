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

struct listener {
	struct report *report;
	uint32_t count; /* of sentences so far */
};

/* The second sentence is the first of those about fresh seeds. */
static void keep_sentence(void *context, const char *line)
{
	struct listener *to = context;
	char *text = NULL;

	if (to->count++ == 1)
		text_print(&text, "%s: %s", choice_fresh_text(&to->report->choice).text, line);
	report_add_sentence(to->report, text ? text : line);
	free(text);
}

void report_choice_sentences(struct report *r)
{
	struct listener listener = { r, 0 };
	char *goal = NULL;

	text_print(&goal, "Goal: %s.", choice_goal_text(&r->choice).text);
	report_add_sentence(r, goal);
	free(goal);
	choice_describe(&r->choice, &(struct line_sink){ keep_sentence, &listener });
}

static uint32_t setting_of_row(const struct report *r, const struct compare_row *row)
{
	return choice_setting_of(&r->choice, r->compare.runs.runs[row->runs[0]].key);
}

char *report_choice_label(const struct report *r, const struct compare_row *row)
{
	uint32_t number = setting_of_row(r, row);
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
			r->has_choice ? setting_of_row(r, &r->compare.rows[i]) : 0, i
		};
	qsort(placed, count, sizeof(*placed), compare_placed);
	for (uint32_t i = 0; i < count; i++)
		order[i] = placed[i].row;
	free(placed);
	return order;
}

/* --- tables --- */

/* Which numbers of a setting a table shows. */
enum choice_column { COLUMN_ALL, COLUMN_FIRST, COLUMN_FRESH };

static const struct choice_numbers *numbers_of(const struct choice_setting *s,
					       enum choice_column column)
{
	return column == COLUMN_FRESH ? &s->fresh : column == COLUMN_FIRST ? &s->first : &s->all;
}

static void write_named(FILE *f, const char *text, const char *title)
{
	fputs("<th title=\"", f);
	html_write_text(f, title);
	fputs("\">", f);
	html_write_text(f, text);
	fputs("</th>", f);
}

static void write_head(FILE *f, const struct choice *c, const char *more)
{
	fputs("<div class=\"wide\"><table class=\"numbers choice\">\n<thead><tr><th>setting</th>",
	      f);
	for (uint32_t i = 0; i < c->range_count; i++)
		write_named(f, choice_path_text(c, c->ranges[i].path), c->ranges[i].path);
	write_named(f, c->goal.name, c->goal_is_most ? "goal: most" : "goal: least");
	for (uint32_t i = 0; i < c->rule_count; i++)
		write_named(f, c->rules[i].metric.name, choice_rule_text(&c->rules[i]).text);
	fprintf(f, "%s</tr></thead>\n<tbody>\n", more);
}

static void write_numbers(FILE *f, const struct choice *c, uint32_t number,
			  enum choice_column column)
{
	const struct choice_numbers *n = numbers_of(&c->all[number], column);

	page_element(f, "td", choice_number_text(n->goal, c->goal.unit).text);
	for (uint32_t i = 0; i < c->rule_count; i++)
		page_element(f, "td", choice_number_text(n->rule[i], c->rules[i].metric.unit).text);
}

/* The row without its end. */
static void begin_row(FILE *f, const struct choice *c, uint32_t number, enum choice_column column)
{
	fputs(number == 0 ? "<tr class=\"chosen\">" : "<tr>", f);
	page_element(f, "th", choice_role_text(c, number).text);
	for (uint32_t i = 0; i < c->range_count; i++)
		page_element(f, "td", choice_value_text(&c->all[number], c->ranges[i].path).text);
	write_numbers(f, c, number, column);
}

static void end_table(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

static void write_judged(FILE *f, const struct choice *c)
{
	fputs("<h3>", f);
	html_write_text(f, choice_fresh_text(c).text);
	fputs("</h3>\n", f);
	write_head(f, c, c->rule_count ? "<th>constraints</th>" : "");
	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->all[i].is_judged)
			continue;
		begin_row(f, c, i, COLUMN_FRESH);
		if (c->rule_count)
			page_element(f, "td", c->all[i].is_fresh_kept ? "met" : "missed");
		fputs("</tr>\n", f);
	}
	end_table(f);
	for (uint32_t i = 0; i < c->rule_count; i++) {
		if (!c->rules[i].is_of_best)
			continue;
		fputs("<p class=\"note\">", f);
		html_write_text(f, choice_rule_text(&c->rules[i]).text);
		fputs(": the limit on these seeds is ", f);
		html_write_text(
			f, choice_number_text(c->rules[i].limit, c->rules[i].metric.unit).text);
		fputs(".</p>\n", f);
	}
}

static void write_front(FILE *f, const struct choice *c)
{
	uint32_t *front = memory_zeroed(c->count, sizeof(*front)), count = choice_front(c, front);

	if (count) {
		fprintf(f,
			"<h3>The front, on the %" PRIu64 " seed%s that all settings had</h3>\n"
			"<p class=\"note\">No other setting is better in both the goal and the "
			"first constraint's metric.</p>\n",
			c->seeds, c->seeds == 1 ? "" : "s");
		write_head(f, c, "");
		for (uint32_t i = 0; i < count; i++) {
			begin_row(f, c, front[i], COLUMN_FIRST);
			fputs("</tr>\n", f);
		}
		end_table(f);
	}
	free(front);
}

static void write_tried(FILE *f, const struct choice *c)
{
	fprintf(f,
		"<details><summary>All %" PRIu32
		" settings that were tried, the best first</summary>\n",
		c->count);
	write_head(f, c, c->rule_count ? "<th>constraints</th><th>seeds</th>" : "<th>seeds</th>");
	for (uint32_t i = 0; i < c->count; i++) {
		begin_row(f, c, i, COLUMN_ALL);
		if (c->rule_count)
			page_element(f, "td", c->all[i].is_kept ? "met" : "missed");
		fprintf(f, "<td>%" PRIu32 "</td></tr>\n", c->all[i].seeds);
	}
	end_table(f);
	fprintf(f,
		"<p class=\"note\">Means over the seeds on which a setting took part in the "
		"search: the better half goes on and gets as many seeds again. %" PRIu64
		" runs of at most %" PRIu64 ".</p>\n</details>\n",
		c->run_count, c->budget);
}

void report_table_choice(FILE *f, const struct report *r)
{
	const struct choice *c = &r->choice;

	if (!r->has_choice)
		return;
	fputs("<section id=\"choice\">\n<p class=\"note\">Searched: ", f);
	for (uint32_t i = 0; i < c->range_count; i++) {
		fputs(i ? ", <code>" : "<code>", f);
		html_write_text(f, c->ranges[i].path);
		fputs("</code> ", f);
		html_write_text(f, c->ranges[i].text);
	}
	fputs(".</p>\n", f);
	write_judged(f, c);
	write_front(f, c);
	write_tried(f, c);
	fputs("<p class=\"note\">All other tables and charts are over every run that a setting "
	      "has; settings that left the search early have fewer seeds, so compare them by the "
	      "tables above.</p>\n</section>\n",
	      f);
}
