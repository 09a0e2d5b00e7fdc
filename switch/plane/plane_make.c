/* SPDX-License-Identifier: BSD-3-Clause */
/* plane_make.c -- construction of a plane from its plan, changes at run time, and its forwarding
 * table. Contract in plane.h. */
#include "switch/plane/inside.h"
#include "base/memory.h"
#include "config/markings.h"
#include "weir/rng.h"
#include <stdio.h>
#include <string.h>
#include <stddef.h>

static void plane_build_port(struct plane *p, uint32_t i)
{
	const struct plane_port_plan *plan = &p->plan.ports[i];
	struct plane_port *port = &p->ports[i];
	struct plane_part *part = &p->parts[plan->part];

	part->ports |= UINT64_C(1) << i;
	port->part = plan->part;
	port->peer_plus_one = plan->peer_plus_one;
	if (plan->peer_plus_one) {
		if (!p->internal_links || plan->delay_ps < p->shortest_ps)
			p->shortest_ps = plan->delay_ps;
		p->internal_links |= UINT64_C(1) << i;
	}
	snprintf(port->name, sizeof(port->name), "%s", plan->name);
	if (!(p->own >> i & 1))
		return;
	port->plan = plan->plan;
	weir_port_class_init(&port->class, &port->plan);
	port->port = memory_new(port->class.size, 1);
	port->delay_ps = plan->delay_ps;
	port->inflight_first = port->inflight_last = NO_BUFFER;
	weir_port_init(port->port, &port->class, p->plan.shared_buffer ? &part->pool : NULL,
		       weir_hash64(p->plan.seed, i));
	weir_port_stats_start(port->port, &port->stats, 0);
}

static void plane_build_buffers(struct plane *p)
{
	size_t bytes = sizeof(struct plane_frame) + FRAME_HEADER_BYTES +
		       FRAME_TAGS_MAX * FRAME_TAG_BYTES + p->plan.mtu_bytes;

	p->buffer_size = (bytes + 63) & ~(size_t)63;
	p->buffers = memory_new(p->plan.buffers, p->buffer_size);
	p->free_first = NO_BUFFER;
	for (uint32_t i = p->plan.buffers; i-- > 0;)
		buffer_free(p, i);
}

static void plane_build_parts(struct plane *p)
{
	for (uint32_t i = 0; i < p->plan.port_count; i++)
		if (p->plan.ports[i].part >= p->part_count)
			p->part_count = p->plan.ports[i].part + 1;
	p->parts = memory_new(p->part_count, sizeof(*p->parts));
	for (uint32_t i = 0; i < p->part_count; i++) {
		p->parts[i].pool = (struct weir_shared_buffer){ .sync = plane_sync, .owner = p };
		p->parts[i].addresses.age_ps = p->plan.age_ps;
	}
}

struct plane *plane_new(const struct plane_plan *plan)
{
	struct plane *p = memory_new(1, sizeof(*p));
	/* Every packet in a port has a frame buffer, and a queue of n packets spans at most n
	 * chunks; the library's pool allocates them in batches. */
	uint64_t slots = ((uint64_t)plan->buffers + 2 * WEIR_POOL_BATCH) * WEIR_CHUNK_PACKETS;

	p->plan = *plan;
	p->own = plan->own ? plan->own : UINT64_MAX >> (PLANE_PORTS_MAX - plan->port_count);
	if (weir_packet_store_init(&p->store, slots))
		memory_refused(slots * sizeof(struct weir_packet));
	weir_packet_pool_init(&p->packets, &p->store);
	plane_build_parts(p);
	p->ports = memory_new(plan->port_count, sizeof(*p->ports));
	for (uint32_t i = 0; i < plan->port_count; i++)
		plane_build_port(p, i);
	plane_build_buffers(p);
	p->plan.ports = NULL; /* owned by the caller */
	return p;
}

