/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_census.c -- flows counted by their first and last packets, on the table and in a
 * network. */
#include "sim/core/telemetry.h"
#include "tests/rdma.h"
#include "weir/rng.h"

TEST(test_flow_census_counts_from_the_first_packet_to_the_last)
{
	struct flow_census s = { 0 };

	CHECK_INT(flow_census_pass(&s, 7, FLOW_CENSUS_MORE), 1);
	CHECK_INT(flow_census_pass(&s, 7, FLOW_CENSUS_MORE), 1);
	CHECK_INT(flow_census_pass(&s, 0, FLOW_CENSUS_MORE), 2);
	CHECK_INT(flow_census_pass(&s, 9, FLOW_CENSUS_LAST), 3); /* of one packet */
	CHECK_INT(flow_census_pass(&s, 7, FLOW_CENSUS_LAST), 2); /* still counts itself */
	CHECK_INT(flow_census_pass(&s, 0, FLOW_CENSUS_MORE), 1);
	CHECK_INT(flow_census_pass(&s, 7, FLOW_CENSUS_MORE), 2); /* sent again */
	CHECK_INT(flow_census_pass(&s, 7, FLOW_CENSUS_LAST), 2);
	CHECK_INT(flow_census_pass(&s, 0, FLOW_CENSUS_LAST), 1);
	CHECK_INT(s.count, 0);
	flow_census_free(&s);
}

/* Against a plain array, with a table that grows, collides and empties. */
TEST(test_flow_census_is_a_set_whatever_comes)
{
	enum { FLOWS = 3000 };
	static uint8_t is_in[FLOWS];
	struct weir_rng rng = weir_rng_make(1, 0, WEIR_RNG_TEST);
	struct flow_census s = { 0 };
	uint32_t count = 0;

	for (int i = 0; i < 200000; i++) {
		uint32_t flow = (uint32_t)weir_rng_below(&rng, i % 50000 < 25000 ? FLOWS : 20);
		int is_last = weir_rng_below(&rng, 3) == 0;

		count += !is_in[flow];
		is_in[flow] = 1;
		CHECK_INT(flow_census_pass(&s, flow, is_last ? FLOW_CENSUS_LAST : FLOW_CENSUS_MORE),
			  count);
		count -= (uint32_t)is_last;
		is_in[flow] = !is_last;
		CHECK_INT(s.count, count);
	}
	flow_census_free(&s);
}

/* Flow 0 sends 20 packets at 1 Gb/s over a line of 10: one each 8.72 us (1090 B). Flow 1 sends
 * three, from 40 us on: they leave at 40.0, 48.7 and 57.4 us. So packets 5 and 6 of flow 0 (43.6
 * and 52.3 us) meet flow 1 and packet 7 (61.0 us) does not. */
TEST(test_exact_flow_count_follows_a_schedule_by_hand)
{
	struct heard heard = { 0 };
	const struct fixed_params slow = { 1000000000, 1000000, 0, 0, &heard };
	struct heard other = { 0 };
	const struct fixed_params same = { 1000000000, 1000000, 0, 0, &other };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\n[host]\ncc = hpcc\n[rdma]\nint-flows = exact\n"
		     "[traffic x]\npattern = list\ncc = hpcc\nflow = 1 0 20KB 0us\n"
		     "[traffic y]\npattern = list\ncc = hpcc\nflow = 2 0 3KB 40us\n");
	use_fixed(&s, 0, &fixed_int, &slow);
	use_fixed(&s, 1, &fixed_int, &same);
	sim_run(&s, 1);
	CHECK_INT(heard.acks, 19); /* the run ends with its last byte */
	CHECK_INT(other.acks, 3);
	for (uint32_t i = 0; i < 19; i++)
		CHECK_INT(heard.hop[i][0].flows, i == 5 || i == 6 ? 2 : 1);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(other.hop[i][0].flows, 2);
	sim_end(&s);
}

/* Twelve flows of 0.5 Gb/s share a line, each of them with four packets or more in a base round
 * trip of 80 us: no flow counts twice, and after the second round trip none is missing. */
TEST(test_flow_count_of_a_round_trip_is_right_in_a_network)
{
	enum { FLOWS = 12, PACKETS = 30, SETTLED = 10 };
	struct heard heard = { 0 };
	const struct fixed_params slow = { 500000000, 1000000, 0, 0, &heard };
	struct heard others = { 0 };
	const struct fixed_params same = { 500000000, 1000000, 0, 0, &others };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 13\nrate = 10Gbps\ndelay = 20us\n"
		     "[switch]\nmarking = none\n[host]\ncc = hpcc\n[rdma]\nint-flows = yes\n"
		     "[traffic x]\npattern = list\ncc = hpcc\nflow = 1 0 30KB 0us\n"
		     "[traffic y]\npattern = list\ncc = hpcc\n"
		     "flow = 2 0 30KB 1us\nflow = 3 0 30KB 2us\nflow = 4 0 30KB 3us\n"
		     "flow = 5 0 30KB 4us\nflow = 6 0 30KB 5us\nflow = 7 0 30KB 6us\n"
		     "flow = 8 0 30KB 7us\nflow = 9 0 30KB 8us\nflow = 10 0 30KB 9us\n"
		     "flow = 11 0 30KB 10us\nflow = 12 0 30KB 11us\n");
	use_fixed(&s, 0, &fixed_int, &slow);
	use_fixed(&s, 1, &fixed_int, &same);
	sim_run(&s, 1);
	CHECK(heard.acks > SETTLED && heard.acks <= PACKETS);
	for (uint32_t i = 0; i < heard.acks; i++)
		CHECK(heard.hop[i][0].flows <= FLOWS);
	for (uint32_t i = SETTLED; i < heard.acks; i++)
		CHECK_INT(heard.hop[i][0].flows, FLOWS);
	sim_end(&s);
}

/* The receiver's clock: a packet's ACK comes back a link's delays and its own time on the wire
 * later. */
TEST(test_acks_bring_the_receivers_clock_where_switches_write)
{
	struct heard heard = { 0 };
	const struct fixed_params slow = { 1000000000, 1000000, 0, 0, &heard };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\n[host]\ncc = hpcc\n"
		     "[traffic x]\npattern = list\ncc = hpcc\nflow = 1 0 5KB 10us\n");
	use_fixed(&s, 0, &fixed_int, &slow);
	sim_run(&s, 1);
	CHECK_INT(heard.acks, 4);
	for (uint32_t i = 0; i < 4; i++) { /* two links, and 90 B twice at 10 Gb/s: 72 ns each */
		CHECK_NEAR((double)(heard.ack[i].now_ns - heard.ack[i].rx_ns), 2144, 1);
		CHECK_INT(heard.ack[i].flow, 0);
		CHECK(heard.ack[i].rollout == NULL);
	}
	sim_end(&s);
}
