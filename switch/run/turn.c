/* SPDX-License-Identifier: BSD-3-Clause */
/* turn.c -- what a thread of a switch does again and again. See loop.h. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/loop.h"
#include "weir/units.h"
#include "base/clock.h"

enum {
	TURN_FRAMES = 256, /* read in one turn at most, so that sending is not put off for long */
	SOURCES_MAX = PLANE_PORTS_MAX + REAL_THREADS_MAX,
};

#define MEND_EVERY_NS (WEIR_NS_PER_S / 2)

static void mend(struct loop_group *g, int64_t now_ns)
{
	struct loop *l = g->loop;

	if (now_ns - g->mended_ns < MEND_EVERY_NS)
		return;
	g->mended_ns = now_ns;
	for (uint64_t left = g->ports; left; left &= left - 1) {
		int i = __builtin_ctzll(left);

		if (l->wires[i])
			l->is_up[i] = l->settings->backend->mend(l->wires[i]);
	}
}

/* --- in --- */

/* Where frames come from: a port's wire, or another thread. */
struct source {
	uint32_t port;
	struct handover *ring; /* NULL: the wire */
	int there;             /* is there one? When it came, and it: */
	int64_t time_ps;
	struct wire_frame frame;
	const struct handed *handed;
};

/* Now, by both clocks. */
struct moment {
	int64_t real_ns, ps;
};

/* When the frame came, by the clock of the plane. The kernel's clock for frames may be set by
 * anybody: a time that is not of the near past is now. */
static int64_t came_ps(const struct wire_frame *f, const struct moment *now)
{
	int64_t ago_ns = now->real_ns - f->time_ns;

	return ago_ns > 0 && ago_ns < WEIR_NS_PER_S ? now->ps - weir_ns_to_ps(ago_ns) : now->ps;
}

static void look(const struct loop *l, struct source *s, const struct moment *now)
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
		s->time_ps = came_ps(&s->frame, now);
}

/* The source whose frame came first; NULL: there is none. */
static struct source *earliest(struct source *s, uint32_t count)
{
	struct source *first = NULL;

	for (uint32_t i = 0; i < count; i++)
		if (s[i].there && (!first || s[i].time_ps < first->time_ps))
			first = &s[i];
	return first;
}

static uint32_t list_sources(const struct loop_group *g, struct source *s)
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

/* What came in elsewhere and leaves here, or was learnt there. */
static void take_handed(struct loop_group *g, struct source *s)
{
	const struct handed *h = s->handed;
	const struct plane_arrival a = { h->data, h->length, h->lacks_sum, h->time_ps };

	if (h->ports)
		plane_take(g->plane, h->ports, h->in, &a, &h->facts);
	else
		plane_learn(g->plane, h->facts.from, h->in, h->time_ps);
	handover_take(s->ring);
}

static void take_frame(struct loop_group *g, const struct source *s)
{
	const struct wire_frame *f = &s->frame;
	const struct plane_arrival a = { f->data, f->length, f->lacks_sum, s->time_ps };

	if (f->captured < f->length)
		plane_refuse(g->plane, s->port, f->length);
	else
		plane_receive(g->plane, s->port, &a);
	g->loop->settings->backend->release(g->loop->wires[s->port]);
}

/* Frames in the order of their times. Returns up to when all that came was read. */
static int64_t receive(struct loop_group *g, int64_t now_ps)
{
	const struct moment now = { clock_wall_ns(), now_ps };
	struct source sources[SOURCES_MAX], *s;
	uint32_t count = list_sources(g, sources);

	for (uint32_t i = 0; i < count; i++)
		look(g->loop, &sources[i], &now);
	for (int n = 0; (s = earliest(sources, count)); n++) {
		if (n == TURN_FRAMES)
			return s->time_ps;
		if (s->ring)
			take_handed(g, s);
		else
			take_frame(g, s);
		look(g->loop, s, &now);
	}
	return now_ps;
}

/* Whoever was given something and sleeps is woken, once. */
static void wake_others(struct loop_group *g)
{
	for (; g->given; g->given &= g->given - 1) {
		struct loop_group *to = &g->loop->groups[__builtin_ctzll(g->given)];

		if (atomic_load(&to->sleeps) && atomic_exchange(&to->sleeps, 0))
			loop_wake(to);
	}
}

/* --- out --- */

static void lose(struct loop_group *g, uint32_t port, int64_t now_ps)
{
	while (plane_due(g->plane, port, now_ps))
		plane_done(g->plane, port, PLANE_LOST);
}

static void show(struct loop_group *g, uint32_t port, const struct plane_frame *f)
{
	const struct plane_port *p = plane_port(g->plane, port);

	g->loop->tap.see(g->loop->tap.context, port, f,
			 f->due_ps - p->delay_ps - weir_port_wire_ps(&p->class, f->length));
}

/* What is due on a port goes out, as far as the kernel takes it. */
static void send(struct loop_group *g, uint32_t port, int64_t now_ps)
{
	struct loop *l = g->loop;
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
			if (l->tap.see)
				show(g, port, plane_due(g->plane, port, now_ps));
			plane_done(g->plane, port, PLANE_SENT);
		}
		if (end == WIRE_DOWN) {
			l->is_up[port] = 0;
			lose(g, port, now_ps);
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
	read_ps = receive(g, now_ps);
	wake_others(g);
	plane_advance(g->plane, read_ps);
	tuning_work(l->tuning, plane_now_ps(g->plane));
	for (uint64_t left = g->ports; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (l->wires[port])
			send(g, port, now_ps);
	}
	records_take(&l->records, g->plane, g->ports, now_ps);
	mend(g, now_ns);
}
