/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport_rack.c -- losses found by time, and tail loss probes (RFC 8985), by hand. The
 * stage is that of test_transport.c: a line ten times as fast as the one behind it, and a buffer
 * that drops exactly those that the test wants to see dropped. */
#include "sim/core/host.h"
#include "tests/sim.h"

#define US_PS INT64_C(1000000)
#define MS_PS INT64_C(1000000000)

#define FAST_PS (INT64_C(1514) * 80)
#define SLOW_PS (INT64_C(1514) * 800)
#define ACK_PS (INT64_C(54) * 880) /* both lines on its way back */
#define WAY_PS (20 * US_PS)

/* From sending a full frame into an empty network to its arrival, and to its ACK. */
#define ARRIVAL_PS (FAST_PS + SLOW_PS + WAY_PS)
#define ROUND_PS (ARRIVAL_PS + ACK_PS + WAY_PS)

/* --- the rules, by hand --- */

/* A sender whose packets leave, and are acknowledged, when the test says. */
struct hand {
	struct transport t;
	struct engine e;
	struct worker w;
	struct host h;
	struct sender s;
};

static void hand_open(struct hand *d)
{
	memset(d, 0, sizeof(*d));
	d->t.rack = 1;
	d->e.transports = &d->t;
	d->w.engine = &d->e;
	d->h.timer_ps = WEIR_TIME_NEVER_PS;
	d->s.state = SENDER_OPEN;
	d->s.srtt_ns = 100000 << 3;
	connection_rings_init(&d->w);
	scoreboard_open_rack(&d->w, &d->s);
}

static void hand_close(struct hand *d)
{
	scoreboard_free(&d->w, &d->s);
	connection_rings_free(&d->w);
	heap_free(&d->h.timers);
}

/* The next segment leaves. */
static void send_at(struct hand *d, int64_t time_us)
{
	scoreboard_extend(&d->w, &d->s);
	d->s.next++;
	rack_sent(&d->e, &d->h, &d->s, d->s.next - 1, time_us * US_PS);
}

static void resend_at(struct hand *d, int64_t time_us)
{
	rack_sent(&d->e, &d->h, &d->s, scoreboard_retransmit(&d->s), time_us * US_PS);
}

/* An ACK of all below number, and of one block beyond it, for a packet that left then. Returns how
 * many are newly lost. */
static uint32_t ack_at(struct hand *d, int64_t time_us, uint32_t number, struct sack_block block,
		       int64_t sent_us)
{
	struct segment ack = { .number = number, .sent_ps = sent_us * US_PS, .sack = { block } };

	d->h.now_ps = time_us * US_PS;
	if (segment_before(d->s.una, number))
		scoreboard_ack(&d->s, number);
	if (block.count)
		scoreboard_sack(&d->w, &d->s, &ack);
	rack_on_ack(&d->h, &d->s, &ack);
	return rack_detect(&d->h, &d->s);
}

static const struct sack_block nothing = { 0, 0 };

/* Segments 0 to 5 leave at 0 to 5 us; a round trip takes 100 us. Of the first nothing is heard. One
 * above it arrives: it may have been overtaken, for a quarter of a round trip. Three do, and none
 * was overtaken so far: it is lost (section 6.2, step 4). Segments that left after those are
 * not. */
TEST(test_rack_takes_a_segment_for_lost_after_a_quarter_round_trip_or_three_above)
{
	struct hand d;

	hand_open(&d);
	for (int64_t i = 0; i < 6; i++)
		send_at(&d, i);
	CHECK_INT(ack_at(&d, 101, 0, (struct sack_block){ 1, 1 }, 1), 0);
	CHECK_INT(d.s.board->rack->reorder_ps, 125 * US_PS);
	CHECK_INT(d.h.timer_ps, 125 * US_PS);
	CHECK_INT(ack_at(&d, 102, 0, (struct sack_block){ 1, 2 }, 2), 0);
	CHECK_INT(ack_at(&d, 103, 0, (struct sack_block){ 1, 3 }, 3), 1);
	CHECK_INT(d.s.lost, 1);
	CHECK_INT(scoreboard_first_lost(&d.s), 0);
	CHECK_INT(d.s.board->rack->reorder_ps, WEIR_TIME_NEVER_PS);
	hand_close(&d);
}

