/* SPDX-License-Identifier: BSD-3-Clause */
/* test_port_mark.c -- what a port shows its marking scheme, what it makes of the answers, and what
 * it keeps of its queue's length over time. */
#include "tests/port_fixture.h"
#include "weir/rng.h"

/* --- a scheme that says what the packet tells it to, and remembers what it saw --- */

struct puppet_state {
	struct weir_mark_view enqueue, dequeue;
	uint32_t asked;
};

/* A packet's flow hash is the verdict at enqueue, its upper half the one at dequeue. */
static uint32_t puppet_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct puppet_state *s = state;

	(void)params;
	s->enqueue = *v;
	s->asked++;
	return v->flow_hash & 0xffff;
}

static uint32_t puppet_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct puppet_state *s = state;

	(void)params;
	s->dequeue = *v;
	s->asked++;
	return v->flow_hash >> 16;
}

static const struct weir_mark_ops puppet = {
	.scheme = {
		.name = "puppet",
	},
	.state_size = sizeof(struct puppet_state),
	.scope = WEIR_MARK_STATE_PER_PORT,
	.reasons = { "a", "b", "c", "d" },
	.enqueue = puppet_enqueue,
	.dequeue = puppet_dequeue,
};

static void puppet_open(struct fixture *d, uint32_t pass_not_ect)
{
	struct weir_port_plan plan = fixture_plan();

	plan.mark = &puppet;
	plan.pass_not_ect = pass_not_ect;
	fixture_open(d, &plan, NULL);
}

/* Offers a packet that asks for these verdicts; returns its flags, or -1 where it was dropped. */
static int offer_verdicts(struct fixture *d, uint8_t flags, uint32_t at_enqueue,
			  uint32_t at_dequeue)
{
	struct weir_packet packet = fixture_packet(100);
	int64_t now_ps = d->port->free_ps;

	packet.flags = flags;
	packet.flow_hash = at_dequeue << 16 | at_enqueue;
	return fixture_offer(d, &packet, now_ps) == WEIR_PORT_DROPPED ? -1 : packet.flags;
}

TEST(test_a_mark_sets_ce_and_counts_its_reason)
{
	struct fixture d;

	puppet_open(&d, 0);
	CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT, WEIR_MARK_PASS, WEIR_MARK_PASS),
		  WEIR_PACKET_ECT);
	for (uint32_t reason = 0; reason < WEIR_MARK_REASONS; reason++) {
		uint32_t mark = WEIR_MARK_CE | weir_mark_reason(reason);

		CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT, mark, WEIR_MARK_PASS),
			  WEIR_PACKET_ECT | WEIR_PACKET_CE);
		CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT, WEIR_MARK_PASS, mark),
			  WEIR_PACKET_ECT | WEIR_PACKET_CE);
		CHECK_INT(d.port->cold->marks[reason], 2);
	}
	CHECK_INT(fixture_drops(&d), 0);
	fixture_close(&d);
}

TEST(test_a_packet_is_counted_as_marked_once)
{
	struct fixture d;

	puppet_open(&d, 0);
	CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT, WEIR_MARK_CE,
				 WEIR_MARK_CE | weir_mark_reason(1)),
		  WEIR_PACKET_ECT | WEIR_PACKET_CE);
	CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT | WEIR_PACKET_CE, WEIR_MARK_CE, WEIR_MARK_CE),
		  WEIR_PACKET_ECT | WEIR_PACKET_CE);
	CHECK_INT(d.port->cold->marks[0], 1);
	CHECK_INT(d.port->cold->marks[1], 0);
	fixture_close(&d);
}

TEST(test_a_mark_drops_what_is_not_ecn_capable_unless_told_to_pass)
{
	struct fixture d;

	puppet_open(&d, 0);
	CHECK_INT(offer_verdicts(&d, 0, WEIR_MARK_CE, WEIR_MARK_PASS), -1);
	CHECK_INT(offer_verdicts(&d, 0, WEIR_MARK_PASS, WEIR_MARK_CE), -1);
	CHECK_INT(offer_verdicts(&d, 0, WEIR_MARK_PASS, WEIR_MARK_PASS), 0);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_NOT_ECT], 2);
	CHECK_INT(fixture_drops(&d), 2);
	CHECK_INT(d.port->tx_pkts, 1);
	fixture_close(&d);
	puppet_open(&d, 1);
	CHECK_INT(offer_verdicts(&d, 0, WEIR_MARK_CE, WEIR_MARK_CE), 0);
	CHECK_INT(fixture_drops(&d), 0);
	CHECK_INT(d.port->cold->marks[0], 0);
	fixture_close(&d);
}

