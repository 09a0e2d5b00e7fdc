/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.h -- may this packet enter?
 *
 * Three ways to share the memory of a switch: a limit for each queue, a limit for each port that
 * its queues use first come first served, or one pool for the whole switch in which no queue may
 * hold more than alpha times what is free (Choudhury and Hahne, "Dynamic Queue Length Thresholds
 * for Shared-Memory Packet Switches", ToN 1998). */
#ifndef WEIR_BUFFER_H
#define WEIR_BUFFER_H
#include "weir/begin.h"
#include "weir/option.h"

WEIR_BEGIN

enum weir_buffer_scope { WEIR_BUFFER_PER_QUEUE, WEIR_BUFFER_PER_PORT, WEIR_BUFFER_PER_SWITCH };

struct weir_buffer_params {
	enum weir_buffer_scope scope;
	uint64_t limit_bytes, limit_pkts; /* UINT64_MAX: no limit of this kind */
	uint64_t alpha_q8;                /* WEIR_BUFFER_PER_SWITCH: dynamic threshold */
};

/* The shared memory of one switch. A simulator may let its ports fall behind the clock; used_bytes
 * is then too high, never too low, and sync brings every port up to now. */
struct weir_shared_buffer {
	uint64_t used_bytes;
	void (*sync)(struct weir_shared_buffer *pool, int64_t now_ps); /* NULL: always exact */
	void *owner;                                                   /* for sync */
};

/* alpha is read as a fraction scaled by 2^32; eight bits after the point are kept. */
void weir_buffer_params_init(struct weir_buffer_params *b, enum weir_buffer_scope scope,
			     uint64_t length, uint64_t alpha_q32);

/* WEIR_BUFFER_PER_SWITCH. limit < 2^40 and alpha_q8 < 2^16: no overflow. Lossless packets may use
 * more than the limit. */
static inline int weir_shared_buffer_admits(const struct weir_buffer_params *b,
					    const struct weir_shared_buffer *pool,
					    uint64_t queue_bytes, uint32_t packet_bytes)
{
	uint64_t free_bytes =
		b->limit_bytes > pool->used_bytes ? b->limit_bytes - pool->used_bytes : 0;

	return packet_bytes <= free_bytes &&
	       queue_bytes + packet_bytes <= (free_bytes * b->alpha_q8) >> 8;
}

WEIR_END
#endif
