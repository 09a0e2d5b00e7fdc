/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plane_alike.c -- the data plane and the simulated switch, given the same frames at the same
 * times, make the same decisions: which packets are marked and when each departs. */
#include "sim/core/host.h"
#include "switch/plane/plane.h"
#include "tests/frames.h"
#include "tests/sim.h"
#include <stdlib.h>

#define MBPS_100 (UINT64_C(100) * 1000 * 1000)
#define US ((int64_t)WEIR_PS_PER_NS * WEIR_NS_PER_US)

enum { SEEN_MAX = 20000, LINKS = 3 };

struct seen {
	int64_t time_ps;
	uint32_t input; /* index of the link among the switch's ingress links */
	uint32_t bytes, flags, class_id, flow_hash;
};

struct seen_list {
	uint32_t count, input;
	struct seen *all;
};

static void note(void *context, int64_t start_ps, const struct weir_packet *packet,
		 const struct flow *flow)
{
	struct seen_list *l = context;

	(void)flow;
	CHECK(l->count < SEEN_MAX);
	l->all[l->count++] = (struct seen){ start_ps,      l->input,         packet->bytes,
					    packet->flags, packet->class_id, packet->flow_hash };
}

static int by_arrival(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->time_ps != y->time_ps)
		return x->time_ps < y->time_ps ? -1 : 1;
	return x->input < y->input ? -1 : x->input > y->input;
}

/* Everything that two senders transmit, in order of arrival at the switch, and what the switch
 * transmits to the receiver. */
struct world {
	struct sim sim;
	struct seen_list in[2], out;
	uint32_t out_link;
};

