/* SPDX-License-Identifier: BSD-3-Clause */
/* event_switch.c -- see event_switch.h. One lookahead window: arrivals merged with departures in
 * event order, by a binary heap of the ports by the time their links are free; O(log ports) a
 * departure. */
#include "base/compiler.h"
#include "sim/core/event_switch.h"
#include "sim/core/switch.h"
#include "sim/parallel/ranks.h"
#include <assert.h>
#include <string.h>

void event_switch_send_frame(struct worker *w, struct switch_state *s, uint32_t ingress,
			     const struct weir_packet *frame, int64_t now_ps)
{
	struct egress *out = engine_egress(
		w->engine, link_queue_reverse(w->engine, s->first_link_queue + ingress));
	int64_t start_ps = weir_port_send_control(&out->port, frame->bytes, now_ps);

	*link_reserve(w, out) = *frame;
	s->events->frames++;
	link_send_until(w, out, start_ps,
			start_ps + weir_port_wire_ps(out->port.kind, frame->bytes));
}

/* Sends a pause or resume frame of the packet's class to the neighbour that sent the packet. */
static void event_switch_send_pfc(struct worker *w, struct switch_state *s,
				  const struct weir_packet *cause, enum weir_pfc_signal signal,
				  int64_t now_ps)
{
	uint32_t ingress = packet_segment((struct weir_packet *)cause)->ingress;
	struct weir_packet frame =
		link_frame_make(signal == WEIR_PFC_PAUSE ? FRAME_PAUSE : FRAME_RESUME);

	frame.class_id = cause->class_id;
	event_switch_send_frame(w, s, ingress, &frame, now_ps);
}

/* A packet is stored: counts it at its ingress, and pauses the neighbour at the XOFF threshold. */
static inline ALWAYS_INLINE void event_switch_account_arrival(struct worker *w,
							      struct switch_state *s,
							      const struct weir_packet *packet,
							      int64_t now_ps)
{
	uint32_t ingress = packet_segment((struct weir_packet *)packet)->ingress;
	enum weir_pfc_signal signal = switch_pfc_enter(&s->events->pfc, ingress, packet);

	if (UNLIKELY(signal != WEIR_PFC_NOTHING)) {
		s->events->paused_count++;
		event_switch_send_pfc(w, s, packet, signal, now_ps);
	}
}

/* A stored packet has left: resumes the neighbour at the XON threshold. */
static inline void event_switch_account_departure(struct worker *w, struct switch_state *s,
						  const struct weir_packet *packet, int64_t now_ps)
{
	uint32_t ingress = packet_segment((struct weir_packet *)packet)->ingress;
	enum weir_pfc_signal signal = switch_pfc_leave(&s->events->pfc, ingress, packet);

	if (UNLIKELY(signal != WEIR_PFC_NOTHING)) {
		s->events->paused_count--;
		event_switch_send_pfc(w, s, packet, signal, now_ps);
	}
}

/* --- departures --- */

/* Does it hold packets that are not paused? */
static inline int port_may_send(const struct weir_port *p)
{
	return p->pkts && p->free_ps != WEIR_PORT_BLOCKED_PS;
}

/* Schedules the next departure of a port, unless it is scheduled or has none. */
static inline void event_switch_schedule(struct switch_state *s, const struct egress *out,
					 uint32_t port)
{
	uint64_t bit = UINT64_C(1) << (port % 64);

	if (s->backlog[port / 64] & bit || !port_may_send(&out->port))
		return;
	s->backlog[port / 64] |= bit;
	heap_push(&s->events->departures, out->port.free_ps, port);
}

/* Tells the fabric scheme that a packet has left its queue, sent or dropped. */
static inline ALWAYS_INLINE void event_switch_packet_left(struct worker *w, struct switch_state *s,
							  uint32_t port, struct weir_packet *packet,
							  int answer, int64_t now_ps)
{
	const struct fabric_ops *fabric = s->events->fabric;

	if (answer != WEIR_PORT_SEND && fabric->lost)
		fabric->lost(w, s, port, packet);
	fabric->leave(w, s, port, packet, now_ps);
}

/* The next packet leaves a port, whose link is free. A fabric scheme may reuse the memory that the
 * packet was in: it gets a copy. */
