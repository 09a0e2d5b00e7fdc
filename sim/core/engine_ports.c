/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_ports.c -- the ports of links: their classes, their memory, and their statistics.
 *
 * Statistics are as large as the port's longest queue needs: full histograms of all ports would be
 * most of the memory of a large network. A port takes memory from the slabs once, or a few times in
 * a run, so one lock for all threads is enough. */
#include "sim/core/engine.h"
#include "config/nic.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include "sim/core/agents.h"
#include "sim/core/host.h"
#include "sim/core/marking_map.h"
#include "sim/parallel/ranks.h"
#include <string.h>

/* --- classes --- */

/* A port's plan follows from its node's kind and tier, and its rate. */
static struct weir_port_plan port_plan_for(const struct engine *e, const struct net_node *from,
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
		if (c->lossless) { /* control packets queue by class; the host picks the next */
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

/* The class of ports with that rate and marking; made on first use. Hosts' ports have a marking of
 * their own. */
static uint32_t port_class_find(struct engine *e, const struct net_node *from, uint64_t rate_bps)
{
	struct weir_port_plan plan = port_plan_for(e, from, rate_bps);

	for (uint32_t i = 0; i < e->class_count; i++)
		if (e->classes[i].rate_bps == rate_bps && e->classes[i].mark == plan.mark &&
		    e->classes[i].mark_params == plan.mark_params)
			return i;
	e->classes = memory_grow(e->classes, e->class_count + UINT64_C(1), sizeof(*e->classes));
	weir_port_class_init(&e->classes[e->class_count], &plan);
	return e->class_count++;
}

/* The class of the previous link, which most often has the next one's, and what it follows from. */
struct port_class_cache {
	uint64_t rate_bps; /* 0: empty */
	uint8_t kind, tier;
	uint32_t class;
};

static uint32_t port_class_of(struct engine *e, uint32_t link, struct port_class_cache *m)
{
	const struct net_link *l = &e->net->links[link];
	const struct net_node *from = &e->net->nodes[l->from];

	if (m->rate_bps != l->rate_bps || m->kind != from->kind || m->tier != from->tier)
		*m = (struct port_class_cache){ l->rate_bps, from->kind, from->tier,
						port_class_find(e, from, l->rate_bps) };
	return m->class;
}

struct weir_port_plan engine_port_plan(const struct engine *e, uint32_t link)
{
	const struct net_link *l = &e->net->links[link];

	return port_plan_for(e, &e->net->nodes[l->from], l->rate_bps);
}

/* --- ports --- */

void engine_build_ports(struct engine *e)
{
	const struct network *net = e->net;
	struct port_class_cache last = { 0 };
	size_t port_size = 0;

	e->nic_mark = nic_marking(e->config, e->guard);
	for (uint32_t i = 0; i < net->link_count; i++) {
		uint32_t class = port_class_of(e, i, &last);

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
		struct weir_shared_buffer *shared = NULL;

		/* With ranks a port exists at the ranks of both its ends. Agents, which every rank
		 * has, need all ports. */
		if (e->ranks && !engine_owns(e, link->from) && !engine_owns(e, link->to) &&
		    !tune_is_on(e->config))
			continue;
		if (from->kind == NODE_SWITCH &&
		    e->config->switches.buffer_per == WEIR_BUFFER_PER_SWITCH)
			shared = &e->switches[from->number].shared_buffer;
		out->delay_ps = engine_delay_ps(e, i);
		out->tail = WEIR_SLOT_NONE;
		out->link_queue = link->link_queue;
		out->link = i;
		out->to = link->to | EGRESS_SLOW_PATH;
		weir_port_init(&out->port, &e->classes[port_class_of(e, i, &last)], shared,
			       weir_hash64(e->config->seed, i));
		out->port.cold = &e->port_cold[i];
		if (from->kind == NODE_SWITCH)
			e->switches[from->number].features |=
				(shared ? SWITCH_F_SHARED_BUFFER : 0) |
				(weir_port_is_fast_fifo(&out->port) ? 0 : SWITCH_F_SLOW_DEQUEUE);
	}
}

/* --- statistics --- */

/* Histogram buckets by size of the struct: 128, 256 and 512 bytes, 1 KiB, and all buckets. A bucket
 * is one number of packets in all sizes but the last. */
static const uint32_t buckets_of[PORT_STATS_SIZES] = { 6, 22, 54, 118, WEIR_PORT_STATS_BUCKETS };

_Static_assert(offsetof(struct weir_port_stats, bucket_ps) == 80, "two cache lines with 6 buckets");

/* Each slab has a struct for every link, so it cannot run out. */
void port_stats_new(struct engine *e)
{
	struct port_stats_store *s = &e->port_stats;

	pthread_mutex_init(&s->lock, NULL);
	for (uint32_t i = 0; i < PORT_STATS_SIZES; i++)
		slab_init(&s->sizes[i], e->net->link_count, weir_port_stats_size(buckets_of[i]));
	if (e->config->measure.sojourn)
		slab_init(&s->sojourns, e->net->link_count, sizeof(struct weir_port_sojourns));
}

void port_stats_free(struct engine *e)
{
	struct port_stats_store *s = &e->port_stats;

	if (!s->sizes[0].objects)
		return;
	for (uint32_t i = 0; i < PORT_STATS_SIZES; i++)
		slab_free(&s->sizes[i]);
	slab_free(&s->sojourns);
	pthread_mutex_destroy(&s->lock);
}

/* The smallest size that has a bucket for that many packets. */
static uint32_t stats_size_for(uint32_t pkts)
{
	uint32_t size = 0;

	while (size + 1 < PORT_STATS_SIZES && pkts >= buckets_of[size])
		size++;
	return size;
}

static void stats_grow(struct weir_port *p)
{
	struct weir_port_stats *old = p->stats;
	struct port_stats_store *s = old->owner;
	uint32_t size = stats_size_for(old->max_pkts), before = stats_size_for(old->buckets - 1);
	struct slab *slab = &s->sizes[before];

	pthread_mutex_lock(&s->lock);
	p->stats = slab_at(&s->sizes[size], slab_alloc(&s->sizes[size]));
	memcpy(p->stats, old, weir_port_stats_size(old->buckets));
	slab_release(slab, (uint32_t)((size_t)((char *)old - slab->objects) / slab->size));
	pthread_mutex_unlock(&s->lock);
	p->stats->buckets = buckets_of[size];
	if (size + 1 == PORT_STATS_SIZES)
		p->stats->grow = NULL;
}

void port_stats_start(struct engine *e, struct weir_port *p)
{
	struct port_stats_store *s = &e->port_stats;
	uint32_t size = stats_size_for(p->pkts);
	struct weir_port_stats *stats;

	pthread_mutex_lock(&s->lock);
	stats = slab_at(&s->sizes[size], slab_alloc(&s->sizes[size]));
	if (e->config->measure.sojourn)
		stats->sojourns = slab_at(&s->sojourns, slab_alloc(&s->sojourns));
	pthread_mutex_unlock(&s->lock);
	weir_port_stats_start_sized(p, stats, buckets_of[size], e->measure_from_ps);
	stats->owner = s;
	if (size + 1 < PORT_STATS_SIZES)
		stats->grow = stats_grow;
}
