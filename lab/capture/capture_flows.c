/* SPDX-License-Identifier: BSD-3-Clause */
/* capture_flows.c -- collects the flows of a capture in a hash table of conversations; see
 * capture.h for what a flow is. */
#include "lab/capture/capture.h"
#include "base/memory.h"
#include "weir/rng.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PSN_BITS = 24,
	PSN_WINDOW = 4096, /* RoCE packets further behind the newest count as retransmissions */
	FLOWS_MAX = 1 << 24,
};

/* --- a table of things found by their first bytes --- */

/* Open-addressing hash table. Items are contiguous and start with their key; slots hold index + 1
 * and are at most half full. */
struct table {
	size_t key_bytes, item_bytes;
	uint32_t count, room, slot_count;
	unsigned char *items;
	uint32_t *slots;
};

static void *table_item(const struct table *t, uint32_t number)
{
	return t->items + (size_t)number * t->item_bytes;
}

static uint32_t *table_slot(const struct table *t, const void *key)
{
	uint64_t hash = t->key_bytes;

	for (size_t i = 0; i < t->key_bytes; i += 4) {
		uint32_t word;

		memcpy(&word, (const char *)key + i, sizeof(word));
		hash = weir_hash64(hash, word);
	}
	for (;; hash++) {
		uint32_t *slot = &t->slots[hash & (t->slot_count - 1)];

		if (!*slot || memcmp(table_item(t, *slot - 1), key, t->key_bytes) == 0)
			return slot;
	}
}

static void table_grow(struct table *t)
{
	t->room = t->room ? 2 * t->room : 64;
	t->items = memory_grow(t->items, t->room, t->item_bytes);
	t->slot_count = 2 * t->room;
	free(t->slots);
	t->slots = memory_zeroed(t->slot_count, sizeof(*t->slots));
	for (uint32_t i = 0; i < t->count; i++)
		*table_slot(t, table_item(t, i)) = i + 1;
}

/* Index of the item with this key; a missing item is added, zeroed behind its key. O(1)
 * expected. */
static uint32_t table_find(struct table *t, const void *key)
{
	uint32_t *slot;

	if (t->count == t->room)
		table_grow(t);
	slot = table_slot(t, key);
	if (!*slot) {
		unsigned char *item = table_item(t, t->count);

		memset(item, 0, t->item_bytes);
		memcpy(item, key, t->key_bytes);
		*slot = ++t->count;
	}
	return *slot - 1;
}

static void table_free(struct table *t)
{
	free(t->items);
	free(t->slots);
}

/* --- flows --- */

/* A flow while the capture is being read. */
struct stream {
	struct wire_key key;
	uint32_t is_begun; /* TCP: low and high are valid */
	int64_t start_ns;
	uint64_t bytes;     /* payload bytes, except those of TCP between low and high */
	uint64_t low, high; /* TCP: unwrapped sequence numbers; RoCE: high: unwrapped PSN after the
			       newest */
	uint64_t *arrived;  /* RoCE: bitmap of the packets within PSN_WINDOW below high */
	int has_writes;     /* RoCE: a WRITE carried its length */
};

struct reading {
	struct table streams, hosts;
	struct capture_flows *found;
	int64_t first_ns;
};

/* Unwraps a serial number of that many bits: the candidate nearest to `near`. */
static uint64_t stream_unwrap(uint64_t near, uint32_t number, int bits)
{
	uint64_t ahead = (number - near) & ((UINT64_C(1) << bits) - 1);

	return ahead >> (bits - 1) ? near + ahead - (UINT64_C(1) << bits) : near + ahead;
}

/* Base of unwrapped numbers, so that numbers before the first stay positive. */
#define UNWRAPPED_BASE (UINT64_C(1) << 48)

/* A SYN with a different sequence number starts a new connection on reused ports. */
static void stream_add_tcp(struct stream *s, const struct wire_packet *w)
{
	uint64_t first = s->is_begun ? stream_unwrap(s->high, w->sequence, 32)
				     : UNWRAPPED_BASE + w->sequence;

	if (!w->is_syn && !w->payload_bytes)
		return;
	if (!s->is_begun || (w->is_syn && first != s->low)) {
		s->bytes += s->high - s->low;
		s->low = s->high = first;
		s->is_begun = 1;
	}
	if (first < s->low)
		s->low = first;
	if (first + w->payload_bytes > s->high)
		s->high = first + w->payload_bytes;
}

/* Bitmap word of a packet in the window. */
static uint64_t *stream_arrival_word(const struct stream *s, uint64_t number)
{
	return &s->arrived[number % PSN_WINDOW / 64];
}

static uint64_t arrival_bit(uint64_t number)
{
	return UINT64_C(1) << number % 64;
}

/* Advances the window so that the packet is the newest. */
static void stream_advance_window(struct stream *s, uint64_t number)
{
	if (number - s->high >= PSN_WINDOW) {
		memset(s->arrived, 0, PSN_WINDOW / 8);
		s->high = number;
	}
	for (; s->high <= number; s->high++)
		*stream_arrival_word(s, s->high) &= ~arrival_bit(s->high);
}

