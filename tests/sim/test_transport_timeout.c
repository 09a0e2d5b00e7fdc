/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport_timeout.c -- timers that run out: twice for one segment, once for each of two, and
 * for a segment of which only the ACK was lost. */
#include "tests/sim.h"

#define MS_PS INT64_C(1000000000)

enum { MSS = 1000 };

/* --- what a control does about it --- */

struct connection {
	const struct weir_cc_ops *ops;
	struct weir_cc_env env;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[WEIR_CC_STATE_MAX];
};

static struct weir_cc_window *window(struct connection *c)
{
	return (struct weir_cc_window *)(void *)c->state;
}

static void connection_make(struct connection *c, const char *name)
{
	struct weir_error e = { "" };

	memset(c, 0, sizeof(*c));
	if (weir_cc_parse(name, &c->ops, c->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	c->env = (struct weir_cc_env){ .mss_bytes = MSS, .initial_window_bytes = 100 * MSS };
	c->ops->init(c->state, c->params, &c->env);
}

static void time_out(struct connection *c, uint32_t again)
{
	const struct weir_cc_ack a = { .timed_out_again = again };

	c->ops->congestion(c->state, c->params, &c->env, WEIR_CC_TIMEOUT, &a);
}

/* RFC 5681, section 3.1: by half the first time, or by what the control keeps; held constant
 * afterwards, until another segment times out. */
static void check_control(const struct weir_cc_ops *ops)
{
	struct connection c;
	uint64_t ssthresh_bytes;

	printf("%s\n", ops->scheme.name);
	connection_make(&c, ops->scheme.name);
	time_out(&c, 0);
	ssthresh_bytes = window(&c)->ssthresh_bytes;
	CHECK(ssthresh_bytes >= 50 * MSS && ssthresh_bytes < 100 * MSS);
	CHECK_INT(window(&c)->window_bytes, MSS);
	for (int i = 0; i < 3; i++) {
		time_out(&c, 1);
		CHECK_INT(window(&c)->ssthresh_bytes, ssthresh_bytes);
		CHECK_INT(window(&c)->window_bytes, MSS);
	}
	/* Selective ACKs may have let the window grow in between. */
	window(&c)->window_bytes = 3 * MSS;
	time_out(&c, 1);
	CHECK_INT(window(&c)->ssthresh_bytes, ssthresh_bytes);
	CHECK_INT(window(&c)->window_bytes, MSS);
	time_out(&c, 0);
	CHECK_INT(window(&c)->ssthresh_bytes, 2 * MSS);
}

TEST(test_every_tcp_control_holds_ssthresh_when_a_segment_times_out_again)
{
	for (size_t i = 0; weir_cc_all[i]; i++)
		if (weir_cc_all[i]->transport == WEIR_CC_TCP)
			check_control(weir_cc_all[i]);
}

/* --- and the transport --- */

/* A flow alone, at full rate with hundreds of packets in flight, over one of two spines, until a
 * line of its way fails at 5 ms; it learns of the other spine so much later. Returns how long it
 * took. */
static int64_t run_failure(const char *cc, const char *reroute_delay, int timeouts)
{
	struct sim s;
	int64_t took_ps;

	sim_read(&s,
		 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 1\n"
		 "rate = 10Gbps\ndelay = 20us\nfail = spine0 leaf1 5ms\nreroute-delay = %s\n"
		 "[switch]\nmarking = none\nbuffer = 100pkts\n"
		 "[host]\ncc = %s\nrto-min = 1ms\n"
		 "[traffic x]\npattern = list\nflow = 0 1 20MB 0us\n",
		 reroute_delay, cc);
	sim_run(&s, 1);
	took_ps = sim_fct_ps(&s, 0);
	printf("%s, %s: %g ms\n", cc, reroute_delay, (double)took_ps / (double)MS_PS);
	CHECK_INT(sim_metric(&s, "timeouts"), timeouts);
	sim_end(&s);
	return took_ps;
}

/* The timer of 1 ms runs out once; or doubles to 2 ms and runs out again; or to 4 ms. The flow is
 * back at full rate as soon after the last as after the first: nothing but the waiting was
 * added. */
TEST(test_a_second_timeout_costs_no_more_than_its_wait)
{
	static const char *const controls[] = { "reno", "cubic", "dctcp", "ecn-star" };

	for (int i = 0; i < 4; i++) {
		int64_t once_ps = run_failure(controls[i], "500us", 1);

		CHECK_INT(run_failure(controls[i], "2ms", 2), once_ps + 2 * MS_PS);
		CHECK_INT(run_failure(controls[i], "6ms", 3), once_ps + 6 * MS_PS);
	}
}

/* --- one segment after the other, and an ACK --- */

#define US_PS INT64_C(1000000)

/* Host 0 and host 1 have lines of 10 Gb/s, 800 ps a byte, and host 2 one of 100 Gb/s, which fills
 * the port to either. */
#define BESIDE_A_BURST \
	"[network]\ntopology = explicit\nlink = h0 s 10Gbps 10us\nlink = s h1 10Gbps 10us\n" \
	"link = h2 s 100Gbps 10us\n[switch]\nmarking = none\nbuffer = 8pkts\n" \
	"[host]\ncc = reno\ninitial-window = 30\n"

#define WAY_PS (2 * INT64_C(1514) * 800 + 20 * US_PS)
#define ACK_WAY_PS (2 * INT64_C(54) * 800 + 20 * US_PS)

/* A message of one segment, and two more at 100 ms and at 200 ms that meet a burst: it comes from
 * host 2 to the port of host 1 from 9.1 us to 12.6 us later and fills its eight places within 1.1
 * us. Each is lost once, at 11.2 us. The timeout is 5 ms for both, because the ACK of the second
 * undid its doubling. */
TEST(test_an_ack_of_new_data_ends_the_doubling_of_the_timeout)
{
	struct sim s;

	sim_read(&s, BESIDE_A_BURST
		 "[traffic x]\npattern = list\nconnections = persistent\n"
		 "flow = 0 1 1460B 0us\nflow = 0 1 1460B 100ms\nflow = 0 1 1460B 200ms\n"
		 "[traffic burst]\npattern = list\n"
		 "flow = 2 1 43800B 99999us\nflow = 2 1 43800B 199999us\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 5);
	CHECK_INT(sim_fct_ps(&s, 0), WAY_PS);
	/* Flows are in the order of their starts, each burst before the message that meets it. */
	CHECK_INT(sim_fct_ps(&s, 2), 5 * MS_PS + WAY_PS);
	CHECK_INT(sim_fct_ps(&s, 4), 5 * MS_PS + WAY_PS);
	sim_end(&s);
}

/* The ACK of a flow's only segment comes to the port of host 0 at 32.5 us, which a burst has filled
 * since 31.7 us. The receiver has all and is gone when the segment comes again after the initial
 * timeout of 10 ms. It is answered with the number that ends the flow, and so the sender hears of
 * it after one more round trip. */
TEST(test_a_segment_that_comes_again_after_the_end_is_acknowledged)
{
	struct sim s;

	sim_read(&s, BESIDE_A_BURST "[traffic x]\npattern = list\nflow = 0 1 1460B 0us\n"
				    "[traffic burst]\npattern = list\nflow = 2 0 43800B 20500ns\n"
				    "[measure]\ncompletion = sender\nto = 1s\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 2);
	CHECK_INT(sim_fct_ps(&s, 0), 10 * MS_PS + WAY_PS + ACK_WAY_PS);
	sim_end(&s);
}
