/* SPDX-License-Identifier: BSD-3-Clause */
/* test_figure.c -- the panels of a figure from a store whose numbers are made by hand, and the
 * figures that a folder holds. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/figure_report.h"
#include "lab/report/reproduce.h"
#include "lab/store/results.h"
#include "tests/folder.h"
#include "tests/markup.h"
#include "tests/sim.h"
#include <math.h>

static const char scenario_text[] =
	"[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 2us\n"
	"[traffic req]\npattern = incast\nsenders = 2\nreceiver = 0\nsize = 20KB\nperiod = 500us\n"
	"[measure]\nto = 1ms\nprobe = queue sw->h0 every 100us\n"
	"probe = throughput flow:0 every 100us\n"
	"[case none]\nswitch.marking = none\n"
	"[case ecn]\nswitch.marking = ecn(k=20pkts)\nswitch.buffer = 100pkts\n";

static const char figure_head[] = "[figure]\ntitle = T\npaper = P, Figure 1\n";

/* One run and what it is said to have measured. */
struct made {
	const char *name, *size;
	int seed;
	double queue_pkts, fct_ns;
};

static const struct made all_made[] = {
	{ "none", "20KB", 1, 10, 2e6 },  { "none", "20KB", 2, 14, 4e6 },
	{ "none", "200KB", 1, 20, 8e6 }, { "none", "200KB", 2, 20, 8e6 },
	{ "ecn", "20KB", 1, 5, 1e6 },    { "ecn", "20KB", 2, 14, 1e6 },
	{ "ecn", "200KB", 1, 30, 2e6 },  { "ecn", "200KB", 2, 10, 2e6 },
};

enum { MADE = sizeof(all_made) / sizeof(all_made[0]) };

