/* SPDX-License-Identifier: BSD-3-Clause */
/* test_verdict.c -- claims against results that are made by hand: every verdict, known good and
 * bad. */
#define _XOPEN_SOURCE 700
#include "lab/analysis/verdict.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <math.h>

static const char scenario_text[] =
	"# Which is it?\nseed = %d\n[network]\ntopology = star\nhosts = 6\ndelay = 2us\n"
	"[switch]\nmarking = %s\nbuffer = %s\n"
	"[traffic a]\npattern = all-to-all\nsizes = websearch\nload = 0.3\nflows = 60\n"
	"[measure]\nfrom = 0us\nto = 20ms\nprobe = queue sw->h0 every 1ms\n"
	"probe = scheme sw->h0 every 1ms\n";

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
	double unfinished, deadlocks;
};

enum { FLOWS = 4, POINTS = 5 };

/* Four flows of 10 KB that take fct_ns, twice, three and four times that; a series that rises by
 * the drops each millisecond. */
static void fill_parts(struct run_result *r, const struct made *m)
{
	r->flow_count = FLOWS;
	r->flows = calloc(FLOWS, sizeof(*r->flows));
	r->ideal_ps = calloc(FLOWS, sizeof(*r->ideal_ps));
	for (int i = 0; i < FLOWS; i++) {
		r->flows[i].size_bytes = 10000;
		r->flows[i].finish_ps = (int64_t)((i + 1) * m->fct_ns) * WEIR_PS_PER_NS;
		r->ideal_ps[i] = WEIR_PS_PER_NS;
	}
	r->series_count = 2;
	r->series = calloc(2, sizeof(*r->series));
	for (int k = 0; k < 2; k++) {
		struct series *s = &r->series[k];

		snprintf(s->name, sizeof(s->name), "%s sw->h0", k ? "average" : "queue");
		s->unit = k ? "bytes" : "pkts";
		s->count = POINTS;
		s->time_ps = calloc(POINTS, sizeof(*s->time_ps));
		s->value = calloc(POINTS, sizeof(*s->value));
		for (int i = 0; i < POINTS; i++) {
			s->time_ps[i] = i * INT64_C(1000000000);
			s->value[i] = i * m->drops;
		}
	}
}

