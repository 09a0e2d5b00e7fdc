/* SPDX-License-Identifier: BSD-3-Clause */
/* turn.c -- one iteration of a group's thread, and its sleep in between. Contract in loop.h.
 *
 * The thread sleeps in ppoll with a timer slack of one nanosecond (serve.c). At 100 Mb/s that is as
 * precise as busy polling and uses a small part of a core. It never polls without sleeping: a
 * real-time thread that did so would starve every other process on its core. */
#define _GNU_SOURCE
#include "switch/run/loop.h"
#include "weir/units.h"
#include "base/clock.h"
#include <unistd.h>

enum {
	TURN_FRAMES =
		256, /* frames received per turn at most, so that sending is not delayed for long */
	SOURCES_MAX = PLANE_PORTS_MAX + REAL_THREADS_MAX,
};

#define LINK_CHECK_NS (WEIR_NS_PER_S / 2)

static void turn_check_links(struct loop_group *g, int64_t now_ns)
{
	struct loop *l = g->loop;

	if (now_ns - g->link_checked_ns < LINK_CHECK_NS)
		return;
	g->link_checked_ns = now_ns;
	for (uint64_t left = g->ports; left; left &= left - 1) {
		int i = __builtin_ctzll(left);

		if (l->wires[i])
			l->is_up[i] = l->settings->backend->check_link(l->wires[i]);
	}
}

/* --- ingress --- */

/* A source of frames: a port's interface, or the handover ring of another thread. */
struct source {
	uint32_t port;
	struct handover *ring; /* NULL: the interface */
	int there;             /* is a frame available? Its arrival time and contents follow */
	int64_t time_ps;
	struct wire_frame frame;
	const struct handed *handed;
};

/* The current time by both clocks. */
struct moment {
	int64_t real_ns, ps;
};

/* Arrival time by the plane's clock. CLOCK_REALTIME, which stamps frames, can be stepped: a stamp
 * that is not in the recent past is replaced by now. */
static int64_t turn_arrival_ps(const struct wire_frame *f, const struct moment *now)
{
	int64_t ago_ns = now->real_ns - f->time_ns;

	return ago_ns > 0 && ago_ns < WEIR_NS_PER_S ? now->ps - weir_ns_to_ps(ago_ns) : now->ps;
}

static void turn_peek_source(const struct loop *l, struct source *s, const struct moment *now)
{
	if (s->ring) {
		s->handed = handover_first(s->ring);
		s->there = s->handed != NULL;
		if (s->there)
			s->time_ps = s->handed->time_ps;
		return;
	}
	s->there = l->settings->backend->peek(l->wires[s->port], &s->frame);
	if (s->there)
		s->time_ps = turn_arrival_ps(&s->frame, now);
}

/* The source with the earliest frame; NULL: none. */
static struct source *turn_earliest_source(struct source *s, uint32_t count)
{
	struct source *first = NULL;

	for (uint32_t i = 0; i < count; i++)
		if (s[i].there && (!first || s[i].time_ps < first->time_ps))
			first = &s[i];
	return first;
}

static uint32_t turn_list_sources(const struct loop_group *g, struct source *s)
{
	uint32_t count = 0;

	for (uint64_t left = g->ports; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (g->loop->wires[port])
			s[count++] = (struct source){ .port = port };
	}
	for (uint32_t i = 0; i < g->loop->group_count; i++)
		if (g->from[i])
			s[count++] = (struct source){ .ring = g->from[i] };
	return count;
}

/* Receives a frame or an address announcement from another thread's ring. */
static void turn_take_handed(struct loop_group *g, struct source *s)
{
	const struct handed *h = s->handed;
	const struct plane_arrival a = { h->data, h->length, h->needs_checksum, h->time_ps };

	if (h->ports)
		plane_receive_handed(g->plane, h->ports, h->in, &a, &h->facts);
	else
		plane_learn(g->plane, h->facts.from, h->in, h->time_ps);
	handover_take(s->ring);
}

static void turn_take_frame(struct loop_group *g, const struct source *s)
{
	const struct wire_frame *f = &s->frame;
	const struct plane_arrival a = { f->data, f->length, f->needs_checksum, s->time_ps };

	if (f->captured < f->length)
		plane_drop_oversize(g->plane, s->port, f->length);
	else
		plane_receive(g->plane, s->port, &a);
	g->loop->settings->backend->release(g->loop->wires[s->port]);
}

/* Processes frames in order of arrival time. Returns the time up to which all sources were
 * drained. */
static int64_t turn_receive(struct loop_group *g, int64_t now_ps)
{
	const struct moment now = { clock_wall_ns(), now_ps };
	struct source sources[SOURCES_MAX], *s;
	uint32_t count = turn_list_sources(g, sources);

	for (uint32_t i = 0; i < count; i++)
		turn_peek_source(g->loop, &sources[i], &now);
	for (int n = 0; (s = turn_earliest_source(sources, count)); n++) {
		if (n == TURN_FRAMES)
			return s->time_ps;
		if (s->ring)
			turn_take_handed(g, s);
		else
			turn_take_frame(g, s);
		turn_peek_source(g->loop, s, &now);
	}
	return now_ps;
}

/* Rings the doorbell of each sleeping thread whose rings received something, once. */
static void turn_wake_others(struct loop_group *g)
{
	for (; g->given; g->given &= g->given - 1) {
		struct loop_group *to = &g->loop->groups[__builtin_ctzll(g->given)];

		if (atomic_load(&to->sleeps) && atomic_exchange(&to->sleeps, 0))
			loop_wake(to);
	}
}

