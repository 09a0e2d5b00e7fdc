/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lossless.c -- networks that pause instead of losing: nothing is lost, a pause takes effect
 * when and where it must, and what it does to others is there to be seen. */
#include "tests/sim.h"
#include <math.h>

#define LOSSLESS "marking = none\nbuffer-per = switch\n"

/* A class of a link, by the link's name. All zero where it never was paused. */
static struct pause_result pause_of(const struct sim *s, const char *name, uint32_t class_id)
{
	struct weir_error e = { "" };
	int64_t link = link_find(&s->r.network, name, &e);

	CHECK(link >= 0);
	for (uint32_t i = 0; i < s->r.pause_count; i++)
		if (s->r.pauses[i].link == link && s->r.pauses[i].class_id == class_id)
			return s->r.pauses[i];
	return (struct pause_result){ 0 };
}

/* --- nothing is lost --- */

/* 256 queue pairs at line rate into one port. Headroom is 257 times: a packet and eight frames on
 * the way out, a packet on the way in, 2 us of travel and two packets, 29752 bytes; 7.65 MB. So the
 * pool has little more than a packet for each. */
static void run_incast(struct sim *s, const char *more)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 257\nrate = 100Gbps\ndelay = 1us\n"
		 "[switch]\n" LOSSLESS "lossless = 0\nbuffer = 8MB\npfc-reserved = 0B\n%s\n"
		 "[host]\ncc = line-rate\n"
		 "[traffic x]\npattern = many-to-one\nsize = 50KB\n",
		 more);
	sim_run(s, 1);
}

TEST(test_lossless_256_to_1_incast_loses_nothing)
{
	struct sim s;

	run_incast(&s, "");
	CHECK_INT(sim_metric(&s, "drops"), 0);
	CHECK_INT(sim_metric(&s, "retransmits"), 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), 256);
	CHECK(s.r.pause_count == 256);
	CHECK(sim_metric(&s, "utilisation") > 0.99);
	CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 0);
	sim_end(&s);
}

/* 2 us at 100 Gb/s are 25 KB; 5 KB are too little. What is lost is counted, and sent again. */
TEST(test_lossless_with_too_little_headroom_loses_and_says_so)
{
	struct sim s;

	run_incast(&s, "pfc-headroom = 5KB\npfc-alpha = 1/64");
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK(sim_metric(&s, "retransmits") >= sim_metric(&s, "drops"));
	CHECK_INT(sim_metric(&s, "flows_completed"), 256);
	for (uint32_t i = 0; i < s.r.reason_count; i++)
		CHECK(s.r.reasons[i].is_mark ||
		      strcmp(s.r.reasons[i].name, "shared buffer full") == 0);
	sim_end(&s);
}

/* Pause frames wait behind data here: every host receives, too. Headroom is for that. Packets are
 * all of one size, or far from it. */
TEST(test_lossless_loses_nothing_while_frames_wait_behind_data)
{
	static const char *const sizes[] = { "size = 400KB", "sizes = uniform(min=1B, max=100KB)" };

	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = dumbbell\nleft-hosts = 12\nright-hosts = 12\n"
			 "rate = 25Gbps\nfabric-rate = 100Gbps\ndelay = 2us\nfabric-delay = 5us\n"
			 "[switch]\n" LOSSLESS "lossless = all\nbuffer = 1MB\nqueues = 2\n"
			 "scheduler = dwrr\npfc-reserved = 0B\npfc-margin = 0B\npfc-alpha = 1\n"
			 "[host]\ncc = line-rate\n[rdma]\nmtu = 4000B\n"
			 "[traffic to]\npattern = many-to-one\nreceiver = 20\n%s\n"
			 "[traffic fro]\npattern = many-to-one\nreceiver = 3\nclass = 1\n%s\n"
			 "[traffic all]\npattern = permutation\n%s\n",
			 sizes[i], sizes[i], sizes[i]);
		sim_run(&s, 1);
		CHECK_INT(sim_metric(&s, "drops"), 0);
		CHECK_INT(sim_metric(&s, "retransmits"), 0);
		CHECK_INT(sim_metric(&s, "flows_completed"), 23 + 23 + 24);
		CHECK(sim_metric(&s, "pause_ns") > 100000);
		sim_end(&s);
	}
}

/* --- to the picosecond --- */

enum { STARTS_MAX = 16 };

struct starts {
	int64_t ps[STARTS_MAX];
	uint32_t count;
};

