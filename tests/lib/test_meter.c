/* SPDX-License-Identifier: BSD-3-Clause */
/* test_meter.c -- what a metered queue tells of an interval, by hand, and that measuring changes
 * nothing. */
#include "lib/tune/meter.h"
#include "tests/port_fixture.h"
#include "weir/rng.h"

/* 1000 ns on the line of 10 Gb/s. */
enum { BYTES = 1250 };

struct metered {
	struct fixture desk;
	struct fixture_params params;
	struct weir_mark_ops ops;
	struct meter_plan plan;
};

static void open_metered(struct metered *m, const char *marking)
{
	struct weir_port_plan plan = fixture_plan();

	fixture_schemes(&plan, &m->params, marking, "fifo");
	m->ops = weir_meter_init(&m->plan, plan.mark, plan.mark_params);
	plan.mark = &m->ops;
	plan.mark_params = &m->plan;
	fixture_open(&m->desk, &plan, NULL);
}

static struct weir_tune_telemetry read_at(struct metered *m, int64_t now_ns)
{
	struct weir_tune_telemetry t;

	fixture_catch_up(&m->desk, weir_ns_to_ps(now_ns) - 1);
	weir_meter_read(meter_of(weir_port_mark_state(m->desk.port, 0), &m->plan), now_ns,
			weir_port_queues(m->desk.port)[0].bytes, &t);
	return t;
}

static void offer(struct metered *m, int64_t now_ns, uint8_t flags)
{
	struct weir_packet packet = fixture_packet(BYTES);

	packet.flags = flags;
	fixture_offer(&m->desk, &packet, weir_ns_to_ps(now_ns));
}

/* A (with CE already) takes the free line at 0. B finds it busy at 200, C finds B waiting at 600
 * and is marked. B starts at 1000, C at 2000. The queue: 1250 B from 200, 2500 from 600, 1250 from
 * 1000, nothing from 2000.
 *	0 to 1500:	(400 1250 + 400 2500 + 500 1250) / 1500 = 1416.7; A and B left, A with CE
 *	1500 to 2500:	500 1250 / 1000 = 625; C left, with CE */
TEST(test_meter_of_three_packets)
{
	struct metered m;
	struct weir_tune_telemetry t;

	open_metered(&m, "red(min=1KB, max=1KB)");
	offer(&m, 0, WEIR_PACKET_ECT | WEIR_PACKET_CE);
	offer(&m, 200, WEIR_PACKET_ECT);
	offer(&m, 600, WEIR_PACKET_ECT);
	t = read_at(&m, 1500);
	CHECK_INT(t.interval_ns, 1500);
	CHECK_INT(t.queue_mean_bytes, 1416);
	CHECK_INT(t.queue_max_bytes, 2 * BYTES);
	CHECK_INT(t.queue_end_bytes, BYTES);
	CHECK_INT(t.out_bytes, 2 * BYTES);
	CHECK_INT(t.ce_bytes, BYTES);
	CHECK_INT(t.marked_pkts, 1);
	t = read_at(&m, 2500);
	CHECK_INT(t.interval_ns, 1000);
	CHECK_INT(t.queue_mean_bytes, 625);
	CHECK_INT(t.queue_max_bytes, BYTES);
	CHECK_INT(t.queue_end_bytes, 0);
	CHECK_INT(t.out_bytes, BYTES);
	CHECK_INT(t.ce_bytes, BYTES);
	CHECK_INT(t.marked_pkts, 0);
	t = read_at(&m, 3500);
	CHECK_INT(t.queue_mean_bytes + t.queue_max_bytes + t.out_bytes + t.ce_bytes, 0);
	fixture_close(&m.desk);
}

TEST(test_meter_of_a_packet_that_finds_the_line_free)
{
	struct metered m;
	struct weir_tune_telemetry t;

	open_metered(&m, "red");
	offer(&m, 100, WEIR_PACKET_ECT);
	t = read_at(&m, 2000);
	CHECK_INT(t.queue_mean_bytes + t.queue_max_bytes + t.queue_end_bytes, 0);
	CHECK_INT(t.out_bytes, BYTES);
	fixture_close(&m.desk);
}

/* C is not ECN-capable: the mark drops it, and it neither waits nor leaves. */
TEST(test_meter_leaves_out_what_was_dropped)
{
	struct metered m;
	struct weir_tune_telemetry t;

	open_metered(&m, "red(min=1KB, max=1KB)");
	offer(&m, 0, WEIR_PACKET_ECT);
	offer(&m, 200, WEIR_PACKET_ECT);
	offer(&m, 600, 0);
	t = read_at(&m, 2000);
	CHECK_INT(m.desk.port->cold->drops[WEIR_DROP_NOT_ECT], 1);
	CHECK_INT(t.queue_mean_bytes, 800 * BYTES / 2000);
	CHECK_INT(t.queue_max_bytes, BYTES);
	CHECK_INT(t.out_bytes, 2 * BYTES);
	CHECK_INT(t.ce_bytes + t.marked_pkts, 0);
	fixture_close(&m.desk);
	/* On its way out, too. */
	open_metered(&m, "red(min=0B, max=0B, at=dequeue)");
	offer(&m, 0, 0);
	offer(&m, 10, WEIR_PACKET_ECT);
	t = read_at(&m, 2000);
	CHECK_INT(m.desk.port->cold->drops[WEIR_DROP_NOT_ECT], 1);
	CHECK_INT(t.out_bytes, BYTES);
	CHECK_INT(t.ce_bytes, BYTES);
	CHECK_INT(t.marked_pkts, 1);
	fixture_close(&m.desk);
}

