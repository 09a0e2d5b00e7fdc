/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fabric.c -- flow control between switches: bfc and floodgate in small networks, with bounds
 * that are computed by hand.
 *
 * Everywhere: host links of 100 Gb/s = 12.5 B/ns, 1 us long. A round trip of such a hop is 2 us,
 * its bandwidth-delay product 25,000 B. A full packet of a queue pair has 1048 B, 83.84 ns. */
#include "config/fabric.h"
#include "sim/core/host.h"
#include "tests/sim.h"
#include "weir/cc.h"

enum { PACKET = 1000 + 48, HOP_BDP = 25000, NIC_QUEUES = 1024 };

static double slowdown(const struct sim *s, uint32_t flow)
{
	return (double)sim_fct_ps(s, flow) / (double)s->r.ideal_ps[flow];
}

static void check_clean(const struct sim *s)
{
	CHECK_INT(sim_metric(s, "flows_completed"), s->r.flow_count);
	CHECK_INT(sim_metric(s, "drops"), 0);
	CHECK_INT(sim_metric(s, "timeouts"), 0);
}

/* --- both: a flow that shares a link with an incast, but not where it goes --- */

/* Eight hosts of one rack send to h0 in another; 300 us later h18, of the same rack, begins to send
 * to h1. Links to the spine have 400 Gb/s, so that nothing but h0's link is short. Flow 8 is the
 * victim. */
static void run_victim(struct sim *s, const char *switches, const char *cc)
{
	sim_read(s,
		 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 1\nhosts-per-leaf = 10\n"
		 "rate = 100Gbps\nfabric-rate = 400Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = red(min=400KB, max=1600KB, p=20%%)\nbuffer = 16MB\n"
		 "buffer-per = switch\n%s[host]\ncc = %s\n"
		 "[traffic incast]\npattern = list\n"
		 "flow = 10 0 4MB 0us; 11 0 4MB 0us; 12 0 4MB 0us; 13 0 4MB 0us; 14 0 4MB 0us;"
		 "15 0 4MB 0us; 16 0 4MB 0us; 17 0 4MB 0us\n"
		 "[traffic victim]\npattern = list\nflow = 18 1 4MB 300us\n",
		 switches, cc);
	sim_run(s, 1);
	CHECK_INT(s->r.flow_count, 9);
	CHECK_INT(sim_metric(s, "flows_completed"), 9);
	CHECK_INT(sim_metric(s, "drops"), 0);
}

/* With PFC alone all that the rack sends waits in one queue and gets on as fast as h0's link lets
 * it: nine flows share 100 Gb/s and a little more. */
TEST(test_pfc_alone_blocks_a_flow_behind_an_incast)
{
	struct sim s;

	run_victim(&s, "lossless = all\n", "line-rate");
	CHECK(slowdown(&s, 8) > 5);
	sim_end(&s);
}

TEST(test_bfc_spares_a_flow_that_shares_only_links_with_an_incast)
{
	struct sim s;

	run_victim(&s, "fabric = bfc\n", "line-rate");
	CHECK_NEAR(slowdown(&s, 8), 1, 0.02);
	for (uint32_t i = 0; i < 8; i++) /* and the others share what there is, evenly */
		CHECK_NEAR(slowdown(&s, i), 8, 0.2);
	sim_end(&s);
}

/* One queue for all flows: bfc then stops what PFC would. */
TEST(test_bfc_with_one_queue_blocks_like_pfc)
{
	struct sim s;

	run_victim(&s, "fabric = bfc(queues=1)\n", "line-rate");
	CHECK(slowdown(&s, 8) > 5);
	sim_end(&s);
}

