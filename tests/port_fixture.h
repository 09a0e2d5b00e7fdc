/* SPDX-License-Identifier: BSD-3-Clause */
/* port_fixture.h -- a port on the workbench: no simulator, the test is its clock and its line. */
#ifndef TESTS_PORT_FIXTURE_H
#define TESTS_PORT_FIXTURE_H
#include "tests/test.h"
#include "weir/port_inline.h"
#include <stdlib.h>
#include <string.h>

/* 800 ps a byte. */
#define TEN_GBPS (UINT64_C(10) * 1000 * 1000 * 1000)

struct fixture {
	struct weir_packet_store store;
	struct weir_packet_pool pool;
	struct weir_port_class class;
	struct weir_port *port;
};

/* One queue at 10 Gb/s that never marks, drops or is full. */
static inline struct weir_port_plan fixture_plan(void)
{
	struct weir_port_plan plan = {
		.rate_bps = TEN_GBPS,
		.queues = 1,
		.mark = weir_mark_find("none"),
		.mtu_bytes = 1514,
	};

	weir_buffer_params_init(&plan.buffer, WEIR_BUFFER_PER_PORT,
				1000000 | WEIR_LENGTH_IN_PACKETS, WEIR_ONE_Q32);
	return plan;
}

static inline void fixture_limit(struct weir_port_plan *plan, enum weir_buffer_scope scope,
				 uint64_t length)
{
	weir_buffer_params_init(&plan->buffer, scope, length, WEIR_ONE_Q32);
}

/* Schemes with options; what they were read into must outlive the port. */
struct fixture_params {
	_Alignas(8) unsigned char mark[WEIR_SPEC_PARAMS_MAX], sched[WEIR_SPEC_PARAMS_MAX];
};

static inline void fixture_schemes(struct weir_port_plan *plan, struct fixture_params *params,
				   const char *marking, const char *scheduler)
{
	struct weir_error e = { "" };

	if (weir_mark_parse(marking, &plan->mark, params->mark, &e) ||
	    weir_sched_parse(scheduler, plan->queues, &plan->sched, params->sched, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	plan->mark_params = params->mark;
	plan->sched_params = params->sched;
}

static inline void fixture_open(struct fixture *d, const struct weir_port_plan *plan,
				struct weir_shared_buffer *pool)
{
	CHECK_INT(weir_packet_store_init(&d->store, 1 << 16), 0);
	weir_packet_pool_init(&d->pool, &d->store);
	weir_port_class_init(&d->class, plan);
	d->port = aligned_alloc(64, (d->class.size + 63) & ~UINT32_C(63));
	CHECK(d->port != NULL);
	memset(d->port, 0, d->class.size);
	weir_port_init(d->port, &d->class, pool, 1);
}

static inline void fixture_close(struct fixture *d)
{
	free(d->port);
	weir_packet_store_free(&d->store);
}

static inline struct weir_packet fixture_packet(uint32_t bytes)
{
	return (struct weir_packet){ .bytes = (uint16_t)bytes, .flags = WEIR_PACKET_ECT };
}

/* Everything that may start by now_ps starts; returns how many packets were sent. */
static inline uint32_t fixture_catch_up(struct fixture *d, int64_t now_ps)
{
	uint32_t sent = 0;

	while (d->port->pkts && d->port->free_ps <= now_ps)
		sent += weir_port_next(d->port, &d->pool) != NULL;
	return sent;
}

/* A packet comes at now_ps, after everything that could start by then. */
static inline int fixture_offer(struct fixture *d, struct weir_packet *packet, int64_t now_ps)
{
	fixture_catch_up(d, now_ps);
	return weir_port_offer(d->port, &d->pool, packet, now_ps);
}

static inline int fixture_offer_bytes(struct fixture *d, uint32_t bytes, int64_t now_ps)
{
	struct weir_packet packet = fixture_packet(bytes);

	return fixture_offer(d, &packet, now_ps);
}

/* Offers of packets of one size and class until one is refused; returns how many were taken. */
static inline uint32_t fixture_fill(struct fixture *d, uint32_t bytes, uint8_t class_id,
				    int64_t now_ps)
{
	struct weir_packet packet = fixture_packet(bytes);
	uint32_t taken = 0;

	packet.class_id = class_id;
	while (fixture_offer(d, &packet, now_ps) != WEIR_PORT_DROPPED) {
		CHECK(++taken < 10000);
		packet.flags = WEIR_PACKET_ECT;
	}
	return taken;
}

static inline uint64_t fixture_drops(const struct fixture *d)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WEIR_PORT_DROPS; i++)
		sum += d->port->cold->drops[i];
	return sum;
}
#endif
