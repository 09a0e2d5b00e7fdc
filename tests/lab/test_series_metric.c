/* SPDX-License-Identifier: BSD-3-Clause */
/* test_series_metric.c -- numbers from a probe's series, by hand. */
#include "lab/analysis/claim_metric.h"
#include "lab/store/results.h"
#include "tests/sim.h"
#include <math.h>

enum { MS_PS = 1000000000 };

static double value_of(const char *text, const struct stored_series *s, struct series_origin o)
{
	struct series_metric m;
	struct weir_error e = { "" };

	CHECK(is_series_metric(text));
	if (series_metric_read(&m, text, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_STR(m.series, s->name);
	return series_metric_value(&m, s, &o);
}

static const int64_t each_ms[] = { 0 * (int64_t)MS_PS, 1 * (int64_t)MS_PS, 2 * (int64_t)MS_PS,
				   3 * (int64_t)MS_PS, 4 * (int64_t)MS_PS, 5 * (int64_t)MS_PS,
				   6 * (int64_t)MS_PS, 7 * (int64_t)MS_PS, 8 * (int64_t)MS_PS,
				   9 * (int64_t)MS_PS };
static const double its_ms[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static const struct series_origin sampled = { 0, 9 * (int64_t)MS_PS };

TEST(test_samples_of_what_is_there_count_from_start_to_end)
{
	const struct stored_series s = { "queue sw->h0", "pkts", 10, each_ms, its_ms };

	CHECK_NEAR(value_of("series \"queue sw->h0\" mean 2ms..5ms", &s, sampled), 3.5, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" min 2ms..5ms", &s, sampled), 2, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" max 2ms..5ms", &s, sampled), 5, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" p50 2ms..5ms", &s, sampled), 3, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" p95 2ms..5ms", &s, sampled), 5, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" p99", &s, sampled), 9, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" sum 2ms..5ms", &s, sampled), 14, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" last 2ms..5ms", &s, sampled), 5, 0);
	/* (1.5^2 + 0.5^2 + 0.5^2 + 1.5^2) / 4 = 1.25 */
	CHECK_NEAR(value_of("series \"queue sw->h0\" std 2ms..5ms", &s, sampled), sqrt(1.25),
		   1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" mean", &s, sampled), 4.5, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" mean 8ms..", &s, sampled), 8.5, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" mean ..1ms", &s, sampled), 0.5, 1e-12);
	CHECK(isnan(value_of("series \"queue sw->h0\" mean 10ms..20ms", &s, sampled)));
}

/* The sample of 2 ms tells what happened before 2 ms. */
TEST(test_samples_of_what_happened_belong_to_the_time_before)
{
	const struct stored_series s = { "throughput flow:2", "bps", 10, each_ms, its_ms };

	CHECK_NEAR(value_of("series \"throughput flow:2\" mean 2ms..5ms", &s, sampled), 4, 1e-12);
	CHECK_NEAR(value_of("series \"throughput flow:2\" min", &s, sampled), 1, 0);
	CHECK_NEAR(value_of("series \"throughput flow:2\" reaches 5bps after 5ms", &s, sampled),
		   1e6, 0);
	CHECK_NEAR(value_of("series \"throughput flow:2\" reaches 5bps after 3ms", &s, sampled),
		   2e6, 0);
}

static const int64_t change_ps[] = { 0, 1 * (int64_t)MS_PS, 3 * (int64_t)MS_PS };
static const double change_values[] = { 0, 10, 4 };

/* Nothing for 1 ms, 10 packets for 2 ms, 4 packets for 2 ms. */
TEST(test_what_was_recorded_at_each_change_is_weighted_by_time)
{
	const struct stored_series s = { "queue sw->h0", "pkts", 3, change_ps, change_values };
	const struct series_origin o = { 1, 5 * (int64_t)MS_PS };
	const struct series_origin longer = { 1, 10 * (int64_t)MS_PS };

	CHECK_NEAR(value_of("series \"queue sw->h0\" mean", &s, o), 28.0 / 5, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" mean", &s, longer), 48.0 / 10, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" mean 2ms..4ms", &s, o), 7, 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" p50", &s, o), 4, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" p99", &s, o), 10, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" max 3.5ms..4ms", &s, o), 4, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" last", &s, o), 4, 0);
	/* 5.6 less 0, 10 and 4: (31.36 + 2 x 19.36 + 2 x 2.56) / 5 */
	CHECK_NEAR(value_of("series \"queue sw->h0\" std", &s, o), sqrt(15.04), 1e-12);
	CHECK_NEAR(value_of("series \"queue sw->h0\" sum", &s, o), 0.028, 1e-12);
	CHECK(isnan(value_of("series \"queue sw->h0\" mean 6ms..7ms", &s, o)));
}

