/* SPDX-License-Identifier: BSD-3-Clause */
/* test_traffic_rounds.c -- training in rounds, all-reduce rings, flows that join and leave, and
 * what they stand on: gates of one host.
 *
 * Times by hand are on a star of 10 Gb/s and 5 us, as in test_traffic_apps.c. */
#include "tests/sim.h"
#include "tests/world.h"

#define BYTE_PS INT64_C(800)
#define FULL_PS (1514 * BYTE_PS)
#define ACK_PS (54 * BYTE_PS)
#define DELAY_PS INT64_C(5000000)

/* --- gates --- */

struct started {
	uint32_t count, flow[8];
	int64_t start_ps[8];
};

static void note_start(void *context, uint32_t flow, int64_t start_ps)
{
	struct started *s = context;

	s->flow[s->count] = flow;
	s->start_ps[s->count++] = start_ps;
}

static void add_tie(struct gate_list *l, uint32_t flow, uint32_t gate, enum flow_tie kind)
{
	gates_tie(l, (struct gate_tie){ flow, gate, (uint32_t)kind });
}

TEST(test_gates_of_a_host_and_of_all_are_told_apart)
{
	static const uint32_t same[] = { 0, 1, 2, 3 };
	struct gate_list l = { 0 };
	struct started s = { 0 };
	struct gate_event event = { 0, FLOW_SIGNALS_RECEIVED, GATES_OF_HOST, 1000 };
	uint32_t local, global = gates_add(&l, 1, 0);

	local = gates_add_like(&l, &(struct gate){ .needed = 1, .is_local = 1, .delay_ps = 7 });
	add_tie(&l, 0, global, FLOW_SIGNALS_RECEIVED);
	add_tie(&l, 0, local, FLOW_SIGNALS_RECEIVED);
	add_tie(&l, 1, global, FLOW_WAITS);
	add_tie(&l, 2, local, FLOW_WAITS);
	add_tie(&l, 3, local, FLOW_WAITS);
	gates_sort(&l, same);
	CHECK_INT(gates_signal(&l, &event, note_start, &s), 1); /* one more to tell */
	CHECK_INT(s.count, 2);
	CHECK_INT(s.flow[0], 2);
	CHECK_INT(s.flow[1], 3);
	CHECK_INT(s.start_ps[1], 1007);
	event.gates = GATES_OF_ALL;
	CHECK_INT(gates_signal(&l, &event, note_start, &s), 1);
	CHECK_INT(s.count, 3);
	CHECK_INT(s.flow[2], 1);
	CHECK_INT(s.start_ps[2], 1000);
	gates_free(&l);
}

TEST(test_nothing_starts_at_a_gate_from_its_closing_on)
{
	static const uint32_t same[] = { 0, 1, 2, 3, 4 };
	struct gate_list l = { 0 };
	struct started s = { 0 };
	struct gate_event event = { 0, FLOW_SIGNALS_RECEIVED, GATES_OF_HOST, 989 };
	uint32_t gate = gates_add_like(
		&l, &(struct gate){
			    .one_by_one = 1, .is_local = 1, .delay_ps = 10, .closes_ps = 1000 });

	for (uint32_t i = 0; i < 2; i++) {
		add_tie(&l, i, gate, FLOW_SIGNALS_RECEIVED);
		add_tie(&l, 2 + i, gate, FLOW_WAITS);
	}
	gates_sort(&l, same);
	gates_signal(&l, &event, note_start, &s);
	event.flow = 1;
	event.now_ps = 990;
	gates_signal(&l, &event, note_start, &s);
	CHECK_INT(s.count, 1);
	CHECK_INT(s.flow[0], 2);
	CHECK_INT(s.start_ps[0], 999);
	gates_free(&l);
}

/* --- training --- */

static const char training[] =
	"[network]\ntopology = star\nhosts = %u\nrate = 10Gbps\ndelay = 5us\n"
	"[switch]\nmarking = none\nbuffer = 10000pkts\n[host]\ninitial-window = 10000\n"
	"[traffic x]\npattern = training\n%s\n[measure]\n%s\n";

