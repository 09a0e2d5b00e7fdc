/* SPDX-License-Identifier: BSD-3-Clause */
/* test_acc_cost.c -- what section 6 of ACC counts: the network a decision needs, and queues that
 * need none. */
#include "lib/agent/acc.h"
#include "tests/agent_fixture.h"

/* "14M FLOPs" a port every 500 us and "30 KB": layers of 20, 40, 40 and 20 behind 12 inputs.
 * Products: 12 * 20 + 20 * 40 + 40 * 40 + 40 * 20 = 3440, two operations each, 2000 times a second.
 * Weights: those and 120 biases, 4 bytes each, in the network and in its target. */
TEST(test_acc_network_is_as_large_as_section_6_counts)
{
	struct agent_fixture d;
	struct weir_learn_plan plan;
	uint32_t products = 0, biases = 0, before;
	double flops, kilobytes;

	agent_fixture_set(&d, "acc(preset=paper)", 0);
	plan = weir_acc_plan((const struct acc_params *)(const void *)d.params);
	before = plan.current_size;
	for (uint32_t i = 0; i < plan.layer_count; i++) {
		products += before * plan.layers[i].units;
		biases += plan.layers[i].units;
		before = plan.layers[i].units;
	}
	CHECK_INT(products, 3440);
	CHECK_INT(biases, 120);
	flops = 2.0 * products * 2000;
	kilobytes = 2.0 * sizeof(float) * (products + biases) / 1000;
	CHECK(flops > 13.5e6 && flops < 14e6);
	CHECK(kilobytes > 28 && kilobytes < 30);
}

TEST(test_acc_shows_which_queues_it_does_not_ask_about)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "acc(preset=paper, idle=length, start=secn2)", 2);
	d.telemetry[1].queue_end_bytes = 100001; /* above K_min of SECN2 */
	agent_fixture_step(&d);
	CHECK_INT(agent_fixture_value(&d, "idle", 0), 1);
	CHECK_INT(agent_fixture_value(&d, "idle", 1), 0);
	agent_fixture_close(&d);
}
