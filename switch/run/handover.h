/* SPDX-License-Identifier: BSD-3-Clause */
/* handover.h -- frames on their way from one thread of a switch to another: a ring with one thread
 * that puts in and one that takes out, and no lock. A ring that is full takes no more; whoever
 * gives counts that. */
#ifndef SWITCH_RUN_HANDOVER_H
#define SWITCH_RUN_HANDOVER_H
#include "switch/plane/plane.h"
#include <stdatomic.h>
#include <stddef.h>

enum { HANDOVER_SLOTS = 512, HANDOVER_ALIGN = 64 };

/* A frame that came in at port in, and what is known of it. */
struct handed {
	uint64_t ports; /* that it leaves by, bit each; 0: no frame, but facts.from is behind in */
	int64_t time_ps;
	uint32_t in, length, lacks_sum;
	struct frame_facts facts;
	uint8_t data[];
};

struct handover {
	size_t slot_bytes;
	uint8_t *slots;
	_Alignas(HANDOVER_ALIGN) _Atomic uint32_t put; /* so far; the giver writes it */
	_Alignas(HANDOVER_ALIGN) _Atomic uint32_t taken;
};

struct handover *handover_new(uint32_t frame_bytes);
void handover_free(struct handover *h);

/* The giver's: a place to fill, NULL: there is none; what was filled is there. */
struct handed *handover_room(struct handover *h);
void handover_put(struct handover *h);

/* The taker's: what is there, NULL: nothing; it was taken. */
const struct handed *handover_first(struct handover *h);
void handover_take(struct handover *h);
#endif