static void see_start(void *context, int64_t start_ps, const struct weir_packet *packet,
		      const struct flow *flow)
{
	struct starts *s = context;

	(void)packet;
	(void)flow;
	if (s->count < STARTS_MAX)
		s->ps[s->count++] = start_ps;
}

static void run_with_taps(struct sim *s, const struct tap *taps, uint32_t count)
{
	const struct run_control control = { .threads = 1, .tap_count = count, .taps = taps };
	struct weir_error e = { "" };

	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* h0 and h1 send to h2 at 10 Gb/s from 0 on, 1 us away: packets of 1048 bytes, 838.4 ns, arrive in
 * pairs at 1838.4 and every 838.4 ns from then on; one leaves in that time. The shared buffer has
 * three packets, alpha is 1: an ingress port is paused when it has as much as is free. At, in ns:
 *
 *	2676.8	h0's second and h1's second are queued; 1048 of 1048 bytes free: h1 is paused,
 *		51.2 + 1000 ns later
 *	3515.2	h0's second leaves, its third arrives: the same for h0. h1's third goes to headroom
 *	3728.0	h1 is paused while its fifth packet is on the link, until 4192.0
 *	4353.6	h1's second leaves: headroom is empty, h1 is resumed; its fourth arrives: it is
 *		paused again, the frame right behind the other
 *	4566.4	h0 is paused with its sixth on the link
 *	5404.8	h1 is resumed at once, and at 5456.0 is paused again
 *	5192.0	the same for h0, which is resumed at 6243.2 */
static void check_pause_times(uint32_t header_bytes)
{
	static const int64_t expected0[] = {
		0, 838400, 1676800, 2515200, 3353600, 4192000, 6243200
	};
	static const int64_t expected1[] = { 0, 838400, 1676800, 2515200, 3353600, 5404800 };
	struct starts h0 = { { 0 }, 0 }, h1 = { { 0 }, 0 };
	const struct tap taps[] = { { "h0->sw", see_start, &h0 }, { "h1->sw", see_start, &h1 } };
	struct pause_result p;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
		 "[switch]\n" LOSSLESS "lossless = 0\nbuffer = 153144B\npfc-headroom = 50000B\n"
		 "pfc-reserved = 0B\npfc-margin = 0B\npfc-alpha = 1\n"
		 "[host]\ncc = line-rate\n[rdma]\nheader = %uB\nmtu = %uB\n"
		 "[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = unlimited\n"
		 "[measure]\nto = 6250ns\n",
		 header_bytes, 1048 - header_bytes);
	run_with_taps(&s, taps, 2);
	CHECK_INT(h0.count, 7);
	for (uint32_t i = 0; i < h0.count; i++)
		CHECK_INT(h0.ps[i], expected0[i]);
	CHECK_INT(h1.count, 6);
	for (uint32_t i = 0; i < h1.count; i++)
		CHECK_INT(h1.ps[i], expected1[i]);

	p = pause_of(&s, "h0->sw", 0);
	CHECK_INT(p.pauses, 1);
	CHECK_INT(p.paused_ps, 6243200 - 4566400);
	p = pause_of(&s, "h1->sw", 0);
	CHECK_INT(p.pauses, 2);
	CHECK_INT(p.paused_ps, 5404800 - 3728000 + 6250000 - 5456000);
	CHECK_INT(s.r.pause_count, 2);
	CHECK_NEAR(sim_metric(&s, "pause_ns"), 1676.8 + 1676.8 + 794.0, 1e-6);
	CHECK_NEAR(sim_metric(&s, "pause_fraction"), 4147.6 / 6250 / 6, 1e-9);
	CHECK_NEAR(sim_metric(&s, "pause_bps"), 3 * 512 / 6250e-9, 1e-3);
	sim_end(&s);
}

TEST(test_pause_takes_effect_after_the_frame_on_the_link)
{
	check_pause_times(48);
}

/* A pause frame is then the shortest frame there is, and sets the window in which nodes work
 * alone. */
TEST(test_pause_frames_may_be_shorter_than_every_packet)
{
	check_pause_times(100);
}

/* --- what a pause does to others --- */

/* h0 and h1 on the left, h2 to h7 on the right. h0 and four of the right send to h7; h1 sends to
 * h6, whose link is idle otherwise. */