static void add_run(struct store *s, const struct made *m, char key[RUN_KEY_SIZE])
{
	const struct run_control control = { .threads = 1 };
	char assignment[2][64];
	struct scenario sc;
	struct sim run_here = { .r = { .flow_count = 0 } };
	struct weir_error e;

	snprintf(assignment[0], sizeof(assignment[0]), "traffic.req.size=%s", m->size);
	snprintf(assignment[1], sizeof(assignment[1]), "seed=%d", m->seed);
	if (scenario_read_text(&sc, "test", scenario_text, strlen(scenario_text), &e) ||
	    scenario_use_case(&sc, m->name, &e) || scenario_set(&sc, assignment[0], &e) ||
	    scenario_set(&sc, assignment[1], &e) || scenario_config(&sc, &run_here.c, &e) ||
	    run(&run_here.c, &control, &run_here.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	run_here.r.value[metric_index("queue_mean_pkts")] = m->queue_pkts;
	run_here.r.value[metric_index("fct_mean_ns")] = m->fct_ns;
	/* With seed 1 flows take 100, 101, 102 us and so on, with seed 2 they take 200 and more. */
	for (uint32_t i = 0; i < run_here.r.flow_count; i++) {
		struct flow *f = &run_here.r.flows[i];

		f->finish_ps = f->start_ps + (100 * m->seed + (int64_t)i) * 1000 * WEIR_PS_PER_NS;
		run_here.r.ideal_ps[i] = INT64_C(10) * 1000 * WEIR_PS_PER_NS;
	}
	if (run_key(&run_here.c, key, &e) || store_add(s, key, &run_here.c, &run_here.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	scenario_free(&sc);
	sim_end(&run_here);
}

/* A store of its own with all runs, planned in their order. */
struct fixture {
	struct folder folder;
	struct store *s;
	struct figure f;
	struct report r;
};

static void fixture_begin(struct fixture *d, const char *panels)
{
	char keys[MADE][RUN_KEY_SIZE], text[4096];
	struct weir_error e;

	d->folder = folder_make();
	d->r = (struct report){ .setting_count = 0 };
	snprintf(text, sizeof(text), "%s%s", figure_head, panels);
	if (store_open(&d->s, d->folder.path, STORE_WRITE, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (int i = 0; i < MADE; i++)
		add_run(d->s, &all_made[i], keys[i]);
	if (store_plan(d->s, (const char(*)[RUN_KEY_SIZE])keys, MADE, &e) ||
	    figure_read_text(&d->f, "test.claims", text, strlen(text), &e) ||
	    figure_compare(&d->r.compare, d->s, &d->f, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	report_compare(&d->r);
	if (figure_charts(&d->r, d->s, &d->f, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void fixture_end(struct fixture *d)
{
	report_free(&d->r);
	figure_free(&d->f);
	store_close(d->s);
	folder_remove(&d->folder);
}

TEST(test_lines_have_a_point_for_each_x_and_a_line_for_each_case)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d, "[panel a]\nkind = lines\ntitle = queue\ny = queue_mean_pkts\n"
			  "x = traffic.req.size\n");
	CHECK_INT(d.r.charts.count, 1);
	c = &d.r.charts.all[0];
	CHECK_STR(c->title, "(a) queue");
	CHECK_STR(c->variant, "");
	CHECK_INT(c->kind, CHART_MEANS);
	CHECK_STR(c->x_label, "size (KB)");
	CHECK_STR(c->y_label, "queue mean (pkts)");
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[0].name, "none");
	CHECK_STR(c->lines[1].name, "ecn");
	CHECK_INT(c->lines[0].count, 2);
	CHECK_NEAR(c->lines[0].points[0].x, 20, 1e-9);
	CHECK_NEAR(c->lines[0].points[0].y, 12, 1e-9);
	/* Of 10 and 14 the mean is 12 and the interval t(1) * 2 = 12.706 * 2 on either side. */
	CHECK_NEAR(c->lines[0].points[0].low, 12 - 25.412, 1e-9);
	CHECK_NEAR(c->lines[0].points[0].high, 12 + 25.412, 1e-9);
	CHECK_NEAR(c->lines[1].points[1].x, 200, 1e-9);
	CHECK_NEAR(c->lines[1].points[1].y, 20, 1e-9);
	CHECK_CONTAINS(c->note, "Means over 2 seeds");
	fixture_end(&d);
}

TEST(test_panels_leave_out_cases_of_other_readings_unless_they_name_them)
{
	struct fixture d;

	fixture_begin(&d, "[panel a]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
			  "[panel b]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
			  "where = case=ecn\n"
			  "[claim c]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\n"
			  "of = case=none, traffic.req.size=20KB\nrange = 900pkts..\n"
			  "[reading r]\nsays = s\nsource = x\ncases = none=ecn\n");
	CHECK_INT(d.r.charts.count, 2);
	CHECK_INT(d.r.charts.all[0].line_count, 1);
	CHECK_STR(d.r.charts.all[0].lines[0].name, "none");
	CHECK_INT(d.r.charts.all[1].line_count, 1);
	CHECK_STR(d.r.charts.all[1].lines[0].name, "ecn");
	fixture_end(&d);
}

TEST(test_a_normalized_panel_divides_by_the_named_case_at_the_same_x_seed_by_seed)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d, "[panel a]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
			  "normalize = none\n");
	c = &d.r.charts.all[0];
	CHECK_STR(c->y_label, "queue mean, relative to none");
	CHECK_NEAR(c->lines[0].points[0].y, 1, 1e-12);
	CHECK_NEAR(c->lines[0].points[1].y, 1, 1e-12);
	/* 5/10 and 14/14; 30/20 and 10/20. The ratio of the means would be 9.5/12. */
	CHECK_NEAR(c->lines[1].points[0].y, 0.75, 1e-12);
	CHECK_NEAR(c->lines[1].points[1].y, 1, 1e-12);
	fixture_end(&d);
}

/* Cases are names for settings, by which lines may be told apart as well; x may count as something
 * else. */
TEST(test_what_the_paper_says_of_a_point_is_a_mark_in_its_panel)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(
		&d, "[panel a]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
		    "[panel b]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
		    "normalize = none\n"
		    "[claim one]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\nvalue = 7pkts\n"
		    "of = case=ecn, traffic.req.size=200KB\n"
		    "[claim ratio]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\nvalue = 0.4\n"
		    "of = case=ecn, traffic.req.size=20KB\n"
		    "over = case=none, traffic.req.size=20KB\n"
		    "[claim range]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\n"
		    "range = 1pkts..9pkts\nof = case=ecn, traffic.req.size=200KB\n");
	c = &d.r.charts.all[0];
	CHECK_INT(c->line_count, 3); /* none, ecn and what is said of ecn; a range is no mark */
	CHECK_STR(c->lines[2].name, "ecn, the paper");
	CHECK(c->lines[2].is_marks);
	CHECK_INT(c->lines[2].style, c->lines[1].style);
	CHECK_INT(c->lines[2].count, 1);
	CHECK_NEAR(c->lines[2].points[0].x, 200, 1e-9);
	CHECK_NEAR(c->lines[2].points[0].y, 7, 1e-9);
	c = &d.r.charts.all[1];
	CHECK_INT(c->line_count, 3);
	CHECK_NEAR(c->lines[2].points[0].x, 20, 1e-9);
	CHECK_NEAR(c->lines[2].points[0].y, 0.4, 1e-9);
	fixture_end(&d);
}

TEST(test_what_the_paper_says_of_a_bar_is_a_mark_on_it)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d,
		      "[panel a]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=20KB\n"
		      "[claim one]\nsays = s\nsection = 1\nmetric = fct_mean_ns\nvalue = 1.5ms\n"
		      "of = case=ecn, traffic.req.size=20KB\n"
		      "[claim other]\nsays = s\nsection = 1\nmetric = fct_mean_ns\nvalue = 7ms\n"
		      "of = case=ecn, traffic.req.size=200KB\n");
	c = &d.r.charts.all[0];
	CHECK_INT(chart_bars(c), 2);
	CHECK_INT(c->line_count, 3);
	CHECK_STR(c->lines[2].name, "the paper");
	CHECK(c->lines[2].is_marks);
	CHECK_INT(c->lines[2].count, 1);              /* the panel is of 20 KB alone */
	CHECK_NEAR(c->lines[2].points[0].x, 1, 1e-9); /* none, ecn */
	CHECK_NEAR(c->lines[2].points[0].y, 1.5, 1e-9);
	fixture_end(&d);
}

/* As a sweep has it whose quick size is one load: there is nothing along the axis. */
TEST(test_lines_that_have_one_x_are_bars_with_names)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d, "[panel a]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
			  "where = traffic.req.size=200KB\nx-scale = 2\n"
			  "[panel b]\nkind = lines\ny = queue_mean_pkts\nx = network.hosts\n"
			  "x-label = n (hosts)\nwhere = traffic.req.size=20KB\n"
			  "[claim one]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\n"
			  "value = 7pkts\nof = case=ecn, traffic.req.size=200KB\n");
	c = &d.r.charts.all[0];
	CHECK_INT(c->kind, CHART_BARS);
	CHECK_STR(c->x_label, "size = 200KB");
	CHECK_INT(chart_bars(c), 2);
	CHECK_STR(c->lines[0].name, "none");
	CHECK_STR(c->lines[1].name, "ecn");
	CHECK_NEAR(c->lines[0].points[0].y, 20, 1e-9);
	CHECK_NEAR(c->lines[2].points[0].x, 1, 1e-9); /* the ring is on the second bar */
	CHECK_NEAR(c->lines[2].points[0].y, 7, 1e-9);
	CHECK_CONTAINS(c->note, "Ring: value of the paper, or derived from it.");
	c = &d.r.charts.all[1]; /* of a setting that no sweep changes */
	CHECK_INT(c->kind, CHART_BARS);
	CHECK_STR(c->x_label, "network.hosts = 5");
	CHECK(strstr(c->note, "ring") == NULL);
	fixture_end(&d);
}

/* none/ecn = 0.4 is ecn/none = 2.5; 6 packets and 3 packets are 0.5; 0.5 of 8 packets are 4. */
TEST(test_what_follows_from_the_papers_numbers_is_a_mark_too)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(
		&d,
		"[panel a]\nkind = bars\ny = queue_mean_pkts\nwhere = traffic.req.size=20KB\n"
		"normalize = none\n"
		"[panel b]\nkind = bars\ny = queue_mean_pkts\nwhere = traffic.req.size=200KB\n"
		"normalize = none\n"
		"[panel c]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=20KB\n"
		"[claim inverse]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\nvalue = 0.4\n"
		"of = case=none, traffic.req.size=20KB\n"
		"over = case=ecn, traffic.req.size=20KB\n"
		"[claim first]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\nvalue = 6pkts\n"
		"of = case=none, traffic.req.size=200KB\n"
		"[claim second]\nsays = s\nsection = 1\nmetric = queue_mean_pkts\n"
		"value = 3pkts\nof = case=ecn, traffic.req.size=200KB\n"
		"[claim time]\nsays = s\nsection = 1\nmetric = fct_mean_ns\nvalue = 8ms\n"
		"of = case=none, traffic.req.size=20KB\n"
		"[claim share]\nsays = s\nsection = 1\nmetric = fct_mean_ns\nvalue = 0.5\n"
		"of = case=ecn, traffic.req.size=20KB\n"
		"over = case=none, traffic.req.size=20KB\n");
	c = &d.r.charts.all[0];
	CHECK_INT(c->line_count, 3);
	CHECK_INT(c->lines[2].count, 1); /* what all are relative to is 1 */
	CHECK_NEAR(c->lines[2].points[0].x, 1, 1e-9);
	CHECK_NEAR(c->lines[2].points[0].y, 2.5, 1e-9);
	c = &d.r.charts.all[1];
	CHECK_INT(c->line_count, 3);
	CHECK_NEAR(c->lines[2].points[0].y, 0.5, 1e-9);
	c = &d.r.charts.all[2];
	CHECK_INT(c->line_count, 3);
	CHECK_INT(c->lines[2].count, 2);
	CHECK_NEAR(c->lines[2].points[0].y, 8, 1e-9);
	CHECK_NEAR(c->lines[2].points[1].y, 4, 1e-9);
	fixture_end(&d);
}