TEST(test_floodgate_spares_flows_to_other_destinations)
{
	struct sim s;

	run_victim(&s, "lossless = all\nfabric = floodgate\n", "line-rate");
	CHECK_NEAR(slowdown(&s, 8), 1, 0.05);
	for (uint32_t i = 0; i < 8; i++)
		CHECK_NEAR(slowdown(&s, i), 8, 0.2);
	sim_end(&s);
	/* DCQCN lets the victim begin at line rate, and marks are few without a queue. */
	run_victim(&s, "lossless = all\nfabric = floodgate\n", "dcqcn(preset=paper)");
	CHECK(slowdown(&s, 8) < 1.5);
	sim_end(&s);
	run_victim(&s, "lossless = all\n", "dcqcn(preset=paper)");
	CHECK(slowdown(&s, 8) > 5);
	sim_end(&s);
}

/* --- bfc --- */

/* Two hosts send at line rate to a third. Each queue gets half a link's rate more than it sends,
 * and is too long at (HRTT + tau) mu / 2. The sender stops a round trip later, in which its queue
 * grows by HRTT mu / 2. Both together: (HRTT + tau) mu + HRTT mu, that is 25,000 B (2 + tau /
 * HRTT); the last packet is not yet there, or one is on the link. */
TEST(test_bfc_stops_a_queue_at_the_threshold)
{
	static const struct {
		const char *tau;
		double hops;
	} cases[] = { { "0", 0 }, { "1/2", 0.5 }, { "2", 2 }, { "8", 8 } };

	for (uint32_t i = 0; i < 4; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 1us\n"
			 "[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\n"
			 "fabric = bfc(tau=%s)\n[host]\ncc = line-rate\n"
			 "[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = 500KB\n",
			 cases[i].tau);
		sim_run(&s, 1);
		check_clean(&s);
		CHECK_NEAR(sim_port(&s, "sw->h2")->queue_max_pkts,
			   HOP_BDP * (2 + cases[i].hops) / PACKET, 3);
		sim_end(&s);
	}
}

/* Frames of BFC on the link to a host that sends one flow, and that flow's queue at the host's
 * NIC. */
struct bfc_frames {
	uint32_t pauses, resumes, other_kinds, other_queues;
	uint64_t data_queue;
};

static void see_bfc_frame(void *context, int64_t start_ps, const struct weir_packet *packet,
			  const struct flow *flow)
{
	struct bfc_frames *seen = context;
	const struct segment *segment = packet_segment((struct weir_packet *)packet);

	(void)start_ps;
	if (flow) {
		if (!(packet->flags & SEGMENT_ACK))
			seen->data_queue = host_flow_queue(packet->flow_hash, NIC_QUEUES);
		return;
	}
	seen->other_queues += segment->bfc_queue != seen->data_queue;
	if (segment->frame_kind == FRAME_BFC_PAUSE)
		seen->pauses++;
	else if (segment->frame_kind == FRAME_BFC_RESUME)
		seen->resumes++;
	else
		seen->other_kinds++;
}

/* Two hosts send to a third: at each of them the switch pauses the NIC queue of its flow, and no
 * other. Every pause ends, because both flows do. */
TEST(test_bfc_frames_name_the_queue_at_the_neighbour)
{
	struct bfc_frames seen = { .data_queue = UINT64_MAX };
	const struct tap taps[] = { { "h0->sw", see_bfc_frame, &seen },
				    { "sw->h0", see_bfc_frame, &seen } };
	const struct run_control control = {
		.threads = 1, .tap_count = 2, .taps = taps, .taps_see_frames = 1
	};
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\n"
		     "fabric = bfc(card-queues=1024)\n[host]\ncc = line-rate\n"
		     "[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = 500KB\n");
	CHECK_INT(run(&s.c, &control, &s.r, &e), 0);
	check_clean(&s);
	CHECK(seen.pauses > 0);
	CHECK_INT(seen.resumes, seen.pauses);
	CHECK_INT(seen.other_kinds, 0);
	CHECK_INT(seen.other_queues, 0);
	sim_end(&s);
}

/* The same with the round trip given and not found: twice as long, twice the threshold. */
TEST(test_bfc_takes_the_round_trip_of_a_hop_that_it_is_told)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\n"
		     "fabric = bfc(hop-rtt=4us, tau=0)\n[host]\ncc = line-rate\n"
		     "[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = 500KB\n");
	sim_run(&s, 1);
	CHECK_NEAR(sim_port(&s, "sw->h2")->queue_max_pkts, HOP_BDP * (2 + 1.0) / PACKET, 3);
	sim_end(&s);
}

