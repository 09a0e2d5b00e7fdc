/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.c -- the fast path of a switch for one lookahead window: arrivals in order of (time,
 * ingress), each offered to its egress port; then every port that holds packets sends what can
 * start within the window.
 *
 * Ports have no transmission-complete events. A port may lag behind the clock of its switch as long
 * as no decision depends on it: before a packet is offered, its port sends what could have left by
 * then. Where a departure at one port can matter at another, event_switch.c takes over.
 *
 * switch_run runs on the thread that has claimed the switch. `features`, bits of enum
 * switch_feature, is a compile-time constant in every specialised copy of the loops. */
#include "base/compiler.h"
#include "sim/core/event_switch.h"
#include "sim/core/switch.h"
#include <string.h>

/* Arrivals are sorted by 64-bit keys: picoseconds since the window began, then the ingress.
 * engine_build.c ensures that a switch has at most 2^22 ingresses and that a window is shorter than
 * 2^42 ps (4.4 s). */
enum {
	INGRESS_BITS = SWITCH_INGRESS_BITS,
	INGRESS_MASK = (1 << INGRESS_BITS) - 1,
	SMALL_SORT = 4,
	BUCKETS_MAX = 4096
};

static uint64_t switch_arrival_key(int64_t since_ps, uint32_t ingress)
{
	return (uint64_t)since_ps << INGRESS_BITS | ingress;
}

void egress_transmit_slow(struct worker *w, struct egress *out, const struct weir_packet *packet,
			  uint64_t path, int64_t start_ps, int has_int)
{
	struct weir_packet *place = link_reserve(w, out);

	*place = *packet;
	packet_segment(place)->path = path;
	if (has_int)
		telemetry_write(w->engine, out, place, start_ps);
	link_send(w, out, start_ps);
}

/* --- departures --- */

/* The next packet leaves a FIFO port without a dequeue hook, whose link is free. */
static inline ALWAYS_INLINE void egress_next_fast(struct worker *w, struct switch_state *s,
						  struct egress *out, uint32_t features)
{
	int64_t start_ps = out->port.free_ps;
	struct weir_packet *packet =
		weir_port_next_fast(&out->port, &w->pool, features & SWITCH_F_SHARED_BUFFER);

	if (features & SWITCH_F_PFC)
		switch_pfc_leave_fast(&s->events->pfc, packet_segment(packet)->ingress, packet);
	egress_transmit(w, out, packet, NULL, start_ps, features & SWITCH_F_INT);
}

/* The next packet leaves a port, whose link is free. A dequeue hook that needs the shared buffer's
 * fill has the other ports drain first, which reuse the memory that the packet was in: it is copied
 * before. */
static inline ALWAYS_INLINE void egress_next(struct worker *w, struct switch_state *s,
					     struct egress *out, uint32_t features)
{
	const struct weir_port_class *c = out->port.kind;
	int64_t start_ps = out->port.free_ps;
	uint32_t queue = 0;

	if (!(features & SWITCH_F_SLOW_DEQUEUE)) {
		egress_next_fast(w, s, out, features);
		return;
	}

	struct weir_packet *packet = weir_port_dequeue_next(&out->port, &w->pool, &queue), copy;

	if (!packet)
		return;
	if (UNLIKELY(c->mark_dequeue && c->mark_needs & WEIR_MARK_NEEDS_SHARED_BUFFER)) {
		copy = *packet;
		packet = &copy;
	}
	if (features & SWITCH_F_PFC)
		switch_pfc_leave_fast(&s->events->pfc, packet_segment(packet)->ingress, packet);
	if (weir_port_start(&out->port, packet, queue) == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, NULL, start_ps, features & SWITCH_F_INT);
	else
		packet_retire(w, packet);
}

/* Sends every packet that can start before limit_ps. */
static inline ALWAYS_INLINE void egress_drain_inline(struct worker *w, struct switch_state *s,
						     struct egress *out, int64_t limit_ps,
						     uint32_t features)
{
	while (out->port.pkts && out->port.free_ps < limit_ps)
		egress_next(w, s, out, features);
}

