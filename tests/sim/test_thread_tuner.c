/* SPDX-License-Identifier: BSD-3-Clause */
/* test_thread_tuner.c -- decisions of the engine that must not change results: serial or parallel
 * mode of a lookahead window (threads.h), and when empty in-flight queues free their memory
 * (link.h). */
#include "sim/core/link.h"
#include "sim/core/host.h"
#include "tests/sim.h"

static const char *const fabric =
	"[network]\ntopology = leaf-spine\nleaves = 4\nspines = 4\nhosts-per-leaf = 16\n"
	"rate = 100Gbps\ndelay = 1us\n[switch]\nmarking = ecn(k=20pkts)\n"
	"[traffic x]\npattern = all-to-all\nsizes = uniform(min=1KB, max=200KB)\n"
	"load = 0.6\nflows = 1000\n[measure]\nto = 1s\n";

struct built {
	struct sim s;
	struct network net;
	struct engine *e;
};

static void build(struct built *b, const char *text, const struct engine_plan *plan)
{
	struct flow_list flows = { 0 };
	struct weir_error e = { "" };

	sim_read_default(&b->s, "%s", text);
	if (network_build(&b->net, &b->s.c.network, &e) ||
	    traffic_generate(&flows, &b->s.c, &b->net, &e) ||
	    engine_new(&b->e, &b->s.c, &b->net, &flows, plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void end(struct built *b)
{
	engine_free(b->e);
	network_free(&b->net);
	sim_end(&b->s);
}

static void check_same(const struct built *a, const struct built *b)
{
	for (uint32_t i = 0; i < a->net.link_count; i++) {
		const struct weir_port *p = &engine_egress(a->e, i)->port;
		const struct weir_port *q = &engine_egress(b->e, i)->port;

		CHECK_INT(p->tx_bytes, q->tx_bytes);
		CHECK_INT(p->free_ps, q->free_ps);
		CHECK_INT(p->cold->marks[0], q->cold->marks[0]);
	}
	for (uint32_t i = 0; i < a->e->flows.count; i++)
		CHECK_INT(a->e->flows.flows[i].finish_ps, b->e->flows.flows[i].finish_ps);
}

enum { STOP_PS = 40 * 1000 * 1000, STOPS = 50 };

/* Stops often, and changes the mode at each stop. */
static void run_with_changing_modes(struct built *b)
{
	struct weir_error e = { "" };

	for (int i = 1; i <= STOPS; i++) {
		b->e->tuner.mode = i % 2 ? THREADS_PARALLEL : THREADS_SERIAL;
		b->e->tuner.left = 0;
		CHECK_INT(engine_advance_until(b->e, i * (int64_t)STOP_PS, &e), ENGINE_AT_STOP);
	}
}

TEST(test_changes_of_thread_mode_do_not_change_results)
{
	struct built one, many;
	struct weir_error e = { "" };

	build(&one, fabric, &(struct engine_plan){ .threads = 1 });
	CHECK_INT(engine_advance_until(one.e, STOPS * (int64_t)STOP_PS, &e), ENGINE_AT_STOP);
	build(&many, fabric, &(struct engine_plan){ .threads = 3, .adapts = 1 });
	CHECK(many.e->threads > 1);
	run_with_changing_modes(&many);
	check_same(&one, &many);
	CHECK(one.e->flows.flows[500].finish_ps > 0);
	end(&one);
	end(&many);
}

/* 34 links of 10 Gb/s hold 8 packets each for 10 us: a tenth of a millisecond's work in a window is
 * not there. */
TEST(test_a_small_network_has_one_thread)
{
	struct built b;

	build(&b,
	      "[network]\ntopology = star\nhosts = 17\nrate = 10Gbps\ndelay = 10us\n"
	      "[traffic x]\npattern = many-to-one\nsize = unlimited\n[measure]\nto = 1ms\n",
	      &(struct engine_plan){ .threads = 16, .adapts = 1 });
	CHECK_INT(b.e->threads, 1);
	end(&b);
}

/* Memory is reclaimed at every stop. At the end all traffic is over and no in-flight queue has any.
 */
TEST(test_reclaiming_in_flight_queues_does_not_change_results)
{
	struct built kept, tidy;
	struct weir_error e = { "" };

	build(&kept, fabric, &(struct engine_plan){ .threads = 1 });
	build(&tidy, fabric, &(struct engine_plan){ .threads = 1 });
	for (int i = 1; i <= STOPS; i++) {
		CHECK_INT(engine_advance_until(kept.e, i * (int64_t)STOP_PS, &e), ENGINE_AT_STOP);
		CHECK_INT(engine_advance_until(tidy.e, i * (int64_t)STOP_PS, &e), ENGINE_AT_STOP);
		packet_memory_reclaim(tidy.e);
	}
	check_same(&kept, &tidy);
	CHECK_INT(engine_packets_in_network(tidy.e), 0);
	for (uint32_t i = 0; i < tidy.net.link_count; i++)
		CHECK_INT(engine_egress(tidy.e, i)->tail, WEIR_SLOT_NONE);
	end(&kept);
	end(&tidy);
}

/* The tuner's choice after a mode has run for that many windows at that rate. */
static uint32_t timed(struct thread_tuner *h, enum thread_mode mode, uint32_t windows, double rate,
		      enum thread_mode *next)
{
	h->mode = mode;
	h->windows = windows;
	h->rate[mode] = rate;
	return thread_tuner_choose(h, next);
}

TEST(test_tuner_tries_a_slower_parallel_mode_again)
{
	struct thread_tuner h = { 0 };
	enum thread_mode next;

	CHECK_INT(timed(&h, THREADS_SERIAL, 32, 1.0, &next), 32);
	CHECK_INT(next, THREADS_PARALLEL);
	/* Four windows at half the serial rate: the time of 8 of 264 windows. */
	CHECK_INT(timed(&h, THREADS_PARALLEL, 4, 0.5, &next), 256);
	CHECK_INT(next, THREADS_SERIAL);
	CHECK_INT(timed(&h, THREADS_SERIAL, 256, 1.0, &next), 32);
	CHECK_INT(next, THREADS_PARALLEL);
	CHECK_INT(timed(&h, THREADS_PARALLEL, 4, 0.5, &next), 512);
	CHECK_INT(next, THREADS_SERIAL);
}

TEST(test_tuner_keeps_a_faster_parallel_mode)
{
	struct thread_tuner h = { 0 };
	enum thread_mode next;

	timed(&h, THREADS_SERIAL, 32, 1.0, &next);
	CHECK_INT(timed(&h, THREADS_PARALLEL, 32, 6.0, &next), 1024);
	CHECK_INT(next, THREADS_PARALLEL);
	CHECK_INT(timed(&h, THREADS_PARALLEL, 1024, 6.0, &next), 32);
	CHECK_INT(next, THREADS_SERIAL);
	CHECK_INT(timed(&h, THREADS_SERIAL, 32, 1.0, &next), 2048);
	CHECK_INT(next, THREADS_PARALLEL);
}

TEST(test_tuner_limits_the_time_between_trials)
{
	struct thread_tuner h = { 0 };
	enum thread_mode next;

	for (int i = 0; i < 20; i++) {
		timed(&h, THREADS_SERIAL, 32, 1.0, &next);
		timed(&h, THREADS_PARALLEL, 4, 0.01, &next);
	}
	CHECK_INT(h.stay, 8192);
	CHECK_INT(next, THREADS_SERIAL);
}