/* 64 to 1, two bandwidth-delay products each: 2 x 12.5 B/ns x (4 us + 2 x 1096 B / 12.5 B/ns) = 104
 * KB. 32 queues are busy at once, so a second packet of a flow finds its queue too long: 2 x 1048 x
 * 32 is more than 37,500. The frame then waits for an ACK (48 B, 3.84 ns), takes 5.12 ns and 1 us,
 * the sender ends a packet, and what it sent is 1 us long: (2000 + 9 + 84) / 83.84 = 25 packets
 * more. A flow that goes on again has none here but those that came before a queue was too long, in
 * all no more than 37,500 B. So at most 64 x 27 packets, and 36; without bfc nearly all 64 x 104
 * wait at once. */
TEST(test_bfc_bounds_what_an_incast_leaves_in_the_buffer)
{
	static const char *const fabrics[] = { "bfc", "bfc(queues=8)", "none" };

	for (uint32_t i = 0; i < 3; i++) {
		struct sim s;
		uint32_t most;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 65\nrate = 100Gbps\ndelay = 1us\n"
			 "[switch]\nmarking = none\nbuffer = 32MB\nbuffer-per = switch\nfabric = "
			 "%s\n"
			 "[host]\ncc = line-rate\n"
			 "[traffic x]\npattern = many-to-one\nreceiver = 64\nsize = 104KB\n",
			 fabrics[i]);
		sim_run(&s, 1);
		check_clean(&s);
		most = sim_port(&s, "sw->h64")->queue_max_pkts;
		if (i < 2)
			CHECK(most <= 64 * 27 + 36);
		else
			CHECK(most > 64 * 104 * 9 / 10);
		sim_end(&s);
	}
}

/* A host sends to h2, which three others send to as well, and to h3, which has nobody else. The
 * flow to h2 is paused and has a fourth of a link: the other has the rest and takes 4/3 of its
 * time. Where the NIC has but one queue, both are paused together, and sending in turn get the
 * same. */
static double beside_a_stopped_flow(const char *fabric)
{
	struct sim s;
	double x;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 7\nrate = 100Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\nfabric = %s\n"
		 "[host]\ncc = line-rate\n[traffic x]\npattern = list\n"
		 "flow = 0 2 4MB 0us; 4 2 4MB 0us; 5 2 4MB 0us; 6 2 4MB 0us; 0 3 2MB 50us\n",
		 fabric);
	sim_run(&s, 1);
	check_clean(&s);
	CHECK_INT(s.r.flows[4].dst, 3);
	x = slowdown(&s, 4);
	sim_end(&s);
	return x;
}

TEST(test_bfc_stops_a_flow_and_not_its_host)
{
	CHECK_NEAR(beside_a_stopped_flow("bfc"), 4.0 / 3, 0.1);
	CHECK(beside_a_stopped_flow("bfc(card-queues=1)") > 3);
}

/* A table of one entry makes all flows of a port one flow, with one queue: the victim is stopped
 * with the others although there are queues. */
TEST(test_bfc_takes_flows_that_meet_in_the_table_for_one)
{
	struct sim s;

	run_victim(&s, "fabric = bfc(table=1)\n", "line-rate");
	CHECK(slowdown(&s, 8) > 5);
	sim_end(&s);
}

/* Where the buffer is too small packets are lost and sent again, and bfc loses count of nothing. */
TEST(test_bfc_survives_losses)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 6\n"
		 "rate = 100Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = none\nbuffer = 60KB\nbuffer-per = switch\n"
		 "fabric = bfc(queues=4, table=8)\n[host]\ncc = line-rate\n[rdma]\nrto = 100us\n"
		 "[traffic x]\npattern = incast\nsenders = 12\nsize = 50KB\nperiod = 100us\n"
		 "receiver = random\nflows = 240\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 240);
	CHECK(sim_metric(&s, "drops") > 10);
	sim_end(&s);
}

