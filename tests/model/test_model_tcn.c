/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_tcn.c -- small simulations against the figures of the TCN paper: Bai, Chen, Chen,
 * Kim, Wu, "Enabling ECN over Generic Packet Scheduling", CoNEXT 2016; and against one of Du et
 * al., "PRED", NSDI 2025, appendix D.4.
 *
 * Where the paper is silent: round-trip times of its first testbed (100 us here), and small flows
 * that only probe the queue are left out. Figures are printed beside the paper's. */
#include "tests/sim.h"
#include <math.h>

enum { TEXT_SIZE = 4096 };

#define MBPS 1e6
#define GBPS 1e9

/* The series of that name, as in "capacity sw->h0". */
static const struct series *series_of(const struct sim *s, const char *name)
{
	for (uint32_t i = 0; i < s->r.series_count; i++)
		if (strcmp(s->r.series[i].name, name) == 0)
			return &s->r.series[i];
	test_fail(__FILE__, __LINE__, "there is no series %s", name);
}

/* What a series shows from one time on until before another. */
struct shown {
	double min, mean, max;
	uint64_t changes;
};

static struct shown show(const struct series *s, double from_us, double to_us)
{
	struct shown shown = { .min = INFINITY, .max = -INFINITY };
	uint64_t count = 0;

	for (uint64_t i = 0; i < s->count; i++) {
		double us = weir_ps_to_s(s->time_ps[i]) * 1e6;

		if (us < from_us || us >= to_us)
			continue;
		shown.min = fmin(shown.min, s->value[i]);
		shown.max = fmax(shown.max, s->value[i]);
		shown.mean += s->value[i];
		shown.changes += i > 0 && s->value[i] != s->value[i - 1];
		count++;
	}
	CHECK(count > 0);
	shown.mean /= (double)count;
	return shown;
}

/* --- who gets how much --- */

/* Flows from host number class + 1 to host 0, so many of each class. */
struct party {
	int flows;
	const char *start;
	const char *app_rate; /* NULL: all that it can get */
};

/* How frames are framed. Testbeds: headers of 66 B with a TCP timestamp, preamble and gap of 20 B,
 * so that 1448 of 1534 B are goodput, 94.4 % of the line. ns-3's links: 2 B of their own, 1448 of
 * 1502 B. */
#define TESTBED "ethernet-overhead = yes\n[host]\nheader = 66B\n"
#define NS3 "[host]\nheader = 54B\n"

/* A star with a sender for each class, and what each flow gets every so often. */
struct bench {
	const char *rate, *delay, *frames;
	const char *scheduler, *marking;
	const char *buffer;
	const char *every, *until; /* samples of each flow's rate; end of the run */
	const struct party *parties;
	int classes;
};

static int add_party(char *text, size_t size, const struct party *p, int class_id)
{
	int at = 0;

	for (int i = 0; i < p->flows; i++) {
		at += snprintf(text + at, size - (size_t)at,
			       "[traffic p%d-%d]\npattern = %s\nclass = %d\n", class_id, i,
			       p->app_rate ? "many-to-one" : "list", class_id);
		CHECK(!p->app_rate || class_id == 0); /* the first sender is that of class 0 */
		if (p->app_rate)
			at += snprintf(text + at, size - (size_t)at,
				       "senders = 1\nsize = unlimited\nstart = %s\napp-rate = %s\n",
				       p->start, p->app_rate);
		else
			at += snprintf(text + at, size - (size_t)at, "flow = %d 0 unlimited %s\n",
				       class_id + 1, p->start);
	}
	return at;
}

static void bench_run(struct sim *s, const struct bench *b)
{
	char traffic[TEXT_SIZE], probes[TEXT_SIZE];
	int at = 0, to = 0, flow = 0;

	for (int i = 0; i < b->classes; i++) {
		at += add_party(traffic + at, sizeof(traffic) - (size_t)at, &b->parties[i], i);
		for (int k = 0; k < b->parties[i].flows; k++)
			to += snprintf(probes + to, sizeof(probes) - (size_t)to,
				       "probe = throughput flow:%d every %s\n", flow++, b->every);
	}
	CHECK(at < TEXT_SIZE && to < TEXT_SIZE);
	sim_read(s,
		 "[network]\ntopology = star\nhosts = %d\nrate = %s\ndelay = %s\n"
		 "[switch]\nscheduler = %s\nqueues = %d\nmarking = %s\nbuffer = %s\n"
		 "%smss = 1448B\nrto-min = 10ms\n%s"
		 "[measure]\nto = %s\nprobe = queue-bytes sw->h0/%d every 50us\n%s",
		 b->classes + 1, b->rate, b->delay, b->scheduler, b->classes, b->marking, b->buffer,
		 b->frames, traffic, b->until, b->classes - 1, probes);
	sim_run(s, 1);
}

