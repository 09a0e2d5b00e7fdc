/* SPDX-License-Identifier: BSD-3-Clause */
/* addresses.c -- the forwarding table: hash with linear probing, ageing of learned entries.
 * Contract in inside.h. */
#include "switch/plane/inside.h"
#include "weir/rng.h"
#include <stddef.h>

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
