/* SPDX-License-Identifier: BSD-3-Clause */
/* build.h -- from a config to an engine that is ready to run, for whole runs and for those that are
 * driven. */
#ifndef SIM_RUN_BUILD_H
#define SIM_RUN_BUILD_H
#include "sim/core/engine.h"

/* net is the caller's to free, and *e if it is not NULL, also on -1. */
int build_engine(struct engine **e, struct network *net, const struct config *c,
		 const struct engine_plan *plan, struct weir_error *error);
#endif
