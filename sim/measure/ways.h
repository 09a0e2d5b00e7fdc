/* SPDX-License-Identifier: BSD-3-Clause */
/* ways.h -- the ways that flows of a scenario take, before it runs: how long, how many to choose
 * from, how far in time. Of some of the flows, each as good as any other, where there are many. */
#ifndef SIM_MEASURE_WAYS_H
#define SIM_MEASURE_WAYS_H
#include "sim/core/engine.h"

/* Least and most; 0 and 0: there is none. */
struct path_range {
	double least, most;
};

struct path_survey {
	struct path_range links_within;  /* of a way between two hosts of a rack ... */
	struct path_range links_between; /* ... and of different ones */
	struct path_range paths;         /* equally short ones between racks */
	struct path_range rtt_ps;        /* a full packet and its ACK in an empty network */
	double rtt_typical_ps;           /* half of the flows have it or less */
};

struct path_survey path_survey_flows(const struct engine *e);
#endif
