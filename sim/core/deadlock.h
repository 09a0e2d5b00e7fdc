/* SPDX-License-Identifier: BSD-3-Clause */
/* deadlock.h -- detects deadlocks of priority flow control: cyclic buffer dependencies.
 *
 * A link whose class is paused resumes when packets that came over it have left the next switch.
 * Where all of those wait for links that are paused too, and these dependencies form a cycle, none
 * of the links ever resumes (Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and
 * How to Avoid Them", HotNets 2016). There is no PFC watchdog that would break a deadlock by
 * dropping packets: it lasts until the end of the run, so one search at the end finds all. */
#ifndef SIM_CORE_DEADLOCK_H
#define SIM_CORE_DEADLOCK_H
#include "sim/core/engine.h"

/* Cycles of paused links, at the end of the run. */
struct deadlock {
	uint32_t cycles;   /* 0: none */
	uint32_t class_id; /* of the first cycle */
	int64_t since_ps;  /* when the last link of the first cycle was paused */
	char text[480];    /* its links: "a->b, b->c, c->a" */
};

/* Fills in *d; at the end of a run, on the caller's thread, at all ranks. No false positives: a
 * cycle that is found cannot resolve. O(links + queued packets) for each pass over suspects. */
void deadlock_find(const struct engine *e, struct deadlock *d);
#endif
