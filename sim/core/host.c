/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c -- a host works off one window: arrivals, timers and new flows in order of (time, kind);
 * between two events its card sends what it can. */
#include "base/compiler.h"
#include "sim/core/host.h"
#include "sim/core/mailbox.h"
#include "config/nic.h"
#include "config/fabric.h"
#include "sim/parallel/ranks.h"
#include "sim/core/switch_pfc.h"
#include <string.h>

uint64_t host_path(const struct engine *e, const struct path_state *p, int64_t now_ps)
{
	const struct flow_path *named = flow_path_find(&e->flows.paths, p->connection);
	struct route route;
	uint64_t hash = p->hash;

	if (named) {
		*p->path = flow_at(e, p->connection)->src == p->from ? named->there : named->back;
		*p->until_ps = WEIR_TIME_NEVER_PS;
		return *p->path;
	}
	if (e->config->network.ecmp == ECMP_PER_PACKET)
		hash = weir_hash64(hash, (*p->sprayed)++);
	route_find(e->routes, p->from, p->to, hash, now_ps, &route);
	*p->path = route.found ? route.path : PATH_NONE;
	/* Sprayed packets ask each time. */
	*p->until_ps = e->config->network.ecmp == ECMP_PER_PACKET ? INT64_MIN : route.until_ps;
	return *p->path;
}

/* --- the card --- */

/* Must it wait for the switch to let its queue go on? */
static int is_held(const struct host *h, const struct sender *s)
{
	uint32_t queue = host_flow_queue(s->flow_hash, h->nic_queues);

	return h->paused & HOST_QUEUE_PAUSES && s->state != SENDER_DONE &&
	       (h->held[queue / 64] >> (queue % 64) & 1);
}

/* May it send when its turn comes? The rate of a queue pair may have become lower since it
 * joined. */
static inline int is_due(const struct engine *e, struct host *h, struct sender *s)
{
	const struct transport_ops *ops = sender_transport(e, s)->ops;

	return sender_can_send(s) && (!ops->is_due || ops->is_due(h, s));
}

/* Where the card has a queue: all that window and rate allow goes there now. */
static void release(struct worker *w, struct host *h, struct sender *s)
{
	while (is_due(w->engine, h, s))
		sender_send_next(w, h, s, h->now_ps);
}

static void append_turn(struct worker *w, struct turn *t, struct sender *s, uint32_t handle)
{
	s->in_ready = 1;
	s->ready_next = FLOW_NONE;
	if (t->first == FLOW_NONE)
		t->first = handle;
	else
		((struct sender *)slab_at(&w->senders, t->last))->ready_next = handle;
	t->last = handle;
}

void host_make_ready(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	uint32_t number = 0;

	if (h->special) {
		if (h->paused & HOST_NIC_QUEUE) {
			release(w, h, s);
			return;
		}
		if (is_held(h, s)) {
			append_turn(w, &h->parked, s, handle);
			return;
		}
		if (sender_can_send(s)) /* one that was parked may have come to its end */
			number = host_queue(h, sender_next_class(w->engine, s));
	}
	h->work++;
	h->waiting |= 1u << number;
	append_turn(w, &h->turns[number], s, handle);
}

void host_make_ready_again(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (!(h->special & HOST_ROUND_ROBIN)) {
		host_make_ready(w, h, s, handle);
		return;
	}
	h->returning = handle;
	h->work++;
	s->in_ready = 1;
}

/* The line is free again: the connection that sent last goes to the end of its turn. */
static NOINLINE void end_return(struct worker *w, struct host *h)
{
	uint32_t handle = h->returning;

	h->returning = FLOW_NONE;
	h->work--;
	host_make_ready(w, h, slab_at(&w->senders, handle), handle);
}

/* The first connection of a turn leaves it. */
static void leave_turn(struct worker *w, struct host *h, uint32_t number)
{
	struct turn *t = &h->turns[number];
	uint32_t handle = t->first;
	struct sender *s = slab_at(&w->senders, handle);

	t->first = s->ready_next;
	if (t->first == FLOW_NONE)
		h->waiting &= ~(1u << number);
	t->burst_bytes = 0;
	h->work--;
	s->in_ready = 0;
	if (s->state == SENDER_DONE)
		slab_release(&w->senders, handle);
}

/* The turn after the last one, of those in the set, going round. */
static uint32_t next_turn(struct host *h, uint32_t set)
{
	if (LIKELY(set == 1))
		return 0;

	uint32_t later = set & ~((2u << h->last_turn) - 1);

	h->last_turn = (uint8_t)__builtin_ctz(later ? later : set);
	return h->last_turn;
}

