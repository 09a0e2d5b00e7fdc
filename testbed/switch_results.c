/* SPDX-License-Identifier: BSD-3-Clause */
/* switch_results.c -- converts what a switch counted into results of a run. Contract in
 * testbed.h. */
#define _GNU_SOURCE
#include "testbed/testbed.h"
#include "base/text.h"
#include "lab/scenario/scenario.h"
#include "lab/store/results.h"
#include "lab/store/store.h"
#include "base/memory.h"
#include "weir/units.h"
#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SWITCH_NAME "sw"

/* --- ports --- */

/* A network of the switch and its neighbours, which supplies port names: "sw->b". */
static void results_make_network(const struct switch_settings *s, struct network *net)
{
	uint32_t ports = s->port_count;

	*net = (struct network){
		.node_count = ports + 1, .switch_count = 1, .host_count = ports, .link_count = ports
	};
	net->nodes = memory_zeroed(ports + UINT64_C(1), sizeof(*net->nodes));
	net->links = memory_zeroed(ports, sizeof(*net->links));
	net->node_names = memory_zeroed(ports + UINT64_C(1), sizeof(*net->node_names));
	net->node_names[ports] = text_copy(SWITCH_NAME);
	net->nodes[ports].kind = NODE_SWITCH;
	net->nodes[ports].link_count = ports;
	for (uint32_t i = 0; i < ports; i++) {
		net->node_names[i] = text_copy(s->ports[i].name);
		net->links[i] = (struct net_link){ .from = ports,
						   .to = i,
						   .rate_bps = s->ports[i].rate_bps,
						   .delay_ps = (int64_t)s->ports[i].delay_ps,
						   .fails_ps = WEIR_TIME_NEVER_PS };
	}
}

static double results_measured_ps(const struct loop *l, uint32_t port)
{
	return (double)(plane_now_ps(loop_plane(l, port)) - loop_port(l, port)->since.time_ps);
}

static struct port_result results_port(struct loop *l, uint32_t i)
{
	const struct plane_port *p = loop_port(l, i);
	double time_ps = results_measured_ps(l, i);
	struct port_result r = {
		.link = i,
		.tx_pkts = p->port->tx_pkts - p->since.tx_pkts,
		.tx_bytes = p->port->tx_bytes - p->since.tx_bytes,
		.marks = plane_marks(p) - p->since.marks,
		.drops = plane_drops(p) - p->since.drops,
		.queue_max_pkts = p->stats.max_pkts,
	};

	if (time_ps > 0) {
		r.queue_mean_bytes = (double)p->stats.bytes_ps / time_ps;
		r.queue_mean_pkts = (double)weir_port_stats_pkts_ps(&p->stats) / time_ps;
	}
	return r;
}

static void results_list_ports(struct loop *l, struct run_result *r)
{
	r->port_count = l->settings->port_count;
	r->ports = memory_zeroed(r->port_count, sizeof(*r->ports));
	for (uint32_t i = 0; i < r->port_count; i++) {
		r->ports[i] = results_port(l, i);
		if (r->ports[i].queue_mean_bytes > r->ports[r->measured_port].queue_mean_bytes)
			r->measured_port = i;
	}
}

/* --- metrics --- */

static void results_set_metric(struct run_result *r, const char *metric, double value)
{
	int i = metric_index(metric);

	assert(i >= 0);
	r->value[i] = value;
}

/* Metrics of the measured port. */
static void results_port_metrics(struct loop *l, struct run_result *r)
{
	const struct plane_port *p = loop_port(l, r->measured_port);
	const struct port_result *m = &r->ports[r->measured_port];
	double time_ps = results_measured_ps(l, r->measured_port);
	double wire_bytes = (double)m->tx_bytes + (double)m->tx_pkts * p->class.overhead_bytes;

	results_set_metric(r, "queue_mean_bytes", m->queue_mean_bytes);
	results_set_metric(r, "queue_mean_pkts", m->queue_mean_pkts);
	results_set_metric(r, "queue_max_pkts", m->queue_max_pkts);
	results_set_metric(r, "queue_p50_pkts", weir_port_stats_quantile(&p->stats, 0.5));
	results_set_metric(r, "queue_p99_pkts", weir_port_stats_quantile(&p->stats, 0.99));
	if (time_ps <= 0)
		return;
	results_set_metric(r, "queue_empty_fraction", (double)p->stats.bucket_ps[0] / time_ps);
	results_set_metric(r, "utilisation",
			   weir_bytes_to_bits(wire_bytes) / ((double)p->port->kind->rate_bps *
							     time_ps / (double)WEIR_PS_PER_S));
}

