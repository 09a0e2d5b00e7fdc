/* SPDX-License-Identifier: BSD-3-Clause */
/* test_event_switch.c -- switches with PFC accounts, or that write INT stacks, on the fast path:
 * results are those of a switch that always keeps event order (event_switch.h), and no INT stack is
 * lost. */
#include "sim/core/host.h"
#include "sim/core/event_switch.h"
#include "sim/core/telemetry.h"
#include "tests/sim.h"

/* A run that stops at a time, with everything still to be looked at. */
struct stopped {
	struct sim s;
	struct network net;
	struct engine *e;
};

enum order { ORDER_AS_NEEDED, ORDER_ALWAYS };

static void run_to(struct stopped *x, const char *text, enum order order, int64_t stop_ps)
{
	struct flow_list flows = { 0 };
	struct weir_error e = { "" };

	sim_read_default(&x->s, "%s", text);
	if (network_build(&x->net, &x->s.c.network, &e) ||
	    traffic_generate(&flows, &x->s.c, &x->net, &e) ||
	    engine_new(&x->e, &x->s.c, &x->net, &flows, &(struct engine_plan){ .threads = 1 }, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; order == ORDER_ALWAYS && i < x->net.switch_count; i++) {
		x->e->switches[i].events->always_active = 1;
		event_switch_activate(&x->e->switches[i], 0);
	}
	CHECK_INT(engine_advance_until(x->e, stop_ps, &e), ENGINE_AT_STOP);
}

static void stopped_free(struct stopped *x)
{
	engine_free(x->e);
	network_free(&x->net);
	sim_end(&x->s);
}

/* --- lossless classes --- */

/* Ports and pauses are those of a run whose switches keep to the order of time throughout. Returns
 * how many pauses there were. */
static uint64_t check_same(const char *text)
{
	struct stopped own, strict;
	uint64_t pauses = 0;

	run_to(&own, text, ORDER_AS_NEEDED, 300 * 1000 * INT64_C(1000));
	run_to(&strict, text, ORDER_ALWAYS, 300 * 1000 * INT64_C(1000));
	for (uint32_t i = 0; i < own.net.link_count; i++) {
		const struct weir_port *a = &engine_egress(own.e, i)->port;
		const struct weir_port *b = &engine_egress(strict.e, i)->port;

		CHECK_INT(a->tx_pkts, b->tx_pkts);
		CHECK_INT(a->tx_bytes, b->tx_bytes);
		CHECK_INT(a->bytes, b->bytes);
		CHECK_INT(a->free_ps, b->free_ps);
		for (uint32_t k = 0; k < WEIR_MARK_REASONS; k++)
			CHECK_INT(a->cold->marks[k], b->cold->marks[k]);
		for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
			CHECK_INT(a->cold->drops[k], b->cold->drops[k]);
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			CHECK_INT(own.e->pauses[i].class[k].count,
				  strict.e->pauses[i].class[k].count);
			CHECK_INT(own.e->pauses[i].class[k].sum_ps,
				  strict.e->pauses[i].class[k].sum_ps);
			pauses += own.e->pauses[i].class[k].count;
		}
	}
	stopped_free(&own);
	stopped_free(&strict);
	return pauses;
}

#define FABRIC \
	"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 3\n" \
	"rate = 25Gbps\nfabric-rate = 25Gbps\ndelay = 1us\n[switch]\nbuffer-per = switch\n" \
	"marking = red(min=5KB, max=20KB, p=20%)\n"
#define INCAST "[traffic in]\npattern = many-to-one\nsize = 200KB\n"
#define PAIRS "[traffic pairs]\npattern = permutation\nsize = unlimited\n"

TEST(test_lossless_switches_do_the_same_as_if_they_kept_to_the_order_of_time)
{
	CHECK_INT(check_same(FABRIC "buffer = 9MB\nlossless = all\n[host]\ncc = dcqcn\n" PAIRS
				    "[measure]\nto = 1ms\n"),
		  0);
	CHECK(check_same(FABRIC
			 "buffer = 600KB\nlossless = all\n[host]\ncc = line-rate\n" INCAST PAIRS
			 "[measure]\nto = 1ms\n") > 10);
	CHECK(check_same(FABRIC "buffer = 400KB\nlossless = 0\nqueues = 2\nscheduler = dwrr\n"
				"[host]\ncc = line-rate\n" INCAST "class = 0\n" PAIRS
				"class = 1\n[measure]\nto = 1ms\n") > 10);
}

/* A switch below all thresholds runs on the fast path, and again once neighbours are resumed. */
TEST(test_a_lossless_switch_keeps_event_order_only_while_neighbours_are_paused)
{
	struct stopped x;

	run_to(&x,
	       FABRIC "buffer = 9MB\nlossless = all\n[host]\ncc = dcqcn\n" PAIRS
		      "[measure]\nto = 1ms\n",
	       ORDER_AS_NEEDED, 100 * 1000 * INT64_C(1000));
	for (uint32_t i = 0; i < x.net.switch_count; i++)
		CHECK(!x.e->switches[i].events->is_active);
	stopped_free(&x);
	run_to(&x,
	       FABRIC "buffer = 600KB\nlossless = all\n[host]\ncc = line-rate\n" INCAST
		      "[measure]\nto = 10ms\n",
	       ORDER_AS_NEEDED, 9 * 1000 * 1000 * INT64_C(1000));
	for (uint32_t i = 0; i < x.net.switch_count; i++) {
		CHECK_INT(x.e->switches[i].events->paused_count, 0);
		CHECK(!x.e->switches[i].events->is_active);
	}
	stopped_free(&x);
}

/* --- INT stacks --- */

static uint64_t int_stacks_in_use(const struct engine *e)
{
	uint64_t free_count = e->workers[0].int_stacks.free_count;

	for (uint32_t first = e->int_stack_store.batches; first; first = e->int_stacks[first].rx_ns)
		free_count += INT_STACKS_BATCH;
	return e->int_stack_store.fresh - 1 - free_count;
}

/* Packets are lost in a switch's buffer, in a NIC's, or when a link fails. In the end no stack is
 * in use. */
TEST(test_int_stacks_of_lost_packets_are_free)
{
	static const char *const more[] = {
		"[host]\ncc = hpcc\n",
		"[host]\ncc = hpcc\ncard = fifo(limit=9pkts)\n",
		"[host]\ncc = hpcc\ncard = fifo(limit=30pkts, marking=tcn(threshold=100ns))\n",
	};

	for (uint32_t i = 0; i < 3; i++) {
		struct stopped x;
		char text[1024];

		snprintf(text, sizeof(text),
			 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\n"
			 "hosts-per-leaf = 4\nrate = 25Gbps\ndelay = 1us\n"
			 "fail = leaf0 spine0 40us\n[switch]\nmarking = none\nbuffer = 9pkts\n%s"
			 "[rdma]\nrto = 200us\n[traffic in]\npattern = many-to-one\nsize = 90KB\n"
			 "[traffic tcp]\npattern = permutation\nsize = 30KB\ncc = dctcp\n",
			 more[i]);
		run_to(&x, text, ORDER_AS_NEEDED, 20 * 1000 * INT64_C(1000));
		CHECK(int_stacks_in_use(x.e) > 0);
		stopped_free(&x);
		run_to(&x, text, ORDER_AS_NEEDED, INT64_C(2) * 1000 * 1000 * 1000 * 1000);
		CHECK_INT(engine_packets_in_network(x.e), 0);
		CHECK_INT(int_stacks_in_use(x.e), 0);
		stopped_free(&x);
	}
}
