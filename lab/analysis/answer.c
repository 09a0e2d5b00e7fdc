/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.c -- builds the rankings of a comparison, one for each unit of traffic, and has each
 * written as sentences. */
#define _POSIX_C_SOURCE 200809L
#include "lab/analysis/answer.h"
#include "base/quantity.h"
#include "base/text.h"
#include "lab/analysis/selection.h"
#include "base/memory.h"
#include "sim/traffic/traffic.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* Metrics by unit of traffic, goals first: a setting is ranked by the first goal of its unit that
 * is known. Costs follow; those of a section's flows apply to flows only. */
static const struct subject {
	const char *metric, *words;
	enum rank_source source;
	enum weir_traffic_unit unit;
	int stands_in;     /* 1: used only where no goal before it is known */
	const char *payer; /* of a cost: flows that have it; NULL: the whole run */
} goals[] = {
	{ "round_mean_ns", "mean round time", RANK_RUN, WEIR_TRAFFIC_ROUNDS, 0, NULL },
	{ "io_read_p99_ns", "p99 read time", RANK_RUN, WEIR_TRAFFIC_IOS, 0, NULL },
	{ "io_write_p99_ns", "p99 write time", RANK_RUN, WEIR_TRAFFIC_IOS, 1, NULL },
	{ "fct_small_p99_ns", "p99 FCT of small flows", RANK_PART, WEIR_TRAFFIC_FLOWS, 0, NULL },
	{ "fct_p99_ns", "p99 FCT", RANK_PART, WEIR_TRAFFIC_FLOWS, 1, NULL },
	{ "fct_mean_ns", "mean FCT", RANK_PART, WEIR_TRAFFIC_FLOWS, 1, NULL },
}, costs[] = {
	{ "goodput_bps", "goodput", RANK_RUN, WEIR_TRAFFIC_FLOWS, 0, NULL },
	{ "bulk_goodput_bps", "goodput of unlimited flows", RANK_RUN, WEIR_TRAFFIC_FLOWS, 0, NULL },
	{ "iops", "I/Os per second", RANK_RUN, WEIR_TRAFFIC_FLOWS, 0, NULL },
	{ "fct_large_mean_ns", "mean FCT of large flows", RANK_PART, WEIR_TRAFFIC_FLOWS, 0,
	  "large flows" },
	{ "fct_medium_mean_ns", "mean FCT of medium flows", RANK_PART, WEIR_TRAFFIC_FLOWS, 0,
	  "medium flows" },
	{ "flows_unfinished", "unfinished flows", RANK_RUN, WEIR_TRAFFIC_FLOWS, 0, NULL },
	{ "drops", "drops", RANK_RUN, WEIR_TRAFFIC_FLOWS, 0, NULL },
	{ "pause_fraction", "time paused", RANK_RUN, WEIR_TRAFFIC_FLOWS, 0, NULL },
};

enum { GOALS = sizeof(goals) / sizeof(goals[0]), COSTS = sizeof(costs) / sizeof(costs[0]) };

_Static_assert(COSTS + 1 <= RANK_OBJECTIVES_MAX, "a goal and all costs");

const char *answer_metric(uint32_t i)
{
	return i < GOALS ? goals[i].metric : i < GOALS + COSTS ? costs[i - GOALS].metric : NULL;
}

int answer_is_substitute(const char *metric)
{
	for (int i = 0; i < GOALS; i++)
		if (strcmp(goals[i].metric, metric) == 0)
			return goals[i].stands_in;
	return 0;
}

/* --- inputs of a ranking --- */

static int axis_has_numbers(const struct compare_axis *a)
{
	struct weir_error ignored;
	struct quantity q;

	for (uint32_t i = 0; i < a->value_count; i++)
		if (quantity_read(&q, a->values[i], &ignored))
			return 0;
	return 1;
}

int answer_axis(const struct comparison *c)
{
	int found = NONE;

	for (uint32_t i = 0; i < c->axis_count; i++) {
		if (c->axes[i].value_count < 2 || comparison_split_of_axis(c, i) ||
		    axis_has_numbers(&c->axes[i]))
			continue;
		if (found != NONE)
			return NONE;
		found = (int)i;
	}
	return found;
}

const char *answer_baseline(const struct comparison *c, int axis)
{
	const struct compare_axis *a = &c->axes[axis];

	for (uint32_t i = 0; i < a->value_count; i++)
		if (setting_is(a->values[i], "ecn"))
			return a->values[i];
	return a->values[0];
}