/* Goodput of a class's flows from one time to another; a sample covers what lies before it. */
static double goodput_bps(const struct sim *s, const struct bench *b, int class_id, double from_ms,
			  double to_ms)
{
	double sum = 0;
	int flow = 0;

	for (int i = 0; i < class_id; i++)
		flow += b->parties[i].flows;
	for (int i = 0; i < b->parties[class_id].flows; i++) {
		char name[32];

		snprintf(name, sizeof(name), "throughput flow:%d", flow + i);
		sum += show(series_of(s, name), from_ms * 1e3 + 1, to_ms * 1e3 + 1).mean;
	}
	return sum;
}

/* Section 3.2.2, figure 1: one flow against many, each service with a queue of equal quantum. */
static void run_services(struct sim *s, double *mbps, const char *marking, int flows)
{
	const struct party parties[] = { { 1, "0us", NULL }, { flows, "0us", NULL } };
	const struct bench b = {
		.rate = "1Gbps",
		.delay = "25us",
		.frames = TESTBED,
		.scheduler = "dwrr",
		.marking = marking,
		.buffer = "1000pkts",
		.every = "20ms",
		.until = "301ms",
		.parties = parties,
		.classes = 2,
	};

	bench_run(s, &b);
	for (int i = 0; i < 2; i++)
		mbps[i] = goodput_bps(s, &b, i, 100, 300) / MBPS;
	printf("%s, 1 flow against %d: %.0f and %.0f Mb/s\n", marking, flows, mbps[0], mbps[1]);
	CHECK_NEAR(mbps[0] + mbps[1], 1000. * 1448 / 1534, 1);
	sim_end(s);
}

TEST(test_per_port_marks_take_from_a_service_of_one_flow_as_in_tcn_figure_1)
{
	static const struct {
		int flows;
		double paper_mbps;
	} cases[] = { { 8, 670 }, { 16, 782 } };
	struct sim s;

	for (int i = 0; i < 2; i++) {
		double mbps[2];

		run_services(&s, mbps, "ecn(k=30KB, scope=port)", cases[i].flows);
		printf("paper: service 2 has %.0f Mb/s\n", cases[i].paper_mbps);
		CHECK_NEAR(mbps[1], cases[i].paper_mbps, 0.1 * cases[i].paper_mbps);
	}
}

/* 30 KB take 240 us at 1 Gb/s. */
TEST(test_marks_per_queue_or_by_time_leave_services_equal_whatever_their_flows)
{
	static const char *const markings[] = { "ecn(k=30KB)", "tcn(threshold=240us)",
						"mq-ecn(k=30KB)" };
	struct sim s;

	for (size_t i = 0; i < sizeof(markings) / sizeof(markings[0]); i++)
		for (int flows = 8; flows <= 16; flows *= 2) {
			double mbps[2];

			run_services(&s, mbps, markings[i], flows);
			CHECK_NEAR(mbps[0], mbps[1], 0.03 * mbps[1]);
		}
}

/* Section 6.1.1: 1 Gb/s, 250 us, 96 KB of buffer; a flow of 500 Mb/s in the strict queue, one flow
 * and four in two equal ones. Goodput is 1448 / 1534 of that. */
static double run_sp_wfq(const char *marking)
{
	static const struct party parties[] = { { 1, "0us", "471.97Mbps" },
						{ 1, "20ms", NULL },
						{ 4, "50ms", NULL } };
	const struct bench b = {
		.rate = "1Gbps",
		.delay = "56us",
		.frames = TESTBED,
		.scheduler = "sp-wfq(priority-queues=1)",
		.marking = marking,
		.buffer = "96KB",
		.every = "20ms",
		.until = "301ms",
		.parties = parties,
		.classes = 3,
	};
	static const double line_mbps[] = { 500, 250, 250 };
	struct sim s;
	double queue_us;

	bench_run(&s, &b);
	/* Bytes over the queue's 250 Mb/s: how long its packets wait. */
	queue_us = weir_bytes_to_bits(show(series_of(&s, "queue-bytes sw->h0/2"), 1e5, 3e5).mean) /
		   250;
	for (int i = 0; i < 3; i++) {
		double mbps = goodput_bps(&s, &b, i, 100, 300) / MBPS * 1534 / 1448;

		printf("%s, queue %d: %.1f Mb/s, paper %.0f\n", marking, i, mbps, line_mbps[i]);
		CHECK_NEAR(mbps, line_mbps[i], 0.03 * line_mbps[i]);
	}
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	sim_end(&s);
	return queue_us;
}

