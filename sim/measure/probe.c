/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c -- samples and records probes; see probe.h. A probe is one line of the scenario; it has
 * one series, or several for "scheme" and "pauses". */
#include "sim/measure/probe_set.h"
#include "lib/agent/acc.h"
#include "config/plugin.h"
#include "sim/core/marking_map.h"
#include "sim/core/mailbox.h"
#include "sim/core/agents.h"
#include "sim/core/switch_pfc.h"
#include "base/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- series --- */

void series_add(struct series *s, int64_t time_ps, double value)
{
	if (s->count == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 256;
		s->time_ps = memory_grow(s->time_ps, s->capacity, sizeof(*s->time_ps));
		s->value = memory_grow(s->value, s->capacity, sizeof(*s->value));
	}
	s->time_ps[s->count] = time_ps;
	s->value[s->count++] = value;
}

void series_free(struct series *series, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(series[i].time_ps);
		free(series[i].value);
	}
	free(series);
}

/* --- a set --- */

/* Counts the packets of one queue, by their class. Called on the thread of the port. */
static void probe_count_packet(void *context, int64_t start_ps, const struct weir_packet *packet,
			       const struct flow *flow)
{
	struct probe *p = context;
	const struct weir_port *port = &engine_egress(p->set->engine, p->target)->port;

	(void)start_ps;
	(void)flow;
	if (port->kind->class_queue[packet->class_id] == p->queue)
		p->bytes += packet->bytes;
}

/* Lists the flows of the section that the probe follows: with PROBE_FCT those of fct_mean_ns, else
 * the ones that opened a connection to a host of this rank. */
static void probe_list_flows(const struct engine *e, struct probe *p)
{
	p->open = memory_grow(NULL, e->flows.count + UINT64_C(1), sizeof(*p->open));
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];

		if (f->traffic == p->target &&
		    (p->kind == PROBE_FCT ? !(f->flags & FLOW_IS_CONTROL)
					  : f->connection == i && engine_owns_host(e, f->dst)))
			p->open[p->open_count++] = i;
	}
}

/* After all probes are read: the array does not move any more. */
static void probes_attach(struct probe_set *set)
{
	struct engine *e = set->engine;

	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];

		if (p->kind == PROBE_THROUGHPUT && p->on == PROBE_ON_QUEUE && probe_is_here(p)) {
			e->taps =
				memory_grow(e->taps, e->tap_count + UINT64_C(1), sizeof(*e->taps));
			e->taps[e->tap_count++] =
				(struct engine_tap){ p->target, probe_count_packet, p, 0 };
			engine_egress(e, p->target)->to |= EGRESS_SLOW_PATH;
		}
		if (p->on == PROBE_ON_TRAFFIC)
			probe_list_flows(e, p);
		if (p->kind == PROBE_MARKS && p->on == PROBE_ON_FLOW && !e->flow_marks)
			e->flow_marks = memory_new(e->flows.count, sizeof(*e->flow_marks));
	}
}

static struct probe_set *probe_set_new(struct engine *e)
{
	struct probe_set *set = memory_new(1, sizeof(*set));

	set->engine = e;
	return set;
}

int probes_new(struct probe_set **out, struct engine *e, const struct line_list *lines,
	       struct weir_error *error)
{
	struct probe_set *set = *out = probe_set_new(e);

	for (uint32_t i = 0; i < lines->count; i++)
		if (probe_read(set, lines->lines[i].text, error))
			return weir_error_prefix(error,
						 "measure.probe: '%.300s': ", lines->lines[i].text);
	probes_attach(set);
	return 0;
}

/* Each probe has one series. Times are below 2^60 ps and samples a nanosecond apart at least: sums
 * of a few thousand probes do not overflow. */
int probes_check(const struct probe_set *set, int64_t end_ps, struct weir_error *error)
{
	uint64_t points = 0;

	for (uint32_t i = 0; i < set->probe_count; i++) {
		const struct probe *p = &set->probes[i];

		if (!p->every_ps)
			continue;
		points += (uint64_t)(end_ps / p->every_ps) + 1;
		if (points > PROBE_POINTS_MAX)
			return weir_error_set(
				error,
				"measure.probe: %s every %s until %s: %" PRIu64
				" points, with those of the probes before it; allowed are "
				"%d in all",
				set->series[p->series].name,
				format_exact_ps((uint64_t)p->every_ps).text,
				format_exact_ps((uint64_t)end_ps).text, points, PROBE_POINTS_MAX);
	}
	return 0;
}

