/* numbers.h -- what a switch counts, as Prometheus reads it. */
#ifndef SWITCH_RUN_NUMBERS_H
#define SWITCH_RUN_NUMBERS_H
#include "switch/run/loop.h"
#include <stdio.h>

/* Of a struct loop; for scrape_serve. */
void numbers_text(FILE *f, void *context);
#endif
