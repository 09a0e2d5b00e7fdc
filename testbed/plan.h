/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h -- translation of a scenario into a testbed: a star, dumbbell or small leaf-spine of a few
 * hosts; congestion controls that the kernel has or that Weir loads; flows with known start times.
 * Everything else is rejected with a message that names what is supported. */
#ifndef TESTBED_PLAN_H
#define TESTBED_PLAN_H
#include "sim/net/route.h"
#include "sim/traffic/traffic.h"
#include "switch/plane/plane.h"
#include "testbed/bed.h"

/* Our DCTCP (machine.h), for kernels without it. */
#define OWN_DCTCP "weir_dctcp"

struct testbed_plan {
	struct network net;
	struct route_table *routes;
	uint32_t port_count,
		port_link[PLANE_PORTS_MAX]; /* the switches' ports, and the link of each */
	int measured_port; /* set by measure.port; -1: the port with the longest queue */
	struct flow_list flows;
	struct bed_plan bed;
	char cc[BED_SECTIONS_MAX][BED_NAME]; /* kernel name, by section */
	uint32_t probe_count, bin_count;     /* throughput probes of sections */
	struct bed_probe probes[BED_PROBES_MAX];
	int needs_own_dctcp;
	double alpha_start; /* dctcp's parameter */
	int64_t drain_ns;
	char *switch_text; /* switch settings in the format of 'weir switch' */
};

/* After -1 there is nothing to free; messages begin with "section.key: ". */
int plan_make(struct testbed_plan *p, const struct config *c, struct weir_error *e);
void plan_free(struct testbed_plan *p);

/* Writes the plan onto a board with room for all flows. */
void plan_write(const struct testbed_plan *p, const struct config *c, struct bed_board *b);

/* Wire size of a packet with that payload, including the Ethernet overhead that the scenario
 * counts. */
uint32_t plan_wire_bytes(const struct config *c, uint64_t payload);

/* --- shared by plan.c and plan_switch.c --- */

int plan_list_ports(struct testbed_plan *p, struct weir_error *e);
char *plan_switch_text(const struct testbed_plan *p,
		       const struct config *c); /* freed by the caller */
#endif
