/* SPDX-License-Identifier: BSD-3-Clause */
/* event_switch.c -- one window of a switch that goes through arrivals and departures in one order
 * of time, with a heap of ports by the time their line is free. */
#include "base/compiler.h"
#include "sim/core/event_switch.h"
#include "sim/core/switch.h"
#include "sim/parallel/ranks.h"
#include <assert.h>
#include <string.h>

void event_switch_send_frame(struct worker *w, struct switch_state *s, uint32_t input,
			     const struct weir_packet *frame, int64_t now_ps)
{
	struct egress *out = engine_egress(
		w->engine, link_queue_reverse(w->engine, s->first_link_queue + input));
	int64_t start_ps = weir_port_send_control(&out->port, frame->bytes, now_ps);

	*link_reserve(w, out) = *frame;
	s->events->frames++;
	link_send_until(w, out, start_ps,
			start_ps + weir_port_wire_ps(out->port.kind, frame->bytes));
}

/* Tells the neighbour at the other end of an input to stop the packet's class, or to go on. */
static void send_signal(struct worker *w, struct switch_state *s, const struct weir_packet *cause,
			enum weir_pfc_signal signal, int64_t now_ps)
{
	uint32_t input = packet_segment((struct weir_packet *)cause)->ingress;
	struct weir_packet frame =
		link_frame_make(signal == WEIR_PFC_PAUSE ? FRAME_PAUSE : FRAME_RESUME);

	frame.class_id = cause->class_id;
	event_switch_send_frame(w, s, input, &frame, now_ps);
}

/* The packet is stored, or is gone: where its input's neighbour is to stop, or may go on, it is
 * told so. */
static inline ALWAYS_INLINE void account_arrival(struct worker *w, struct switch_state *s,
						 const struct weir_packet *packet, int64_t now_ps)
{
	uint32_t input = packet_segment((struct weir_packet *)packet)->ingress;
	enum weir_pfc_signal signal = switch_pfc_enter(&s->events->pfc, input, packet);

	if (UNLIKELY(signal != WEIR_PFC_NOTHING)) {
		s->events->stopped++;
		send_signal(w, s, packet, signal, now_ps);
	}
}

static inline void account_departure(struct worker *w, struct switch_state *s,
				     const struct weir_packet *packet, int64_t now_ps)
{
	uint32_t input = packet_segment((struct weir_packet *)packet)->ingress;
	enum weir_pfc_signal signal = switch_pfc_leave(&s->events->pfc, input, packet);

	if (UNLIKELY(signal != WEIR_PFC_NOTHING)) {
		s->events->stopped--;
		send_signal(w, s, packet, signal, now_ps);
	}
}

/* --- departures --- */

static inline struct egress *port_of(const struct switch_state *s, uint32_t port)
{
	return (struct egress *)(s->ports + (size_t)port * s->port_size);
}

/* Has it something that it may send? */
static inline int may_depart(const struct weir_port *p)
{
	return p->pkts && p->free_ps != WEIR_PORT_BLOCKED_PS;
}

/* A port that may send something waits for its line, once. */
static inline void await_departure_of(struct switch_state *s, const struct egress *out,
				      uint32_t port)
{
	uint64_t bit = UINT64_C(1) << (port % 64);

	if (s->backlog[port / 64] & bit || !may_depart(&out->port))
		return;
	s->backlog[port / 64] |= bit;
	heap_push(&s->events->departures, out->port.free_ps, port);
}

static inline void await_departure(struct switch_state *s, uint32_t port)
{
	await_departure_of(s, port_of(s, port), port);
}

/* The fabric scheme learns that a packet waits here no longer. */
static inline ALWAYS_INLINE void tell_left(struct worker *w, struct switch_state *s, uint32_t port,
					   struct weir_packet *packet, int answer, int64_t now_ps)
{
	const struct fabric_ops *fabric = s->events->fabric;

	if (answer != WEIR_PORT_SEND && fabric->lost)
		fabric->lost(w, s, port, packet);
	fabric->leave(w, s, port, packet, now_ps);
}

