/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_build.c -- lays out a run in memory: ports, links, nodes, wheel, threads. */
#include "sim/core/crew.h"
#include "sim/core/engine.h"
#include "sim/core/marking_map.h"
#include "sim/parallel/ranks.h"
#include "sim/core/packet_memory.h"
#include "config/nic.h"
#include "config/schemes.h"
#include "sim/core/host.h"
#include "sim/core/mailbox.h"
#include "sim/core/agents.h"
#include "sim/core/event_switch.h"
#include "config/plugin.h"
#include "sim/core/telemetry.h"
#include "weir/rng.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS_OF_LINE = 8,
	LINKS_IN_CACHE = 1024,
	SLOTS_MIN = 64,
	SLOTS_MAX = 4096,
	SORT_BUCKETS = 4096 + 1,
	PAUSES_WAITING = 64
};

/* --- the base round-trip time --- */

struct base_trip engine_base_trip(const struct engine *e, uint32_t from, uint32_t to)
{
	int64_t sum_ps = 2 * (int64_t)e->config->host.processing_delay_ps;
	struct route route;

	route_find(e->routes, from, to, 0, 0, &route);
	for (uint32_t i = 0; i < route.hops; i++) {
		const struct net_link *link = &e->net->links[route.links[i]];
		uint64_t per_byte_q20 = weir_bps_to_ps_per_byte_q20(link->rate_bps);

		sum_ps += 2 * link->delay_ps;
		sum_ps += weir_bytes_to_ps(e->config->frame_max_bytes, per_byte_q20);
		sum_ps += weir_bytes_to_ps(e->config->frame_min_bytes, per_byte_q20);
	}
	return (struct base_trip){ sum_ps, route.hops };
}

/* Are two hosts as far as each other from any third one? */
static int is_alike(const struct net_link *a, const struct net_link *b)
{
	return a->to == b->to && a->rate_bps == b->rate_bps && a->delay_ps == b->delay_ps;
}

/* The host furthest from one, by time; the longest such time is the network's, found from host 0
 * and then from the one furthest from that: exact in trees and in every topology that Weir
 * makes. */
static uint32_t furthest_from(struct engine *e, uint32_t from, int64_t *longest_ps)
{
	uint32_t furthest = from;

	struct base_trip trip = { 0, 0 };
	const struct net_link *last = NULL; /* of the host that the trip goes to */

	*longest_ps = 0;
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		const struct net_link *link =
			&e->net->links[e->net->nodes[e->net->host_node[i]].first_link];

		if (i == from)
			continue;
		if (!last || !is_alike(last, link))
			trip = engine_base_trip(e, from, i);
		last = link;
		if (trip.hops > e->longest_hops)
			e->longest_hops = trip.hops;
		if (trip.rtt_ps > *longest_ps) {
			*longest_ps = trip.rtt_ps;
			furthest = i;
		}
	}
	return furthest;
}

static int64_t find_base_rtt(struct engine *e)
{
	int64_t longest_ps, from_there_ps;

	furthest_from(e, furthest_from(e, 0, &longest_ps), &from_there_ps);
	return from_there_ps > longest_ps ? from_there_ps : longest_ps;
}

/* --- ports --- */

