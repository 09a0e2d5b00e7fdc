/* SPDX-License-Identifier: BSD-3-Clause */
/* test_parts.c -- tables of parts of runs: flows by traffic section, class and size; percentiles
 * and how many flows they take; ratios that are none; order; narrow lines. Flows are made by
 * hand. */
#define _XOPEN_SOURCE 700
#include "lab/analysis/answer.h"
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "base/memory.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <math.h>

static const char scenario_text[] =
	"seed = %d\n[network]\ntopology = star\nhosts = 6\ndelay = 2us\n"
	"[switch]\nqueues = 2\nscheduler = dwrr\nmarking = %s\n"
	"[traffic web]\npattern = all-to-all\nsizes = websearch\nload = 0.3\nflows = 60\n"
	"[traffic store]\npattern = many-to-one\nsenders = 2\nsize = 1MB\nclass = 1\n"
	"[measure]\nto = 200ms\n";

#define PS_PER_US (WEIR_NS_PER_US * (int64_t)WEIR_PS_PER_NS)

enum { WEB, STORE, FLOWS_MAX = 256 };

struct wish {
	uint32_t section;
	uint64_t size_bytes;
	double fct_us; /* 0: it does not end. Alone in the network each takes 10 us. */
};

struct bench {
	struct folder folder;
	struct store *store;
};

static struct bench bench_make(void)
{
	struct bench b = { .folder = folder_make() };
	struct weir_error e = { "" };

	CHECK_INT(store_open(&b.store, b.folder.path, STORE_WRITE, &e), 0);
	return b;
}

static void bench_end(struct bench *b)
{
	store_close(b->store);
	folder_remove(&b->folder);
}

