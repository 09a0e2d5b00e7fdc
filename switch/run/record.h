/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h -- the probes of a switch's settings, kept while it runs. */
#ifndef SWITCH_RUN_RECORD_H
#define SWITCH_RUN_RECORD_H
#include "switch/run/watch.h"

enum { RECORD_POINTS_MAX = 4 << 20 }; /* of a probe; later ones are not kept */

struct record {
	struct watch probe;
	uint64_t count;
	int64_t *time_ps;
	double *value;
};

struct records {
	uint32_t count;
	struct record *all;
};

/* Begins those of the settings, which were read before, at time 0. */
void records_open(struct records *r, const struct switch_settings *s);
void records_close(struct records *r);

/* Takes what is due of these ports, bit each, which are the plane's. */
void records_take(struct records *r, struct plane *plane, uint64_t ports, int64_t now_ps);

/* When the next is due; WEIR_TIME_NEVER_PS: none ever is. */
int64_t records_next_ps(const struct records *r, uint64_t ports);
#endif