/* The next packet leaves a port, whose line is free. What a fabric scheme does then may use the
 * memory that the packet was in. */
static inline void depart(struct worker *w, struct switch_state *s, struct egress *out,
			  uint32_t port)
{
	int64_t start_ps = out->port.free_ps;
	uint32_t queue = 0;
	struct weir_packet *packet = weir_port_dequeue_next(&out->port, &w->pool, &queue), kept;

	if (!packet)
		return;

	int answer = weir_port_start(&out->port, packet, queue);

	if (s->events->fabric) {
		kept = *packet;
		packet = &kept;
		tell_left(w, s, port, packet, answer, start_ps);
	}
	if (answer == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, NULL, start_ps, w->engine->int_stacks != NULL);
	else
		packet_retire(w, packet);
	account_departure(w, s, packet, start_ps);
}

void event_switch_set_timer(struct switch_state *s, uint32_t input, int64_t time_ps)
{
	heap_push(&s->events->departures, time_ps, (uint64_t)s->link_count + input);
}

/* Nobody at the other end of a link that is down can say that a class may go on: what waits there
 * goes, and is lost. */
static void end_pauses(struct switch_state *s, uint32_t port, int64_t now_ps)
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
	await_departure(s, port);
}

/* A time in the heap that is no port's. */
static NOINLINE void on_time(struct worker *w, struct switch_state *s)
{
	struct heap_entry entry = heap_pop(&s->events->departures);
	uint32_t number = (uint32_t)entry.key - s->link_count;

	if (number >= s->link_queue_count)
		end_pauses(s, number - s->link_queue_count, entry.time_ps);
	else
		s->events->fabric->timer(w, s, number, entry.time_ps);
}

static inline int is_due(const struct event_switch *o, int64_t limit_ps)
{
	return heap_first_ps(&o->departures) < limit_ps;
}

/* Everything that can start before limit_ps leaves, in order of time. While a packet leaves others
 * may join the heap, but only for later times, so the port stays the first in it. */
