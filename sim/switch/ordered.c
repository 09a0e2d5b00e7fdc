/* ordered.c -- one window of a switch that goes through arrivals and departures in one order of time, with a
 * heap of ports by the time their line is free. */
#include "sim/switch/ordered.h"
#include "sim/switch/telemetry.h"

void ordered_send(struct worker *w, struct switch_state *s, uint32_t input,
		  const struct weir_packet *frame, int64_t now_ps)
{
	struct egress *out = engine_egress(w->engine, line_back(w->engine, s->first_line + input));
	int64_t start_ps = weir_port_interject(&out->port, frame->bytes, now_ps);

	*egress_place(w, out) = *frame;
	s->ordered->frames++;
	egress_commit_until(w, out, start_ps,
			    start_ps + weir_port_wire_ps(out->port.kind, frame->bytes));
}

/* Tells the neighbour at the other end of an input to stop the packet's class, or to go on. */
static void send_signal(struct worker *w, struct switch_state *s, const struct weir_packet *cause,
			enum weir_pfc_signal signal, int64_t now_ps)
{
	uint32_t input = packet_segment((struct weir_packet *)cause)->input;
	struct weir_packet frame =
		frame_make(signal == WEIR_PFC_PAUSE ? FRAME_PAUSE : FRAME_RESUME);

	frame.class_id = cause->class_id;
	ordered_send(w, s, input, &frame, now_ps);
}

/* The packet is stored, or is gone: where its input's neighbour is to stop, or may go on, it is told so. */
static inline void account_arrival(struct worker *w, struct switch_state *s,
				   const struct weir_packet *packet, int64_t now_ps)
{
	uint32_t input = packet_segment((struct weir_packet *)packet)->input;
	enum weir_pfc_signal signal =
		lossless_enter(s->engine->config, &s->ordered->lossless, input, packet);

	if (signal != WEIR_PFC_NOTHING)
		send_signal(w, s, packet, signal, now_ps);
}

static inline void account_departure(struct worker *w, struct switch_state *s,
				     const struct weir_packet *packet, int64_t now_ps)
{
	uint32_t input = packet_segment((struct weir_packet *)packet)->input;
	enum weir_pfc_signal signal =
		lossless_leave(s->engine->config, &s->ordered->lossless, input, packet);

	if (signal != WEIR_PFC_NOTHING)
		send_signal(w, s, packet, signal, now_ps);
}

/* --- departures --- */

/* A port that may send something waits for its line, once. */
static void await_departure(struct switch_state *s, uint32_t port)
{
	const struct egress *out = engine_egress(s->engine, s->first_link + port);
	uint64_t bit = UINT64_C(1) << (port % 64);

	if (out->port.pkts == 0 || out->port.free_ps == WEIR_PORT_BLOCKED_PS ||
	    s->backlog[port / 64] & bit)
		return;
	s->backlog[port / 64] |= bit;
	heap_push(&s->ordered->departures, out->port.free_ps, port);
}

/* The packet goes on its line, with its notes, if any; the line is busy until free_ps. */
static void transmit(struct worker *w, struct egress *out, const struct weir_packet *packet,
		     const struct int_stack *notes, int64_t start_ps)
{
	struct weir_packet *place = egress_place(w, out);

	*place = *packet;
	if (notes) {
		struct int_stack *to = packet_notes(w, place);

		int_copy(to, notes);
		if (!(packet->flags & SEGMENT_ACK))
			int_push(w->engine, to, out, packet, start_ps);
	}
	egress_commit(w, out, start_ps);
}

/* The fabric scheme learns that a packet waits here no longer. */
static void tell_left(struct worker *w, struct switch_state *s, uint32_t port,
		      struct weir_packet *packet, int answer, int64_t now_ps)
{
	const struct fabric_ops *fabric = s->ordered->fabric;

	if (answer != WEIR_PORT_SEND && fabric->lost)
		fabric->lost(w, s, port, packet);
	fabric->leave(w, s, port, packet, now_ps);
}

/* The next packet leaves a port, whose line is free. */
static void depart(struct worker *w, struct switch_state *s, uint32_t port)
{
	struct egress *out = engine_egress(s->engine, s->first_link + port);
	int64_t start_ps = out->port.free_ps;
	uint32_t queue = 0;
	struct weir_packet *next = weir_port_take_next(&out->port, &w->pool, &queue), packet;
	const struct int_stack *notes;
	struct int_stack kept;

	if (!next)
		return;
	packet = *next;
	notes = w->engine->notes ? packet_notes(w, next) : NULL;

	int answer = weir_port_start(&out->port, &packet, queue);

	if (s->ordered->fabric) {
		if (notes) { /* the scheme may use the memory that they are in */
			int_copy(&kept, notes);
			notes = &kept;
		}
		tell_left(w, s, port, &packet, answer, start_ps);
	}
	if (answer == WEIR_PORT_SEND)
		transmit(w, out, &packet, notes, start_ps);
	account_departure(w, s, &packet, start_ps);
}

