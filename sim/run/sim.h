/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h -- a simulation that is driven from outside: what weir/sim.h does, from a config on. Where
 * configs come from texts is the business of those above. */
#ifndef SIM_RUN_SIM_H
#define SIM_RUN_SIM_H
#include "config/config.h"
#include "weir/sim.h"

/* Takes the checked config, also on -1. plan NULL: all zero. */
int sim_new(struct weir_sim **sim, struct config *c, const struct weir_sim_plan *plan,
	    struct weir_error *e);
#endif
