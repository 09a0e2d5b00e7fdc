/* SPDX-License-Identifier: BSD-3-Clause */
/* test_answer.c -- which setting is called best: never one that another dominates, never without
 * what it costs, and by what its applications wait for. Runs are made by hand, but for the incast
 * that asked for all this. */
#define _XOPEN_SOURCE 700
#include "lab/analysis/answer.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <math.h>

static const char head[] = "seed = %d\n[network]\ntopology = star\nhosts = 6\n"
			   "[switch]\nmarking = %s\n%s\n[measure]\nto = 200ms\n";

#define WEB "[traffic web]\npattern = many-to-one\nsenders = 2\nsize = 1KB\n"
#define RING "[traffic ai]\npattern = ring\nsize = 1MB\nrounds = 2\n"
#define STORAGE "[traffic db]\npattern = storage\nmix = oltp\ndepth = 1\n"

#define PS_PER_US (WEIR_NS_PER_US * (int64_t)WEIR_PS_PER_NS)

/* What a run is to have: the two flows of a section take that long, 0: one of them does not end. */
struct outcome {
	const char *marking;
	int seed;
	double fct_us, goodput_gbps, drops, paused, round_us; /* round 0: unknown */
};

struct fixture {
	struct folder folder;
	struct store *store;
	const char *traffic;
};

static struct fixture fixture_make(const char *traffic)
{
	struct fixture d = { .folder = folder_make(), .traffic = traffic };
	struct weir_error e = { "" };

	CHECK_INT(store_open(&d.store, d.folder.path, STORE_WRITE, &e), 0);
	return d;
}

static void fixture_end(struct fixture *d)
{
	store_close(d->store);
	folder_remove(&d->folder);
}

static void fixture_keep(struct fixture *d, struct sim *s)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };

	CHECK_INT(run_key(&s->c, key, &e), 0);
	if (store_add(d->store, key, &s->c, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void fixture_add(struct fixture *d, struct outcome o)
{
	int unfinished = o.fct_us == 0;
	struct sim s;

	sim_read(&s, head, o.seed, o.marking, d->traffic);
	for (int i = 0; i < METRICS_MAX; i++)
		s.r.value[i] = (double)NAN;
	s.r.flows = memory_grow(NULL, 2, sizeof(*s.r.flows));
	s.r.ideal_ps = memory_grow(NULL, 2, sizeof(*s.r.ideal_ps));
	s.r.flow_count = 2;
	for (int i = 0; i < 2; i++) {
		int ends = i == 0 || !unfinished;

		s.r.ideal_ps[i] = PS_PER_US;
		s.r.flows[i] = (struct flow){
			.start_ps = PS_PER_US,
			.finish_ps = ends ? (int64_t)((o.fct_us + 1) * (double)PS_PER_US) : -1,
			.size_bytes = 1000,
			.src = 1,
			.traffic = (uint16_t)((uint32_t)i % s.c.traffic_count),
		};
	}
	s.r.value[metric_index("flows_completed")] = 2 - unfinished;
	s.r.value[metric_index("flows_unfinished")] = unfinished;
	s.r.value[metric_index("goodput_bps")] = o.goodput_gbps * 1e9;
	s.r.value[metric_index("drops")] = o.drops;
	s.r.value[metric_index("pause_fraction")] = o.paused;
	if (o.round_us > 0)
		s.r.value[metric_index("round_mean_ns")] = o.round_us * 1000;
	fixture_keep(d, &s);
	sim_end(&s);
}

static void fixture_fill(struct fixture *d, const struct outcome *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fixture_add(d, all[i]);
}

static void keep_line(void *context, const char *line)
{
	char *text = context;

	strcat(strcat(text, line), "\n");
}

/* The sentences; baseline NULL: the usual one. */
static const char *fixture_answer(struct fixture *d, const char *baseline)
{
	static char text[4096];
	const struct compare_request q = { .same = ROWS_JOINED };
	struct weir_error e = { "" };
	struct comparison c;

	text[0] = '\0';
	if (comparison_make(&c, d->store, &q, &e) ||
	    answer_write(&c, d->store, baseline, &(struct line_sink){ keep_line, text }, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	comparison_free(&c);
	return text;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

TEST(test_answer_names_the_best_setting_and_what_it_costs)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 100, 90, 0, 0, 0 },   { "ecn", 2, 110, 90.1, 0, 0, 0 },
		{ "tcn", 1, 50, 26, 500, 0, 0 },  { "tcn", 2, 56, 26.1, 512, 0, 0 },
		{ "codel", 1, 70, 95, 0, 0, 0 },  { "codel", 2, 77, 95.1, 0, 0, 0 },
		{ "pie", 1, 200, 95.2, 0, 0, 0 }, { "pie", 2, 210, 95.2, 0, 0, 0 },
	};
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL),
		  "tcn halves the mean FCT against ecn: 53 us (0.50, 95 % CI 0.45-0.57); goodput "
		  "71 % lower (26.05 Gb/s; ecn 90.05 Gb/s), drops (506; ecn 0). The best without "
		  "these costs is codel: 73.5 us, 1.39 times as much, 95 % CI 1.24-1.56.\n");
	/* Where others are compared with the one that wins, it is no less costly. */
	CHECK_CONTAINS(fixture_answer(&d, "tcn"),
		       "tcn pays: goodput 73 % lower (26.05 Gb/s; pie 95.2 Gb/s)");
	fixture_end(&d);
}

