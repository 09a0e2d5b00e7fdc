/* SPDX-License-Identifier: BSD-3-Clause */
/* nic.c -- NICs with a queue (host.nic = fifo, fq): what their ports are made from, and how packets
 * pass through them. Runs on the worker that owns the host.
 *
 * Where the NIC has delays, a data packet first waits in the delay line that its flow's hash chose.
 * All packets of a delay line wait for the same time, so each is a FIFO ring with one timer for the
 * packet at its head.
 *
 * Differs: Linux fq serves new flows first and drops from the longest queue; here a full NIC drops
 * the arriving packet. TCP small queues keep most of a connection's window out of Linux's queues;
 * ns-3 has no such limit, nor do these NICs. */
#include "base/memory.h"
#include "config/nic.h"
#include "config/plugin.h"
#include "sim/core/host.h"
#include <stdlib.h>

/* --- building --- */

/* A NIC with several queues chooses a packet's queue by its flow's hash. */
static uint32_t nic_choose_queue(void *state, const void *params, const struct weir_mark_view *v,
				 const struct weir_queue *queues)
{
	(void)state;
	(void)params;
	(void)queues;
	return host_flow_queue(v->flow_hash, WEIR_QUEUES_MAX);
}

struct weir_mark_ops nic_marking(const struct config *c, const struct plugin_guard *guard)
{
	struct weir_mark_ops mark = { .scheme.name = "none" };
	const struct weir_mark_ops *own = c->nic_mark;
	const void *params = c->nic_mark_params;

	plugin_guard_mark(guard, &own, &params);
	if (nic_has_queue(c))
		mark = *own;
	if (nic_has_queue(c) && c->nic->queues > 1) {
		mark.choose_queue = nic_choose_queue;
		mark.fast_hooks = NULL;
	}
	return mark;
}

void nic_plan_port(const struct config *c, const struct plugin_guard *guard,
		   struct weir_port_plan *plan)
{
	const struct nic_params *p = (const void *)c->nic_params;
	const struct weir_mark_ops *own = c->nic_mark;

	plan->queues = c->nic->queues;
	plan->mark_params = c->nic_mark_params;
	plugin_guard_mark(guard, &own, &plan->mark_params);
	plan->sched = c->nic_sched;
	plan->sched_params = c->nic_sched_params;
	plan->pass_not_ect = (uint32_t)c->switches.non_ect;
	weir_buffer_params_init(&plan->buffer, WEIR_BUFFER_PER_PORT, p->limit, 0);
}

/* --- delays --- */

/* Packets that wait for one delay, oldest first; their time_ps is when the wait ends. */
struct delay_line {
	struct weir_packet *packets; /* ring of mask + 1 packets; NULL: none yet */
	uint32_t head, count, mask;
};

enum { DELAY_ROOM_FIRST = 64 };

/* Salt of the hash that chooses a flow's delay, independent of the one that chooses its path. */
enum { DELAY_DRAW = 0x64656c };

/* NULL: the NIC has no queue. */
static const struct nic_params *nic_queue_params(const struct config *c)
{
	return nic_has_queue(c) ? (const void *)c->nic_params : NULL;
}

void nic_delays_new(const struct config *c, struct host *h)
{
	const struct nic_params *p = nic_queue_params(c);

	if (p && p->delay_count)
		h->delays = memory_new(p->delay_count, sizeof(*h->delays));
}

void nic_delays_free(const struct config *c, struct host *h)
{
	const struct nic_params *p = nic_queue_params(c);

	if (!h->delays)
		return;
	for (uint32_t i = 0; i < p->delay_count; i++)
		free(h->delays[i].packets);
	memory_free(h->delays, p->delay_count, sizeof(*h->delays));
}

uint64_t nic_delayed_pkts(const struct config *c, const struct host *h)
{
	const struct nic_params *p = nic_queue_params(c);
	uint64_t count = 0;

	for (uint32_t i = 0; h->delays && i < p->delay_count; i++)
		count += h->delays[i].count;
	return count;
}

/* Doubles a full ring and moves its head to index 0. */
static void delay_line_grow(struct delay_line *line)
{
	uint32_t room = line->packets ? 2 * (line->mask + 1) : DELAY_ROOM_FIRST;
	struct weir_packet *packets = memory_grow(NULL, room, sizeof(*packets));

	for (uint32_t i = 0; i < line->count; i++)
		packets[i] = line->packets[(line->head + i) & line->mask];
	free(line->packets);
	*line = (struct delay_line){ packets, 0, line->count, room - 1 };
}

static void nic_delay(struct worker *w, struct host *h, const struct weir_packet *packet)
{
	const struct nic_params *p = nic_queue_params(w->engine->config);
	uint32_t number = host_flow_queue((uint32_t)weir_hash64(packet->flow_hash, DELAY_DRAW),
					  p->delay_count);
	struct delay_line *line = &h->delays[number];
	struct weir_packet *place;

	if (!line->packets || line->count > line->mask)
		delay_line_grow(line);
	place = &line->packets[(line->head + line->count++) & line->mask];
	*place = *packet;
	place->time_ps = h->now_ps + p->delay_ps[number];
	if (line->count == 1)
		host_timer(h, place->time_ps, TIMER_NIC_DELAY, number);
}

/* --- running --- */

static void nic_offer(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps)
{
	const struct engine *e = w->engine;
	struct weir_port *p = &h->out->port;
	int answer;

	if (p->pkts == 0 && p->free_ps > now_ps && !p->stats && e->measuring)
		port_stats_start(w->engine, p);
	answer = weir_port_offer_inline(p, &w->pool, packet, now_ps);
	if (answer == WEIR_PORT_SEND)
		nic_link_send(w, h, now_ps);
	else if (answer == WEIR_PORT_DROPPED)
		packet_retire(w, packet);
	h->pending = p->pkts;
}

void nic_enqueue(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps)
{
	if (packet_segment(packet)->path == PATH_NONE) {
		h->out->port.cold->drops[WEIR_DROP_LINK_DOWN]++;
		packet_retire(w, packet);
	} else if (h->delays && !(packet->flags & SEGMENT_ACK)) {
		nic_delay(w, h, packet);
	} else {
		nic_offer(w, h, packet, now_ps);
	}
}

void nic_on_delay_timer(struct worker *w, struct host *h, uint32_t delay)
{
	struct delay_line *line = &h->delays[delay];
	struct weir_packet *place = link_reserve(w, h->out);

	*place = line->packets[line->head];
	line->head = (line->head + 1) & line->mask;
	if (--line->count)
		host_timer(h, line->packets[line->head].time_ps, TIMER_NIC_DELAY, delay);
	nic_offer(w, h, place, h->now_ps);
}

void nic_run_queue(struct worker *w, struct host *h, int64_t limit_ps)
{
	struct egress *out = h->out;

	while (out->port.pkts && out->port.free_ps < limit_ps) {
		int64_t start_ps = out->port.free_ps;
		struct weir_packet *place = link_reserve(w, out);
		uint32_t queue = 0;
		struct weir_packet *next = weir_port_dequeue_next(&out->port, &w->pool, &queue);

		if (!next)
			continue;
		if (weir_port_start(&out->port, next, queue) == WEIR_PORT_SEND) {
			*place = *next;
			nic_link_send(w, h, start_ps);
		} else { /* dropped by its marking scheme */
			packet_retire(w, next);
		}
	}
	h->pending = out->port.pkts;
}
