/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h -- what is known of a flow before, while and after it runs: its record, and no more.
 *
 * The traffic generator writes the plan; sender and receiver each have a field of their own for
 * their state while they need one; the receiver writes the end (that at the sender, for
 * measure.completion = sender, is engine.acked_ps). A flow is one message: with
 * connection per flow also one connection, otherwise one of several messages on the connection that
 * the first flow of the same pair opened. */
#ifndef SIM_TRAFFIC_FLOW_H
#define SIM_TRAFFIC_FLOW_H
#include <stdint.h>

#define FLOW_NONE UINT32_MAX
#define FLOW_UNLIMITED UINT64_MAX

struct flow {
	int64_t start_ps;
	int64_t finish_ps;   /* the receiver has every byte; -1: not (yet) */
	uint64_t size_bytes; /* FLOW_UNLIMITED: sends until stop_ps */
	int64_t stop_ps;     /* WEIR_TIME_NEVER_PS: no stop */
	uint32_t src, dst;   /* host numbers */
	uint32_t connection; /* flow that opened the connection: itself, or an earlier one */
	uint32_t next; /* next message of the connection, FLOW_NONE: none yet; sender writes */
	uint32_t
		end_segment; /* first segment after this message on its connection; sender writes */
	uint16_t traffic;    /* index of its [traffic] section */
	uint8_t class_id;
	uint8_t flags;   /* bits of enum flow_tie, gate.h; 0: none */
	uint32_t tx, rx; /* state of a running connection, FLOW_NONE: none */
};

/* What a flow takes in all: its record while it runs and in the results, its place in lists and
 * samples. */
enum { FLOW_MEMORY_BYTES = 200 };

_Static_assert(sizeof(struct flow) == 64, "a finished flow costs one cache line");
#endif