static void add_run(struct bench *b, const char *marking, int seed, const struct wish *wishes,
		    uint32_t count)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	uint32_t unfinished = 0;
	double sum_us = 0;
	struct sim sim;

	sim_read(&sim, scenario_text, seed, marking);
	for (int i = 0; i < METRICS_MAX; i++)
		sim.r.value[i] = (double)NAN;
	sim.r.flows = memory_grow(NULL, count, sizeof(*sim.r.flows));
	sim.r.ideal_ps = memory_grow(NULL, count, sizeof(*sim.r.ideal_ps));
	sim.r.flow_count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct wish *w = &wishes[i];

		unfinished += w->fct_us == 0;
		sum_us += w->fct_us;
		sim.r.ideal_ps[i] = 10 * PS_PER_US;
		sim.r.flows[i] = (struct flow){
			.start_ps = PS_PER_US,
			.finish_ps =
				w->fct_us > 0 ? (int64_t)((w->fct_us + 1) * (double)PS_PER_US) : -1,
			.size_bytes = w->size_bytes,
			.src = 1,
			.traffic = (uint16_t)w->section,
			.class_id = (uint8_t)w->section,
		};
	}
	sim.r.value[metric_index("flows_completed")] = count - unfinished;
	sim.r.value[metric_index("flows_unfinished")] = unfinished;
	sim.r.value[metric_index("fct_mean_ns")] = 1000 * sum_us / (count - unfinished);
	sim.r.value[metric_index("slowdown_mean")] = sum_us / 10 / (count - unfinished);
	sim.r.value[metric_index("fct_p99_ns")] = 7000;
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	if (store_add(b->store, key, &sim.c, &sim.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_end(&sim);
}

static void make(struct comparison *c, struct bench *b, const struct compare_request *q)
{
	struct weir_error e = { "" };

	if (comparison_make(c, b->store, q, &e))
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

/* --- traffic sections and classes --- */

static const struct wish mixed[] = {
	{ STORE, 4000, 20 }, { WEB, 1000, 100 }, { WEB, 2000, 300 },
	{ STORE, 4000, 40 }, { WEB, 3000, 0 },
};

enum { MIXED = sizeof(mixed) / sizeof(mixed[0]) };

TEST(test_table_by_traffic_is_of_each_sections_flows_alone)
{
	static const char *const by[] = { "traffic" };
	static const char *const metrics[] = { "fct_mean_ns", "slowdown_mean" };
	const struct compare_request q = {
		.by = by, .by_count = 1, .metrics = metrics, .metric_count = 2
	};
	const struct compare_layout wide = { .width = 80, .all = 1 };
	struct bench b = bench_make();
	struct comparison c;
	char *text;

	add_run(&b, "ecn", 1, mixed, MIXED);
	add_run(&b, "tcn", 1, mixed, MIXED);
	make(&c, &b, &q);
	text = printed(&c, &wide);
	/* In the order of the scenario; what did not end is said of its section alone. */
	CHECK_STR(text,
		  "                                           FCT  slowdown\n"
		  "                                          mean      mean\n"
		  "traffic  marking  flows/run  flows ended    us\n"
		  "web      ecn              2       2 of 3  200!       20!\n"
		  "web      tcn              2       2 of 3  200!       20!\n"
		  "store    ecn              2       2 of 2   30         3\n"
		  "store    tcn              2       2 of 2   30         3\n"
		  "! unfinished flows in 2 of 2 runs: completion times are of completed flows "
		  "only.\n");
	free(text);
	comparison_free(&c);
	bench_end(&b);
}

TEST(test_table_by_class_and_size_has_a_row_for_each_combination_that_occurs)
{
	static const char *const by[] = { "flow-size", "traffic-class" };
	static const char *const metrics[] = { "fct_mean_ns" };
	const struct compare_request q = {
		.by = by, .by_count = 2, .metrics = metrics, .metric_count = 1, .sizes = "1KB, 3KB"
	};
	struct bench b = bench_make();
	struct comparison c;

	add_run(&b, "ecn", 1, mixed, MIXED);
	make(&c, &b, &q);
	CHECK_INT(c.row_count, 3);
	CHECK_STR(c.axes[0].labels[c.rows[0].value[0]], "to 1 KB"); /* 1000 B are within it */
	CHECK_STR(c.axes[1].labels[c.rows[0].value[1]], "0");
	CHECK_NEAR(c.rows[0].cells[0].mean, 100000, 1e-6);
	CHECK_STR(c.axes[0].labels[c.rows[1].value[0]], "to 3 KB");
	CHECK_NEAR(c.rows[1].cells[0].mean, 300000, 1e-6);
	CHECK_STR(c.axes[0].labels[c.rows[2].value[0]], "above 3 KB");
	CHECK_STR(c.axes[1].labels[c.rows[2].value[1]], "1");
	CHECK_NEAR(c.rows[2].cells[0].mean, 30000, 1e-6);
	comparison_free(&c);
	bench_end(&b);
}

TEST(test_flows_of_several_sections_are_pooled_only_with_a_word)
{
	static const char *const metrics[] = { "fct_mean_ns" };
	const struct compare_request q = { .metrics = metrics, .metric_count = 1 };
	const struct compare_layout wide = { .width = 80, .all = 1 };
	struct bench b = bench_make();
	struct comparison c;
	char *text;

	add_run(&b, "ecn", 1, mixed, MIXED);
	make(&c, &b, &q);
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "are counted together; --by traffic separates them.");
	free(text);
	comparison_free(&c);
	bench_end(&b);
	b = bench_make();
	add_run(&b, "ecn", 1, mixed + 1, 2); /* of web alone */
	make(&c, &b, &q);
	text = printed(&c, &wide);
	CHECK(!strstr(text, "pool"));
	free(text);
	comparison_free(&c);
	bench_end(&b);
}

TEST(test_what_is_no_metric_of_flows_cannot_be_split)
{
	static const char *const by[] = { "traffic" };
	static const char *const metrics[] = { "queue_mean_pkts" };
	const struct compare_request q = {
		.by = by, .by_count = 1, .metrics = metrics, .metric_count = 1
	};
	struct bench b = bench_make();
	struct weir_error e = { "" };
	struct comparison c;

	add_run(&b, "ecn", 1, mixed, MIXED);
	CHECK_INT(comparison_make(&c, b.store, &q, &e), -1);
	CHECK_STR(e.text,
		  "--metric: queue_mean_pkts is no metric of flows; --by traffic tells flows "
		  "apart");
	bench_end(&b);
}

/* --- sizes and percentiles --- */

/* n flows of web: i KB, which take i us. */
static void add_ladder(struct bench *b, const char *marking, int seed, uint32_t count)
{
	struct wish wishes[FLOWS_MAX];

	for (uint32_t i = 0; i < count; i++)
		wishes[i] = (struct wish){ WEB, (i + 1) * UINT64_C(1000), i + 1.0 };
	add_run(b, marking, seed, wishes, count);
}

TEST(test_sizes_are_divided_by_tenths_of_the_flows)
{
	static const char *const by[] = { "flow-size" };
	static const char *const metrics[] = { "fct_p50_ns", "fct_p95_ns" };
	const struct compare_request q = {
		.by = by, .by_count = 1, .metrics = metrics, .metric_count = 2
	};
	struct bench b = bench_make();
	struct comparison c;

	add_ladder(&b, "ecn", 1, 200);
	make(&c, &b, &q);
	CHECK_INT(c.row_count, 10);
	CHECK_STR(c.axes[0].labels[0], "to 20 KB");
	CHECK_STR(c.axes[0].labels[9], "above 180 KB");
	CHECK_NEAR(c.splits[0].middle[3], 70000, 1e-6);          /* 61..80 KB */
	CHECK_NEAR(c.rows[3].cells[0].mean, 70000, 1e-6);        /* ns; rank 10 of 20 */
	CHECK_NEAR(c.rows[9].cells[1].mean, 199 * 1000.0, 1e-6); /* rank 19 of 181..200 us */
	CHECK_STR(fact_text(&c, &c.rows[3], FACT_COUNTED).text, "20");
	comparison_free(&c);
	bench_end(&b);
}

TEST(test_sizes_as_given_must_grow_and_have_units)
{
	static const char *const by[] = { "flow-size" };
	struct compare_request q = { .by = by, .by_count = 1, .sizes = "1MB, 10KB" };
	struct bench b = bench_make();
	struct weir_error e = { "" };
	struct comparison c;

	add_ladder(&b, "ecn", 1, 20);
	CHECK_INT(comparison_make(&c, b.store, &q, &e), -1);
	CHECK_STR(e.text, "--sizes: '10KB' is not larger than the one before it");
	q.sizes = "10";
	CHECK_INT(comparison_make(&c, b.store, &q, &e), -1);
	CHECK_CONTAINS(e.text, "--sizes");
	bench_end(&b);
}

TEST(test_percentile_is_known_where_a_flow_lies_beyond_it)
{
	CHECK(!flow_statistic_is_known(STATISTIC_P50, 1));
	CHECK(flow_statistic_is_known(STATISTIC_P50, 2));
	CHECK(!flow_statistic_is_known(STATISTIC_P95, 19));
	CHECK(flow_statistic_is_known(STATISTIC_P95, 20));
	CHECK(!flow_statistic_is_known(STATISTIC_P99, 99));
	CHECK(flow_statistic_is_known(STATISTIC_P99, 100));
	CHECK(!flow_statistic_is_known(STATISTIC_P999, 999));
	CHECK(flow_statistic_is_known(STATISTIC_P999, 1000));
}

TEST(test_percentile_of_too_few_flows_is_not_shown)
{
	static const char *const metrics[] = { "fct_p99_ns", "fct_p95_ns" };
	struct compare_request q = { .metrics = metrics, .metric_count = 2 };
	const struct compare_layout wide = { .width = 80, .all = 1 };
	struct bench b = bench_make();
	struct comparison c;
	char *text;

	add_ladder(&b, "ecn", 1, 99);
	make(&c, &b, &q);
	CHECK(isnan(c.rows[0].cells[0].mean)); /* the run has a number for it */
	CHECK_NEAR(c.rows[0].cells[1].mean, 95000, 1e-6);
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "A percentile q of n flows is shown where n (1 - q) is at least 1");
	CHECK_CONTAINS(text, "Completed flows per run:");
	free(text);
	comparison_free(&c);
	q.percentiles = PERCENTILES_ALL;
	make(&c, &b, &q);
	CHECK_NEAR(c.rows[0].cells[0].mean, 7000, 1e-6);
	comparison_free(&c);
	bench_end(&b);
}

