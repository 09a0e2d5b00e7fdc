/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c -- see loop.h: wires and groups of ports from settings, and looking at them. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/loop.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int64_t loop_now_ps(const struct loop *l)
{
	return weir_ns_to_ps(clock_ns() - l->start_ns);
}

/* --- between groups --- */

static void fill(struct handed *h, const struct plane_arrival *a, const struct frame_facts *f)
{
	h->time_ps = a->time_ps;
	h->length = a->length;
	h->lacks_sum = a->lacks_sum;
	h->facts = *f;
	if (a->length)
		memcpy(h->data, a->frame, a->length);
}

/* For a plane_others: the context is the group that gives. */
static uint32_t give(void *context, uint64_t ports, uint32_t in, const struct plane_arrival *a,
		     const struct frame_facts *f)
{
	struct loop_group *from = context;
	uint32_t lost = 0;

	for (uint32_t i = 0; i < from->loop->group_count; i++) {
		struct loop_group *to = &from->loop->groups[i];
		uint64_t leaves = ports & to->ports;
		struct handed *h = leaves ? handover_room(to->from[from->number]) : NULL;

		if (!h) {
			lost += (uint32_t)__builtin_popcountll(leaves);
			continue;
		}
		h->ports = leaves;
		h->in = in;
		fill(h, a, f);
		handover_put(to->from[from->number]);
		from->given |= UINT64_C(1) << i;
	}
	return lost;
}

static int tell(void *context, uint64_t address, uint32_t port, int64_t now_ps)
{
	const struct plane_arrival nothing = { .time_ps = now_ps };
	const struct frame_facts facts = { .from = address };
	struct loop_group *from = context;
	int told = 0;

	for (uint32_t i = 0; i < from->loop->group_count; i++) {
		struct handover *to = from->loop->groups[i].from[from->number];
		struct handed *h = to ? handover_room(to) : NULL;

		if (to && !h)
			told = -1;
		if (!h)
			continue;
		h->ports = 0;
		h->in = port;
		fill(h, &nothing, &facts);
		handover_put(to);
		from->given |= UINT64_C(1) << i;
	}
	return told;
}

/* --- making --- */

static uint32_t frame_bytes(const struct switch_settings *s)
{
	return (uint32_t)s->real.mtu_bytes + FRAME_HEADER_BYTES + FRAME_TAGS_MAX * FRAME_TAG_BYTES;
}

static int open_wires(struct loop *l, struct weir_error *e)
{
	const struct switch_settings *s = l->settings;

	for (uint32_t i = 0; i < s->port_count; i++) {
		struct wire_plan plan = {
			.interface = s->ports[i].interface,
			.frame_bytes = frame_bytes(s),
			.ring_frames = (uint32_t)s->real.ring_frames,
		};

		l->is_up[i] = 1;
		if (s->ports[i].peer_plus_one)
			continue;
		l->wires[i] = s->backend->open(&plan, e);
		if (!l->wires[i])
			return weir_error_prefix(e, "port.%s: ", s->ports[i].name);
		l->is_up[i] = s->backend->mend(l->wires[i]);
	}
	return 0;
}

/* Neighbours in the file are in one group. */
static void divide(struct loop *l)
{
	const struct switch_settings *s = l->settings;

	l->group_count = (uint32_t)s->real.threads;
	l->groups = memory_new(l->group_count, sizeof(*l->groups));
	for (uint32_t i = 0; i < l->group_count; i++) {
		l->groups[i].loop = l;
		l->groups[i].number = i;
		l->groups[i].wake_fd = -1;
	}
	for (uint32_t i = 0; i < s->port_count; i++) {
		l->group_of[i] = (uint8_t)(i * l->group_count / s->port_count);
		l->groups[l->group_of[i]].ports |= UINT64_C(1) << i;
	}
}

static int open_group(struct loop *l, struct loop_group *g, struct weir_error *e)
{
	const struct real_settings *real = &l->settings->real;
	struct settings_share share = {
		.own = g->ports,
		.buffers = (uint32_t)(real->buffers / l->group_count +
				      (g->number < real->buffers % l->group_count)),
	};

	if (l->group_count > 1) {
		share.others = (struct plane_others){ g, give, tell };
		g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (g->wake_fd < 0)
			return weir_error_set(e, "threads cannot be woken: %s", strerror(errno));
	}
	for (uint32_t i = 0; i < l->group_count; i++)
		if (i != g->number)
			g->from[i] = handover_new(frame_bytes(l->settings));
	g->plane = settings_plane(l->settings, l->tuning, &share);
	return 0;
}

int loop_open(struct loop *l, const struct switch_settings *s, struct weir_error *e)
{
	int failed;

	memset(l, 0, sizeof(*l));
	l->settings = s;
	divide(l);
	failed = open_wires(l, e);
	if (!failed)
		l->tuning = tuning_new(s);
	for (uint32_t i = 0; i < l->group_count && !failed; i++)
		failed = open_group(l, &l->groups[i], e);
	/* With an agent there is one group: see settings. */
	if (failed || tuning_begin(l->tuning, l->groups[0].plane, e)) {
		loop_close(l);
		return -1;
	}
	records_open(&l->records, s);
	l->start_ns = clock_ns();
	for (uint32_t i = 0; i < l->group_count; i++)
		l->groups[i].mended_ns = l->start_ns;
	return 0;
}

static void close_group(struct loop_group *g)
{
	for (uint32_t i = 0; i < REAL_THREADS_MAX; i++)
		handover_free(g->from[i]);
	if (g->wake_fd >= 0)
		close(g->wake_fd);
	plane_free(g->plane);
}

void loop_close(struct loop *l)
{
	for (uint32_t i = 0; i < l->settings->port_count; i++)
		if (l->wires[i])
			l->settings->backend->close(l->wires[i]);
	records_close(&l->records);
	for (uint32_t i = 0; i < l->group_count; i++)
		close_group(&l->groups[i]);
	memory_free(l->groups, l->group_count, sizeof(*l->groups));
	tuning_free(l->tuning);
	memset(l, 0, sizeof(*l));
}

/* --- looking --- */

struct plane *loop_plane(const struct loop *l, uint32_t port)
{
	return l->groups[l->group_of[port]].plane;
}

struct plane_port *loop_port(const struct loop *l, uint32_t port)
{
	return plane_port(loop_plane(l, port), port);
}

uint64_t loop_faults(const struct loop *l, uint32_t port, enum plane_fault fault)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < l->group_count; i++)
		sum += plane_port(l->groups[i].plane, port)->counts.faults[fault];
	return sum;
}

uint64_t loop_lost_pkts(const struct loop *l, uint32_t port)
{
	struct wire_counts wire = { 0 };

	if (l->wires[port])
		l->settings->backend->count(l->wires[port], &wire);
	return wire.lost_pkts;
}

int64_t loop_done_ps(const struct loop *l)
{
	int64_t done_ps = plane_now_ps(l->groups[0].plane);

	for (uint32_t i = 1; i < l->group_count; i++)
		if (plane_now_ps(l->groups[i].plane) < done_ps)
			done_ps = plane_now_ps(l->groups[i].plane);
	return done_ps;
}

void loop_measure(struct loop *l)
{
	for (uint32_t i = 0; i < l->group_count; i++)
		plane_measure(l->groups[i].plane);
}

void loop_account(struct loop *l)
{
	for (uint32_t i = 0; i < l->group_count; i++)
		plane_account(l->groups[i].plane);
}
