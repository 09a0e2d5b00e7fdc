/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_incast.c -- requests, each answered by many hosts at once.
 *
 * At every request randomly chosen hosts send to one host, each a fixed number of bytes or one
 * drawn from a distribution: the partition/aggregate pattern (Alizadeh et al., SIGCOMM 2010,
 * section 2.1). Requests come at a fixed period or by a Poisson process with that mean; in the
 * second case, as in traffic_poisson.c, their times are uniform in the window once their number is
 * known. An offered load instead of the period is the share of the links' capacity that the answers
 * offer (as HPCC, SIGCOMM 2019, section 5.3):
 *
 *	senders x mean size = load x capacity x period
 *
 * where the capacity is that of all hosts' links or, with one receiver, of its own. */
#include "sim/traffic/flow_builder.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ARRIVALS_PERIODIC, ARRIVALS_POISSON };

#define PERIOD_PS ((uint64_t)WEIR_PS_PER_S / 100)
#define LOAD_MIN_Q32 ((WEIR_ONE_Q32 + 5000) / 10000) /* 0.0001, to the nearest */
#define LOAD_MAX_Q32 (2 * WEIR_ONE_Q32)

#define RANDOM_RECEIVER "random"
#define RECEIVER_ANY UINT32_MAX

static const char *const arrivals_choices[] = { "periodic", "poisson", NULL };

struct incast_params {
	uint64_t senders;                  /* 0: every other host */
	char receiver[WEIR_OPT_TEXT_SIZE]; /* host number, or RANDOM_RECEIVER: chosen for each
					      request */
	uint64_t size_bytes;
	char sizes[WEIR_OPT_TEXT_SIZE];
	uint64_t period_ps; /* between requests; 0: follows from load, or 10 ms */
	uint64_t load_q32;
	uint64_t arrivals;
	uint64_t flows; /* 0: as many as fit */
};

static const struct incast_params *params_of(const struct flow_builder *b)
{
	return b->params;
}

#define AT(member) offsetof(struct incast_params, member)
static const struct weir_option incast_options[] = {
	SENDERS_OPTION("hosts that respond to a request, chosen at random; all others unless "
		       "given"),
	{ "receiver", WEIR_OPT_TEXT, AT(receiver), RANDOM_RECEIVER, 0, 0,
	  "number of the requesting host, or random: another one for each request", NULL },
	FINITE_SIZE_OPTION,
	SIZES_OPTION,
	{ "period", WEIR_OPT_TIME_PS, AT(period_ps), NULL, 1, (uint64_t)START_MAX_PS,
	  "time between requests, or its mean; 10ms unless period or load is given", NULL },
	{ "load", WEIR_OPT_FRACTION_Q32, AT(load_q32), NULL, LOAD_MIN_Q32, LOAD_MAX_Q32,
	  "in place of period: offered load, as payload over the capacity of all hosts' links "
	  "or, with a fixed receiver, of its link",
	  NULL },
	{ "arrivals", WEIR_OPT_CHOICE, AT(arrivals), "periodic", 0, 1,
	  "arrival process of requests: periodic, or Poisson with that mean", arrivals_choices },
	FLOWS_OPTION(
		"number of flows, a multiple of senders; not given: as many as arrive until the "
		"end of start, or measure.to"),
	{ .name = NULL },
};
#undef AT

struct incast {
	uint32_t senders;
	uint32_t receiver; /* RECEIVER_ANY: chosen for each request */
	uint64_t requests;
	uint64_t period_ps;
	struct arrival_window window;
	struct flow_sizes sizes;
	uint32_t *hosts; /* permutation, shuffled by every request; [0] receives */
};

static int incast_read_receiver(struct flow_builder *b, uint32_t *receiver)
{
	static const struct weir_option number = { "receiver", WEIR_OPT_COUNT, 0,  NULL,
						   0,          UINT32_MAX,     "", NULL };
	uint64_t value;

	*receiver = RECEIVER_ANY;
	if (strcmp(params_of(b)->receiver, RANDOM_RECEIVER) == 0)
		return 0;
	if (weir_option_parse(&value, &number, params_of(b)->receiver, b->e))
		return flow_builder_error(b, "receiver", "%s; a host's number, 0 to %u, or %s",
					  weir_quote(params_of(b)->receiver).text,
					  b->net->host_count - 1, RANDOM_RECEIVER);
	*receiver = (uint32_t)value;
	return flow_builder_check_receiver(b, value);
}

/* Sets the period: as configured, or from the load. */
static int incast_choose_period(struct flow_builder *b, struct incast *in)
{
	const struct incast_params *p = b->params;
	double load = (double)p->load_q32 / (double)WEIR_ONE_Q32, capacity_bps = 0, period_ps;

	in->period_ps = p->period_ps ? p->period_ps : PERIOD_PS;
	if (!p->load_q32)
		return 0;
	if (p->period_ps)
		return flow_builder_error(b, "load",
					  "%.6g, but period is given too; one of the two", load);
	for (uint32_t i = 0; i < b->net->host_count; i++)
		if (in->receiver == RECEIVER_ANY || in->receiver == i)
			capacity_bps += host_access_bps(b->net, i);
	period_ps = weir_bytes_to_bits(flow_sizes_mean_bytes(&in->sizes) * in->senders) *
		    (double)WEIR_PS_PER_S / (load * capacity_bps);
	if (period_ps < 1 || period_ps > (double)START_MAX_PS)
		return flow_builder_error(
			b, "load", "%.6g is a request every %.6g s; allowed are 1e-12 to %.6g",
			load, period_ps / (double)WEIR_PS_PER_S, weir_ps_to_s(START_MAX_PS));
	in->period_ps = (uint64_t)(period_ps + 0.5);
	return 0;
}