static struct weir_port_plan plan_for(const struct engine *e, const struct net_node *from,
				      uint64_t rate_bps)
{
	const struct config *c = e->config;
	struct weir_port_plan plan = {
		.rate_bps = rate_bps,
		.rtt_ns = weir_ps_to_ns(e->base_rtt_ps),
		.queues = 1,
		.mark = &e->nic_mark,
		.mtu_bytes = c->frame_max_bytes,
		.cold_is_apart = 1,
	};

	if (c->switches.ethernet_overhead) {
		plan.overhead_bytes = WEIR_ETHERNET_OVERHEAD_BYTES;
		plan.min_bytes = WEIR_ETHERNET_MIN_FRAME_BYTES;
	}
	if (from->kind == NODE_HOST && nic_has_queue(c)) {
		plan.counts_sojourn = (uint32_t)c->measure.sojourn;
		nic_plan_port(c, e->guard, &plan);
		return plan;
	}
	if (from->kind == NODE_HOST) {
		if (c->lossless) { /* control packets wait by class; the card picks them itself */
			plan.queues = HOST_QUEUES;
			plan.sched = weir_sched_find("sp");
		}
		weir_buffer_params_init(&plan.buffer, WEIR_BUFFER_PER_PORT, ~WEIR_LENGTH_IN_PACKETS,
					0);
		return plan;
	}
	plan.queues = c->queues;
	plan.counts_sojourn = (uint32_t)c->measure.sojourn;
	plan.mark = c->mark;
	plan.mark_params = c->mark_params;
	if (c->markings)
		marking_maps_plan(e->marking_maps, c, e->net->tier_names[from->tier], &plan);
	plan.sched = c->sched;
	plan.sched_params = c->sched_params;
	plugin_guard_plan(e->guard, &plan);
	agents_plan(e->agents, &plan);
	plan.pass_not_ect = (uint32_t)c->switches.non_ect;
	plan.lossless = c->lossless;
	weir_buffer_params_init(&plan.buffer, (enum weir_buffer_scope)c->switches.buffer_per,
				c->switches.buffer, c->switches.dt_alpha_q32);
	return plan;
}

/* The class of ports of that rate which mark alike, made when first asked for. Hosts' have a
 * marking of their own. */
static uint32_t find_class(struct engine *e, const struct net_node *from, uint64_t rate_bps)
{
	struct weir_port_plan plan = plan_for(e, from, rate_bps);

	for (uint32_t i = 0; i < e->class_count; i++)
		if (e->classes[i].rate_bps == rate_bps && e->classes[i].mark == plan.mark &&
		    e->classes[i].mark_params == plan.mark_params)
			return i;
	e->classes = memory_grow(e->classes, e->class_count + UINT64_C(1), sizeof(*e->classes));
	weir_port_class_init(&e->classes[e->class_count], &plan);
	return e->class_count++;
}

/* What decides on the class of a port, and that of the link before, which mostly is the same. */
struct class_memory {
	uint64_t rate_bps; /* 0: there is none yet */
	uint8_t kind, tier;
	uint32_t class;
};

static uint32_t class_for(struct engine *e, uint32_t link, struct class_memory *m)
{
	const struct net_link *l = &e->net->links[link];
	const struct net_node *from = &e->net->nodes[l->from];

	if (m->rate_bps != l->rate_bps || m->kind != from->kind || m->tier != from->tier)
		*m = (struct class_memory){ l->rate_bps, from->kind, from->tier,
					    find_class(e, from, l->rate_bps) };
	return m->class;
}

struct weir_port_plan engine_port_plan(const struct engine *e, uint32_t link)
{
	const struct net_link *l = &e->net->links[link];

	return plan_for(e, &e->net->nodes[l->from], l->rate_bps);
}

/* Is the port of a link made here? Where the network is parted, those at which one of its nodes is
 * at work; but agents are told of all. */
static int is_made_here(const struct engine *e, const struct net_link *link)
{
	return !e->ranks || engine_owns(e, link->from) || engine_owns(e, link->to) ||
	       tune_is_on(e->config);
}

