/* SPDX-License-Identifier: BSD-3-Clause */
/* test_markings.c -- marking by class, rate and tier (switch.marking.PART), and options of a scheme
 * by keys of their own (switch.marking.min).
 *
 * Two or three senders into one port of 10 Gb/s: the queue stands at the threshold that is in force
 * there, so its largest length tells which one was. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sweep.h"
#include "tests/sim.h"
#include <stdlib.h>

#define SWITCH_PORT "[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 1us\n"
#define TWO_CLASSES \
	"[switch]\nqueues = 2\nscheduler = dwrr\nbuffer = 10MB\n" \
	"marking = ecn(k=20KB)\n"
#define STORAGE \
	"[traffic storage]\npattern = many-to-one\nreceiver = 0\nsize = 2MB\nclass = 0\n" \
	"[traffic web]\npattern = many-to-one\nreceiver = 0\nsize = 2MB\nclass = 1\n"

static const struct reason_count *reason(const struct sim *s, const char *name)
{
	for (uint32_t i = 0; i < s->r.reason_count; i++)
		if (strcmp(s->r.reasons[i].name, name) == 0)
			return &s->r.reasons[i];
	test_fail(__FILE__, __LINE__, "there is no reason %s", name);
}

/* --- whose marking it is --- */

/* Class 0 is marked by sojourn time, class 1 by length: each has its share of the marks, by its own
 * reason. */
TEST(test_each_class_is_marked_by_its_own_scheme)
{
	struct sim s;

	sim_read(&s, SWITCH_PORT TWO_CLASSES "marking.storage = tcn(threshold=20us)\n" STORAGE);
	sim_run(&s, 1);
	CHECK(reason(&s, "sojourn")->count > 100);
	CHECK(reason(&s, "length")->count > 100);
	sim_end(&s);
}

/* CUBIC without ECN beside DCTCP in one queue, 20 MB each. By one line CUBIC loses a packet
 * wherever DCTCP would be marked, and is done last; by a line of its own that begins where all of
 * DCTCP is marked it is done first. */
TEST(test_red_drops_senders_without_ecn_by_their_own_line)
{
	static const struct {
		const char *more, *reason;
		uint32_t first;
	} cases[] = {
		{ "", "marked but not ECN-capable", 0 },
		{ ", drop-min=90KB, drop-max=300KB, drop-p=1%", "dropped by the marking scheme",
		  1 },
	};

	for (size_t i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 10us\n"
			 "[switch]\nmarking = red(min=30KB, max=90KB, p=10%%%s)\nbuffer = 1MB\n"
			 "[traffic marked]\npattern = list\nflow = h1 h0 20MB 0us\n"
			 "[traffic dropped]\npattern = list\ncc = cubic\nflow = h2 h0 20MB 0us\n",
			 cases[i].more);
		sim_run(&s, 1);
		CHECK(sim_metric(&s, "marks") > 100);
		CHECK_INT(reason(&s, cases[i].reason)->count, (int64_t)sim_metric(&s, "drops"));
		CHECK(s.r.flows[cases[i].first].finish_ps < s.r.flows[!cases[i].first].finish_ps);
		sim_end(&s);
	}
}

/* The queue never holds 9 MB, so class 1 is not marked, whatever the order in which schemes
 * stand. */
TEST(test_a_class_is_not_marked_below_its_own_threshold)
{
	static const char *const parts[] = {
		"marking.storage = tcn(threshold=20us)\nmarking.web = ecn(k=9MB)\n",
		"marking.storage = ecn(k=9MB)\nmarking.web = tcn(threshold=20us)\n",
		"marking.storage = red(min=5KB, max=20KB, p=10%)\nmarking.web = ecn(k=9MB)\n",
	};

	for (size_t i = 0; i < 3; i++) {
		struct sim s;

		sim_read(&s, SWITCH_PORT TWO_CLASSES "%s" STORAGE, parts[i]);
		sim_run(&s, 1);
		CHECK_INT(reason(&s, "length")->count, 0);
		CHECK(sim_metric(&s, "marks") > 0);
		sim_end(&s);
	}
}