/* Records the arrival of a packet; returns 1 unless it is a known retransmission. */
static int stream_record_arrival(struct stream *s, uint32_t psn)
{
	uint64_t number;

	if (!s->arrived) {
		s->arrived = memory_zeroed(PSN_WINDOW / 64, sizeof(*s->arrived));
		s->high = UNWRAPPED_BASE + psn;
	}
	number = stream_unwrap(s->high, psn, PSN_BITS);
	if (number >= s->high)
		stream_advance_window(s, number);
	if (s->high - number > PSN_WINDOW || *stream_arrival_word(s, number) & arrival_bit(number))
		return 0;
	*stream_arrival_word(s, number) |= arrival_bit(number);
	return 1;
}

/* The first packet of a WRITE counts with the whole length, its later packets not at all. */
static void stream_add_roce(struct stream *s, const struct wire_packet *w)
{
	if ((!w->payload_bytes && !w->is_write) || !stream_record_arrival(s, w->psn))
		return;
	s->has_writes |= w->is_write_begin;
	if (w->is_write_begin)
		s->bytes += w->write_bytes;
	else if (!w->is_write || !s->has_writes)
		s->bytes += w->payload_bytes;
}

/* -1: too many flows. */
static int capture_add_packet(struct reading *r, const struct capture_packet *p)
{
	struct wire_packet w;
	uint32_t before = r->streams.count, number;
	struct stream *s;

	r->found->packets++;
	if (wire_packet_read(&w, p)) {
		r->found->other_packets++;
		return 0;
	}
	if (before == FLOWS_MAX)
		return -1;
	number = table_find(&r->streams, &w.key);
	s = table_item(&r->streams, number);
	if (before == 0 || p->time_ns < r->first_ns)
		r->first_ns = p->time_ns;
	if (number == before || p->time_ns < s->start_ns)
		s->start_ns = p->time_ns;
	if (w.kind == WIRE_ROCE)
		stream_add_roce(s, &w);
	else if (w.kind == WIRE_TCP)
		stream_add_tcp(s, &w);
	else
		s->bytes += w.payload_bytes;
	return 0;
}

/* --- what came of it --- */

static uint64_t stream_payload(const struct stream *s)
{
	return s->bytes + (s->is_begun ? s->high - s->low : 0);
}

/* Sort key: start time, then order in the capture. */
struct order {
	int64_t start_ns;
	uint32_t stream;
};

static int order_compare(const void *left, const void *right)
{
	const struct order *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

/* Sorted list of the streams that are flows. */
static struct order *order_streams(struct reading *r)
{
	struct capture_flows *found = r->found;
	struct order *order = memory_grow(NULL, r->streams.count, sizeof(*order));

	for (uint32_t i = 0; i < r->streams.count; i++) {
		const struct stream *s = table_item(&r->streams, i);

		if (stream_payload(s) == 0)
			found->empty_flows++;
		else if (memcmp(&s->key.src, &s->key.dst, sizeof(s->key.src)) == 0)
			found->own_flows++;
		else
			order[found->flow_count++] = (struct order){ s->start_ns, i };
	}
	qsort(order, found->flow_count, sizeof(*order), order_compare);
	return order;
}

static void capture_number_hosts(struct reading *r, const struct order *order)
{
	struct capture_flows *found = r->found;

	found->flows = memory_grow(NULL, found->flow_count, sizeof(*found->flows));
	for (uint32_t i = 0; i < found->flow_count; i++) {
		const struct stream *s = table_item(&r->streams, order[i].stream);
		uint32_t src = table_find(&r->hosts, &s->key.src);
		uint32_t dst = table_find(&r->hosts, &s->key.dst);

		found->flows[i] = (struct captured_flow){ s->start_ns - r->first_ns,
							  stream_payload(s), src, dst };
	}
	found->host_count = r->hosts.count;
	found->hosts = (struct wire_address *)r->hosts.items;
	r->hosts.items = NULL;
}

static int capture_read_all(struct reading *r, struct capture *c, struct weir_error *e)
{
	struct capture_packet p;
	struct order *order;
	int more;

	while ((more = capture_next(c, &p)) == 1)
		if (capture_add_packet(r, &p))
			return weir_error_set(e, "%.300s: more than %u flows", c->name,
					      r->streams.count);
	if (more < 0)
		return -1;
	order = order_streams(r);
	capture_number_hosts(r, order);
	free(order);
	return 0;
}

int capture_flows_read_stream(struct capture_flows *found, FILE *f, const char *name,
			      struct weir_error *e)
{
	struct reading r = {
		.streams = { .key_bytes = sizeof(struct wire_key),
			     .item_bytes = sizeof(struct stream) },
		.hosts = { .key_bytes = sizeof(struct wire_address),
			   .item_bytes = sizeof(struct wire_address) },
		.found = found,
	};
	struct capture c;
	int failed;

	memset(found, 0, sizeof(*found));
	if (capture_begin(&c, f, name, e))
		return -1;
	failed = capture_read_all(&r, &c, e);
	for (uint32_t i = 0; i < r.streams.count; i++)
		free(((struct stream *)table_item(&r.streams, i))->arrived);
	table_free(&r.streams);
	table_free(&r.hosts);
	capture_end(&c);
	if (failed)
		capture_flows_free(found);
	return failed;
}

int capture_flows_read(struct capture_flows *found, const char *path, struct weir_error *e)
{
	FILE *f = fopen(path, "rb");
	int failed;

	if (!f)
		return weir_error_set(e, "%.300s: cannot be read: %s", path, strerror(errno));
	failed = capture_flows_read_stream(found, f, path, e);
	fclose(f);
	return failed;
}

void capture_flows_free(struct capture_flows *found)
{
	free(found->flows);
	free(found->hosts);
	memset(found, 0, sizeof(*found));
}