TEST(test_answer_never_names_a_setting_best_that_another_dominates)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 100, 26, 0, 0, 0 },
		{ "ecn", 2, 110, 26, 0, 0, 0 },
		{ "tcn", 1, 101, 95, 0, 0, 0 },
		{ "tcn", 2, 109, 95, 0, 0, 0 },
	};
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL),
		  "tcn is better than ecn: goodput 95 Gb/s against 26 Gb/s, with no significant "
		  "difference in mean FCT (105 us; 1.00, 95 % CI 0.89-1.13); no setting is "
		  "significantly better (by over 1 %) in goodput.\n");
	CHECK_STR(fixture_answer(&d, "tcn"), "No setting significantly lowers the mean FCT by over "
					     "1 % against tcn (105 us; next ecn: "
					     "1.00, 95 % CI 0.89-1.13); no setting is "
					     "significantly better (by over 1 %) in goodput.\n");
	fixture_end(&d);
}

TEST(test_answer_without_costs_says_what_was_compared)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 100, 90, 9, 0.2, 0 },
		{ "tcn", 1, 50, 90.1, 4, 0.2001, 0 },
	};
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL),
		  "tcn halves the mean FCT against ecn: 50 us (0.50); no setting is "
		  "significantly better (by over 1 %) in goodput, drops or time paused. One run "
		  "per setting: "
		  "no confidence interval.\n");
	fixture_end(&d);
}

TEST(test_answer_ranks_no_setting_whose_flows_did_not_end)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 100, 90, 0, 0, 0 },
		{ "tcn", 1, 0, 90, 0, 0, 0 },
		{ "codel", 1, 120, 90, 0, 0, 0 },
	};
	static const struct outcome none[] = { { "ecn", 1, 0, 90, 0, 0, 0 },
					       { "tcn", 1, 0, 91, 0, 0, 0 } };
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL), "No setting significantly lowers the mean FCT by over "
					    "1 % against ecn (100 us; next codel: "
					    "1.20); no setting is significantly better (by over 1 "
					    "%) in goodput. One run per setting: no "
					    "confidence interval.\n"
					    "Not ranked (unfinished flows): tcn.\n");
	fixture_end(&d);
	d = fixture_make(WEB);
	fixture_fill(&d, none, COUNT(none));
	CHECK_STR(fixture_answer(&d, NULL), "Not ranked (unfinished flows): ecn and tcn.\n");
	fixture_end(&d);
}

TEST(test_answer_names_the_settings_that_are_as_good_as_the_best)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 100, 90, 0, 0, 0 },  { "ecn", 2, 110, 90, 0, 0, 0 },
		{ "tcn", 1, 50, 90, 0, 0, 0 },   { "tcn", 2, 56, 90, 0, 0, 0 },
		{ "codel", 1, 51, 90, 0, 0, 0 }, { "codel", 2, 55.5, 90, 0, 0, 0 },
	};
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_CONTAINS(fixture_answer(&d, NULL),
		       "tcn halves the mean FCT against ecn: 53 us (0.50, 95 % CI 0.45-0.57); no "
		       "significant difference over 1 % from codel; no setting is significantly "
		       "better (by over 1 %) in "
		       "goodput.");
	fixture_end(&d);
}

