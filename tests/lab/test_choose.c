/* SPDX-License-Identifier: BSD-3-Clause */
/* test_choose.c -- what weir choose draws and reads; tests/cli/choose.sh runs whole searches. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/choose.h"
#include "tests/folder.h"
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
	CHECK_INT(choose_read_goal(&q, "round_mean of ai", &e), 0);
	CHECK_STR(q.goal.name, "round_mean_ns");
	CHECK_STR(q.goal.unit, "ns");
	CHECK(q.goal.index >= 0);
	CHECK_INT(choose_read_goal(&q, "-goodput of storage", &e), 0);
	CHECK_STR(q.goal.name, "goodput_bps");
	CHECK_INT(choose_read_goal(&q, "queue_mean of storage", &e), -1);
	CHECK_LIKE(e.text, "queue_mean is of the whole run; ... round_mean_ns...");
}

TEST(test_what_is_to_be_kept_is_a_part_of_the_best_or_a_quantity)
{
	struct choose_request q = { 0 };
	struct weir_error e = { "" };

	CHECK_INT(choose_add_constraint(&q, "goodput >= 0.98 of best", &e), 0);
	CHECK_INT(choose_add_constraint(&q, "fct_p99 of web <= 2ms", &e), 0);
	CHECK_INT(q.constraint_count, 2);
	CHECK(q.constraints[0].is_of_best && q.constraints[0].is_most);
	CHECK_NEAR(q.constraints[0].number, 0.98, 1e-12);
	CHECK(!q.constraints[1].is_of_best && !q.constraints[1].is_most);
	CHECK_NEAR(q.constraints[1].number, 2e6, 1e-3);
	CHECK_STR(q.constraints[1].metric.section, "web");
	CHECK_INT(choose_add_constraint(&q, "goodput >= 5ms", &e), -1);
	CHECK_INT(choose_add_constraint(&q, "goodput >= 0.9 of bset", &e), -1);
	CHECK_INT(q.constraint_count, 2);
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
	choose_begin_round(&c, &w);
	CHECK_INT(w.run_count, 40);
	CHECK_LIKE(sweep_label(&w, 39, label, sizeof(label)), "switch.marking.min=..., seed 4");
	sweep_free(&w);
	choose_free(&c);
	choose_request_free(&q);
}

/* --- how it is decided --- */

/* A goal that candidate 3 has least of, and the file's own next; more is allowed of the
 * constraint's metric. */
static void fill(struct choose *c)
{
	for (uint64_t run = 0; run < (uint64_t)c->live_count * c->seeds; run++) {
		uint32_t number = c->live[run / c->seeds];

		c->values[run][0] = number == 3 ? 1 : 2 + number;
		c->values[run][1] = 10 + number;
		snprintf(c->run_keys[run], RUN_KEY_SIZE, "%08u%08u", number,
			 (unsigned)(run % c->seeds + (c->round == CHOOSE_ROUNDS ? 100 : 0)));
	}
}

/* Up to the judging, whose values are for the caller to change. */
static void search(struct choose *c)
{
	struct sweep w;

	for (int round = 0; round < CHOOSE_ROUNDS; round++) {
		choose_begin_round(c, &w);
		sweep_free(&w);
		fill(c);
		CHECK_INT(choose_end_round(c), 1);
	}
	choose_begin_round(c, &w);
	sweep_free(&w);
	fill(c);
}

TEST(test_a_tie_on_a_fresh_seed_is_no_win)
{
	struct choose_request q;
	struct choose c;

	begin(&c, &q, 96);
	search(&c);
	CHECK_INT(c.winner, 3);
	CHECK_INT(c.live[1], 0);
	CHECK_INT(c.seeds, 8);
	for (uint32_t s = 0; s < 5; s++)
		c.values[s][0] = c.values[c.seeds + s][0];
	CHECK_INT(choose_end_round(&c), 0);
	CHECK_INT(c.wins, 3);
	choose_free(&c);
	choose_request_free(&q);
}

/* Where more is better, less is no win either. */
TEST(test_wins_are_counted_in_the_direction_of_the_goal)
{
	struct choose_request q;
	struct choose c;

	begin(&c, &q, 96);
	q.goal_is_most = 1;
	search(&c);
	CHECK_INT(c.winner, c.count - 1);
	c.values[0][0] = 0;
	CHECK_INT(choose_end_round(&c), 0);
	CHECK_INT(c.wins, 7);
	choose_free(&c);
	choose_request_free(&q);
}

/* Nothing keeps "drops <= 0" here; that which drops least comes closest, and the lack is a
 * number. */
