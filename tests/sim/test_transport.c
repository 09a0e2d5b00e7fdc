/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport.c -- what a connection does about losses, worked out by hand where that can be
 * done.
 *
 * The usual stage: host 0 has a line ten times as fast as the one from the switch to host 1, so
 * that a burst of ten full frames arrives while one leaves, and a small buffer drops exactly those
 * that the test wants to see dropped. Of frames offered at once the first goes to the wire and as
 * many wait as the buffer holds; every tenth finds that one has left. */
#include "tests/sim.h"

#define US_PS INT64_C(1000000)
#define MS_PS INT64_C(1000000000)

/* On the fast line, at 80 ps a byte, and on the slow one, at 800. */
#define FAST_PS (INT64_C(1514) * 80)
#define SLOW_PS (INT64_C(1514) * 800)
#define ACK_PS (INT64_C(54) * 880) /* both lines on its way back */
#define WAY_PS (20 * US_PS)

/* From sending a full frame into an empty network to its arrival, and to its ACK. */
#define ARRIVAL_PS (FAST_PS + SLOW_PS + WAY_PS)
#define ROUND_PS (ARRIVAL_PS + ACK_PS + WAY_PS)

#define STAGE \
	"[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\nlink = s h1 10Gbps 10us\n" \
	"[switch]\nmarking = none\nbuffer = %dpkts\n" \
	"[host]\ncc = reno\ninitial-window = %d\n%s\n" \
	"[traffic x]\npattern = list\nflow = 0 1 %dB 0us\n" \
	"[measure]\ndrain = 100s\n"

static void play(struct sim *s, int buffer, int window, const char *host, int segments)
{
	sim_read(s, STAGE, buffer, window, host, segments * 1460);
	sim_run(s, 1);
}

/* --- losses --- */

/* Of ten, six get through and the last four are lost. Nothing tells the sender but its timer, 5 ms
 * after the ACK of the sixth. Then slow start: one, two, one. */
