/* test_traffic.c -- flows: the load is met, arrivals are Poisson, sizes are the distribution's. */
#define _POSIX_C_SOURCE 200809L
#include "sim/traffic.h"
#include "sim/workload.h"
#include "tests/test.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US ((int64_t)PS_PER_NS * NS_PER_US)
#define MS ((int64_t)PS_PER_NS * NS_PER_MS)
#define GBPS 1e9

/* A config with its network and flows. */
struct world {
	struct config c;
	struct network net;
	struct flow_list list;
};

static void set_topology(struct world *w, const char *name)
{
	snprintf(w->c.network.topology, sizeof(w->c.network.topology), "%s", name);
	options_default(&w->c.network, topology_find(name)->options);
}

static struct traffic_config *add_traffic(struct world *w, const char *name, const char *pattern)
{
	struct traffic_config *t = config_add_traffic(&w->c, name);

	CHECK(t != NULL);
	snprintf(t->pattern, sizeof(t->pattern), "%s", pattern);
	options_default(t, traffic_find(pattern)->options);
	return t;
}

/* One section, called x, in a network with the defaults of its topology. */
static struct traffic_config *start(struct world *w, const char *topology, const char *pattern)
{
	memset(w, 0, sizeof(*w));
	config_init(&w->c);
	set_topology(w, topology);
	return add_traffic(w, "x", pattern);
}

