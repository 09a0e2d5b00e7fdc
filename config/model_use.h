/* SPDX-License-Identifier: BSD-3-Clause */
/* model_use.h -- which models the schemes of a config work with: for the names of runs and for
 * tables. */
#ifndef CONFIG_MODEL_USE_H
#define CONFIG_MODEL_USE_H
#include "config/config.h"
#include "config/model.h"

/* One of the settings that name a scheme. */
struct model_use {
	char path[160];            /* "host.cc", "traffic.web.cc" */
	const struct model *model; /* NULL: its scheme has none */
};

/* The i-th of a config that was checked; 0: there are no more. */
int model_use_at(const struct config *c, uint32_t i, struct model_use *use);

/* The model of the scheme that the setting of that path names; NULL: none. */
const struct model *model_used(const struct config *c, const char *path);
#endif
