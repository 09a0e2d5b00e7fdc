/* SPDX-License-Identifier: BSD-3-Clause */
/* marking_map.h -- the marking of ports where switch.marking.PART says more than switch.marking
 * does.
 *
 * Ports of one rate and tier are alike. Where all their queues have one scheme the port has that
 * scheme, as if there were no parts; where queues differ it has a scheme that asks each queue's
 * own. engine_build.c asks, while it builds; a port without parts never comes here. */
#ifndef SIM_CORE_MARKING_MAP_H
#define SIM_CORE_MARKING_MAP_H
#include "config/config.h"
#include "sim/net/network.h"
#include "weir/port_inline.h"

struct marking_map;

struct plugin_guard;

/* Adds those of a network's ports to the list. guard: of plug-ins, may be NULL. -1: a part means no
 * port of it; the message begins with its path. */
int marking_maps_new(struct marking_map **maps, const struct config *c,
		     const struct plugin_guard *guard, const struct network *net,
		     struct weir_error *e);

/* Gives the plan of a switch's port its marking; its rate is known. */
void marking_maps_plan(const struct marking_map *maps, const struct config *c, const char *tier,
		       struct weir_port_plan *plan);
void marking_maps_free(struct marking_map *maps);

/* The scheme of a queue and its params. */
const struct weir_mark_ops *marking_of_queue(const struct weir_port_class *kind, uint32_t queue,
					     const void **params);
#endif
