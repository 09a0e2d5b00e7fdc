/* serve.c -- see serve.h.
 *
 * The thread sleeps in ppoll with a timer slack of one nanosecond, which at 100 Mb/s is as good as never to
 * sleep at all, and takes a small part of a core. It never spins: a real-time thread that did would have the
 * machine for itself. */
#define _GNU_SOURCE
#include "switch/run/serve.h"
#include "switch/run/numbers.h"
#include "weir/units.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	POLLED_MAX = PLANE_PORTS_MAX + CONTROL_CLIENTS + RESPONDER_FDS + 2,
	NICE_MOST_URGENT = -20
};

/* Between two turns at least, where the kernel takes no more frames for now. */
#define IDLE_SHORTEST_NS ((int64_t)5 * WEIR_NS_PER_US)
#define IDLE_LONGEST_NS ((int64_t)WEIR_NS_PER_S / 4)

/* Descriptors to wait for: the signals', the control's, and then the wires'. */
struct polled {
	struct pollfd all[POLLED_MAX];
	uint32_t count, first_wire;
};

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

/* Wishes: without them the switch is late more often, and counts that. */
static void hurry(const struct switch_settings *s)
{
	const struct sched_param first = { .sched_priority = 1 };

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (s->real.urgent == URGENT_REALTIME)
		sched_setscheduler(0, SCHED_FIFO, &first);
	if (s->real.urgent != URGENT_NO)
		setpriority(PRIO_PROCESS, 0, NICE_MOST_URGENT);
}

static void fill(struct polled *p, const struct real_server *s, const struct loop *l,
		 const struct control *c)
{
	p->count = 0;
	p->all[p->count++] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	p->count += control_polled(c, p->all + p->count);
	p->count += responder_polled(&s->responder, p->all + p->count);
	p->first_wire = p->count;
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		p->all[p->count++] = (struct pollfd){
			.fd = l->wires[i] ? l->settings->backend->descriptor(l->wires[i]) : -1,
			.events = POLLIN,
		};
}

static int64_t idle_ns(const struct loop *l, const struct control *c, int64_t until_ps)
{
	int64_t ns = loop_idle_ns(l, IDLE_LONGEST_NS), next_ps = control_next_ps(c), next_ns;

	if (l->is_full && ns < IDLE_SHORTEST_NS)
		ns = IDLE_SHORTEST_NS;
	if (until_ps < next_ps)
		next_ps = until_ps;
	if (next_ps == WEIR_TIME_NEVER_PS)
		return ns;
	next_ns = weir_ps_to_ns(next_ps > loop_now_ps(l) ? next_ps - loop_now_ps(l) : 0);
	return next_ns < ns ? next_ns : ns;
}

/* Waits until there is something to do. Returns non-zero where a signal says that this is the end. */
static int wait_for_work(struct polled *p, int64_t ns)
{
	struct timespec t = { ns / WEIR_NS_PER_S, ns % WEIR_NS_PER_S };

	if (ppoll(p->all, p->count, &t, NULL) < 0) {
		for (uint32_t i = 0; i < p->count; i++)
			p->all[i].revents = 0;
		return 0;
	}
	return p->all[0].revents != 0;
}

/* A wire whose link went down says so until somebody looks. */
static void tend_wires(struct loop *l, const struct polled *p)
{
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (p->all[p->first_wire + i].revents & (POLLERR | POLLHUP | POLLNVAL))
			l->is_up[i] = l->settings->backend->mend(l->wires[i]);
}

static int has_request(const struct polled *p)
{
	for (uint32_t i = 1; i < p->first_wire; i++)
		if (p->all[i].revents)
			return 1;
	return 0;
}

int real_open(struct real_server *s, const struct switch_settings *settings, struct weir_error *e)
{
	sigset_t set = ending_signals();

	if (responder_open(&s->responder, settings->real.prometheus, numbers_page, NULL, e))
		return weir_error_prefix(e, "real.prometheus: ");
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0) {
		responder_close(&s->responder);
		return weir_error_set(e, "signals cannot be waited for: %s", strerror(errno));
	}
	sigprocmask(SIG_BLOCK, &set, &s->before);
	return 0;
}

void real_close(struct real_server *s)
{
	struct signalfd_siginfo heard;

	/* What was heard must not come again when it is no longer blocked. */
	while (read(s->signals, &heard, sizeof(heard)) > 0)
		;
	close(s->signals);
	responder_close(&s->responder);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

int real_run(struct real_server *s, struct loop *l, struct control *c, int64_t until_ps)
{
	struct polled polled;
	int ended = 0;

	s->responder.context = l;
	hurry(l->settings);
	while (!ended && !c->stops && loop_now_ps(l) < until_ps) {
		fill(&polled, s, l, c);
		ended = wait_for_work(&polled, idle_ns(l, c, until_ps));
		tend_wires(l, &polled);
		loop_turn(l);
		if (has_request(&polled) || control_next_ps(c) <= loop_now_ps(l)) {
			control_serve(c, l);
			responder_serve(&s->responder);
		}
	}
	return ended || c->stops;
}
