/* SPDX-License-Identifier: BSD-3-Clause */
/* test_probe.c -- quantities over time, by hand and against the run's own metrics. */
#include "sim/measure/probe_set.h"
#include "tests/sim.h"
#include <math.h>

/* Two flows of one segment of 1000 B (1054 on the wire) start at 0 and meet at the port to h0: 10
 * Gb/s is 800 ps a byte, so both arrive at 843.2 ns + 1 us, the first leaves at once, the second
 * waits 843.2 ns. */
static const char two_packets[] =
	"[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
	"[switch]\nmarking = none\n"
	"[host]\nmss = 1000B\n"
	"[traffic pair]\npattern = many-to-one\nsenders = 2\nsize = 1000B\n"
	"[measure]\nto = 5us\n%s";

TEST(test_queue_probe_records_each_change)
{
	struct sim s;
	const struct series *q;

	sim_read(&s, two_packets, "probe = queue sw->h0\nprobe = queue-bytes sw->h0\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.series_count, 2);
	q = &s.r.series[0];
	CHECK_STR(q->name, "queue sw->h0");
	CHECK_STR(q->unit, "pkts");
	CHECK_INT(q->count, 3);
	CHECK_INT(q->time_ps[0], 0);
	CHECK_NEAR(q->value[0], 0, 0);
	CHECK_INT(q->time_ps[1], 1843200);
	CHECK_NEAR(q->value[1], 1, 0);
	CHECK_INT(q->time_ps[2], 1843200 + 843200);
	CHECK_NEAR(q->value[2], 0, 0);
	CHECK_NEAR(s.r.series[1].value[1], 1054, 0);
	sim_end(&s);
}

TEST(test_sampled_probe_sees_what_is_there_at_its_times)
{
	struct sim s;
	const struct series *q;

	sim_read(&s, two_packets, "probe = queue sw->h0 every 500ns\n");
	sim_run(&s, 2);
	q = &s.r.series[0];
	CHECK_INT(q->count, 11); /* 0, 0.5, ... 5 us */
	for (uint64_t i = 0; i < q->count; i++) {
		CHECK_INT(q->time_ps[i], (int64_t)i * 500000);
		CHECK_NEAR(q->value[i], i == 4 || i == 5 ? 1 : 0, 0); /* 2.0 and 2.5 us */
	}
	sim_end(&s);
}

/* The first has its byte at h0 843.2 ns + 1 us after it leaves the switch, at 3686.4 ns, the second
 * 843.2 ns later. */
TEST(test_fct_of_a_section_is_the_mean_of_flows_that_ended_since_the_last_sample)
{
	struct sim s;
	const struct series *each, *both;

	sim_read(&s, two_packets,
		 "probe = fct traffic:pair every 400ns\nprobe = fct traffic:pair every 5us\n");
	sim_run(&s, 2);
	CHECK_INT(s.r.series_count, 2);
	each = &s.r.series[0];
	CHECK_STR(each->name, "fct traffic:pair");
	CHECK_STR(each->unit, "ns");
	CHECK_INT(each->count, 2); /* none where nothing ended */
	CHECK_INT(each->time_ps[0], 4000000);
	CHECK_NEAR(each->value[0], 3686.4, 0.01);
	CHECK_INT(each->time_ps[1], 4800000);
	CHECK_NEAR(each->value[1], 4529.6, 0.01);
	both = &s.r.series[1];
	CHECK_INT(both->count, 1);
	CHECK_NEAR(both->value[0], (3686.4 + 4529.6) / 2, 0.01);
	sim_end(&s);
}

static const char incast[] =
	"[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 5us\n"
	"[switch]\nmarking = %s\nbuffer = 200pkts\n"
	"[traffic bulk]\npattern = many-to-one\nsenders = 4\nsize = %s\n"
	"[measure]\nfrom = 0us\nto = 5ms\n"
	"probe = queue sw->h0 every 10us\nprobe = throughput sw->h0 every 100us\n"
	"probe = throughput flow:1 every 100us\nprobe = window flow:1 every 100us\n"
	"probe = marks sw->h0 every 100us\nprobe = marks flow:1 every 100us\n"
	"probe = drops sw->h0 every 100us\n%s";

static double sum_of(const struct series *s)
{
	double sum = 0;

	for (uint64_t i = 0; i < s->count; i++)
		sum += s->value[i];
	return sum;
}

TEST(test_probes_add_up_to_the_metrics)
{
	struct sim s;

	sim_read(&s, incast, "ecn(k=20pkts)", "unlimited", "");
	sim_run(&s, 1);
	CHECK_INT(s.r.series_count, 7);
	/* A mean of samples against the mean over time. */
	CHECK_NEAR(sum_of(&s.r.series[0]) / (double)s.r.series[0].count,
		   sim_metric(&s, "queue_mean_pkts"), 1.0);
	CHECK_NEAR(sum_of(&s.r.series[1]) * 100e-6 / 8, (double)sim_port(&s, "sw->h0")->tx_bytes,
		   1);
	CHECK_NEAR(sum_of(&s.r.series[4]), sim_metric(&s, "marks"), 0);
	CHECK_NEAR(sum_of(&s.r.series[6]), 0, 0);
	CHECK(sum_of(&s.r.series[5]) > 0 && sum_of(&s.r.series[5]) < sum_of(&s.r.series[4]));
	for (uint64_t i = 2; i < s.r.series[3].count; i++)
		CHECK(s.r.series[3].value[i] >= 1460);
	sim_end(&s);
}

TEST(test_throughput_of_a_flow_is_its_size_in_the_end)
{
	struct sim s;

	sim_read(&s, incast, "none", "100KB", "");
	sim_run(&s, 1);
	CHECK_NEAR(sum_of(&s.r.series[2]) * 100e-6 / 8, 100e3, 0.001);
	sim_end(&s);
}

/* A connection that is over must not take its marks back: samples are what a counter grew by. */
TEST(test_marks_of_a_flow_stay_when_it_ends)
{
	struct sim s;
	double least = 0;

	sim_read(&s, incast, "ecn(k=20pkts)", "1MB", "");
	sim_run(&s, 1);
	for (uint64_t i = 0; i < s.r.series[5].count; i++)
		least = s.r.series[5].value[i] < least ? s.r.series[5].value[i] : least;
	CHECK_NEAR(least, 0, 0);
	CHECK(sum_of(&s.r.series[5]) > 0);
	sim_end(&s);
}

/* Three pairs of flows, of 100 KB and of 50 KB, messages of persistent connections or not; the
 * section beside them does not count. */
TEST(test_throughput_of_a_traffic_section_is_that_of_all_its_flows)
{
	static const char *const connections[] = { "per-flow", "persistent" };

	for (int k = 0; k < 2; k++) {
		struct sim s;
		double before = 0;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 5us\n"
			 "[traffic other]\npattern = many-to-one\nsenders = 4\nsize = 80KB\n"
			 "[traffic pairs]\npattern = list\nconnections = %s\n"
			 "flow = 1 2 100KB 0us\nflow = 2 3 100KB 0us\nflow = 3 4 100KB 0us\n"
			 "flow = 1 2 50KB 300us\nflow = 2 3 50KB 300us\nflow = 3 4 50KB 300us\n"
			 "[measure]\nto = 5ms\nprobe = throughput traffic:pairs every 100us\n",
			 connections[k]);
		sim_run(&s, 1);
		CHECK_STR(s.r.series[0].name, "throughput traffic:pairs");
		CHECK_STR(s.r.series[0].unit, "bps");
		CHECK_NEAR(sum_of(&s.r.series[0]) * 100e-6 / 8, 450e3, 0.001);
		for (uint64_t i = 0; i < s.r.series[0].count; i++) {
			CHECK(s.r.series[0].value[i] >= 0);
			if (s.r.series[0].time_ps[i] <= weir_ns_to_ps(300 * WEIR_NS_PER_US))
				before += s.r.series[0].value[i];
		}
		CHECK_NEAR(before * 100e-6 / 8, 300e3, 0.001);
		sim_end(&s);
	}
}

