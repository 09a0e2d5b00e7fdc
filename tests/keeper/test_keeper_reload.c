/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_reload.c -- reloading the plan of a running keeper, and its status pages. */
#define _GNU_SOURCE
#include "keeper/core/keeper.h"
#include "keeper/service/service.h"
#include "tests/keeper_fixture.h"
#include <stdlib.h>

static const struct keeper_setting original = { 100000, 200000, 100000 };

static void read_next(struct keeper_plan *plan, const char *text)
{
	const struct ini_text in = { "plan.ini", text, strlen(text) };
	struct weir_error e = { "" };

	if (keeper_plan_read_text(plan, &fake_registry, &in, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	plan->tune =
		(struct tune_choice){ .scheme = &scripted_tuner.scheme, .agent = &scripted_tuner };
}

/* Continues with the next plan and the same desired settings. */
static void take(struct fixture *d, struct keeper_plan *next)
{
	struct weir_error e = { "" };

	memcpy(next->tune_params, d->plan.tune_params, sizeof(next->tune_params));
	CHECK_INT(keeper_reload_check(&d->plan, next, &e), 0);
	if (keeper_reload(&d->keeper, next, d->fake, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

TEST(test_keeper_reload_keeps_originals_and_what_was_written)
{
	struct keeper_plan next;
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = fixture_setting(60000, 120000, 10);
	fixture_steps(&d, 4);
	read_next(&next,
		  "[keeper]\ndriver = fake\ntune = fixed\n[limits]\nmin-from = 50KB\nmax-from = "
		  "60KB\nwrites = 3\n[profile a]\n[profile b]\n[profile c]\n");
	take(&d, &next);
	CHECK_INT(d.keeper.profiles[0].writes, 1);
	CHECK_INT(d.keeper.profiles[0].state, KEEPER_TUNED);
	CHECK(d.keeper.tuner_state != NULL);
	d.desired = fixture_setting(50000, 100000, 10);
	fixture_steps(&d, 2);
	CHECK_INT(d.fake->has[0].min_bytes, 50000);
	d.desired = fixture_setting(70000, 100000, 10);
	fixture_step(&d);
	CHECK_INT(d.fake->has[0].min_bytes,
		  50000); /* two of three writes per minute, one is reserved for rollbacks */
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	keeper_free(&d.keeper);
	keeper_init(&d.keeper,
		    &(struct keeper_parts){ &d.plan, d.fake, KEEPER_LIVE, d.journal, NULL, NULL });
	fixture_close(&d);
	keeper_plan_free(&next);
}

TEST(test_keeper_reload_restores_profiles_that_left_the_plan)
{
	struct keeper_record *records;
	struct weir_error e = { "" };
	struct keeper_plan next;
	uint32_t count;
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = fixture_setting(60000, 120000, 10);
	fixture_steps(&d, 4);
	read_next(&next, "[keeper]\ndriver = fake\ntune = fixed\n[profile a]\n[profile b]\n");
	take(&d, &next);
	CHECK(keeper_setting_equals(&d.fake->has[2], &original));
	CHECK_INT(d.fake->has[0].min_bytes, 60000);
	CHECK_INT(keeper_journal_load(d.journal, &records, &count, &e), 0);
	CHECK_INT(count, 2);
	free(records);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	keeper_free(&d.keeper);
	keeper_init(&d.keeper,
		    &(struct keeper_parts){ &d.plan, d.fake, KEEPER_LIVE, d.journal, NULL, NULL });
	fixture_close(&d);
	keeper_plan_free(&next);
}

TEST(test_keeper_reload_is_refused_where_the_switch_or_the_journal_would_be_another)
{
	struct weir_error e = { "" };
	struct keeper_plan next;
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	read_next(&next,
		  "[keeper]\ndriver = fake\njournal = /nowhere/other\ntune = fixed\n[profile a]\n");
	CHECK_INT(keeper_reload_check(&d.plan, &next, &e), -1);
	CHECK_STR(e.text,
		  "plan.ini: keeper.journal: cannot change while the keeper runs; stop and restart "
		  "it");
	keeper_plan_free(&next);
	/* A profile is removed while the switch is unreachable: nothing changes. */
	d.desired = fixture_setting(60000, 120000, 10);
	fixture_steps(&d, 4);
	read_next(&next, "[keeper]\ndriver = fake\ntune = fixed\n[profile a]\n");
	d.fake->is_away = 1;
	CHECK_INT(keeper_reload(&d.keeper, &next, d.fake, &e), -1);
	CHECK_CONTAINS(e.text, "is no longer in the plan, but its original could not be "
			       "restored; 'weir keeper release' gives it up");
	CHECK(d.keeper.plan == &d.plan);
	keeper_plan_free(&next);
	fixture_close(&d);
}

/* --- counters that switches update on their own schedule --- */

TEST(test_keeper_waits_once_for_counters_that_have_not_moved)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 3);
	CHECK_INT(d.keeper.profiles[0].telemetry.out_bytes, 1000000);
	d.desired = fixture_setting(60000, 120000, 10);
	d.now_ns += 10 * (int64_t)WEIR_NS_PER_S;
	keeper_step(&d.keeper, d.now_ns); /* counters are unchanged */
	CHECK_INT(d.fake->writes, 0);
	fixture_step(&d);
	CHECK_INT(d.fake->writes, 3);
	CHECK_INT(d.keeper.profiles[0].telemetry.interval_ns, 20 * (int64_t)WEIR_NS_PER_S);
	for (int i = 0; i < 2; i++) {
		d.now_ns += 10 * (int64_t)WEIR_NS_PER_S;
		keeper_step(&d.keeper, d.now_ns);
	}
	CHECK_INT(d.keeper.profiles[0].telemetry.out_bytes, 0); /* it is idle */
	fixture_close(&d);
}

TEST(test_keeper_notices_an_operator_between_two_steps)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 2);
	keeper_check_profile(&d.keeper, 1);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 0);
	d.fake->has[1] = (struct keeper_setting){ 70000, 80000, 50000 };
	keeper_check_profile(&d.keeper, 1);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(d.keeper.profiles[1].state, KEEPER_OPERATOR);
	fixture_close(&d);
}