/* --- egress --- */

/* Sends what is due on a port until the kernel's send buffer is full. */
static void turn_send(struct loop_group *g, uint32_t port, int64_t now_ps)
{
	struct loop *l = g->loop;
	const struct plane_port *p = plane_port(g->plane, port);
	const struct plane_frame *f;

	plane_count_late(g->plane, port, now_ps);
	while ((f = plane_due(g->plane, port, now_ps))) {
		struct wire_piece pieces[WIRE_PIECES_MAX];
		uint32_t count = 0, sent;
		enum wire_sending end;

		for (; f && count < WIRE_PIECES_MAX; f = plane_due_next(g->plane, f, now_ps))
			pieces[count++] = (struct wire_piece){ f->data, f->length };
		end = l->settings->backend->send(l->wires[port], pieces, count, &sent);
		for (uint32_t i = 0; i < sent; i++) {
			f = plane_due(g->plane, port, now_ps);
			if (l->tap.see)
				l->tap.see(l->tap.context, port, f,
					   f->due_ps - p->delay_ps -
						   weir_port_wire_ps(&p->class, f->length));
			plane_done(g->plane, port, PLANE_SENT);
		}
		if (end == WIRE_DOWN) {
			l->is_up[port] = 0;
			while (plane_due(g->plane, port, now_ps))
				plane_done(g->plane, port, PLANE_LOST);
		}
		g->is_full |= end == WIRE_LATER;
		if (end != WIRE_SENT)
			return;
	}
}

void loop_turn(struct loop_group *g)
{
	struct loop *l = g->loop;
	int64_t now_ns = clock_ns();
	int64_t now_ps = weir_ns_to_ps(now_ns - l->start_ns), read_ps;

	g->turns++;
	g->is_full = 0;
	read_ps = turn_receive(g, now_ps);
	turn_wake_others(g);
	plane_advance(g->plane, read_ps);
	tuning_advance(l->tuning, plane_now_ps(g->plane));
	for (uint64_t left = g->ports; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (l->wires[port])
			turn_send(g, port, now_ps);
	}
	records_sample(&l->records, g->plane, g->ports, now_ps);
	turn_check_links(g, now_ns);
}

/* Shortest sleep before the retry while the kernel's send buffer is full. */
#define IDLE_SHORTEST_NS ((int64_t)5 * WEIR_NS_PER_US)

static int64_t turn_next_ps(const struct loop_group *g)
{
	int64_t plane_ps = plane_next_ps(g->plane),
		record_ps = records_next_ps(&g->loop->records, g->ports),
		tuning_ps = tuning_next_ps(g->loop->tuning);
	int64_t first_ps = plane_ps < record_ps ? plane_ps : record_ps;

	return tuning_ps < first_ps ? tuning_ps : first_ps;
}

int64_t loop_idle_ns(const struct loop_group *g, int64_t longest_ns)
{
	int64_t at_ps = turn_next_ps(g), wait_ns = longest_ns;

	if (at_ps != WEIR_TIME_NEVER_PS)
		wait_ns = (at_ps - loop_now_ps(g->loop) + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS;
	if (wait_ns < 0)
		wait_ns = 0;
	if (g->is_full && wait_ns < IDLE_SHORTEST_NS)
		wait_ns = IDLE_SHORTEST_NS;
	return wait_ns < longest_ns ? wait_ns : longest_ns;
}

static void turn_poll_wires(const struct loop_group *g, struct loop_polled *p)
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

/* Lost-wakeup protection: producers read sleeps after they publish an entry, and this thread reads
 * the rings after it sets sleeps, so one of the two sees the other. */
static int turn_sleep(struct loop_group *g, struct loop_polled *p, int64_t ns)
{
	struct timespec t;
	int ready;

	atomic_store(&g->sleeps, 1);
	for (uint32_t i = 0; i < g->loop->group_count; i++)
		if (g->from[i] && handover_first(g->from[i]))
			ns = 0;
	t = (struct timespec){ ns / WEIR_NS_PER_S, ns % WEIR_NS_PER_S };
	ready = ppoll(p->all, p->count, &t, NULL);
	atomic_store(&g->sleeps, 0);
	return ready;
}

void loop_wait(struct loop_group *g, struct loop_polled *p, int64_t ns)
{
	struct loop *l = g->loop;
	uint32_t at = p->count;
	uint64_t times;

	turn_poll_wires(g, p);
	if (turn_sleep(g, p, ns) < 0) {
		for (uint32_t i = 0; i < p->count; i++)
			p->all[i].revents = 0;
		return;
	}
	/* A descriptor whose link went down stays readable until the link is checked. */
	for (uint64_t left = g->ports; left; left &= left - 1) {
		const int i = __builtin_ctzll(left);

		if (p->all[at++].revents & (POLLERR | POLLHUP | POLLNVAL))
			l->is_up[i] = l->settings->backend->check_link(l->wires[i]);
	}
	if (p->all[at].revents && read(g->wake_fd, &times, sizeof(times)) < 0)
		return; /* a spurious wake-up */
}

void loop_wake(struct loop_group *g)
{
	const uint64_t once = 1;

	/* An eventfd blocks only at 2^64 - 1, which a single count cannot reach. */
	if (write(g->wake_fd, &once, sizeof(once)) < 0)
		return;
}
