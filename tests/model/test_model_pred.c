/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_pred.c -- queues of DCTCP under RED and PRED against the theory and figures of PRED's
 * paper.
 *
 * Du et al., "PRED", NSDI 2025. Everything at 10 Gb/s with links of 20 us on a star, which makes
 * the 80 us of its simulations (section 6.3 and appendix D.5), and frames of 1500 B. Flows are
 * long-lived, one from each sender. */
#include "lib/mark/red_common.h"
#include "tests/sim.h"
#include "weir/model.h"
#include "weir/rng.h"
#include <math.h>

enum { FRAME_BYTES = 1500, ACK_BYTES = 54, DELAY_US = 20, GBPS = 10, MIN_PKTS = 10 };

static void read_incast(struct sim *s, int flows, const char *marking, const char *measure)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = %d\nrate = %dGbps\ndelay = %dus\n"
		 "[switch]\nmarking = %s\nbuffer = 4000pkts\n"
		 "[host]\ncc = dctcp\nmss = %dB\n"
		 "[traffic x]\npattern = many-to-one\nsize = unlimited\nstart = 0us..100us\n"
		 "[measure]\n%s\n",
		 flows + 1, GBPS, DELAY_US, marking, FRAME_BYTES - ACK_BYTES, measure);
}

struct outcome {
	double queue_pkts, use;
};

static struct outcome run_incast(int flows, const char *marking, const char *measure)
{
	struct outcome o;
	struct sim s;

	read_incast(&s, flows, marking, measure);
	sim_run(&s, 1);
	o = (struct outcome){ sim_metric(&s, "queue_mean_pkts"), sim_metric(&s, "utilisation") };
	sim_end(&s);
	return o;
}

/* Of a full packet and its ACK, nothing queued: the paper's d. */
static double base_rtt_ns(void)
{
	return 4.0 * DELAY_US * WEIR_NS_PER_US +
	       2.0 * (FRAME_BYTES + ACK_BYTES) * WEIR_BITS_PER_BYTE / GBPS;
}

static struct weir_model_dctcp model_of(double flows, double slope_per_mb)
{
	return (struct weir_model_dctcp){ .flows = flows,
					  .slope_per_mb = slope_per_mb,
					  .min_bytes = MIN_PKTS * FRAME_BYTES,
					  .rate_bps = GBPS * 1e9,
					  .rtt_ns = base_rtt_ns(),
					  .packet_bytes = FRAME_BYTES };
}

/* --- the solver --- */

/* Both sides of Equation (1) in packets, and of the other one. */
static void check_roots(const struct weir_model_dctcp *m)
{
	double min = m->min_bytes / m->packet_bytes;
	double pipe = m->rate_bps / 8 * m->rtt_ns / 1e9 / m->packet_bytes;
	double lambda = m->slope_per_mb * m->packet_bytes / 1e6;
	double q = weir_model_pred_queue_bytes(m) / m->packet_bytes,
	       right = 2 * m->flows / lambda / lambda;

	CHECK_NEAR((q - min) * (q - min) * (q + pipe), right, 1e-9 * right);
	q = weir_model_dctcp_queue_bytes(m) / m->packet_bytes;
	right = sqrt(2) * m->flows / lambda;
	CHECK_NEAR((q - min) * (q + pipe), right, 1e-9 * right);
}

/* By hand: 10 Gb/s and 81 us are 67.5 packets. With 10 packets of min and lambda 0.1 per packet
 * (66.67 per MB) one flow makes (q - 10)^2 (q + 67.5) = 200: q = 11.59 solves it, 1.59^2 * 79.09 =
 * 199.9. */
TEST(test_equation_1_has_the_root_found_by_hand)
{
	struct weir_model_dctcp m = model_of(1, 1e6 / 15000);

	m.rtt_ns = 81000;
	CHECK_NEAR(weir_model_pred_queue_bytes(&m) / FRAME_BYTES, 11.59, 0.005);
}