/* The same up to 102 us; then nothing more is heard, until the timer comes. */
TEST(test_rack_asks_again_when_the_reordering_window_has_passed)
{
	struct hand d;

	hand_open(&d);
	for (int64_t i = 0; i < 6; i++)
		send_at(&d, i);
	CHECK_INT(ack_at(&d, 102, 0, (struct sack_block){ 2, 1 }, 2), 0);
	/* The second left at 1 us: both are waited for until 1 + 100 + 25. */
	CHECK_INT(d.s.board->rack->reorder_ps, 126 * US_PS);
	d.h.now_ps = 126 * US_PS;
	CHECK_INT(rack_reorder_is_due(&d.h, &d.s), 1);
	CHECK_INT(rack_detect(&d.h, &d.s), 2);
	CHECK_INT(rack_reorder_is_due(&d.h, &d.s), 0);
	hand_close(&d);
}

/* The first arrives after all, 17 us later than the one that left after it. From now on three above
 * prove nothing, and a segment may be twice as late. */
TEST(test_rack_waits_twice_as_long_as_the_latest_packet_was_late)
{
	struct hand d;

	hand_open(&d);
	for (int64_t i = 0; i < 10; i++)
		send_at(&d, i);
	CHECK_INT(ack_at(&d, 101, 0, (struct sack_block){ 1, 1 }, 1), 0);
	CHECK_INT(ack_at(&d, 117, 2, nothing, 0), 0);
	CHECK_INT(d.s.board->rack->late_ps, 17 * US_PS);
	/* 4, 5 and 6 arrive; 2 and 3 left at 2 and 3 us. 34 us are more than a quarter of a round
	 * trip. */
	CHECK_INT(ack_at(&d, 118, 2, (struct sack_block){ 2, 3 }, 6), 0);
	CHECK_INT(d.s.board->rack->reorder_ps, (3 + 112 + 34) * US_PS);
	CHECK_INT(ack_at(&d, 139, 2, (struct sack_block){ 2, 3 }, 6), 0);
	/* After sixteen recoveries that is forgotten, but not that packets may overtake others. */
	for (int i = 0; i < 15; i++)
		rack_recovered(&d.s);
	CHECK_INT(d.s.board->rack->late_ps, 17 * US_PS);
	rack_recovered(&d.s);
	CHECK_INT(d.s.board->rack->late_ps, 0);
	CHECK_INT(ack_at(&d, 139, 2, (struct sack_block){ 2, 3 }, 6), 1); /* 2 + 112 + 25 */
	CHECK_INT(ack_at(&d, 140, 2, (struct sack_block){ 2, 3 }, 6), 1);
	hand_close(&d);
}

/* Packets are expected to overtake each other by up to 60 us, where a quarter of a round trip
 * is 25. Segments 0 and 2 are not heard of. Neither three above them nor 25 us prove a loss; the
 * heap asks when the older one is due, and then when the next one is. The repair of 0, which leaves
 * last, has a window of its own. */
TEST(test_rack_waits_for_the_reordering_that_is_expected)
{
	struct hand d;

	hand_open(&d);
	rack_expect_reordering(&d.s, 60 * US_PS);
	for (int64_t i = 0; i < 6; i++)
		send_at(&d, i);
	CHECK_INT(ack_at(&d, 101, 0, (struct sack_block){ 1, 1 }, 1), 0);
	CHECK_INT(ack_at(&d, 103, 0, (struct sack_block){ 3, 1 }, 3), 0);
	CHECK_INT(ack_at(&d, 104, 0, (struct sack_block){ 3, 2 }, 4), 0);
	CHECK_INT(ack_at(&d, 159, 0, (struct sack_block){ 3, 2 }, 4), 0);
	CHECK_INT(d.s.board->rack->reorder_ps, 160 * US_PS);
	d.h.now_ps = 160 * US_PS;
	CHECK_INT(rack_reorder_is_due(&d.h, &d.s), 1);
	CHECK_INT(rack_detect(&d.h, &d.s), 1);
	CHECK_INT(scoreboard_first_lost(&d.s), 0);
	CHECK_INT(d.s.board->rack->reorder_ps, 162 * US_PS);
	resend_at(&d, 161);
	CHECK_INT(ack_at(&d, 162, 0, (struct sack_block){ 3, 2 }, 4), 1);
	CHECK_INT(scoreboard_first_lost(&d.s), 2);
	resend_at(&d, 163);
	/* 5 left after all that has arrived, so that nothing tells of its loss. */
	CHECK_INT(d.s.board->rack->reorder_ps, WEIR_TIME_NEVER_PS);
	/* The repair of 2 arrives, that of 0 and segment 5 do not: 5 is long due, 0 when its own
	 * time is over. */
	CHECK_INT(ack_at(&d, 263, 0, (struct sack_block){ 1, 4 }, 163), 1);
	CHECK_INT(scoreboard_first_lost(&d.s), 5);
	CHECK_INT(d.s.board->rack->reorder_ps, (161 + 100 + 60) * US_PS);
	CHECK_INT(ack_at(&d, 320, 0, (struct sack_block){ 1, 4 }, 163), 0);
	CHECK_INT(ack_at(&d, 321, 0, (struct sack_block){ 1, 4 }, 163), 1);
	CHECK_INT(scoreboard_first_lost(&d.s), 0);
	hand_close(&d);
}

