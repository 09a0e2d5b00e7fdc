/* SPDX-License-Identifier: BSD-3-Clause */
/* test_audit.c -- a run whose packets or bytes do not add up is found out, and what differs is
 * named. */
#include "sim/measure/measure.h"
#include "sim/core/host.h"
#include "sim/core/event_switch.h"
#include "tests/sim.h"
#include "tests/test.h"

/* --- after every window --- */

/* Everything adds up at any time, not only when all has ended. */
static void audit_always(const char *text)
{
	const struct run_control control = { .threads = 1, .audit_windows = 1 };
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s, "%s", text);
	if (run(&s.c, &control, &s.r, &e))
		test_fail(__FILE__, __LINE__, "%s in\n%s", e.text, text);
	sim_end(&s);
}

#define STAR(hosts) "[network]\ntopology = star\nhosts = " #hosts "\nrate = 25Gbps\ndelay = 1us\n"
#define FABRIC \
	"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 3\n" \
	"rate = 25Gbps\nfabric-rate = 25Gbps\ndelay = 1us\n"
#define POOL "[switch]\nbuffer-per = switch\nmarking = none\n"
#define INCAST(more) "[traffic x]\npattern = many-to-one\nsize = 60KB\n" more
#define MIXED \
	"[traffic up]\npattern = many-to-one\nsizes = uniform(min=1B, max=80KB)\nclass = 0\n" \
	"[traffic down]\npattern = permutation\nsizes = uniform(min=1B, max=80KB)\nclass = 1\n" \
	"[traffic lossy]\npattern = many-to-one\nreceiver = 1\nsize = 70KB\nclass = 2\n"

TEST(test_bytes_add_up_in_a_shared_buffer)
{
	audit_always(STAR(9) POOL "buffer = 100KB\ndt-alpha = 1\n[host]\ncc = dctcp\n" INCAST(""));
}

TEST(test_bytes_add_up_in_ranked_queues)
{
	audit_always(STAR(9) POOL "buffer = 200KB\nscheduler = pifo\n[host]\ncc = dctcp\n" INCAST(
		"slack = 10us\n"));
}

/* With alpha = 8 and eight busy queues what is free settles at 1/65 of the buffer, less than a
 * packet; the threshold is eight times that, more than one. */
TEST(test_no_more_is_in_a_shared_buffer_than_it_holds)
{
#define TO(host) "[traffic to" #host "]\npattern = many-to-one\nsize = 60KB\nreceiver = " #host "\n"
	audit_always(STAR(16) POOL "buffer = 80KB\ndt-alpha = 8\n[host]\ncc = dctcp\n" TO(0) TO(1)
			     TO(2) TO(3) TO(4) TO(5) TO(6) TO(7));
#undef TO
}

/* Reserved, shared and headroom are all in use, by two lossless classes and beside a lossy one. */
TEST(test_bytes_add_up_at_the_ingress_ports_of_lossless_switches)
{
	audit_always(FABRIC POOL
		     "buffer = 400KB\nlossless = 0:1\nqueues = 3\nscheduler = dwrr\n"
		     "pfc-reserved = 3KB\npfc-alpha = 1/16\n[host]\ncc = line-rate\n" MIXED);
}

TEST(test_bytes_add_up_where_headroom_is_too_small)
{
	audit_always(STAR(17) POOL "buffer = 200KB\nlossless = 0\npfc-headroom = 3KB\n"
				   "pfc-alpha = 1/64\n[host]\ncc = line-rate\n" INCAST(""));
}

/* A mark on its way out has a packet dropped that is not ECN-capable, which Reno's are not. */
TEST(test_bytes_add_up_where_packets_are_dropped_on_their_way_out)
{
	audit_always(STAR(9) "[switch]\nbuffer-per = switch\nbuffer = 1MB\nlossless = 0\n"
			     "marking = tcn(threshold=10us)\n[host]\ncc = reno\n" INCAST(""));
}

TEST(test_bytes_add_up_with_telemetry)
{
	audit_always(FABRIC POOL "buffer = 1MB\nlossless = 0\n[host]\ncc = hpcc\n" INCAST(""));
}

TEST(test_bytes_add_up_with_fabric_schemes)
{
	audit_always(FABRIC POOL "buffer = 1MB\nlossless = all\nfabric = floodgate\n[host]\n"
				 "cc = line-rate\n" INCAST(""));
	audit_always(FABRIC POOL "buffer = 1MB\nfabric = bfc\n[host]\ncc = line-rate\n" INCAST(""));
}

/* Losses leave gaps in what endless flows have received. */
TEST(test_bytes_of_endless_flows_add_up)
{
	audit_always(STAR(5) "[switch]\nbuffer = 12pkts\nmarking = none\n[host]\ncc = reno\n"
			     "rto-min = 1ms\n[traffic x]\npattern = many-to-one\n"
			     "size = unlimited\n[measure]\nto = 5ms\n");
}

