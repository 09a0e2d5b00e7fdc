/* SPDX-License-Identifier: BSD-3-Clause */
/* test_poisson.c -- Poisson traffic: the load is met, gaps are exponential, sizes are those of the
 * distribution. */
#include "sim/traffic/workload.h"
#include "tests/world.h"
#include <math.h>
#include <stdlib.h>

static double offered_bytes(const struct flow_list *list)
{
	double sum = 0;

	for (uint32_t i = 0; i < list->count; i++)
		sum += (double)list->flows[i].size_bytes;
	return sum;
}

/* Measured from the flows alone: bytes over the time until the last of them. */
static double offered_load(const struct flow_list *list, double capacity_bps)
{
	double seconds = weir_ps_to_s(list->flows[list->count - 1].start_ps);

	return offered_bytes(list) * WEIR_BITS_PER_BYTE / seconds / capacity_bps;
}

TEST(test_load_is_met_within_two_percent_by_every_workload)
{
	for (const struct workload_file *f = workload_files; f->name; f++) {
		struct world w;
		struct traffic_config *t = world_start(&w, "leaf-spine", "all-to-all");

		traffic_set(t, "sizes", f->name);
		traffic_set(t, "load", "0.6");
		traffic_set(t, "flows", "10000");
		world_flows(&w);
		CHECK_INT(w.list.count, 10000);
		/* 128 hosts of 10 Gb/s. */
		CHECK_NEAR(offered_load(&w.list, 1280 * GBPS), 0.6, 0.02 * 0.6);
		world_end(&w);
	}
}

TEST(test_load_decides_the_number_of_flows_in_a_window)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-one");

	traffic_set(t, "size", "1MB");
	traffic_set(t, "load", "0.8");
	w.c.measure.to_ps = (uint64_t)(1000 * MS);
	t->start = (struct weir_span_ps){ 500 * MS, 500 * MS };
	world_flows(&w);
	/* 0.8 x 10 Gb/s x 0.5 s = 500 MB. */
	CHECK_INT(w.list.count, 500);
	CHECK(w.list.flows[0].start_ps >= 500 * MS && w.list.flows[499].start_ps < 1000 * MS);

	traffic_set(t, "start", "100ms..300ms");
	world_flows(&w);
	CHECK_INT(w.list.count, 200);
	CHECK(w.list.flows[0].start_ps >= 100 * MS && w.list.flows[199].start_ps < 300 * MS);
	world_end(&w);
}

TEST(test_all_to_one_loads_the_receivers_link)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "all-to-one");
	uint32_t from[128] = { 0 };

	traffic_set(t, "sizes", "exponential(mean=100KB)");
	traffic_set(t, "receiver", "9");
	traffic_set(t, "load", "0.9");
	traffic_set(t, "flows", "12700");
	world_flows(&w);
	CHECK_NEAR(offered_load(&w.list, 10 * GBPS), 0.9, 0.02 * 0.9);
	for (uint32_t i = 0; i < w.list.count; i++) {
		CHECK_INT(w.list.flows[i].dst, 9);
		from[w.list.flows[i].src]++;
	}
	for (uint32_t h = 0; h < 128; h++) /* 100 each, standard deviation 10 */
		CHECK(h == 9 ? from[h] == 0 : from[h] > 50 && from[h] < 150);
	world_end(&w);
}

/* Bytes that cross the leaf's uplinks, as a share of what they carry until the last flow starts. */
static double uplink_load(const struct world *w, double uplinks_bps)
{
	double bytes = 0;

	for (uint32_t i = 0; i < w->list.count; i++) {
		const struct flow *f = &w->list.flows[i];
		const struct net_node *src = &w->net.nodes[w->net.host_node[f->src]];
		const struct net_node *dst = &w->net.nodes[w->net.host_node[f->dst]];

		if (src->rack / w->net.racks_per_pod != dst->rack / w->net.racks_per_pod)
			bytes += (double)f->size_bytes;
	}
	return bytes * WEIR_BITS_PER_BYTE /
	       weir_ps_to_s(w->list.flows[w->list.count - 1].start_ps) / uplinks_bps;
}