static void key_of(const struct made *m, char key[RUN_KEY_SIZE])
{
	struct weir_error e;
	struct sim sim;

	sim_read(&sim, scenario_text, m->seed, m->marking, m->buffer);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	sim_end(&sim);
}

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
	sim.r.value[metric_index("flows_completed")] = FLOWS;
	sim.r.value[metric_index("flows_unfinished")] = m.unfinished;
	sim.r.value[metric_index("pfc_deadlocks")] = m.deadlocks;
	fill_parts(&sim.r, &m);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	if (store_add(s->store, key, &sim.c, &sim.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_end(&sim);
}

/* ecn: 1 and 3 us, 20 and 30 drops; tcn: 2 and 3 us, 40 drops. */
static void shelf_fill(struct shelf *s)
{
	static const struct made runs[] = {
		{ "ecn", "100pkts", 1, 1000, 20, 0, 0 },
		{ "ecn", "100pkts", 2, 3000, 30, 0, 0 },
		{ "tcn", "100pkts", 1, 2000, 40, 0, 0 },
		{ "tcn", "100pkts", 2, 3000, 40, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		shelf_add(s, runs[i]);
}

/* Two seeds that are alike in everything: nothing is random, and the interval has no length. */
static void shelf_alike(struct shelf *s, struct made m)
{
	for (m.seed = 1; m.seed <= VERDICT_SEEDS_ALIKE; m.seed++)
		shelf_add(s, m);
}

static void shelf_one(struct shelf *s)
{
	shelf_alike(s, (struct made){ "ecn", "100pkts", 0, 1000, 25, 0, 0 });
	shelf_alike(s, (struct made){ "tcn", "100pkts", 0, 2000, 40, 0, 0 });
}

static void read_claims(struct figure *f, const char *keys)
{
	char text[2048];
	struct weir_error e = { "" };

	snprintf(text, sizeof(text),
		 "[figure]\ntitle = t\npaper = p\n[claim c]\nsays = s\nsection = 1\n%s", keys);
	if (figure_read_text(f, "fig.claims", text, strlen(text), &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The verdict on the only claim. */
static struct verdict judge_size(struct shelf *s, const char *keys, enum figure_size size)
{
	struct weir_error e = { "" };
	struct verdict v;
	struct figure f;

	read_claims(&f, keys);
	CHECK_INT(f.claim_count, 1);
	if (figure_judge(s ? s->store : NULL, &f, size, &v, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	figure_free(&f);
	return v;
}

static struct verdict judge(struct shelf *s, const char *keys)
{
	return judge_size(s, keys, FIGURE_QUICK);
}

#define ECN "of = switch.marking=ecn\n"
#define TCN_OVER_ECN "of = switch.marking=tcn\nover = switch.marking=ecn\n"

/* --- what is measured --- */

TEST(test_verdict_of_runs_whose_flows_did_not_end_says_so)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_add(&s, (struct made){ "ecn", "100pkts", 1, 1000, 1, 0, 0 });
	shelf_add(&s, (struct made){ "tcn", "100pkts", 1, 1000, 1, 6, 0 });
	shelf_add(&s, (struct made){ "none", "100pkts", 1, 1000, 1, 6, 1 });
	CHECK_INT(judge(&s, "metric = fct_mean_ns\n" ECN "value = 1us\n").is_doubtful, 0);
	/* Either side will do, and metrics that are made from flows, too. */
	v = judge(&s, "metric = fct_small_p50_ns\nof = switch.marking=ecn\n"
		      "over = switch.marking=tcn\nvalue = 1\n");
	CHECK_INT(v.is_doubtful, 1);
	CHECK_STR(health_text(&v.health).text, "in 1 of 2 runs 6 of 14 flows did not end");
	CHECK_INT(judge(&s, "metric = drops\nof = switch.marking=tcn\nvalue = 1\n").is_doubtful, 0);
	v = judge(&s, "metric = drops\nof = switch.marking=none\nvalue = 1\n");
	CHECK_INT(v.is_doubtful, 1);
	CHECK_CONTAINS(health_text(&v.health).text, "1 of 1 runs ended in a deadlock");
	shelf_end(&s);
}

TEST(test_measured_is_the_mean_over_seeds_with_its_interval)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_fill(&s);
	v = judge(&s, "metric = fct_mean_ns\n" ECN "value = 2us\n");
	CHECK_INT(v.kind, VERDICT_TOO_FEW);
	CHECK_STR(v.why, "2 seeds; 5 are needed, or 2 with equal values");
	CHECK_NEAR(v.value.mean, 2000, 1e-9);
	CHECK_NEAR(v.value.half, 12.706 * 1000, 1e-6); /* deviation 1414 over the root of 2 */
	CHECK_INT(v.value.count, 2);
	CHECK_STR(v.unit, "ns");
	CHECK_INT(v.over.count, 0);
	CHECK_STR(measured_text(&v.value, v.unit).text, "2 us \xc2\xb1"
							"13 us");
	shelf_end(&s);
}

/* 2/1 and 3/3, and not 2.5 / 2 = 1.25. */
TEST(test_a_ratio_is_that_of_each_seed)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_fill(&s);
	v = judge(&s, "metric = fct_mean_ns\n" TCN_OVER_ECN "value = 1.5\ntolerance = 1%\n");
	CHECK_INT(v.kind, VERDICT_TOO_FEW);
	CHECK_NEAR(v.value.mean, 1.5, 1e-12);
	CHECK_NEAR(v.value.half, 12.706 * 0.5, 1e-9);
	CHECK_INT(v.value.count, 2);
	CHECK_STR(v.unit, "");
	CHECK_NEAR(v.of.mean, 2500, 1e-9);
	CHECK_NEAR(v.over.mean, 2000, 1e-9);
	CHECK_STR(v.metric_unit, "ns");
	CHECK_INT(v.is_firm, 0);
	shelf_end(&s);
}

TEST(test_a_ratio_takes_the_seeds_that_both_have)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_add(&s, (struct made){ "ecn", "100pkts", 1, 1000, 0, 0, 0 });
	shelf_add(&s, (struct made){ "tcn", "100pkts", 2, 5000, 0, 0, 0 });
	v = judge(&s, "metric = fct_mean_ns\n" TCN_OVER_ECN "value = 5\n");
	CHECK_NEAR(v.value.mean, 5, 1e-12); /* none: the means' */
	CHECK(isnan(v.value.half));
	CHECK_INT(v.kind, VERDICT_TOO_FEW);
	CHECK_STR(v.why, "no seed is on both sides");
	shelf_add(&s, (struct made){ "tcn", "100pkts", 1, 2000, 0, 0, 0 });
	v = judge(&s, "metric = fct_mean_ns\n" TCN_OVER_ECN "value = 2\n");
	CHECK_NEAR(v.value.mean, 2, 1e-12);
	CHECK_INT(v.value.count, 1);
	shelf_end(&s);
}

TEST(test_one_seed_has_no_interval_and_no_verdict)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_add(&s, (struct made){ "ecn", "100pkts", 1, 1000, 20, 0, 0 });
	v = judge(&s, "metric = drops\n" ECN "value = 20\n");
	CHECK_INT(v.kind, VERDICT_TOO_FEW);
	CHECK_STR(v.why, "1 seed; 5 are needed, or 2 with equal values");
	CHECK_INT(v.value.count, 1);
	CHECK(isnan(v.value.half));
	CHECK_INT(v.is_firm, 0);
	CHECK_STR(measured_text(&v.value, v.unit).text, "20");
	shelf_end(&s);
}

/* --- every verdict --- */

TEST(test_the_ends_of_the_tolerance_agree_and_what_is_beyond_does_not)
{
	static const struct {
		double drops;
		enum verdict_kind kind;
	} cases[] = {
		{ 0.39, VERDICT_AGREES },           { 0.40, VERDICT_AGREES },
		{ 0.24, VERDICT_AGREES },           { 0.4001, VERDICT_SAME_DIRECTION },
		{ 0.2399, VERDICT_SAME_DIRECTION }, { 0.9999, VERDICT_SAME_DIRECTION },
		{ 1, VERDICT_NOT_REPRODUCED },      { 1.5, VERDICT_NOT_REPRODUCED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shelf s = shelf_make();

		shelf_alike(&s, (struct made){ "ecn", "100pkts", 0, 1, 1000, 0, 0 });
		shelf_alike(&s,
			    (struct made){ "tcn", "100pkts", 0, 1, 1000 * cases[i].drops, 0, 0 });
		CHECK_INT(
			judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 0.32\ntolerance = 25%\n")
				.kind,
			cases[i].kind);
		shelf_end(&s);
	}
}

/* In binary 0.3 + 0.03 is less than 0.33, and 1.1 - 0.11 more than 0.99. */
TEST(test_the_ends_of_the_tolerance_are_decimal)
{
	struct shelf s = shelf_make();

	shelf_alike(&s, (struct made){ "ecn", "100pkts", 0, 1, 0.33, 0, 0 });
	shelf_alike(&s, (struct made){ "tcn", "100pkts", 0, 1, 0.99, 0, 0 });
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 0.3\ntolerance = 10%\n").kind,
		  VERDICT_AGREES);
	CHECK_INT(
		judge(&s, "metric = drops\nof = switch.marking=tcn\nvalue = 1.1\ntolerance = 10%\n")
			.kind,
		VERDICT_AGREES);
	shelf_end(&s);
}

TEST(test_direction_needs_something_to_be_against)
{
	struct shelf s = shelf_make();

	shelf_one(&s); /* 25 drops, 40 with tcn */
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 50\n").kind, VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 50\nagainst = 20\n").kind,
		  VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 50\nagainst = 30\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 50\nagainst = 25\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 5\nagainst = 30\n").kind,
		  VERDICT_SAME_DIRECTION);
	/* The ratio is 1.6. */
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 5\n").kind,
		  VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 5\nagainst = 2\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 0.5\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 1\n").kind,
		  VERDICT_NOT_REPRODUCED);
	shelf_end(&s);
}

