/* SPDX-License-Identifier: BSD-3-Clause */
/* test_metrics_by_hand.c -- runs so small that every metric is known by hand, and flows at the
 * boundaries of what counts.
 *
 * At 10 Gb/s a segment of 1460 B, 1514 B with its header, takes 1.2112 us, an ACK 0.0432 us; links
 * are 5 us long. Times hold to TOLERANCE_NS, more than what a host may delay a packet by itself. */
#include "tests/sim.h"
#include <math.h>

#define SEGMENT_US 1.2112
#define ACK_US 0.0432
#define TOLERANCE_NS 150

/* Three segments meet at a port: each waits for those before it, and the third finds one
 * waiting. */
#define MEETING \
	"[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 5us\n" \
	"[host]\ncc = dctcp\n" \
	"[switch]\nmarking = ecn(k=1pkts)\nbuffer = %s\n" \
	"[traffic x]\npattern = list\n" \
	"flow = 0 3 1460B 0us\nflow = 1 3 1460B 0us\nflow = 2 3 1460B 0us\n" \
	"[measure]\nsmall = 1460B\n%s\n"

struct row {
	const char *metric;
	double value, tolerance; /* absolute */
};

static void check_rows(const struct sim *s, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = sim_metric(s, rows[i].metric);

		if (!(fabs(value - rows[i].value) <= rows[i].tolerance))
			test_fail(__FILE__, __LINE__, "%s is %g, expected %g", rows[i].metric,
				  value, rows[i].value);
	}
}
#define CHECK_ROWS(s, ...) \
	check_rows(s, (const struct row[]){ __VA_ARGS__ }, \
		   sizeof((const struct row[]){ __VA_ARGS__ }) / sizeof(struct row))

/* Two wait for one segment's time, then one: three segments' times of waiting in all, over 30
 * us. */
TEST(test_metrics_of_three_segments_that_meet_are_those_by_hand)
{
	const double t = 30, fct = 10 + 2 * SEGMENT_US, waited = 3 * SEGMENT_US, some = 0.02;
	const double r1 = 1 / fct, r2 = 1 / (fct + SEGMENT_US), r3 = 1 / (fct + 2 * SEGMENT_US);
	const double sum = r1 + r2 + r3;
	struct sim s;

	sim_read(&s, MEETING, "1000pkts", "to = 30us");
	sim_run(&s, 1);
	CHECK_ROWS(&s, { "flows_started", 3, 0 }, { "flows_completed", 3, 0 },
		   { "flows_unfinished", 0, 0 }, { "flows_without_path", 0, 0 },
		   { "goodput_bps", 3 * 1460 * 8 / (t * 1e-6), 1 },
		   { "jain", sum * sum / (3 * (r1 * r1 + r2 * r2 + r3 * r3)), 0.001 },
		   { "unfair_ratio", r1 * 3 / sum - 1, 0.01 },
		   { "fct_mean_ns", 1000 * (fct + SEGMENT_US), TOLERANCE_NS },
		   { "fct_p50_ns", 1000 * (fct + SEGMENT_US), TOLERANCE_NS },
		   { "fct_p99_ns", 1000 * (fct + 2 * SEGMENT_US), TOLERANCE_NS },
		   { "fct_p999_ns", 1000 * (fct + 2 * SEGMENT_US), TOLERANCE_NS },
		   { "fct_small_mean_ns", 1000 * (fct + SEGMENT_US), TOLERANCE_NS },
		   { "fct_small_p99_ns", 1000 * (fct + 2 * SEGMENT_US), TOLERANCE_NS },
		   { "slowdown_mean", (3 + 3 * SEGMENT_US / fct) / 3, some },
		   { "slowdown_p50", (fct + SEGMENT_US) / fct, some },
		   { "slowdown_p99", (fct + 2 * SEGMENT_US) / fct, some });
	CHECK_ROWS(&s, { "queue_mean_pkts", waited / t, 0.01 },
		   { "queue_mean_bytes", 1514 * waited / t, 15 }, { "queue_max_pkts", 2, 0 },
		   { "queue_p50_pkts", 0, 0 }, { "queue_p99_pkts", 2, 0 },
		   { "queue_empty_fraction", 1 - 2 * SEGMENT_US / t, 0.01 },
		   { "network_queue_mean_pkts", waited / t / 4, 0.003 },
		   { "network_queue_max_pkts", 2, 0 }, { "worst_queue_p99_pkts", 2, 0 },
		   { "network_wait_mean_ns", 1000 * waited / 6, 60 });
	CHECK_ROWS(&s, { "marks", 1, 0 }, { "mark_fraction", 1. / 3, 1e-12 }, { "drops", 0, 0 },
		   { "retransmits", 0, 0 }, { "timeouts", 0, 0 }, { "flows_affected", 0, 0 },
		   { "marks_to_hosts", 1, 0 }, { "marks_from_hosts", 0, 0 },
		   { "utilisation", 3 * SEGMENT_US / t, 1e-6 },
		   { "utilisation_to_hosts", 3 * (SEGMENT_US + ACK_US) / (4 * t), 1e-6 },
		   { "utilisation_from_hosts", 3 * (SEGMENT_US + ACK_US) / (4 * t), 1e-6 },
		   { "pause_ns", 0, 0 }, { "pfc_deadlocks", 0, 0 }, { "packet_hops", 12, 0 });
	sim_end(&s);
}

