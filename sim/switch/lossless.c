/* lossless.c -- see lossless.h. */
#include "sim/switch/lossless.h"
#include "sim/switch/telemetry.h"
#include <inttypes.h>

/* --- pauses of a link --- */

void link_pause(struct engine *e, uint32_t link, uint32_t class_id, int pause, int64_t now_ps)
{
	struct pause_count *p = &e->pauses[link].class[class_id];

	if (pause && p->since_ps < 0) {
		p->since_ps = now_ps;
		p->count++;
	} else if (!pause && p->since_ps >= 0) {
		p->sum_ps += now_ps - p->since_ps;
		p->since_ps = -1;
	}
}

int64_t link_paused_ps(const struct engine *e, uint32_t link, uint32_t class_id, int64_t now_ps)
{
	const struct pause_count *p = &e->pauses[link].class[class_id];

	return p->sum_ps + (p->since_ps >= 0 ? now_ps - p->since_ps : 0);
}

/* --- frames --- */

void lossless_send(struct worker *w, struct switch_state *s, uint32_t input,
		   const struct weir_packet *frame, int64_t now_ps)
{
	struct egress *out = engine_egress(w->engine, line_back(w->engine, s->first_line + input));
	int64_t start_ps = weir_port_interject(&out->port, frame->bytes, now_ps);

	*egress_place(w, out) = *frame;
	s->lossless->frames++;
	egress_commit_until(w, out, start_ps,
			    start_ps + weir_port_wire_ps(out->port.kind, frame->bytes));
}

/* Tells the neighbour at the other end of an input to stop a class, or to go on. */
static void send_frame(struct worker *w, struct switch_state *s, uint32_t input, uint32_t class_id,
		       enum weir_pfc_signal signal, int64_t now_ps)
{
	struct weir_packet frame =
		frame_make(signal == WEIR_PFC_PAUSE ? FRAME_PAUSE : FRAME_RESUME);

	frame.class_id = (uint8_t)class_id;
	lossless_send(w, s, input, &frame, now_ps);
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
	heap_push(&s->lossless->departures, out->port.free_ps, port);
}

static void account_departure(struct worker *w, struct switch_state *s, uint32_t input,
			      const struct weir_packet *packet, int64_t now_ps)
{
	struct lossless *l = s->lossless;
	struct weir_pfc_input *in = &l->inputs[input][packet->class_id & (WEIR_PFC_CLASSES - 1)];

	if (!class_is_lossless(w->engine->config, packet->class_id))
		l->memory.used_bytes -= packet->bytes;
	else if (weir_pfc_leave(&l->memory, in, packet->bytes) == WEIR_PFC_RESUME)
		send_frame(w, s, input, packet->class_id, WEIR_PFC_RESUME, now_ps);
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
	const struct fabric_ops *fabric = s->lossless->fabric;

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

	if (s->lossless->fabric) {
		if (notes) { /* the scheme may use the memory that they are in */
			int_copy(&kept, notes);
			notes = &kept;
		}
		tell_left(w, s, port, &packet, answer, start_ps);
	}
	if (answer == WEIR_PORT_SEND)
		transmit(w, out, &packet, notes, start_ps);
	account_departure(w, s, packet_segment(&packet)->input, &packet, start_ps);
}

void lossless_timer(struct switch_state *s, uint32_t input, int64_t time_ps)
{
	heap_push(&s->lossless->departures, time_ps, (uint64_t)s->link_count + input);
}

/* A class may not leave a port, or may again: its queue, or where the marking scheme chooses queues, and
 * there is but one class, all of them. */
static void hold_class(struct weir_port *p, uint32_t class_id, enum weir_pfc_signal signal,
		       int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint32_t first = c->choose_queue ? 0 : c->class_queue[class_id];
	uint32_t last = c->choose_queue ? c->queues - 1 : first;

	for (uint32_t queue = first; queue <= last; queue++) {
		if (signal == WEIR_PFC_PAUSE)
			weir_port_pause(p, queue);
		else
			weir_port_resume(p, queue, now_ps);
	}
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
		hold_class(p, k, WEIR_PFC_RESUME, now_ps);
	}
	await_departure(s, port);
}

