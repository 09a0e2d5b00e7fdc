/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark.c -- marking schemes: worked examples by hand, references in floating point,
 * contract. */
#include "tests/test.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_MAX = 128 };

/* One instance of a scheme, as an owner would hold it. */
struct marker {
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[STATE_MAX];
};

static const struct weir_mark_env env_10g = {
	.seed = 7, .rate_bps = 10000000000, .queues = 1, .mtu_bytes = 1500
};

static void marker_reset(struct marker *m, const struct weir_mark_env *env)
{
	CHECK(m->ops->state_size <= sizeof(m->state));
	memset(m->state, 0, sizeof(m->state));
	if (m->ops->init)
		m->ops->init(m->state, m->params, env);
}

static void marker_make(struct marker *m, const char *spec)
{
	struct weir_error e = { "" };

	if (weir_mark_parse(spec, &m->ops, m->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	marker_reset(m, &env_10g);
}

static uint32_t at_enqueue(struct marker *m, const struct weir_mark_view *v)
{
	return m->ops->enqueue ? m->ops->enqueue(m->state, m->params, v) : WEIR_MARK_PASS;
}

static uint32_t at_dequeue(struct marker *m, const struct weir_mark_view *v)
{
	return m->ops->dequeue ? m->ops->dequeue(m->state, m->params, v) : WEIR_MARK_PASS;
}

static const char *mark_refusal(const char *spec, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_mark_ops *ops;

	if (weir_mark_parse(spec, &ops, params, e) != -1)
		test_fail(__FILE__, __LINE__, "'%s' was accepted", spec);
	return e->text;
}

/* --- none, ecn, tcn --- */

TEST(test_none_never_marks)
{
	struct marker m;

	marker_make(&m, "none");
	CHECK(m.ops->enqueue == NULL && m.ops->dequeue == NULL);
	CHECK_INT(weir_mark_needs(m.ops, m.params), 0);
}

TEST(test_ecn_marks_at_and_above_k)
{
	struct weir_mark_view v = { .queue_bytes = 1 << 30 };
	struct marker m;

	marker_make(&m, "ecn(k=70pkts)");
	v.queue_pkts = 69;
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
	v.queue_pkts = 70;
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_CE);
	CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_PASS);
	marker_make(&m, "ecn(k=30KB)");
	v.queue_bytes = 29999;
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
	v.queue_bytes = 30000;
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_CE);
}

TEST(test_ecn_sees_the_length_of_its_scope_only)
{
	struct weir_mark_view v = { .queue_pkts = 5,
				    .port_pkts = 50,
				    .shared_buffer_bytes = 500,
				    .queue_bytes = 7,
				    .port_bytes = 70 };
	struct marker m;

	marker_make(&m, "ecn(k=6pkts, scope=queue)");
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
	marker_make(&m, "ecn(k=50pkts, scope=port)");
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_CE);
	marker_make(&m, "ecn(k=71B, scope=port)");
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
	marker_make(&m, "ecn(k=500B, scope=pool)");
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_CE);
	v.shared_buffer_bytes = 499;
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
}

TEST(test_ecn_at_dequeue_leaves_arrivals_alone)
{
	struct weir_mark_view v = { .queue_pkts = 100 };
	struct marker m;

	marker_make(&m, "ecn(k=70pkts, at=dequeue)");
	CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
	CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_CE);
}

TEST(test_schemes_ask_only_for_what_they_use)
{
	static const struct {
		const char *spec;
		uint32_t needs;
	} cases[] = {
		{ "ecn", WEIR_MARK_NEEDS_ENQUEUE },
		{ "ecn(at=dequeue)", WEIR_MARK_NEEDS_DEQUEUE },
		{ "ecn(k=1MB, scope=pool)",
		  WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_SHARED_BUFFER },
		{ "red", WEIR_MARK_NEEDS_ENQUEUE },
		{ "red(weight=1/512)", WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_DEQUEUE },
		{ "tcn", WEIR_MARK_NEEDS_DEQUEUE },
		{ "codel", WEIR_MARK_NEEDS_DEQUEUE },
	};
	struct marker m;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		marker_make(&m, cases[i].spec);
		CHECK_INT(weir_mark_needs(m.ops, m.params), cases[i].needs);
	}
}

