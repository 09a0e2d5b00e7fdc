/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport_window.c -- windows in the long run, delayed ACKs, and messages on one
 * connection.
 *
 * One flow whose window is cut to a share b of itself whenever the queue reaches q packets moves
 * between b W and W = C RTT + q. While the queue is not empty a round trip takes W / C, in which
 * the window grows by a constant, so W squared grows steadily in time and the mean over time is
 *	W (2/3) (1 - b^3) / (1 - b^2),
 * of which C RTT are on the way and the rest waits. */
#include "tests/sim.h"

#define US_PS INT64_C(1000000)
#define FULL_PS INT64_C(1211200) /* 1514 B at 10 Gb/s */
#define HEADER_PS INT64_C(43200) /* 54 B at 10 Gb/s */

/* --- one flow through a slow port --- */

/* Round trip of an empty network in packets of 1.2 us: 100 us of delay, one frame at 100 and one
 * at 10 Gb/s, and the ACK. */
#define PIPE_PKTS ((100 + 0.12 + 1.2 + 0.0475) / 1.2)

static void run_slow_port(struct sim *s, const char *cc, const char *marking, int buffer_pkts)
{
	sim_read(s,
		 "[network]\ntopology = explicit\n"
		 "link = h0 s 100Gbps 25us\nlink = s h1 10Gbps 25us\n"
		 "[switch]\nmarking = %s\nbuffer = %dpkts\n"
		 "[host]\ncc = %s\nmss = 1446B\nrecovery = immediate\n"
		 "[traffic x]\npattern = list\nflow = 0 1 unlimited 0us\n"
		 "[measure]\nfrom = 100ms\nto = 1s\nport = s->h1\n",
		 marking, buffer_pkts, cc);
	sim_run(s, 1);
}

static double mean_queue_pkts(double top_pkts, double left)
{
	double top_window = PIPE_PKTS + top_pkts;

	return top_window * 2 / 3 * (1 - left * left * left) / (1 - left * left) - PIPE_PKTS;
}

/* Marked from 150 packets on; halved twice in a window, the queue would run empty. */
TEST(test_ecn_star_halves_its_window_once_per_window)
{
	double expected = mean_queue_pkts(151, 0.5);
	struct sim s;

	run_slow_port(&s, "ecn-star", "ecn(k=150pkts)", 5000);
	printf("queue %g, theory %g\n", sim_metric(&s, "queue_mean_pkts"), expected);
	CHECK_NEAR(sim_metric(&s, "queue_mean_pkts"), expected, 0.02 * expected);
	CHECK_INT(sim_metric(&s, "queue_empty_fraction"), 0);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	sim_end(&s);
}

TEST(test_reno_that_hears_marks_halves_its_window_once_per_window)
{
	double expected = mean_queue_pkts(151, 0.5);
	struct sim s;

	run_slow_port(&s, "reno(ecn=yes)", "ecn(k=150pkts)", 5000);
	printf("queue %g, theory %g\n", sim_metric(&s, "queue_mean_pkts"), expected);
	CHECK_NEAR(sim_metric(&s, "queue_mean_pkts"), expected, 0.02 * expected);
	CHECK_INT(sim_metric(&s, "queue_empty_fraction"), 0);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	sim_end(&s);
}

/* The same from losses: one in each descent, repaired without a timeout. */
TEST(test_reno_halves_its_window_at_a_loss)
{
	double expected = mean_queue_pkts(150, 0.5);
	struct sim s;

	run_slow_port(&s, "reno", "none", 150);
	printf("queue %g, theory %g\n", sim_metric(&s, "queue_mean_pkts"), expected);
	CHECK_NEAR(sim_metric(&s, "queue_mean_pkts"), expected, 0.02 * expected);
	CHECK_INT(sim_metric(&s, "queue_max_pkts"), 150);
	CHECK(sim_metric(&s, "drops") > 0);
	CHECK_INT(sim_metric(&s, "retransmits"), sim_metric(&s, "drops"));
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_NEAR(sim_metric(&s, "utilisation"), 1, 0.0001);
	CHECK_INT(sim_metric(&s, "marks"), 0);
	sim_end(&s);
}

/* Over so short a way CUBIC grows as Reno would, but keeps 0.7 (RFC 9438, section 4.3). */
TEST(test_cubic_keeps_seven_tenths_of_its_window_at_a_loss)
{
	double expected = mean_queue_pkts(150, 0.7);
	struct sim s;

	run_slow_port(&s, "cubic(c=0.001)", "none", 150);
	printf("queue %g, theory %g\n", sim_metric(&s, "queue_mean_pkts"), expected);
	CHECK_NEAR(sim_metric(&s, "queue_mean_pkts"), expected, 0.02 * expected);
	CHECK(sim_metric(&s, "drops") > 0);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	sim_end(&s);
}

