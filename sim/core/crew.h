/* SPDX-License-Identifier: BSD-3-Clause */
/* crew.h -- the threads of a run besides the caller's. They are started once and rest between two
 * legs: first awake, for a stop that only takes a sample, then asleep, for a caller that thinks. */
#ifndef SIM_CORE_CREW_H
#define SIM_CORE_CREW_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

struct crew;

/* What all of them do in a leg: thread i calls work with the argument at first + i * size. */
struct crew_task {
	void (*work)(void *argument);
	void *first;
	size_t size;
};

/* Starts so many threads, which rest. -1: the system has none to give; the message says so and *out
 * is NULL. */
int crew_new(struct crew **out, uint32_t count, const struct crew_task *task,
	     struct weir_error *error);

/* Waits until all have returned from their work. NULL is fine. */
void crew_free(struct crew *c);

/* All go to work, once each. That all of them come to the end of it together is the work's own
 * business. */
void crew_begin(struct crew *c);

/* Between two looks of a loop that waits for another thread, which may be waiting for this one's
 * processor. *spins counts them, from 0. */
void crew_spin(uint32_t *spins);
#endif
