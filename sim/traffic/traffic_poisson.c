/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_poisson.c -- patterns all-to-all, inter-rack and all-to-one: Poisson arrivals of flows at
 * an offered load.
 *
 * The number of arrivals is fixed first; given their number, the arrivals of a Poisson process are
 * independent and uniform in its window (Ross, Stochastic Processes, theorem 2.3.1), and are drawn
 * so. The load fixes the window for a number of flows, or the number for a window:
 *
 *	flows x mean size = load x capacity x window
 *
 * Sizes are drawn by stratified sampling, one from each of as many equal slices of the
 * distribution, so that even a heavy-tailed one offers the configured load. Starts are independent
 * of the slices, so in order of arrival the sizes are in random order. */
#include "sim/traffic/flow_builder.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>

struct poisson_params {
	uint64_t receiver;          /* all-to-one */
	uint64_t load_q32, load_of; /* load_of: all-to-all and inter-rack */
	uint64_t size_bytes;
	char sizes[WEIR_OPT_TEXT_SIZE];
	uint64_t flows; /* 0: as many as fit */
};

#define AT(member) offsetof(struct poisson_params, member)

static const struct poisson_params *params_of(const struct flow_builder *b)
{
	return b->params;
}

enum { LOAD_OF_BISECTION = 1 };

#define LOAD_MIN_Q32 ((WEIR_ONE_Q32 + 5000) / 10000) /* 0.0001, to the nearest */
#define LOAD_MAX_Q32 (2 * WEIR_ONE_Q32)

static const char *const load_of_choices[] = { "access", "bisection", NULL };

#define LOAD_OPTION(help_) \
	{ \
		"load", WEIR_OPT_FRACTION_Q32, AT(load_q32), NULL, LOAD_MIN_Q32, LOAD_MAX_Q32, \
			help_, NULL \
	}
#define POISSON_OPTIONS \
	FINITE_SIZE_OPTION, SIZES_OPTION, \
		FLOWS_OPTION("number of flows; not given: as many as arrive until the end of " \
			     "start, or measure.to")
#define LOAD_OF_OPTION \
	{ \
		"load-of", WEIR_OPT_CHOICE, AT(load_of), "access", 0, 1, \
			"links whose capacity the load refers to: the hosts' access links, or " \
			"the bisection (links to the top tier of switches)", \
			load_of_choices \
	}

/* Pairs of senders and receivers. */
enum poisson_pairs { PAIRS_ALL_TO_ALL, PAIRS_ALL_TO_ONE, PAIRS_INTER_RACK };

/* Hosts ordered by rack. */
struct racks {
	uint32_t *hosts; /* host numbers, rack by rack */
	uint32_t *first; /* by switch: index of its first host; one more at the end */
};

static void racks_free(struct racks *r)
{
	free(r->hosts);
	free(r->first);
}

static uint32_t rack_size(const struct racks *r, uint32_t s)
{
	return r->first[s + 1] - r->first[s];
}

static uint32_t rack_of(const struct network *net, uint32_t host)
{
	return net->nodes[net->host_node[host]].rack;
}

static void racks_new(struct racks *r, const struct network *net)
{
	r->hosts = memory_grow(NULL, net->host_count, sizeof(*r->hosts));
	r->first = memory_zeroed(net->switch_count + UINT64_C(2), sizeof(*r->first));
	/* Counting sort; counts are two places on, so that filling leaves each start one place on.
	 */
	for (uint32_t h = 0; h < net->host_count; h++)
		r->first[rack_of(net, h) + 2]++;
	for (uint32_t s = 2; s < net->switch_count + 2; s++)
		r->first[s] += r->first[s - 1];
	for (uint32_t h = 0; h < net->host_count; h++)
		r->hosts[r->first[rack_of(net, h) + 1]++] = h;
}

/* --- capacity --- */

static double poisson_access_bps(const struct network *net)
{
	double sum = 0;

	for (uint32_t h = 0; h < net->host_count; h++)
		sum += host_access_bps(net, h);
	return sum;
}

/* Share of flows that cross the top tier: those that leave their pod. */
static double poisson_crossing_share(const struct network *net, const struct racks *racks,
				     enum poisson_pairs pairs)
{
	const double hosts = net->host_count;
	double sum = 0;
	uint32_t pod_first = 0;