TEST(test_a_scheme_may_drop_on_the_way_in_and_out)
{
	struct fixture d;
	struct weir_packet packet = fixture_packet(100);

	puppet_open(&d, 0);
	CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT, WEIR_MARK_DROP, WEIR_MARK_PASS), -1);
	CHECK_INT(offer_verdicts(&d, WEIR_PACKET_ECT, WEIR_MARK_PASS, WEIR_MARK_DROP), -1);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_SCHEME], 2);
	/* One that waited: the link stays free for the next. */
	CHECK_INT(fixture_offer_bytes(&d, 1000, 0), WEIR_PORT_SEND);
	packet.flow_hash = (uint32_t)WEIR_MARK_DROP << 16;
	CHECK_INT(weir_port_offer(d.port, &d.pool, &packet, 1), WEIR_PORT_QUEUED);
	CHECK_INT(fixture_offer_bytes(&d, 200, 1), WEIR_PORT_QUEUED);
	CHECK(weir_port_next(d.port, &d.pool) == NULL);
	CHECK_INT(d.port->free_ps, 1000 * 800);
	CHECK_INT(weir_port_next(d.port, &d.pool)->bytes, 200);
	CHECK_INT(d.port->free_ps, 1200 * 800);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_SCHEME], 3);
	CHECK_INT(d.port->tx_pkts, 2);
	fixture_close(&d);
}

TEST(test_a_refused_packet_is_not_shown_to_the_scheme)
{
	struct weir_port_plan plan = fixture_plan();
	const struct puppet_state *state;
	struct fixture d;

	plan.mark = &puppet;
	fixture_limit(&plan, WEIR_BUFFER_PER_PORT, 2 | WEIR_LENGTH_IN_PACKETS);
	fixture_open(&d, &plan, NULL);
	state = weir_port_mark_state(d.port, 0);
	CHECK_INT(fixture_fill(&d, 1000, 0, 0), 3);
	CHECK_INT(state->asked, 3 + 1); /* the first also left */
	fixture_close(&d);
}

/* --- what the scheme sees --- */

/* Two queues with a shared buffer; lengths leave out the packet itself and the one on the wire. */
TEST(test_the_view_shows_what_a_packet_finds_and_what_it_leaves)
{
	struct weir_shared_buffer pool = { .used_bytes = 50000 };
	struct weir_port_plan plan = fixture_plan();
	struct fixture_params params;
	const struct puppet_state *state;
	const struct weir_mark_view *v;
	struct weir_packet packet;
	struct fixture d;

	plan.queues = 2;
	fixture_schemes(&plan, &params, "none", "sp");
	plan.mark = &puppet;
	weir_buffer_params_init(&plan.buffer, WEIR_BUFFER_PER_SWITCH, 1000000, WEIR_ONE_Q32);
	fixture_open(&d, &plan, &pool);
	state = weir_port_mark_state(d.port, 1);
	fixture_offer_bytes(&d, 1000, 0); /* on the wire until 800,000 */
	fixture_offer_bytes(&d, 300, 1000);
	packet = fixture_packet(500);
	packet.class_id = 1;
	fixture_offer(&d, &packet, 2000);
	packet = fixture_packet(700);
	packet.class_id = 1;
	fixture_offer(&d, &packet, 5999);
	v = &state->enqueue;
	CHECK_INT(v->now_ns, 5);
	CHECK_INT(v->sojourn_ns, 0);
	CHECK_INT(v->rate_bps, TEN_GBPS);
	CHECK_INT(v->shared_buffer_bytes, 50800);
	CHECK_INT(v->packet_bytes, 700);
	CHECK_INT(v->queue, 1);
	CHECK_INT(v->queue_bytes, 500);
	CHECK_INT(v->queue_pkts, 1);
	CHECK_INT(v->port_bytes, 800);
	CHECK_INT(v->port_pkts, 2);
	CHECK_INT(weir_port_next(d.port, &d.pool)->bytes, 300);
	v = &state->dequeue;
	CHECK_INT(v->now_ns, 800);
	CHECK_INT(v->sojourn_ns, 799);
	CHECK_INT(v->queue, 0);
	CHECK_INT(v->queue_pkts, 0);
	CHECK_INT(v->port_bytes, 1200);
	CHECK_INT(v->shared_buffer_bytes, 51200);
	CHECK_INT(weir_port_next(d.port, &d.pool)->bytes, 500);
	CHECK_INT(v->now_ns, 1040);
	CHECK_INT(v->sojourn_ns, 1038);
	CHECK_INT(v->queue_bytes, 700);
	CHECK_INT(v->port_pkts, 1);
	fixture_close(&d);
}