static void departures_until(struct worker *w, struct switch_state *s, int64_t limit_ps)
{
	struct heap *departures = &s->events->departures;

	while (is_due(s->events, limit_ps)) {
		struct heap_entry entry = departures->entries[0];
		uint32_t port = (uint32_t)entry.key;

		if (UNLIKELY(port >= s->link_count)) {
			on_time(w, s);
			continue;
		}

		struct egress *out = port_of(s, port);

		/* A frame of the switch's own may have taken the line. */
		if (out->port.free_ps == entry.time_ps)
			depart(w, s, out, port);
		assert(departures->entries[0].key == port);
		if (may_depart(&out->port)) {
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
	struct weir_port *p = &port_of(s, port)->port;

	if (signal == WEIR_PFC_PAUSE)
		weir_port_pause(p, queue);
	else
		weir_port_resume(p, queue, now_ps);
	await_departure(s, port);
}

uint32_t event_switch_on_frame(struct worker *w, struct switch_state *s, uint32_t input,
			       const struct weir_packet *frame)
{
	struct engine *e = w->engine;
	uint32_t link = link_queue_reverse(e, s->first_link_queue + input);
	uint32_t kind = packet_segment((struct weir_packet *)frame)->frame_kind;
	int pause = kind == FRAME_PAUSE;

	s->events->frames--;
	if (kind >= FRAME_FABRIC) {
		s->events->fabric->frame(w, s, input, frame);
	} else if (frame->time_ps < e->net->links[link].fails_ps) {
		link_record_pause(e, link, frame->class_id, pause, frame->time_ps);
		port_apply_pfc_signal(&engine_egress(e, link)->port, frame->class_id,
				      pause ? WEIR_PFC_PAUSE : WEIR_PFC_RESUME, frame->time_ps);
	}
	return link - s->first_link;
}

/* A packet that was put into its class's queue just now. */
static struct weir_packet *last_queued(struct worker *w, struct weir_port *p,
				       const struct weir_packet *packet)
{
	const struct weir_queue *q = weir_port_queues(p) + p->kind->class_queue[packet->class_id];

	return &w->pool.slots[q->tail - 1];
}

/* A packet is given to its port at packet->time_ps. Returns the port's answer. */
static inline ALWAYS_INLINE int offer(struct worker *w, struct switch_state *s, struct egress *out,
				      uint32_t port, struct weir_packet *packet)
{
	const struct fabric_ops *fabric = s->events->fabric;
	int64_t now_ps = packet->time_ps;
	int answer = weir_port_offer_inline(&out->port, &w->pool, packet, now_ps);

	if (answer == WEIR_PORT_QUEUED) {
		if (fabric && fabric->queued)
			fabric->queued(w, s, port, last_queued(w, &out->port, packet));
		await_departure_of(s, out, port);
		return answer;
	}
	if (fabric)
		tell_left(w, s, port, packet, answer, now_ps);
	if (answer == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, NULL, now_ps, w->engine->int_stacks != NULL);
	else
		packet_retire(w, packet);
	return answer;
}

static inline void forward(struct worker *w, struct switch_state *s, uint32_t input,
			   struct weir_packet *packet)
{
	struct event_switch *o = s->events;
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint32_t port = (uint32_t)(segment->path & s->route_mask), class_id = packet->class_id;
	struct egress *out = port_of(s, port);

	segment->path >>= s->route_bits;
	segment->ingress = (uint16_t)input;
	if (!out->port.stats && s->engine->measuring &&
	    (out->port.free_ps > now_ps || o->fabric ||
	     weir_port_is_paused(&out->port, out->port.kind->class_queue[class_id])))
		port_stats_start(s->engine, &out->port);
	if (o->pfc.classes && !switch_pfc_admits(&o->pfc, input, packet, &out->port)) {
		out->port.cold->drops[WEIR_DROP_SHARED_BUFFER_FULL]++;
		if (o->fabric)
			o->fabric->leave(w, s, port, packet, now_ps);
		packet_retire(w, packet);
		return;
	}
	if (o->fabric && o->fabric->arrive(w, s, port, packet) == FABRIC_KEEP) {
		o->kept_pkts++;
		s->pool.used_bytes += packet->bytes;
		account_arrival(w, s, packet, now_ps);
	} else if (offer(w, s, out, port, packet) == WEIR_PORT_QUEUED) {
		account_arrival(w, s, packet, now_ps);
	}
}

void event_switch_release(struct worker *w, struct switch_state *s, uint32_t port,
			  struct weir_packet *packet)
{
	int64_t now_ps = packet->time_ps;

	s->events->kept_pkts--;
	s->pool.used_bytes -= packet->bytes;
	if (offer(w, s, port_of(s, port), port, packet) != WEIR_PORT_QUEUED)
		account_departure(w, s, packet, now_ps);
}

void event_switch_activate(struct switch_state *s, int64_t now_ps)
{
	switch_sync(&s->pool, now_ps);
	s->pool.sync = NULL;
	s->events->is_active = 1;
	memset(s->backlog, 0, (s->link_count + 63) / 64 * sizeof(*s->backlog));
	for (uint32_t i = 0; i < s->link_count; i++)
		await_departure(s, i);
}

/* No neighbour waits to be told when something leaves. */
static void ordered_end(struct switch_state *s)
{
	s->pool.sync = switch_sync;
	s->events->is_active = 0;
	heap_clear(&s->events->departures);
	for (uint32_t i = 0; i < s->link_count; i++)
		if (port_of(s, i)->port.pkts)
			s->backlog[i / 64] |= UINT64_C(1) << (i % 64);
}

void event_switch_run(struct worker *w, struct switch_state *s, const uint64_t *keys,
		      uint32_t count)
{
	struct event_switch *o = s->events;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t input = (uint32_t)(keys[i] & ((1u << SWITCH_INPUT_BITS) - 1));
		uint32_t *head = &s->heads[input], slot = *head;
		struct weir_packet *packet = &w->pool.slots[slot];

		if (is_due(o, packet->time_ps + 1))
			departures_until(w, s, packet->time_ps + 1);
		if (packet_is_link_frame(packet))
			await_departure(s, event_switch_on_frame(w, s, input, packet));
		else
			forward(w, s, input, packet);
		*head = link_queue_advance(&w->pool, slot);
	}
	departures_until(w, s, w->limit_ps);
	if (o->departures.count && o->departures.entries[0].time_ps >= w->end_ps)
		engine_wake(w, s->node, o->departures.entries[0].time_ps);
	if (!o->stopped && !o->always_active)
		ordered_end(s);
}

/* --- building --- */

/* Does a scheme look at a switch's memory when packets leave? It is then to see what there was at
 * that time, and not what has come since. */
static int looks_at_pool(const struct engine *e)
{
	for (uint32_t i = 0; i < e->class_count; i++)
		if (e->classes[i].mark_dequeue &&
		    e->classes[i].mark_needs & WEIR_MARK_NEEDS_SHARED_BUFFER)
			return 1;
	return 0;
}

static int is_needed(const struct engine *e)
{
	const struct config *c = e->config;

	return c->lossless || fabric_is_on(c) || (c->telemetry && looks_at_pool(e));
}

static int new_switch(struct engine *e, struct switch_state *s, struct weir_error *error)
{
	struct event_switch *o;

	if (s->link_queue_count > UINT16_MAX)
		return weir_error_set(error,
				      "switch.lossless: a switch has %u links; "
				      "where packets remember where they came in, it may have %d",
				      s->link_queue_count, UINT16_MAX);
	s->events = o = memory_new(1, sizeof(*o));
	if (switch_pfc_init(&o->pfc, e, s, error))
		return -1;
	o->always_active = fabric_is_on(e->config) || looks_at_pool(e);
	heap_clear(&o->departures);
	for (uint32_t i = 0; i < s->link_count; i++) {
		if (e->net->links[s->first_link + i].fails_ps == WEIR_TIME_NEVER_PS)
			continue;
		heap_push(&o->departures, e->net->links[s->first_link + i].fails_ps,
			  (uint64_t)s->link_count + s->link_queue_count + i);
		o->always_active = 1;
	}
	if (fabric_is_on(e->config)) {
		o->fabric = e->config->fabric;
		o->fabric_state = o->fabric->new_switch(e, s);
	}
	s->features |= SWITCH_F_PFC;
	if (o->always_active)
		event_switch_activate(s, 0);
	return 0;
}

int event_switch_new(struct engine *e, struct weir_error *error)
{
	if (!is_needed(e))
		return 0;
	e->pauses = memory_new(e->net->link_count, sizeof(*e->pauses));
	for (uint32_t i = 0; i < e->net->link_count; i++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			e->pauses[i].class[k].since_ps = -1;
	for (uint32_t i = 0; i < e->net->switch_count; i++)
		if (engine_owns(e, e->switches[i].node) && new_switch(e, &e->switches[i], error))
			return -1;
	if (fabric_is_on(e->config) && e->config->fabric->new_hosts)
		e->config->fabric->new_hosts(e);
	return 0;
}

void event_switch_free(struct engine *e)
{
	for (uint32_t i = 0; e->pauses && i < e->net->switch_count; i++) {
		struct switch_state *s = &e->switches[i];
		struct event_switch *o = s->events;

		if (!o)
			continue;
		if (o->fabric)
			o->fabric->free_switch(s, o->fabric_state);
		heap_free(&o->departures);
		switch_pfc_free(&o->pfc, s);
		memory_free(o, 1, sizeof(*o));
	}
	if (fabric_is_on(e->config) && e->config->fabric->free_hosts)
		e->config->fabric->free_hosts(e);
	memory_free(e->pauses, e->net->link_count, sizeof(*e->pauses));
}