/* TCP obeys as well; ACKs and notifications have their own queue and are not paused. */
TEST(test_bfc_carries_every_transport)
{
	static const char *const controls[] = { "dctcp", "dcqcn(preset=paper)", "hpcc",
						"line-rate(window=bdp)" };

	for (uint32_t i = 0; i < 4; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = fat-tree\nk = 4\nrate = 100Gbps\ndelay = 1us\n"
			 "[switch]\nmarking = ecn(k=100KB)\nbuffer = 16MB\nbuffer-per = switch\n"
			 "fabric = bfc(queues=6)\n[host]\ncc = %s\n"
			 "[traffic x]\npattern = incast\nsenders = 15\nsize = 100KB\nperiod = "
			 "200us\n"
			 "receiver = random\nflows = 150\n",
			 controls[i]);
		sim_run(&s, 1);
		check_clean(&s);
		sim_end(&s);
	}
}

/* --- floodgate --- */

/* Links between switches of 400 Gb/s = 50 B/ns: 1.5 x 50 x 2000 + 50 x 10,000 = 650,000 B, 620
 * packets. No more than that is on its way to h0 behind the rack, or behind the spine, whatever is
 * sent: in the queues of the ports on the way as at the last one, where nearly all of it waits but
 * what is on the link from the spine, 50,000 B, and credit for 10,240 B. */
TEST(test_floodgate_keeps_an_incast_out_of_the_core)
{
	enum { WINDOW_PKTS = 650000 / PACKET };
	struct sim s;

	run_victim(&s, "lossless = all\nfabric = floodgate\n", "line-rate");
	CHECK(sim_port(&s, "leaf1->spine0")->queue_max_pkts <= WINDOW_PKTS);
	CHECK(sim_port(&s, "spine0->leaf0")->queue_max_pkts <= WINDOW_PKTS);
	CHECK(sim_port(&s, "leaf0->h0")->queue_max_pkts <= WINDOW_PKTS);
	CHECK(sim_port(&s, "leaf0->h0")->queue_max_pkts > WINDOW_PKTS - (50000 + 10240) / PACKET);
	sim_end(&s);
	run_victim(&s, "lossless = all\n", "line-rate");
	CHECK(sim_port(&s, "leaf1->spine0")->queue_max_pkts > 4 * WINDOW_PKTS);
	CHECK(sim_port(&s, "spine0->leaf0")->queue_max_pkts > 2 * WINDOW_PKTS);
	sim_end(&s);
}

/* 3 x 100,000 + 50 x 4000 = 500,000 B; and 50 x 4000 + a tenth of 100,000 = 210,000 B. */
TEST(test_floodgate_window_is_of_the_hop_and_the_timer)
{
	static const struct {
		const char *fabric;
		uint32_t bytes;
	} cases[] = {
		{ "lossless = all\nfabric = floodgate(window=3, credit-timer=4us)\n", 500000 },
		{ "lossless = all\nfabric = floodgate(window=0.1, credit-timer=4us)\n", 210000 },
	};

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t most = cases[i].bytes / PACKET;
		struct sim s;

		run_victim(&s, cases[i].fabric, "line-rate");
		CHECK(sim_port(&s, "leaf0->h0")->queue_max_pkts <= most);
		CHECK(sim_port(&s, "leaf0->h0")->queue_max_pkts > most - (50000 + 10240) / PACKET);
		sim_end(&s);
	}
}

/* Whatever the options, what waits goes on in the end: a window of less than a packet is one
 * packet, shared queues of destinations move, credit that was kept is given. */
