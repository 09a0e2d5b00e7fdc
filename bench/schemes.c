/* SPDX-License-Identifier: BSD-3-Clause */
/* schemes.c -- what a packet costs in a port, for each marking scheme and each scheduler.
 *
 *	build/release/bench-schemes [NAME...]
 *
 * A port at 10 Gb/s is driven as a simulator does it: sixteen flows, a queue that swings between 10
 * and 120 packets, so that schemes mark about half the time. A scheme is compared with ecn in the
 * same kind of port (queues, scheduler, buffer), a scheduler with eight queues under ecn with fifo.
 * Times are the best of several turns. */
#define _POSIX_C_SOURCE 200809L
#include "weir/port_inline.h"
#include "weir/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	FLOWS = 16,
	FRAME_BYTES = 1514,
	LOW_PKTS = 10,
	HIGH_PKTS = 120,
	PACKETS = 400 * 1000,
	TURNS = 15,
	STORE_PACKETS = 1 << 16,
	POOL_BYTES = 4 << 20,
};

#define RATE_BPS (UINT64_C(10) * 1000 * 1000 * 1000)
#define RTT_NS (100 * 1000)

struct set_up {
	struct weir_port_plan plan;
	_Alignas(8) unsigned char mark_params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char sched_params[WEIR_SPEC_PARAMS_MAX];
};

static void fail(const struct weir_error *e)
{
	fprintf(stderr, "bench-schemes: %s\n", e->text);
	exit(1);
}