TEST(test_what_the_paper_says_of_a_series_is_a_mark_in_the_middle_of_its_time)
{
	struct fixture d;
	const struct chart *c;
	const struct chart_line *ring;

	fixture_begin(
		&d, "[panel a]\nkind = time\ny = queue sw->h0\nwhere = traffic.req.size=20KB\n"
		    "[claim one]\nsays = s\nsection = 1\nmetric = series \"queue sw->h0\" max "
		    "200us..600us\nvalue = 9pkts\nof = case=ecn, traffic.req.size=20KB\n"
		    "[claim other]\nsays = s\nsection = 1\nmetric = series \"queue sw->h1\" max\n"
		    "value = 7pkts\nof = case=ecn, traffic.req.size=20KB\n"
		    "[claim spread]\nsays = s\nsection = 1\nmetric = series \"queue sw->h0\" std\n"
		    "value = 2pkts\nof = case=ecn, traffic.req.size=20KB\n");
	c = &d.r.charts.all[0];
	CHECK_INT(c->line_count,
		  3); /* a deviation is no height, and another port is another panel */
	ring = &c->lines[2];
	CHECK_STR(ring->name, "ecn, the paper (max)");
	CHECK(ring->is_marks);
	CHECK_INT(ring->style, c->lines[1].style);
	CHECK_INT(ring->count, 1);
	CHECK_STR(c->x_label, "time (ms)");
	CHECK_NEAR(ring->points[0].x, 0.4, 1e-9);
	CHECK_NEAR(ring->points[0].y, 9, 1e-9);
	fixture_end(&d);
}

