/* SPDX-License-Identifier: BSD-3-Clause */
/* test_class.c -- the class of every packet: which flows have which, the first bytes of a flow,
 * ACKs; and the slack that data carries.
 *
 * A tap looks at each packet on a link, so that what was sent is counted packet by packet. */
#include "sim/core/segment.h"
#include "tests/sim.h"
#include "tests/world.h"

/* --- who has which class --- */

/* h0 to h4; five flows to the hosts of other numbers. */
static void check_list_classes(const char *rule, const char *classes, const int *expected)
{
	static const char *const flows[] = { "0 4 1KB 0us", "3 1 1KB 1us", "3 2 1KB 2us",
					     "1 3 1KB 3us", "4 0 1KB 4us" };
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "list");

	for (uint32_t i = 0; i < 5; i++)
		line_list_add(&t->flow_lines, flows[i], 0);
	traffic_set(t, "class", "2");
	traffic_set(t, "classes", classes);
	traffic_set(t, "class-by", rule);
	world_flows(&w);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_INT(w.list.flows[i].class_id, expected[i]);
	world_end(&w);
}

/* Pairs: source + destination, where hosts behind the source count one less. */
TEST(test_class_of_a_flow_is_by_turn_sender_receiver_or_pair)
{
	check_list_classes("flow", "3", (const int[]){ 2, 3, 4, 2, 3 });
	check_list_classes("sender", "3", (const int[]){ 2, 2, 2, 3, 3 });
	check_list_classes("receiver", "3", (const int[]){ 3, 3, 4, 2, 2 });
	check_list_classes("pair", "3",
			   (const int[]){ 2 + 3 % 3, 2 + 4 % 3, 2 + 5 % 3, 2 + 3 % 3, 2 + 4 % 3 });
	check_list_classes("pair", "1", (const int[]){ 2, 2, 2, 2, 2 });
}

/* TCN, section 6.2: 144 x 143 pairs divided evenly into 7 services. A sender has 143 = 7 x 20 + 3
 * pairs, so three classes get one more, beginning with the one of its number. The first 140 senders
 * give every class 20 x 3 of these, the last four begin with 0, 1, 2 and 3. */
TEST(test_pairs_are_divided_evenly_among_services)
{
	enum { HOSTS = 144, SERVICES = 7 };
	static const uint32_t expected[SERVICES] = { 2941, 2942, 2943, 2943, 2942, 2941, 2940 };
	static uint32_t by_sender[HOSTS][SERVICES], by_receiver[HOSTS][SERVICES];
	uint32_t all[SERVICES] = { 0 };
	struct world w = world_of("star");

	*network_number(&w.c.network, "hosts") = HOSTS;
	for (uint32_t i = 0; i < HOSTS; i++) {
		struct traffic_config *t;
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		t = world_traffic(&w, name, "many-to-one");
		traffic_set(t, "receiver", name);
		traffic_set(t, "size", "1KB");
		traffic_set(t, "class", "1");
		traffic_set(t, "classes", "7");
		traffic_set(t, "class-by", "pair");
	}
	world_flows(&w);
	CHECK_INT(w.list.count, HOSTS * (HOSTS - 1));
	for (uint32_t i = 0; i < w.list.count; i++) {
		const struct flow *f = &w.list.flows[i];

		CHECK(f->class_id >= 1 && f->class_id <= SERVICES);
		all[f->class_id - 1]++;
		by_sender[f->src][f->class_id - 1]++;
		by_receiver[f->dst][f->class_id - 1]++;
	}
	for (uint32_t s = 0; s < SERVICES; s++) {
		CHECK_INT(all[s], expected[s]);
		for (uint32_t h = 0; h < HOSTS; h++) {
			CHECK(by_sender[h][s] == 20 || by_sender[h][s] == 21);
			CHECK(by_receiver[h][s] >= 19 && by_receiver[h][s] <= 21);
		}
	}
	world_end(&w);
}