/* Sets the number of requests and the window in which they arrive. */
static int incast_count_requests(struct flow_builder *b, struct incast *in)
{
	const struct incast_params *p = b->params;
	double count;

	if (flow_builder_window(b, p->flows, &in->window))
		return -1;
	if (p->flows) {
		if (p->flows % in->senders)
			return flow_builder_error(b, "flows",
						  "%" PRIu64
						  "; must be a multiple of the %u senders "
						  "that answer each request",
						  p->flows, in->senders);
		in->requests = p->flows / in->senders;
		in->window.length_ps = (double)in->requests * (double)in->period_ps;
		if (in->window.length_ps + (double)in->window.first_ps > (double)START_MAX_PS)
			return flow_builder_error(
				b, "flows",
				"%" PRIu64 " requests take %.6g s at this period; "
				"allowed are %.6g",
				in->requests, in->window.length_ps / (double)WEIR_PS_PER_S,
				(double)START_MAX_PS / (double)WEIR_PS_PER_S);
		return 0;
	}
	count = in->window.length_ps / (double)in->period_ps;
	if (count > (double)UINT32_MAX)
		count = (double)UINT32_MAX; /* flow_builder_reserve refuses it */
	/* Periodic: at 0, 1, 2... periods, before the end. */
	in->requests = (uint64_t)(count + 0.5);
	if (p->arrivals == ARRIVALS_PERIODIC)
		in->requests = (uint64_t)count + (count > (double)(uint64_t)count);
	if (in->requests == 0)
		return flow_builder_error(b, p->load_q32 ? "load" : "period",
					  "%slonger than the simulated time, so there would be "
					  "no request",
					  p->load_q32 ? "the time between requests is " : "");
	return 0;
}

static void incast_new_hosts(struct flow_builder *b, struct incast *in)
{
	uint32_t count = b->net->host_count;

	in->hosts = memory_grow(NULL, count, sizeof(*in->hosts));
	for (uint32_t i = 0; i < count; i++)
		in->hosts[i] = i;
	if (in->receiver != RECEIVER_ANY) {
		in->hosts[0] = in->receiver;
		in->hosts[in->receiver] = 0;
	}
}

/* Fisher-Yates shuffle of the first places only: whatever the order before, they hold a uniform
 * sample without repetition. O(senders). */
static void incast_draw_hosts(struct flow_builder *b, struct incast *in)
{
	for (uint32_t i = in->receiver == RECEIVER_ANY ? 0 : 1; i <= in->senders; i++) {
		uint32_t j = i + (uint32_t)weir_rng_below(&b->rng, b->net->host_count - i);
		uint32_t swap = in->hosts[i];

		in->hosts[i] = in->hosts[j];
		in->hosts[j] = swap;
	}
}

static void incast_add_request(struct flow_builder *b, struct incast *in, uint64_t request)
{
	struct flow_plan p = { .size_bytes = in->sizes.fixed_bytes,
			       .start_ps = in->window.first_ps };

	if (params_of(b)->arrivals == ARRIVALS_POISSON)
		p.start_ps += (int64_t)(weir_rng_unit(&b->rng) * in->window.length_ps);
	else
		p.start_ps += (int64_t)(request * in->period_ps);
	incast_draw_hosts(b, in);
	p.dst = in->hosts[0];
	for (uint32_t i = 1; i <= in->senders; i++) {
		p.src = in->hosts[i];
		if (in->sizes.workload)
			p.size_bytes = flow_sizes_at(&in->sizes, weir_rng_unit(&b->rng));
		flow_builder_add(b, &p);
	}
}

static int incast_add_requests(struct flow_builder *b, struct incast *in)
{
	if (incast_read_receiver(b, &in->receiver) ||
	    flow_builder_count_senders(b, params_of(b)->senders, &in->senders) ||
	    incast_choose_period(b, in) || incast_count_requests(b, in) ||
	    flow_builder_reserve(b, in->requests * in->senders))
		return -1;
	incast_new_hosts(b, in);
	for (uint64_t i = 0; i < in->requests; i++)
		incast_add_request(b, in, i);
	free(in->hosts);
	return 0;
}

static int incast_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	const struct incast_params *p = params;
	struct incast in;
	int failed;

	if (p->size_bytes == 0 && !p->sizes[0])
		return flow_builder_error(b, "size",
					  "not given; the bytes that each "
					  "sender answers with, as in 64KB");
	if (flow_sizes_open(&in.sizes, b, p->size_bytes, p->sizes, SIZES_FINITE))
		return -1;
	failed = incast_add_requests(b, &in);
	flow_sizes_close(&in.sizes);
	return failed;
}

const struct weir_traffic_ops traffic_incast = {
	.scheme = {
		.name = "incast",
		.help = "incast (partition-aggregate): each request is answered by many hosts at "
			"once, a flow from each sender to the receiver",
		.params_size = sizeof(struct incast_params),
		.options = incast_options,
	},
	.generate = incast_generate,
};
