/* SPDX-License-Identifier: BSD-3-Clause */
/* preview.h -- what is known of a run before it starts: the memory and time it will need, and the
 * paths of its flows. For `weir check` and the memory limit of a run. */
#ifndef SIM_MEASURE_PREVIEW_H
#define SIM_MEASURE_PREVIEW_H
#include "sim/core/engine.h"
#include "sim/traffic/job.h"

struct estimate {
	double memory_bytes, packet_hops, cpu_seconds;
};

/* Packet hops per second of one core that estimates assume. Small networks are faster. */
#define ESTIMATE_HOPS_PER_S 1e7

/* Memory of a run, without packets in flight and open connections. */
double estimate_memory(const struct config *c, const struct network *net, uint64_t flows);

/* Of flows with a size, to their end; those without share their hosts' links evenly. */
struct estimate estimate_run(const struct engine *e);

/* What an iteration of a job sends. */
struct job_demand job_estimate_of(const struct engine *e, uint32_t job);

/* --- paths --- */

/* 0 and 0: there is none. */
struct path_range {
	double least, most;
};

struct path_survey {
	struct path_range links_within;  /* of a path between two hosts of a rack ... */
	struct path_range links_between; /* ... and of different racks */
	struct path_range paths;         /* equal-cost paths between racks */
	struct path_range rtt_ps;        /* of a full packet and its ACK, nothing queued */
	double rtt_typical_ps;           /* median over the flows */
};

/* Surveys the paths of all flows, or of an evenly spaced sample if they are many; without flows
 * those between ranks of jobs. */
struct path_survey path_survey_flows(const struct engine *e);
#endif
