/* test_cc_powertcp.c -- powertcp: Algorithm 1 by hand, where senders settle, contract. What is known of a
 * hop is shared with hpcc and tested there. */
#include "tests/rdma_desk.h"

/* B = 100 Gb/s = 12.5 bytes/ns, T = 10 us, B T = 125000 bytes; ai = 0.6 % of 100 Gb/s = 600 Mb/s, which is
 * 750 bytes in T. */
enum { LINE_MBPS = 100000, AI_BYTES = 750 };

static void one_hop(struct pair *q, uint32_t time_ns, uint32_t tx_bytes, uint32_t queue_bytes)
{
	q->ack.hop_count = 1;
	q->hops[0] = (struct cc_hop){ .link = 7,
				      .queue_bytes = queue_bytes,
				      .tx_bytes = tx_bytes,
				      .time_ns = time_ns,
				      .rate_mbps = LINE_MBPS };
}

TEST(test_powertcp_starts_at_line_rate_with_one_bandwidth_delay_product)
{
	struct pair q;

	pair_make(&q, "powertcp");
	CHECK_INT(q.ops->needs, CC_NEEDS_INT);
	CHECK_INT(q.ops->echo, CC_ECHO_NONE);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	pair_make(&q, "powertcp(rtt=5us)");
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP / 2);
}

/* An ACK each 1 us weighs dt / T = 0.1; the old window is 125000 all the time.
 *	2: 12500 bytes sent, queue 0 -> 12500: current 25000 / 12500 = 2, voltage 1 + 12500 / 125000 = 1.1,
 *		power 2.2, smoothed 0.9 + 0.22 = 1.12
 *		window 0.9 (125000 / 1.12 + 750) + 0.1 x 125000 = 113621.43, 90.897 Gb/s
 *	3: 12500 bytes sent, queue 12500 -> 6250: current 0.5, voltage 1.05, power 0.525,
 *		smoothed 1.008 + 0.0525 = 1.0605
 *		window 0.9 (125000 / 1.0605 + 750) + 0.1 x 113621.43 = 118119.18 */
TEST(test_powertcp_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "powertcp");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 12500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 113621);
	CHECK_NEAR((double)pace(&q)->rate_bps, 90.897143e9, 1000);
	one_hop(&q, 2000, 25000, 6250);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118119);
}

/* dt = T, so that power is what it is now: 125000 sent, queue 62500 -> 62500, power 1.5. The window is
 *	0.9 (125000 / 1.5 + 750) + 12500 = 88175
 * which the second ACK, for data sent before it, does not divide again, and is not far from:
 *	0.9 (125000 / 1.5 + 750) + 0.1 x 88175 = 84492.5
 * With that the round trip ends, and from then on 84492.5 is the old window:
 *	0.9 (84492.5 / 1.5 + 750) + 0.1 x 84492.5 = 59819.75 */
TEST(test_powertcp_remembers_its_window_once_a_round_trip)
{
	struct pair q;

	pair_make(&q, "powertcp");
	one_hop(&q, 0, 0, 62500);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 62500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 88175);
	one_hop(&q, 20000, 250000, 62500);
	pair_acked(&q, PAIR_BDP);
	CHECK_NEAR(pace(&q)->window_bytes, 84492.5, 1);
	one_hop(&q, 30000, 375000, 62500);
	pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(pace(&q)->window_bytes, 59819.75, 1);
}

/* A link half in use, without a queue: power 0.5, and the window may double: only the line rate holds it. From
 * 59819.75 after the trace above it would be 0.9 (84492.5 / 0.5 + 750) + 0.1 x ... > 125000. */
TEST(test_powertcp_takes_what_is_free_in_a_round_trip)
{
	struct pair q;

	pair_make(&q, "powertcp(gamma=1)");
	one_hop(&q, 0, 0, 125000);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 125000);
	pair_round(&q); /* power 2: 125000 / 2 + 750, remembered */
	CHECK_INT(pace(&q)->window_bytes, 63250);
	one_hop(&q, 20000, 250000, 0); /* what was there has left: nothing arrived, power 0 */
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	one_hop(&q, 30000, 343750,
		0); /* 93750 of 125000: power 0.75, 63250 / 0.75 + 750 = 85083.3 */
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 85083);
}

/* Hop 0, 400 Gb/s with 500000 bytes in T: power 0.5 of current, voltage 1 + 100000 / 500000 = 1.2, 0.3 for 125000
 * bytes; hop 1, 100 Gb/s with 100000 bytes: 0.8. Without hop 1 the window may be all; with it
 * 0.9 (125000 / 0.8 + 750) + ... is cut at the line rate, so a queue of 62500 there: 0.8 x 1.5 = 1.2,
 * 0.9 (125000 / 1.2 + 750) + 12500 = 106925. */
TEST(test_powertcp_goes_by_the_link_with_the_most_power)
{
	struct pair q;

	pair_make(&q, "powertcp");
	for (uint32_t round = 0; round < 2; round++) {
		q.ack.hop_count = 2;
		q.hops[0] = (struct cc_hop){ .link = 1,
					     .queue_bytes = 100000,
					     .tx_bytes = round * 125000,
					     .time_ns = round * 10000,
					     .rate_mbps = 400000 };
		q.hops[1] = (struct cc_hop){ .link = 2,
					     .queue_bytes = 62500,
					     .tx_bytes = round * 100000,
					     .time_ns = round * 10000,
					     .rate_mbps = 100000 };
		pair_acked(&q, PAIR_MSS);
	}
	CHECK_INT(pace(&q)->window_bytes, 106925);
}

