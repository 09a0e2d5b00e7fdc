/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fixed.c -- the agent that changes nothing: which knobs it gives each queue. */
#include "tests/agent_fixture.h"

/* SECN2 of ACC's section 5.1: 100 KB and 400 KB at 25 Gb/s, so 400 KB and 1600 KB at 100 Gb/s. */
TEST(test_fixed_thresholds_grow_with_the_rate_where_that_is_asked_for)
{
	static const char *const specs[] = {
		"fixed(min=100KB, max=400KB, p=20%)",
		"fixed(min=100KB, max=400KB, p=20%, thresholds=rate)"
	};
	static const uint64_t min_at_100g[] = { 100000, 400000 };

	for (int k = 0; k < 2; k++) {
		struct agent_fixture d;

		agent_fixture_set(&d, specs[k], 2);
		d.queues[1].rate_bps = 100000000000;
		agent_fixture_begin(&d);
		CHECK_INT(d.knobs[0].min_bytes, 100000);
		CHECK_INT(d.knobs[0].max_bytes, 400000);
		CHECK_INT(d.knobs[1].min_bytes, min_at_100g[k]);
		CHECK_INT(d.knobs[1].max_bytes, 4 * min_at_100g[k]);
		CHECK_NEAR(knobs_percent(&d.knobs[1]), 20, 1e-3);
		agent_fixture_close(&d);
	}
}
