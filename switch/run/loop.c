/* loop.c -- see loop.h. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/loop.h"
#include "weir/units.h"
#include <string.h>
#include <time.h>

enum {
	TURN_FRAMES = 256, /* read in one turn at most, so that sending is not put off for long */
};

#define MEND_EVERY_NS ((int64_t)WEIR_NS_PER_S / 2)

static int64_t read_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * WEIR_NS_PER_S + t.tv_nsec;
}

int64_t loop_now_ps(const struct loop *l)
{
	return weir_ns_to_ps(read_clock_ns(CLOCK_MONOTONIC) - l->start_ns);
}

/* --- wires --- */

int loop_open(struct loop *l, const struct switch_settings *s, struct weir_error *e)
{
	memset(l, 0, sizeof(*l));
	l->settings = s;
	for (uint32_t i = 0; i < s->port_count; i++) {
		struct wire_plan plan = {
			.interface = s->ports[i].interface,
			.frame_bytes = (uint32_t)s->real.mtu_bytes + FRAME_HEADER_BYTES +
				       FRAME_TAGS_MAX * FRAME_TAG_BYTES,
			.ring_frames = (uint32_t)s->real.ring_frames,
		};

		l->is_up[i] = 1;
		if (s->ports[i].peer_plus_one)
			continue;
		l->wires[i] = s->backend->open(&plan, e);
		if (!l->wires[i]) {
			weir_error_prefix(e, "port.%s: ", s->ports[i].name);
			loop_close(l);
			return -1;
		}
		l->is_up[i] = s->backend->mend(l->wires[i]);
	}
	l->tuning = tuning_new(s);
	l->plane = settings_plane(s, l->tuning);
	if (tuning_begin(l->tuning, l->plane, e)) {
		loop_close(l);
		return -1;
	}
	records_open(&l->records, s, l->plane);
	l->start_ns = read_clock_ns(CLOCK_MONOTONIC);
	l->mended_ns = l->start_ns;
	return 0;
}

void loop_close(struct loop *l)
{
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (l->wires[i])
			l->settings->backend->close(l->wires[i]);
	records_close(&l->records);
	plane_free(l->plane);
	tuning_free(l->tuning);
	memset(l, 0, sizeof(*l));
}

static void mend(struct loop *l, int64_t now_ns)
{
	if (now_ns - l->mended_ns < MEND_EVERY_NS)
		return;
	l->mended_ns = now_ns;
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (l->wires[i])
			l->is_up[i] = l->settings->backend->mend(l->wires[i]);
}

/* --- in --- */

/* A frame that waits at a port. */
struct waiting {
	int there;
	struct wire_frame frame;
};

static void look(const struct loop *l, uint32_t port, struct waiting *w)
{
	w->there = l->wires[port] && l->settings->backend->peek(l->wires[port], &w->frame);
}

/* The port where the frame waits that came first; -1: none does. */
static int earliest(const struct waiting *w, uint32_t count)
{
	int first = -1;

	for (uint32_t i = 0; i < count; i++)
		if (w[i].there && (first < 0 || w[i].frame.time_ns < w[first].frame.time_ns))
			first = (int)i;
	return first;
}

/* When the frame came, by the clock of the plane. The kernel's clock for frames may be set by anybody: a time
 * that is not of the near past is now. */
static int64_t came_ps(const struct wire_frame *f, int64_t real_ns, int64_t now_ps)
{
	int64_t ago_ns = real_ns - f->time_ns;

	return ago_ns > 0 && ago_ns < WEIR_NS_PER_S ? now_ps - weir_ns_to_ps(ago_ns) : now_ps;
}

