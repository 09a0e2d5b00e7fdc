/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_bcc.c -- BCC: port or pool, the paper's example by hand, and a switch whose buffer is
 * scarce. */
#include "tests/mark_fixture.h"
#include "tests/sim.h"

enum {
	BY_PORT = WEIR_MARK_CE,
	BY_POOL = WEIR_MARK_CE | 1 << WEIR_MARK_VERDICT_BITS,
	KB = 1000,
};

static uint32_t bcc_at(struct marker *m, uint32_t port_bytes, uint64_t shared_buffer_bytes)
{
	struct weir_mark_view v = { .port_bytes = port_bytes,
				    .port_pkts = port_bytes / 1500,
				    .shared_buffer_bytes = shared_buffer_bytes };

	return marker_enqueue(m, &v);
}

/* The paper's example: 100 Gb/s, RTT 80 us, lambda 0.72, 3 MB for 8 ports, alpha 4, 128 KB reserved
 * for each, h = 8 us. By hand: C RTT = 1 MB, B_R = 1.72 - 0.128 = 1.592 MB, pool-max = 3 - 1.592 /
 * 4 = 2.602 MB, C N h = 0.8 MB, pool-min = 1.802 MB; the paper rounds to 2.6 and 1.8. All of it
 * goes with the speed and the buffer, so 10 Gb/s and 300 KB make a tenth of it. */
TEST(test_bcc_defaults_are_a_tenth_of_the_paper_s_example)
{
	double bytes_per_s = 100e9 / 8, bdp = bytes_per_s * 80e-6, alpha = 4;
	double need = bdp * (1 + 0.72) - 128e3, pool_max = 3e6 - need / alpha;
	double pool_min = pool_max - bytes_per_s * 8 * 8e-6;
	struct weir_mark_view half = { .shared_buffer_bytes = 220 * KB };
	struct marker m;

	CHECK_NEAR(0.72 * bdp, 720e3, 1);
	CHECK_NEAR(pool_max, 2602e3, 1);
	CHECK_NEAR(pool_min, 1802e3, 1);
	marker_make(&m, "bcc");
	CHECK_INT(bcc_at(&m, 72 * KB - 1, 0), WEIR_MARK_PASS);
	CHECK_INT(bcc_at(&m, 72 * KB, 0), BY_PORT);
	for (int i = 0; i < 1000; i++) {
		CHECK_INT(bcc_at(&m, 0, 180 * KB), WEIR_MARK_PASS);
		CHECK_INT(bcc_at(&m, 0, 260 * KB), BY_POOL);
	}
	/* Half-way up to 10 %. */
	CHECK_NEAR(marker_frequency(&m, &half, 200000), 0.05, four_sigma(0.05, 200000));
}

TEST(test_bcc_marks_if_either_the_port_or_the_pool_says_so)
{
	struct marker m;

	marker_make(&m, "bcc(k=72KB, pool-min=180KB, pool-max=260KB)");
	CHECK_INT(bcc_at(&m, 71999, 179999), WEIR_MARK_PASS);
	CHECK_INT(bcc_at(&m, 72000, 179999), BY_PORT);
	CHECK_INT(bcc_at(&m, 0, 260000), BY_POOL);
	CHECK_INT(bcc_at(&m, 72000, 260000), BY_PORT);
	marker_make(&m, "bcc(k=48pkts, pool-min=180KB, pool-max=260KB)");
	CHECK_INT(bcc_at(&m, 71999, 0), WEIR_MARK_PASS);
	CHECK_INT(bcc_at(&m, 72000, 0), BY_PORT);
	marker_make(&m, "bcc(pool-min=260KB, pool-max=260KB)");
	CHECK_INT(bcc_at(&m, 0, 259999), WEIR_MARK_PASS);
	CHECK_INT(bcc_at(&m, 0, 260000), BY_POOL);
	CHECK_STR(m.ops->reasons[0], "port");
	CHECK_STR(m.ops->reasons[1], "pool");
}

/* The chance drawn for a packet comes from a generator that runs beside the scheme's own. */
TEST(test_bcc_agrees_with_floating_point_within_its_bound)
{
	struct weir_rng random = weir_rng_make(3, 0, WEIR_RNG_TEST);
	struct weir_rng beside = weir_rng_make(marker_env.seed, 0, WEIR_RNG_MARKING);
	struct marker m;

	marker_make(&m, "bcc(k=4GB, pool-min=0.7MB, pool-max=3.1MB, p=0.37)");
	for (int i = 0; i < 100000; i++) {
		uint64_t pool = 700 * KB + weir_rng_below(&random, 2400 * KB);
		double p = 0.37 * ((double)pool - 0.7e6) / 2.4e6;
		double u = (double)weir_rng_u32(&beside) / (double)WEIR_ONE_Q32;
		uint32_t verdict = bcc_at(&m, 0, pool);

		if (fabs(u - p) > 0x1p-31)
			CHECK_INT(verdict, u < p ? BY_POOL : WEIR_MARK_PASS);
	}
}