static NOINLINE void egress_drain_basic(struct worker *w, struct switch_state *s,
					struct egress *out, int64_t limit_ps)
{
	egress_drain_inline(w, s, out, limit_ps, 0);
}

static NOINLINE void egress_drain_pfc(struct worker *w, struct switch_state *s, struct egress *out,
				      int64_t limit_ps)
{
	egress_drain_inline(w, s, out, limit_ps, SWITCH_F_SHARED_BUFFER | SWITCH_F_PFC);
}

static NOINLINE void egress_drain_any(struct worker *w, struct switch_state *s, struct egress *out,
				      int64_t limit_ps)
{
	egress_drain_inline(w, s, out, limit_ps, s->features);
}

static inline ALWAYS_INLINE void egress_drain(struct worker *w, struct switch_state *s,
					      struct egress *out, int64_t limit_ps,
					      uint32_t features)
{
	if (!features)
		egress_drain_basic(w, s, out, limit_ps);
	else if (features == (SWITCH_F_SHARED_BUFFER | SWITCH_F_PFC))
		egress_drain_pfc(w, s, out, limit_ps);
	else
		egress_drain_any(w, s, out, limit_ps);
}

void switch_sync(struct weir_shared_buffer *shared, int64_t now_ps)
{
	struct switch_state *s = shared->owner;

	for (uint32_t i = 0; i < s->link_count; i++)
		if (s->backlog[i / 64] >> (i % 64) & 1)
			egress_drain(s->worker, s, engine_egress(s->engine, s->first_link + i),
				     now_ps + 1, s->features);
}

/* Will the packet queue although the port is empty (link busy, or its class paused)? */
static inline int egress_will_queue(const struct egress *out, const struct weir_packet *packet,
				    uint32_t features)
{
	const struct weir_port *p = &out->port;

	return p->free_ps > packet->time_ps ||
	       (features & SWITCH_F_PFC &&
		weir_port_is_paused(p, p->kind->class_queue[packet->class_id]));
}

/* --- arrivals --- */

/* Offers a packet to its port. The rest of its path is written into the copy, not into the packet,
 * see weir_port_offer_fifo. */
static inline ALWAYS_INLINE int switch_offer(struct worker *w, struct egress *out,
					     struct weir_packet *packet, uint64_t path,
					     uint32_t features)
{
	int64_t now_ps = packet->time_ps;
	int answer;

	if (features & SWITCH_F_SLOW_DEQUEUE && out->port.kind->order != WEIR_PORT_FIFO) {
		packet_segment(packet)->path = path;
		answer = weir_port_offer_sched(&out->port, &w->pool, packet, now_ps);
	} else {
		struct weir_packet *place;

		answer = weir_port_offer_fifo(&out->port, &w->pool, packet, &place,
					      features & SWITCH_F_SLOW_DEQUEUE ? WEIR_PORT_HOOK_IDLE
									       : 0,
					      features & SWITCH_F_SHARED_BUFFER);
		if (answer == WEIR_PORT_QUEUED)
			packet_segment(place)->path = path;
	}
	if (answer == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, &path, now_ps, features & SWITCH_F_INT);
	return answer;
}

static inline ALWAYS_INLINE void switch_forward(struct worker *w, struct switch_state *s,
						struct weir_packet *packet, uint32_t features)
{
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint64_t path = segment->path;
	uint32_t port = (uint32_t)(path & s->route_mask);
	struct egress *out = switch_egress(s, port);

	if (out->port.pkts) {
		/* Usually one packet leaves for each that arrives. */
		if (out->port.free_ps <= now_ps) {
			egress_next(w, s, out, features);
			if (out->port.pkts && out->port.free_ps <= now_ps)
				egress_drain(w, s, out, now_ps + 1, features);
		}
	} else if (egress_will_queue(out, packet, features) && !out->port.stats &&
		   s->engine->measuring) {
		port_stats_start(s->engine, &out->port);
	}

	int answer = switch_offer(w, out, packet, path >> s->route_bits, features);

	if (answer == WEIR_PORT_QUEUED) {
		/* A port that held packets before has its bit set. */
		if (out->port.pkts == 1)
			s->backlog[port / 64] |= UINT64_C(1) << (port % 64);
		if (features & SWITCH_F_PFC)
			switch_pfc_enter_fast(&s->events->pfc, segment->ingress, packet);
	} else if (features && answer == WEIR_PORT_DROPPED) {
		packet_retire(w, packet);
	}
}

