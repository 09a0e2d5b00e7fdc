/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c -- the table of one run: its settings, then its metrics in groups. */
#define _POSIX_C_SOURCE 200809L
#include "lab/store/results.h"
#include "lab/store/table_parts.h"
#include "base/memory.h"
#include "config/model.h"
#include "config/schemes.h"
#include "sim/traffic/traffic.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, LABEL_WIDTH = 28, CELL_WIDTH = 12 };

/* Additional lines of some groups. */
enum group_extra { NOTHING_MORE, COMPLETIONS, QUEUE_PORT, WAIT_PORT, DROP_REASONS };

/* The rows of a group are derived from metric_all: metrics of the group with the same row are its
 * cells. */
static const struct group {
	const char *title;
	enum group_extra extra;
	const char *columns[COLUMNS]; /* titles of the cells; all NULL: rows have one value */
} groups[METRIC_GROUPS] = {
	[METRIC_TRAFFIC] = { "Traffic", .columns = { NULL } },
	[METRIC_COMPLETION] = { "Flow completion", COMPLETIONS, { NULL } },
	[METRIC_APPLICATIONS] = { "Applications", .columns = { "a second", "p50", "p99", "mean" } },
	[METRIC_AGENTS] = { "Agents", .columns = { NULL } },
	[METRIC_QUEUE] = { "Queue", QUEUE_PORT, { "mean", "p50", "p99", "max" } },
	[METRIC_WAITING] = { "Sojourn time at ports, 99th percentile",
			     WAIT_PORT,
			     { "all ports", "worst port" } },
	[METRIC_BY_TIER] = { "Links by tier",
			     .columns = { "from hosts", "up", "down", "to hosts" } },
	[METRIC_LOSSES] = { "Marks and drops, whole network", DROP_REASONS, { NULL } },
	[METRIC_COSTS] = { "Cost", .columns = { NULL } },
};

/* A row: the metrics of its cells; -1: empty cell. */
struct line {
	const char *label;
	int cells[COLUMNS];
};

/* --- rows of narrow terminals --- */

enum { LABEL_INDENT = 2, CELL_INDENT = 4, GAP = 2 };

void narrow_label(struct narrow *n, const char *label)
{
	n->label = label;
	n->cells = 0;
	n->at = 0;
}

/* Adds "mean 67.48" to the line below the label, or to a new line if it does not fit. */
static void narrow_put(struct narrow *n, const char *title, const char *text)
{
	int length = (int)(strlen(title) + 1 + strlen(text));

	if (n->at > 0 && n->at + GAP + length <= n->width) {
		n->at += fprintf(n->f, "%*s%s %s", GAP, "", title, text);
		return;
	}
	n->at = fprintf(n->f, "%s%*s%s %s", n->at ? "\n" : "", CELL_INDENT, "", title, text) -
		(n->at > 0);
}

/* The first cell is kept back: an only cell is printed beside the label. */
void narrow_cell(struct narrow *n, const char *title, const char *text)
{
	if (n->cells++ == 0) {
		snprintf(n->first, sizeof(n->first), "%s", text);
		snprintf(n->first_title, sizeof(n->first_title), "%s", title ? title : "");
		return;
	}
	if (n->cells == 2) {
		fprintf(n->f, "%*s%s\n", LABEL_INDENT, "", n->label);
		narrow_put(n, n->first_title, n->first);
	}
	narrow_put(n, title ? title : "", text);
}

void narrow_end(struct narrow *n)
{
	int label = LABEL_INDENT + (int)strlen(n->label), room = n->width - label;

	if (n->cells == 0)
		return;
	if (n->cells > 1)
		fputc('\n', n->f);
	else if (room > (int)strlen(n->first))
		fprintf(n->f, "%*s%s%*s\n", LABEL_INDENT, "", n->label, room, n->first);
	else
		fprintf(n->f, "%*s%s\n%*s\n", LABEL_INDENT, "", n->label, n->width, n->first);
}

static void narrow_fold_line(FILE *f, const char *line, int length, int width)
{
	int indent = (int)strspn(line, " "), at = indent;
	const char *end = line + length;

	if (length <= width) {
		fprintf(f, "%.*s\n", length, line);
		return;
	}
	fprintf(f, "%*s", indent, "");
	for (line += indent; line < end; line += strspn(line, " ")) {
		int word = (int)strcspn(line, " \n");

		if (at > indent && at + 1 + word > width) {
			fprintf(f, "\n%*s", indent, "");
			at = indent;
		}
		at += fprintf(f, "%s%.*s", at > indent ? " " : "", word, line);
		line += word;
	}
	fputc('\n', f);
}