/* none marks nothing: all marks are those of class 1. */
TEST(test_a_class_that_is_never_marked_leaves_the_marks_to_the_others)
{
	struct sim both, one;

	sim_read(&both, SWITCH_PORT TWO_CLASSES STORAGE);
	sim_run(&both, 1);
	sim_read(&one, SWITCH_PORT TWO_CLASSES "marking.0 = none\n" STORAGE);
	sim_run(&one, 1);
	CHECK(reason(&one, "length")->count > 0);
	CHECK(reason(&one, "length")->count < reason(&both, "length")->count);
	CHECK(sim_metric(&one, "queue_max_pkts") > 2 * sim_metric(&both, "queue_max_pkts"));
	sim_end(&both);
	sim_end(&one);
}

static void check_same(const char *with_parts, const char *without)
{
	struct sim a, b;

	sim_read(&a, "%s", with_parts);
	sim_run(&a, 1);
	sim_read(&b, "%s", without);
	sim_run(&b, 1);
	CHECK_INT(a.r.flow_count, b.r.flow_count);
	for (uint32_t i = 0; i < a.r.flow_count; i++)
		CHECK_INT(a.r.flows[i].finish_ps, b.r.flows[i].finish_ps);
	CHECK(sim_metric(&a, "marks") == sim_metric(&b, "marks"));
	CHECK(sim_metric(&a, "marks") > 0);
	sim_end(&a);
	sim_end(&b);
}

/* What a part says of all ports is what switch.marking would say; red keeps averages and random
 * numbers. */
TEST(test_parts_that_cover_everything_are_the_same_run_as_one_marking)
{
	const char *whole =
		SWITCH_PORT "[switch]\nqueues = 2\nscheduler = dwrr\nbuffer = 10MB\nmarking = "
			    "red(min=10KB, max=50KB, p=10%)\n" STORAGE;

	check_same(SWITCH_PORT TWO_CLASSES "marking.sw = red(min=10KB, max=50KB, p=10%)\n" STORAGE,
		   whole);
	check_same(SWITCH_PORT TWO_CLASSES
		   "marking.10Gbps = red(min=10KB, max=50KB, p=10%)\n" STORAGE,
		   whole);
	check_same(SWITCH_PORT TWO_CLASSES "marking.storage = red(min=10KB, max=50KB, p=10%)\n"
					   "marking.web = red(min=10KB, max=50KB, p=10%)\n" STORAGE,
		   whole);
}

/* Hosts of 10 Gb/s below, two links of 40 Gb/s above. One marking is in force in each of the three
 * kinds of port. */
#define LEAF_SPINE \
	"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 1\nhosts-per-leaf = 6\n" \
	"rate = 10Gbps\nfabric-rate = 40Gbps\ndelay = 1us\n" \
	"[switch]\nbuffer = 10MB\n"
#define ACROSS "[traffic a]\npattern = inter-rack\nsize = 200KB\nload = 0.9\nflows = 200\n"

static int is_marked(const char *marking, const char *port)
{
	struct sim s;
	int marked;

	sim_read(&s, LEAF_SPINE "%s" ACROSS, marking);
	sim_run(&s, 1);
	marked = sim_port(&s, port)->marks > 0;
	sim_end(&s);
	return marked;
}

TEST(test_a_part_holds_for_its_tier_or_its_rate_alone)
{
	/* the leaf's port up has 40 Gb/s, and so has the spine's port down */
	CHECK(is_marked("marking = ecn(k=2pkts)\n", "leaf0->spine0"));
	CHECK(is_marked("marking = ecn(k=2pkts)\n", "spine0->leaf0"));
	CHECK(is_marked("marking = ecn(k=2pkts)\n", "leaf0->h0"));
	CHECK(!is_marked("marking = ecn(k=2pkts)\nmarking.leaf = none\n", "leaf0->spine0"));
	CHECK(!is_marked("marking = ecn(k=2pkts)\nmarking.leaf = none\n", "leaf0->h0"));
	CHECK(is_marked("marking = ecn(k=2pkts)\nmarking.leaf = none\n", "spine0->leaf0"));
	CHECK(!is_marked("marking = ecn(k=2pkts)\nmarking.40Gbps = none\n", "leaf0->spine0"));
	CHECK(!is_marked("marking = ecn(k=2pkts)\nmarking.40Gbps = none\n", "spine0->leaf0"));
	CHECK(is_marked("marking = ecn(k=2pkts)\nmarking.40Gbps = none\n", "leaf0->h0"));
}

