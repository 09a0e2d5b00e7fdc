/* load.h -- FILE, --set and --seed of a command line as a scenario: for run and check. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H
#include "cli/commands.h"
#include "lab/scenario.h"

/* On -1 nothing is left to free. */
int load_scenario(const struct arguments *a, struct scenario *s, struct error *e);
#endif