/* Doubles the room for keys, of which count are in use. Returns the place of the next. */
static NOINLINE uint64_t *switch_grow_keys(struct worker *w, size_t count)
{
	w->key_capacity = w->key_capacity ? w->key_capacity * 2 : 1024;
	w->keys = memory_grow(w->keys, w->key_capacity, sizeof(*w->keys));
	w->sorted = memory_grow(w->sorted, w->key_capacity, sizeof(*w->sorted));
	w->keys_full = w->keys + w->key_capacity - WEIR_CHUNK_PACKETS;
	return w->keys + count;
}

/* Ensures room for the keys of another chunk of packets. */
static inline uint64_t *switch_reserve_keys(struct worker *w, uint64_t *key_at)
{
	return LIKELY(key_at < w->keys_full) ? key_at
					     : switch_grow_keys(w, (size_t)(key_at - w->keys));
}

/* Prefetches the packets at the heads of the in-flight queues of all ingresses. */
static inline ALWAYS_INLINE void
switch_prefetch_link_queues(const struct worker *w, const struct switch_state *s, uint32_t chunks)
{
	const _Atomic uint32_t *tails = w->link_queue_tail + s->first_link_queue;
	const uint32_t *heads = s->heads;

	for (uint32_t i = 0; i < s->link_queue_count; i++)
		link_queue_prefetch(&w->pool, heads[i],
				    atomic_load_explicit(&tails[i], memory_order_acquire), chunks);
}

void switch_prefetch(const struct worker *w, const struct switch_state *s)
{
	const size_t port_size = s->port_size;
	const char *port = s->ports;

	if (UNLIKELY(s->ports_active != NULL)) /* most ports would be prefetched in vain */
		return;
	if (w->prefetch == PREFETCH_ALL)
		switch_prefetch_link_queues(w, s, PREFETCH_CHUNKS_ALL);
	else
		switch_prefetch_link_queues(w, s, PREFETCH_CHUNKS);
#pragma GCC unroll 4
	for (uint32_t i = s->link_count; i > 0; i--, port += port_size) {
		__builtin_prefetch(port);
		__builtin_prefetch(port + 64);
	}
}

/* Writes the keys of an ingress's arrivals before the limit and counts them into buckets of
 * 2^shift. They are in order already. Returns the place of the next key; *pending_ps: at most the
 * first arrival that is left. */
static inline ALWAYS_INLINE uint64_t *
switch_gather_queue(struct worker *w, const struct switch_state *s, uint32_t i, uint32_t slot,
		    uint32_t tail, uint32_t shift, uint64_t *key_at, int64_t *pending_ps)
{
	const struct weir_packet *slots = w->pool.slots;
	uint32_t *buckets = w->buckets;
	int64_t limit_ps = w->limit_ps;

	if (UNLIKELY(slot == WEIR_SLOT_NONE)) {
		slot = s->heads[i] = link_queue_start(w->engine, s->first_link_queue + i);
		if (slot == tail) /* its first packet was lost on a failed link */
			return key_at;
	}

	/* The key of a packet that arrived at time 0. */
	uint64_t zero = i - switch_arrival_key(w->begin_ps, 0);

	key_at = switch_reserve_keys(w, key_at);
	for (;;) {
		int64_t time_ps = slots[slot].time_ps;

		if (time_ps >= limit_ps) {
			*pending_ps = time_ps < *pending_ps ? time_ps : *pending_ps;
			break;
		}

		uint64_t key = switch_arrival_key(time_ps, 0) + zero;

		*key_at++ = key;
		buckets[key >> shift]++;
		if ((++slot & WEIR_CHUNK_MASK) == 0) {
			slot = w->pool.next[(slot - 1) >> WEIR_CHUNK_SHIFT] << WEIR_CHUNK_SHIFT;
			key_at = switch_reserve_keys(w, key_at);
		}
		if (slot == tail)
			break;
	}
	return key_at;
}

