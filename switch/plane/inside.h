/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h -- internals of the data plane, shared by plane_make.c (construction), plane.c
 * (forwarding, counters). */
#ifndef SWITCH_PLANE_INSIDE_H
#define SWITCH_PLANE_INSIDE_H
#include "switch/plane/plane.h"

/* --- plane_make.c: the forwarding table, from MAC addresses to sets of ports ---
 *
 * The table has a fixed size. A static address (from the settings) may map to several ports, among
 * which flows are hashed. A learned address maps to the port where it was last seen and ages out.
 * When no slot is free the address is not learned, and frames for it are flooded like those for
 * unknown addresses. */

enum { ADDRESSES_MAX = 4096 };

struct address_entry {
	uint64_t address_plus_one; /* 0: free slot */
	uint64_t ports;            /* bitmap of ports */
	int64_t seen_ps;           /* ADDRESS_STATIC: configured, never ages */
};

#define ADDRESS_STATIC INT64_MAX

struct addresses {
	int64_t age_ps; /* ageing time of learned entries */
	struct address_entry entries[ADDRESSES_MAX];
};

/* Adds a port to a static address; -1: no free slot. */
int addresses_add(struct addresses *a, uint64_t address, uint32_t port);

/* Learns or refreshes an address; an entry that was seen later, as a static one always is, stays.
 */
void addresses_learn(struct addresses *a, uint64_t address, uint32_t port, int64_t now_ps);

/* Must other planes be informed of this address? Yes if it is unknown, moved to another port, or
 * was last seen in an earlier quarter of the ageing time: one refresh per quarter keeps their
 * entries alive without a message per frame. */
int addresses_must_announce(const struct addresses *a, uint64_t address, uint32_t port,
			    int64_t now_ps);

/* Bitmap of ports for the address; 0: unknown. */
uint64_t addresses_find(const struct addresses *a, uint64_t address, int64_t now_ps);

/* --- the plane --- */

#define NO_BUFFER UINT32_MAX

/* Per-packet tag that the plane stores in the port's queue beside the library's packet. */
struct frame_tag {
	uint32_t buffer;
	uint8_t came_with_ce;
	struct frame_facts facts;
};

_Static_assert(sizeof(struct frame_tag) <= WEIR_PACKET_OWNER_BYTES, "it fits into a packet");

/* One of the switches that a plane simulates. */
struct plane_part {
	uint64_t ports; /* bitmap of all its ports */
	struct weir_shared_buffer pool;
	struct addresses addresses;
};

struct plane {
	struct plane_plan plan;
	int64_t now_ps;
	struct plane_port *ports;
	uint64_t own; /* bitmap of those served by this plane */
	uint32_t part_count;
	struct plane_part *parts;
	uint64_t internal_links; /* bitmap of ports connected to another switch of the plane */
	int64_t shortest_ps;     /* smallest delay of an internal link: the step in which internal
				    arrivals are processed */
	struct weir_packet_pool packets;
	struct weir_packet_store store;
	uint8_t *buffers;
	size_t buffer_size;
	uint32_t free_first, free_count; /* free list of frame buffers */
};

static inline struct plane_frame *buffer_get(const struct plane *p, uint32_t buffer)
{
	return (struct plane_frame *)(void *)(p->buffers + buffer * p->buffer_size);
}

static inline uint32_t buffer_alloc(struct plane *p)
{
	uint32_t buffer = p->free_first;

	if (buffer == NO_BUFFER)
		return NO_BUFFER;
	p->free_first = buffer_get(p, buffer)->next;
	p->free_count--;
	return buffer;
}

static inline void buffer_free(struct plane *p, uint32_t buffer)
{
	buffer_get(p, buffer)->next = p->free_first;
	p->free_first = buffer;
	p->free_count++;
}

/* weir_shared_buffer.sync: runs all ports of a shared buffer up to now_ps, so that its occupancy is
 * current when a dynamic threshold is evaluated. */
void plane_sync(struct weir_shared_buffer *pool, int64_t now_ps);
#endif