TEST(test_bisection_load_is_the_load_of_the_links_up)
{
	static const char *const patterns[] = { "all-to-all", "inter-rack" };

	for (int i = 0; i < 2; i++) {
		struct world w;
		struct traffic_config *t = world_start(&w, "leaf-spine", patterns[i]);

		*network_number(&w.c.network, "fabric-rate") = 5000000000;
		traffic_set(t, "size", "10KB");
		traffic_set(t, "load", "0.7");
		traffic_set(t, "load-of", "bisection");
		traffic_set(t, "flows", "20000");
		world_flows(&w);
		CHECK_NEAR(uplink_load(&w, 64 * 5 * GBPS), 0.7, 0.02 * 0.7);
		world_end(&w);

		t = world_start(&w, "fat-tree", patterns[i]); /* 16 uplinks from 8 aggs */
		traffic_set(t, "size", "10KB");
		traffic_set(t, "load", "0.7");
		traffic_set(t, "load-of", "bisection");
		traffic_set(t, "flows", "20000");
		world_flows(&w);
		CHECK_NEAR(uplink_load(&w, 16 * 10 * GBPS), 0.7, 0.02 * 0.7);
		world_end(&w);
	}
}

TEST(test_bisection_load_of_a_dumbbell_is_that_of_its_middle)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "dumbbell", "all-to-all");

	traffic_set(t, "size", "10KB");
	traffic_set(t, "load", "0.5");
	traffic_set(t, "load-of", "bisection");
	traffic_set(t, "flows", "20000");
	world_flows(&w);
	/* Both directions of one link of 10 Gb/s. */
	CHECK_NEAR(uplink_load(&w, 2 * 10 * GBPS), 0.5, 0.02 * 0.5);
	world_end(&w);
}

TEST(test_inter_rack_flows_leave_their_rack_for_any_other)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "inter-rack");
	uint32_t pairs[8][8] = { { 0 } };

	traffic_set(t, "sizes", "fb-hadoop");
	traffic_set(t, "load", "0.3");
	traffic_set(t, "flows", "56000");
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++)
		pairs[w.list.flows[i].src / 16][w.list.flows[i].dst / 16]++;
	for (uint32_t a = 0; a < 8; a++)
		for (uint32_t b = 0; b < 8; b++) /* 1000 each, standard deviation 31.3 */
			CHECK(a == b ? pairs[a][b] == 0 : pairs[a][b] > 850 && pairs[a][b] < 1150);
	world_end(&w);
}

TEST(test_inter_rack_works_where_racks_are_interleaved)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "explicit", "inter-rack");
	static const char *const links[] = { "h0 a 10Gbps 1us", "h1 b 10Gbps 1us",
					     "h2 a 10Gbps 1us", "h3 c 10Gbps 1us",
					     "a b 10Gbps 1us",  "b c 10Gbps 1us" };
	uint32_t pairs[4][4] = { { 0 } };

	for (int i = 0; i < 6; i++)
		line_list_add(&w.c.network.links, links[i], 0);
	traffic_set(t, "size", "1KB");
	traffic_set(t, "load", "0.3");
	traffic_set(t, "flows", "12000");
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++)
		pairs[w.list.flows[i].src][w.list.flows[i].dst]++;
	CHECK_INT(pairs[0][2] + pairs[2][0], 0);
	CHECK(pairs[0][1] > 1300 && pairs[0][1] < 1700 && pairs[0][3] > 1300); /* 3000 / 2 */
	CHECK(pairs[1][0] > 850 && pairs[1][2] > 850 && pairs[1][3] > 850);    /* 3000 / 3 */
	world_end(&w);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Kolmogorov and Smirnov's statistic of gaps with mean 1, times the root of their number. Of true
 * exponentials 1 in 100 samples has more than 1.63. Sorts the gaps. */
static double exponential_misfit(double *gaps, uint32_t count)
{
	double distance = 0;

	qsort(gaps, count, sizeof(*gaps), by_value);
	for (uint32_t i = 0; i < count; i++) {
		double off = fabs(1 - exp(-gaps[i]) - (i + 0.5) / count);

		distance = off > distance ? off : distance;
	}
	return distance * sqrt(count);
}

