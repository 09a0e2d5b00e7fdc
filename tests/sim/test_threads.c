/* SPDX-License-Identifier: BSD-3-Clause */
/* test_threads.c -- the same scenario on one, two and three threads gives the same results: every
 * metric, every flow's record, every port's counters, to the last bit. */
#include "tests/sim.h"

/* Runs the text on each number of threads. Returns the results of the last, for a look at whether
 * the scenario does what it is there for. */
static void check_threads(struct sim *s, const char *text)
{
	static const uint32_t threads[] = { 2, 3 };
	struct run_result one;

	sim_read_default(s, "%s", text);
	sim_run(s, 1);
	one = s->r;
	memset(&s->r, 0, sizeof(s->r));
	for (uint32_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		sim_run(s, threads[i]);
		sim_check_same(&one, &s->r);
	}
	run_result_free(&one);
}

TEST(test_threads_agree_on_an_incast)
{
	struct sim s;

	check_threads(&s,
		      "[network]\ntopology = star\nhosts = 17\nrate = 10Gbps\ndelay = 10us\n"
		      "[switch]\nmarking = ecn(k=70pkts)\n"
		      "[traffic x]\npattern = many-to-one\nsize = unlimited\nstart = 0us..100us\n"
		      "[measure]\nfrom = 2ms\nto = 12ms\n");
	CHECK(sim_metric(&s, "marks") > 100);
	sim_end(&s);
}

TEST(test_threads_agree_on_a_fabric)
{
	struct sim s;

	check_threads(
		&s,
		"[network]\ntopology = leaf-spine\nleaves = 4\nspines = 3\nhosts-per-leaf = 5\n"
		"rate = 10Gbps\nfabric-rate = 25Gbps\ndelay = 3us\nfabric-delay = 1us\n"
		"[switch]\nmarking = red(min=5KB, max=100KB, p=20%)\n"
		"[traffic mixed]\npattern = all-to-all\nsizes = uniform(min=1KB, max=400KB)\n"
		"load = 0.7\nflows = 100\n"
		"[traffic requests]\npattern = incast\nsenders = 10\nsize = 20KB\nperiod = 1ms\n"
		"flows = 100\n");
	CHECK(sim_metric(&s, "marks") > 100);
	CHECK_INT(sim_metric(&s, "flows_completed"), 200);
	sim_end(&s);
}

/* A switch with sets of active ports, whose senders are spread over all of them. */
TEST(test_threads_agree_on_a_switch_of_many_ports)
{
	struct sim s;

	check_threads(&s, "[network]\ntopology = star\nhosts = 600\nrate = 10Gbps\ndelay = 10us\n"
			  "[switch]\nmarking = ecn(k=70pkts)\nbuffer-per = switch\nbuffer = 4MB\n"
			  "[traffic x]\npattern = all-to-all\nsizes = uniform(min=1KB, max=100KB)\n"
			  "load = 0.02\nflows = 300\n"
			  "[traffic y]\npattern = many-to-one\nsenders = 550\nsize = 20KB\n");
	CHECK(sim_metric(&s, "marks") > 100);
	CHECK_INT(sim_metric(&s, "flows_completed"), 850);
	sim_end(&s);
}

/* 0.2 us beside 20 us, and rates from 1 to 100 Gb/s. */
TEST(test_threads_agree_where_delays_differ)
{
	struct sim s;

	check_threads(&s,
		      "[network]\ntopology = explicit\n"
		      "link = h0 a 10Gbps 200ns\nlink = h1 a 10Gbps 20us\nlink = h2 a 100Gbps 1us\n"
		      "link = h3 b 10Gbps 200ns\nlink = h4 b 1Gbps 20us\nlink = h5 c 25Gbps 300ns\n"
		      "link = a b 40Gbps 20us\nlink = b c 10Gbps 200ns\nlink = a c 10Gbps 5us\n"
		      "[switch]\nmarking = tcn(threshold=20us)\nbuffer = 200pkts\n"
		      "[traffic x]\npattern = all-to-all\nsizes = uniform(min=1B, max=100KB)\n"
		      "load = 0.4\n"
		      "flows = 100\n[measure]\ndrain = 100s\n");
	CHECK_INT(sim_metric(&s, "flows_completed"), 100);
	sim_end(&s);
}

