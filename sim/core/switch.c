/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.c -- a switch works off one window: arrivals in order of (time, input link), each offered
 * to its egress port; then the ports that hold packets catch up. */
#include "base/compiler.h"
#include "sim/core/event_switch.h"
#include "sim/core/switch.h"
#include <string.h>

/* A sort key: picoseconds since the window began, then the input. engine_build.c sees to it that a
 * node has at most 2^22 inputs and that a window is shorter than 2^42 ps (4.4 s). */
enum {
	INPUT_BITS = SWITCH_INPUT_BITS,
	INPUT_MASK = (1 << INPUT_BITS) - 1,
	SMALL_SORT = 4,
	BUCKETS_MAX = 4096
};

static uint64_t arrival_key(int64_t since_ps, uint32_t input)
{
	return (uint64_t)since_ps << INPUT_BITS | input;
}

void egress_transmit_slow(struct worker *w, struct egress *out, const struct weir_packet *packet,
			  uint64_t path, int64_t start_ps, int writes)
{
	struct weir_packet *place = link_reserve(w, out);

	*place = *packet;
	packet_segment(place)->path = path;
	if (writes)
		telemetry_write(w->engine, out, place, start_ps);
	link_send(w, out, start_ps);
}

/* features, here and below: bits of enum switch_feature, which are mostly known when this is
 * compiled. */
static inline ALWAYS_INLINE void next_simply(struct worker *w, struct switch_state *s,
					     struct egress *out, uint32_t features)
{
	int64_t start_ps = out->port.free_ps;
	struct weir_packet *packet =
		weir_port_next_fast(&out->port, &w->pool, features & SWITCH_F_SHARED_BUFFER);

	if (features & SWITCH_F_PFC)
		switch_pfc_leave_fast(&s->events->pfc, packet_segment(packet)->ingress, packet);
	egress_transmit(w, out, packet, NULL, start_ps, features & SWITCH_F_INT);
}

/* The next packet leaves the port, when its line is free. A scheme that now asks for the fill of
 * the shared buffer has other ports catch up, who use the memory that the packet was in. */
static inline ALWAYS_INLINE void egress_next(struct worker *w, struct switch_state *s,
					     struct egress *out, uint32_t features)
{
	const struct weir_port_class *c = out->port.kind;
	int64_t start_ps = out->port.free_ps;
	uint32_t queue = 0;

	if (!(features & SWITCH_F_SLOW_DEQUEUE)) {
		next_simply(w, s, out, features);
		return;
	}

	struct weir_packet *packet = weir_port_dequeue_next(&out->port, &w->pool, &queue), kept;

	if (!packet)
		return;
	if (UNLIKELY(c->mark_dequeue && c->mark_needs & WEIR_MARK_NEEDS_SHARED_BUFFER)) {
		kept = *packet;
		packet = &kept;
	}
	if (features & SWITCH_F_PFC)
		switch_pfc_leave_fast(&s->events->pfc, packet_segment(packet)->ingress, packet);
	if (weir_port_start(&out->port, packet, queue) == WEIR_PORT_SEND)
		egress_transmit(w, out, packet, NULL, start_ps, features & SWITCH_F_INT);
	else
		packet_retire(w, packet);
}

/* Everything that can start before limit_ps leaves the port. */
static inline ALWAYS_INLINE void catch_up_as(struct worker *w, struct switch_state *s,
					     struct egress *out, int64_t limit_ps,
					     uint32_t features)
{
	while (out->port.pkts && out->port.free_ps < limit_ps)
		egress_next(w, s, out, features);
}

static NOINLINE void catch_up_plainly(struct worker *w, struct switch_state *s, struct egress *out,
				      int64_t limit_ps)
{
	catch_up_as(w, s, out, limit_ps, 0);
}

static NOINLINE void catch_up_accounting(struct worker *w, struct switch_state *s,
					 struct egress *out, int64_t limit_ps)
{
	catch_up_as(w, s, out, limit_ps, SWITCH_F_SHARED_BUFFER | SWITCH_F_PFC);
}

static NOINLINE void catch_up_with(struct worker *w, struct switch_state *s, struct egress *out,
				   int64_t limit_ps)
{
	catch_up_as(w, s, out, limit_ps, s->features);
}