static inline void event_switch_depart(struct worker *w, struct switch_state *s, struct egress *out,
				       uint32_t port)
{
	int64_t start_ps = out->port.free_ps;
	uint32_t queue = 0;
	struct weir_packet *packet = weir_port_dequeue_next(&out->port, &w->pool, &queue), copy;

	if (!packet)
		return;

	int answer = weir_port_start(&out->port, packet, queue);

	if (s->events->fabric) {
		copy = *packet;
		packet = &copy;
		event_switch_packet_left(w, s, port, packet, answer, start_ps);
	}
	if (answer == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, NULL, start_ps, w->engine->int_stacks != NULL);
	else
		packet_retire(w, packet);
	event_switch_account_departure(w, s, packet, start_ps);
}

void event_switch_set_timer(struct switch_state *s, uint32_t ingress, int64_t time_ps)
{
	heap_push(&s->events->departures, time_ps, (uint64_t)s->link_count + ingress);
}

/* A link fails: no resume frame can arrive any more, so its pauses end, and the packets queued
 * there are sent and lost. */
static void event_switch_on_failure(struct switch_state *s, uint32_t port, int64_t now_ps)
{
	struct engine *e = s->engine;
	uint32_t link = s->first_link + port;
	struct weir_port *p = &engine_egress(e, link)->port;

	for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
		if (e->pauses[link].class[k].since_ps < 0)
			continue;
		link_record_pause(e, link, k, 0, now_ps);
		port_apply_pfc_signal(p, k, WEIR_PFC_RESUME, now_ps);
	}
	event_switch_schedule(s, switch_egress(s, port), port);
}

/* Handles an entry of the heap that is no port's departure. */
static NOINLINE void event_switch_on_timer(struct worker *w, struct switch_state *s)
{
	struct heap_entry entry = heap_pop(&s->events->departures);
	uint32_t number = (uint32_t)entry.key - s->link_count;

	if (number >= s->link_queue_count)
		event_switch_on_failure(s, number - s->link_queue_count, entry.time_ps);
	else
		s->events->fabric->timer(w, s, number, entry.time_ps);
}

static inline int event_switch_is_due(const struct event_switch *ev, int64_t limit_ps)
{
	return heap_first_ps(&ev->departures) < limit_ps;
}

/* Sends every packet that can start before limit_ps, in event order. A departure may add others to
 * the heap, but only for later times, so its port stays the first in it. */
static void event_switch_send_until(struct worker *w, struct switch_state *s, int64_t limit_ps)
{
	struct heap *departures = &s->events->departures;

	while (event_switch_is_due(s->events, limit_ps)) {
		struct heap_entry entry = departures->entries[0];
		uint32_t port = (uint32_t)entry.key;

		if (UNLIKELY(port >= s->link_count)) {
			event_switch_on_timer(w, s);
			continue;
		}

		struct egress *out = switch_egress(s, port);

		/* A link frame of this switch may have occupied the link meanwhile. */
		if (out->port.free_ps == entry.time_ps)
			event_switch_depart(w, s, out, port);
		assert(departures->entries[0].key == port);
		if (port_may_send(&out->port)) {
			heap_replace(departures, out->port.free_ps, port);
		} else {
			heap_pop(departures);
			s->backlog[port / 64] &= ~(UINT64_C(1) << (port % 64));
		}
	}
}

/* --- arrivals --- */

void event_switch_pause_queue(struct switch_state *s, uint32_t port, uint32_t queue,
			      enum weir_pfc_signal signal, int64_t now_ps)
{
	struct weir_port *p = &switch_egress(s, port)->port;

	if (signal == WEIR_PFC_PAUSE)
		weir_port_pause(p, queue);
	else
		weir_port_resume(p, queue, now_ps);
	event_switch_schedule(s, switch_egress(s, port), port);
}

uint32_t event_switch_on_frame(struct worker *w, struct switch_state *s, uint32_t ingress,
			       const struct weir_packet *frame)
{
	struct engine *e = w->engine;
	uint32_t link = link_queue_reverse(e, s->first_link_queue + ingress);
	uint32_t kind = packet_segment((struct weir_packet *)frame)->frame_kind;
	int pause = kind == FRAME_PAUSE;

	s->events->frames--;
	if (kind >= FRAME_FABRIC) {
		s->events->fabric->frame(w, s, ingress, frame);
	} else if (frame->time_ps < e->net->links[link].fails_ps) {
		link_record_pause(e, link, frame->class_id, pause, frame->time_ps);
		port_apply_pfc_signal(&engine_egress(e, link)->port, frame->class_id,
				      pause ? WEIR_PFC_PAUSE : WEIR_PFC_RESUME, frame->time_ps);
	}
	return link - s->first_link;
}