/* The label in the shown comparison for a value of the other comparison. */
static const char *answer_label(const struct compare_axis *shown, const char *value)
{
	for (uint32_t i = 0; i < shown->value_count; i++)
		if (strcmp(shown->values[i], value) == 0)
			return shown->labels[i];
	return value;
}

/* The runs of a comparison, reduced to the one setting that the answer is about. */
struct answer_inputs {
	const struct comparison *c;
	const struct compare_axis *shown;
	struct comparison tables[RANK_SOURCES]; /* RANK_RUN: whole runs; RANK_PART: traffic
						   sections, where flows completed */
	uint32_t axis[RANK_SOURCES]; /* index of the setting among the axes of each table */
	const char *baseline;        /* value of the setting that others are compared with */
};

/* Lists the metrics of a source as columns, goals first. */
static uint32_t answer_list_metrics(enum rank_source source, const char **metrics)
{
	uint32_t count = 0;

	for (int i = 0; i < GOALS + COSTS; i++) {
		const struct subject *s = i < GOALS ? &goals[i] : &costs[i - GOALS];

		if (s->source == source)
			metrics[count++] = s->metric;
	}
	return count;
}

static int answer_make_table(struct answer_inputs *r, struct store *s, enum rank_source source,
			     const char *path, struct weir_error *e)
{
	const char *metrics[GOALS + COSTS], *by[2] = { path };
	struct compare_request q = {
		.by = by, .by_count = 1, .metrics = metrics, .scope = r->c->scope
	};

	if (source == RANK_PART && r->c->section_count == 0)
		return 0;
	if (source == RANK_PART) {
		by[0] = compare_split_names[SPLIT_TRAFFIC];
		by[1] = path;
		q.by_count = 2;
	}
	r->axis[source] = q.by_count - 1;
	q.metric_count = answer_list_metrics(source, metrics);
	return comparison_make(&r->tables[source], s, &q, e);
}

/* Finds the value of the axis that the baseline names, either by its label or as a setting. */
static const char *answer_find_baseline(const struct answer_inputs *r, int axis, const char *wanted)
{
	const struct compare_axis *a = &r->tables[RANK_RUN].axes[r->axis[RANK_RUN]];

	if (!wanted)
		wanted = answer_baseline(r->c, axis);
	for (uint32_t i = 0; i < a->value_count; i++)
		if (strcmp(a->labels[i], wanted) == 0 || setting_is(a->values[i], wanted))
			return a->values[i];
	return NULL;
}

/* Unit of completion for a section: flow, round or I/O. Flow where a plug-in generates the
 * traffic. */
static enum weir_traffic_unit answer_unit(const struct comparison *c, const char *section)
{
	const char *pattern = NULL;
	char path[128];

	snprintf(path, sizeof(path), "traffic.%.80s.pattern", section);
	for (uint32_t i = 0; i < c->runs.count && !pattern; i++)
		pattern = stored_setting(&c->runs.runs[i], path);
	for (uint32_t i = 0; pattern && traffic_all[i]; i++)
		if (strcmp(traffic_all[i]->scheme.name, pattern) == 0)
			return traffic_all[i]->unit;
	return WEIR_TRAFFIC_FLOWS;
}

/* --- a ranking: of one traffic section, or of the rounds or I/Os of a whole run --- */

static const struct compare_row *answer_find_row(const struct answer_inputs *r,
						 enum rank_source source, const char *value,
						 uint32_t part)
{
	const struct comparison *t = &r->tables[source];

	for (uint32_t i = 0; i < t->row_count; i++)
		if ((source == RANK_RUN || t->rows[i].part == part) &&
		    strcmp(t->axes[r->axis[source]].values[t->rows[i].value[r->axis[source]]],
			   value) == 0)
			return &t->rows[i];
	return NULL;
}

/* Counts PFC deadlocks of whole runs, and unfinished flows of the ranked sections only: unfinished
 * flows of other sections do not affect rounds and I/Os. */
