/* SPDX-License-Identifier: BSD-3-Clause */
/* test_traffic.c -- flows of every pattern: who, when, how much. Poisson arrivals at a load have
 * test_poisson.c, what is refused test_traffic_errors.c. */
#include "tests/world.h"
#include <stdlib.h>

/* --- what every flow has --- */

TEST(test_unknown_pattern_gets_the_nearest_name)
{
	struct weir_error e;

	CHECK(traffic_find("many-to-on", &e) == NULL);
	CHECK_STR(e.text, "unknown pattern 'many-to-on'; there are many-to-one, "
			  "permutation, all-to-all, all-to-one, inter-rack, incast, staggered, "
			  "storage, training, ring, list, hpcc-flows, htsim, messages, collective, "
			  "goal, simai, chakra, transformer (nearest: many-to-one)");
}

TEST(test_flows_are_sorted_and_complete)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-all");

	traffic_set(t, "sizes", "websearch");
	traffic_set(t, "load", "0.5");
	traffic_set(t, "flows", "500");
	traffic_set(t, "class", "3");
	t = world_traffic(&w, "second", "permutation");
	traffic_set(t, "size", "1MB");
	traffic_set(t, "start", "10ms..20ms");
	world_flows(&w);
	CHECK_INT(w.list.count, 500 + 17);
	for (uint32_t i = 0; i < w.list.count; i++) {
		const struct flow *f = &w.list.flows[i];

		CHECK(i == 0 || w.list.flows[i - 1].start_ps <= f->start_ps);
		CHECK(f->src != f->dst && f->src < 17 && f->dst < 17);
		CHECK_INT(f->class_id, f->traffic == 0 ? 3 : 0);
		CHECK(f->traffic == 0 || (f->start_ps >= 10 * MS && f->start_ps <= 20 * MS));
		CHECK_INT(f->finish_ps, -1);
		CHECK_INT(f->stop_ps, WEIR_TIME_NEVER_PS);
		CHECK_INT(f->connection, i);
		CHECK_INT(f->next, FLOW_NONE);
		CHECK_INT(f->tx, FLOW_NONE);
		CHECK_INT(f->rx, FLOW_NONE);
	}
	world_end(&w);
}

TEST(test_seed_alone_decides_the_flows)
{
	struct world a, b;

	for (int other = 0; other < 2; other++) {
		traffic_set(world_start(&a, "leaf-spine", "permutation"), "size", "1MB");
		traffic_set(world_start(&b, "leaf-spine", "permutation"), "size", "1MB");
		b.c.seed += (uint64_t)other;
		world_flows(&a);
		world_flows(&b);
		CHECK_INT(memcmp(a.list.flows, b.list.flows, a.list.count * sizeof(struct flow)) !=
				  0,
			  other);
		world_end(&a);
		world_end(&b);
	}
}

/* --- many-to-one and permutation --- */

TEST(test_many_to_one_has_a_flow_from_each_sender)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "many-to-one");
	uint32_t seen = 0;

	traffic_set(t, "senders", "5");
	traffic_set(t, "receiver", "2");
	traffic_set(t, "size", "unlimited");
	traffic_set(t, "stop", "50ms");
	traffic_set(t, "start", "0us..100us");
	world_flows(&w);
	CHECK_INT(w.list.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct flow *f = &w.list.flows[i];

		seen |= 1u << f->src;
		CHECK_INT(f->dst, 2);
		CHECK(f->start_ps >= 0 && f->start_ps <= 100 * US);
		CHECK(f->size_bytes == FLOW_UNLIMITED && f->stop_ps == 50 * MS);
	}
	CHECK_INT(seen, 0x3b); /* hosts 0, 1, 3, 4, 5 */
	world_end(&w);
}

TEST(test_flows_each_is_how_many_flows_every_sender_has)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "many-to-one");
	uint32_t of_sender[6] = { 0 };

	traffic_set(t, "senders", "5");
	traffic_set(t, "receiver", "2");
	traffic_set(t, "flows-each", "32");
	traffic_set(t, "size", "1MB");
	world_flows(&w);
	CHECK_INT(w.list.count, 5 * 32);
	for (uint32_t i = 0; i < w.list.count; i++) {
		CHECK_INT(w.list.flows[i].dst, 2);
		of_sender[w.list.flows[i].src]++;
	}
	for (uint32_t host = 0; host < 6; host++)
		CHECK_INT(of_sender[host], host == 2 ? 0 : 32);
	world_end(&w);
}

TEST(test_starts_fill_their_span_evenly)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "fat-tree", "many-to-one");
	double sum = 0;

	*network_number(&w.c.network, "k") = 16;
	traffic_set(t, "size", "1KB");
	traffic_set(t, "start", "1ms..3ms");
	world_flows(&w);
	CHECK_INT(w.list.count, 1023);
	for (uint32_t i = 0; i < w.list.count; i++)
		sum += (double)w.list.flows[i].start_ps;
	CHECK(w.list.flows[0].start_ps >= MS && w.list.flows[0].start_ps < MS + MS / 50);
	CHECK(w.list.flows[1022].start_ps <= 3 * MS &&
	      w.list.flows[1022].start_ps > 3 * MS - MS / 50);
	/* Mean of 1023 uniforms: standard deviation 2 ms / sqrt(12 x 1023) = 18 us. */
	CHECK_NEAR(sum / 1023, 2.0 * MS, 4 * 18.0 * US);
	world_end(&w);
}

