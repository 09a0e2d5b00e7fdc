/* table.c -- one run as a table for people: what was asked, then what came out, in groups. */
#define _POSIX_C_SOURCE 200809L
#include "lab/store/results.h"
#include "lab/store/table_flows.h"
#include "lab/store/table_narrow.h"
#include "sim/base/memory.h"
#include "sim/config/model_use.h"
#include "sim/config/tune.h"
#include "sim/traffic/traffic.h"
#include "weir/units.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, LABEL_WIDTH = 28, CELL_WIDTH = 12 };

/* How a cell shows its metric; BY_UNIT: as the metric's unit says; UNLESS_ZERO: so, and not at all where it is 0
 * or unknown. */
enum cell_form { BY_UNIT, PERCENT, UNLESS_ZERO };

struct line {
	const char *label; /* NULL: the line names the columns */
	enum cell_form form;
	const char *cells[COLUMNS]; /* metrics, or names of columns */
};

/* Some groups say more than their lines. */
enum group_extra { NOTHING_MORE, COMPLETIONS, QUEUE_PORT, WAIT_PORT, DROP_REASONS };

struct group {
	const char *title;
	enum group_extra extra;
	struct line lines[10]; /* ends with one that is all NULL */
};

static const struct group groups[] = {
	{ "Traffic",
	  NOTHING_MORE,
	  {
		  { "flows started", BY_UNIT, { "flows_started" } },
		  { "flows completed", BY_UNIT, { "flows_completed" } },
		  { "flows unfinished", BY_UNIT, { "flows_unfinished" } },
		  { "flows without a path", BY_UNIT, { "flows_without_path" } },
		  { "goodput", BY_UNIT, { "goodput_bps" } },
		  { "fairness (Jain)", BY_UNIT, { "jain" } },
		  { "unfair ratio", BY_UNIT, { "unfair_ratio" } },
	  } },
	{ "Flow completion", COMPLETIONS, { { NULL, BY_UNIT, { NULL } } } },
	{ "Applications",
	  NOTHING_MORE,
	  {
		  { NULL, BY_UNIT, { "a second", "p50", "p99" } },
		  { "I/Os", BY_UNIT, { "iops" } },
		  { "reads", BY_UNIT, { "read_iops", "io_read_p50_ns", "io_read_p99_ns" } },
		  { "writes", BY_UNIT, { "write_iops", "io_write_p50_ns", "io_write_p99_ns" } },
		  { "rounds", BY_UNIT, { NULL, "round_p50_ns", "round_p99_ns" } },
		  { "round, mean", BY_UNIT, { "round_mean_ns" } },
	  } },
	{ "Reward",
	  NOTHING_MORE,
	  {
		  { "ACC's, mean", BY_UNIT, { "reward" } },
	  } },
	{ "Agents",
	  NOTHING_MORE,
	  {
		  { "settings refused", UNLESS_ZERO, { "settings_refused" } },
	  } },
	{ "Queue",
	  QUEUE_PORT,
	  {
		  { NULL, BY_UNIT, { "mean", "p50", "p99", "max" } },
		  { "packets",
		    BY_UNIT,
		    { "queue_mean_pkts", "queue_p50_pkts", "queue_p99_pkts", "queue_max_pkts" } },
		  { "packets, mean of all ports",
		    BY_UNIT,
		    { "network_queue_mean_pkts", NULL, "network_queue_p99_pkts",
		      "network_queue_max_pkts" } },
		  { "packets, worst port", BY_UNIT, { NULL, NULL, "worst_queue_p99_pkts" } },
		  { "waiting at a port, all ports", BY_UNIT, { "network_wait_mean_ns" } },
		  { "bytes", BY_UNIT, { "queue_mean_bytes" } },
		  { "time empty", PERCENT, { "queue_empty_fraction" } },
		  { "utilisation", PERCENT, { "utilisation" } },
		  { "packets marked", PERCENT, { "mark_fraction" } },
	  } },
	{ "Waiting at ports, 99th percentile of packets",
	  WAIT_PORT,
	  {
		  { NULL, BY_UNIT, { "all ports", "worst port" } },
		  { "waiting", BY_UNIT, { "network_wait_p99_ns", "worst_wait_p99_ns" } },
		  { NULL, BY_UNIT, { "from hosts", "up", "down", "to hosts" } },
		  { "waiting, by tier",
		    BY_UNIT,
		    { "wait_p99_from_hosts_ns", "wait_p99_up_ns", "wait_p99_down_ns",
		      "wait_p99_to_hosts_ns" } },
	  } },
	{ "Links by tier",
	  NOTHING_MORE,
	  {
		  { NULL, BY_UNIT, { "from hosts", "up", "down", "to hosts" } },
		  { "utilisation, mean",
		    PERCENT,
		    { "utilisation_from_hosts", "utilisation_up", "utilisation_down",
		      "utilisation_to_hosts" } },
		  { "queue, p99 in packets",
		    BY_UNIT,
		    { "queue_p99_from_hosts_pkts", "queue_p99_up_pkts", "queue_p99_down_pkts",
		      "queue_p99_to_hosts_pkts" } },
		  { "marks",
		    BY_UNIT,
		    { "marks_from_hosts", "marks_up", "marks_down", "marks_to_hosts" } },
		  { "time paused",
		    PERCENT,
		    { "pause_fraction_from_hosts", "pause_fraction_up", "pause_fraction_down",
		      "pause_fraction_to_hosts" } },
	  } },
	{ "Marks and drops, whole network",
	  DROP_REASONS,
	  {
		  { "marks", BY_UNIT, { "marks" } },
		  { "drops", BY_UNIT, { "drops" } },
		  { "retransmits", BY_UNIT, { "retransmits" } },
		  { "flows affected", BY_UNIT, { "flows_affected" } },
		  { "timeouts", BY_UNIT, { "timeouts" } },
		  { "timeouts, small flows", BY_UNIT, { "timeouts_small" } },
		  { "time paused", PERCENT, { "pause_fraction" } },
		  { "pauses added up", BY_UNIT, { "pause_ns" } },
		  { "pause frames", BY_UNIT, { "pause_bps" } },
		  { "pause deadlocks", BY_UNIT, { "pfc_deadlocks" } },
	  } },
	{ "Cost",
	  NOTHING_MORE,
	  {
		  { "simulated time", BY_UNIT, { "sim_seconds" } },
		  { "packet-hops", BY_UNIT, { "packet_hops" } },
		  { "CPU time", BY_UNIT, { "cpu_seconds" } },
		  { "peak memory", BY_UNIT, { "peak_rss_bytes" } },
		  { "hops per CPU second", BY_UNIT, { "packet_hops_per_cpu_second" } },
	  } },
};

