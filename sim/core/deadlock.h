/* SPDX-License-Identifier: BSD-3-Clause */
/* deadlock.h -- do paused links wait for each other in a circle?
 *
 * A link whose class is paused goes on when packets that came over it have left the next switch.
 * Where all of those wait for links that are paused too, and so on in a circle, none ever goes on:
 * a deadlock of priority flow control (Hu et al., "Deadlocks in Datacenter Networks: Why Do They
 * Form, and How to Avoid Them", HotNets 2016). It lasts as long as the run, so whoever looks at any
 * time finds it. */
#ifndef SIM_CORE_DEADLOCK_H
#define SIM_CORE_DEADLOCK_H
#include "sim/core/engine.h"

/* Links that wait for each other's pauses to end, at the end of the run. */
struct deadlock {
	uint32_t cycles;   /* 0: none */
	uint32_t class_id; /* of the first circle */
	int64_t since_ps;  /* when its last link was paused */
	char text[480];    /* its links: "a->b, b->c, c->a" */
};

/* With every thread at rest. Exact: what is found cannot come undone. */
void deadlock_find(const struct engine *e, struct deadlock *d);
#endif
