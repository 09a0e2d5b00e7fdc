/* SPDX-License-Identifier: BSD-3-Clause */
/* key.h -- the name of a run: 16 hexadecimal digits over its settings, its seed, the contents of
 * the files that they name, the program's version and the sources that decide its results. Settings count under the names that
 * they had before any rename. */
#ifndef LAB_SCENARIO_KEY_H
#define LAB_SCENARIO_KEY_H
#include "config/config.h"

enum { RUN_KEY_SIZE = 17 };
int run_key(const struct config *c, char key[RUN_KEY_SIZE], struct weir_error *e);
#endif