/* Where nothing can be compared the window stays. */
TEST(test_powertcp_waits_while_its_path_is_new)
{
	struct pair q;

	pair_make(&q, "powertcp");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 12500);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 2000, 0, 1000000);
	q.hops[0].link = 8;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 113621);
}

/* --- where senders settle --- */

/* One link, in steps of a hundredth of the base round trip. Each sender keeps to its rate and its window; what
 * waits leaves in proportion; what the link writes reaches the senders a round trip later. */
enum { STEPS = 100, STEP_NS = PAIR_RTT_NS / STEPS, SENDERS_MAX = 32 };

struct source {
	struct pair pair;
	double sent, served, waits;
	double served_then[STEPS]; /* the last round trip */
};

struct pipe {
	struct source sources[SENDERS_MAX];
	double tx_bytes, queue_bytes;
	uint32_t tx_then[STEPS], queue_then[STEPS];
	uint32_t step;
};

static void source_send(struct source *s, double acked)
{
	double by_rate = (double)pace(&s->pair)->rate_bps * 1e-9 * STEP_NS / 8;
	double by_window = (double)pace(&s->pair)->window_bytes - (s->sent - acked);
	double bytes = by_window < by_rate ? by_window : by_rate;

	if (bytes <= 0)
		return;
	s->sent += bytes;
	s->waits += bytes;
}

static void pipe_serve(struct pipe *p, int count)
{
	double waits = 0, leaves;

	for (int i = 0; i < count; i++)
		waits += p->sources[i].waits;
	leaves = waits < 12.5 * STEP_NS ? waits : 12.5 * STEP_NS;
	for (int i = 0; i < count && waits > 0; i++) {
		double share = leaves * p->sources[i].waits / waits;

		p->sources[i].waits -= share;
		p->sources[i].served += share;
	}
	p->tx_bytes += leaves;
	p->queue_bytes = waits - leaves;
}

static void source_hear(struct source *s, const struct pipe *p, uint32_t slot)
{
	if (p->step < STEPS)
		return;
	one_hop(&s->pair, (p->step - STEPS) * STEP_NS, p->tx_then[slot], p->queue_then[slot]);
	s->pair.ack.una_bytes = (uint64_t)s->served_then[slot];
	s->pair.ack.next_bytes = (uint64_t)s->sent;
	s->pair.ops->ack(s->pair.state, s->pair.params, &s->pair.env, &s->pair.ack);
}

static void pipe_run(struct pipe *p, int count, int round_trips)
{
	for (int i = 0; i < round_trips * STEPS; i++) {
		uint32_t slot = p->step % STEPS;

		for (int k = 0; k < count; k++) {
			source_hear(&p->sources[k], p, slot);
			source_send(&p->sources[k], p->sources[k].served_then[slot]);
		}
		pipe_serve(p, count);
		p->tx_then[slot] = (uint32_t)(uint64_t)p->tx_bytes;
		p->queue_then[slot] = (uint32_t)p->queue_bytes;
		for (int k = 0; k < count; k++)
			p->sources[k].served_then[slot] = p->sources[k].served;
		p->step++;
	}
}

/* w = w / power + beta in each of N and power = 1 + queue / (B T), N w = B T + queue: queue = N beta. */
TEST(test_powertcp_senders_settle_at_a_queue_of_their_additive_increases)
{
	static const int counts[] = { 2, 8, 32 };
	static struct pipe p;

	for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
		memset(&p, 0, sizeof(p));
		for (int i = 0; i < counts[n]; i++)
			pair_make(&p.sources[i].pair, "powertcp");
		pipe_run(&p, counts[n], 200);
		CHECK_NEAR(p.queue_bytes / (counts[n] * AI_BYTES), 1, 0.05);
	}
}

/* Two join when one has had the link to itself; what each adds is the same, so they become equal. */
TEST(test_powertcp_senders_become_equal)
{
	static struct pipe p;

	memset(&p, 0, sizeof(p));
	for (int i = 0; i < 3; i++)
		pair_make(&p.sources[i].pair, "powertcp(ai=2Gbps)");
	pipe_run(&p, 1, 50);
	pipe_run(&p, 3, 300);
	for (int i = 0; i < 3; i++)
		CHECK_NEAR(pace(&p.sources[i].pair)->window_bytes, (PAIR_BDP + 3 * 2500) / 3, 400);
}

TEST(test_powertcp_never_answers_more_power_with_a_larger_window)
{
	uint64_t last = UINT64_MAX;

	for (uint32_t queue_bytes = 0; queue_bytes < 10 * PAIR_BDP; queue_bytes += 1000) {
		struct pair q;

		pair_make(&q, "powertcp");
		one_hop(&q, 0, 0, 0);
		pair_acked(&q, PAIR_MSS);
		one_hop(&q, 5000, 40000, queue_bytes);
		pair_acked(&q, PAIR_MSS);
		CHECK(pace(&q)->window_bytes <= last);
		last = pace(&q)->window_bytes;
	}
	CHECK(last < PAIR_BDP / 4);
}

TEST(test_powertcp_obeys_the_contract)
{
	pair_check_contract("powertcp");
	pair_check_contract("powertcp(gamma=1)");
	pair_check_extremes("powertcp");
}
