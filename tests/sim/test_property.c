/* SPDX-License-Identifier: BSD-3-Clause */
/* test_property.c -- what holds in every scenario, tried on random small ones.
 *
 * A scenario is drawn from a fixed seed: network, switches, hosts and traffic. Then
 *  - packets and bytes add up (the run itself says so) and every flow ends;
 *  - where all packets of a flow take one way, no flow is faster than it would be alone, and if
 *    nothing was dropped nothing is sent again, but by a tail loss probe: packets of a flow do not
 *    overtake each other;
 *  - a second run, one on two threads, one on two ranks (every other time), and one that measures
 * elsewhere give the same flows, but for the last the same results to the last bit. */
#include "tests/ranks.h"
#include "weir/rng.h"

struct draft {
	char text[SIM_TEXT_SIZE];
	int length;
	struct weir_rng rng;
	uint32_t hosts, queues;
	int has_racks;
	int has_ranks; /* 1: it is run on two of them, too */
};

static __attribute__((format(printf, 2, 3))) void add(struct draft *d, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	d->length += vsnprintf(d->text + d->length, sizeof(d->text) - (size_t)d->length, format,
			       arguments);
	va_end(arguments);
	CHECK(d->length < SIM_TEXT_SIZE);
}

/* 0 to n - 1. */
static uint32_t roll(struct draft *d, uint32_t n)
{
	return (uint32_t)weir_rng_below(&d->rng, n);
}

static const char *pick(struct draft *d, const char *const *words)
{
	uint32_t count = 0;

	while (words[count])
		count++;
	return words[roll(d, count)];
}

#define PICK(d, ...) pick(d, (const char *const[]){ __VA_ARGS__, NULL })

/* --- networks --- */

static void draw_star(struct draft *d)
{
	d->hosts = 2 + roll(d, 8);
	add(d, "topology = star\nhosts = %u\n", d->hosts);
}

static void draw_dumbbell(struct draft *d)
{
	uint32_t left = 1 + roll(d, 4), right = 1 + roll(d, 4);

	d->hosts = left + right;
	d->has_racks = 1;
	add(d,
	    "topology = dumbbell\nleft-hosts = %u\nright-hosts = %u\nfabric-rate = %s\n"
	    "fabric-delay = %s\n",
	    left, right, PICK(d, "5Gbps", "10Gbps", "40Gbps"), PICK(d, "200ns", "1us", "20us"));
}

static void draw_leaf_spine(struct draft *d)
{
	uint32_t leaves = 2 + roll(d, 3), per_leaf = 1 + roll(d, 3), spines = 1 + roll(d, 4);

	d->hosts = leaves * per_leaf;
	d->has_racks = 1;
	add(d, "topology = leaf-spine\nleaves = %u\nspines = %u\nhosts-per-leaf = %u\n", leaves,
	    spines, per_leaf);
	if (spines > 1 && roll(d, 3) == 0)
		add(d, "fail = leaf%u spine%u %uus\nreroute-delay = %uus\n", roll(d, leaves),
		    roll(d, spines), roll(d, 500), roll(d, 200));
}

static void draw_fat_tree(struct draft *d)
{
	d->hosts = 16;
	d->has_racks = 1;
	add(d, "topology = fat-tree\nk = 4\ncore-delay = %s\ncore-rate = %s\n",
	    PICK(d, "500ns", "2us"), PICK(d, "10Gbps", "3Gbps"));
}

/* A random tree of switches with a host or two on each, and often a line more, which makes a ring
 * or runs beside another. */
static void draw_graph(struct draft *d)
{
	uint32_t switches = 2 + roll(d, 4);

	add(d, "topology = explicit\n");
	for (uint32_t i = 0; i < switches; i++) {
		if (i > 0)
			add(d, "link = s%u s%u %s %s\n", roll(d, i), i,
			    PICK(d, "10Gbps", "25Gbps", "100Gbps"),
			    PICK(d, "200ns", "3us", "20us"));
		for (uint32_t n = 1 + roll(d, 2); n > 0; n--)
			add(d, "link = h%u s%u %s %s\n", d->hosts++, i,
			    PICK(d, "1Gbps", "10Gbps", "40Gbps"), PICK(d, "200ns", "1us", "10us"));
	}
	if (roll(d, 2))
		add(d, "link = s0 s%u %s 1us\n", 1 + roll(d, switches - 1),
		    PICK(d, "10Gbps", "40Gbps"));
	d->has_racks = 1;
}

/* --- switches and hosts --- */

