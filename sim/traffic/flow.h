/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.h -- the record of a flow: what is planned, its state while it runs, and its result.
 *
 * A flow is one message. With connections = per-flow it is also one connection, otherwise one of
 * several messages on the connection that the first flow of the same pair opened.
 *
 * The traffic pattern writes the plan before the run. While it runs, the worker of the sender
 * writes next, end_segment and tx, the worker of the receiver finish_ps and rx; each field has one
 * writer. (Where measure.completion is sender, the end of the flow is engine.acked_ps.) */
#ifndef SIM_TRAFFIC_FLOW_H
#define SIM_TRAFFIC_FLOW_H
#include <stdint.h>

#define FLOW_NONE UINT32_MAX
#define FLOW_UNLIMITED UINT64_MAX

/* How a flow is tied to gates (gate.h): bits of flow.flags. */
enum flow_tie { FLOW_WAITS = 1, FLOW_SIGNALS_SENT = 2, FLOW_SIGNALS_RECEIVED = 4 };

/* Other bits of flow.flags. */
enum flow_mark {
	FLOW_ENDS_IO = 8,       /* the last flow of an I/O */
	FLOW_ENDS_ROUND = 16,   /* the last flow of a round, whose flows are added together */
	FLOW_IS_CONTROL = 32,   /* request of a read or answer to a write: not in any FCT */
	FLOW_HAS_CALLBACK = 64, /* a program has a callback for its delivery: mailbox.h */
	FLOW_IS_SPARE = 128,    /* drawn in case there is time for it; no result unless it starts */
};

struct flow {
	int64_t start_ps;     /* WEIR_TIME_NEVER_PS: waits at a gate */
	int64_t finish_ps;    /* the receiver has every byte; -1: not (yet) */
	uint64_t size_bytes;  /* FLOW_UNLIMITED: sends until stop_ps */
	int64_t stop_ps;      /* WEIR_TIME_NEVER_PS: no stop */
	uint32_t src, dst;    /* host numbers */
	uint32_t connection;  /* flow that opened the connection: itself, or an earlier one */
	uint32_t next;        /* next message of the connection; FLOW_NONE: none yet */
	uint32_t end_segment; /* first segment after this message on its connection */
	uint16_t traffic;     /* index of its [traffic] section */
	uint8_t class_id;
	uint8_t flags;   /* bits of enum flow_tie and enum flow_mark */
	uint32_t tx, rx; /* handles of sender and receiver while open; FLOW_NONE: not open */
};

/* Estimate for memory checks: the record while it runs and in the results, and its place in lists
 * and samples. */
enum { FLOW_MEMORY_BYTES = 200 };

_Static_assert(sizeof(struct flow) == 64, "a flow is one cache line");
#endif