static inline ALWAYS_INLINE void catch_up(struct worker *w, struct switch_state *s,
					  struct egress *out, int64_t limit_ps, uint32_t features)
{
	if (!features)
		catch_up_plainly(w, s, out, limit_ps);
	else if (features == (SWITCH_F_SHARED_BUFFER | SWITCH_F_PFC))
		catch_up_accounting(w, s, out, limit_ps);
	else
		catch_up_with(w, s, out, limit_ps);
}

void switch_sync(struct weir_shared_buffer *pool, int64_t now_ps)
{
	struct switch_state *s = pool->owner;

	for (uint32_t i = 0; i < s->link_count; i++)
		if (s->backlog[i / 64] >> (i % 64) & 1)
			catch_up(s->worker, s, engine_egress(s->engine, s->first_link + i),
				 now_ps + 1, s->features);
}

/* Is it not the line alone that a packet has to wait for at an empty port? */
static inline int will_wait(const struct egress *out, const struct weir_packet *packet,
			    uint32_t features)
{
	const struct weir_port *p = &out->port;

	return p->free_ps > packet->time_ps ||
	       (features & SWITCH_F_PFC &&
		weir_port_is_paused(p, p->kind->class_queue[packet->class_id]));
}

/* The packet's port takes it, lets it wait or drops it. What is left of its path is written where
 * it goes and not where it is, see weir_port_offer_fifo. */
static inline ALWAYS_INLINE int offer(struct worker *w, struct egress *out,
				      struct weir_packet *packet, uint64_t path, uint32_t features)
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

static inline ALWAYS_INLINE void forward(struct worker *w, struct switch_state *s,
					 struct weir_packet *packet, uint32_t features)
{
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint64_t path = segment->path;
	uint32_t port = (uint32_t)(path & s->route_mask);
	struct egress *out = (struct egress *)(s->ports + (size_t)port * s->port_size);

	if (out->port.pkts) {
		/* Mostly one packet leaves for one that comes. */
		if (out->port.free_ps <= now_ps) {
			egress_next(w, s, out, features);
			if (out->port.pkts && out->port.free_ps <= now_ps)
				catch_up(w, s, out, now_ps + 1, features);
		}
	} else if (will_wait(out, packet, features) && !out->port.stats && s->engine->measuring) {
		port_stats_start(s->engine, &out->port);
	}

	int answer = offer(w, out, packet, path >> s->route_bits, features);

	if (answer == WEIR_PORT_QUEUED) {
		/* A port that held something before has its bit. */
		if (out->port.pkts == 1)
			s->backlog[port / 64] |= UINT64_C(1) << (port % 64);
		if (features & SWITCH_F_PFC)
			switch_pfc_enter_fast(&s->events->pfc, segment->ingress, packet);
	} else if (features && answer == WEIR_PORT_DROPPED) {
		packet_retire(w, packet);
	}
}

/* Room for more keys behind the first count. Returns where the next goes. */
static NOINLINE uint64_t *grow_keys(struct worker *w, size_t count)
{
	w->key_capacity = w->key_capacity ? w->key_capacity * 2 : 1024;
	w->keys = memory_grow(w->keys, w->key_capacity, sizeof(*w->keys));
	w->sorted = memory_grow(w->sorted, w->key_capacity, sizeof(*w->sorted));
	w->keys_full = w->keys + w->key_capacity - WEIR_CHUNK_PACKETS;
	return w->keys + count;
}

/* Room for another chunk of them. */
static inline uint64_t *keys_with_room(struct worker *w, uint64_t *key_at)
{
	return LIKELY(key_at < w->keys_full) ? key_at : grow_keys(w, (size_t)(key_at - w->keys));
}

/* What is not in this core's cache: packets that have come, and ports. */
static inline ALWAYS_INLINE void fetch_lines(const struct worker *w, const struct switch_state *s,
					     uint32_t chunks)
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

	if (w->prefetch == PREFETCH_ALL)
		fetch_lines(w, s, PREFETCH_CHUNKS_ALL);
	else
		fetch_lines(w, s, PREFETCH_CHUNKS);
#pragma GCC unroll 4
	for (uint32_t i = s->link_count; i > 0; i--, port += port_size) {
		__builtin_prefetch(port);
		__builtin_prefetch(port + 64);
	}
}

/* Keys of all arrivals before the limit, counted into buckets of 2^shift; each input's are in order
 * already. */