TEST(test_a_round_takes_all_pushes_and_all_answers)
{
	struct sim s;
	/* Three workers push 10 full packets each, which reach the switch from one packet time and
	 * a delay on and pass the server's link one after the other; so do the answers, behind the
	 * last ACK. */
	int64_t push_ps = FULL_PS + DELAY_PS + 30 * FULL_PS + DELAY_PS;
	int64_t answer_ps = 30 * FULL_PS + DELAY_PS + FULL_PS + DELAY_PS;

	sim_read(&s, training, 4, "size = 14600B\nrounds = 2\ncompute = 100us", "from = 0us");
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, 2 * 2 * 3);
	CHECK_INT(sim_metric(&s, "flows_completed"), 12);
	for (uint32_t round = 0; round < 2; round++) {
		const struct flow *push = &s.r.flows[round * 6], *answer = push + 3;
		int64_t all_there_ps = push[0].start_ps + push_ps, last_ps = 0;

		for (uint32_t i = 0; i < 3; i++) {
			CHECK_INT(push[i].src, i + 1);
			CHECK_INT(push[i].dst, 0);
			CHECK_INT(push[i].size_bytes, 14600);
			CHECK_INT(answer[i].src, 0);
			CHECK_INT(answer[i].dst, i + 1);
			CHECK_INT(answer[i].start_ps, all_there_ps);
			/* A worker computes from its own answer on. */
			if (round == 0)
				CHECK_INT(push[i + 6].start_ps, answer[i].finish_ps + 100 * US);
			if (answer[i].finish_ps > last_ps)
				last_ps = answer[i].finish_ps;
		}
		CHECK_INT(last_ps, all_there_ps + ACK_PS + answer_ps);
	}
	CHECK_NEAR(sim_metric(&s, "round_mean_ns"), (double)(push_ps + ACK_PS + answer_ps) / 1000,
		   1e-6);
	CHECK(sim_metric(&s, "iops") != sim_metric(&s, "iops")); /* there are none */
	sim_end(&s);
}

TEST(test_models_have_the_bytes_of_their_parameters)
{
	static const struct {
		const char *model;
		uint64_t bytes;
	} cases[] = { { "alexnet", 244000000 }, { "resnet-50", 102000000 } };

	for (size_t i = 0; i < 2; i++) {
		struct world w;
		struct traffic_config *t = world_start(&w, "star", "training");

		traffic_set(t, "model", cases[i].model);
		traffic_set(t, "workers", "7");
		traffic_set(t, "server", "3");
		traffic_set(t, "rounds", "5");
		world_flows(&w);
		CHECK_INT(w.list.count, 5 * 14);
		for (uint32_t k = 0; k < w.list.count; k++) {
			const struct flow *f = &w.list.flows[k];

			CHECK_INT(f->size_bytes, cases[i].bytes);
			CHECK(f->src == 3 ? f->dst < 8 : f->src < 8 && f->dst == 3);
		}
		world_end(&w);
	}
}

TEST(test_rounds_go_on_until_the_end_of_the_measurement)
{
	static const char *const patterns[] = {
		"pattern = training\nsize = 50KB\ncompute = 20us..200us",
		"pattern = training\nsize = 1B\nconnections = persistent",
		"pattern = ring\nsize = 1MB\ncompute = 10us",
		"pattern = ring\nsize = 6B\nconnections = persistent",
	};

	for (size_t i = 0; i < 4; i++) {
		struct sim s;
		int64_t last_ps = 0;
		uint32_t never = 0;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 5us\n"
			 "[traffic x]\n%s\n[measure]\nfrom = 100us\nto = 10ms\n",
			 patterns[i]);
		sim_run(&s, 1);
		for (uint32_t k = 0; k < s.r.flow_count; k++) {
			const struct flow *f = &s.r.flows[k];

			if (f->start_ps == WEIR_TIME_NEVER_PS)
				never++;
			else if (f->start_ps > last_ps)
				last_ps = f->start_ps;
			CHECK((f->start_ps == WEIR_TIME_NEVER_PS) == (f->finish_ps < 0));
		}
		/* It did not run out of rounds, one went on at the end, and no other began. */
		CHECK(never > 0);
		CHECK(last_ps > 9 * MS);
		CHECK(sim_metric(&s, "round_mean_ns") > 20000);
		CHECK(sim_metric(&s, "sim_seconds") < 0.02);
		sim_end(&s);
	}
}

