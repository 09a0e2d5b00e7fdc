/* SPDX-License-Identifier: BSD-3-Clause */
/* test_testbed_health.c -- when a real run must not be trusted, and the message that says so. */
#include "testbed/testbed.h"
#include "tests/test.h"
#include <string.h>

TEST(test_run_that_the_machine_kept_up_with_is_trusted)
{
	/* At the bounds, and with frames that did not come from the testbed's hosts. */
	const struct testbed_health at_bounds = { .lost_fraction = 0.005,
						  .late_fraction = 0.05,
						  .refused_pkts = 3 };

	CHECK_STR(testbed_held_up(&(struct testbed_health){ 0 }).text, "");
	CHECK_STR(testbed_held_up(&at_bounds).text, "");
}

TEST(test_everything_that_held_a_run_up_is_said)
{
	const struct testbed_health all = {
		.lost_fraction = 0.032, .lost_pkts = 1200, .connections = 2, .late_fraction = 0.125
	};

	CHECK_STR(testbed_held_up(&(struct testbed_health){ .lost_fraction = 0.00501 }).text,
		  "the switch was descheduled for 0.501 % of the time");
	CHECK_STR(testbed_held_up(&(struct testbed_health){ .lost_pkts = 1 }).text,
		  "1 packets lost at the receive ring");
	CHECK_STR(testbed_held_up(&all).text,
		  "the switch was descheduled for 3.2 % of the time; hosts started 12.5 % of the "
		  "flows late; 1,200 packets lost at the receive ring; 2 connections failed");
	CHECK(strlen(testbed_held_up(&all).text) < sizeof(((struct run_result *)NULL)->held_up));
}

TEST(test_of_two_disturbed_runs_the_one_that_was_disturbed_less_has_less_strain)
{
	const struct testbed_health little = { .lost_fraction = 0.006 },
				    more = { .lost_fraction = 0.006, .late_fraction = 0.06 },
				    packets = { .lost_fraction = 0.006, .lost_pkts = 40 };

	CHECK(testbed_strain(&little) < testbed_strain(&more));
	CHECK(testbed_strain(&more) < testbed_strain(&packets));
	CHECK_NEAR(testbed_strain(&(struct testbed_health){ 0 }), 0, 0);
}
