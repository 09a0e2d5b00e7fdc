/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_permit.h -- which shared objects this process may load as plug-ins.
 *
 * A plug-in is native code with the user's rights, and a scenario file may come from a stranger. So
 * an object is loaded only where the user has said so: it lies in the folder tree of a file that
 * the user named, the user named the object itself, or everything is allowed (--allow-plugins).
 * Symbolic links and ".." are resolved before that is decided, and what was resolved is what is
 * loaded.
 *
 * One list for the process, as there is one of loaded objects; any thread may call these. */
#ifndef CONFIG_PLUGIN_PERMIT_H
#define CONFIG_PLUGIN_PERMIT_H
#include "weir/error.h"
#include <stdint.h>

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
void plugin_permit_looks_only(void);
uint64_t plugin_looks(void); /* how often */

/* The path to load, resolved, in `real`; -1: not permitted, or there is no such file; message. */
enum { PLUGIN_PATH_SIZE = 4096 };
int plugin_permit_check(const char *path, char real[PLUGIN_PATH_SIZE], struct weir_error *e);

/* Are only looks allowed? Then an object that is fit to be loaded is counted instead. */
int plugin_permit_is_look(void);
void plugin_permit_count_look(const char *path);

/* Of the i-th object that was only looked at, as it was named; NULL: there are no more. */
const char *plugin_looked_at_path(uint32_t i);
#endif