TEST(test_throughput_of_a_section_is_the_sum_of_its_flows_at_every_sample)
{
	struct sim s;

	sim_read(&s, incast, "ecn(k=20pkts)", "1MB",
		 "probe = throughput traffic:bulk every 100us\n"
		 "probe = throughput flow:0 every 100us\nprobe = throughput flow:2 every 100us\n"
		 "probe = throughput flow:3 every 100us\n");
	sim_run(&s, 2);
	CHECK_INT(s.r.series_count, 11);
	for (uint64_t i = 0; i < s.r.series[7].count; i++)
		CHECK_NEAR(s.r.series[7].value[i],
			   s.r.series[8].value[i] + s.r.series[2].value[i] +
				   s.r.series[9].value[i] + s.r.series[10].value[i],
			   1);
	CHECK_NEAR(sum_of(&s.r.series[7]) * 100e-6 / 8, 4e6, 0.001);
	sim_end(&s);
}

/* Queues of weight 3 and 1, both busy: 7.5 and 2.5 Gb/s of the link. */
TEST(test_throughput_of_a_queue_is_its_share_of_the_link)
{
	struct sim s;
	double last[3];

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 5us\n"
		 "[switch]\nqueues = 2\nscheduler = dwrr(weights=3:1)\nmarking = ecn(k=20pkts)\n"
		 "buffer = 200pkts\n[host]\nmss = 1460B\n"
		 "[traffic a]\npattern = list\nflow = 1 0 unlimited 0us\nclass = 0\n"
		 "[traffic b]\npattern = list\nflow = 2 0 unlimited 0us\nflow = 3 0 unlimited "
		 "0us\nclass = 1\n"
		 "[measure]\nto = 8ms\nprobe = throughput sw->h0/0 every 4ms\n"
		 "probe = throughput sw->h0/1 every 4ms\nprobe = throughput sw->h0 every 4ms\n");
	sim_run(&s, 2);
	CHECK_INT(s.r.series_count, 3);
	CHECK_STR(s.r.series[1].name, "throughput sw->h0/1");
	for (int i = 0; i < 3; i++)
		last[i] = s.r.series[i].value[2];
	CHECK_NEAR(last[0] + last[1], last[2], 1);
	CHECK_NEAR(last[0], 7.5e9, 0.01e9);
	CHECK_NEAR(last[1], 2.5e9, 0.01e9);
	sim_end(&s);
}