/* Wraps longer lines, with the indent of the line. */
static void narrow_fold(FILE *f, const char *text, int width)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		narrow_fold_line(f, text, (int)length, width);
		text += length;
		text += *text == '\n';
	}
}

/* --- rows and cells --- */

/* Makes the row whose first metric this is. 0: an earlier metric made it, or the metric has no
 * row. */
static int line_init(struct line *l, enum metric_group group, int metric)
{
	const struct metric *m = &metric_all[metric];

	if (m->group != group || !m->row)
		return 0;
	for (int i = 0; i < metric; i++)
		if (metric_all[i].group == group && metric_all[i].row &&
		    strcmp(metric_all[i].row, m->row) == 0)
			return 0;
	*l = (struct line){ m->row, { -1, -1, -1, -1 } };
	for (int i = metric; metric_all[i].name; i++)
		if (metric_all[i].group == group && metric_all[i].row &&
		    strcmp(metric_all[i].row, m->row) == 0)
			l->cells[metric_all[i].column] = i;
	return 1;
}

/* Is the value unknown, or a count shown only if it is not 0? */
static int metric_is_omitted(const struct run_result *r, int metric)
{
	return metric < 0 || isnan(r->value[metric]) ||
	       (metric_all[metric].form == METRIC_UNLESS_ZERO && !(r->value[metric] > 0));
}

static struct format_text metric_cell(const struct run_result *r, int metric)
{
	if (metric < 0 ||
	    (metric_all[metric].form == METRIC_UNLESS_ZERO && !(r->value[metric] > 0)))
		return (struct format_text){ "" };
	if (metric_all[metric].form == METRIC_PERCENT)
		return format_percent(r->value[metric]);
	return format_quantity(r->value[metric], metric_all[metric].unit);
}

/* Number of unfinished flows. */
static double run_unfinished(const struct run_result *r)
{
	return run_metric(r, "flows_unfinished");
}

/* Do unfinished flows or a PFC deadlock affect the metric? */
static int metric_is_doubtful(const struct run_result *r, int metric)
{
	return metric >= 0 && !isnan(r->value[metric]) &&
	       ((run_unfinished(r) > 0 && metric_all[metric].kind == METRIC_FLOW) ||
		(r->deadlock.cycles && metric_all[metric].kind != METRIC_COST));
}

static struct format_text metric_cell_marked(const struct run_result *r, int metric)
{
	struct format_text cell = metric_cell(r, metric);
	size_t length = strlen(cell.text);

	if (metric_is_doubtful(r, metric) && length + 1 < sizeof(cell.text))
		memcpy(cell.text + length, "!", 2);
	return cell;
}

/* On a narrow terminal: one value beside its label, or several below it, each with its column's
 * title. */
static void results_print_narrow_line(FILE *f, const struct group *g, const struct line *l,
				      const struct run_result *r, int width)
{
	struct narrow n = { .f = f, .width = width };

	narrow_label(&n, l->label);
	for (int i = 0; i < COLUMNS; i++) {
		struct format_text cell = metric_cell_marked(r, l->cells[i]);

		if (cell.text[0] != '\0')
			narrow_cell(&n, g->columns[i], cell.text);
	}
	narrow_end(&n);
}

/* Prints the cells of a line, right-aligned; nothing if all are empty. */
static void results_print_cells(FILE *f, const char *label, const struct format_text cells[COLUMNS])
{
	char text[LABEL_WIDTH + COLUMNS * FORMAT_TEXT_SIZE + 8];
	int used = snprintf(text, sizeof(text), "  %-*s", LABEL_WIDTH, label), end = 0;

	for (int i = 0; i < COLUMNS; i++) {
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%*s", CELL_WIDTH,
				 cells[i].text);
		if (cells[i].text[0] != '\0')
			end = used;
	}
	if (end > 0)
		fprintf(f, "%.*s\n", end, text);
}

/* No metric of the group is known: the group is omitted. */
static int group_is_empty(enum metric_group group, const struct run_result *r)
{
	for (int i = 0; metric_all[i].name; i++)
		if (metric_all[i].group == group && metric_all[i].row && !metric_is_omitted(r, i))
			return 0;
	return 1;
}

static void results_print_value(FILE *f, const char *label, const char *value, int width)
{
	struct narrow n = { .f = f, .width = width };

	if (width >= TABLE_WIDTH) {
		fprintf(f, "  %-*s%*s\n", LABEL_WIDTH, label, CELL_WIDTH, value);
		return;
	}
	narrow_label(&n, label);
	narrow_cell(&n, NULL, value);
	narrow_end(&n);
}