/* The same for the ingresses that may have arrivals, of a switch with many. An ingress stays active
 * until a window finds its in-flight queue empty. */
static NOINLINE uint64_t *switch_gather_active(struct worker *w, const struct switch_state *s,
					       uint32_t shift, int64_t *pending_ps)
{
	struct active_set *arriving = &s->ports_active->arriving;
	const _Atomic uint32_t *tails = w->link_queue_tail + s->first_link_queue;
	struct active_set_cursor at = { 0 };
	uint64_t *key_at = w->keys;
	uint32_t i;

	while (active_set_next(arriving, &at, &i)) {
		uint32_t tail = atomic_load_explicit(&tails[i], memory_order_acquire);

		if (s->heads[i] != tail) {
			key_at = switch_gather_queue(w, s, i, s->heads[i], tail, shift, key_at,
						     pending_ps);
			continue;
		}
		/* Its sender may publish a packet of a later window meanwhile. */
		active_set_remove(arriving, i);
		if (atomic_load_explicit(&tails[i], memory_order_acquire) != tail)
			active_set_add(arriving, i);
	}
	return key_at;
}

/* The same for all ingresses. */
static inline ALWAYS_INLINE uint64_t *switch_gather_all(struct worker *w,
							const struct switch_state *s,
							uint32_t shift, int64_t *pending_ps)
{
	const _Atomic uint32_t *tails = w->engine->link_queue_tail + s->first_link_queue;
	const uint32_t *heads = s->heads;
	uint64_t *key_at = w->keys;

	for (uint32_t i = 0, queues = s->link_queue_count; i < queues; i++) {
		uint32_t slot = heads[i],
			 tail = atomic_load_explicit(&tails[i], memory_order_acquire);

		if (slot != tail)
			key_at =
				switch_gather_queue(w, s, i, slot, tail, shift, key_at, pending_ps);
	}
	return key_at;
}

/* Gathers the keys of all arrivals before limit_ps. Returns their number. */
static NOINLINE uint32_t switch_gather_arrivals(struct worker *w, const struct switch_state *s,
						uint32_t shift)
{
	int64_t pending_ps = WEIR_TIME_NEVER_PS;
	const uint64_t *end = UNLIKELY(s->ports_active != NULL)
				      ? switch_gather_active(w, s, shift, &pending_ps)
				      : switch_gather_all(w, s, shift, &pending_ps);

	if (UNLIKELY(w->engine->wheel.is_short) && pending_ps != WEIR_TIME_NEVER_PS)
		engine_wake_later(w, s->node, pending_ps);
	return (uint32_t)(end - w->keys);
}

/* Insertion sort: moves a key down to its place among [first, at). */
static NOINLINE void switch_insert_key(const uint64_t *first, uint64_t *at)
{
	uint64_t key = *at;

	do {
		*at = at[-1];
		at--;
	} while (at > first && at[-1] > key);
	*at = key;
}

/* Bucket sort, then insertion sort, which moves few keys: O(n) for evenly spread arrivals. */
static NOINLINE const uint64_t *switch_sort_arrivals(struct worker *w, uint32_t count,
						     uint32_t shift, uint32_t buckets)
{
	uint64_t *keys = w->keys, *sorted = w->sorted;
	uint32_t *bucket = w->buckets, sum = 0;

	if (count > SMALL_SORT) {
#pragma GCC unroll 4
		for (uint32_t i = 0; i < buckets; i++) {
			uint32_t here = bucket[i];

			bucket[i] = sum;
			sum += here;
		}
#pragma GCC unroll 4
		for (uint32_t i = 0; i < count; i++)
			sorted[bucket[keys[i] >> shift]++] = keys[i];
		keys = sorted;
	}
#pragma GCC unroll 4
	for (uint64_t *key = keys + 1; key < keys + count; key++)
		if (UNLIKELY(*key < key[-1]))
			switch_insert_key(keys, key);
	return keys;
}

/* The first word of the backlog from this one on that has a bit set; none: beyond all of them. For
 * switches with many ports, few of which hold packets. */