static void generate(struct world *w)
{
	struct error e = { "" };

	if (network_build(&w->net, &w->c.network, &e) ||
	    traffic_generate(&w->list, &w->c, &w->net, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void finish(struct world *w)
{
	flow_list_free(&w->list);
	network_free(&w->net);
	config_free(&w->c);
}

/* Ends the world, too. */
static void check_refused(struct world *w, const char *message)
{
	struct error e = { "" };

	if (network_build(&w->net, &w->c.network, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(traffic_generate(&w->list, &w->c, &w->net, &e), -1);
	CHECK_STR(e.text, message);
	CHECK(w->list.flows == NULL);
	finish(w);
}

static void set(struct traffic_config *t, const char *key, const char *value)
{
	const struct option *o = option_find(traffic_find(t->pattern)->options, key);
	struct error e;

	if (!o)
		o = option_find(traffic_options, key);
	CHECK(o != NULL);
	if (option_parse(t, o, value, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* --- what every flow has --- */

TEST(test_every_pattern_declares_sane_options)
{
	for (size_t i = 0; traffic_all[i]; i++) {
		const struct traffic_ops *t = traffic_all[i];

		CHECK(t->name && t->help && t->options && t->generate);
		CHECK(traffic_find(t->name) == t);
		for (const struct option *o = t->options; o->name; o++) {
			CHECK(o->help && o->help[0] && o->help[strlen(o->help) - 1] != '.');
			CHECK(option_find(t->options, o->name) == o);
			CHECK(o->min <= o->max && o->offset < sizeof(struct traffic_config));
			CHECK(option_find(traffic_options, o->name) == NULL);
		}
	}
	CHECK(traffic_find("storm") == NULL);
}

TEST(test_unknown_pattern_gets_the_nearest_name)
{
	struct world w;

	strcpy(start(&w, "star", "incast")->pattern, "many-to-on");
	check_refused(&w, "traffic.x.pattern: unknown pattern 'many-to-on'; there are many-to-one, "
			  "permutation, all-to-all, all-to-one, inter-rack, incast, list (nearest: "
			  "many-to-one)");
}

TEST(test_flows_are_sorted_and_complete)
{
	struct world w;
	struct traffic_config *t = start(&w, "star", "all-to-all");

	set(t, "sizes", "websearch");
	set(t, "load", "0.5");
	set(t, "flows", "500");
	set(t, "class", "3");
	t = add_traffic(&w, "second", "permutation");
	set(t, "size", "1MB");
	set(t, "start", "10ms..20ms");
	generate(&w);
	CHECK_INT(w.list.count, 500 + 17);
	for (uint32_t i = 0; i < w.list.count; i++) {
		const struct flow *f = &w.list.flows[i];

		CHECK(i == 0 || w.list.flows[i - 1].start_ps <= f->start_ps);
		CHECK(f->src != f->dst && f->src < 17 && f->dst < 17);
		CHECK_INT(f->class_id, f->traffic == 0 ? 3 : 0);
		CHECK(f->traffic == 0 || (f->start_ps >= 10 * MS && f->start_ps <= 20 * MS));
		CHECK_INT(f->finish_ps, -1);
		CHECK_INT(f->stop_ps, TIME_NEVER_PS);
		CHECK_INT(f->connection, i);
		CHECK_INT(f->next, FLOW_NONE);
		CHECK_INT(f->tx, FLOW_NONE);
		CHECK_INT(f->rx, FLOW_NONE);
	}
	finish(&w);
}

TEST(test_seed_alone_decides_the_flows)
{
	struct world a, b;

	for (int other = 0; other < 2; other++) {
		set(start(&a, "leaf-spine", "permutation"), "size", "1MB");
		set(start(&b, "leaf-spine", "permutation"), "size", "1MB");
		b.c.seed += (uint64_t)other;
		generate(&a);
		generate(&b);
		CHECK_INT(memcmp(a.list.flows, b.list.flows, a.list.count * sizeof(struct flow)) != 0,
			  other);
		finish(&a);
		finish(&b);
	}
}

/* --- many-to-one and permutation --- */

TEST(test_many_to_one_has_a_flow_from_each_sender)
{
	struct world w;
	struct traffic_config *t = start(&w, "star", "many-to-one");
	uint32_t seen = 0;

	set(t, "senders", "5");
	set(t, "receiver", "2");
	set(t, "size", "unlimited");
	set(t, "stop", "50ms");
	set(t, "start", "0us..100us");
	generate(&w);
	CHECK_INT(w.list.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct flow *f = &w.list.flows[i];

		seen |= 1u << f->src;
		CHECK_INT(f->dst, 2);
		CHECK(f->start_ps >= 0 && f->start_ps <= 100 * US);
		CHECK(f->size_bytes == FLOW_UNLIMITED && f->stop_ps == 50 * MS);
	}
	CHECK_INT(seen, 0x3b);		/* hosts 0, 1, 3, 4, 5 */
	finish(&w);
}

TEST(test_starts_fill_their_span_evenly)
{
	struct world w;
	struct traffic_config *t = start(&w, "fat-tree", "many-to-one");
	double sum = 0;

	w.c.network.k = 16;
	set(t, "size", "1KB");
	set(t, "start", "1ms..3ms");
	generate(&w);
	CHECK_INT(w.list.count, 1023);
	for (uint32_t i = 0; i < w.list.count; i++)
		sum += (double)w.list.flows[i].start_ps;
	CHECK(w.list.flows[0].start_ps >= MS && w.list.flows[0].start_ps < MS + MS / 50);
	CHECK(w.list.flows[1022].start_ps <= 3 * MS && w.list.flows[1022].start_ps > 3 * MS - MS / 50);
	/* Mean of 1023 uniforms: standard deviation 2 ms / sqrt(12 x 1023) = 18 us. */
	CHECK_NEAR(sum / 1023, 2.0 * MS, 4 * 18.0 * US);
	finish(&w);
}

TEST(test_permutation_is_one_cycle_through_all_hosts)
{
	struct world w;
	uint32_t to[128], at = 0;

	set(start(&w, "leaf-spine", "permutation"), "size", "unlimited");
	generate(&w);
	CHECK_INT(w.list.count, 128);
	for (uint32_t i = 0; i < 128; i++)
		to[w.list.flows[i].src] = w.list.flows[i].dst;
	for (uint32_t i = 1; i < 128; i++) {
		at = to[at];
		CHECK(at != 0);
	}
	CHECK_INT(to[at], 0);
	finish(&w);
}

/* --- Poisson --- */

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
	double seconds = ps_to_s(list->flows[list->count - 1].start_ps);

	return offered_bytes(list) * BITS_PER_BYTE / seconds / capacity_bps;
}

TEST(test_load_is_met_within_two_percent_by_every_workload)
{
	for (const struct workload_file *f = workload_files; f->name; f++) {
		struct world w;
		struct traffic_config *t = start(&w, "leaf-spine", "all-to-all");

		set(t, "sizes", f->name);
		set(t, "load", "0.6");
		set(t, "flows", "10000");
		generate(&w);
		CHECK_INT(w.list.count, 10000);
		/* 128 hosts of 10 Gb/s. */
		CHECK_NEAR(offered_load(&w.list, 1280 * GBPS), 0.6, 0.02 * 0.6);
		finish(&w);
	}
}

TEST(test_load_decides_the_number_of_flows_in_a_window)
{
	struct world w;
	struct traffic_config *t = start(&w, "star", "all-to-one");

	set(t, "size", "1MB");
	set(t, "load", "0.8");
	w.c.measure.to_ps = (uint64_t)(1000 * MS);
	t->start = (struct span_ps){ 500 * MS, 500 * MS };
	generate(&w);
	/* 0.8 x 10 Gb/s x 0.5 s = 500 MB. */
	CHECK_INT(w.list.count, 500);
	CHECK(w.list.flows[0].start_ps >= 500 * MS && w.list.flows[499].start_ps < 1000 * MS);
	flow_list_free(&w.list);
	network_free(&w.net);

	set(t, "start", "100ms..300ms");
	generate(&w);
	CHECK_INT(w.list.count, 200);
	CHECK(w.list.flows[0].start_ps >= 100 * MS && w.list.flows[199].start_ps < 300 * MS);
	finish(&w);
}

TEST(test_all_to_one_loads_the_receivers_link)
{
	struct world w;
	struct traffic_config *t = start(&w, "leaf-spine", "all-to-one");
	uint32_t from[128] = { 0 };

	set(t, "sizes", "exponential(mean=100KB)");
	set(t, "receiver", "9");
	set(t, "load", "0.9");
	set(t, "flows", "12700");
	generate(&w);
	CHECK_NEAR(offered_load(&w.list, 10 * GBPS), 0.9, 0.02 * 0.9);
	for (uint32_t i = 0; i < w.list.count; i++) {
		CHECK_INT(w.list.flows[i].dst, 9);
		from[w.list.flows[i].src]++;
	}
	for (uint32_t h = 0; h < 128; h++)	/* 100 each, standard deviation 10 */
		CHECK(h == 9 ? from[h] == 0 : from[h] > 50 && from[h] < 150);
	finish(&w);
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
	return bytes * BITS_PER_BYTE / ps_to_s(w->list.flows[w->list.count - 1].start_ps) / uplinks_bps;
}

TEST(test_bisection_load_is_the_load_of_the_links_up)
{
	static const char *const patterns[] = { "all-to-all", "inter-rack" };

	for (int i = 0; i < 2; i++) {
		struct world w;
		struct traffic_config *t = start(&w, "leaf-spine", patterns[i]);

		w.c.network.fabric_rate_bps = 5000000000;
		set(t, "size", "10KB");
		set(t, "load", "0.7");
		set(t, "load-of", "bisection");
		set(t, "flows", "20000");
		generate(&w);
		CHECK_NEAR(uplink_load(&w, 64 * 5 * GBPS), 0.7, 0.02 * 0.7);
		finish(&w);

		t = start(&w, "fat-tree", patterns[i]);	/* 16 uplinks from 8 aggs */
		set(t, "size", "10KB");
		set(t, "load", "0.7");
		set(t, "load-of", "bisection");
		set(t, "flows", "20000");
		generate(&w);
		CHECK_NEAR(uplink_load(&w, 16 * 10 * GBPS), 0.7, 0.02 * 0.7);
		finish(&w);
	}
}

TEST(test_bisection_load_of_a_dumbbell_is_that_of_its_middle)
{
	struct world w;
	struct traffic_config *t = start(&w, "dumbbell", "all-to-all");

	set(t, "size", "10KB");
	set(t, "load", "0.5");
	set(t, "load-of", "bisection");
	set(t, "flows", "20000");
	generate(&w);
	/* Both directions of one link of 10 Gb/s. */
	CHECK_NEAR(uplink_load(&w, 2 * 10 * GBPS), 0.5, 0.02 * 0.5);
	finish(&w);
}

TEST(test_inter_rack_flows_leave_their_rack_for_any_other)
{
	struct world w;
	struct traffic_config *t = start(&w, "leaf-spine", "inter-rack");
	uint32_t pairs[8][8] = { { 0 } };

	set(t, "sizes", "fb-hadoop");
	set(t, "load", "0.3");
	set(t, "flows", "56000");
	generate(&w);
	for (uint32_t i = 0; i < w.list.count; i++)
		pairs[w.list.flows[i].src / 16][w.list.flows[i].dst / 16]++;
	for (uint32_t a = 0; a < 8; a++)
		for (uint32_t b = 0; b < 8; b++)	/* 1000 each, standard deviation 31.3 */
			CHECK(a == b ? pairs[a][b] == 0 : pairs[a][b] > 850 && pairs[a][b] < 1150);
	finish(&w);
}

TEST(test_inter_rack_works_where_racks_are_interleaved)
{
	struct world w;
	struct traffic_config *t = start(&w, "explicit", "inter-rack");
	static const char *const links[] = { "h0 a 10Gbps 1us", "h1 b 10Gbps 1us", "h2 a 10Gbps 1us",
					     "h3 c 10Gbps 1us", "a b 10Gbps 1us", "b c 10Gbps 1us" };
	uint32_t pairs[4][4] = { { 0 } };

	for (int i = 0; i < 6; i++)
		CHECK(line_list_add(&w.c.network.links, links[i], 0) == 0);
	set(t, "size", "1KB");
	set(t, "load", "0.3");
	set(t, "flows", "12000");
	generate(&w);
	for (uint32_t i = 0; i < w.list.count; i++)
		pairs[w.list.flows[i].src][w.list.flows[i].dst]++;
	CHECK_INT(pairs[0][2] + pairs[2][0], 0);
	CHECK(pairs[0][1] > 1300 && pairs[0][1] < 1700 && pairs[0][3] > 1300);	/* 3000 / 2 */
	CHECK(pairs[1][0] > 850 && pairs[1][2] > 850 && pairs[1][3] > 850);	/* 3000 / 3 */
	finish(&w);
}

/* Kolmogorov and Smirnov: the largest distance to a distribution, scaled; 1.63 is its 99 % point. */
static double ks_scaled(double distance, uint32_t count)
{
	return distance * sqrt((double)count);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

TEST(test_poisson_gaps_are_exponential_and_uncorrelated)
{
	enum { COUNT = 10000 };
	struct world w;
	struct traffic_config *t = start(&w, "leaf-spine", "all-to-all");
	static double gaps[COUNT];
	double mean, distance = 0, product = 0;

	set(t, "sizes", "websearch");
	set(t, "load", "0.5");
	set(t, "flows", "10000");
	generate(&w);
	mean = (double)w.list.flows[COUNT - 1].start_ps / COUNT;
	for (int i = 0; i < COUNT; i++)
		gaps[i] = (double)(w.list.flows[i].start_ps - (i ? w.list.flows[i - 1].start_ps : 0)) /
			  mean;
	for (int i = 1; i < COUNT; i++)
		product += (gaps[i] - 1) * (gaps[i - 1] - 1) / COUNT;
	CHECK_NEAR(product, 0, 3 / sqrt(COUNT));
	qsort(gaps, COUNT, sizeof(gaps[0]), by_value);
	for (int i = 0; i < COUNT; i++) {
		double off = fabs(1 - exp(-gaps[i]) - (i + 0.5) / COUNT);

		distance = off > distance ? off : distance;
	}
	CHECK(ks_scaled(distance, COUNT) < 1.63);
	finish(&w);
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
		struct traffic_config *t = start(&w, "star", "all-to-all");
		double points[64][2];
		size_t count = read_points(f->text, points);

		set(t, "sizes", f->name);
		set(t, "load", "0.5");
		set(t, "flows", "10000");
		generate(&w);
		CHECK(count > 8);
		for (size_t i = 0; i < count; i++) {
			/* Of several points with one size the last says the share up to it. */
			if (i + 1 < count && points[i + 1][0] == points[i][0])
				continue;
			CHECK_NEAR(share_up_to(&w.list, points[i][0]), points[i][1], 2e-4);
		}
		finish(&w);
	}
}

TEST(test_large_flows_come_at_any_time)
{
	struct world w;
	struct traffic_config *t = start(&w, "star", "all-to-all");
	double place = 0, count = 0;

	set(t, "sizes", "websearch");
	set(t, "load", "0.5");
	set(t, "flows", "10000");
	generate(&w);
	for (uint32_t i = 0; i < w.list.count; i++)
		if (w.list.flows[i].size_bytes > 5000000) {
			place += i;
			count++;
		}
	CHECK_NEAR(count, 1000, 2);
	/* Mean place of 1000 at random: standard deviation 10000 / sqrt(12 x 1000) = 91. */
	CHECK_NEAR(place / count, 5000, 3 * 91);
	finish(&w);
}

/* --- incast --- */

TEST(test_incast_comes_at_its_period_from_distinct_senders)
{
	struct world w;
	struct traffic_config *t = start(&w, "leaf-spine", "incast");
	uint32_t first_receiver, changes = 0;

	set(t, "senders", "20");
	set(t, "size", "64KB");
	set(t, "period", "2ms");
	set(t, "flows", "1000");
	set(t, "start", "1ms");
	generate(&w);
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
	finish(&w);
}

TEST(test_incast_goes_on_until_the_end_of_the_measurement)
{
	struct world w;
	struct traffic_config *t = start(&w, "star", "incast");

	set(t, "receiver", "4");
	set(t, "size", "1KB");
	set(t, "period", "10ms");
	w.c.measure.to_ps = (uint64_t)(100 * MS);
	generate(&w);
	CHECK_INT(w.list.count, 10 * 16);	/* at 0, 10, ... 90 ms, all others each time */
	CHECK_INT(w.list.flows[159].start_ps, 90 * MS);
	for (uint32_t i = 0; i < 160; i++)
		CHECK_INT(w.list.flows[i].dst, 4);
	flow_list_free(&w.list);
	network_free(&w.net);
	w.c.measure.to_ps = (uint64_t)(100 * MS) + 1;
	generate(&w);
	CHECK_INT(w.list.count, 11 * 16);
	finish(&w);
}

TEST(test_incast_senders_and_receivers_are_a_fair_draw)
{
	struct world w;
	struct traffic_config *t = start(&w, "star", "incast");
	uint32_t sends[17] = { 0 }, receives[17] = { 0 };

	set(t, "senders", "4");
	set(t, "size", "1KB");
	set(t, "flows", "27200");
	generate(&w);
	for (uint32_t i = 0; i < w.list.count; i++) {
		sends[w.list.flows[i].src]++;
		receives[w.list.flows[i].dst]++;
	}
	for (uint32_t h = 0; h < 17; h++) {	/* 1600 each; of 400 requests received, deviation 19.4 */
		CHECK_NEAR(sends[h], 1600, 5 * 36);
		CHECK_NEAR(receives[h], 1600, 5 * 4 * 19.4);
	}
	finish(&w);
}

TEST(test_poisson_incast_has_exponential_gaps_of_the_period)
{
	enum { COUNT = 5000 };
	struct world w;
	struct traffic_config *t = start(&w, "star", "incast");
	static double gaps[COUNT];
	double distance = 0;

	set(t, "senders", "2");
	set(t, "size", "1KB");
	set(t, "period", "1ms");
	set(t, "arrivals", "poisson");
	set(t, "flows", "10000");
	generate(&w);
	for (int i = 0; i < COUNT; i++) {
		const struct flow *f = &w.list.flows[2 * i];

		CHECK_INT(f[1].start_ps, f[0].start_ps);
		gaps[i] = (double)(f[0].start_ps - (i ? f[-1].start_ps : 0)) / (double)MS;
	}
	qsort(gaps, COUNT, sizeof(gaps[0]), by_value);
	for (int i = 0; i < COUNT; i++) {
		double off = fabs(1 - exp(-gaps[i]) - (i + 0.5) / COUNT);

		distance = off > distance ? off : distance;
	}
	CHECK(ks_scaled(distance, COUNT) < 1.63);
	finish(&w);
}
