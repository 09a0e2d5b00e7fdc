/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_facts.c -- facts that prevent misreading a table: how many runs and flows are behind a
 * row, at which port queues were measured, and which caveats apply. */
#include "lab/analysis/compare.h"
#include "base/text.h"
#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum metric_kind column_kind(const struct compare_column *column)
{
	return column->metric >= 0 ? metric_all[column->metric].kind : METRIC_FLOW;
}

/* --- ports --- */

static const char port_setting[] = "measure.port";

static int ports_on_port(void *context, const struct stored_port *p)
{
	char **name = context;

	if (p->measured)
		*name = text_copy(p->name);
	return p->measured;
}

int comparison_ports(struct comparison *c, struct store *s, struct weir_error *e)
{
	int is_set = 1;

	c->ports = memory_zeroed(c->runs.count, sizeof(*c->ports));
	for (uint32_t i = 0; i < c->runs.count; i++) {
		const char *asked = stored_setting(&c->runs.runs[i], port_setting);

		is_set &= asked && *asked;
		if (store_each_port(s, c->runs.runs[i].id, ports_on_port, &c->ports[i], e))
			return -1;
		if (c->ports[i] && c->ports[0] && strcmp(c->ports[i], c->ports[0]) != 0)
			c->ports_differ = 1;
	}
	c->ports_differ &= !is_set;
	return 0;
}

static const char *port_of(const struct comparison *c, uint32_t run)
{
	return c->ports && c->ports[run] ? c->ports[run] : "-";
}

/* --- facts --- */

const char *fact_title(enum compare_fact fact)
{
	static const char *const titles[FACTS] = { "runs",      "flows/run", "flows ended",
						   "deadlocks", "held up",   "longest queue" };

	return titles[fact];
}

int fact_is_shown(const struct comparison *c, enum compare_fact fact)
{
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		if ((fact == FACT_RUNS && row->run_count != c->rows[0].run_count) ||
		    (fact == FACT_FLOWS && row->health.incomplete) ||
		    (fact == FACT_DEADLOCKS && row->health.deadlocked) ||
		    (fact == FACT_HELD_UP && row->health.held_up))
			return 1;
	}
	return (fact == FACT_PORT && c->ports_differ) || (fact == FACT_COUNTED && c->split_count);
}

struct compare_flows comparison_flows_of_row(const struct comparison *c,
					     const struct compare_row *row)
{
	struct compare_flows sum = { .unfinished = 0 };

	for (uint32_t i = 0; i < row->run_count; i++) {
		const struct compare_flows *one =
			&c->flows[(size_t)row->runs[i] * c->part_count + row->part];

		for (int k = 0; k < CLASSES; k++)
			sum.counted[k] += one->counted[k];
		sum.unfinished += one->unfinished;
	}
	return sum;
}

/* "118", or "118..124" if runs differ. */
static void fact_counted_text(struct compare_fact_text *t, const struct comparison *c,
			      const struct compare_row *row, enum flow_class class)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < row->run_count; i++) {
		size_t at = (size_t)row->runs[i] * c->part_count + row->part;
		uint64_t count = c->flows[at].counted[class];

		least = count < least ? count : least;
		most = count > most ? count : most;
	}
	if (least < most)
		snprintf(t->text, sizeof(t->text), "%" PRIu64 "..%" PRIu64, least, most);
	else
		snprintf(t->text, sizeof(t->text), "%" PRIu64, most);
}

struct compare_fact_text fact_text(const struct comparison *c, const struct compare_row *row,
				   enum compare_fact fact)
{
	const struct health *h = &row->health;
	struct compare_fact_text t = { "" };
	int same = 1;

	switch (fact) {
	case FACT_RUNS:
		snprintf(t.text, sizeof(t.text), "%u", row->run_count);
		break;
	case FACT_COUNTED:
		fact_counted_text(&t, c, row, CLASS_ALL);
		break;
	case FACT_FLOWS:
		snprintf(t.text, sizeof(t.text), "%.0f of %.0f", h->completed,
			 h->completed + h->unfinished);
		break;
	case FACT_DEADLOCKS:
		snprintf(t.text, sizeof(t.text), "%u of %u", h->deadlocked, h->runs);
		break;
	case FACT_HELD_UP:
		snprintf(t.text, sizeof(t.text), "%u of %u", h->held_up, h->runs);
		break;
	default:
		for (uint32_t i = 1; i < row->run_count; i++)
			same &= strcmp(port_of(c, row->runs[i]), port_of(c, row->runs[0])) == 0;
		snprintf(t.text, sizeof(t.text), "%.40s%s", port_of(c, row->runs[0]),
			 same ? "" : " and others");
	}
	return t;
}

/* --- caveats --- */

const char *cell_mark(const struct compare_row *row, const struct compare_cell *cell)
{
	if (isnan(cell->mean))
		return "";
	return cell->is_doubtful              ? "!"
	       : cell->is_even                ? "~"
	       : cell->count < row->run_count ? "*"
					      : "";
}

static int compare_has_mark(const struct comparison *c, const char *mark)
{
	for (uint32_t i = 0; i < c->row_count; i++)
		for (uint32_t k = 0; k < c->column_count; k++)
			if (strcmp(cell_mark(&c->rows[i], &c->rows[i].cells[k]), mark) == 0)
				return 1;
	return 0;
}

/* A port that differs between rows is a column; a common port is one line. */
static void caveat_port(const struct comparison *c, const struct line_sink *sink)
{
	const char *asked = stored_setting(&c->runs.runs[0], port_setting);
	char line[160];

	if (!c->ports || !c->ports[0] ||
	    (!c->ports_differ && compare_differs(&c->runs, port_setting)))
		return;
	if (c->ports_differ) {
		sink->write(sink->context, "Runs have their longest queue at different ports.");
		sink->write(sink->context, "The network queue is the mean of all switch ports.");
		return;
	}
	snprintf(line, sizeof(line), "The queue is that of %.60s%s.", c->ports[0],
		 asked && *asked ? "" : ", the longest queue of every run");
	sink->write(sink->context, line);
}