static void run_victim(struct sim *s, uint32_t class_id)
{
	sim_read(s,
		 "[network]\ntopology = dumbbell\nleft-hosts = 2\nright-hosts = 6\nrate = 10Gbps\n"
		 "delay = 1us\n"
		 "[switch]\n" LOSSLESS "lossless = all\nbuffer = 500KB\nqueues = 2\n"
		 "scheduler = dwrr\n"
		 "[host]\ncc = line-rate\n"
		 "[traffic incast]\npattern = list\nflow = 0 7 unlimited 0us\n"
		 "flow = 2 7 unlimited 0us\nflow = 3 7 unlimited 0us\nflow = 4 7 unlimited 0us\n"
		 "flow = 5 7 unlimited 0us\n"
		 "[traffic victim]\npattern = list\nflow = 1 6 unlimited 0us\nclass = %u\n"
		 "[measure]\nfrom = 1ms\nto = 6ms\n",
		 class_id);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "drops"), 0);
}

/* Frames per second at a port, over 5 ms, as Gb/s. */
static double gbps_at(const struct sim *s, const char *port)
{
	return (double)sim_port(s, port)->tx_bytes * 8 / 5e6;
}

/* h7's port serves its five ingress ports alike, so the left gets 2 Gb/s of it; packets of h0 and
 * h1 take turns on the link between the switches, so h1 gets as little, though nobody is in its
 * way. The pause has spread to h1's own link. */
TEST(test_a_victim_shares_the_pause_of_its_class)
{
	struct sim s;

	run_victim(&s, 0);
	CHECK_NEAR(gbps_at(&s, "right->h7"), 10, 0.02);
	CHECK_NEAR(gbps_at(&s, "right->h6"), 2, 0.2);
	CHECK(pause_of(&s, "left->right", 0).paused_ps > 0);
	CHECK(pause_of(&s, "h1->left", 0).paused_ps > 0);
	CHECK_INT(pause_of(&s, "h1->left", 1).paused_ps, 0);
	sim_end(&s);
}

/* In a class of its own it has all that h0 leaves of the link. */
TEST(test_a_victim_in_another_class_is_none)
{
	struct sim s;

	run_victim(&s, 1);
	CHECK_NEAR(gbps_at(&s, "right->h7"), 10, 0.02);
	CHECK_NEAR(gbps_at(&s, "right->h6"), 8, 0.2);
	CHECK(pause_of(&s, "left->right", 0).paused_ps > 0);
	CHECK_INT(pause_of(&s, "left->right", 1).paused_ps, 0);
	CHECK_INT(pause_of(&s, "left->right", 1).pauses, 0);
	sim_end(&s);
}

/* h0 sends class 0, which is paused most of the time, to h3, and class 1, which is never paused, to
 * h4: at its NIC a paused class must not hold up others, be it the first class or not. */
TEST(test_a_pause_of_one_class_does_not_stop_others_at_the_nic)
{
	for (uint32_t k = 0; k < 2; k++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 1us\n"
			 "[switch]\n" LOSSLESS "lossless = %u\nbuffer = 500KB\nqueues = 2\n"
			 "scheduler = dwrr\n[host]\ncc = line-rate\n"
			 "[traffic paused]\npattern = many-to-one\nsenders = 3\nreceiver = 3\n"
			 "size = unlimited\nclass = %u\n"
			 "[traffic other]\npattern = list\nflow = 0 4 unlimited 0us\ncc = reno\n"
			 "class = %u\n"
			 "[measure]\nfrom = 1ms\nto = 6ms\n",
			 k, k, 1 - k);
		sim_run(&s, 1);
		CHECK_INT(sim_metric(&s, "drops"), 0);
		CHECK(pause_of(&s, "h0->sw", k).paused_ps >
		      500 * (int64_t)WEIR_NS_PER_US * WEIR_PS_PER_NS);
		/* A third of 10 Gb/s goes to h3. */
		CHECK_NEAR(gbps_at(&s, "sw->h4"), 20.0 / 3, 0.2);
		sim_end(&s);
	}
}

/* Class 1 of h0 is paused for good: h1 fills the port with class 0, which goes first. New flows of
 * h0 begin in class 0 and go on in class 1; each may send what it has of class 0, and none a packet
 * of class 1: 200 of them would be 200 KB, and headroom is 6.3 KB. */
