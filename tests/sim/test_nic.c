/* SPDX-License-Identifier: BSD-3-Clause */
/* test_nic.c -- how a host's packets get to its line, worked out by hand.
 *
 * The usual stage: h0 sends to h1 and h2 through one switch, at 10 Gb/s, where a full frame of 1514
 * bytes takes 1.2112 us and a link 5 us. A tap writes down what h0 sends as letters: A, B, C for
 * data of the first, second, third flow, small ones for ACKs of these. */
#include "config/nic.h"
#include "sim/core/host.h"
#include "tests/rdma.h"

#define STAGE \
	"[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 5us\n" \
	"[switch]\nmarking = none\n" \
	"[host]\ncc = dctcp\ninitial-window = %d\n%s\n" \
	"[traffic x]\npattern = list\n%s"

enum { LETTERS_MAX = 128 };

struct letters {
	char text[LETTERS_MAX + 1];
	uint32_t count;
};

static void spell(void *context, int64_t start_ps, const struct weir_packet *packet,
		  const struct flow *flow)
{
	struct letters *l = context;
	const struct segment *segment = packet_segment((struct weir_packet *)packet);

	(void)start_ps;
	(void)flow;
	CHECK(l->count < LETTERS_MAX);
	l->text[l->count++] =
		(char)((packet->flags & SEGMENT_ACK ? 'a' : 'A') + (int)segment->connection);
}

/* Runs the stage and returns what h0 sent. */
static struct letters play(struct sim *s, int window, const char *host, const char *flows)
{
	struct letters sent = { "", 0 };
	const struct tap tap = { "h0->sw", spell, &sent };
	const struct run_control control = { .threads = 1, .tap_count = 1, .taps = &tap };
	struct weir_error e = { "" };

	sim_read(s, STAGE, window, host, flows);
	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return sent;
}

static uint64_t reason(const struct sim *s, const char *name)
{
	for (uint32_t i = 0; i < s->r.reason_count; i++)
		if (strcmp(s->r.reasons[i].name, name) == 0)
			return s->r.reasons[i].count;
	return 0;
}

static void check_sent(int window, const char *host, const char *flows, const char *letters)
{
	struct sim s;

	CHECK_STR(play(&s, window, host, flows).text, letters);
	sim_end(&s);
}

/* --- order --- */

/* Four segments each, begun at once. */
#define TWO_OF_FOUR "flow = 0 1 5840B 0us\nflow = 0 2 5840B 0us\n"

/* The first finds the line free and takes its next turn before the second, which has none yet. */
TEST(test_a_fair_nic_serves_connections_in_turn)
{
	check_sent(4, "card = fair", TWO_OF_FOUR, "AABABABB");
	check_sent(4, "", TWO_OF_FOUR, "AABABABB");
}

TEST(test_a_fifo_nic_sends_what_was_put_there_first)
{
	check_sent(4, "card = fifo", TWO_OF_FOUR, "AAAABBBB");
}

/* The first segment goes straight through; then the two queues take turns, beginning with that of
 * the lower number. */
TEST(test_an_fq_nic_serves_flows_in_turn)
{
	uint32_t a = host_flow_queue(flow_route_hash(1, 0), WEIR_QUEUES_MAX);
	uint32_t b = host_flow_queue(flow_route_hash(1, 1), WEIR_QUEUES_MAX);

	CHECK(a != b);
	check_sent(4, "card = fq", TWO_OF_FOUR, a < b ? "AABABABB" : "ABABABAB");
}

/* h0 has forty segments to send when data from h2 comes, 12.4224 us after the start: by then eleven
 * of them have begun. */
#define FORTY_AND_ONE "flow = 0 1 58400B 0us\nflow = 2 0 1460B 0us\n"
#define TEN_OF_A "AAAAAAAAAA"

TEST(test_acks_go_first_only_where_the_nic_is_fair)
{
	check_sent(40, "card = fair", FORTY_AND_ONE, TEN_OF_A "Ab" TEN_OF_A TEN_OF_A "AAAAAAAAA");
	check_sent(40, "card = fifo", FORTY_AND_ONE, TEN_OF_A TEN_OF_A TEN_OF_A TEN_OF_A "b");
}