/* A round that begins in the interval counts wherever it ends: or slow settings would lose their
 * slow rounds. */
TEST(test_rounds_that_begin_in_the_measured_interval_count_wherever_they_end)
{
	static const char *const intervals[] = { "from = 1ms\nto = 1060us",
						 "from = 1ms\nto = 1040us",
						 "from = 1030us\nto = 2ms" };
	struct sim s;
	double alone_ns;

	sim_read(&s, training, 2, "size = 1460B\nrounds = 4\ncompute = 1ms", "from = 0us");
	sim_run(&s, 1);
	/* One packet there and one back. */
	alone_ns = (double)(2 * 2 * (FULL_PS + DELAY_PS) + ACK_PS) / 1000;
	CHECK_NEAR(sim_metric(&s, "round_mean_ns"), alone_ns, 1e-6);
	sim_end(&s);
	/* The second lasts from 1.025 to 1.050 ms, the third from 2.050 to 2.075 ms. */
	for (size_t i = 0; i < 3; i++) {
		double mean_ns;

		sim_read(&s, training, 2, "size = 1460B\nrounds = 4\ncompute = 1ms", intervals[i]);
		sim_run(&s, 1);
		mean_ns = sim_metric(&s, "round_mean_ns");
		CHECK(i < 2 || mean_ns != mean_ns);
		CHECK(i == 2 || (mean_ns > alone_ns - 1e-6 && mean_ns < alone_ns + 1e-6));
		sim_end(&s);
	}
}

/* --- ring --- */

static const char ring[] =
	"[network]\ntopology = star\nhosts = %u\nrate = 10Gbps\ndelay = 5us\n"
	"[switch]\nmarking = none\nbuffer = 10000pkts\n[host]\ninitial-window = 10000\n"
	"[traffic x]\npattern = ring\n%s\n";

TEST(test_a_ring_of_small_parts_takes_its_steps)
{
	struct sim s;
	/* A part of 1000 bytes over two links, in each of 2 x 3 steps; the ACK of one goes ahead of
	 * the next. */
	int64_t step_ps = 2 * (1054 * BYTE_PS + DELAY_PS), round_ps = 6 * step_ps + 5 * ACK_PS;

	sim_read(&s, ring, 4, "size = 4000B\nrounds = 2\ncompute = 30us");
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, 2 * 4 * 6);
	CHECK_NEAR(sim_metric(&s, "round_mean_ns"), (double)round_ps / 1000, 1e-6);
	for (uint32_t i = 0; i < 48; i++) {
		const struct flow *f = &s.r.flows[i];
		uint32_t step = i / 4 % 6;

		CHECK_INT(f->src, i % 4);
		CHECK_INT(f->dst, (i + 1) % 4);
		CHECK_INT(f->start_ps, i / 24 * (round_ps + 30 * US) + step * (step_ps + ACK_PS) -
					       (step ? ACK_PS : 0));
	}
	sim_end(&s);
}

TEST(test_a_ring_of_large_parts_is_bound_by_its_links)
{
	struct sim s;
	/* In each of 14 steps 685 full packets, and as many ACKs the other way on the same
	 * links. */
	double round_ns = 14 * 685 * (double)(FULL_PS + ACK_PS) / 1000;

	sim_read(&s, ring, 8, "size = 8MB\nrounds = 1\nconnections = persistent");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "round_mean_ns"), round_ns, 0.03 * round_ns);
	sim_end(&s);
}