/* Offers a packet to its port at packet->time_ps. Returns the port's answer. */
static inline ALWAYS_INLINE int event_switch_offer(struct worker *w, struct switch_state *s,
						   struct egress *out, uint32_t port,
						   struct weir_packet *packet)
{
	const struct fabric_ops *fabric = s->events->fabric;
	int64_t now_ps = packet->time_ps;
	int answer = weir_port_offer_inline(&out->port, &w->pool, packet, now_ps);

	if (answer == WEIR_PORT_QUEUED) {
		if (fabric && fabric->queued) {
			const struct weir_queue *q = weir_port_queues(&out->port) +
						     out->port.kind->class_queue[packet->class_id];

			fabric->queued(w, s, port, &w->pool.slots[q->tail - 1]);
		}
		event_switch_schedule(s, out, port);
		return answer;
	}
	if (fabric)
		event_switch_packet_left(w, s, port, packet, answer, now_ps);
	if (answer == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, NULL, now_ps, w->engine->int_stacks != NULL);
	else
		packet_retire(w, packet);
	return answer;
}

static inline void event_switch_forward(struct worker *w, struct switch_state *s, uint32_t ingress,
					struct weir_packet *packet)
{
	struct event_switch *ev = s->events;
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint32_t port = (uint32_t)(segment->path & s->route_mask), class_id = packet->class_id;
	struct egress *out = switch_egress(s, port);

	segment->path >>= s->route_bits;
	segment->ingress = (uint16_t)ingress;
	if (!out->port.stats && s->engine->measuring &&
	    (out->port.free_ps > now_ps || ev->fabric ||
	     weir_port_is_paused(&out->port, out->port.kind->class_queue[class_id])))
		port_stats_start(s->engine, &out->port);
	if (ev->pfc.classes && !switch_pfc_admits(&ev->pfc, ingress, packet, &out->port)) {
		out->port.cold->drops[WEIR_DROP_SHARED_BUFFER_FULL]++;
		if (ev->fabric)
			ev->fabric->leave(w, s, port, packet, now_ps);
		packet_retire(w, packet);
		return;
	}
	if (ev->fabric && ev->fabric->arrive(w, s, port, packet) == FABRIC_KEEP) {
		ev->kept_pkts++;
		s->shared_buffer.used_bytes += packet->bytes;
		event_switch_account_arrival(w, s, packet, now_ps);
	} else if (event_switch_offer(w, s, out, port, packet) == WEIR_PORT_QUEUED) {
		event_switch_account_arrival(w, s, packet, now_ps);
	}
}

void event_switch_release(struct worker *w, struct switch_state *s, uint32_t port,
			  struct weir_packet *packet)
{
	int64_t now_ps = packet->time_ps;

	s->events->kept_pkts--;
	s->shared_buffer.used_bytes -= packet->bytes;
	if (event_switch_offer(w, s, switch_egress(s, port), port, packet) != WEIR_PORT_QUEUED)
		event_switch_account_departure(w, s, packet, now_ps);
}

void event_switch_activate(struct switch_state *s, int64_t now_ps)
{
	switch_sync(&s->shared_buffer, now_ps);
	s->shared_buffer.sync = NULL;
	s->events->is_active = 1;
	memset(s->backlog, 0, (s->link_count + 63) / 64 * sizeof(*s->backlog));
	for (uint32_t i = 0; i < s->link_count; i++)
		event_switch_schedule(s, switch_egress(s, i), i);
}

/* Returns to the fast path: no neighbour is paused. */
static void event_switch_deactivate(struct switch_state *s)
{
	s->shared_buffer.sync = switch_sync;
	s->events->is_active = 0;
	heap_clear(&s->events->departures);
	for (uint32_t i = 0; i < s->link_count; i++)
		if (switch_egress(s, i)->port.pkts)
			s->backlog[i / 64] |= UINT64_C(1) << (i % 64);
}