/* --- pages --- */

static char *page_of(struct fixture *d, struct keeper_log *log, const char *path, const char **type)
{
	struct keeper_http page = { &d->keeper, log };
	size_t length;
	char *text;
	FILE *f = open_memstream(&text, &length);

	CHECK_INT(keeper_http_page(&page, path, f, type), 0);
	fclose(f);
	return text;
}

TEST(test_keeper_pages_show_settings_counters_and_reasons)
{
	static struct keeper_log log;
	struct keeper_http page = { NULL, &log };
	const char *type = "";
	struct fixture d;
	char *text;

	fixture_open(&d, KEEPER_LIVE, "", "");
	log.out = fopen("/dev/null", "w");
	d.keeper.on_event = keeper_log_event;
	d.keeper.user = &log;
	d.desired = fixture_setting(60000, 120000, 10);
	d.fake->counters[1].since_start[KEEPER_DROPS] = 7;
	fixture_steps(&d, 3);
	text = page_of(&d, &log, "/metrics", &type);
	CHECK_CONTAINS(type, "version=0.0.4");
	CHECK_CONTAINS(text, "# HELP weir_keeper_probability Marking probability at the maximum "
			     "threshold.\n# TYPE weir_keeper_probability gauge\n");
	CHECK_CONTAINS(text, "\nweir_keeper_min_bytes{profile=\"a\"} 60000\n");
	CHECK_CONTAINS(text, "\nweir_keeper_drops_total{profile=\"b\"} 7\n");
	CHECK_CONTAINS(text, "\nweir_keeper_state{profile=\"c\",state=\"tuned\"} 1\n");
	CHECK_CONTAINS(text, "\nweir_keeper_steps_total 3\n");
	free(text);
	snprintf(d.keeper.profiles[0].why, KEEPER_WHY_SIZE, "<script>alert(1)</script>");
	text = page_of(&d, &log, "/", &type);
	CHECK_CONTAINS(text, "60 KB / 120 KB, 10 %");
	CHECK_CONTAINS(text, "requested by scripted_tuner");
	CHECK_CONTAINS(text, "&lt;script&gt;");
	CHECK(strstr(text, "<script") == NULL);
	free(text);
	text = page_of(&d, &log, "/status", &type);
	CHECK_CONTAINS(text, "\"state\":\"tuned\"");
	free(text);
	CHECK_INT(keeper_http_page(&page, "/other", log.out, &type), -1);
	fclose(log.out);
	fixture_close(&d);
}