/* --- ratios and order --- */

static void add_one(struct bench *b, const char *marking, int seed, double fct_us)
{
	add_run(b, marking, seed, &(struct wish){ WEB, 1000, fct_us }, 1);
}

TEST(test_ratio_whose_interval_holds_one_has_a_tilde)
{
	static const char *const metrics[] = { "fct_mean_ns" };
	const struct compare_request q = {
		.metrics = metrics, .metric_count = 1, .normalize_to = "ecn", .sort = "-fct_mean_ns"
	};
	const struct compare_layout wide = { .width = 80, .all = 1, .relative = 1 };
	struct bench b = bench_make();
	struct comparison c;
	char *text;

	for (int seed = 1; seed <= 3; seed++) {
		add_one(&b, "ecn", seed, 100 * seed);
		/* Far apart from seed to seed, yet always twice as long: pairs see it. */
		add_one(&b, "tcn", seed, 200 * seed + seed);
		add_one(&b, "none", seed, seed == 2 ? 150 : 110 * seed);
	}
	make(&c, &b, &q);
	text = printed(&c, &wide);
	CHECK_STR(c.axes[0].labels[c.rows[0].value[0]], "tcn");
	CHECK_STR(c.axes[0].labels[c.rows[2].value[0]], "none");
	CHECK_STR(cell_mark(&c.rows[0], &c.rows[0].cells[0]), "");
	CHECK_STR(cell_mark(&c.rows[1], &c.rows[1].cells[0]), ""); /* ecn itself */
	CHECK_STR(cell_mark(&c.rows[2], &c.rows[2].cells[0]), "~");
	CHECK_CONTAINS(text, "~ not significant: the 95 % confidence interval includes 1.\n");
	free(text);
	comparison_free(&c);
	bench_end(&b);
}

