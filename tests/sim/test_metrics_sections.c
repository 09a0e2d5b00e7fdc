/* SPDX-License-Identifier: BSD-3-Clause */
/* test_metrics_sections.c -- metrics of one [traffic] section beside those of the whole run. */
#include "lab/store/results.h"
#include "sim/measure/result.h"
#include "tests/sim.h"
#include <math.h>

#define NETWORK \
	"[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 1us\n" \
	"[switch]\nmarking = ecn(k=30KB)\nqueues = 3\nscheduler = dwrr\n" \
	"buffer-per = switch\n%s[measure]\nfrom = 333us\nto = 6ms\n"
#define RING "[traffic ai]\npattern = ring\nmembers = 4\nsize = 400KB\nclass = 1\n"
#define RINGS RING "[traffic ml]\npattern = ring\nmembers = 3\nsize = 1MB\nclass = 2\n"
#define WEB \
	"[traffic web]\npattern = incast\nsenders = 4\nreceiver = 5\nsize = 60KB\n" \
	"period = 100us\nclass = 0\n"

static double of(const struct sim *s, uint32_t section, const char *metric)
{
	int at = section_metric_find((uint32_t)metric_index(metric));

	CHECK(at >= 0);
	return s->r.section_value[section * SECTION_METRICS + (uint32_t)at];
}

TEST(test_goodput_of_the_sections_adds_up_to_that_of_the_run)
{
	struct sim s;

	sim_read(&s, NETWORK RING WEB, "buffer = 1MB\n");
	sim_run(&s, 1);
	CHECK(of(&s, 0, "goodput_bps") > 0 && of(&s, 1, "goodput_bps") > 0);
	CHECK_NEAR(of(&s, 0, "goodput_bps") + of(&s, 1, "goodput_bps"),
		   sim_metric(&s, "goodput_bps"), 1);
	sim_end(&s);
}

/* A round of one section is in the mean of its own section alone, and where there is one such
 * section its mean is that of the run. */
TEST(test_rounds_of_a_section_are_its_own)
{
	struct sim one, both;

	sim_read(&one, NETWORK RING WEB, "buffer = 1MB\n");
	sim_run(&one, 1);
	CHECK(sim_metric(&one, "round_mean_ns") > 0);
	CHECK_NEAR(of(&one, 0, "round_mean_ns"), sim_metric(&one, "round_mean_ns"), 0);
	CHECK(isnan(of(&one, 1, "round_mean_ns")));
	sim_read(&both, NETWORK RINGS, "buffer = 1MB\n");
	sim_run(&both, 1);
	CHECK(of(&both, 0, "round_mean_ns") < sim_metric(&both, "round_mean_ns"));
	CHECK(of(&both, 1, "round_mean_ns") > sim_metric(&both, "round_mean_ns"));
	sim_end(&both);
	sim_end(&one);
}

TEST(test_what_is_computed_for_a_section_leaves_the_run_as_it_is)
{
	struct sim s;
	uint32_t marks = 0;

	sim_read(&s, NETWORK RINGS WEB, "buffer = 1MB\n");
	sim_run(&s, 1);
	for (uint32_t i = 0; i < s.r.flow_count; i++)
		marks += (s.r.flows[i].flags & FLOW_ENDS_ROUND) != 0 && s.r.flows[i].traffic == 1;
	CHECK(marks > 0);
	CHECK(sim_metric(&s, "goodput_bps") > 0);
	sim_end(&s);
}

TEST(test_pauses_of_a_section_are_those_of_its_classes)
{
	struct sim s;

	sim_read(&s, NETWORK RING WEB, "lossless = 0\nbuffer = 300KB\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "pause_ns") > 0);
	CHECK_NEAR(of(&s, 1, "pause_ns"), sim_metric(&s, "pause_ns"), 1e-3);
	CHECK_NEAR(of(&s, 1, "pause_fraction"), sim_metric(&s, "pause_fraction"), 1e-12);
	CHECK_NEAR(of(&s, 1, "pause_bps"), sim_metric(&s, "pause_bps"), 1e-3);
	CHECK(isnan(of(&s, 0, "pause_ns")));
	CHECK(!section_has(&s.c, 0, SECTION_LOSSLESS) && section_has(&s.c, 1, SECTION_LOSSLESS));
	sim_end(&s);
}