/* CPU time of this process. */
static double results_cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void results_all_metrics(struct loop *l, struct run_result *r)
{
	double queues = 0, longest = 0, marks = 0, drops = 0;

	for (uint32_t i = 0; i < r->port_count; i++) {
		const struct port_result *p = &r->ports[i];

		queues += p->queue_mean_pkts;
		if (p->queue_max_pkts > longest)
			longest = p->queue_max_pkts;
		marks += (double)p->marks;
		drops += (double)p->drops;
	}
	results_set_metric(r, "network_queue_mean_pkts", queues / r->port_count);
	results_set_metric(r, "network_queue_max_pkts", longest);
	results_set_metric(r, "marks", marks);
	results_set_metric(r, "drops", drops);
	results_set_metric(r, "sim_seconds", weir_ps_to_s(loop_done_ps(l)));
	results_set_metric(r, "cpu_seconds", results_cpu_seconds());
	r->wall_seconds = weir_ps_to_s(loop_done_ps(l));
}

/* --- reasons --- */

static void results_add_reason(struct run_result *r, const char *name, uint64_t count, int is_mark)
{
	uint32_t i = 0;

	while (i < r->reason_count &&
	       (r->reasons[i].is_mark != is_mark || strcmp(r->reasons[i].name, name) != 0))
		i++;
	if (i == sizeof(r->reasons) / sizeof(r->reasons[0]))
		return;
	if (i == r->reason_count)
		r->reasons[r->reason_count++] = (struct reason_count){ name, 0, is_mark };
	r->reasons[i].count += count;
}

/* Reasons of drops and marks over the whole run, including frames rejected before any port and
 * frames lost in receive rings. */
static void results_list_reasons(struct loop *l, struct run_result *r)
{
	for (uint32_t i = 0; i < l->settings->port_count; i++) {
		const struct plane_port *p = loop_port(l, i);

		for (uint32_t k = 0; k < WEIR_MARK_REASONS; k++)
			if (p->port->kind->mark->reasons[k])
				results_add_reason(r, p->port->kind->mark->reasons[k],
						   p->port->cold->marks[k], 1);
		for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
			results_add_reason(r, weir_port_drop_names[k], p->port->cold->drops[k], 0);
		for (uint32_t k = 0; k < PLANE_FAULTS; k++)
			results_add_reason(r, plane_fault_names[k],
					   loop_faults(l, i, (enum plane_fault)k), 0);
		results_add_reason(r, "not read in time", loop_lost_pkts(l, i), 0);
	}
}

/* --- time series --- */

static void results_list_series(struct loop *l, struct run_result *r)
{
	r->series_count = l->records.count;
	r->series = memory_zeroed(r->series_count + UINT64_C(1), sizeof(*r->series));
	for (uint32_t i = 0; i < r->series_count; i++) {
		const struct record *from = &l->records.all[i];
		struct series *to = &r->series[i];

		snprintf(to->name, sizeof(to->name), "%s " SWITCH_NAME "->%s%s",
			 port_probe_name(&from->probe), loop_port(l, from->probe.port)->name,
			 port_probe_queue(&from->probe).text);
		to->unit = port_probe_unit(&from->probe);
		to->count = to->capacity = from->count;
		to->time_ps = memory_grow(NULL, from->count + 1, sizeof(*to->time_ps));
		to->value = memory_grow(NULL, from->count + 1, sizeof(*to->value));
		memcpy(to->time_ps, from->time_ps, from->count * sizeof(*to->time_ps));
		memcpy(to->value, from->value, from->count * sizeof(*to->value));
	}
}