TEST(test_a_paused_class_stays_paused_when_flows_change_to_it)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\n" LOSSLESS "lossless = all\nbuffer = 100KB\nqueues = 2\n"
		     "scheduler = sp\n[host]\ncc = line-rate\n"
		     "[traffic full]\npattern = list\nflow = 1 2 unlimited 0us\n"
		     "[traffic first]\npattern = all-to-one\nreceiver = 2\nclass = 1\n"
		     "first-bytes = 3KB\nfirst-class = 0\nsizes = fixed(size=20KB)\nload = 0.3\n"
		     "flows = 200\n"
		     "[measure]\nto = 20ms\ndrain = 0us\n");
	sim_run(&s, 1);
	CHECK(pause_of(&s, "h0->sw", 1).paused_ps > 0);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	sim_end(&s);
}

/* --- lossy and lossless classes in one memory --- */

/* Greedy TCP without ECN may fill what is shared, and no more: headroom and reserved space of 5
 * ingress ports are not its own. 500 KB - 5 x (headroom 20 KB + reserved 4 KB) = 380 KB, 250 frames
 * of 1514 bytes. */
TEST(test_lossy_classes_leave_headroom_alone)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 1us\n"
		 "[switch]\n" LOSSLESS "lossless = 0\nbuffer = 500KB\nqueues = 2\n"
		 "pfc-headroom = 20KB\ndt-alpha = 128\nscheduler = dwrr\n"
		 "[host]\ncc = reno\n"
		 "[traffic tcp]\npattern = many-to-one\nreceiver = 4\nsize = unlimited\nclass = 1\n"
		 "[measure]\nto = 10ms\nport = sw->h4\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "drops") > 0);
	CHECK_INT(sim_metric(&s, "queue_max_pkts"), 250);
	sim_end(&s);
}

/* A queue pair's data in order and each packet once: nothing was lost on the way here. */
struct order {
	uint32_t next[64];
	uint64_t rdma_bytes, tcp_bytes, wrong;
};

static void see_order(void *context, int64_t start_ps, const struct weir_packet *packet,
		      const struct flow *flow)
{
	struct order *o = context;
	const struct segment {
		uint64_t path;
		uint32_t connection, number;
	} *segment = (const void *)packet->owner;

	(void)flow;
	if (start_ps < 20 * (int64_t)WEIR_NS_PER_MS * WEIR_PS_PER_NS)
		return;
	if (packet->class_id == 1) {
		o->tcp_bytes += packet->bytes;
		return;
	}
	o->rdma_bytes += packet->bytes;
	CHECK(segment->connection < 64);
	if (o->next[segment->connection] && o->next[segment->connection] != segment->number)
		o->wrong++;
	o->next[segment->connection] = segment->number + 1;
}

/* Runs TCP and a control for RDMA in two classes of a port; returns RDMA's share of its bytes. */
static double rdma_share(struct sim *s, const char *cc)
{
	struct order o = { { 0 }, 0, 0, 0 };
	const struct tap tap = { "sw->h16", see_order, &o };

	sim_read(s,
		 "[network]\ntopology = star\nhosts = 17\nrate = 25Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = red(min=50KB, max=200KB, p=20%%)\nnon-ect = pass\n"
		 "buffer = 1MB\nbuffer-per = switch\nlossless = 0\nqueues = 2\n"
		 "scheduler = dwrr(weights=7:3)\n"
		 "[traffic rdma]\npattern = many-to-one\nsenders = 8\nreceiver = 16\n"
		 "size = unlimited\ncc = %s\n"
		 "[traffic tcp]\npattern = many-to-one\nreceiver = 16\nsize = unlimited\n"
		 "cc = cubic\nclass = 1\n"
		 "[measure]\nfrom = 20ms\nto = 60ms\n",
		 cc);
	run_with_taps(s, &tap, 1);
	CHECK_INT(o.wrong, 0);
	CHECK(sim_metric(s, "drops") > 0);
	CHECK(sim_metric(s, "utilisation") > 0.99);
	return (double)o.rdma_bytes / (double)(o.rdma_bytes + o.tcp_bytes);
}

/* ACC's split: RDMA 70 %, TCP 30 % of a port by DWRR. CUBIC fills its share of the buffer and loses
 * packets; RDMA loses none. DCQCN is marked, and leaves TCP a little whenever its queue is empty;
 * queue pairs at line rate are paused. */
TEST(test_tcp_and_rdma_share_a_port_as_their_weights_say)
{
	struct sim s;

	CHECK_NEAR(rdma_share(&s, "dcqcn(preset=paper)"), 0.7, 0.021);
	CHECK(sim_metric(&s, "marks") > 0);
	CHECK_INT(s.r.pause_count, 0);
	sim_end(&s);
	CHECK_NEAR(rdma_share(&s, "line-rate"), 0.7, 0.001);
	CHECK(s.r.pause_count > 0);
	sim_end(&s);
}

