/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c -- begins and ends the measured interval: differences of counters that only grow. */
#include "config/nic.h"
#include "sim/core/switch_pfc.h"
#include "sim/measure/measure.h"
#include "sim/traffic/job.h"
#include <stdlib.h>

/* Flows are a burst if they offer more than this many times the rate of their receivers' links. */
enum { GOODPUT_BURST = 2 };

int measure_has_queue(const struct engine *e, uint32_t link)
{
	return e->net->nodes[e->net->links[link].from].kind == NODE_SWITCH ||
	       nic_has_queue(e->config);
}

int measure_new(struct measure *m, const struct config *c, struct weir_error *e)
{
	m->port_link = -1;
	if (c->measure.port[0]) {
		m->port_link = link_find(m->engine->net, c->measure.port, e);
		if (m->port_link < 0)
			return weir_error_prefix(e, "measure.port: ");
		if (!measure_has_queue(m->engine, (uint32_t)m->port_link))
			return weir_error_set(
				e,
				"measure.port: '%s' is a host's NIC, which has no queue; name a "
				"port of a switch",
				c->measure.port);
	}
	if (probes_new(&m->probes, m->engine, &c->measure.probes, e) ||
	    probes_check(m->probes, m->expected_ps, e))
		return -1;
	m->ports = memory_new(m->engine->net->link_count, sizeof(*m->ports));
	m->stats = memory_new(m->engine->net->link_count, sizeof(*m->stats));
	m->flow_bytes = memory_new(m->engine->flows.count, sizeof(*m->flow_bytes));
	if (m->engine->flows.jobs)
		m->job_bytes = memory_zeroed(m->engine->flows.jobs->count, sizeof(*m->job_bytes));
	if (m->engine->pauses)
		m->pauses = memory_new(m->engine->net->link_count, sizeof(*m->pauses));
	return 0;
}

void measure_free(struct measure *m)
{
	if (!m->engine)
		return;
	probes_free(m->probes);
	gather_free(m);
	memory_free(m->ports, m->engine->net->link_count, sizeof(*m->ports));
	memory_free(m->stats, m->engine->net->link_count, sizeof(*m->stats));
	free(m->job_bytes);
	memory_free(m->flow_bytes, m->engine->flows.count, sizeof(*m->flow_bytes));
	memory_free(m->pauses, m->engine->net->link_count, sizeof(*m->pauses));
}

int measure_flows_done(const struct measure *m)
{
	uint64_t begun = m->timed_ends, done = 0, untold = 0;

	if (m->engine->ranks)
		return ranks_flows_done(m->engine->ranks, begun);
	for (uint32_t i = 0; i < m->engine->threads; i++) {
		const struct worker *w = &m->engine->workers[i];

		begun += w->flows_opened;
		done += w->flows_done;
		untold += w->ended_count;
	}
	return done == begun && !untold;
}

static struct port_counts measure_port_counts(const struct engine *e, uint32_t link, int64_t now_ps)
{
	const struct weir_port *p = &engine_egress(e, link)->port;
	struct port_counts c = {
		.tx_pkts = p->tx_pkts,
		.tx_bytes = p->tx_bytes,
		.unsent_ps =
			weir_port_link_free_ps(p) > now_ps ? weir_port_link_free_ps(p) - now_ps : 0,
	};

	for (uint32_t i = 0; i < WEIR_MARK_REASONS; i++)
		c.marks += p->cold->marks[i];
	for (uint32_t i = 0; i < WEIR_PORT_DROPS; i++)
		c.drops += p->cold->drops[i];
	return c;
}

/* Replaces the counts by the difference to them: at the end of the interval, the pauses in it. */
static void measure_count_pauses(struct measure *m, int64_t now_ps)
{
	for (uint32_t i = 0; m->pauses && i < m->engine->net->link_count; i++) {
		if (!engine_owns_link(m->engine, i))
			continue;
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			struct pause_count *p = &m->pauses[i].class[k];

			p->sum_ps = link_paused_ps(m->engine, i, k, now_ps) - p->sum_ps;
			p->count = m->engine->pauses[i].class[k].count - p->count;
		}
	}
}

static struct host_counts measure_host_counts(const struct engine *e)
{
	struct host_counts c = { 0 };

	for (uint32_t i = 0; i < e->net->host_count; i++) {
		const struct host *h = &e->hosts[i];

		c.data_pkts += h->data_pkts;
		c.marked_pkts += h->marked_pkts;
		c.goodput_bytes += h->goodput_bytes;
		c.retransmits += h->retransmits;
		c.timeouts += h->timeouts;
		c.small_flow_timeouts += h->small_flow_timeouts;
		c.retransmitted_flows += h->retransmitted_flows;
	}
	return c;
}

/* Calls each for every open receiver. */
static void measure_each_receiver(struct measure *m,
				  void (*each)(struct measure *, struct receiver *))
{
	struct engine *e = m->engine;

	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];

		if (f->rx != FLOW_NONE)
			each(m, slab_at(&engine_worker(e, e->net->host_node[f->dst])->receivers,
					f->rx));
	}
}