static enum rank_state answer_health(const struct answer_inputs *r, enum weir_traffic_unit unit,
				     uint32_t part, const char *value)
{
	const struct comparison *parts = &r->tables[RANK_PART];
	const struct compare_row *run = answer_find_row(r, RANK_RUN, value, 0);
	int incomplete = run && !parts->row_count && run->health.incomplete;

	for (uint32_t i = 0; parts->row_count && i < parts->part_count; i++) {
		const struct compare_row *row = answer_find_row(r, RANK_PART, value, i);

		if (unit == WEIR_TRAFFIC_FLOWS
			    ? i == part
			    : answer_unit(r->c, parts->splits[0].names[i]) == unit)
			incomplete |= row && row->health.incomplete;
	}
	return run && run->health.deadlocked ? RANK_DEADLOCKED
	       : incomplete                  ? RANK_UNFINISHED
					     : RANK_RANKED;
}

/* Adds an entry for each row. Values with identical numbers in every run share one entry. */
static void answer_add_entries(struct ranking *k, const struct answer_inputs *r,
			       enum weir_traffic_unit unit, uint32_t part)
{
	const struct compare_axis *a = &r->tables[RANK_RUN].axes[r->axis[RANK_RUN]];

	k->entries = memory_zeroed(a->value_count, sizeof(*k->entries));
	for (uint32_t i = 0; i < a->value_count; i++) {
		struct rank_entry entry = { .label = answer_label(r->shown, a->values[i]),
					    .health = answer_health(r, unit, part, a->values[i]) };
		uint32_t same = 0;

		entry.is_baseline = strcmp(a->values[i], r->baseline) == 0;
		while (same < k->entry_count && strcmp(k->entries[same].label, entry.label) != 0)
			same++;
		if (same < k->entry_count) {
			k->entries[same].is_baseline |= entry.is_baseline;
			continue;
		}
		for (int n = 0; n < RANK_SOURCES; n++)
			if (k->tables[n])
				entry.rows[n] =
					answer_find_row(r, (enum rank_source)n, a->values[i], part);
		k->entries[k->entry_count++] = entry;
	}
}

static int answer_add_objective(struct ranking *k, const struct answer_inputs *r,
				const struct subject *s)
{
	const struct comparison *t = &r->tables[s->source];
	uint32_t column = 0;

	if (!k->tables[s->source])
		return 0;
	while (strcmp(t->columns[column].name, s->metric) != 0)
		column++;
	k->objectives[k->objective_count++] =
		(struct rank_objective){ s->words, s->payer, s->source, column,
					 t->columns[column].info };
	return 1;
}

/* Why an entry cannot be ranked by the goal, or RANK_RANKED. */
static enum rank_state ranking_state(const struct ranking *k, const struct rank_entry *a)
{
	const struct rank_objective *o = &k->objectives[RANK_GOAL];
	const struct compare_row *row = a->rows[o->source];

	if (a->health != RANK_RANKED)
		return a->health;
	return row && row->cells[o->column].count == row->run_count ? RANK_RANKED
								    : RANK_WITHOUT_VALUE;
}

/* Returns how many entries lack a value for no other known reason; *ranked: the number of ranked
 * entries. */
static uint32_t answer_set_states(struct ranking *k, uint32_t *ranked)
{
	uint32_t without = 0;

	*ranked = 0;
	for (uint32_t i = 0; i < k->entry_count; i++) {
		k->entries[i].state = ranking_state(k, &k->entries[i]);
		without += k->entries[i].state == RANK_WITHOUT_VALUE;
		*ranked += k->entries[i].state == RANK_RANKED;
	}
	return without;
}

/* Chooses the first goal of the unit that all runs have, else the one that most settings have. 0:
 * no run has any. */
static int answer_choose_goal(struct ranking *k, const struct answer_inputs *r,
			      enum weir_traffic_unit unit)
{
	uint32_t most = 0, ranked;
	int chosen = NONE;

	for (int i = 0; i < GOALS; i++) {
		k->objective_count = 0;
		if (goals[i].unit != unit || !answer_add_objective(k, r, &goals[i]))
			continue;
		if (answer_set_states(k, &ranked) == 0) {
			chosen = i;
			break;
		}
		if (ranked > most) {
			most = ranked;
			chosen = i;
		}
	}
	k->objective_count = 0;
	if (chosen == NONE)
		return 0;
	answer_add_objective(k, r, &goals[chosen]);
	answer_set_states(k, &ranked);
	return 1;
}

/* An objective that no ranked setting has, or that is zero everywhere, cannot tell settings
 * apart. */
