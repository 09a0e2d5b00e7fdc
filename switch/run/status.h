/* SPDX-License-Identifier: BSD-3-Clause */
/* status.h -- what a switch that runs can be asked, as one line of JSON. */
#ifndef SWITCH_RUN_STATUS_H
#define SWITCH_RUN_STATUS_H
#include "switch/run/loop.h"
#include <stdio.h>

/* Everything that is counted, and queues since they are measured. */
void status_json(FILE *f, struct loop *l);
#endif