TEST(test_a_level_is_met_at_once_later_or_never)
{
	const struct stored_series s = { "queue sw->h0", "pkts", 3, change_ps, change_values };
	const struct series_origin o = { 1, 5 * (int64_t)MS_PS };

	CHECK_NEAR(value_of("series \"queue sw->h0\" reaches 10 after 0ms", &s, o), 1e6, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" reaches 10 after 2ms", &s, o), 0, 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" falls-to 4pkts after 2ms", &s, o), 1e6, 0);
	CHECK(isinf(value_of("series \"queue sw->h0\" falls-to 3 after 2ms", &s, o)));
	CHECK(isinf(value_of("series \"queue sw->h0\" reaches 10 after 3ms", &s, o)));
	CHECK(isnan(value_of("series \"queue sw->h0\" reaches 10 after 5ms", &s, o)));
}

/* --- where it came from --- */

static struct stored_run run_with(struct stored_setting *settings, const char *probes,
				  const char *to)
{
	struct stored_run run = { .setting_count = 2, .settings = settings };

	settings[0] = (struct stored_setting){ (char *)"measure.probe", (char *)(uintptr_t)probes };
	settings[1] = (struct stored_setting){ (char *)"measure.to", (char *)(uintptr_t)to };
	run.value[metric_index("sim_seconds")] = 0.25;
	return run;
}

TEST(test_the_probe_says_how_a_series_was_made)
{
	static const char probes[] =
		"queue sw->h0; queue sw->h1 every 10us;scheme sw->h0 every 1us";
	struct stored_setting settings[2];
	struct stored_run run = run_with(settings, probes, "5ms");
	struct stored_run endless =
		run_with((struct stored_setting[2]){ { NULL, NULL } }, probes, "0us");
	struct weir_error e = { "" };

	CHECK_INT(series_origin(&run, "queue sw->h0").at_each_change, 1);
	CHECK_INT(series_origin(&run, "queue sw->h1").at_each_change, 0);
	CHECK_INT(series_origin(&run, "average sw->h0").at_each_change, 0);
	CHECK_INT(series_origin(&run, "queue sw->h0").end_ps, 5 * (int64_t)MS_PS);
	CHECK_INT(series_origin(&endless, "queue sw->h0").end_ps, 250 * (int64_t)MS_PS);
	CHECK_INT(series_check("queue sw->h1", &run, &e), 0);
	CHECK_INT(series_check("average sw->h0", &run, &e), 0);
	CHECK_INT(series_check("average sw->h0/3", &run, &e), 0);
	CHECK_INT(series_check("average sw->h1", &run, &e), -1);
	CHECK_INT(series_check("queue sw->h2", &run, &e), -1);
	CHECK_CONTAINS(e.text,
		       "unknown series 'queue sw->h2'; there are queue sw->h0, queue sw->h1");
}

/* --- against what a run measures itself --- */

TEST(test_series_of_a_run_give_its_metrics)
{
	struct stored_setting settings[2];
	struct stored_run run;
	struct stored_series s;
	struct sim sim;

	sim_read(&sim, "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 5us\n"
		       "[switch]\nmarking = ecn(k=20pkts)\nbuffer = 200pkts\n"
		       "[traffic bulk]\npattern = many-to-one\nsenders = 4\nsize = unlimited\n"
		       "[measure]\nfrom = 0us\nto = 5ms\nprobe = queue sw->h0\n");
	sim_run(&sim, 1);
	run = run_with(settings, "queue sw->h0", "5ms");
	s = (struct stored_series){ sim.r.series[0].name, "pkts", sim.r.series[0].count,
				    sim.r.series[0].time_ps, sim.r.series[0].value };
	CHECK_NEAR(value_of("series \"queue sw->h0\" mean", &s, series_origin(&run, s.name)),
		   sim_metric(&sim, "queue_mean_pkts"), 1e-9);
	CHECK_NEAR(value_of("series \"queue sw->h0\" max", &s, series_origin(&run, s.name)),
		   sim_metric(&sim, "queue_max_pkts"), 0);
	CHECK_NEAR(value_of("series \"queue sw->h0\" p99", &s, series_origin(&run, s.name)),
		   sim_metric(&sim, "queue_p99_pkts"), 0);
	sim_end(&sim);
}
