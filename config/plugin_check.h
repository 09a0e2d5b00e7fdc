/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_check.h -- is what a shared object declares fit to be used? For plugin.c. */
#ifndef CONFIG_PLUGIN_CHECK_H
#define CONFIG_PLUGIN_CHECK_H
#include "weir/plugin.h"

/* The first mistake as a message, -1; or 0. Calls nothing of the object but its checks of
 * options. */
int plugin_check(const struct weir_plugin *p, struct weir_error *e);
#endif