TEST(test_a_scheme_of_one_queue_has_that_queue_s_name)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\n"
		     "[switch]\nqueues = 2\nscheduler = dwrr\n"
		     "marking = red(min=10pkts, max=100pkts, p=10%%, weight=1/16)\n"
		     "[traffic a]\npattern = many-to-one\nsize = 100KB\n"
		     "[measure]\nto = 1ms\nprobe = scheme sw->h0/1 every 50us\n"
		     "probe = scheme sw->h0 every 50us\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.series_count, 3);
	CHECK_STR(s.r.series[0].name, "average sw->h0/1");
	CHECK_STR(s.r.series[1].name, "average sw->h0/0");
	CHECK_STR(s.r.series[2].name, "average sw->h0/1");
	sim_end(&s);
}

TEST(test_a_scheme_shows_its_values)
{
	struct sim s;
	double highest = 0;

	sim_read(&s, incast, "red(min=10pkts, max=100pkts, p=10%, weight=1/16)", "unlimited",
		 "probe = scheme sw->h0 every 50us\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.series_count, 8);
	CHECK_STR(s.r.series[7].name, "average sw->h0");
	for (uint64_t i = 0; i < s.r.series[7].count; i++)
		highest = fmax(highest, s.r.series[7].value[i]);
	CHECK(highest > 10 && highest < 200);
	sim_end(&s);
}

TEST(test_a_scheme_without_values_shows_none)
{
	static const char *const markings[] = { "ecn", "red(min=5pkts, max=50pkts)" };

	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s, incast, markings[i], "unlimited",
			 "probe = scheme sw->h0 every 50us\n");
		sim_run(&s, 1);
		CHECK_INT(s.r.series_count, 7);
		sim_end(&s);
	}
}

/* The example of test_lossless.c, where the times are worked out: h0's NIC is paused from 4566.4
 * ns to 6243.2, that of h1 from 3728.0 to 5404.8 and from 5456.0 to the end at 6250. */
TEST(test_pauses_probe_shows_the_part_of_each_interval_that_a_class_was_paused)
{
	static const double expected[2][7] = { { 0, 0, 0, 0, 0, 0.4336, 1 },
					       { 0, 0, 0, 0, 0.272, 1, 0.4048 + 0.544 } };
	static const char *const names[] = { "pauses h0->sw/0", "pauses h1->sw/0",
					     "pauses sw->h2/0" };

	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct sim s;

		sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
			     "[switch]\nmarking = none\nbuffer-per = switch\nlossless = 0\n"
			     "buffer = 153144B\npfc-headroom = 50000B\npfc-reserved = 0B\n"
			     "pfc-margin = 0B\npfc-alpha = 1\n"
			     "[host]\ncc = line-rate\n[rdma]\nheader = 48B\nmtu = 1000B\n"
			     "[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = unlimited\n"
			     "[measure]\nto = 6250ns\nprobe = pauses h0->sw every 1us\n"
			     "probe = pauses h1->sw every 1us\nprobe = pauses sw->h2 every 1us\n");
		sim_run(&s, threads);
		CHECK_INT(s.r.series_count, 3);
		for (uint32_t i = 0; i < 3; i++) {
			CHECK_STR(s.r.series[i].name, names[i]);
			CHECK_STR(s.r.series[i].unit, "");
			CHECK_INT(s.r.series[i].count, 7); /* 0, 1, ... 6 us */
			for (uint32_t k = 0; k < 7; k++)
				CHECK_NEAR(s.r.series[i].value[k], i < 2 ? expected[i][k] : 0,
					   1e-12);
		}
		sim_end(&s);
	}
}