static void build_ports(struct engine *e)
{
	const struct network *net = e->net;
	struct class_memory last = { 0 };
	size_t port_size = 0;

	e->nic_mark = nic_marking(e->config, e->guard);
	for (uint32_t i = 0; i < net->link_count; i++) {
		uint32_t class = class_for(e, i, &last);

		if (e->ranks)
			e->ranks->class_of[i] = (uint16_t) class;
	}
	for (uint32_t i = 0; i < e->class_count; i++)
		if (e->classes[i].size > port_size)
			port_size = e->classes[i].size;
	e->egress_size = (offsetof(struct egress, port) + port_size + 63) & ~(size_t)63;
	e->egresses = memory_new(net->link_count, e->egress_size);
	e->port_cold = memory_sparse(net->link_count, sizeof(*e->port_cold));
	for (uint32_t i = 0; i < net->switch_count; i++) {
		e->switches[i].ports = (char *)engine_egress(e, e->switches[i].first_link);
		e->switches[i].port_size = e->egress_size;
	}
	for (uint32_t i = 0; i < net->link_count; i++) {
		const struct net_link *link = &net->links[i];
		const struct net_node *from = &net->nodes[link->from];
		struct egress *out = engine_egress(e, i);
		struct weir_shared_buffer *pool = NULL;

		if (!is_made_here(e, link))
			continue;
		if (from->kind == NODE_SWITCH &&
		    e->config->switches.buffer_per == WEIR_BUFFER_PER_SWITCH)
			pool = &e->switches[from->number].pool;
		out->delay_ps = engine_delay_ps(e, i);
		out->tail = WEIR_SLOT_NONE;
		out->link_queue = link->link_queue;
		out->link = i;
		out->to = link->to | EGRESS_SLOW_PATH;
		weir_port_init(&out->port, &e->classes[class_for(e, i, &last)], pool,
			       weir_hash64(e->config->seed, i));
		out->port.cold = &e->port_cold[i];
		if (from->kind == NODE_SWITCH)
			e->switches[from->number].features |=
				(pool ? SWITCH_F_SHARED_BUFFER : 0) |
				(weir_port_is_fast_fifo(&out->port) ? 0 : SWITCH_F_SLOW_DEQUEUE);
	}
}

static void build_lines(struct engine *e)
{
	uint32_t count = e->net->link_count;

	e->link_queue_head = memory_new(count, sizeof(*e->link_queue_head));
	e->link_queue_tail = memory_new(count, sizeof(*e->link_queue_tail));
	e->line_first = memory_new(count, sizeof(*e->line_first));
	for (uint32_t i = 0; i < count; i++) {
		e->link_queue_head[i] = WEIR_SLOT_NONE;
		atomic_init(&e->link_queue_tail[i], WEIR_SLOT_NONE);
		atomic_init(&e->line_first[i], WEIR_SLOT_NONE);
	}
	for (uint32_t i = 0; i < e->net->switch_count; i++)
		e->switches[i].heads = e->link_queue_head + e->switches[i].first_link_queue;
}

static void build_switches(struct engine *e)
{
	const struct network *net = e->net;
	uint64_t words = 0;

	e->switches = memory_new(net->switch_count, sizeof(*e->switches));
	for (uint32_t i = 0; i < net->switch_count; i++)
		words += (net->nodes[net->switch_node[i]].link_count + 63) / 64;
	e->backlog_words = words;
	e->backlog_bits = memory_new(words, sizeof(*e->backlog_bits));
	words = 0;
	for (uint32_t i = 0; i < net->switch_count; i++) {
		const struct net_node *node = &net->nodes[net->switch_node[i]];
		struct switch_state *s = &e->switches[i];

		*s = (struct switch_state){
			.pool = { .owner = s, .sync = switch_sync },
			.engine = e,
			.backlog = e->backlog_bits + words,
			.route_bits = node_route_bits(node),
			.first_link = node->first_link,
			.link_count = node->link_count,
			.first_link_queue = node->first_link_queue,
			.link_queue_count = node->link_queue_count,
			.node = net->switch_node[i],
			.features = e->config->telemetry ? SWITCH_F_INT : 0,
		};
		assert(s->link_queue_count <= 1u << SWITCH_INPUT_BITS);
		s->route_mask = (UINT64_C(1) << s->route_bits) - 1;
		words += (node->link_count + 63) / 64;
	}
}

/* --- time --- */

/* host.jitter = auto: a twelfth of the time that a full packet takes on the fastest link of a host,
 * and 20 ns at least. */
