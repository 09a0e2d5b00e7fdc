/* SPDX-License-Identifier: BSD-3-Clause */
/* hpcc.h -- topology files of the HPCC simulator and its many descendants.
 *
 *	5 1 4			nodes, switches, links
 *	4			the nodes that are switches; all others are hosts
 *	0 4 100Gbps 0.001ms 0	a link a line: two nodes, rate, delay, packets lost
 *	...
 *
 * Whatever follows the last link is not read, as the original does not read it either. Weir calls
 * the hosts h0, h1, ... in the order of their node numbers, and switch 4 is s4; where the hosts
 * come first, as they mostly do, node 3 is h3. */
#ifndef SIM_NET_HPCC_H
#define SIM_NET_HPCC_H
#include "config/config.h"

struct hpcc_topology {
	uint32_t node_count, switch_count, host_count;
	uint32_t *host_ids;     /* host number -> node number in the file, ascending */
	struct line_list links; /* as topology explicit has them: "h0 s4 100Gbps 0.001ms" */
};

/* The message says file and line. On -1 nothing is left to free. */
int hpcc_read(struct hpcc_topology *t, const char *file, struct weir_error *e);
void hpcc_free(struct hpcc_topology *t);
#endif
