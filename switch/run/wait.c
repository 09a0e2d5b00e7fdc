/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c -- how a thread of a switch sleeps, and who wakes it. See loop.h.
 *
 * It sleeps in ppoll with a timer slack of one nanosecond (helpers.h), which at 100 Mb/s is as good
 * as never to sleep at all, and takes a small part of a core. It never spins: a real-time thread
 * that did would have the machine for itself. */
#define _GNU_SOURCE
#include "switch/run/loop.h"
#include "weir/units.h"
#include <unistd.h>

/* Between two turns at least, where the kernel takes no more frames for now. */
#define IDLE_SHORTEST_NS ((int64_t)5 * WEIR_NS_PER_US)

static int64_t next_ps(const struct loop_group *g)
{
	int64_t plane_ps = plane_next_ps(g->plane),
		record_ps = records_next_ps(&g->loop->records, g->ports),
		tuning_ps = tuning_next_ps(g->loop->tuning);
	int64_t first_ps = plane_ps < record_ps ? plane_ps : record_ps;

	return tuning_ps < first_ps ? tuning_ps : first_ps;
}

int64_t loop_idle_ns(const struct loop_group *g, int64_t longest_ns)
{
	int64_t at_ps = next_ps(g), wait_ns = longest_ns;

	if (at_ps != WEIR_TIME_NEVER_PS)
		wait_ns = (at_ps - loop_now_ps(g->loop) + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS;
	if (wait_ns < 0)
		wait_ns = 0;
	if (g->is_full && wait_ns < IDLE_SHORTEST_NS)
		wait_ns = IDLE_SHORTEST_NS;
	return wait_ns < longest_ns ? wait_ns : longest_ns;
}

/* Has another thread given something? */
static int is_given(const struct loop_group *g)
{
	for (uint32_t i = 0; i < g->loop->group_count; i++)
		if (g->from[i] && handover_first(g->from[i]))
			return 1;
	return 0;
}

/* A wire whose link went down says so until somebody looks. */
static void tend_wire(struct loop *l, uint32_t port, short events)
{
	if (events & (POLLERR | POLLHUP | POLLNVAL))
		l->is_up[port] = l->settings->backend->mend(l->wires[port]);
}

static void add_wires(const struct loop_group *g, struct loop_polled *p)
{
	const struct loop *l = g->loop;

	for (uint64_t left = g->ports; left; left &= left - 1) {
		int i = __builtin_ctzll(left);

		p->all[p->count++] = (struct pollfd){
			.fd = l->wires[i] ? l->settings->backend->descriptor(l->wires[i]) : -1,
			.events = POLLIN,
		};
	}
	p->all[p->count++] = (struct pollfd){ .fd = g->wake_fd, .events = POLLIN };
}

/* Those who hand over look at sleeps after they have put something in, and this thread looks at
 * what was put in after it has written sleeps: one of the two sees the other. */
static int sleep_for(struct loop_group *g, struct loop_polled *p, int64_t ns)
{
	struct timespec t;
	int ready;

	atomic_store(&g->sleeps, 1);
	if (is_given(g))
		ns = 0;
	t = (struct timespec){ ns / WEIR_NS_PER_S, ns % WEIR_NS_PER_S };
	ready = ppoll(p->all, p->count, &t, NULL);
	atomic_store(&g->sleeps, 0);
	return ready;
}

void loop_wait(struct loop_group *g, struct loop_polled *p, int64_t ns)
{
	uint32_t at = p->count;
	uint64_t times;

	add_wires(g, p);
	if (sleep_for(g, p, ns) < 0) {
		for (uint32_t i = 0; i < p->count; i++)
			p->all[i].revents = 0;
		return;
	}
	for (uint64_t left = g->ports; left; left &= left - 1)
		tend_wire(g->loop, (uint32_t)__builtin_ctzll(left), p->all[at++].revents);
	if (p->all[at].revents && read(g->wake_fd, &times, sizeof(times)) < 0)
		return; /* nobody woke it after all */
}

void loop_wake(struct loop_group *g)
{
	const uint64_t once = 1;

	/* It cannot be full before 2^64 - 1, and wakes then, too. */
	if (write(g->wake_fd, &once, sizeof(once)) < 0)
		return;
}
