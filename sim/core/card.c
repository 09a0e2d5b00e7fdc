/* SPDX-License-Identifier: BSD-3-Clause */
/* card.c -- cards with a queue: what their ports are made of, and how packets go through them.
 *
 * Where the card has delays, data waits in the line of its flow's delay before it comes to the
 * queue: all in a line wait for the same time, so that each is a ring.
 *
 * Differs: fq has no list of new flows that go first, and a card that is full drops what comes, not
 * from the longest queue. Linux keeps most of a connection's window out of its queues (TCP small
 * queues); ns-3 does not, nor do these cards. */
#include "base/memory.h"
#include "config/card.h"
#include "config/plugin.h"
#include "sim/core/host.h"
#include <stdlib.h>

/* --- building --- */

/* The queue of a flow in a card that has one for each, as far as they go. */
static uint32_t queue_of_flow(void *state, const void *params, const struct weir_mark_view *v,
			      const struct weir_queue *queues)
{
	(void)state;
	(void)params;
	(void)queues;
	return host_flow_queue(v->flow_hash, WEIR_QUEUES_MAX);
}

struct weir_mark_ops card_marking(const struct config *c, const struct plugin_guard *guard)
{
	struct weir_mark_ops mark = { .scheme.name = "none" };
	const struct weir_mark_ops *own = c->card_mark;
	const void *params = c->card_mark_params;

	plugin_guard_mark(guard, &own, &params);
	if (card_has_queue(c))
		mark = *own;
	if (card_has_queue(c) && c->card->queues > 1) {
		mark.choose_queue = queue_of_flow;
		mark.glances = NULL;
	}
	return mark;
}

void card_plan(const struct config *c, const struct plugin_guard *guard,
	       struct weir_port_plan *plan)
{
	const struct card_params *p = (const void *)c->card_params;
	const struct weir_mark_ops *own = c->card_mark;

	plan->queues = c->card->queues;
	plan->mark_params = c->card_mark_params;
	plugin_guard_mark(guard, &own, &plan->mark_params);
	plan->sched = c->card_sched;
	plan->sched_params = c->card_sched_params;
	plan->pass_not_ect = (uint32_t)c->switches.non_ect;
	weir_buffer_params_init(&plan->buffer, WEIR_BUFFER_PER_PORT, p->limit, 0);
}

/* --- delays --- */

/* Packets that wait for one delay, first come first; time_ps is when its time is over. */
struct delay_line {
	struct weir_packet *packets; /* a ring */
	uint32_t head, count, mask;  /* of room - 1 */
};

enum { DELAY_ROOM_FIRST = 64 };

/* What decides about a flow's delay besides its hash, which also decides about its path. */
enum { DELAY_DRAW = 0x64656c };

static const struct card_params *delays_of(const struct config *c)
{
	return card_has_queue(c) ? (const void *)c->card_params : NULL;
}

void card_delays_new(const struct config *c, struct host *h)
{
	const struct card_params *p = delays_of(c);

	if (p && p->delay_count)
		h->delays = memory_new(p->delay_count, sizeof(*h->delays));
}

void card_delays_free(const struct config *c, struct host *h)
{
	const struct card_params *p = delays_of(c);

	if (!h->delays)
		return;
	for (uint32_t i = 0; i < p->delay_count; i++)
		free(h->delays[i].packets);
	memory_free(h->delays, p->delay_count, sizeof(*h->delays));
}

uint64_t card_delayed_pkts(const struct config *c, const struct host *h)
{
	const struct card_params *p = delays_of(c);
	uint64_t count = 0;

	for (uint32_t i = 0; h->delays && i < p->delay_count; i++)
		count += h->delays[i].count;
	return count;
}

/* A ring that is full becomes twice as large, with its head at its begin. */
static void grow(struct delay_line *line)
{
	uint32_t room = line->packets ? 2 * (line->mask + 1) : DELAY_ROOM_FIRST;
	struct weir_packet *packets = memory_grow(NULL, room, sizeof(*packets));

	for (uint32_t i = 0; i < line->count; i++)
		packets[i] = line->packets[(line->head + i) & line->mask];
	free(line->packets);
	*line = (struct delay_line){ packets, 0, line->count, room - 1 };
}

/* The packet waits for its flow's delay. */
static void delay(struct worker *w, struct host *h, const struct weir_packet *packet)
{
	const struct card_params *p = delays_of(w->engine->config);
	uint32_t number = host_flow_queue((uint32_t)weir_hash64(packet->flow_hash, DELAY_DRAW),
					  p->delay_count);
	struct delay_line *line = &h->delays[number];
	struct weir_packet *place;

	if (!line->packets || line->count > line->mask)
		grow(line);
	place = &line->packets[(line->head + line->count++) & line->mask];
	*place = *packet;
	place->time_ps = h->now_ps + p->delay_ps[number];
	if (line->count == 1)
		host_timer(h, place->time_ps, TIMER_CARD, number);
}

/* --- running --- */

static void join_queue(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps)
{
	const struct engine *e = w->engine;
	struct weir_port *p = &h->out->port;
	int answer;

	if (p->pkts == 0 && p->free_ps > now_ps && !p->stats && e->measuring)
		engine_begin_stats(w->engine, p);
	answer = weir_port_offer(p, &w->pool, packet, now_ps);
	if (answer == WEIR_PORT_SEND)
		host_commit(w, h, now_ps);
	else if (answer == WEIR_PORT_DROPPED)
		packet_gone(w, packet);
	h->work = p->pkts;
}

void card_offer(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps)
{
	if (packet_segment(packet)->path == PATH_NONE) {
		h->out->port.rare->drops[WEIR_DROP_LINK_DOWN]++;
		packet_gone(w, packet);
	} else if (h->delays && !(packet->flags & SEGMENT_ACK)) {
		delay(w, h, packet);
	} else {
		join_queue(w, h, packet, now_ps);
	}
}

void card_on_timer(struct worker *w, struct host *h, uint32_t delay)
{
	struct delay_line *line = &h->delays[delay];
	struct weir_packet *place = egress_place(w, h->out);

	*place = line->packets[line->head];
	line->head = (line->head + 1) & line->mask;
	if (--line->count)
		host_timer(h, line->packets[line->head].time_ps, TIMER_CARD, delay);
	join_queue(w, h, place, h->now_ps);
}

void card_drain(struct worker *w, struct host *h, int64_t limit_ps)
{
	struct egress *out = h->out;

	while (out->port.pkts && out->port.free_ps < limit_ps) {
		int64_t start_ps = out->port.free_ps;
		struct weir_packet *place = egress_place(w, out);
		uint32_t queue = 0;
		struct weir_packet *next = weir_port_take_next(&out->port, &w->pool, &queue);

		if (!next)
			continue;
		if (weir_port_start(&out->port, next, queue) == WEIR_PORT_SEND) {
			*place = *next;
			host_commit(w, h, start_ps);
		} else { /* by its marking scheme */
			packet_gone(w, next);
		}
	}
	h->work = out->port.pkts;
}