/* CoNEXT 2016, section 4.1: iff the sojourn time exceeds the threshold. */
TEST(test_tcn_marks_only_above_threshold)
{
	struct weir_mark_view v = { .queue_pkts = 1000, .sojourn_ns = 78000 };
	struct marker m;

	marker_make(&m, "tcn(threshold=78us)");
	CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_PASS);
	v.sojourn_ns = 78001;
	v.queue_pkts = 0;
	CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_CE);
	CHECK(m.ops->enqueue == NULL);
}

TEST(test_contradicting_options_are_refused)
{
	static const char *const cases[][2] = {
		{ "ecn(scope=pool)",
		  "ecn: k is in packets, but scope=pool counts bytes; write it as in k=100KB" },
		{ "red(min=5pkts)", "red: min and max must both be in bytes or both in packets" },
		{ "red(min=201KB)", "red: min is above max" },
		{ "red(min=1pkts, max=9pkts, slope=1)",
		  "red: slope is per MB, so min and max must be in bytes" },
		{ "red(p=2%, slope=1)",
		  "red: p and slope are two ways to give the marking probability; give one" },
		{ "red(scope=port, weight=1/2)",
		  "red: an average is kept per queue; scope=port needs weight=1" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(mark_refusal(cases[i][0], &e), cases[i][1]);
}

/* --- codel: RFC 8289 --- */

/* Dequeues at a time, a packet that waited so long, with a long queue behind it. */
static uint32_t codel_at(struct marker *m, int64_t now_ns, int64_t sojourn_ns)
{
	struct weir_mark_view v = { .now_ns = now_ns,
				    .sojourn_ns = sojourn_ns,
				    .queue_bytes = 100000 };

	return at_dequeue(m, &v);
}

#define MS ((int64_t)WEIR_NS_PER_MS)

/* By hand, interval 100 ms: above target from 0 on, so the first mark at 100, the second an
 * interval later, then 100 / sqrt 2 = 70.710678, 100 / sqrt 3 = 57.735026, 100 / sqrt 4 = 50. */
TEST(test_codel_marks_faster_by_the_control_law)
{
	static const int64_t due_ns[] = { 100000000, 200000000, 270710678, 328445704, 378445704 };
	struct marker m;

	marker_make(&m, "codel(target=5ms, interval=100ms)");
	CHECK_INT(codel_at(&m, 0, 5 * MS), WEIR_MARK_PASS);
	for (size_t i = 0; i < sizeof(due_ns) / sizeof(due_ns[0]); i++) {
		CHECK_INT(codel_at(&m, due_ns[i] - 1, 6 * MS), WEIR_MARK_PASS);
		CHECK_INT(codel_at(&m, due_ns[i], 6 * MS), WEIR_MARK_CE);
	}
}

TEST(test_codel_needs_a_whole_interval_above_target)
{
	struct marker m;

	marker_make(&m, "codel(target=5ms, interval=100ms)");
	CHECK_INT(codel_at(&m, 0, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 99 * MS, 5 * MS - 1), WEIR_MARK_PASS); /* below once: starts again */
	CHECK_INT(codel_at(&m, 101 * MS, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 201 * MS - 1, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 201 * MS, 9 * MS), WEIR_MARK_CE);
}

TEST(test_codel_leaves_a_queue_of_one_packet_alone)
{
	struct weir_mark_view v = { .sojourn_ns = 500 * MS, .queue_bytes = 1500 };
	struct marker m;

	marker_make(&m, "codel(target=5ms, interval=100ms)");
	for (v.now_ns = 0; v.now_ns < 1000 * MS; v.now_ns += 10 * MS)
		CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_PASS);
	v.queue_bytes = 1501;
	CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_PASS);
	v.now_ns += 100 * MS;
	CHECK_INT(at_dequeue(&m, &v), WEIR_MARK_CE);
}

/* Five signals, then below target, then above again soon: 5 - 1 signals were earned, so the next
 * mark follows the first after 100 / sqrt 4 = 50 ms, the one after that 100 / sqrt 5 = 44.7 later.
 * That earns 2, but much later it starts from 1 all the same. */
TEST(test_codel_resumes_at_the_rate_that_worked)
{
	struct marker m;

	marker_make(&m, "codel(target=5ms, interval=100ms)");
	codel_at(&m, 0, 9 * MS);
	for (int64_t now = 100 * MS; now < 400 * MS; now += MS)
		codel_at(&m, now, 9 * MS);
	CHECK_INT(codel_at(&m, 400 * MS, MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 410 * MS, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 510 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 560 * MS - 1, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 560 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 605 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 610 * MS, MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 3000 * MS, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 3100 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 3200 * MS - 1, 9 * MS), WEIR_MARK_PASS);
	CHECK_INT(codel_at(&m, 3200 * MS, 9 * MS), WEIR_MARK_CE);
}

