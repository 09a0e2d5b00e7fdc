/* switch.c -- a switch works off one window: arrivals in order of (time, input link), each offered to
 * its egress port; then the ports that hold packets catch up. */
#include "sim/switch/ordered.h"
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

/* The next packet leaves the port, when its line is free. A scheme that now asks for the fill of the shared
 * buffer has other ports catch up, who use the memory that the packet was in. */
static inline __attribute__((always_inline)) void egress_next(struct worker *w, struct egress *out)
{
	const struct weir_port_class *c = out->port.kind;
	int64_t start_ps = out->port.free_ps;
	uint32_t queue = 0;
	struct weir_packet *packet = weir_port_take_next(&out->port, &w->pool, &queue), kept;

	if (!packet)
		return;
	if (__builtin_expect(c->mark_dequeue && c->mark_needs & WEIR_MARK_NEEDS_POOL, 0)) {
		kept = *packet;
		packet = &kept;
	}
	if (weir_port_start(&out->port, packet, queue) == WEIR_PORT_SEND) {
		*egress_place(w, out) = *packet;
		egress_commit(w, out, start_ps);
	}
}

/* Everything that can start before limit_ps leaves the port. */
static __attribute__((noinline)) void egress_catch_up(struct worker *w, struct egress *out,
						      int64_t limit_ps)
{
	while (out->port.pkts && out->port.free_ps < limit_ps)
		egress_next(w, out);
}

void switch_sync(struct weir_buffer_pool *pool, int64_t now_ps)
{
	struct switch_state *s = pool->owner;

	for (uint32_t i = 0; i < s->link_count; i++)
		if (s->backlog[i / 64] >> (i % 64) & 1)
			egress_catch_up(s->worker, engine_egress(s->engine, s->first_link + i),
					now_ps + 1);
}

/* The slab has a struct for every link of the network, so it cannot run out. */
__attribute__((noinline)) void engine_begin_stats(struct worker *w, struct weir_port *p)
{
	struct weir_port_stats *stats = slab_at(&w->stats, slab_take(&w->stats));

	weir_port_stats_start(p, stats, w->engine->measure_from_ps);
}

static inline void forward(struct worker *w, struct switch_state *s, struct weir_packet *packet)
{
	struct segment *segment = packet_segment(packet);
	int64_t now_ps = packet->time_ps;
	uint32_t port = (uint32_t)(segment->path & s->route_mask);
	struct egress *out = (struct egress *)(s->ports + (size_t)port * s->port_size);

	segment->path >>= s->route_bits;
	if (out->port.pkts) {
		/* Mostly one packet leaves for one that comes. */
		if (out->port.free_ps <= now_ps) {
			egress_next(w, out);
			if (out->port.pkts && out->port.free_ps <= now_ps)
				egress_catch_up(w, out, now_ps + 1);
		}
	} else if (out->port.free_ps > now_ps && !out->port.stats && s->engine->measuring) {
		engine_begin_stats(w, &out->port);
	}

	int answer = weir_port_offer(&out->port, &w->pool, packet, now_ps);

	if (answer == WEIR_PORT_SEND) {
		*egress_place(w, out) = *packet;
		egress_commit(w, out, now_ps);
	} else if (answer == WEIR_PORT_QUEUED) {
		s->backlog[port / 64] |= UINT64_C(1) << (port % 64);
	}
}

/* Room for another chunk of keys. */
static __attribute__((noinline)) void grow_keys(struct worker *w)
{
	w->key_capacity = w->key_capacity ? w->key_capacity * 2 : 1024;
	w->keys = memory_grow(w->keys, w->key_capacity, sizeof(*w->keys));
	w->sorted = memory_grow(w->sorted, w->key_capacity, sizeof(*w->sorted));
}

/* Keys of all arrivals before the limit, counted into buckets of 2^shift; each input's are in order
 * already. */
