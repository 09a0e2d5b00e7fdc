/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c -- event loop of a host, and arbitration between its connections.
 *
 * host_run simulates one lookahead window: arrivals, timers and starting flows in the order (time,
 * kind); between two events the NIC sends what it can. Runs on the worker that owns the host.
 *
 * Arbitration: senders that may send wait on ready lists, one for each lossless class and one for
 * all others. The NIC takes one segment (with host.tso-bytes, one burst) from the first sender of a
 * list and moves it to the end, round robin over the lists that PFC has not paused. O(1) a packet.
 */
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
	int sprays = e->config->network.ecmp == ECMP_PER_PACKET;
	struct route route;

	if (named) {
		*p->path = flow_at(e, p->connection)->src == p->from ? named->there : named->back;
		*p->until_ps = WEIR_TIME_NEVER_PS;
		return *p->path;
	}
	route_find(e->routes, p->from, p->to,
		   sprays ? weir_hash64(p->hash, (*p->spray_count)++) : p->hash, now_ps, &route);
	*p->path = route.found ? route.path : PATH_NONE;
	/* Sprayed packets choose a path each time. */
	*p->until_ps = sprays ? INT64_MIN : route.until_ps;
	return *p->path;
}

/* --- arbitration --- */

/* Has the switch paused the NIC queue of this sender's flow? */
static int host_sender_is_paused(const struct host *h, const struct sender *s)
{
	uint32_t queue = host_flow_queue(s->flow_hash, h->nic_queues);

	return h->paused & HOST_QUEUE_PAUSES && s->state != SENDER_DONE &&
	       (h->paused_queues[queue / 64] >> (queue % 64) & 1);
}

/* Window and pacing allow the next segment now. Checked again at the NIC, because the rate of a
 * queue pair may have fallen since it joined its ready list. */
static inline int host_sender_is_ready(const struct engine *e, struct host *h, struct sender *s)
{
	const struct transport_ops *ops = sender_transport(e, s)->ops;

	return sender_can_send(s) && (!ops->is_due || ops->is_due(h, s));
}

static void ready_list_append(struct worker *w, struct ready_list *l, struct sender *s,
			      uint32_t handle)
{
	s->in_ready = 1;
	s->ready_next = FLOW_NONE;
	if (l->first == FLOW_NONE)
		l->first = handle;
	else
		((struct sender *)slab_at(&w->senders, l->last))->ready_next = handle;
	l->last = handle;
}

void host_make_ready(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	uint32_t list = 0;

	if (h->slow_features) {
		if (h->paused & HOST_NIC_QUEUE) {
			while (host_sender_is_ready(w->engine, h, s))
				sender_send_next(w, h, s, h->now_ps);
			return;
		}
		if (host_sender_is_paused(h, s)) {
			ready_list_append(w, &h->paused_senders, s, handle);
			return;
		}
		if (sender_can_send(s)) /* one that was paused may have finished since */
			list = host_queue(h, sender_next_class(w->engine, s));
	}
	h->pending++;
	h->ready_set |= 1u << list;
	ready_list_append(w, &h->ready[list], s, handle);
}

void host_make_ready_again(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (!(h->slow_features & HOST_ROUND_ROBIN)) {
		host_make_ready(w, h, s, handle);
		return;
	}
	h->returning = handle;
	h->pending++;
	s->in_ready = 1;
}

/* Round robin, the link is idle again: the connection that sent last goes to the end of its
 * list. */
static NOINLINE void host_finish_return(struct worker *w, struct host *h)
{
	uint32_t handle = h->returning;

	h->returning = FLOW_NONE;
	h->pending--;
	host_make_ready(w, h, slab_at(&w->senders, handle), handle);
}

/* Removes the first sender of a ready list; frees one that is closed. */
static void host_pop_ready(struct worker *w, struct host *h, uint32_t list)
{
	struct ready_list *l = &h->ready[list];
	uint32_t handle = l->first;
	struct sender *s = slab_at(&w->senders, handle);

	l->first = s->ready_next;
	if (l->first == FLOW_NONE)
		h->ready_set &= ~(1u << list);
	l->burst_bytes = 0;
	h->pending--;
	s->in_ready = 0;
	if (s->state == SENDER_DONE)
		slab_release(&w->senders, handle);
}

/* The ready list to serve: the next one of the set after the last served, round robin. */
static uint32_t host_next_list(struct host *h, uint32_t set)
{
	if (LIKELY(set == 1))
		return 0;

	uint32_t later = set & ~((2u << h->last_list) - 1);

	h->last_list = (uint8_t)__builtin_ctz(later ? later : set);
	return h->last_list;
}