/* The ACK's queue has its turn after the one packet that A's turn allows. */
TEST(test_acks_are_a_flow_of_their_own_in_an_fq_nic)
{
	check_sent(40, "card = fq", FORTY_AND_ONE, TEN_OF_A "Ab" TEN_OF_A TEN_OF_A "AAAAAAAAA");
}

/* --- delays --- */

/* A segment of 1460 B to h1: two links of 5 us and 1.2112 us each, and what it waited before. */
TEST(test_data_waits_for_its_flows_delay_and_acks_do_not)
{
	struct sim s;

	play(&s, 10, "card = fifo(delays=100us)", "flow = 0 1 1460B 0us\n");
	CHECK_NEAR(sim_metric(&s, "fct_mean_ns"), 112422.4, 1);
	sim_end(&s);
	/* Twenty segments in two windows of ten: out, back at once, out. */
	play(&s, 10, "card = fifo(delays=100us)", "flow = 0 1 29200B 0us\n");
	CHECK_NEAR(sim_metric(&s, "fct_mean_ns"), 112422.4 + 10086.4 + 112422.4 + 9 * 1211.2, 1);
	sim_end(&s);
}

/* Each of 400 flows, far from one another, takes 12.4224 us and one of three delays, and each is as
 * often. */
TEST(test_each_flow_has_one_of_the_delays)
{
	char flows[400 * 32] = "";
	uint32_t seen[3] = { 0 };
	struct sim s;

	for (int i = 0, at = 0; i < 400; i++)
		at += snprintf(flows + at, sizeof(flows) - (size_t)at, "flow = 0 1 1460B %dus\n",
			       i * 1000);
	sim_read(&s, STAGE, 10, "card = fifo(delays=1us:20us:160us)", flows);
	sim_run(&s, 1);
	for (uint32_t i = 0; i < s.r.flow_count; i++) {
		int64_t us = (s.r.flows[i].finish_ps - s.r.flows[i].start_ps) /
			     (WEIR_NS_PER_US * WEIR_PS_PER_NS);

		CHECK(us == 13 || us == 32 || us == 172);
		seen[us == 13 ? 0 : us == 32 ? 1 : 2]++;
	}
	for (uint32_t i = 0; i < 3; i++) /* standard deviation 9.4 */
		CHECK(seen[i] > 95 && seen[i] < 172);
	sim_end(&s);
}

/* --- bursts --- */

/* Six segments each. The one that finds the line free is not of a turn. */
#define TWO_OF_SIX "flow = 0 1 8760B 0us\nflow = 0 2 8760B 0us\n"

TEST(test_a_burst_of_one_connection_leaves_back_to_back)
{
	check_sent(6, "tso = 2920B", TWO_OF_SIX, "AAABBAABBABB");
	check_sent(6, "tso = 4379B", TWO_OF_SIX, "AAABBAABBABB");
	check_sent(6, "tso = 4380B", TWO_OF_SIX, "AAAABBBAABBB");
	check_sent(6, "tso = 64KB", TWO_OF_SIX, "AAAAAABBBBBB");
	check_sent(6, "tso = 1459B", TWO_OF_SIX, "AABABABABABB");
}

/* Bursts do not wait to be complete: a window of two ends one of three. */
TEST(test_a_burst_ends_with_the_window)
{
	check_sent(2, "tso = 4380B\nmax-window = 2920B",
		   "flow = 0 1 2920B 0us\nflow = 0 2 2920B 0us\n", "AABB");
}

/* Turns of 4542 bytes: three frames. */
TEST(test_bursts_are_the_turns_of_an_fq_nic)
{
	uint32_t a = host_flow_queue(flow_route_hash(1, 0), WEIR_QUEUES_MAX);
	uint32_t b = host_flow_queue(flow_route_hash(1, 1), WEIR_QUEUES_MAX);

	check_sent(6, "card = fq\ntso = 4542B", TWO_OF_SIX,
		   a < b ? "AAAABBBAABBB" : "ABBBAAABBBAA");
}

/* --- the queue --- */

/* Of ten segments the first goes to the line, five wait, four are dropped; the timer repairs them,
 * in 5 ms. Sent is what goes to the line: ten in the end. */
