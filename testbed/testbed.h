/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.h -- one run of a scenario with real packets through a real switch between kernel TCP
 * stacks, and results of real runs. */
#ifndef TESTBED_TESTBED_H
#define TESTBED_TESTBED_H
#include "sim/measure/result.h"
#include "sim/run/run.h"
#include "switch/run/loop.h"

enum testbed_status {
	TESTBED_DONE = 0,
	TESTBED_REFUSED = -1, /* the scenario has no equivalent in reality */
	TESTBED_FAILED = -2,  /* privileges or components are missing */
	TESTBED_STOPPED = -3, /* by a signal or 'weir switch stop' */
};

enum { TESTBED_LATE_MS = 2 };

/* Attempts per run: it is repeated while the machine disturbs it. */
enum { TESTBED_TRIES = 3, TESTBED_TRIES_MAX = 20 };

/* How far the machine disturbed the run. */
struct testbed_health {
	double lost_fraction;  /* fraction of the time in which some port's packets waited for the
				  machine */
	uint64_t lost_pkts;    /* received while the ring was full */
	uint64_t refused_pkts; /* too long or malformed */
	uint32_t connections;  /* failed to open or broke */
	double late_fraction; /* fraction of flows that hosts started more than TESTBED_LATE_MS late
			       */
};

/* A scalar for comparing attempts: how much the machine disturbed a run; 0: not at all. */
double testbed_strain(const struct testbed_health *h);

/* Why a run's results are not trustworthy, the held_up field of a result: "the switch stood still
 * for 3.2 % of the time"; "": they are. */
struct testbed_held_up {
	char text[160];
};
struct testbed_held_up testbed_held_up(const struct testbed_health *h);

/* Performs one run in real time and fills in held_up. Unless TESTBED_DONE is returned there is
 * nothing to free, and a message. The process stays in a network namespace of its own. */
int testbed_run(struct config *c, struct run_result *r, struct testbed_health *h,
		struct weir_error *e);

/* --- results: the metrics and tables of a simulated run, in the same store ---
 *
 * switch_results.c converts the switch's counters; host_results.c adds what hosts wrote on the
 * board. A metric that a real run cannot measure is unknown. */

enum { PORT_OF_LONGEST_QUEUE = -1 };

/* The switch's measurements so far; queue metrics are those of the given port. Freed with
 * run_result_free. */
void real_results(struct loop *l, int measured_port, struct run_result *r);

/* The settings of the run, with "world real". Freed with config_free. */
void real_config(const struct switch_settings *s, struct config *c);

/* Adds the run to the store in a folder, replacing one with the same settings and seed. */
int real_store(struct loop *l, const char *folder, struct weir_error *e);

/* The same for a switch that keeps running: a child process writes, so that the switch never waits
 * for a disk, and reports its own errors. */
struct real_keeping {
	int process; /* child that is writing; 0: none */
};
void real_store_aside(struct loop *l, const char *folder, struct real_keeping *k);
void real_store_wait(struct real_keeping *k);

struct testbed_plan;
struct bed_board;

/* Adds the flows, and metrics derived from them, to the switch's measurements. */
void outcome_add(const struct testbed_plan *p, const struct config *c, const struct bed_board *b,
		 struct run_result *r);
#endif