/* Mean completion times: with 20 KB 3 ms and 1 ms, with 200 KB 8 ms and 2 ms. */
TEST(test_panels_of_one_metric_have_equal_axes_and_one_unit)
{
	struct chart_extent x[3];
	struct fixture d;

	fixture_begin(&d,
		      "[panel a]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=20KB\n"
		      "[panel b]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=200KB\n"
		      "[panel c]\nkind = bars\ny = queue_mean_pkts\n"
		      "where = traffic.req.size=20KB\n");
	for (int i = 0; i < 3; i++)
		CHECK(chart_extent(&d.r.charts.all[i], &x[i]));
	CHECK(d.r.charts.all[0].is_framed && d.r.charts.all[1].is_framed);
	CHECK(!d.r.charts.all[2].is_framed);
	CHECK_STR(d.r.charts.all[0].y_label, d.r.charts.all[1].y_label);
	CHECK_NEAR(x[0].y_max, 8, 1e-9);
	CHECK_NEAR(x[1].y_max, x[0].y_max, 1e-9);
	CHECK_NEAR(x[1].y_min, x[0].y_min, 1e-9);
	fixture_end(&d);
}

TEST(test_a_word_for_axes_joins_panels_and_own_parts_them)
{
	struct fixture d;

	fixture_begin(&d,
		      "[panel a]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=20KB\n"
		      "axes = own\n"
		      "[panel b]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=200KB\n"
		      "[panel c]\nkind = time\ny = throughput flow:0\nwhere = case=ecn\n"
		      "axes = one\n"
		      "[panel d]\nkind = time\ny = queue sw->h0\nwhere = case=ecn\naxes = one\n");
	for (uint32_t i = 0; i < d.r.charts.count; i++)
		CHECK_INT(d.r.charts.all[i].is_framed, d.r.charts.all[i].part >= 2);
	fixture_end(&d);
}

TEST(test_lines_may_be_told_apart_by_what_cases_hold)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d,
		      "[panel a]\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
		      "x-scale = 3.5\nby = switch.marking\nnormalize = none\n"
		      "[panel b]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=20KB\n");
	CHECK_INT(d.r.charts.count, 2);
	c = &d.r.charts.all[0];
	CHECK_STR(c->variant, "");
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[1].name, "ecn");
	CHECK_NEAR(c->lines[1].points[0].x, 70, 1e-9);
	CHECK_NEAR(c->lines[1].points[0].y, 0.75, 1e-12);
	CHECK_NEAR(c->lines[1].points[1].x, 700, 1e-9);
	c = &d.r.charts.all[1];
	CHECK_STR(c->variant, "");
	CHECK_INT(c->line_count, 2);
	fixture_end(&d);
}

TEST(test_bars_are_of_the_chosen_runs_in_the_unit_of_the_label)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d,
		      "[panel a]\nkind = bars\ny = fct_mean_ns\nwhere = traffic.req.size=0.2MB\n"
		      "y-label = mean FCT (us)\n"
		      "[panel b]\nkind = bars\ny = fct_mean_ns\n");
	CHECK_INT(d.r.charts.count, 3);
	c = &d.r.charts.all[0];
	CHECK_INT(c->kind, CHART_BARS);
	CHECK_STR(c->y_label, "mean FCT (us)");
	CHECK_INT(c->line_count, 2);
	CHECK_NEAR(c->lines[0].points[0].y, 8000, 1e-9);
	CHECK_NEAR(c->lines[1].points[0].y, 2000, 1e-9);
	/* What the panel does not choose is a variant each. */
	c = &d.r.charts.all[1];
	CHECK_STR(c->title, "(b)");
	CHECK_STR(c->variant, "size = 20KB");
	CHECK_STR(c->y_label, "FCT mean (ms)");
	CHECK_NEAR(c->lines[0].points[0].y, 3, 1e-12);
	CHECK_STR(d.r.charts.all[2].variant, "size = 200KB");
	fixture_end(&d);
}

