/* SPDX-License-Identifier: BSD-3-Clause */
/* nic.h -- how a host's packets get to its line: NIC models for host.nic.
 *
 * fair, the default, has no queue: it asks connections for a segment when its line is free
 * (host.c). The others have one, which is a port like a switch's: connections put into it, at once,
 * whatever their windows allow, ACKs wait with data, it has a limit and a marking scheme of its
 * own, and a host drops its own packets where it is full. What a sender has put there is sent as
 * far as the sender knows: its samples of the round trip hold the wait.
 *
 * Here is what there is to choose from and whether it fits the rest; sim/core/nic.c makes the
 * ports and runs them. */
#ifndef CONFIG_NIC_H
#define CONFIG_NIC_H
#include "base/registry.h"
#include "config/config.h"
#include "weir/port_inline.h"

struct nic_ops {
	struct weir_scheme scheme;
	uint32_t queues; /* that packets wait in, those of a flow in one of them; 0: nowhere */
};

/* How many delays a card may have to choose from. */
enum { NIC_DELAYS_MAX = 8 };

/* Options of the cards that have a queue. */
struct nic_params {
	uint64_t limit;                   /* WEIR_OPT_LENGTH */
	char marking[WEIR_OPT_TEXT_SIZE]; /* spec */
	char delays[WEIR_OPT_TEXT_SIZE];  /* "1us:20us", or "none" */
	/* What it says, once it is checked. */
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