enum {
	GROUPS = sizeof(groups) / sizeof(groups[0]),
	LINES = sizeof(groups[0].lines) / sizeof(groups[0].lines[0])
};

static int line_is_end(const struct line *l)
{
	return !l->label && !l->cells[0];
}

/* Index of the metric that a cell names, -1: it names none. A name that is no metric is our mistake. */
static int cell_metric(const char *name)
{
	int i = name ? metric_index(name) : -1;

	assert(!name || i >= 0);
	return i;
}

static int is_left_out(double value, enum cell_form form)
{
	return form == UNLESS_ZERO && !(value > 0);
}

static struct human cell_text(const struct run_result *r, const char *metric, enum cell_form form)
{
	int i = cell_metric(metric);
	struct human h = { "" };

	if (i < 0 || is_left_out(r->value[i], form))
		return h;
	if (form == PERCENT)
		return human_percent(r->value[i]);
	return human_quantity(r->value[i], metric_all[i].unit);
}

/* Are completion times those of some flows only? */
static double unfinished(const struct run_result *r)
{
	return run_metric(r, "flows_unfinished");
}

/* Numbers that say nothing of flows that did not end, or of links that are stuck. */
static int is_doubtful(const struct run_result *r, const char *metric)
{
	int i = cell_metric(metric);

	return i >= 0 && !isnan(r->value[i]) &&
	       ((unfinished(r) > 0 && metric_all[i].kind == METRIC_FLOW) ||
		(r->deadlock.circles && metric_all[i].kind != METRIC_COST));
}

static struct human doubtful_cell(const struct line *l, int i, const struct run_result *r)
{
	struct human cell = cell_text(r, l->cells[i], l->form);
	size_t length = strlen(cell.text);

	if (is_doubtful(r, l->cells[i]) && length + 1 < sizeof(cell.text))
		memcpy(cell.text + length, "!", 2);
	return cell;
}

/* On a narrow screen: a value beside its label, or several below it, each with the name of its column. titles: the
 * line of the group that names them. */
static void print_narrow_line(FILE *f, const struct line *l, const struct line *titles,
			      const struct run_result *r, int width)
{
	struct narrow n = { .f = f, .width = width };

	narrow_label(&n, l->label);
	for (int i = 0; i < COLUMNS; i++) {
		struct human cell = doubtful_cell(l, i, r);

		if (cell.text[0] != '\0')
			narrow_cell(&n, titles ? titles->cells[i] : NULL, cell.text);
	}
	narrow_end(&n);
}

