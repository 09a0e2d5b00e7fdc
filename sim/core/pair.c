/* SPDX-License-Identifier: BSD-3-Clause */
/* pair.c -- windows of a pair's own: where rdma.base-rtt is pair, a control is told of the path
 * between its two hosts and of its sender's line, not of the longest path and fastest host of the
 * network.
 *
 * What a control is told lies in its transport. Pairs that are alike in section, round trip, path
 * length and rate share one; in a regular network these are few. Only senders have them: receivers
 * ask for nothing that differs. */
#include "sim/core/engine.h"
#include "sim/core/host.h"
#include <string.h>

/* The section's transport as the pair of this flow sees it. */
static struct transport transport_of_pair(const struct engine *e, const struct flow *f)
{
	struct transport t = *flow_transport(e, f);
	const struct net_node *from = &e->net->nodes[e->net->host_node[f->src]];

	engine_set_env(e, &t.env, engine_base_trip(e, f->src, f->dst),
		       e->net->links[from->first_link].rate_bps);
	return t;
}

static int is_same_env(const struct weir_cc_env *a, const struct weir_cc_env *b)
{
	return a->base_rtt_ns == b->base_rtt_ns && a->bdp_bytes == b->bdp_bytes &&
	       a->rate_bps == b->rate_bps && a->hops == b->hops;
}

/* Its number, or transport_count where there is none like it yet. */
static uint32_t find_pair(const struct engine *e, const struct transport *t)
{
	uint32_t i = e->config->traffic_count + 1;

	while (i < e->transport_count && !(e->transports[i].cc_params == t->cc_params &&
					   is_same_env(&e->transports[i].env, &t->env)))
		i++;
	return i;
}

static int has_own(const struct engine *e, const struct flow *f)
{
	return e->config->rdma.window_of == WINDOW_OF_PAIR &&
	       flow_transport(e, f)->cc->transport == WEIR_CC_RDMA;
}

/* One more, at a new place: they lie in whole cache lines, and there are few. */
static void add_transport(struct engine *e, const struct transport *t)
{
	uint32_t count = e->transport_count;
	struct transport *grown = memory_new(count + UINT64_C(1), sizeof(*grown));

	memcpy(grown, e->transports, count * sizeof(*grown));
	grown[count] = *t;
	memory_free(e->transports, count, sizeof(*grown));
	e->transports = grown;
	e->transport_count = count + 1;
}

int pairs_new(struct engine *e, struct weir_error *error)
{
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];
		struct transport t;

		if (f->connection != i || !has_own(e, f))
			continue;
		t = transport_of_pair(e, f);
		if (find_pair(e, &t) < e->transport_count)
			continue;
		if (e->transport_count > UINT16_MAX)
			return weir_error_set(
				error,
				"rdma.base-rtt: pair, but pairs differ in more than %d ways; "
				"take network",
				UINT16_MAX);
		add_transport(e, &t);
	}
	return 0;
}

uint16_t pair_transport_number(const struct engine *e, const struct flow *f)
{
	struct transport t;

	if (!has_own(e, f))
		return flow_transport_number(e, f);
	t = transport_of_pair(e, f);
	return (uint16_t)find_pair(e, &t);
}
