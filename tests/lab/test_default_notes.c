/* SPDX-License-Identifier: BSD-3-Clause */
/* test_default_notes.c -- defaults that are meant for other links: said where they are in use,
 * silent inside, and silent where the scenario sets the value. */
#include "lab/scenario/sweep.h"
#include "tests/test.h"
#include <stdio.h>
#include <string.h>

#define STAR(rate) "[network]\ntopology = star\nhosts = 4\nrate = " rate "\n"
#define FLOWS "[traffic a]\npattern = many-to-one\nsize = 1MB\n"
#define QUIET_SWITCH "[switch]\nmarking = none\n"
#define QUIET_RDMA "[rdma]\nmin-rate = 1Gbps\n"

/* The notes of a scenario, a line each. */
static const char *notes_of(const char *text, char *buffer, size_t size)
{
	struct default_notes n;
	struct scenario s;
	struct weir_error e;
	struct sweep w;
	size_t used = 0;

	CHECK_INT(scenario_read_text(&s, "a.ini", text, strlen(text), &e), 0);
	CHECK_INT(sweep_read(&w, &s, &e), 0);
	default_notes_read(&n, &s, &w);
	*buffer = '\0';
	for (uint32_t i = 0; i < n.count; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s\n", n.lines[i]);
	default_notes_free(&n);
	sweep_free(&w);
	scenario_free(&s);
	return buffer;
}

TEST(test_default_notes_name_what_is_outside)
{
	char b[4096];

	CHECK_STR(notes_of(STAR("100Gbps") QUIET_SWITCH QUIET_RDMA "[host]\ncc = timely\n" FLOWS, b,
			   sizeof(b)),
		  "host.cc = timely: the defaults of t-low and t-high are for links of 10Gbps "
		  "(TIMELY, SIGCOMM "
		  "2015), this network has 100Gbps; set them (round trips with queues, which are "
		  "shorter "
		  "where links are faster)\n");
	CHECK_STR(notes_of(STAR("1Gbps") QUIET_SWITCH FLOWS, b, sizeof(b)), "");
	notes_of(STAR("1Gbps") FLOWS, b, sizeof(b));
	CHECK_CONTAINS(
		b, "switch.marking = ecn: the default of k is for links of 10Gbps (DCTCP, SIGCOMM "
		   "2010: 65 packets), this network has 1Gbps; set it");
	notes_of(STAR("10Gbps") QUIET_SWITCH "[host]\ncc = hpcc\n" FLOWS, b, sizeof(b));
	CHECK_CONTAINS(b, "rdma: the default of min-rate is for links of 25Gbps and more");
}

TEST(test_default_notes_are_silent_inside)
{
	char b[4096];

	CHECK_STR(notes_of(STAR("10Gbps") FLOWS, b, sizeof(b)), "");
	CHECK_STR(notes_of(STAR("20Gbps") FLOWS, b, sizeof(b)), "");
	CHECK_STR(notes_of(STAR("10Gbps") QUIET_RDMA "[host]\ncc = timely\n" FLOWS, b, sizeof(b)),
		  "");
	CHECK_STR(notes_of(STAR("100Gbps") QUIET_SWITCH "[host]\ncc = dcqcn\n" FLOWS, b, sizeof(b)),
		  "");
}

TEST(test_default_notes_are_silent_where_the_scenario_sets_the_value)
{
	static const char *const silent[] = {
		STAR("100Gbps") "[switch]\nmarking = ecn(k=65pkts)\n" FLOWS,
		STAR("100Gbps") "[switch]\nmarking.k = 200KB\n" FLOWS,
		STAR("100Gbps") "[switch]\nmarking = red(min=100KB, max = 400KB)\n" FLOWS,
		STAR("100Gbps") "[switch]\nmarking = tcn(t-max=20us)\n" FLOWS,
		STAR("100Gbps") QUIET_SWITCH
		"[host]\ncc = timely(t-low=10us, t-high=100us)\n" FLOWS,
		STAR("10Gbps") QUIET_SWITCH QUIET_RDMA "[host]\ncc = hpcc\n" FLOWS,
		STAR("100Gbps") "[sweep]\nswitch.marking.k = 100KB, 200KB\n" FLOWS,
	};
	char b[4096];

	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		CHECK_STR(notes_of(silent[i], b, sizeof(b)), "");
	notes_of(STAR("100Gbps") "[switch]\nmarking = red(min=100KB)\n" FLOWS, b, sizeof(b));
	CHECK_CONTAINS(
		b, "switch.marking = red(min=100KB): the default of max is for links of 40Gbps");
}

TEST(test_default_notes_follow_conditions_sections_and_parts)
{
	char b[4096];

	notes_of(STAR("100Gbps") QUIET_SWITCH "[host]\ncc = dcqcn(preset=paper)\n" FLOWS, b,
		 sizeof(b));
	CHECK_CONTAINS(b, "host.cc = dcqcn(preset=paper): the defaults of alpha-timer, "
			  "decrease-interval, increase-timer and "
			  "byte-counter are for links of 40Gbps");
	notes_of(STAR("100Gbps") QUIET_SWITCH FLOWS "cc = timely\n", b, sizeof(b));
	CHECK_CONTAINS(b, "traffic.a.cc = timely: ");
	notes_of(STAR("100Gbps") "[switch]\nmarking = none\nmarking.100Gbps = ecn\n" FLOWS, b,
		 sizeof(b));
	CHECK_CONTAINS(b, "switch.marking.100Gbps = ecn: the default of k");
	CHECK_STR(notes_of(STAR("100Gbps") "[switch]\nmarking.100Gbps = ecn(k=1MB)\n" FLOWS, b,
			   sizeof(b)),
		  "");
}

TEST(test_default_notes_of_a_sweep_stand_once)
{
	char b[4096];

	notes_of(STAR("100Gbps") "[sweep]\nswitch.marking = ecn, tcn, none\nseed = 1..3\n" FLOWS, b,
		 sizeof(b));
	CHECK_CONTAINS(b, "switch.marking = ecn: ");
	CHECK_CONTAINS(b, "switch.marking = tcn: ");
	CHECK(strchr(strchr(b, '\n') + 1, '\n')[1] == '\0');
}
