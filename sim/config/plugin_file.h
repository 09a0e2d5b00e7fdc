/* plugin_file.h -- is a file whole enough to be loaded as a shared object? For plugin.c.
 *
 * The system's loader believes what an object says of itself: parts that lie behind the end of the file
 * are mapped all the same, and whoever touches them is killed. */
#ifndef SIM_CONFIG_PLUGIN_FILE_H
#define SIM_CONFIG_PLUGIN_FILE_H
#include "weir/error.h"

/* -1: parts of the object are missing, or it is no file at all; message. 0: they are there, or the loader
 * knows better than we what is wrong. Reads only the headers. */
int plugin_file_check(const char *path, struct weir_error *e);
#endif