int probes_overflow(const struct probe_set *set, struct weir_error *error)
{
	uint64_t points = 0;

	for (uint32_t i = 0; i < set->series_count; i++)
		points += set->series[i].count;
	if (points <= PROBE_POINTS_MAX)
		return 0;
	return weir_error_set(error,
			      "measure.probe: there are %" PRIu64
			      " points already, of %u series; allowed are %d in all",
			      points, set->series_count, PROBE_POINTS_MAX);
}

void probes_free(struct probe_set *p)
{
	if (!p)
		return;
	series_free(p->series, p->series_count);
	for (uint32_t i = 0; i < p->probe_count; i++)
		free(p->probes[i].open);
	free(p->probes);
	memory_free(p, 1, sizeof(*p));
}

double probes_reward(const struct probe_set *set)
{
	for (uint32_t i = 0; i < set->probe_count; i++) {
		const struct series *s = &set->series[set->probes[i].series];
		double sum = 0;

		if (set->probes[i].kind != PROBE_REWARD)
			continue;
		for (uint64_t k = 0; k < s->count; k++)
			sum += s->value[k];
		return sum / (double)s->count;
	}
	return NAN;
}

const struct series *probes_so_far(const struct probe_set *p, uint32_t *count)
{
	*count = p->series_count;
	return p->series;
}

/* Without empty series. */
struct series *probes_series(struct probe_set *p, uint32_t *count)
{
	struct series *series = p->series;

	*count = 0;
	for (uint32_t i = 0; i < p->series_count; i++)
		if (series[i].count)
			series[(*count)++] = series[i];
	p->series = NULL;
	p->series_count = 0;
	return series;
}

/* --- sampling --- */

int64_t probes_next_ps(const struct probe_set *p)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < p->probe_count; i++)
		if (p->probes[i].next_ps < next_ps)
			next_ps = p->probes[i].next_ps;
	return next_ps;
}

/* The counter of a port. */
static double probe_port_counter(const struct weir_port *port, enum probe_kind kind)
{
	uint64_t sum = 0;

	if (kind == PROBE_THROUGHPUT)
		return (double)port->tx_bytes;
	for (uint32_t i = 0; kind == PROBE_MARKS && i < WEIR_MARK_REASONS; i++)
		sum += port->cold->marks[i];
	for (uint32_t i = 0; kind == PROBE_DROPS && i < WEIR_PORT_DROPS; i++)
		sum += port->cold->drops[i];
	return (double)sum;
}

/* The counter of a flow; that of a closed connection has all of its bytes and marks. */
static double probe_flow_counter(struct engine *e, const struct flow *f, enum probe_kind kind)
{
	const struct flow *opener = &e->flows.flows[f->connection];
	const struct receiver *r;

	if (opener->rx == FLOW_NONE && kind == PROBE_MARKS)
		return e->flow_marks[f->connection];
	if (opener->rx == FLOW_NONE)
		return f->finish_ps >= 0 ? (double)f->size_bytes : 0;
	r = slab_at(&engine_worker(e, e->net->host_node[f->dst])->receivers, opener->rx);
	return kind == PROBE_THROUGHPUT ? (double)r->bytes : (double)r->marked_pkts;
}

/* Bytes received by all flows of the section. Those of closed connections are kept in p->bytes, and
 * the connections are dropped from the list: O(open connections). */
static double probe_traffic_counter(struct engine *e, struct probe *p)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->open_count;) {
		const struct flow *f = &e->flows.flows[p->open[i]];

		if (f->finish_ps >= 0 && f->rx == FLOW_NONE) {
			p->bytes += f->size_bytes;
			p->open[i] = p->open[--p->open_count];
		} else {
			sum += probe_flow_counter(e, f, PROBE_THROUGHPUT);
			i++;
		}
	}
	/* Connections of messages are opened during the run, and stay open. */
	for (uint32_t i = engine_next_flow(e, e->flows.count - 1); i != FLOW_NONE;
	     i = engine_next_flow(e, i))
		if (e->flows.flows[i].traffic == p->target && e->flows.flows[i].connection == i)
			sum += probe_flow_counter(e, &e->flows.flows[i], PROBE_THROUGHPUT);
	return sum + (double)p->bytes;
}

/* Sums over all ranks. Whole numbers below 2^53: their order does not matter. */
static double probe_sum_ranks(const struct engine *e, double value)
{
	struct exchange *x = e->ranks ? e->ranks->exchange : NULL;
	double sum = 0;

	if (!x)
		return value;
	exchange_append_own(x, &value, sizeof(value));
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++) {
		memcpy(&value, x->in[i].bytes, sizeof(value));
		sum += value;
	}
	return sum;
}

