/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dscp.c -- code points, the map from them to classes, and what goes by it. Captures:
 * tests/cli/pcap.sh. */
#include "config/config.h"
#include "tests/sim.h"

#define STAR \
	"[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 1us\n" \
	"[switch]\nqueues = 4\nscheduler = dwrr\nbuffer = 1MB\nbuffer-per = switch\n" \
	"lossless = 3\nmarking = red(min=20KB, max=100KB, p=10%%)\n"
#define STORAGE \
	"[traffic storage]\npattern = many-to-one\nsenders = 3\nreceiver = 0\nsize = 500KB\n" \
	"cc = dcqcn\n"
#define WEB "[traffic web]\npattern = many-to-one\nsenders = 3\nreceiver = 1\nsize = 300KB\n"

/* --- code points --- */

/* RFC 2474: csN is 8 N. RFC 2597: af11 is 001010, af43 is 100110. RFC 3246: ef is 101110. */
TEST(test_code_points_have_the_names_of_their_rfcs)
{
	static const struct {
		const char *text;
		int dscp;
	} cases[] = {
		{ "0", 0 },     { "63", 63 },   { "cs0", 0 },   { "cs6", 48 },   { "cs7", 56 },
		{ "af11", 10 }, { "af31", 26 }, { "af43", 38 }, { "ef", 46 },    { "64", -1 },
		{ "cs8", -1 },  { "af14", -1 }, { "af51", -1 }, { "af3", -1 },   { "efx", -1 },
		{ "", -1 },     { "-1", -1 },   { "cs", -1 },   { "af310", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_error e = { "" };
		uint8_t dscp = 0;

		CHECK_INT(dscp_read(cases[i].text, &dscp, &e), cases[i].dscp < 0 ? -1 : 0);
		if (cases[i].dscp >= 0)
			CHECK_INT(dscp, cases[i].dscp);
		else
			CHECK_CONTAINS(e.text, "a DSCP, 0 to 63, or cs0 to cs7, af11 to af43, ef");
	}
}

/* --- the map --- */

static void check_same(struct sim *a, struct sim *b)
{
	sim_run(a, 1);
	sim_run(b, 2);
	CHECK(sim_metric(a, "marks") > 0);
	sim_check_same(&a->r, &b->r);
	sim_end(a);
	sim_end(b);
}

/* The same to the last bit as with the numbers of the classes, also of ACKs and of first bytes. */
TEST(test_a_map_gives_sections_the_classes_of_their_code_points)
{
	struct sim named, mapped;

	sim_read(&named,
		 STAR STORAGE "class = 3\n" WEB "class = 1\nack-class = 2\nfirst-bytes = 20KB\n"
			      "first-class = 0\n");
	sim_read(&mapped, STAR "dscp-map = af31:3 8-15:1 cs6:3 ef:2\n" STORAGE "dscp = 26\n" WEB
			       "dscp = 10\nack-dscp = 46\nfirst-bytes = 20KB\nfirst-dscp = 0\n");
	check_same(&named, &mapped);
}

TEST(test_a_code_point_that_the_map_does_not_name_has_the_default_class)
{
	struct sim s;

	sim_read(&s, STAR "dscp-map = 26:3 default:2\n" STORAGE "dscp = 26\n" WEB "dscp = 27\n");
	CHECK_INT(s.c.traffic[0].class_id, 3);
	CHECK_INT(s.c.traffic[1].class_id, 2);
	CHECK(dscp_is_mapped(&s.c, 26) && !dscp_is_mapped(&s.c, 27));
	sim_end(&s);
	sim_read(&s, STAR "dscp-map = 26:3\n" STORAGE "dscp = 26\n" WEB "dscp = 27\n");
	CHECK_INT(s.c.traffic[1].class_id, 0);
	sim_end(&s);
}

TEST(test_without_a_map_a_code_point_changes_nothing)
{
	struct sim plain, coded;

	sim_read(&plain, STAR STORAGE "class = 3\n" WEB);
	sim_read(&coded, STAR STORAGE "class = 3\ndscp = 26\n" WEB "dscp = 40\nack-dscp = 7\n");
	check_same(&plain, &coded);
}

/* Notifications to h1 pass queue 2 of its port, which nothing else does. */
TEST(test_notifications_have_the_class_of_their_own_code_point)
{
	static const struct {
		const char *rdma;
		int own;
	} cases[] = { { "", 1 }, { "[rdma]\ncnp-dscp = 26\n", 0 } };

	for (size_t i = 0; i < 2; i++) {
		double most = 0;
		struct sim s;

		sim_read(&s,
			 STAR "dscp-map = 26:3 48:2\n" STORAGE "dscp = 26\n%s"
			      "[measure]\nprobe = throughput sw->h1/2 every 100us\n",
			 cases[i].rdma);
		sim_run(&s, 1);
		for (uint64_t k = 0; k < s.r.series[0].count; k++)
			most = s.r.series[0].value[k] > most ? s.r.series[0].value[k] : most;
		CHECK(sim_metric(&s, "marks") > 0);
		CHECK_INT(most > 0, cases[i].own);
		sim_end(&s);
	}
}

/* --- mistakes --- */

static void check_refused(const char *text, const char *message)
{
	struct weir_error e = { "" };
	struct scenario scenario;
	struct config c;

	CHECK_INT(scenario_read_text(&scenario, "test", text, strlen(text), &e), 0);
	CHECK_INT(scenario_config(&scenario, &c, &e), -1);
	CHECK_CONTAINS(e.text, message);
	scenario_free(&scenario);
}

TEST(test_what_a_map_cannot_be_is_refused)
{
	static const struct {
		const char *map, *section, *message;
	} cases[] = {
		{ "26:4", "dscp = 26\n", "class 4, but a port has switch.queues = 4" },
		{ "26", "dscp = 26\n", "'26'; a word is DSCP:CLASS, as in 26:3" },
		{ "26:x", "dscp = 26\n", "'x' is no class; classes are numbers, 0 to " },
		{ "70:1", "dscp = 26\n", "'70'; a DSCP, 0 to 63" },
		{ "31-24:1", "dscp = 26\n", "31-24 goes down" },
		{ "26:1 20-30:2", "dscp = 26\n", "DSCP 26 stands there twice" },
		{ "26:1", "", "traffic.x.dscp: not given, but switch.dscp-map" },
		{ "26:1", "class = 1\n", "traffic.x.dscp: not given" },
		{ "26:1", "dscp = 26\nclass = 2\n", "gives DSCP 26 class 1; leave class out" },
		{ "26:1", "dscp = 26\nclasses = 2\n", "has the class of its DSCP" },
		{ "26:1", "dscp = 26\nack-class = 2\n", "give ack-dscp" },
		{ "26:1", "dscp = 26\nfirst-dscp = 2\n", "first-dscp: goes with first-bytes" },
		{ "26:1", "dscp = 26\nfirst-bytes = 1KB\n", "give a first-dscp of another" },
		{ "26:1", "dscp = 99\n", "traffic.x.dscp: '99'; a DSCP" },
		{ "26:1", "ack-dscp = 2\n", "ack-dscp: goes with dscp" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "[network]\ntopology = star\nhosts = 4\n"
			 "[switch]\nqueues = 4\nscheduler = dwrr\ndscp-map = %s\n"
			 "[traffic x]\npattern = many-to-one\nsize = 1KB\n%s",
			 cases[i].map, cases[i].section);
		check_refused(text, cases[i].message);
	}
	check_refused("[network]\ntopology = star\nhosts = 4\n[rdma]\ncnp-dscp = high\n"
		      "[traffic x]\npattern = many-to-one\nsize = 1KB\n",
		      "rdma.cnp-dscp: 'high'; a DSCP");
}