/* Names the flows that completion times cover, if rows do not, and the reason why some are omitted.
 */
static void caveat_flows(const struct comparison *c, const struct line_sink *sink)
{
	static const char *const words[CLASSES] = { "", "small ", "medium ", "large " };
	struct compare_fact_text t;
	char line[256];
	size_t used;

	if (!c->flows)
		return;
	if (c->split_count == 0 && c->section_count > 0) {
		struct compare_row all = { .run_count = c->runs.count };

		all.runs = memory_grow(NULL, c->runs.count, sizeof(*all.runs));
		for (uint32_t i = 0; i < c->runs.count; i++)
			all.runs[i] = i;
		used = (size_t)snprintf(line, sizeof(line), "Completed flows per run: ");
		for (int k = CLASS_ALL; k <= CLASS_LARGE; k++) {
			fact_counted_text(&t, c, &all, (enum flow_class)k);
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s%s",
						 k ? ", " : "", words[k], t.text);
		}
		free(all.runs);
		snprintf(line + used, sizeof(line) - used, ".");
		sink->write(sink->context, line);
	}
	if (c->has_too_few)
		sink->write(sink->context,
			    "A percentile q of n flows is shown where n (1 - q) is at least 1: "
			    "p95 needs 20, p99 100, p99.9 1,000.");
}

/* Warns that flows of several sections, hence several applications, are pooled. */
static void caveat_pooled(const struct comparison *c, const struct line_sink *sink)
{
	char line[256];
	size_t used = 0;

	for (uint32_t i = 0; i < c->split_count; i++)
		if (c->splits[i].kind == SPLIT_TRAFFIC)
			return;
	if (c->section_count < 2)
		return;
	used = (size_t)snprintf(line, sizeof(line), "Flows of ");
	for (uint32_t i = 0; i < c->section_count && used < sizeof(line) / 2; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%.40s",
					 i == 0                      ? ""
					 : i + 1 == c->section_count ? " and "
								     : ", ",
					 c->sections[i]);
	snprintf(line + used, sizeof(line) - used,
		 " are counted together; --by traffic separates them.");
	sink->write(sink->context, line);
}

/* Counts runs without completion times because their flows were not recorded. */
static void caveat_not_kept(const struct comparison *c, const struct line_sink *sink)
{
	uint32_t without = 0;
	char line[160];

	for (uint32_t i = 0; i < c->runs.count; i++) {
		const char *kept = stored_setting(&c->runs.runs[i], "measure.flows");

		without += kept && strcmp(kept, "none") == 0;
	}
	if (without == 0)
		return;
	snprintf(line, sizeof(line),
		 "Flows of %" PRIu32 " of %" PRIu32
		 " runs were not recorded (measure.flows = none).",
		 without, c->runs.count);
	sink->write(sink->context, line);
}

/* Values by an earlier definition of a metric are not shown: a changed definition must not look
 * like an effect of a setting. */
static void caveat_outdated(const struct comparison *c, const struct line_sink *sink)
{
	for (uint32_t k = 0; k < c->column_count; k++) {
		int metric = c->columns[k].metric;
		uint32_t count = 0;
		char line[256];

		for (uint32_t i = 0; metric >= 0 && i < c->runs.count; i++)
			count += c->runs.runs[i].is_outdated[metric];
		if (count == 0)
			continue;
		snprintf(line, sizeof(line),
			 "%s is omitted for %" PRIu32 " of %" PRIu32
			 " runs, which have it by an earlier version's definition; "
			 "'weir run --again' measures it again.",
			 c->columns[k].name, count, c->runs.count);
		sink->write(sink->context, line);
	}
}

void comparison_caveats(const struct comparison *c, const struct line_sink *sink)
{
	struct health all = { .runs = 0 };
	char line[256];

	caveat_port(c, sink);
	if (c->joined) {
		snprintf(line, sizeof(line), "%.180s: identical in every run.", c->joined);
		sink->write(sink->context, line);
	}
	caveat_flows(c, sink);
	caveat_pooled(c, sink);
	caveat_not_kept(c, sink);
	caveat_outdated(c, sink);
	for (uint32_t i = 0; i < c->runs.count; i++)
		health_add(&all, &c->runs.runs[i]);
	if (all.incomplete) {
		snprintf(line, sizeof(line),
			 "! unfinished flows in %u of %u runs: completion times are of completed "
			 "flows only.",
			 all.incomplete, all.runs);
		sink->write(sink->context, line);
	}
	if (all.deadlocked) {
		snprintf(line, sizeof(line), "! PFC deadlock at the end of %u of %u runs.",
			 all.deadlocked, all.runs);
		sink->write(sink->context, line);
	}
	if (all.starved) {
		snprintf(line, sizeof(line),
			 "Unlimited flows starved in %u of %u runs: less than a twentieth of "
			 "their section's mean (flows_starved).",
			 all.starved, all.runs);
		sink->write(sink->context, line);
	}
	if (all.held_up) {
		snprintf(line, sizeof(line),
			 "! %u of these runs disturbed by the machine: numbers are not reliable.",
			 all.held_up);
		sink->write(sink->context, line);
	}
	if (compare_has_mark(c, "~"))
		sink->write(sink->context,
			    "~ not significant: the 95 % confidence interval includes 1.");
	if (compare_has_mark(c, "*"))
		sink->write(sink->context,
			    "* from fewer runs than its row: the others have no value.");
}