/* One delay is 100,000 times another: beyond what the wheel of coming windows holds. */
TEST(test_threads_agree_where_one_delay_dwarfs_another)
{
	struct sim s;

	check_threads(&s,
		      "[network]\ntopology = explicit\n"
		      "link = h0 a 100Gbps 10ns\nlink = h1 a 100Gbps 1ms\nlink = h2 a 10Gbps 20ns\n"
		      "[traffic x]\npattern = all-to-all\nsize = 20KB\nload = 0.001\nflows = 30\n"
		      "[measure]\ndrain = 10s\n");
	CHECK_INT(sim_metric(&s, "flows_completed"), 30);
	sim_end(&s);
}

TEST(test_threads_agree_on_a_shared_buffer)
{
	struct sim s;

	check_threads(
		&s, "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 6\n"
		    "rate = 10Gbps\ndelay = 2us\n"
		    "[switch]\nbuffer = 150KB\nbuffer-per = switch\ndt-alpha = 0.5\nqueues = 2\n"
		    "scheduler = wfq(weights=1:2)\nmarking = ecn(k=60KB, scope=pool)\n"
		    "[host]\nrto-min = 1ms\n"
		    "[traffic a]\npattern = all-to-all\nsize = 100KB\nload = 0.8\nflows = 200\n"
		    "[traffic b]\npattern = incast\nsenders = 8\nsize = 30KB\n"
		    "period = 500us\nflows = 160\n"
		    "class = 1\n[measure]\ndrain = 100s\n");
	CHECK(sim_metric(&s, "drops") > 10);
	CHECK_INT(sim_metric(&s, "flows_completed"), 360);
	sim_end(&s);
}

TEST(test_threads_agree_on_losses)
{
	struct sim s;

	check_threads(
		&s,
		"[network]\ntopology = fat-tree\nk = 4\nrate = 10Gbps\ndelay = 1us\n"
		"[switch]\nmarking = none\nbuffer = 8pkts\n"
		"[host]\ncc = cubic\nrto-min = 1ms\nhandshake = yes\npackets-per-ack = 2\n"
		"[traffic x]\npattern = all-to-all\nsizes = exponential(mean=60KB)\nload = 0.8\n"
		"flows = 400\n[measure]\ndrain = 100s\n");
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK(sim_metric(&s, "timeouts") > 10);
	CHECK_INT(sim_metric(&s, "flows_completed"), 400);
	sim_end(&s);
}

TEST(test_threads_agree_on_spraying_and_a_failure)
{
	struct sim s;

	check_threads(
		&s, "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 4\nhosts-per-leaf = 3\n"
		    "rate = 10Gbps\ndelay = 1us\necmp = packet\nfail = leaf1 spine2 2ms\n"
		    "reroute-delay = 300us\n"
		    "[host]\nrto-min = 1ms\nprocessing-delay = 1500ns\n"
		    "[traffic x]\npattern = inter-rack\nsize = 300KB\nload = 0.6\nflows = 100\n"
		    "[measure]\ndrain = 100s\n");
	CHECK(sim_metric(&s, "retransmits") > 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), 100);
	sim_end(&s);
}

TEST(test_threads_agree_on_losses_found_by_time)
{
	struct sim s;

	check_threads(
		&s,
		"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 4\nhosts-per-leaf = 3\n"
		"rate = 10Gbps\ndelay = 1us\necmp = packet\n"
		"[switch]\nbuffer = 20pkts\nmarking = none\n"
		"[host]\ncc = cubic\nrto-min = 1ms\ntail-probe = yes\npackets-per-ack = 2\n"
		"[traffic x]\npattern = inter-rack\nsizes = exponential(mean=100KB)\nload = 0.9\n"
		"flows = 300\n[measure]\ndrain = 100s\n");
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK_INT(sim_metric(&s, "flows_completed"), 300);
	sim_end(&s);
}