TEST(test_a_lost_tail_is_repaired_by_the_timer)
{
	int64_t sixth_acked_ps = ROUND_PS + 5 * SLOW_PS;
	struct sim s;

	play(&s, 5, 10, "", 10);
	CHECK_INT(sim_metric(&s, "drops"), 4);
	CHECK_INT(sim_metric(&s, "retransmits"), 4);
	CHECK_NEAR(sim_metric(&s, "flows_affected"), 1, 0); /* once, whatever it lost */
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	CHECK_INT(sim_fct_ps(&s, 0), sixth_acked_ps + 5 * MS_PS + 2 * ROUND_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* The first message of a connection ends well; the second, which is larger, loses its end. Whether
 * that is a small flow's timeout is a matter of the second's size alone. */
static double small_timeouts(const char *small)
{
	struct sim s;
	double count;

	sim_read(&s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\nlink = s h1 10Gbps "
		 "10us\n"
		 "[switch]\nmarking = none\nbuffer = 5pkts\n"
		 "[host]\ncc = reno\ninitial-window = 10\n"
		 "[traffic x]\npattern = list\nconnections = persistent\n"
		 "flow = 0 1 2920B 0us\nflow = 0 1 14600B 1ms\n"
		 "[measure]\ndrain = 100s\nsmall = %s\n",
		 small);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	count = sim_metric(&s, "timeouts_small");
	sim_end(&s);
	return count;
}

TEST(test_timeouts_of_small_flows_are_counted_by_the_flow_that_waits)
{
	CHECK_INT(small_timeouts("2920B"), 0);
	CHECK_INT(small_timeouts("14599B"), 0);
	CHECK_INT(small_timeouts("14600B"), 1);
}

/* The tenth is lost, the eleventh arrives. The first two ACKs let out the last three; with the
 * second of these the sender knows of three above the lost one. */
TEST(test_a_packet_lost_in_the_middle_is_sent_again_without_a_timeout)
{
	struct sim s;

	play(&s, 8, 11, "recovery = prr", 14);
	CHECK_INT(sim_metric(&s, "drops"), 1);
	CHECK_INT(sim_metric(&s, "retransmits"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_fct_ps(&s, 0), 2 * ROUND_PS + SLOW_PS + ARRIVAL_PS);
	sim_end(&s);
}

TEST(test_a_cut_at_once_also_sends_the_lost_packet_again)
{
	struct sim s;

	play(&s, 8, 11, "recovery = immediate", 14);
	CHECK_INT(sim_metric(&s, "retransmits"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_fct_ps(&s, 0), 2 * ROUND_PS + SLOW_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* With more to send behind the fourteen the window is full of other packets when the loss is known.
 * The repair goes first and at once all the same, however the cut is carried out (RFC 6675, section
 * 5, step 4.3), and waits at the switch behind one frame that left just before it. */
TEST(test_a_repair_does_not_wait_for_the_window)
{
	static const char *const recoveries[] = { "prr", "immediate" };

	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = explicit\n"
			 "link = h0 s 100Gbps 10us\nlink = s h1 10Gbps 10us\n"
			 "[switch]\nmarking = none\nbuffer = 8pkts\n"
			 "[host]\ncc = reno\ninitial-window = 11\nrecovery = %s\n"
			 "[traffic x]\npattern = list\nconnections = persistent\n"
			 "flow = 0 1 %dB 0us\nflow = 0 1 1MB 0us\n",
			 recoveries[i], 14 * 1460);
		sim_run(&s, 1);
		printf("%s\n", recoveries[i]);
		CHECK_INT(sim_fct_ps(&s, 0), 2 * ROUND_PS + 2 * SLOW_PS + ARRIVAL_PS);
		sim_end(&s);
	}
}

/* Only two arrive above the lost one: not enough to be sure, so the timer decides. It runs from
 * the ninth's ACK, the last that moved the cumulative point (RFC 6298, section 5.3; RFC 6675,
 * section 6): selective ones do not hold it off. */
TEST(test_two_packets_above_a_loss_do_not_prove_it)
{
	struct sim s;

	play(&s, 8, 11, "", 12);
	CHECK_INT(sim_metric(&s, "retransmits"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	CHECK_INT(sim_fct_ps(&s, 0), ROUND_PS + 8 * SLOW_PS + 5 * MS_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* The same loss, with much more to send behind the first fourteen; a burst of host 2 fills the
 * buffer when the repair comes, so that it is lost too. Data goes on arriving above the hole for
 * 24 ms and more, but must not hold the timer off: the first message is whole a little after 5
 * ms. */
TEST(test_a_lost_repair_is_found_by_the_timer)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\n"
		 "link = h2 s 100Gbps 10us\n"
		 "link = s h1 10Gbps 10us\n"
		 "[switch]\nmarking = none\nbuffer = 8pkts\n"
		 "[host]\ncc = reno\ninitial-window = 11\nrecovery = prr\n"
		 "[traffic a]\npattern = list\nconnections = persistent\n"
		 "flow = 0 1 %dB 0us\nflow = 0 1 %dB 0us\n"
		 "[traffic b]\npattern = list\nflow = 2 1 29200B %dns\n"
		 "[measure]\ndrain = 100s\n",
		 14 * 1460, 20000 * 1460, (int)((2 * ROUND_PS + SLOW_PS) / WEIR_PS_PER_NS) - 2000);
	sim_run(&s, 1);
	printf("took %g ms\n", (double)sim_fct_ps(&s, 0) / (double)MS_PS);
	CHECK(sim_fct_ps(&s, 0) > 5 * MS_PS);
	CHECK(sim_fct_ps(&s, 0) < 6 * MS_PS);
	sim_end(&s);
}

/* Everything but the first is lost: no sample but one, and the minimum counts. */
TEST(test_the_minimum_timeout_is_kept)
{
	struct sim s;

	play(&s, 1, 4, "rto-min = 30ms\nrto-initial = 50ms", 4);
	CHECK_INT(sim_metric(&s, "drops"), 2);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	CHECK_INT(sim_fct_ps(&s, 0), ROUND_PS + SLOW_PS + 30 * MS_PS + ROUND_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* RFC 6298: after a first sample of R, srtt = R and rttvar = R / 2, so that the timeout is 3 R,
 * above the minimum here. A second sample, of nearly the same, can only make it shorter. */
TEST(test_the_timeout_follows_the_round_trip_where_that_is_longer)
{
	struct sim s;

	play(&s, 1, 4, "rto-min = 50us", 4);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	CHECK(sim_fct_ps(&s, 0) > ROUND_PS + SLOW_PS + 2 * ROUND_PS + ROUND_PS + ARRIVAL_PS);
	CHECK(sim_fct_ps(&s, 0) <=
	      ROUND_PS + SLOW_PS + 3 * (ROUND_PS + SLOW_PS) + ROUND_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* --- timers that run out again and again --- */

/* The line is cut before the flow starts, so that nothing ever arrives. */
static int timeouts_until(const char *host, int to_ms)
{
	struct sim s;
	int timeouts;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 2\nfail = sw h1 1us\n"
		 "[host]\n%s\n"
		 "[traffic x]\npattern = list\nflow = 0 1 100KB 5us\n"
		 "[measure]\nto = %dms\ndrain = 0us\n",
		 host, to_ms);
	sim_run(&s, 1);
	CHECK_INT(s.r.flows[0].finish_ps, -1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 0);
	timeouts = (int)sim_metric(&s, "timeouts");
	sim_end(&s);
	return timeouts;
}

/* 10, 20, 40, 80 ms: at 10, 30, 70, 150 ms and 5 us. */
TEST(test_timeouts_double)
{
	CHECK_INT(timeouts_until("rto-initial = 10ms", 10), 0);
	CHECK_INT(timeouts_until("rto-initial = 10ms", 11), 1);
	CHECK_INT(timeouts_until("rto-initial = 10ms", 30), 1);
	CHECK_INT(timeouts_until("rto-initial = 10ms", 31), 2);
	CHECK_INT(timeouts_until("rto-initial = 10ms", 71), 3);
	CHECK_INT(timeouts_until("rto-initial = 10ms", 150), 3);
	CHECK_INT(timeouts_until("rto-initial = 10ms", 151), 4);
	CHECK_INT(timeouts_until("rto-initial = 10ms\nhandshake = yes", 151), 4);
}

/* 10, 20, 40, 40, 40 ms. */
TEST(test_timeouts_double_up_to_the_maximum)
{
	CHECK_INT(timeouts_until("rto-initial = 10ms\nrto-max = 40ms", 110), 3);
	CHECK_INT(timeouts_until("rto-initial = 10ms\nrto-max = 40ms", 111), 4);
	CHECK_INT(timeouts_until("rto-initial = 10ms\nrto-max = 40ms", 151), 5);
}

/* Eight SYNs at once: one goes, one waits, six are lost; they come again together after 10, 20 and
 * 40 ms, two getting through each time. */
TEST(test_a_lost_syn_is_sent_again)
{
	struct sim s;
	int64_t last_ps = 0;

	sim_read(&s, "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 10us\n"
		     "[switch]\nmarking = none\nbuffer = 1pkts\n"
		     "[host]\ncc = reno\nhandshake = yes\nrto-initial = 10ms\n"
		     "[traffic x]\npattern = many-to-one\nsize = 1000B\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "drops"), 6 + 4 + 2);
	CHECK_INT(sim_metric(&s, "timeouts"), 6 + 4 + 2);
	CHECK_INT(sim_metric(&s, "flows_completed"), 8);
	for (uint32_t i = 0; i < 8; i++)
		last_ps = sim_fct_ps(&s, i) > last_ps ? sim_fct_ps(&s, i) : last_ps;
	/* The second of the last two waits for a header and again for the other's data. */
	CHECK(last_ps > 70 * MS_PS + 60 * US_PS && last_ps < 70 * MS_PS + 65 * US_PS);
	sim_end(&s);
}

/* --- every flow ends --- */

/* Sixty-three hosts send at once into a buffer for a few. */
static void check_incast_ends(const char *cc, const char *buffer, const char *host)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 64\nrate = 10Gbps\ndelay = 5us\n"
		 "[switch]\nmarking = ecn(k=10pkts)\nbuffer = %s\n"
		 "[host]\ncc = %s\nrto-min = 1ms\n%s\n"
		 "[traffic x]\npattern = many-to-one\nsizes = uniform(min=1B, max=100KB)\n"
		 "start = 0us..20us\n"
		 "[measure]\ndrain = 100s\n",
		 buffer, cc, host);
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK(sim_metric(&s, "retransmits") >= sim_metric(&s, "drops") / 2);
	CHECK(sim_metric(&s, "flows_affected") > 0 && sim_metric(&s, "flows_affected") < 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 63);
	sim_end(&s);
}

TEST(test_every_flow_of_an_incast_ends_whatever_is_lost)
{
	check_incast_ends("dctcp", "16pkts", "");
	check_incast_ends("dctcp", "16pkts", "recovery = immediate\npackets-per-ack = 3");
	check_incast_ends("ecn-star", "16pkts", "handshake = yes");
	check_incast_ends("reno", "16pkts", "packets-per-ack = 2");
	check_incast_ends("reno", "1pkts", "");
	check_incast_ends("cubic", "20KB", "initial-window = 100");
	check_incast_ends("dctcp", "16pkts", "ecn-acks = no");
}

/* --- a line that fails --- */

static void run_failure(struct sim *s, const char *network)
{
	sim_read(s,
		 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 4\n"
		 "rate = 10Gbps\ndelay = 2us\n%s\n"
		 "[host]\nrto-min = 1ms\n"
		 "[traffic x]\npattern = inter-rack\nsize = 2MB\nload = 0.3\nflows = 40\n"
		 "[measure]\ndrain = 100s\n",
		 network);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), 40);
}

static uint64_t reason_count(const struct sim *s, const char *name)
{
	for (uint32_t i = 0; i < s->r.reason_count; i++)
		if (strcmp(s->r.reasons[i].name, name) == 0)
			return s->r.reasons[i].count;
	return 0;
}

TEST(test_flows_take_another_way_when_a_line_fails)
{
	struct sim whole, broken;

	run_failure(&whole, "");
	CHECK_INT(reason_count(&whole, "link down"), 0);
	CHECK(sim_port(&whole, "leaf0->spine1")->tx_pkts > 1000);
	run_failure(&broken, "fail = leaf0 spine1 3ms\nreroute-delay = 500us");
	CHECK(reason_count(&broken, "link down") > 0);
	CHECK(sim_port(&broken, "leaf0->spine1")->tx_pkts <
	      sim_port(&whole, "leaf0->spine1")->tx_pkts);
	CHECK(sim_port(&broken, "leaf0->spine0")->tx_pkts >
	      sim_port(&whole, "leaf0->spine0")->tx_pkts);
	sim_end(&whole);
	sim_end(&broken);
}

/* Half of the SYNs go to a spine that is about to be cut off; sent again after 10 ms they must
 * not. */
TEST(test_a_syn_takes_another_way_when_a_line_fails)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 8\n"
		 "fail = leaf0 spine1 1us\nreroute-delay = 100us\n"
		 "[host]\nhandshake = yes\nrto-initial = 10ms\n"
		 "[traffic x]\npattern = inter-rack\nsize = 1KB\nload = 0.9\nflows = 16\n"
		 "[measure]\ndrain = 100s\n");
	sim_run(&s, 1);
	CHECK(reason_count(&s, "link down") > 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), 16);
	CHECK(sim_metric(&s, "sim_seconds") < 0.1);
	sim_end(&s);
}

/* Senders that know at once lose only what is under way at that moment. */
TEST(test_flows_lose_less_when_routes_change_sooner)
{
	struct sim soon, late;

	run_failure(&soon, "fail = leaf0 spine1 3ms");
	run_failure(&late, "fail = leaf0 spine1 3ms\nreroute-delay = 2ms");
	CHECK(reason_count(&soon, "link down") < reason_count(&late, "link down"));
	sim_end(&soon);
	sim_end(&late);
}

TEST(test_sprayed_flows_end_and_use_every_way)
{
	struct sim s;

	run_failure(&s, "ecmp = packet");
	CHECK_NEAR((double)sim_port(&s, "leaf0->spine0")->tx_pkts,
		   (double)sim_port(&s, "leaf0->spine1")->tx_pkts,
		   0.03 * (double)sim_port(&s, "leaf0->spine1")->tx_pkts);
	sim_end(&s);
}

/* One input more than 16 bits can number: the last of the left switch is the link between the
 * two. */
TEST(test_a_switch_may_have_more_than_65536_inputs)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = dumbbell\nleft-hosts = 65536\nright-hosts = 1\n"
		     "rate = 10Gbps\ndelay = 5us\n"
		     "[traffic x]\npattern = list\nflow = 65536 1 50KB 0us\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	sim_end(&s);
}
