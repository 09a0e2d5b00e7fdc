/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.h -- shared by the files of weir testbed: runs in both worlds, real and simulated, and
 * time dilation of scenarios. */
#ifndef CLI_TESTBED_H
#define CLI_TESTBED_H
#include "cli/commands.h"
#include "lab/scenario/scenario.h"
#include "testbed/testbed.h"

/* Performs one run in one world. Returns an exit status, after printing the message; after
 * EXIT_FINE the caller frees the result. A real run that the machine disturbs is repeated, up to
 * `tries` times in all; the least disturbed one is kept. */
int testbed_run_simulated(const struct scenario *s, const struct config *c, struct run_result *r);
int testbed_run_real(const struct scenario *s, struct config *c, uint32_t tries,
		     struct run_result *r);

/* The value of --tries, or TESTBED_TRIES. */
int testbed_tries(const struct arguments *a, uint32_t *tries, struct weir_error *e);

/* weir testbed --figure NAME, see testbed_figure.c. Returns an exit status. */
int testbed_figure(const struct arguments *a);

/* --- time dilation, in testbed_dilation.c ---
 *
 * Every time of a scenario is multiplied by a factor and every rate divided by it; bytes, packets
 * and shares stay. The simulated run of a dilated scenario is equivalent. A machine that is too
 * slow for a scenario can run the dilated one with real packets. */

/* Fills in `slow`, which the caller frees. -1 with a message that names the setting: nothing is
 * left to free. */
int dilation_apply(const struct config *c, double factor, struct config *slow,
		   struct weir_error *e);

/* Converts the results of a dilated run back to the scenario's time. */
void dilation_undo(struct run_result *r, double factor);

/* Scales the times and rates in a text: "tcn(threshold=256us)" is "tcn(threshold=2560us)" with
 * factor 10; freed by the caller. */
char *dilation_text(const char *text, double factor);
#endif
