/* deadlock.h -- do paused links wait for each other in a circle?
 *
 * A link whose class is paused goes on when packets that came over it have left the next switch. Where all
 * of those wait for links that are paused too, and so on in a circle, none ever goes on: a deadlock of
 * priority flow control (Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid
 * Them", HotNets 2016). It lasts as long as the run, so whoever looks at any time finds it. */
#ifndef SIM_DEADLOCK_H
#define SIM_DEADLOCK_H
#include "sim/engine.h"
#include "sim/run.h"

/* With every thread at rest. Exact: what is found cannot come undone. */
void deadlock_find(const struct engine *e, struct deadlock *d);
#endif