/* Section 6.1.1 again: beyond the 250 us of an idle network the mean is 165 us under TCN and 834
 * us with 32 KB for each queue. DCTCP keeps a queue about its threshold (SIGCOMM 2010, section
 * 3.3): 256 us, and 32 KB at 250 Mb/s are 1024 us, 4 times as long. */
TEST(test_tcn_keeps_sp_wfq_shares_with_a_fraction_of_the_queue)
{
	double tcn_us = run_sp_wfq("tcn(threshold=256us)"), ecn_us = run_sp_wfq("ecn(k=32KB)");

	printf("queue 3: %.0f us under tcn, %.0f us under ecn; paper 165 and 834\n", tcn_us,
	       ecn_us);
	CHECK_NEAR(tcn_us, 256, 0.15 * 256);
	CHECK_NEAR(ecn_us, 1024, 0.15 * 1024);
}

/* PRED, appendix D.4: flows in queues of weights 2:1:1 start one after the other. */
static void check_weights(const char *marking)
{
	static const struct party parties[] = { { 1, "0us", NULL },
						{ 1, "20ms", NULL },
						{ 1, "40ms", NULL } };
	const struct bench b = {
		.rate = "10Gbps",
		.delay = "20us",
		.frames = NS3,
		.scheduler = "dwrr(weights=2:1:1)",
		.marking = marking,
		.buffer = "1000pkts",
		.every = "2ms",
		.until = "61ms",
		.parties = parties,
		.classes = 3,
	};
	static const double paper_gbps[3][3] = { { 9.6 }, { 6.42, 3.18 }, { 4.82, 2.40, 2.40 } };
	struct sim s;

	bench_run(&s, &b);
	for (int active = 0; active < 3; active++)
		for (int i = 0; i <= active; i++) {
			double paper = paper_gbps[active][i];
			double gbps =
				goodput_bps(&s, &b, i, active * 20 + 10, active * 20 + 20) / GBPS;

			printf("%s, %d active, flow %d: %.3f Gb/s, paper %.2f\n", marking,
			       active + 1, i + 1, gbps, paper);
			CHECK_NEAR(gbps, paper, 0.03 * paper);
		}
	sim_end(&s);
}

TEST(test_schemes_keep_dwrr_shares_as_in_pred_appendix_d_4)
{
	static const char *const markings[] = { "tcn(threshold=150us)", "mq-ecn(k=125KB)",
						"ideal-ecn(k=125KB)", "pred" };

	for (size_t i = 0; i < sizeof(markings) / sizeof(markings[0]); i++)
		check_weights(markings[i]);
}

/* --- what a queue is worth: section 3.3, figure 2 --- */

/* Eight flows in queue 0, from 10 ms on two more in queue 1; each turn is 12 frames of 1500 B. */
static void run_capacity(struct sim *s, const char *marking)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 11\nrate = 10Gbps\ndelay = 25us\n"
		 "[switch]\nscheduler = dwrr(quantum=18KB)\nqueues = 2\nmarking = %s\n"
		 "buffer = 2MB\n"
		 "[host]\ncc = ecn-star\nmss = 1460B\nheader = 40B\n"
		 "[traffic first]\npattern = many-to-one\nsenders = 8\nsize = unlimited\n"
		 "[traffic then]\npattern = list\nclass = 1\n"
		 "flow = 9 0 unlimited 10ms\nflow = 10 0 unlimited 10ms\n"
		 "[measure]\nto = 14ms\nprobe = scheme sw->h0 every 2us\n",
		 marking);
	sim_run(s, 1);
}

/* How long after 10 ms a series comes within 5 % of 5 Gb/s. */
static double settled_us(const struct series *s)
{
	for (uint64_t i = 0; i < s->count; i++) {
		double us = weir_ps_to_s(s->time_ps[i]) * 1e6 - 1e4;

		if (us > 0 && fabs(s->value[i] - 5 * GBPS) <= 0.05 * 5 * GBPS)
			return us;
	}
	return INFINITY;
}

TEST(test_mq_ecn_finds_a_halved_capacity_within_600_us_as_in_tcn_figure_2)
{
	const struct series *capacity;
	struct shown before, after;
	struct sim s;

	run_capacity(&s, "mq-ecn(k=125KB)");
	capacity = series_of(&s, "capacity sw->h0");
	before = show(capacity, 9000, 10000);
	after = show(capacity, 10500, 11000);
	printf("capacity %.2f Gb/s, then settled after %.0f us (paper: 600), %.3f to %.3f Gb/s\n",
	       before.mean / GBPS, settled_us(capacity), after.min / GBPS, after.max / GBPS);
	CHECK_NEAR(before.mean, 10 * GBPS, 0.01 * GBPS);
	CHECK(settled_us(capacity) < 600);
	CHECK_NEAR(after.min, 5 * GBPS, 0.05 * GBPS);
	CHECK_NEAR(after.max, 5 * GBPS, 0.05 * GBPS);
	sim_end(&s);
}