static void print_line(FILE *f, const struct line *l, const struct run_result *r)
{
	char text[LABEL_WIDTH + COLUMNS * HUMAN_SIZE + 8];
	int used = snprintf(text, sizeof(text), "  %-*s", LABEL_WIDTH, l->label ? l->label : "");
	int end = 0;

	for (int i = 0; i < COLUMNS; i++) {
		struct human cell = { "" };

		if (!l->label)
			snprintf(cell.text, sizeof(cell.text), "%s",
				 l->cells[i] ? l->cells[i] : "");
		else
			cell = doubtful_cell(l, i, r);
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%*s", CELL_WIDTH,
				 cell.text);
		if (cell.text[0] != '\0')
			end = used;
	}
	if (end > 0)
		fprintf(f, "%.*s\n", end, text);
}

/* A line that names metrics, none of which can be known. */
static int line_is_empty(const struct line *l, const struct run_result *r)
{
	for (int i = 0; i < COLUMNS; i++) {
		int index = l->label ? cell_metric(l->cells[i]) : -1;

		if (index >= 0 && !isnan(r->value[index]) && !is_left_out(r->value[index], l->form))
			return 0;
	}
	return 1;
}

/* Nothing of the group can be known: leave it out. */
static int group_is_empty(const struct group *g, const struct run_result *r)
{
	for (int l = 0; l < LINES && !line_is_end(&g->lines[l]); l++)
		if (!line_is_empty(&g->lines[l], r))
			return 0;
	return 1;
}

static int is_shown(const char *metric)
{
	struct flow_metric of_flows;

	if (flow_metric_find(metric, &of_flows))
		return 1; /* among the completions */
	for (int g = 0; g < GROUPS; g++)
		for (int l = 0; l < LINES; l++)
			for (int i = 0; i < COLUMNS; i++)
				if (groups[g].lines[l].cells[i] &&
				    strcmp(groups[g].lines[l].cells[i], metric) == 0)
					return 1;
	return 0;
}

/* A label and its one value. */
static void print_value(FILE *f, const char *label, const char *value, int width)
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

/* Metrics that no group names: nobody's number is lost, and a test says that there are none. */
static void print_others(FILE *f, const struct run_result *r, int width)
{
	int begun = 0;

	for (size_t i = 0; metric_all[i].name; i++) {
		if (is_shown(metric_all[i].name))
			continue;
		fputs(begun++ ? "" : "Other\n", f);
		print_value(f, metric_all[i].name,
			    human_quantity(r->value[i], metric_all[i].unit).text, width);
	}
}

/* Why flows did not end, or did not even begin. */
static void print_warnings(FILE *f, const struct config *c, const struct run_result *r)
{
	const struct network *net = &r->network;
	char src[64], dst[64];

	if (r->held_up[0])
		fprintf(f, "HELD UP: %s; these numbers are not to be trusted.\n", r->held_up);
	if (unfinished(r) > 0)
		fprintf(f,
			"INCOMPLETE: %s of %s flows did not end; "
			"completion times (!) are of the others.\n",
			human_count(unfinished(r)).text,
			human_count(unfinished(r) + run_metric(r, "flows_completed")).text);
	if (r->partition.flows)
		fprintf(f, "NO PATH: from %s to %s since %s; %" PRIu32 " flow%s cannot end\n",
			node_name(net, net->host_node[r->partition.src], src, sizeof(src)),
			node_name(net, net->host_node[r->partition.dst], dst, sizeof(dst)),
			human_time((double)r->partition.since_ps / WEIR_PS_PER_NS).text,
			r->partition.flows, r->partition.flows == 1 ? "" : "s");
	if (run_metric(r, "settings_refused") > 0)
		fprintf(f,
			"NOTE: %.0f settings that %s asked for are outside the limits, and were "
			"not "
			"applied\n",
			run_metric(r, "settings_refused"), c->switches.tune);
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (traffic_is_late(r->flows, r->flow_count, i, c))
			fprintf(f,
				"NOTE: traffic %s: none of its flows started before measure.to\n",
				c->traffic[i].name);
}

/* The networks that schemes of the run worked with. */
static void print_models(FILE *f, const struct config *c)
{
	struct model_use use;

	for (uint32_t i = 0; model_use_at(c, i, &use); i++)
		if (use.model)
			fprintf(f, "model of %s: %s, digest %s\n", use.path, use.model->policy.name,
				use.model->digest.text);
}

/* Sections may have controls of their own; host.cc is that of the others. */
static void print_controls(FILE *f, const struct config *c)
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