TEST(test_a_panel_over_time_draws_the_series_it_names)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d,
		      "[panel a]\nkind = time\ny = queue sw->h0\nwhere = traffic.req.size=200KB\n"
		      "[panel b]\nkind = time\ny = queue sw->h0, throughput flow:0\n"
		      "where = traffic.req.size=200KB, case=ecn\nx-label = time (us)\n");
	CHECK_INT(d.r.charts.count, 2);
	c = &d.r.charts.all[0];
	CHECK_STR(c->x_label, "time (ms)");
	CHECK_STR(c->y_label, "queue (pkts)");
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[1].name, "ecn");
	CHECK_STR(c->note, "The run with seed 1.");
	c = &d.r.charts.all[1];
	CHECK_STR(c->x_label, "time (us)");
	CHECK_INT(c->line_count, 2);
	CHECK_STR(c->lines[0].name, "queue sw->h0");
	CHECK_STR(c->lines[1].name, "throughput flow:0");
	CHECK_NEAR(c->lines[1].points[c->lines[1].count - 1].x, 1000, 100);
	fixture_end(&d);
}

TEST(test_a_cdf_panel_has_every_flow_of_every_seed)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d, "[panel a]\nkind = cdf\ny = slowdown\nwhere = traffic.req.size=20KB\n"
			  "[panel b]\nkind = cdf\ny = fct\nwhere = traffic.req.size=20KB\n");
	c = &d.r.charts.all[0];
	CHECK(c->log_x);
	CHECK_STR(c->x_label, "slowdown");
	CHECK_STR(c->y_label, "share of flows");
	/* Two senders twice, two seeds: eight flows. */
	CHECK_INT(c->lines[1].count, 8);
	CHECK_NEAR(c->lines[1].points[0].x, 10, 1e-9);
	CHECK_NEAR(c->lines[1].points[0].y, 0.125, 1e-12);
	c = &d.r.charts.all[1];
	CHECK_STR(c->x_label, "flow completion time (us)");
	CHECK_INT(c->lines[0].count, 8);
	CHECK_NEAR(c->lines[0].points[3].x, 103, 1e-9);
	CHECK_NEAR(c->lines[0].points[3].y, 0.5, 1e-12);
	CHECK_NEAR(c->lines[0].points[7].x, 203, 1e-9);
	CHECK_NEAR(c->lines[0].points[7].y, 1, 0);
	fixture_end(&d);
}

/* All flows of 20 KB are small, so what is said of small ones is on their curve; those of 200 KB
 * are medium. */
TEST(test_what_the_paper_says_of_a_distribution_is_a_mark_on_its_curve)
{
	struct fixture d;
	const struct chart *c;

	fixture_begin(&d, "[panel a]\nkind = cdf\ny = fct\nwhere = traffic.req.size=20KB\n"
			  "[panel b]\nkind = cdf\ny = slowdown\nwhere = traffic.req.size=20KB\n"
			  "[panel c]\nkind = cdf\ny = fct\nwhere = traffic.req.size=200KB\n"
			  "[claim tail]\nsays = s\nsection = 1\nmetric = fct_small_p99_ns\n"
			  "value = 190us\nof = case=ecn, traffic.req.size=20KB\n"
			  "[claim within]\nsays = s\nsection = 1\nmetric = slowdown_within 12\n"
			  "value = 0.25\nof = case=none, traffic.req.size=20KB\n"
			  "[claim mean]\nsays = s\nsection = 1\nmetric = fct_mean_ns\n"
			  "value = 150us\nof = case=ecn, traffic.req.size=20KB\n"
			  "[claim other]\nsays = s\nsection = 1\nmetric = fct_small_p99_ns\n"
			  "value = 190us\nof = case=ecn, traffic.req.size=200KB\n");
	c = &d.r.charts.all[0];
	CHECK_INT(c->line_count, 3); /* a mean is no point of a distribution */
	CHECK_STR(c->lines[2].name, "ecn, the paper");
	CHECK(c->lines[2].is_marks);
	CHECK_INT(c->lines[2].count, 1);
	CHECK_NEAR(c->lines[2].points[0].x, 190, 1e-9);
	CHECK_NEAR(c->lines[2].points[0].y, 0.99, 1e-12);
	c = &d.r.charts.all[1];
	CHECK_INT(c->line_count, 3);
	CHECK_STR(c->lines[2].name, "none, the paper");
	CHECK_NEAR(c->lines[2].points[0].x, 12, 1e-9);
	CHECK_NEAR(c->lines[2].points[0].y, 0.25, 1e-12);
	CHECK_INT(d.r.charts.all[2].line_count, 2);
	fixture_end(&d);
}

