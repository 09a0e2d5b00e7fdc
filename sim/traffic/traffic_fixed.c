/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_fixed.c -- patterns many-to-one and permutation: the same flows from each sender, all
 * present from the start.
 *
 * The patterns of steady-state studies. Flows may be unlimited, and their applications may be
 * rate-limited. */
#include "sim/traffic/flow_builder.h"
#include "base/memory.h"
#include <stdlib.h>

struct fixed_params {
	uint64_t senders, receiver, flows_each; /* many-to-one */
	uint64_t size_bytes;                    /* WEIR_OPT_SIZE */
	char sizes[WEIR_OPT_TEXT_SIZE];
	uint64_t stop_ps, app_rate_bps;
};

#define AT(member) offsetof(struct fixed_params, member)

/* Bounds flows-each x hosts far below 2^64. */
#define FLOWS_EACH_MAX 1000000

static const struct fixed_params *params_of(const struct flow_builder *b)
{
	return b->params;
}

static uint64_t fixed_app_rate_bps(const void *params)
{
	const struct fixed_params *p = params;

	return p->app_rate_bps;
}

static int fixed_is_endless(const void *params)
{
	const struct fixed_params *p = params;

	return p->size_bytes == FLOW_UNLIMITED;
}

/* Adds a flow from src to dst with random size and start. */
static void fixed_add_flow(struct flow_builder *b, const struct flow_sizes *sizes, uint32_t src,
			   uint32_t dst)
{
	struct flow_plan p = { .src = src, .dst = dst };

	p.start_ps = flow_builder_draw_start(b);
	p.size_bytes = flow_sizes_at(sizes, weir_rng_unit(&b->rng));
	flow_builder_add(b, &p);
}

static const struct weir_option many_to_one_options[] = {
	SENDERS_OPTION("hosts that send, those with the lowest numbers; all others unless given"),
	RECEIVER_OPTION,
	{ "flows-each", WEIR_OPT_COUNT, AT(flows_each), "1", 1, FLOWS_EACH_MAX,
	  "flows of each sender, side by side: queue pairs between the same two cards", NULL },
	ANY_SIZE_OPTION,
	SIZES_OPTION,
	STOP_OPTION,
	APP_RATE_OPTION,
	{ .name = NULL },
};

/* Calls `add` with the section's flow sizes. */
static int fixed_generate(struct flow_builder *b,
			  int (*add)(struct flow_builder *, const struct flow_sizes *))
{
	const struct fixed_params *p = params_of(b);
	struct flow_sizes sizes;
	int failed;

	b->stop_ps = p->stop_ps;
	if (flow_sizes_open(&sizes, b, p->size_bytes, p->sizes, SIZES_ANY))
		return -1;
	failed = add(b, &sizes);
	flow_sizes_close(&sizes);
	return failed;
}

static int many_to_one_add(struct flow_builder *b, const struct flow_sizes *sizes)
{
	const struct fixed_params *p = params_of(b);
	uint32_t receiver = (uint32_t)p->receiver, senders;

	if (flow_builder_check_receiver(b, p->receiver) ||
	    flow_builder_count_senders(b, p->senders, &senders) ||
	    flow_builder_check_stop(b, p->size_bytes == FLOW_UNLIMITED) ||
	    flow_builder_reserve(b, senders * p->flows_each))
		return -1;
	for (uint64_t each = 0; each < p->flows_each; each++)
		for (uint32_t i = 0; i < senders; i++)
			fixed_add_flow(b, sizes, i + (i >= receiver), receiver);
	return 0;
}

static int many_to_one_generate(struct weir_flow_builder *pub, const void *params)
{
	return fixed_generate(flow_builder_of(pub, params), many_to_one_add);
}

const struct weir_traffic_ops traffic_many_to_one = {
	.scheme = {
		.name = "many-to-one",
		.help = "a flow, or several, from each sender to one receiver, starting somewhere in start",
		.params_size = sizeof(struct fixed_params),
		.options = many_to_one_options,
	},
	.generate = many_to_one_generate,
	.app_rate_bps = fixed_app_rate_bps,
	.is_endless = fixed_is_endless,
};

static const struct weir_option permutation_options[] = {
	ANY_SIZE_OPTION, SIZES_OPTION, STOP_OPTION, APP_RATE_OPTION, { .name = NULL },
};

/* Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing
 * Letters 22 (1986): a uniformly random cycle through all hosts, so that no host sends to itself.
 */
static int permutation_add(struct flow_builder *b, const struct flow_sizes *sizes)
{
	uint32_t hosts = b->net->host_count;
	uint32_t *to;

	if (flow_builder_check_stop(b, params_of(b)->size_bytes == FLOW_UNLIMITED) ||
	    flow_builder_reserve(b, hosts))
		return -1;
	to = memory_grow(NULL, hosts, sizeof(*to));
	for (uint32_t i = 0; i < hosts; i++)
		to[i] = i;
	for (uint32_t i = hosts - 1; i > 0; i--) {
		uint32_t j = (uint32_t)weir_rng_below(&b->rng, i), swap = to[i];

		to[i] = to[j];
		to[j] = swap;
	}
	for (uint32_t i = 0; i < hosts; i++)
		fixed_add_flow(b, sizes, i, to[i]);
	free(to);
	return 0;
}

static int permutation_generate(struct weir_flow_builder *pub, const void *params)
{
	return fixed_generate(flow_builder_of(pub, params), permutation_add);
}

const struct weir_traffic_ops traffic_permutation = {
	.scheme = {
		.name = "permutation",
		.help = "one flow from each host to another, every "
			"host receiving one: a random cycle of all",
		.params_size = sizeof(struct fixed_params),
		.options = permutation_options,
	},
	.generate = permutation_generate,
	.app_rate_bps = fixed_app_rate_bps,
	.is_endless = fixed_is_endless,
};
