/* partition.h -- flows that cannot end, because failed links have left no path for them. */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H
#include "sim/engine.h"
#include "sim/run.h"

/* At the end of a run, with every thread at rest: links do not come back, so it stays that way. */
void partition_find(const struct engine *e, int64_t now_ps, struct partition *p);
#endif