/* Exchanges which flows of the section have finished at hosts of each rank. */
static void probe_share_ends(const struct engine *e, const struct probe *p)
{
	struct exchange *x = e->ranks->exchange;
	struct end {
		uint64_t flow;
		int64_t start_ps, end_ps;
	} end;

	for (uint32_t i = 0; i < p->open_count; i++) {
		const struct flow *f = &e->flows.flows[p->open[i]];

		if (*flow_end_ps(e, p->open[i]) < 0 || !engine_owns_host(e, flow_end_host(e, f)))
			continue;
		end = (struct end){ p->open[i], f->start_ps, *flow_end_ps(e, p->open[i]) };
		exchange_append_own(x, &end, sizeof(end));
	}
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++)
		for (size_t at = 0; at < x->in[i].size; at += sizeof(end)) {
			memcpy(&end, x->in[i].bytes + at, sizeof(end));
			e->flows.flows[end.flow].start_ps = end.start_ps;
			*flow_end_ps(e, (uint32_t)end.flow) = end.end_ps;
		}
}

/* Over the section's flows that finished since the last call; NAN: none did. */
static double probe_mean_fct_ns(const struct engine *e, struct probe *p)
{
	double sum_ns = 0;
	uint32_t ended = 0;

	if (e->ranks)
		probe_share_ends(e, p);
	for (uint32_t i = 0; i < p->open_count;) {
		const struct flow *f = &e->flows.flows[p->open[i]];

		int64_t end_ps = *flow_end_ps(e, p->open[i]);

		if (end_ps < 0) {
			i++;
			continue;
		}
		sum_ns += (double)(end_ps - f->start_ps) / WEIR_PS_PER_NS;
		ended++;
		p->open[i] = p->open[--p->open_count];
	}
	return ended ? sum_ns / ended : NAN;
}

static double probe_flow_window(struct engine *e, const struct flow *f)
{
	const struct flow *opener = &e->flows.flows[f->connection];
	struct sender *s;

	if (opener->tx == FLOW_NONE)
		return 0;
	s = slab_at(&engine_worker(e, e->net->host_node[f->src])->senders, opener->tx);
	return (double)sender_cc(s)->window_bytes;
}

static double probe_queue_length(struct weir_port *port, const struct probe *p)
{
	const struct weir_queue *q =
		p->queue == PROBE_WHOLE_PORT ? NULL : weir_port_queues(port) + p->queue;

	if (p->kind == PROBE_QUEUE)
		return q ? q->pkts : port->pkts;
	return q ? q->bytes : port->bytes;
}

/* The probe's counter, over all ranks. */
static double probe_read_counter(struct probe *p)
{
	struct engine *e = p->set->engine;

	if (p->kind == PROBE_PAUSES) /* exact: a double holds 2^53 ps, two and a half hours */
		return (double)link_paused_ps(e, p->target, (uint32_t)p->queue, p->next_ps);
	switch (p->on) {
	case PROBE_ON_QUEUE:
		return (double)p->bytes;
	case PROBE_ON_FLOW:
		return probe_flow_counter(e, &e->flows.flows[p->target], p->kind);
	case PROBE_ON_TRAFFIC:
		return probe_sum_ranks(e, probe_traffic_counter(e, p));
	default:
		return probe_port_counter(&engine_egress(e, p->target)->port, p->kind);
	}
}

/* Are the samples differences of a counter? Those of PROBE_FCT are means. */
static int probe_has_counter(const struct probe *p)
{
	return probe_forms[p->kind].may & PROBE_COUNTS && p->kind != PROBE_FCT;
}

/* A value that the marking scheme of a queue publishes, or its agent. */
static double probe_scheme_value(const struct engine *e, const struct probe *p)
{
	struct weir_port *port = &engine_egress(e, p->target)->port;
	uint32_t queue = (uint32_t)p->queue;
	const void *params = port->kind->mark_params;

	if (!p->value)
		return agents_value(e->agents, p->target, queue, p->agent_value);
	if (e->agents)
		params = agents_mark_params(port, queue);
	if (e->marking_maps)
		marking_of_queue(port->kind, queue, &params);
	return p->value->read(weir_port_mark_state(port, queue),
			      plugin_guard_inner(e->guard, params));
}

