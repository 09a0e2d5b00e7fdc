/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_flows.c -- metrics of flows: completion times, slowdowns against the ideal completion
 * time of the flow alone, fairness, starvation; and flows without a path. */
#include "base/memory.h"
#include "sim/core/host.h"
#include "sim/measure/metrics.h"
#include "sim/measure/sample.h"
#include <math.h>
#include <stdlib.h>

/* --- ideal completion times --- */

static void flow_route(const struct engine *e, const struct flow *f, struct route *route)
{
	const struct flow_path *named = flow_path_find(&e->flows.paths, f->connection);

	if (named)
		route_follow(e->net, f->src, named->there, route);
	else
		route_find(e->routes, f->src, f->dst,
			   flow_route_hash(e->config->seed, f->connection), 0, route);
}

/* The route of its ACKs, as receiver_init chooses it. */
static void flow_route_back(const struct engine *e, const struct flow *f, struct route *route)
{
	const struct flow_path *named = flow_path_find(&e->flows.paths, f->connection);

	if (named)
		route_follow(e->net, f->dst, named->back, route);
	else
		route_find(e->routes, f->dst, f->src,
			   flow_route_hash(~e->config->seed, f->connection), 0, route);
}

/* Arrivals of the last two segments at the receiver. */
struct arrival_pair {
	int64_t last_ps, before_ps; /* before: INT64_MIN where that segment has no ACK of its own */
};

/* When the last ACK is back at the sender. It queues at most behind the ACK before it: those
 * further ahead are spaced like full segments, whose serialisation delay is longer than that of an
 * ACK. On each link G(n) = max(F(n), G(n-1)) + s, where F are arrivals there and s is the
 * serialisation delay of an ACK. */
static int64_t flow_ideal_acked_ps(const struct engine *e, const struct flow *f,
				   struct arrival_pair at)
{
	const struct transport *t = flow_transport(e, f);
	struct route route;

	flow_route_back(e, f, &route);
	for (uint32_t i = 0; i < route.hops; i++) {
		int64_t delay_ps = engine_delay_ps(e, route.links[i]);
		int64_t ack_ps =
			weir_port_wire_ps(engine_port_class(e, route.links[i]), t->ack_bytes);

		if (at.before_ps != INT64_MIN)
			at.before_ps += ack_ps;
		at.last_ps = (at.before_ps > at.last_ps ? at.before_ps : at.last_ps) + ack_ps;
		if (at.before_ps != INT64_MIN)
			at.before_ps += delay_ps;
		at.last_ps += delay_ps;
	}
	return at.last_ps;
}

/* The completion time of a flow alone in the network, with no congestion window, to the end that
 * measure.completion names: n-1 equal segments and a last one, store-and-forward at every switch,
 * and the ACK of that. The last leaves link i at
 *	F_i(n) = max(F_{i-1}(n) + d_{i-1}, F_i(n-1)) + s_i(last),
 * where equal segments give
 *	F_i(m) = sum_{j<=i} s_j + sum_{j<i} d_j + (m-1) max_{j<=i} s_j,
 * s_j and d_j being the serialisation and propagation delay of link j. */
int64_t flow_ideal_ps(const struct engine *e, uint32_t flow)
{
	const struct flow *f = &e->flows.flows[flow];
	const struct transport *t = flow_transport(e, f);
	uint64_t mss = t->env.mss_bytes, segments = (f->size_bytes + mss - 1) / mss;
	uint32_t last = (uint32_t)(f->size_bytes - (segments - 1) * mss + t->header_bytes);
	uint32_t full = (uint32_t)mss + t->header_bytes;
	int64_t first_ps = 0, slowest_ps = 0, done_ps = 0;
	struct route route;

	flow_route(e, f, &route);
	for (uint32_t i = 0; i < route.hops; i++) {
		const struct weir_port_class *kind = engine_port_class(e, route.links[i]);
		int64_t full_ps = weir_port_wire_ps(kind, full);
		int64_t delay_ps = engine_delay_ps(e, route.links[i]);

		if (segments > 1) {
			first_ps += full_ps;
			if (full_ps > slowest_ps)
				slowest_ps = full_ps;

			int64_t before_ps = first_ps + (int64_t)(segments - 2) * slowest_ps;

			if (before_ps > done_ps)
				done_ps = before_ps;
			first_ps += delay_ps;
		}
		done_ps += weir_port_wire_ps(kind, last) + delay_ps;
	}
	if (e->config->measure.completion == COMPLETION_RECEIVER)
		return done_ps;
	return flow_ideal_acked_ps(
		e, f,
		(struct arrival_pair){
			.last_ps = done_ps,
			.before_ps = segments > 1 && (segments - 1) % t->acks_per == 0
					     ? first_ps + (int64_t)(segments - 2) * slowest_ps
					     : INT64_MIN,
		});
}

