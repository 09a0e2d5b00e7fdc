/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_file.h -- is a file whole enough to be loaded as a shared object? For plugin.c.
 *
 * The system's loader believes what an object says of itself: parts that lie behind the end of the
 * file are mapped all the same, and whoever touches them is killed. */
#ifndef CONFIG_PLUGIN_FILE_H
#define CONFIG_PLUGIN_FILE_H
#include "weir/error.h"
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
#endif
