/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sweep.c -- [sweep]: lists, ranges, combinations, and what is wrong with them. */
#define _XOPEN_SOURCE 700
#include "lab/scenario/sweep.h"
#include "tests/own_keys.h"
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BASE "[network]\ntopology = star\n[traffic a]\npattern = many-to-one\nsize = 1MB\n"

/* The values with | between, or the message. */
static const char *listed(const char *text, char *buffer, size_t size)
{
	struct text_list list;
	struct weir_error e;
	size_t used = 0;

	if (list_split(&list, text, &e)) {
		snprintf(buffer, size, "%s", e.text);
		return buffer;
	}
	for (uint32_t i = 0; i < list.count; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? "|" : "",
					 list.items[i]);
	list_free(&list);
	return buffer;
}

TEST(test_sweep_list_has_commas_outside_brackets_and_ranges)
{
	static const char *const pairs[][2] = {
		{ "ecn", "ecn" },
		{ "ecn, tcn,codel", "ecn|tcn|codel" },
		{ "ecn(k=1pkts, scope=queue), red(min=5KB, max=10KB)",
		  "ecn(k=1pkts, scope=queue)|red(min=5KB, max=10KB)" },
		{ "1..5", "1|2|3|4|5" },
		{ "3..3", "3" },
		{ "0.1..0.9/0.2", "0.1|0.3|0.5|0.7|0.9" },
		{ "0..1/0.25", "0|0.25|0.5|0.75|1" },
		{ "0.05..0.2/0.05", "0.05|0.1|0.15|0.2" },
		{ "1us..5us/2us", "1us|3us|5us" },
		{ "1us..4us/2us", "1us|3us" },
		{ "10%..30%/10%", "10%|20%|30%" },
		{ "8..10, 20..40/10, 7", "8|9|10|20|30|40|7" },
		{ "0us..100us, 0us..1ms", "0us..100us|0us..1ms" }, /* spans of time are one value */
		{ "9..11", "9|10|11" },
		{ "./a..b", "./a..b" },
	};
	char buffer[1024];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		CHECK_STR(listed(pairs[i][0], buffer, sizeof(buffer)), pairs[i][1]);
}

TEST(test_sweep_list_with_a_mistake_says_which)
{
	static const char *const pairs[][2] = {
		{ "", "a value of the list is empty; write a, b, c or 1..5" },
		{ "a,,b", "a value of the list is empty; write a, b, c or 1..5" },
		{ "a, ", "a value of the list is empty; write a, b, c or 1..5" },
		{ "5..1", "'5..1' is empty: it ends before it starts" },
		{ "0.9..0.1/0.2", "'0.9..0.1/0.2' is empty: it ends before it starts" },
		{ "0.1..0.9", "'0.1..0.9' has no step; write 0.1..0.9/STEP" },
		{ "0.1..0.9/0", "'0.1..0.9/0': the step is zero" },
		{ "0.1..0.9/x", "'0.1..0.9/x': after / stands the step, as in 0.1..0.9/0.2" },
		{ "1us..5ms/1us", "'1us..5ms/1us': from, to and step are "
				  "written in the same unit, as in 1us..5us/2us" },
		{ "1..2, 2", "'2' is listed twice" },
		{ "1..20000", "more than 10000 values" },
	};
	char buffer[1024];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		CHECK_STR(listed(pairs[i][0], buffer, sizeof(buffer)), pairs[i][1]);
}

/* --- combinations --- */