/* The current value of a probe without a counter. */
static double probe_read_state(struct probe *p)
{
	struct engine *e = p->set->engine;

	if (p->kind == PROBE_WINDOW)
		return probe_flow_window(e, &e->flows.flows[p->target]);
	if (p->kind == PROBE_FCT)
		return probe_mean_fct_ns(e, p);
	return p->kind == PROBE_SCHEME ? probe_scheme_value(e, p)
				       : probe_queue_length(&engine_egress(e, p->target)->port, p);
}

/* ACC's reward over the time since the last sample, from the bytes sent and the mean queue. NAN
 * before measuring begins, and for the first sample. */
static double probe_read_reward(struct probe *p)
{
	static const struct acc_params standard = { .preset = ACC_PAPER };
	const struct weir_port *port = &engine_egress(p->set->engine, p->target)->port;
	double sent = (double)port->tx_bytes, sent_before = p->before, area_before = p->area;
	struct weir_tune_telemetry t = {
		.interval_ns = weir_ps_to_ns(p->every_ps),
		.rate_bps = port->kind->rate_bps,
	};

	p->before = sent;
	p->area = port->stats ? (double)port->stats->bytes_ps +
					port->bytes * (double)(p->next_ps - port->stats->since_ps)
			      : NAN;
	if (isnan(p->area - area_before))
		return NAN;
	t.out_bytes = (uint64_t)(sent - sent_before);
	t.queue_mean_bytes = (uint64_t)((p->area - area_before) / (double)p->every_ps);
	return (double)weir_acc_reward(&standard, &t);
}

static double probe_read_value(struct probe *p)
{
	double now, before = p->before;

	if (p->kind == PROBE_REWARD)
		return probe_read_reward(p);
	if (probe_has_counter(p)) {
		now = probe_read_counter(p);
		p->before = now;
		if (p->kind == PROBE_PAUSES)
			return (now - before) / (double)p->every_ps;
		return p->kind == PROBE_THROUGHPUT
			       ? weir_bytes_to_bits(now - before) / weir_ps_to_s(p->every_ps)
			       : now - before;
	}
	return probe_read_state(p);
}

void probes_sample(struct probe_set *set, int64_t now_ps)
{
	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];

		if (p->next_ps > now_ps)
			continue;

		if (probe_is_here(p)) {
			double value = probe_read_value(p);

			if (!isnan(value))
				series_add(&set->series[p->series], now_ps, value);
		}
		p->next_ps += p->every_ps;
	}
}

/* --- reading on demand --- */

int probes_watch(struct probe_set **out, struct engine *e, const char *what,
		 struct weir_error *error)
{
	struct probe_set *set = probe_set_new(e);
	char line[512];

	/* The period does not matter: probes_next_ps is not called for this set. */
	snprintf(line, sizeof(line), "%s every 1us", what);
	if (probe_read(set, line, error)) {
		probes_free(set);
		return weir_error_prefix(error, "'%.300s': ", what);
	}
	probes_attach(set);
	*out = set;
	return 0;
}

uint32_t probes_values(const struct probe_set *set)
{
	return set->probe_count;
}

const char *probes_name(const struct probe_set *set, uint32_t value)
{
	return set->series[set->probes[value].series].name;
}

double probes_read(struct probe_set *set, uint32_t value, int64_t now_ps)
{
	struct probe *p = &set->probes[value];

	p->next_ps = now_ps;
	return probe_has_counter(p) ? probe_read_counter(p) : probe_read_state(p);
}

/* --- at each change --- */

static void probe_on_change(void *context, const struct weir_port *port, int64_t since_ps)
{
	struct probe_set *set = context;

	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];

		if (!p->every_ps && port == &engine_egress(set->engine, p->target)->port)
			series_add(&set->series[p->series], since_ps,
				   p->kind == PROBE_QUEUE ? port->pkts : port->bytes);
	}
}

/* A probed port keeps statistics even if it never holds a packet. */
void probes_begin(struct probe_set *set)
{
	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];
		struct weir_port *port;

		if ((p->every_ps && p->kind != PROBE_REWARD) || !probe_is_here(p))
			continue;
		port = &engine_egress(set->engine, p->target)->port;
		if (!port->stats)
			port_stats_start(set->engine, port);
		p->area = NAN;
		if (p->kind == PROBE_REWARD)
			continue;
		port->stats->on_change = probe_on_change;
		port->stats->context = set;
	}
}

void probes_end(struct probe_set *set)
{
	for (uint32_t i = 0; i < set->probe_count; i++)
		set->probes[i].next_ps = WEIR_TIME_NEVER_PS;
}
