/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_fixed.c -- the same flows from each sender, all there from the start: many to one, and a
 * permutation.
 *
 * The patterns of steady-state studies. Flows may be unlimited, and their applications may write at
 * a rate of their own. */
#include "sim/traffic/traffic_make.h"
#include "base/memory.h"
#include <stdlib.h>

struct fixed_params {
	uint64_t senders, receiver, flows_each; /* many-to-one */
	uint64_t size_bytes;                    /* WEIR_OPT_SIZE */
	char sizes[WEIR_OPT_TEXT_SIZE];
	uint64_t stop_ps, app_rate_bps;
};

#define AT(member) offsetof(struct fixed_params, member)

/* Times the number of hosts it stays far below 2^64. */
#define FLOWS_EACH_MAX 1000000

static const struct fixed_params *params_of(const struct maker *m)
{
	return m->params;
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

/* Adds the flow from src to dst, with its size and start drawn. */
static void add_flow(struct maker *m, const struct flow_sizes *sizes, uint32_t src, uint32_t dst)
{
	struct flow_plan p = { .src = src, .dst = dst };

	p.start_ps = maker_start_in_span(m);
	p.size_bytes = sizes_at(sizes, weir_rng_unit(&m->rng));
	maker_add(m, &p);
}

static const struct weir_option many_to_one_options[] = {
	SENDERS_OPTION("hosts that send, those with the lowest numbers; all others unless given"),
	RECEIVER_OPTION,
	{ "flows-each", WEIR_OPT_COUNT, AT(flows_each), "1", 1, FLOWS_EACH_MAX,
	  "parallel flows of each sender (queue pairs between the same two NICs)", NULL },
	ANY_SIZE_OPTION,
	SIZES_OPTION,
	STOP_OPTION,
	APP_RATE_OPTION,
	{ .name = NULL },
};

/* Opens the sizes that the section asks for, adds the flows and closes them again. */
static int with_sizes(struct maker *m, int (*add)(struct maker *, const struct flow_sizes *))
{
	const struct fixed_params *p = params_of(m);
	struct flow_sizes sizes;
	int failed;

	m->stop_ps = p->stop_ps;
	if (sizes_open(&sizes, m, p->size_bytes, p->sizes, SIZES_ANY))
		return -1;
	failed = add(m, &sizes);
	sizes_close(&sizes);
	return failed;
}

static int many_to_one(struct maker *m, const struct flow_sizes *sizes)
{
	const struct fixed_params *p = params_of(m);
	uint32_t receiver = (uint32_t)p->receiver, senders;

	if (maker_check_receiver(m, p->receiver) || maker_senders(m, p->senders, &senders) ||
	    maker_check_stop(m, p->size_bytes == FLOW_UNLIMITED) ||
	    maker_reserve(m, senders * p->flows_each))
		return -1;
	for (uint64_t each = 0; each < p->flows_each; each++)
		for (uint32_t i = 0; i < senders; i++)
			add_flow(m, sizes, i + (i >= receiver), receiver);
	return 0;
}

static int many_to_one_generate(struct weir_flow_builder *maker, const void *params)
{
	return with_sizes(maker_of(maker, params), many_to_one);
}

const struct weir_traffic_ops traffic_many_to_one = {
	.scheme = {
		.name = "many-to-one",
		.help = "N-to-1: one flow or several from each sender to one receiver, starting "
			"uniformly in start",
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

/* Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing Letters
 * 22 (1986): one cycle through all hosts, each such cycle as likely, so nobody sends to itself. */
static int permutation(struct maker *m, const struct flow_sizes *sizes)
{
	uint32_t hosts = m->net->host_count;
	uint32_t *to;

	if (maker_check_stop(m, params_of(m)->size_bytes == FLOW_UNLIMITED) ||
	    maker_reserve(m, hosts))
		return -1;
	to = memory_grow(NULL, hosts, sizeof(*to));
	for (uint32_t i = 0; i < hosts; i++)
		to[i] = i;
	for (uint32_t i = hosts - 1; i > 0; i--) {
		uint32_t j = (uint32_t)weir_rng_below(&m->rng, i), swap = to[i];

		to[i] = to[j];
		to[j] = swap;
	}
	for (uint32_t i = 0; i < hosts; i++)
		add_flow(m, sizes, i, to[i]);
	free(to);
	return 0;
}

static int permutation_generate(struct weir_flow_builder *maker, const void *params)
{
	return with_sizes(maker_of(maker, params), permutation);
}

const struct weir_traffic_ops traffic_permutation = {
	.scheme = {
		.name = "permutation",
		.help = "random permutation: every host sends one flow and receives one",
		.params_size = sizeof(struct fixed_params),
		.options = permutation_options,
	},
	.generate = permutation_generate,
	.app_rate_bps = fixed_app_rate_bps,
	.is_endless = fixed_is_endless,
};
