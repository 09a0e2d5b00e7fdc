/* SPDX-License-Identifier: BSD-3-Clause */
/* test_port_plan.c -- what an embedding program may get wrong: a plan that cannot work is refused
 * with a message, and a packet store that is full drops packets and counts them. */
#include "tests/port_fixture.h"
#include <stdio.h>

/* --- plans --- */

static struct weir_port_plan plan_of(struct fixture_params *params, uint32_t queues,
				     const char *marking, const char *scheduler)
{
	struct weir_port_plan plan = fixture_plan();

	plan.queues = queues;
	fixture_schemes(&plan, params, marking, scheduler);
	return plan;
}

static void check_refused(const struct weir_port_plan *plan, const char *message)
{
	struct weir_error e = { "" };

	CHECK_INT(weir_port_plan_check(plan, &e), -1);
	CHECK_CONTAINS(e.text, message);
}

TEST(test_a_port_plan_of_any_scheme_in_a_port_that_suits_it_is_good)
{
	struct fixture_params params;
	struct weir_error e = { "" };

	for (size_t i = 0; weir_mark_all[i]; i++) {
		const struct weir_mark_ops *mark = weir_mark_all[i];
		struct weir_port_plan plan = plan_of(&params, 2, mark->scheme.name, "dwrr");
		struct weir_mark_layout layout;

		if (mark->layout) {
			mark->layout(params.mark, &layout);
			plan.queues = layout.queues;
			fixture_schemes(&plan, &params, mark->scheme.name, layout.scheduler);
		}
		if (weir_mark_needs(mark, params.mark) & WEIR_MARK_NEEDS_SHARED_BUFFER)
			fixture_limit(&plan, WEIR_BUFFER_PER_SWITCH, 1000000);
		if (weir_port_plan_check(&plan, &e))
			test_fail(__FILE__, __LINE__, "%s: %s", mark->scheme.name, e.text);
	}
	for (size_t i = 0; weir_sched_all[i]; i++) {
		const char *name = weir_sched_all[i]->scheme.name;
		struct weir_port_plan plan =
			plan_of(&params, strcmp(name, "fifo") == 0 ? 1 : 4, "none", name);

		if (weir_port_plan_check(&plan, &e))
			test_fail(__FILE__, __LINE__, "%s: %s", name, e.text);
	}
}

TEST(test_a_scheme_that_lays_out_its_port_is_refused_in_another_port)
{
	struct fixture_params params;
	struct weir_port_plan plan = plan_of(&params, 2, "diffecn(rtt=100us)", "dwrr(weights=3:1)");

	check_refused(&plan, "marking diffecn lays out a port itself: it needs 32 queues and "
			     "scheduler sp-dwrr(priority-queues=1, quantum=1514B), not 2 and dwrr");
	plan = plan_of(&params, 16, "diffecn(rtt=100us)", "sp-dwrr");
	check_refused(&plan, "marking diffecn lays out a port itself: it needs 32 queues and "
			     "scheduler sp-dwrr(priority-queues=1, quantum=1514B), not 16 and "
			     "sp-dwrr");
}

TEST(test_a_plan_without_its_parts_is_refused)
{
	struct fixture_params params;
	struct weir_port_plan good = plan_of(&params, 2, "red", "wrr"), plan = good;

	plan.queues = 0;
	check_refused(&plan, "a port of 0 queues; allowed are 1 to 128");
	plan.queues = WEIR_QUEUES_MAX + 1;
	check_refused(&plan, "a port of 129 queues");
	plan = good;
	plan.mark = NULL;
	check_refused(&plan, "without a marking scheme");
	plan = good;
	plan.mark_params = NULL;
	check_refused(&plan, "marking red: its options (mark_params) are missing");
	plan = good;
	plan.sched = NULL;
	check_refused(&plan, "a port of 2 queues without a scheduler");
	plan = good;
	plan.sched_params = NULL;
	check_refused(&plan, "scheduler wrr: its options (sched_params) are missing");
}

TEST(test_a_plan_outside_the_limits_is_refused)
{
	struct fixture_params params;
	struct weir_port_plan good = plan_of(&params, 1, "none", "fifo"), plan = good;
	struct weir_error e;

	plan.rate_bps = 0;
	check_refused(&plan, "a port of 0 b/s");
	plan.rate_bps = UINT64_MAX;
	check_refused(&plan, "allowed are 1 Mb/s to 4294967295 Mb/s");
	plan = good;
	plan.mtu_bytes = 0;
	check_refused(&plan, "frames of up to 0B");
	plan = good;
	plan.overhead_bytes = UINT32_MAX;
	check_refused(&plan, "4294967295B around them");
	plan = good;
	fixture_limit(&plan, WEIR_BUFFER_PER_SWITCH, 1000 | WEIR_LENGTH_IN_PACKETS);
	check_refused(&plan, "a shared buffer counts bytes");
	/* At the lowest rate the largest frame still takes the time it should. */
	plan = good;
	plan.rate_bps = 1000000;
	plan.mtu_bytes = plan.overhead_bytes = plan.min_bytes = UINT16_MAX;
	CHECK_INT(weir_port_plan_check(&plan, &e), 0);
	CHECK_INT(weir_bytes_to_ps(2 * UINT16_MAX, weir_bps_to_ps_per_byte_q20(1000000)),
		  INT64_C(2) * UINT16_MAX * 8 * 1000000);
}

