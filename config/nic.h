/* SPDX-License-Identifier: BSD-3-Clause */
/* nic.h -- models of a host's NIC.
 *
 * fair, the default, has no queue: it pulls a segment from a connection when its link is free
 * (sim/core/host.c). The others have queues, in a port like a switch's: connections enqueue at once
 * what their windows allow, ACKs queue with data, the queue has a limit and a marking scheme, and a
 * full queue drops the host's own packets. For the sender an enqueued packet is sent, so its RTT
 * samples include the queueing delay.
 *
 * This file declares the choices and their validation; sim/core/nic.c builds and runs the ports. */
#ifndef CONFIG_NIC_H
#define CONFIG_NIC_H
#include "base/registry.h"
#include "config/config.h"
#include "weir/port_inline.h"

struct nic_ops {
	struct weir_scheme scheme;
	uint32_t queues; /* each flow uses one of them; 0: no queue */
};

/* Number of delays that flows are spread over. */
enum { NIC_DELAYS_MAX = 8 };

/* Options of NICs with queues. */
struct nic_params {
	uint64_t limit;                   /* WEIR_OPT_LENGTH */
	char marking[WEIR_OPT_TEXT_SIZE]; /* spec */
	char delays[WEIR_OPT_TEXT_SIZE];  /* "1us:20us", or "none" */
	/* Parsed from delays by nic_check. */
	int64_t delay_ps[NIC_DELAYS_MAX];
	uint32_t delay_count;
};

extern const struct registry nic_registry;
extern const struct nic_ops *const nic_all[]; /* ends with NULL; the first is fair */

/* Reads host.nic and what it names; all else of the config is read. */
int nic_check(struct config *c, struct weir_error *e);

static inline int nic_has_queue(const struct config *c)
{
	return c->nic && c->nic->queues > 0;
}
#endif
