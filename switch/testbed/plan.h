/* plan.h -- from a scenario to a testbed: what of it reality can be, and how.
 *
 * A star of a few hosts; controls that the kernel has or that we bring; flows that start at times that are known.
 * What cannot be is refused, with what could. */
#ifndef SWITCH_TESTBED_PLAN_H
#define SWITCH_TESTBED_PLAN_H
#include "sim/traffic/traffic.h"
#include "switch/testbed/bed.h"

/* DCTCP of ours (dctcp.h), for kernels that have none. */
#define OWN_DCTCP "weir_dctcp"

struct testbed_plan {
	struct network net;
	struct flow_list flows;
	struct bed_plan bed;
	char cc[BED_SECTIONS_MAX][BED_NAME]; /* of each section, the kernel's name */
	int needs_own_dctcp;
	int64_t drain_ns;
	char *switch_text; /* settings of the switch */
};

/* On -1 nothing is left to free; messages begin with "section.key: ". */
int plan_make(struct testbed_plan *p, const struct config *c, struct weir_error *e);
void plan_free(struct testbed_plan *p);

/* Writes everything that hosts need onto a board for as many flows. */
void plan_write(const struct testbed_plan *p, const struct config *c, struct bed_board *b);
#endif