static void prepare(struct set_up *s, const char *marking, const char *scheduler, uint32_t queues)
{
	struct weir_error e = { "" };

	memset(s, 0, sizeof(*s));
	s->plan = (struct weir_port_plan){
		.rate_bps = RATE_BPS,
		.rtt_ns = RTT_NS,
		.queues = queues,
		.mark_params = s->mark_params,
		.sched_params = s->sched_params,
		.mtu_bytes = FRAME_BYTES,
	};
	if (weir_mark_parse(marking, &s->plan.mark, s->mark_params, &e) ||
	    weir_sched_parse(scheduler, queues, &s->plan.sched, s->sched_params, &e))
		fail(&e);
	if (weir_mark_needs(s->plan.mark, s->mark_params) & WEIR_MARK_NEEDS_SHARED_BUFFER)
		weir_buffer_params_init(&s->plan.buffer, WEIR_BUFFER_PER_SWITCH, POOL_BYTES,
					WEIR_ONE_Q32);
	else
		weir_buffer_params_init(&s->plan.buffer, WEIR_BUFFER_PER_PORT,
					1000 | WEIR_LENGTH_IN_PACKETS, WEIR_ONE_Q32);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void offer(struct weir_port *p, struct weir_packet_pool *pool, uint64_t number,
		  int64_t now_ps)
{
	uint32_t flow = (uint32_t)(number % FLOWS);
	struct weir_packet packet = {
		.flow_hash = (uint32_t)weir_mix64(flow + 1),
		.bytes = FRAME_BYTES,
		.class_id = (uint8_t)(flow % p->kind->queues),
		.flags = WEIR_PACKET_ECT,
	};

	while (p->pkts && p->free_ps <= now_ps)
		weir_port_next_inline(p, pool);
	weir_port_offer_inline(p, pool, &packet, now_ps);
}

/* ns per packet, of one turn. */
static double turn(struct weir_port *p, struct weir_packet_pool *pool, int64_t *now_ps)
{
	int64_t wire_ps = weir_port_wire_ps(p->kind, FRAME_BYTES);
	int rising = 1;
	double begin = now_ns();

	for (uint64_t i = 0; i < PACKETS; i++) {
		*now_ps += rising ? wire_ps / 2 : 2 * wire_ps;
		offer(p, pool, i, *now_ps);
		if (p->pkts >= HIGH_PKTS)
			rising = 0;
		else if (p->pkts <= LOW_PKTS)
			rising = 1;
	}
	return (now_ns() - begin) / PACKETS;
}

/* A port that is being driven. */
struct rig {
	struct weir_packet_store store;
	struct weir_packet_pool pool;
	struct weir_shared_buffer shared;
	struct weir_port_class class;
	struct weir_port *port;
	int64_t now_ps;
	double best_ns;
};

static void rig_open(struct rig *r, const struct set_up *s)
{
	memset(r, 0, sizeof(*r));
	r->best_ns = 1e9;
	if (weir_packet_store_init(&r->store, STORE_PACKETS))
		exit(1);
	weir_packet_pool_init(&r->pool, &r->store);
	weir_port_class_init(&r->class, &s->plan);
	r->port = aligned_alloc(64, (r->class.size + 63) & ~UINT32_C(63));
	if (!r->port)
		exit(1);
	memset(r->port, 0, r->class.size);
	weir_port_init(r->port, &r->class,
		       s->plan.buffer.scope == WEIR_BUFFER_PER_SWITCH ? &r->shared : NULL, 1);
}

static void rig_close(struct rig *r)
{
	free(r->port);
	weir_packet_store_free(&r->store);
}

static void rig_turn(struct rig *r)
{
	double ns = turn(r->port, &r->pool, &r->now_ps);

	r->best_ns = ns < r->best_ns ? ns : r->best_ns;
}

/* Both in turns, so that what else the machine does falls on both. */
static void cost_ns(const struct set_up *a, const struct set_up *b, double ns[2])
{
	static struct rig rigs[2];

	rig_open(&rigs[0], a);
	rig_open(&rigs[1], b);
	for (int i = 0; i < TURNS; i++) {
		rig_turn(&rigs[0]);
		rig_turn(&rigs[1]);
	}
	for (int i = 0; i < 2; i++) {
		ns[i] = rigs[i].best_ns;
		rig_close(&rigs[i]);
	}
}

static void bench_marking(const struct weir_mark_ops *ops)
{
	static struct set_up scheme, ecn;
	struct weir_mark_layout own = { .queues = 1, .scheduler = "fifo" };
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct weir_error e = { "" };
	double ns[2];

	if (weir_mark_parse(ops->scheme.name, &ops, params, &e))
		fail(&e);
	if (ops->layout)
		ops->layout(params, &own);
	else if (weir_mark_needs(ops, params) & WEIR_MARK_NEEDS_ROUNDS)
		own = (struct weir_mark_layout){ .queues = 8, .scheduler = "dwrr" };
	prepare(&scheme, ops->scheme.name, own.scheduler, own.queues);
	prepare(&ecn, "ecn", own.scheduler, own.queues);
	ecn.plan.buffer = scheme.plan.buffer;
	cost_ns(&scheme, &ecn, ns);
	printf("%-12s %8.1f %10.1f %8.2f   %s\n", ops->scheme.name, ns[0], ns[1], ns[0] / ns[1],
	       own.scheduler);
}

static void bench_scheduler(const struct weir_sched_ops *ops)
{
	static struct set_up s, plain;
	uint32_t queues = strcmp(ops->scheme.name, "fifo") == 0 ? 1 : 8;
	double ns[2];

	prepare(&plain, "ecn", "fifo", 1);
	prepare(&s, "ecn", ops->scheme.name, queues);
	cost_ns(&s, &plain, ns);
	printf("%-12s %8.1f %10.1f %8.2f   %u queue%s\n", ops->scheme.name, ns[0], ns[1],
	       ns[0] / ns[1], queues, queues > 1 ? "s" : "");
}

static int is_wanted(const char *name, int count, char **names)
{
	for (int i = 1; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return 1;
	return count < 2;
}

int main(int argc, char **argv)
{
	printf("%-12s %8s %10s %8s   %s\n", "marking", "ns/pkt", "ecn there", "ratio", "port");
	for (size_t i = 0; weir_mark_all[i]; i++)
		if (is_wanted(weir_mark_all[i]->scheme.name, argc, argv))
			bench_marking(weir_mark_all[i]);
	printf("\n%-12s %8s %10s %8s\n", "scheduler", "ns/pkt", "fifo", "ratio");
	for (size_t i = 0; weir_sched_all[i]; i++)
		if (is_wanted(weir_sched_all[i]->scheme.name, argc, argv))
			bench_scheduler(weir_sched_all[i]);
	return 0;
}
