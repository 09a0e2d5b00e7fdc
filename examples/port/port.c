/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c -- embeds an egress port: no simulator, the program is the port's clock and its link.
 *
 *	cc -std=c11 -O2 port.c $(pkg-config --cflags --libs weir) -o port
 *	./port
 *	./port 'red(min=20pkts, max=60pkts, p=10%)' 'dwrr(weights=3:1)'
 *
 * Two kinds of frames share a link of 10 Gb/s: a steady stream of small requests, and a bulk
 * transfer that arrives in bursts and is ECN-capable. Each has a queue. Prints how many of each
 * were sent and marked, and why frames were marked or dropped. */
#include <weir/port.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS, BULK, KINDS };
enum {
	ROUNDS = 200,
	REQUESTS_A_ROUND = 40,
	BULK_A_ROUND = 70,
	REQUEST_BYTES = 256,
	BULK_BYTES = 1514
};

#define RATE_BPS (UINT64_C(10) * 1000 * 1000 * 1000)
#define ROUND_PS (INT64_C(100) * 1000 * 1000) /* bulk takes 86 % of the link, requests 9 % */

/* The program's own data of a frame, in the packet's owner bytes. */
struct frame {
	uint64_t number;
	uint64_t kind;
};

struct outcome {
	uint64_t offered, sent, marked;
	int64_t longest_wait_ps;
};

struct egress {
	struct weir_packet_store store; /* memory of queued frames */
	struct weir_packet_pool pool;
	const struct weir_mark_ops *marking;
	struct weir_port_class *class;
	struct weir_port *port;
	struct outcome of[KINDS];
};

static void fail(const char *why)
{
	fprintf(stderr, "port: %s\n", why);
	exit(2);
}

/* Schemes are named as in scenarios; their parameters must outlive the port. */
static void egress_open(struct egress *x, const char *marking, const char *scheduler)
{
	static _Alignas(8) unsigned char mark[WEIR_SPEC_PARAMS_MAX], sched[WEIR_SPEC_PARAMS_MAX];
	struct weir_error e;
	struct weir_port_plan plan = {
		.rate_bps = RATE_BPS,
		.rtt_ns = 100 * 1000,
		.queues = KINDS,
		.mark_params = mark,
		.sched_params = sched,
		.overhead_bytes = 24, /* preamble, checksum and gap of Ethernet */
		.min_bytes = 60,
		.mtu_bytes = BULK_BYTES,
	};

	if (weir_mark_parse(marking, &plan.mark, mark, &e) ||
	    weir_sched_parse(scheduler, KINDS, &plan.sched, sched, &e))
		fail(e.text);
	weir_buffer_params_init(&plan.buffer, WEIR_BUFFER_PER_PORT, 64 | WEIR_LENGTH_IN_PACKETS, 0);
	if (weir_port_plan_check(&plan, &e)) /* do the user's choices go together? */
		fail(e.text);
	x->marking = plan.mark;
	x->class = calloc(1, weir_port_class_size());
	if (!x->class)
		fail("no memory");
	weir_port_class_init(x->class, &plan);
	x->port = calloc(1, weir_port_size(x->class));
	if (!x->port || weir_packet_store_init(&x->store, 1 << 16))
		fail("no memory");
	weir_packet_pool_init(&x->pool, &x->store);
	weir_port_init(x->port, x->class, NULL, 1);
}

static void egress_close(struct egress *x)
{
	free(x->port);
	free(x->class);
	weir_packet_store_free(&x->store);
}

/* A real program hands the frame to its NIC here. */
static void transmit(struct egress *x, const struct weir_packet *packet, int64_t start_ps)
{
	struct frame frame;
	struct outcome *of;

	memcpy(&frame, packet->owner, sizeof(frame));
	of = &x->of[frame.kind];
	of->sent++;
	if (packet->flags & WEIR_PACKET_CE)
		of->marked++;
	if (start_ps - packet->time_ps > of->longest_wait_ps)
		of->longest_wait_ps = start_ps - packet->time_ps;
}

/* Sends every frame that can start by now_ps, each as soon as the link is free. */
static void catch_up(struct egress *x, int64_t now_ps)
{
	int64_t start_ps;

	while ((start_ps = weir_port_next_ps(x->port)) <= now_ps) {
		const struct weir_packet *packet = weir_port_next(x->port, &x->pool);

		if (packet)
			transmit(x, packet, start_ps);
	}
}

/* A frame wants to leave. It is sent, queued or dropped; the port counts drops by reason. */
static void offer(struct egress *x, uint64_t kind, int64_t now_ps)
{
	struct frame frame = { x->of[kind].offered++, kind };
	struct weir_packet packet = {
		.flow_hash = (uint32_t)kind,
		.bytes = kind == REQUESTS ? REQUEST_BYTES : BULK_BYTES,
		.class_id = (uint8_t)kind,
		.flags = kind == BULK ? WEIR_PACKET_ECT : 0,
	};

	memcpy(packet.owner, &frame, sizeof(frame));
	catch_up(x, now_ps);
	if (weir_port_offer(x->port, &x->pool, &packet, now_ps) == WEIR_PORT_SEND)
		transmit(x, &packet, now_ps);
}

static void print_outcome(const struct egress *x)
{
	static const char *const kinds[KINDS] = { "requests", "bulk" };
	struct weir_port_status status;

	weir_port_read(x->port, &status);
	for (int i = 0; i < KINDS; i++)
		printf("%-8s %6llu offered, %6llu sent, %5llu "
		       "of them marked, longest wait %lld us\n",
		       kinds[i], (unsigned long long)x->of[i].offered,
		       (unsigned long long)x->of[i].sent, (unsigned long long)x->of[i].marked,
		       (long long)(x->of[i].longest_wait_ps / 1000000));
	for (int i = 0; i < WEIR_MARK_REASONS; i++)
		if (status.marks[i])
			printf("marks, %s: %llu\n", x->marking->reasons[i],
			       (unsigned long long)status.marks[i]);
	for (int i = 0; i < WEIR_PORT_DROPS; i++)
		if (status.drops[i])
			printf("drops, %s: %llu\n", weir_port_drop_names[i],
			       (unsigned long long)status.drops[i]);
}

int main(int argc, char **argv)
{
	static struct egress x;

	egress_open(&x, argc > 1 ? argv[1] : "tcn(threshold=20us)", argc > 2 ? argv[2] : "sp");
	for (int64_t round = 0; round < ROUNDS; round++) {
		int64_t begin_ps = round * ROUND_PS;

		for (int i = 0; i < BULK_A_ROUND; i++)
			offer(&x, BULK, begin_ps);
		for (int64_t i = 0; i < REQUESTS_A_ROUND; i++)
			offer(&x, REQUESTS, begin_ps + i * (ROUND_PS / REQUESTS_A_ROUND));
	}
	catch_up(&x, ROUNDS * ROUND_PS);
	print_outcome(&x);
	egress_close(&x);
	return 0;
}