static void read_sweep(struct scenario *s, struct sweep *w, const char *text)
{
	struct weir_error e = { "" };

	if (scenario_read_text(s, "f.ini", text, strlen(text), &e) || sweep_read(w, s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

TEST(test_sweep_runs_are_all_combinations_the_first_key_slowest)
{
	static const char *const labels[] = { "ecn, 10us, seed 1", "ecn, 10us, seed 2",
					      "ecn, 20us, seed 1", "ecn, 20us, seed 2",
					      "tcn, 10us, seed 1", "tcn, 10us, seed 2",
					      "tcn, 20us, seed 1", "tcn, 20us, seed 2" };
	char label[64], keys[8][RUN_KEY_SIZE];
	struct scenario s;
	struct sweep w;
	struct config c;
	struct weir_error e = { "" };

	read_sweep(&s, &w,
		   BASE "[switch]\nmarking = red\n[sweep]\nswitch.marking = ecn, tcn\n"
			"network.delay = 10us..20us/10us\nseed = 1..2\n");
	CHECK_INT(w.run_count, 8);
	for (uint64_t i = 0; i < w.run_count; i++) {
		CHECK_STR(sweep_label(&w, i, label, sizeof(label)), labels[i]);
		CHECK_INT(sweep_apply(&w, i, &s, &e), 0);
		CHECK_INT(scenario_config(&s, &c, &e), 0);
		CHECK_STR(c.mark->scheme.name, i < 4 ? "ecn" : "tcn");
		CHECK_INT(*network_number(&c.network, "delay"), i % 4 < 2 ? 10000000 : 20000000);
		CHECK_INT(c.seed, i % 2 + 1);
		config_free(&c);
	}
	CHECK_INT(sweep_check(&w, &s, keys, &e), 0);
	for (int i = 1; i < 8; i++)
		CHECK(strcmp(keys[i], keys[0]) != 0);
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_sweep_list_may_go_on_in_another_line)
{
	char label[64];
	struct scenario s;
	struct sweep w;

	read_sweep(&s, &w,
		   BASE "[sweep]\nswitch.marking = ecn\nseed = 1..2\nswitch.marking = tcn, red\n");
	CHECK_INT(w.run_count, 6);
	CHECK_STR(sweep_label(&w, 0, label, sizeof(label)), "ecn, seed 1");
	CHECK_STR(sweep_label(&w, 5, label, sizeof(label)), "red, seed 2");
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_sweep_without_a_section_is_one_run)
{
	char label[64];
	struct scenario s;
	struct sweep w;

	read_sweep(&s, &w, BASE);
	CHECK_INT(w.run_count, 1);
	CHECK_INT(w.axis_count, 0);
	CHECK_STR(sweep_label(&w, 0, label, sizeof(label)), "");
	sweep_free(&w);
	scenario_free(&s);
}

TEST(test_sweep_set_replaces_or_adds_a_list)
{
	struct scenario s;
	struct sweep w;
	struct weir_error e = { "" };

	read_sweep(&s, &w, BASE "[sweep]\nseed = 1..5\nswitch.marking = ecn, tcn\n");
	sweep_free(&w);
	CHECK_INT(scenario_set(&s, "seed=7", &e), 0);
	CHECK_INT(scenario_set(&s, "switch.marking=red, codel, none", &e), 0);
	CHECK_INT(scenario_set(&s, "sweep.network.delay=1us, 2us", &e), 0);
	CHECK_INT(sweep_read(&w, &s, &e), 0);
	CHECK_INT(w.run_count, 6);
	CHECK_INT(w.axes[0].values.count, 1);
	CHECK_STR(w.axes[0].values.items[0], "7");
	CHECK_STR(w.axes[1].values.items[2], "none");
	CHECK_STR(w.axes[2].path, "network.delay");
	sweep_free(&w);
	scenario_free(&s);
}

/* --- seeds --- */

TEST(test_a_comparison_has_five_seeds_unless_somebody_speaks_of_seeds)
{
	static const struct {
		const char *text, *set;
		uint64_t runs;
	} cases[] = {
		{ BASE "[sweep]\nswitch.marking = ecn, tcn\n", NULL, 10 },
		{ BASE, "sweep.switch.marking=ecn, tcn", 10 },
		{ BASE "[case a]\nhost.cc = reno\n[case b]\nhost.cc = cubic\n[sweep]\n"
		       "switch.marking = ecn, tcn\n",
		  NULL, 20 },
		{ BASE "[sweep]\nswitch.marking = ecn, tcn\nseed = 4\n", NULL, 2 },
		{ "seed = 4\n" BASE "[sweep]\nswitch.marking = ecn, tcn\n", NULL, 2 },
		{ BASE "[sweep]\nswitch.marking = ecn, tcn\n", "seed=1", 2 },
		{ BASE "[case a]\nseed = 1\n[case b]\nseed = 2\n[sweep]\n"
		       "switch.marking = ecn, tcn\n",
		  NULL, 4 },
		{ BASE "[sweep]\nswitch.marking = ecn\n", NULL, 1 },
		{ BASE "[case a]\nhost.cc = reno\n[case b]\nhost.cc = cubic\n", NULL, 2 },
		{ BASE, NULL, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_error e = { "" };
		uint64_t listed;
		struct scenario s;
		struct sweep w;

		CHECK_INT(scenario_read_text(&s, "f.ini", cases[i].text, strlen(cases[i].text), &e),
			  0);
		CHECK(!cases[i].set || !scenario_set(&s, cases[i].set, &e));
		CHECK_INT(sweep_read(&w, &s, &e), 0);
		listed = w.run_count;
		CHECK_INT(sweep_add_seeds(&w, &s), cases[i].runs > listed);
		CHECK_INT(w.run_count, cases[i].runs);
		CHECK_INT(sweep_add_seeds(&w, &s), 0);
		sweep_free(&w);
		scenario_free(&s);
	}
}

/* --- mistakes --- */

static void check_mistake(const char *text, const char *set, const char *message)
{
	char keys[64][RUN_KEY_SIZE];
	struct scenario s;
	struct sweep w;
	struct weir_error e = { "" };
	int failed = scenario_read_text(&s, "f.ini", text, strlen(text), &e);

	if (!failed) {
		failed = (set && scenario_set(&s, set, &e)) || sweep_read(&w, &s, &e);
		if (!failed) {
			CHECK(w.run_count <= 64);
			failed = sweep_check(&w, &s, keys, &e);
			sweep_free(&w);
		}
		scenario_free(&s);
	}
	CHECK(failed);
	CHECK_LIKE(e.text, message);
}

TEST(test_sweep_mistakes_are_found_before_anything_runs)
{
	check_mistake(BASE "[sweep]\n", NULL,
		      "f.ini:6: [sweep] is empty; list values of a setting, as in "
		      "switch.marking = ecn, tcn, or leave it out");
	check_mistake(BASE "[sweep]\nseed =\n", NULL,
		      "f.ini:7: 'seed' has no value; write seed = value, or "
		      "leave the line out");
	check_mistake(BASE "[sweep]\nseed = 5..1\n", NULL,
		      "f.ini:7: sweep.seed: '5..1' is empty: it ends before it starts");
	check_mistake(BASE "[sweep]\nswitch.markin = ecn, tcn\n", NULL,
		      "f.ini:7: switch.markin: unknown key "
		      "'markin'; there are ... (nearest: marking)");
	check_mistake(BASE "[sweep]\nswich.marking = ecn\n", NULL,
		      "f.ini:7: sweep.swich.marking: unknown section 'swich'; there are ... "
		      "(nearest: switch)");
	check_mistake(BASE "[sweep]\ntraffic.b.size = 1KB, 2KB\n", NULL,
		      "f.ini:7: sweep.traffic.b.size: "
		      "unknown [traffic] section 'b'; there are a (nearest: a)");
	check_mistake(BASE "[sweep]\nmarking = ecn\n", NULL,
		      "f.ini:7: sweep.marking: 'marking' is not a setting; write "
		      "section.key=value, as in switch.marking=tcn or traffic.web.load=0.8");
	check_mistake(
		BASE "[sweep]\nseed = 1..3\nnetwork.delay = 1us, 2bps\n", NULL,
		"f.ini:8: network.delay: "
		"'2bps' ends in 'bps', which is no unit here (ps, ns, us, ms, s; nearest: ps); "
		"allowed: 0s to 1s");
	check_mistake(BASE "[sweep]\nnetwork.hosts = 4, 1\n", NULL,
		      "f.ini:7: network.hosts: '1' is out of range; allowed: 2 to 65536");
	check_mistake(BASE "[sweep]\nswitch.marking = ecn, ecn()\n", NULL,
		      "f.ini: [sweep] has one run twice: (ecn) and (ecn()) mean the same");
	check_mistake(BASE "[sweep]\nseed = 1..3\n", "seed=a,b",
		      "--set seed=a: 'a' is not a whole number; allowed: at least 0");
	check_mistake(BASE "[sweep]\nseed = 1..2000\nnetwork.hosts = 2..2000\n", NULL,
		      "f.ini:8: sweep.network.hosts: more than 1000000 runs");
	check_mistake(
		"[network]\ntopology = star\n[traffic a]\npattern = many-to-one\nsize = unlimited\n"
		"[sweep]\nseed = 1..2\n",
		NULL,
		"f.ini: measure.to: not given, but flows of traffic.a are unlimited; write to = "
		"100ms, say");
}

TEST(test_list_where_one_value_is_wanted_points_to_sweep)
{
	check_mistake(BASE "[switch]\nmarking = ecn, tcn\n", NULL,
		      "f.ini:7: switch.marking: 'ecn, tcn' "
		      "is not a name; write name or name(option=value, ...); one value belongs "
		      "here, lists stand in [sweep]");
	check_mistake("seed = 1..5\n" BASE, NULL,
		      "f.ini:1: seed: '1..5' is not a whole number; allowed: at "
		      "least 0; one value belongs here, lists stand in [sweep]");
	check_mistake(BASE, "network.hosts=4,8",
		      "--set network.hosts=4,8: '4,8' is not a whole number; "
		      "allowed: 2 to 65536; one value belongs here, lists stand in [sweep]");
}
