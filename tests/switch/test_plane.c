/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plane.c -- the data plane in virtual time with frames in memory: forwarding, marking, drops
 * and counters. */
#include "switch/plane/plane.h"
#include "tests/frames.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <stdlib.h>

#define MBPS_100 (UINT64_C(100) * 1000 * 1000)
#define US ((int64_t)WEIR_PS_PER_NS * WEIR_NS_PER_US)

enum { FIXTURE_PORTS = 4, FRAME_BYTES = 1250 }; /* 100 us each at 100 Mb/s */

struct plane_fixture {
	struct plane_port_plan ports[FIXTURE_PORTS];
	struct plane_plan plan;
	struct plane *plane;
	_Alignas(8) unsigned char mark[WEIR_SPEC_PARAMS_MAX], sched[WEIR_SPEC_PARAMS_MAX];
};

/* Ports at 100 Mb/s with this many queues. */
static void fixture_plan(struct plane_fixture *d, const char *marking, const char *scheduler,
			 uint32_t queues)
{
	static const char *const names[FIXTURE_PORTS] = { "a", "b", "c", "d" };
	struct weir_port_plan plan = { .rate_bps = MBPS_100, .queues = queues, .mtu_bytes = 1514 };
	struct weir_error e = { "" };

	memset(d, 0, sizeof(*d));
	CHECK_INT(weir_mark_parse(marking, &plan.mark, d->mark, &e), 0);
	CHECK_INT(weir_sched_parse(scheduler, queues, &plan.sched, d->sched, &e), 0);
	plan.mark_params = d->mark;
	plan.sched_params = d->sched;
	weir_buffer_params_init(&plan.buffer, WEIR_BUFFER_PER_PORT, 100 | WEIR_LENGTH_IN_PACKETS,
				0);
	for (uint32_t i = 0; i < FIXTURE_PORTS; i++)
		d->ports[i] = (struct plane_port_plan){ .name = names[i], .plan = plan };
	d->plan = (struct plane_plan){
		.seed = 1,
		.port_count = FIXTURE_PORTS,
		.ports = d->ports,
		.buffers = 64,
		.mtu_bytes = 1500,
		.learns = 1,
		.age_ps = 300 * WEIR_PS_PER_S,
		.catch_up_ps = 1000 * US,
	};
}

static void fixture_begin(struct plane_fixture *d)
{
	d->plane = plane_new(&d->plan);
	for (uint32_t i = 0; i < d->plan.port_count; i++)
		CHECK_INT(plane_add_address(d->plane, FRAMES_HOST(i), i), 0);
}

static void come(struct plane *p, uint32_t port, const struct made_frame *f, int64_t time_ps)
{
	plane_receive(p, port, &(struct plane_arrival){ f->data, f->length, 0, time_ps });
}

static void fixture_come(struct plane_fixture *d, const struct made_ip *p, int64_t time_ps)
{
	struct made_frame f;

	frames_ipv4(&f, p);
	come(d->plane, (uint32_t)p->from, &f, time_ps);
}

/* A full-sized frame from host 0 to host 1. */
static const struct made_ip full = { .to = 1, .from = 0, .ecn = FRAME_ECT_0, .whole = FRAME_BYTES };

static const struct weir_port *port_of(const struct plane_fixture *d, uint32_t port)
{
	return plane_port(d->plane, port)->port;
}

static const struct plane_counts *counts_of(const struct plane_fixture *d, uint32_t port)
{
	return &plane_port(d->plane, port)->counts;
}

/* Removes the frame due on a port; returns its ECN field, -1: none. */
static int fixture_take(struct plane_fixture *d, uint32_t port, int64_t now_ps)
{
	const struct plane_frame *f = plane_due(d->plane, port, now_ps);
	struct frame_facts facts;

	if (!f)
		return -1;
	CHECK_INT(frame_read(f->data, f->length, &facts), FRAME_GOOD);
	CHECK_INT(frames_sum_error(f->data + 14, 20), 0);
	plane_done(d->plane, port, PLANE_SENT);
	return facts.ecn;
}