static void draw_switch(struct draft *d)
{
	add(d, "[switch]\nmarking = %s\n",
	    PICK(d, "none", "ecn(k=5pkts)", "ecn(k=30KB)", "ecn(k=8pkts, scope=port, at=dequeue)",
		 "red(min=3KB, max=30KB, p=30%)", "red(min=2pkts, max=20pkts, p=1, weight=1/8)",
		 "tcn(threshold=10us)", "codel(target=5us, interval=100us)"));
	d->queues = roll(d, 2) ? 1 : 2 + roll(d, 3);
	if (d->queues > 1)
		add(d, "queues = %u\nscheduler = %s\n", d->queues,
		    PICK(d, "sp", "wrr", "dwrr", "dwrr(quantum=500B)", "wfq", "sp-dwrr", "sp-wfq"));
	switch (roll(d, 5)) {
	case 0:
		add(d, "buffer = %upkts\nbuffer-per = %s\n", 1 + roll(d, 30),
		    PICK(d, "queue", "port"));
		break;
	case 1:
		add(d, "buffer = %uB\nbuffer-per = %s\n", 9216 + roll(d, 60000),
		    PICK(d, "queue", "port"));
		break;
	case 2:
		add(d, "buffer = %uB\nbuffer-per = switch\ndt-alpha = %s\n",
		    20000 + roll(d, 200000), PICK(d, "0.5", "1", "8"));
		break;
	default:
		break; /* 1000 packets a port */
	}
	add(d, "ethernet-overhead = %s\nnon-ect = %s\n", PICK(d, "yes", "no"),
	    PICK(d, "drop", "pass"));
}

/* Timeouts are far above any round trip, so that none is for nothing. */
static void draw_host(struct draft *d)
{
	add(d,
	    "[host]\ncc = %s\nmss = %s\ninitial-window = %s\npackets-per-ack = %u\nrecovery = %s\n"
	    "handshake = %s\necn-acks = %s\nprocessing-delay = %s\n%s"
	    "rto-min = 100ms\nrto-initial = 150ms\nrto-max = 400ms\nidle-restart = %s\n",
	    PICK(d, "dctcp", "dctcp(g=1, min-window=2pkts)", "dctcp(growth=segments)", "ecn-star",
		 "reno", "reno(ecn=yes)", "cubic", "cubic(ecn=yes, hystart=no)"),
	    PICK(d, "1460B", "1448B", "536B", "9000B"), PICK(d, "1", "2", "10", "40"),
	    1 + roll(d, 4), PICK(d, "prr", "immediate"), PICK(d, "yes", "no"), PICK(d, "yes", "no"),
	    PICK(d, "0us", "0us", "3us"),
	    PICK(d, "", "loss-detection = dupack\n", "loss-detection = rack\n",
		 "tail-probe = yes\n"),
	    PICK(d, "yes", "no"));
}

/* --- traffic --- */

static void draw_sizes(struct draft *d)
{
	if (roll(d, 2))
		add(d, "size = %uB\n", 1 + roll(d, 60000));
	else
		add(d, "sizes = %s\n",
		    PICK(d, "uniform(min=1B, max=50KB)", "exponential(mean=20KB)"));
}

static void draw_list(struct draft *d)
{
	add(d, "pattern = list\n");
	for (uint32_t n = 1 + roll(d, 20); n > 0; n--) {
		uint32_t src = roll(d, d->hosts),
			 dst = (src + 1 + roll(d, d->hosts - 1)) % d->hosts;

		add(d, "flow = %u %u %uB %uns\n", src, dst, 1 + roll(d, 100000), roll(d, 300000));
	}
}

static void draw_traffic(struct draft *d, uint32_t number)
{
	add(d, "[traffic t%u]\nclass = %u\nconnections = %s\n", number, roll(d, d->queues),
	    PICK(d, "per-flow", "per-flow", "persistent"));
	switch (roll(d, 5)) {
	case 0:
		add(d, "pattern = many-to-one\nstart = 0us..%uus\n", roll(d, 200));
		draw_sizes(d);
		if (roll(d, 3) == 0)
			add(d, "app-rate = %uMbps\n", 100 + roll(d, 3000));
		break;
	case 1:
		add(d, "pattern = permutation\nstart = %uus\n", roll(d, 200));
		draw_sizes(d);
		break;
	case 2:
		add(d,
		    "pattern = incast\nsenders = %u\nsize = %uB\nperiod = 200us\narrivals = %s\n"
		    "start = 0us..1ms\n",
		    1 + roll(d, d->hosts - 1), 1 + roll(d, 20000), PICK(d, "periodic", "poisson"));
		break;
	case 3:
		add(d, "pattern = %s\nload = 0.%u\nflows = %u\n",
		    d->has_racks ? PICK(d, "all-to-all", "inter-rack") : "all-to-all",
		    1 + roll(d, 9), 1 + roll(d, 60));
		draw_sizes(d);
		break;
	default:
		draw_list(d);
	}
}