/* The small flows of a ring are parts of a round, and no application waits for a single one. */
TEST(test_answer_judges_collectives_by_round_time_alone)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 50, 90, 0, 0, 900 },
		{ "ecn", 2, 51, 90, 0, 0, 905 },
		{ "tcn", 1, 100, 90, 0, 0, 700 },
		{ "tcn", 2, 101, 90, 0, 0, 704 },
	};
	struct fixture d = fixture_make(RING);
	const char *text;

	fixture_fill(&d, runs, COUNT(runs));
	text = fixture_answer(&d, NULL);
	CHECK_CONTAINS(text, "tcn lowers the mean round time by 22 % against ecn: 702 us (0.78, "
			     "95 % CI ");
	CHECK(!strstr(text, "FCT"));
	fixture_end(&d);
}

TEST(test_answer_ranks_no_collective_that_lacks_rounds_in_a_run)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 50, 90, 0, 0, 900 },
		{ "ecn", 2, 51, 90, 0, 0, 905 },
		{ "tcn", 1, 100, 90, 0, 0, 700 },
		{ "tcn", 2, 101, 90, 0, 0, 0 },
	};
	struct fixture d = fixture_make(RING);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL), "Only ecn can be ranked: mean round time 902.5 us.\n"
					    "Not ranked (no value in some runs): tcn.\n");
	fixture_end(&d);
	d = fixture_make(STORAGE);
	fixture_add(&d, runs[0]);
	fixture_add(&d, runs[2]);
	CHECK_STR(fixture_answer(&d, NULL),
		  "No setting is ranked: no I/O time is known of these runs; is measure.to or "
		  "measure.drain too short?\n");
	fixture_end(&d);
}

/* A web flow that does not end says nothing of rounds, and the other way round. */
TEST(test_answer_keeps_the_unfinished_flows_of_a_section_to_itself)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 50, 90, 0, 0, 900 },
		{ "tcn", 1, 0, 90, 0, 0, 700 },
	};
	struct fixture d = fixture_make(RING WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL),
		  "ai: tcn lowers the mean round time by 22 % against ecn: 700 us (0.78); "
		  "unfinished flows (1; ecn 0). One run per setting: no confidence interval.\n"
		  "web: Only ecn can be ranked: mean FCT 50 us. One run per setting: no confidence "
		  "interval.\n"
		  "web: Not ranked (unfinished flows): tcn.\n");
	fixture_end(&d);
}

TEST(test_answer_of_settings_with_the_same_numbers_is_no_difference)
{
	static const struct outcome runs[] = { { "ecn", 1, 50, 90, 0, 0, 0 },
					       { "tcn", 1, 50, 90, 0, 0, 0 } };
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_STR(fixture_answer(&d, NULL),
		  "No difference: ecn = tcn. One run per setting: no confidence interval.\n");
	fixture_end(&d);
}

/* While a sweep goes on: what is done of tcn is its easy half, of which codel was faster. */
TEST(test_answer_compares_settings_by_the_runs_that_both_have)
{
	static const struct outcome runs[] = {
		{ "ecn", 1, 100, 90, 0, 0, 0 },   { "ecn", 2, 1000, 90, 0, 0, 0 },
		{ "tcn", 1, 80, 90, 0, 0, 0 },    { "codel", 1, 60, 90, 0, 0, 0 },
		{ "codel", 2, 610, 90, 0, 0, 0 },
	};
	struct fixture d = fixture_make(WEB);

	fixture_fill(&d, runs, COUNT(runs));
	CHECK_CONTAINS(fixture_answer(&d, NULL), "codel lowers the mean FCT by 40 % against ecn: "
						 "335 us (0.60, 95 % CI ");
	fixture_end(&d);
}

/* --- the incast that was answered wrongly --- */