/* --- what is wrong is named --- */

/* A run that stopped in the middle. */
struct halted {
	struct sim s;
	struct network net;
	struct engine *e;
	struct weir_port *port; /* of the switch to host 0; something waits there */
};

static void halt_at(struct halted *h, int64_t stop_ps)
{
	struct flow_list flows = { 0 };
	struct weir_error e = { "" };

	sim_read(&h->s, STAR(9) POOL "buffer = 400KB\nlossless = 0\npfc-alpha = 1/16\n"
				     "[host]\ncc = line-rate\n[traffic x]\n"
				     "pattern = many-to-one\nsize = unlimited\n"
				     "[measure]\nto = 1ms\n");
	if (network_build(&h->net, &h->s.c.network, &e) ||
	    traffic_generate(&flows, &h->s.c, &h->net, &e) ||
	    engine_new(&h->e, &h->s.c, &h->net, &flows, &(struct engine_plan){ .threads = 1 }, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(engine_advance_until(h->e, stop_ps, &e), ENGINE_AT_STOP);
	if (audit_run(h->e, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	h->port = &engine_egress(h->e, (uint32_t)link_find(&h->net, "sw->h0", &e))->port;
	CHECK(h->port->pkts > 20);
}

static void halted_free(struct halted *h)
{
	engine_free(h->e);
	network_free(&h->net);
	sim_end(&h->s);
}

static struct receiver *receiver_of(struct halted *h, uint32_t flow)
{
	CHECK(flow_at(h->e, flow)->rx != FLOW_NONE);
	return slab_at(&h->e->workers[0].receivers, flow_at(h->e, flow)->rx);
}

static struct weir_pfc_ingress *input_of(struct halted *h)
{
	return &h->e->switches[0].events->pfc.ingress[3][0];
}

static void lose_packet(struct halted *h)
{
	h->e->hosts[2].made_pkts++;
}

static void lose_port_bytes(struct halted *h)
{
	h->port->bytes--;
}

static void lose_queue_bytes(struct halted *h)
{
	weir_port_queues(h->port)->bytes -= 64;
}

static void lose_queue_packet(struct halted *h)
{
	weir_port_queues(h->port)->tail--;
}

static void lose_pool_bytes(struct halted *h)
{
	h->e->switches[0].shared_buffer.used_bytes += 1500;
}

static void lose_input_bytes(struct halted *h)
{
	input_of(h)->bytes--;
}

static void lose_headroom(struct halted *h)
{
	input_of(h)->headroom_used += 64;
}

static void lose_shared_bytes(struct halted *h)
{
	h->e->switches[0].events->pfc.memory.used_bytes--;
}

static void forget_pause(struct halted *h)
{
	struct switch_pfc *l = &h->e->switches[0].events->pfc;

	for (uint32_t i = 0; i < h->e->switches[0].link_queue_count; i++)
		l->ingress[i][0].paused = 0;
}

static void lose_endless_bytes(struct halted *h)
{
	receiver_of(h, 1)->bytes--;
}

static void lose_goodput(struct halted *h)
{
	h->e->hosts[0].goodput_bytes += 7;
}

TEST(test_an_account_that_is_wrong_is_named)
{
	static const struct {
		void (*spoil)(struct halted *h);
		const char *message;
	} cases[] = {
		{ lose_packet, "packets do not add up: ... sent, but ..." },
		{ lose_port_bytes, "sw->h0: bytes of the port do not add up: ..." },
		{ lose_queue_bytes, "sw->h0: bytes of a queue do not add up: ..." },
		{ lose_queue_packet, "sw->h0: packets of a queue do not add up: ..." },
		{ lose_pool_bytes, "switch sw: bytes of the shared buffer do not add up: ..." },
		{ lose_input_bytes, "ingress h3->sw, class 0: bytes do not add up: ..." },
		{ lose_headroom, "ingress h3->sw, class 0: bytes do not add up: ..." },
		{ lose_shared_bytes, "switch sw: bytes of shared memory do not add up: ..." },
		{ forget_pause, "ingress ..., class 0: ... of headroom in use, but it is not ..." },
		{ lose_endless_bytes, "flow 1: bytes do not add up: ..." },
		{ lose_goodput, "received bytes do not add up: flows have ..." },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct halted h = { .e = NULL };
		struct weir_error e = { "" };

		halt_at(&h, 40 * INT64_C(1000000));
		cases[i].spoil(&h);
		CHECK(audit_run(h.e, &e) == -1);
		CHECK_LIKE(e.text, cases[i].message);
		halted_free(&h);
	}
}