static NOINLINE uint32_t gather(struct worker *w, const struct switch_state *s, uint32_t shift)
{
	const struct engine *e = w->engine;
	const struct weir_packet *slots = w->pool.slots;
	const _Atomic uint32_t *tails = e->link_queue_tail + s->first_link_queue;
	uint32_t *heads = s->heads, *buckets = w->buckets;
	uint64_t *key_at = w->keys;
	int64_t limit_ps = w->limit_ps, pending_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0, lines = s->link_queue_count; i < lines; i++) {
		uint32_t slot = heads[i],
			 tail = atomic_load_explicit(&tails[i], memory_order_acquire);

		if (slot == tail)
			continue;
		if (UNLIKELY(slot == WEIR_SLOT_NONE)) {
			slot = heads[i] = link_queue_start(e, s->first_link_queue + i);
			if (slot == tail) /* its first packet was lost on the way */
				continue;
		}

		/* Of a packet at time 0. */
		uint64_t zero = i - arrival_key(w->begin_ps, 0);

		key_at = keys_with_room(w, key_at);
		for (;;) {
			int64_t time_ps = slots[slot].time_ps;

			if (time_ps >= limit_ps) {
				pending_ps = time_ps < pending_ps ? time_ps : pending_ps;
				break;
			}

			uint64_t key = arrival_key(time_ps, 0) + zero;

			*key_at++ = key;
			buckets[key >> shift]++;
			if ((++slot & WEIR_CHUNK_MASK) == 0) {
				slot = w->pool.next[(slot - 1) >> WEIR_CHUNK_SHIFT]
				       << WEIR_CHUNK_SHIFT;
				key_at = keys_with_room(w, key_at);
			}
			if (slot == tail)
				break;
		}
	}
	if (UNLIKELY(e->wheel.is_short) && pending_ps != WEIR_TIME_NEVER_PS)
		engine_wake_later(w, s->node, pending_ps);
	return (uint32_t)(key_at - w->keys);
}

/* Moves a key down to its place among those before it, from first on. */
static NOINLINE void insert_key(const uint64_t *first, uint64_t *at)
{
	uint64_t key = *at;

	do {
		*at = at[-1];
		at--;
	} while (at > first && at[-1] > key);
	*at = key;
}

/* Sorts the keys: first by bucket, then by insertion, which finds little left to do. */
static NOINLINE const uint64_t *sort_keys(struct worker *w, uint32_t count, uint32_t shift,
					  uint32_t buckets)
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
			insert_key(keys, key);
	return keys;
}

/* Ports that still hold packets: work off the window, and come back when the next can start. */
static inline ALWAYS_INLINE void flush(struct worker *w, struct switch_state *s, uint32_t features)
{
	for (uint32_t word = 0; word < (s->link_count + 63) / 64; word++) {
		uint64_t left = s->backlog[word];

		while (left) {
			uint32_t bit = (uint32_t)__builtin_ctzll(left);
			struct egress *out =
				engine_egress(s->engine, s->first_link + word * 64 + bit);

			left &= left - 1;
			catch_up(w, s, out, w->limit_ps, features);
			if (out->port.pkts == 0)
				s->backlog[word] &= ~(UINT64_C(1) << bit);
			else if (out->port.free_ps >= w->end_ps &&
				 out->port.free_ps != WEIR_PORT_BLOCKED_PS)
				engine_wake(w, s->node, out->port.free_ps);
		}
	}
}

/* About as many buckets as there were arrivals the last time, within a factor of two. */
static uint32_t bucket_shift(const struct switch_state *s, uint64_t span)
{
	uint32_t wanted = s->arrivals < BUCKETS_MAX / 2 ? s->arrivals | 1 : BUCKETS_MAX / 2;
	int shift = __builtin_clz(wanted) + 32 - __builtin_clzll(span | 1);

	return shift > INPUT_BITS ? (uint32_t)shift : INPUT_BITS;
}

const uint64_t *switch_arrivals(struct worker *w, struct switch_state *s, uint32_t *count)
{
	uint64_t span = (uint64_t)(w->limit_ps - w->begin_ps) << INPUT_BITS;
	uint32_t shift = bucket_shift(s, span), buckets = (uint32_t)(span >> shift) + 1;

	memset(w->buckets, 0, buckets * sizeof(*w->buckets));
	if (w->prefetch && !worker_prefetches_ahead(w))
		switch_prefetch(w, s);
	*count = gather(w, s, shift);
	s->arrivals = *count;
	return sort_keys(w, *count, shift, buckets);
}

/* A frame between neighbours, when the port that it stops, or lets go on, has sent what it
 * could. */