TEST(test_roots_put_back_into_their_equations_hold)
{
	struct weir_rng random = weir_rng_make(1, 0, WEIR_RNG_TEST);

	for (int i = 0; i < 20000; i++) {
		struct weir_model_dctcp m = {
			.flows = exp(10 * weir_rng_unit(&random)),
			.slope_per_mb = exp(20 * weir_rng_unit(&random) - 8),
			.min_bytes =
				i % 7 ? 1e6 * weir_rng_unit(&random) * weir_rng_unit(&random) : 0,
			.rate_bps = exp(14 + 14 * weir_rng_unit(&random)),
			.rtt_ns = exp(7 + 12 * weir_rng_unit(&random)),
			.packet_bytes = 64 + 9000 * weir_rng_unit(&random),
		};

		/* Far above the queue itself, min would leave no digits for it. */
		if (weir_model_dctcp_queue_bytes(&m) > 1e-3 * m.min_bytes + m.min_bytes)
			check_roots(&m);
	}
}

/* More flows, a longer queue; a steeper slope, a shorter one. In bytes it does not matter how they
 * are cut into packets, as long as a window is worth as many. */
TEST(test_queues_grow_with_flows_and_shrink_with_the_slope)
{
	double (*const models[])(const struct weir_model_dctcp *) = {
		weir_model_pred_queue_bytes, weir_model_dctcp_queue_bytes
	};

	for (size_t i = 0; i < 2; i++) {
		double before = 0;

		for (double n = 1; n < 2000; n *= 1.1) {
			struct weir_model_dctcp m = model_of(n, 0.7);

			CHECK(models[i](&m) > before);
			before = models[i](&m);
		}
		for (double slope = 0.01; slope < 1e5; slope *= 1.1) {
			struct weir_model_dctcp m = model_of(20, slope);

			CHECK(slope < 0.011 || models[i](&m) < before);
			CHECK(models[i](&m) > m.min_bytes);
			before = models[i](&m);
		}
	}
}

/* --- Equation (1) against simulated queues --- */

/* RED as it is: packets are marked one by one. The queue is far shorter than Equation (1) says,
 * because DCTCP answers the first mark of a window and Equation (1) wants all of a window marked or
 * none (model.h). With that taken into account theory and simulation agree. */
static void check_red(double slope_per_mb)
{
	for (int flows = 2; flows <= 5; flows++) {
		struct weir_model_dctcp m = model_of(flows, slope_per_mb);
		double equation = weir_model_pred_queue_bytes(&m) / FRAME_BYTES;
		double once = weir_model_dctcp_queue_bytes(&m) / FRAME_BYTES;
		struct outcome o;
		char marking[96];

		snprintf(marking, sizeof(marking), "red(min=%dB, max=4MB, slope=%g)",
			 MIN_PKTS * FRAME_BYTES, slope_per_mb);
		o = run_incast(flows, marking, "from = 50ms\nto = 150ms");
		printf("slope %g, %d flows: %.1f pkts; Equation (1) %.1f, "
		       "ratio %.2f; a cut a window %.1f, ratio %.3f\n",
		       slope_per_mb, flows, o.queue_pkts, equation, o.queue_pkts / equation, once,
		       o.queue_pkts / once);
		CHECK_NEAR(o.queue_pkts, once, 0.05 * once);
		CHECK(o.queue_pkts - MIN_PKTS < 0.35 * (equation - MIN_PKTS));
	}
}

TEST(test_queue_under_red_is_that_of_one_cut_a_window)
{
	check_red(0.2);
	check_red(1);
	check_red(5);
}

/* RED that decides once a round trip for all of its packets: what Equation (1) speaks of. */
struct sync_params {
	uint64_t min_bytes, slope_q32;
	int64_t rtt_ns;
};

struct sync_state {
	struct weir_rng rng;
	int64_t until_ns;
	uint32_t verdict;
};

static void sync_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct sync_state *s = state;

	(void)params;
	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
}

static uint32_t sync_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct sync_state *s = state;
	const struct sync_params *p = params;

	if (v->now_ns < s->until_ns)
		return s->verdict;
	s->until_ns = v->now_ns + p->rtt_ns + v->queue_bytes * WEIR_BITS_PER_BYTE / GBPS;
	s->verdict = v->queue_bytes > p->min_bytes &&
				     ramp_hits(weir_rng_u32(&s->rng), p->slope_q32,
					       v->queue_bytes - p->min_bytes, RAMP_BYTES_PER_MB)
			     ? WEIR_MARK_CE
			     : WEIR_MARK_PASS;
	return s->verdict;
}

