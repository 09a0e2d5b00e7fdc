/* SPDX-License-Identifier: BSD-3-Clause */
/* env_pool.h -- environments of weir/env.h that were made elsewhere, side by side. */
#ifndef SIM_RUN_ENV_POOL_H
#define SIM_RUN_ENV_POOL_H
#include "weir/env.h"

/* Takes the array, of memory_new, and the environments, which are of one text. */
struct weir_env_pool *env_pool_new(struct weir_env **envs, uint32_t count, uint32_t threads);
#endif
