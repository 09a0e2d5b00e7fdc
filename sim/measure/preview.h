/* SPDX-License-Identifier: BSD-3-Clause */
/* preview.h -- what a run will need, before it begins: memory, and packets sent over links. */
#ifndef SIM_MEASURE_PREVIEW_H
#define SIM_MEASURE_PREVIEW_H
#include "sim/core/engine.h"

/* What the run would need. */
struct estimate {
	double memory_bytes, packet_hops, cpu_seconds;
};

/* Packet hops that are taken for granted in a second of one core. Small networks are faster. */
#define ESTIMATE_HOPS_PER_S 1e7

/* Memory of all that is there while a run goes on, but for packets and connections under way. */
double estimate_memory(const struct config *c, const struct network *net, uint64_t flows);

/* Flows of known size to their end; those without end as if they shared their hosts' links
 * evenly. */
struct estimate estimate_run(const struct engine *e);
#endif