/* Five seeds, 24 to 28, deviation 1.58: the interval is 2.776 * 1.58 / 5^0.5 = 1.96 to each side
 * of 26. */
TEST(test_a_direction_is_that_of_the_whole_interval)
{
	struct shelf s = shelf_make();

	for (int seed = 1; seed <= 5; seed++)
		shelf_add(&s, (struct made){ "ecn", "100pkts", seed, 1, 23.0 + seed, 0, 0 });
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 50\nagainst = 24\n").kind,
		  VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 50\nagainst = 24.1\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 5\nagainst = 28\n").kind,
		  VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 5\nagainst = 27.9\n").kind,
		  VERDICT_NOT_REPRODUCED);
	shelf_end(&s);
}

TEST(test_a_range_is_judged_by_its_ends_open_or_not)
{
	struct shelf s = shelf_make();

	shelf_one(&s); /* the ratio is 1.6, the drops are 25 */
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 25..30\n").kind, VERDICT_AGREES);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 25.1..30\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 25.1..30\ntolerance = 1%\n").kind,
		  VERDICT_AGREES);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 20..\n").kind, VERDICT_AGREES);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = ..20\n").kind, VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "range = 1.1..\n").kind,
		  VERDICT_AGREES);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "range = 2..\n").kind,
		  VERDICT_SAME_DIRECTION);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "range = ..0.9\n").kind,
		  VERDICT_NOT_REPRODUCED);
	CHECK_INT(judge(&s, "metric = drops\n" TCN_OVER_ECN "range = 0.8..1.2\n").kind,
		  VERDICT_NOT_REPRODUCED);
	shelf_end(&s);
}