/* Puts all senders of a list that starts with this one on the lists where they belong now: their
 * ready lists, or the paused senders. */
static void host_requeue(struct worker *w, struct host *h, uint32_t handle)
{
	while (handle != FLOW_NONE) {
		struct sender *s = slab_at(&w->senders, handle);
		uint32_t next = s->ready_next;

		host_make_ready(w, h, s, handle);
		handle = next;
	}
}

/* A NIC queue was paused: moves its senders off ready list 0. Under BFC there is no other list. */
static void host_requeue_ready(struct worker *w, struct host *h)
{
	struct ready_list *l = &h->ready[0];
	uint32_t first = l->first;

	for (uint32_t i = first; i != FLOW_NONE;
	     i = ((struct sender *)slab_at(&w->senders, i))->ready_next)
		h->pending--;
	l->first = FLOW_NONE;
	l->burst_bytes = 0;
	h->ready_set &= ~1u;
	host_requeue(w, h, first);
}

void host_pause_queue(struct worker *w, struct host *h, uint32_t queue, enum weir_pfc_signal signal)
{
	uint64_t *word = &h->paused_queues[queue / 64], bit = UINT64_C(1) << (queue % 64);

	if ((*word & bit) == (signal == WEIR_PFC_PAUSE ? bit : 0))
		return;
	*word ^= bit;
	if (signal == WEIR_PFC_PAUSE) {
		h->paused_queue_count++;
		h->paused |= HOST_QUEUE_PAUSES;
		host_requeue_ready(w, h);
	} else {
		uint32_t first = h->paused_senders.first;

		if (--h->paused_queue_count == 0)
			h->paused &= ~HOST_QUEUE_PAUSES;
		h->paused_senders.first = FLOW_NONE;
		host_requeue(w, h, first);
	}
}

/* The first sender of the list has sent a segment: does its burst continue? */
static int host_burst_continues(const struct engine *e, struct host *h, struct sender *s,
				struct ready_list *l)
{
	uint32_t mss_bytes = sender_transport(e, s)->env.mss_bytes;

	l->burst_bytes += mss_bytes;
	return l->burst_bytes + mss_bytes <= h->tso_bytes && host_sender_is_ready(e, h, s);
}

/* A sender that is alone on its list may stay there, which saves a pop and a push: it may send
 * again, and its next segment belongs on the same list. */
static int host_sender_stays(const struct engine *e, struct host *h, struct sender *s,
			     uint32_t list)
{
	return host_sender_is_ready(e, h, s) &&
	       (!h->slow_features ||
		(!(h->paused & HOST_QUEUE_PAUSES) && !(h->slow_features & HOST_ROUND_ROBIN) &&
		 host_queue(h, sender_next_class(e, s)) == list));
}

/* Sends one segment of the next ready sender; returns 0 where none may send. A sender whose next
 * segment has another class than when it became ready moves to the list of that class. */
static int host_send_ready(struct worker *w, struct host *h, int64_t start_ps)
{
	if (UNLIKELY(h->slow_features & HOST_ROUND_ROBIN) && h->returning != FLOW_NONE)
		host_finish_return(w, h);
	while (h->ready_set & ~h->paused) {
		uint32_t list = host_next_list(h, h->ready_set & ~h->paused);
		uint32_t handle = h->ready[list].first;
		struct sender *s = slab_at(&w->senders, handle);
		int can_send = host_sender_is_ready(w->engine, h, s);
		int is_here = !can_send || !h->slow_features ||
			      host_queue(h, sender_next_class(w->engine, s)) == list;

		if (can_send && is_here) {
			sender_send_next(w, h, s, start_ps);
			if (h->tso_bytes && host_burst_continues(w->engine, h, s, &h->ready[list]))
				return 1;
			if (s->ready_next == FLOW_NONE &&
			    host_sender_stays(w->engine, h, s, list)) {
				h->ready[list].burst_bytes = 0;
				return 1;
			}
		}
		host_pop_ready(w, h, list);
		if (can_send) {
			if (!is_here)
				host_make_ready(w, h, s, handle);
			else if (host_sender_is_ready(w->engine, h, s))
				host_make_ready_again(w, h, s, handle);
			if (is_here)
				return 1;
		}
	}
	return 0;
}

/* The queue of control packets to serve: the lowest class that is not paused. NULL: none. */
static struct weir_queue *host_control_queue(struct host *h)
{
	struct weir_queue *q = weir_port_queues(&h->out->port);

	if (LIKELY(!h->slow_features))
		return q;
	for (uint32_t i = 0; i < h->out->port.kind->queues; i++)
		if (q[i].pkts && !(h->paused & 1u << i))
			return &q[i];
	return NULL;
}

