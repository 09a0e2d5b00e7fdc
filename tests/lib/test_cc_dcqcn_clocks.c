/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_dcqcn_clocks.c -- dcqcn against clocks that tick, and what it and dctcp-rdma owe whoever
 * calls them. */
#include "tests/pair.h"

/* --- reference: every clock ticks, in floating point --- */

struct reference {
	int polled, clamps;
	int64_t alpha_timer_ns, interval_ns, increase_ns;
	double counter_bytes, g, additive, hyper, line, least;
	int threshold;
	double rate, target, alpha, bytes;
	int64_t next_alpha_ns, next_look_ns, next_round_ns, last_cut_ns;
	int started, alpha_bit, rate_bit, t, bc;
};

static void reference_cut(struct reference *r, int64_t now_ns)
{
	if (r->clamps || r->t > 0 || r->bc > 0)
		r->target = r->rate;
	r->rate = fmax(r->rate * (1 - r->alpha / 2), r->least);
	r->t = r->bc = 0;
	r->bytes = 0;
	r->rate_bit = 0;
	r->next_round_ns = now_ns + r->increase_ns;
	r->last_cut_ns = now_ns;
	if (!r->polled)
		r->alpha = (1 - r->g) * r->alpha + r->g;
}

static void reference_round(struct reference *r)
{
	int most = r->t > r->bc ? r->t : r->bc, least = r->t < r->bc ? r->t : r->bc;

	if (isinf(r->counter_bytes))
		most = least = r->t;
	if (least > r->threshold)
		r->target += r->hyper;
	else if (most >= r->threshold)
		r->target += r->additive;
	r->target = fmin(r->target, r->line);
	r->rate = (r->rate + r->target) / 2;
}

static void reference_tick_alpha(struct reference *r)
{
	r->alpha = (1 - r->g) * r->alpha + (r->polled && r->alpha_bit ? r->g : 0);
	r->alpha_bit = 0;
	r->next_alpha_ns += r->alpha_timer_ns;
}

/* Alpha first, then rounds, then looks. */
static void reference_run_to(struct reference *r, int64_t now_ns)
{
	while (r->started) {
		int64_t look_ns = r->polled     ? r->next_look_ns
				  : r->rate_bit ? r->last_cut_ns + r->interval_ns
						: INT64_MAX;

		if (r->next_alpha_ns <= now_ns && r->next_alpha_ns <= r->next_round_ns &&
		    r->next_alpha_ns <= look_ns) {
			reference_tick_alpha(r);
		} else if (r->next_round_ns <= now_ns && r->next_round_ns <= look_ns) {
			reference_round(r);
			r->t++;
			r->next_round_ns += r->increase_ns;
		} else if (look_ns <= now_ns) {
			r->next_look_ns += r->interval_ns;
			if (r->rate_bit)
				reference_cut(r, look_ns);
		} else {
			return;
		}
	}
}

static void reference_cnp(struct reference *r, int64_t now_ns)
{
	int first = !r->started;

	if (first) {
		r->started = 1;
		r->next_round_ns = INT64_MAX;
		r->next_alpha_ns = now_ns + r->alpha_timer_ns;
		r->next_look_ns = now_ns + r->interval_ns + 1;
	}
	r->rate_bit = 1;
	if (r->polled) {
		r->alpha_bit = !first;
		return;
	}
	r->next_alpha_ns = now_ns + r->alpha_timer_ns;
	if (first || now_ns - r->last_cut_ns >= r->interval_ns)
		reference_cut(r, now_ns);
}

static void reference_sent(struct reference *r, double bytes)
{
	r->bytes += bytes;
	if (r->started && r->bytes >= r->counter_bytes) {
		r->bytes -= r->counter_bytes;
		reference_round(r);
		r->bc++;
	}
}

/* The bound: alpha is off by 3e-8 at most, which a cut makes 1.5e-8 of the rate; over all cuts of a
 * life errors of the rate add up and are halved with each round that brings it closer to the
 * line. */
