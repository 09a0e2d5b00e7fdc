/* SPDX-License-Identifier: BSD-3-Clause */
/* test_choose_value.c -- the goal and the constraints of a finished run, and what is said where one
 * has no value. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/choose.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <math.h>

#define SCENARIO \
	"seed = 3\n[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 1us\n" \
	"[switch]\nmarking = ecn(k=30KB)\n" \
	"[traffic ai]\npattern = ring\nmembers = 4\nsize = %s\n" \
	"[traffic req]\npattern = incast\nsenders = 4\nreceiver = 5\nsize = 60KB\nperiod = " \
	"300us\n" \
	"[measure]\nto = 1ms\ndrain = 100us\n"

/* A search whose first run is there: that of the file's own setting. */
struct searched {
	struct folder folder;
	struct store *store;
	struct choose_request q;
	struct candidate own;
	uint32_t live[1];
	double values[1][CHOOSE_VALUES];
	char keys[1][RUN_KEY_SIZE];
	struct choose c;
	struct sim run;
};

static void search(struct searched *s, const char *size, const char *goal, const char *keep)
{
	struct weir_error e = { "" };
	char key[RUN_KEY_SIZE];

	memset(s, 0, sizeof(*s));
	s->folder = folder_make();
	sim_read(&s->run, SCENARIO, size);
	sim_run(&s->run, 1);
	if (store_open(&s->store, s->folder.path, STORE_WRITE, &e) || run_key(&s->run.c, key, &e) ||
	    store_add(s->store, key, &s->run.c, &s->run.r, &e) ||
	    choose_read_goal(&s->q, goal, &e) || choose_add_constraint(&s->q, keep, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	s->c = (struct choose){ .q = &s->q,
				.count = 1,
				.all = &s->own,
				.live_count = 1,
				.seeds = 1,
				.live = s->live,
				.values = s->values,
				.run_keys = s->keys };
	memcpy(s->own.key, key, RUN_KEY_SIZE);
}

static void end(struct searched *s)
{
	store_close(s->store);
	sim_end(&s->run);
	folder_remove(&s->folder);
}

static void check_refusal(const char *size, const char *goal, const char *keep, const char *like)
{
	struct weir_error e = { "" };
	struct searched s;

	search(&s, size, goal, keep);
	CHECK_INT(choose_add_run(&s.c, 0, s.own.key, s.store, &e), 1);
	CHECK_LIKE(e.text, like);
	end(&s);
}

TEST(test_values_of_a_run_are_those_of_its_sections)
{
	struct weir_error e = { "" };
	struct searched s;

	search(&s, "200KB", "fct_p99 of req", "round_mean of ai <= 1.5 of best");
	CHECK_INT(choose_add_run(&s.c, 0, s.own.key, s.store, &e), 0);
	CHECK(s.values[0][0] > 0 && s.values[0][0] < 1e6);
	CHECK_NEAR(s.values[0][1], sim_metric(&s.run, "round_mean_ns"), 0);
	CHECK_STR(s.keys[0], s.own.key);
	end(&s);
}

TEST(test_a_round_that_does_not_finish_is_no_value)
{
	check_refusal(
		"40MB", "fct_p99 of req", "round_mean of ai <= 1.5 of best",
		"round_mean_ns of ai has no value with the file's own setting and seed 3, ...: "
		"no round of [traffic ai] begins in the measured interval and ends; give "
		"measure.to more time. (measure.from = 0s, measure.to = 1ms.)...");
}

TEST(test_too_few_rounds_for_a_percentile_are_told_from_none)
{
	check_refusal("200KB", "round_p99 of ai", "drops <= 0",
		      "...: too few rounds of [traffic ai] begin in the measured interval for a "
		      "percentile...ask for round_mean...");
}

TEST(test_flows_that_do_not_complete_are_no_value)
{
	check_refusal(
		"40MB", "fct_mean of ai", "drops <= 0",
		"...: none of the 4 flows of [traffic ai] that start in the measured interval "
		"completes; give measure.drain, or measure.to, more time...");
}

TEST(test_flows_of_a_size_that_there_are_none_of_are_no_value)
{
	check_refusal(
		"200KB", "fct_p99 of req", "fct_large_p99 of req <= 1ms",
		"fct_large_p99_ns of req has no value ...: no flow above 10MB of [traffic req] "
		"starts in the measured interval...");
	check_refusal(
		"200KB", "fct_medium_mean", "drops <= 0",
		"fct_medium_mean_ns has no value ...: no flow above 100KB and of at most 10MB "
		"starts...");
}

TEST(test_what_a_run_does_not_measure_is_no_value)
{
	check_refusal("200KB", "network_wait_p99", "drops <= 0",
		      "...: the run does not measure it ('weir help network_wait_p99_ns' ...");
}
