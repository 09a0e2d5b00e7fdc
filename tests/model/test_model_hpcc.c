/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_hpcc.c -- RDMA networks beside the same in HPCC's ns-3 (revision 9f4be2a of
 * alibaba-edu/High-Precision-Congestion-Control), flow by flow.
 *
 * data/hpcc-ns3 has topologies, flow lists and configurations as that simulator reads them, and the
 * completion times that it gave: star, 16 hosts, web search at a load of 0.6; fabric, 48 hosts on 4
 * leaves and 2 spines, web search at 0.8 of the bisection; dumbbell, 16 flows of 20 MB at 100 Gb/s.
 * Each is run as weir import converts it.
 *
 * Marks are drawn here and there by other random numbers, so that only flows before the first mark
 * have the same times; of the others, means agree. Bounds are three standard deviations of the mean
 * over the seeds used here, from ten seeds; docs/results/cross-validation.md has these. */
#define _DEFAULT_SOURCE
#include "lab/scenario/import.h"
#include "tests/sim.h"

#define DATA "tests/data/hpcc-ns3/"

enum { FLOWS_MAX = 640, COLUMNS_MAX = 8 };

/* Completion times in HPCC's ns-3, in the order of the flow list, which is that of the starts. */
struct times {
	uint32_t count;
	double fct_ns[FLOWS_MAX];
};

/* Reads one column of a .csv. */
static void times_read(struct times *t, const char *list, const char *column)
{
	char path[128], line[256];
	int index = -1;

	snprintf(path, sizeof(path), DATA "%s.csv", list);
	FILE *f = fopen(path, "r");
	CHECK(f != NULL);
	t->count = 0;
	while (fgets(line, sizeof(line), f)) {
		char *cell[COLUMNS_MAX] = { NULL }, *rest = line;
		int cells = 0;

		if (line[0] == '#')
			continue;
		line[strcspn(line, "\n")] = '\0';
		while (cells < COLUMNS_MAX && (cell[cells] = strsep(&rest, ",")))
			cells++;
		if (index >= 0) {
			CHECK(index < cells && t->count < FLOWS_MAX);
			t->fct_ns[t->count++] = atof(cell[index]);
			continue;
		}
		for (int i = 0; i < cells; i++)
			if (strcmp(cell[i], column) == 0)
				index = i;
	}
	fclose(f);
	CHECK(index >= 0);
}