/* Flows are made in order of size, so each class gets every fourth of them. */
TEST(test_flows_in_turn_give_classes_the_same_sizes)
{
	uint32_t flows[4] = { 0 };
	double bytes[4] = { 0 }, sum = 0;
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-all");

	traffic_set(t, "sizes", "websearch");
	traffic_set(t, "load", "0.5");
	traffic_set(t, "flows", "2000");
	traffic_set(t, "classes", "4");
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++) {
		flows[w.list.flows[i].class_id]++;
		bytes[w.list.flows[i].class_id] += (double)w.list.flows[i].size_bytes;
		sum += (double)w.list.flows[i].size_bytes;
	}
	for (uint32_t i = 0; i < 4; i++) {
		CHECK_INT(flows[i], 500);
		CHECK_NEAR(bytes[i] / sum, 0.25, 0.005);
	}
	world_end(&w);
}

/* --- what was sent --- */

enum { CLASSES = 5, NUMBERS_MAX = 4096, MSS = 1460 };

/* What a tap saw. */
struct seen {
	uint64_t data[CLASSES], acks[CLASSES], syns[CLASSES];
	uint64_t again[CLASSES]; /* of the data, segments that were there before */
	uint32_t count;          /* segments are numbered below this */
	uint8_t class_of[NUMBERS_MAX];
	uint8_t times[NUMBERS_MAX];
	int64_t slack_ps[NUMBERS_MAX];
};

static void see(void *context, int64_t start_ps, const struct weir_packet *packet,
		const struct flow *flow)
{
	struct seen *s = context;
	struct weir_packet copy = *packet;
	uint32_t number = packet_segment(&copy)->number;

	(void)start_ps;
	(void)flow;
	CHECK(packet->class_id < CLASSES);
	if (packet->flags & SEGMENT_SYN) {
		s->syns[packet->class_id]++;
		CHECK_INT(packet->slack_ps, 0);
	} else if (packet->flags & SEGMENT_ACK) {
		s->acks[packet->class_id]++;
		CHECK_INT(packet->slack_ps, 0);
	} else {
		CHECK(number < NUMBERS_MAX);
		s->data[packet->class_id]++;
		if (s->times[number]++) {
			s->again[packet->class_id]++;
			CHECK_INT(packet->class_id, s->class_of[number]);
			CHECK_INT(packet->slack_ps, s->slack_ps[number]);
		}
		s->class_of[number] = packet->class_id;
		s->slack_ps[number] = packet->slack_ps;
		s->count = number >= s->count ? number + 1 : s->count;
	}
}