uint64_t measure_part_bytes(const struct measure *m, uint32_t flow)
{
	struct engine *e = m->engine;
	const struct flow *f = &e->flows.flows[flow];
	const struct receiver *r;

	if (m->parts && !engine_owns(e, e->net->host_node[f->dst]))
		return m->parts[flow];
	if (m->config->measure.unfinished != MEASURE_UNFINISHED_COUNT || f->connection != flow ||
	    f->size_bytes == FLOW_UNLIMITED)
		return 0;
	if (f->finish_ps >= 0) /* received in full, but not yet acknowledged */
		return f->size_bytes;
	if (f->rx == FLOW_NONE)
		return 0;
	r = slab_at(&engine_worker(e, e->net->host_node[f->dst])->receivers, f->rx);
	return r->bytes < f->size_bytes ? r->bytes : 0;
}

static void metrics_of_completion(const struct measure *m, struct run_result *r)
{
	const struct measure_config *c = &m->config->measure;
	struct sample fct = sample_new(r->flow_count), small = sample_new(r->flow_count);
	struct sample medium = sample_new(r->flow_count), large = sample_new(r->flow_count);
	struct sample slowdown = sample_new(r->flow_count);
	uint64_t started = 0, completed = 0, unfinished = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *f = &r->flows[i];

		if (f->start_ps < m->from_ps || f->start_ps >= m->to_ps)
			continue;
		started++;
		completed += f->finish_ps >= 0;
		unfinished += f->finish_ps < 0 && f->size_bytes != FLOW_UNLIMITED;
		if (f->flags & FLOW_IS_CONTROL)
			continue;

		uint64_t bytes = f->finish_ps >= 0 ? f->size_bytes : measure_part_bytes(m, i);
		int64_t end_ps = f->finish_ps >= 0 ? f->finish_ps : m->now_ps;
		double fct_ns = (double)(end_ps - f->start_ps) / WEIR_PS_PER_NS;

		if (bytes == 0)
			continue;
		sample_add(&fct, fct_ns);
		sample_add(bytes <= c->small_bytes  ? &small
			   : bytes > c->large_bytes ? &large
						    : &medium,
			   fct_ns);
		if (f->finish_ps < 0)
			continue;
		sample_add(&slowdown,
			   (double)(f->finish_ps - f->start_ps) / (double)r->ideal_ps[i]);
	}
	sample_sort(&fct);
	sample_sort(&small);
	sample_sort(&slowdown);
	r->value[FLOWS_STARTED] = (double)started;
	r->value[FLOWS_COMPLETED] = (double)completed;
	r->value[FLOWS_UNFINISHED] = (double)unfinished;
	r->value[FLOWS_WITHOUT_PATH] = r->partition.flows;
	r->value[FCT_MEAN] = sample_mean(&fct);
	r->value[FCT_P50] = sample_quantile(&fct, 0.5);
	r->value[FCT_P99] = sample_quantile(&fct, 0.99);
	r->value[FCT_P999] = sample_quantile(&fct, 0.999);
	r->value[FCT_SMALL_MEAN] = sample_mean(&small);
	r->value[FCT_SMALL_P99] = sample_quantile(&small, 0.99);
	r->value[FCT_MEDIUM_MEAN] = sample_mean(&medium);
	r->value[FCT_LARGE_MEAN] = sample_mean(&large);
	r->value[SLOWDOWN_MEAN] = sample_mean(&slowdown);
	r->value[SLOWDOWN_P50] = sample_quantile(&slowdown, 0.5);
	r->value[SLOWDOWN_P99] = sample_quantile(&slowdown, 0.99);
	free(fct.values);
	free(small.values);
	free(medium.values);
	free(large.values);
	free(slowdown.values);
}

/* Over every flow that ran in the interval: its rate, over its whole life if it has finished. */
static void metrics_of_fairness(const struct measure *m, struct run_result *r)
{
	const struct flow *flows = m->engine->flows.flows;

	double sum = 0, squares = 0, count = 0, largest = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *f = &r->flows[i];
		int64_t since_ps = f->start_ps > m->from_ps ? f->start_ps : m->from_ps;
		double rate;

		if (f->start_ps >= m->to_ps || f->stop_ps <= m->from_ps ||
		    (f->finish_ps >= 0 && f->finish_ps <= m->from_ps))
			continue;
		if (f->finish_ps >= 0)
			rate = (double)f->size_bytes / (double)(f->finish_ps - f->start_ps);
		else if (flows[i].finish_ps >= 0) /* received, but not yet acknowledged */
			rate = (double)f->size_bytes / (double)(flows[i].finish_ps - f->start_ps);
		else
			rate = (double)m->flow_bytes[i] / (double)(m->to_ps - since_ps);
		sum += rate;
		squares += rate * rate;
		largest = rate > largest ? rate : largest;
		count++;
	}
	r->value[JAIN] = squares > 0 ? sum * sum / (count * squares) : NAN;
	r->value[UNFAIR_RATIO] = sum > 0 ? largest * count / sum - 1 : NAN;
}

/* A flow is starved below this part of the mean, which neither a fair queue nor chance explains. */
enum { STARVED_PART = 20, STARVED_SEGMENTS = 100 };