/* Those in the first turn whose queue must wait now are parked: where flows are stopped, there are
 * no other turns. */
static void park_held(struct worker *w, struct host *h)
{
	struct turn *t = &h->turns[0];
	uint32_t handle = t->first;

	t->first = FLOW_NONE;
	t->burst_bytes = 0;
	h->waiting &= ~1u;
	while (handle != FLOW_NONE) {
		struct sender *s = slab_at(&w->senders, handle);
		uint32_t next = s->ready_next;

		h->work--;
		host_make_ready(w, h, s, handle);
		handle = next;
	}
}

/* Those whose queue goes on take turns again. */
static void unpark(struct worker *w, struct host *h)
{
	uint32_t handle = h->parked.first;

	h->parked.first = FLOW_NONE;
	while (handle != FLOW_NONE) {
		struct sender *s = slab_at(&w->senders, handle);
		uint32_t next = s->ready_next;

		host_make_ready(w, h, s, handle);
		handle = next;
	}
}

void host_pause_queue(struct worker *w, struct host *h, uint32_t queue, enum weir_pfc_signal signal)
{
	uint64_t *word = &h->held[queue / 64], bit = UINT64_C(1) << (queue % 64);

	if ((*word & bit) == (signal == WEIR_PFC_PAUSE ? bit : 0))
		return;
	*word ^= bit;
	if (signal == WEIR_PFC_PAUSE) {
		h->held_count++;
		h->paused |= HOST_QUEUE_PAUSES;
		park_held(w, h);
	} else {
		if (--h->held_count == 0)
			h->paused &= ~HOST_QUEUE_PAUSES;
		unpark(w, h);
	}
}

/* It has sent a segment in its turn: does its burst go on? */
static int keeps_turn(const struct engine *e, struct host *h, struct sender *s, struct turn *t)
{
	uint32_t mss_bytes = sender_transport(e, s)->env.mss_bytes;

	t->burst_bytes += mss_bytes;
	return t->burst_bytes + mss_bytes <= h->tso_bytes && is_due(e, h, s);
}

/* One that is alone would leave its turn and be the first in it again, if it may go on and its
 * class is the same. */
static int stays(const struct engine *e, struct host *h, struct sender *s, uint32_t number)
{
	return is_due(e, h, s) &&
	       (!h->special ||
		(!(h->paused & HOST_QUEUE_PAUSES) && !(h->special & HOST_ROUND_ROBIN) &&
		 host_queue(h, sender_next_class(e, s)) == number));
}

/* A segment from the next connection in turn that may send; 0 where there is none. One whose next
 * segment has become one of another class waits in the turn of that class. */
static int take_turn(struct worker *w, struct host *h, int64_t start_ps)
{
	if (UNLIKELY(h->special & HOST_ROUND_ROBIN) && h->returning != FLOW_NONE)
		end_return(w, h);
	while (h->waiting & ~h->paused) {
		uint32_t number = next_turn(h, h->waiting & ~h->paused);
		uint32_t handle = h->turns[number].first;
		struct sender *s = slab_at(&w->senders, handle);
		int can_send = is_due(w->engine, h, s);
		int is_here = !can_send || !h->special ||
			      host_queue(h, sender_next_class(w->engine, s)) == number;

		if (can_send && is_here) {
			sender_send_next(w, h, s, start_ps);
			if (h->tso_bytes && keeps_turn(w->engine, h, s, &h->turns[number]))
				return 1;
			if (s->ready_next == FLOW_NONE && stays(w->engine, h, s, number)) {
				h->turns[number].burst_bytes = 0;
				return 1;
			}
		}
		leave_turn(w, h, number);
		if (can_send) {
			if (!is_here)
				host_make_ready(w, h, s, handle);
			else if (is_due(w->engine, h, s))
				host_make_ready_again(w, h, s, handle);
			if (is_here)
				return 1;
		}
	}
	return 0;
}

/* A control packet that waits, of the lowest class that may send; NULL: there is none. */
static struct weir_queue *control_queue(struct host *h)
{
	struct weir_queue *q = weir_port_queues(&h->out->port);

	if (LIKELY(!h->special))
		return q;
	for (uint32_t i = 0; i < h->out->port.kind->queues; i++)
		if (q[i].pkts && !(h->paused & 1u << i))
			return &q[i];
	return NULL;
}

/* Sends everything that can start before limit_ps, or until a timer is due: the pace of a queue
 * pair that sent just now may have set one. */