TEST(test_a_claim_of_the_full_size_is_judged_there_only)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_one(&s);
	v = judge(&s, "metric = drops\n" ECN "value = 25\nsize = full\n");
	CHECK_STR(verdict_name(v.kind), "not at this size");
	CHECK(isnan(v.value.mean));
	v = judge_size(&s, "metric = drops\n" ECN "value = 25\nsize = full\n", FIGURE_FULL);
	CHECK_STR(verdict_name(v.kind), "agrees");
	v = judge_size(&s, "metric = drops\n" ECN "value = 25\n", FIGURE_FULL);
	CHECK_STR(verdict_name(v.kind), "agrees");
	shelf_end(&s);
}

TEST(test_what_is_not_there_is_not_measured_and_says_why)
{
	struct shelf s = shelf_make();
	struct verdict v = judge(NULL, "metric = drops\n" ECN "value = 25\n");

	CHECK_INT(v.kind, VERDICT_NOT_MEASURED);
	CHECK_STR(v.why, "no run with switch.marking=ecn is there");
	CHECK_STR(measured_text(&v.value, v.unit).text, "-");
	v = judge(&s, "metric = drops\nvalue = 25\n");
	CHECK_STR(v.why, "no run is there");
	shelf_add(&s, (struct made){ "tcn", "100pkts", 1, 1000, 20, 0, 0 });
	v = judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 25\n");
	CHECK_INT(v.kind, VERDICT_NOT_MEASURED);
	CHECK_STR(v.why, "no run with switch.marking=ecn is there");
	CHECK_NEAR(v.of.mean, 20, 0);
	v = judge(&s, "metric = marks\nof = switch.marking=tcn\nvalue = 25\n"); /* NAN */
	CHECK_STR(verdict_name(v.kind), "not measured");
	CHECK_STR(v.why, "no run with switch.marking=tcn has a value for it");
	v = judge(&s, "metric = series \"queue sw->h7\" mean\nvalue = 25\n");
	CHECK_STR(v.why, "no run has a value for it");
	shelf_end(&s);
}

TEST(test_seeds_without_a_number_are_left_out)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_add(&s, (struct made){ "ecn", "100pkts", 1, 1000, (double)NAN, 0, 0 });
	shelf_add(&s, (struct made){ "ecn", "100pkts", 2, 1000, 7, 0, 0 });
	v = judge(&s, "metric = drops\n" ECN "value = 7\n");
	CHECK_INT(v.kind, VERDICT_TOO_FEW);
	CHECK_NEAR(v.value.mean, 7, 0);
	CHECK_INT(v.value.count, 1);
	shelf_end(&s);
}

TEST(test_there_is_no_ratio_to_zero)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_add(&s, (struct made){ "ecn", "100pkts", 1, 1000, 0, 0, 0 });
	shelf_add(&s, (struct made){ "tcn", "100pkts", 1, 1000, 5, 0, 0 });
	v = judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 2\n");
	CHECK_INT(v.kind, VERDICT_NOT_MEASURED);
	CHECK_STR(v.why, "there is no ratio to zero");
	shelf_end(&s);
}