static void world_run(struct world *w, const char *marking, const char *scheduler, int queues)
{
	struct tap taps[LINKS] = { { "h0->sw", note, &w->in[0] },
				   { "h1->sw", note, &w->in[1] },
				   { "sw->h2", note, &w->out } };
	const struct run_control control = { .threads = 1, .tap_count = LINKS, .taps = taps };
	struct weir_error e = { "" };

	sim_read(&w->sim,
		 "[network]\ntopology = star\nhosts = 3\nrate = 100Mbps\ndelay = 20us\n"
		 "[switch]\nmarking = %s\nscheduler = %s\nqueues = %d\nbuffer = 60pkts\n"
		 "[host]\ncc = dctcp\n"
		 "[traffic x]\npattern = list\nflow = 0 2 unlimited 0us\n"
		 "flow = 1 2 unlimited 3ms\nflow = 0 2 50KB 20ms\n%s"
		 "[measure]\nto = 200ms\n",
		 marking, scheduler, queues, queues > 1 ? "classes = 2\n" : "");
	for (int i = 0; i < 2; i++)
		w->in[i] = (struct seen_list){ .input = (uint32_t)i,
					       .all = calloc(SEEN_MAX, sizeof(struct seen)) };
	w->out = (struct seen_list){ .all = calloc(SEEN_MAX, sizeof(struct seen)) };
	if (run(&w->sim.c, &control, &w->sim.r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	w->out_link = (uint32_t)link_find(&w->sim.r.network, "sw->h2", &e);
}

static void world_end(struct world *w)
{
	for (int i = 0; i < 2; i++)
		free(w->in[i].all);
	free(w->out.all);
	sim_end(&w->sim);
}

/* The plane's port for host 2 has the number of the simulator's link, because that seeds its random
 * numbers. Frames of all other ports arrive at port 0. */
static struct plane *world_plane(const struct world *w, struct plane_port_plan *ports)
{
	const struct config *c = &w->sim.c;
	struct plane_plan plan = { .seed = c->seed,
				   .port_count = w->out_link + 1,
				   .ports = ports,
				   .buffers = 4096,
				   .mtu_bytes = 1500,
				   .catch_up_ps = WEIR_PS_PER_S };
	struct weir_port_plan port = { .rate_bps = MBPS_100,
				       .queues = c->queues,
				       .mark = c->mark,
				       .mark_params = c->mark_params,
				       .sched = c->sched,
				       .sched_params = c->sched_params,
				       .mtu_bytes = c->frame_max_bytes };
	struct plane *plane;

	/* A full packet and its ACK over two links of 20 us, both ways. */
	port.rtt_ns = 4 * 20000 + 2 * (1514 + 54) * 80;
	weir_buffer_params_init(&port.buffer, WEIR_BUFFER_PER_PORT, c->switches.buffer, 0);
	for (uint32_t i = 0; i < plan.port_count; i++)
		ports[i] = (struct plane_port_plan){ .name = "p", .plan = port };
	for (uint32_t i = 0; i < 8; i++)
		plan.class_of_dscp[i] = (uint8_t)i;
	plane = plane_new(&plan);
	plane_add_address(plane, FRAMES_HOST(2), w->out_link);
	return plane;
}

/* Compares the departures to host 2 with those of the simulator. */
static void world_compare(const struct world *w, struct plane *plane, uint32_t *compared)
{
	const struct plane_frame *f;
	struct frame_facts facts;

	while ((f = plane_due(plane, w->out_link, WEIR_TIME_NEVER_PS - 1))) {
		const struct seen *s = &w->out.all[*compared];

		if (*compared == w->out.count)
			return;
		CHECK_INT(frame_read(f->data, f->length, &facts), FRAME_GOOD);
		CHECK_INT(f->length, s->bytes);
		CHECK_INT(f->due_ps, s->time_ps + (int64_t)s->bytes * 80 * WEIR_PS_PER_NS);
		CHECK_INT(facts.ecn == FRAME_CE, (s->flags & WEIR_PACKET_CE) != 0);
		plane_done(plane, w->out_link, PLANE_SENT);
		++*compared;
	}
}

static void check_same_as_simulator(const char *marking, const char *scheduler, int queues)
{
	struct plane_port_plan ports[PLANE_PORTS_MAX];
	uint32_t compared = 0, marks = 0, count;
	struct plane *plane;
	struct world w;
	struct seen *all;

	world_run(&w, marking, scheduler, queues);
	count = w.in[0].count + w.in[1].count;
	all = calloc(count, sizeof(*all));
	memcpy(all, w.in[0].all, w.in[0].count * sizeof(*all));
	memcpy(all + w.in[0].count, w.in[1].all, w.in[1].count * sizeof(*all));
	for (uint32_t i = 0; i < count; i++) /* serialisation, and 20 us of propagation */
		all[i].time_ps += (int64_t)all[i].bytes * 80 * WEIR_PS_PER_NS + 20 * US;
	qsort(all, count, sizeof(*all), by_arrival);
	plane = world_plane(&w, ports);
	for (uint32_t i = 0; i < count; i++) {
		struct made_frame f;

		frames_ipv4(&f, &(struct made_ip){ .to = 2,
						   .from = 50 + all[i].input,
						   .ecn = FRAME_ECT_0,
						   .dscp = all[i].class_id,
						   .ports = all[i].flow_hash,
						   .whole = all[i].bytes });
		plane_receive(plane, 0,
			      &(struct plane_arrival){ f.data, f.length, 0, all[i].time_ps });
		world_compare(&w, plane, &compared);
	}
	for (uint32_t i = 0; i < compared; i++)
		marks += (w.out.all[i].flags & WEIR_PACKET_CE) != 0;
	CHECK(compared + 100 > w.out.count); /* the last packets are still queued */
	CHECK(compared > 1000);
	CHECK(marks > 10);
	plane_free(plane);
	free(all);
	world_end(&w);
}

TEST(test_plane_marks_the_packets_that_the_simulator_marks_with_one_queue)
{
	check_same_as_simulator("ecn(k=20pkts)", "fifo", 1);
	check_same_as_simulator("red(min=10KB, max=30KB, p=20%)", "fifo", 1);
	check_same_as_simulator("tcn(threshold=1ms)", "fifo", 1);
	check_same_as_simulator("codel(target=500us, interval=5ms)", "fifo", 1);
}

TEST(test_plane_marks_the_packets_that_the_simulator_marks_with_two_queues)
{
	check_same_as_simulator("ecn(k=10pkts)", "dwrr(weights=3:1)", 2);
	check_same_as_simulator("mq-ecn", "dwrr", 2);
	check_same_as_simulator("tcn(threshold=1ms)", "wfq", 2);
}

TEST(test_plane_marks_the_packets_that_the_simulator_marks_by_flows)
{
	check_same_as_simulator("pred", "fifo", 1);
	check_same_as_simulator("diffecn", "fifo", 1);
}
