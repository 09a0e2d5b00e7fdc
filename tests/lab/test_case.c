/* SPDX-License-Identifier: BSD-3-Clause */
/* test_case.c -- [case NAME] and [full]: which settings count, in which order, and what is
 * wrong. */
#define _XOPEN_SOURCE 700
#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "lab/scenario/sections.h"
#include "lab/scenario/sweep.h"
#include "tests/folder.h"
#include "tests/own_keys.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ends in [switch]. */
#define BASE \
	"[network]\ntopology = star\nhosts = 4\n" \
	"[traffic a]\npattern = many-to-one\nsize = 1MB\n" \
	"[switch]\nscheduler = sp\n"
#define CASES \
	"marking = red\nqueues = 2\n" \
	"[case many#]\nswitch.marking = tcn\nswitch.queues = 8\nswitch.scheduler = dwrr\n" \
	"[case k0.5]\nswitch.marking = ecn\n" \
	"[case plain]\nhost.cc = reno\nswitch.scheduler = wfq\n"

/* What the sections above mean in each case. */
static const struct meaning {
	const char *name, *marking, *scheduler, *cc;
	uint64_t queues;
} meanings[] = {
	{ "many#", "tcn", "dwrr", "dctcp", 8 },
	{ "k0.5", "ecn", "sp", "dctcp", 2 },
	{ "plain", "red", "wfq", "reno", 2 },
};

