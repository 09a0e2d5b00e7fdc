/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c -- metrics of ports and of the whole run, and the order in which all metrics are
 * computed. Their definitions are in metric_table.c. */
#define _GNU_SOURCE
#include "sim/measure/metrics.h"
#include "sim/core/agents.h"
#include "sim/core/switch_pfc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

double run_metric(const struct run_result *r, const char *name)
{
	uint32_t i = 0;

	while (strcmp(metric_all[i].name, name) != 0)
		assert(++i < METRIC_COUNT);
	return r->value[i];
}

/* --- ports --- */

static struct port_result metrics_port_result(const struct measure *m, uint32_t link,
					      double interval_ps)
{
	const struct weir_port_stats *s = m->stats[link];
	struct port_result p = {
		.link = link,
		.tx_pkts = m->ports[link].tx_pkts,
		.tx_bytes = m->ports[link].tx_bytes,
		.marks = m->ports[link].marks,
		.drops = m->ports[link].drops,
	};

	if (s) {
		p.queue_mean_bytes = (double)s->bytes_ps / interval_ps;
		p.queue_mean_pkts = (double)weir_port_stats_pkts_ps(s) / interval_ps;
		p.queue_max_pkts = s->max_pkts;
	}
	return p;
}

static int link_is_of_host(const struct network *net, uint32_t link)
{
	return net->nodes[net->links[link].from].kind == NODE_HOST;
}

/* Is it the switch port with the largest mean queue so far? */
static int metrics_is_longest(const struct network *net, const struct run_result *r,
			      const struct port_result *p)
{
	const struct port_result *longest = &r->ports[r->measured_port];

	if (link_is_of_host(net, p->link))
		return 0;
	return link_is_of_host(net, longest->link) ||
	       p->queue_mean_bytes > longest->queue_mean_bytes;
}

static void metrics_list_ports(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct network *net = m->engine->net;

	r->ports = memory_grow(NULL, net->link_count, sizeof(*r->ports));
	for (uint32_t i = 0; i < net->link_count; i++) {
		if (!measure_has_queue(m->engine, i))
			continue;
		r->ports[r->port_count] = metrics_port_result(m, i, interval_ps);
		if (m->port_link == (int64_t)i ||
		    (m->port_link < 0 && metrics_is_longest(net, r, &r->ports[r->port_count])))
			r->measured_port = r->port_count;
		r->port_count++;
	}
}

static void metrics_list_pauses(const struct measure *m, struct run_result *r, double interval_ps)
{
	uint32_t capacity = 0;

	for (uint32_t i = 0; m->pauses && i < m->engine->net->link_count; i++) {
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			const struct pause_count *p = &m->pauses[i].class[k];

			if (!p->count && !p->sum_ps)
				continue;
			if (r->pause_count == capacity) {
				capacity = capacity ? 2 * capacity : 16;
				r->pauses = memory_grow(r->pauses, capacity, sizeof(*r->pauses));
			}
			r->pauses[r->pause_count++] =
				(struct pause_result){ i, k, p->count, p->sum_ps };
			r->value[PAUSE_TIME] += (double)p->sum_ps / (double)WEIR_PS_PER_NS;
			r->value[PAUSE_RATE] +=
				weir_bytes_to_bits((double)p->count * WEIR_PFC_FRAME_BYTES) *
				(double)WEIR_PS_PER_S / interval_ps;
		}
	}
}

double metrics_busy_ps(const struct measure *m, uint32_t link)
{
	const struct weir_port_class *class = engine_port_class(m->engine, link);
	const struct port_counts *p = &m->ports[link];
	double wire_bytes = (double)p->tx_bytes + (double)p->tx_pkts * class->overhead_bytes;

	return weir_bytes_to_bits(wire_bytes) * (double)WEIR_PS_PER_S / (double)class->rate_bps -
	       (double)p->unsent_ps;
}

static void metrics_of_measured_port(const struct measure *m, struct run_result *r,
				     double interval_ps)
{
	const struct port_result *p = &r->ports[r->measured_port];
	const struct weir_port_stats *s = m->stats[p->link];

	r->value[QUEUE_MEAN_BYTES] = p->queue_mean_bytes;
	r->value[QUEUE_MEAN_PKTS] = p->queue_mean_pkts;
	r->value[QUEUE_MAX] = p->queue_max_pkts;
	r->value[QUEUE_P50] = s ? weir_port_stats_quantile(s, 0.5) : 0;
	r->value[QUEUE_P99] = s ? weir_port_stats_quantile(s, 0.99) : 0;
	r->value[QUEUE_EMPTY] = s ? (double)s->bucket_ps[0] / interval_ps : 1;
	r->value[UTILISATION] = metrics_busy_ps(m, p->link) / interval_ps;
}

static void metrics_of_all_ports(struct run_result *r)
{
	double sum = 0, largest = 0;

	for (uint32_t i = 0; i < r->port_count; i++) {
		sum += r->ports[i].queue_mean_pkts;
		largest = fmax(largest, r->ports[i].queue_max_pkts);
	}
	r->value[NETWORK_QUEUE_MEAN] = sum / r->port_count;
	r->value[NETWORK_QUEUE_MAX] = largest;
}

/* Adds marks under the name that the port's scheme gives their reason. */
static void metrics_add_marks(struct run_result *r, const char *name, uint64_t marks)
{
	uint32_t i = 0;

	while (i < r->reason_count && strcmp(r->reasons[i].name, name) != 0)
		i++;
	if (i == r->reason_count)
		r->reasons[r->reason_count++] = (struct reason_count){ name, 0, 1 };
	r->reasons[i].count += marks;
}