/* Everything that can start before limit_ps leaves, in order of time. */
static void departures_until(struct worker *w, struct switch_state *s, int64_t limit_ps)
{
	struct heap *departures = &s->lossless->departures;

	while (departures->count && departures->entries[0].time_ps < limit_ps) {
		struct heap_entry entry = heap_pop(departures);
		uint32_t port = (uint32_t)entry.key;

		if (port >= s->link_count + s->line_count) {
			end_pauses(s, port - s->link_count - s->line_count, entry.time_ps);
			continue;
		}
		if (port >= s->link_count) {
			s->lossless->fabric->timer(w, s, port - s->link_count, entry.time_ps);
			continue;
		}
		s->backlog[port / 64] &= ~(UINT64_C(1) << (port % 64));
		if (engine_egress(s->engine, s->first_link + port)->port.free_ps == entry.time_ps)
			depart(w, s, port);
		await_departure(s, port);
	}
}

/* --- arrivals --- */

void lossless_hold(struct switch_state *s, uint32_t port, uint32_t queue,
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

	s->lossless->frames--;
	if (kind >= FRAME_FABRIC) {
		s->lossless->fabric->frame(w, s, input, frame);
		return;
	}
	if (frame->time_ps >= e->net->links[link].fails_ps)
		return;
	link_pause(e, link, frame->class_id, pause, frame->time_ps);
	hold_class(&engine_egress(e, link)->port, frame->class_id,
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

/* Is there room for a packet of an input? Others than lossless classes share what is neither reserved nor
 * headroom, under the dynamic thresholds of their queues. */
static int has_room(struct worker *w, struct switch_state *s, uint32_t input, struct weir_port *p,
		    const struct weir_packet *packet)
{
	struct lossless *l = s->lossless;
	const struct weir_queue *q = weir_port_queues(p) + p->kind->class_queue[packet->class_id];
	const struct weir_buffer_pool shared = { .used_bytes = l->memory.used_bytes };

	if (!w->engine->config->lossless)
		return 1;
	if (!class_is_lossless(w->engine->config, packet->class_id))
		return weir_buffer_pool_admits(&l->lossy, &shared, q->bytes, packet->bytes);
	return weir_pfc_admits(&l->memory, &l->inputs[input][packet->class_id], packet->bytes);
}

/* A packet is given to its port at packet->time_ps. Returns the port's answer. */
static int offer(struct worker *w, struct switch_state *s, uint32_t port,
		 struct weir_packet *packet, const struct int_stack *notes)
{
	const struct fabric_ops *fabric = s->lossless->fabric;
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

/* The packet is stored. */
static void account_arrival(struct worker *w, struct switch_state *s,
			    const struct weir_packet *packet)
{
	struct lossless *l = s->lossless;
	uint32_t input = packet_segment((struct weir_packet *)packet)->input;
	struct weir_pfc_input *in = &l->inputs[input][packet->class_id & (WEIR_PFC_CLASSES - 1)];

	if (!class_is_lossless(w->engine->config, packet->class_id))
		l->memory.used_bytes += packet->bytes;
	else if (weir_pfc_enter(&l->memory, in, packet->bytes) == WEIR_PFC_PAUSE)
		send_frame(w, s, input, packet->class_id, WEIR_PFC_PAUSE, packet->time_ps);
}

static void forward(struct worker *w, struct switch_state *s, uint32_t input,
		    struct weir_packet *packet, const struct int_stack *notes)
{
	struct lossless *l = s->lossless;
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint32_t port = (uint32_t)(segment->path & s->route_mask), class_id = packet->class_id;
	struct egress *out = (struct egress *)(s->ports + (size_t)port * s->port_size);

	segment->path >>= s->route_bits;
	segment->input = (uint16_t)input;
	if (!out->port.stats && s->engine->measuring &&
	    (out->port.free_ps > now_ps || l->fabric ||
	     weir_port_is_paused(&out->port, out->port.kind->class_queue[class_id])))
		engine_begin_stats(w, &out->port);
	if (!has_room(w, s, input, &out->port, packet)) {
		out->port.drops[WEIR_DROP_POOL_FULL]++;
		if (l->fabric)
			l->fabric->leave(w, s, port, packet, now_ps);
		return;
	}
	if (l->fabric && l->fabric->arrive(w, s, port, packet, notes) == FABRIC_KEEP) {
		l->kept_pkts++;
		s->pool.used_bytes += packet->bytes;
		account_arrival(w, s, packet);
	} else if (offer(w, s, port, packet, notes) == WEIR_PORT_QUEUED) {
		account_arrival(w, s, packet);
	}
}

void lossless_release(struct worker *w, struct switch_state *s, uint32_t port,
		      struct weir_packet *packet, const struct int_stack *notes)
{
	uint32_t input = packet_segment(packet)->input;
	int64_t now_ps = packet->time_ps;

	s->lossless->kept_pkts--;
	s->pool.used_bytes -= packet->bytes;
	if (offer(w, s, port, packet, notes) != WEIR_PORT_QUEUED)
		account_departure(w, s, input, packet, now_ps);
}

void lossless_run(struct worker *w, struct switch_state *s)
{
	struct engine *e = w->engine;
	const struct heap *departures = &s->lossless->departures;
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

/* What may still come in after a frame was made: the frame waits for one packet on its own line, takes its
 * time on the wire and the link's, the sender finishes a packet, and the link is full of others. */
static uint64_t headroom_of(const struct engine *e, uint32_t line)
{
	const struct egress *in = engine_egress(e, e->net->line_link[line]);
	const struct egress *back = engine_egress(e, line_back(e, line));
	uint32_t mtu = e->config->frame_max_bytes;
	int64_t wait_ps =
		weir_port_wire_ps(back->port.kind, mtu) +
		weir_port_wire_ps(back->port.kind, WEIR_PFC_FRAME_BYTES) * WEIR_PFC_CLASSES +
		back->delay_ps + weir_port_wire_ps(in->port.kind, mtu) + in->delay_ps;

	return weir_ps_to_bytes(wait_ps, in->port.kind->rate_bps) + 2 * (uint64_t)mtu;
}

static int new_switch(struct engine *e, struct switch_state *s, struct weir_error *error)
{
	const struct switch_config *c = &e->config->switches;
	struct lossless *l;
	uint64_t apart = 0;

	if (s->line_count > UINT16_MAX)
		return weir_error_set(
			error,
			"switch.lossless: a switch has %u links; where packets remember "
			"where they came in, it may have %d",
			s->line_count, UINT16_MAX);
	s->lossless = l = memory_new(1, sizeof(*l));
	l->inputs = memory_new(s->line_count, sizeof(*l->inputs));
	for (uint32_t i = 0; i < s->line_count; i++) {
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			if (!(e->config->lossless >> k & 1))
				continue;
			l->inputs[i][k].headroom_bytes =
				c->pfc_headroom_bytes ? c->pfc_headroom_bytes
						      : headroom_of(e, s->first_line + i);
			apart += l->inputs[i][k].headroom_bytes + c->pfc_reserved_bytes;
		}
	}
	if (apart >= c->buffer)
		return weir_error_set(error,
				      "switch.buffer: %" PRIu64
				      "B, but headroom and what is reserved for the "
				      "lossless classes of %u inputs take %" PRIu64 "B already",
				      c->buffer, s->line_count, apart);
	l->memory = (struct weir_pfc_memory){
		.params = &e->config->pfc,
		.pool_bytes = c->buffer - apart,
	};
	weir_buffer_params_init(&l->lossy, WEIR_BUFFER_PER_SWITCH, c->buffer - apart,
				c->dt_alpha_q32);
	for (uint32_t i = 0; i < s->link_count; i++)
		if (e->net->links[s->first_link + i].fails_ps != WEIR_TIME_NEVER_PS)
			heap_push(&l->departures, e->net->links[s->first_link + i].fails_ps,
				  (uint64_t)s->link_count + s->line_count + i);
	if (fabric_is_on(e->config)) {
		l->fabric = e->config->fabric;
		l->fabric_state = l->fabric->new_switch(e, s);
	}
	return 0;
}

int lossless_new(struct engine *e, struct weir_error *error)
{
	if (!lossless_is_needed(e->config))
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

void lossless_free(struct engine *e)
{
	for (uint32_t i = 0; e->pauses && i < e->net->switch_count; i++) {
		struct switch_state *s = &e->switches[i];

		if (!s->lossless)
			continue;
		if (s->lossless->fabric)
			s->lossless->fabric->free_switch(s, s->lossless->fabric_state);
		heap_free(&s->lossless->departures);
		memory_free(s->lossless->inputs, s->line_count, sizeof(*s->lossless->inputs));
		memory_free(s->lossless, 1, sizeof(*s->lossless));
	}
	if (fabric_is_on(e->config) && e->config->fabric->free_hosts)
		e->config->fabric->free_hosts(e);
	memory_free(e->pauses, e->net->link_count, sizeof(*e->pauses));
}
