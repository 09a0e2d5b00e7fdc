/* SPDX-License-Identifier: BSD-3-Clause */
/* change.h -- settings of a switch that change while it runs. */
#ifndef SWITCH_RUN_CHANGE_H
#define SWITCH_RUN_CHANGE_H
#include "switch/run/loop.h"

/* "port.NAME.KEY=VALUE": marking (of the same scheme), rate or delay. */
int change_apply(struct loop *l, const char *assignment, struct weir_error *e);
#endif
