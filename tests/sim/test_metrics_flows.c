/* SPDX-License-Identifier: BSD-3-Clause */
/* test_metrics_flows.c -- completion times of flows that the end of the run cuts off; goodput, and
 * over which time it is the mean. */
#include "tests/sim.h"
#include <math.h>

/* Two flows that share no link, at 10 Gb/s: one of 1460 B, 12.4224 us, and one of 100 MB, of which
 * a millisecond lets about 900 KB through, with ten packets and slow start at the begin. */
#define CUT \
	"[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 5us\n" \
	"[traffic x]\npattern = list\nflow = 0 1 1460B 0us\nflow = 2 3 100MB 0us\n" \
	"[measure]\nto = 10us\ndrain = 990us\nlarge = 1MB\n%s\n"

TEST(test_a_flow_that_is_cut_off_has_no_completion_time)
{
	struct sim s;

	sim_read(&s, CUT, "");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "fct_mean_ns"), 12422.4, 1);
	CHECK_INT(sim_metric(&s, "flows_unfinished"), 1);
	sim_end(&s);
}

/* The run ends with the last event within its millisecond: a packet or two before. */
TEST(test_a_part_of_a_flow_counts_until_the_end_of_the_run)
{
	struct sim s;

	sim_read(&s, CUT, "unfinished = part");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "sim_seconds"), 0.001, 2e-6);
	CHECK_NEAR(sim_metric(&s, "fct_mean_ns"), (12422.4 + 1e6) / 2, 1000);
	CHECK_NEAR(sim_metric(&s, "fct_small_mean_ns"), 12422.4, 1);
	CHECK_INT(sim_metric(&s, "flows_unfinished"), 1);
	CHECK_NEAR(sim_metric(&s, "slowdown_mean"), 1, 1e-9);
	sim_end(&s);
}

TEST(test_a_part_is_large_by_the_bytes_that_have_arrived)
{
	struct sim s;

	sim_read(&s, CUT, "unfinished = part\n");
	s.c.measure.large_bytes = 500000;
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "fct_large_mean_ns"), 1e6, 2000);
	sim_end(&s);
	sim_read(&s, CUT, "unfinished = part\n");
	s.c.measure.large_bytes = 2000000;
	sim_run(&s, 1);
	CHECK(isnan(sim_metric(&s, "fct_large_mean_ns")));
	CHECK_NEAR(sim_metric(&s, "fct_medium_mean_ns"), 1e6, 2000);
	sim_end(&s);
}

/* --- goodput --- */

/* 400 flows of 100 KB within some 6.7 ms, and one of 60 MB that takes 50 ms. */
#define STRAGGLER \
	"[network]\ntopology = star\nhosts = 18\nrate = 10Gbps\ndelay = 1us\n[host]\ncc = dctcp\n" \
	"[switch]\nmarking = ecn\n[traffic x]\npattern = list\n%s" \
	"flow = 16 17 60MB 0us\n[measure]\n%s\n"

static void read_straggler(struct sim *s, const char *measure)
{
	char flows[16384] = "";
	size_t used = 0;

	for (int i = 0; i < 400; i++)
		used += (size_t)snprintf(flows + used, sizeof(flows) - used,
					 "flow = %d %d 100KB %dns\n", i % 16, (i * 7 + 3) % 16,
					 i * 16750);
	sim_read(s, STRAGGLER, flows, measure);
}

TEST(test_goodput_of_a_fixed_number_of_flows_is_not_the_last_stragglers)
{
	const double last_start_ns = 399 * 16750.0, offered_bps = 399 * 100e3 * 8 / 6.683250e-3;
	struct sim s;
	double goodput_bps;

	read_straggler(&s, "");
	sim_run(&s, 1);
	goodput_bps = sim_metric(&s, "goodput_bps");
	CHECK_NEAR(sim_metric(&s, "goodput_span_ns"), last_start_ns, 1e-6);
	/* The flows that are offered, a few of which are under way, and the long one's link. */
	CHECK(goodput_bps > 0.97 * (offered_bps + 9.4e9) && goodput_bps < offered_bps + 9.6e9);
	/* Until the last end it would be less than half as much. */
	CHECK(100e6 * 8 / sim_metric(&s, "sim_seconds") < 0.5 * goodput_bps);
	sim_end(&s);
}

TEST(test_goodput_until_measure_to_is_the_mean_until_then)
{
	struct sim s;

	read_straggler(&s, "from = 1ms\nto = 20ms\n");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "goodput_span_ns"), 19e6, 1e-6);
	sim_end(&s);
}

/* Flows of a burst, and those that wait for others, have no time of arrival to speak of. */
TEST(test_goodput_of_a_burst_or_of_rounds_is_the_mean_until_all_is_done)
{
	static const char *const traffic[] = {
		"pattern = many-to-one\nreceiver = 0\nsize = 1MB\nstart = 0us..100us\n",
		"pattern = ring\nsize = 1MB\nrounds = 3\nstart = 0us..5ms\n",
	};

	for (int i = 0; i < 2; i++) {
		struct sim s;
		int64_t end_ps = 0;
		double bytes = 0;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 1us\n"
			 "[host]\ncc = dctcp\n[traffic x]\n%s",
			 traffic[i]);
		sim_run(&s, 1);
		for (uint32_t k = 0; k < s.r.flow_count; k++) {
			end_ps = s.r.flows[k].finish_ps > end_ps ? s.r.flows[k].finish_ps : end_ps;
			bytes += (double)s.r.flows[k].size_bytes;
		}
		/* The run ends with the last ACK. */
		CHECK(sim_metric(&s, "goodput_span_ns") >= (double)end_ps / 1000);
		CHECK_NEAR(sim_metric(&s, "goodput_span_ns"), (double)end_ps / 1000, 20e3);
		CHECK_NEAR(sim_metric(&s, "goodput_bps") * sim_metric(&s, "goodput_span_ns") / 8e9,
			   bytes, 1e-6 * bytes);
		CHECK(isnan(sim_metric(&s, "bulk_goodput_bps")));
		sim_end(&s);
	}
}

TEST(test_goodput_of_unlimited_flows_stands_apart)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 1us\n"
		     "[host]\ncc = dctcp\n[traffic x]\npattern = list\nflow = 0 1 unlimited 0us\n"
		     "flow = 2 3 1MB 2ms\n[measure]\nfrom = 1ms\nto = 5ms\n");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "goodput_bps") - sim_metric(&s, "bulk_goodput_bps"),
		   1e6 * 8 / 4e-3, 1);
	CHECK(sim_metric(&s, "bulk_goodput_bps") > 9.3e9);
	sim_end(&s);
}
