/* testbed.h -- one run of a scenario with real packets: hosts, a switch between them, numbers out. */
#ifndef SWITCH_TESTBED_TESTBED_H
#define SWITCH_TESTBED_TESTBED_H
#include "sim/measure/result.h"

enum testbed_status {
	TESTBED_DONE = 0,
	TESTBED_REFUSED = -1, /* reality cannot be so */
	TESTBED_FAILED = -2,  /* rights or parts are missing */
	TESTBED_STOPPED = -3, /* by a signal, or by 'weir switch stop' */
};

enum { TESTBED_LATE_MS = 2 };

/* How well the machine kept up. */
struct testbed_health {
	double lost_fraction; /* of the measured time that the measured port's line stood still for nothing */
	uint64_t lost_pkts;    /* that no ring had room for */
	uint64_t refused_pkts; /* that were too long or malformed */
	uint32_t connections;  /* that could not be opened, or broke */
	double late_fraction; /* of the flows, that hosts began more than TESTBED_LATE_MS after their time */
};

/* Adds "world real" to the config, as what it is. Times pass as they do outside. But for TESTBED_DONE nothing is
 * left to free, and there is a message. The process stays in a network namespace of its own. */
int testbed_run(struct config *c, struct run_result *r, struct testbed_health *h,
		struct weir_error *e);
#endif
