/* SPDX-License-Identifier: BSD-3-Clause */
/* test_scenario.c -- scenario files: what is read from them, and how settings are replaced. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "tests/own_keys.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETWORK "[network]\ntopology = star\n"
#define TRAFFIC "[traffic a]\npattern = many-to-one\nsize = 1MB\n"
#define BASE NETWORK TRAFFIC /* a whole scenario */

#define TEN "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static int read_text(struct scenario *s, const char *text, struct weir_error *e)
{
	return scenario_read_text(s, "f.ini", text, strlen(text), e);
}

static const char incast[] =
	"# Does DCTCP hold the queue at K with 16 senders?\n"
	"[network]\ntopology = star\nhosts = 17\nrate = 10Gbps\ndelay = 10us\n\n"
	"[switch]\nmarking = ecn(k=70pkts)\nbuffer = 1000pkts\n\n"
	"[host]\ncc = dctcp\nmss = 1448B\npackets-per-ack = 1\n\n"
	"[traffic incast]\npattern = many-to-one\nsenders = 16\nsize = unlimited\n"
	"start = 0us..100us\n\n"
	"[measure]\nfrom = 20ms\nto = 100ms\n";

TEST(test_scenario_example_is_read_as_it_stands)
{
	struct scenario s;
	struct config c;
	struct weir_error e;

	CHECK_INT(read_text(&s, incast, &e), 0);
	CHECK_INT(scenario_config(&s, &c, &e), 0);
	CHECK_STR(c.title, "Does DCTCP hold the queue at K with 16 senders?");
	CHECK_STR(c.network.topology, "star");
	CHECK_INT(*network_number(&c.network, "hosts"), 17);
	CHECK_INT(*network_number(&c.network, "rate"), 10000000000);
	CHECK_INT(*network_number(&c.network, "delay"), 10000000);
	CHECK_STR(c.mark->scheme.name, "ecn");
	CHECK_INT(c.switches.buffer, WEIR_LENGTH_IN_PACKETS | 1000);
	CHECK_STR(c.cc->scheme.name, "dctcp");
	CHECK_STR(c.sched->scheme.name, "fifo");
	CHECK_INT(c.host.mss_bytes, 1448);
	CHECK_INT(c.host.acks_per, 1);
	CHECK_INT(c.traffic_count, 1);
	CHECK_STR(c.traffic[0].name, "incast");
	CHECK_INT(c.traffic[0].line, 17);
	CHECK_INT(*traffic_number(&c.traffic[0], "senders"), 16);
	CHECK(*traffic_number(&c.traffic[0], "size") == UINT64_MAX);
	CHECK_INT(c.traffic[0].start.first_ps, 0);
	CHECK_INT(c.traffic[0].start.last_ps, 100000000);
	CHECK_INT(c.measure.from_ps, 20000000000);
	CHECK_INT(c.measure.to_ps, 100000000000);
	CHECK_INT(c.seed, 1);
	config_free(&c);
	scenario_free(&s);
}

/* All settings of a config, one a line. */
struct text {
	char *at;
	size_t length, room;
};

static void append(void *context, const char *path, const char *value)
{
	struct text *t = context;
	size_t more = strlen(path) + strlen(value) + 2;

	while (t->length + more + 1 > t->room) {
		t->room = 2 * t->room + 4096;
		t->at = realloc(t->at, t->room);
		CHECK(t->at != NULL);
	}
	t->length += (size_t)sprintf(t->at + t->length, "%s=%s\n", path, value);
}