TEST(test_plane_frame_is_due_when_its_last_byte_and_the_delay_have_passed)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	d.ports[1].delay_ps = 50 * US;
	fixture_begin(&d);
	CHECK_INT(plane_next_ps(d.plane), WEIR_TIME_NEVER_PS);
	fixture_come(&d, &full, 10 * US);
	fixture_come(&d, &full, 20 * US);
	CHECK_INT(plane_next_ps(d.plane), 160 * US);
	plane_advance(d.plane, 200 * US);
	CHECK_INT(fixture_take(&d, 1, 160 * US - 1), -1);
	CHECK_INT(fixture_take(&d, 1, 160 * US), FRAME_ECT_0);
	CHECK_INT(plane_next_ps(d.plane), 260 * US);
	CHECK_INT(fixture_take(&d, 1, 259 * US), -1);
	CHECK_INT(fixture_take(&d, 1, 260 * US), FRAME_ECT_0);
	CHECK_INT(plane_buffers_free(d.plane), 64);
	plane_free(d.plane);
}

/* ecn marks a packet that finds k packets queued. The first one occupies the link, so the fourth
 * finds two. */
TEST(test_plane_marks_a_packet_that_finds_k_queued_and_no_other)
{
	struct plane_fixture d;
	int ecn[6];

	fixture_plan(&d, "ecn(k=2pkts)", "fifo", 1);
	fixture_begin(&d);
	for (int i = 0; i < 6; i++)
		fixture_come(&d, &full, i);
	plane_advance(d.plane, 600 * US);
	for (int i = 0; i < 6; i++)
		ecn[i] = fixture_take(&d, 1, 600 * US + 6);
	for (int i = 0; i < 6; i++)
		CHECK_INT(ecn[i], i < 3 ? FRAME_ECT_0 : FRAME_CE);
	CHECK_INT(port_of(&d, 1)->cold->marks[0], 3);
	plane_free(d.plane);
}

TEST(test_plane_packets_that_cannot_be_marked_are_dropped_or_passed_as_told)
{
	struct made_ip deaf = full;

	deaf.ecn = FRAME_NOT_ECT;
	for (uint32_t pass = 0; pass < 2; pass++) {
		struct plane_fixture d;

		fixture_plan(&d, "ecn(k=1pkts)", "fifo", 1);
		d.ports[1].plan.pass_not_ect = pass;
		fixture_begin(&d);
		for (int i = 0; i < 4; i++)
			fixture_come(&d, &deaf, i);
		plane_advance(d.plane, 400 * US);
		CHECK_INT(port_of(&d, 1)->cold->drops[WEIR_DROP_NOT_ECT], pass ? 0 : 2);
		CHECK_INT(port_of(&d, 1)->tx_pkts, pass ? 4 : 2);
		CHECK_INT(fixture_take(&d, 1, 400 * US + 4), FRAME_NOT_ECT);
		plane_free(d.plane);
	}
}

/* A scheme that drops at dequeue must free the frame's buffer. */
TEST(test_plane_frames_dropped_at_dequeue_free_their_buffers)
{
	struct made_ip deaf = full;
	struct plane_fixture d;

	deaf.ecn = FRAME_NOT_ECT;
	fixture_plan(&d, "tcn(threshold=150us)", "fifo", 1);
	fixture_begin(&d);
	for (int i = 0; i < 10; i++)
		fixture_come(&d, &deaf, i);
	plane_advance(d.plane, 2000 * US);
	CHECK(port_of(&d, 1)->cold->drops[WEIR_DROP_NOT_ECT] > 0);
	while (fixture_take(&d, 1, 2000 * US) >= 0)
		;
	CHECK_INT(plane_buffers_free(d.plane), 64);
	plane_free(d.plane);
}

TEST(test_plane_without_free_buffer_counts_a_drop)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	for (int i = 0; i < 70; i++)
		fixture_come(&d, &full, i);
	CHECK_INT(counts_of(&d, 0)->faults[PLANE_POOL_FULL], 6);
	CHECK_INT(port_of(&d, 1)->pkts, 63);
	CHECK_INT(plane_buffers_free(d.plane), 0);
	plane_free(d.plane);
}

/* One packet in each of many queues, ranked ones too, uses more chunks than packets would fill, but
 * never more than there are. */