TEST(test_each_host_of_a_ring_sends_all_parts_but_its_own_twice)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "ring");
	uint64_t sent[5] = { 0 }, all = 0;

	traffic_set(t, "members", "5");
	traffic_set(t, "size", "1003B"); /* parts of 201, 201, 201, 200 and 200 bytes */
	traffic_set(t, "rounds", "1");
	world_flows(&w);
	CHECK_INT(w.list.count, 5 * 8);
	for (uint32_t i = 0; i < w.list.count; i++) {
		const struct flow *f = &w.list.flows[i];

		CHECK_INT(f->dst, (f->src + 1) % 5);
		/* At each step every part is sent once: host h sends part h at first, then the one
		 * that came. */
		CHECK_INT(f->size_bytes, (f->src + 10 - i / 5) % 5 < 3 ? 201 : 200);
		sent[f->src] += f->size_bytes;
		all += f->size_bytes;
	}
	CHECK_INT(all, 8 * 1003);
	for (uint32_t h = 0; h < 5; h++) {
		/* Neither of the parts that end at h and at the host after it a second time. */
		uint64_t once = (h + 1) % 5 < 3 ? 201 : 200, also = (h + 2) % 5 < 3 ? 201 : 200;

		CHECK_INT(sent[h], 2 * 1003 - once - also);
	}
	world_end(&w);
}

TEST(test_rounds_do_not_depend_on_threads)
{
	static const char *const patterns[] = {
		"pattern = training\nsize = 300KB\nrounds = 3\ncompute = 5us..50us",
		"pattern = ring\nsize = 2MB\nrounds = 2\nconnections = persistent",
	};

	for (size_t i = 0; i < 2; i++) {
		struct sim s[2];

		for (size_t k = 0; k < 2; k++)
			sim_read(&s[k],
				 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\n"
				 "hosts-per-leaf = 4\ndelay = 2us\n[traffic x]\n%s\n",
				 patterns[i]);
		sim_run(&s[0], 1);
		for (uint32_t threads = 2; threads <= 3; threads++) {
			sim_run(&s[1], threads);
			sim_check_same(&s[0].r, &s[1].r);
		}
		CHECK(sim_metric(&s[0], "round_mean_ns") > 0);
		sim_end(&s[0]);
		sim_end(&s[1]);
	}
}

/* --- staggered --- */

static void check_staggered(const char *leave, const int64_t stop_ms[4])
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "staggered");

	traffic_set(t, "senders", "4");
	traffic_set(t, "receiver", "1");
	traffic_set(t, "start", "3ms");
	traffic_set(t, "interval", "10ms");
	traffic_set(t, "leave", leave);
	world_flows(&w);
	CHECK_INT(w.list.count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct flow *f = &w.list.flows[i];

		CHECK_INT(f->src, i + (i >= 1));
		CHECK_INT(f->dst, 1);
		CHECK_INT(f->start_ps, (3 + 10 * i) * MS);
		CHECK_INT(f->stop_ps, stop_ms[i] ? stop_ms[i] * MS : WEIR_TIME_NEVER_PS);
		CHECK(f->size_bytes == FLOW_UNLIMITED);
	}
	world_end(&w);
}

TEST(test_flows_join_and_leave_one_by_one)
{
	check_staggered("first", (int64_t[]){ 43, 53, 63, 73 });
	check_staggered("last", (int64_t[]){ 73, 63, 53, 43 });
	check_staggered("never", (int64_t[]){ 0, 0, 0, 0 });
}

/* --- incast at a share of load --- */

TEST(test_incast_offers_its_load)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "incast");

	traffic_set(t, "senders", "8");
	traffic_set(t, "size", "125KB");
	traffic_set(t, "load", "5%");
	traffic_set(t, "arrivals", "poisson");
	w.c.measure.to_ps = (uint64_t)(100 * MS);
	world_flows(&w);
	/* 1 MB a request; 5 % of 17 x 10 Gb/s in 100 ms is 106.25 MB. */
	CHECK_INT(w.list.count, 106 * 8);
	traffic_set(t, "receiver", "3");
	traffic_set(t, "load", "64%");
	traffic_set(t, "arrivals", "periodic");
	world_flows(&w);
	/* Of one link 64 % in 100 ms is 80 MB: a request each 1.25 ms. */
	CHECK_INT(w.list.count, 80 * 8);
	for (uint32_t i = 0; i < w.list.count; i++)
		CHECK_NEAR(w.list.flows[i].start_ps, i / 8 * 1.25 * MS, 1000);
	world_end(&w);
}