/* Runs with taps on both directions of h0's link: what it sends and what it is sent. */
static void run_tapped(struct sim *s, struct seen *sent, struct seen *received)
{
	const struct tap taps[] = { { "h0->sw", see, sent }, { "sw->h0", see, received } };
	const struct run_control control = { .threads = 1, .tap_count = 2, .taps = taps };
	struct weir_error e = { "" };

	memset(sent, 0, sizeof(*sent));
	memset(received, 0, sizeof(*received));
	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

#define STAR \
	"[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 5us\n" \
	"[switch]\nqueues = 5\nscheduler = sp\n[host]\nmss = 1460B\nhandshake = yes\n"

/* One flow from h0 to h1 with these lines; what h0 sent. */
static void send_one(struct seen *sent, struct seen *received, const char *size, const char *lines)
{
	struct sim s;

	sim_read(&s,
		 STAR "[traffic x]\npattern = list\nflow = 0 1 %s 0us\n%s"
		      "[measure]\nto = 2ms\ndrain = 0us\n",
		 size, lines);
	run_tapped(&s, sent, received);
	sim_end(&s);
}

static void check_first(const char *size, const char *first_bytes, uint64_t first, uint64_t rest)
{
	static struct seen sent, received;
	char lines[64];

	snprintf(lines, sizeof(lines), "class = 2\nfirst-bytes = %s\nfirst-class = 1\n",
		 first_bytes);
	send_one(&sent, &received, size, lines);
	CHECK_INT(sent.data[1], first);
	CHECK_INT(sent.data[2], rest);
	CHECK_INT(sent.count, first + rest);
	for (uint32_t i = 0; i < sent.count; i++)
		CHECK_INT(sent.class_of[i], i < first ? 1 : 2);
}

/* 69 packets of 1460 bytes are the first that reach 100,000 bytes; 150,000 take 103. */
TEST(test_packets_that_start_in_the_first_bytes_have_their_class)
{
	check_first("150KB", "100KB", 69, 34);
	check_first("100KB", "100KB", 69, 0);
	check_first("100740B", "100KB", 69, 0);
	check_first("100741B", "100KB", 69, 1);
	check_first("1B", "100KB", 1, 0);
	check_first("14600B", "1B", 1, 9);
	check_first("14600B", "1460B", 1, 9);
	check_first("14600B", "1461B", 2, 8);
	check_first("14600B", "0B", 0, 10);
	check_first("14600B", "1000GB", 10, 0);
}

TEST(test_unlimited_flows_have_first_bytes_too)
{
	static const char *const lines =
		"class = 2\nfirst-bytes = 100KB\nfirst-class = 1\nstop = 1ms\n";
	static struct seen sent, received;

	send_one(&sent, &received, "unlimited", lines);
	CHECK_INT(sent.data[1], 69);
	CHECK(sent.data[2] > 500);
}

/* An application that writes a segment each 292 ns stops at 60 us with 205 of them written, of
 * which the line has taken 50 at most. */
TEST(test_the_class_changes_also_after_the_application_has_stopped)
{
	static struct seen sent, received;
	struct sim s;

	sim_read(&s, STAR "[traffic x]\npattern = many-to-one\nsenders = 1\nreceiver = 1\n"
			  "size = unlimited\napp-rate = 40Gbps\nstop = 60us\n"
			  "class = 2\nfirst-bytes = 100KB\nfirst-class = 1\n"
			  "[measure]\nto = 2ms\n");
	run_tapped(&s, &sent, &received);
	CHECK_INT(sent.data[1], 69);
	CHECK_INT(sent.data[2], 205 - 69);
	sim_end(&s);
}

/* A flow of 200,000 bytes is segments 0 to 136, one of 50,000 that comes at the same time 137 to
 * 171, and one of 150,000 that comes when all is quiet 172 to 274. */
TEST(test_each_message_of_a_connection_has_first_bytes)
{
	static struct seen sent, received;
	struct sim s;

	sim_read(&s, STAR "[traffic x]\npattern = list\nconnections = persistent\n"
			  "flow = 0 1 200KB 0us; 0 1 50KB 0us; 0 1 150KB 10ms\n"
			  "class = 3\nfirst-bytes = 100KB\n");
	run_tapped(&s, &sent, &received);
	CHECK_INT(sent.count, 275);
	for (uint32_t i = 0; i < sent.count; i++) {
		int first = i < 69 || (i >= 137 && i < 172 + 69);

		CHECK_INT(sent.class_of[i], first ? 0 : 3);
	}
	CHECK_INT(sent.data[0], 69 + 35 + 69);
	CHECK_INT(sent.data[3], 68 + 34);
	sim_end(&s);
}

/* Flows in turn: the messages of one connection differ in class, and so do their ACKs. 20,000 bytes
 * are 14 segments. */
TEST(test_messages_of_a_connection_have_classes_of_their_own_by_turn)
{
	static struct seen sent, received;
	struct sim s;

	sim_read(&s, STAR "[traffic x]\npattern = list\nconnections = persistent\n"
			  "flow = 0 1 20KB 0us; 0 1 20KB 1ms; 0 1 20KB 2ms; 0 1 20KB 3ms\n"
			  "class = 1\nclasses = 3\n[measure]\nto = 4ms\n");
	run_tapped(&s, &sent, &received);
	for (uint32_t i = 0; i < 56; i++)
		CHECK_INT(sent.class_of[i], 1 + i / 14 % 3);
	CHECK_INT(sent.count, 56);
	CHECK_INT(received.acks[1], 28);
	CHECK_INT(received.acks[2], 14);
	CHECK_INT(received.acks[3], 14);
	sim_end(&s);
}

/* Eight packets of buffer, which three others keep full for 40 ms: packets of both classes are lost
 * and sent again. The tap checks that each has the class and the slack it had before. 300,000 bytes
 * are 206 segments, the first 100,000 of them 69. */
TEST(test_packets_sent_again_keep_class_and_slack)
{
	static struct seen sent, received;
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 5us\n"
		     "[switch]\nqueues = 2\nscheduler = sp\nbuffer = 8pkts\nmarking = none\n"
		     "[host]\ncc = reno\nmss = 1460B\n"
		     "[traffic x]\npattern = list\nconnections = persistent\n"
		     "flow = 0 4 300KB 1us; 0 4 300KB 2us; 0 4 300KB 3us\n"
		     "class = 1\nfirst-bytes = 100KB\nslack = 7us\nslack-per-kb = 1ns\n"
		     "[traffic others]\npattern = list\nstop = 40ms\n"
		     "flow = 1 4 unlimited 0us; 2 4 unlimited 0us; 3 4 unlimited "
		     "0us\n[measure]\nto = 200ms\n");
	run_tapped(&s, &sent, &received);
	CHECK(sent.again[0] > 5 && sent.again[1] > 5);
	for (uint32_t i = 0; i < sent.count; i++) {
		CHECK_INT(sent.class_of[i], i % 206 >= 69);
		CHECK_INT(sent.slack_ps[i], 7300000);
	}
	CHECK_INT(sent.count, 3 * 206);
	sim_end(&s);
}