TEST(test_plane_packet_memory_suffices_for_any_order_of_queues)
{
	static const char *const schedulers[] = { "dwrr", "sp", "pifo" };

	for (size_t s = 0; s < 3; s++) {
		struct plane_fixture d;
		struct made_ip p = full;

		fixture_plan(&d, "none", schedulers[s], 64);
		d.plan.buffers = 1024;
		weir_buffer_params_init(&d.ports[1].plan.buffer, WEIR_BUFFER_PER_PORT,
					2000 | WEIR_LENGTH_IN_PACKETS, 0);
		for (uint32_t i = 0; i < PLANE_DSCPS; i++)
			d.plan.class_of_dscp[i] = (uint8_t)i;
		fixture_begin(&d);
		for (uint32_t i = 0; i < 3000; i++) {
			p.dscp = i % 64;
			fixture_come(&d, &p, i);
		}
		CHECK_INT(counts_of(&d, 0)->faults[PLANE_POOL_FULL], 3000 - 1024);
		for (int64_t t = 0; t < 1030; t++) {
			plane_advance(d.plane, t * 100 * US);
			while (fixture_take(&d, 1, t * 100 * US) >= 0)
				;
		}
		CHECK_INT(plane_buffers_free(d.plane), 1024);
		plane_free(d.plane);
	}
}

TEST(test_plane_malformed_and_long_frames_are_counted_and_never_followed)
{
	struct plane_fixture d;
	struct made_frame f;
	struct made_ip p = full;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	frames_ipv4(&f, &p);
	f.data[14] = 0x41;
	come(d.plane, 0, &f, 0);
	f.length = 9;
	come(d.plane, 0, &f, 0);
	CHECK_INT(counts_of(&d, 0)->faults[PLANE_MALFORMED], 2);
	p.whole = 1514;
	fixture_come(&d, &p, 0);
	p.whole = 1515;
	fixture_come(&d, &p, 0);
	plane_drop_oversize(d.plane, 0, 60000);
	CHECK_INT(counts_of(&d, 0)->faults[PLANE_OVERSIZE], 2);
	CHECK_INT(port_of(&d, 1)->tx_pkts, 1);
	/* VLAN tags do not count towards the MTU. */
	p.whole = 1514;
	frames_ipv4(&f, &p);
	frames_tag(&f, 0x8100, 1);
	come(d.plane, 0, &f, 0);
	CHECK_INT(counts_of(&d, 0)->faults[PLANE_OVERSIZE], 2);
	plane_free(d.plane);
}

TEST(test_plane_learns_where_hosts_are_and_forgets_silent_ones)
{
	struct plane_fixture d;
	struct made_frame f;

	fixture_plan(&d, "none", "fifo", 1);
	d.plane = plane_new(&d.plan);
	frames_ipv4(&f, &full);
	come(d.plane, 0, &f, 0); /* host 1 is unknown */
	for (uint32_t i = 1; i < FIXTURE_PORTS; i++)
		CHECK_INT(port_of(&d, i)->tx_pkts, 1);
	CHECK_INT(port_of(&d, 0)->tx_pkts, 0);
	frames_ipv4(&f, &(struct made_ip){ .to = 0, .from = 1, .whole = 100 });
	come(d.plane, 1, &f, 1000 * US);
	CHECK_INT(port_of(&d, 0)->tx_pkts, 1); /* host 0 was learned */
	CHECK_INT(port_of(&d, 2)->tx_pkts, 1);
	frames_ipv4(&f, &(struct made_ip){ .to = 0, .from = 2, .whole = 100 });
	come(d.plane, 0, &f, 1000 * US);
	CHECK_INT(counts_of(&d, 0)->faults[PLANE_NOWHERE], 1); /* behind the same port */
	come(d.plane, 2, &f, 301 * WEIR_PS_PER_S);
	CHECK_INT(port_of(&d, 3)->tx_pkts, 2); /* aged out: flooded again */
	plane_free(d.plane);
}

TEST(test_plane_link_local_frames_are_not_forwarded)
{
	struct plane_fixture d;
	struct made_frame f;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	frames_begin(&f, UINT64_C(0x0180c2000000), FRAMES_HOST(0), 0x88cc);
	f.length = 60;
	come(d.plane, 0, &f, 0);
	CHECK_INT(counts_of(&d, 0)->faults[PLANE_NOWHERE], 1);
	frames_begin(&f, UINT64_C(0x0180c2000010), FRAMES_HOST(0), 0x88cc);
	f.length = 60;
	come(d.plane, 0, &f, 0);
	CHECK_INT(port_of(&d, 1)->tx_pkts, 1);
	plane_free(d.plane);
}

/* Host 9 is behind b and c: each flow stays on one of them, and many flows use both about
 * equally. */
