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
	uint32_t incomplete, deadlocked; /* runs in which flows did not end, or links are stuck */
	uint32_t held_up;                /* real runs that the machine disturbed */
	double completed, unfinished;    /* flows of all runs */
	uint32_t starved; /* runs in which unlimited flows received next to nothing */
};

void health_add(struct health *h, const struct stored_run *run);

/* Other runs, counted elsewhere. */
void health_join(struct health *h, const struct health *other);

/* Is a number of this kind not to be trusted? What a run cost always is. */
int health_is_doubtful(const struct health *h, enum metric_kind kind);

/* "in 2 of 8 runs 14 of 800 flows did not end; 1 of 8 runs ended in a deadlock; the machine held up
 * 1 of 8 runs"; "": all is well. */
struct health_text {
	char text[192];
};

struct health_text health_text(const struct health *h);
#endif
