/* crew.h -- the threads of a run besides the caller's. They are started once and rest between two legs:
 * first awake, for a stop that only takes a sample, then asleep, for a caller that thinks. */
#ifndef SIM_ENGINE_CREW_H
#define SIM_ENGINE_CREW_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

struct crew;

/* Starts so many threads. -1: the system has none to give; the message says so and *out is NULL. */
int crew_new(struct crew **out, uint32_t count, struct weir_error *error);
void crew_free(struct crew *c); /* NULL is fine; they rest */

/* Thread i calls work with the argument at first + i * size. */
void crew_begin(struct crew *c, void (*work)(void *argument), void *first, size_t size);

/* Returns when all of them have returned from it. */
void crew_end(struct crew *c);

/* Between two looks of a loop that waits for another thread, which may be waiting for this one's
 * processor. *spins counts them, from 0. */
void crew_spin(uint32_t *spins);
#endif
