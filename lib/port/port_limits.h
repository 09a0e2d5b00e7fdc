/* SPDX-License-Identifier: BSD-3-Clause */
/* port_limits.h -- what setting a port up and letting packets in have in common. */
#ifndef LIB_PORT_PORT_LIMITS_H
#define LIB_PORT_PORT_LIMITS_H
#include "weir/port_inline.h"

static inline uint32_t clamp32(uint64_t x)
{
	return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

/* Where the marking scheme chooses queues there is one class, which all of them hold. */
static inline int is_lossless(const struct weir_port_class *c, uint32_t queue)
{
	uint32_t class_id = c->choose_queue ? 0 : queue;

	return class_id < 32 && c->lossless >> class_id & 1;
}
#endif