/* --- packets that need no questions --- */

/* What a scheme lets others watch. */
static uint64_t digest_values(uint64_t digest, const struct weir_port_plan *plan,
			      struct weir_port *port)
{
	const struct weir_mark_value *value = plan->mark->values;

	for (; value && value->name; value++) {
		double x = value->read(weir_port_mark_state(port, 0), plan->mark_params);
		uint64_t bits;

		memcpy(&bits, &x, sizeof(bits));
		digest = weir_hash64(digest, bits);
	}
	return digest;
}

/* One random course of offers at a port; every answer, flag, counter and value goes into a
 * digest. */
static uint64_t course(const struct weir_port_plan *plan, uint64_t seed, uint64_t *drops)
{
	struct weir_shared_buffer pool = { 0 };
	struct weir_rng r = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	uint64_t digest = 0;
	int64_t now_ps = 0;
	struct fixture d;

	fixture_open(&d, plan, plan->buffer.scope == WEIR_BUFFER_PER_SWITCH ? &pool : NULL);
	for (uint32_t i = 0; i < 20000; i++) {
		struct weir_packet packet = fixture_packet(54 + (uint32_t)weir_rng_below(&r, 1461));
		uint64_t burst = i / 200 % 2 ? 2 : 1;

		packet.class_id = (uint8_t)weir_rng_below(&r, plan->queues);
		packet.flags = weir_rng_below(&r, 8) ? WEIR_PACKET_ECT : 0;
		packet.flow_hash = (uint32_t)weir_rng_below(&r, 12);
		now_ps += (int64_t)weir_rng_below(&r, 1300000 / burst);
		digest = weir_hash64(digest, (uint64_t)fixture_offer(&d, &packet, now_ps));
		digest = weir_hash64(digest, packet.flags);
		digest = digest_values(digest, plan, d.port);
	}
	for (uint32_t i = 0; i < WEIR_MARK_REASONS; i++)
		digest = weir_hash64(digest, d.port->cold->marks[i]);
	for (uint32_t i = 0; i < WEIR_PORT_DROPS; i++)
		digest = weir_hash64(digest, d.port->cold->drops[i]);
	*drops = fixture_drops(&d);
	fixture_close(&d);
	return digest;
}

static uint32_t pass_all(void *state, const void *params, const struct weir_mark_view *v)
{
	(void)state;
	(void)params;
	(void)v;
	return WEIR_MARK_PASS;
}

/* A scheme that says below which length it need not be asked gets the same packets marked as one
 * that is asked each time. */
TEST(test_packets_let_in_unseen_would_have_passed)
{
	static const char *const markings[] = {
		"none",
		"ecn(k=20pkts)",
		"ecn(k=20KB)",
		"ecn(k=12pkts, scope=port)",
		"ecn(k=10pkts, at=dequeue)",
		"ecn(k=0pkts)",
		"red(min=5KB, max=30KB, p=50%)",
		"red(min=5pkts, max=30pkts, p=20%, weight=0.1)",
		"tcn(threshold=10us)",
		"codel(target=5us, interval=50us)",
	};
	static const uint64_t limits[] = { 30 | WEIR_LENGTH_IN_PACKETS, 40000, 1514,
					   200 | WEIR_LENGTH_IN_PACKETS };

	for (uint32_t i = 0; i < 2 * 10 * 3 * 4; i++) {
		struct weir_port_plan plan = fixture_plan();
		enum weir_buffer_scope scope = (enum weir_buffer_scope)(i / 20 % 3);
		uint64_t limit = limits[i / 60], unseen, asked, drops[2];
		struct fixture_params params;
		struct weir_mark_ops always;

		if (scope == WEIR_BUFFER_PER_SWITCH && weir_length_is_packets(limit))
			continue; /* a shared buffer counts bytes */
		plan.queues = 1 + 3 * (i % 2);
		fixture_schemes(&plan, &params, markings[i / 2 % 10],
				plan.queues > 1 ? "dwrr" : "fifo");
		fixture_limit(&plan, scope, limit);
		unseen = course(&plan, i, &drops[0]);
		always = *plan.mark;
		always.quiet_below = NULL;
		always.passes_idle = NULL;
		always.needs = NULL; /* every hook there is */
		if (!always.enqueue)
			always.enqueue = pass_all;
		plan.mark = &always;
		asked = course(&plan, i, &drops[1]);
		CHECK_INT(drops[0], drops[1]);
		CHECK_INT(unseen, asked);
	}
}