TEST(test_a_full_nic_drops_its_hosts_own_packets)
{
	struct sim s;

	CHECK_STR(play(&s, 10, "card = fifo(limit=5pkts)", "flow = 0 1 14600B 0us\n").text,
		  TEN_OF_A);
	CHECK_INT(sim_metric(&s, "drops"), 4);
	CHECK_INT(sim_metric(&s, "retransmits"), 4);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	CHECK_INT(reason(&s, "dropped by a host's card"), 4);
	CHECK_INT(reason(&s, "port buffer full"), 0);
	CHECK_INT(sim_port(&s, "h0->sw")->drops, 4);
	CHECK_INT(sim_port(&s, "h0->sw")->queue_max_pkts, 5);
	CHECK_INT(sim_port(&s, "sw->h1")->drops, 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), 1);
	sim_end(&s);
}

/* Bytes: 3028 hold two full frames. */
TEST(test_a_nics_limit_may_be_in_bytes)
{
	struct sim s;

	play(&s, 10, "card = fifo(limit=3028B)", "flow = 0 1 14600B 0us\n");
	CHECK_INT(sim_port(&s, "h0->sw")->queue_max_pkts, 2);
	sim_end(&s);
}

/* The first goes to the line, the next three find 0, 1 and 2 waiting; six find three or more.
 * Switches mark nothing, and the way is no longer than without: 1.2112 us a frame and link, 10
 * us. */
TEST(test_a_nic_marks_by_a_scheme_of_its_own)
{
	struct sim s;

	play(&s, 10, "card = fifo(marking=ecn(k=3pkts))", "flow = 0 1 14600B 0us\n");
	CHECK_INT(sim_metric(&s, "marks"), 6);
	CHECK_INT(reason(&s, "marked by a host's card"), 6);
	CHECK_INT(sim_port(&s, "h0->sw")->marks, 6);
	CHECK_INT(sim_port(&s, "sw->h1")->marks, 0);
	CHECK_NEAR(sim_metric(&s, "mark_fraction"), 0.6, 1e-9);
	CHECK_INT(sim_fct_ps(&s, 0), 11 * INT64_C(1211200) + US(10));
	sim_end(&s);
}

/* NICs are listed, and may be measured, where packets wait in them and nowhere else. */
TEST(test_the_measured_port_is_a_switchs_unless_a_nic_is_named)
{
	struct sim s;
	char name[64];

	play(&s, 10, "card = fifo", "flow = 0 1 14600B 0us\n[measure]\nport = h0->sw\n");
	CHECK_INT(s.r.port_count, 6);
	CHECK_INT(sim_metric(&s, "queue_max_pkts"), 9);
	sim_end(&s);
	play(&s, 10, "card = fifo", "flow = 0 1 14600B 0us\n");
	CHECK_STR(link_name(&s.r.network, s.r.ports[s.r.measured_port].link, name, sizeof(name)),
		  "sw->h0");
	sim_end(&s);
	play(&s, 10, "card = fair", "flow = 0 1 14600B 0us\n");
	CHECK_INT(s.r.port_count, 3);
	sim_end(&s);
}

/* --- queue pairs --- */

#define RDMA_STAGE \
	"[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 5us\n" \
	"[switch]\nmarking = none\n[rdma]\nmtu = 1000B\nheader = 50B\nint-header = 50B\n" \
	"[host]\ncc = %s\ncard = fifo\n" \
	"[traffic x]\npattern = list\nflow = 0 1 20000B 0us\n%s"

/* Two pairs, each at half the line: 1050 bytes every 1.68 us of each, and the line is never idle.
 * The pace is that of joining the queue, so nothing piles up there. */
TEST(test_a_queue_pair_keeps_its_pace_in_a_fifo_nic)
{
	struct heard heard = { 0 };
	const struct fixed_params half = { .rate_bps = UINT64_C(5000000000),
					   .window_bytes = WEIR_CC_NO_WINDOW,
					   .heard = &heard };
	struct seen seen;
	struct sim s;

	sim_read(&s, RDMA_STAGE, "line-rate", "flow = 0 2 20000B 0us\n");
	use_fixed(&s, 0, &fixed_plain, &half);
	run_and_see(&s, "h0->sw", &seen);
	CHECK_INT(seen.count, 40);
	for (uint32_t i = 0; i < seen.count; i++) {
		CHECK_INT(seen.packet[i].start_ps, i * INT64_C(840000));
		CHECK_INT(seen.packet[i].connection, i % 2);
	}
	CHECK_INT(sim_port(&s, "h0->sw")->queue_max_pkts, 1);
	sim_end(&s);
}