/* Nothing leaves for 250 ms: the signals due at 200 and 270.7 and 328.4 go to the next packets. */
TEST(test_codel_catches_up_one_packet_at_a_time)
{
	struct marker m;

	marker_make(&m, "codel(target=5ms, interval=100ms)");
	codel_at(&m, 0, 9 * MS);
	CHECK_INT(codel_at(&m, 100 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 350 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 350 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 350 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(codel_at(&m, 350 * MS, 9 * MS), WEIR_MARK_PASS);
}

/* Reference: every step of the control law is interval / sqrt(n) rounded down. */
TEST(test_codel_control_law_is_exact_to_a_nanosecond)
{
	static const int64_t intervals_ns[] = { 1000000000, 1024000, 999999937, 7, 1 };
	char spec[64];
	struct marker m;

	for (size_t i = 0; i < sizeof(intervals_ns) / sizeof(intervals_ns[0]); i++) {
		int64_t due = 2 * intervals_ns[i], step = due;

		snprintf(spec, sizeof(spec), "codel(target=1ns, interval=%lldns)",
			 (long long)intervals_ns[i]);
		marker_make(&m, spec);
		codel_at(&m, 0, 9);
		CHECK_INT(codel_at(&m, intervals_ns[i], 9), WEIR_MARK_CE);
		for (int n = 2; n < 3000 && step > 0; n++) {
			CHECK_INT(codel_at(&m, due - 1, 9), WEIR_MARK_PASS);
			CHECK_INT(codel_at(&m, due, 9), WEIR_MARK_CE);
			step = (int64_t)floorl((long double)intervals_ns[i] / sqrtl(n));
			due += step;
		}
	}
}

/* --- what an owner may spare --- */

/* What lies below the quiet length passes and leaves no trace, so an owner may spare the call. */
TEST(test_quiet_lengths_pass_and_change_nothing)
{
	static const char *const specs[] = {
		"ecn", "ecn(k=30KB, scope=port)",    "ecn(k=1MB, scope=pool)", "ecn(at=dequeue)",
		"red", "red(min=5pkts, max=50pkts)", "red(weight=1/2)"
	};
	struct weir_rng random = weir_rng_make(5, 0, WEIR_RNG_TEST);

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		unsigned char before[STATE_MAX];
		uint64_t quiet;
		struct marker m;

		marker_make(&m, specs[i]);
		quiet = m.ops->quiet_below(m.params);
		memcpy(before, m.state, sizeof(before));
		for (int k = 0; k < 2000; k++) {
			uint32_t all = weir_rng_u32(&random),
				 below = (uint32_t)weir_length_number(quiet);
			struct weir_mark_view v = { .now_ns = k,
						    .port_bytes = all,
						    .port_pkts = all,
						    .shared_buffer_bytes = weir_rng_u64(&random) };

			if (below == 0)
				break;
			if (weir_length_is_packets(quiet))
				v.port_pkts = (uint32_t)weir_rng_below(&random, below);
			else
				v.port_bytes = (uint32_t)weir_rng_below(&random, below);
			v.queue_pkts = (uint32_t)weir_rng_below(&random, v.port_pkts + UINT64_C(1));
			v.queue_bytes =
				(uint32_t)weir_rng_below(&random, v.port_bytes + UINT64_C(1));
			CHECK_INT(at_enqueue(&m, &v), WEIR_MARK_PASS);
			CHECK(memcmp(before, m.state, sizeof(before)) == 0);
		}
	}
	CHECK(weir_mark_find("tcn")->quiet_below == NULL);
}

TEST(test_averaged_red_wants_to_see_every_packet)
{
	struct marker m;

	marker_make(&m, "red(weight=1/2)");
	CHECK_INT(m.ops->quiet_below(m.params), 0);
	marker_make(&m, "red(min=7KB)");
	CHECK_INT(m.ops->quiet_below(m.params), 7000);
	marker_make(&m, "ecn(k=1MB, scope=pool)");
	CHECK_INT(m.ops->quiet_below(m.params), 0);
}