/* Sends everything that can start before limit_ps. Stops when a timer is due first: a queue pair
 * that has just sent may have set its pacing timer. */
static NOINLINE void host_run_nic(struct worker *w, struct host *h, int64_t limit_ps)
{
	struct egress *out = h->out;

	if (h->paused & HOST_NIC_QUEUE) {
		nic_run_queue(w, h, limit_ps);
		return;
	}
	while (h->pending) {
		int64_t start_ps = out->port.free_ps > h->now_ps ? out->port.free_ps : h->now_ps;

		if (start_ps >= limit_ps || start_ps > h->timer_ps)
			return;

		struct weir_queue *control = out->port.pkts ? host_control_queue(h) : NULL;

		if (control) {
			struct weir_packet *place = link_reserve(w, out);

			*place = *weir_port_dequeue(&out->port, &w->pool, control);
			h->pending--;
			nic_send(w, h, place, start_ps);
		} else if (!host_send_ready(w, h, start_ps)) {
			return;
		}
	}
}

/* --- events --- */

/* A frame from the switch: PFC pause or resume of a class, or one of the fabric scheme's. */
static void host_on_link_frame(struct worker *w, struct host *h, const struct weir_packet *frame)
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

static inline ALWAYS_INLINE void host_on_packet(struct worker *w, struct host *h,
						struct weir_packet *packet, int has_int_stacks)
{
	h->received_pkts++;
	if (packet->flags & SEGMENT_ACK)
		sender_on_ack(w, h, packet);
	else if (UNLIKELY(packet_is_link_frame(packet)))
		host_on_link_frame(w, h, packet);
	else
		receiver_on_data(w, h, packet);
	if (UNLIKELY(has_int_stacks))
		int_stack_release(w, packet);
}

/* Sets the timer of the host's next flow to start. One at a time: the list is sorted, so the timer
 * heap need not hold all flows. */
static void host_plan_start(const struct engine *e, struct host *h)
{
	if (h->next_start == h->start_end)
		return;

	uint32_t flow = e->start_order[h->next_start++];

	host_timer(h, e->flows.flows[flow].start_ps, TIMER_START, flow);
}

