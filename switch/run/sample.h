/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h -- what of a port can be watched while a switch runs, under the names of probes in
 * scenarios. */
#ifndef SWITCH_RUN_SAMPLE_H
#define SWITCH_RUN_SAMPLE_H
#include "switch/plane/plane.h"

/* "queue", "queue-bytes", "throughput", "marks" or "drops"; -1 with a message. */
int sample_find(const char *name, uint32_t *what, struct weir_error *e);
const char *sample_name(uint32_t what);
const char *sample_unit(uint32_t what);

/* What is counted so far; of a length, the length. */
uint64_t sample_count(const struct plane_port *p, uint32_t what);

/* A length now; of what is counted, how much more than before, which becomes what it is now: bits
 * per second over the time, or packets. */
double sample_value(const struct plane_port *p, uint32_t what, uint64_t *before, int64_t time_ps);

/* Of one of the port's queues, a length. */
int sample_is_length(uint32_t what);
double sample_queue(const struct plane_port *p, uint32_t what, uint32_t queue);
#endif