TEST(test_poisson_gaps_are_exponential_and_uncorrelated)
{
	enum { COUNT = 10000 };
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "all-to-all");
	static double gaps[COUNT];
	double mean, product = 0;

	traffic_set(t, "sizes", "websearch");
	traffic_set(t, "load", "0.5");
	traffic_set(t, "flows", "10000");
	world_flows(&w);
	mean = (double)w.list.flows[COUNT - 1].start_ps / COUNT;
	for (int i = 0; i < COUNT; i++)
		gaps[i] = (double)(w.list.flows[i].start_ps -
				   (i ? w.list.flows[i - 1].start_ps : 0)) /
			  mean;
	for (int i = 1; i < COUNT; i++)
		product += (gaps[i] - 1) * (gaps[i - 1] - 1) / COUNT;
	CHECK_NEAR(product, 0, 3 / sqrt(COUNT));
	CHECK(exponential_misfit(gaps, COUNT) < 1.63);
	world_end(&w);
}

/* Points of a built-in workload, read here on their own. */
static size_t read_points(const char *text, double points[64][2])
{
	double unit = 1;
	size_t count = 0;

	while (*text) {
		if (sscanf(text, "unit %lfB", &unit) != 1 &&
		    sscanf(text, "%lf %lf", &points[count][0], &points[count][1]) == 2)
			points[count++][0] *= unit;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return count;
}

static double share_up_to(const struct flow_list *list, double bytes)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->count; i++)
		count += (double)list->flows[i].size_bytes <= bytes;
	return (double)count / list->count;
}

TEST(test_sizes_follow_every_workloads_points)
{
	for (const struct workload_file *f = workload_files; f->name; f++) {
		struct world w;
		struct traffic_config *t = world_start(&w, "star", "all-to-all");
		double points[64][2];
		size_t count = read_points(f->text, points);

		traffic_set(t, "sizes", f->name);
		traffic_set(t, "load", "0.5");
		traffic_set(t, "flows", "10000");
		world_flows(&w);
		CHECK(count > 8);
		for (size_t i = 0; i < count; i++) {
			/* Of several points with one size the last says the share up to it. */
			if (i + 1 < count && points[i + 1][0] == points[i][0])
				continue;
			/* In whole bytes: between the share below the point and that up to it. */
			CHECK(points[i][1] > share_up_to(&w.list, points[i][0] - 1) - 2e-4);
			CHECK(points[i][1] < share_up_to(&w.list, points[i][0]) + 2e-4);
		}
		world_end(&w);
	}
}

TEST(test_large_flows_come_at_any_time)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-all");
	double place = 0, count = 0;

	traffic_set(t, "sizes", "websearch");
	traffic_set(t, "load", "0.5");
	traffic_set(t, "flows", "10000");
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++)
		if (w.list.flows[i].size_bytes > 5000000) {
			place += i;
			count++;
		}
	CHECK_NEAR(count, 1000, 2);
	/* Mean place of 1000 at random: standard deviation 10000 / sqrt(12 x 1000) = 91. */
	CHECK_NEAR(place / count, 5000, 3 * 91);
	world_end(&w);
}

TEST(test_poisson_incast_has_exponential_gaps_of_the_period)
{
	enum { COUNT = 5000 };
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "incast");
	static double gaps[COUNT];

	traffic_set(t, "senders", "2");
	traffic_set(t, "size", "1KB");
	traffic_set(t, "period", "1ms");
	traffic_set(t, "arrivals", "poisson");
	traffic_set(t, "flows", "10000");
	world_flows(&w);
	for (int i = 0; i < COUNT; i++) {
		const struct flow *f = &w.list.flows[2 * i];

		CHECK_INT(f[1].start_ps, f[0].start_ps);
		gaps[i] = (double)(f[0].start_ps - (i ? f[-1].start_ps : 0)) / (double)MS;
	}
	CHECK(exponential_misfit(gaps, COUNT) < 1.63);
	world_end(&w);
}
