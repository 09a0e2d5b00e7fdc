/* SPDX-License-Identifier: BSD-3-Clause */
/* helpers.c -- see helpers.h. */
#define _GNU_SOURCE
#include "switch/run/helpers.h"
#include "weir/units.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { NICE_MOST_URGENT = -20 };

#define IDLE_LONGEST_NS ((int64_t)WEIR_NS_PER_S / 4)

/* Wishes: without them the switch is late more often, and counts that. Each is of the calling
 * thread alone. */
void helpers_hurry(const struct switch_settings *s)
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
static void work(struct loop_thread *m)
{
	struct loop_polled polled;
	int rests;

	do {
		rests = atomic_load(&m->helpers->rests);
		polled.count = 0;
		loop_wait(m->group, &polled, rests ? 0 : loop_idle_ns(m->group, IDLE_LONGEST_NS));
		loop_turn(m->group);
	} while (!rests);
}

static void *thread_main(void *context)
{
	struct loop_thread *m = context;

	helpers_hurry(m->group->loop->settings);
	for (;;) {
		wait_for(&m->go);
		if (atomic_load(&m->helpers->ends))
			return NULL;
		work(m);
		sem_post(&m->helpers->resting);
	}
}

int helpers_open(struct helpers *h, struct loop *l, struct weir_error *e)
{
	memset(h, 0, sizeof(*h));
	sem_init(&h->resting, 0, 0);
	for (uint32_t i = 1; i < l->group_count; i++) {
		struct loop_thread *m = &h->members[h->count];
		int failed;

		m->helpers = h;
		m->group = &l->groups[i];
		sem_init(&m->go, 0, 0);
		failed = pthread_create(&m->thread, NULL, thread_main, m);
		if (failed) {
			sem_destroy(&m->go);
			helpers_close(h);
			return weir_error_set(e, "real.threads: no thread can be made: %s",
					      strerror(failed));
		}
		h->count++;
	}
	return 0;
}

void helpers_close(struct helpers *h)
{
	atomic_store(&h->ends, 1);
	for (uint32_t i = 0; i < h->count; i++)
		sem_post(&h->members[i].go);
	for (uint32_t i = 0; i < h->count; i++) {
		pthread_join(h->members[i].thread, NULL);
		sem_destroy(&h->members[i].go);
	}
	sem_destroy(&h->resting);
	h->count = 0;
}

void helpers_go(struct helpers *h)
{
	atomic_store(&h->rests, 0);
	for (uint32_t i = 0; i < h->count; i++)
		sem_post(&h->members[i].go);
}

void helpers_rest(struct helpers *h)
{
	atomic_store(&h->rests, 1);
	for (uint32_t i = 0; i < h->count; i++)
		loop_wake(h->members[i].group);
	for (uint32_t i = 0; i < h->count; i++)
		wait_for(&h->resting);
}
