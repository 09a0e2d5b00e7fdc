/* SPDX-License-Identifier: BSD-3-Clause */
/* test_table.c -- comparing runs: rows, means, confidence, ratios, and how they look. */
#define _XOPEN_SOURCE 700
#include "lab/analysis/compare.h"
#include "lab/analysis/answer.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <math.h>

static const char scenario_text[] =
	"# Which is it?\nseed = %d\n[network]\ntopology = star\nhosts = 6\ndelay = 2us\n"
	"[switch]\nmarking = %s\nbuffer = %s\n"
	"[traffic a]\npattern = all-to-all\nsizes = websearch\nload = 0.3\nflows = 60\n"
	"[measure]\nfrom = 1ms\nto = 200ms\n";

/* A store with runs whose numbers are given and not simulated. */
struct shelf {
	struct folder folder;
	struct store *store;
};

static struct shelf shelf_make(void)
{
	struct shelf s = { .folder = folder_make() };
	struct weir_error e = { "" };

	if (store_open(&s.store, s.folder.path, STORE_WRITE, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

static void shelf_end(struct shelf *s)
{
	store_close(s->store);
	folder_remove(&s->folder);
}

struct made {
	const char *marking, *buffer;
	int seed;
	double fct_ns, drops;
	double completed, unfinished, deadlocks; /* 0: none */
};

static void shelf_add(struct shelf *s, struct made m)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim sim;

	sim_read(&sim, scenario_text, m.seed, m.marking, m.buffer);
	for (int i = 0; i < METRICS_MAX; i++)
		sim.r.value[i] = (double)NAN;
	sim.r.value[metric_index("fct_mean_ns")] = m.fct_ns;
	sim.r.value[metric_index("drops")] = m.drops;
	sim.r.value[metric_index("flows_completed")] = m.completed;
	sim.r.value[metric_index("flows_unfinished")] = m.unfinished;
	sim.r.value[metric_index("pfc_deadlocks")] = m.deadlocks;
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	if (store_add(s->store, key, &sim.c, &sim.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_end(&sim);
}

static void shelf_fill(struct shelf *s)
{
	static const struct made runs[] = {
		{ "ecn", "100pkts", 1, 1000, 0, 0, 0, 0 },
		{ "ecn", "100pkts", 2, 3000, 2, 0, 0, 0 },
		{ "tcn", "100pkts", 1, 2000, 4, 0, 0, 0 },
		{ "tcn", "100pkts", 2, 3000, 4, 0, 0, 0 },
		{ "ecn", "200pkts", 1, 5000, 0, 0, 0, 0 },
		{ "tcn", "200pkts", 1, 10000, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		shelf_add(s, runs[i]);
}

static void make(struct comparison *c, struct shelf *s, const struct compare_request *q)
{
	struct weir_error e = { "" };

	if (comparison_make(c, s->store, q, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static char *printed(const struct comparison *c, const struct compare_layout *l)
{
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	comparison_print(f, c, l);
	fclose(f);
	return text;
}

/* --- statistics --- */

TEST(test_confidence_interval_is_students)
{
	const double three[] = { 1, 2, 3 };
	double many[100];

	CHECK(isnan(confidence_half(three, 1)));
	CHECK_NEAR(confidence_half(three, 2), 12.706 * sqrt(0.5) / sqrt(2), 1e-9);
	CHECK_NEAR(confidence_half(three, 3), 4.303 / sqrt(3), 1e-9); /* deviation 1, 2 degrees */
	for (int i = 0; i < 100; i++)
		many[i] = i % 2;
	CHECK_NEAR(confidence_half(many, 100), 1.984 * sqrt(25.0 / 99) / 10, 1e-4); /* 99 degrees */
}

/* --- rows --- */

TEST(test_table_rows_are_what_differs_but_the_seed)
{
	const struct compare_request all = { .by_count = 0 };
	struct shelf s = shelf_make();
	struct comparison c;
	int fct;

	shelf_fill(&s);
	make(&c, &s, &all);
	CHECK_INT(c.axis_count, 2);
	CHECK_STR(c.axes[0].path, "switch.marking");
	CHECK_STR(c.axes[1].path, "switch.buffer");
	CHECK_STR(c.axes[0].labels[1], "tcn");
	CHECK_INT(c.row_count, 4);
	CHECK_STR(c.mixed, "");
	for (fct = 0; strcmp(c.columns[fct].name, "fct_mean_ns") != 0; fct++)
		;
	CHECK_INT(c.rows[0].run_count, 2);
	CHECK(c.rows[0].cells[fct].mean == 2000);
	CHECK_NEAR(c.rows[0].cells[fct].half, 12.706 * 1000, 1e-6);
	CHECK(c.rows[1].cells[fct].mean == 2500);
	CHECK(c.rows[3].cells[fct].mean == 10000);
	CHECK(isnan(c.rows[3].cells[fct].half));
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_by_a_setting_says_what_else_differs)
{
	const char *by[] = { "marking" }, *metrics[] = { "fct_mean_ns" };
	const struct compare_request q = {
		.by_count = 1, .by = by, .metric_count = 1, .metrics = metrics
	};
	struct shelf s = shelf_make();
	struct comparison c;

	shelf_fill(&s);
	make(&c, &s, &q);
	CHECK_INT(c.row_count, 2);
	CHECK_INT(c.rows[0].run_count, 3);
	CHECK(c.rows[0].cells[0].mean == 3000);
	CHECK_STR(c.mixed, "switch.buffer");
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_ratio_pairs_runs_that_differ_in_nothing_else)
{
	const char *by[] = { "switch.marking" }, *metrics[] = { "fct_mean_ns", "drops" };
	const struct compare_request q = { .by_count = 1,
					   .by = by,
					   .metric_count = 2,
					   .metrics = metrics,
					   .normalize_to = "ecn" };
	struct shelf s = shelf_make();
	struct comparison c;

	shelf_fill(&s);
	make(&c, &s, &q);
	CHECK(c.rows[0].cells[0].mean == 1);
	CHECK_NEAR(c.rows[1].cells[0].mean, cbrt(2.0 * 1.0 * 2.0), 1e-12);
	CHECK_INT(c.rows[1].cells[1].count, 1); /* over zero there is no ratio */
	CHECK(c.rows[1].cells[1].mean == 2);
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_of_the_latest_sweep_leaves_others_out)
{
	const struct compare_request q = { .scope = STORE_PLANNED };
	char key[1][RUN_KEY_SIZE];
	struct shelf s = shelf_make();
	struct comparison c;
	struct weir_error e;
	struct sim sim;

	shelf_fill(&s);
	sim_read(&sim, scenario_text, 2, "tcn", "100pkts");
	CHECK_INT(run_key(&sim.c, key[0], &e), 0);
	sim_end(&sim);
	CHECK_INT(store_plan(s.store, (const char(*)[RUN_KEY_SIZE])key, 1, &e), 0);
	make(&c, &s, &q);
	CHECK_INT(c.runs.count, 1);
	CHECK_STR(stored_setting(&c.runs.runs[0], "seed"), "2");
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_of_a_sweep_that_has_no_run_yet_says_that_others_are_there)
{
	const char key[1][RUN_KEY_SIZE] = { "0123456789abcdef" };
	const struct compare_request planned = { .scope = STORE_PLANNED },
				     all = { .scope = STORE_ALL };
	struct shelf s = shelf_make();
	struct weir_error e = { "" };
	struct comparison c;

	shelf_fill(&s);
	CHECK_INT(store_plan(s.store, key, 1, &e), 0);
	CHECK_INT(comparison_make(&c, s.store, &planned, &e), -1);
	CHECK_STR(e.text,
		  "none of the runs of the latest sweep is there yet; --all shows 6 of others");
	make(&c, &s, &all);
	CHECK_INT(c.runs.count, 6);
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_mistakes_name_what_there_is)
{
	static const struct {
		const char *by, *metric, *normalize, *message;
	} cases[] = {
		{ "switch.markin", NULL, NULL,
		  "--by: no run has a setting 'switch.markin' (nearest: switch.marking); parts of "
		  "runs are "
		  "traffic, traffic-class and flow-size" },
		{ NULL, "fct_p9_ns", NULL,
		  "--metric: unknown metric 'fct_p9_ns'; 'weir list metric' and "
		  "'weir help table' name them (nearest: fct_p99_ns)" },
		{ NULL, NULL, "ec",
		  "--normalize-to: unknown value 'ec'; there are ecn, tcn, 100pkts, 200pkts "
		  "(nearest: ecn)" },
	};
	struct shelf s = shelf_make();
	struct comparison c;
	struct weir_error e = { "" };

	CHECK_INT(comparison_make(&c, s.store, &(struct compare_request){ .by_count = 0 }, &e), -1);
	CHECK_STR(e.text, "there are no runs in it yet");
	shelf_fill(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct compare_request q = {
			.by_count = cases[i].by != NULL,
			.by = &cases[i].by,
			.metric_count = cases[i].metric != NULL,
			.metrics = &cases[i].metric,
			.normalize_to = cases[i].normalize,
		};

		CHECK_INT(comparison_make(&c, s.store, &q, &e), -1);
		CHECK_STR(e.text, cases[i].message);
	}
	shelf_end(&s);
}

/* Fourteen times as much, give or take: by hand, logs 2.303, 2.639 and 2.996 have the mean 2.646
 * and the deviation 0.3465, so the interval is exp(2.646 -+ 4.303 * 0.3465 / sqrt(3)). */
TEST(test_ratio_has_the_interval_of_its_logarithm_and_never_crosses_zero)
{
	static const struct made runs[] = {
		{ "ecn", "100pkts", 1, 1000, 1, 0, 0, 0 },
		{ "ecn", "100pkts", 2, 1000, 1, 0, 0, 0 },
		{ "ecn", "100pkts", 3, 1000, 1, 0, 0, 0 },
		{ "tcn", "100pkts", 1, 10000, 0, 0, 0, 0 },
		{ "tcn", "100pkts", 2, 14000, 2, 0, 0, 0 },
		{ "tcn", "100pkts", 3, 20000, 4, 0, 0, 0 },
	};
	const char *metrics[] = { "fct_mean_ns", "drops" };
	const struct compare_request q = { .metric_count = 2,
					   .metrics = metrics,
					   .normalize_to = "ecn" };
	struct shelf s = shelf_make();
	struct comparison c;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		shelf_add(&s, runs[i]);
	make(&c, &s, &q);
	CHECK_NEAR(c.rows[1].cells[0].mean, cbrt(10.0 * 14 * 20), 1e-9);
	CHECK_NEAR(c.rows[1].cells[0].low, 5.96, 0.01);
	CHECK_NEAR(c.rows[1].cells[0].high, 33.3, 0.1);
	/* None of the first seed: its logarithm is none, and neither is the interval. */
	CHECK_NEAR(c.rows[1].cells[1].mean, 2, 1e-12);
	CHECK_INT(c.rows[1].cells[1].count, 3);
	CHECK(isnan(c.rows[1].cells[1].low));
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_normalize_to_takes_a_value_as_it_is_written_in_a_sweep)
{
	static const struct made runs[] = {
		{ "red(min=5KB, max=200KB, p=20%)", "1000KB", 1, 1000, 0, 0, 0, 0 },
		{ "red(min=5KB, max=200KB, p=1/2)", "1000KB", 1, 2000, 0, 0, 0, 0 },
		{ "red(min=5KB, max=200KB, p=20%)", "2MB", 1, 3000, 0, 0, 0, 0 },
		{ "red(min=5KB, max=200KB, p=1/2)", "2MB", 1, 4000, 0, 0, 0, 0 },
	};
	static const struct {
		const char *wanted;
		double of_last; /* its ratio */
	} cases[] = { { "red(min=5KB, max=200KB, p=20%)", 4.0 / 3 },
		      { "red(p=0.2)", 4.0 / 3 },
		      { "red(max=200000B,p=1/5)", 4.0 / 3 },
		      { "red(p=50%)", 1 },
		      { "1MB", 2 },
		      { "2000KB", 1 } };
	const char *metrics[] = { "fct_mean_ns" };
	struct shelf s = shelf_make();

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		shelf_add(&s, runs[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct compare_request q = { .metric_count = 1,
						   .metrics = metrics,
						   .normalize_to = cases[i].wanted };
		struct comparison c;

		make(&c, &s, &q);
		CHECK_INT(c.row_count, 4);
		CHECK_NEAR(c.rows[3].cells[0].mean, cases[i].of_last, 1e-12);
		comparison_free(&c);
	}
	shelf_end(&s);
}

/* --- what a number is of --- */

static const struct made ill_runs[] = {
	{ "ecn", "100pkts", 1, 1000, 7, 100, 0, 0 },  { "ecn", "100pkts", 2, 1000, 7, 100, 0, 0 },
	{ "tcn", "100pkts", 1, 2000, 7, 96, 4, 0 },   { "tcn", "100pkts", 2, 2000, 7, 100, 0, 0 },
	{ "none", "100pkts", 1, 3000, 7, 50, 50, 1 }, { "none", "100pkts", 2, NAN, 7, 0, 100, 1 },
};

TEST(test_table_marks_what_is_of_flows_that_ended_and_of_deadlocks)
{
	const char *metrics[] = { "fct_mean_ns", "drops" };
	const struct compare_request q = { .metric_count = 2, .metrics = metrics };
	const struct compare_layout wide = { .width = 100, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	char *text;

	for (size_t i = 0; i < sizeof(ill_runs) / sizeof(ill_runs[0]); i++)
		shelf_add(&s, ill_runs[i]);
	make(&c, &s, &q);
	CHECK_INT(c.rows[0].cells[0].is_doubtful, 0);
	CHECK_INT(c.rows[1].cells[0].is_doubtful, 1);
	CHECK_INT(c.rows[1].cells[1].is_doubtful, 0); /* drops are of all flows */
	CHECK_INT(c.rows[2].cells[1].is_doubtful, 1); /* but not of a network that stands still */
	text = printed(&c, &wide);
	CHECK_STR(text, "                                   FCT\n"
			"                                  mean  drops\n"
			"marking  flows ended  deadlocks     us\n"
			"ecn       200 of 200     0 of 2  1  \xc2\xb1"
			"0  7  \xc2\xb1"
			"0\n"
			"tcn       196 of 200     0 of 2  2! \xc2\xb1"
			"0  7  \xc2\xb1"
			"0\n"
			"none       50 of 200     2 of 2  3!     7! \xc2\xb1"
			"0\n"
			"Mean of 2 runs and its 95 % confidence interval.\n"
			"! In 3 of 6 runs flows did not end: completion times are of the others.\n"
			"! 2 of 6 runs ended in a deadlock: links wait for each other's pauses.\n");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_ratio_to_a_run_that_did_not_end_is_marked)
{
	const char *metrics[] = { "fct_mean_ns" };
	const struct compare_request q = { .metric_count = 1,
					   .metrics = metrics,
					   .normalize_to = "tcn" };
	struct shelf s = shelf_make();
	struct comparison c;

	for (size_t i = 0; i < 4; i++)
		shelf_add(&s, ill_runs[i]);
	make(&c, &s, &q);
	CHECK_INT(c.rows[0].cells[0].is_doubtful, 1); /* its own flows all ended */
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_number_of_fewer_runs_than_its_row_is_marked)
{
	static const struct made runs[] = { { "ecn", "100pkts", 1, 1000, 0, 9, 0, 0 },
					    { "ecn", "100pkts", 2, NAN, 0, 9, 0, 0 } };
	const char *metrics[] = { "fct_mean_ns" };
	const struct compare_request q = { .metric_count = 1, .metrics = metrics };
	const struct compare_layout wide = { .width = 100, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	char *text;

	for (size_t i = 0; i < 2; i++)
		shelf_add(&s, runs[i]);
	make(&c, &s, &q);
	CHECK_STR(cell_mark(&c.rows[0], &c.rows[0].cells[0]), "*");
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "1*\n");
	CHECK_CONTAINS(text, "* of fewer runs than its row: the others have no number for it.\n");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

/* Two hosts receive; by the seed it is one or the other that has the longer queue. */
static void add_queues(struct shelf *s, int receiver, const char *port)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim sim;

	sim_read(&sim,
		 "[network]\ntopology = star\nhosts = 6\n[traffic a]\npattern = many-to-one\n"
		 "senders = 3\nreceiver = %d\nsize = 100KB\n[measure]\nto = 2ms\n%s%s\n",
		 receiver, *port ? "port = " : "", port);
	sim_run(&sim, 1);
	CHECK_NEAR(sim_metric(&sim, "network_queue_mean_pkts"),
		   sim_metric(&sim, "queue_mean_pkts") / 6, *port ? 1e3 : 1e-2);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_add(s->store, key, &sim.c, &sim.r, &e), 0);
	sim_end(&sim);
}

static int has_column(const struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, name) == 0)
			return 1;
	return 0;
}

TEST(test_table_compares_no_queues_of_different_ports_unless_asked)
{
	const char *metrics[] = { "queue_mean_pkts" };
	const struct compare_request usual = { .by_count = 0 },
				     asked = { .metric_count = 1, .metrics = metrics };
	const struct compare_layout wide = { .width = 100, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	char *text;

	add_queues(&s, 0, "");
	make(&c, &s, &usual);
	CHECK(has_column(&c, "queue_mean_pkts") && !has_column(&c, "network_queue_mean_pkts"));
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "The queue is that of sw->h0, the longest of every run.\n");
	free(text);
	comparison_free(&c);
	add_queues(&s, 1, "");
	make(&c, &s, &usual);
	CHECK(!has_column(&c, "queue_mean_pkts") && !has_column(&c, "utilisation"));
	CHECK(has_column(&c, "network_queue_mean_pkts"));
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "Runs have their longest queue at different ports.\n");
	free(text);
	comparison_free(&c);
	make(&c, &s, &asked);
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "longest queue");
	CHECK_CONTAINS(text, "sw->h0");
	CHECK_CONTAINS(text, "sw->h1");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_shows_the_queue_of_the_port_that_the_scenario_names)
{
	const struct compare_request usual = { .by_count = 0 };
	const struct compare_layout wide = { .width = 100, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	char *text;

	add_queues(&s, 0, "sw->h1");
	add_queues(&s, 1, "sw->h1");
	make(&c, &s, &usual);
	CHECK(has_column(&c, "queue_mean_pkts"));
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "The queue is that of sw->h1.\n");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

/* --- labels --- */

TEST(test_label_has_the_options_that_tell_schemes_apart)
{
	const char *values[] = { "ecn(k=65pkts, scope=queue)", "tcn(threshold=80us)",
				 "ecn(k=20pkts, scope=queue)", "0.5" };
	static const char *const labels[] = { "ecn(k=65pkts)", "tcn", "ecn(k=20pkts)", "0.5" };
	struct compare_axis a = { .value_count = 4, .values = values };

	axis_labels(&a);
	for (int i = 0; i < 4; i++) {
		CHECK_STR(a.labels[i], labels[i]);
		free(a.labels[i]);
	}
	free(a.labels);
}

/* --- metrics that are made from flows --- */

TEST(test_flow_metrics_agree_with_those_of_the_run)
{
	static const char *const both[] = {
		"fct_mean_ns",       "fct_p50_ns",       "fct_p99_ns",         "fct_p999_ns",
		"fct_small_mean_ns", "fct_small_p99_ns", "fct_medium_mean_ns", "fct_large_mean_ns",
		"slowdown_mean",     "slowdown_p50",     "slowdown_p99"
	};
	enum { COUNT = sizeof(both) / sizeof(both[0]) };
	struct compare_column columns[COUNT];
	const struct comparison c = { .columns = columns, .column_count = COUNT };
	struct shelf s = shelf_make();
	struct stored_runs runs;
	double numbers[COUNT];
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim sim;

	sim_read(&sim, scenario_text, 1, "ecn", "100pkts");
	sim_run(&sim, 1);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_add(s.store, key, &sim.c, &sim.r, &e), 0);
	CHECK_INT(store_runs(s.store, STORE_ALL, &runs, &e), 0);
	for (int i = 0; i < COUNT; i++)
		columns[i] = (struct compare_column){ both[i], "", -1, metric_find(both[i]) };
	CHECK_INT(flow_metrics(s.store, &runs.runs[0], &c, numbers, &e), 0);
	for (int i = 0; i < COUNT; i++) {
		double want = sim_metric(&sim, both[i]);

		CHECK(isnan(want) ? isnan(numbers[i]) : fabs(numbers[i] - want) <= 1e-12 * want);
	}
	CHECK(sim_metric(&sim, "flows_completed") > 50);
	columns[0].name = "fct_over_1mb_p50_ns";
	CHECK_INT(flow_metrics(s.store, &runs.runs[0], &c, numbers, &e), 0);
	CHECK(numbers[0] > sim_metric(&sim, "fct_p50_ns"));
	stored_runs_free(&runs);
	sim_end(&sim);
	shelf_end(&s);
}

/* --- how it looks --- */

TEST(test_table_is_aligned)
{
	const struct compare_request all = { .by_count = 0 };
	const struct compare_layout wide = { .width = 80, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	char *text;

	shelf_fill(&s);
	make(&c, &s, &all);
	text = printed(&c, &wide);
	CHECK_STR(text, "                                FCT\n"
			"                               mean    drops\n"
			"marking  buffer   runs           us\n"
			"ecn      100pkts     2      2 \xc2\xb1"
			"12.7  1 \xc2\xb1"
			"12.7\n"
			"tcn      100pkts     2  2.500 \xc2\xb1"
			"6.35  4 \xc2\xb1"
			"0\n"
			"ecn      200pkts     1      5        0\n"
			"tcn      200pkts     1     10        0\n"
			"Mean of 1 to 2 runs and its 95 % confidence interval.\n");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_table_fits_its_width_and_says_what_is_hidden)
{
	const struct compare_request all = { .by_count = 0 };
	const struct compare_layout narrow = { .width = 36 }, blocks = { .width = 36, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	char *text;

	shelf_fill(&s);
	make(&c, &s, &all);
	text = printed(&c, &narrow);
	CHECK_CONTAINS(text, "1 more column: weir table --wide, or\n--metric NAME.\n");
	CHECK(strstr(text, "drops") == NULL);
	free(text);
	text = printed(&c, &blocks);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		CHECK(strncmp(line, "Mean of", 7) == 0 || strcspn(line, "\n") <= 36 + 2);
	CHECK_CONTAINS(text, "\n\n"); /* two tables */
	CHECK_CONTAINS(text, "drops");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

/* --- export --- */

TEST(test_export_does_not_depend_on_the_order_of_adding)
{
	static const struct made runs[] = { { "ecn", "100pkts", 1, 1000, 0, 0, 0, 0 },
					    { "tcn", "100pkts", 1, 2000, 4, 0, 0, 0 } };
	char keys[2][RUN_KEY_SIZE];
	struct weir_error e = { "" };
	char *texts[2];

	for (int i = 0; i < 2; i++) {
		struct shelf s = shelf_make();
		struct stored_runs all;
		struct sim sim;
		size_t length;
		FILE *f = open_memstream(&texts[i], &length);

		for (int k = 0; k < 2; k++) {
			sim_read(&sim, scenario_text, 1, runs[k].marking, runs[k].buffer);
			CHECK_INT(run_key(&sim.c, keys[k], &e), 0);
			sim_end(&sim);
			shelf_add(&s, runs[i ? 1 - k : k]);
		}
		CHECK_INT(store_plan(s.store, (const char(*)[RUN_KEY_SIZE])keys, 2, &e), 0);
		CHECK_INT(store_runs(s.store, STORE_ALL, &all, &e), 0);
		CHECK_INT(export_json(f, s.store, &all, &e), 0);
		fclose(f);
		stored_runs_free(&all);
		shelf_end(&s);
	}
	CHECK_STR(texts[1], texts[0]);
	CHECK_CONTAINS(texts[0], "\"run\": 2, ");
	free(texts[0]);
	free(texts[1]);
}

/* --- what the table of metrics says holds everywhere --- */

TEST(test_metrics_of_the_same_form_are_shown_alike)
{
	static const char *const metrics[] = { "utilisation", "utilisation_up", "pause_fraction",
					       "flows_affected", "jain" };
	const struct compare_request q = { .metrics = metrics, .metric_count = 5 };
	const struct compare_layout wide = { .width = 120, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	struct sim sim;
	char key[RUN_KEY_SIZE], *text;
	struct weir_error e = { "" };

	sim_read(&sim, scenario_text, 1, "tcn", "100pkts");
	for (int i = 0; i < METRICS_MAX; i++)
		sim.r.value[i] = (double)NAN;
	for (int i = 0; i < 5; i++)
		sim.r.value[metric_index(metrics[i])] = 0.4251;
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_add(s.store, key, &sim.c, &sim.r, &e), 0);
	sim_end(&sim);
	make(&c, &s, &q);
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "         %            %         %         %\n");
	CHECK_CONTAINS(text, "     42.51        42.51     42.51     42.51  0.425\n");
	free(text);
	comparison_free(&c);
	shelf_end(&s);
}

TEST(test_every_metric_declares_how_it_is_shown_once)
{
	unsigned char ranks[METRICS_MAX] = { 0 };
	int last = 0;

	for (const struct metric *m = metric_all; m->name; m++) {
		CHECK((m->row != NULL) == (m->group != METRIC_COMPLETION));
		CHECK(m->form != METRIC_PERCENT || m->unit[0] == '\0');
		CHECK(m->rank == 0 || (m->shown & METRIC_IN_TABLES));
		CHECK(m->rank == 0 || !ranks[m->rank]);
		CHECK(metric_find(m->name) == m);
		CHECK_INT(metric_stored_index(metric_stored_name(m)), m - metric_all);
		CHECK(!m->stored || metric_index(m->stored) < 0);
		ranks[m->rank] = 1;
		last = m->rank > last ? m->rank : last;
		for (const struct metric *o = metric_all; o < m; o++)
			CHECK(!m->row || o->group != m->group || strcmp(o->row, m->row) != 0 ||
			      o->column != m->column);
	}
	for (int i = 1; i <= last; i++)
		CHECK(ranks[i]);
	for (uint32_t i = 0; answer_metric(i); i++)
		CHECK(metric_find(answer_metric(i))->better != METRIC_NEITHER);
}

/* A definition that changes takes another name in the store: what older folders have is never mixed
 * in. */
TEST(test_values_by_an_earlier_definition_are_not_shown_and_named)
{
	static const char *const metrics[] = { "round_mean_ns", "goodput_bps", "drops" };
	const struct compare_request q = { .metrics = metrics, .metric_count = 3 };
	const struct compare_layout wide = { .width = 120, .all = 1 };
	struct shelf s = shelf_make();
	struct comparison c;
	struct weir_error e = { "" };
	char *text;

	shelf_add(&s, (struct made){ "ecn", "100pkts", 1, 1000, 3, 0, 0, 0 });
	CHECK_INT(sqlite3_exec(s.store->db,
			       "DELETE FROM metric WHERE name LIKE 'round_mean%' OR "
			       "name LIKE 'goodput_bps%';"
			       "INSERT INTO metric VALUES (1, 'round_mean_ns', 5000), "
			       "(1, 'goodput_bps', 9e9)",
			       NULL, NULL, NULL),
		  SQLITE_OK);
	CHECK_INT(store_write_all_digests(s.store, &e), 0);
	make(&c, &s, &q);
	CHECK(isnan(c.rows[0].cells[0].mean));
	CHECK_NEAR(c.rows[0].cells[1].mean, 9e9, 0); /* the same where measure.to is set */
	CHECK_NEAR(c.rows[0].cells[2].mean, 3, 0);
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "round_mean_ns is omitted for 1 of 1 runs, which have it by an "
			     "earlier version's definition;");
	free(text);
	comparison_free(&c);
	CHECK_INT(sqlite3_exec(s.store->db,
			       "UPDATE setting SET value = '0us' WHERE path = 'measure.to'", NULL,
			       NULL, NULL),
		  SQLITE_OK);
	CHECK_INT(store_write_all_digests(s.store, &e), 0);
	make(&c, &s, &q);
	CHECK(isnan(c.rows[0].cells[1].mean));
	comparison_free(&c);
	shelf_end(&s);
}
