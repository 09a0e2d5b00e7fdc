/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h -- weir/env.h from a config on, with more to observe for the trainers of this program;
 * lab/scenario makes configs of scenario texts. Threads: as in weir/env.h. */
#ifndef SIM_RUN_ENV_H
#define SIM_RUN_ENV_H
#include "config/config.h"
#include "weir/env.h"

/* Takes over the checked config, also on -1 (message). plan NULL: all fields 0. weir_env_free frees
 * *env. */
int env_new(struct weir_env **env, struct config *c, const struct weir_env_plan *plan,
	    struct weir_error *e);

const struct config *env_config(const struct weir_env *env);
int64_t env_now_ns(const struct weir_env *env);

/* The port of a row at the present time, its counters since time 0. */
struct env_port {
	uint64_t rate_bps;
	uint64_t sent_bytes;
	uint64_t queue_bytes;
	int is_measured; /* measure.port is this port, or not set */
};

void env_port(const struct weir_env *env, uint32_t row, struct env_port *port);

/* A pool of environments of one text. Takes over them and the array, which is of memory_new. */
struct weir_env_pool *env_pool_new(struct weir_env **envs, uint32_t count, uint32_t threads);
#endif