static void print_head(FILE *f, const struct config *c, const struct run_result *r)
{
	if (r->partial)
		fprintf(f, "PARTIAL: stopped early (interrupted, or "
			   "measure.drain was over); the numbers end there.\n");
	if (r->deadlock.circles)
		fprintf(f,
			"DEADLOCK: since %s links wait for each other's pauses of class %" PRIu32
			" to end: %s%s\n",
			human_time((double)r->deadlock.since_ps / WEIR_PS_PER_NS).text,
			r->deadlock.class_id, r->deadlock.text,
			r->deadlock.circles > 1 ? ", and others" : "");
	print_warnings(f, c, r);
	if (c->title[0] != '\0')
		fprintf(f, "%s\n", c->title);
	fprintf(f, "%s, %" PRIu32 " hosts; marking %s", c->network.topology, r->network.host_count,
		c->switches.marking);
	for (uint32_t i = 0; i < c->switches.markings.count; i++)
		fprintf(f, ", %s", c->switches.markings.lines[i].text);
	fprintf(f, "%s%s; scheduler %s; ", tune_is_on(c) ? " turned by " : "",
		tune_is_on(c) ? c->switches.tune : "", c->switches.scheduler);
	print_controls(f, c);
	fprintf(f, "; seed %" PRIu64 "\n", c->seed);
	print_models(f, c);
	fputc('\n', f);
}

static void print_title(FILE *f, const struct group *g, const struct config *c,
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

/* Where the largest p99 of a group is. */
static void print_worst(FILE *f, const struct group *g, const struct run_result *r)
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

static void print_reasons(FILE *f, const struct run_result *r, int width)
{
	int begun = 0;

	for (uint32_t i = 0; i < r->reason_count; i++) {
		if (r->reasons[i].count == 0)
			continue;
		fputs(begun++ ? "" : "Why packets were marked or dropped, whole run\n", f);
		print_value(f, r->reasons[i].name, human_count((double)r->reasons[i].count).text,
			    width);
	}
}

/* The last line: how long it took and how fast that was. */
static void print_pace(FILE *f, const struct run_result *r)
{
	double hops = run_metric(r, "packet_hops"), simulated = run_metric(r, "sim_seconds");

	if (isnan(hops)) { /* of real packets */
		fprintf(f, "\n%s of real time\n", human_duration(simulated).text);
		return;
	}
	fprintf(f, "\n%s simulated in %s; %.2f million packet-hops per second%s\n",
		human_time(simulated * WEIR_NS_PER_S).text,
		human_time(r->wall_seconds * WEIR_NS_PER_S).text,
		r->wall_seconds > 0 ? hops / r->wall_seconds / 1e6 : 0.0,
		r->partial ? "; PARTIAL" : "");
}

/* A deadlock casts doubt on all numbers, flows that did not end on these. */
static void print_completions(FILE *f, const struct config *c, const struct run_result *r,
			      int width)
{
	int is_doubtful = unfinished(r) > 0 || r->deadlock.circles > 0;
	struct weir_error e;
	struct flow_set set;

	if (completions_read(&set, c, r, &e) == 0 && flow_set_count(&set, CLASS_ALL, NULL) > 0)
		completions_print(f, &set, is_doubtful ? "!" : "", width);
	flow_set_free(&set);
}

static void print_group(FILE *f, const struct group *g, const struct run_result *r, int width)
{
	const struct line *titles = NULL;

	for (int l = 0; l < LINES && !line_is_end(&g->lines[l]); l++) {
		if (g->lines[l].label && line_is_empty(&g->lines[l], r))
			continue;
		if (width >= TABLE_WIDTH)
			print_line(f, &g->lines[l], r);
		else if (g->lines[l].label)
			print_narrow_line(f, &g->lines[l], titles, r, width);
		else
			titles = &g->lines[l];
	}
}

static void print_all(FILE *f, const struct config *c, const struct run_result *r, int width)
{
	print_head(f, c, r);
	for (int g = 0; g < GROUPS; g++) {
		if (groups[g].extra == COMPLETIONS)
			print_completions(f, c, r, width);
		if (group_is_empty(&groups[g], r))
			continue;
		print_title(f, &groups[g], c, r);
		print_group(f, &groups[g], r, width);
		print_worst(f, &groups[g], r);
		if (groups[g].extra == DROP_REASONS)
			print_reasons(f, r, width);
	}
	print_others(f, r, width);
	print_pace(f, r);
}

/* Sentences of a narrow table are folded when all of it is there. */
void results_table(FILE *f, const struct config *c, const struct run_result *r, int width)
{
	char *text;
	size_t size;
	FILE *stream;

	if (width >= TABLE_WIDTH) {
		print_all(f, c, r, width);
		return;
	}
	stream = open_memstream(&text, &size);
	if (!stream)
		memory_refused(size);
	print_all(stream, c, r, width);
	fclose(stream);
	narrow_fold(f, text, width);
	free(text);
}
