/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_queue.c -- single packets that arrive by a Poisson process wait as queueing theory
 * says.
 *
 * Every flow is one packet, sent by one of four hosts whose links are 400 times as fast as the
 * receiver's, so that packets wait at the receiver's port only. With load r and mean service time
 * s:
 *	M/D/1: a packet waits r s / (2 (1 - r)) (Pollaczek and Khinchine), r^2 / (2 (1 - r)) wait;
 *	M/M/1: a packet waits r s / (1 - r), r^2 / (1 - r) wait, none for 1 - r^2 of the time.
 * See Kleinrock, Queueing Systems 1, sections 3.2 and 5.6. The number of packets is chosen so that
 * chance alone moves a mean by about 1 %, and the seed is fixed. */
#include "tests/sim.h"

enum {
	FLOWS = 200 * 1000,
	HEADER_BYTES = 1,
	FIXED_BYTES = 999, /* payload of every packet under M/D/1 */
	MEAN_BYTES = 500,  /* under M/M/1; one in e^18 would not fit the largest packet */
	GBPS = 10,
};

struct model {
	const char *sizes;
	double load; /* r */
	double wait_ns, waiting_pkts;
};

static void run_queue(struct sim *s, const struct model *m, double mean_bytes)
{
	/* The scenario's load counts payload only. */
	double payload_load = m->load * mean_bytes / (mean_bytes + HEADER_BYTES);

	sim_read(s,
		 "[network]\ntopology = explicit\n"
		 "link = h0 s0 %dGbps 10us\n"
		 "link = h1 s0 4Tbps 10us\nlink = h2 s0 4Tbps 10us\n"
		 "link = h3 s0 4Tbps 10us\nlink = h4 s0 4Tbps 10us\n"
		 "[switch]\nmarking = none\nbuffer = 1000000pkts\n"
		 "[host]\ncc = reno\nmss = 9000B\nheader = %dB\n"
		 "[traffic x]\npattern = all-to-one\nreceiver = 0\nsizes = %s\nload = %.9f\n"
		 "flows = %d\n"
		 "[measure]\nport = s0->h0\n",
		 GBPS, HEADER_BYTES, m->sizes, payload_load, FLOWS);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), FLOWS);
	CHECK_INT(sim_metric(s, "drops"), 0);
}

/* Beyond what an empty network takes, from the flows' own times. */
static double mean_wait_ns(const struct sim *s)
{
	double sum_ps = 0;

	for (uint32_t i = 0; i < s->r.flow_count; i++)
		sum_ps += (double)(sim_fct_ps(s, i) - s->r.ideal_ps[i]);
	return sum_ps / s->r.flow_count / WEIR_PS_PER_NS;
}

static void check_queue(const struct sim *s, const struct model *m)
{
	printf("load %.2f: waits %.2f ns, theory %.2f; %.4f pkts, theory %.4f\n", m->load,
	       mean_wait_ns(s), m->wait_ns, sim_metric(s, "queue_mean_pkts"), m->waiting_pkts);
	CHECK_NEAR(sim_metric(s, "utilisation"), m->load, 0.005 * m->load);
	CHECK_NEAR(mean_wait_ns(s), m->wait_ns, 0.02 * m->wait_ns);
	CHECK_NEAR(sim_metric(s, "queue_mean_pkts"), m->waiting_pkts, 0.02 * m->waiting_pkts);
}

static double service_ns(double mean_bytes)
{
	return weir_bytes_to_bits(mean_bytes + HEADER_BYTES) / GBPS;
}

static void check_md1(double load)
{
	double s = service_ns(FIXED_BYTES);
	struct model m = {
		.sizes = "fixed(size=999B)",
		.load = load,
		.wait_ns = load * s / (2 * (1 - load)),
		.waiting_pkts = load * load / (2 * (1 - load)),
	};
	struct sim sim;

	run_queue(&sim, &m, FIXED_BYTES);
	check_queue(&sim, &m);
	sim_end(&sim);
}

static void check_mm1(double load)
{
	double s = service_ns(MEAN_BYTES);
	struct model m = {
		.sizes = "exponential(mean=500B)",
		.load = load,
		.wait_ns = load * s / (1 - load),
		.waiting_pkts = load * load / (1 - load),
	};
	struct sim sim;

	run_queue(&sim, &m, MEAN_BYTES);
	check_queue(&sim, &m);
	CHECK_NEAR(sim_metric(&sim, "queue_empty_fraction"), 1 - load * load,
		   0.01 * (1 - load * load));
	sim_end(&sim);
}

TEST(test_equal_packets_wait_as_in_md1_at_load_0_3)
{
	check_md1(0.3);
}

TEST(test_equal_packets_wait_as_in_md1_at_load_0_5)
{
	check_md1(0.5);
}

TEST(test_equal_packets_wait_as_in_md1_at_load_0_7)
{
	check_md1(0.7);
}

TEST(test_exponential_packets_wait_as_in_mm1_at_load_0_3)
{
	check_mm1(0.3);
}

TEST(test_exponential_packets_wait_as_in_mm1_at_load_0_5)
{
	check_mm1(0.5);
}

TEST(test_exponential_packets_wait_as_in_mm1_at_load_0_7)
{
	check_mm1(0.7);
}