TEST(test_plane_flows_to_an_address_of_several_ports_are_spread)
{
	struct made_ip p = { .to = 9, .from = 0, .whole = 100 };
	struct plane_fixture d;
	uint64_t by_b;

	fixture_plan(&d, "none", "fifo", 1);
	d.plan.buffers = 4096;
	for (uint32_t i = 0; i < FIXTURE_PORTS; i++)
		weir_buffer_params_init(&d.ports[i].plan.buffer, WEIR_BUFFER_PER_PORT,
					5000 | WEIR_LENGTH_IN_PACKETS, 0);
	fixture_begin(&d);
	plane_add_address(d.plane, FRAMES_HOST(9), 1);
	plane_add_address(d.plane, FRAMES_HOST(9), 2);
	for (p.ports = 1; p.ports <= 1000; p.ports++)
		fixture_come(&d, &p, 0);
	by_b = port_of(&d, 1)->tx_pkts + port_of(&d, 1)->pkts;
	CHECK_NEAR(by_b, 500, 50); /* three standard deviations */
	CHECK_INT(by_b + port_of(&d, 2)->tx_pkts + port_of(&d, 2)->pkts, 1000);
	CHECK_INT(port_of(&d, 3)->tx_pkts, 0);
	p.ports = 7;
	by_b = port_of(&d, 1)->pkts;
	for (int i = 0; i < 10; i++)
		fixture_come(&d, &p, 0);
	CHECK(port_of(&d, 1)->pkts == by_b || port_of(&d, 1)->pkts == by_b + 10);
	plane_free(d.plane);
}

/* 20 packets are queued and the owner calls after 5 ms. 1 ms of that is caught up: 10 packets and
 * the one that starts now. */
TEST(test_plane_catches_up_at_most_catch_up_ps)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	for (int i = 0; i < 21; i++)
		fixture_come(&d, &full, 0);
	plane_advance(d.plane, 5000 * US);
	CHECK_INT(port_of(&d, 1)->tx_pkts, 1 + 11);
	CHECK_INT(counts_of(&d, 1)->lost_ps, (5000 - 1000 - 100) * US);
	CHECK_INT(plane_next_ps(d.plane), 100 * US);
	plane_count_late(d.plane, 1, 5000 * US); /* a delay is counted only once */
	CHECK_INT(counts_of(&d, 1)->lost_ps, (5000 - 1000 - 100) * US);
	plane_free(d.plane);
}

/* The kernel stamped the arrivals while the process was stopped: the modelled port sent them on
 * time, the machine did not. The first frame is due after 100 us; 1 ms of lateness is tolerated. */
TEST(test_plane_counts_frames_that_leave_late)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	for (int i = 0; i < 5; i++)
		fixture_come(&d, &full, i * 500 * US);
	plane_advance(d.plane, 2100 * US);
	plane_count_late(d.plane, 1, 1100 * US);
	CHECK_INT(counts_of(&d, 1)->lost_ps, 0);
	plane_count_late(d.plane, 1, 2100 * US);
	CHECK_INT(counts_of(&d, 1)->lost_ps, 1000 * US);
	plane_count_late(d.plane, 1, 2100 * US);
	plane_count_late(d.plane, 1, 2400 * US); /* still not sent */
	CHECK_INT(counts_of(&d, 1)->lost_ps, 1300 * US);
	while (plane_due(d.plane, 1, 2400 * US))
		plane_done(d.plane, 1, PLANE_SENT);
	plane_count_late(d.plane, 1, 9000 * US);
	CHECK_INT(counts_of(&d, 1)->lost_ps, 1300 * US);
	plane_free(d.plane);
}

/* An arrival older than the work already done is processed now: port time never decreases. */
TEST(test_plane_late_arrivals_count_as_arriving_now)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	plane_advance(d.plane, 500 * US);
	fixture_come(&d, &full, 100 * US);
	CHECK_INT(plane_next_ps(d.plane), 600 * US);
	plane_free(d.plane);
}

TEST(test_plane_frames_of_a_dead_link_are_lost_and_counted)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	fixture_come(&d, &full, 0);
	CHECK(plane_due(d.plane, 1, 100 * US) != NULL);
	plane_done(d.plane, 1, PLANE_LOST);
	CHECK_INT(port_of(&d, 1)->cold->drops[WEIR_DROP_LINK_DOWN], 1);
	CHECK_INT(counts_of(&d, 1)->sent_pkts, 0);
	CHECK_INT(plane_buffers_free(d.plane), 64);
	plane_free(d.plane);
}

