/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_import.h -- what patterns share whose flows are in the file of another simulator, as it
 * is: traffic_hpcc.c and traffic_htsim.c. */
#ifndef SIM_TRAFFIC_TRAFFIC_IMPORT_H
#define SIM_TRAFFIC_TRAFFIC_IMPORT_H
#include "base/input.h"
#include "sim/traffic/traffic_make.h"

struct import_params {
	char file[WEIR_OPT_TEXT_SIZE];
	uint64_t stop_ps; /* htsim */
	uint64_t prio;    /* htsim: enum import_prio */
};

enum import_prio { PRIO_REFUSE, PRIO_IGNORE };

struct import {
	struct maker *m;
	struct line_file in;
};

/* Reads the section's file by the pattern's own reader; its messages get the key in front. */
int import_file(struct import *i, int (*read)(struct import *));

/* A flow of the file, counted from the section's start. */
int import_flow(struct import *i, const struct flow_plan *p);
#endif