static void check_against_reference(const char *spec, struct reference r, uint64_t seed)
{
	struct weir_rng random = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	double worst = 0, lowest = r.line;
	struct pair q;

	pair_make(&q, spec, (uint64_t)r.line);
	r.rate = r.target = r.line;
	r.alpha = 1;
	for (int i = 0; i < 20000; i++) {
		uint64_t span_ns = (uint64_t)(weir_rng_below(&random, 200) ? US(60) : US(5000));
		uint64_t sends = weir_rng_below(&random, 40);

		run_to(&q, q.now_ns + 1 + (int64_t)weir_rng_below(&random, span_ns));
		reference_run_to(&r, q.now_ns);
		if (weir_rng_below(&random, 5) == 0) {
			q.ops->cnp(q.state, q.params, &q.env, q.now_ns);
			reference_cnp(&r, q.now_ns);
		}
		for (uint64_t k = 0; k < sends; k++) {
			q.ops->sent(q.state, q.params, &q.env, 16 * MTU, q.now_ns);
			reference_sent(&r, 16 * MTU);
		}
		worst = fmax(worst, fabs((double)pace(&q)->rate_bps / r.rate - 1));
		lowest = fmin(lowest, r.rate);
	}
	printf("%s: worst %g, lowest %g Gb/s, %d timer calls\n", spec, worst, lowest / 1e9,
	       q.timer_calls);
	CHECK(worst < 1e-6);
	CHECK(lowest < r.line / 2);
}

TEST(test_dcqcn_agrees_with_clocks_that_tick)
{
	const struct reference paper = { .clamps = 1,
					 .alpha_timer_ns = US(55),
					 .interval_ns = US(50),
					 .increase_ns = US(55),
					 .counter_bytes = 10e6,
					 .g = 1. / 256,
					 .additive = 40e6,
					 .hyper = 200e6,
					 .line = 40e9,
					 .least = 100e6,
					 .threshold = 5 };
	const struct reference hpcc = { .polled = 1,
					.alpha_timer_ns = US(1),
					.interval_ns = US(4),
					.increase_ns = US(300),
					.counter_bytes = INFINITY,
					.g = 1. / 256,
					.additive = 20e6,
					.hyper = 200e6,
					.line = 100e9,
					.least = 100e6,
					.threshold = 1 };
	struct reference mixed = paper;

	check_against_reference("dcqcn(preset=paper)", paper, 1);
	check_against_reference("dcqcn(preset=hpcc)", hpcc, 2);
	mixed.clamps = 0;
	mixed.counter_bytes = 150e3;
	mixed.g = 1. / 16;
	mixed.threshold = 2;
	check_against_reference(
		"dcqcn(preset=paper, clamp-target=no, byte-counter=150KB, g=1/16, fast-recovery=2)",
		mixed, 3);
}

/* --- contract --- */

static const char *const controls[] = { "dcqcn(preset=paper)", "dcqcn(preset=hpcc)", "dctcp-rdma" };

static void random_ack(struct pair *q, struct weir_rng *random)
{
	q->ack.now_ns = q->now_ns;
	q->ack.next_bytes = q->ack.una_bytes + (1 + weir_rng_below(random, 200)) * MTU;
	acked(q, 1, weir_rng_below(random, 8) == 0);
}

/* Whatever comes, in whatever order: rates between the least and the line's, a window of a packet
 * at least, a wake that lies ahead, no notification that raises the rate, and no touch of others'
 * memory. */