TEST(test_a_firm_verdict_holds_over_the_whole_interval)
{
	struct shelf s = shelf_make();

	for (int i = 1; i <= 5; i++) { /* 101: the interval is 2.776 * 1.58 / 5^0.5 = 1.96 */
		shelf_add(&s, (struct made){ "ecn", "100pkts", i, 1000, 98 + i, 0, 0 });
		shelf_add(&s, (struct made){ "tcn", "100pkts", i, 1000, 100, 0, 0 });
	}
	CHECK_NEAR(judge(&s, "metric = drops\n" ECN "value = 101\n").value.half, 1.963, 0.001);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 99..104\n").is_firm, 1);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 99.1..104\n").is_firm, 0);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 103..105\n").is_firm, 1);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 102.9..105\n").is_firm, 0);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "range = 101.1..101.2\n").is_firm, 0);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 200\nagainst = 90\n").is_firm, 1);
	CHECK_INT(judge(&s, "metric = drops\n" ECN "value = 200\nagainst = 100\n").is_firm, 0);
	shelf_end(&s);
}

/* --- the best point of a sweep --- */

/* tcn over ecn: 0.5 +-0.04 with 100 packets, 0.8 with 200, and 1.2 with 300. */
static void shelf_sweep(struct shelf *s)
{
	static const struct {
		const char *buffer;
		double ratio;
	} points[] = { { "100pkts", 0.5 }, { "200pkts", 0.8 }, { "300pkts", 1.2 } };

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		for (int seed = 1; seed <= 5; seed++) {
			double tcn = 1000 * points[i].ratio + 10 * (seed - 3);

			shelf_add(s, (struct made){ "ecn", points[i].buffer, seed, 1, 1000, 0, 0 });
			shelf_add(s, (struct made){ "tcn", points[i].buffer, seed, 1, tcn, 0, 0 });
		}
}

TEST(test_up_to_is_judged_at_the_best_point_of_the_sweep)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_sweep(&s);
	v = judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 0.52\ntolerance = 10%\n"
		      "best = switch.buffer\n");
	CHECK_STR(v.best, "100pkts");
	CHECK_NEAR(v.value.mean, 0.5, 1e-9);
	CHECK_INT(v.value.count, 5);
	CHECK_INT(v.kind, VERDICT_AGREES);
	/* Of a claim that it is more, the best is the largest. */
	v = judge(&s, "metric = drops\n" TCN_OVER_ECN "value = 1.9\nbest = switch.buffer\n");
	CHECK_STR(v.best, "300pkts");
	CHECK_INT(v.kind, VERDICT_SAME_DIRECTION);
	/* Without it the points are not to be mixed up. */
	{
		struct weir_error e = { "" };
		struct figure f;

		read_claims(&f, "metric = drops\n" TCN_OVER_ECN "value = 0.5\n");
		CHECK_INT(figure_judge(s.store, &f, FIGURE_QUICK, &v, &e), -1);
		CHECK_CONTAINS(e.text, "differ in switch.buffer");
		figure_free(&f);
	}
	shelf_end(&s);
}

TEST(test_the_best_of_nothing_is_not_measured)
{
	struct verdict v =
		judge(NULL, "metric = drops\n" TCN_OVER_ECN "value = 0.5\nbest = switch.buffer\n");

	CHECK_INT(v.kind, VERDICT_NOT_MEASURED);
}

/* --- which runs count --- */

TEST(test_runs_that_differ_in_more_than_their_seeds_are_refused)
{
	struct shelf s = shelf_make();
	struct weir_error e = { "" };
	struct verdict v;
	struct figure f;

	shelf_fill(&s);
	shelf_add(&s, (struct made){ "ecn", "200pkts", 1, 9000, 90, 0, 0 });
	read_claims(&f, "metric = drops\n" ECN "value = 25\n");
	CHECK_INT(figure_judge(s.store, &f, FIGURE_QUICK, &v, &e), -1);
	CHECK_STR(e.text, "fig.claims:4: [claim c]: of: the runs that it selects differ in "
			  "switch.buffer; name its value");
	figure_free(&f);
	v = judge(&s,
		  "metric = drops\nof = switch.marking=ecn, switch.buffer=200pkts\nvalue = 90\n");
	CHECK_NEAR(v.value.mean, 90, 0);
	shelf_end(&s);
}