/* --- mistakes --- */

struct mistake {
	const char *pattern, *settings[4][2], *message;
};

static const struct mistake mistakes[] = {
	{ "training",
	  { { "rounds", "1" } },
	  "traffic.x.model: not given; the DNN, as in alexnet, or its gradient size, as in size "
	  "= 100MB" },
	{ "training",
	  { { "rounds", "1" }, { "model", "alexnet" }, { "size", "1MB" } },
	  "traffic.x.model: 'alexnet', but size is given too; one of the two" },
	{ "training",
	  { { "rounds", "1" }, { "model", "resnet" } },
	  "traffic.x.model: unknown model 'resnet'; there "
	  "are alexnet, resnet-50 (nearest: resnet-50)" },
	{ "training",
	  { { "size", "1MB" } },
	  "traffic.x.rounds: not given; say how many, or until when they begin by measure.to" },
	{ "training",
	  { { "rounds", "1" }, { "size", "1MB" }, { "server", "17" } },
	  "traffic.x.server: 17; hosts are 0 to 16" },
	{ "training",
	  { { "rounds", "1" }, { "size", "1MB" }, { "workers", "17" } },
	  "traffic.x.workers: 17, but there are 16 hosts besides the server" },
	{ "ring",
	  { { "rounds", "1" } },
	  "traffic.x.size: not given; the bytes that the hosts reduce, as in 100MB" },
	{ "ring",
	  { { "rounds", "1" }, { "size", "16B" } },
	  "traffic.x.size: 16B, but each of the 17 hosts needs a part of at least one byte" },
	{ "ring",
	  { { "rounds", "1" }, { "size", "1MB" }, { "members", "18" } },
	  "traffic.x.members: 18, but there are 17 hosts" },
	{ "ring",
	  { { "rounds", "4000000000" }, { "size", "1MB" } },
	  "traffic.x.flows: 2176000000000 flows and 0 of "
	  "other sections; allowed are 4294967294 in all" },
	{ "staggered",
	  { { "start", "0ms..1ms" } },
	  "traffic.x.start: a span, but interval says when "
	  "each flow starts; give one time to count from" },
	{ "staggered",
	  { { "interval", "100s" } },
	  "traffic.x.interval: too long: 16 flows would "
	  "take 3200 s to join and leave; allowed are 1000" },
	{ "staggered",
	  { { "senders", "17" } },
	  "traffic.x.senders: 17, but there are 16 hosts besides the receiver" },
	{ "incast",
	  { { "size", "1KB" }, { "load", "0.25" }, { "period", "1ms" }, { "flows", "16" } },
	  "traffic.x.load: 0.25, but period is given too; one of the two" },
	{ "incast",
	  { { "size", "1GB" },
	    { "load", "0.1" },
	    { "start", "0ms..1ms" },
	    { "arrivals", "poisson" } },
	  "traffic.x.load: the time between requests is longer than the simulated time, so there "
	  "would be no request" },
	{ "incast",
	  { { "size", "1000GB" }, { "load", "0.1" }, { "start", "0ms..1ms" } },
	  "traffic.x.load: 0.1 is a request every 7529.41 s; allowed are 1e-12 to 1000" },
};

TEST(test_rounds_and_joins_say_what_is_wrong)
{
	struct world w;
	struct traffic_config *t;

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		t = world_start(&w, "star", mistakes[i].pattern);
		for (size_t k = 0; k < 4 && mistakes[i].settings[k][0]; k++)
			traffic_set(t, mistakes[i].settings[k][0], mistakes[i].settings[k][1]);
		check_traffic_refused(&w, mistakes[i].message);
	}
	t = world_start(&w, "star", "ring");
	traffic_set(t, "size", "1MB");
	traffic_set(t, "start", "2ms");
	w.c.measure.to_ps = (uint64_t)(2 * MS);
	check_traffic_refused(&w, "traffic.x.start: must be before measure.to");
}