TEST(test_permutation_is_one_cycle_through_all_hosts)
{
	struct world w;
	uint32_t to[128], at = 0;

	traffic_set(world_start(&w, "leaf-spine", "permutation"), "size", "unlimited");
	world_flows(&w);
	CHECK_INT(w.list.count, 128);
	for (uint32_t i = 0; i < 128; i++)
		to[w.list.flows[i].src] = w.list.flows[i].dst;
	for (uint32_t i = 1; i < 128; i++) {
		at = to[at];
		CHECK(at != 0);
	}
	CHECK_INT(to[at], 0);
	world_end(&w);
}

TEST(test_permutation_sends_a_host_to_any_other)
{
	struct world w;
	uint32_t to[17] = { 0 };

	traffic_set(world_start(&w, "star", "permutation"), "size", "1KB");
	for (w.c.seed = 1; w.c.seed <= 1600; w.c.seed++) {
		world_flows(&w);
		for (uint32_t i = 0; i < 17; i++)
			if (w.list.flows[i].src == 9)
				to[w.list.flows[i].dst]++;
	}
	for (uint32_t h = 0; h < 17; h++) /* 100 each, standard deviation 9.7 */
		CHECK(h == 9 ? to[h] == 0 : to[h] > 60 && to[h] < 140);
	world_end(&w);
}

/* --- incast --- */

TEST(test_incast_comes_at_its_period_from_distinct_senders)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "incast");
	uint32_t first_receiver, changes = 0;

	traffic_set(t, "senders", "20");
	traffic_set(t, "size", "64KB");
	traffic_set(t, "period", "2ms");
	traffic_set(t, "flows", "1000");
	traffic_set(t, "start", "1ms");
	world_flows(&w);
	CHECK_INT(w.list.count, 1000);
	first_receiver = w.list.flows[0].dst;
	for (uint32_t r = 0; r < 50; r++) {
		const struct flow *f = &w.list.flows[r * 20];
		char sends[128] = { 0 };

		changes += f->dst != first_receiver;
		for (uint32_t i = 0; i < 20; i++) {
			CHECK_INT(f[i].start_ps, MS + 2 * MS * r);
			CHECK_INT(f[i].dst, f->dst);
			CHECK_INT(f[i].size_bytes, 64000);
			CHECK(f[i].src != f->dst && !sends[f[i].src]++);
		}
	}
	CHECK(changes > 40);
	world_end(&w);
}

TEST(test_incast_draws_each_answer_from_a_distribution)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "incast");
	double sum = 0;

	traffic_set(t, "receiver", "4");
	traffic_set(t, "sizes", "uniform(min=3KB, max=60KB)");
	traffic_set(t, "period", "1ms");
	traffic_set(t, "flows", "1600");
	world_flows(&w);
	CHECK_INT(w.list.count, 1600);
	for (uint32_t i = 0; i < 1600; i++) {
		CHECK_INT(w.list.flows[i].start_ps, i / 16 * MS);
		CHECK(w.list.flows[i].size_bytes >= 3000 && w.list.flows[i].size_bytes <= 60000);
		sum += (double)w.list.flows[i].size_bytes;
	}
	CHECK_NEAR(sum / 1600, 31500, 1700); /* four standard deviations */
	world_end(&w);
}

TEST(test_incast_goes_on_until_the_end_of_the_measurement)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "incast");

	traffic_set(t, "receiver", "4");
	traffic_set(t, "size", "1KB");
	traffic_set(t, "period", "10ms");
	w.c.measure.to_ps = (uint64_t)(100 * MS);
	world_flows(&w);
	CHECK_INT(w.list.count, 10 * 16); /* at 0, 10, ... 90 ms, all others each time */
	CHECK_INT(w.list.flows[159].start_ps, 90 * MS);
	for (uint32_t i = 0; i < 160; i++)
		CHECK_INT(w.list.flows[i].dst, 4);
	w.c.measure.to_ps = (uint64_t)(100 * MS) + 1;
	world_flows(&w);
	CHECK_INT(w.list.count, 11 * 16);
	world_end(&w);
}

TEST(test_incast_senders_and_receivers_are_a_fair_draw)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "incast");
	uint32_t sends[17] = { 0 }, receives[17] = { 0 };

	traffic_set(t, "senders", "4");
	traffic_set(t, "size", "1KB");
	traffic_set(t, "flows", "27200");
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++) {
		sends[w.list.flows[i].src]++;
		receives[w.list.flows[i].dst]++;
	}
	for (uint32_t h = 0; h < 17;
	     h++) { /* 1600 each; of 400 requests received, deviation 19.4 */
		CHECK_NEAR(sends[h], 1600, 5 * 36);
		CHECK_NEAR(receives[h], 1600, 5 * 4 * 19.4);
	}
	world_end(&w);
}
