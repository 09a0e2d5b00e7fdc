/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.h -- flows that cannot end, because failed links have left no path for them. */
#ifndef SIM_MEASURE_PARTITION_H
#define SIM_MEASURE_PARTITION_H
#include "sim/core/engine.h"

/* Flows that had not ended when the run did, and for which failed links have left no path. */
struct partition {
	uint32_t flows;    /* 0: none */
	uint32_t src, dst; /* hosts of one that was cut off first */
	int64_t since_ps;  /* when its last path was lost */
};

/* At the end of a run, with every thread at rest: links do not come back, so it stays that way. */
void partition_find(const struct engine *e, int64_t now_ps, struct partition *p);
#endif