/* Has the flow no size, and runs for at least half of the interval? */
static int flow_is_bulk(const struct measure *m, const struct flow *f)
{
	int64_t begin_ps = f->start_ps > m->from_ps ? f->start_ps : m->from_ps;
	int64_t end_ps = f->stop_ps < m->to_ps ? f->stop_ps : m->to_ps;

	return f->size_bytes == FLOW_UNLIMITED && 2 * (end_ps - begin_ps) >= m->to_ps - m->from_ps;
}

/* Compares flows of one section and class, which compete as equals. A mean below STARVED_SEGMENTS
 * segments is too small a sample. */
static void metrics_of_starvation(const struct measure *m, struct run_result *r)
{
	enum { CLASSES = UINT8_MAX + 1 };
	const struct config *c = m->engine->config;
	uint64_t groups = (uint64_t)c->traffic_count * CLASSES;
	uint64_t *bytes = memory_new(groups, sizeof(*bytes)),
		 *flows = memory_new(groups, sizeof(*flows));
	double starved = 0;
	int known = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		uint64_t group = r->flows[i].traffic * UINT64_C(256) + r->flows[i].class_id;

		if (!flow_is_bulk(m, &r->flows[i]))
			continue;
		bytes[group] += m->flow_bytes[i];
		flows[group]++;
		known = 1;
	}
	for (uint32_t i = 0; i < r->flow_count; i++) {
		uint64_t group = r->flows[i].traffic * UINT64_C(256) + r->flows[i].class_id;

		starved += flow_is_bulk(m, &r->flows[i]) &&
			   bytes[group] / flows[group] >= STARVED_SEGMENTS * c->host.mss_bytes &&
			   m->flow_bytes[i] * STARVED_PART < bytes[group] / flows[group];
	}
	memory_free(bytes, groups, sizeof(*bytes));
	memory_free(flows, groups, sizeof(*flows));
	r->value[FLOWS_STARVED] = known ? starved : NAN;
}

/* Goodput of all flows without a size. */
static void metrics_of_bulk_flows(const struct measure *m, struct run_result *r)
{
	double bytes = 0, seconds = weir_ps_to_s(m->to_ps - m->from_ps);
	int known = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		if (r->flows[i].size_bytes != FLOW_UNLIMITED)
			continue;
		known = 1;
		bytes += (double)m->flow_bytes[i];
	}
	r->value[BULK_GOODPUT] = known && seconds > 0 ? weir_bytes_to_bits(bytes) / seconds : NAN;
}

void metrics_of_flows(const struct measure *m, struct run_result *r)
{
	struct engine *e = m->engine;

	r->flow_count = e->flows.count;
	r->flows = memory_grow(NULL, r->flow_count, sizeof(*r->flows));
	r->ideal_ps = memory_grow(NULL, r->flow_count, sizeof(*r->ideal_ps));
	for (uint32_t i = 0; i < r->flow_count; i++) {
		r->flows[i] = e->flows.flows[i];
		r->flows[i].finish_ps = *flow_end_ps(e, i);
		r->ideal_ps[i] = r->flows[i].size_bytes == FLOW_UNLIMITED ||
						 r->flows[i].flags & FLOW_IS_CONTROL
					 ? -1
					 : flow_ideal_ps(e, i);
	}
	metrics_of_completion(m, r);
	metrics_of_fairness(m, r);
	metrics_of_starvation(m, r);
	metrics_of_bulk_flows(m, r);
}

/* --- flows without a path --- */

/* When the last path from one host to another was lost; WEIR_TIME_NEVER_PS: there is one. Routes
 * change when senders learn of a failure, which is the reroute delay after it. */
static int64_t path_lost_ps(const struct engine *e, uint32_t from, uint32_t to, int64_t now_ps)
{
	int64_t delay_ps = (int64_t)e->config->network.reroute_delay_ps, at_ps = 0;
	struct route route;

	for (;;) {
		route_find(e->routes, from, to, 0, at_ps, &route);
		if (!route.found)
			return at_ps - delay_ps;
		if (route.until_ps == WEIR_TIME_NEVER_PS || route.until_ps - delay_ps > now_ps)
			return WEIR_TIME_NEVER_PS;
		at_ps = route.until_ps;
	}
}

void partition_find(const struct engine *e, int64_t now_ps, struct partition *p)
{
	*p = (struct partition){ .since_ps = WEIR_TIME_NEVER_PS };
	if (!e->config->network.fails.count)
		return;
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];
		int64_t since_ps;

		if (f->start_ps > now_ps || *flow_end_ps(e, i) >= 0)
			continue;
		since_ps = path_lost_ps(e, f->src, f->dst, now_ps);
		if (since_ps == WEIR_TIME_NEVER_PS || f->stop_ps <= since_ps)
			continue;
		p->flows++;
		if (since_ps < p->since_ps) {
			p->since_ps = since_ps;
			p->src = f->src;
			p->dst = f->dst;
		}
	}
}
