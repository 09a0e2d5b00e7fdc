/* SPDX-License-Identifier: BSD-3-Clause */
/* choice_text.c -- the outcome of a search as text, shared by terminal, reports and pages. */
#include "base/text.h"
#include "lab/analysis/choice.h"
#include "lab/analysis/compare.h"
#include <inttypes.h>
#include <stdarg.h>
#include <math.h>
#include <string.h>

static void choice_append(struct choice_text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void choice_append(struct choice_text *t, const char *format, ...)
{
	size_t used = strlen(t->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(t->text + used, sizeof(t->text) - used, format, arguments);
	va_end(arguments);
}

struct choice_text choice_number_text(double value, const char *unit)
{
	struct choice_text t;

	snprintf(t.text, sizeof(t.text), "%s",
		 isnan(value) ? "-" : format_quantity(value, unit).text);
	return t;
}

struct choice_text choice_rule_text(const struct choice_rule *r)
{
	struct choice_text t = { "" };

	choice_append(&t, "%s %s %s%s", r->metric.name, r->is_most ? ">=" : "<=",
		      r->is_of_best ? format_exact(r->number).text
				    : format_quantity(r->number, r->metric.unit).text,
		      r->is_of_best ? " of best" : "");
	return t;
}

struct choice_text choice_goal_text(const struct choice *c)
{
	struct choice_text t = { "" };

	choice_append(&t, "%s %s", c->goal_is_most ? "most" : "least", c->goal.name);
	for (uint32_t i = 0; i < c->rule_count; i++)
		choice_append(&t, "%s%s", i ? " and " : ", with ",
			      choice_rule_text(&c->rules[i]).text);
	return t;
}

/* --- settings --- */

/* The path without the kind of its section: "storage.min" of "switch.marking.storage.min",
 * "web.load" of "traffic.web.load". */
static const char *choice_path_tail(const char *path)
{
	static const char marking[] = "switch.marking.";
	const char *dot = strchr(path, '.');

	if (strncmp(path, marking, strlen(marking)) == 0)
		return path + strlen(marking);
	return dot ? dot + 1 : path;
}

const char *choice_path_text(const struct choice *c, const char *path)
{
	const char *tail = choice_path_tail(path);

	for (uint32_t i = 0; i < c->range_count; i++)
		if (strcmp(c->ranges[i].path, path) != 0 &&
		    strcmp(choice_path_tail(c->ranges[i].path), tail) == 0)
			return path;
	return tail;
}

struct choice_text choice_point_text(const struct choice *c, const struct choice_setting *s)
{
	struct choice_text t = { "" };
	const char *at = s->point;

	while (*at) {
		size_t length = strcspn(at, ";");
		char path[256];

		snprintf(path, sizeof(path), "%.*s", (int)strcspn(at, "="), at);
		/* A value that was not given has its default. */
		if (length > strlen(path) + 1)
			choice_append(&t, "%s%s%.*s", t.text[0] ? ", " : "",
				      choice_path_text(c, path), (int)(length - strlen(path)),
				      at + strlen(path));
		at += length + (at[length] == ';');
		at += strspn(at, " ");
	}
	return t;
}

struct choice_text choice_value_text(const struct choice_setting *s, const char *path)
{
	size_t length = strlen(path);
	struct choice_text t = { "" };
	const char *at = s->point;

	while (*at && !(strncmp(at, path, length) == 0 && at[length] == '=')) {
		at += strcspn(at, ";");
		at += strspn(at, "; ");
	}
	choice_append(&t, "%.*s", *at ? (int)strcspn(at + length + 1, ";") : 0,
		      *at ? at + length + 1 : "");
	if (!t.text[0])
		choice_append(&t, "as in the file");
	return t;
}

/* Is no candidate of the last search round better at this constraint's metric? */
static int choice_is_best_at(const struct choice *c, uint32_t setting, uint32_t rule)
{
	double own = c->all[setting].all.rule[rule];

	for (uint32_t i = 0; i < c->count; i++) {
		double other = c->all[i].all.rule[rule];

		if (c->all[i].seeds == c->all[0].seeds &&
		    (c->rules[rule].is_most ? other > own : other < own))
			return 0;
	}
	return 1;
}

struct choice_text choice_role_text(const struct choice *c, uint32_t setting)
{
	struct choice_text t = { "" };

	if (setting == 0)
		choice_append(&t, "chosen");
	else if (setting == c->own)
		choice_append(&t, "the file's");
	else if (c->all[setting].is_judged)
		for (uint32_t i = 0; i < c->rule_count; i++)
			if (choice_is_best_at(c, setting, i))
				choice_append(&t, "%s%s", t.text[0] ? ", " : "best at ",
					      c->rules[i].metric.name);
	return t;
}

uint32_t choice_front(const struct choice *c, uint32_t *front)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		double goal = c->all[i].first.goal;
		uint32_t at = count;

		if (!c->all[i].is_front)
			continue;
		for (; at > 0; at--) {
			double before = c->all[front[at - 1]].first.goal;

			if (c->goal_is_most ? before >= goal : before <= goal)
				break;
			front[at] = front[at - 1];
		}
		front[at] = i;
		count++;
	}
	return count;
}