/* What switches write stays with its packet, also where ACKs wait behind data in h1's NIC: every
 * ACK brings the one hop that its data passed, a later one than the ACK before. */
static void check_notes(const char *nic)
{
	struct heard heard = { 0 };
	const struct fixed_params line = { .rate_bps = UINT64_C(10000000000),
					   .window_bytes = WEIR_CC_NO_WINDOW,
					   .heard = &heard };
	uint32_t tx_bytes[16] = { 0 };
	struct sim s;

	sim_read(&s, RDMA_STAGE, "hpcc", "flow = 1 0 20000B 0us\nflow = 1 2 20000B 0us\n");
	snprintf(s.c.host.nic, sizeof(s.c.host.nic), "%s", nic);
	CHECK_INT(nic_check(&s.c, &(struct weir_error){ "" }), 0);
	use_fixed(&s, 0, &fixed_int, &line);
	sim_run(&s, 1);
	CHECK(heard.acks > 20 && heard.acks <= HEARD_MAX);
	CHECK(sim_port(&s, "h1->sw")->queue_max_pkts > 10);
	for (uint32_t i = 0; i < heard.acks; i++) {
		const struct weir_cc_hop *hop = &heard.hop[i][0];

		CHECK_INT(heard.ack[i].hop_count, 1);
		CHECK(hop->link < 16 && hop->tx_bytes > tx_bytes[hop->link]);
		tx_bytes[hop->link] = hop->tx_bytes;
	}
	sim_end(&s);
}

TEST(test_telemetry_goes_through_a_nics_queue)
{
	check_notes("fifo");
	check_notes("fq");
}

/* --- what is refused --- */

static void check_refused(const char *settings, const char *message)
{
	struct scenario scenario;
	struct config c;
	struct weir_error e = { "" };
	char text[1024];

	snprintf(
		text, sizeof(text),
		"[network]\ntopology = star\n[traffic x]\npattern = list\nflow = 0 1 1KB 0us\n%s\n",
		settings);
	CHECK_INT(scenario_read_text(&scenario, "f.ini", text, strlen(text), &e), 0);
	CHECK_INT(scenario_config(&scenario, &c, &e), -1);
	CHECK_LIKE(e.text, message);
	scenario_free(&scenario);
}

TEST(test_nics_that_cannot_work_are_refused)
{
	check_refused(
		"[host]\ncard = fifo\n[switch]\nlossless = all\nbuffer-per = switch\n"
		"buffer = 12MB",
		"f.ini:7: host.card: fifo: its queues hold packets of all classes, and one that "
		"is stopped would stop all; switch.lossless needs fair");
	check_refused("[host]\ncard = fq\narbitration = round-robin",
		      "f.ini:7: host.card: fq: its queues decide which packet is next; "
		      "host.arbitration = round-robin needs fair");
	check_refused("[host]\ncard = fifo(limit=1513B)",
		      "f.ini:7: host.card: fifo: limit: 1513B holds no packet; one takes 1514B");
	check_refused(
		"[host]\ncard = fq(marking=diffecn)",
		"f.ini:7: host.card: fq: marking: diffecn chooses queues itself; take another");
	check_refused("[host]\ncard = fifo(marking=mq-ecn)",
		      "f.ini:7: host.card: fifo: marking: mq-ecn "
		      "measures the rounds of a switch's scheduler");
	check_refused("[host]\ncard = fifo(marking=ecn(k=100KB, scope=pool))",
		      "f.ini:7: host.card: fifo: marking: 'ecn(k=100KB, scope=pool)' looks at the "
		      "buffer pool of a switch");
	check_refused("[host]\ncard = fifo(delays=1us:x)",
		      "f.ini:7: host.card: fifo: delays: 'x' is not a number with a unit; "
		      "allowed: 0s to 1s");
	check_refused("[host]\ncard = fq(delays=1us:2us:3us:4us:5us:6us:7us:8us:9us)",
		      "f.ini:7: host.card: fq: delays: more than 8");
	check_refused("[host]\ncard = fifo(marking=ecm)",
		      "f.ini:7: host.card: fifo: marking: unknown marking 'ecm'; there are ...");
}