static const struct weir_mark_ops mark_sync = {
	.scheme = {
		.name = "sync",
		.params_size = sizeof(struct sync_params),
	},
	.state_size = sizeof(struct sync_state),
	.reasons = { "round" },
	.init = sync_init,
	.enqueue = sync_enqueue,
};

/* There are few independent draws, one in a round trip: a single ratio varies by 5 %. */
TEST(test_equation_1_holds_where_whole_round_trips_are_marked)
{
	double sum = 0;

	for (int flows = 2; flows <= 5; flows++) {
		struct weir_model_dctcp m = model_of(flows, 1);
		double equation = weir_model_pred_queue_bytes(&m) / FRAME_BYTES, got;
		const struct sync_params params = { MIN_PKTS * FRAME_BYTES, WEIR_ONE_Q32,
						    (int64_t)base_rtt_ns() };
		struct sim s;

		read_incast(&s, flows, "none", "from = 50ms\nto = 450ms");
		s.c.mark = &mark_sync;
		memcpy(s.c.mark_params, &params, sizeof(params));
		sim_run(&s, 1);
		got = sim_metric(&s, "queue_mean_pkts");
		printf("%d flows: %.1f pkts; Equation (1) %.1f, ratio %.3f\n", flows, got, equation,
		       got / equation);
		sim_end(&s);
		CHECK_NEAR(got, equation, 0.2 * equation);
		sum += got / equation;
	}
	CHECK_NEAR(sum / 4, 1, 0.1);
}

/* --- f(N), section 6.2 --- */

static struct outcome run_fcs(int flows, const char *f, double lambda, const char *more)
{
	struct outcome o;
	char marking[128];

	snprintf(marking, sizeof(marking), "pred(parts=fcs, f=%s, lambda=%g%s)", f, lambda, more);
	o = run_incast(flows, marking, "from = 20ms\nto = 70ms");
	printf("f = %s%s, %2d flows: %.1f pkts, use %.4f\n", f, more, flows, o.queue_pkts, o.use);
	return o;
}

/* sqrt(N), which would hold the queue of Equation (1), does not: (q - min) (q + C d) = sqrt(2)
 * sqrt(N) / 0.2 still grows. The paper sees that from 5 flows on. */
TEST(test_queue_under_root_n_grows_with_the_flows)
{
	struct outcome two = run_fcs(2, "sqrt", 0.2, ""), five = run_fcs(5, "sqrt", 0.2, "");
	struct outcome ten = run_fcs(10, "sqrt", 0.2, ""), twenty = run_fcs(20, "sqrt", 0.2, "");

	CHECK(five.queue_pkts > 1.2 * two.queue_pkts);
	CHECK(ten.queue_pkts > 1.2 * five.queue_pkts);
	CHECK(twenty.queue_pkts > 1.15 * ten.queue_pkts);
	CHECK(twenty.use > 0.999);
}

/* N holds it, as long as N is counted right: behind 75 packets a round trip takes 170 us, so that
 * flows are counted for 200 us here. */
TEST(test_queue_under_n_does_not_depend_on_the_flows)
{
	static const int flows[] = { 3, 4, 5, 8, 10, 15, 20 };
	struct outcome two = run_fcs(2, "n", 0.1, ", t-fcs=200us");

	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		struct outcome o = run_fcs(flows[i], "n", 0.1, ", t-fcs=200us");

		CHECK_NEAR(o.queue_pkts, two.queue_pkts, 0.12 * two.queue_pkts);
		CHECK(o.use > 0.999);
	}
}

/* With 1.25 base round-trip times too few flows are counted in that queue, and it grows a little,
 * though far less than under sqrt(N). */
TEST(test_queue_under_n_grows_a_little_where_the_queue_outlasts_the_count)
{
	struct outcome two = run_fcs(2, "n", 0.1, ""), twenty = run_fcs(20, "n", 0.1, "");

	CHECK(twenty.queue_pkts > 1.15 * two.queue_pkts);
	CHECK(twenty.queue_pkts < 1.35 * two.queue_pkts);
}

/* N^2 overdoes it: the queue falls, and at 32 flows (the end of PRED's range, appendix D.6) the
 * line is no longer kept busy. */
