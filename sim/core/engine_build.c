/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_build.c -- lays out a simulation in memory, and returns it: links, switches, workers.
 * Ports are in engine_ports.c, the timing wheel is in timing_wheel.c. */
#include "sim/core/engine.h"
#include "config/plugin.h"
#include "sim/core/agents.h"
#include "sim/core/event_switch.h"
#include "sim/core/host.h"
#include "sim/core/job_run.h"
#include "sim/core/link.h"
#include "sim/core/mailbox.h"
#include "sim/core/marking_map.h"
#include "sim/core/telemetry.h"
#include "sim/parallel/ranks.h"
#include "weir/rng.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* LINKS_IN_CACHE: with about 1 KB each of port and packets they fit into the cache of one core. */
enum { LINKS_IN_CACHE = 1024, SORT_BUCKETS = 4096 + 1 };

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

/* Hosts whose links are alike have the same base RTT to any third host. */
static int links_are_alike(const struct net_link *a, const struct net_link *b)
{
	return a->to == b->to && a->rate_bps == b->rate_bps && a->delay_ps == b->delay_ps;
}

static uint32_t find_furthest_host(struct engine *e, uint32_t from, int64_t *longest_ps)
{
	uint32_t furthest = from;
	struct base_trip trip = { 0, 0 };
	const struct net_link *last = NULL; /* of the host that trip leads to */

	*longest_ps = 0;
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		const struct net_link *link =
			&e->net->links[e->net->nodes[e->net->host_node[i]].first_link];

		if (i == from)
			continue;
		if (!last || !links_are_alike(last, link))
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

/* The longest base RTT of the network, by a double sweep from host 0: exact in trees and in every
 * topology that Weir builds. */
static int64_t find_base_rtt(struct engine *e)
{
	int64_t first_ps, second_ps;

	find_furthest_host(e, find_furthest_host(e, 0, &first_ps), &second_ps);
	return second_ps > first_ps ? second_ps : first_ps;
}

/* --- links and switches --- */

static void build_link_queues(struct engine *e)
{
	uint32_t count = e->net->link_count;

	e->link_queue_head = memory_new(count, sizeof(*e->link_queue_head));
	e->link_queue_tail = memory_new(count, sizeof(*e->link_queue_tail));
	e->link_queue_first = memory_new(count, sizeof(*e->link_queue_first));
	for (uint32_t i = 0; i < count; i++) {
		e->link_queue_head[i] = WEIR_SLOT_NONE;
		atomic_init(&e->link_queue_tail[i], WEIR_SLOT_NONE);
		atomic_init(&e->link_queue_first[i], WEIR_SLOT_NONE);
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
			.shared_buffer = { .owner = s, .sync = switch_sync },
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
		assert(s->link_queue_count <= 1u << SWITCH_INGRESS_BITS);
		s->route_mask = (UINT64_C(1) << s->route_bits) - 1;
		words += (node->link_count + 63) / 64;
	}
}

/* --- threads --- */

/* Does another tier of switches begin with this node? Racks are one range of nodes, and so is each
 * tier above them. Every thread gets its share of each range. */
static int tier_begins_at(const struct network *net, uint32_t node)
{
	return node > 0 && net->nodes[node].kind == NODE_SWITCH &&
	       net->nodes[node].tier != net->nodes[node - 1].tier &&
	       net->nodes[node - 1].kind == NODE_SWITCH;
}

/* Splits this rank's nodes of [first, end) among the threads, by the number of their links. */
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

/* Slabs for the state of every connection that may be open at the worker's hosts at once. */
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
	/* Any host may receive from all others. */
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

/* A small network fits into the cache of one core. In a larger one what hosts need still does,
 * since fewer packets arrive at hosts than at switches. */
static enum worker_prefetch prefetch_for(uint32_t links)
{
	if (links <= LINKS_IN_CACHE)
		return PREFETCH_NOTHING;
	return links <= 8 * LINKS_IN_CACHE ? PREFETCH_SWITCHES : PREFETCH_ALL;
}

static void build_workers(struct engine *e)
{
	uint32_t first = 0;

	e->prefetch = prefetch_for(e->net->link_count);
	e->workers = memory_new(e->threads, sizeof(*e->workers));
	for (uint32_t i = 0; i < e->threads; i++) {
		struct worker *w = &e->workers[i];

		w->engine = e;
		w->index = i;
		w->jitter_ps = (uint64_t)e->jitter_ps;
		w->shared = e->tuner.mode == THREADS_PARALLEL;
		w->link_queue_tail = e->link_queue_tail;
		w->prefetch = w->shared ? PREFETCH_ALL : e->prefetch;
		w->lookahead = UINT64_MAX; /* precedes lookahead window 0 */
		w->buckets = memory_new(SORT_BUCKETS, sizeof(*w->buckets));
		w->overflow_ps = WEIR_TIME_NEVER_PS;
		weir_packet_pool_init(&w->pool, &e->store);
	}
	timing_wheel_new(e);
	for (uint32_t i = 1; i <= e->net->node_count; i++) {
		if (i == e->net->node_count || tier_begins_at(e->net, i)) {
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

/* 0xff in all bytes is -1: not complete. */
static void build_completions(struct engine *e)
{
	e->sees_acks =
		e->config->measure.completion == COMPLETION_SENDER || jobs_wait_for_acks(&e->flows);
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
	engine_build_ports(e);
	if (agents_start(e->agents, e, error))
		return -1;
	build_link_queues(e);
	port_stats_new(e);
	if (timing_wheel_init(e, error))
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
		heap_free(&w->overflow);
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

	thread_pool_free(e->pool);
	if (e->workers) {
		if (e->flows.flows) /* NULL: run_take_built has taken them */
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
	memory_free(e->link_queue_first, links, sizeof(*e->link_queue_first));
	timing_wheel_free(e);
	mailboxes_free(e);
	flow_list_free(&e->flows);
	memory_free(e, 1, sizeof(*e));
}