void event_switch_run(struct worker *w, struct switch_state *s, const uint64_t *keys,
		      uint32_t count)
{
	struct event_switch *ev = s->events;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t ingress = (uint32_t)(keys[i] & ((1u << SWITCH_INGRESS_BITS) - 1));
		uint32_t *head = &s->heads[ingress], slot = *head;
		struct weir_packet *packet = &w->pool.slots[slot];

		if (event_switch_is_due(ev, packet->time_ps + 1))
			event_switch_send_until(w, s, packet->time_ps + 1);
		if (packet_is_link_frame(packet)) {
			uint32_t port = event_switch_on_frame(w, s, ingress, packet);

			event_switch_schedule(s, switch_egress(s, port), port);
		} else {
			event_switch_forward(w, s, ingress, packet);
		}
		*head = link_queue_advance(&w->pool, slot);
	}
	event_switch_send_until(w, s, w->limit_ps);
	if (ev->departures.count && ev->departures.entries[0].time_ps >= w->end_ps)
		engine_wake(w, s->node, ev->departures.entries[0].time_ps);
	if (!ev->paused_count && !ev->always_active)
		event_switch_deactivate(s);
}

/* --- building --- */

/* Does a marking scheme read the shared buffer at dequeue? It then has to see the fill at that
 * time, without later arrivals. */
static int marking_reads_shared_buffer(const struct engine *e)
{
	for (uint32_t i = 0; i < e->class_count; i++)
		if (e->classes[i].mark_dequeue &&
		    e->classes[i].mark_needs & WEIR_MARK_NEEDS_SHARED_BUFFER)
			return 1;
	return 0;
}

static int event_switch_init(struct engine *e, struct switch_state *s, struct weir_error *error)
{
	struct event_switch *ev;

	if (s->link_queue_count > UINT16_MAX)
		return weir_error_set(error,
				      "switch.lossless: a switch has %u links; "
				      "where packets remember where they came in, it may have %d",
				      s->link_queue_count, UINT16_MAX);
	s->events = ev = memory_new(1, sizeof(*ev));
	if (switch_pfc_init(&ev->pfc, e, s, error))
		return -1;
	ev->always_active = fabric_is_on(e->config) || marking_reads_shared_buffer(e);
	heap_clear(&ev->departures);
	for (uint32_t i = 0; i < s->link_count; i++) {
		if (e->net->links[s->first_link + i].fails_ps == WEIR_TIME_NEVER_PS)
			continue;
		heap_push(&ev->departures, e->net->links[s->first_link + i].fails_ps,
			  (uint64_t)s->link_count + s->link_queue_count + i);
		ev->always_active = 1;
	}
	if (fabric_is_on(e->config)) {
		ev->fabric = e->config->fabric;
		ev->fabric_state = ev->fabric->new_switch(e, s);
	}
	s->features |= SWITCH_F_PFC;
	if (ev->always_active)
		event_switch_activate(s, 0);
	return 0;
}

int event_switch_new(struct engine *e, struct weir_error *error)
{
	const struct config *c = e->config;

	if (!c->lossless && !fabric_is_on(c) && !(c->telemetry && marking_reads_shared_buffer(e)))
		return 0;
	e->pauses = memory_new(e->net->link_count, sizeof(*e->pauses));
	for (uint32_t i = 0; i < e->net->link_count; i++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			e->pauses[i].class[k].since_ps = -1;
	for (uint32_t i = 0; i < e->net->switch_count; i++)
		if (engine_owns(e, e->switches[i].node) &&
		    event_switch_init(e, &e->switches[i], error))
			return -1;
	if (fabric_is_on(c) && c->fabric->new_hosts)
		c->fabric->new_hosts(e);
	return 0;
}

void event_switch_free(struct engine *e)
{
	for (uint32_t i = 0; e->pauses && i < e->net->switch_count; i++) {
		struct switch_state *s = &e->switches[i];
		struct event_switch *ev = s->events;

		if (!ev)
			continue;
		if (ev->fabric)
			ev->fabric->free_switch(s, ev->fabric_state);
		heap_free(&ev->departures);
		switch_pfc_free(&ev->pfc, s);
		memory_free(ev, 1, sizeof(*ev));
	}
	if (fabric_is_on(e->config) && e->config->fabric->free_hosts)
		e->config->fabric->free_hosts(e);
	memory_free(e->pauses, e->net->link_count, sizeof(*e->pauses));
}
