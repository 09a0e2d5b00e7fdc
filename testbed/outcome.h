/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.h -- what hosts wrote on the board as flows and numbers of a run. */
#ifndef TESTBED_OUTCOME_H
#define TESTBED_OUTCOME_H
#include "sim/measure/result.h"
#include "testbed/plan.h"

/* Adds flows and what follows from them to what the switch has measured. */
void outcome_add(const struct testbed_plan *p, const struct config *c, const struct bed_board *b,
		 struct run_result *r);
#endif
