/* SPDX-License-Identifier: BSD-3-Clause */
/* load.h -- FILE, --full, --set and --seed of a command line as a scenario: for run and check. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H
#include "cli/commands.h"
#include "lab/scenario/scenario.h"

enum scenario_size { SIZE_QUICK, SIZE_FULL };

/* With --full: the full one. */
enum scenario_size asked_size(const struct arguments *a);

/* As the command line says, in its size or in the other. On -1 nothing is left to free. */
int load_scenario(const struct arguments *a, struct scenario *s, struct weir_error *e);
int load_size(const struct arguments *a, enum scenario_size size, struct scenario *s,
	      struct weir_error *e);
#endif
