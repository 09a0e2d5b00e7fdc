/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_share.c -- which flows of a stored run count, in which class, and shares of them: every
 * boundary by hand. */
#include "lab/analysis/claim_metric.h"
#include "tests/test.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>

enum { FROM_PS = 1000000, TO_PS = 9000000, SMALL = 100000, LARGE = 10000000, MB = 1000000 };

/* A set that measures from FROM_PS to TO_PS and has those classes. */
static struct flow_set set_make(void)
{
	return (struct flow_set){ .measure = { .from_ps = FROM_PS,
					       .to_ps = TO_PS,
					       .small_bytes = SMALL,
					       .large_bytes = LARGE } };
}

/* A flow of that size and start that takes so long, -1: it does not end; its ideal is 1 us. */
static void see(struct flow_set *s, uint64_t size_bytes, int64_t start_ps, int64_t fct_ps)
{
	const struct stored_flow f = { .traffic = "x",
				       .size_bytes = size_bytes,
				       .start_ps = start_ps,
				       .finish_ps = fct_ps < 0 ? -1 : start_ps + fct_ps,
				       .ideal_ps = 1000000 };

	CHECK_INT(flow_set_add(s, &f), 0);
}

static double share_of(const struct flow_set *s, const char *text)
{
	struct weir_error e = { "" };
	struct flow_share m;

	if (flow_share_read(&m, text, &e) != 1)
		test_fail(__FILE__, __LINE__, "%s: %s", text, e.text);
	return flow_share_value(&m, s);
}

static double metric_of(const struct flow_set *s, const char *name)
{
	double *sample = calloc(s->count + 1, sizeof(*sample)), value;
	struct flow_metric m;

	CHECK(sample != NULL && flow_metric_find(name, &m));
	value = flow_set_metric(s, &m, NULL, sample);
	free(sample);
	return value;
}

TEST(test_flow_set_counts_flows_that_start_from_from_until_before_to)
{
	struct flow_set s = set_make();

	see(&s, 1, FROM_PS - 1, 5);
	CHECK_INT(s.count, 0);
	see(&s, 1, FROM_PS, 5);
	CHECK_INT(s.count, 1);
	see(&s, 1, TO_PS - 1, 5);
	CHECK_INT(s.count, 2);
	see(&s, 1, TO_PS, 5);
	CHECK_INT(s.count, 2);
	flow_set_free(&s);
}

TEST(test_flow_set_leaves_out_endless_flows_control_and_what_never_started)
{
	struct flow_set s = set_make();
	struct stored_flow f = { .traffic = "x", .size_bytes = 9, .start_ps = FROM_PS };

	f.finish_ps = FROM_PS + 5;
	f.ideal_ps = -1; /* of control there is no ideal */
	CHECK_INT(flow_set_add(&s, &f), 0);
	see(&s, FLOW_UNLIMITED, FROM_PS, -1);
	see(&s, 9, INT64_MAX, -1);
	CHECK_INT(s.count, 0);
	f.finish_ps = -1; /* one that did not end may be one */
	CHECK_INT(flow_set_add(&s, &f), 0);
	CHECK_INT(s.count, 1);
	flow_set_free(&s);
}

/* Of exactly small-flow bytes a flow is small, of exactly large-flow bytes it is not large, of
 * exactly 1 MB not above it. */
TEST(test_flow_classes_end_with_their_boundary)
{
	static const uint64_t sizes[] = { SMALL, SMALL + 1, LARGE, LARGE + 1, MB, MB + 1 };
	static const uint64_t expected[CLASSES] = { [CLASS_ALL] = 6,
						    [CLASS_SMALL] = 1,
						    [CLASS_MEDIUM] = 4,
						    [CLASS_LARGE] = 1,
						    [CLASS_OVER_1MB] = 3 };
	struct flow_set s = set_make();
	uint64_t counted[CLASSES];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		see(&s, sizes[i], FROM_PS, 5);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		see(&s, sizes[i], FROM_PS, -1);
	CHECK_INT(flow_set_counts(&s, counted), 6);
	for (int class = 0; class < CLASSES; class ++) {
		CHECK_INT(counted[class], expected[class]);
		CHECK_INT(flow_set_count(&s, (enum flow_class) class, NULL), expected[class]);
		CHECK_INT(flow_set_unfinished(&s, (enum flow_class) class), expected[class]);
	}
	flow_set_free(&s);
}

