/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.h -- buffer admission: may a packet enter a queue?
 *
 * Three ways to divide the memory of a switch: a limit for each queue; a limit for each port, whose
 * queues use it first come first served; or a shared buffer for the whole switch in which no queue
 * may exceed a dynamic threshold, alpha times the free bytes (Choudhury and Hahne, "Dynamic Queue
 * Length Thresholds for Shared-Memory Packet Switches", ToN 1998).
 *
 * A port asks for each packet that joins it, on its own thread; nothing here allocates or fails. */
#ifndef WEIR_BUFFER_H
#define WEIR_BUFFER_H
#include "weir/begin.h"
#include "weir/option.h"

WEIR_BEGIN

enum weir_buffer_scope { WEIR_BUFFER_PER_QUEUE, WEIR_BUFFER_PER_PORT, WEIR_BUFFER_PER_SWITCH };

struct weir_buffer_params {
	enum weir_buffer_scope scope;
	uint64_t limit_bytes, limit_pkts; /* UINT64_MAX: no limit of this kind */
	uint64_t alpha_q8;                /* WEIR_BUFFER_PER_SWITCH: of the dynamic threshold */
};

/* The shared buffer of one switch. Its owner may let ports fall behind the clock; used_bytes is
 * then too high, never too low, and sync has every port send what could have left by now_ps. */
struct weir_shared_buffer {
	uint64_t used_bytes;
	void (*sync)(struct weir_shared_buffer *shared, int64_t now_ps); /* NULL: always exact */
	void *owner;                                                     /* for sync */
};

/* length: a limit in bytes or packets (WEIR_OPT_LENGTH). alpha_q32 is alpha scaled by 2^32; eight
 * fractional bits are kept. */
void weir_buffer_params_init(struct weir_buffer_params *b, enum weir_buffer_scope scope,
			     uint64_t length, uint64_t alpha_q32);

/* WEIR_BUFFER_PER_SWITCH: is there room for a packet under the queue's dynamic threshold
 *
 *	T = alpha (limit - used)?
 *
 * limit < 2^40 and alpha_q8 < 2^16: no overflow. Lossless packets are admitted by PFC (weir/pfc.h)
 * and may take used_bytes above the limit. */
static inline int weir_shared_buffer_admits(const struct weir_buffer_params *b,
					    const struct weir_shared_buffer *shared,
					    uint64_t queue_bytes, uint32_t packet_bytes)
{
	uint64_t free_bytes =
		b->limit_bytes > shared->used_bytes ? b->limit_bytes - shared->used_bytes : 0;

	return packet_bytes <= free_bytes &&
	       queue_bytes + packet_bytes <= (free_bytes * b->alpha_q8) >> 8;
}

WEIR_END
#endif
