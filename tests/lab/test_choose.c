/* test_choose.c -- what weir choose draws and reads; tests/cli/choose.sh runs whole searches. */
#include "lab/campaign/choose.h"
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- where to look --- */

enum { POINTS = 17, DIMENSIONS = 3 };

TEST(test_every_slice_of_every_dimension_holds_one_point)
{
	double shares[POINTS * DIMENSIONS];

	hypercube_draw(shares, POINTS, DIMENSIONS, 5);
	for (uint32_t d = 0; d < DIMENSIONS; d++) {
		int held[POINTS] = { 0 };

		for (uint32_t i = 0; i < POINTS; i++) {
			double share = shares[i * DIMENSIONS + d];

			CHECK(share >= 0 && share < 1);
			held[(uint32_t)(share * POINTS)]++;
		}
		for (uint32_t i = 0; i < POINTS; i++)
			CHECK_INT(held[i], 1);
	}
}

TEST(test_a_seed_draws_the_same_points_and_another_seed_others)
{
	double a[POINTS * DIMENSIONS], b[POINTS * DIMENSIONS];

	hypercube_draw(a, POINTS, DIMENSIONS, 5);
	hypercube_draw(b, POINTS, DIMENSIONS, 5);
	CHECK(memcmp(a, b, sizeof(a)) == 0);
	hypercube_draw(b, POINTS, DIMENSIONS, 6);
	CHECK(memcmp(a, b, sizeof(a)) != 0);
}

static void check_value(const char *text, double share, const char *expected)
{
	struct weir_error e = { "" };
	struct range r;
	char value[64];

	if (range_read(&r, text, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_STR(range_value(&r, share, value, sizeof(value)), expected);
	range_free(&r);
}

/* Half way from 5 to 500 by ratios is 50, evenly 252.5. */
TEST(test_quantities_with_a_unit_are_drawn_by_ratios_and_others_evenly)
{
	check_value("a.b=5KB..500KB", 0.5, "50KB");
	check_value("a.b=5KB..0.5MB", 0.5, "50KB");
	check_value("a.b=5KB..500KB", 0, "5KB");
	check_value("a.b=5KB..500KB", 1, "500KB");
	check_value("a.b=10us..1ms", 0.5, "100us");
	check_value("a.b=0us..100us", 0.5, "50us"); /* no ratio to zero */
	check_value("a.b=7pkts..63pkts", 0.5, "21pkts");
	check_value("a.b=0.1..0.9", 0.5, "0.5");
	check_value("a.b=1%..21%", 0.5, "11%");
	check_value("a.b=1..8", 0.5, "4");
	check_value("a.b=1KB..3KB", 0.3, "1.39KB"); /* 3^0.3 = 1.390 */
}

TEST(test_values_one_by_one_have_equal_shares)
{
	check_value("a.b=ecn(k=5KB, at=dequeue), tcn", 0.49, "ecn(k=5KB, at=dequeue)");
	check_value("a.b=ecn(k=5KB, at=dequeue), tcn", 0.5, "tcn");
	check_value("a.b=x, y, z", 0.999, "z");
}

/* --- what is asked --- */

TEST(test_a_metric_may_be_without_its_unit_and_of_a_section)
{
	struct choose_request q = { 0 };
	struct weir_error e = { "" };

	CHECK_INT(choose_read_goal(&q, "fct_small_p99", &e), 0);
	CHECK_STR(q.goal.name, "fct_small_p99_ns");
	CHECK_INT(choose_read_goal(&q, "-goodput", &e), 0);
	CHECK_STR(q.goal.name, "goodput_bps");
	CHECK(q.goal_is_most);
	CHECK_INT(choose_read_goal(&q, "slowdown_p95 of storage", &e), 0);
	CHECK_STR(q.goal.section, "storage");
	CHECK_INT(q.goal.index, -1);
	CHECK_INT(choose_read_goal(&q, "goodput_bps of storage", &e), -1);
	CHECK_LIKE(e.text, "goodput_bps is of the whole run; ...");
}

TEST(test_what_is_to_be_kept_is_a_part_of_the_best_or_a_quantity)
{
	struct choose_request q = { 0 };
	struct weir_error e = { "" };

	CHECK_INT(choose_add_keep(&q, "goodput >= 0.98 of best", &e), 0);
	CHECK_INT(choose_add_keep(&q, "fct_p99 of web <= 2ms", &e), 0);
	CHECK_INT(q.keep_count, 2);
	CHECK(q.keeps[0].is_of_best && q.keeps[0].is_most);
	CHECK_NEAR(q.keeps[0].number, 0.98, 1e-12);
	CHECK(!q.keeps[1].is_of_best && !q.keeps[1].is_most);
	CHECK_NEAR(q.keeps[1].number, 2e6, 1e-3);
	CHECK_STR(q.keeps[1].metric.section, "web");
	CHECK_INT(choose_add_keep(&q, "goodput >= 5ms", &e), -1);
	CHECK_INT(choose_add_keep(&q, "goodput >= 0.9 of bset", &e), -1);
	CHECK_INT(q.keep_count, 2);
}

/* --- who is drawn --- */

#define SMALL \
	"seed = 3\n[network]\ntopology = star\n[switch]\nmarking = red\n" \
	"[traffic a]\npattern = many-to-one\nsize = 10KB\n"

static void begin(struct choose *c, struct choose_request *q, uint64_t budget)
{
	struct weir_error e = { "" };
	struct scenario s;

	*q = (struct choose_request){ .budget = budget, .seeds = 2 };
	CHECK_INT(choose_read_goal(q, "fct_p99", &e), 0);
	CHECK_INT(choose_add_range(q, "switch.marking.min=5KB..100KB", &e), 0);
	CHECK_INT(choose_add_range(q, "switch.marking.max=5KB..100KB", &e), 0);
	CHECK_INT(scenario_read_text(&s, "f.ini", SMALL, strlen(SMALL), &e), 0);
	if (choose_begin(c, q, &s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	scenario_free(&s);
}

static double quantity_of(const char *point, const char *key)
{
	return strtod(strstr(point, key) + strlen(key), NULL);
}

/* 2 x 20 runs first, 2 x 10 more, 4 x 5 more, and 8 of the winner and of the file's own make 96. */
TEST(test_settings_that_contradict_each_other_are_drawn_again)
{
	struct choose_request q;
	struct choose c;

	begin(&c, &q, 96);
	CHECK_INT(c.count, 20);
	CHECK(c.refused > 0);
	CHECK_STR(c.all[0].point, "switch.marking.min=; switch.marking.max=");
	for (uint32_t i = 1; i < c.count; i++)
		CHECK(quantity_of(c.all[i].point, "min=") <= quantity_of(c.all[i].point, "max="));
	choose_free(&c);
	choose_request_free(&q);
}

TEST(test_the_first_round_is_every_setting_with_the_first_seeds)
{
	struct choose_request q;
	struct choose c;
	struct sweep w;
	char label[256];

	begin(&c, &q, 96);
	choose_sweep(&c, &w);
	CHECK_INT(w.run_count, 40);
	CHECK_LIKE(sweep_label(&w, 39, label, sizeof(label)), "switch.marking.min=..., seed 4");
	sweep_free(&w);
	choose_free(&c);
	choose_request_free(&q);
}