TEST(test_a_constraint_whose_limit_is_zero_has_a_finite_lack)
{
	struct choose_request q;
	struct weir_error e = { "" };
	struct choose c;

	begin(&c, &q, 96);
	CHECK_INT(choose_add_constraint(&q, "drops <= 0", &e), 0);
	search(&c);
	CHECK_INT(c.winner, 0);
	CHECK(!c.all[0].is_kept);
	CHECK(c.all[0].lack > 0 && c.all[0].lack <= 1);
	choose_free(&c);
	choose_request_free(&q);
}

TEST(test_the_order_begins_with_the_winner_and_then_follows_the_rounds)
{
	struct choose_request q;
	uint32_t order[64];
	struct choose c;

	begin(&c, &q, 96);
	search(&c);
	choose_end_round(&c);
	choose_order(&c, order);
	CHECK_INT(order[0], 3);
	CHECK_INT(order[1], 0);
	for (uint32_t i = 1; i + 1 < c.count; i++)
		CHECK(c.all[order[i]].seeds >= c.all[order[i + 1]].seeds);
	CHECK_INT(order[c.count - 1], c.count - 1);
	choose_free(&c);
	choose_request_free(&q);
}

/* 2 drawn settings for 2 ranges are few, 19 are not; the budget that is advised has 20. */
TEST(test_a_budget_that_draws_few_settings_is_noticed)
{
	struct choose_request q;
	struct choose c;
	uint64_t advised;

	begin(&c, &q, 96);
	CHECK_INT(choose_advised_budget(&c), 0);
	choose_free(&c);
	choose_request_free(&q);
	begin(&c, &q, 30);
	CHECK(c.count - 1 < 6);
	advised = choose_advised_budget(&c);
	CHECK(advised > 96);
	choose_free(&c);
	choose_request_free(&q);
	begin(&c, &q, advised);
	CHECK_INT(c.count - 1, 20);
	choose_free(&c);
	choose_request_free(&q);
}

/* --- what the folder keeps --- */

static struct store *store_of(const struct folder *f, const struct choice *outcome)
{
	char keys[64][RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct store *s;

	CHECK(outcome->run_count < 64);
	for (uint64_t i = 0; i < outcome->run_count; i++)
		memcpy(keys[i], outcome->runs[i].key, RUN_KEY_SIZE);
	if (store_open(&s, f->path, STORE_WRITE, &e) ||
	    store_plan(s, (const char(*)[RUN_KEY_SIZE])keys, outcome->run_count, &e) ||
	    choice_write(outcome, f->path, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

TEST(test_the_outcome_is_kept_in_the_folder_and_holds_for_its_plan_alone)
{
	struct choose_request q;
	struct weir_error e = { "" };
	struct choose c;
	struct choice wrote, read;
	struct folder f;
	struct store *s;

	begin(&c, &q, 30);
	CHECK_INT(choose_add_constraint(&q, "goodput of a >= 0.9 of best", &e), 0);
	search(&c);
	choose_end_round(&c);
	choose_record(&c, &wrote);
	f = folder_make();
	s = store_of(&f, &wrote);
	CHECK_INT(choice_read(&read, s, &e), 1);
	CHECK_STR(choice_goal_text(&read).text,
		  "least fct_p99_ns, with goodput_bps of a >= 0.9 of best");
	CHECK_INT(read.count, wrote.count);
	CHECK_INT(read.own, wrote.own);
	CHECK_INT(read.wins, wrote.wins);
	for (uint32_t i = 0; i < read.count; i++) {
		CHECK_STR(read.all[i].point, wrote.all[i].point);
		CHECK_INT(read.all[i].seeds, wrote.all[i].seeds);
		CHECK_INT(read.all[i].is_kept, wrote.all[i].is_kept);
		CHECK(read.all[i].all.goal == wrote.all[i].all.goal);
		CHECK(isnan(read.all[i].fresh.goal) == isnan(wrote.all[i].fresh.goal));
	}
	CHECK_INT(choice_setting_of(&read, wrote.runs[0].key), wrote.runs[0].setting);
	choice_free(&read);
	store_plan(s, NULL, 0, &e); /* another sweep */
	CHECK_INT(choice_read(&read, s, &e), 0);
	store_close(s);
	choice_free(&wrote);
	choose_free(&c);
	choose_request_free(&q);
	folder_remove(&f);
}

TEST(test_settings_are_named_by_what_tells_their_paths_apart)
{
	char k[] = "switch.marking.k", min[] = "switch.marking.storage.min", g[] = "host.cc.g";
	char point[] = "switch.marking.k=64KB; switch.marking.storage.min=5KB; host.cc.g=";
	struct choice_setting setting = { .point = point };
	const struct choice c = { .range_count = 3,
				  .ranges = { { k, k }, { min, min }, { g, g } } };

	CHECK_STR(choice_point_text(&c, &setting).text, "k=64KB, storage.min=5KB");
}