/* --- ACKs --- */

/* A SYN has the class of the first packet, its answer that of ACKs. */
static void check_acks(const char *lines, uint8_t syn_class, uint8_t ack_class)
{
	static struct seen sent, received;

	send_one(&sent, &received, "150KB", lines);
	for (uint8_t i = 0; i < CLASSES; i++) {
		CHECK_INT(sent.syns[i], i == syn_class);
		CHECK_INT(received.syns[i], i == ack_class);
		CHECK_INT(received.acks[i], i == ack_class ? 103 : 0);
	}
}

TEST(test_acks_have_the_class_of_the_first_packet_unless_given)
{
	check_acks("class = 3\n", 3, 3);
	check_acks("class = 3\nack-class = data\n", 3, 3);
	check_acks("class = 3\nack-class = 0\n", 3, 0);
	check_acks("ack-class = 4\n", 0, 4);
	check_acks("class = 3\nfirst-bytes = 100KB\nfirst-class = 1\n", 1, 1);
	check_acks("class = 3\nfirst-bytes = 100KB\nfirst-class = 1\nack-class = 3\n", 1, 3);
}

/* --- slack --- */

/* Slack + size in KB x slack-per-kb; 150,000 bytes at 3 ns are 450 ns. */
TEST(test_data_carries_the_slack_of_its_flow)
{
	static struct seen sent, received;

	send_one(&sent, &received, "150KB", "slack = 2us\nslack-per-kb = 3ns\n");
	for (uint32_t i = 0; i < sent.count; i++)
		CHECK_INT(sent.slack_ps[i], 2450000);
	send_one(&sent, &received, "999B", "slack-per-kb = 1us\n");
	CHECK_INT(sent.slack_ps[0], 999000);
	send_one(&sent, &received, "150KB", "");
	CHECK_INT(sent.slack_ps[0], 0);
}

/* 1000 s for each KB of 1 TB, and of a flow without end: a month, which can be added to any
 * time. */
TEST(test_slack_is_a_month_at_most)
{
	static struct seen sent, received;
	const int64_t month_ps = INT64_C(30) * 24 * 3600 * 1000000000 * 1000;

	send_one(&sent, &received, "1000GB", "slack-per-kb = 1000s\nslack = 1000s\n");
	CHECK_INT(sent.slack_ps[0], month_ps);
	send_one(&sent, &received, "unlimited", "slack-per-kb = 1ps\n");
	CHECK_INT(sent.slack_ps[0], month_ps);
}

/* The tap looks at each of them; by the second connection their memory has held data. */
TEST(test_syns_and_acks_have_no_slack)
{
	static struct seen sent, received;

	send_one(&sent, &received, "150KB", "flow = 0 1 150KB 1ms; 1 0 150KB 1ms\nslack = 1us\n");
	CHECK_INT(sent.syns[0], 3);
	CHECK_INT(received.syns[0], 3);
	CHECK_INT(sent.acks[0], 103);
	CHECK_INT(received.acks[0], 206);
}