TEST(test_the_part_that_says_most_counts_then_class_tier_and_rate)
{
	const char *rules = "marking = none\nmarking.a = ecn(k=2pkts)\nmarking.spine = none\n"
			    "marking.40Gbps = none\n";

	/* a class before a tier and a rate */
	CHECK(is_marked(rules, "spine0->leaf0"));
	CHECK(is_marked(rules, "leaf0->h0"));
	/* two words before one */
	CHECK(!is_marked("marking = none\nmarking.a = ecn(k=2pkts)\nmarking.leaf.10Gbps = none\n",
			 "leaf0->h0"));
	/* a tier before a rate */
	CHECK(is_marked("marking = none\nmarking.40Gbps = none\nmarking.leaf = ecn(k=2pkts)\n",
			"leaf0->spine0"));
}

TEST(test_runs_with_parts_are_the_same_on_any_number_of_threads)
{
	struct sim s;
	int64_t finish_ps[2000];

	sim_read(&s,
		 LEAF_SPINE "queues = 2\nscheduler = dwrr\nmarking = ecn(k=20KB)\nmarking.b = tcn\n"
			    "marking.b.spine = red(min=5KB, max=80KB, p=10%%)\n" ACROSS
			    "[traffic b]\npattern = inter-rack\nsize = 100KB\nload = 0.9\n"
			    "flows = 200\nclass = 1\n");
	sim_run(&s, 1);
	CHECK(s.r.flow_count <= 2000);
	for (uint32_t i = 0; i < s.r.flow_count; i++)
		finish_ps[i] = s.r.flows[i].finish_ps;
	sim_run(&s, 3);
	for (uint32_t i = 0; i < s.r.flow_count; i++)
		CHECK_INT(s.r.flows[i].finish_ps, finish_ps[i]);
	sim_end(&s);
}

/* --- as settings --- */

struct seen {
	const char *path;
	char text[512];
};

static void see(void *context, const char *path, const char *text)
{
	struct seen *seen = context;

	if (strcmp(path, seen->path) == 0)
		snprintf(seen->text, sizeof(seen->text), "%s", text);
}

static void check_setting(const struct sim *s, const char *path, const char *expected)
{
	struct seen seen = { path, "" };
	struct weir_error e;

	CHECK_INT(scenario_settings(&s->c, see, &seen, &e), 0);
	CHECK_STR(seen.text, expected);
}

TEST(test_parts_and_options_are_settings_spelled_out)
{
	struct sim s;

	sim_read(&s, SWITCH_PORT TWO_CLASSES "marking.web.k = 9KB\nmarking.k = 7KB\n"
					     "marking.web = ecn(scope=port)\n" STORAGE
					     "[host]\ncc = dctcp(g=0.5)\ncc.g = 1/16\n");
	check_setting(&s, "switch.marking", "ecn(k=7KB, scope=queue, at=enqueue)");
	check_setting(&s, "switch.marking.web", "ecn(k=9KB, scope=port, at=enqueue)");
	CHECK_STR(s.c.host.cc, "dctcp(g=1/16)");
	sim_end(&s);
}

/* --- lists of options --- */

#define SWEPT SWITCH_PORT STORAGE "[switch]\nqueues = 2\nscheduler = dwrr\n"

