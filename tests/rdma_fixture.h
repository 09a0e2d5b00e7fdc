/* SPDX-License-Identifier: BSD-3-Clause */
/* rdma_fixture.h -- a queue pair on the desk: an RDMA control is called directly, what it is told
 * is written down by hand. The line has 100 Gb/s and the base round trip is 10 us, so that 125000
 * bytes are under way; a packet is 1000 bytes of payload and 50 of headers. Also what every such
 * control must obey. */
#ifndef TESTS_RDMA_FIXTURE_H
#define TESTS_RDMA_FIXTURE_H
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

enum { PAIR_MSS = 1000, PAIR_HEADER = 50, PAIR_RTT_NS = 10 * WEIR_NS_PER_US, PAIR_BDP = 125000 };

#define PAIR_RATE_BPS UINT64_C(100000000000)
#define PAIR_MIN_BPS UINT64_C(100000000)

struct pair {
	const struct weir_cc_ops *ops;
	struct weir_cc_env env;
	struct weir_cc_ack ack; /* the last one */
	struct weir_cc_hop hops[WEIR_CC_HOPS_MAX];
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[WEIR_CC_STATE_MAX];
};

static inline const struct weir_cc_pace *pace(const struct pair *q)
{
	return (const struct weir_cc_pace *)(const void *)q->state;
}

static inline void pair_reset(struct pair *q)
{
	memset(q->state, 0, sizeof(q->state));
	memset(q->hops, 0, sizeof(q->hops));
	q->ack = (struct weir_cc_ack){ .hops = q->hops };
	q->ops->init(q->state, q->params, &q->env);
}

