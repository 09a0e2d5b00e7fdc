/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h -- schemes from shared objects, beside the built-in ones.
 *
 * A name with a slash is the path of a shared object (weir/plugin.h says what is in it), any other
 * one is looked up in the library's registries. An object is loaded only where the user allows it
 * (config/plugin_permit.h), and what it declares is checked before anything of it is called. Loaded
 * objects stay loaded, so that what points into them stays true; loading one again gives the
 * same. */
#ifndef CONFIG_PLUGIN_H
#define CONFIG_PLUGIN_H
#include "base/registry.h"
#include "weir/plugin.h"

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

/* As weir_registry_parse, for plug-ins of that kind too; a scheme that has a network gets its model
 * (config/model.h). */
const void *any_parse(const struct registry *builtin, enum plugin_kind kind, const char *spec,
		      void *params, struct weir_error *e);

/* As weir_mark_parse, weir_sched_parse and weir_cc_parse, for plug-ins too. */
int any_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		   struct weir_error *e);
int any_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		    void *params, struct weir_error *e);
int any_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		 struct weir_error *e);
#endif
