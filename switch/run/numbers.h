/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h -- what a switch counts, as Prometheus reads it. */
#ifndef SWITCH_RUN_NUMBERS_H
#define SWITCH_RUN_NUMBERS_H
#include "switch/run/loop.h"
#include <stdio.h>

/* Of a struct loop; a responder_page. */
int numbers_page(void *context, const char *path, FILE *f, const char **type);
#endif