/* The settings that a text stands for, for the caller to free. */
static char *settings_of(const char *text)
{
	struct text listed = { NULL, 0, 0 };
	struct scenario s;
	struct config c;
	struct weir_error e;

	if (read_text(&s, text, &e) || scenario_config(&s, &c, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(scenario_settings(&c, append, &listed, &e), 0);
	config_free(&c);
	scenario_free(&s);
	return listed.at;
}

TEST(test_scenario_order_of_keys_and_sections_does_not_matter)
{
	char *one =
		settings_of("seed = 3\n[network]\ntopology = leaf-spine\nleaves = 2\nspines = 3\n"
			    "[switch]\nqueues = 2\nscheduler = dwrr(weights=2:1)\n"
			    "[traffic a]\npattern = all-to-all\nload = 0.5\nsizes = websearch\n");
	char *two = settings_of(
		"seed = 3\n[traffic a]\nsizes = websearch\nload = 50%\n"
		"pattern = all-to-all\n[switch]\nscheduler = dwrr( weights = 2:1 )\n"
		"queues = 2\n[network]\nspines = 3\nleaves = 2\ntopology = leaf-spine\n");

	CHECK_STR(one, two);
	free(one);
	free(two);
}

TEST(test_scenario_settings_name_everything_that_a_run_depends_on)
{
	char *listed =
		settings_of("seed = 7\n" BASE "[switch]\nmarking = tcn\n[host]\nmss = 1KB\n");

	CHECK_CONTAINS(listed, "seed=7\n");
	CHECK_CONTAINS(listed, "network.topology=star\n");
	CHECK_CONTAINS(listed, "network.hosts=17\n"); /* a default of the topology */
	CHECK_CONTAINS(
		listed,
		"switch.marking=tcn(threshold=78us, t-min=0s, t-max=0s, p=0.01)\n"); /* spelled out
										      */
	CHECK_CONTAINS(listed, "host.mss=1KB\n");
	CHECK_CONTAINS(listed, "host.rto-min=5ms\n");
	CHECK_CONTAINS(listed, "traffic.a.pattern=many-to-one\n");
	CHECK_CONTAINS(listed, "traffic.a.size=1MB\n");
	CHECK(!strstr(listed, "fabric-rate"));    /* of another topology */
	CHECK(!strstr(listed, "traffic.a.load")); /* of another pattern */
	CHECK(!strstr(listed, "measure.port"));   /* not given, no default */
	free(listed);
}

TEST(test_scenario_repeated_keys_keep_their_order)
{
	char *listed = settings_of("[network]\ntopology = explicit\nlink = h0 s 1Gbps 1us\n"
				   "fail = h0 s 1ms\nlink = h1 s 1Gbps 2us\nfail = h1 s 2ms\n"
				   "[traffic a]\npattern = list\nflow = 0 1 1KB 0us\n"
				   "flow = 1 0 2KB 1us\n");

	CHECK_CONTAINS(listed, "network.link=h0 s 1Gbps 1us; h1 s 1Gbps 2us\n");
	CHECK_CONTAINS(listed, "network.fail=h0 s 1ms; h1 s 2ms\n");
	CHECK_CONTAINS(listed, "traffic.a.flow=0 1 1KB 0us; 1 0 2KB 1us\n");
	free(listed);
}

TEST(test_scenario_comments_blanks_and_line_ends_are_no_part_of_values)
{
	char *plain =
		settings_of(BASE "[host]\ncc = reno\nmss = 1000B\n[measure]\nport = sw->h#0;x\n");
	char *wild = settings_of(
		"\xef\xbb\xbf; title\r\n\r\n  [network]  # net\r\n\ttopology=star\t; s\r\n"
		"[ traffic   a ]\n    pattern : many-to-one\n  # size = 2MB\n"
		"\tsize\t=\t1MB #2MB\n[host]\ncc=reno\n   mss = 1000B   # " HUNDRED HUNDRED HUNDRED
		"\n[measure]\nport = sw->h#0;x # one\n; end");

	CHECK_STR(wild, plain);
	free(wild);
	free(plain);
}

static const char *title_of(const char *text, struct scenario *s)
{
	struct weir_error e;

	CHECK_INT(read_text(s, text, &e), 0);
	return s->title;
}

TEST(test_scenario_title_is_the_first_comment_above_all_else)
{
	static const struct {
		const char *text, *title;
	} cases[] = {
		{ "# One\n# Two\n" BASE, "One" },
		{ "\n;; One ; more\n" BASE, "One ; more" },
		{ "#\n#  \n# One\n" BASE, "One" },
		{ BASE "# late\n", "" },
		{ "seed = 1 # inline\n# late\n" BASE, "" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scenario s;

		CHECK_STR(title_of(cases[i].text, &s), cases[i].title);
		scenario_free(&s);
	}
}

/* --- --set --- */

TEST(test_scenario_set_replaces_and_adds)
{
	struct scenario s;
	struct config c;
	struct weir_error e;

	CHECK_INT(read_text(&s, BASE "[host]\nmss = 1000B\n", &e), 0);
	CHECK_INT(scenario_set(&s, "host.mss=1KiB", &e), 0);
	CHECK_INT(scenario_set(&s, "host.mss=2KiB", &e), 0);
	CHECK_INT(scenario_set(&s, "switch.marking=red(min=5KB, p=10%)", &e), 0);
	CHECK_INT(scenario_set(&s, "traffic.a.senders=4", &e), 0);
	CHECK_INT(scenario_set(&s, "seed=9", &e), 0);
	CHECK_INT(scenario_config(&s, &c, &e), 0);
	CHECK_INT(c.host.mss_bytes, 2048);
	CHECK_STR(c.mark->scheme.name, "red");
	CHECK_INT(*traffic_number(&c.traffic[0], "senders"), 4);
	CHECK_INT(c.seed, 9);
	config_free(&c);
	/* The scenario is still there: another value, another config. */
	CHECK_INT(scenario_set(&s, "traffic.a.senders=5", &e), 0);
	CHECK_INT(scenario_config(&s, &c, &e), 0);
	CHECK_INT(*traffic_number(&c.traffic[0], "senders"), 5);
	config_free(&c);
	scenario_free(&s);
}

TEST(test_scenario_set_of_a_repeated_key_replaces_the_lines_of_the_file)
{
	struct scenario s;
	struct config c;
	struct weir_error e;

	CHECK_INT(read_text(&s, NETWORK "fail = sw h1 1ms\nfail = sw h2 1ms\n" TRAFFIC, &e), 0);
	CHECK_INT(scenario_set(&s, "network.fail=sw h3 1ms", &e), 0);
	CHECK_INT(scenario_set(&s, "network.fail= sw h4 1ms ;sw h5 1ms", &e), 0);
	CHECK_INT(scenario_config(&s, &c, &e), 0);
	CHECK_INT(c.network.fails.count, 3);
	CHECK_STR(c.network.fails.lines[0].text, "sw h3 1ms");
	CHECK_STR(c.network.fails.lines[1].text, "sw h4 1ms");
	CHECK_STR(c.network.fails.lines[2].text, "sw h5 1ms");
	CHECK_INT(c.traffic_count, 1);
	config_free(&c);
	scenario_free(&s);
}

TEST(test_scenario_line_may_be_longer_than_a_screen)
{
	static const char list[] = "1us, " HUNDRED ", " HUNDRED ", " HUNDRED ", 2us";
	struct scenario s;
	struct weir_error e;
	char text[1024];

	snprintf(text, sizeof(text), BASE "[sweep]\nhost.rto-min = %s # all of it\n", list);
	CHECK_INT(read_text(&s, text, &e), 0);
	CHECK_STR(scenario_find(&s, "sweep.host.rto-min")->value, list);
	scenario_free(&s);
}

/* --- contracts between tables --- */

TEST(test_scenario_no_key_is_declared_twice_in_a_section)
{
	for (const struct section *s = section_all; s->name; s++) {
		struct kind k;

		for (const struct weir_option *o = s->options; o->name; o++) {
			CHECK(o->help && *o->help);
			CHECK(weir_option_find(s->options, o->name) == o);
			CHECK(!strchr(o->name, '.') || section_spec(s, o->name));
		}
		for (size_t i = 0; s->kind && s->kind(i, &k); i++)
			for (const struct weir_option *o = k.options; o && o->name; o++) {
				CHECK(o->help && *o->help);
				CHECK(!weir_option_find(s->options, o->name));
			}
	}
}

/* Which kind it is may be said further below, so a key that may be repeated with one kind may not
 * be an ordinary key of another; and a section has room for the lines of one such key. */
TEST(test_scenario_a_key_repeats_with_every_kind_that_has_it_and_each_has_one_at_most)
{
	int found = 0;

	for (const struct section *s = section_all; s->name; s++) {
		struct kind k;

		for (size_t i = 0; s->kind && s->kind(i, &k); i++) {
			int lines = 0;

			for (const struct weir_option *o = k.options; o && o->name; o++) {
				CHECK_INT(section_repeats(s, o->name), o->type == WEIR_OPT_LINES);
				lines += o->type == WEIR_OPT_LINES;
			}
			CHECK(lines <= 1);
			CHECK(lines == 0 || s->kind_lines != 0);
			found += lines;
		}
	}
	CHECK(found >= 2); /* link and flow */
	CHECK(section_repeats(section_find("network"), "fail"));
	CHECK(!section_repeats(section_find("network"), "rate"));
}

/* --- renamed settings --- */

static void check_same_run(const char *text, const char *assignment, const char *note)
{
	static const char current[] = BASE "[host]\nnic = fifo(limit=9pkts)\npackets-per-ack = 2\n"
					   "[switch]\nxon-offset = 5KB\n[rdma]\nbase-rtt = pair\n";
	char key[2][RUN_KEY_SIZE];
	struct weir_error e = { "" };

	for (int i = 0; i < 2; i++) {
		struct scenario s;
		struct config c;

		CHECK_INT(read_text(&s, i ? text : current, &e), 0);
		if (i && assignment)
			CHECK_INT(scenario_set(&s, assignment, &e), 0);
		CHECK_STR(s.renamed, i ? note : "");
		CHECK_INT(scenario_config(&s, &c, &e), 0);
		CHECK_INT(run_key(&c, key[i], &e), 0);
		config_free(&c);
		scenario_free(&s);
	}
	CHECK_STR(key[0], key[1]);
}

TEST(test_former_names_of_settings_are_the_same_run_with_a_note)
{
	check_same_run(BASE "[host]\ncard = fifo\nacks-per = 2\n[switch]\npfc-margin = 5KB\n"
			    "[rdma]\nwindow-of = pair\n[full]\nhost.card = fq\n",
		       "host.card.limit=9pkts",
		       "f.ini:7: host.card is called host.nic now; its former name will go with "
		       "the next release");
	check_same_run(BASE "[host]\nnic = fifo(limit=9pkts)\npackets-per-ack = 2\n"
			    "[switch]\nxon-offset = 9KB\n[rdma]\nbase-rtt = pair\n",
		       "switch.pfc-margin=5KB",
		       "--set: switch.pfc-margin is called switch.xon-offset now; its former name "
		       "will go with the next release");
}

TEST(test_former_and_current_name_of_a_setting_are_one_setting)
{
	struct scenario s;
	struct weir_error e;

	CHECK_INT(read_text(&s, BASE "[host]\nnic = fair\ncard = fifo\n", &e), -1);
	CHECK_STR(e.text, "f.ini:8: host.nic: given twice, first in line 7");
}

TEST(test_paths_of_renamed_settings_translate_both_ways)
{
	static const char *const pairs[][2] = {
		{ "host.card", "host.nic" },
		{ "host.card.marking.k", "host.nic.marking.k" },
		{ "sweep.host.card", "sweep.host.nic" },
		{ "digest.host.card.marking", "digest.host.nic.marking" },
		{ "traffic.web.connections-each", "traffic.web.connections-per-pair" },
		{ "network.card-rate", "network.nic-rate" },
		{ "traffic.card.size", "traffic.card.size" },
		{ "switch.card", "switch.card" },
		{ "host.cards", "host.cards" },
		{ "card", "card" },
	};
	char buffer[SETTING_PATH_SIZE];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		CHECK_STR(setting_current_path(pairs[i][0], buffer), pairs[i][1]);
		CHECK_STR(setting_former_path(pairs[i][1], buffer), pairs[i][0]);
	}
}