static __attribute__((noinline)) uint32_t gather(struct worker *w, const struct switch_state *s,
						 int64_t begin_ps, uint32_t shift)
{
	const struct engine *e = w->engine;
	const struct weir_packet *slots = w->pool.slots;
	const uint32_t *next = w->pool.next;
	_Atomic uint32_t *tails = e->line_tail + s->first_line;
	uint32_t *heads = e->line_head + s->first_line, *buckets = w->buckets, count = 0;
	int64_t limit_ps = w->limit_ps, pending_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < s->line_count; i++) {
		uint32_t slot = heads[i],
			 tail = atomic_load_explicit(&tails[i], memory_order_acquire);

		if (slot == tail)
			continue;
		if (__builtin_expect(slot == WEIR_SLOT_NONE, 0))
			slot = heads[i] = line_start(e, s->first_line + i);
		if (__builtin_expect(w->key_capacity - count < WEIR_CHUNK_PACKETS, 0))
			grow_keys(w);
		for (;;) {
			int64_t time_ps = slots[slot].time_ps;

			if (time_ps >= limit_ps) {
				pending_ps = time_ps < pending_ps ? time_ps : pending_ps;
				break;
			}

			uint64_t key = arrival_key(time_ps - begin_ps, i);

			w->keys[count++] = key;
			buckets[key >> shift]++;
			if ((++slot & WEIR_CHUNK_MASK) == 0) {
				slot = next[(slot - 1) >> WEIR_CHUNK_SHIFT] << WEIR_CHUNK_SHIFT;
				if (__builtin_expect(w->key_capacity - count < WEIR_CHUNK_PACKETS,
						     0))
					grow_keys(w);
			}
			if (slot == tail)
				break;
		}
	}
	if (__builtin_expect(e->wheel_is_short, 0) && pending_ps != WEIR_TIME_NEVER_PS)
		engine_wake_later(w, s->node, pending_ps);
	return count;
}

/* Moves keys[i] down to its place among those before it. */
static void insert_key(uint64_t *keys, uint32_t i)
{
	uint64_t key = keys[i];

	do {
		keys[i] = keys[i - 1];
		i--;
	} while (i > 0 && keys[i - 1] > key);
	keys[i] = key;
}

/* Sorts the keys: first by bucket, then by insertion, which finds little left to do. */
static __attribute__((noinline)) const uint64_t *sort_keys(struct worker *w, uint32_t count,
							   uint32_t shift, uint32_t buckets)
{
	uint64_t *keys = w->keys, *sorted = w->sorted;
	uint32_t *bucket = w->buckets, sum = 0;

	if (count > SMALL_SORT) {
		for (uint32_t i = 0; i < buckets; i++) {
			uint32_t here = bucket[i];

			bucket[i] = sum;
			sum += here;
		}
		for (uint32_t i = 0; i < count; i++)
			sorted[bucket[keys[i] >> shift]++] = keys[i];
		keys = sorted;
	}
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t key = keys[i];

		if (__builtin_expect(key < last, 0))
			insert_key(keys, i);
		else
			last = key;
	}
	return keys;
}

/* Ports that still hold packets: work off the window, and come back when the next can start. */
static void flush(struct worker *w, struct switch_state *s)
{
	for (uint32_t word = 0; word < (s->link_count + 63) / 64; word++) {
		uint64_t left = s->backlog[word];

		while (left) {
			uint32_t bit = (uint32_t)__builtin_ctzll(left);
			struct egress *out =
				engine_egress(s->engine, s->first_link + word * 64 + bit);

			left &= left - 1;
			egress_catch_up(w, out, w->limit_ps);
			if (out->port.pkts == 0)
				s->backlog[word] &= ~(UINT64_C(1) << bit);
			else if (out->port.free_ps >= w->end_ps)
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
	struct engine *e = w->engine;
	int64_t begin_ps = w->end_ps - e->window_ps;
	uint64_t span = (uint64_t)(w->limit_ps - begin_ps) << INPUT_BITS;
	uint32_t shift = bucket_shift(s, span), buckets = (uint32_t)(span >> shift) + 1;

	memset(w->buckets, 0, buckets * sizeof(*w->buckets));
	*count = gather(w, s, begin_ps, shift);
	s->arrivals = *count;
	return sort_keys(w, *count, shift, buckets);
}

void switch_run(struct worker *w, struct switch_state *s)
{
	struct engine *e = w->engine;
	uint32_t count;

	if (__builtin_expect(s->ordered != NULL, 0)) {
		ordered_run(w, s);
		return;
	}

	const uint64_t *keys = switch_arrivals(w, s, &count);

	s->worker = w;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *head = &e->line_head[s->first_line + (keys[i] & INPUT_MASK)],
			 slot = *head;

		forward(w, s, &w->pool.slots[slot]);
		*head = line_advance(&w->pool, slot);
	}
	flush(w, s);
}
