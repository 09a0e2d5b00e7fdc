/* SPDX-License-Identifier: BSD-3-Clause */
/* dscp.h -- what packets carry for switches to tell them apart by, the DSCP (RFC 2474), and the
 * class that switches give each: "26:3 48:6 default:0", as DSCP_TO_TC_MAP of SONiC.
 *
 * Without a map the class of packets is what their section says, and a DSCP is only carried. With
 * one it is what the map says of the DSCP: every section then has one, and keys that name classes
 * are left out. All switches have the same map and nobody rewrites a DSCP, so classes are known
 * before the run and packets carry their number. */
#ifndef CONFIG_DSCP_H
#define CONFIG_DSCP_H
#include "config/config.h"

/* "26", or a name of RFC 2474, 2597 and 3246: "cs6", "af31", "ef". */
int dscp_read(const char *text, uint8_t *dscp, struct weir_error *e);

/* Reads switch.dscp-map and rdma.cnp-dscp. */
int dscp_map_check(struct config *c, struct weir_error *e);

/* Reads the section's code points and, where there is a map, gives it their classes. */
int dscp_check(const struct config *c, struct traffic_config *t, struct weir_error *e);

/* Is the code point in the map, or does it have the default class? */
int dscp_is_mapped(const struct config *c, uint8_t dscp);

/* The class of notifications: the map's, else that of ACKs. */
static inline uint8_t dscp_cnp_class(const struct config *c, uint8_t ack_class)
{
	return c->dscp.has_map ? c->dscp.class_of[c->dscp.cnp] : ack_class;
}
#endif