static NOINLINE void obey_frame(struct worker *w, struct switch_state *s, uint32_t input,
				const struct weir_packet *frame)
{
	const struct engine *e = s->engine;

	catch_up(w, s, engine_egress(e, link_queue_reverse(e, s->first_link_queue + input)),
		 frame->time_ps + 1, s->features);
	event_switch_on_frame(w, s, input, frame);
}

/* Where memory is accounted for: does the packet go by without anybody's having to be told? If not,
 * the switch is strict from here on. Frames between neighbours are obeyed and done with. */
enum arrival { ARRIVAL_GOES_ON, ARRIVAL_IS_DONE, ARRIVAL_IS_STRICT };

static inline ALWAYS_INLINE enum arrival look_at(struct worker *w, struct switch_state *s,
						 uint32_t input, uint64_t fast_bytes,
						 struct weir_packet *packet)
{
	struct segment *segment = packet_segment(packet);
	const struct egress *out =
		(const struct egress *)(s->ports +
					(size_t)(segment->path & s->route_mask) * s->port_size);

	if (UNLIKELY(packet_is_link_frame(packet))) {
		obey_frame(w, s, input, packet);
		return ARRIVAL_IS_DONE;
	}
	if (UNLIKELY(!switch_pfc_admits_fast(&s->events->pfc, input, fast_bytes, packet,
					     &out->port))) {
		event_switch_activate(s, packet->time_ps);
		return ARRIVAL_IS_STRICT;
	}
	segment->ingress = (uint16_t)input;
	return ARRIVAL_GOES_ON;
}

/* Works off arrivals; returns how many. */
static inline ALWAYS_INLINE uint32_t run(struct worker *w, struct switch_state *s,
					 const uint64_t *keys, uint32_t count, uint32_t features)
{
	uint64_t fast_bytes = 0;

	if (features & SWITCH_F_PFC)
		fast_bytes = weir_pfc_xoff_threshold_with(
			&s->events->pfc.memory,
			(uint64_t)count * w->engine->config->frame_max_bytes);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t input = (uint32_t)(keys[i] & INPUT_MASK);
		uint32_t *head = &s->heads[input], slot = *head;
		struct weir_packet *packet = &w->pool.slots[slot];
		enum arrival arrival = ARRIVAL_GOES_ON;

		if (features & SWITCH_F_PFC)
			arrival = look_at(w, s, input, fast_bytes, packet);
		if (arrival == ARRIVAL_IS_STRICT)
			return i;
		if (arrival == ARRIVAL_GOES_ON)
			forward(w, s, packet, features);
		*head = link_queue_advance(&w->pool, slot);
	}
	flush(w, s, features);
	return count;
}

/* A switch that does more than pass packets on, until it has to be strict. What is common has code
 * of its own. */
static NOINLINE void run_with(struct worker *w, struct switch_state *s, const uint64_t *keys,
			      uint32_t count)
{
	uint32_t done = 0;

#define RUN_CASE(features) \
	case features: \
		done = run(w, s, keys, count, features); \
		break
	if (!s->events || !s->events->is_active)
		switch (s->features | SWITCH_F_SHARED_BUFFER) {
			RUN_CASE(SWITCH_F_SHARED_BUFFER);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_SLOW_DEQUEUE);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_INT);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_PFC);
			RUN_CASE(SWITCH_F_SHARED_BUFFER | SWITCH_F_INT | SWITCH_F_PFC);
		default:
			done = run(w, s, keys, count, s->features);
		}
#undef RUN_CASE
	if (s->events && s->events->is_active)
		event_switch_run(w, s, keys + done, count - done);
}

/* All ports have caught up. */
static void publish(const struct worker *w, const struct switch_state *s)
{
	_Atomic uint32_t *link_queue_tail = w->link_queue_tail;
	int64_t begin_ps = w->begin_ps;
	const size_t port_size = s->port_size;
	const char *port = s->ports;

#pragma GCC unroll 4
	for (uint32_t i = s->link_count; i > 0; i--, port += port_size) {
		/* Who sent has a line that is, or was, busy in this window. */
		if (((const struct egress *)port)->port.free_ps > begin_ps)
			link_publish((const struct egress *)port, link_queue_tail);
	}
}

void switch_run(struct worker *w, struct switch_state *s)
{
	uint32_t count;
	const uint64_t *keys = switch_arrivals(w, s, &count);

	s->worker = w;
	w->switched += count;
	if (UNLIKELY(s->features != 0))
		run_with(w, s, keys, count);
	else
		run(w, s, keys, count, 0);
	publish(w, s);
}