void ordered_timer(struct switch_state *s, uint32_t input, int64_t time_ps)
{
	heap_push(&s->ordered->departures, time_ps, (uint64_t)s->link_count + input);
}

/* Nobody at the other end of a link that is down can say that a class may go on: what waits there goes, and
 * is lost. */
static void end_pauses(struct switch_state *s, uint32_t port, int64_t now_ps)
{
	struct engine *e = s->engine;
	uint32_t link = s->first_link + port;
	struct weir_port *p = &engine_egress(e, link)->port;

	for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
		if (e->pauses[link].class[k].since_ps < 0)
			continue;
		link_pause(e, link, k, 0, now_ps);
		lossless_hold_class(p, k, WEIR_PFC_RESUME, now_ps);
	}
	await_departure(s, port);
}

/* Everything that can start before limit_ps leaves, in order of time. */
static void departures_until(struct worker *w, struct switch_state *s, int64_t limit_ps)
{
	struct heap *departures = &s->ordered->departures;

	while (departures->count && departures->entries[0].time_ps < limit_ps) {
		struct heap_entry entry = heap_pop(departures);
		uint32_t port = (uint32_t)entry.key;

		if (port >= s->link_count + s->line_count) {
			end_pauses(s, port - s->link_count - s->line_count, entry.time_ps);
			continue;
		}
		if (port >= s->link_count) {
			s->ordered->fabric->timer(w, s, port - s->link_count, entry.time_ps);
			continue;
		}
		s->backlog[port / 64] &= ~(UINT64_C(1) << (port % 64));
		if (engine_egress(s->engine, s->first_link + port)->port.free_ps == entry.time_ps)
			depart(w, s, port);
		await_departure(s, port);
	}
}

/* --- arrivals --- */

void ordered_hold(struct switch_state *s, uint32_t port, uint32_t queue,
		  enum weir_pfc_signal signal, int64_t now_ps)
{
	struct weir_port *p = &engine_egress(s->engine, s->first_link + port)->port;

	if (signal == WEIR_PFC_PAUSE)
		weir_port_pause(p, queue);
	else
		weir_port_resume(p, queue, now_ps);
	await_departure(s, port);
}

static void obey_frame(struct worker *w, struct switch_state *s, uint32_t input,
		       const struct weir_packet *frame)
{
	struct engine *e = w->engine;
	uint32_t link = line_back(e, s->first_line + input);
	uint32_t kind = packet_segment((struct weir_packet *)frame)->number;
	int pause = kind == FRAME_PAUSE;

	s->ordered->frames--;
	if (kind >= FRAME_FABRIC) {
		s->ordered->fabric->frame(w, s, input, frame);
		return;
	}
	if (frame->time_ps >= e->net->links[link].fails_ps)
		return;
	link_pause(e, link, frame->class_id, pause, frame->time_ps);
	lossless_hold_class(&engine_egress(e, link)->port, frame->class_id,
			    pause ? WEIR_PFC_PAUSE : WEIR_PFC_RESUME, frame->time_ps);
	await_departure(s, link - s->first_link);
}

/* A packet that was put into its class's queue just now. */
static struct weir_packet *last_queued(struct worker *w, struct weir_port *p,
				       const struct weir_packet *packet)
{
	const struct weir_queue *q = weir_port_queues(p) + p->kind->class_queue[packet->class_id];

	return &w->pool.slots[q->tail - 1];
}

/* A packet is given to its port at packet->time_ps. Returns the port's answer. */
static int offer(struct worker *w, struct switch_state *s, uint32_t port,
		 struct weir_packet *packet, const struct int_stack *notes)
{
	const struct fabric_ops *fabric = s->ordered->fabric;
	struct egress *out = engine_egress(s->engine, s->first_link + port);
	int64_t now_ps = packet->time_ps;
	int answer = weir_port_offer(&out->port, &w->pool, packet, now_ps);

	if (answer == WEIR_PORT_QUEUED) {
		if (notes)
			int_copy(packet_notes(w, last_queued(w, &out->port, packet)), notes);
		if (fabric && fabric->queued)
			fabric->queued(w, s, port, last_queued(w, &out->port, packet));
		await_departure(s, port);
		return answer;
	}
	if (fabric)
		tell_left(w, s, port, packet, answer, now_ps);
	if (answer == WEIR_PORT_SEND)
		transmit(w, out, packet, notes, now_ps);
	return answer;
}

static void forward(struct worker *w, struct switch_state *s, uint32_t input,
		    struct weir_packet *packet, const struct int_stack *notes)
{
	struct ordered_switch *o = s->ordered;
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint32_t port = (uint32_t)(segment->path & s->route_mask), class_id = packet->class_id;
	struct egress *out = (struct egress *)(s->ports + (size_t)port * s->port_size);