/* Marks by switches. Each reason of the default scheme is listed, also without marks. */
static void metrics_list_marks(const struct measure *m, struct run_result *r)
{
	const struct engine *e = m->engine;

	for (uint32_t k = 0; k < WEIR_MARK_REASONS; k++)
		if (m->config->mark->reasons[k])
			metrics_add_marks(r, m->config->mark->reasons[k], 0);
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_mark_ops *mark = engine_port_class(e, i)->mark;
		struct port_end end = measure_port_end(m, i);

		for (uint32_t k = 0; k < WEIR_MARK_REASONS && !link_is_of_host(e->net, i); k++)
			if (mark->reasons[k])
				metrics_add_marks(r, mark->reasons[k], end.marks[k]);
	}
}

static void metrics_list_reasons(const struct measure *m, struct run_result *r)
{
	const struct engine *e = m->engine;
	uint64_t drops[WEIR_PORT_DROPS] = { 0 };
	uint64_t nic_marks = 0, nic_drops = 0;

	for (uint32_t i = 0; i < e->net->link_count; i++) {
		struct port_end end = measure_port_end(m, i);
		int is_nic = link_is_of_host(e->net, i);

		for (uint32_t k = 0; k < WEIR_MARK_REASONS && is_nic; k++)
			nic_marks += end.marks[k];
		for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
			*(is_nic && k != WEIR_DROP_LINK_DOWN ? &nic_drops : &drops[k]) +=
				end.drops[k];
	}
	metrics_list_marks(m, r);
	for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
		if (drops[k])
			r->reasons[r->reason_count++] =
				(struct reason_count){ weir_port_drop_names[k], drops[k], 0 };
	if (nic_marks)
		r->reasons[r->reason_count++] =
			(struct reason_count){ "marked by a host's NIC", nic_marks, 1 };
	if (nic_drops)
		r->reasons[r->reason_count++] =
			(struct reason_count){ "dropped by a host's NIC", nic_drops, 0 };
}

/* --- all together --- */

static void metrics_of_costs(const struct measure *m, struct run_result *r)
{
	const struct engine *e = m->engine;
	double hops = 0;
	struct rusage usage;

	for (uint32_t i = 0; i < e->net->link_count; i++)
		hops += (double)measure_port_end(m, i).tx_pkts;
	getrusage(RUSAGE_SELF, &usage);
	if (m->peak_kib > usage.ru_maxrss)
		usage.ru_maxrss = m->peak_kib;
	r->value[PACKET_HOPS] = hops;
	r->value[SIM_SECONDS] = weir_ps_to_s(m->now_ps);
	r->value[CPU_SECONDS] = m->cpu_seconds;
	r->value[HOPS_PER_CPU_SECOND] = m->cpu_seconds > 0 ? hops / m->cpu_seconds : NAN;
	r->value[PEAK_RSS] = (double)usage.ru_maxrss * 1024;
}

void measure_results(struct measure *m, struct run_result *r)
{
	struct engine *e = m->engine;
	int64_t span_ps;
	double interval_ps;

	if (m->to_ps == WEIR_TIME_NEVER_PS || m->phase == PHASE_BEFORE)
		m->to_ps = m->from_ps; /* interrupted before the interval began */
	span_ps = m->goodput_to_ps - m->from_ps;
	interval_ps = m->to_ps > m->from_ps ? (double)(m->to_ps - m->from_ps) : NAN;
	metrics_of_flows(m, r);
	metrics_of_applications(m, r);
	metrics_list_ports(m, r, interval_ps);
	metrics_of_measured_port(m, r, interval_ps);
	metrics_of_all_ports(r);
	metrics_of_tiers(m, r, interval_ps);
	metrics_of_queues(m, r, interval_ps);
	metrics_list_reasons(m, r);
	r->value[REWARD_MEAN] = probes_reward(m->probes);
	r->value[SETTINGS_REFUSED] = e->agents ? (double)agents_rejected(e->agents) : NAN;
	r->series = probes_series(m->probes, &r->series_count);
	metrics_of_costs(m, r);
	r->value[GOODPUT_SPAN] = span_ps > 0 ? (double)span_ps / WEIR_PS_PER_NS : NAN;
	r->value[GOODPUT] = span_ps > 0 ? weir_bytes_to_bits((double)m->hosts.arrival_bytes) *
						  (double)WEIR_PS_PER_S / (double)span_ps
					: NAN;
	r->value[MARK_FRACTION] =
		m->hosts.data_pkts ? (double)m->hosts.marked_pkts / (double)m->hosts.data_pkts
				   : NAN;
	r->value[TIMEOUTS] = (double)m->hosts.timeouts;
	r->value[TIMEOUTS_SMALL] = (double)m->hosts.small_flow_timeouts;
	r->value[RETRANSMITS] = (double)m->hosts.retransmits;
	r->value[FLOWS_AFFECTED] =
		r->value[FLOWS_STARTED] > 0
			? (double)m->hosts.retransmitted_flows / r->value[FLOWS_STARTED]
			: NAN;
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		r->value[MARKS] += (double)m->ports[i].marks;
		r->value[DROPS] += (double)m->ports[i].drops;
	}
	metrics_list_pauses(m, r, interval_ps);
	r->value[PFC_DEADLOCKS] = r->deadlock.cycles;
	r->value[PAUSE_FRACTION] = r->value[PAUSE_TIME] * (double)WEIR_PS_PER_NS /
				   (interval_ps * (double)e->net->link_count);
	metrics_of_sections(m, r, interval_ps);
	metrics_of_jobs(m, r, interval_ps);
}