/* Frames in the order of their times. Returns up to when all that came was read. */
static int64_t receive(struct loop *l, int64_t now_ps)
{
	const struct wire_ops *ops = l->settings->backend;
	struct waiting waiting[PLANE_PORTS_MAX];
	int64_t real_ns = read_clock_ns(CLOCK_REALTIME);
	uint32_t ports = l->settings->port_count;
	int port;

	for (uint32_t i = 0; i < ports; i++)
		look(l, i, &waiting[i]);
	for (int n = 0; (port = earliest(waiting, ports)) >= 0; n++) {
		const struct wire_frame *f = &waiting[port].frame;
		const struct plane_arrival a = { f->data, f->length, f->lacks_sum,
						 came_ps(f, real_ns, now_ps) };

		if (n == TURN_FRAMES)
			return a.time_ps;
		if (f->captured < f->length)
			plane_refuse(l->plane, (uint32_t)port, f->length);
		else
			plane_receive(l->plane, (uint32_t)port, &a);
		ops->release(l->wires[port]);
		look(l, (uint32_t)port, &waiting[port]);
	}
	return now_ps;
}

/* --- out --- */

static void lose(struct loop *l, uint32_t port, int64_t now_ps)
{
	while (plane_due(l->plane, port, now_ps))
		plane_done(l->plane, port, PLANE_LOST);
}

static void show(struct loop *l, uint32_t port, const struct plane_frame *f)
{
	const struct plane_port *p = plane_port(l->plane, port);

	l->tap.see(l->tap.context, port, f,
		   f->due_ps - p->delay_ps - weir_port_wire_ps(&p->class, f->length));
}

/* What is due on a port goes out, as far as the kernel takes it. */
static void send(struct loop *l, uint32_t port, int64_t now_ps)
{
	const struct plane_frame *f;

	while ((f = plane_due(l->plane, port, now_ps))) {
		struct wire_piece pieces[WIRE_PIECES_MAX];
		uint32_t count = 0, sent;
		enum wire_sending end;

		for (; f && count < WIRE_PIECES_MAX; f = plane_due_next(l->plane, f, now_ps))
			pieces[count++] = (struct wire_piece){ f->data, f->length };
		end = l->settings->backend->send(l->wires[port], pieces, count, &sent);
		for (uint32_t i = 0; i < sent; i++) {
			if (l->tap.see)
				show(l, port, plane_due(l->plane, port, now_ps));
			plane_done(l->plane, port, PLANE_SENT);
		}
		if (end == WIRE_DOWN) {
			l->is_up[port] = 0;
			lose(l, port, now_ps);
		}
		l->is_full |= end == WIRE_LATER;
		if (end != WIRE_SENT)
			return;
	}
}

void loop_turn(struct loop *l)
{
	int64_t now_ns = read_clock_ns(CLOCK_MONOTONIC);
	int64_t now_ps = weir_ns_to_ps(now_ns - l->start_ns);

	l->turns++;
	l->is_full = 0;
	plane_advance(l->plane, receive(l, now_ps));
	tuning_work(l->tuning, plane_now_ps(l->plane));
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (l->wires[i])
			send(l, i, now_ps);
	records_take(&l->records, l->plane, now_ps);
	mend(l, now_ns);
}

uint64_t loop_lost_pkts(const struct loop *l, uint32_t port)
{
	struct wire_counts wire = { 0 };

	if (l->wires[port])
		l->settings->backend->count(l->wires[port], &wire);
	return wire.lost_pkts;
}

int64_t loop_idle_ns(const struct loop *l, int64_t longest_ns)
{
	int64_t next_ps = plane_next_ps(l->plane), wait_ns;

	if (records_next_ps(&l->records) < next_ps)
		next_ps = records_next_ps(&l->records);
	if (tuning_next_ps(l->tuning) < next_ps)
		next_ps = tuning_next_ps(l->tuning);
	if (next_ps == WEIR_TIME_NEVER_PS)
		return longest_ns;
	wait_ns = (next_ps - loop_now_ps(l) + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS;
	if (wait_ns < 0)
		return 0;
	return wait_ns < longest_ns ? wait_ns : longest_ns;
}
