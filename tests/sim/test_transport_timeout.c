/* test_transport_timeout.c -- a timer that runs out twice for one segment. */
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

/* RFC 5681, section 3.1: by half the first time, or by what the control keeps; held constant afterwards,
 * until another segment times out. */
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

/* A flow alone, at full rate with hundreds of packets in flight, over one of two spines, until a line of
 * its way fails at 5 ms; it learns of the other spine so much later. Returns how long it took. */
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

/* The timer of 1 ms runs out once; or doubles to 2 ms and runs out again; or to 4 ms. The flow is back at
 * full rate as soon after the last as after the first: nothing but the waiting was added. */
TEST(test_a_second_timeout_costs_no_more_than_its_wait)
{
	static const char *const controls[] = { "reno", "cubic", "dctcp", "ecn-star" };

	for (int i = 0; i < 4; i++) {
		int64_t once_ps = run_failure(controls[i], "500us", 1);

		CHECK_INT(run_failure(controls[i], "2ms", 2), once_ps + 2 * MS_PS);
		CHECK_INT(run_failure(controls[i], "6ms", 3), once_ps + 6 * MS_PS);
	}
}
