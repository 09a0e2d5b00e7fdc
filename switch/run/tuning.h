/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning.h -- switch.tune on a real switch: the agent or tuner of scenarios turns the knobs of its
 * marking.
 *
 * Every egress queue has a meter around its marking scheme (lib/tune/meter.h). When an interval is
 * over the meters are read and the agent is called, with its queues in the order (port, queue);
 * what it asks for is in force at once. A setting that is none is not obeyed but counted. */
#ifndef SWITCH_RUN_TUNING_H
#define SWITCH_RUN_TUNING_H
#include "switch/run/settings.h"

struct tuning;

/* NULL: switch.tune asks for none. Before the plane is made, whose ports' plans go through
 * tuning_plan. */
struct tuning *tuning_new(const struct switch_settings *s);
void tuning_plan(struct tuning *t, uint32_t port, struct weir_port_plan *plan);
void tuning_free(struct tuning *t);

/* The plane is made: the agent says what the first interval begins with. Does nothing where t is
 * NULL, as all of the following. */
int tuning_begin(struct tuning *t, struct plane *plane, struct weir_error *e);

/* Everything up to now_ps is done: ends the interval if it is over. */
void tuning_work(struct tuning *t, int64_t now_ps);

/* When the interval is over; WEIR_TIME_NEVER_PS: there are none. */
int64_t tuning_next_ps(const struct tuning *t);

/* The knobs of a queue in force; 0: nobody turns them. */
int tuning_knobs(const struct tuning *t, uint32_t port, uint32_t queue, struct weir_tune_knobs *k);
uint64_t tuning_refused(const struct tuning *t);
#endif
