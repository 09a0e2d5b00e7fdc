/* SPDX-License-Identifier: BSD-3-Clause */
/* awake.h -- keeps processors from falling asleep.
 *
 * A processor without work sleeps, and that of a virtual machine wakes up late: by more than a
 * packet of 100 Mb/s takes, which is enough to change what a scheme does that remembers
 * (docs/manual/09b-testbed.md). So each has a thread that does nothing, of the lowest priority that
 * there is: whoever has work goes first, at once. */
#ifndef TESTBED_AWAKE_H
#define TESTBED_AWAKE_H
#include <pthread.h>
#include <stdint.h>

enum { AWAKE_MAX = 64 }; /* processors; those beyond may sleep */

struct awake {
	pthread_t threads[AWAKE_MAX];
	uint32_t count;
};

/* One for each processor that this process may use; none where that priority is not to be had. */
void awake_start(struct awake *a);
void awake_end(struct awake *a);
#endif