TEST(test_rows_are_sorted_within_their_part)
{
	static const char *const by[] = { "traffic" };
	static const char *const metrics[] = { "slowdown_mean" };
	const struct compare_request q = { .by = by,
					   .by_count = 1,
					   .metrics = metrics,
					   .metric_count = 1,
					   .sort = "fct_mean_ns" };
	struct wish other[MIXED];
	struct bench b = bench_make();
	struct comparison c;

	memcpy(other, mixed, sizeof(mixed));
	other[1].fct_us = 50;  /* web is faster */
	other[0].fct_us = 500; /* and storage slower */
	add_run(&b, "ecn", 1, mixed, MIXED);
	add_run(&b, "tcn", 1, other, MIXED);
	make(&c, &b, &q);
	CHECK_INT(c.column_count, 2); /* what sorts is shown */
	CHECK_STR(c.axes[1].labels[c.rows[0].value[1]], "tcn");
	CHECK_STR(c.axes[1].labels[c.rows[1].value[1]], "ecn");
	CHECK_STR(c.axes[1].labels[c.rows[2].value[1]], "ecn");
	CHECK_STR(c.axes[1].labels[c.rows[3].value[1]], "tcn");
	comparison_free(&c);
	bench_end(&b);
}

/* --- who wins --- */

TEST(test_rows_with_the_same_numbers_are_one_under_both_names)
{
	static const char *const metrics[] = { "fct_mean_ns" };
	struct compare_request q = { .metrics = metrics, .metric_count = 1, .same = ROWS_JOINED };
	const struct compare_layout wide = { .width = 80, .all = 1 };
	struct bench b = bench_make();
	struct comparison c;
	char *text;

	add_one(&b, "ecn", 1, 10);
	add_one(&b, "tcn", 1, 20);
	add_one(&b, "codel", 1, 10);
	make(&c, &b, &q);
	CHECK_INT(c.row_count, 2);
	text = printed(&c, &wide);
	CHECK_CONTAINS(text, "\necn = codel    10\n");
	CHECK_CONTAINS(text, ": identical in every run.");
	free(text);
	comparison_free(&c);
	q.same = ROWS_APART;
	make(&c, &b, &q);
	CHECK_INT(c.row_count, 3);
	comparison_free(&c);
	bench_end(&b);
}

static void keep_lines(void *context, const char *line)
{
	char *text = context;

	strcat(strcat(text, line), "\n");
}