/* --- sentences --- */

static int is_met(const struct choice_rule *r, double value, double limit)
{
	return r->is_most ? value >= limit : value <= limit;
}

/* "drops <= 0 (it has 3, and the limit is 0)" */
static struct choice_text choice_missed_text(const struct choice_rule *r, double value,
					     double limit)
{
	struct choice_text t = { "" };

	choice_append(&t, "%s (it has %s", choice_rule_text(r).text,
		      format_quantity(value, r->metric.unit).text);
	choice_append(&t, ", and the limit is %s)", format_quantity(limit, r->metric.unit).text);
	return t;
}

struct choice_text choice_search_text(const struct choice *c)
{
	struct choice_text t = { "" };
	const char *between = " It misses ";

	if (c->all[0].is_kept)
		return t;
	choice_append(
		&t, "No setting meets every constraint on the search seeds; this one is closest.");
	for (uint32_t i = 0; i < c->rule_count; i++) {
		const struct choice_rule *r = &c->rules[i];
		double value = c->all[0].all.rule[i];

		if (is_met(r, value, r->search_limit))
			continue;
		choice_append(&t, "%s%s", between,
			      choice_missed_text(r, value, r->search_limit).text);
		between = " and ";
	}
	choice_append(&t, ".");
	return t;
}

static struct choice_text choice_chosen_sentence(const struct choice *c)
{
	struct choice_text t = { "" };

	if (c->own == 0)
		choice_append(&t, "Chosen: the file's own setting; no setting tried is better.");
	else
		choice_append(&t, "Chosen: %s.", choice_point_text(c, &c->all[0]).text);
	choice_append(&t, "%s%.700s", c->all[0].is_kept ? "" : " ", choice_search_text(c).text);
	return t;
}

struct choice_text choice_fresh_text(const struct choice *c)
{
	uint64_t first = c->first_seed + c->fresh_seeds;
	struct choice_text t = { "" };

	if (c->fresh_seeds == 1)
		choice_append(&t, "On seed %" PRIu64, first);
	else
		choice_append(&t, "On seeds %" PRIu64 " to %" PRIu64, first,
			      first + c->fresh_seeds - 1);
	choice_append(&t, ", not used in the search");
	return t;
}

static struct choice_text choice_fresh_sentence(const struct choice *c)
{
	const struct choice_setting *won = &c->all[0], *own = &c->all[c->own];
	struct choice_text t = { "" };

	choice_append(&t, "the chosen setting has %s %s", c->goal.name,
		      format_quantity(won->fresh.goal, c->goal.unit).text);
	if (c->own && own->fresh.goal > 0)
		choice_append(&t, ", %.4g times the", won->fresh.goal / own->fresh.goal);
	else if (c->own)
		choice_append(&t, ", for");
	if (c->own)
		choice_append(&t,
			      " %s of the file's own; it is %s on %" PRIu32 " of %" PRIu32 " seeds",
			      format_quantity(own->fresh.goal, c->goal.unit).text,
			      c->goal_is_most ? "more" : "less", c->wins, c->fresh_seeds);
	choice_append(&t, ".");
	return t;
}

/* Does the file's own setting meet all constraints on fresh seeds with a goal that is no worse? */
static int choice_own_is_as_good(const struct choice *c)
{
	const struct choice_setting *won = &c->all[0], *own = &c->all[c->own];

	return c->own && own->is_fresh_kept &&
	       (!won->is_fresh_kept || (c->goal_is_most ? own->fresh.goal >= won->fresh.goal
							: own->fresh.goal <= won->fresh.goal));
}

void choice_describe(const struct choice *c, const struct line_sink *sink)
{
	const struct choice_setting *won = &c->all[0];

	sink->write(sink->context, choice_chosen_sentence(c).text);
	sink->write(sink->context, choice_fresh_sentence(c).text);
	for (uint32_t i = 0; i < c->rule_count; i++) {
		const struct choice_rule *r = &c->rules[i];
		struct choice_text t = { "" };

		if (is_met(r, won->fresh.rule[i], r->limit))
			continue;
		choice_append(
			&t,
			"There it violates %s. Relax the constraint, or give a larger --budget "
			"or --seeds.",
			choice_missed_text(r, won->fresh.rule[i], r->limit).text);
		sink->write(sink->context, t.text);
	}
	if (choice_own_is_as_good(c))
		sink->write(sink->context,
			    "The file's own setting meets every constraint and is no worse there, "
			    "so there is no reason to change it.");
}