/* At 8 us the second of them has 0.5776 us of its time on the link behind it, and 0.6336 us before
 * it. */
TEST(test_utilisation_counts_what_passed_within_the_interval)
{
	struct sim s;

	sim_read(&s, MEETING, "1000pkts", "to = 8us\ndrain = 1ms");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "utilisation"), (8 - 5 - SEGMENT_US) / 8, 0.02);
	sim_end(&s);
}

/* Ethernet's preamble and gap take the time of 20 bytes. */
TEST(test_utilisation_counts_preamble_and_gap_where_links_have_them)
{
	struct sim s;

	sim_read(&s, MEETING, "1000pkts", "to = 30us");
	s.c.switches.ethernet_overhead = 1;
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "utilisation"), 3 * (1514 + 20) * 0.0008 / 30, 1e-6);
	sim_end(&s);
}

/* With room for one packet the third is dropped after 6 us; its timer runs out after 10 ms. What
 * counts is what happens from "from" on. */
TEST(test_metrics_of_loss_count_from_the_beginning_of_the_interval)
{
	static const struct {
		const char *from;
		double drops, retransmits, timeouts;
	} cases[] = { { "from = 0us\nto = 40ms", 1, 1, 1 },
		      { "from = 1ms\nto = 40ms", 0, 1, 1 },
		      { "from = 15ms\nto = 40ms", 0, 0, 0 },
		      { "from = 0us\nto = 1ms\ndrain = 40ms", 1, 0, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim s;

		sim_read(&s, MEETING, "1pkts", cases[i].from);
		sim_run(&s, 1);
		CHECK_ROWS(&s, { "drops", cases[i].drops, 0 },
			   { "retransmits", cases[i].retransmits, 0 },
			   { "timeouts", cases[i].timeouts, 0 },
			   { "timeouts_small", cases[i].timeouts, 0 });
		sim_end(&s);
	}
}

/* A flow of one byte more than small-flow is no small one, also where its timer runs out. */
TEST(test_timeouts_of_small_flows_end_with_the_boundary)
{
	struct sim s;

	sim_read(&s, MEETING, "1pkts", "to = 40ms");
	s.c.measure.small_bytes = 1459;
	sim_run(&s, 1);
	CHECK_ROWS(&s, { "timeouts", 1, 0 }, { "timeouts_small", 0, 0 },
		   { "flows_affected", 1. / 3, 1e-12 });
	sim_end(&s);
}

/* Flows that share no link. Of exactly 1460 B one is small, of exactly 2920 B not large; those that
 * start a picosecond before "from" or at "to" do not count. */
#define BOUNDARIES \
	"[network]\ntopology = star\nhosts = 14\nrate = 10Gbps\ndelay = 5us\n" \
	"[host]\ncc = dctcp\n" \
	"[traffic x]\npattern = list\n" \
	"flow = 0 1 1460B 99.999999us\nflow = 2 3 1460B 100us\n" \
	"flow = 4 5 1461B 110us\nflow = 6 7 2920B 120us\nflow = 8 9 2921B 130us\n" \
	"flow = 10 11 1460B 199.999999us\nflow = 12 13 1460B 200us\n" \
	"[measure]\nfrom = 100us\nto = 200us\nsmall = 1460B\nlarge = 2920B\n"

TEST(test_flows_count_by_their_start_and_size_up_to_the_boundary)
{
	const double one = 10 + 2 * SEGMENT_US, two = 10 + 3 * SEGMENT_US, last = 55 * 0.0008;
	struct sim s;

	sim_read(&s, "%s", BOUNDARIES);
	sim_run(&s, 1);
	CHECK_ROWS(&s, { "flows_started", 5, 0 }, { "flows_completed", 5, 0 },
		   { "fct_small_mean_ns", 1000 * one, TOLERANCE_NS },
		   { "fct_medium_mean_ns", 1000 * (one + last + two) / 2, TOLERANCE_NS },
		   { "fct_large_mean_ns", 1000 * (two + last), TOLERANCE_NS },
		   { "fct_p50_ns", 1000 * (one + last), TOLERANCE_NS },
		   { "slowdown_mean", 1, 0.02 }, { "slowdown_p99", 1, 0.02 });
	sim_end(&s);
}

/* The ideal is that of the flow alone: to the picosecond the sum of its parts. */
TEST(test_ideal_completion_times_are_those_by_hand)
{
	static const int64_t expected_ps[] = { 12422400, 12422400, 12466400, 13633600,
					       13677600, 12422400, 12422400 };
	struct sim s;

	sim_read(&s, "%s", BOUNDARIES);
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, 7);
	for (uint32_t i = 0; i < s.r.flow_count; i++)
		CHECK_INT(s.r.ideal_ps[i], expected_ps[i]);
	sim_end(&s);
}