TEST(test_runs_outside_the_latest_plan_do_not_count)
{
	static const struct made planned[] = { { "ecn", "100pkts", 2, 3000, 30, 0, 0 },
					       { "ecn", "100pkts", 3, 0, 0, 0, 0 } };
	char keys[2][RUN_KEY_SIZE];
	struct shelf s = shelf_make();
	struct weir_error e = { "" };
	struct verdict v;

	shelf_fill(&s);
	for (int i = 0; i < 2; i++)
		key_of(&planned[i], keys[i]);
	CHECK_INT(store_plan(s.store, (const char(*)[RUN_KEY_SIZE])keys, 2, &e), 0);
	v = judge(&s, "metric = drops\n" ECN "value = 30\n");
	CHECK_NEAR(v.value.mean, 30, 0);
	CHECK_INT(v.value.count, 1);
	CHECK_INT(store_plan(s.store, (const char(*)[RUN_KEY_SIZE])keys + 1, 1, &e), 0);
	v = judge(&s, "metric = drops\n" ECN "value = 30\n");
	CHECK_INT(v.kind, VERDICT_NOT_MEASURED); /* the only planned one is not there yet */
	shelf_end(&s);
}

/* --- made from flows and series --- */

TEST(test_claims_of_flows_and_series_are_measured)
{
	struct shelf s = shelf_make();
	struct verdict v;

	shelf_fill(&s);
	/* The fourth flow: 4 and 12 us. */
	v = judge(&s, "metric = fct_small_p999_ns\n" ECN "value = 8us\n");
	CHECK_NEAR(v.value.mean, 8000, 1e-9);
	CHECK_INT(judge(&s, "metric = slowdown_large_p50\n" ECN "value = 1\n").kind,
		  VERDICT_NOT_MEASURED);
	/* 20 and 30 times 1, 2, 3. */
	v = judge(&s, "metric = series \"queue sw->h0\" mean 1ms..3ms\n" ECN "value = 50pkts\n");
	CHECK_NEAR(v.value.mean, 50, 1e-9);
	CHECK_STR(measured_text(&v.value, v.unit).text, "50 pkts \xc2\xb1"
							"130 pkts");
	v = judge(&s, "metric = series \"average sw->h0\" max\n" TCN_OVER_ECN "value = 1.67\n");
	CHECK_NEAR(v.value.mean, (2 + 4.0 / 3) / 2, 1e-9);
	CHECK_STR(v.metric_unit, "bytes");
	shelf_end(&s);
}

/* Four flows of 10 KB in 1, 2, 3 and 4 us, with seed 2 in 3, 6, 9 and 12 us. */
TEST(test_shares_of_flows_and_any_percentile_are_measured)
{
	struct shelf s = shelf_make();

	shelf_fill(&s);
	CHECK_NEAR(judge(&s, "metric = fct_small_within 3us\n" ECN "value = 0.5\n").value.mean,
		   (0.75 + 0.25) / 2, 1e-12);
	CHECK_NEAR(judge(&s, "metric = fct_within 4us\n" ECN "value = 0.5\n").value.mean,
		   (1 + 0.25) / 2, 1e-12);
	CHECK_NEAR(judge(&s, "metric = slowdown_within 1500\n" ECN "value = 0.5\n").value.mean,
		   (0.25 + 0) / 2, 1e-12);
	CHECK_INT(judge(&s, "metric = fct_large_within 1ms\n" ECN "value = 0.5\n").kind,
		  VERDICT_NOT_MEASURED);
	/* Of four, p75 is the third, p76 the fourth. */
	CHECK_NEAR(judge(&s, "metric = fct_small_p75_ns\n" ECN "value = 1us\n").value.mean,
		   (3000 + 9000) / 2.0, 1e-9);
	CHECK_NEAR(judge(&s, "metric = fct_p76_ns\n" ECN "value = 1us\n").value.mean,
		   (4000 + 12000) / 2.0, 1e-9);
	shelf_end(&s);
}

/* Series that rise by 20 a millisecond with two seeds and by 30 with three, and end at 80 and
 * 120. */