static NOINLINE void card_run(struct worker *w, struct host *h, int64_t limit_ps)
{
	struct egress *out = h->out;

	if (h->paused & HOST_NIC_QUEUE) {
		nic_run_queue(w, h, limit_ps);
		return;
	}
	while (h->work) {
		int64_t start_ps = out->port.free_ps > h->now_ps ? out->port.free_ps : h->now_ps;

		if (start_ps >= limit_ps || start_ps > h->timer_ps)
			return;

		struct weir_queue *control = out->port.pkts ? control_queue(h) : NULL;

		if (control) {
			struct weir_packet *place = link_reserve(w, out);

			*place = *weir_port_dequeue(&out->port, &w->pool, control);
			h->work--;
			nic_send(w, h, place, start_ps);
		} else if (!take_turn(w, h, start_ps)) {
			return;
		}
	}
}

/* --- events --- */

static void on_pause(struct worker *w, struct host *h, const struct weir_packet *frame)
{
	uint32_t bit = 1u << frame->class_id;
	uint32_t kind = packet_segment((struct weir_packet *)frame)->frame_kind;
	int pause = kind == FRAME_PAUSE;

	if (kind >= FRAME_FABRIC) {
		w->engine->config->fabric->host_frame(w, h, frame);
		return;
	}
	h->paused = pause ? h->paused | bit : h->paused & ~bit;
	link_record_pause(w->engine, link_queue_reverse(w->engine, h->link_queue), frame->class_id,
			  pause, h->now_ps);
}

static inline ALWAYS_INLINE void on_packet(struct worker *w, struct host *h,
					   struct weir_packet *packet, int has_notes)
{
	h->received_pkts++;
	if (packet->flags & SEGMENT_ACK)
		sender_on_ack(w, h, packet);
	else if (UNLIKELY(packet_is_link_frame(packet)))
		on_pause(w, h, packet);
	else
		receiver_on_data(w, h, packet);
	if (UNLIKELY(has_notes))
		int_stack_release(w, packet);
}

/* The next of the host's flows, if any, becomes a timer. */
static void plan_start(const struct engine *e, struct host *h)
{
	if (h->next_start == h->start_end)
		return;

	uint32_t flow = e->start_order[h->next_start++];

	host_timer(h, e->flows.flows[flow].start_ps, TIMER_START, flow);
}

static inline void dispatch(struct worker *w, struct host *h, enum timer_kind kind, uint32_t number)
{
	if (kind == TIMER_PACING || kind == TIMER_CONTROL) { /* mostly */
		sender_on_own_timer(w, h, number, kind);
		return;
	}
	switch (kind) {
	case TIMER_REORDER:
	case TIMER_PROBE:
		sender_on_own_timer(w, h, number, kind);
		return;
	case TIMER_ACK:
		receiver_on_timer(w, h, number);
		return;
	case TIMER_START:
		plan_start(w->engine, h);
		sender_start(w, h, number);
		return;
	case TIMER_MAILBOX:
		mailbox_on_timer(w, h);
		return;
	case TIMER_NIC_DELAY:
		nic_on_delay_timer(w, h, number);
		return;
	default:
		sender_on_timer(w, h, number, kind);
	}
}

static void on_timer(struct worker *w, struct host *h)
{
	uint64_t key = h->timers.entries[0].key;

	h->is_timing = 1;
	dispatch(w, h, (enum timer_kind)(key >> 32), (uint32_t)key);
	if (h->is_timing) {
		h->is_timing = 0;
		heap_pop(&h->timers);
	}
	h->timer_ps = heap_first_ps(&h->timers);
}

/* Own wake-ups for what comes next without a packet's help. A far one is set only once. */
static void plan_wake(struct worker *w, struct host *h)
{
	if (h->work && h->out->port.free_ps >= w->end_ps)
		engine_wake(w, h->node, h->out->port.free_ps);
	if ((h->due_ps <= h->timer_ps && h->due_ps >= w->end_ps) ||
	    h->timer_ps == WEIR_TIME_NEVER_PS)
		return;
	h->due_ps = h->timer_ps;
	engine_wake_later(w, h->node, h->timer_ps);
}