static int64_t find_jitter_ps(const struct engine *e)
{
	enum { PART = 12, LEAST_NS = 20 };
	int64_t packet_ps = WEIR_TIME_NEVER_PS;

	if (e->config->host.jitter_ps != WEIR_OPT_AUTO)
		return (int64_t)e->config->host.jitter_ps;
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		uint32_t link = e->net->nodes[e->net->host_node[i]].first_link;
		int64_t wire_ps =
			weir_port_wire_ps(engine_port_class(e, link), e->config->frame_max_bytes);

		packet_ps = wire_ps < packet_ps ? wire_ps : packet_ps;
	}
	return packet_ps / PART > LEAST_NS * WEIR_PS_PER_NS ? packet_ps / PART
							    : LEAST_NS * WEIR_PS_PER_NS;
}

static int build_wheel(struct engine *e, struct weir_error *error)
{
	uint32_t shortest = e->config->frame_min_bytes, longest = e->config->frame_max_bytes;
	int64_t reach_ps = 0;

	e->jitter_ps = find_jitter_ps(e);
	/* Windows decide when flows that wait for others start: telemetry keeps those of lossless
	 * networks. */
	if ((e->config->lossless || e->config->telemetry || fabric_is_on(e->config)) &&
	    shortest > WEIR_PFC_FRAME_BYTES)
		shortest = WEIR_PFC_FRAME_BYTES;
	e->window_ps = WEIR_TIME_NEVER_PS;
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_port_class *kind = engine_port_class(e, i);
		int64_t delay_ps = engine_delay_ps(e, i);
		int64_t ahead_ps = delay_ps + weir_port_wire_ps(kind, shortest);
		int64_t far_ps = delay_ps + weir_port_wire_ps(kind, longest) + e->jitter_ps;

		/* Frames of switches wait for a packet, and for a few of their own. */
		if (e->config->lossless)
			far_ps += weir_port_wire_ps(kind, longest) +
				  PAUSES_WAITING * weir_port_wire_ps(kind, WEIR_PFC_FRAME_BYTES);
		if (ahead_ps < e->window_ps)
			e->window_ps = ahead_ps;
		if (far_ps > reach_ps)
			reach_ps = far_ps;
	}
	if (e->window_ps <= 0)
		return weir_error_set(error, "network: some link has no delay");

	e->window_limit = (uint64_t)(WEIR_TIME_NEVER_PS / e->window_ps) - 1;

	/* Longest delay and processing are a second each, the shortest packet 9 ms at 1 Mb/s. */
	assert(e->window_ps < INT64_C(1) << (64 - SWITCH_INPUT_BITS));

	uint64_t needed = (uint64_t)(reach_ps / e->window_ps) + 4;

	e->slot_count = SLOTS_MIN;
	while (e->slot_count < needed && e->slot_count < SLOTS_MAX)
		e->slot_count *= 2;
	/* How many frames of a fabric scheme may wait for a line is not known. */
	e->wheel_is_short = e->slot_count < needed || fabric_is_on(e->config);
	return 0;
}

/* Rows of two threads share no cache line. */
static void build_wheels(struct engine *e)
{
	uint64_t rows = (uint64_t)e->slot_count * e->threads;

	e->slot_words =
		((e->net->node_count + 63) / 64 + WORDS_OF_LINE - 1) & ~(WORDS_OF_LINE - 1u);
	e->slot_stride = e->slot_words * e->threads;
	e->wheels = memory_new(rows * e->slot_words, sizeof(*e->wheels));
	e->slot_busy = memory_new(rows, sizeof(*e->slot_busy));
	for (uint32_t i = 0; i < e->threads; i++) {
		e->workers[i].wheel = e->wheels + (size_t)i * e->slot_words;
		e->workers[i].slot_busy = e->slot_busy + (size_t)i * e->slot_count;
	}
}

/* --- threads --- */