TEST(test_answer_of_an_incast_over_rdma_does_not_call_a_quarter_of_the_goodput_unbeaten)
{
	static const char *const controls[] = { "dcqcn(preset=paper)", "swift", "dctcp-rdma",
						"powertcp" };
	struct fixture d = fixture_make("");
	double goodput_bps[4];
	const char *text;

	for (int i = 0; i < 4; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 18\nrate = 100Gbps\ndelay = 1us\n"
			 "[switch]\nmarking = red(min=100KB, max=400KB, p=0.2)\nlossless = 0\n"
			 "buffer-per = switch\nbuffer = 12MB\n[host]\ncc = %s\n"
			 "[traffic req]\npattern = incast\nsenders = 15\nreceiver = 0\n"
			 "size = 64KB\nperiod = 500us\n"
			 "[traffic bulk]\npattern = many-to-one\nsenders = 2\nreceiver = 0\n"
			 "size = unlimited\n[measure]\nfrom = 1ms\nto = 4ms\n",
			 controls[i]);
		sim_run(&s, 1);
		goodput_bps[i] = sim_metric(&s, "goodput_bps");
		fixture_keep(&d, &s);
		sim_end(&s);
	}
	/* DCQCN has the shortest queue because it leaves the link idle. */
	CHECK(goodput_bps[0] < 0.35e11);
	for (int i = 1; i < 4; i++)
		CHECK(goodput_bps[i] > 0.8e11);
	text = fixture_answer(&d, NULL);
	CHECK_CONTAINS(text, "No setting significantly lowers the ");
	CHECK_CONTAINS(text, " against dcqcn (");
	CHECK_CONTAINS(text, "dcqcn pays: goodput ");
	CHECK_CONTAINS(text, "goodput of unlimited flows ");
	CHECK_CONTAINS(text, "The best without these costs is dctcp-rdma: ");
	fixture_end(&d);
}

/* --- by chance --- */

/* Is a at least as good in everything, but for a hundredth, and better in something? */
static int is_dominated(const struct outcome *b, const struct outcome *a)
{
	const double x[] = { a->fct_us, -a->goodput_gbps, a->drops, a->paused };
	const double y[] = { b->fct_us, -b->goodput_gbps, b->drops, b->paused };
	int better = 0;

	for (int i = 0; i < 4; i++) {
		double tolerance = 0.01 * fmax(fabs(x[i]), fabs(y[i]));

		if (x[i] > y[i] + tolerance)
			return 0;
		better |= x[i] < y[i] - tolerance;
	}
	return better;
}

static int says(const char *text, const char *format, const char *label)
{
	char part[128];

	snprintf(part, sizeof(part), format, label);
	return strstr(text, part) != NULL;
}

/* Few values, so that there are ties in one thing and differences in another. */
TEST(test_answer_of_random_settings_names_none_that_is_dominated)
{
	static const char *const markings[] = { "ecn", "tcn", "codel", "pie", "none" };
	struct weir_rng rng = weir_rng_make(7, 0, WEIR_RNG_TEST);
	int named = 0, dominated = 0;

	for (int round = 0; round < 12; round++) {
		struct fixture d = fixture_make(WEB);
		struct outcome all[5];
		const char *text;

		for (int i = 0; i < 5; i++) {
			all[i] = (struct outcome){
				markings[i],
				1,
				100.0 + 50.0 * (double)weir_rng_below(&rng, 3),
				80.0 + 5.0 * (double)weir_rng_below(&rng, 3),
				100.0 * (double)weir_rng_below(&rng, 2),
				0.1 * (double)weir_rng_below(&rng, 2),
				0,
			};
			fixture_add(&d, all[i]);
		}
		text = fixture_answer(&d, NULL);
		for (int i = 0; i < 5; i++) {
			int is_best = says(text, "%s halves the mean FCT", markings[i]) ||
				      says(text, "%s lowers the mean FCT", markings[i]) ||
				      says(text, "%s has the lowest mean FCT:", markings[i]) ||
				      says(text, "lowers the mean FCT against %s (", markings[i]) ||
				      says(text, "%s is better than", markings[i]);

			named += is_best;
			for (int k = 0; k < 5; k++) {
				dominated += is_dominated(&all[i], &all[k]);
				if (is_best && is_dominated(&all[i], &all[k]))
					test_fail(__FILE__, __LINE__, "%s dominates %s: %s",
						  markings[k], markings[i], text);
			}
		}
		fixture_end(&d);
	}
	CHECK(named >= 6); /* the others are joined: same numbers, one label */
	CHECK(dominated > 20);
}