	/* Switches with hosts come first, and each pod is a run of them. */
	for (uint32_t s = 0; s < net->switch_count && rack_size(racks, s); s++) {
		uint32_t pod_end = pod_first + net->racks_per_pod;
		double pod, others;

		pod = (double)(racks->first[pod_end] - racks->first[pod_first]);
		others = pairs == PAIRS_INTER_RACK ? hosts - rack_size(racks, s) : hosts - 1;
		if (others > 0)
			sum += rack_size(racks, s) * (hosts - pod) / others;
		if (s + 1 == pod_end)
			pod_first = pod_end;
	}
	return sum / hosts;
}

/* Half the links up to the top tier carry one direction of the bisection, and half of the flows
 * that cross start on either side. */
static int poisson_bisection_capacity(struct flow_builder *b, const struct racks *racks,
				      enum poisson_pairs pairs, double *capacity_bps)
{
	const struct network *net = b->net;
	double share;

	if (net->bisection_bps == 0)
		return flow_builder_error(b, "load-of",
					  "bisection, but topology %s has no tiers of switches to "
					  "divide; use access",
					  b->c->network.topology);
	share = poisson_crossing_share(net, racks, pairs);
	if (share <= 0)
		return flow_builder_error(
			b, "load-of", "bisection, but all hosts are on one side of it; use access");
	*capacity_bps = 2 * (double)net->bisection_bps / share;
	return 0;
}

static int poisson_capacity(struct flow_builder *b, const struct racks *racks,
			    enum poisson_pairs pairs, double *capacity_bps)
{
	const struct network *net = b->net;

	if (pairs == PAIRS_ALL_TO_ONE) {
		*capacity_bps = host_access_bps(net, (uint32_t)params_of(b)->receiver);
		return 0;
	}
	if (params_of(b)->load_of == LOAD_OF_BISECTION)
		return poisson_bisection_capacity(b, racks, pairs, capacity_bps);
	*capacity_bps = poisson_access_bps(net);
	return 0;
}

/* --- flows --- */

static void poisson_draw_pair(struct flow_builder *b, const struct racks *racks,
			      enum poisson_pairs pairs, struct flow_plan *p)
{
	uint32_t rack, pick;

	if (pairs == PAIRS_ALL_TO_ONE) {
		p->dst = (uint32_t)params_of(b)->receiver;
		p->src = flow_builder_other_host(b, p->dst);
		return;
	}
	p->src = (uint32_t)weir_rng_below(&b->rng, b->net->host_count);
	if (pairs == PAIRS_ALL_TO_ALL) {
		p->dst = flow_builder_other_host(b, p->src);
		return;
	}
	rack = rack_of(b->net, p->src);
	pick = (uint32_t)weir_rng_below(&b->rng, b->net->host_count - rack_size(racks, rack));
	if (pick >= racks->first[rack])
		pick += rack_size(racks, rack);
	p->dst = racks->hosts[pick];
}

/* From load and mean size: the number of flows in the window, or the length of the window. */
static int poisson_choose_window(struct flow_builder *b, double bytes_per_ps, double mean_bytes,
				 struct arrival_window *w, uint64_t *flows)
{
	double count;

	if (flow_builder_window(b, params_of(b)->flows, w))
		return -1;
	if (w->length_ps > 0) {
		count = w->length_ps * bytes_per_ps / mean_bytes;
		if (count < 0.5)
			return flow_builder_error(
				b, "load", "too low for even one flow of %.6g bytes in %.6g s",
				mean_bytes, w->length_ps / (double)WEIR_PS_PER_S);
		/* flow_builder_reserve refuses anything near the limit. */
		*flows = count < (double)UINT32_MAX ? (uint64_t)(count + 0.5) : UINT32_MAX;
		return 0;
	}
	*flows = params_of(b)->flows;
	w->length_ps = (double)*flows * mean_bytes / bytes_per_ps;
	if (w->length_ps + (double)w->first_ps > (double)START_MAX_PS)
		return flow_builder_error(b, "flows",
					  "%" PRIu64 " at this load take %.6g s to arrive; allowed "
					  "are %.6g",
					  *flows, w->length_ps / (double)WEIR_PS_PER_S,
					  (double)START_MAX_PS / (double)WEIR_PS_PER_S);
	return 0;
}