static void read_text(struct scenario *s, const char *text)
{
	struct weir_error e = { "" };

	if (scenario_read_text(s, "f.ini", text, strlen(text), &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void set(struct scenario *s, const char *assignment)
{
	struct weir_error e = { "" };

	if (scenario_set(s, assignment, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void plan(struct sweep *w, const struct scenario *s)
{
	struct weir_error e = { "" };

	if (sweep_read(w, s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static struct config config_of(const struct sweep *w, uint64_t run, struct scenario *s)
{
	struct weir_error e = { "" };
	struct config c;

	if (sweep_apply(w, run, s, &e) || scenario_config(s, &c, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return c;
}

static void check_meaning(const struct config *c, const struct meaning *m)
{
	CHECK_STR(c->case_name, m->name);
	CHECK_STR(c->switches.marking, m->marking);
	CHECK_STR(c->switches.scheduler, m->scheduler);
	CHECK_STR(c->host.cc, m->cc);
	CHECK_INT(c->switches.queues, m->queues);
}

/* --- which settings count --- */

TEST(test_case_settings_count_in_their_case_alone_in_any_order)
{
	/* Every case follows every other one. */
	static const uint64_t order[] = { 0, 2, 4, 0, 4, 2, 0, 1, 3, 5, 3, 1, 5, 0 };
	struct scenario s;
	struct sweep w;

	read_text(&s, BASE CASES "[sweep]\nseed = 7..8\n");
	plan(&w, &s);
	CHECK_INT(w.run_count, 6);
	CHECK_STR(w.axes[0].path, "case");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		struct config c = config_of(&w, order[i], &s);

		check_meaning(&c, &meanings[order[i] / 2]);
		CHECK_INT(c.seed, 7 + order[i] % 2);
		config_free(&c);
	}
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_case_list_of_sweep_chooses_and_orders_and_stays_slowest)
{
	static const char *const labels[] = { "plain, seed 1", "plain, seed 2", "many#, seed 1",
					      "many#, seed 2" };
	char label[64];
	struct scenario s;
	struct sweep w;

	read_text(&s, BASE CASES "[sweep]\nseed = 1..2\ncase = plain\ncase = many#\n");
	plan(&w, &s);
	CHECK_INT(w.run_count, 4);
	for (uint64_t i = 0; i < 4; i++)
		CHECK_STR(sweep_label(&w, i, label, sizeof(label)), labels[i]);
	sweep_free(&w);
	set(&s, "case=k0.5");
	plan(&w, &s);
	CHECK_INT(w.run_count, 2);
	CHECK_STR(sweep_label(&w, 1, label, sizeof(label)), "k0.5, seed 2");
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_case_without_a_list_is_chosen_by_set)
{
	struct scenario s;
	struct sweep w;
	struct config c;

	read_text(&s, BASE CASES);
	set(&s, "case=plain,k0.5");
	plan(&w, &s);
	CHECK_INT(w.run_count, 2);
	c = config_of(&w, 1, &s);
	check_meaning(&c, &meanings[1]);
	config_free(&c);
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_case_does_not_replace_what_set_gives)
{
	struct scenario s;
	struct sweep w;

	read_text(&s, BASE CASES);
	set(&s, "switch.marking=codel");
	set(&s, "sweep.switch.queues=3, 5");
	plan(&w, &s);
	CHECK_INT(w.run_count, 6);
	for (uint64_t i = 6; i-- > 0;) {
		struct config c = config_of(&w, i, &s);
		struct meaning m = meanings[i / 2];

		m.marking = "codel";
		m.queues = i % 2 ? 5 : 3;
		check_meaning(&c, &m);
		config_free(&c);
	}
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_case_lines_of_a_repeated_key_replace_those_of_the_file)
{
	struct scenario s;
	struct sweep w;
	struct config c;

	read_text(&s, BASE "[measure]\nprobe = queue sw->h0\n"
			   "[case a]\nmeasure.probe = queue sw->h1\nmeasure.probe = queue sw->h2\n"
			   "[case b]\nswitch.queues = 2\n");
	plan(&w, &s);
	c = config_of(&w, 0, &s);
	CHECK_INT(c.measure.probes.count, 2);
	CHECK_STR(c.measure.probes.lines[0].text, "queue sw->h1");
	CHECK_STR(c.measure.probes.lines[1].text, "queue sw->h2");
	config_free(&c);
	c = config_of(&w, 1, &s);
	CHECK_INT(c.measure.probes.count, 1);
	CHECK_STR(c.measure.probes.lines[0].text, "queue sw->h0");
	config_free(&c);
	sweep_free(&w);
	scenario_free(&s);
}

static void take_case(void *context, const char *path, const char *text)
{
	char *found = context;

	if (strcmp(path, "case") == 0)
		snprintf(found, 64, "%s", text);
}

TEST(test_case_is_a_setting_that_identifies_the_run)
{
	char keys[3][RUN_KEY_SIZE], found[64] = "";
	struct weir_error e = { "" };
	struct scenario s;
	struct sweep w;
	struct config c;

	read_text(&s, BASE "[case a]\nswitch.queues = 2\n[case b]\nswitch.queues = 2\n");
	plan(&w, &s);
	CHECK_INT(sweep_check(&w, &s, keys, &e), 0);
	CHECK(strcmp(keys[0], keys[1]) != 0);
	c = config_of(&w, 1, &s);
	CHECK_INT(scenario_settings(&c, take_case, found, &e), 0);
	CHECK_STR(found, "b");
	c.case_name[0] = found[0] = '\0';
	CHECK_INT(scenario_settings(&c, take_case, found, &e), 0);
	CHECK_STR(found, "");
	CHECK_INT(run_key(&c, keys[2], &e), 0);
	CHECK(strcmp(keys[2], keys[0]) != 0 && strcmp(keys[2], keys[1]) != 0);
	config_free(&c);
	sweep_free(&w);
	scenario_free(&s);
}

/* --- [full] --- */

#define WITH_FULL \
	BASE "[measure]\nto = 10ms\nprobe = queue sw->h0\n" \
	     "[case a]\nswitch.queues = 2\n[case b]\nswitch.queues = 3\n" \
	     "[sweep]\ncase = b\nswitch.marking = ecn, tcn\nseed = 1..2\n" \
	     "[full]\nmeasure.to = 1s\nmeasure.probe = queue sw->h1\nmeasure.probe = queue " \
	     "sw->h2\n" \
	     "sweep.switch.marking = red, ecn\nsweep.switch.marking = tcn\nseed = 5\n" \
	     "sweep.network.hosts = 8, 16\ncase = a, b\n"

TEST(test_full_without_being_asked_for_changes_nothing)
{
	struct scenario s;
	struct sweep w;
	struct config c;

	read_text(&s, WITH_FULL);
	plan(&w, &s);
	CHECK_INT(w.run_count, 4);
	c = config_of(&w, 0, &s);
	CHECK_INT(c.measure.to_ps, 10000000000);
	CHECK_STR(c.measure.probes.lines[0].text, "queue sw->h0");
	CHECK_STR(c.case_name, "b");
	config_free(&c);
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_full_replaces_values_lines_and_lists_in_their_place)
{
	char label[64];
	struct scenario s;
	struct sweep w;
	struct config c;

	read_text(&s, WITH_FULL);
	scenario_use_full(&s);
	set(&s, "measure.to=2s");
	plan(&w, &s);
	CHECK_INT(w.run_count, 2 * 3 * 1 * 2);
	CHECK_STR(sweep_label(&w, 0, label, sizeof(label)), "a, red, seed 5, 8");
	CHECK_STR(sweep_label(&w, 11, label, sizeof(label)), "b, tcn, seed 5, 16");
	c = config_of(&w, 11, &s);
	CHECK_INT(c.measure.to_ps, 2000000000000); /* of --set, which comes last */
	CHECK_INT(c.measure.probes.count, 2);
	CHECK_STR(c.measure.probes.lines[1].text, "queue sw->h2");
	CHECK_INT(*network_number(&c.network, "hosts"), 16);
	CHECK_INT(c.switches.queues, 3);
	CHECK_INT(c.seed, 5);
	config_free(&c);
	sweep_free(&w);
	scenario_free(&s);
}

/* What [full NAME] says replaces what the case says, also where [full] says it for the others. */
TEST(test_full_of_a_case_replaces_what_the_case_sets)
{
	static const uint32_t queues[] = { 7, 2, 3 };
	struct scenario s;
	struct sweep w;

	read_text(&s, BASE "[measure]\nto = 10ms\n"
			   "[case a]\nswitch.queues = 2\nmeasure.probe = queue sw->h0\n"
			   "[case b]\nswitch.marking = tcn\nswitch.queues = 3\n"
			   "[case c]\nswitch.marking = tcn\n"
			   "[full a]\nmeasure.probe = queue sw->h1\nmeasure.probe = queue sw->h2\n"
			   "switch.queues = 7\n"
			   "[full b]\nswitch.queues = 2\n"
			   "[full]\nswitch.queues = 3\n");
	scenario_use_full(&s);
	plan(&w, &s);
	CHECK_INT(w.run_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		struct config c = config_of(&w, i, &s);

		CHECK_INT(c.switches.queues, queues[i]);
		CHECK_INT(c.measure.probes.count, i == 0 ? 2 : 0);
		if (i == 0)
			CHECK_STR(c.measure.probes.lines[1].text, "queue sw->h2");
		config_free(&c);
	}
	sweep_free(&w);
	scenario_free(&s);
}

/* --- mistakes --- */

enum size { QUICK, FULL };

static void check_mistake(const char *text, enum size size, const char *assignment,
			  const char *message)
{
	char keys[64][RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct scenario s;
	struct sweep w;
	int failed = scenario_read_text(&s, "f.ini", text, strlen(text), &e);

	if (!failed) {
		if (size == FULL)
			scenario_use_full(&s);
		failed = (assignment && scenario_set(&s, assignment, &e)) || sweep_read(&w, &s, &e);
		if (!failed) {
			failed = sweep_check(&w, &s, keys, &e);
			sweep_free(&w);
		}
		scenario_free(&s);
	}
	CHECK(failed);
	CHECK_STR(e.text, message);
}

TEST(test_case_mistakes_say_where_they_are)
{
	check_mistake(BASE "[case a]\n", QUICK, NULL,
		      "f.ini:9: [case a] is empty; give it settings, as in switch.marking = tcn, "
		      "or leave it out");
	check_mistake(BASE "[case]\n", QUICK, NULL,
		      "f.ini:9: [case]: name is missing; allowed are up to 63 letters, digits, - _ "
		      "# and ., as in [case NAME]");
	check_mistake(BASE "[case a/b]\n", QUICK, NULL,
		      "f.ini:9: [case]: name 'a/b'; allowed are up to 63 letters, digits, - _ # "
		      "and ., as in [case NAME]");
	check_mistake(BASE "[case a]\nseed = 1\n[case a]\nseed = 2\n", QUICK, NULL,
		      "f.ini:11: [case a]: the case is given twice, first in line 9; put its "
		      "settings together or give it another name");
	check_mistake(BASE "[case a]\nseed = 1\nseed = 2\n", QUICK, NULL,
		      "f.ini:11: seed: given twice, first in line 10");
	check_mistake(BASE "[case a]\nmarking = ecn\n", QUICK, NULL,
		      "f.ini:10: marking: 'marking' is not a setting; write section.key=value, as "
		      "in switch.marking=tcn or traffic.web.load=0.8");
	check_mistake(
		BASE "[case a]\nswitch.markin = ecn\n", QUICK, NULL,
		"f.ini:10: switch.markin: unknown key 'markin' (nearest: marking); 'weir help "
		"switch' names them");
	check_mistake(BASE "[case a]\ntraffic.b.size = 1MB\n", QUICK, NULL,
		      "f.ini:10: traffic.b.size: unknown [traffic] section 'b'; there are a "
		      "(nearest: a)");
	check_mistake(BASE "[case a]\ncase = b\n", QUICK, NULL,
		      "f.ini:10: case: a case cannot choose a case");
	check_mistake(BASE "[case a]\nswitch.queues = 2\n[case b]\nnetwork.hosts = 1\n", QUICK,
		      NULL, "f.ini:12: network.hosts: '1' is out of range; allowed: 2 to 65536");
}

TEST(test_case_and_sweep_must_fit)
{
	check_mistake(BASE "[sweep]\ncase = a\n", QUICK, NULL,
		      "f.ini:10: sweep.case: f.ini has no [case NAME] to choose from");
	check_mistake(BASE, QUICK, "case=a",
		      "--set case=a: f.ini has no [case NAME] to choose from");
	check_mistake(BASE
		      "[case tcn]\nseed = 1\n[case ecn#]\nseed = 2\n[sweep]\ncase = tcn, ecn\n",
		      QUICK, NULL,
		      "f.ini:14: sweep.case: unknown case "
		      "'ecn'; there are tcn, ecn# (nearest: ecn#)");
	check_mistake(BASE "[case a]\nseed = 1\n", QUICK, "case=b",
		      "--set case=b: unknown case 'b'; there are a (nearest: a)");
	check_mistake(
		BASE "[case a]\nseed = 1\n[sweep]\nseed = 1..2\n", QUICK, NULL,
		"f.ini:10: seed: [case a] sets it and [sweep] lists it, in line 12; leave one out");
	check_mistake(
		BASE "[case a]\nseed = 1\n[sweep]\n", QUICK, NULL,
		"f.ini:11: [sweep] is empty; list values of a setting, as in switch.marking = "
		"ecn, tcn, or leave it out");
}

TEST(test_full_mistakes_are_found_also_when_it_is_not_used)
{
	check_mistake(BASE "[full]\n", QUICK, NULL,
		      "f.ini:9: [full] is empty; give it settings, as in switch.marking = tcn, or "
		      "leave it out");
	check_mistake(
		BASE "[full a]\n", QUICK, NULL,
		"f.ini:9: [full 'a']: no case stands above; write its settings in [case a], or "
		"[full] for those of all cases");
	check_mistake(
		BASE "[case tcn]\nseed = 1\n[full tnc]\nseed = 2\n", QUICK, NULL,
		"f.ini:11: [full NAME] stands below its case: unknown case 'tnc'; there are tcn "
		"(nearest: tcn)");
	check_mistake(
		BASE "[case a]\nseed = 1\n[full a]\n", QUICK, NULL,
		"f.ini:11: [full a] is empty; give it settings, as in switch.marking = tcn, or "
		"leave it out");
	check_mistake(BASE "[case a]\nseed = 1\n[full a]\nseed = 2\n[full a]\nseed = 3\n", QUICK,
		      NULL,
		      "f.ini:13: [full a]: the section is given twice, first in line 11; put its "
		      "settings together");
	check_mistake(BASE "[case a]\nseed = 1\n[full a]\nswitch.buffr = 1MB\n", QUICK, NULL,
		      "f.ini:12: switch.buffr: unknown key 'buffr' (nearest: buffer); 'weir help "
		      "switch' names them");
	check_mistake(BASE "[full]\nsweep.switch.marking = ecn\nswitch.buffr = 1MB\n", QUICK, NULL,
		      "f.ini:11: switch.buffr: unknown key 'buffr' (nearest: buffer); 'weir help "
		      "switch' names them");
	check_mistake(
		BASE "[full]\nsweep.traffic.a.loat = 0.5\n", QUICK, NULL,
		"f.ini:10: sweep.traffic.a.loat: unknown key 'loat' (nearest: load); 'weir help "
		"traffic' names them");
	check_mistake(BASE "[full]\ncase = b\n", QUICK, NULL,
		      "f.ini:10: case: f.ini has no [case NAME] to choose from");
	check_mistake(BASE "[case a]\nseed = 1\n[full]\nsweep.seed = 1..3\n", QUICK, NULL,
		      "f.ini:12: sweep.seed: [case a] sets it in line 10, and a case comes before "
		      "[full]; leave it out of one of them, or set it in [full a] too");
	check_mistake(
		BASE "[full]\nswitch.scheduler = fifo\nswitch.queues = 2\n", FULL, NULL,
		"f.ini:10: switch.scheduler: fifo: serves one queue, but the port has 2; take "
		"one queue, or a scheduler such as sp, dwrr or wfq");
}

/* Cases or a list may take the place of a value in every run. */
TEST(test_values_that_no_run_uses_are_read_all_the_same)
{
	struct scenario s;
	struct sweep w;
	struct weir_error e = { "" };
	char keys[1][RUN_KEY_SIZE];

	check_mistake(BASE "marking = ecn(k=-1)\n[case a]\nswitch.marking = tcn\n", QUICK, NULL,
		      "f.ini:9: switch.marking: ecn: k: '-1' is negative; "
		      "allowed: 0B to 4GB or 0pkts to 4000000000pkts");
	check_mistake(BASE "marking = ecn(k=-1)\n[sweep]\nswitch.marking = tcn, red\n", QUICK, NULL,
		      "f.ini:9: switch.marking: ecn: k: '-1' is negative; "
		      "allowed: 0B to 4GB or 0pkts to 4000000000pkts");
	check_mistake(BASE "queues = 0\n[sweep]\nswitch.queues = 2, 4\n", QUICK, NULL,
		      "f.ini:9: switch.queues: '0' is out of range; allowed: 1 to 128");
	check_mistake(
		BASE "[case a]\nseed = 1\n[case b]\nswitch.scheduler = dwrr(quantum=1B)\n"
		     "[sweep]\ncase = a\n",
		QUICK, NULL,
		"f.ini:12: switch.scheduler: dwrr: quantum: '1B' is out of range; allowed: 64B "
		"to 1MB");
	check_mistake(
		BASE "[case a]\nseed = 1\n[full a]\nhost.cc = dctcp(g=2)\n", QUICK, NULL,
		"f.ini:12: host.cc: dctcp: g: '2' is out of range; allowed: 0.0000152588 to 1");
	check_mistake(BASE "[full]\nnetwork.hosts = 1\n", QUICK, NULL,
		      "f.ini:10: network.hosts: '1' is out of range; allowed: 2 to 65536");

	/* What would not fit with the rest is no mistake. */
	read_text(&s, BASE "[case a]\nswitch.queues = 2\n"
			   "[case b]\nswitch.scheduler = sp-dwrr(priority-queues=3)\n"
			   "[sweep]\ncase = a\n");
	plan(&w, &s);
	CHECK_INT(sweep_check(&w, &s, keys, &e), 0);
	sweep_free(&w);
	scenario_free(&s);
}

/* --- tables --- */

/* Stores all runs of a scenario, with numbers that are given and not simulated. */
static void fill_store(struct store *store, const char *text, const double *fct_ns)
{
	struct scenario s;
	struct sweep w;

	read_text(&s, text);
	plan(&w, &s);
	for (uint64_t i = 0; i < w.run_count; i++) {
		struct config c = config_of(&w, i, &s);
		struct run_result r = { .flow_count = 0 };
		char key[RUN_KEY_SIZE];
		struct weir_error e = { "" };

		for (int k = 0; k < METRICS_MAX; k++)
			r.value[k] = (double)NAN;
		r.value[metric_index("fct_mean_ns")] = fct_ns[i];
		CHECK_INT(run_key(&c, key, &e), 0);
		if (store_add(store, key, &c, &r, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
		config_free(&c);
	}
	sweep_free(&w);
	scenario_free(&s);
}

/* Two cases with two loads and two seeds each. */
static const char table_text[] =
	BASE "[traffic b]\npattern = all-to-all\nsizes = websearch\nload = 0.5\nflows = 9\n"
	     "[case old]\nswitch.marking = ecn\nswitch.queues = 4\nswitch.scheduler = dwrr\n"
	     "[case new]\nswitch.marking = tcn\nhost.cc = reno\n"
	     "[sweep]\ntraffic.b.load = 0.2, 0.4\nseed = 1..2\n";
static const double table_fct_ns[] = { 100, 300, 500, 700, 50, 60, 750, 700 };

TEST(test_table_of_cases_has_one_column_for_all_that_they_set)
{
	const char *metrics[] = { "fct_mean_ns" };
	const struct compare_request q = { .metric_count = 1, .metrics = metrics };
	struct folder folder = folder_make();
	struct weir_error e = { "" };
	struct comparison c;
	struct store *store;

	CHECK_INT(store_open(&store, folder.path, STORE_WRITE, &e), 0);
	fill_store(store, table_text, table_fct_ns);
	CHECK_INT(comparison_make(&c, store, &q, &e), 0);
	CHECK_INT(c.axis_count, 2);
	CHECK_STR(c.axes[0].path, "case");
	CHECK_STR(c.axes[0].labels[0], "old");
	CHECK_STR(c.axes[0].labels[1], "new");
	CHECK_STR(c.axes[1].path, "traffic.b.load");
	CHECK_INT(c.row_count, 4);
	CHECK_STR(c.mixed, "");
	CHECK(c.rows[0].cells[0].mean == 200);
	CHECK(c.rows[3].cells[0].mean == 725);
	comparison_free(&c);
	store_close(store);
	folder_remove(&folder);
}

TEST(test_table_relative_to_a_case_pairs_runs_by_seed)
{
	const char *metrics[] = { "fct_mean_ns" };
	const struct compare_request q = { .metric_count = 1,
					   .metrics = metrics,
					   .normalize_to = "old" };
	struct folder folder = folder_make();
	struct weir_error e = { "" };
	struct comparison c;
	struct store *store;

	CHECK_INT(store_open(&store, folder.path, STORE_WRITE, &e), 0);
	fill_store(store, table_text, table_fct_ns);
	CHECK_INT(comparison_make(&c, store, &q, &e), 0);
	CHECK(c.rows[0].cells[0].mean == 1);
	CHECK_NEAR(c.rows[2].cells[0].mean, sqrt(50.0 / 100 * 60.0 / 300), 1e-12);
	CHECK_NEAR(c.rows[3].cells[0].mean, sqrt(750.0 / 500 * 700.0 / 700), 1e-12);
	comparison_free(&c);
	store_close(store);
	folder_remove(&folder);
}