	segment->path >>= s->route_bits;
	segment->input = (uint16_t)input;
	if (!out->port.stats && s->engine->measuring &&
	    (out->port.free_ps > now_ps || o->fabric ||
	     weir_port_is_paused(&out->port, out->port.kind->class_queue[class_id])))
		engine_begin_stats(w, &out->port);
	if (!lossless_has_room(s->engine->config, &o->lossless, input, &out->port, packet)) {
		out->port.drops[WEIR_DROP_POOL_FULL]++;
		if (o->fabric)
			o->fabric->leave(w, s, port, packet, now_ps);
		return;
	}
	if (o->fabric && o->fabric->arrive(w, s, port, packet, notes) == FABRIC_KEEP) {
		o->kept_pkts++;
		s->pool.used_bytes += packet->bytes;
		account_arrival(w, s, packet, now_ps);
	} else if (offer(w, s, port, packet, notes) == WEIR_PORT_QUEUED) {
		account_arrival(w, s, packet, now_ps);
	}
}

void ordered_release(struct worker *w, struct switch_state *s, uint32_t port,
		     struct weir_packet *packet, const struct int_stack *notes)
{
	int64_t now_ps = packet->time_ps;

	s->ordered->kept_pkts--;
	s->pool.used_bytes -= packet->bytes;
	if (offer(w, s, port, packet, notes) != WEIR_PORT_QUEUED)
		account_departure(w, s, packet, now_ps);
}

void ordered_run(struct worker *w, struct switch_state *s)
{
	struct engine *e = w->engine;
	const struct heap *departures = &s->ordered->departures;
	struct int_stack notes;
	uint32_t count;
	const uint64_t *keys = switch_arrivals(w, s, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t input = (uint32_t)(keys[i] & ((1u << SWITCH_INPUT_BITS) - 1));
		uint32_t *head = &e->line_head[s->first_line + input], slot = *head;
		struct weir_packet packet = w->pool.slots[slot];

		if (e->notes)
			int_copy(&notes, &e->notes[slot]);
		*head = line_advance(&w->pool, slot);
		departures_until(w, s, packet.time_ps + 1);
		if (packet_is_pause(&packet))
			obey_frame(w, s, input, &packet);
		else
			forward(w, s, input, &packet, e->notes ? &notes : NULL);
	}
	departures_until(w, s, w->limit_ps);
	if (departures->count && departures->entries[0].time_ps >= w->end_ps)
		engine_wake(w, s->node, departures->entries[0].time_ps);
}

/* --- building --- */

static int new_switch(struct engine *e, struct switch_state *s, struct weir_error *error)
{
	struct ordered_switch *o;

	if (s->line_count > UINT16_MAX)
		return weir_error_set(error,
				      "switch.lossless: a switch has %u links; "
				      "where packets remember where they came in, it may have %d",
				      s->line_count, UINT16_MAX);
	s->ordered = o = memory_new(1, sizeof(*o));
	if (lossless_init(&o->lossless, e, s, error))
		return -1;
	for (uint32_t i = 0; i < s->link_count; i++)
		if (e->net->links[s->first_link + i].fails_ps != WEIR_TIME_NEVER_PS)
			heap_push(&o->departures, e->net->links[s->first_link + i].fails_ps,
				  (uint64_t)s->link_count + s->line_count + i);
	if (fabric_is_on(e->config)) {
		o->fabric = e->config->fabric;
		o->fabric_state = o->fabric->new_switch(e, s);
	}
	return 0;
}

int ordered_new(struct engine *e, struct weir_error *error)
{
	if (!ordered_is_needed(e->config))
		return 0;
	e->pauses = memory_new(e->net->link_count, sizeof(*e->pauses));
	for (uint32_t i = 0; i < e->net->link_count; i++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			e->pauses[i].class[k].since_ps = -1;
	for (uint32_t i = 0; i < e->net->switch_count; i++)
		if (new_switch(e, &e->switches[i], error))
			return -1;
	if (fabric_is_on(e->config) && e->config->fabric->new_hosts)
		e->config->fabric->new_hosts(e);
	return 0;
}

void ordered_free(struct engine *e)
{
	for (uint32_t i = 0; e->pauses && i < e->net->switch_count; i++) {
		struct switch_state *s = &e->switches[i];
		struct ordered_switch *o = s->ordered;

		if (!o)
			continue;
		if (o->fabric)
			o->fabric->free_switch(s, o->fabric_state);
		heap_free(&o->departures);
		lossless_free(&o->lossless, s);
		memory_free(o, 1, sizeof(*o));
	}
	if (fabric_is_on(e->config) && e->config->fabric->free_hosts)
		e->config->fabric->free_hosts(e);
	memory_free(e->pauses, e->net->link_count, sizeof(*e->pauses));
}