/* Round trips of 100 us and 500 packets of buffer: a window that doubles until packets are lost has
 * a thousand too many under way. */
TEST(test_hystart_loses_little_at_the_end_of_slow_start)
{
	static const char *const specs[] = { "cubic(hystart=no)", "cubic" };
	double drops[2], timeouts[2];

	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = explicit\n"
			 "link = h0 s 100Gbps 25us\nlink = s h1 10Gbps 25us\n"
			 "[switch]\nmarking = none\nbuffer = 500pkts\n"
			 "[host]\ncc = %s\n"
			 "[traffic x]\npattern = list\nflow = 0 1 unlimited 0us\n"
			 "[measure]\nto = 20ms\nport = s->h1\n",
			 specs[i]);
		sim_run(&s, 1);
		drops[i] = sim_metric(&s, "drops");
		timeouts[i] = sim_metric(&s, "timeouts");
		sim_end(&s);
	}
	printf("drops %g and %g, timeouts %g and %g\n", drops[0], drops[1], timeouts[0],
	       timeouts[1]);
	CHECK(drops[0] > 500);
	CHECK(drops[1] < drops[0] / 4);
	CHECK(timeouts[1] <= timeouts[0]);
}

/* A packet that is not ECN-capable is dropped where others are marked, or not, as the switch
 * says. */
TEST(test_reno_is_deaf_to_marks)
{
	struct sim s;

	run_slow_port(&s, "reno", "ecn(k=80pkts)\nnon-ect = pass", 150);
	CHECK_INT(sim_metric(&s, "queue_max_pkts"), 150);
	sim_end(&s);
	run_slow_port(&s, "reno", "ecn(k=80pkts)", 150);
	CHECK_INT(sim_metric(&s, "queue_max_pkts"), 80);
	CHECK(sim_metric(&s, "drops") > 0);
	sim_end(&s);
}

/* Eight flows through a port with RED, from the middle of its line on: what reno loses there, it is
 * told of with ecn, and the buffer never fills. */
static void run_red(struct sim *s, const char *cc)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 20us\n"
		 "[switch]\nmarking = red(min=20pkts, max=200pkts, p=10%%)\nbuffer = 400pkts\n"
		 "[host]\ncc = %s\nrto-min = 1ms\n"
		 "[traffic x]\npattern = many-to-one\nsize = unlimited\n"
		 "[measure]\nfrom = 20ms\nto = 120ms\n",
		 cc);
	sim_run(s, 1);
}

TEST(test_red_marks_and_does_not_drop_what_hears_marks)
{
	static const char *const deaf[] = { "reno", "cubic" };
	static const char *const hears[] = { "reno(ecn=yes)", "cubic(ecn=yes)" };
	struct sim s;

	for (int i = 0; i < 2; i++) {
		run_red(&s, deaf[i]);
		CHECK_INT(sim_metric(&s, "marks"), 0);
		CHECK(sim_metric(&s, "drops") > 100);
		sim_end(&s);
		run_red(&s, hears[i]);
		CHECK(sim_metric(&s, "marks") > 100);
		CHECK_INT(sim_metric(&s, "drops"), 0);
		CHECK_INT(sim_metric(&s, "retransmits"), 0);
		CHECK_INT(sim_metric(&s, "timeouts"), 0);
		CHECK(sim_metric(&s, "queue_max_pkts") < 200);
		CHECK_NEAR(sim_metric(&s, "utilisation"), 1, 0.001);
		sim_end(&s);
	}
}

/* Two flows whose windows never fall below 100 packets keep the queue above the threshold. The SYN
 * of a third, at 5 ms and again at 15 ms, is not ECN-capable (RFC 3168, section 6.1.1). */
TEST(test_a_syn_is_not_ecn_capable_whatever_its_data_will_be)
{
	static const struct {
		const char *non_ect;
		int drops, done;
	} cases[] = { { "drop", 2, 0 }, { "pass", 0, 1 } };

	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 10us\n"
			 "[switch]\nmarking = ecn(k=50pkts)\nbuffer = 5000pkts\nnon-ect = %s\n"
			 "[host]\ncc = reno(ecn=yes, min-window=100pkts)\nhandshake = yes\n"
			 "[traffic x]\npattern = list\nflow = 0 3 unlimited 0us\n"
			 "flow = 1 3 unlimited 0us\nflow = 2 3 1KB 5ms\n"
			 "[measure]\nfrom = 4ms\nto = 20ms\n",
			 cases[i].non_ect);
		sim_run(&s, 1);
		CHECK_INT(sim_metric(&s, "drops"), cases[i].drops);
		CHECK_INT(s.r.flows[2].finish_ps >= 0, cases[i].done);
		CHECK_INT(sim_metric(&s, "retransmits"), 0);
		sim_end(&s);
	}
}

