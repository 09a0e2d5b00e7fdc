/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h -- from a scenario to a testbed: what of it reality can be, and how.
 *
 * A star, dumbbell or small leaf-spine of a few hosts; controls that the kernel has or that we
 * bring; flows that start at times that are known. What cannot be is refused, with what could. */
#ifndef TESTBED_PLAN_H
#define TESTBED_PLAN_H
#include "sim/net/route.h"
#include "sim/traffic/traffic.h"
#include "switch/plane/plane.h"
#include "testbed/bed.h"

/* DCTCP of ours (dctcp.h), for kernels that have none. */
#define OWN_DCTCP "weir_dctcp"

struct testbed_plan {
	struct network net;
	struct route_table *routes;
	uint32_t port_count,
		port_link[PLANE_PORTS_MAX]; /* the switches' ports, and which links they are */
	int measured_port;                  /* by measure.port; -1: the longest queue's */
	struct flow_list flows;
	struct bed_plan bed;
	char cc[BED_SECTIONS_MAX][BED_NAME]; /* of each section, the kernel's name */
	uint32_t probe_count, bin_count;     /* throughput of sections over time */
	struct bed_probe probes[BED_PROBES_MAX];
	int needs_own_dctcp;
	double alpha_start; /* of dctcp */
	int64_t drain_ns;
	char *switch_text; /* settings of the switch */
};

/* On -1 nothing is left to free; messages begin with "section.key: ". */
int plan_make(struct testbed_plan *p, const struct config *c, struct weir_error *e);
void plan_free(struct testbed_plan *p);

/* Writes everything that hosts need onto a board for as many flows. */
void plan_write(const struct testbed_plan *p, const struct config *c, struct bed_board *b);

/* A packet of that payload on a cable, with what the scenario counts of Ethernet. */
uint32_t plan_wire_bytes(const struct config *c, uint64_t payload);

/* --- between the files of it --- */

int plan_list_ports(struct testbed_plan *p, struct weir_error *e);
char *plan_switch_text(const struct testbed_plan *p,
		       const struct config *c); /* the caller frees it */
#endif
