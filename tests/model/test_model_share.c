/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_share.c -- who gets how much of a line: max-min shares of flows that want less than
 * others, the turns of a NIC, and the weights of schedulers.
 *
 * Every flow starts at host 0 and has a receiver of its own, so that what it got is what the port
 * to that receiver sent. Rates are those on the wire, headers included. Max-min shares are worked
 * out by hand: whoever wants less than an equal share of what is left gets what it wants
 * (Bertsekas and Gallager, Data Networks, section 6.5.2). */
#include "tests/sim.h"

enum { RECEIVERS_MAX = 16, MSS_BYTES = 1460, FRAME_BYTES = 1514 };

struct line {
	const char *nic, *middle; /* rates of host 0's link and of the one between the switches */
	int receivers;
	const char *scheduler;
	int queues;
};

/* Host 0 - a - b - hosts 1, 2, ...; what waits at a->b is marked queue by queue. */
static const char *line_text(const struct line *l, char *text, size_t size)
{
	int at = snprintf(text, size,
			  "[network]\ntopology = explicit\n"
			  "link = h0 a %s 2us\nlink = a b %s 2us\n",
			  l->nic, l->middle);

	for (int i = 1; i <= l->receivers; i++)
		at += snprintf(text + at, size - (size_t)at, "link = b h%d 100Gbps 2us\n", i);
	at += snprintf(text + at, size - (size_t)at,
		       "[switch]\nscheduler = %s\nqueues = %d\nmarking = ecn(k=65pkts)\n"
		       "buffer = 10000pkts\n"
		       "[host]\nmss = %dB\nheader = %dB\n"
		       "[measure]\nfrom = 20ms\nto = 120ms\n",
		       l->scheduler, l->queues, MSS_BYTES, FRAME_BYTES - MSS_BYTES);
	CHECK(at < (int)size);
	return text;
}

/* A flow to host number receiver that wants so many Gb/s on the wire; 0: all it can get. */
struct want {
	int receiver, class_id;
	double gbps;
};

static const char *wants_text(const struct want *wants, int count, char *text, size_t size)
{
	int at = 0;

	for (int i = 0; i < count; i++) {
		at += snprintf(text + at, size - (size_t)at,
			       "[traffic f%d]\npattern = many-to-one\nsenders = 1\nreceiver = %d\n"
			       "size = unlimited\nclass = %d\n",
			       i, wants[i].receiver, wants[i].class_id);
		if (wants[i].gbps > 0)
			at += snprintf(text + at, size - (size_t)at, "app-rate = %.0fKbps\n",
				       wants[i].gbps * 1e6 * MSS_BYTES / FRAME_BYTES);
	}
	CHECK(at < (int)size);
	return text;
}

static void run_line(struct sim *s, const struct line *l, const struct want *wants, int count)
{
	char network[4096], traffic[8192];

	sim_read_default(s, "%s%s", line_text(l, network, sizeof(network)),
			 wants_text(wants, count, traffic, sizeof(traffic)));
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "drops"), 0);
}

/* What the host of that number received in the measured 100 ms. */
static double received_gbps(const struct sim *s, int receiver)
{
	char name[32];

	snprintf(name, sizeof(name), "b->h%d", receiver);
	return weir_bytes_to_bits((double)sim_port(s, name)->tx_bytes) / 0.1 / 1e9;
}

/* Hosts 1, 2, ... received these rates, to within a share of each. */
static void check_rates(const struct sim *s, const double *gbps, int count, double within)
{
	for (int i = 0; i < count; i++)
		printf("host %d received %.4f Gb/s, expected %.4f\n", i + 1,
		       received_gbps(s, i + 1), gbps[i]);
	for (int i = 0; i < count; i++)
		CHECK_NEAR(received_gbps(s, i + 1), gbps[i], within * gbps[i]);
}

/* --- flows that want less --- */

/* Four parties want all, 13, 5 and 5 of 40; the first has three flows, which must not help it. */
static void check_four_wants(const char *scheduler)
{
	const struct line l = { "400Gbps", "40Gbps", 4, scheduler, 4 };
	const struct want wants[] = {
		{ 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 2, 1, 13 }, { 3, 2, 5 }, { 4, 3, 5 },
	};
	struct sim s;

	run_line(&s, &l, wants, 6);
	check_rates(&s, (const double[]){ 17, 13, 5, 5 }, 4, 0.01);
	sim_end(&s);
}

TEST(test_dwrr_gives_max_min_shares_to_flows_that_want_less)
{
	check_four_wants("dwrr");
}

TEST(test_wfq_gives_max_min_shares_to_flows_that_want_less)
{
	check_four_wants("wfq");
}

TEST(test_wrr_gives_max_min_shares_to_flows_that_want_less)
{
	check_four_wants("wrr");
}

/* Of 40: 4 and 7 are granted, and of the other 29 each of two has half. */
TEST(test_a_nic_gives_max_min_shares_to_its_flows)
{
	const struct line l = { "40Gbps", "100Gbps", 4, "fifo", 1 };
	const struct want wants[] = { { 1, 0, 4 }, { 2, 0, 0 }, { 3, 0, 7 }, { 4, 0, 0 } };
	struct sim s;

	run_line(&s, &l, wants, 4);
	check_rates(&s, (const double[]){ 4, 14.5, 7, 14.5 }, 4, 0.001);
	sim_end(&s);
}