/* Segment 0 is lost, sent again at 110 us, and lost again; what left after that arrives a round
 * trip later. The three above it that came before tell nothing of the repair. */
TEST(test_rack_finds_a_lost_repair)
{
	struct hand d;

	hand_open(&d);
	for (int64_t i = 0; i < 4; i++)
		send_at(&d, i);
	CHECK_INT(ack_at(&d, 103, 0, (struct sack_block){ 1, 3 }, 3), 1);
	d.s.state = SENDER_RECOVERY;
	resend_at(&d, 110);
	send_at(&d, 111);
	CHECK_INT(d.s.lost, 0);
	CHECK_INT(ack_at(&d, 150, 0, (struct sack_block){ 1, 3 }, 3), 0);
	CHECK_INT(ack_at(&d, 211, 0, (struct sack_block){ 1, 4 }, 111), 1);
	CHECK_INT(scoreboard_first_lost(&d.s), 0);
	hand_close(&d);
}

/* When the heap is asked for a probe after so many segments that left 1 us after each other. */
static int64_t probe_planned_us(uint32_t segments, uint32_t acks_per)
{
	struct config c = { .host = { .ack_delay_ps = 500 * US_PS, .rto_max_ps = WEIR_PS_PER_S } };
	struct hand d;
	int64_t planned_ps;

	hand_open(&d);
	d.e.config = &c;
	d.t.tail_probe = 1;
	d.t.acks_per = acks_per;
	d.t.rto_min_ns = 5 * WEIR_NS_PER_MS;
	for (uint32_t i = 0; i < segments; i++)
		send_at(&d, i);
	planned_ps = d.h.timer_ps;
	/* The first of them may have been planned for less: the heap asks, and is told the time. */
	d.h.now_ps = planned_ps;
	CHECK_INT(rack_probe(&d.e, &d.h, &d.s), segments == 1);
	if (segments > 1)
		planned_ps = d.s.board->rack->probe_timer_ps;
	hand_close(&d);
	return planned_ps / US_PS;
}

/* Section 7.2: two round trips of 100 us after the last that was sent, and where there is only one
 * its ACK may be held back for 500 us. */
TEST(test_a_probe_is_due_after_two_round_trips_and_the_delay_of_a_lone_ack)
{
	CHECK_INT(probe_planned_us(1, 1), 200);
	CHECK_INT(probe_planned_us(1, 2), 700);
	CHECK_INT(probe_planned_us(3, 1), 202);
	CHECK_INT(probe_planned_us(3, 2), 202);
}

/* --- whole connections --- */

static void play(struct sim *s, int buffer, int window, const char *host, int segments)
{
	sim_read(s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\n"
		 "link = s h1 10Gbps 10us\n"
		 "[switch]\nmarking = none\nbuffer = %dpkts\n"
		 "[host]\ncc = reno\ninitial-window = %d\n%s\n"
		 "[traffic x]\npattern = list\nflow = 0 1 %dB 0us\n"
		 "[measure]\ndrain = 100s\n",
		 buffer, window, host, segments * 1460);
	sim_run(s, 1);
}

/* The tenth of twelve is lost. Its time is over a quarter of a round trip after the eleventh, which
 * left one fast frame later, could have told of it. Where three above are asked for, the timer of 5
 * ms decides. */
TEST(test_rack_repairs_a_loss_with_fewer_than_three_above)
{
	int64_t eleventh_acked_ps = ROUND_PS + 9 * SLOW_PS;
	struct sim s;

	play(&s, 8, 11, "loss-detection = rack", 12);
	CHECK_INT(sim_metric(&s, "drops"), 1);
	CHECK_INT(sim_metric(&s, "retransmits"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_fct_ps(&s, 0), eleventh_acked_ps - FAST_PS + ROUND_PS / 4 + ARRIVAL_PS);
	sim_end(&s);
}

/* Of ten, the last four are lost. Two round trips after the ACK of the sixth the tenth is sent
 * again; with its answer the other three are known to be lost. Without a probe it takes 5 ms. */
TEST(test_a_probe_repairs_a_lost_tail_after_two_round_trips)
{
	int64_t sixth_acked_ps = ROUND_PS + 5 * SLOW_PS, srtt_ps = ROUND_PS / 1000 * 1000;
	struct sim s;

	play(&s, 5, 10, "tail-probe = yes", 10);
	CHECK_INT(sim_metric(&s, "drops"), 4);
	CHECK_INT(sim_metric(&s, "retransmits"), 4);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_fct_ps(&s, 0),
		  sixth_acked_ps + 2 * srtt_ps + ROUND_PS + ARRIVAL_PS + 2 * SLOW_PS);
	sim_end(&s);
	play(&s, 5, 10, "loss-detection = rack", 10);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	sim_end(&s);
}