static NOINLINE uint32_t switch_next_backlog(const struct switch_state *s, uint32_t word)
{
	enum { BLOCK = 16 };
	uint32_t words = (s->link_count + 63) / 64;

	for (; word + BLOCK <= words; word += BLOCK) {
		const uint64_t *block = &s->backlog[word];
		uint64_t any = 0;

#pragma GCC unroll 16
		for (uint32_t i = 0; i < BLOCK; i++)
			any |= block[i];
		if (any)
			break;
	}
	while (word < words && !s->backlog[word])
		word++;
	return word;
}

/* Drains the ports that hold packets up to the end of the window, and wakes the switch for the next
 * departure of each. */
static inline ALWAYS_INLINE void switch_flush(struct worker *w, struct switch_state *s,
					      uint32_t features)
{
	for (uint32_t word = 0; word < (s->link_count + 63) / 64; word++) {
		uint64_t left;

		if (UNLIKELY(s->ports_active != NULL)) {
			word = switch_next_backlog(s, word);
			if (word >= (s->link_count + 63) / 64)
				break;
		}
		left = s->backlog[word];
		while (left) {
			uint32_t bit = (uint32_t)__builtin_ctzll(left);
			struct egress *out =
				engine_egress(s->engine, s->first_link + word * 64 + bit);

			left &= left - 1;
			egress_drain(w, s, out, w->limit_ps, features);
			if (out->port.pkts == 0)
				s->backlog[word] &= ~(UINT64_C(1) << bit);
			else if (out->port.free_ps >= w->end_ps &&
				 out->port.free_ps != WEIR_PORT_BLOCKED_PS)
				engine_wake(w, s->node, out->port.free_ps);
		}
	}
}

/* About as many buckets as there were arrivals in the last window, within a factor of two. */
static uint32_t switch_bucket_shift(const struct switch_state *s, uint64_t span)
{
	uint32_t wanted = s->arrivals < BUCKETS_MAX / 2 ? s->arrivals | 1 : BUCKETS_MAX / 2;
	int shift = __builtin_clz(wanted) + 32 - __builtin_clzll(span | 1);

	return shift > INGRESS_BITS ? (uint32_t)shift : INGRESS_BITS;
}

const uint64_t *switch_arrivals(struct worker *w, struct switch_state *s, uint32_t *count)
{
	uint64_t span = (uint64_t)(w->limit_ps - w->begin_ps) << INGRESS_BITS;
	uint32_t shift = switch_bucket_shift(s, span), buckets = (uint32_t)(span >> shift) + 1;

	memset(w->buckets, 0, buckets * sizeof(*w->buckets));
	if (w->prefetch && !worker_prefetches_ahead(w))
		switch_prefetch(w, s);
	*count = switch_gather_arrivals(w, s, shift);
	s->arrivals = *count;
	return switch_sort_arrivals(w, *count, shift, buckets);
}

/* A link frame (PFC) arrives; the port that it pauses or resumes first sends what it could. */
static NOINLINE void switch_on_link_frame(struct worker *w, struct switch_state *s,
					  uint32_t ingress, const struct weir_packet *frame)
{
	const struct engine *e = s->engine;

	egress_drain(w, s, engine_egress(e, link_queue_reverse(e, s->first_link_queue + ingress)),
		     frame->time_ps + 1, s->features);
	event_switch_on_frame(w, s, ingress, frame);
}

/* With PFC: may the fast path handle an arrival? A link frame is handled here. An arrival that
 * might reach a threshold has the switch keep event order from here on. */
enum arrival { ARRIVAL_FORWARD, ARRIVAL_CONSUMED, ARRIVAL_NEEDS_ORDER };

static inline ALWAYS_INLINE enum arrival switch_check_arrival(struct worker *w,
							      struct switch_state *s,
							      uint32_t ingress, uint64_t fast_bytes,
							      struct weir_packet *packet)
{
	struct segment *segment = packet_segment(packet);
	const struct egress *out = switch_egress(s, (uint32_t)(segment->path & s->route_mask));

	if (UNLIKELY(packet_is_link_frame(packet))) {
		switch_on_link_frame(w, s, ingress, packet);
		return ARRIVAL_CONSUMED;
	}
	if (UNLIKELY(!switch_pfc_admits_fast(&s->events->pfc, ingress, fast_bytes, packet,
					     &out->port))) {
		event_switch_activate(s, packet->time_ps);
		return ARRIVAL_NEEDS_ORDER;
	}
	segment->ingress = (uint16_t)ingress;
	return ARRIVAL_FORWARD;
}