void host_run(struct worker *w, struct host *h)
{
	struct engine *e = w->engine;
	uint32_t tail =
		atomic_load_explicit(&e->link_queue_tail[h->link_queue], memory_order_acquire);
	uint32_t *head = &e->link_queue_head[h->link_queue], slot = *head;
	int has_notes = e->int_stacks != NULL;
	int64_t arrival_ps;

	if (UNLIKELY(slot == WEIR_SLOT_NONE) && tail != WEIR_SLOT_NONE)
		slot = link_queue_start(e, h->link_queue);
	for (;;) {
		/* Mostly packets come one after the other and what they call for goes at once. */
		while (slot != tail && !h->work) {
			struct weir_packet *packet = &w->pool.slots[slot];

			if (packet->time_ps > h->timer_ps || packet->time_ps >= w->limit_ps)
				break;
			h->now_ps = packet->time_ps;
			on_packet(w, h, packet, has_notes);
			slot = link_queue_advance(&w->pool, slot);
		}
		arrival_ps = slot == tail ? WEIR_TIME_NEVER_PS : w->pool.slots[slot].time_ps;

		int64_t next_ps = arrival_ps <= h->timer_ps ? arrival_ps : h->timer_ps;

		if (h->work)
			card_run(w, h, next_ps < w->limit_ps ? next_ps + 1 : w->limit_ps);
		if (h->timer_ps < next_ps)
			continue;
		if (next_ps >= w->limit_ps)
			break;
		h->now_ps = next_ps;
		if (arrival_ps <= h->timer_ps) {
			on_packet(w, h, &w->pool.slots[slot], has_notes);
			slot = link_queue_advance(&w->pool, slot);
		} else {
			on_timer(w, h);
		}
	}
	*head = slot;
	link_publish(h->out, w->link_queue_tail);
	plan_wake(w, h);
	if (UNLIKELY(e->wheel.is_short) && arrival_ps != WEIR_TIME_NEVER_PS)
		engine_wake_later(w, h->node, arrival_ps);
}

/* --- building --- */

void hosts_new(struct engine *e)
{
	const struct network *net = e->net;
	const uint32_t queued = nic_has_queue(e->config) ? HOST_NIC_QUEUE : 0;
	const uint32_t round_robin =
		e->config->host.arbitration == ARBITRATION_ROUND_ROBIN ? HOST_ROUND_ROBIN : 0;
	uint32_t *fill;

	e->hosts = memory_new(net->host_count, sizeof(*e->hosts));
	e->start_order = memory_new(e->flows.count, sizeof(*e->start_order));
	fill = memory_new(net->host_count + UINT64_C(1), sizeof(*fill));
	for (uint32_t i = 0; i < e->flows.count; i++)
		if (!(e->flows.flows[i].flags & FLOW_WAITS))
			fill[e->flows.flows[i].src + 1]++;
	for (uint32_t i = 0; i < net->host_count; i++) {
		const struct net_node *node = &net->nodes[net->host_node[i]];
		struct weir_rng jitter = weir_rng_make(e->config->seed, i, WEIR_RNG_JITTER);

		fill[i + 1] += fill[i];
		if (!engine_owns_host(e, i))
			continue;
		e->hosts[i] = (struct host){
			.number = i,
			.node = net->host_node[i],
			.out = engine_egress(e, node->first_link),
			.link_queue = node->first_link_queue,
			.special = e->config->lossless | queued | round_robin,
			.paused = queued,
			.others = (uint8_t)__builtin_ctz(~e->config->lossless),
			.jitter_state = weir_rng_u32(&jitter) | 1,
			.tso_bytes = (uint32_t)e->config->host.tso_bytes,
			.timer_ps = WEIR_TIME_NEVER_PS,
			.due_ps = WEIR_TIME_NEVER_PS,
			.next_start = fill[i],
			.start_end = fill[i + 1],
			.parked = { FLOW_NONE, FLOW_NONE, 0 },
			.returning = FLOW_NONE,
		};
		for (uint32_t k = 0; k < HOST_QUEUES; k++)
			e->hosts[i].turns[k] = (struct turn){ FLOW_NONE, FLOW_NONE, 0 };
		nic_delays_new(e->config, &e->hosts[i]);
	}
	for (uint32_t i = 0; i < e->flows.count; i++)
		if (!(e->flows.flows[i].flags & FLOW_WAITS))
			e->start_order[fill[e->flows.flows[i].src]++] = i;
	for (uint32_t i = 0; i < net->host_count; i++)
		if (engine_owns_host(e, i))
			plan_start(e, &e->hosts[i]);
	memory_free(fill, net->host_count + UINT64_C(1), sizeof(*fill));
}

void hosts_free(struct engine *e)
{
	if (!e->hosts)
		return;
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		heap_free(&e->hosts[i].timers);
		nic_delays_free(e->config, &e->hosts[i]);
	}
	memory_free(e->hosts, e->net->host_count, sizeof(*e->hosts));
	memory_free(e->start_order, e->flows.count, sizeof(*e->start_order));
}