TEST(test_plane_settings_of_marking_change_and_its_state_stays)
{
	struct plane_fixture d;
	struct weir_port_plan plan;
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct weir_error e = { "" };

	fixture_plan(&d, "ecn(k=1pkts)", "fifo", 1);
	fixture_begin(&d);
	for (int i = 0; i < 3; i++)
		fixture_come(&d, &full, i);
	CHECK_INT(port_of(&d, 1)->cold->marks[0], 1);
	plan = plane_port(d.plane, 1)->plan;
	CHECK_INT(weir_mark_parse("ecn(k=5pkts)", &ops, params, &e), 0);
	plan.mark_params = params;
	CHECK_INT(plane_change(d.plane, 1, &plan), 0);
	memset(params, 0xff, sizeof(params)); /* the caller may free them */
	for (int i = 0; i < 5; i++)
		fixture_come(&d, &full, i);
	CHECK_INT(port_of(&d, 1)->cold->marks[0], 1 + 2);
	plane_free(d.plane);
}

/* Under the sanitizers: whatever bytes arrive, in whatever order of times, each frame is sent,
 * dropped for a reason or still queued, and no buffer is lost. */
TEST(test_plane_survives_any_frames_and_accounts_for_each)
{
	struct weir_rng r = weir_rng_make(2, 0, WEIR_RNG_TEST);
	uint64_t taken = 0;
	struct plane_fixture d;

	fixture_plan(&d, "codel", "dwrr", 4);
	for (uint32_t i = 0; i < PLANE_DSCPS; i++)
		d.plan.class_of_dscp[i] = (uint8_t)i;
	d.plan.shared_buffer = 1;
	for (uint32_t i = 0; i < FIXTURE_PORTS; i++)
		weir_buffer_params_init(&d.ports[i].plan.buffer, WEIR_BUFFER_PER_SWITCH, 60000,
					WEIR_ONE_Q32);
	fixture_begin(&d);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t port = (uint32_t)weir_rng_below(&r, FIXTURE_PORTS);
		int64_t now_ps = (int64_t)i * 30 * US + (int64_t)weir_rng_below(&r, 400) * US;
		struct made_frame f;
		uint8_t *frame;

		frames_ipv4(&f,
			    &(struct made_ip){ .to = weir_rng_below(&r, 6),
					       .from = port,
					       .ecn = i % 4,
					       .dscp = i % 64,
					       .whole = 60 + (uint32_t)weir_rng_below(&r, 1600) });
		for (uint32_t n = (uint32_t)weir_rng_below(&r, 4); n-- > 0;)
			f.data[weir_rng_below(&r, 60)] = (uint8_t)weir_rng_u32(&r);
		if (i % 5 == 0)
			f.length = (uint32_t)weir_rng_below(&r, f.length);
		frame = malloc(f.length + 1); /* so that a read beyond it is detected */
		memcpy(frame, f.data, f.length);
		plane_receive(d.plane, port,
			      &(struct plane_arrival){ frame, f.length, i % 7 == 0, now_ps });
		free(frame);
		plane_advance(d.plane, now_ps);
		for (uint32_t p = 0; p < FIXTURE_PORTS; p++)
			for (; plane_due(d.plane, p, now_ps); taken++)
				plane_done(d.plane, p, i % 3 ? PLANE_SENT : PLANE_LOST);
	}
	plane_advance(d.plane, 1000 * WEIR_PS_PER_S);
	for (int64_t t = 1000; t < 1010; t++) {
		plane_advance(d.plane, t * WEIR_PS_PER_S);
		for (uint32_t p = 0; p < FIXTURE_PORTS; p++)
			for (; plane_due(d.plane, p, t * WEIR_PS_PER_S); taken++)
				plane_done(d.plane, p, PLANE_SENT);
	}
	CHECK_INT(plane_buffers_free(d.plane), 64);
	for (uint32_t p = 0; p < FIXTURE_PORTS; p++)
		taken -= port_of(&d, p)->tx_pkts;
	CHECK_INT(taken, 0);
	plane_free(d.plane);
}

/* a and b are ports of one switch, c and d of another, with an internal link of 30 us from b to c:
 * from a to d a frame takes two serialisation delays of 100 us and the link's delay. It is due then
 * although the owner did not call in between. */