static void check_sweep(const char *text, uint64_t runs, const char *const *markings)
{
	char(*keys)[RUN_KEY_SIZE] = calloc(runs, sizeof(*keys));
	struct weir_error e = { "" };
	struct scenario s;
	struct sweep w;

	CHECK_INT(scenario_read_text(&s, "f.ini", text, strlen(text), &e), 0);
	if (sweep_read(&w, &s, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(w.run_count, runs);
	if (sweep_check(&w, &s, keys, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint64_t i = 0; i < runs; i++) {
		struct config c;

		CHECK_INT(sweep_apply(&w, i, &s, &e), 0);
		CHECK_INT(scenario_config(&s, &c, &e), 0);
		CHECK_STR(c.switches.marking, markings[i]);
		config_free(&c);
	}
	sweep_free(&w);
	scenario_free(&s);
	free(keys);
}

TEST(test_a_list_of_an_option_makes_a_grid)
{
	check_sweep(SWEPT "marking = red(p=1%)\n[sweep]\nswitch.marking.min = 10KB, 40KB\n"
			  "switch.marking.max = 50KB, 90KB\n",
		    4,
		    (const char *const[]){
			    "red(p=1%, min=10KB, max=50KB)", "red(p=1%, min=10KB, max=90KB)",
			    "red(p=1%, min=40KB, max=50KB)", "red(p=1%, min=40KB, max=90KB)" });
}

/* Each case has a scheme of its own, and both have the option. */
TEST(test_a_list_of_an_option_goes_with_cases)
{
	check_sweep(SWEPT "[sweep]\nswitch.marking.min = 10KB, 20KB\n[case red]\n"
			  "switch.marking = red\n[case pred]\nswitch.marking = pred\n",
		    4,
		    (const char *const[]){ "red(min=10KB)", "red(min=20KB)", "pred(min=10KB)",
					   "pred(min=20KB)" });
}

/* --- mistakes --- */

static void check_refused(const char *line, const char *message)
{
	static const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct weir_error e = { "" };
	struct run_result r;
	struct scenario s;
	struct config c;
	char text[4096];

	snprintf(text, sizeof(text), SWITCH_PORT TWO_CLASSES "%s\n" STORAGE, line);
	if (scenario_read_text(&s, "f.ini", text, strlen(text), &e) == 0) {
		if (scenario_config(&s, &c, &e) == 0) {
			CHECK(run(&c, &control, &r, &e) != 0);
			scenario_locate(&s, &e);
			config_free(&c);
		}
		scenario_free(&s);
	}
	CHECK_LIKE(e.text, message);
}

TEST(test_a_misspelt_part_or_option_is_refused_with_the_nearest_name)
{
	check_refused(
		"marking.storag = ecn",
		"f.ini:11: switch.marking.storag: unknown part of the switches 'storag'; there "
		"are storage, web, sw, 10Gbps (nearest: storage)");
	check_refused("marking.ws = ecn", "f.ini:11: switch.marking.ws: unknown part ...");
	check_refused("marking.100Gbps = ecn",
		      "f.ini:11: switch.marking.100Gbps: unknown part of the switches '100Gbps'; "
		      "there are storage, web, sw, 10Gbps (nearest: 10Gbps)");
	check_refused("marking.2 = ecn", "f.ini:11: switch.marking.2: class 2, but a port has 2 "
					 "queues; classes count from 0");
	check_refused("marking.web = redd",
		      "f.ini:11: switch.marking.web: unknown marking 'redd'; ... (nearest: red)");
	check_refused(
		"marking.kk = 4KB",
		"f.ini:11: switch.marking.kk: unknown option 'kk' of ecn; it has k, scope, at "
		"(nearest: k)");
	check_refused("marking.k = 4us", "f.ini:11: switch.marking.k: ...");
	check_refused("marking.web.k = 4KB",
		      "f.ini:11: switch.marking.web.k: k is an option of marking.web, which is not "
		      "given; write marking.web = name(option=value, ...)");
	check_refused("queues.k = 4", "f.ini:11: 'queues.k' has a dot; ...");
}

TEST(test_parts_that_contradict_each_other_are_refused)
{
	check_refused("marking.web = ecn\nmarking.1 = red",
		      "f.ini:12: switch.marking.1: means queues that switch.marking.web means too; "
		      "...");
	check_refused("marking.web.0 = ecn",
		      "f.ini:11: switch.marking.web.0: names more than one class");
	check_refused(
		"marking.web = mq-ecn",
		"f.ini:11: switch.marking.web: mq-ecn looks at all queues of a port together, "
		"so classes cannot differ (switch.marking.web)");
	check_refused("marking.web = ecn\ntune = fixed", "f.ini:12: switch.tune: ...");
}