static int answer_is_of_interest(const struct ranking *k, uint32_t objective)
{
	for (uint32_t i = 0; i < k->entry_count; i++) {
		const struct rank_entry *a = &k->entries[i];

		/* A comparison with NAN is false. */
		if (a->state == RANK_RANKED && ranking_value(k, a, objective) > 0)
			return 1;
	}
	return 0;
}

/* Returns 0 if no run has a goal of this unit of traffic. The caller frees pairs and entries in
 * either case. */
static int ranking_make(struct ranking *k, const struct answer_inputs *r,
			enum weir_traffic_unit unit, uint32_t part)
{
	*k = (struct ranking){ .objective_count = 0 };
	for (int n = 0; n < RANK_SOURCES; n++)
		if (r->tables[n].row_count && (n == RANK_RUN || unit == WEIR_TRAFFIC_FLOWS)) {
			k->tables[n] = &r->tables[n];
			k->pairs[n] = comparison_reference(k->tables[n], r->axis[n]);
		}
	answer_add_entries(k, r, unit, part);
	if (!answer_choose_goal(k, r, unit))
		return 0;
	for (int i = 0; i < COSTS; i++)
		if (answer_add_objective(k, r, &costs[i]) &&
		    !answer_is_of_interest(k, k->objective_count - 1))
			k->objective_count--;
	return 1;
}

/* --- answers by section --- */

/* Writes "ai, db: ", the sections of the unit, if the runs also have sections of other units. */
static int answer_list_sections(const struct comparison *c, enum weir_traffic_unit unit,
				char *where, size_t size)
{
	size_t used = 0;
	int count = 0;

	where[0] = '\0';
	for (uint32_t i = 0; i < c->section_count; i++) {
		if (answer_unit(c, c->sections[i]) != unit)
			continue;
		count++;
		if (c->section_count > 1 && used + 60 < size)
			used += (size_t)snprintf(where + used, size - used, "%s%.50s",
						 used ? ", " : "", c->sections[i]);
	}
	if (used)
		snprintf(where + used, size - used, ": ");
	return count;
}

static void answer_write_section(const struct answer_inputs *r, enum weir_traffic_unit unit,
				 uint32_t part, const char *where, const struct line_sink *sink)
{
	struct ranking k;

	if (ranking_make(&k, r, unit, part))
		answer_write_ranking(&k, where, sink);
	else if (unit != WEIR_TRAFFIC_FLOWS)
		answer_write_unknown(unit == WEIR_TRAFFIC_ROUNDS ? "round time" : "I/O time", where,
				     sink);
	for (int n = 0; n < RANK_SOURCES; n++)
		comparison_reference_free(&k.pairs[n]);
	free(k.entries);
}

static void answer_write_all(const struct answer_inputs *r, const struct line_sink *sink)
{
	static const enum weir_traffic_unit units[] = { WEIR_TRAFFIC_ROUNDS, WEIR_TRAFFIC_IOS };
	const struct comparison *parts = &r->tables[RANK_PART];
	char where[256];

	for (uint32_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (answer_list_sections(r->c, units[i], where, sizeof(where)))
			answer_write_section(r, units[i], 0, where, sink);
	for (uint32_t part = 0; parts->row_count && part < parts->part_count; part++) {
		const char *section = parts->splits[0].names[part];

		if (answer_unit(r->c, section) != WEIR_TRAFFIC_FLOWS)
			continue;
		where[0] = '\0';
		if (parts->part_count > 1)
			snprintf(where, sizeof(where), "%.80s: ", section);
		answer_write_section(r, WEIR_TRAFFIC_FLOWS, part, where, sink);
	}
}

int answer_write(const struct comparison *c, struct store *s, const char *baseline,
		 const struct line_sink *sink, struct weir_error *e)
{
	int axis = answer_axis(c), failed = 0;
	struct answer_inputs r = { .c = c };

	if (axis == NONE || c->section_count == 0)
		return 0;
	r.shown = &c->axes[axis];
	for (int n = 0; n < RANK_SOURCES && !failed; n++)
		failed = answer_make_table(&r, s, (enum rank_source)n, c->axes[axis].path, e);
	if (!failed) {
		r.baseline = answer_find_baseline(&r, axis, baseline);
		if (r.baseline)
			answer_write_all(&r, sink);
	}
	for (int n = 0; n < RANK_SOURCES; n++)
		comparison_free(&r.tables[n]);
	return failed;
}
