/* crew.c -- see crew.h. */
#define _GNU_SOURCE
#include "switch/run/crew.h"
#include "weir/units.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { NICE_MOST_URGENT = -20 };

#define IDLE_LONGEST_NS ((int64_t)WEIR_NS_PER_S / 4)

/* Wishes: without them the switch is late more often, and counts that. Each is of the calling thread alone. */
void crew_hurry(const struct switch_settings *s)
{
	const struct sched_param first = { .sched_priority = 1 };

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (s->real.urgent == URGENT_REALTIME)
		sched_setscheduler(0, SCHED_FIFO, &first);
	if (s->real.urgent != URGENT_NO)
		setpriority(PRIO_PROCESS, 0, NICE_MOST_URGENT);
}

static void wait_for(sem_t *s)
{
	while (sem_wait(s) && errno == EINTR)
		;
}

/* Until it is to rest; the last turn is after that was said, so that all is done up to then. */
static void work(struct crew_member *m)
{
	struct loop_polled polled;
	int rests;

	do {
		rests = atomic_load(&m->crew->rests);
		polled.count = 0;
		loop_wait(m->group, &polled, rests ? 0 : loop_idle_ns(m->group, IDLE_LONGEST_NS));
		loop_turn(m->group);
	} while (!rests);
}

static void *member_main(void *context)
{
	struct crew_member *m = context;

	crew_hurry(m->group->loop->settings);
	for (;;) {
		wait_for(&m->go);
		if (atomic_load(&m->crew->ends))
			return NULL;
		work(m);
		sem_post(&m->crew->resting);
	}
}

int crew_open(struct crew *c, struct loop *l, struct weir_error *e)
{
	memset(c, 0, sizeof(*c));
	sem_init(&c->resting, 0, 0);
	for (uint32_t i = 1; i < l->group_count; i++) {
		struct crew_member *m = &c->members[c->count];
		int failed;

		m->crew = c;
		m->group = &l->groups[i];
		sem_init(&m->go, 0, 0);
		failed = pthread_create(&m->thread, NULL, member_main, m);
		if (failed) {
			sem_destroy(&m->go);
			crew_close(c);
			return weir_error_set(e, "real.threads: no thread can be made: %s",
					      strerror(failed));
		}
		c->count++;
	}
	return 0;
}

void crew_close(struct crew *c)
{
	atomic_store(&c->ends, 1);
	for (uint32_t i = 0; i < c->count; i++)
		sem_post(&c->members[i].go);
	for (uint32_t i = 0; i < c->count; i++) {
		pthread_join(c->members[i].thread, NULL);
		sem_destroy(&c->members[i].go);
	}
	sem_destroy(&c->resting);
	c->count = 0;
}

void crew_go(struct crew *c)
{
	atomic_store(&c->rests, 0);
	for (uint32_t i = 0; i < c->count; i++)
		sem_post(&c->members[i].go);
}

void crew_rest(struct crew *c)
{
	atomic_store(&c->rests, 1);
	for (uint32_t i = 0; i < c->count; i++)
		loop_wake(c->members[i].group);
	for (uint32_t i = 0; i < c->count; i++)
		wait_for(&c->resting);
}