/* Classes beyond those that can be paused are lossy, whatever their number: 33 is 1 but for 32. */
TEST(test_high_classes_are_never_paused)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\n" LOSSLESS "lossless = 1\nbuffer = 300KB\nqueues = 40\n"
		     "scheduler = dwrr\n[host]\ncc = line-rate\n"
		     "[traffic x]\npattern = many-to-one\nsize = unlimited\nclass = 33\n"
		     "[measure]\nto = 1ms\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "drops") > 0);
	CHECK_INT(s.r.pause_count, 0);
	sim_end(&s);
}

/* --- what is refused --- */

static void check_refused(const char *switches, const char *traffic, const char *message)
{
	struct scenario scenario;
	struct config c;
	struct weir_error e = { "" };
	char text[1024];
	int length = snprintf(text, sizeof(text),
			      "[network]\ntopology = star\n[switch]\nbuffer = 10MB\n%s\n"
			      "[traffic x]\npattern = many-to-one\nsize = 1MB\n%s\n",
			      switches, traffic);

	CHECK_INT(scenario_read_text(&scenario, "test", text, (size_t)length, &e), 0);
	CHECK(scenario_config(&scenario, &c, &e) != 0);
	CHECK_CONTAINS(e.text, message);
	scenario_free(&scenario);
}

/* A pause is for a class and a queue is what it stops: each lossless class needs one. */
TEST(test_lossless_classes_without_queue_or_headroom_are_refused)
{
	check_refused("lossless = 3\nbuffer-per = switch", "",
		      "switch.lossless: class 3, but a port has switch.queues = 1");
	check_refused("lossless = all\nbuffer-per = switch\nqueues = 12\nscheduler = dwrr", "",
		      "only 8 classes can be paused");
	check_refused("lossless = 0\nbuffer-per = switch\nscheduler = pifo(rank=class)",
		      "classes = 3", "classes count from 0");
	check_refused("lossless = 0\nbuffer-per = switch\npfc-headroom = 1513B", "",
		      "switch.pfc-headroom: 1513B holds no packet");
	check_refused("lossless = 0", "", "set buffer-per = switch");
	check_refused("lossless = 0:\nbuffer-per = switch", "", "it is none, all, or classes");
}

/* --- threads --- */

static void check_threads(const char *cc, const char *marking)
{
	struct sim s;
	struct run_result one;

	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 4\nspines = 2\nhosts-per-leaf = 6\n"
		 "rate = 25Gbps\nfabric-rate = 50Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = %s\nbuffer = 1MB\nbuffer-per = switch\nlossless = all\n"
		 "[host]\ncc = %s\n"
		 "[traffic web]\npattern = all-to-all\nsizes = uniform(min=1KB, max=300KB)\n"
		 "load = 0.6\nflows = 200\n"
		 "[traffic requests]\npattern = incast\nsenders = 20\nsize = 60KB\nperiod = 100us\n"
		 "flows = 200\n",
		 marking, cc);
	sim_run(&s, 1);
	one = s.r;
	memset(&s.r, 0, sizeof(s.r));
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&s, threads);
		sim_check_same(&one, &s.r);
		CHECK_INT(one.pause_count, s.r.pause_count);
		for (uint32_t i = 0; i < one.pause_count; i++) {
			CHECK_INT(one.pauses[i].link, s.r.pauses[i].link);
			CHECK_INT(one.pauses[i].pauses, s.r.pauses[i].pauses);
			CHECK_INT(one.pauses[i].paused_ps, s.r.pauses[i].paused_ps);
		}
	}
	run_result_free(&one);
	CHECK_INT(sim_metric(&s, "flows_completed"), 400);
	CHECK(s.r.pause_count > 4);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	sim_end(&s);
}

TEST(test_threads_agree_on_pauses_with_dcqcn)
{
	check_threads("dcqcn", "red(min=50KB, max=200KB, p=20%)");
}

/* A pause between switches stops all queues that the scheme has made. */
TEST(test_threads_agree_on_pauses_where_the_scheme_chooses_queues)
{
	check_threads("line-rate", "diffecn");
}

TEST(test_threads_agree_on_pauses_with_hpcc)
{
	check_threads("hpcc", "none");
}