/* Explains why flows did not complete, or did not start. */
static void results_print_warnings(FILE *f, const struct config *c, const struct run_result *r)
{
	const struct network *net = &r->network;
	char src[64], dst[64];

	if (r->held_up[0])
		fprintf(f, "DISTURBED: %s; the numbers are not reliable.\n", r->held_up);
	if (run_unfinished(r) > 0)
		fprintf(f,
			"INCOMPLETE: %s of %s flows are unfinished; completion times (!) are of "
			"completed flows only.\n",
			format_count(run_unfinished(r)).text,
			format_count(run_unfinished(r) + run_metric(r, "flows_completed")).text);
	if (run_metric(r, "jobs_unfinished") > 0)
		fprintf(f,
			"INCOMPLETE: %.0f job(s) did not end all rounds; times are of rounds that "
			"ended at all ranks.\n",
			run_metric(r, "jobs_unfinished"));
	if (run_metric(r, "flows_starved") > 0)
		fprintf(f,
			"STARVED: %.0f unlimited flows had less than a twentieth of the mean "
			"goodput of their section.%s\n",
			run_metric(r, "flows_starved"),
			c->host.jitter_ps == 0 ? " With host.jitter = 0ns that may be a phase "
						 "effect of hosts in lockstep."
					       : "");
	if (r->partition.flows)
		fprintf(f,
			"NO PATH: from %s to %s since %s; %" PRIu32 " flow%s cannot "
			"complete\n",
			node_name(net, net->host_node[r->partition.src], src, sizeof(src)),
			node_name(net, net->host_node[r->partition.dst], dst, sizeof(dst)),
			format_time((double)r->partition.since_ps / WEIR_PS_PER_NS).text,
			r->partition.flows, r->partition.flows == 1 ? "" : "s");
	if (run_metric(r, "settings_refused") > 0)
		fprintf(f,
			"NOTE: %.0f settings requested by %s were refused because they are "
			"outside the limits\n",
			run_metric(r, "settings_refused"), c->switches.tune);
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (traffic_is_late(r->flows, r->flow_count, i, c))
			fprintf(f,
				"NOTE: traffic %s: none of its flows started before measure.to\n",
				c->traffic[i].name);
}

/* The neural networks that schemes of the run used. */
static void results_print_models(FILE *f, const struct config *c)
{
	struct model_use use;

	for (uint32_t i = 0; model_use_at(c, i, &use); i++)
		if (use.model)
			fprintf(f, "model of %s: %s, digest %s\n", use.path, use.model->policy.name,
				use.model->digest.text);
}

/* Sections may have their own congestion control; host.cc is that of the others. */
static void results_print_controls(FILE *f, const struct config *c)
{
	uint32_t own = 0;

	for (uint32_t i = 0; i < c->traffic_count; i++)
		own += c->traffic[i].cc[0] != '\0';
	fputs("cc ", f);
	if (own < c->traffic_count || own == 0)
		fprintf(f, "%s%s", c->host.cc, own ? ", " : "");
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (c->traffic[i].cc[0] != '\0')
			fprintf(f, "%s %s%s", c->traffic[i].name, c->traffic[i].cc,
				--own ? ", " : "");
}

static void results_print_head(FILE *f, const struct config *c, const struct run_result *r)
{
	if (r->partial)
		fprintf(f, "PARTIAL: stopped early (interrupted, or measure.drain expired); the "
			   "numbers end there.\n");
	if (r->deadlock.cycles)
		fprintf(f,
			"PFC DEADLOCK: since %s, cyclic pause of class %" PRIu32 " to end: %s%s\n",
			format_time((double)r->deadlock.since_ps / WEIR_PS_PER_NS).text,
			r->deadlock.class_id, r->deadlock.text,
			r->deadlock.cycles > 1 ? ", and others" : "");
	results_print_warnings(f, c, r);
	if (c->title[0] != '\0')
		fprintf(f, "%s\n", c->title);
	fprintf(f, "%s, %" PRIu32 " hosts; marking %s", c->network.topology, r->network.host_count,
		c->switches.marking);
	for (uint32_t i = 0; i < c->switches.markings.count; i++)
		fprintf(f, ", %s", c->switches.markings.lines[i].text);
	fprintf(f, "%s%s; scheduler %s; ", tune_is_on(c) ? " turned by " : "",
		tune_is_on(c) ? c->switches.tune : "", c->switches.scheduler);
	results_print_controls(f, c);
	fprintf(f, "; seed %" PRIu64 "\n", c->seed);
	results_print_models(f, c);
	fputc('\n', f);
}

static void results_print_title(FILE *f, const struct group *g, const struct config *c,
				const struct run_result *r)
{
	char name[128];

	fputs(g->title, f);
	if (g->extra == QUEUE_PORT && r->port_count > 0)
		fprintf(f, " at %s%s",
			link_name(&r->network, r->ports[r->measured_port].link, name, sizeof(name)),
			c->measure.port[0] ? "" : ", the longest of the network");
	fputc('\n', f);
}

