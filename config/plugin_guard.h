/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_guard.h -- stands between a port and a scheme of a shared object, and looks at every
 * answer.
 *
 * A verdict that is none, or a queue that has nothing to send, is not obeyed: the port gets an
 * answer that is safe, the guard remembers what happened, and the run ends when its window does.
 * Ports of built-in schemes know nothing of this. */
#ifndef CONFIG_PLUGIN_GUARD_H
#define CONFIG_PLUGIN_GUARD_H
#include "config/config.h"
#include "weir/port.h"

struct plugin_guard;

/* NULL where no marking, scheduler or marking of a part or card is a plug-in. The config must
 * outlive it. */
struct plugin_guard *plugin_guard_new(const struct config *c);
void plugin_guard_free(struct plugin_guard *g);

/* A switch's ports are to ask the guard, not the schemes. g may be NULL. */
void plugin_guard_plan(struct plugin_guard *g, struct weir_port_plan *plan);

/* Puts the guard in the place of a marking scheme of the config's and its params, where that is a
 * plug-in's. */
void plugin_guard_mark(const struct plugin_guard *g, const struct weir_mark_ops **mark,
		       const void **params);

/* The params of the scheme itself, of what plugin_guard_mark gave or of any other. */
const void *plugin_guard_inner(const struct plugin_guard *g, const void *params);

/* 1: a plug-in gave an answer that is none, and the message says which. g may be NULL. */
int plugin_guard_caught(struct plugin_guard *g, struct weir_error *e);
#endif
