/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h -- weir/env.h from a config on, with more to observe for the trainers of this program;
 * lab/scenario makes configs of scenario texts. Threads: as in weir/env.h. */
#ifndef SIM_RUN_ENV_H
#define SIM_RUN_ENV_H
#include "config/config.h"
#include "weir/env.h"

struct weir_cc_decision;

/* Takes over the checked config, also on -1 (message). plan NULL: all fields 0; its settings are
 * those of the config already. weir_env_free frees *env. */
int env_new(struct weir_env **env, struct config *c, const struct weir_env_plan *plan,
	    struct weir_error *e);

/* As weir_env_set, with the settings in the config, which it takes over. */
int env_replace(struct weir_env *env, struct config *c, struct weir_error *e);

/* The text that env_keep_text copied; NULL: none. */
void env_keep_text(struct weir_env *env, const char *text);
const char *env_text(const struct weir_env *env);

const struct config *env_config(const struct weir_env *env);
int64_t env_now_ns(const struct weir_env *env);

/* The port of a row at the present time, its counters since time 0. Not with WEIR_ENV_FLOWS. */
struct env_port {
	uint64_t rate_bps;
	uint64_t sent_bytes;
	uint64_t queue_bytes;
	int is_measured; /* measure.port is this port, or not set */
};

void env_port(const struct weir_env *env, uint32_t row, struct env_port *port);

/* WEIR_ENV_FLOWS: the decision that a row asks for; NULL: it does not ask. O(flows that ask). */
const struct weir_cc_decision *env_decision(const struct weir_env *env, uint32_t row);

/* A pool of environments of one text. Takes over them and the array, which is of memory_new. */
struct weir_env_pool *env_pool_new(struct weir_env **envs, uint32_t count, uint32_t threads);
#endif