TEST(test_what_is_never_reached_is_judged_seed_by_seed)
{
	struct shelf s = shelf_make();
	struct verdict v;

	for (int seed = 1; seed <= 5; seed++)
		shelf_add(&s,
			  (struct made){ "ecn", "100pkts", seed, 1, seed <= 2 ? 20 : 30, 0, 0 });
	/* 3 ms twice and 2 ms three times, less 1: 1.4 +-0.68 ms */
	v = judge(&s, "metric = series \"queue sw->h0\" reaches 60 after 1ms\n" ECN
		      "value = 1.5ms\ntolerance = 60%\n");
	CHECK_INT(v.kind, VERDICT_AGREES);
	v = judge(&s,
		  "metric = series \"queue sw->h0\" reaches 100 after 1ms\n" ECN "value = 3ms\n");
	CHECK_INT(v.kind, VERDICT_UNDECIDED);
	CHECK_STR(measured_text(&v.value, v.unit).text, "never");
	CHECK_INT(v.is_firm, 0);
	/* 3 ms three times, never twice: all are at least 3 ms, and two at least 4 ms. */
	v = judge(&s,
		  "metric = series \"queue sw->h0\" reaches 100 after 1ms\n" ECN "range = 3ms..\n");
	CHECK_INT(v.kind, VERDICT_AGREES);
	v = judge(&s,
		  "metric = series \"queue sw->h0\" reaches 100 after 1ms\n" ECN "range = 4ms..\n");
	CHECK_INT(v.kind, VERDICT_UNDECIDED);
	v = judge(&s, "metric = series \"queue sw->h0\" reaches 100 after 1ms\n" ECN
		      "value = 9ms\nagainst = 2ms\n");
	CHECK_INT(v.kind, VERDICT_SAME_DIRECTION);
	v = judge(&s, "metric = series \"queue sw->h0\" reaches 100 after 1ms\n" ECN
		      "value = 9ms\nagainst = 3ms\n");
	CHECK_INT(v.kind, VERDICT_UNDECIDED);
	v = judge(&s,
		  "metric = series \"queue sw->h0\" reaches 100 after 1ms\n" ECN "range = ..2ms\n");
	CHECK_INT(v.kind, VERDICT_NOT_REPRODUCED);
	shelf_end(&s);
}

TEST(test_a_scheme_s_series_must_be_in_the_claim_s_unit)
{
	static const struct {
		const char *keys, *message;
	} cases[] = {
		{ "metric = series \"average sw->h0\" mean\n" ECN "value = 5us\n",
		  "series 'average sw->h0' is in bytes, not in ns" },
		{ "metric = series \"average sw->h0\" reaches 5 after 0us\n" ECN "value = 5us\n",
		  "series 'average sw->h0' is in bytes, not in plain numbers" },
	};
	struct shelf s = shelf_make();

	shelf_fill(&s);
	for (int i = 0; i < 2; i++) {
		struct weir_error e = { "" };
		struct verdict v;
		struct figure f;

		read_claims(&f, cases[i].keys);
		CHECK_INT(figure_judge(s.store, &f, FIGURE_QUICK, &v, &e), -1);
		CHECK_CONTAINS(e.text, "fig.claims:4: [claim c]: ");
		CHECK_CONTAINS(e.text, cases[i].message);
		figure_free(&f);
	}
	shelf_end(&s);
}

/* Once a claim has needed them, flows and series are not asked for again. */
TEST(test_flows_and_series_of_a_run_are_read_once)
{
	struct shelf s = shelf_make();
	struct evidence *evidence;
	struct weir_error e = { "" };
	struct verdict v;
	struct figure f;

	shelf_fill(&s);
	read_claims(&f,
		    "metric = fct_small_p999_ns\n" ECN "value = 8us\n"
		    "[claim d]\nsays = s\nsection = 1\nmetric = fct_small_p50_ns\n" ECN
		    "value = 4us\n"
		    "[claim e]\nsays = s\nsection = 1\nmetric = series \"queue sw->h0\" max\n" ECN
		    "value = 100pkts\n"
		    "[claim f]\nsays = s\nsection = 1\nmetric = series \"queue sw->h0\" min\n" ECN
		    "value = 0\n");
	CHECK_INT(evidence_new(&evidence, s.store, &f, &e), 0);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(claim_judge(evidence, &f.claims[i], FIGURE_QUICK, &v, &e), 0);
		CHECK_INT(v.value.count, 2);
		if (i == 0)
			CHECK_INT(store_exec(s.store, "DELETE FROM flow", &e), 0);
		if (i == 2)
			CHECK_INT(store_exec(s.store, "DELETE FROM series", &e), 0);
	}
	evidence_free(evidence);
	figure_free(&f);
	shelf_end(&s);
}