TEST(test_a_panel_over_sizes_has_a_point_for_each_range_with_flows_enough)
{
	struct fixture d;
	const struct chart *c;

	/* Flows of 20 KB and of 200 KB, 100 us and more of seed 1 and 200 us and more of seed 2,
	 * alone 10 us. */
	fixture_begin(&d, "[panel a]\nkind = sizes\ny = slowdown_p50\nsizes = 100KB\n");
	CHECK_INT(d.r.charts.count, 2); /* what is swept besides makes variants */
	for (int i = 0; i < 2; i++) {
		c = &d.r.charts.all[i];
		CHECK(c->log_x);
		CHECK_INT(c->line_count, 2);
		CHECK_INT(c->lines[0].count, 1);
		CHECK_NEAR(c->lines[0].points[0].x, i ? 200 : 20, 1e-9);
		CHECK(c->lines[0].points[0].y > 10 && c->lines[0].points[0].y < 20.1);
	}
	CHECK_STR(c->x_label, "flow size (KB)");
	fixture_end(&d);
}

TEST(test_a_panel_over_sizes_is_of_a_metric_of_all_flows)
{
	static const char text[] = "[figure]\ntitle = T\npaper = P, Figure 1\n"
				   "[panel a]\nkind = sizes\ny = fct_small_p99_ns\n";
	struct weir_error e = { "" };
	struct figure f;

	CHECK_INT(figure_read_text(&f, "test.claims", text, strlen(text), &e), -1);
	CHECK_CONTAINS(e.text, "y: 'fct_small_p99_ns'; allowed are fct and slowdown of all flows");
}

TEST(test_a_figures_page_is_well_formed_whatever_its_texts_are)
{
	static const char panels[] =
		"[panel a]\ntitle = <b>&\nkind = lines\ny = queue_mean_pkts\nx = traffic.req.size\n"
		"[claim odd]\nsays = <script>alert(1)</script> & \"more\"\nsection = 1 < 2\n"
		"metric = queue_mean_pkts\nof = case=ecn, traffic.req.size=20KB\nvalue = 900pkts\n"
		"why = unexplained\nnote = </table> 1\n";
	struct fixture d;
	struct verdict verdicts[1];
	char path[128], *html, *link;
	size_t length;
	struct weir_error e;

	fixture_begin(&d, panels);
	CHECK_INT(figure_judge(d.s, &d.f, FIGURE_QUICK, verdicts, &e), 0);
	CHECK_INT(verdicts[0].kind, VERDICT_TOO_FEW); /* two seeds */
	snprintf(path, sizeof(path), "%s/page.html", d.folder.path);
	CHECK_INT(figure_report_write(&(struct figure_report){ &d.f, "p/f", "f.ini", FIGURE_QUICK,
							       verdicts, FIGURE_IN_FOLDER },
				      path, d.s, &e),
		  0);
	html = folder_read(&d.folder, "page.html", &length);
	/* One link leads out of the page, and a browser loads nothing by it. */
	link = strstr(html, "../../index.html");
	CHECK(link != NULL);
	*link = '#';
	CHECK(check_markup(html, MARKUP_HTML) > 20);
	CHECK(strstr(html, "alert(1)</script>") == NULL);
	CHECK_CONTAINS(html, "(section 1 &lt; 2)");
	CHECK_CONTAINS(html, "Unexplained: &lt;/table&gt; 1");
	CHECK_CONTAINS(html, "9.5 pkts");
	free(html);
	fixture_end(&d);
}

TEST(test_a_figures_page_that_is_served_leads_to_what_is_served)
{
	struct verdict verdicts[1];
	struct weir_error e;
	struct fixture d;
	char *html = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&html, &length);

	fixture_begin(&d, "[claim one]\nsays = It is short\nsection = 1\nmetric = queue_mean_pkts\n"
			  "of = case=ecn, traffic.req.size=20KB\nvalue = 900pkts\n");
	CHECK_INT(figure_judge(d.s, &d.f, FIGURE_QUICK, verdicts, &e), 0);
	CHECK_INT(figure_report_html(&(struct figure_report){ &d.f, "p/f", "f.ini", FIGURE_QUICK,
							      verdicts, FIGURE_SERVED },
				     f, d.s, &e),
		  0);
	fclose(f);
	CHECK_CONTAINS(html, "<a href=\"/\">");
	CHECK(strstr(html, "index.html") == NULL);
	free(html);
	fixture_end(&d);
}