/* Seven arrive of eight, and the probe repairs the one: nothing else tells of the loss. That the
 * window is cut for it all the same (section 7.4) shows in the second message. */
TEST(test_a_loss_that_a_probe_repairs_cuts_the_window)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\n"
		 "link = s h1 10Gbps 10us\n"
		 "[switch]\nmarking = none\nbuffer = 6pkts\n"
		 "[host]\ncc = reno\ninitial-window = 8\ntail-probe = yes\n"
		 "[traffic x]\npattern = list\nconnections = persistent\n"
		 "flow = 0 1 %dB 0us\nflow = 0 1 %dB 1ms\n",
		 8 * 1460, 8 * 1460);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "drops"), 1);
	CHECK_INT(sim_metric(&s, "retransmits"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	/* The window grew to 11 while at least half of it was in use. Five leave at once, and the
	 * other three with the first ACKs; all eight at once would have lost the last again. */
	CHECK_INT(sim_fct_ps(&s, 1), ROUND_PS + 2 * SLOW_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* Two segments arrive, and their ACKs at 42.5 and 43.7 us let out four more, the last at 46.1 us,
 * on a line that has failed. The probe leaves two round trips later, at 131 us, and its timeout is
 * 5 ms after that; without one it is 5 ms after the last ACK. */
static int timeouts_until(const char *host, int to_us)
{
	struct sim s;
	int timeouts;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 10us\n"
		 "fail = sw h1 43us\n"
		 "[host]\ncc = reno\ninitial-window = 2\nrto-min = 5ms\n%s\n"
		 "[traffic x]\npattern = list\nflow = 0 1 %dB 0us\n"
		 "[measure]\nto = %dus\ndrain = 0us\n",
		 host, 6 * 1460, to_us);
	sim_run(&s, 1);
	timeouts = (int)sim_metric(&s, "timeouts");
	sim_end(&s);
	return timeouts;
}

TEST(test_a_probe_puts_the_timeout_off)
{
	CHECK_INT(timeouts_until("", 5043), 0);
	CHECK_INT(timeouts_until("", 5044), 1);
	CHECK_INT(timeouts_until("tail-probe = yes", 5131), 0);
	CHECK_INT(timeouts_until("tail-probe = yes", 5132), 1);
}

/* --- packets that take several ways --- */

static double sprayed(const char *host, double *goodput_bps)
{
	struct sim s;
	double retransmits;

	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 4\nspines = 8\nhosts-per-leaf = 8\n"
		 "rate = 100Gbps\ndelay = 1us\necmp = packet\n"
		 "[switch]\nmarking = ecn(k=70pkts)\n"
		 "[host]\n%s\n"
		 "[traffic x]\npattern = permutation\nsize = unlimited\n"
		 "[measure]\nto = 3ms\n",
		 host);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	retransmits = sim_metric(&s, "retransmits");
	*goodput_bps = sim_metric(&s, "goodput_bps");
	printf("%s: %g retransmits, %g Gb/s\n", host, retransmits, *goodput_bps * 1e-9);
	sim_end(&s);
	return retransmits;
}

/* Nothing is lost, but packets overtake each other all the time. */
TEST(test_sprayed_packets_are_not_taken_for_lost)
{
	double by_time_bps, by_count_bps;

	CHECK(sprayed("loss-detection = dupack", &by_count_bps) > 100);
	CHECK_INT(sprayed("loss-detection = auto", &by_time_bps), 0);
	CHECK(by_time_bps > 1.2 * by_count_bps);
}

/* Where packets of a flow take one way both find the same losses, and nothing else. */
TEST(test_rack_finds_no_loss_where_there_is_none)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 5us\n"
		     "[switch]\nmarking = none\nbuffer = 60pkts\n"
		     "[host]\ncc = reno\nloss-detection = rack\n"
		     "[traffic x]\npattern = many-to-one\nsize = 5MB\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK_INT(sim_metric(&s, "retransmits"), sim_metric(&s, "drops"));
	CHECK_INT(sim_metric(&s, "flows_completed"), 8);
	sim_end(&s);
}