TEST(test_pauses_probe_has_a_series_for_each_lossless_class)
{
	static const char *const lossless[] = { "none", "1", "all" };
	static const uint32_t series[] = { 0, 1, 2 };

	for (int i = 0; i < 3; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 3\n"
			 "[switch]\nqueues = 2\nscheduler = dwrr\nbuffer = 1MB\n"
			 "buffer-per = switch\nlossless = %s\n[host]\ncc = line-rate\n"
			 "[traffic x]\npattern = many-to-one\nsize = 10KB\n"
			 "[measure]\nto = 50us\nprobe = pauses h1->sw every 10us\n",
			 lossless[i]);
		sim_run(&s, 1);
		CHECK_INT(s.r.series_count, series[i]);
		if (i)
			CHECK_STR(s.r.series[series[i] - 1].name, "pauses h1->sw/1");
		sim_end(&s);
	}
}

TEST(test_probes_change_nothing_and_threads_do_not_change_probes)
{
	struct sim with, without;

	sim_read(&with, incast, "ecn(k=20pkts)", "300KB", "probe = queue sw->h0\n");
	sim_read(&without, incast, "ecn(k=20pkts)", "300KB", "");
	sim_run(&without, 1);
	sim_run(&with, 1);
	for (uint32_t i = 0; i < with.r.flow_count; i++)
		CHECK_INT(with.r.flows[i].finish_ps, without.r.flows[i].finish_ps);

	struct run_result first = with.r;

	memset(&with.r, 0, sizeof(with.r));
	sim_run(&with, 3);
	for (uint32_t i = 0; i < first.series_count; i++) {
		CHECK_INT(first.series[i].count, with.r.series[i].count);
		CHECK(memcmp(first.series[i].value, with.r.series[i].value,
			     first.series[i].count * sizeof(double)) == 0);
	}
	run_result_free(&first);
	sim_end(&with);
	sim_end(&without);
}

