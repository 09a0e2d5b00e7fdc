/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.h -- between the files of weir testbed. */
#ifndef CLI_TESTBED_H
#define CLI_TESTBED_H
#include "cli/commands.h"
#include "lab/scenario/scenario.h"
#include "testbed/testbed.h"

/* One run in one of the worlds: an exit status, after complaining. On EXIT_FINE the result is the
 * caller's to free. A real run that the machine holds up is repeated, tries times in all; what is
 * left is the one that was disturbed least. */
int run_simulated(const struct scenario *s, const struct config *c, struct run_result *r);
int run_real(const struct scenario *s, struct config *c, uint32_t tries, struct run_result *r);

/* The value of --tries, or TESTBED_TRIES. */
int testbed_tries(const struct arguments *a, uint32_t *tries, struct weir_error *e);

/* weir testbed --figure NAME: see testbed_figure.c. */
int testbed_figure(const struct arguments *a);
#endif
