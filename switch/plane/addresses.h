/* SPDX-License-Identifier: BSD-3-Clause */
/* addresses.h -- behind which ports is a host? Learnt from what hosts send, or told.
 *
 * A table of fixed size. An address that was told may be behind several ports, among which flows
 * are spread; one that was learnt is behind the port that it was last seen at, and forgotten when
 * it was silent for long. Where the table has no place left for an address it is not learnt, and
 * frames for it go everywhere, as they do for one that was never seen. */
#ifndef SWITCH_PLANE_ADDRESSES_H
#define SWITCH_PLANE_ADDRESSES_H
#include <stdint.h>

enum { ADDRESSES_MAX = 4096 };

struct address_entry {
	uint64_t address_plus_one; /* 0: the place is free */
	uint64_t ports;            /* bit each */
	int64_t seen_ps;           /* ADDRESS_TOLD: not learnt */
};

#define ADDRESS_TOLD INT64_MAX

struct addresses {
	int64_t age_ps; /* of those learnt */
	struct address_entry entries[ADDRESSES_MAX];
};

/* One more port that the address is behind; 0, or -1: there is no place. */
int addresses_tell(struct addresses *a, uint64_t address, uint32_t port);

/* What is known from later on stays. */
void addresses_learn(struct addresses *a, uint64_t address, uint32_t port, int64_t now_ps);

/* Would learning this tell others something: is the address not known, or behind another port, or
 * last seen in another quarter of the time that it is remembered? */
int addresses_is_news(const struct addresses *a, uint64_t address, uint32_t port, int64_t now_ps);

/* Bits of the ports; 0: not known. */
uint64_t addresses_find(const struct addresses *a, uint64_t address, int64_t now_ps);
#endif
