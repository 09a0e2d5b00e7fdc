/* crew.h -- the threads of a switch besides its owner's, one for each group of ports but the first.
 *
 * They work between crew_go and crew_rest. At all other times nobody works but the owner, who may look at every port,
 * change settings, write results or fork. */
#ifndef SWITCH_RUN_CREW_H
#define SWITCH_RUN_CREW_H
#include "switch/run/loop.h"
#include <pthread.h>
#include <semaphore.h>

struct crew;

struct crew_member {
	struct crew *crew;
	struct loop_group *group;
	pthread_t thread;
	sem_t go;
};

struct crew {
	uint32_t count;
	struct crew_member members[REAL_THREADS_MAX - 1];
	sem_t resting;     /* one for each who does */
	_Atomic int rests; /* 1: they are to */
	_Atomic int ends;
};

/* They rest first. On -1 none is left. */
int crew_open(struct crew *c, struct loop *l, struct weir_error *e);
void crew_close(struct crew *c); /* while they rest */

void crew_go(struct crew *c);
void crew_rest(struct crew *c);

/* The calling thread goes before others of the machine, as real.urgent says. */
void crew_hurry(const struct switch_settings *s);
#endif