/* --- delayed ACKs --- */

#define PAIR "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 10us\n"

static void run_flow(struct sim *s, const char *host, int segments)
{
	sim_read(s, PAIR "[host]\n%s\n[traffic x]\npattern = list\nflow = 0 1 %dB 0us\n", host,
		 segments * 1460);
	sim_run(s, 1);
}

/* Every packet crosses two lines. A second flow, much later, sees to it that the ACKs of the first
 * have crossed both before the run ends. */
static int acks_of(const char *host, int segments)
{
	struct sim s;
	int hops;

	sim_read(&s,
		 PAIR "[host]\ninitial-window = 100\n%s\n"
		      "[traffic x]\npattern = list\nflow = 0 1 %dB 0us\nflow = 0 1 1B 10ms\n",
		 host, segments * 1460);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 2);
	/* The second flow's packet has crossed both, its ACK is sent. */
	hops = (int)sim_metric(&s, "packet_hops") - 2 * segments - 3;
	CHECK_INT(hops % 2, 0);
	sim_end(&s);
	return hops / 2;
}

/* The last packet of a flow is always acknowledged at once. */
TEST(test_an_ack_answers_as_many_packets_as_asked_for)
{
	CHECK_INT(acks_of("packets-per-ack = 1", 10), 10);
	CHECK_INT(acks_of("packets-per-ack = 2", 10), 5);
	CHECK_INT(acks_of("packets-per-ack = 2", 11), 6);
	CHECK_INT(acks_of("packets-per-ack = 4", 12), 3);
	CHECK_INT(acks_of("packets-per-ack = 200", 10), 1);
}

/* The window is one: the first packet's ACK is held back for the second, which cannot come. */
TEST(test_a_held_ack_leaves_after_the_delay)
{
	int64_t there_ps = 2 * FULL_PS + 20 * US_PS, back_ps = 2 * HEADER_PS + 20 * US_PS;
	struct sim s;

	run_flow(&s, "initial-window = 1\npackets-per-ack = 2\nack-delay = 70us", 2);
	CHECK_INT(sim_fct_ps(&s, 0), there_ps + 70 * US_PS + back_ps + there_ps);
	sim_end(&s);
	run_flow(&s, "initial-window = 1\npackets-per-ack = 1\nack-delay = 70us", 2);
	CHECK_INT(sim_fct_ps(&s, 0), there_ps + back_ps + there_ps);
	sim_end(&s);
}

/* --- messages on one connection --- */

static void run_messages(struct sim *s, const char *connections, const char *flows)
{
	sim_read(s,
		 PAIR "[host]\ninitial-window = 10\n"
		      "[traffic x]\npattern = list\nconnections = %s\n%s",
		 connections, flows);
	sim_run(s, 1);
}

/* Thirty segments need a second round trip at first. Their ACKs open the window to more than
 * twenty, so that twenty then need none; a new connection starts over. */
TEST(test_a_connection_that_stays_open_keeps_its_window)
{
	const char *flows = "flow = 0 1 43800B 0us\nflow = 0 1 29200B 1ms\n";
	int64_t round_ps = 2 * FULL_PS + 2 * HEADER_PS + 40 * US_PS;
	struct sim s;

	run_messages(&s, "persistent", flows);
	CHECK_INT(sim_fct_ps(&s, 0), round_ps + 21 * FULL_PS + 20 * US_PS);
	CHECK_INT(sim_fct_ps(&s, 1), 21 * FULL_PS + 20 * US_PS);
	CHECK_INT(s.r.flows[1].connection, 0);
	sim_end(&s);
	run_messages(&s, "per-flow", flows);
	CHECK_INT(sim_fct_ps(&s, 0), round_ps + 21 * FULL_PS + 20 * US_PS);
	CHECK_INT(sim_fct_ps(&s, 1), round_ps + 11 * FULL_PS + 20 * US_PS);
	CHECK_INT(s.r.flows[1].connection, 1);
	sim_end(&s);
}

/* The same two messages, 1 ms or 10 ms apart; the timeout is 5 ms. After more than that twenty
 * segments take as long as on a new connection. */
