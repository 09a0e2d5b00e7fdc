/* SPDX-License-Identifier: BSD-3-Clause */
/* slower.h -- a scenario in which everything takes longer by a factor, and its results as if it did
 * not.
 *
 * Every time among the settings is multiplied, every rate divided; bytes, packets and shares stay.
 * The simulated run of such a scenario is the same run. A real one is what a machine carries that
 * is slower than the scenario by that factor. */
#ifndef CLI_SLOWER_H
#define CLI_SLOWER_H
#include "sim/measure/result.h"

/* On -1 nothing is left to free; messages name the setting. */
int slower_config(const struct config *c, double factor, struct config *slow, struct weir_error *e);

/* What was measured of that, in the time of the scenario. */
void slower_back(struct run_result *r, double factor);

/* "tcn(threshold=256us)" as "tcn(threshold=2560us)"; the caller frees it. */
char *slower_text(const char *text, double factor);
#endif
