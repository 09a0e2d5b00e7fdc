/* plugin.h -- schemes from shared objects, beside the built-in ones.
 *
 * A name with a slash is the path of a shared object (weir/plugin.h says what is in it), any other one
 * is looked up in the library's registries. What an object declares is checked before anything of it
 * is called. Loaded objects stay loaded, so that what points into them stays true; loading one again
 * gives the same. */
#ifndef SIM_CONFIG_PLUGIN_H
#define SIM_CONFIG_PLUGIN_H
#include "weir/plugin.h"

/* Does the spec name a shared object? */
int is_plugin(const char *spec);

/* The object at that path, with everything it declares checked. NULL with a message. */
const struct weir_plugin *plugin_load(const char *path, struct weir_error *e);

/* As weir_mark_parse, weir_sched_parse and weir_cc_parse, for plug-ins too. */
int any_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		   struct weir_error *e);
int any_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		    void *params, struct weir_error *e);
int any_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		 struct weir_error *e);
#endif
