/* SPDX-License-Identifier: BSD-3-Clause */
/* testbed.h -- what the files of weir testbed share: runs in both worlds, and scenarios that are
 * slowed down to what a machine carries. */
#ifndef CLI_TESTBED_H
#define CLI_TESTBED_H
#include "cli/commands.h"
#include "lab/scenario/scenario.h"
#include "testbed/testbed.h"

/* One run in one of the worlds: an exit status, after complaining. On EXIT_FINE the result is the
 * caller's to free. A real run that the machine holds up is repeated, tries times in all; what is
 * left is the one that was disturbed least. */
int testbed_run_simulated(const struct scenario *s, const struct config *c, struct run_result *r);
int testbed_run_real(const struct scenario *s, struct config *c, uint32_t tries,
		     struct run_result *r);

/* The value of --tries, or TESTBED_TRIES. */
int testbed_tries(const struct arguments *a, uint32_t *tries, struct weir_error *e);

/* weir testbed --figure NAME: see testbed_figure.c. */
int testbed_figure(const struct arguments *a);

/* --- a scenario in which everything takes longer by a factor, and its results as if it did not ---
 *
 * Every time among the settings is multiplied, every rate divided; bytes, packets and shares stay.
 * The simulated run of such a scenario is the same run. A real one is what a machine carries that
 * is slower than the scenario by that factor. */

/* On -1 nothing is left to free; messages name the setting. */
int slower_config(const struct config *c, double factor, struct config *slow, struct weir_error *e);

/* What was measured of that, in the time of the scenario. */
void slower_back(struct run_result *r, double factor);

/* "tcn(threshold=256us)" as "tcn(threshold=2560us)"; the caller frees it. */
char *slower_text(const char *text, double factor);
#endif