static void check_refused(const char *probe, const char *message)
{
	struct sim s;
	struct weir_error e = { "" };
	const struct run_control control = { .threads = 1 };
	char line[256];

	snprintf(line, sizeof(line), "probe = %s\n", probe);
	sim_read(&s, incast, "ecn", "unlimited", line);
	CHECK_INT(run(&s.c, &control, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, "measure.probe: '");
	CHECK_CONTAINS(e.text, message);
	config_free(&s.c);
}

TEST(test_probes_that_make_no_sense_are_refused)
{
	check_refused("queu sw->h0", "nearest: queue");
	check_refused("queue", "WHAT TARGET [every TIME]");
	check_refused("queue sw->h9 every 1us", "sw->h");
	check_refused("queue h0->sw every 1us", "host's NIC");
	check_refused("queue flow:1 every 1us", "is of a port, not of a flow");
	check_refused("window sw->h0 every 1us", "is of a flow, not of a port");
	check_refused("window flow:4 every 1us", "there is no flow 4; the last is 3");
	check_refused("window flow:1", "needs a time between samples");
	check_refused("queue sw->h0/1 every 1us", "there is no queue 1; ports have 1");
	check_refused("queue sw->h0 each 1us", "WHAT TARGET [every TIME]");
	check_refused("queue sw->h0 every 1", "has no unit");
	check_refused("throughput traffic:bulky every 1us",
		      "unknown traffic section 'bulky'; there are bulk (nearest: bulk)");
	check_refused("window traffic:bulk every 1us",
		      "'window' is of a flow, not of a traffic section");
	check_refused("drops flow:1 every 1us", "'drops' is of a port, not of a flow");
	check_refused("marks sw->h0/0 every 1us",
		      "'marks' is of a port or a flow, not of a queue of a port");
	check_refused("pauses sw->h0/0 every 1us",
		      "'pauses' is of a port, not of a queue of a port");
	check_refused("pauses h0->sw", "needs a time between samples");
	check_refused("throughput traffic:bulk", "needs a time between samples");
}

/* 5 us every nanosecond are 5001 points; so many of them are too many, whatever each is. */
TEST(test_probes_that_would_take_too_many_samples_are_refused_with_their_number)
{
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result r;
	struct weir_error e;
	struct sim s;

	sim_read(&s, two_packets, "probe = queue sw->h0 every 1ns\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.series[0].count, 5001);
	s.c.measure.to_ps = UINT64_C(50000) * 1000 * 1000; /* a nanosecond is a point more */
	CHECK_INT(run(&s.c, &control, &r, &e), RUN_REFUSED);
	CHECK_STR(e.text, "measure.probe: queue sw->h0 every 1ns until 50ms: 50000001 points, with "
			  "those of the probes before it; allowed are 50000000 in all");
	s.c.measure.to_ps -= 1000;
	CHECK_INT(run(&s.c, &control, &r, &e), RUN_DONE);
	run_result_free(&r);
	line_list_add(&s.c.measure.probes, "drops sw->h0 every 1ms", 0);
	CHECK_INT(run(&s.c, &control, &r, &e), RUN_REFUSED);
	CHECK_CONTAINS(e.text, "drops sw->h0 every 1ms until 49999999ns: 50000050 points");
	sim_end(&s);
}

/* Where each change is recorded their number is not known beforehand. */
TEST(test_series_that_have_become_too_long_are_noticed)
{
	struct series series[2] = { { .count = 7 }, { .count = PROBE_POINTS_MAX - 7 } };
	struct probe_set set = { .series = series, .series_count = 2 };
	struct weir_error e;

	CHECK_INT(probes_overflow(&set, &e), 0);
	series[0].count++;
	CHECK_INT(probes_overflow(&set, &e), -1);
	CHECK_STR(e.text,
		  "measure.probe: there are 50000001 points already, of 2 series; allowed are "
		  "50000000 in all");
}

TEST(test_throughput_of_queues_that_the_scheme_chooses_is_refused)
{
	const struct run_control control = { .threads = 1 };
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\n"
		     "[switch]\nmarking = diffecn\n"
		     "[traffic a]\npattern = many-to-one\nsize = 100KB\n"
		     "[measure]\nto = 1ms\nprobe = throughput sw->h0/1 every 50us\n");
	CHECK_INT(run(&s.c, &control, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, "diffecn puts packets into queues of its own choice");
	config_free(&s.c);
}

/* 2108 of the 6250 bytes that the link carries in 5 us, and a queue of 177 bytes in the mean: 0.7 *
 * 0.33728 + 0.3. */
TEST(test_reward_probe_is_use_and_a_short_queue_by_hand)
{
	struct sim s;

	sim_read(&s, two_packets, "probe = reward sw->h0 every 5us\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.series_count, 1);
	CHECK_STR(s.r.series[0].name, "reward sw->h0");
	CHECK_INT(s.r.series[0].count, 1); /* at 5 us: at 0 nothing lies behind it */
	CHECK_NEAR(s.r.series[0].value[0], 0.7 * 2108 / 6250 + 0.3, 1e-6);
	CHECK_NEAR(run_metric(&s.r, "reward"), s.r.series[0].value[0], 0);
	sim_end(&s);
}

/* Four senders at line rate keep a buffer of 100 packets of 1554 B full: 155 KB lie between E(2) =
 * 80 and E(3) = 160 KB, which is 0.3 less in D. */
TEST(test_reward_falls_with_each_doubling_of_the_queue)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 5us\n"
		 "[switch]\nmarking = none\nbuffer = %s\n[host]\ncc = line-rate\n"
		 "[traffic bulk]\npattern = many-to-one\nsenders = 4\nsize = unlimited\n"
		 "[measure]\nfrom = 1ms\nto = 2ms\nport = sw->h0\n"
		 "probe = reward sw->h0 every 100us\n",
		 "100pkts");
	sim_run(&s, 1);
	CHECK_INT(s.r.series[0].count, 10);
	CHECK(run_metric(&s.r, "queue_mean_bytes") > 80000 &&
	      run_metric(&s.r, "queue_mean_bytes") <= 160000);
	CHECK_NEAR(run_metric(&s.r, "reward"), 0.7 + 0.3 * 0.7, 2e-3);
	sim_end(&s);
}