void real_results(struct loop *l, int measured_port, struct run_result *r)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t i = 0; i < METRICS_MAX; i++)
		r->value[i] = NAN;
	loop_account(l);
	results_make_network(l->settings, &r->network);
	results_list_ports(l, r);
	if (measured_port >= 0)
		r->measured_port = (uint32_t)measured_port;
	results_port_metrics(l, r);
	results_all_metrics(l, r);
	results_list_reasons(l, r);
	results_list_series(l, r);
}

/* --- settings --- */

static void results_add_line(struct config *c, const char *path, const char *value)
{
	char *line = NULL;

	text_print(&line, "%s %s", path, value);
	line_list_add(&c->real, line, 0);
	free(line);
}

/* Values of an option table that differ from the default. */
static void results_add_options(struct config *c, const char *owner,
				const struct weir_option *table, const void *params)
{
	for (const struct weir_option *o = table; o->name; o++) {
		char path[192], text[1024];

		if (o->type == WEIR_OPT_LINES || weir_option_is_default(o, params))
			continue;
		snprintf(path, sizeof(path), "%s.%s", owner, o->name);
		results_add_line(c, path, weir_option_format(text, sizeof(text), o, params));
	}
}

void real_config(const struct switch_settings *s, struct config *c)
{
	config_init(c);
	c->seed = s->seed;
	c->switches = s->config.switches;
	c->switches.markings = (struct line_list){ 0 };
	snprintf(c->title, sizeof(c->title), "%s", s->title);
	snprintf(c->file, sizeof(c->file), "%s", s->file);
	results_add_line(c, "world", "real");
	results_add_options(c, "real", real_options, &s->real);
	for (uint32_t i = 0; i < s->port_count; i++) {
		char owner[128];

		snprintf(owner, sizeof(owner), "port.%s", s->ports[i].name);
		results_add_options(c, owner, real_port_options, &s->ports[i]);
		if (memcmp(&s->ports[i].config.switches, &s->config.switches,
			   sizeof(s->config.switches)) != 0)
			results_add_options(c, owner, switch_options, &s->ports[i].config.switches);
	}
}

static int results_store_run(struct loop *l, const char *folder, double cpu_seconds,
			     struct weir_error *e)
{
	char key[RUN_KEY_SIZE];
	struct run_result r;
	struct store *store = NULL;
	struct config c;
	int failed;

	real_config(l->settings, &c);
	real_results(l, PORT_OF_LONGEST_QUEUE, &r);
	results_set_metric(&r, "cpu_seconds", cpu_seconds);
	failed = run_key(&c, key, e) || store_open(&store, folder, STORE_WRITE, e);
	if (!failed) {
		failed = store_add(store, key, &c, &r, e);
		store_close(store);
	}
	run_result_free(&r);
	config_free(&c);
	return failed ? -1 : 0;
}

int real_store(struct loop *l, const char *folder, struct weir_error *e)
{
	return results_store_run(l, folder, results_cpu_seconds(), e);
}

/* --- periodic storing while the switch runs --- */

void real_store_wait(struct real_keeping *k)
{
	if (k->process > 0)
		waitpid(k->process, NULL, 0);
	k->process = 0;
}

void real_store_aside(struct loop *l, const char *folder, struct real_keeping *k)
{
	const struct sched_param usual = { 0 };
	double cpu_seconds = results_cpu_seconds();
	struct weir_error e;

	if (k->process > 0 && waitpid(k->process, NULL, WNOHANG) == 0)
		return; /* the previous one is still writing */
	fflush(NULL);
	k->process = fork();
	if (k->process != 0)
		return;
	sched_setscheduler(0, SCHED_OTHER, &usual);
	setpriority(PRIO_PROCESS, 0, 0);
	if (results_store_run(l, folder, cpu_seconds, &e))
		fprintf(stderr, "weir: %s\n", e.text);
	_exit(0);
}
