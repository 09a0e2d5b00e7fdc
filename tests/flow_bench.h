/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_bench.h -- a scheme that gives queues to flows, and the queues of its port, filled and
 * emptied by hand. Flows are named by their hash; those used by tests do not meet in the map. */
#ifndef TESTS_FLOW_BENCH_H
#define TESTS_FLOW_BENCH_H
#include "tests/port_fixture.h"

enum { FULL_BYTES = 1514 };

struct bench {
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	void *state;
	struct weir_queue queues[WEIR_QUEUES_MAX];
	uint32_t count; /* queues of the port */
	int64_t now_ns;
};

static inline void bench_open(struct bench *b, const char *spec)
{
	struct weir_mark_layout layout;
	struct weir_error e = { "" };

	memset(b, 0, sizeof(*b));
	if (weir_mark_parse(spec, &b->ops, b->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	b->ops->layout(b->params, &layout);
	b->count = layout.queues;
	b->state = calloc(1, weir_mark_state_size(b->ops, b->params));
	CHECK(b->state != NULL);

	struct weir_mark_env env = {
		.rate_bps = TEN_GBPS, .rtt_ns = 192000, .queues = b->count, .mtu_bytes = FULL_BYTES
	};

	b->ops->init(b->state, b->params, &env);
}

static inline void bench_close(struct bench *b)
{
	free(b->state);
}

/* The queue that a packet is told to take; it is not put there. */
static inline uint32_t choose(struct bench *b, uint32_t flow, uint32_t bytes)
{
	struct weir_mark_view v = { .now_ns = b->now_ns, .flow_hash = flow, .packet_bytes = bytes };
	uint32_t q = b->ops->choose_queue(b->state, b->params, &v, b->queues);

	CHECK(q < b->count);
	return q;
}

static inline uint32_t arrive(struct bench *b, uint32_t flow, uint32_t bytes)
{
	uint32_t q = choose(b, flow, bytes);

	b->queues[q].bytes += bytes;
	b->queues[q].pkts++;
	return q;
}

/* A packet of that flow and size leaves queue q after so long; the verdict. */
static inline uint32_t leave_after(struct bench *b, uint32_t q, uint32_t flow, uint32_t bytes,
				   int64_t sojourn_ns)
{
	struct weir_queue *queue = &b->queues[q];

	CHECK(queue->pkts > 0 && queue->bytes >= bytes);
	queue->bytes -= bytes;
	queue->pkts--;

	struct weir_mark_view v = { .now_ns = b->now_ns,
				    .sojourn_ns = sojourn_ns,
				    .flow_hash = flow,
				    .packet_bytes = bytes,
				    .queue = q,
				    .queue_bytes = queue->bytes,
				    .queue_pkts = queue->pkts };

	return b->ops->dequeue(b->state, b->params, &v);
}

static inline uint32_t leave(struct bench *b, uint32_t q, uint32_t flow, uint32_t bytes)
{
	return leave_after(b, q, flow, bytes, 0);
}

static inline double value(const struct bench *b, const char *name)
{
	for (const struct weir_mark_value *v = b->ops->values; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->read(b->state, b->params);
	test_fail(__FILE__, __LINE__, "no value %s", name);
}

/* So many packets of one size from a flow; returns its queue. */
static inline uint32_t arrive_many(struct bench *b, uint32_t flow, uint32_t bytes, uint32_t pkts)
{
	uint32_t q = arrive(b, flow, bytes);

	for (uint32_t i = 1; i < pkts; i++)
		CHECK_INT(arrive(b, flow, bytes), q);
	return q;
}

/* Flows 1, 2, ... each take a queue; queue q then holds q full packets, the first least. */
static inline void fill_queues(struct bench *b)
{
	for (uint32_t flow = 1; flow < b->count; flow++)
		CHECK_INT(arrive_many(b, flow, FULL_BYTES, flow), flow);
}

static inline void drain(struct bench *b, uint32_t q)
{
	while (b->queues[q].pkts)
		leave(b, q, q, b->queues[q].bytes / b->queues[q].pkts);
}
#endif