/* 40 KB are 27 frames, which take 64.8 us at 5 Gb/s: 31 samples in 2 ms if none is missed. */
TEST(test_departure_rates_of_40_kb_take_more_than_2_ms_as_in_tcn_figure_2)
{
	const struct series *capacity;
	struct shown first;
	struct sim s;

	run_capacity(&s, "ideal-ecn(k=125KB, dq-thresh=40KB)");
	capacity = series_of(&s, "capacity sw->h0/0");
	first = show(capacity, 10000, 12000);
	printf("%llu samples in 2 ms (paper: 29), settled after %.0f us (paper: more than 2000)\n",
	       (unsigned long long)first.changes, settled_us(capacity));
	CHECK(first.changes >= 24 && first.changes <= 31);
	CHECK(settled_us(capacity) > 2000);
	sim_end(&s);
}

/* 10 KB are 7 frames: 8.4 us within a turn, 10 Gb/s; 22.8 us where the other queue's 14.4 us lie
 * between, 84000 bits / 22.8 us = 3.684 Gb/s. 12 frames a turn make 7 of 12 samples low, and their
 * mean (7 3.684 + 5 10) / 12 = 6.32 Gb/s. */
TEST(test_departure_rates_of_10_kb_swing_and_mislead_as_in_tcn_figure_2)
{
	struct shown sample, capacity;
	struct sim s;

	run_capacity(&s, "ideal-ecn(k=125KB, dq-thresh=10KB)");
	sample = show(series_of(&s, "sample sw->h0/0"), 10500, 14000);
	capacity = show(series_of(&s, "capacity sw->h0/0"), 10500, 14000);
	printf("samples %.3f to %.3f Gb/s (paper: 3.7 to 10), smoothed %.2f to %.2f, mean %.2f "
	       "(paper: above 6)\n",
	       sample.min / GBPS, sample.max / GBPS, capacity.min / GBPS, capacity.max / GBPS,
	       capacity.mean / GBPS);
	CHECK_NEAR(sample.min, 84e3 / 22.8e-6, 1e3);
	CHECK_NEAR(sample.max, 10 * GBPS, 0);
	CHECK(capacity.mean > 6 * GBPS && capacity.mean < 7 * GBPS);
	CHECK(capacity.min > 1.1 * 5 * GBPS);
	sim_end(&s);
}

/* --- when marks come: section 4.3, figure 3 --- */

/* Eight flows start together. In slow start each ACK adds a packet, so that the queue grows by a
 * BDP of 125 KB a round trip. A mark at departure is back after one: 250 KB; one at arrival, or
 * for the time in queue, waits 100 us first: 375 KB. */
TEST(test_marks_at_departure_spare_a_bdp_of_queue_as_in_tcn_figure_3)
{
	static const struct {
		const char *marking;
		double peak_kb;
	} cases[] = {
		{ "ecn(k=125KB)", 375 },
		{ "ecn(k=125KB, at=dequeue)", 250 },
		{ "tcn(threshold=100us)", 375 },
	};

	for (int i = 0; i < 3; i++) {
		struct shown first, later;
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 24.4us\n"
			 "[switch]\nmarking = %s\nbuffer = 2MB\n"
			 "[host]\ncc = ecn-star\nmss = 1460B\nheader = 40B\n"
			 "[traffic all]\npattern = many-to-one\nsenders = 8\nsize = unlimited\n"
			 "[measure]\nto = 10ms\nprobe = queue-bytes sw->h0\n",
			 cases[i].marking);
		sim_run(&s, 1);
		first = show(series_of(&s, "queue-bytes sw->h0"), 0, 2000);
		later = show(series_of(&s, "queue-bytes sw->h0"), 2000, 10000);
		printf("%s: peak %.0f KB (paper: %.0f), later %.0f to %.0f KB (paper: 0 to 125)\n",
		       cases[i].marking, first.max / 1e3, cases[i].peak_kb, later.min / 1e3,
		       later.max / 1e3);
		CHECK_NEAR(first.max / 1e3, cases[i].peak_kb, 0.03 * cases[i].peak_kb);
		/* Eight windows grow by a packet a round trip, and a mark is back after two. */
		CHECK(later.max / 1e3 < 125 + 2 * 8 * 1.5);
		CHECK(later.min / 1e3 < 40);
		sim_end(&s);
	}
}