TEST(test_flows_that_fit_get_what_they_want)
{
	const struct line l = { "100Gbps", "40Gbps", 3, "fifo", 1 };
	const struct want wants[] = { { 1, 0, 20 }, { 2, 0, 11 }, { 3, 0, 0.5 } };
	struct sim s;

	run_line(&s, &l, wants, 3);
	check_rates(&s, (const double[]){ 20, 11, 0.5 }, 3, 0.001);
	CHECK_INT(sim_metric(&s, "marks"), 0);
	sim_end(&s);
}

/* Flows that want 25, 13, 5 and 5 of 40 (DiffECN, Table I). DCTCP in one queue knows nothing of
 * max-min and comes close to it in the long run all the same: who wants little is also marked and
 * cut, but its window is larger than it needs. */
TEST(test_dctcp_shares_of_one_queue_are_near_max_min)
{
	const struct line l = { "400Gbps", "40Gbps", 4, "fifo", 1 };
	const struct want wants[] = { { 1, 0, 25 }, { 2, 0, 13 }, { 3, 0, 5 }, { 4, 0, 5 } };
	struct sim s;

	run_line(&s, &l, wants, 4);
	check_rates(&s, (const double[]){ 17, 13, 5, 5 }, 4, 0.02);
	sim_end(&s);
}

/* --- many flows of one NIC --- */

TEST(test_a_nic_serves_sixteen_flows_in_turn)
{
	const struct line l = { "10Gbps", "100Gbps", RECEIVERS_MAX, "fifo", 1 };
	struct want wants[RECEIVERS_MAX];
	uint64_t least = UINT64_MAX, most = 0;
	struct sim s;

	for (int i = 0; i < RECEIVERS_MAX; i++)
		wants[i] = (struct want){ i + 1, 0, 0 };
	run_line(&s, &l, wants, RECEIVERS_MAX);
	for (int i = 1; i <= RECEIVERS_MAX; i++) {
		char name[32];
		uint64_t pkts;

		snprintf(name, sizeof(name), "b->h%d", i);
		pkts = sim_port(&s, name)->tx_pkts;
		least = pkts < least ? pkts : least;
		most = pkts > most ? pkts : most;
	}
	CHECK(least > 0 && most - least <= 1);
	CHECK_NEAR(sim_metric(&s, "jain"), 1, 1e-6);
	sim_end(&s);
}

/* --- schedulers --- */

/* Two flows of each class to the host of its number plus one; all want all of 10 Gb/s. */
static void run_classes(struct sim *s, const char *scheduler, int classes)
{
	const struct line l = { "100Gbps", "10Gbps", classes, scheduler, classes };
	struct want wants[16];

	for (int i = 0; i < 2 * classes; i++)
		wants[i] = (struct want){ i / 2 + 1, i / 2, 0 };
	run_line(s, &l, wants, 2 * classes);
}

static void check_weights(const char *scheduler)
{
	char spec[64];
	struct sim s;

	snprintf(spec, sizeof(spec), "%s(weights=4:3:2:1)", scheduler);
	run_classes(&s, spec, 4);
	check_rates(&s, (const double[]){ 4, 3, 2, 1 }, 4, 0.01);
	sim_end(&s);
	snprintf(spec, sizeof(spec), "%s(weights=1:16)", scheduler);
	run_classes(&s, spec, 2);
	check_rates(&s, (const double[]){ 10.0 / 17, 160.0 / 17 }, 2, 0.01);
	sim_end(&s);
}

TEST(test_dwrr_shares_the_line_by_weight)
{
	check_weights("dwrr");
}

TEST(test_wfq_shares_the_line_by_weight)
{
	check_weights("wfq");
}

TEST(test_wrr_shares_the_line_by_weight)
{
	check_weights("wrr");
}

TEST(test_dwrr_with_a_quantum_below_a_packet_shares_the_line_by_weight)
{
	struct sim s;

	run_classes(&s, "dwrr(quantum=300B, weights=4:3:2:1)", 4);
	check_rates(&s, (const double[]){ 4, 3, 2, 1 }, 4, 0.01);
	sim_end(&s);
}

TEST(test_strict_priority_starves_what_comes_after)
{
	struct sim s;

	run_classes(&s, "sp", 3);
	CHECK_NEAR(received_gbps(&s, 1), 10, 0.001);
	CHECK_INT(sim_port(&s, "b->h2")->tx_pkts, 0);
	CHECK_INT(sim_port(&s, "b->h3")->tx_pkts, 0);
	sim_end(&s);
}

/* The first queue wants 3 of 10; the other two share 7 as 5 to 2. */
static void check_hierarchy(const char *scheduler)
{
	const struct line l = { "100Gbps", "10Gbps", 3, scheduler, 3 };
	const struct want wants[] = {
		{ 1, 0, 3 }, { 2, 1, 0 }, { 2, 1, 0 }, { 3, 2, 0 }, { 3, 2, 0 }
	};
	struct sim s;

	run_line(&s, &l, wants, 5);
	check_rates(&s, (const double[]){ 3, 5, 2 }, 3, 0.01);
	sim_end(&s);
}

TEST(test_sp_dwrr_shares_by_weight_what_priority_leaves)
{
	check_hierarchy("sp-dwrr(priority-queues=1, weights=5:2)");
}

TEST(test_sp_wfq_shares_by_weight_what_priority_leaves)
{
	check_hierarchy("sp-wfq(priority-queues=1, weights=5:2)");
}