/* Handles arrivals in order, up to the first that needs event order; returns how many. */
static inline ALWAYS_INLINE uint32_t switch_run_arrivals(struct worker *w, struct switch_state *s,
							 const uint64_t *keys, uint32_t count,
							 uint32_t features)
{
	uint64_t fast_bytes = 0;

	if (features & SWITCH_F_PFC)
		fast_bytes = weir_pfc_xoff_threshold_with(
			&s->events->pfc.memory,
			(uint64_t)count * w->engine->config->frame_max_bytes);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t ingress = (uint32_t)(keys[i] & INGRESS_MASK);
		uint32_t *head = &s->heads[ingress], slot = *head;
		struct weir_packet *packet = &w->pool.slots[slot];
		enum arrival arrival = ARRIVAL_FORWARD;

		if (features & SWITCH_F_PFC)
			arrival = switch_check_arrival(w, s, ingress, fast_bytes, packet);
		if (arrival == ARRIVAL_NEEDS_ORDER)
			return i;
		if (arrival == ARRIVAL_FORWARD)
			switch_forward(w, s, packet, features);
		*head = link_queue_advance(&w->pool, slot);
	}
	switch_flush(w, s, features);
	return count;
}

/* A switch with features: the common combinations have specialised copies of the loop. */
static NOINLINE void switch_run_features(struct worker *w, struct switch_state *s,
					 const uint64_t *keys, uint32_t count)
{
	uint32_t done = 0;

#define RUN_CASE(features) \
	case features: \
		done = switch_run_arrivals(w, s, keys, count, features); \
		break
	if (!s->events || !s->events->is_active)
		switch (s->features | SWITCH_F_SHARED_BUFFER) {
			RUN_CASE(SWITCH_F_SHARED_BUFFER);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_SLOW_DEQUEUE);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_INT);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_PFC);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_INT | SWITCH_F_PFC);
		default:
			done = switch_run_arrivals(w, s, keys, count, s->features);
		}
#undef RUN_CASE
	if (s->events && s->events->is_active)
		event_switch_run(w, s, keys + done, count - done);
}

/* Publishes the tails of the in-flight queues that the switch may have sent on, once a lookahead
 * window: publishing per packet would cause false sharing. */
static void switch_publish(const struct worker *w, const struct switch_state *s)
{
	_Atomic uint32_t *link_queue_tail = w->link_queue_tail;
	int64_t begin_ps = w->begin_ps;
	const size_t port_size = s->port_size;
	const char *port = s->ports;

#pragma GCC unroll 4
	for (uint32_t i = s->link_count; i > 0; i--, port += port_size) {
		/* A port that sent has a link that is, or was, busy in this window. */
		if (((const struct egress *)port)->port.free_ps > begin_ps)
			link_publish((const struct egress *)port, link_queue_tail);
	}
}

/* The same in a network where some switch has active sets. */
static NOINLINE void switch_publish_sparse(const struct worker *w, const struct switch_state *s)
{
	struct active_set_cursor at = { 0 };
	uint32_t port;

	for (uint32_t i = 0; i < s->link_count && !s->ports_active; i++)
		if (switch_egress(s, i)->port.free_ps > w->begin_ps)
			link_publish_sparse(w, switch_egress(s, i));
	while (s->ports_active && active_set_next(&s->ports_active->sent, &at, &port)) {
		active_set_remove(&s->ports_active->sent, port);
		link_publish_sparse(w, switch_egress(s, port));
	}
}

void switch_run(struct worker *w, struct switch_state *s)
{
	uint32_t count;
	const uint64_t *keys = switch_arrivals(w, s, &count);

	s->worker = w;
	w->switched += count;
	if (UNLIKELY(s->features != 0))
		switch_run_features(w, s, keys, count);
	else
		switch_run_arrivals(w, s, keys, count, 0);
	if (UNLIKELY(w->has_sparse))
		switch_publish_sparse(w, s);
	else
		switch_publish(w, s);
}