/* The port with the largest p99 of a group. */
static void results_print_worst(FILE *f, const struct group *g, const struct run_result *r)
{
	int is_queue = g->extra == QUEUE_PORT;
	uint32_t port = is_queue ? r->worst_queue_port : r->worst_wait_port;
	char name[128];

	if ((!is_queue && g->extra != WAIT_PORT) || r->port_count == 0)
		return;
	if (run_metric(r, is_queue ? "worst_queue_p99_pkts" : "worst_wait_p99_ns") > 0)
		fprintf(f, "  the worst port by p99 is %s\n",
			link_name(&r->network, r->ports[port].link, name, sizeof(name)));
}

static void results_print_reasons(FILE *f, const struct run_result *r, int width)
{
	int begun = 0;

	for (uint32_t i = 0; i < r->reason_count; i++) {
		if (r->reasons[i].count == 0)
			continue;
		fputs(begun++ ? "" : "Marks and drops by reason, whole run\n", f);
		results_print_value(f, r->reasons[i].name,
				    format_count((double)r->reasons[i].count).text, width);
	}
}

/* The last line: wall time and speed of the run. */
static void results_print_speed(FILE *f, const struct run_result *r)
{
	double hops = run_metric(r, "packet_hops"), simulated = run_metric(r, "sim_seconds");

	if (isnan(hops)) { /* a run with real packets */
		fprintf(f,
			"\n"
			"%s of real time\n",
			format_duration(simulated).text);
		return;
	}
	fprintf(f, "\n%s simulated in %s; %.2f million packet-hops per second%s\n",
		format_time(simulated * WEIR_NS_PER_S).text,
		format_time(r->wall_seconds * WEIR_NS_PER_S).text,
		r->wall_seconds > 0 ? hops / r->wall_seconds / 1e6 : 0.0,
		r->partial ? "; PARTIAL" : "");
}

/* "!": a deadlock makes all numbers doubtful; unfinished flows make completion times doubtful. */
static void results_print_completions(FILE *f, const struct config *c, const struct run_result *r,
				      int width)
{
	int metric_is_doubtful = run_unfinished(r) > 0 || r->deadlock.cycles > 0;
	struct weir_error e;
	struct flow_set set;

	if (completions_read(&set, c, r, &e) == 0 && flow_set_count(&set, CLASS_ALL, NULL) > 0)
		completions_print(f, &set, metric_is_doubtful ? "!" : "", width);
	flow_set_free(&set);
}

static void results_print_group(FILE *f, enum metric_group group, const struct run_result *r,
				int width)
{
	const struct group *g = &groups[group];
	struct format_text cells[COLUMNS] = { { "" } };
	struct line line;

	for (int k = 0; k < COLUMNS; k++)
		if (g->columns[k])
			snprintf(cells[k].text, sizeof(cells[k].text), "%s", g->columns[k]);
	if (width >= TABLE_WIDTH)
		results_print_cells(f, "", cells);
	for (int i = 0; metric_all[i].name; i++) {
		int known = 0;

		if (!line_init(&line, group, i))
			continue;
		for (int k = 0; k < COLUMNS; k++) {
			cells[k] = metric_cell_marked(r, line.cells[k]);
			known += !metric_is_omitted(r, line.cells[k]);
		}
		if (known && width >= TABLE_WIDTH)
			results_print_cells(f, line.label, cells);
		else if (known)
			results_print_narrow_line(f, g, &line, r, width);
	}
}

static void results_print_all(FILE *f, const struct config *c, const struct run_result *r,
			      int width)
{
	results_print_head(f, c, r);
	for (int i = 0; i < METRIC_GROUPS; i++) {
		const struct group *g = &groups[i];

		if (g->extra == COMPLETIONS)
			results_print_completions(f, c, r, width);
		if (group_is_empty((enum metric_group)i, r))
			continue;
		results_print_title(f, g, c, r);
		results_print_group(f, (enum metric_group)i, r, width);
		results_print_worst(f, g, r);
		if (g->extra == DROP_REASONS)
			results_print_reasons(f, r, width);
	}
	results_print_speed(f, r);
}

/* A narrow table is printed to memory first, then its sentences are wrapped. */
void results_table(FILE *f, const struct config *c, const struct run_result *r, int width)
{
	char *text;
	size_t size;
	FILE *stream;

	if (width >= TABLE_WIDTH) {
		results_print_all(f, c, r, width);
		return;
	}
	stream = open_memstream(&text, &size);
	if (!stream)
		memory_refused(size);
	results_print_all(stream, c, r, width);
	fclose(stream);
	narrow_fold(f, text, width);
	free(text);
}