/* The same of schemes that choose queues, which need not see those who find the port empty. */
TEST(test_packets_that_leave_at_once_unseen_would_have_passed)
{
	static const char *const markings[] = {
		"diffecn(queues=8, rtt=10us)",
		"diffecn(queues=8, rtt=10us, release=drained)",
		"diffecn(queues=8, rtt=10us, count=periodic)",
		"diffecn(queues=8, rtt=10us, score=yes)",
		"pftcn(queues=8, rtt=10us)",
	};

	for (uint64_t i = 0; i < 2 * sizeof(markings) / sizeof(markings[0]); i++) {
		struct weir_port_plan plan = fixture_plan();
		struct fixture_params params;
		struct weir_mark_ops always;
		uint64_t unseen, drops[2];

		plan.queues = 8;
		fixture_schemes(&plan, &params, markings[i / 2], "sp-dwrr(priority-queues=1)");
		fixture_limit(&plan, WEIR_BUFFER_PER_PORT, i % 2 ? 4000 : 40000);
		unseen = course(&plan, i, &drops[0]);
		always = *plan.mark;
		always.passes_idle = NULL;
		plan.mark = &always;
		CHECK_INT(unseen, course(&plan, i, &drops[1]));
	}
}

/* --- length over time --- */

/* Statistics with few buckets, and what is put in their place. */
struct short_stats {
	struct weir_port_stats small, full;
	uint32_t grown_at_pkts; /* that the port held then */
};

static void grow_stats(struct weir_port *p)
{
	struct short_stats *s = p->stats->owner;

	s->grown_at_pkts = p->pkts;
	memcpy(&s->full, p->stats, weir_port_stats_size(p->stats->buckets));
	s->full.buckets = WEIR_PORT_STATS_BUCKETS;
	s->full.grow = NULL;
	p->stats = &s->full;
}

/* Four buckets are for up to three packets: the fourth that waits asks for more, before its time is
 * counted. */
TEST(test_statistics_grow_before_a_length_has_no_bucket)
{
	struct weir_port_plan plan = fixture_plan();
	struct short_stats s = { .grown_at_pkts = 0 };
	struct fixture d;

	fixture_open(&d, &plan, NULL);
	weir_port_stats_start_sized(d.port, &s.small, 4, 0);
	s.small.owner = &s;
	s.small.grow = grow_stats;
	for (int i = 0; i < 4; i++)
		fixture_offer_bytes(&d, 1000, 100000);
	CHECK(d.port->stats == &s.small);
	CHECK_INT(weir_port_stats_quantile(&s.small, 1), 0);
	fixture_offer_bytes(&d, 1000, 200000);
	CHECK(d.port->stats == &s.full);
	CHECK_INT(s.grown_at_pkts, 3);
	fixture_catch_up(&d, 5000000);
	weir_port_stats_stop(d.port, 5000000);
	CHECK_INT(s.full.max_pkts, 4);
	CHECK_INT(s.full.bucket_ps[3], 100000 + 800000);
	CHECK_INT(s.full.bucket_ps[4], 700000); /* until 900,000, when the first has left */
	fixture_close(&d);
}

