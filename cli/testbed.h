/* testbed.h -- between the files of weir testbed. */
#ifndef CLI_TESTBED_H
#define CLI_TESTBED_H
#include "cli/commands.h"
#include "lab/scenario/scenario.h"
#include "switch/testbed/testbed.h"

/* One run in one of the worlds: an exit status, after complaining. On EXIT_FINE the result is the caller's to free. */
int run_simulated(const struct scenario *s, const struct config *c, struct run_result *r);
int run_real(const struct scenario *s, struct config *c, struct run_result *r);

/* weir testbed --figure NAME: see testbed_figure.c. */
int testbed_figure(const struct arguments *a);
#endif