TEST(test_bcc_needs_the_pool_and_refuses_what_makes_no_sense)
{
	static const char *const cases[][2] = {
		{ "bcc(pool-min=3MB)", "bcc: pool-min is above pool-max" },
		{ "bcc(p=1.1)", "bcc: p: '1.1' is out of range; allowed: 0 to 1" },
		{ "bcc(pool-max=9pkts)", "bcc: pool-max: " },
	};
	static const char text[] = "[network]\ntopology = star\n[switch]\nmarking = bcc\n"
				   "[traffic x]\npattern = many-to-one\nsize = 1KB\n";
	struct scenario scenario;
	struct config c = { 0 };
	struct weir_error e = { "" };
	struct marker m;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_CONTAINS(marker_refusal(cases[i][0], &e), cases[i][1]);
	marker_make(&m, "bcc");
	CHECK_INT(weir_mark_needs(m.ops, m.params),
		  WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_SHARED_BUFFER);
	CHECK_INT(scenario_read_text(&scenario, "test", text, strlen(text), &e), 0);
	CHECK_INT(scenario_config(&scenario, &c, &e), -1);
	CHECK_CONTAINS(e.text, "needs the shared buffer of the switch; set buffer-per = switch");
	scenario_free(&scenario);
}

/* --- in a network --- */

enum { PORTS = 8, FLOWS_PER_PORT = 4 };

/* The paper's switch a tenth as fast: 10 Gb/s, RTT 80 us, 300 KB for 8 ports, alpha 4. The
 * defaults of bcc are made for it. So many of the ports are kept busy by four flows each, from
 * senders whose links are fast enough not to matter. */
static void run_switch(struct sim *s, const char *marking, int busy_ports)
{
	char links[2048], flows[4096];
	int at = 0;

	for (int i = 0; i < 2 * PORTS; i++)
		at += snprintf(links + at, sizeof(links) - (size_t)at, "link = h%d sw %s 20us\n", i,
			       i < PORTS ? "10Gbps" : "100Gbps");
	at = 0;
	for (int i = 0; i < busy_ports * FLOWS_PER_PORT; i++)
		at += snprintf(flows + at, sizeof(flows) - (size_t)at,
			       "flow = %d %d unlimited %dus\n",
			       PORTS + (i / FLOWS_PER_PORT + i) % PORTS, i / FLOWS_PER_PORT,
			       i % FLOWS_PER_PORT * 100 + i / FLOWS_PER_PORT * 12);
	sim_read(s,
		 "[network]\ntopology = explicit\n%s"
		 "[switch]\nmarking = %s\nbuffer = 300KB\nbuffer-per = switch\ndt-alpha = 4\n"
		 "[traffic x]\npattern = list\n%s"
		 "[measure]\nfrom = 5ms\nto = 25ms\nport = sw->h0\n",
		 links, marking, flows);
	sim_run(s, 1);
}

#define PORT_ALONE "ecn(k=72KB, scope=port)"

/* Eight ports would like 72 KB each of 300 KB: the port's threshold is never reached. */
TEST(test_bcc_loses_less_than_ports_alone_when_the_buffer_is_scarce)
{
	double drops[2], goodput[2];
	struct sim s;

	for (int i = 0; i < 2; i++) {
		run_switch(&s, i ? "bcc" : PORT_ALONE, PORTS);
		drops[i] = sim_metric(&s, "drops");
		goodput[i] = sim_metric(&s, "goodput_bps");
		printf("%s: %.0f drops, %.2f Gb/s\n", i ? "bcc" : "ecn", drops[i],
		       goodput[i] / 1e9);
		sim_end(&s);
	}
	CHECK(drops[0] > 1000);
	CHECK(drops[1] < drops[0] / 100);
	CHECK(goodput[1] > 0.99 * goodput[0]);
}

/* One busy port: there is buffer enough, so every packet has the same fate as without the pool. */
TEST(test_bcc_is_the_standard_threshold_while_the_buffer_suffices)
{
	struct sim a, b;

	run_switch(&a, PORT_ALONE, 1);
	run_switch(&b, "bcc", 1);
	CHECK(sim_metric(&a, "marks") > 0);
	CHECK_INT(sim_metric(&b, "marks"), sim_metric(&a, "marks"));
	CHECK_INT(sim_metric(&b, "packet_hops"), sim_metric(&a, "packet_hops"));
	CHECK_NEAR(sim_metric(&b, "queue_mean_bytes"), sim_metric(&a, "queue_mean_bytes"), 0);
	sim_end(&a);
	sim_end(&b);
}
