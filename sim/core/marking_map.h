/* SPDX-License-Identifier: BSD-3-Clause */
/* marking_map.h -- marking by part of the network: switch.marking.PART beside switch.marking.
 *
 * Ports of one rate and tier mark alike. Where all their queues have the same scheme, the port has
 * that scheme, as if there were no parts; where queues differ, it has a map: a scheme that passes
 * each decision to the queue's own. Built with the ports (engine_ports.c), constant afterwards;
 * ports without parts do not use it. */
#ifndef SIM_CORE_MARKING_MAP_H
#define SIM_CORE_MARKING_MAP_H
#include "config/config.h"
#include "sim/net/network.h"
#include "weir/port_inline.h"

struct marking_map;
struct plugin_guard;

/* Builds the maps of a network, a list that the caller frees. guard: of plug-ins; NULL: none. -1: a
 * part matches no port of the network; the message begins with its path. */
int marking_maps_new(struct marking_map **maps, const struct config *c,
		     const struct plugin_guard *guard, const struct network *net,
		     struct weir_error *e);

/* Sets the marking of a switch port's plan, whose rate is set. */
void marking_maps_plan(const struct marking_map *maps, const struct config *c, const char *tier,
		       struct weir_port_plan *plan);
void marking_maps_free(struct marking_map *maps);

/* The scheme of a queue and its params, whether the port has a map or not. */
const struct weir_mark_ops *marking_of_queue(const struct weir_port_class *kind, uint32_t queue,
					     const void **params);
#endif