/* Two packets of 1000 and 500 bytes wait behind one that takes 800 ns. */
TEST(test_queue_length_is_weighted_by_time)
{
	struct weir_port_plan plan = fixture_plan();
	struct weir_port_stats stats;
	struct fixture d;

	fixture_open(&d, &plan, NULL);
	weir_port_stats_start(d.port, &stats, 0);
	fixture_offer_bytes(&d, 1000, 100000); /* on the wire until 900,000 */
	fixture_offer_bytes(&d, 1000, 200000); /* waits 700,000, leaves at 900,000 */
	fixture_offer_bytes(&d, 500, 400000);  /* waits until 1,700,000 */
	fixture_catch_up(&d, 5000000);
	weir_port_stats_stop(d.port, 4000000);
	CHECK(d.port->stats == NULL);
	CHECK_INT(stats.max_pkts, 2);
	CHECK_INT(weir_port_stats_pkts_ps(&stats), 700000 + 1300000);
	CHECK_INT(stats.bytes_ps, INT64_C(1000) * 700000 + INT64_C(500) * 1300000);
	CHECK_INT(stats.bucket_ps[2], 500000); /* 400,000 to 900,000 */
	CHECK_INT(stats.bucket_ps[1], 200000 + 800000);
	CHECK_INT(stats.bucket_ps[0], 200000 + 2300000);
	CHECK_INT(weir_port_stats_quantile(&stats, 0.5), 0);
	CHECK_INT(weir_port_stats_quantile(&stats, 0.625), 0); /* exactly 2,500,000 of 4,000,000 */
	CHECK_INT(weir_port_stats_quantile(&stats, 0.63), 1);
	CHECK_INT(weir_port_stats_quantile(&stats, 0.875), 1);
	CHECK_INT(weir_port_stats_quantile(&stats, 0.88), 2);
	CHECK_INT(weir_port_stats_quantile(&stats, 1), 2);
	fixture_close(&d);
}

/* What waits when measuring begins counts from then on. */
TEST(test_statistics_that_start_late_begin_with_what_waits)
{
	struct weir_port_plan plan = fixture_plan();
	struct weir_port_stats stats;
	struct fixture d;

	fixture_open(&d, &plan, NULL);
	for (uint32_t i = 0; i < 4; i++)
		fixture_offer_bytes(&d, 1000, 0);
	weir_port_stats_start(d.port, &stats, 100);
	CHECK_INT(stats.max_pkts, 3);
	fixture_catch_up(&d, 800000);
	weir_port_stats_stop(d.port, 800100);
	CHECK_INT(stats.bucket_ps[3], 799900);
	CHECK_INT(stats.bucket_ps[2], 100);
	CHECK_INT(weir_port_stats_pkts_ps(&stats), 3 * 799900 + 2 * 100);
	fixture_close(&d);
}

/* Of 201 packets one is on the link and 200 wait; every 800 ns one of them leaves. */
TEST(test_integral_of_packets_is_exact_for_long_queues_too)
{
	struct weir_port_plan plan = fixture_plan();
	struct weir_port_stats stats;
	struct fixture d;

	fixture_open(&d, &plan, NULL);
	weir_port_stats_start(d.port, &stats, 0);
	for (uint32_t i = 0; i < 201; i++)
		fixture_offer_bytes(&d, 1000, 0);
	CHECK_INT(stats.max_pkts, 200);
	fixture_catch_up(&d, 200 * INT64_C(800000));
	weir_port_stats_stop(d.port, 200 * INT64_C(800000));
	CHECK_INT(weir_port_stats_pkts_ps(&stats), INT64_C(800000) * (200 * 201 / 2));
	CHECK_INT(stats.many_pkts_ps,
		  INT64_C(800000) * (200 * 201 / 2 -
				     WEIR_PORT_STATS_EXACT * (WEIR_PORT_STATS_EXACT - 1) / 2));
	fixture_close(&d);
}

/* Exact below 128, then steps of a 32nd of the octave. */
TEST(test_long_queues_are_kept_within_a_thirty_second)
{
	uint32_t last = 0;

	for (uint32_t pkts = 0; pkts < 1000000; pkts++) {
		uint32_t bucket = weir_port_stats_bucket(pkts),
			 floor = weir_port_stats_floor(bucket);

		CHECK(bucket == last || bucket == last + 1);
		CHECK(floor <= pkts && pkts - floor <= pkts / 32);
		CHECK(pkts >= 128 || floor == pkts);
		CHECK(weir_port_stats_floor(bucket + 1) > pkts);
		last = bucket;
	}
	CHECK_INT(weir_port_stats_bucket(UINT32_MAX), WEIR_PORT_STATS_BUCKETS - 1);
}
