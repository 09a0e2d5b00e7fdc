/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h -- a rehearsal, between its files: working in sim.c, what came of it in sim_report.c. */
#ifndef KEEPER_DRIVERS_SIM_H
#define KEEPER_DRIVERS_SIM_H
#include "keeper/core/plan.h"
#include "weir/sim.h"
#include <stdio.h>

struct rehearsal_params {
	char file[WEIR_OPT_TEXT_SIZE];
	uint64_t min_bytes, max_bytes, p_q32; /* what every profile begins with */
	uint64_t rate_bps, for_ns, from_ns, sample_ns;
};

enum rehearsal_watched {
	REHEARSAL_SENT,
	REHEARSAL_MARKS,
	REHEARSAL_DROPS,
	REHEARSAL_QUEUE,
	REHEARSAL_WATCHED,
};

struct rehearsal_port {
	uint32_t profile;
	const char *name; /* the plan's */
	uint32_t watches[REHEARSAL_WATCHED];
	uint64_t queue_bytes, watermark_bytes; /* by the last sample; the most since it was asked */
	/* From params.from_ns on: every sample, and what was counted before. */
	uint64_t sample_count;
	uint32_t *samples;
	uint64_t before[REHEARSAL_WATCHED];
	int has_begun;
};

struct rehearsal {
	const struct rehearsal_params *params;
	const struct keeper_plan *plan;
	struct weir_sim *sim;
	int64_t now_ns;
	int is_broken;
	struct keeper_setting *has;
	uint32_t port_count;
	struct rehearsal_port *ports;
};

uint64_t rehearsal_look(struct rehearsal *r, const struct rehearsal_port *p,
			enum rehearsal_watched what);

/* Looks at every queue. */
void rehearsal_sample(struct rehearsal *r);

/* See keeper_driver_ops. */
void rehearsal_report(void *driver, FILE *f);
#endif
