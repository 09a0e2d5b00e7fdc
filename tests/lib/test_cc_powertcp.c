/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_powertcp.c -- powertcp: Algorithm 1 by hand, where senders settle, contract. What is
 * known of a hop is shared with hpcc and tested there. */
#include "tests/rdma_fixture.h"

/* B = 100 Gb/s = 12.5 bytes/ns, T = 10 us, B T = 125000 bytes; ai = 0.6 % of 100 Gb/s = 600 Mb/s,
 * which is 750 bytes in T. */
enum { LINE_MBPS = 100000, AI_BYTES = 750 };

static void one_hop(struct pair *q, uint32_t time_ns, uint32_t tx_bytes, uint32_t queue_bytes)
{
	q->ack.hop_count = 1;
	q->hops[0] = (struct weir_cc_hop){ .link = 7,
					   .queue_bytes = queue_bytes,
					   .tx_bytes = tx_bytes,
					   .time_ns = time_ns,
					   .rate_mbps = LINE_MBPS };
}

TEST(test_powertcp_starts_at_line_rate_with_one_bandwidth_delay_product)
{
	struct pair q;

	pair_make(&q, "powertcp");
	CHECK_INT(q.ops->needs, WEIR_CC_NEEDS_INT);
	CHECK_INT(q.ops->echo, WEIR_CC_ECHO_NONE);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	pair_make(&q, "powertcp(rtt=5us)");
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP / 2);
}

/* An ACK each 1 us weighs dt / T = 0.1; the old window is 125000 all the time.
 *	2: 12500 bytes sent, queue 0 -> 12500: current 25000 / 12500 = 2,
 *		voltage 1 + 12500 / 125000 = 1.1, power 2.2, smoothed 0.9 + 0.22 = 1.12
 *		window 0.9 (125000 x 0.95 / 1.12 + 750) + 0.1 x 125000 = 108599.11, 86.879 Gb/s
 *	3: 12500 bytes sent, queue 12500 -> 6250: current 0.5, voltage 1.05, power 0.525,
 *		smoothed 1.008 + 0.0525 = 1.0605
 *		window 0.9 (125000 x 0.95 / 1.0605 + 750) + 0.1 x 125000 = 113952.94 */
TEST(test_powertcp_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "powertcp");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 12500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 108599);
	CHECK_NEAR((double)pace(&q)->rate_bps, 86.879286e9, 1000);
	one_hop(&q, 2000, 25000, 6250);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 113953);
}

/* The same with the law of the paper's text:
 *	0.9 (125000 / 1.12 + 750) + 0.1 x 125000 = 113621.43
 *	0.9 (125000 / 1.0605 + 750) + 0.1 x 113621.43 = 118119.18 */
TEST(test_powertcp_follows_the_same_trace_by_the_printed_law)
{
	struct pair q;

	pair_make(&q, "powertcp(target=1, rest=window)");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 12500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 113621);
	one_hop(&q, 2000, 25000, 6250);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118119);
}

/* dt = T, so that power is what it is now: 125000 sent, queue 62500 -> 62500, power 1.5. The window
 * is
 *	0.9 (125000 x 0.95 / 1.5 + 750) + 0.1 x 125000 = 84425
 * for every ACK of the round trip; with the last it becomes the old window, and the next gives
 *	0.9 (84425 x 0.95 / 1.5 + 750) + 0.1 x 84425 = 57239.75 */
TEST(test_powertcp_remembers_its_window_once_a_round_trip)
{
	struct pair q;

	pair_make(&q, "powertcp");
	one_hop(&q, 0, 0, 62500);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 62500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 84425);
	one_hop(&q, 20000, 250000, 62500);
	pair_acked(&q, PAIR_BDP);
	CHECK_INT(pace(&q)->window_bytes, 84425);
	one_hop(&q, 30000, 375000, 62500);
	pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(pace(&q)->window_bytes, 57239.75, 1);
}

/* 93750 of 125000 bytes in T and no queue: power 0.75, 63250 / 0.75 + 750 = 85083.3. Before that a
 * queue drains at which nothing arrives, because all wait for it: that is no power, but no room
 * either. */
TEST(test_powertcp_takes_what_is_free_but_not_because_a_queue_drains)
{
	struct pair q;

	pair_make(&q, "powertcp(gamma=1, target=1)");
	one_hop(&q, 0, 0, 125000);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 125000);
	pair_round(&q); /* power 2: 125000 / 2 + 750, remembered */
	CHECK_INT(pace(&q)->window_bytes, 63250);
	one_hop(&q, 20000, 250000, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 63250);
	one_hop(&q, 30000, 343750, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 85083);
}

