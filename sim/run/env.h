/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h -- an environment for learners: what weir/env.h does, from a config on, and a closer look
 * for trainers of this program. Where configs come from texts is the business of those above. */
#ifndef SIM_RUN_ENV_H
#define SIM_RUN_ENV_H
#include "config/config.h"
#include "weir/env.h"

/* Takes the checked config, also on -1. plan NULL: all zero. */
int env_new(struct weir_env **env, struct config *c, const struct weir_env_plan *plan,
	    struct weir_error *e);

const struct config *env_config(const struct weir_env *env);
int64_t env_now_ns(const struct weir_env *env);

/* A row's port as it is now, and its counters since time 0. */
struct env_port {
	uint64_t rate_bps;
	uint64_t sent_bytes;
	uint64_t queue_bytes;
	int is_measured; /* measure.port names it, or none */
};

void env_port(const struct weir_env *env, uint32_t row, struct env_port *port);
#endif