/* Sender and receiver of a connection, on two threads, both know its list of messages. */
TEST(test_threads_agree_on_messages_of_connections_that_stay)
{
	struct sim s;

	check_threads(
		&s,
		"[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 700ns\n"
		"[switch]\nbuffer = 12pkts\nmarking = ecn(k=6pkts)\n"
		"[host]\nrto-min = 1ms\n"
		"[traffic x]\npattern = all-to-all\nsizes = uniform(min=1B, max=9KB)\nload = 0.7\n"
		"flows = 1000\nconnections = persistent\n[measure]\ndrain = 100s\n");
	CHECK(sim_metric(&s, "drops") > 10);
	CHECK_INT(sim_metric(&s, "flows_completed"), 1000);
	sim_end(&s);
}

/* Unfinished flows, rates of applications, stops, and an interval that begins and ends in the
 * middle of everything. */
TEST(test_threads_agree_on_an_interval_cut_out_of_a_run)
{
	struct sim s;

	check_threads(
		&s,
		"[network]\ntopology = dumbbell\nleft-hosts = 5\nright-hosts = 4\nrate = 10Gbps\n"
		"fabric-rate = 25Gbps\ndelay = 1234ns\nfabric-delay = 4321ns\n"
		"[switch]\nqueues = 3\nscheduler = sp-dwrr(priority-queues=1)\n"
		"marking = codel(target=20us, interval=200us)\n"
		"[traffic a]\npattern = permutation\nsize = unlimited\nstop = 1567891ns\n"
		"class = 1\n"
		"[traffic b]\npattern = many-to-one\nsize = unlimited\napp-rate = 500Mbps\n"
		"class = 2\n"
		"[traffic c]\npattern = all-to-one\nsize = 5KB\nload = 0.2\n"
		"[measure]\nfrom = 1111111ps\nto = 2777777777ps\ndrain = 0us\n");
	CHECK(sim_metric(&s, "marks") > 0);
	sim_end(&s);
}

/* NICs with a queue that overflows, and marks. */
TEST(test_threads_agree_on_nics_with_queues)
{
	static const char *const nics[] = { "fifo(limit=60pkts, marking=ecn(k=30pkts))",
					    "fq(limit=60pkts)\ntso = 16KB", "fair\ntso = 16KB" };

	for (uint32_t i = 0; i < sizeof(nics) / sizeof(nics[0]); i++) {
		char text[1024];
		struct sim s;

		snprintf(text, sizeof(text),
			 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\n"
			 "hosts-per-leaf = 4\nrate = 10Gbps\nfabric-rate = 25Gbps\ndelay = 3us\n"
			 "[switch]\nmarking = ecn(k=65pkts)\n[host]\nnic = %s\n"
			 "[traffic mixed]\npattern = all-to-all\n"
			 "sizes = uniform(min=1KB, max=400KB)\nload = 0.8\nflows = 200\n",
			 nics[i]);
		check_threads(&s, text);
		CHECK_INT(sim_metric(&s, "flows_completed"), 200);
		CHECK((sim_metric(&s, "drops") > 0) == (i < 2));
		sim_end(&s);
	}
}

/* Queue pairs in a rack and across racks, which have windows of their own. */
TEST(test_threads_agree_on_windows_of_pairs)
{
	struct sim s;

	check_threads(
		&s, "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 4\n"
		    "rate = 100Gbps\nfabric-rate = 200Gbps\ndelay = 1us\nfabric-delay = 3us\n"
		    "[switch]\nmarking = none\nlossless = all\nbuffer-per = switch\nbuffer = 2MB\n"
		    "[rdma]\nbase-rtt = pair\n[host]\ncc = hpcc\n"
		    "[traffic mixed]\npattern = all-to-all\nsizes = uniform(min=1KB, max=400KB)\n"
		    "load = 0.8\nflows = 200\n");
	CHECK_INT(sim_metric(&s, "flows_completed"), 200);
	sim_end(&s);
}