/* Racks form one stretch of nodes, each tier above another; every thread gets its part of each. */
static int starts_stretch(const struct network *net, uint32_t node)
{
	return node > 0 && net->nodes[node].kind == NODE_SWITCH &&
	       net->nodes[node].tier != net->nodes[node - 1].tier &&
	       net->nodes[node - 1].kind == NODE_SWITCH;
}

/* Splits those of [first, end) that are worked on here among the threads, by the number of their
 * links. */
static void share_nodes(struct engine *e, uint32_t first, uint32_t end)
{
	uint64_t total = 0, sum = 0;
	uint32_t begin = first, thread = 0;

	for (uint32_t i = first; i < end; i++)
		total += engine_owns(e, i) ? e->net->nodes[i].link_count : 0;
	while (end > first && !engine_owns(e, end - 1))
		end--;
	for (uint32_t i = first; i < end; i++) {
		if (!engine_owns(e, i))
			continue;
		sum += e->net->nodes[i].link_count;
		if (i + 1 < end && sum * e->threads < total * (thread + 1))
			continue;

		struct worker *w = &e->workers[thread];

		w->ranges[w->range_count++] = (struct node_range){ begin, i + 1 };
		begin = i + 1;
		while (thread + 1 < e->threads && sum * e->threads >= total * (thread + 1))
			thread++;
	}
}

struct worker *engine_worker(struct engine *e, uint32_t node)
{
	for (uint32_t i = 0; i < e->threads; i++)
		for (uint32_t r = 0; r < e->workers[i].range_count; r++)
			if (node >= e->workers[i].ranges[r].first &&
			    node < e->workers[i].ranges[r].end)
				return &e->workers[i];
	return NULL;
}

/* Room for the states of every connection that may run at the worker's hosts at once. */
static void build_slabs(struct engine *e)
{
	uint32_t *senders = memory_new(e->threads, sizeof(*senders));
	uint32_t *receivers = memory_new(e->threads, sizeof(*receivers));
	uint32_t *thread_of = memory_new(e->net->host_count, sizeof(*thread_of));
	size_t sender_size = 0, receiver_size = 0;

	for (uint32_t i = 0; i <= e->config->traffic_count; i++) {
		const struct transport *t = &e->transports[i];

		if (t->cc->state_size > sender_size)
			sender_size = t->cc->state_size;
		if (t->ops->receiver_bytes > receiver_size)
			receiver_size = t->ops->receiver_bytes;
	}
	sender_size = (sizeof(struct sender) + sender_size + 63) & ~(size_t)63;
	receiver_size = (sizeof(struct receiver) + receiver_size + 63) & ~(size_t)63;

	for (uint32_t i = 0; i < e->net->host_count; i++)
		if (engine_owns_host(e, i))
			thread_of[i] = engine_worker(e, e->net->host_node[i])->index;
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];

		senders[thread_of[f->src]] += engine_owns_host(e, f->src) != 0;
		receivers[thread_of[f->dst]] += engine_owns_host(e, f->dst) != 0;
	}
	/* Any host may be sent to by all. */
	for (uint32_t i = 0; e->mail && i < e->net->host_count; i++)
		senders[thread_of[i]] += e->mail->connections;
	for (uint32_t i = 0; e->mail && i < e->threads; i++)
		receivers[i] += e->mail->connections * e->net->host_count;
	for (uint32_t i = 0; i < e->threads; i++) {
		struct worker *w = &e->workers[i];

		slab_init(&w->senders, senders[i], sender_size);
		slab_init(&w->receivers, receivers[i], receiver_size);
		connection_rings_init(w);
	}
	memory_free(senders, e->threads, sizeof(*senders));
	memory_free(receivers, e->threads, sizeof(*receivers));
	memory_free(thread_of, e->net->host_count, sizeof(*thread_of));
}

/* Each link has its port and some packets, 1 KB or so: small networks are in the cache of one core.
 * Of larger ones the packets that hosts are sent are, which are fewer. */