/* --- against the port alone --- */

static uint64_t digest_of(struct fixture *d)
{
	struct weir_rng r = weir_rng_make(3, 0, WEIR_RNG_TEST);
	uint64_t digest = 0;
	int64_t now_ps = 0;

	for (int i = 0; i < 20000; i++) {
		struct weir_packet packet = fixture_packet(64 + (uint32_t)weir_rng_below(&r, 1400));

		now_ps += (int64_t)weir_rng_below(&r, i % 1000 < 500 ? 1000000 : 1500000);
		packet.flow_hash = weir_rng_u32(&r) % 20;
		packet.flags = weir_rng_below(&r, 20) ? WEIR_PACKET_ECT : 0;
		digest = weir_hash64(digest, (uint64_t)fixture_offer(d, &packet, now_ps));
		digest = weir_hash64(digest, packet.flags + ((uint64_t)d->port->bytes << 8));
	}
	return digest;
}

TEST(test_meter_changes_no_verdict)
{
	static const char *const markings[] = { "red(min=5KB, max=30KB, p=0.3)",
						"red(min=5KB, max=30KB, p=0.3, weight=0.01)",
						"red(min=5KB, max=30KB, slope=4, at=dequeue)",
						"pred(parts=fcs)",
						"pred(parts=fcs, lookup=table)" };

	for (size_t i = 0; i < sizeof(markings) / sizeof(markings[0]); i++) {
		struct weir_port_plan plan = fixture_plan();
		struct fixture_params params;
		struct fixture plain;
		struct metered m;

		fixture_schemes(&plan, &params, markings[i], "fifo");
		fixture_open(&plain, &plan, NULL);
		open_metered(&m, markings[i]);
		CHECK(digest_of(&plain) == digest_of(&m.desk));
		CHECK_INT(m.desk.port->cold->marks[0], plain.port->cold->marks[0]);
		CHECK(plain.port->cold->marks[0] > 100);
		fixture_close(&plain);
		fixture_close(&m.desk);
	}
}

/* --- knobs --- */

static void turn(struct metered *m, const struct weir_tune_knobs *knobs)
{
	void *state = weir_port_mark_state(m->desk.port, 0);

	m->plan.inner->knobs->apply(state, meter_inner_params(state, &m->plan), knobs);
}

/* Turned before the first packet, a scheme does what it does when it begins so. */
TEST(test_a_turned_scheme_marks_as_one_that_began_so)
{
	static const struct {
		const char *from, *to;
	} pairs[] = { { "red(min=1pkts, max=9pkts)", "red(min=4KB, max=30KB, slope=3)" },
		      { "red(p=1)", "red(min=4KB, max=30KB, slope=3)" },
		      { "pred(parts=fcs)", "pred(parts=fcs, min=4KB, max=30KB, lambda=3)" },
		      { "pred(parts=fcs, lookup=table)",
			"pred(parts=fcs, min=4KB, max=30KB, lambda=3, lookup=table)" } };
	const struct weir_tune_knobs knobs = { 4000, 30000, 3 * WEIR_ONE_Q32 };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct metered from, to;
		struct weir_tune_knobs read;
		void *state;

		open_metered(&from, pairs[i].from);
		open_metered(&to, pairs[i].to);
		turn(&from, &knobs);
		state = weir_port_mark_state(to.desk.port, 0);
		to.plan.inner->knobs->read(state, meter_inner_params(state, &to.plan), 1500, &read);
		CHECK_INT(read.min_bytes, knobs.min_bytes);
		CHECK_INT(read.max_bytes, knobs.max_bytes);
		CHECK_INT(read.slope_q32, knobs.slope_q32);
		CHECK(digest_of(&from.desk) == digest_of(&to.desk));
		fixture_close(&from.desk);
		fixture_close(&to.desk);
	}
}

/* A slope of 0 marks nothing below max, and min = max is a step. */
TEST(test_red_turned_flat_marks_nothing_below_max)
{
	const struct weir_tune_knobs flat = { 0, 10 * BYTES, 0 }, step = { BYTES, BYTES, 0 };
	struct metered m;

	open_metered(&m, "red(min=0B, max=10KB, p=1)");
	turn(&m, &flat);
	for (int i = 0; i < 10; i++)
		offer(&m, 0, WEIR_PACKET_ECT);
	CHECK_INT(m.desk.port->cold->marks[0] + m.desk.port->cold->marks[1], 0);
	turn(&m, &step);
	offer(&m, 0, WEIR_PACKET_ECT);
	CHECK_INT(m.desk.port->cold->marks[1], 1);
	fixture_close(&m.desk);
}