/* Three of four ended, in 1, 2 and 3 us: the fourth counts among those that are not within. */
TEST(test_fct_within_is_of_all_flows_also_those_that_did_not_end)
{
	struct flow_set s = set_make();

	for (int i = 1; i <= 3; i++)
		see(&s, SMALL, FROM_PS, i * INT64_C(1000000));
	see(&s, SMALL, FROM_PS, -1);
	CHECK_NEAR(share_of(&s, "fct_within 2us"), 0.5, 1e-12);
	CHECK_NEAR(share_of(&s, "fct_small_within 1us"), 0.25, 1e-12);
	CHECK_NEAR(share_of(&s, "fct_within 1999ns"), 0.25, 1e-12);
	CHECK_NEAR(share_of(&s, "fct_within 1s"), 0.75, 1e-12);
	CHECK_NEAR(share_of(&s, "slowdown_within 3"), 0.75, 1e-12);
	CHECK(isnan(share_of(&s, "fct_large_within 1s")));
	flow_set_free(&s);
	s = set_make();
	see(&s, SMALL, FROM_PS, -1); /* none ended: none is within */
	CHECK_NEAR(share_of(&s, "fct_within 1s"), 0, 1e-12);
	flow_set_free(&s);
}

/* 1 to 1000 us: of nearest rank, p50 is the 500th, p95 the 950th, p99 the 990th, p99.9 the
 * 999th. */
TEST(test_flow_quantiles_are_of_the_nearest_rank)
{
	static const struct {
		const char *metric, *share;
		double us;
	} cases[] = {
		{ "fct_p50_ns", "fct_p50_ns", 500 },
		{ "fct_p95_ns", "fct_p95_ns", 950 },
		{ "fct_p99_ns", "fct_p99_ns", 990 },
		{ "fct_p999_ns", "fct_p999_ns", 999 },
		{ "fct_small_p99_ns", "fct_small_p99_ns", 990 },
	};
	struct flow_set s = set_make();

	for (int i = 1000; i >= 1; i--)
		see(&s, SMALL, FROM_PS, i * INT64_C(1000000));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_NEAR(metric_of(&s, cases[i].metric), 1000 * cases[i].us, 1e-6);
		CHECK_NEAR(share_of(&s, cases[i].share), 1000 * cases[i].us, 1e-6);
	}
	CHECK_NEAR(share_of(&s, "slowdown_p9999"), 1000, 1e-9);
	CHECK_NEAR(share_of(&s, "fct_p5_ns"), 50000, 1e-6);
	CHECK_NEAR(metric_of(&s, "fct_mean_ns"), 500500, 1e-6);
	CHECK_NEAR(metric_of(&s, "slowdown_p50"), 500, 1e-9);
	CHECK(isnan(metric_of(&s, "fct_large_p99_ns")));
	flow_set_free(&s);
	s = set_make(); /* of 11, p50 is the 6th and p95 the 11th */
	for (int i = 1; i <= 11; i++)
		see(&s, SMALL, FROM_PS, i * INT64_C(1000000));
	CHECK_NEAR(metric_of(&s, "fct_p50_ns"), 6000, 1e-9);
	CHECK_NEAR(share_of(&s, "fct_p50_ns"), 6000, 1e-9);
	CHECK_NEAR(metric_of(&s, "fct_p95_ns"), 11000, 1e-9);
	flow_set_free(&s);
}