TEST(test_queue_under_n_squared_falls_and_the_line_runs_idle)
{
	struct outcome two = run_fcs(2, "n2", 0.05, ""), five = run_fcs(5, "n2", 0.05, "");
	struct outcome twenty = run_fcs(20, "n2", 0.05, ""), most = run_fcs(32, "n2", 0.05, "");

	CHECK(five.queue_pkts < 0.7 * two.queue_pkts);
	CHECK(twenty.queue_pkts < 0.5 * five.queue_pkts);
	CHECK(two.use > 0.999 && most.use < 0.99);
	CHECK(run_fcs(32, "n", 0.1, "").use > 0.999);
}

/* --- both parts, section 6.3.2 --- */

/* 16 flows: from lambda = 0.7 FCS alone keeps about 23 packets, PRED comes down to 15, which is
 * q-left; from 3, where it starts by itself, FCS is there already. */
TEST(test_pred_ends_with_a_shorter_queue_than_fcs_alone)
{
	const char *late = "from = 900ms\nto = 1s";
	struct outcome fcs = run_incast(16, "pred(lambda=0.7, parts=fcs)", late);
	struct outcome both = run_incast(16, "pred(lambda=0.7)", late);
	struct outcome begun = run_incast(16, "pred", late);

	printf("16 flows: FCS %.1f pkts, use %.4f; PRED %.1f pkts, use %.4f\n", fcs.queue_pkts,
	       fcs.use, both.queue_pkts, both.use);
	CHECK_NEAR(fcs.queue_pkts, 23, 2);
	CHECK_NEAR(both.queue_pkts, 15, 2);
	CHECK_NEAR(begun.queue_pkts, 15, 2);
	CHECK(fcs.use > 0.999 && both.use > 0.999);
}

/* From a lambda that is much too small, trials of 5 round-trip times lead QLA astray, those of 40
 * do not: see qla.c. */
TEST(test_qla_needs_trials_that_outlast_the_answer_of_the_senders)
{
	const char *late = "from = 450ms\nto = 500ms";
	struct outcome fcs = run_incast(16, "pred(lambda=0.1, parts=fcs)", late);
	struct outcome hasty = run_incast(16, "pred(lambda=0.1)", late);
	struct outcome patient = run_incast(16, "pred(lambda=0.1, t-qla=3.2ms)", late);

	printf("16 flows from lambda 0.1: FCS %.1f pkts, 5 round trips %.1f, 40 round trips %.1f\n",
	       fcs.queue_pkts, hasty.queue_pkts, patient.queue_pkts);
	CHECK(hasty.queue_pkts > 1.5 * fcs.queue_pkts);
	CHECK(patient.queue_pkts < 0.3 * fcs.queue_pkts);
}

/* --- T_FCS, appendix D.5 --- */

/* The mean of N over time, looked at every 10 us. */
static double mean_flows(int flows, double round_trips)
{
	double sum = 0;
	uint32_t count = 0;
	char marking[96];
	struct sim s;

	snprintf(marking, sizeof(marking), "pred(parts=fcs, lambda=0.7, t-fcs=%.0fus)",
		 80 * round_trips);
	read_incast(&s, flows, marking, "from = 20ms\nto = 50ms\nprobe = scheme sw->h0 every 10us");
	sim_run(&s, 1);
	CHECK(s.r.series_count > 0);
	CHECK_STR(s.r.series[0].name, "N sw->h0");
	for (uint32_t i = 0; i < s.r.series[0].count; i++) {
		if (s.r.series[0].time_ps[i] < 20 * WEIR_NS_PER_MS * (int64_t)WEIR_PS_PER_NS)
			continue;
		sum += s.r.series[0].value[i];
		count++;
	}
	sim_end(&s);
	CHECK(count > 1000);
	printf("%d flows, T_FCS %g round-trip times: N is %.2f in the mean\n", flows, round_trips,
	       sum / count);
	return sum / count;
}

/* Figure 25: 18 flows. What is counted too much in the last case are conflicts of place. */
TEST(test_flows_are_counted_right_from_one_and_a_quarter_round_trips_on)
{
	CHECK(mean_flows(18, 0.25) < 6);
	CHECK(mean_flows(18, 0.5) < 9);
	CHECK(mean_flows(18, 1) < 15);
	CHECK_NEAR(mean_flows(18, 1.25), 18, 0.9);
	CHECK_NEAR(mean_flows(18, 2), 18, 0.9);
}