void plane_free(struct plane *p)
{
	if (!p)
		return;
	for (uint64_t left = p->own; left; left &= left - 1) {
		const struct plane_port *port = &p->ports[__builtin_ctzll(left)];

		memory_free(port->port, port->class.size, 1);
	}
	memory_free(p->ports, p->plan.port_count, sizeof(*p->ports));
	memory_free(p->parts, p->part_count, sizeof(*p->parts));
	memory_free(p->buffers, p->plan.buffers, p->buffer_size);
	weir_packet_store_free(&p->store);
	memory_free(p, 1, sizeof(*p));
}

int plane_add_address(struct plane *p, uint64_t address, uint32_t port)
{
	return addresses_add(&p->parts[p->ports[port].part].addresses, address, port);
}

int plane_change(struct plane *p, uint32_t port, const struct weir_port_plan *plan)
{
	struct plane_port *out = &p->ports[port];
	struct weir_port_class class;
	const void *params;

	weir_port_class_init(&class, plan);
	if (marking_state_differs(&out->class, &class))
		return -1;
	if (plan->mark_params != out->plan.mark_params)
		memcpy(out->mark_params, plan->mark_params, plan->mark->scheme.params_size);
	params = plan->mark_params == out->plan.mark_params ? plan->mark_params : out->mark_params;
	out->plan = *plan;
	out->plan.mark_params = params;
	weir_port_class_init(&out->class, &out->plan);
	return 0;
}

/* --- the forwarding table --- */

enum { PLACES = 8 }; /* probe length: slots that an address may occupy */

static uint32_t addresses_place(uint64_t address, uint32_t i)
{
	return (uint32_t)(weir_mix64(address) + i) % ADDRESSES_MAX;
}

static int addresses_is_stale(const struct addresses *a, const struct address_entry *e,
			      int64_t now_ps)
{
	return e->seen_ps != ADDRESS_STATIC && now_ps - e->seen_ps > a->age_ps;
}

static struct address_entry *addresses_entry(const struct addresses *a, uint64_t address)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		const struct address_entry *e = &a->entries[addresses_place(address, i)];

		if (e->address_plus_one == address + 1)
			return (struct address_entry *)e;
	}
	return NULL;
}

static struct address_entry *addresses_free_place(struct addresses *a, uint64_t address,
						  int64_t now_ps)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		struct address_entry *e = &a->entries[addresses_place(address, i)];

		if (e->address_plus_one == 0 || addresses_is_stale(a, e, now_ps))
			return e;
	}
	return NULL;
}

int addresses_add(struct addresses *a, uint64_t address, uint32_t port)
{
	struct address_entry *e = addresses_entry(a, address);

	if (!e) {
		e = addresses_free_place(a, address, 0);
		if (!e)
			return -1;
		*e = (struct address_entry){ address + 1, 0, ADDRESS_STATIC };
	}
	e->ports |= UINT64_C(1) << port;
	return 0;
}

void addresses_learn(struct addresses *a, uint64_t address, uint32_t port, int64_t now_ps)
{
	struct address_entry *e = addresses_entry(a, address);

	if (!e)
		e = addresses_free_place(a, address, now_ps);
	if (e && (e->address_plus_one == 0 || e->seen_ps <= now_ps))
		*e = (struct address_entry){ address + 1, UINT64_C(1) << port, now_ps };
}

int addresses_must_announce(const struct addresses *a, uint64_t address, uint32_t port,
			    int64_t now_ps)
{
	const struct address_entry *e = addresses_entry(a, address);

	if (!e)
		return 1;
	if (e->seen_ps == ADDRESS_STATIC)
		return 0;
	return e->ports != UINT64_C(1) << port ||
	       now_ps / (a->age_ps / 4) != e->seen_ps / (a->age_ps / 4);
}

uint64_t addresses_find(const struct addresses *a, uint64_t address, int64_t now_ps)
{
	const struct address_entry *e = addresses_entry(a, address);

	return e && !addresses_is_stale(a, e, now_ps) ? e->ports : 0;
}