static enum worker_prefetch fetches_for(uint32_t links)
{
	if (links <= LINKS_IN_CACHE)
		return PREFETCH_NOTHING;
	return links <= 8 * LINKS_IN_CACHE ? PREFETCH_SWITCHES : PREFETCH_ALL;
}

static void build_workers(struct engine *e)
{
	uint32_t first = 0;

	e->prefetch = fetches_for(e->net->link_count);
	e->workers = memory_new(e->threads, sizeof(*e->workers));
	for (uint32_t i = 0; i < e->threads; i++) {
		struct worker *w = &e->workers[i];

		w->engine = e;
		w->index = i;
		w->jitter_ps = (uint64_t)e->jitter_ps;
		w->shared = e->tuner.mode == THREADS_PARALLEL;
		w->link_queue_tail = e->link_queue_tail;
		w->prefetch = w->shared ? PREFETCH_ALL : e->prefetch;
		w->window = UINT64_MAX; /* before window 0 */
		w->buckets = memory_new(SORT_BUCKETS, sizeof(*w->buckets));
		w->later_ps = WEIR_TIME_NEVER_PS;
		weir_packet_pool_init(&w->pool, &e->store);
	}
	build_wheels(e);
	for (uint32_t i = 1; i <= e->net->node_count; i++) {
		if (i == e->net->node_count || starts_stretch(e->net, i)) {
			share_nodes(e, first, i);
			first = i;
		}
	}
	build_slabs(e);
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		struct host *h = &e->hosts[i];

		if (!engine_owns_host(e, i) || h->timer_ps == WEIR_TIME_NEVER_PS)
			continue;
		h->wake_ps = h->timer_ps;
		engine_wake_later(engine_worker(e, h->node), h->node, h->timer_ps);
	}
}

void engine_set_env(const struct engine *e, struct weir_cc_env *env, struct base_trip trip,
		    uint64_t rate_bps)
{
	uint64_t min_rate_bps = e->config->rdma.min_rate_bps;

	env->hops = trip.hops - 1;
	env->rate_bps = rate_bps;
	env->min_rate_bps = min_rate_bps < rate_bps ? min_rate_bps : rate_bps;
	env->base_rtt_ns = weir_ps_to_ns(trip.rtt_ps);
	env->bdp_bytes = weir_ps_to_bytes(trip.rtt_ps, rate_bps);
}

static void build_telemetry(struct engine *e)
{
	if (!e->config->telemetry)
		return;
	if (e->config->rdma.int_flows == INT_FLOWS_SEEN)
		e->flow_counts = memory_new(e->net->link_count, TELEMETRY_COUNT_SIZE);
	if (e->config->rdma.int_flows == INT_FLOWS_EXACT)
		e->flow_censuses = memory_new(e->net->link_count, sizeof(*e->flow_censuses));
}

/* All bytes 0xff are -1: not complete. */
static void build_completions(struct engine *e)
{
	if (e->config->measure.completion != COMPLETION_SENDER)
		return;
	e->acked_ps = memory_new(e->flows.count, sizeof(*e->acked_ps));
	memset(e->acked_ps, 0xff, e->flows.count * sizeof(*e->acked_ps));
}

int engine_new(struct engine **out, const struct config *c, struct network *net,
	       struct flow_list *flows, const struct engine_plan *plan, struct weir_error *error)
{
	struct engine *e = memory_new(1, sizeof(*e));

