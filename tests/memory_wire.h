/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_wire.h -- wires of memory for tests of a real switch's thread, and a switch of three ports
 * on them. */
#ifndef TESTS_MEMORY_WIRE_H
#define TESTS_MEMORY_WIRE_H
#include "switch/run/loop.h"
#include "tests/frames.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAITING_MAX = 600 };

/* A wire of memory: frames that wait to be read, and how many were sent. */
struct wire {
	struct made_frame in[4];
	int64_t time_ns[WAITING_MAX];
	uint32_t count, next;
	uint32_t sent, room;
	int down;
	uint8_t order[WAITING_MAX];  /* who had sent what was sent */
	uint8_t number[WAITING_MAX]; /* which of those that waited there it was, modulo 256 */
};

static inline struct wire *memory_open(const struct wire_plan *plan, struct weir_error *e)
{
	(void)plan;
	(void)e;
	return calloc(1, sizeof(struct wire));
}

static inline void memory_close(struct wire *w)
{
	free(w);
}

static inline int memory_descriptor(const struct wire *w)
{
	(void)w;
	return -1;
}

static inline int memory_peek(struct wire *w, struct wire_frame *frame)
{
	if (w->next == w->count)
		return 0;
	w->in[0].data[40] = (uint8_t)w->next;
	*frame = (struct wire_frame){ .data = w->in[0].data,
				      .length = w->in[0].length,
				      .captured = w->in[0].length,
				      .time_ns = w->time_ns[w->next] };
	return 1;
}

static inline void memory_release(struct wire *w)
{
	w->next++;
}

static inline enum wire_sending memory_send(struct wire *w, const struct wire_piece *pieces,
					    uint32_t count, uint32_t *sent)
{
	*sent = 0;
	if (w->down)
		return WIRE_DOWN;
	for (; *sent < count && w->room > 0; ++*sent, w->room--) {
		w->order[w->sent] = pieces[*sent].data[6 + 5];
		w->number[w->sent++] = pieces[*sent].data[40];
	}
	return *sent ? WIRE_SENT : WIRE_LATER;
}

static inline int memory_check_link(struct wire *w)
{
	return !w->down;
}

static inline void memory_count(struct wire *w, struct wire_counts *counts)
{
	(void)w;
	counts->lost_pkts = 0;
}

static const struct wire_ops memory __attribute__((unused)) = {
	.name = "memory",
	.open = memory_open,
	.close = memory_close,
	.descriptor = memory_descriptor,
	.peek = memory_peek,
	.release = memory_release,
	.send = memory_send,
	.check_link = memory_check_link,
	.count = memory_count,
};

static const char three[] __attribute__((unused)) =
	"[switch]\nmarking = ecn(k=5pkts)\n"
	"[port a]\naddress = 02:00:00:00:00:00\nrate = 100Gbps\n"
	"[port b]\naddress = 02:00:00:00:00:01\nrate = 100Gbps\n"
	"[port c]\naddress = 02:00:00:00:00:02\nrate = 100Gbps\n";

static inline void start_threads(struct switch_settings *s, struct loop *l, uint64_t threads)
{
	struct weir_error e = { "" };

	CHECK_INT(settings_read_text(s, "test", three, strlen(three), &e), 0);
	s->backend = &memory;
	s->real.threads = threads;
	CHECK_INT(loop_open(l, s, &e), 0);
	for (uint32_t i = 0; i < 3; i++)
		l->wires[i]->room = WAITING_MAX;
}

static inline void start(struct switch_settings *s, struct loop *l)
{
	start_threads(s, l, 1);
}

static inline void end(struct switch_settings *s, struct loop *l)
{
	loop_close(l);
	settings_free(s);
}

static inline int64_t real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A frame for that host waits at a wire, as all that wait there; it came so many nanoseconds
 * ago. */
static inline void wait_at_for(struct loop *l, uint32_t port, uint32_t to, int64_t ago_ns)
{
	struct wire *w = l->wires[port];

	frames_ipv4(&w->in[0], &(struct made_ip){ .to = to, .from = port, .ecn = 2, .whole = 100 });
	w->time_ns[w->count++] = real_ns() - ago_ns;
}

static inline void wait_at(struct loop *l, uint32_t port, int64_t ago_ns)
{
	wait_at_for(l, port, 2, ago_ns);
}

/* Turns until so many frames were sent to c. */
static inline void turn_until(struct loop *l, uint32_t sent)
{
	for (int i = 0; i < 1000000 && l->wires[2]->sent < sent; i++)
		loop_turn(&l->groups[0]);
	CHECK_INT(l->wires[2]->sent, sent);
}
#endif
