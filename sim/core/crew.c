/* SPDX-License-Identifier: BSD-3-Clause */
/* crew.c -- see crew.h. */
#include "sim/core/crew.h"
#include "base/memory.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* Looks before giving way to others: a few microseconds. Before going to sleep: a millisecond or
 * so. */
enum { SPINS_BEFORE_YIELD = 100, SPINS_BEFORE_SLEEP = 200 * SPINS_BEFORE_YIELD };

struct crew {
	atomic_uint leg; /* counts calls of crew_begin, and crew_free's */
	pthread_mutex_t lock;
	pthread_cond_t begun;
	int is_over;
	uint32_t room, count; /* members asked for, and there */
	struct crew_task task;
	struct member {
		struct crew *crew;
		pthread_t thread;
		uint32_t index;
	} members[];
};

/* Tells the processor that it waits in a loop, where it has a word for that. */
static inline void pause_once(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

void crew_spin(uint32_t *spins)
{
	pause_once();
	if (++*spins % SPINS_BEFORE_YIELD == 0)
		sched_yield();
}

/* Returns when leg is another one than the thread knows, with that. */
static unsigned await_leg(struct crew *c, unsigned known)
{
	for (uint32_t spins = 0; spins < SPINS_BEFORE_SLEEP; crew_spin(&spins))
		if (atomic_load_explicit(&c->leg, memory_order_acquire) != known)
			return known + 1;
	pthread_mutex_lock(&c->lock);
	while (atomic_load_explicit(&c->leg, memory_order_acquire) == known)
		pthread_cond_wait(&c->begun, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return known + 1;
}

static void *serve(void *argument)
{
	struct member *m = argument;
	struct crew *c = m->crew;

	for (unsigned leg = await_leg(c, 0); !c->is_over; leg = await_leg(c, leg))
		c->task.work((char *)c->task.first + m->index * c->task.size);
	return NULL;
}

void crew_begin(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	atomic_fetch_add_explicit(&c->leg, 1, memory_order_release);
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->lock);
}

static size_t crew_bytes(uint32_t count)
{
	return sizeof(struct crew) + count * sizeof(struct member);
}

int crew_new(struct crew **out, uint32_t count, const struct crew_task *task,
	     struct weir_error *error)
{
	struct crew *c = memory_new(1, crew_bytes(count));
	int refused = 0;

	c->room = count;
	c->task = *task;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->begun, NULL);
	while (c->count < count && !refused) {
		struct member *m = &c->members[c->count];

		*m = (struct member){ .crew = c, .index = c->count };
		refused = pthread_create(&m->thread, NULL, serve, m);
		if (!refused)
			c->count++;
	}
	*out = c;
	if (!refused)
		return 0;
	weir_error_set(error,
		       "the system gives %u of %u threads (%s); ask for fewer with --threads",
		       c->count + 1, count + 1, strerror(refused));
	crew_free(c);
	*out = NULL;
	return -1;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	c->is_over = 1;
	crew_begin(c);
	for (uint32_t i = 0; i < c->count; i++)
		pthread_join(c->members[i].thread, NULL);
	pthread_cond_destroy(&c->begun);
	pthread_mutex_destroy(&c->lock);
	memory_free(c, 1, crew_bytes(c->room));
}
