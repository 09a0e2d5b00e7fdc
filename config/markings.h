/* SPDX-License-Identifier: BSD-3-Clause */
/* markings.h -- marking that is not the same everywhere: "marking.storage = red(...)",
 * "marking.100Gbps = ...".
 *
 * A part names a class (by its number, or by a traffic section: the classes of its packets), a
 * rate, a tier of switches, or several of these with dots between them: "storage.100Gbps". Where
 * several parts hold for a queue the one that says most counts; of those that say equally much, a
 * class before a tier before a rate. What no part holds for has switch.marking.
 *
 * config_check reads the parts; which rates and tiers there are is known when the network is built,
 * so that is asked there (sim/core/marking_map.h). */
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

/* Is it a rate, as a part may name one? */
int marking_rate(const char *text, uint64_t *rate_bps);

/* Reads switch.marking.PART and refuses what does not go together; after everything else of
 * config_check. */
int markings_check(struct config *c, struct weir_error *e);

/* That of a queue in a port of that rate, in a switch of that tier; NULL: switch.marking holds. */
const struct marking_part *marking_part_of(const struct config *c, const char *tier,
					   uint64_t rate_bps, uint32_t queue);

/* Does a scheme's state begin otherwise with the other settings? Then some of them are in it and
 * cannot be changed by changing the settings. */
int marking_state_differs(const struct weir_port_class *a, const struct weir_port_class *b);
#endif
