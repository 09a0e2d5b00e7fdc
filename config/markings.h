/* SPDX-License-Identifier: BSD-3-Clause */
/* markings.h -- marking schemes that differ within a network: "marking.storage = red(...)",
 * "marking.100Gbps = ...".
 *
 * A part selects queues by class (a number, or a traffic section: the classes of its packets), by
 * rate, by tier of switches, or by several of these joined by dots: "storage.100Gbps". Of the parts
 * that match a queue the one with most criteria applies; among equals class precedes tier precedes
 * rate. Queues without a matching part use switch.marking.
 *
 * config_check parses the parts. Rates and tiers are known once the network is built, so sim/core
 * resolves them then. */
#ifndef CONFIG_MARKINGS_H
#define CONFIG_MARKINGS_H
#include "config/config.h"
#include "weir/port_inline.h"
#include <string.h>

struct marking_part {
	char path[WEIR_OPT_TEXT_SIZE]; /* "switch.marking.storage.100Gbps", for messages */
	uint32_t has_classes;
	uint64_t classes[WEIR_QUEUES_MAX / 64]; /* bit each */
	uint64_t rate_bps;                      /* 0: any */
	char tier[64];                          /* empty: any */
	const struct weir_mark_ops *mark;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
};

struct markings {
	uint32_t count;
	struct marking_part parts[];
};

#define MARKING_PART_KEY "marking.PART" /* of switch_options; its lines are "PART SPEC" */

/* Is the text a rate? Returns 1 and sets *rate_bps. */
int marking_rate(const char *text, uint64_t *rate_bps);

/* Parses switch.marking.PART and validates the parts; the last step of config_check. */
int markings_check(struct config *c, struct weir_error *e);

/* The part for a queue of a port of that rate, in a switch of that tier. NULL: switch.marking. */
const struct marking_part *marking_part_of(const struct config *c, const char *tier,
					   uint64_t rate_bps, uint32_t queue);

/* Do the initial states of two port classes differ? Then settings are stored in the state and
 * cannot be changed at run time by replacing the params. */
int marking_state_differs(const struct weir_port_class *a, const struct weir_port_class *b);
#endif
