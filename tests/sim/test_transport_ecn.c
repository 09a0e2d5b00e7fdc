/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport_ecn.c -- which packets of a connection are ECN-capable, and when a receiver speaks
 * of marks. */
#include "tests/sim.h"

#define MS_PS INT64_C(1000000000)

/* --- SYNs and their answers --- */

/* Eight SYNs reach a port at once that marks whatever finds another packet waiting: one goes to the
 * wire, one waits, six are marked or, where they are not ECN-capable, dropped. */
static void run_syns(struct sim *s, const char *cc)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 10us\n"
		 "[switch]\nmarking = ecn(k=1pkts)\n"
		 "[host]\ncc = %s\nhandshake = yes\nrto-initial = 10ms\n"
		 "[traffic x]\npattern = many-to-one\nsize = 1000B\n",
		 cc);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), 8);
}

/* RFC 8257, section 3.5. */
TEST(test_syns_of_dctcp_are_marked_and_not_dropped)
{
	struct sim s;

	run_syns(&s, "dctcp");
	CHECK_INT(sim_metric(&s, "drops"), 0);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK(sim_metric(&s, "marks") >= 6);
	sim_end(&s);
}

/* RFC 3168, section 6.1.1. They come again after 10, 20 and 40 ms, two getting through each
 * time. */
TEST(test_syns_of_classic_ecn_are_not_ecn_capable)
{
	struct sim s;

	run_syns(&s, "ecn-star");
	CHECK_INT(sim_metric(&s, "drops"), 6 + 4 + 2);
	CHECK_INT(sim_metric(&s, "timeouts"), 6 + 4 + 2);
	sim_end(&s);
}

/* Host 0 opens connections to three hosts, the farthest first, so that their answers meet at its
 * port. The first two of these are one on the wire and one that waits; the third is one to mark. */
static void run_syn_answers(struct sim *s, const char *host)
{
	sim_read(s,
		 "[network]\ntopology = explicit\nlink = h0 s 10Gbps 1us\nlink = h1 s 10Gbps 1us\n"
		 "link = h2 s 10Gbps 2us\nlink = h3 s 10Gbps 3us\n"
		 "[switch]\nmarking = ecn(k=1pkts)\n"
		 "[host]\n%s\nhandshake = yes\nrto-initial = 10ms\n"
		 "[traffic x]\npattern = list\n"
		 "flow = 0 3 1000B 0us\nflow = 0 2 1000B 2us\nflow = 0 1 1000B 4us\n",
		 host);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), 3);
}

TEST(test_answers_to_syns_are_ecn_capable_under_dctcp_only)
{
	struct sim s;

	run_syn_answers(&s, "cc = dctcp");
	CHECK_INT(sim_metric(&s, "drops"), 0);
	sim_end(&s);
	run_syn_answers(&s, "cc = dctcp\necn-acks = no");
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	sim_end(&s);
	run_syn_answers(&s, "cc = ecn-star");
	CHECK_INT(sim_metric(&s, "drops"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	sim_end(&s);
}

/* --- when an ACK goes out --- */

/* Ten packets arrive at a slow port, from a line ten times as fast; those that find three or more
 * are marked: the fifth to the tenth. Every packet crosses two lines. A second flow, much later,
 * sees to it that the ACKs of the first have crossed both before the run ends. */
static int acks_around_a_mark(const char *cc, int acks_per)
{
	struct sim s;
	int acks;

	sim_read(&s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\n"
		 "link = s h1 10Gbps 10us\n"
		 "[switch]\nmarking = ecn(k=3pkts)\n"
		 "[host]\ncc = %s\npackets-per-ack = %d\n"
		 "[traffic x]\npattern = list\nflow = 0 1 14600B 0us\nflow = 0 1 1B 10ms\n",
		 cc, acks_per);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "marks"), 6);
	acks = ((int)sim_metric(&s, "packet_hops") - 2 * 10 - 3) / 2;
	sim_end(&s);
	return acks;
}

/* RFC 8257, section 3.2: the fifth comes with a mark; it is acknowledged at once, after those
 * before it. The last of all is too. */
TEST(test_a_change_of_the_mark_is_answered_at_once_under_dctcp)
{
	CHECK_INT(acks_around_a_mark("dctcp", 100), 3); /* 4, 5, 10 */
	CHECK_INT(acks_around_a_mark("dctcp", 3), 5);   /* 3, 4, 5, 8, 10 */
	CHECK_INT(acks_around_a_mark("dctcp", 2), 6);   /* 2, 4, 5, 7, 9, 10 */
	CHECK_INT(acks_around_a_mark("dctcp", 1), 10);
	CHECK_INT(acks_around_a_mark("ecn-star", 100), 1); /* 10 */
	CHECK_INT(acks_around_a_mark("ecn-star", 2), 5);
}

/* The tenth of eleven is lost, and ten of the many that follow. Whatever arrives above a hole is
 * acknowledged at once, and so is a repair that closes one (RFC 5681, section 4.2): nobody waits
 * for an ACK that is held back for a hundred packets or 3 ms. */
TEST(test_a_segment_that_closes_a_gap_is_acknowledged_at_once)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\n"
		 "link = s h1 10Gbps 10us\n"
		 "[switch]\nmarking = none\nbuffer = 8pkts\n"
		 "[host]\ncc = reno\ninitial-window = 11\npackets-per-ack = 100\nack-delay = 3ms\n"
		 "[traffic x]\npattern = list\nflow = 0 1 %dB 0us\n",
		 34 * 1460);
	sim_run(&s, 1);
	printf("took %g ms\n", (double)sim_fct_ps(&s, 0) / (double)MS_PS);
	CHECK_INT(sim_metric(&s, "drops"), 11);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK(sim_fct_ps(&s, 0) < MS_PS);
	sim_end(&s);
}