static inline void pair_make(struct pair *q, const char *spec)
{
	struct weir_error e = { "" };

	memset(q, 0, sizeof(*q));
	if (weir_cc_parse(spec, &q->ops, q->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(q->ops->transport == WEIR_CC_RDMA);
	CHECK(q->ops->state_size <= WEIR_CC_STATE_MAX);
	q->env = (struct weir_cc_env){ .mss_bytes = PAIR_MSS,
				       .header_bytes = PAIR_HEADER,
				       .hops = 2,
				       .rate_bps = PAIR_RATE_BPS,
				       .min_rate_bps = PAIR_MIN_BPS,
				       .base_rtt_ns = PAIR_RTT_NS,
				       .bdp_bytes = PAIR_BDP };
	pair_reset(q);
}

/* So many bytes more are acknowledged; what the base round trip holds is under way behind them. */
static inline void pair_acked(struct pair *q, uint64_t bytes)
{
	q->ack.hops = q->hops;
	q->ack.acked_bytes = bytes;
	q->ack.una_bytes += bytes;
	if (q->ack.next_bytes < q->ack.una_bytes + PAIR_BDP)
		q->ack.next_bytes = q->ack.una_bytes + PAIR_BDP;
	q->ops->ack(q->state, q->params, &q->env, &q->ack);
}

/* Everything that was under way is acknowledged, and a packet more: the round trip is over. */
static inline void pair_round(struct pair *q)
{
	pair_acked(q, q->ack.next_bytes - q->ack.una_bytes + PAIR_MSS);
}

static inline void pair_event(struct pair *q, enum weir_cc_event event)
{
	q->ops->congestion(q->state, q->params, &q->env, event, &q->ack);
}

/* --- what every control must obey --- */

struct pair_life {
	struct weir_rng rng;
	uint64_t hash;
};

/* Anything a network may write, and a little more: links that change, counters that wrap, packets
 * that overtake each other. */
static inline void pair_stamp(struct pair_life *l, struct pair *q)
{
	q->ack.hop_count = (uint32_t)weir_rng_below(&l->rng, WEIR_CC_HOPS_MAX + 1);
	for (uint32_t i = 0; i < q->ack.hop_count; i++) {
		struct weir_cc_hop *h = &q->hops[i];

		if (weir_rng_below(&l->rng, 100) == 0)
			h->link++;
		h->rate_mbps =
			weir_rng_below(&l->rng, 50) ? 100000 : (uint32_t)weir_rng_below(&l->rng, 3);
		h->queue_bytes = (uint32_t)weir_rng_below(&l->rng, 2) *
				 (uint32_t)(weir_mix64(l->hash) >> 40);
		h->tx_bytes += (uint32_t)weir_rng_below(&l->rng, 100000);
		h->time_ns +=
			(uint32_t)weir_rng_below(&l->rng, 5000) * (weir_rng_below(&l->rng, 90) > 0);
		if (weir_rng_below(&l->rng, 100) == 0)
			h->time_ns = (uint32_t)weir_mix64(l->hash + i);
	}
}

static inline void pair_happens(struct pair_life *l, struct pair *q)
{
	uint64_t what = weir_rng_below(&l->rng, 50);

	if (what == 0 && q->ops->congestion)
		pair_event(q, weir_rng_below(&l->rng, 2) ? WEIR_CC_LOSS : WEIR_CC_TIMEOUT);
	else if (what < 5 && q->ops->cnp)
		q->ops->cnp(q->state, q->params, &q->env, q->ack.now_ns);
	else if (what < 10 && q->ops->sent)
		q->ops->sent(q->state, q->params, &q->env, PAIR_MSS + PAIR_HEADER, q->ack.now_ns);
	else
		pair_acked(q, weir_rng_below(&l->rng, 4) ? PAIR_MSS
							 : weir_rng_below(&l->rng, 2 * PAIR_BDP));
}

static inline void pair_step(struct pair_life *l, struct pair *q)
{
	struct weir_cc_pace *p = (struct weir_cc_pace *)(void *)q->state;

	q->ack.now_ns += (int64_t)weir_rng_below(&l->rng, 20000);
	q->ack.rtt_ns = (int64_t)(weir_rng_below(&l->rng, 3) * weir_rng_below(&l->rng, 700000));
	q->ack.echo = (uint32_t)weir_rng_below(&l->rng, 2);
	pair_stamp(l, q);
	if (q->ops->timer && p->wake_ns > 0 && p->wake_ns <= q->ack.now_ns) {
		p->wake_ns = 0;
		q->ops->timer(q->state, q->params, &q->env, q->ack.now_ns);
	}
	pair_happens(l, q);
	CHECK(p->rate_bps >= q->env.min_rate_bps && p->rate_bps > 0);
	CHECK(p->rate_bps <= q->env.rate_bps);
	CHECK(p->window_bytes >= q->env.mss_bytes);
	CHECK(p->window_bytes == WEIR_CC_NO_WINDOW || p->window_bytes < UINT64_C(1) << 50);
	CHECK(p->wake_ns >= 0);
	l->hash = weir_hash64(weir_hash64(l->hash, p->rate_bps), p->window_bytes);
	for (size_t at = q->ops->state_size; at < sizeof(q->state); at++)
		CHECK_INT(q->state[at], 0);
}

static inline uint64_t pair_hash(struct pair *q, uint64_t seed, int steps)
{
	struct pair_life l = { weir_rng_make(seed, 0, WEIR_RNG_TEST), 0 };

	for (int i = 0; i < steps; i++)
		pair_step(&l, q);
	return l.hash;
}

/* Rates and windows in bounds, the same twice, and two pairs do not see each other. */
static inline void pair_check_contract(const char *spec)
{
	struct pair_life l = { weir_rng_make(1, 0, WEIR_RNG_TEST), 0 },
			 k = { weir_rng_make(2, 0, WEIR_RNG_TEST), 0 };
	struct pair a, b;
	uint64_t alone;

	pair_make(&a, spec);
	CHECK(pace(&a)->rate_bps == PAIR_RATE_BPS); /* a queue pair starts at line rate */
	alone = pair_hash(&a, 1, 5000);
	pair_make(&a, spec);
	pair_make(&b, spec);
	for (int n = 0; n < 5000; n++) {
		pair_step(&l, &a);
		pair_step(&k, &b);
	}
	CHECK(l.hash == alone);
	CHECK(k.hash != alone);
}

/* Every option at both ends of its range, with a floor for the rate and without, with tiny
 * packets. */
static inline void pair_check_extremes(const char *name)
{
	const struct weir_cc_ops *ops = weir_cc_find(name);

	for (const struct weir_option *o = ops->scheme.options; o->name; o++) {
		uint64_t ends[] = { o->min, o->type == WEIR_OPT_CHOICE ? 1 : o->max };

		for (int k = 0; k < 2; k++) {
			struct weir_option alone = *o;
			char value[64], spec[128];
			struct pair q;

			alone.offset = 0;
			weir_option_format(value, sizeof(value), &alone, &ends[k]);
			snprintf(spec, sizeof(spec), "%s(%s=%s)", name, o->name, value);
			pair_make(&q, spec);
			pair_hash(&q, 5, 2000);
			q.env.min_rate_bps = 0;
			q.env.mss_bytes = 1;
			q.env.header_bytes = 0;
			pair_reset(&q);
			pair_hash(&q, 6, 2000);
		}
	}
}
#endif