static int poisson_add_flows(struct flow_builder *b, const struct racks *racks,
			     enum poisson_pairs pairs, const struct flow_sizes *sizes)
{
	double load = (double)params_of(b)->load_q32 / (double)WEIR_ONE_Q32;
	struct arrival_window w;
	double capacity_bps = 0, bytes_per_ps;
	uint64_t flows = 0;

	if (poisson_capacity(b, racks, pairs, &capacity_bps))
		return -1;
	bytes_per_ps = load * capacity_bps / WEIR_BITS_PER_BYTE / (double)WEIR_PS_PER_S;
	if (poisson_choose_window(b, bytes_per_ps, flow_sizes_mean_bytes(sizes), &w, &flows) ||
	    flow_builder_reserve(b, flows))
		return -1;
	for (uint64_t i = 0; i < flows; i++) {
		struct flow_plan p;

		p.start_ps = w.first_ps + (int64_t)(weir_rng_unit(&b->rng) * w.length_ps);
		p.size_bytes =
			flow_sizes_at(sizes, ((double)i + weir_rng_unit(&b->rng)) / (double)flows);
		poisson_draw_pair(b, racks, pairs, &p);
		flow_builder_add(b, &p);
	}
	return 0;
}

static int poisson_check(struct flow_builder *b, const struct racks *racks,
			 enum poisson_pairs pairs)
{
	uint32_t host_count = b->net->host_count;

	if (params_of(b)->load_q32 == 0)
		return flow_builder_error(
			b, "load",
			"not given; the offered load, as a share of the capacity, as in 0.5");
	if (pairs == PAIRS_ALL_TO_ONE)
		return flow_builder_check_receiver(b, params_of(b)->receiver);
	if (pairs == PAIRS_INTER_RACK && rack_size(racks, rack_of(b->net, 0)) == host_count)
		return flow_builder_error(
			b, "pattern", "inter-rack, but all %u hosts are on one switch", host_count);
	return 0;
}

static int poisson_generate(struct flow_builder *b, enum poisson_pairs pairs)
{
	struct racks racks;
	struct flow_sizes sizes;
	int failed;

	if (flow_sizes_open(&sizes, b, params_of(b)->size_bytes, params_of(b)->sizes, SIZES_FINITE))
		return -1;
	racks_new(&racks, b->net);
	failed = poisson_check(b, &racks, pairs) || poisson_add_flows(b, &racks, pairs, &sizes);
	racks_free(&racks);
	flow_sizes_close(&sizes);
	return failed ? -1 : 0;
}

/* --- the three patterns --- */

static const struct weir_option all_to_all_options[] = {
	LOAD_OPTION("offered load: payload over the capacity of the links of load-of"),
	LOAD_OF_OPTION,
	POISSON_OPTIONS,
	{ .name = NULL },
};

static int all_to_all_generate(struct weir_flow_builder *pub, const void *params)
{
	return poisson_generate(flow_builder_of(pub, params), PAIRS_ALL_TO_ALL);
}

const struct weir_traffic_ops traffic_all_to_all = {
	.scheme = {
		.name = "all-to-all",
		.help = "Poisson arrivals of flows, each from a random host to a random other",
		.params_size = sizeof(struct poisson_params),
		.options = all_to_all_options,
	},
	.generate = all_to_all_generate,
};

static int inter_rack_generate(struct weir_flow_builder *pub, const void *params)
{
	return poisson_generate(flow_builder_of(pub, params), PAIRS_INTER_RACK);
}

const struct weir_traffic_ops traffic_inter_rack = {
	.scheme = {
		.name = "inter-rack",
		.help = "Poisson arrivals of flows, each from a random host to a random host of "
			"another rack",
		.params_size = sizeof(struct poisson_params),
		.options = all_to_all_options,
	},
	.generate = inter_rack_generate,
};

static const struct weir_option all_to_one_options[] = {
	RECEIVER_OPTION,
	LOAD_OPTION("offered load: payload over the rate of the receiver's link"),
	POISSON_OPTIONS,
	{ .name = NULL },
};

static int all_to_one_generate(struct weir_flow_builder *pub, const void *params)
{
	return poisson_generate(flow_builder_of(pub, params), PAIRS_ALL_TO_ONE);
}

const struct weir_traffic_ops traffic_all_to_one = {
	.scheme = {
		.name = "all-to-one",
		.help = "Poisson arrivals of flows, each from a random host to one receiver",
		.params_size = sizeof(struct poisson_params),
		.options = all_to_one_options,
	},
	.generate = all_to_one_generate,
};
