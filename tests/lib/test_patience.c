/* SPDX-License-Identifier: BSD-3-Clause */
/* test_patience.c -- the rule by hand that learners are compared with, slot by slot of 100 us. */
#include "tests/agent_fixture.h"

enum { SLOT_BYTES = 312500, LAX_MIN = 2560000, TIGHT_MIN = 20000 };

/* So many slots of that kind; returns after how many the setting became this one, 0: it did not. */
static int slots_until(struct agent_fixture *d, int slots, uint64_t min_bytes)
{
	for (int i = 1; i <= slots; i++) {
		agent_fixture_step(d);
		if (d->knobs[0].min_bytes == min_bytes)
			return i;
	}
	return 0;
}

static void carry(struct agent_fixture *d, uint64_t out_bytes, uint64_t queue_bytes,
		  uint64_t marked_pkts)
{
	d->telemetry[0].out_bytes = out_bytes;
	d->telemetry[0].queue_mean_bytes = queue_bytes;
	d->telemetry[0].marked_pkts = marked_pkts;
}

TEST(test_patience_begins_lax_and_tightens_once_a_queue_has_lasted_10_ms)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "patience", 1);
	CHECK_INT(d.ops->interval_ns(d.params, 5000), 100000);
	CHECK_INT(d.knobs[0].min_bytes, LAX_MIN);
	CHECK_INT(d.knobs[0].max_bytes, 10000000);
	CHECK_NEAR(knobs_percent(&d.knobs[0]), 100, 1e-3);
	carry(&d, SLOT_BYTES, 20001, 0);
	CHECK_INT(slots_until(&d, 200, TIGHT_MIN), 100);
	CHECK_INT(d.knobs[0].max_bytes, 1000000);
	agent_fixture_close(&d);
}

/* 50 slots with a queue, 10 without take 20 away: 70 more are needed. */
TEST(test_patience_forgets_twice_as_fast_while_the_queue_is_short)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "patience", 1);
	carry(&d, SLOT_BYTES, 100000, 0);
	CHECK_INT(slots_until(&d, 50, TIGHT_MIN), 0);
	carry(&d, SLOT_BYTES, 20000, 0);
	CHECK_INT(slots_until(&d, 10, TIGHT_MIN), 0);
	carry(&d, SLOT_BYTES, 100000, 0);
	CHECK_INT(slots_until(&d, 200, TIGHT_MIN), 70);
	agent_fixture_close(&d);
}

/* Use falls from 1 towards 0.5 by a twentieth of the rest a slot: 0.5 + 0.5 * 0.95^10 = 0.799. */
TEST(test_patience_relaxes_and_waits_twice_as_long_when_marking_costs_throughput)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "patience", 1);
	carry(&d, SLOT_BYTES, 100000, 0);
	CHECK_INT(slots_until(&d, 200, TIGHT_MIN), 100);
	carry(&d, SLOT_BYTES / 2, 0, 1);
	CHECK_INT(slots_until(&d, 100, LAX_MIN), 10);
	CHECK_NEAR(agent_fixture_value(&d, "wait", 0), 20, 1e-9);
	carry(&d, SLOT_BYTES, 100000, 0);
	CHECK_INT(slots_until(&d, 400, TIGHT_MIN), 200);
	agent_fixture_close(&d);
}

TEST(test_patience_stays_tight_where_nothing_was_marked_and_waits_less_after_four_waits)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "patience", 1);
	carry(&d, SLOT_BYTES, 100000, 0);
	CHECK_INT(slots_until(&d, 200, TIGHT_MIN), 100);
	carry(&d, SLOT_BYTES / 2, 0, 0);
	CHECK_INT(slots_until(&d, 399, LAX_MIN), 0);
	CHECK_NEAR(agent_fixture_value(&d, "wait", 0), 10, 1e-9);
	CHECK_INT(slots_until(&d, 1, LAX_MIN), 0);
	CHECK_NEAR(agent_fixture_value(&d, "wait", 0), 7, 1e-9);
	/* 0.7^5 * 10 ms = 1.68 ms: no less than 2 ms */
	CHECK_INT(slots_until(&d, 2000, LAX_MIN), 0);
	CHECK_NEAR(agent_fixture_value(&d, "wait", 0), 2, 1e-9);
	agent_fixture_close(&d);
}

TEST(test_patience_does_not_take_idle_slots_for_lost_throughput)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "patience", 1);
	carry(&d, SLOT_BYTES, 100000, 1);
	CHECK_INT(slots_until(&d, 200, TIGHT_MIN), 100);
	carry(&d, 0, 0, 1);
	CHECK_INT(slots_until(&d, 100, LAX_MIN), 0);
	agent_fixture_close(&d);
}