TEST(test_each_message_of_a_connection_has_its_slack)
{
	static struct seen sent, received;
	struct sim s;

	sim_read(&s, STAR "[traffic x]\npattern = list\nconnections = persistent\n"
			  "flow = 0 1 14600B 0us; 0 1 1460B 0us; 0 1 1460B 1ms\n"
			  "slack = 1us\nslack-per-kb = 1us\n");
	run_tapped(&s, &sent, &received);
	CHECK_INT(sent.count, 12);
	for (uint32_t i = 0; i < 12; i++)
		CHECK_INT(sent.slack_ps[i], i < 10 ? 15600000 : 2460000);
	sim_end(&s);
}

/* --- nothing else changes --- */

static void run_fabric(struct sim *s, const char *lines, uint32_t threads)
{
	sim_read(s,
		 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 4\n"
		 "rate = 10Gbps\nfabric-rate = 10Gbps\ndelay = 3us\n"
		 "[switch]\nqueues = 5\nscheduler = sp-dwrr(priority-queues=1)\nbuffer = 60pkts\n"
		 "marking = tcn(threshold=40us)\n"
		 "[traffic x]\npattern = all-to-all\nsizes = uniform(min=1KB, max=400KB)\n"
		 "load = 0.7\nflows = 200\nclass = 1\n%s",
		 lines);
	sim_run(s, threads);
	CHECK_INT(sim_metric(s, "flows_completed"), 200);
	CHECK(sim_metric(s, "drops") > 10);
}

TEST(test_settings_that_say_what_is_so_anyway_change_nothing)
{
	struct sim plain, said;

	run_fabric(&plain, "", 1);
	run_fabric(&said,
		   "classes = 1\nclass-by = pair\nack-class = 1\nfirst-bytes = 0B\n"
		   "first-class = 2\nslack = 5us\n",
		   1);
	sim_check_same(&plain.r, &said.r);
	sim_end(&plain);
	sim_end(&said);
}

TEST(test_threads_agree_on_classes)
{
	static const char lines[] = "classes = 4\nclass-by = flow\nfirst-bytes = 50KB\n"
				    "connections = persistent\nslack-per-kb = 1us\n";
	struct sim one, three;

	run_fabric(&one, lines, 1);
	run_fabric(&three, lines, 3);
	sim_check_same(&one.r, &three.r);
	sim_end(&one);
	sim_end(&three);
}

/* --- what it is for --- */

/* TCN, sections 6.1.2 and 6.1.3: eight hosts send to one at 1 Gb/s, web search flows at a load of
 * 0.9 in four services, a round trip of 250 us (most of it in the hosts), 96 KB of buffer a port.
 * Differs: each flow has a connection of its own, since ours stay open without a second one for a
 * flow that comes while the first is busy. */
static double small_mean_us(const char *scheduler, int queues, const char *classes)
{
	double small_us;
	struct sim s;

	sim_read(
		&s,
		"[network]\ntopology = star\nhosts = 9\nrate = 1Gbps\ndelay = 5us\n"
		"[switch]\nqueues = %d\nscheduler = %s\nmarking = tcn(threshold=256us)\n"
		"buffer = 96KB\n"
		"[host]\nrto-min = 10ms\nprocessing-delay = 102us\n"
		"[traffic web]\npattern = all-to-one\nsizes = websearch\nload = 0.9\nflows = 1000\n"
		"classes = 4\n%s[measure]\ndrain = 10s\n",
		queues, scheduler, classes);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 1000);
	small_us = sim_metric(&s, "fct_small_mean_ns") / 1e3;
	printf("%s: small %.1f us, p99 %.1f us, large %.1f ms, all %.1f ms, drops %.0f\n",
	       scheduler, small_us, sim_metric(&s, "fct_small_p99_ns") / 1e3,
	       sim_metric(&s, "fct_large_mean_ns") / 1e6, sim_metric(&s, "fct_mean_ns") / 1e6,
	       sim_metric(&s, "drops"));
	sim_end(&s);
	return small_us;
}

/* The paper's testbed: 3733 us without and 1073 us with, 71.3 % lower. */
TEST(test_first_bytes_ahead_of_services_make_small_flows_faster)
{
	double without = small_mean_us("dwrr", 4, "");
	double with = small_mean_us("sp-dwrr(priority-queues=1)", 5,
				    "class = 1\nfirst-bytes = 100KB\nfirst-class = 0\n");

	CHECK_NEAR(1 - with / without, 0.713, 0.1);
}
