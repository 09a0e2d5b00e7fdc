/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.c -- worker threads, signals and the main loop of a switch. Contract in serve.h. */
#define _GNU_SOURCE
#include "switch/run/serve.h"
#include "weir/units.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { NICE_MOST_URGENT = -20 };

#define IDLE_LONGEST_NS ((int64_t)WEIR_NS_PER_S / 4)

/* Best effort: without these privileges the switch is late more often, which is counted. They apply
 * to the calling thread only. */
void workers_set_priority(const struct switch_settings *s)
{
	const struct sched_param first = { .sched_priority = 1 };

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (s->real.urgent == URGENT_REALTIME)
		sched_setscheduler(0, SCHED_FIFO, &first);
	if (s->real.urgent != URGENT_NO)
		setpriority(PRIO_PROCESS, 0, NICE_MOST_URGENT);
}

static void worker_wait(sem_t *s)
{
	while (sem_wait(s) && errno == EINTR)
		;
}

/* Runs until the owner requests a pause; one more turn follows the request, so that everything due
 * by then is done. */
static void worker_run(struct loop_thread *m)
{
	struct loop_polled polled;
	int rests;

	do {
		rests = atomic_load(&m->workers->rests);
		polled.count = 0;
		loop_wait(m->group, &polled, rests ? 0 : loop_idle_ns(m->group, IDLE_LONGEST_NS));
		loop_turn(m->group);
	} while (!rests);
}

static void *worker_main(void *context)
{
	struct loop_thread *m = context;

	workers_set_priority(m->group->loop->settings);
	for (;;) {
		worker_wait(&m->go);
		if (atomic_load(&m->workers->ends))
			return NULL;
		worker_run(m);
		sem_post(&m->workers->resting);
	}
}

int workers_open(struct workers *h, struct loop *l, struct weir_error *e)
{
	memset(h, 0, sizeof(*h));
	sem_init(&h->resting, 0, 0);
	for (uint32_t i = 1; i < l->group_count; i++) {
		struct loop_thread *m = &h->members[h->count];
		int failed;

		m->workers = h;
		m->group = &l->groups[i];
		sem_init(&m->go, 0, 0);
		failed = pthread_create(&m->thread, NULL, worker_main, m);
		if (failed) {
			sem_destroy(&m->go);
			workers_close(h);
			return weir_error_set(e, "real.threads: no thread can be made: %s",
					      strerror(failed));
		}
		h->count++;
	}
	return 0;
}

void workers_close(struct workers *h)
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

void workers_resume(struct workers *h)
{
	atomic_store(&h->rests, 0);
	for (uint32_t i = 0; i < h->count; i++)
		sem_post(&h->members[i].go);
}

void workers_pause(struct workers *h)
{
	atomic_store(&h->rests, 1);
	for (uint32_t i = 0; i < h->count; i++)
		loop_wake(h->members[i].group);
	for (uint32_t i = 0; i < h->count; i++)
		worker_wait(&h->resting);
}

#define IDLE_LONGEST_NS ((int64_t)WEIR_NS_PER_S / 4)

_Static_assert(sizeof(((struct loop_polled *)0)->all) / sizeof(struct pollfd) >=
		       PLANE_PORTS_MAX + 1 + CONTROL_FDS + HTTP_SERVER_FDS + 1,
	       "room for wires and whoever asks");

static sigset_t real_ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

static int64_t real_idle_ns(const struct loop *l, const struct control *c, int64_t until_ps)
{
	int64_t ns = loop_idle_ns(&l->groups[0], IDLE_LONGEST_NS), next_ps = control_next_ps(c),
		next_ns;

	if (until_ps < next_ps)
		next_ps = until_ps;
	if (next_ps == WEIR_TIME_NEVER_PS)
		return ns;
	next_ns = weir_ps_to_ns(next_ps > loop_now_ps(l) ? next_ps - loop_now_ps(l) : 0);
	return next_ns < ns ? next_ns : ns;
}

static int real_has_request(const struct loop_polled *p, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (p->all[i].revents)
			return 1;
	return 0;
}

/* Restores the signal mask. */
static void real_close_signals(struct real_server *s)
{
	struct signalfd_siginfo heard;

	/* Discards pending signals, which must not fire when they are unblocked. */
	while (read(s->signals, &heard, sizeof(heard)) > 0)
		;
	close(s->signals);
	http_server_close(&s->http_server);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

int real_open(struct real_server *s, struct loop *l, struct weir_error *e)
{
	sigset_t set = real_ending_signals();

	if (http_server_open(&s->http_server, l->settings->real.prometheus, status_page, l, e))
		return weir_error_prefix(e, "real.prometheus: ");
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0) {
		http_server_close(&s->http_server);
		return weir_error_set(e, "signalfd failed: %s", strerror(errno));
	}
	sigprocmask(SIG_BLOCK, &set, &s->before); /* inherited by the workers */
	if (workers_open(&s->workers, l, e) == 0)
		return 0;
	real_close_signals(s);
	return -1;
}

void real_close(struct real_server *s)
{
	workers_close(&s->workers);
	real_close_signals(s);
}

int real_run(struct real_server *s, struct loop *l, struct control *c, int64_t until_ps)
{
	struct loop_polled polled;
	int ended = 0;

	workers_set_priority(l->settings);
	workers_resume(&s->workers);
	while (!ended && !c->stops && loop_now_ps(l) < until_ps) {
		uint32_t asked;

		polled.count = 0;
		polled.all[polled.count++] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
		polled.count += control_polled(c, polled.all + polled.count);
		polled.count += http_server_poll_fds(&s->http_server, polled.all + polled.count);
		asked = polled.count;
		loop_wait(&l->groups[0], &polled, real_idle_ns(l, c, until_ps));
		loop_turn(&l->groups[0]);
		ended = polled.all[0].revents != 0;
		if (!real_has_request(&polled, asked) && control_next_ps(c) > loop_now_ps(l))
			continue;
		workers_pause(&s->workers);
		control_serve(c, l);
		http_server_serve(&s->http_server);
		workers_resume(&s->workers);
	}
	workers_pause(&s->workers);
	return ended || c->stops;
}
