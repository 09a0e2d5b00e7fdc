/* SPDX-License-Identifier: BSD-3-Clause */
/* pair.h -- a queue pair as an RDMA transport would hold it, for tests that call its control
 * directly. */
#ifndef TESTS_PAIR_H
#define TESTS_PAIR_H
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MTU = 1000, MBPS = 1000 * 1000, RTT_NS = 8 * WEIR_NS_PER_US };

#define GBPS UINT64_C(1000000000)
#define US(n) ((int64_t)(n)*WEIR_NS_PER_US)

/* A queue pair as a transport would hold it; its timer is called when it asks for it. */
struct pair {
	const struct weir_cc_ops *ops;
	struct weir_cc_env env;
	struct weir_cc_ack ack; /* the last one */
	int64_t now_ns;
	int timer_calls;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[WEIR_CC_STATE_MAX];
};

static inline struct weir_cc_pace *pace(struct pair *q)
{
	return (struct weir_cc_pace *)(void *)q->state;
}

static inline uint64_t mbps(struct pair *q)
{
	return pace(q)->rate_bps / MBPS;
}

static inline void pair_reset(struct pair *q)
{
	memset(q->state, 0, sizeof(q->state));
	q->ack = (struct weir_cc_ack){ .may_grow = 1 };
	q->now_ns = 0;
	q->timer_calls = 0;
	q->ops->init(q->state, q->params, &q->env);
}

static inline void pair_make(struct pair *q, const char *spec, uint64_t rate_bps)
{
	struct weir_error e = { "" };

	if (weir_cc_parse(spec, &q->ops, q->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(q->ops->state_size <= WEIR_CC_STATE_MAX);
	CHECK_INT(q->ops->transport, WEIR_CC_RDMA);
	q->env = (struct weir_cc_env){ .mss_bytes = MTU,
				       .header_bytes = 48,
				       .rate_bps = rate_bps,
				       .min_rate_bps = 100 * MBPS,
				       .base_rtt_ns = RTT_NS,
				       .bdp_bytes = weir_bps_times_ns_to_bytes(rate_bps, RTT_NS) };
	pair_reset(q);
}

/* Time passes, up to now_ns and with it. */
static inline void run_to(struct pair *q, int64_t now_ns)
{
	while (pace(q)->wake_ns && pace(q)->wake_ns <= now_ns) {
		CHECK(pace(q)->wake_ns > q->now_ns);
		q->now_ns = pace(q)->wake_ns;
		q->timer_calls++;
		pace(q)->wake_ns = 0;
		q->ops->timer(q->state, q->params, &q->env, q->now_ns);
	}
	q->now_ns = now_ns;
}

static inline void cnp_at(struct pair *q, int64_t now_ns)
{
	run_to(q, now_ns);
	q->ops->cnp(q->state, q->params, &q->env, now_ns);
}

static inline void send_now(struct pair *q, uint64_t bytes)
{
	for (; bytes; bytes -= MTU)
		q->ops->sent(q->state, q->params, &q->env, MTU, q->now_ns);
}

static inline void acked(struct pair *q, uint64_t packets, uint32_t echo)
{
	q->ack.acked_bytes = packets * MTU;
	q->ack.una_bytes += packets * MTU;
	q->ack.echo = echo;
	if (q->ops->ack)
		q->ops->ack(q->state, q->params, &q->env, &q->ack);
}
#endif