TEST(test_a_pause_longer_than_the_timeout_leaves_the_initial_window)
{
	static const struct {
		const char *host;
		int at_ms, restarts;
	} cases[] = {
		{ "cc = dctcp", 10, 0 },
		{ "cc = dctcp\nidle-restart = yes", 1, 0 },
		{ "cc = dctcp\nidle-restart = yes", 5, 0 }, /* the first ends after 0.1 ms */
		{ "cc = dctcp\nidle-restart = yes", 6, 1 },
		{ "cc = dctcp\nidle-restart = yes\nrto-min = 20ms", 10, 0 },
		{ "cc = reno\nidle-restart = yes", 10, 1 },
		{ "cc = cubic\nidle-restart = yes", 10, 1 },
	};
	int64_t round_ps = 2 * FULL_PS + 2 * HEADER_PS + 40 * US_PS;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim s;

		sim_read(&s,
			 PAIR "[host]\n%s\n"
			      "[traffic x]\npattern = list\nconnections = persistent\n"
			      "flow = 0 1 43800B 0us\nflow = 0 1 29200B %dms\n",
			 cases[i].host, cases[i].at_ms);
		sim_run(&s, 1);
		CHECK_INT(sim_fct_ps(&s, 1), cases[i].restarts
						     ? round_ps + 11 * FULL_PS + 20 * US_PS
						     : 21 * FULL_PS + 20 * US_PS);
		sim_end(&s);
	}
}

/* Thirty segments open the window to forty. Sixty take slow start from the initial window of ten
 * all the same, as on a new connection: ten, twenty and thirty. What ACKs of the first ten let out
 * is of the window, not of the pause alone. */
TEST(test_slow_start_begins_with_the_initial_window_after_a_pause)
{
	int64_t round_ps = 2 * FULL_PS + 2 * HEADER_PS + 40 * US_PS;
	struct sim s;

	sim_read(&s, PAIR "[host]\ncc = reno\nidle-restart = yes\n"
			  "[traffic x]\npattern = list\nconnections = persistent\n"
			  "flow = 0 1 43800B 0us\nflow = 0 1 87600B 10ms\n");
	sim_run(&s, 1);
	CHECK_INT(sim_fct_ps(&s, 1), 2 * round_ps + 31 * FULL_PS + 20 * US_PS);
	sim_end(&s);
}

/* A small message behind a large one waits for it on one connection, and overtakes it on two. */
TEST(test_messages_of_a_connection_arrive_in_order)
{
	const char *flows = "flow = 0 1 1MB 0us\nflow = 0 1 1B 1us\nflow = 0 1 1461B 2us\n";
	struct sim s;

	run_messages(&s, "persistent", flows);
	CHECK_INT(s.r.flows[1].finish_ps - s.r.flows[0].finish_ps, 55 * 800);
	CHECK_INT(s.r.flows[2].finish_ps - s.r.flows[1].finish_ps, FULL_PS + 55 * 800);
	sim_end(&s);
	run_messages(&s, "per-flow", flows);
	CHECK(s.r.flows[1].finish_ps < s.r.flows[0].finish_ps);
	CHECK(s.r.flows[2].finish_ps < s.r.flows[0].finish_ps);
	sim_end(&s);
}

/* Messages of all sizes through a port that drops: each ends, after those before it. */
TEST(test_messages_survive_losses_in_order)
{
	struct sim s;
	uint32_t last[16];

	sim_read(
		&s,
		"[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 5us\n"
		"[switch]\nmarking = none\nbuffer = 10pkts\n"
		"[host]\ncc = reno\nrto-min = 1ms\n"
		"[traffic x]\npattern = all-to-one\nsizes = uniform(min=1B, max=30KB)\nload = 0.9\n"
		"flows = 2000\nconnections = persistent\n"
		"[measure]\ndrain = 100s\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK_INT(sim_metric(&s, "flows_completed"), 2000);
	memset(last, 0xff, sizeof(last));
	for (uint32_t i = 0; i < s.r.flow_count; i++) {
		const struct flow *f = &s.r.flows[i];

		if (last[f->src] != FLOW_NONE)
			CHECK(s.r.flows[last[f->src]].finish_ps <= f->finish_ps);
		last[f->src] = i;
	}
	sim_end(&s);
}

/* --- flows that are told to stop --- */

TEST(test_an_unlimited_flow_stops_when_told)
{
	struct sim s;

	sim_read(&s, PAIR
		 "[traffic x]\npattern = many-to-one\nsenders = 1\nsize = unlimited\nstop = 5ms\n"
		 "[measure]\nfrom = 6ms\nto = 10ms\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "goodput_bps"), 0);
	sim_end(&s);
	sim_read(&s, PAIR
		 "[traffic x]\npattern = many-to-one\nsenders = 1\nsize = unlimited\nstop = 5ms\n"
		 "[measure]\nto = 10ms\n");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "goodput_bps"), 0.5 * 1e10 * 1460 / 1514, 0.01 * 1e10);
	sim_end(&s);
}
