/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_check.h -- may a shared object be loaded (plugin_file.c), and is what it declares fit to
 * be used (plugin_check.c)? For plugin.c.
 *
 * The system's loader believes what an object says of itself: parts that lie behind the end of the
 * file are mapped all the same, and a process that touches them is killed. */
#ifndef CONFIG_PLUGIN_CHECK_H
#define CONFIG_PLUGIN_CHECK_H
#include "weir/plugin.h"
#include <stddef.h>
#include <stdint.h>

/* -1: parts of the object are missing, or it is no file at all; message. 0: they are there, or the
 * loader knows better than we what is wrong. Reads only the headers. */
int plugin_file_check(const char *path, struct weir_error *e);

/* The first words of an object of data that a shared object exports, as they are in the file. */
struct plugin_door {
	int is_there;
	size_t size; /* of the object */
	uint64_t abi;
};

/* Reads what the object exports by that name, without loading it. -1: it is no shared object whose
 * table of symbols can be read; message. */
int plugin_file_door(const char *path, const char *name, struct plugin_door *door,
		     struct weir_error *e);

/* The first mistake as a message, -1; or 0. Calls nothing of the object but its checks of
 * options. */
int plugin_check(const struct weir_plugin *p, struct weir_error *e);
#endif
