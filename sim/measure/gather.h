/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h -- what other ranks have measured comes to rank 0, which then knows what one process
 * would have known (sim/parallel/ranks.h). */
#ifndef SIM_MEASURE_GATHER_H
#define SIM_MEASURE_GATHER_H
#include "sim/measure/measure.h"

/* Measuring has ended; all ranks call. Nothing to do where there is one process. */
void gather_results(struct measure *m);
void gather_free(struct measure *m);
#endif
