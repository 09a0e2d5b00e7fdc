/* SPDX-License-Identifier: BSD-3-Clause */
/* health.h -- can the numbers of some runs be taken at their word?
 *
 * A completion time is of flows that ended. Where others did not, or where pauses wait for each
 * other for ever, whoever shows a number says so beside it. */
#ifndef LAB_STORE_HEALTH_H
#define LAB_STORE_HEALTH_H
#include "lab/store/store.h"

struct health {
	uint32_t runs;
	uint32_t incomplete, deadlocked; /* runs with unfinished flows; runs with a PFC deadlock */
	uint32_t held_up;                /* real-time runs that the machine disturbed */
	double completed, unfinished;    /* numbers of flows, summed over the runs */
	uint32_t starved;                /* runs with starved unlimited flows */
};

void health_add(struct health *h, const struct stored_run *run);

/* Adds the counts of other runs. */
void health_join(struct health *h, const struct health *other);

/* Do unfinished flows or a deadlock affect metrics of this kind? Never METRIC_COST. */
int health_is_doubtful(const struct health *h, enum metric_kind kind);

/* "in 2 of 8 runs 14 of 800 flows did not end; 1 of 8 runs ended in a deadlock; the machine held up
 * 1 of 8 runs"; "": nothing to report. */
struct health_text {
	char text[192];
};

struct health_text health_text(const struct health *h);
#endif