static void draw(struct draft *d, void (*draw_network)(struct draft *), uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	d->rng = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	add(d, "seed = %llu\n[network]\n", (unsigned long long)seed);
	draw_network(d);
	add(d, "ecmp = %s\n", PICK(d, "flow", "flow", "packet"));
	if (draw_network != draw_graph)
		add(d, "rate = %s\ndelay = %s\n", PICK(d, "1Gbps", "10Gbps", "25Gbps"),
		    PICK(d, "200ns", "1us", "10us"));
	draw_switch(d);
	draw_host(d);
	for (uint32_t i = 0, n = 1 + roll(d, 3); i < n; i++)
		draw_traffic(d, i);
	add(d, "[measure]\ndrain = 1000s\n");
}

/* --- what holds --- */

static void check_flows(const struct sim *s)
{
	int one_way = s->c.network.ecmp == ECMP_PER_FLOW && s->c.network.fails.count == 0;

	for (uint32_t i = 0; i < s->r.flow_count; i++)
		CHECK(sim_fct_ps(s, i) >= (one_way ? s->r.ideal_ps[i] : 0));
	CHECK_INT(sim_metric(s, "flows_completed"), s->r.flow_count);
	CHECK_INT(s->r.partial, 0);
	if (one_way && sim_metric(s, "drops") == 0) {
		if (!s->c.host.tail_probe)
			CHECK_INT(sim_metric(s, "retransmits"), 0);
		CHECK_INT(sim_metric(s, "timeouts"), 0);
	}
}

static void check_same_flows(const struct run_result *a, const struct run_result *b)
{
	CHECK_INT(a->flow_count, b->flow_count);
	for (uint32_t i = 0; i < a->flow_count; i++)
		CHECK_INT(a->flows[i].finish_ps, b->flows[i].finish_ps);
}

static void check_ranks(const struct sim *s, const struct run_result *first)
{
	struct weir_error e = { "" };
	struct run_result r;
	int status = sim_run_ranks(s, 2, 1, &r, &e);

	if (status == RUN_REFUSED && strstr(e.text, "too few for"))
		return;
	if (status)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_check_same(first, &r);
	run_result_free(&r);
}

static void check_scenario(const struct draft *d)
{
	struct run_result first;
	struct sim s;

	sim_read_default(&s, "%s", d->text);
	sim_run(&s, 1);
	check_flows(&s);
	first = s.r;
	memset(&s.r, 0, sizeof(s.r));
	sim_run(&s, 1);
	sim_check_same(&first, &s.r);
	sim_run(&s, 2);
	sim_check_same(&first, &s.r);
	if (d->has_ranks)
		check_ranks(&s, &first);
	s.c.measure.from_ps = 50 * 1000 * 1000;
	s.c.measure.to_ps = 400 * 1000 * 1000; /* after the first start of any */
	sim_run(&s, 1);
	check_same_flows(&first, &s.r);
	run_result_free(&first);
	sim_end(&s);
}

/* Scenarios of seeds 1 to count. A failed test's output ends with the scenario it failed in. */
static void check_scenarios(void (*draw_network)(struct draft *), uint64_t count)
{
	struct draft d;

	for (uint64_t seed = 1; seed <= count; seed++) {
		draw(&d, draw_network, seed);
		printf("--- seed %llu\n%s", (unsigned long long)seed, d.text);
		fflush(stdout);
		d.has_ranks = seed % 2 == 0;
		check_scenario(&d);
	}
}

TEST(test_everything_holds_on_random_stars)
{
	check_scenarios(draw_star, 40);
}

TEST(test_everything_holds_on_random_dumbbells)
{
	check_scenarios(draw_dumbbell, 30);
}

TEST(test_everything_holds_on_random_leaf_spines)
{
	check_scenarios(draw_leaf_spine, 30);
}

TEST(test_everything_holds_on_random_fat_trees)
{
	check_scenarios(draw_fat_tree, 25);
}

TEST(test_everything_holds_on_random_graphs)
{
	check_scenarios(draw_graph, 30);
}
