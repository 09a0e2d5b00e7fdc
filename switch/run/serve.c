/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.c -- see serve.h. */
#define _GNU_SOURCE
#include "switch/run/serve.h"
#include "switch/run/numbers.h"
#include "weir/units.h"
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define IDLE_LONGEST_NS ((int64_t)WEIR_NS_PER_S / 4)

_Static_assert(sizeof(((struct loop_polled *)0)->all) / sizeof(struct pollfd) >=
		       PLANE_PORTS_MAX + 1 + CONTROL_FDS + RESPONDER_FDS + 1,
	       "room for wires and whoever asks");

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

static void fill(struct loop_polled *p, const struct real_server *s, const struct control *c)
{
	p->count = 0;
	p->all[p->count++] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	p->count += control_polled(c, p->all + p->count);
	p->count += responder_polled(&s->responder, p->all + p->count);
}

static int64_t idle_ns(const struct loop *l, const struct control *c, int64_t until_ps)
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

static int has_request(const struct loop_polled *p, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (p->all[i].revents)
			return 1;
	return 0;
}

/* Signals are as they were before. */
static void hear_no_more(struct real_server *s)
{
	struct signalfd_siginfo heard;

	/* What was heard must not come again when it is no longer blocked. */
	while (read(s->signals, &heard, sizeof(heard)) > 0)
		;
	close(s->signals);
	responder_close(&s->responder);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

int real_open(struct real_server *s, struct loop *l, struct weir_error *e)
{
	sigset_t set = ending_signals();

	if (responder_open(&s->responder, l->settings->real.prometheus, numbers_page, l, e))
		return weir_error_prefix(e, "real.prometheus: ");
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0) {
		responder_close(&s->responder);
		return weir_error_set(e, "signals cannot be waited for: %s", strerror(errno));
	}
	sigprocmask(SIG_BLOCK, &set, &s->before); /* the helpers', too */
	if (helpers_open(&s->helpers, l, e) == 0)
		return 0;
	hear_no_more(s);
	return -1;
}

void real_close(struct real_server *s)
{
	helpers_close(&s->helpers);
	hear_no_more(s);
}

/* While nobody else works. */
static void answer(struct real_server *s, struct loop *l, struct control *c)
{
	helpers_rest(&s->helpers);
	control_serve(c, l);
	responder_serve(&s->responder);
	helpers_go(&s->helpers);
}

int real_run(struct real_server *s, struct loop *l, struct control *c, int64_t until_ps)
{
	struct loop_polled polled;
	int ended = 0;

	helpers_hurry(l->settings);
	helpers_go(&s->helpers);
	while (!ended && !c->stops && loop_now_ps(l) < until_ps) {
		uint32_t asked;

		fill(&polled, s, c);
		asked = polled.count;
		loop_wait(&l->groups[0], &polled, idle_ns(l, c, until_ps));
		loop_turn(&l->groups[0]);
		ended = polled.all[0].revents != 0;
		if (has_request(&polled, asked) || control_next_ps(c) <= loop_now_ps(l))
			answer(s, l, c);
	}
	helpers_rest(&s->helpers);
	return ended || c->stops;
}