static void answer(struct bench *b, const char *baseline, char *text)
{
	const struct compare_request q = { .same = ROWS_JOINED };
	struct weir_error e = { "" };
	struct comparison c;

	make(&c, b, &q);
	text[0] = '\0';
	if (answer_write(&c, b->store, baseline, &(struct line_sink){ keep_lines, text }, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	comparison_free(&c);
}

TEST(test_answer_names_the_winner_by_how_much_and_what_large_flows_pay)
{
	struct bench b = bench_make();
	char text[1024];

	for (int seed = 1; seed <= 2; seed++) {
		const struct wish ecn[] = { { WEB, 1000, 100 }, { WEB, 20000000, 1000 } };
		const struct wish tcn[] = { { WEB, 1000, 50 }, { WEB, 20000000, 1100 } };
		const struct wish none[] = { { WEB, 1000, 300 }, { WEB, 20000000, 900 } };

		add_run(&b, "none", seed, none, 2);
		add_run(&b, "ecn", seed, ecn, 2);
		add_run(&b, "tcn", seed, tcn, 2);
	}
	/* Two flows have no p99: the mean over both, 575 to 550, counts. Seeds are alike. */
	answer(&b, NULL, text);
	CHECK_STR(text,
		  "No setting significantly lowers the mean FCT by over 1 % against ecn (550 us; "
		  "next tcn: "
		  "1.05); ecn pays: large flows pay 11 % against none. The best without these "
		  "costs is none: 600 us, 1.09 times as much.\n");
	answer(&b, "none", text);
	CHECK_STR(text,
		  "ecn lowers the mean FCT by 8 % against none: 550 us (0.92); large flows pay "
		  "11 %. The best without these costs is none: 600 us, 1.09 times as much.\n");
	bench_end(&b);
}

TEST(test_answer_is_given_for_each_traffic_section)
{
	struct bench b = bench_make();
	char text[1024];

	for (int seed = 1; seed <= 3; seed++) {
		const struct wish ecn[] = { { WEB, 1000, 100 }, { STORE, 1000, 100.0 + seed } };
		const struct wish tcn[] = { { WEB, 1000, 50.0 + seed },
					    { STORE, 1000, 100.0 + seed * seed } };

		add_run(&b, "ecn", seed, ecn, 2);
		add_run(&b, "tcn", seed, tcn, 2);
	}
	answer(&b, NULL, text);
	CHECK_CONTAINS(text, "web: tcn halves the mean FCT against ecn: 52 us (0.52, 95 % CI "
			     "0.50-0.55).\n");
	CHECK_CONTAINS(text, "store: No setting significantly lowers the mean FCT by over 1 % "
			     "against ecn (102 us; "
			     "next tcn: 1.03, 95 % CI 0.95-1.10).\n");
	bench_end(&b);
}

/* --- how it looks --- */

TEST(test_table_too_narrow_for_both_shows_settings_and_numbers_one_below_the_other)
{
	static const char *const metrics[] = { "fct_mean_ns", "slowdown_mean" };
	const struct compare_request q = { .metrics = metrics, .metric_count = 2 };
	const struct compare_layout narrow = { .width = 34, .all = 1 };
	struct bench b = bench_make();
	struct comparison c;
	char *text;

	add_run(&b, "red(min=10pkts, max=100pkts)", 1, mixed + 1, 2);
	add_run(&b, "red(min=20pkts, max=200pkts)", 1, mixed + 1, 2);
	make(&c, &b, &q);
	text = printed(&c, &narrow);
	CHECK_STR(text, "marking\n"
			"     FCT  slowdown\n"
			"    mean      mean\n"
			"      us\n"
			"red(min=10pkts, max=100pkts)\n"
			"     200        20\n"
			"red(min=20pkts, max=200pkts)\n"
			"     200        20\n"
			"Completed flows per run: 2, small\n"
			"2, medium 0, large 0.\n");
	free(text);
	comparison_free(&c);
	bench_end(&b);
}

TEST(test_table_as_csv_has_every_mean_with_its_interval_and_runs)
{
	static const char *const by[] = { "traffic" };
	static const char *const metrics[] = { "fct_mean_ns" };
	const struct compare_request q = {
		.by = by, .by_count = 1, .metrics = metrics, .metric_count = 1
	};
	struct bench b = bench_make();
	struct comparison c;
	char *text;
	size_t length;
	FILE *f;

	add_run(&b, "ecn", 1, mixed, MIXED);
	make(&c, &b, &q);
	f = open_memstream(&text, &length);
	comparison_csv(f, &c);
	fclose(f);
	CHECK_STR(text, "traffic,runs,flows,flows_unfinished,fct_mean_ns,fct_mean_ns_low,"
			"fct_mean_ns_high,fct_mean_ns_runs\n"
			"web,1,2,1,200000,,,1\n"
			"store,1,2,0,30000,,,1\n");
	free(text);
	comparison_free(&c);
	bench_end(&b);
}

/* A damaged store may name any number; one read of it takes no more room than so many sections
 * could. */
TEST(test_a_section_beyond_all_numbers_is_survived)
{
	struct flow_set set = { .count = 0 };
	struct stored_flow f = { .section = UINT32_MAX,
				 .traffic = "web",
				 .size_bytes = 1,
				 .finish_ps = 2,
				 .ideal_ps = 1 };

	CHECK_INT(flow_set_add(&set, &f), 0);
	CHECK(set.section_count <= 1u << 16);
	CHECK_STR(set.sections[set.flows[0].section], "web");
	flow_set_free(&set);
}

/* --- flows that many ask for --- */

static struct stored_runs runs_of(struct store *s)
{
	struct weir_error e = { "" };
	struct stored_runs runs;

	if (store_runs(s, STORE_ALL, &runs, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return runs;
}

/* How often a page was asked for, as SQLite counts. */
static int pages_read(struct store *s)
{
	int hits = 0, misses = 0, most;

	sqlite3_db_status(s->db, SQLITE_DBSTATUS_CACHE_HIT, &hits, &most, 0);
	sqlite3_db_status(s->db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &most, 0);
	return hits + misses;
}

TEST(test_flows_of_a_run_are_read_once_where_nobody_can_change_them)
{
	struct bench b = bench_make();
	struct weir_error e = { "" };
	struct stored_runs runs;
	struct store *reader;
	int pages;

	add_run(&b, "tcn", 1, mixed, MIXED);
	add_run(&b, "tcn", 2, mixed, 2);
	CHECK_INT(store_open(&reader, b.folder.path, STORE_READ, &e), 0);
	runs = runs_of(reader);
	CHECK_INT(store_flow_set(reader, &runs.runs[0], &e)->count, MIXED);
	CHECK_INT(store_flow_set(reader, &runs.runs[1], &e)->count, 2);
	pages = pages_read(reader);
	CHECK_INT(store_flow_set(reader, &runs.runs[0], &e)->count, MIXED);
	CHECK_INT(store_flow_set(reader, &runs.runs[1], &e)->count, 2);
	CHECK_INT(pages_read(reader), pages);
	stored_runs_free(&runs);
	store_close(reader);
	bench_end(&b);
}

TEST(test_flows_of_a_run_are_read_anew_where_it_may_be_replaced)
{
	struct bench b = bench_make();
	struct weir_error e = { "" };
	struct stored_runs runs;

	add_run(&b, "tcn", 1, mixed, MIXED);
	runs = runs_of(b.store);
	CHECK_INT(store_flow_set(b.store, &runs.runs[0], &e)->count, MIXED);
	stored_runs_free(&runs);
	add_run(&b, "tcn", 1, mixed, 2);
	runs = runs_of(b.store);
	CHECK_INT(runs.count, 1);
	CHECK_INT(store_flow_set(b.store, &runs.runs[0], &e)->count, 2);
	stored_runs_free(&runs);
	bench_end(&b);
}

/* Sizes of all classes, one in seven without an end. */
static void make_flows(struct flow_set *set, uint64_t count)
{
	struct weir_rng r = weir_rng_make(5, 0, WEIR_RNG_TEST);

	*set = (struct flow_set){ .measure = { .small_bytes = 100000, .large_bytes = 10000000 } };
	for (uint64_t i = 0; i < count; i++) {
		const struct stored_flow f = {
			.traffic = "web",
			.size_bytes = UINT64_C(1) << weir_rng_below(&r, 26),
			.finish_ps = i % 7 ? (int64_t)weir_rng_below(&r, 1000000) : -1,
			.ideal_ps = 1000,
		};

		flow_set_add(set, &f);
	}
}

TEST(test_statistics_of_flows_all_at_once_are_those_one_by_one)
{
	uint64_t counted[CLASSES], unfinished;
	struct flow_set set;
	double sample[1000];

	make_flows(&set, 1000);
	unfinished = flow_set_counts(&set, counted);
	CHECK_INT(unfinished, 143);
	for (int class = 0; class < CLASSES; class ++) {
		CHECK(counted[class] > 0);
		CHECK_INT(counted[class], flow_set_count(&set, (enum flow_class) class, NULL));
		for (int q = 0; q < QUANTITIES; q++) {
			const struct flow_numbers n = flow_set_numbers(
				&set, (enum flow_quantity)q, (enum flow_class) class, NULL, sample);

			for (int i = 0; i < STATISTICS; i++) {
				const struct flow_metric m = { (enum flow_quantity)q,
							       (enum flow_class) class,
							       (enum flow_statistic)i };

				CHECK(n.of[i] == flow_set_metric(&set, &m, NULL, sample));
			}
		}
	}
	flow_set_free(&set);
}
