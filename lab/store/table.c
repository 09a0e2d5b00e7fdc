/* table.c -- one run as a table for people: what was asked, then what came out, in groups. */
#include "lab/store/results.h"
#include "lab/store/table_flows.h"
#include "sim/config/model_use.h"
#include "sim/config/tune.h"
#include "sim/traffic/traffic.h"
#include "weir/units.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 4, LABEL_WIDTH = 28, CELL_WIDTH = 12 };

/* How a cell shows its metric; BY_UNIT: as the metric's unit says. */
enum cell_form { BY_UNIT, PERCENT };

struct line {
	const char *label; /* NULL: the line names the columns */
	enum cell_form form;
	const char *cells[COLUMNS]; /* metrics, or names of columns */
};

/* Some groups say more than their lines. */
enum group_extra { NOTHING_MORE, COMPLETIONS, QUEUE_PORT, DROP_REASONS };

struct group {
	const char *title;
	enum group_extra extra;
	struct line lines[9]; /* ends with one that is all NULL */
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
		  { "waiting at a port, all ports", BY_UNIT, { "network_wait_mean_ns" } },
		  { "bytes", BY_UNIT, { "queue_mean_bytes" } },
		  { "time empty", PERCENT, { "queue_empty_fraction" } },
		  { "utilisation", PERCENT, { "utilisation" } },
		  { "packets marked", PERCENT, { "mark_fraction" } },
	  } },
	{ "Links by tier",
	  NOTHING_MORE,
	  {
		  { NULL, BY_UNIT, { "from hosts", "up", "down", "to hosts" } },
		  { "utilisation, mean",
		    PERCENT,
		    { "utilisation_from_hosts", "utilisation_up", "utilisation_down",
		      "utilisation_to_hosts" } },
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

static struct human cell_text(const struct run_result *r, const char *metric, enum cell_form form)
{
	int i = cell_metric(metric);
	struct human h = { "" };

	if (i < 0)
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

static void print_line(FILE *f, const struct line *l, const struct run_result *r)
{
	char text[LABEL_WIDTH + COLUMNS * HUMAN_SIZE + 8];
	int used = snprintf(text, sizeof(text), "  %-*s", LABEL_WIDTH, l->label ? l->label : "");
	int end = 0;

	for (int i = 0; i < COLUMNS; i++) {
		struct human cell = { "" };
		size_t length;

		if (!l->label)
			snprintf(cell.text, sizeof(cell.text), "%s",
				 l->cells[i] ? l->cells[i] : "");
		else
			cell = cell_text(r, l->cells[i], l->form);
		length = strlen(cell.text);
		if (l->label && is_doubtful(r, l->cells[i]) && length + 1 < sizeof(cell.text))
			memcpy(cell.text + length, "!", 2);
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%*s", CELL_WIDTH,
				 cell.text);
		if (cell.text[0] != '\0')
			end = used;
	}
	if (end > 0)
		fprintf(f, "%.*s\n", end, text);
}

/* Nothing of the group can be known: leave it out. */
static int group_is_empty(const struct group *g, const struct run_result *r)
{
	for (int l = 0; l < LINES && !line_is_end(&g->lines[l]); l++)
		for (int i = 0; g->lines[l].label && i < COLUMNS; i++) {
			int index = cell_metric(g->lines[l].cells[i]);

			if (index >= 0 && !isnan(r->value[index]))
				return 0;
		}
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

/* Metrics that no group names: nobody's number is lost, and a test says that there are none. */
static void print_others(FILE *f, const struct run_result *r)
{
	int begun = 0;

	for (size_t i = 0; metric_all[i].name; i++) {
		if (is_shown(metric_all[i].name))
			continue;
		fprintf(f, "%s  %-*s%*s\n", begun++ ? "" : "Other\n", LABEL_WIDTH,
			metric_all[i].name, CELL_WIDTH,
			human_quantity(r->value[i], metric_all[i].unit).text);
	}
}

/* Why flows did not end, or did not even begin. */
static void print_warnings(FILE *f, const struct config *c, const struct run_result *r)
{
	const struct network *net = &r->network;
	char src[64], dst[64];

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
	if (r->refused_settings)
		fprintf(f,
			"NOTE: %" PRIu64 " settings that %s asked for were none, and not applied\n",
			r->refused_settings, c->switches.tune);
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
	fprintf(f, "%s, %" PRIu32 " hosts; marking %s%s%s; scheduler %s; cc %s; seed %" PRIu64 "\n",
		c->network.topology, r->network.host_count, c->switches.marking,
		tune_is_on(c) ? " turned by " : "", tune_is_on(c) ? c->switches.tune : "",
		c->switches.scheduler, c->host.cc, c->seed);
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

static void print_reasons(FILE *f, const struct run_result *r)
{
	int begun = 0;

	for (uint32_t i = 0; i < r->reason_count; i++) {
		if (r->reasons[i].count == 0)
			continue;
		fprintf(f, "%s  %-*s%*s\n",
			begun++ ? "" : "Why packets were marked or dropped, whole run\n",
			LABEL_WIDTH, r->reasons[i].name, CELL_WIDTH,
			human_count((double)r->reasons[i].count).text);
	}
}

/* The last line: how long it took and how fast that was. */
static void print_pace(FILE *f, const struct run_result *r)
{
	double hops = run_metric(r, "packet_hops"), simulated = run_metric(r, "sim_seconds");

	fprintf(f, "\n%s simulated in %s; %.2f million packet-hops per second%s\n",
		human_time(simulated * WEIR_NS_PER_S).text,
		human_time(r->wall_seconds * WEIR_NS_PER_S).text,
		r->wall_seconds > 0 ? hops / r->wall_seconds / 1e6 : 0.0,
		r->partial ? "; PARTIAL" : "");
}

/* A deadlock casts doubt on all numbers, flows that did not end on these. */
static void print_completions(FILE *f, const struct config *c, const struct run_result *r)
{
	int is_doubtful = unfinished(r) > 0 || r->deadlock.circles > 0;
	struct weir_error e;
	struct flow_set set;

	if (completions_read(&set, c, r, &e) == 0 && flow_set_count(&set, CLASS_ALL, NULL) > 0)
		completions_print(f, &set, is_doubtful ? "!" : "");
	flow_set_free(&set);
}

void results_table(FILE *f, const struct config *c, const struct run_result *r)
{
	print_head(f, c, r);
	for (int g = 0; g < GROUPS; g++) {
		if (groups[g].extra == COMPLETIONS)
			print_completions(f, c, r);
		if (group_is_empty(&groups[g], r))
			continue;
		print_title(f, &groups[g], c, r);
		for (int l = 0; l < LINES && !line_is_end(&groups[g].lines[l]); l++)
			print_line(f, &groups[g].lines[l], r);
		if (groups[g].extra == DROP_REASONS)
			print_reasons(f, r);
	}
	print_others(f, r);
	print_pace(f, r);
}
