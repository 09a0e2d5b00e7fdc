/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h -- what a plane is made of, for the files of this directory: plane_make.c builds it,
 * plane.c forwards frames through it and counts, addresses.c has its forwarding table. */
#ifndef SWITCH_PLANE_INSIDE_H
#define SWITCH_PLANE_INSIDE_H
#include "switch/plane/plane.h"

/* --- addresses.c: the forwarding table, which maps a host's address to the ports that it is behind
 * ---
 *
 * The table has a fixed size. An address from the settings may be behind several ports, among which
 * flows are spread; a learnt one is behind the port where it was seen last, and is removed when it
 * was silent for long. An address that finds no free place in the table is not learnt, and frames
 * for it are flooded, like those for unknown addresses. */

enum { ADDRESSES_MAX = 4096 };

struct address_entry {
	uint64_t address_plus_one; /* 0: the place is free */
	uint64_t ports;            /* bit each */
	int64_t seen_ps;           /* ADDRESS_STATIC: not learnt */
};

#define ADDRESS_STATIC INT64_MAX

struct addresses {
	int64_t age_ps; /* of those learnt */
	struct address_entry entries[ADDRESSES_MAX];
};

/* One more port that the address is behind; 0, or -1: there is no place. */
int addresses_add(struct addresses *a, uint64_t address, uint32_t port);

/* What is known from later on stays. */
void addresses_learn(struct addresses *a, uint64_t address, uint32_t port, int64_t now_ps);

/* Would learning this tell others something: is the address not known, or behind another port, or
 * last seen in another quarter of the time that it is remembered? */
int addresses_is_news(const struct addresses *a, uint64_t address, uint32_t port, int64_t now_ps);

/* Bits of the ports; 0: not known. */
uint64_t addresses_find(const struct addresses *a, uint64_t address, int64_t now_ps);

/* --- the plane --- */

#define NO_BUFFER UINT32_MAX

/* What travels with a packet through a port. */
struct passenger {
	uint32_t buffer;
	uint8_t came_with_ce;
	struct frame_facts facts;
};

_Static_assert(sizeof(struct passenger) <= WEIR_PACKET_OWNER_BYTES, "it fits into a packet");

/* A switch of the plane. */
struct plane_part {
	uint64_t ports; /* bit each */
	struct weir_buffer_pool pool;
	struct addresses addresses;
};

struct plane {
	struct plane_plan plan;
	int64_t now_ps;
	struct plane_port *ports;
	uint64_t own; /* of them, bit each */
	uint32_t part_count;
	struct plane_part *parts;
	uint64_t cables;     /* ports that have a peer, bit each */
	int64_t shortest_ps; /* delay of a cable */
	struct weir_packet_pool packets;
	struct weir_packet_store store;
	uint8_t *buffers;
	size_t buffer_size;
	uint32_t free_first, free_count; /* buffers, as a list */
};

static inline struct plane_frame *buffer_at(const struct plane *p, uint32_t buffer)
{
	return (struct plane_frame *)(void *)(p->buffers + buffer * p->buffer_size);
}

static inline uint32_t buffer_take(struct plane *p)
{
	uint32_t buffer = p->free_first;

	if (buffer == NO_BUFFER)
		return NO_BUFFER;
	p->free_first = buffer_at(p, buffer)->next;
	p->free_count--;
	return buffer;
}

static inline void buffer_give(struct plane *p, uint32_t buffer)
{
	buffer_at(p, buffer)->next = p->free_first;
	p->free_first = buffer;
	p->free_count++;
}

/* Everything that could start on the ports of a pool by now_ps starts; a weir_buffer_pool's
 * sync. */
void plane_sync(struct weir_buffer_pool *pool, int64_t now_ps);
#endif