TEST(test_floodgate_never_stalls)
{
	static const char *const fabrics[] = {
		"floodgate(voqs=1)", "floodgate(hold=0)", "floodgate(credit=1B, credit-timer=1ns)",
		"floodgate(window=0.015625, credit=1MB, credit-timer=1us, voqs=2, hold=0)"
	};

	for (uint32_t i = 0; i < 4; i++) {
		struct sim s;

		sim_read(
			&s,
			"[network]\ntopology = fat-tree\nk = 4\nrate = 25Gbps\ndelay = 100ns\n"
			"[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\n"
			"lossless = all\nfabric = %s\n[host]\ncc = hpcc\n[rdma]\nrto = 50ms\n"
			"[traffic x]\npattern = all-to-all\nsizes = uniform(min=1KB, max=100KB)\n"
			"load = 0.8\nflows = 200\n"
			"[traffic y]\npattern = incast\nsenders = 12\nsize = 50KB\nperiod = 100us\n"
			"receiver = random\nflows = 120\n",
			fabrics[i]);
		sim_run(&s, 1);
		check_clean(&s);
		sim_end(&s);
	}
}

/* Below the switch of the destination there is no other: in a star nothing changes. */
TEST(test_floodgate_has_no_window_for_hosts_of_its_own)
{
	static const char *const fabrics[] = { "none", "floodgate" };
	struct sim s[2];

	for (uint32_t i = 0; i < 2; i++) {
		sim_read(&s[i],
			 "[network]\ntopology = star\nhosts = 9\nrate = 100Gbps\ndelay = 1us\n"
			 "[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\n"
			 "lossless = all\nfabric = %s\n[host]\ncc = line-rate\n"
			 "[traffic x]\npattern = many-to-one\nsize = 200KB\n",
			 fabrics[i]);
		sim_run(&s[i], 1);
	}
	CHECK_INT(s[0].r.flow_count, 8);
	for (uint32_t i = 0; i < 8; i++)
		CHECK_INT(sim_fct_ps(&s[0], i), sim_fct_ps(&s[1], i));
	sim_end(&s[0]);
	sim_end(&s[1]);
}

/* --- threads --- */

static void check_threads(const char *switches, const char *cc)
{
	struct run_result one;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = fat-tree\nk = 4\nrate = 25Gbps\ndelay = 700ns\n"
		 "[switch]\nmarking = ecn(k=50KB)\nbuffer = 4MB\nbuffer-per = switch\n%s"
		 "[host]\ncc = %s\n"
		 "[traffic x]\npattern = all-to-all\nsizes = uniform(min=1KB, max=200KB)\n"
		 "load = 0.6\nflows = 100\n"
		 "[traffic y]\npattern = incast\nsenders = 12\nsize = 50KB\nperiod = 150us\n"
		 "receiver = random\nflows = 96\n",
		 switches, cc);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 196);
	one = s.r;
	memset(&s.r, 0, sizeof(s.r));
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&s, threads);
		sim_check_same(&one, &s.r);
	}
	run_result_free(&one);
	sim_end(&s);
}

TEST(test_threads_agree_on_bfc)
{
	check_threads("fabric = bfc(queues=5, table=15, card-queues=4)\n", "line-rate");
}

TEST(test_threads_agree_on_floodgate)
{
	check_threads("lossless = all\nfabric = floodgate(voqs=3)\n", "dcqcn(preset=paper)");
}

/* --- what is refused, and what is written down --- */

