/* SPDX-License-Identifier: BSD-3-Clause */
/* switch_results.h -- a real run as results that are like a simulated one's: the same metrics and
 * tables, in the same store. What a switch cannot know, such as flows, is unknown. */
#ifndef TESTBED_SWITCH_RESULTS_H
#define TESTBED_SWITCH_RESULTS_H
#include "sim/run/run.h"
#include "switch/run/loop.h"

enum { PORT_OF_LONGEST_QUEUE = -1 };

/* What the switch has measured so far; queues are those of the port of that number. For
 * run_result_free. */
void real_results(struct loop *l, int measured_port, struct run_result *r);

/* The settings of the run, "world real" among them. For config_free. */
void real_config(const struct switch_settings *s, struct config *c);

/* Adds the run to the store of a folder, in the place of one with the same settings and seed. */
int real_store(struct loop *l, const char *folder, struct weir_error *e);

/* The same of a switch that goes on: by a process of its own, so that the switch waits for no disk.
 * What goes wrong is said there. */
struct real_keeping {
	int process; /* that writes; 0: none does */
};
void real_store_aside(struct loop *l, const char *folder, struct real_keeping *k);
void real_store_wait(struct real_keeping *k);
#endif