TEST(test_a_figures_page_says_which_claims_are_judged_by_runs_that_did_not_end_well)
{
	static const char claims[] =
		"[claim one]\nsays = It is short\nsection = 1\nmetric = queue_mean_pkts\n"
		"of = case=ecn, traffic.req.size=20KB\nvalue = 900pkts\n"
		"[claim two]\nsays = It is short\nsection = 1\nmetric = queue_mean_pkts\n"
		"of = case=ecn, traffic.req.size=20KB\nvalue = 900pkts\n";
	static const char doubt[] = "; <span class=\"warning\">in 1 of 2 runs 3 of 9 flows did not "
				    "end; 1 of 2 runs ended in a deadlock</span>";
	struct verdict verdicts[2];
	char path[128], *html, *at;
	struct fixture d;
	size_t length;
	struct weir_error e;

	fixture_begin(&d, claims);
	CHECK_INT(figure_judge(d.s, &d.f, FIGURE_QUICK, verdicts, &e), 0);
	verdicts[1].health = (struct health){
		.runs = 2, .incomplete = 1, .deadlocked = 1, .completed = 6, .unfinished = 3
	};
	verdicts[1].is_doubtful = 1;
	snprintf(path, sizeof(path), "%s/page.html", d.folder.path);
	CHECK_INT(figure_report_write(&(struct figure_report){ &d.f, "p/f", "f.ini", FIGURE_QUICK,
							       verdicts, FIGURE_IN_FOLDER },
				      path, d.s, &e),
		  0);
	html = folder_read(&d.folder, "page.html", &length);
	at = strstr(html, doubt);
	CHECK(at != NULL && at > strstr(html, "claim-two") && strstr(at + 1, doubt) == NULL);
	free(html);
	fixture_end(&d);
}

/* Two seeds with one result each: the queue is 9.5 packets. */
TEST(test_a_figures_page_has_its_outcome_the_drawing_the_claims_and_the_readings)
{
	static const char *const order[] = {
		"class=\"verdict not\">Not reproduced here</b>: 0 of 1 sentence agrees, because",
		"of the cable.",
		"<h2>The figure</h2>",
		"<h2>What the paper says</h2>",
		"<h2>Readings of what the paper leaves open</h2>",
		"Requests have 200 KB",
		"0 of 1 agree<br>one: <b class=\"verdict few\">too few</b>, ",
		"a data sheet",
		"0.9 in another simulator",
	};
	static const char claims[] =
		"[claim one]\nsays = It is short\nsection = 1\nmetric = queue_mean_pkts\n"
		"of = case=ecn, traffic.req.size=20KB\nvalue = 900pkts\nwhy = fails\nnote = 1\n"
		"[reading small]\nsays = Requests have 200 KB\nsource = the text\n"
		"where = traffic.req.size=200KB\n"
		"[reading big]\nsays = The buffer is large\nsource = a data sheet\n"
		"result = 0.9 in another simulator\n";
	struct verdict verdicts[2];
	struct weir_error e;
	struct fixture d;
	char *html = NULL, *at;
	size_t length = 0;
	FILE *f = open_memstream(&html, &length);

	fixture_begin(&d, claims);
	d.f.because = strdup("of the cable");
	CHECK_INT(figure_judge(d.s, &d.f, FIGURE_QUICK, verdicts, &e), 0);
	verdicts[0].kind = VERDICT_NOT_REPRODUCED;
	CHECK_INT(figure_report_html(&(struct figure_report){ &d.f, "p/f", "f.ini", FIGURE_QUICK,
							      verdicts, FIGURE_SERVED },
				     f, d.s, &e),
		  0);
	fclose(f);
	at = html;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && at; i++) {
		CHECK_CONTAINS(at, order[i]);
		at = strstr(at, order[i]);
	}
	free(html);
	fixture_end(&d);
}

/* --- folders --- */

static void make_file(const struct folder *f, const char *paper, const char *name)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->path, paper);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", f->path, paper, name);
	file = fopen(path, "w");
	CHECK(file && fclose(file) == 0);
}

static void remove_paper(const struct folder *f, const char *paper)
{
	struct folder inside;

	snprintf(inside.path, sizeof(inside.path), "%.40s/%.20s", f->path, paper);
	folder_remove(&inside);
}

TEST(test_figures_are_found_in_the_order_of_their_numbers)
{
	static const char *const names[] = { "fig11.ini",    "fig3b.ini",    "fig3a.ini",
					     "table6.2.ini", "fig3.2.ini",   "fig3a.claims",
					     "sizes.txt",    "table6.10.ini" };
	static const char *const order[] = { "b/fig1",  "p/fig3.2",   "p/fig3a",    "p/fig3b",
					     "p/fig11", "p/table6.2", "p/table6.10" };
	struct folder folder = folder_make();
	struct figure_list l;
	struct figure_range r;
	struct weir_error e;
	char *text;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_file(&folder, "p", names[i]);
	make_file(&folder, "b", "fig1.ini");
	folder_write(&folder, "README", "x", 1);
	CHECK_INT(figures_find(&l, folder.path, &e), 0);
	CHECK_INT(l.count, sizeof(order) / sizeof(order[0]));
	for (uint32_t i = 0; i < l.count; i++)
		CHECK_STR(l.all[i].label, order[i]);
	CHECK_INT(figures_choose(&l, "p", &r, &e), 0);
	CHECK(r.first == 1 && r.count == 6);
	CHECK_INT(figures_choose(&l, "p/fig11", &r, &e), 0);
	CHECK(r.first == 4 && r.count == 1);
	CHECK_INT(figures_choose(&l, "all", &r, &e), 0);
	CHECK(r.first == 0 && r.count == 7);
	CHECK_INT(figures_choose(&l, "p/fig12", &r, &e), -1);
	CHECK_CONTAINS(e.text, "nearest: p/fig11");
	text = figure_folder(&l.all[4], "out", FIGURE_FULL);
	CHECK_STR(text, "out/p/fig11.full");
	free(text);
	figures_free(&l);
	remove_paper(&folder, "p");
	remove_paper(&folder, "b");
	folder_remove(&folder);
}