static void check_refused(const char *switches, const char *message)
{
	struct scenario scenario;
	struct config c;
	struct weir_error e = { "" };
	char text[1024];
	int length = snprintf(text, sizeof(text),
			      "[network]\ntopology = leaf-spine\n%s[traffic x]\n"
			      "pattern = many-to-one\nsize = 1KB\n",
			      switches);

	CHECK(length > 0 && length < (int)sizeof(text));
	if (scenario_read_text(&scenario, "test", text, (size_t)length, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(scenario_config(&scenario, &c, &e), -1);
	if (!strstr(e.text, message))
		test_fail(__FILE__, __LINE__, "'%s' in place of '%s'", e.text, message);
	scenario_free(&scenario);
}

TEST(test_fabrics_are_refused_where_they_do_not_fit)
{
	static const char bfc[] = "[switch]\nfabric = bfc\n",
			  floodgate[] = "[switch]\nfabric = floodgate\nbuffer = 12MB\n"
					"buffer-per = switch\n";
	char text[512];

	check_refused("[switch]\nfabric = bcf\n", "unknown fabric 'bcf'");
	check_refused("[switch]\nfabric = bfc(queues=128)\n", "128");
	check_refused("[switch]\nfabric = bfc(queues=0)\n", "queues");
	check_refused("[switch]\nfabric = bfc(table=0)\n", "table");
	check_refused("[switch]\nfabric = floodgate(window=0)\n", "window");
	check_refused("[switch]\nfabric = none(queues=2)\n", "none");
	snprintf(text, sizeof(text), "%smarking = diffecn\n", bfc);
	check_refused(text, "switch.fabric: bfc, but diffecn chooses queues itself");
	snprintf(text, sizeof(text), "%sscheduler = dwrr\nqueues = 4\n", bfc);
	check_refused(text, "switch.queues: bfc lays out its ports itself, with 33 queues");
	snprintf(text, sizeof(text), "%sscheduler = pifo\n", bfc);
	check_refused(text, "switch.scheduler: bfc lays out its ports itself");
	snprintf(text, sizeof(text), "%slossless = all\nbuffer = 12MB\nbuffer-per = switch\n", bfc);
	check_refused(text, "bfc pauses queues, and lossless = all pauses classes");
	check_refused(floodgate, "set lossless = all");
	snprintf(text, sizeof(text), "fail = leaf0 spine0 1ms\n%slossless = all\n", floodgate);
	check_refused(text, "leave network.fail out");
}

static void note_fabric(void *context, const char *path, const char *value)
{
	if (strcmp(path, "switch.fabric") == 0)
		snprintf(context, 256, "%s", value);
}

/* A run is known by its settings: the scheme is spelled out, and the scheduler is what was asked
 * for. */
TEST(test_settings_spell_a_fabric_out)
{
	struct sim s;
	struct weir_error e;
	char text[256] = "";

	sim_read(&s, "[network]\ntopology = star\n[switch]\nfabric = bfc(queues=8)\n"
		     "[traffic x]\npattern = many-to-one\nsize = 1KB\n");
	CHECK_INT(scenario_settings(&s.c, note_fabric, text, &e), 0);
	CHECK_STR(text,
		  "bfc(queues=8, table=3200, card-queues=1024, hop-rtt=0s, tau=0.5, sticky=2)");
	sim_end(&s);
}

TEST(test_line_rate_is_the_line_s_and_stays)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_cc_env env = { .rate_bps = 25000000000, .bdp_bytes = 12345 };
	const struct weir_cc_ops *cc;
	struct weir_cc_pace state = { 0 };
	struct weir_error e;

	CHECK_INT(weir_cc_parse("line-rate", &cc, params, &e), 0);
	cc->init(&state, params, &env);
	CHECK(state.window_bytes == WEIR_CC_NO_WINDOW);
	CHECK(!cc->ack);
	CHECK_INT(state.rate_bps, 25000000000);
	CHECK_INT(weir_cc_parse("line-rate(window=bdp)", &cc, params, &e), 0);
	cc->init(&state, params, &env);
	CHECK_INT(state.window_bytes, 12345);
	CHECK_INT(state.wake_ns, 0);
}

/* Fifteen packets of flows of one packet each share a queue: it is longer than the threshold of
 * 2500 B, but no flow has another packet that could be paused. Each packet and its ACK pass two
 * links, and nothing else does. */
TEST(test_bfc_sends_no_frame_for_flows_of_one_packet)
{
	char text[1024];
	size_t used = 0;
	struct sim s;

	for (int i = 1; i < 16; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "flow = %d 0 1KB 0us\n",
					 i);
	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 16\nrate = 10Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = none\nfabric = bfc(queues=1, tau=0)\n[host]\ncc = line-rate\n"
		 "[traffic x]\npattern = list\n%s",
		 text);
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "packet_hops") <= 15 * 4);
	sim_end(&s);
}