/* Runs DATA/list-column.cfg; setting: changed after the import, NULL: none. */
static void run_imported(struct sim *s, const char *list, const char *column, uint32_t seed,
			 const char *setting)
{
	struct import_hpcc h;
	struct scenario scenario;
	struct weir_error e = { "" };
	char path[128], seed_text[32];

	snprintf(path, sizeof(path), DATA "%s-%s.cfg", list, column);
	snprintf(seed_text, sizeof(seed_text), "seed=%u", seed);
	memset(s, 0, sizeof(*s));
	if (import_hpcc_read(&h, path, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	const struct import_files files = { .topology = h.topology, .flows = h.flows, .hpcc = &h };
	if (import_scenario(&scenario, &files, &e) || import_hpcc_settings(&h, &scenario, &e) ||
	    scenario_set(&scenario, seed_text, &e) ||
	    (setting && scenario_set(&scenario, setting, &e)) ||
	    scenario_config(&scenario, &s->c, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	scenario_free(&scenario);
	import_hpcc_free(&h);
	sim_run(s, 1);
}

static double flow_fct_ns(const struct sim *s, uint32_t flow)
{
	return (double)sim_fct_ps(s, flow) / 1000;
}

/* --- before the first mark: each flow --- */

enum { LONG_BYTES = 600000, UNMARKED_NS = 11700000 };

/* Up to 11.7 ms no flow but the long ones is marked. Each takes as long as there, but for whole
 * nanoseconds (0.1 %) and the order in which NICs serve flows that start together. */
TEST(test_model_hpcc_unmarked_flows_take_as_long)
{
	struct times there;
	struct sim s;
	uint32_t compared = 0;

	times_read(&there, "star", "secn2");
	run_imported(&s, "star", "secn2", 1, NULL);
	CHECK_INT(s.r.flow_count, there.count);
	for (uint32_t i = 0; i < there.count; i++) {
		const struct flow *f = &s.r.flows[i];

		if (f->start_ps > UNMARKED_NS * INT64_C(1000) || f->size_bytes > LONG_BYTES)
			continue;
		CHECK_NEAR(flow_fct_ns(&s, i) / there.fct_ns[i], 1, 0.015);
		compared++;
	}
	CHECK_INT(compared, 22);
	sim_end(&s);
}

/* --- means --- */

/* Means of one list in one of the simulators. Slowdowns are by the same ideal times in both. */
struct means {
	double all_ns, small_ns, medium_ns, large_ns, slowdown;
};

enum { SMALL_BYTES = 100000, MEDIUM_BYTES = 10000000 };

/* there NULL: of the run itself. */
static struct means means_of(const struct sim *s, const struct times *there)
{
	struct means m = { 0 };
	double *sums[] = { &m.small_ns, &m.medium_ns, &m.large_ns };
	uint32_t counts[3] = { 0 };

	for (uint32_t i = 0; i < s->r.flow_count; i++) {
		double fct_ns = there ? there->fct_ns[i] : flow_fct_ns(s, i);
		uint64_t bytes = s->r.flows[i].size_bytes;
		int size = bytes <= SMALL_BYTES ? 0 : bytes <= MEDIUM_BYTES ? 1 : 2;

		m.all_ns += fct_ns / s->r.flow_count;
		m.slowdown += fct_ns * 1000 / (double)s->r.ideal_ps[i] / s->r.flow_count;
		*sums[size] += fct_ns;
		counts[size]++;
	}
	for (int i = 0; i < 3; i++)
		*sums[i] /= counts[i] ? counts[i] : 1;
	return m;
}

enum { SEEDS = 2 };

struct pair_of_means {
	struct means here, there;
};

static struct pair_of_means compare(const char *list, const char *column, const char *setting)
{
	struct pair_of_means p = { 0 };
	struct times there;

	times_read(&there, list, column);
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		struct sim s;
		struct means m;

		run_imported(&s, list, column, seed, setting);
		CHECK_INT(s.r.flow_count, there.count);
		m = means_of(&s, NULL);
		p.here.all_ns += m.all_ns / SEEDS;
		p.here.small_ns += m.small_ns / SEEDS;
		p.here.medium_ns += m.medium_ns / SEEDS;
		p.here.large_ns += m.large_ns / SEEDS;
		p.here.slowdown += m.slowdown / SEEDS;
		p.there = means_of(&s, &there);
		sim_end(&s);
	}
	printf("%s, %s: here over ns-3: all %.3f, small %.3f, medium %.3f, large %.3f, slowdown "
	       "%.3f\n",
	       list, column, p.here.all_ns / p.there.all_ns, p.here.small_ns / p.there.small_ns,
	       p.here.medium_ns / p.there.medium_ns, p.here.large_ns / p.there.large_ns,
	       p.here.slowdown / p.there.slowdown);
	return p;
}

/* In the order of arrival, small flows at line rate go before paced ones and end too early. */
TEST(test_model_hpcc_small_flows_take_as_long_with_round_robin)
{
	struct pair_of_means p = compare("star", "secn2", NULL),
			     by_arrival = compare("star", "secn2", "host.arbitration=arrival");

	CHECK_NEAR(p.here.small_ns / p.there.small_ns, 1, 0.05);
	CHECK(by_arrival.here.small_ns < 0.96 * p.here.small_ns);
}

static void check_means(const struct pair_of_means *p)
{
	CHECK_NEAR(p->here.all_ns / p->there.all_ns, 1, 0.07);
	CHECK_NEAR(p->here.medium_ns / p->there.medium_ns, 1, 0.1);
	CHECK_NEAR(p->here.large_ns / p->there.large_ns, 1, 0.1);
	CHECK_NEAR(p->here.slowdown / p->there.slowdown, 1, 0.16);
}

/* RED that begins to mark at 5 KB (SECN1) over RED that begins at 100 KB (SECN2): flows take longer
 * on average, and are slowed down less, in both simulators. */
static void check_order(const char *list, const char *secn1, const char *secn2)
{
	struct pair_of_means a = compare(list, secn1, NULL), b = compare(list, secn2, NULL);
	double time_here = a.here.all_ns / b.here.all_ns,
	       time_there = a.there.all_ns / b.there.all_ns,
	       slowdown_here = a.here.slowdown / b.here.slowdown,
	       slowdown_there = a.there.slowdown / b.there.slowdown;

	printf("%s, %s over %s: time here %.3f, ns-3 %.3f, slowdown here %.3f, ns-3 %.3f\n", list,
	       secn1, secn2, time_here, time_there, slowdown_here, slowdown_there);
	check_means(&a);
	check_means(&b);
	CHECK(time_there > 1 && slowdown_there < 1 && slowdown_here < 1);
	CHECK_NEAR(time_here, time_there, 0.06);
	CHECK_NEAR(slowdown_here, slowdown_there, 0.1);
}

TEST(test_model_hpcc_settings_of_red_compare_as_in_ns3_on_one_switch)
{
	check_order("star", "secn1", "secn2");
}

/* These take seconds, and half a minute under sanitizers, which see nothing else in them. */
#ifndef __SANITIZE_ADDRESS__

TEST(test_model_hpcc_settings_of_red_compare_as_in_ns3_in_a_fabric)
{
	check_order("fabric", "secn1", "secn2");
}

/* With that simulator's sample configuration: windows, 900 us to the next increase. */
TEST(test_model_hpcc_settings_of_red_compare_as_in_ns3_with_windows)
{
	check_order("fabric", "window-secn1", "window-secn2");
}

/* With the times of the DCQCN paper: 55 us to the next increase, 50 us between cuts. */
TEST(test_model_hpcc_settings_of_red_compare_as_in_ns3_with_the_times_of_dcqcn)
{
	check_order("fabric", "paper-secn1", "paper-secn2");
}

#endif

/* Nothing is marked, so nothing is random. Whole nanoseconds are 1 % at 100 Gb/s. */
TEST(test_model_hpcc_fan_in_takes_as_long_as_in_ns3)
{
	static const struct {
		const char *cc;
		double bound;
	} rows[] = { { "dcqcn", 0.015 }, { "timely", 0.015 }, { "hpcc", 0.055 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair_of_means p = compare("dumbbell", rows[i].cc, NULL);

		CHECK_NEAR(p.here.all_ns / p.there.all_ns, 1, rows[i].bound);
	}
}
