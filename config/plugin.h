/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h -- schemes from shared objects: which may be loaded, loading them, and a guard that
 * looks at their answers during a run.
 *
 * A name with a slash is the path of a shared object (weir/plugin.h says what is in it), any other
 * one is looked up in the library's registries. An object is loaded only where the user allows it
 * (below), and what it declares is checked before anything of it is called. Loaded
 * objects stay loaded, so that what points into them stays true; loading one again gives the
 * same. */
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

/* The ops struct of that kind, which begins with its head; NULL: the object holds none. */
const void *plugin_ops(const struct weir_plugin *p, enum plugin_kind kind);

/* Does the spec name a shared object? */
int is_plugin(const char *spec);

/* The object at that path, with everything it declares checked. NULL with a message. */
const struct weir_plugin *plugin_load(const char *path, struct weir_error *e);

/* The ops struct of that kind in the object that the spec names. NULL with a message. */
const void *plugin_find(const char *spec, enum plugin_kind kind, struct weir_error *e);

/* "mine.so" would be searched among the built-in ones: -1 with a message. */
int plugin_has_path(const char *spec, struct weir_error *e);

/* --- permission ---
 *
 * A plug-in is native code with the user's rights, and a scenario file may come from a stranger. So
 * an object is loaded only where the user has said so: it lies in the folder tree of a file that
 * the user named, the user named the object itself, or everything is allowed (--allow-plugins).
 * Symbolic links and ".." are resolved before that is decided, and what was resolved is what is
 * loaded.
 *
 * One list for the process, as there is one of loaded objects; any thread may call these. */

void plugin_permit_all(void);

/* Everything in the folder of that file and below it. A file that does not exist permits
 * nothing. */
void plugin_permit_tree_of(const char *file);

/* Everything in that folder and below it. */
void plugin_permit_folder(const char *folder);

/* The files that a text names: "./mine.so" of "fifo(marking=./mine.so(k=3))". */
void plugin_permit_named(const char *text);

/* From now on objects are looked at and never loaded, whatever is permitted: plugin_load fails for
 * each that could be loaded, and they are counted. */
void plugin_permit_inspect_only(void);
uint64_t plugin_inspections(void); /* how often */

/* The path to load, resolved, in `real`; -1: not permitted, or there is no such file; message. */
enum { PLUGIN_PATH_SIZE = 4096 };
int plugin_permit_check(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e);

/* Of the i-th object that was only looked at, as it was named; NULL: there are no more. */
const char *plugin_inspected_path(uint32_t i);

/* --- the guard ---
 *
 * It stands between a port and a scheme of a shared object, and looks at every answer. A verdict
 * that is none, or a queue that has nothing to send, is not obeyed: the port gets an answer that is
 * safe, the guard remembers what happened, and the run ends with its lookahead window. Ports of
 * built-in schemes know nothing of this. */

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
int plugin_guard_error(struct plugin_guard *g, struct weir_error *e);
#endif