/* --- what verdicts were made of --- */

/* Digests of a scenario, and of the cases of a claim about case a and of one about all. */
struct digests {
	struct scenario_digest scenario;
	struct digest a, all;
};

static struct digests digests_of(const struct folder *f, const char *scenario,
				 enum figure_size size)
{
	static const char claims[] =
		"[figure]\ntitle = t\npaper = p\n"
		"[claim a]\nsays = s\nsection = 1\nmetric = drops\nof = case=a\nvalue = 1\n"
		"[claim b]\nsays = s\nsection = 1\nmetric = drops\nvalue = 1\n";
	char ini[128];
	struct weir_error e = { "" };
	struct figure figure;
	struct digests d;

	folder_write(f, "fig.ini", scenario, strlen(scenario));
	snprintf(ini, sizeof(ini), "%s/fig.ini", f->path);
	if (figure_read_text(&figure, "fig.claims", claims, strlen(claims), &e) ||
	    scenario_digest(&d.scenario, &figure, ini, size, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	d.a = figure.claims[0].cases[size];
	d.all = figure.claims[1].cases[size];
	figure_free(&figure);
	return d;
}

#define CASES "[case a]\nx.z = 1\n[case b]\nx.z = 2\n"

/* same: the settings that cases share, all of them, those of case a, those of all cases. */
TEST(test_a_scenarios_digests_are_of_its_settings_in_that_size)
{
	static const char ini[] = "# why?\nseed = 1\n[switch]\nmarking = ecn\n" CASES
				  "[sweep]\ncase = a, b\n[full]\nx.y = 1\n[full a]\nx.z = 3\n";
	static const struct {
		const char *ini;
		const char *same[FIGURE_SIZES];
	} cases[] = {
		{ "# else\nseed = 1\n\n[switch] # x\nmarking = ecn\n" CASES
		  "[sweep]\ncase = a, b\n[full]\nx.y = 1\n[full a]\nx.z = 3\n",
		  { "1111", "1111" } },
		{ "seed = 2\n[switch]\nmarking = ecn\n" CASES
		  "[sweep]\ncase = a, b\n[full]\nx.y = 1\n[full a]\nx.z = 3\n",
		  { "0011", "0011" } },
		{ "seed = 1\n[switch]\nmarking = ecn\n" CASES
		  "[sweep]\ncase = a, b\n[full]\nx.y = 2\n[full a]\nx.z = 3\n",
		  { "1111", "0011" } },
		{ "seed = 1\n[switch]\nmarking = ecn\n" CASES
		  "[sweep]\ncase = a, b\n[full]\nx.y = 1\n[full a]\nx.z = 4\n",
		  { "1111", "1000" } },
		{ "seed = 1\n[switch]\nmarking = ecn\n" CASES "[case c]\nx.z = 5\n"
		  "[sweep]\ncase = a, b, c\n[full]\nx.y = 1\nsweep.case = a, c\n[full a]\nx.z = "
		  "3\n",
		  { "1010", "1010" } },
		{ "seed = 1\n[switch]\nmarking = ecn\n[case a]\nx.z = 1\n[case b]\nx.z = 3\n"
		  "[sweep]\ncase = a, b\n[full]\nx.y = 1\n[full a]\nx.z = 3\n",
		  { "1010", "1010" } },
	};
	struct folder f = folder_make();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int size = 0; size < FIGURE_SIZES; size++) {
			struct digests was = digests_of(&f, ini, (enum figure_size)size);
			struct digests is = digests_of(&f, cases[i].ini, (enum figure_size)size);
			const char same[] = {
				strcmp(was.scenario.settings.text, is.scenario.settings.text) ? '0'
											      : '1',
				strcmp(was.scenario.whole.text, is.scenario.whole.text) ? '0' : '1',
				strcmp(was.a.text, is.a.text) ? '0' : '1',
				strcmp(was.all.text, is.all.text) ? '0' : '1',
				'\0',
			};

			CHECK_STR(same, cases[i].same[size]);
		}
	folder_remove(&f);
}