TEST(test_plane_internal_links_deliver_on_time)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	d.ports[2].part = d.ports[3].part = 1;
	d.ports[1].peer_plus_one = 2 + 1;
	d.ports[2].peer_plus_one = 1 + 1;
	d.ports[1].delay_ps = d.ports[2].delay_ps = 30 * US;
	d.plane = plane_new(&d.plan);
	plane_add_address(d.plane, FRAMES_HOST(3), 1);
	plane_add_address(d.plane, FRAMES_HOST(3), 3);
	for (int i = 0; i < 5; i++)
		fixture_come(&d,
			     &(struct made_ip){ .to = 3, .ecn = FRAME_ECT_0, .whole = FRAME_BYTES },
			     10 * US);
	plane_advance(d.plane, 900 * US);
	CHECK_INT(counts_of(&d, 2)->rx_pkts, 5);
	CHECK_INT(fixture_take(&d, 3, 240 * US - 1), -1);
	for (int i = 0; i < 5; i++)
		CHECK_INT(fixture_take(&d, 3, (240 + 100 * i) * US), FRAME_ECT_0);
	CHECK_INT(plane_buffers_free(d.plane), 64);
	CHECK_INT(plane_next_ps(d.plane), WEIR_TIME_NEVER_PS);
	plane_free(d.plane);
}

/* Switches of one plane have separate ports and addresses: an unknown destination is flooded in its
 * own switch only. */
TEST(test_plane_parts_do_not_see_each_others_ports)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	d.ports[2].part = d.ports[3].part = 1;
	d.plane = plane_new(&d.plan);
	plane_add_address(d.plane, FRAMES_HOST(3), 3);
	fixture_come(&d, &(struct made_ip){ .to = 3, .ecn = FRAME_ECT_0, .whole = FRAME_BYTES },
		     10 * US);
	plane_advance(d.plane, 900 * US);
	CHECK_INT(fixture_take(&d, 1, 900 * US), FRAME_ECT_0);
	CHECK_INT(fixture_take(&d, 2, 900 * US), -1);
	CHECK_INT(fixture_take(&d, 3, 900 * US), -1);
	plane_free(d.plane);
}

/* Table 8-1 of IEEE 802.1Q reserves sixteen addresses. */
TEST(test_plane_frames_to_reserved_addresses_are_not_forwarded)
{
	struct plane_fixture d;
	struct made_frame f;

	fixture_plan(&d, "none", "fifo", 1);
	fixture_begin(&d);
	for (uint32_t i = 0; i < 16; i++) {
		frames_begin(&f, UINT64_C(0x0180c2000000) + i, FRAMES_HOST(0), 0x88cc);
		f.length = 60;
		come(d.plane, 0, &f, 0);
		CHECK_INT(counts_of(&d, 0)->faults[PLANE_NOWHERE], i + 1);
	}
	plane_free(d.plane);
}

TEST(test_plane_frames_to_unknown_addresses_are_dropped_where_told)
{
	struct made_frame f;

	for (int drops = 0; drops < 2; drops++) {
		struct plane_fixture d;

		fixture_plan(&d, "none", "fifo", 1);
		d.plan.unknown = drops ? PLANE_UNKNOWN_DROP : PLANE_UNKNOWN_FLOOD;
		fixture_begin(&d);
		frames_begin(&f, FRAMES_HOST(77), FRAMES_HOST(0), 0x88b5);
		f.length = 60;
		come(d.plane, 0, &f, 0);
		CHECK_INT(port_of(&d, 1)->tx_pkts, !drops);
		CHECK_INT(port_of(&d, 3)->tx_pkts, !drops);
		plane_free(d.plane);
	}
}

/* Buffer space for two packets beside the one on the link: ten are dropped at enqueue. */
TEST(test_plane_frames_dropped_at_enqueue_free_their_buffers)
{
	struct plane_fixture d;

	fixture_plan(&d, "none", "fifo", 1);
	for (uint32_t i = 0; i < FIXTURE_PORTS; i++)
		weir_buffer_params_init(&d.ports[i].plan.buffer, WEIR_BUFFER_PER_PORT,
					2 | WEIR_LENGTH_IN_PACKETS, 0);
	fixture_begin(&d);
	for (int i = 0; i < 13; i++)
		fixture_come(&d, &full, i);
	CHECK_INT(port_of(&d, 1)->pkts, 2);
	CHECK_INT(plane_buffers_free(d.plane), 64 - 3);
	plane_free(d.plane);
}