	*out = e;
	e->config = c;
	e->net = net;
	e->flows = *flows;
	*flows = (struct flow_list){ 0 };
	e->threads = plan->threads;
	e->rollout = plan->rollout;
	if (mailboxes_new(e, plan, error))
		return -1;
	if (route_table_new(&e->routes, net, (int64_t)c->network.reroute_delay_ps, error))
		return -1;
	build_completions(e);
	e->base_rtt_ps = find_base_rtt(e);
	e->rdma_reordering_ps = rdma_reordering_window_ps(e);
	transports_new(e);
	build_telemetry(e);
	if (pairs_new(e, error) || ranks_new(&e->ranks, net, plan->exchange, error))
		return -1;
	build_switches(e);
	e->guard = plugin_guard_new(c);
	e->agents = agents_new(c);
	if (marking_maps_new(&e->marking_maps, c, e->guard, net, error))
		return -1;
	build_ports(e);
	if (agents_start(e->agents, e, error))
		return -1;
	build_lines(e);
	port_stats_new(e);
	if (build_wheel(e, error))
		return -1;
	thread_tuner_init(e, plan);
	packet_memory_new(e);
	hosts_new(e);
	build_workers(e);
	return event_switch_new(e, error) || ranks_begin(e, error) ? -1 : 0;
}

static void free_connections(struct engine *e)
{
	for (uint32_t i = engine_next_flow(e, FLOW_NONE); i != FLOW_NONE;
	     i = engine_next_flow(e, i)) {
		struct flow *f = &e->flows.flows[i];

		if (f->tx != FLOW_NONE) {
			struct worker *w = engine_worker(e, e->net->host_node[f->src]);

			scoreboard_free(w, slab_at(&w->senders, f->tx));
		}
		if (f->rx != FLOW_NONE)
			receiver_free(engine_worker(e, e->net->host_node[f->dst]), f->rx);
	}
}

static void free_workers(struct engine *e)
{
	for (uint32_t i = 0; i < e->threads; i++) {
		struct worker *w = &e->workers[i];

		slab_free(&w->senders);
		slab_free(&w->receivers);
		connection_rings_free(w);
		heap_free(&w->later);
		memory_free(w->buckets, SORT_BUCKETS, sizeof(*w->buckets));
		free(w->keys);
		free(w->ended);
		free(w->sorted);
	}
	memory_free(e->workers, e->threads, sizeof(*e->workers));
}

void engine_free(struct engine *e)
{
	uint32_t links = e->net->link_count;

	crew_free(e->crew);
	if (e->workers) {
		if (e->flows.flows) /* else somebody took them before anything ran */
			free_connections(e);
		free_workers(e);
	}
	ranks_free(e);
	port_stats_free(e);
	event_switch_free(e);
	hosts_free(e);
	packet_memory_free(e);
	agents_free(e->agents);
	plugin_guard_free(e->guard);
	free(e->taps);
	memory_free(e->acked_ps, e->flows.count, sizeof(*e->acked_ps));
	memory_free(e->flow_marks, e->flows.count, sizeof(*e->flow_marks));
	route_table_free(e->routes);
	memory_free(e->switches, e->net->switch_count, sizeof(*e->switches));
	memory_free(e->backlog_bits, e->backlog_words, sizeof(*e->backlog_bits));
	memory_free(e->egresses, links, e->egress_size);
	memory_free(e->port_cold, links, sizeof(*e->port_cold));
	free(e->classes);
	marking_maps_free(e->marking_maps);
	transports_free(e);
	memory_free(e->flow_counts, links, TELEMETRY_COUNT_SIZE);
	for (uint32_t i = 0; e->flow_censuses && i < links; i++)
		flow_census_free(&e->flow_censuses[i]);
	memory_free(e->flow_censuses, links, sizeof(*e->flow_censuses));
	memory_free(e->link_queue_head, links, sizeof(*e->link_queue_head));
	memory_free(e->link_queue_tail, links, sizeof(*e->link_queue_tail));
	memory_free(e->line_first, links, sizeof(*e->line_first));
	memory_free(e->wheels, (uint64_t)e->slot_count * e->slot_stride, sizeof(*e->wheels));
	memory_free(e->slot_busy, (uint64_t)e->slot_count * e->threads, sizeof(*e->slot_busy));
	mailboxes_free(e);
	flow_list_free(&e->flows);
	memory_free(e, 1, sizeof(*e));
}