/* A flow that ended before the interval is not among those whose rates are compared; one that ends
 * in it is. */
TEST(test_fairness_is_of_flows_that_run_in_the_interval)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 5us\n"
		     "[host]\ncc = dctcp\n[traffic x]\npattern = list\n"
		     "flow = 0 1 1MB 0us\nflow = 2 3 1460B 2ms\nflow = 4 5 1460B 2ms\n"
		     "[measure]\nfrom = 1990us\nto = 2100us\n");
	sim_run(&s, 1);
	CHECK_ROWS(&s, { "jain", 1, 1e-4 }, { "unfair_ratio", 0, 0.02 });
	sim_end(&s);
}

/* Of 101 flows the 99th percentile is the 100th, the 99.9th the 101st, which is the long one. */
TEST(test_fct_percentiles_differ_from_101_flows_on)
{
	char text[8192];
	size_t used = 0;
	struct sim s;

	for (int i = 0; i < 101; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "flow = %d %d %s %dus\n",
					 2 * (i % 2), 2 * (i % 2) + 1, i == 50 ? "100KB" : "1460B",
					 500 * i);
	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 5us\n"
		 "[host]\ncc = dctcp\n[traffic x]\npattern = list\n%s",
		 text);
	sim_run(&s, 1);
	CHECK_ROWS(&s, { "fct_p99_ns", 1000 * (10 + 2 * SEGMENT_US), TOLERANCE_NS });
	CHECK(sim_metric(&s, "fct_p999_ns") > 80000);
	sim_end(&s);
}

/* Between switches of equal height a link leads across, which counts as up. */
TEST(test_links_between_switches_of_equal_height_count_as_up)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = explicit\nlink = h0 s0 10Gbps 5us\n"
		     "link = h1 s1 10Gbps 5us\nlink = s0 s1 10Gbps 5us\n"
		     "[host]\ncc = dctcp\n[traffic x]\npattern = list\n"
		     "flow = 0 1 1460B 0us\n[measure]\nto = 100us\n");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "utilisation_up"), (SEGMENT_US + ACK_US) / 200, 1e-6);
	CHECK(isnan(sim_metric(&s, "utilisation_down")));
	sim_end(&s);
}

/* At one port four packets wait, then three, ...; at the other three. Over 300 us two or more wait
 * there for 1.2 % and 0.8 % of the time: the 99th percentiles are 2 and 1, and the first is the
 * worst wherever it is in the list of ports. */
TEST(test_worst_queue_is_the_largest_p99_and_not_the_largest_peak)
{
	for (int first = 0; first < 2; first++) {
		char text[1024];
		size_t used = 0;
		struct sim s;

		for (int i = 0; i < 9; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "flow = %d %d 1460B 0us\n", i + 2,
						 i < 5 ? first : !first);
		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 11\nrate = 10Gbps\ndelay = 5us\n"
			 "[host]\ncc = dctcp\n[traffic x]\npattern = list\n%s"
			 "[measure]\nto = 300us\n",
			 text);
		sim_run(&s, 1);
		CHECK_ROWS(&s, { "worst_queue_p99_pkts", 2, 0 });
		sim_end(&s);
	}
}

/* The port sends in the last window, after the last poll, and holds packets when the run ends. */
TEST(test_mean_queue_of_a_run_that_its_drain_cuts_off)
{
	struct sim s;

	sim_read_default(&s, "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 10us\n"
			     "[switch]\nmarking = ecn(k=20pkts)\nbuffer = 100pkts\n"
			     "[traffic x]\npattern = many-to-one\nsize = 10MB\n"
			     "[measure]\ndrain = 1ms\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "flows_unfinished") > 0);
	CHECK(sim_metric(&s, "queue_mean_bytes") <= 100 * 1514.0);
	CHECK_NEAR(sim_metric(&s, "queue_mean_bytes"), 1514 * sim_metric(&s, "queue_mean_pkts"),
		   10.0);
	sim_end(&s);
}
