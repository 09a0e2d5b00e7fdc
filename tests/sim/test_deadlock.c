/* SPDX-License-Identifier: BSD-3-Clause */
/* test_deadlock.c -- links that wait for each other's pauses to end: found, named, and nothing else
 * is taken for it. */
#define _GNU_SOURCE
#include "lab/store/results.h"
#include "tests/sim.h"
#include <stdio.h>
#include <stdlib.h>

/* Five switches in a ring with a host each: the shortest way over two links is unique. */
#define RING \
	"[network]\ntopology = explicit\nlink = h0 s0 10Gbps 1us\nlink = h1 s1 10Gbps 1us\n" \
	"link = h2 s2 10Gbps 1us\nlink = h3 s3 10Gbps 1us\nlink = h4 s4 10Gbps 1us\n" \
	"link = s0 s1 10Gbps 1us\nlink = s1 s2 10Gbps 1us\nlink = s2 s3 10Gbps 1us\n" \
	"link = s3 s4 10Gbps 1us\nlink = s4 s0 10Gbps 1us\n" \
	"[switch]\nmarking = none\nbuffer = 600KB\nbuffer-per = switch\nlossless = all\n" \
	"queues = 2\nscheduler = dwrr\n[host]\ncc = line-rate\n"

/* Every flow travels two links clockwise: each link carries two, and waits for the one after it. */
#define CLOCKWISE \
	"flow = 0 2 1MB 0us\nflow = 1 3 1MB 1us\nflow = 2 4 1MB 2us\nflow = 3 0 1MB 3us\n" \
	"flow = 4 1 1MB 4us\n"

static const char clockwise[] = RING "[traffic x]\npattern = list\n" CLOCKWISE;

TEST(test_a_ring_of_pauses_is_reported_and_the_run_ends)
{
	struct sim s;
	char *text = NULL;
	size_t size;
	FILE *f;

	sim_read(&s, "%s[measure]\ndrain = 20ms\n", clockwise);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 1);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), 0);
	CHECK_INT(s.r.deadlock.class_id, 0);
	CHECK_STR(s.r.deadlock.text, "s0->s1, s1->s2, s2->s3, s3->s4, s4->s0");
	f = open_memstream(&text, &size);
	CHECK(f != NULL);
	results_table(f, &s.c, &s.r, 100);
	fclose(f);
	CHECK_CONTAINS(text, "DEADLOCK: since ");
	CHECK_CONTAINS(text, "class 0 to end: s0->s1, s1->s2, s2->s3, s3->s4, s4->s0\n");
	free(text);
	sim_end(&s);
}

/* The cycle closes when its last link is paused: not before, and from then on whenever one
 * looks. */
TEST(test_a_deadlock_has_a_time_and_lasts)
{
	struct sim s;
	int64_t since_ps;

	sim_read(&s, "%s[measure]\ndrain = 20ms\n", clockwise);
	sim_run(&s, 1);
	since_ps = s.r.deadlock.since_ps;
	sim_end(&s);
	CHECK(since_ps > 50 * (int64_t)WEIR_NS_PER_US * WEIR_PS_PER_NS);
	for (int64_t after_ns = -20000; after_ns <= 20000; after_ns += 1000) {
		sim_read(&s, "%s[measure]\nto = %lldns\ndrain = 0us\n", clockwise,
			 (long long)(weir_ps_to_ns(since_ps) + after_ns));
		sim_run(&s, 1);
		/* A packet may still be in flight, but no frame: the last came at since_ps. */
		CHECK_INT(sim_metric(&s, "pfc_deadlocks"), after_ns > 0);
		sim_end(&s);
	}
}

TEST(test_threads_agree_on_a_deadlock)
{
	struct sim s;
	struct deadlock one;

	sim_read(&s, "%s[measure]\ndrain = 5ms\n", clockwise);
	sim_run(&s, 1);
	one = s.r.deadlock;
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&s, threads);
		CHECK_INT(s.r.deadlock.cycles, one.cycles);
		CHECK_INT(s.r.deadlock.since_ps, one.since_ps);
		CHECK_STR(s.r.deadlock.text, one.text);
	}
	sim_end(&s);
}

/* Another class uses the same links and is not held up. */
TEST(test_a_deadlock_is_of_one_class)
{
	struct sim s;

	sim_read(&s,
		 "%s[traffic y]\npattern = list\nclass = 1\nflow = 0 1 1MB 500us\n"
		 "flow = 2 3 1MB 500us\nflow = 4 3 1MB 500us\n[measure]\ndrain = 20ms\n",
		 clockwise);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 3);
	sim_end(&s);
}

/* Two classes, each by itself. */
TEST(test_every_cycle_is_counted)
{
	struct sim s;

	sim_read(&s,
		 "%s[traffic y]\npattern = list\nclass = 1\n" CLOCKWISE "[measure]\ndrain = 20ms\n",
		 clockwise);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 2);
	CHECK_INT(s.r.deadlock.class_id, 0);
	sim_end(&s);
}

/* One flow less: the ring has an open end, pauses come and go, and every flow is done. Looked at
 * every 10 us meanwhile. */
TEST(test_pauses_that_end_are_no_deadlock)
{
	struct sim s;
	double paused = 0;

	for (int to_us = 10; to_us <= 1000; to_us += 10) {
		sim_read(&s,
			 RING
			 "[traffic x]\npattern = list\nflow = 0 2 1MB 0us\nflow = 1 3 1MB 1us\n"
			 "flow = 2 4 1MB 2us\nflow = 3 0 1MB 3us\nflow = 4 0 1MB 4us\n"
			 "[measure]\nto = %dus\ndrain = 0us\n",
			 to_us);
		sim_run(&s, 1);
		CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 0);
		CHECK_STR(s.r.deadlock.text, "");
		paused += (double)s.r.pause_count;
		sim_end(&s);
	}
	CHECK(paused > 100);
	sim_read(&s, RING "[traffic x]\npattern = list\nflow = 0 2 1MB 0us\nflow = 1 3 1MB 1us\n"
			  "flow = 2 4 1MB 2us\nflow = 3 0 1MB 3us\nflow = 4 0 1MB 4us\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 5);
	sim_end(&s);
}

/* The whole left pours into h8, so that the links up are paused most of the time; one of them fails
 * while it is. What waits for it must not wait for ever: it is lost, and goes another way. */
TEST(test_a_link_that_fails_is_paused_no_longer)
{
	for (int fails_us = 100; fails_us < 120; fails_us++) {
		struct sim s;

		sim_read(
			&s,
			"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\n"
			"hosts-per-leaf = 8\nrate = 10Gbps\ndelay = 1us\nfail = leaf0 spine0 %dus\n"
			"[switch]\nmarking = none\nbuffer = 200KB\nbuffer-per = switch\n"
			"lossless = 0\n[host]\ncc = line-rate\n[rdma]\nrto = 1ms\n"
			"[traffic x]\npattern = many-to-one\nsenders = 8\nreceiver = 8\n"
			"size = 100KB\n",
			fails_us);
		sim_run(&s, 1);
		CHECK(s.r.pause_count > 8);
		CHECK(sim_metric(&s, "drops") > 0);
		CHECK_INT(sim_metric(&s, "flows_completed"), 8);
		sim_end(&s);
	}
}