static inline void host_dispatch_timer(struct worker *w, struct host *h, enum timer_kind kind,
				       uint32_t number)
{
	if (kind == TIMER_PACING || kind == TIMER_CONTROL) { /* by far the most frequent */
		sender_on_transport_timer(w, h, number, kind);
		return;
	}
	switch (kind) {
	case TIMER_REORDER:
	case TIMER_PROBE:
		sender_on_transport_timer(w, h, number, kind);
		return;
	case TIMER_ACK:
		receiver_on_timer(w, h, number);
		return;
	case TIMER_START:
		host_plan_start(w->engine, h);
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

static void host_on_timer(struct worker *w, struct host *h)
{
	uint64_t key = h->timers.entries[0].key;

	h->in_timer = 1;
	host_dispatch_timer(w, h, (enum timer_kind)(key >> 32), (uint32_t)key);
	if (h->in_timer) { /* the handler set no timer that replaced this one */
		h->in_timer = 0;
		heap_pop(&h->timers);
	}
	h->timer_ps = heap_first_ps(&h->timers);
}

/* Wakes the host in the later windows in which the NIC or its first timer has something to do. No
 * overflow wake-up is set while an earlier one is pending. */
static void host_plan_wake(struct worker *w, struct host *h)
{
	if (h->pending && h->out->port.free_ps >= w->end_ps)
		engine_wake(w, h->node, h->out->port.free_ps);
	if ((h->wake_ps <= h->timer_ps && h->wake_ps >= w->end_ps) ||
	    h->timer_ps == WEIR_TIME_NEVER_PS)
		return;
	h->wake_ps = h->timer_ps;
	engine_wake_later(w, h->node, h->timer_ps);
}

void host_run(struct worker *w, struct host *h)
{
	struct engine *e = w->engine;
	uint32_t tail =
		atomic_load_explicit(&e->link_queue_tail[h->link_queue], memory_order_acquire);
	uint32_t *head = &e->link_queue_head[h->link_queue], slot = *head;
	int has_int_stacks = e->int_stacks != NULL;
	int64_t arrival_ps;

	if (UNLIKELY(slot == WEIR_SLOT_NONE) && tail != WEIR_SLOT_NONE)
		slot = link_queue_start(e, h->link_queue);
	for (;;) {
		/* Fast path: back-to-back arrivals whose replies are sent immediately. */
		while (slot != tail && !h->pending) {
			struct weir_packet *packet = &w->pool.slots[slot];

			if (packet->time_ps > h->timer_ps || packet->time_ps >= w->limit_ps)
				break;
			h->now_ps = packet->time_ps;
			host_on_packet(w, h, packet, has_int_stacks);
			slot = link_queue_advance(&w->pool, slot);
		}
		arrival_ps = slot == tail ? WEIR_TIME_NEVER_PS : w->pool.slots[slot].time_ps;

		int64_t next_ps = arrival_ps <= h->timer_ps ? arrival_ps : h->timer_ps;

		if (h->pending)
			host_run_nic(w, h, next_ps < w->limit_ps ? next_ps + 1 : w->limit_ps);
		if (h->timer_ps < next_ps) /* set by a packet that was sent just now */
			continue;
		if (next_ps >= w->limit_ps)
			break;
		h->now_ps = next_ps;
		if (arrival_ps <= h->timer_ps) {
			host_on_packet(w, h, &w->pool.slots[slot], has_int_stacks);
			slot = link_queue_advance(&w->pool, slot);
		} else {
			host_on_timer(w, h);
		}
	}
	*head = slot;
	if (UNLIKELY(w->has_sparse))
		link_publish_sparse(w, h->out);
	else
		link_publish(h->out, w->link_queue_tail);
	host_plan_wake(w, h);
	if (UNLIKELY(e->wheel.is_short) && arrival_ps != WEIR_TIME_NEVER_PS)
		engine_wake_later(w, h->node, arrival_ps);
}

/* --- building --- */

/* Sorts the flows that start by themselves by source: host i starts those from
 * start_order[first[i]] up to first[i + 1]. Flows are sorted by start already, and so are those of
 * each host. */
static void hosts_sort_starts(struct engine *e, uint32_t *first)
{
	uint32_t hosts = e->net->host_count;

	for (uint32_t i = 0; i < e->flows.count; i++)
		if (!(e->flows.flows[i].flags & FLOW_WAITS))
			first[e->flows.flows[i].src + 1]++;
	for (uint32_t i = 0; i < hosts; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < e->flows.count; i++)
		if (!(e->flows.flows[i].flags & FLOW_WAITS))
			e->start_order[first[e->flows.flows[i].src]++] = i;
	for (uint32_t i = hosts; i > 0; i--) /* each is where the next one starts */
		first[i] = first[i - 1];
	first[0] = 0;
}

void hosts_new(struct engine *e)
{
	const struct network *net = e->net;
	const uint64_t first_count = net->host_count + UINT64_C(1);
	const uint32_t nic_queue = nic_has_queue(e->config) ? HOST_NIC_QUEUE : 0;
	const uint32_t round_robin =
		e->config->host.arbitration == ARBITRATION_ROUND_ROBIN ? HOST_ROUND_ROBIN : 0;
	uint32_t *first = memory_new(first_count, sizeof(*first));

	e->hosts = memory_new(net->host_count, sizeof(*e->hosts));
	e->start_order = memory_new(e->flows.count, sizeof(*e->start_order));
	hosts_sort_starts(e, first);
	for (uint32_t i = 0; i < net->host_count; i++) {
		const struct net_node *node = &net->nodes[net->host_node[i]];
		struct weir_rng jitter = weir_rng_make(e->config->seed, i, WEIR_RNG_JITTER);

		if (!engine_owns_host(e, i))
			continue;
		e->hosts[i] = (struct host){
			.number = i,
			.node = net->host_node[i],
			.out = engine_egress(e, node->first_link),
			.link_queue = node->first_link_queue,
			.slow_features = e->config->lossless | nic_queue | round_robin,
			.paused = nic_queue,
			.lossy_list = (uint8_t)__builtin_ctz(~e->config->lossless),
			.jitter_state = weir_rng_u32(&jitter) | 1,
			.tso_bytes = (uint32_t)e->config->host.tso_bytes,
			.timer_ps = WEIR_TIME_NEVER_PS,
			.wake_ps = WEIR_TIME_NEVER_PS,
			.next_start = first[i],
			.start_end = first[i + 1],
			.paused_senders = { FLOW_NONE, FLOW_NONE, 0 },
			.returning = FLOW_NONE,
		};
		for (uint32_t k = 0; k < HOST_QUEUES; k++)
			e->hosts[i].ready[k] = (struct ready_list){ FLOW_NONE, FLOW_NONE, 0 };
		nic_delays_new(e->config, &e->hosts[i]);
		host_plan_start(e, &e->hosts[i]);
	}
	memory_free(first, first_count, sizeof(*first));
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
