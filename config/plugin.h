/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h -- schemes from shared objects: permission, loading, validation, and a guard that checks
 * their return values during a run.
 *
 * A scheme name with a slash is the path of a shared object (weir/plugin.h); other names are looked
 * up in the library's registries. An object is loaded only with the user's permission (below), and
 * its declarations are validated before anything of it is called. Objects stay loaded, so pointers
 * into them remain valid; loading one again returns the same. */
#ifndef CONFIG_PLUGIN_H
#define CONFIG_PLUGIN_H
#include "base/registry.h"
#include "weir/plugin.h"
#include <stdint.h>

struct config;
struct weir_port_plan;

/* --- loading --- */

/* The kinds of scheme that an object may hold: members of struct weir_plugin. */
enum plugin_kind {
	PLUGIN_MARK,
	PLUGIN_SCHED,
	PLUGIN_CC,
	PLUGIN_TRAFFIC,
	PLUGIN_TUNE,
	PLUGIN_AGENT,
	PLUGIN_KINDS
};

const char *plugin_kind_name(enum plugin_kind kind); /* "marking scheme" */

/* The ops struct of that kind. NULL: the object holds none. */
const void *plugin_ops(const struct weir_plugin *p, enum plugin_kind kind);

/* Does the spec name a shared object? */
int is_plugin(const char *spec);

/* Loads and validates an object. NULL with a message. */
const struct weir_plugin *plugin_load(const char *path, struct weir_error *e);

/* The ops struct of that kind in the object that the spec names. NULL with a message. */
const void *plugin_find(const char *spec, enum plugin_kind kind, struct weir_error *e);

/* -1 with a message: the spec looks like a plug-in ("mine.so") but lacks the slash of a path. */
int plugin_has_path(const char *spec, struct weir_error *e);

/* --- permission ---
 *
 * A plug-in is native code with the user's rights, and a scenario file may come from a stranger. So
 * an object is loaded only if it lies in the folder tree of a file that the user named, if the user
 * named the object itself, or if everything is permitted (--allow-plugins). Symbolic links and ".."
 * are resolved first, and the resolved path is the one that is loaded.
 *
 * Permissions belong to the process; all functions are thread-safe. */

void plugin_permit_all(void);

/* Everything in the folder of that file and below it. A file that does not exist permits
 * nothing. */
void plugin_permit_tree_of(const char *file);

/* Everything in that folder and below it. */
void plugin_permit_folder(const char *folder);

/* Permits the files that a text names: "./mine.so" of "fifo(marking=./mine.so(k=3))". */
void plugin_permit_named(const char *text);

/* Inspect-only mode: plugin_load never loads an object, whatever is permitted; it checks the file,
 * counts those that could be loaded, and fails. */
void plugin_permit_inspect_only(void);
uint64_t plugin_inspections(void); /* objects that could be loaded */

/* Resolves the path into `real`. -1 with a message: there is no such file, or no permission. */
enum { PLUGIN_PATH_SIZE = 4096 };
int plugin_permit_check(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e);

/* The path, as it was written, of the i-th inspected object. NULL: there are no more. */
const char *plugin_inspected_path(uint32_t i);

/* --- validation, for plugin.c --- */

/* Validates everything that a loaded plug-in declares, before any hook but an option check is
 * called. -1 with the first mistake as a message. */
int plugin_check(const struct weir_plugin *p, struct weir_error *e);

/* --- the guard ---
 *
 * A wrapper between ports and the schemes of plug-ins that validates every return value. An invalid
 * verdict, or a queue without packets, is replaced by a safe value; the first violation is
 * recorded, and the run fails at the end of its lookahead window. Ports of built-in schemes are not
 * wrapped. */

struct plugin_guard;

/* NULL: no marking scheme or scheduler of the config is a plug-in. The config must outlive it. */
struct plugin_guard *plugin_guard_new(const struct config *c);
void plugin_guard_free(struct plugin_guard *g);

/* Replaces a plan's plug-ins by the guard. g NULL: no effect. */
void plugin_guard_plan(struct plugin_guard *g, struct weir_port_plan *plan);

/* Replaces a marking scheme of the config and its params by the guard, if it is a plug-in. */
void plugin_guard_mark(const struct plugin_guard *g, const struct weir_mark_ops **mark,
		       const void **params);

/* The inner params of guarded ones; other params are returned unchanged. */
const void *plugin_guard_inner(const struct plugin_guard *g, const void *params);

/* 1: a plug-in returned an invalid value, which the message names. g NULL: 0. */
int plugin_guard_error(struct plugin_guard *g, struct weir_error *e);
#endif