TEST(test_a_scheme_that_misses_what_it_measures_is_refused)
{
	struct fixture_params params;
	struct weir_port_plan plan = plan_of(&params, 4, "mq-ecn", "sp");

	check_refused(&plan, "marking mq-ecn measures the rounds of a scheduler, and sp has none");
	plan = plan_of(&params, 1, "mq-ecn", "dwrr");
	check_refused(&plan, "and this port has none");
	plan = plan_of(&params, 1, "bcc", "fifo");
	check_refused(&plan, "needs the shared buffer of a switch, and this port has its own "
			     "buffer");
	plan = plan_of(&params, 2, "none", "dwrr(weights=3:1)");
	plan.queues = 3;
	check_refused(&plan, "dwrr: 2 weights for 3 weighted queues");
}

/* A caller that skips the check gets a port that works, with the queues that there are. */
TEST(test_a_scheme_that_lays_out_its_port_survives_another_port)
{
	for (uint32_t queues = 1; queues <= WEIR_QUEUES_MAX; queues += queues < 3 ? 1 : 25) {
		struct fixture_params params;
		struct weir_port_plan plan = plan_of(&params, queues, "diffecn(rtt=100us)", "dwrr");
		struct fixture d;

		fixture_open(&d, &plan, NULL);
		for (uint32_t i = 0; i < 3000; i++) {
			struct weir_packet packet = fixture_packet(1000);

			packet.flow_hash = i * 2654435761u;
			CHECK(weir_port_offer(d.port, &d.pool, &packet, i) != WEIR_PORT_DROPPED);
		}
		CHECK_INT(fixture_catch_up(&d, INT64_MAX / 2), 2999);
		fixture_close(&d);
	}
}

/* --- a store that is full --- */

/* The desk with a store of so many packets in place of its own. */
static void use_store(struct fixture *d, uint64_t packets)
{
	weir_packet_store_free(&d->store);
	CHECK_INT(weir_packet_store_init(&d->store, packets), 0);
	weir_packet_pool_init(&d->pool, &d->store);
}

/* Offers packets to the busy port: the first `kept` of them wait, the others are dropped and
 * counted as such; later all that waits leaves, and there is space again. Twice, so that memory
 * which comes back is used again. */
static void check_full(struct weir_port_plan *plan, uint64_t store_packets, uint32_t kept)
{
	enum { OFFERED = 3000 };
	struct weir_port_stats *stats = calloc(1, sizeof(*stats));
	struct fixture d;

	CHECK(stats != NULL);
	fixture_open(&d, plan, NULL);
	use_store(&d, store_packets);
	weir_port_stats_start(d.port, stats, 0);
	for (int round = 0; round < 2; round++) {
		int64_t now_ps = round * WEIR_PS_PER_S / 2;

		CHECK_INT(fixture_offer_bytes(&d, 1000, now_ps), WEIR_PORT_SEND);
		for (uint32_t i = 0; i < OFFERED; i++) {
			struct weir_packet packet = fixture_packet(1000);

			CHECK_INT(weir_port_offer(d.port, &d.pool, &packet, now_ps),
				  i < kept ? WEIR_PORT_QUEUED : WEIR_PORT_DROPPED);
		}
		CHECK_INT(d.port->cold->drops[WEIR_DROP_STORE_FULL],
			  (uint32_t)(round + 1) * (OFFERED - kept));
		CHECK_INT(d.port->pkts, kept);
		CHECK_INT(d.port->bytes, kept * 1000);
		CHECK_INT(fixture_catch_up(&d, now_ps + WEIR_PS_PER_S / 3), kept);
	}
	CHECK_INT(stats->max_pkts, kept);
	CHECK_STR(weir_port_drop_names[WEIR_DROP_STORE_FULL], "packet store full");
	weir_port_stats_stop(d.port, WEIR_PS_PER_S);
	free(stats);
	fixture_close(&d);
}

TEST(test_a_full_packet_store_is_a_counted_drop)
{
	struct fixture_params params;
	struct weir_port_plan plan = fixture_plan();

	check_full(&plan, 4, 4);
	check_full(&plan, 100, 100);
	check_full(&plan, 1500, 1500);
	plan = plan_of(&params, 2, "none", "dwrr");
	check_full(&plan, 100, 100);
	plan = plan_of(&params, 1, "none", "pifo"); /* which has a chunk for each packet */
	check_full(&plan, 400, 100);
}

TEST(test_a_paused_queue_drops_when_the_packet_store_is_full)
{
	struct fixture_params params;
	struct weir_port_plan plan = plan_of(&params, 2, "none", "dwrr");
	struct fixture d;

	fixture_open(&d, &plan, NULL);
	use_store(&d, 8);
	weir_port_pause(d.port, 0);
	for (int i = 0; i < 10; i++)
		CHECK_INT(fixture_offer_bytes(&d, 1000, 0),
			  i < 8 ? WEIR_PORT_QUEUED : WEIR_PORT_DROPPED);
	CHECK_INT(d.port->paused_pkts, 8);
	weir_port_resume(d.port, 0, 1);
	CHECK_INT(fixture_catch_up(&d, WEIR_PS_PER_S), 8);
	CHECK_INT(d.port->paused_pkts, 0);
	fixture_close(&d);
}

TEST(test_a_store_for_more_packets_than_slots_have_numbers_is_refused)
{
	struct weir_packet_store s;

	CHECK_INT(weir_packet_store_init(&s, UINT64_MAX), -1);
	CHECK_INT(weir_packet_store_init(&s, UINT64_C(1) << 32), -1);
	CHECK_INT(weir_packet_store_init(&s, 0), -1);
	CHECK_INT(weir_packet_store_init(&s, 1000), 0);
	CHECK_INT(weir_packet_store_grow(&s, 10), -1);
	CHECK_INT(weir_packet_store_grow(&s, UINT64_MAX), -1);
	CHECK_INT(weir_packet_store_grow(&s, 2000), 0);
	weir_packet_store_free(&s);
}