/* Replaces the bytes by the difference to them. */
static void measure_count_jobs(struct measure *m)
{
	const struct job_list *l = m->engine->flows.jobs;

	for (uint32_t i = 0; l && i < l->count; i++) {
		uint64_t bytes = 0;

		for (uint32_t r = 0; r < l->jobs[i].rank_count; r++)
			bytes += l->jobs[i].ranks[r].received_bytes;
		m->job_bytes[i] = bytes - m->job_bytes[i];
	}
}

static void measure_receiver_begin(struct measure *m, struct receiver *r)
{
	r->measured_bytes = r->bytes;
	m->flow_bytes[r->connection] = r->bytes; /* subtracted if the flow ends in the interval */
}

static void measure_receiver_end(struct measure *m, struct receiver *r)
{
	m->flow_bytes[r->connection] = r->bytes - r->measured_bytes;
}

/* Flows that completed in the interval and whose receivers are closed: all bytes but those received
 * before it. */
static void measure_completed_flows(struct measure *m)
{
	struct engine *e = m->engine;

	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];

		if (f->connection == i && f->rx == FLOW_NONE && f->finish_ps >= m->from_ps)
			m->flow_bytes[i] = f->size_bytes - m->flow_bytes[i];
	}
}

void measure_begin(struct measure *m, int64_t now_ps)
{
	struct engine *e = m->engine;

	e->measuring = 1;
	e->measure_from_ps = now_ps;
	m->hosts = measure_host_counts(e);
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		struct weir_port *p = &engine_egress(e, i)->port;

		if (!engine_owns_link(e, i))
			continue;
		m->ports[i] = measure_port_counts(e, i, now_ps);
		if (p->pkts && measure_has_queue(e, i))
			port_stats_start(e, p);
	}
	measure_count_pauses(m, now_ps);
	measure_count_jobs(m);
	measure_each_receiver(m, measure_receiver_begin);
	probes_begin(m->probes);
}

void measure_plan_goodput(struct measure *m, int64_t last_start_ps)
{
	const struct engine *e = m->engine;
	unsigned char *receives = memory_new(e->net->host_count, sizeof(*receives));
	double bytes = 0, receivers_bps = 0, seconds = weir_ps_to_s(last_start_ps - m->from_ps);
	int waits = e->flows.jobs != NULL;

	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];

		waits |= (f->flags & FLOW_WAITS) != 0;
		bytes += f->start_ps >= m->from_ps ? (double)f->size_bytes : 0;
		if (!receives[f->dst])
			receivers_bps += host_access_bps(e->net, f->dst);
		receives[f->dst] = 1;
	}
	memory_free(receives, e->net->host_count, sizeof(*receives));
	m->goodput_to_ps = WEIR_TIME_NEVER_PS;
	if (m->to_ps == WEIR_TIME_NEVER_PS && !waits && seconds > 0 &&
	    weir_bytes_to_bits(bytes) < GOODPUT_BURST * receivers_bps * seconds)
		m->goodput_to_ps = last_start_ps;
}

void measure_goodput(struct measure *m)
{
	m->hosts.arrival_bytes =
		measure_host_counts(m->engine).goodput_bytes - m->hosts.goodput_bytes;
}

void measure_end(struct measure *m, int64_t now_ps)
{
	struct engine *e = m->engine;
	struct host_counts hosts = measure_host_counts(e);

	e->measuring = 0;
	m->to_ps = now_ps;
	m->hosts.data_pkts = hosts.data_pkts - m->hosts.data_pkts;
	m->hosts.marked_pkts = hosts.marked_pkts - m->hosts.marked_pkts;
	m->hosts.goodput_bytes = hosts.goodput_bytes - m->hosts.goodput_bytes;
	if (now_ps < m->goodput_to_ps) {
		m->goodput_to_ps = now_ps;
		m->hosts.arrival_bytes = m->hosts.goodput_bytes;
	}
	m->hosts.retransmits = hosts.retransmits - m->hosts.retransmits;
	m->hosts.timeouts = hosts.timeouts - m->hosts.timeouts;
	m->hosts.small_flow_timeouts = hosts.small_flow_timeouts - m->hosts.small_flow_timeouts;
	m->hosts.retransmitted_flows = hosts.retransmitted_flows - m->hosts.retransmitted_flows;
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		struct weir_port *p = &engine_egress(e, i)->port;
		struct port_counts c;

		if (!engine_owns_link(e, i))
			continue;
		c = measure_port_counts(e, i, now_ps);
		m->ports[i].tx_pkts = c.tx_pkts - m->ports[i].tx_pkts;
		m->ports[i].tx_bytes = c.tx_bytes - m->ports[i].tx_bytes;
		m->ports[i].marks = c.marks - m->ports[i].marks;
		m->ports[i].drops = c.drops - m->ports[i].drops;
		m->ports[i].unsent_ps = c.unsent_ps - m->ports[i].unsent_ps;
		m->stats[i] = p->stats;
		if (p->stats)
			weir_port_stats_stop(p, now_ps);
	}
	measure_count_pauses(m, now_ps);
	measure_count_jobs(m);
	measure_each_receiver(m, measure_receiver_end);
	measure_completed_flows(m);
	probes_end(m->probes);
}
