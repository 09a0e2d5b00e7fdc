/* SPDX-License-Identifier: BSD-3-Clause */
/* test_estimate.c -- what a run will need is known before it begins, and what no machine has is
 * refused. */
#include "sim/measure/preview.h"
#include "sim/traffic/traffic.h"
#include "tests/sim.h"
#include "tests/world.h"
#include "weir/rng.h"
#include <stdlib.h>

static struct estimate estimate_of(const struct sim *s)
{
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result r;
	struct estimate estimate;
	struct weir_error e;

	if (run(&s->c, &control, &r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	estimate = r.estimate;
	CHECK(r.ports == NULL && r.ideal_ps == NULL); /* it was not run */
	run_result_free(&r);
	return estimate;
}

/* 20 flows of 73 full segments and one of 20 B, each acknowledged by every second; over two
 * links. */
TEST(test_estimated_hops_of_flows_that_end_are_those_of_their_segments)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 21\nrate = 10Gbps\ndelay = 5us\n"
		     "[host]\nmss = 1460B\npackets-per-ack = 2\nhandshake = no\n"
		     "[traffic x]\npattern = many-to-one\nsize = 106600B\n");
	CHECK_NEAR(estimate_of(&s).packet_hops, 20 * 74 * 1.5 * 2, 1e-6);
	CHECK_NEAR(estimate_of(&s).cpu_seconds, 20 * 74 * 1.5 * 2 / ESTIMATE_HOPS_PER_S, 1e-12);
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "packet_hops") / estimate_of(&s).packet_hops, 1, 0.2);
	sim_end(&s);
}

/* Four share the receiver's link, which is full from the first round trips on. */
TEST(test_estimated_hops_of_endless_flows_fill_their_links)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 1us\n"
		     "[traffic x]\npattern = many-to-one\nsize = unlimited\n"
		     "[measure]\nto = 20ms\n");
	sim_run(&s, 1);
	CHECK_NEAR(estimate_of(&s).packet_hops / sim_metric(&s, "packet_hops"), 1, 0.1);
	sim_end(&s);
}

/* A million flows are 200 MB, a thousand hosts a few. */
TEST(test_estimated_memory_follows_flows_and_ports)
{
	struct world w = world_of("star");
	double none, some;

	world_network(&w);
	w.c.mark = weir_mark_find("none");
	w.c.queues = 1;
	none = estimate_memory(&w.c, &w.net, 0);
	some = estimate_memory(&w.c, &w.net, 1000 * 1000);
	CHECK_NEAR(some - none, 200e6, 1);
	CHECK(none > 1e6 && none < 20e6);
	world_end(&w);
}

/* Refused at once, with the amounts, before a flow is made. */
/* Ranks of a ring have one connection, those of an all-to-all 199: 39 600 of 700 B. */
TEST(test_estimated_memory_follows_connections_of_jobs)
{
	static const char text[] = "[network]\ntopology = star\nhosts = 200\n"
				   "[traffic x]\npattern = collective\nsize = 1MB\n%s\n";
	struct sim ring, all;

	sim_read(&ring, text, "");
	sim_read(&all, text, "collective = all-to-all");
	CHECK_NEAR(estimate_of(&all).memory_bytes - estimate_of(&ring).memory_bytes,
		   200 * 198 * 700, 1);
	sim_end(&ring);
	sim_end(&all);
}

TEST(test_more_flows_than_the_machine_has_memory_for_are_refused)
{
	double flows = (double)memory_of_machine() / FLOW_MEMORY_BYTES + 1000;
	struct traffic_config *t;
	struct weir_error e = { "" };
	struct world w;
	char text[32];

	if (flows > 4e9) /* of which there cannot be more in any case */
		return;
	t = world_start(&w, "star", "all-to-all");
	snprintf(text, sizeof(text), "%.0f", flows);
	traffic_set(t, "flows", text);
	traffic_set(t, "load", "0.5");
	traffic_set(t, "size", "1KB");
	world_network(&w);
	CHECK_INT(traffic_generate(&w.list, &w.c, &w.net, &e), -1);
	CHECK_LIKE(e.text,
		   "traffic.x.flows: about ... GB of memory are needed, and this machine has "
		   "... GB; take fewer flows or hosts, or a shorter time");
	world_end(&w);
}

/* --- sorting --- */

/* Any order comes out by start; equal ones, of which there are many, and those that wait stay as
 * made. */
TEST(test_flows_are_sorted_by_start_and_stay_in_order_where_equal)
{
	enum { COUNT = 5000 };
	static const uint64_t spans[] = { 1, 3, 5000, UINT64_C(1) << 50, UINT64_C(1) << 62 };
	struct weir_rng rng = weir_rng_make(11, 0, WEIR_RNG_TEST);
	struct flow *flows = calloc(COUNT, sizeof(*flows));

	CHECK(flows != NULL);
	for (size_t k = 0; k < sizeof(spans) / sizeof(spans[0]); k++) {
		for (uint32_t i = 0; i < COUNT; i++)
			flows[i] = (struct flow){
				.start_ps = weir_rng_below(&rng, 4)
						    ? (int64_t)weir_rng_below(&rng, spans[k])
						    : WEIR_TIME_NEVER_PS,
				.next = i,
			};
		flows = flows_by_start(flows, COUNT);
		for (uint32_t i = 1; i < COUNT; i++)
			CHECK(flows[i - 1].start_ps < flows[i].start_ps ||
			      (flows[i - 1].start_ps == flows[i].start_ps &&
			       flows[i - 1].next < flows[i].next));
	}
	flows = flows_by_start(flows, 0);
	flows = flows_by_start(flows, 1);
	free(flows);
}