static uint64_t obey(struct pair *q, uint64_t seed, int steps)
{
	struct weir_rng random = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	uint64_t hash = 0;

	for (int i = 0; i < steps; i++) {
		run_to(q, q->now_ns + 1 + (int64_t)weir_rng_below(&random, US(80)));
		random_ack(q, &random);
		if (q->ops->sent)
			q->ops->sent(q->state, q->params, &q->env, MTU, q->now_ns);
		if (q->ops->cnp && weir_rng_below(&random, 3) == 0) {
			uint64_t before = pace(q)->rate_bps;

			q->ops->cnp(q->state, q->params, &q->env, q->now_ns);
			CHECK(pace(q)->rate_bps <= before);
		}
		CHECK(pace(q)->rate_bps >= q->env.min_rate_bps);
		CHECK(pace(q)->rate_bps <= q->env.rate_bps);
		CHECK(pace(q)->window_bytes >= q->env.mss_bytes);
		CHECK(pace(q)->wake_ns == 0 || pace(q)->wake_ns > q->now_ns);
		hash = weir_hash64(hash, pace(q)->rate_bps);
		for (size_t at = q->ops->state_size; at < sizeof(q->state); at++)
			CHECK_INT(q->state[at], 0);
	}
	return hash;
}

TEST(test_rdma_ecn_controls_obey_and_are_deterministic)
{
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		struct pair q;
		uint64_t once;

		pair_make(&q, controls[i], 100 * GBPS);
		once = obey(&q, 7, 20000);
		pair_reset(&q);
		CHECK(obey(&q, 7, 20000) == once);
		pair_reset(&q);
		CHECK(obey(&q, 8, 20000) != once);
	}
}

TEST(test_rdma_ecn_controls_survive_the_extremes_of_their_options)
{
	static const char *const openings[] = { "dcqcn(preset=paper, ", "dcqcn(preset=hpcc, ",
						"dctcp-rdma(" };
	int tried = 0;

	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		struct pair q;

		pair_make(&q, controls[i], 400 * GBPS);
		for (const struct weir_option *o = q.ops->scheme.options; o->name; o++) {
			uint64_t extremes[] = { o->min, o->max };
			struct weir_option alone = *o;

			if (o->type == WEIR_OPT_CHOICE)
				continue;
			alone.offset = 0;
			for (int k = 0; k < 2; k++, tried++) {
				char value[64], spec[128];

				weir_option_format(value, sizeof(value), &alone, &extremes[k]);
				snprintf(spec, sizeof(spec), "%s%s=%s)", openings[i], o->name,
					 value);
				pair_make(&q, spec, 400 * GBPS);
				obey(&q, 9, 1000);
				pair_make(&q, spec, 1 * GBPS);
				q.env.min_rate_bps = q.env.rate_bps;
				pair_reset(&q);
				obey(&q, 10, 1000);
			}
		}
	}
	CHECK_INT(tried, 2 * (8 + 8 + 3));
}

/* More notifications, or more marks, never leave a higher rate. */
TEST(test_rdma_ecn_controls_yield_more_to_more_congestion)
{
	uint64_t last[2] = { UINT64_MAX, UINT64_MAX };

	for (int every_us = 3200; every_us >= 50; every_us /= 2) {
		for (size_t i = 0; i < 2; i++) {
			uint64_t sum = 0;
			struct pair q;

			pair_make(&q, controls[i], 100 * GBPS);
			for (int n = 0; n < 500; n++) {
				cnp_at(&q, US(1) + US(every_us) * n);
				sum += pace(&q)->rate_bps / 500;
			}
			CHECK(sum < last[i]);
			last[i] = sum;
		}
	}
	last[0] = UINT64_MAX;
	for (uint64_t marked = 0; marked <= 50; marked += 10) {
		uint64_t sum = 0;
		struct pair q;

		pair_make(&q, "dctcp-rdma", 100 * GBPS);
		for (int n = 0; n < 400; n++) {
			q.ack.next_bytes = q.ack.una_bytes + 100 * MTU;
			if (marked)
				acked(&q, marked, 1);
			acked(&q, 100 - marked, 0);
			sum += pace(&q)->rate_bps / 400;
		}
		CHECK(sum < last[0]);
		last[0] = sum;
	}
}
