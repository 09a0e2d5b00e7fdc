/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dilation.c -- scaling a scenario in time by a factor: which values change, and that the
 * simulated run is equivalent. */
#include "cli/testbed.h"
#include "lab/scenario/scenario.h"
#include "sim/run/run.h"
#include "tests/test.h"
#include <stdlib.h>
#include <string.h>

static void check_text(const char *text, const char *expected)
{
	char *slow = dilation_text(text, 10);

	CHECK_STR(slow, expected);
	free(slow);
}

TEST(test_dilation_multiplies_times_and_divides_rates_and_leaves_all_else)
{
	check_text("tcn(threshold=256us)", "tcn(threshold=2560us)");
	check_text("pred(lambda=0.1, t-qla=40ms, read-delay=500us..1200us)",
		   "pred(lambda=0.1, t-qla=400ms, read-delay=5000us..12000us)");
	check_text("1 0 unlimited 1.5s; 2 0 32B 1201993us",
		   "1 0 unlimited 15s; 2 0 32B 12019930us");
	check_text("h4 sw 1Gbps 192.4us", "h4 sw 0.1Gbps 1924us");
	check_text("471.97Mbps", "47.197Mbps");
	check_text("queue-bytes sw->h0/2 every 50us", "queue-bytes sw->h0/2 every 500us");
	check_text("red(min=15180B, max=500KB, slope=0.2)",
		   "red(min=15180B, max=500KB, slope=0.2)");
	check_text("ecn(k=20pkts) 3:1 1..5 0.1..0.9 h2s s2 2x",
		   "ecn(k=20pkts) 3:1 1..5 0.1..0.9 h2s s2 2x");
}

static void simulate(const struct config *c, struct run_result *r)
{
	const struct run_control control = { .threads = 1 };
	struct weir_error e = { "" };

	if (run(c, &control, r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

TEST(test_dilation_simulated_run_is_the_same_run)
{
	static const char text[] =
		"[network]\ntopology = star\nhosts = 4\nrate = 1Gbps\ndelay = 25us\n"
		"[switch]\nqueues = 2\nscheduler = dwrr\nmarking = tcn(threshold=200us)\nbuffer = "
		"60pkts\n"
		"[traffic long]\npattern = many-to-one\nsenders = 3\nreceiver = 0\nsize = "
		"unlimited\n"
		"[traffic web]\npattern = all-to-one\nreceiver = 0\nload = 0.3\nflows = 40\nsizes "
		"= "
		"websearch\nclass = 1\n"
		"[measure]\nfrom = 5ms\nto = 60ms\ndrain = 0us\nprobe = throughput traffic:long "
		"every 5ms\n";
	struct weir_error e = { "" };
	struct scenario s;
	struct config c, slow;
	struct run_result a, b;

	CHECK_INT(scenario_read_text(&s, "t.ini", text, strlen(text), &e), 0);
	CHECK_INT(scenario_config(&s, &c, &e), 0);
	CHECK_INT(dilation_apply(&c, 10, &slow, &e), 0);
	CHECK_STR(e.text, "");
	CHECK_INT(slow.measure.to_ps, 10 * c.measure.to_ps);
	CHECK_INT(slow.host.rto_min_ps, 10 * c.host.rto_min_ps); /* a default */
	simulate(&c, &a);
	simulate(&slow, &b);
	dilation_undo(&b, 10);
	CHECK_NEAR(run_metric(&b, "goodput_bps"), run_metric(&a, "goodput_bps"), 1e-3 * 1e9);
	CHECK_NEAR(run_metric(&b, "queue_mean_pkts"), run_metric(&a, "queue_mean_pkts"), 0.1);
	CHECK_NEAR(run_metric(&b, "marks"), run_metric(&a, "marks"),
		   0.02 * run_metric(&a, "marks"));
	CHECK_INT(b.series[0].count, a.series[0].count);
	CHECK_INT(b.series[0].time_ps[3], a.series[0].time_ps[3]);
	CHECK_NEAR(b.flows[1].start_ps, a.flows[1].start_ps, 20);
	run_result_free(&a);
	run_result_free(&b);
	config_free(&c);
	config_free(&slow);
	scenario_free(&s);
}