/* Hop 0, 400 Gb/s: 125000 of 500000 bytes in T, queue 100000: 0.25 x 1.2 = 0.3. Hop 1, 100 Gb/s:
 * 100000 of 125000, queue 62500: 0.8 x 1.5 = 1.2. Window 0.9 (125000 x 0.95 / 1.2 + 750) + 12500 =
 * 102237.5. */
TEST(test_powertcp_goes_by_the_link_with_the_most_power)
{
	struct pair q;

	pair_make(&q, "powertcp");
	for (uint32_t round = 0; round < 2; round++) {
		q.ack.hop_count = 2;
		q.hops[0] = (struct weir_cc_hop){ .link = 1,
						  .queue_bytes = 100000,
						  .tx_bytes = round * 125000,
						  .time_ns = round * 10000,
						  .rate_mbps = 400000 };
		q.hops[1] = (struct weir_cc_hop){ .link = 2,
						  .queue_bytes = 62500,
						  .tx_bytes = round * 100000,
						  .time_ns = round * 10000,
						  .rate_mbps = 100000 };
		pair_acked(&q, PAIR_MSS);
	}
	CHECK_NEAR(pace(&q)->window_bytes, 102237.5, 1);
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
	CHECK_INT(pace(&q)->window_bytes, 108599);
}

/* --- where senders settle --- */

/* One link, in steps of a hundredth of the base round trip. Each sender keeps to its rate and its
 * window; what waits leaves in proportion; what the link writes reaches the senders a round trip
 * later. */
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

/* N senders begin, a round trip apart; the mean queue of 50 round trips when 250 are over. */
static double mean_queue_bytes(struct pipe *p, const char *spec, int count)
{
	double sum_bytes = 0;

	memset(p, 0, sizeof(*p));
	for (int i = 0; i < count; i++)
		pair_make(&p->sources[i].pair, spec);
	for (int i = 1; i < count; i++)
		pipe_run(p, i, 1);
	pipe_run(p, count, 250);
	for (int i = 0; i < 50; i++) {
		pipe_run(p, count, 1);
		sum_bytes += p->queue_bytes;
	}
	return sum_bytes / 50;
}

/* w = w eta / power + beta in each of N; power = N w / (B T), with a queue and without: N w = eta B
 * T + N beta. The queue is what is above B T: N beta for eta = 1. */
TEST(test_powertcp_senders_settle_where_the_law_says)
{
	static const int counts[] = { 2, 8, 16 };
	static struct pipe p;

	for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
		int count = counts[n], adds = count * AI_BYTES;
		double queue_bytes = mean_queue_bytes(&p, "powertcp(target=1)", count);

		CHECK_NEAR(queue_bytes / adds, 1, 0.02);
		queue_bytes = mean_queue_bytes(&p, "powertcp", count);
		CHECK_NEAR(queue_bytes, adds > 6250 ? adds - 6250 : 0, 60);
		for (int i = 0; i < count; i++)
			CHECK_NEAR(pace(&p.sources[i].pair)->window_bytes, (118750. + adds) / count,
				   60);
	}
}

/* 21 join one at the same moment: a queue of 20 times B T and more, which the link needs as many
 * round trips to send. Five round trips after that it is gone, and the link is in use from then
 * on. */
TEST(test_powertcp_senders_that_join_together_come_to_rest)
{
	static struct pipe p;
	double tx_bytes;

	memset(&p, 0, sizeof(p));
	for (int i = 0; i < 22; i++)
		pair_make(&p.sources[i].pair, "powertcp");
	pipe_run(&p, 1, 50);
	pipe_run(&p, 22, 1);
	CHECK(p.queue_bytes > 20 * PAIR_BDP);
	pipe_run(&p, 22, 25);
	CHECK(p.queue_bytes < PAIR_BDP);
	tx_bytes = p.tx_bytes;
	pipe_run(&p, 22, 75);
	CHECK(p.tx_bytes - tx_bytes > 0.9 * 75 * PAIR_BDP);
	CHECK(p.queue_bytes < PAIR_BDP / 10);
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
	pair_check_contract("powertcp(target=1, rest=window)");
	pair_check_extremes("powertcp");
}
