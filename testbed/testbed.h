/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.h -- one run of a scenario with real packets, that is with hosts and a switch between
 * them; and the results of real runs. */
#ifndef TESTBED_TESTBED_H
#define TESTBED_TESTBED_H
#include "sim/measure/result.h"
#include "sim/run/run.h"
#include "switch/run/loop.h"

enum testbed_status {
	TESTBED_DONE = 0,
	TESTBED_REFUSED = -1, /* reality cannot be so */
	TESTBED_FAILED = -2,  /* rights or parts are missing */
	TESTBED_STOPPED = -3, /* by a signal, or by 'weir switch stop' */
};

enum { TESTBED_LATE_MS = 2 };

/* How often a run is done at most: again while the machine holds it up. */
enum { TESTBED_TRIES = 3, TESTBED_TRIES_MAX = 20 };

/* How well the machine kept up. */
struct testbed_health {
	double lost_fraction;  /* of the time, in which the packets of some port waited for the
				  machine */
	uint64_t lost_pkts;    /* that no ring had room for */
	uint64_t refused_pkts; /* that were too long or malformed */
	uint32_t connections;  /* that could not be opened, or broke */
	double late_fraction;  /* of the flows, that hosts began more than TESTBED_LATE_MS after
				  their time */
};

/* How much the machine disturbed a run; 0: not at all. */
double testbed_strain(const struct testbed_health *h);

/* What the machine did to a run whose numbers are therefore not to be trusted, as the held_up of a
 * result: "the switch stood still for 3.2 % of the time"; "": it kept up. */
struct testbed_held_up {
	char text[160];
};
struct testbed_held_up testbed_held_up(const struct testbed_health *h);

/* One run, whose held_up is filled in. Times pass as they do outside. But for TESTBED_DONE nothing
 * is left to free, and there is a message. The process stays in a network namespace of its own. */
int testbed_run(struct config *c, struct run_result *r, struct testbed_health *h,
		struct weir_error *e);

/* --- results: the same metrics and tables as those of a simulated run, in the same store ---
 *
 * What the switch has counted is in switch_results.c; what hosts wrote on the board is added by
 * host_results.c. A value that a real run cannot know is unknown. */

enum { PORT_OF_LONGEST_QUEUE = -1 };

/* What the switch has measured so far; queues are those of the port of that number. For
 * run_result_free. */
void real_results(struct loop *l, int measured_port, struct run_result *r);

/* The settings of the run, "world real" among them. For config_free. */
void real_config(const struct switch_settings *s, struct config *c);

/* Adds the run to the store of a folder, in the place of one with the same settings and seed. */
int real_store(struct loop *l, const char *folder, struct weir_error *e);

/* The same of a switch that goes on: by a process of its own, so that the switch waits for no disk.
 * What goes wrong is said there. */
struct real_keeping {
	int process; /* that writes; 0: none does */
};
void real_store_aside(struct loop *l, const char *folder, struct real_keeping *k);
void real_store_wait(struct real_keeping *k);

struct testbed_plan;
struct bed_board;

/* Adds flows and what follows from them to what the switch has measured. */
void outcome_add(const struct testbed_plan *p, const struct config *c, const struct bed_board *b,
		 struct run_result *r);
#endif
