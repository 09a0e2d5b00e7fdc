/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.c -- the transports of a run: one for each congestion control, and for each kind of
 * pair.
 *
 * With rdma.base-rtt = pair, a congestion control is given the path between its two hosts and its
 * own line rate (weir_cc_env) instead of the network's longest path and fastest host. Pairs that
 * agree in section, round trip, path length and line rate share one transport; a regular network
 * has few kinds. Only senders have them: nothing that a receiver uses differs. */
#include "sim/core/transport.h"
#include "sim/core/engine.h"
#include "sim/core/host.h"
#include <string.h>

static const struct transport_ops *const transports[] = {
	[WEIR_CC_TCP] = &tcp_transport,
	[WEIR_CC_RDMA] = &rdma_transport,
};

void transports_new(struct engine *e)
{
	const struct config *c = e->config;

	e->transport_count = c->traffic_count + 1;
	e->transports = memory_new(e->transport_count, sizeof(*e->transports));
	for (uint32_t i = 0; i <= c->traffic_count; i++) {
		struct transport *t = &e->transports[i];

		t->cc = i ? traffic_cc(c, i - 1) : c->cc;
		t->cc_params =
			i && c->traffic[i - 1].cc_ops ? c->traffic[i - 1].cc_params : c->cc_params;
		t->ops = transports[t->cc->transport];
		t->ops->plan(t, e);
	}
}

void transports_free(struct engine *e)
{
	memory_free(e->transports, e->transport_count, sizeof(*e->transports));
}

/* --- pairs --- */

/* Bounded: where cables form cycles, the base RTT of the network, found by a double sweep, may be
 * shorter than that of a pair; and links may have seconds of delay. */
static uint32_t pair_shorter_ns(int64_t difference_ns)
{
	if (difference_ns < 0)
		return 0;
	return difference_ns < UINT32_MAX ? (uint32_t)difference_ns : UINT32_MAX;
}

/* The section's transport with the environment of this flow's pair: all of it is the pair's with
 * rdma.base-rtt = pair, otherwise path_shorter_ns alone. */
static struct transport pair_make_transport(const struct engine *e, const struct flow *f)
{
	struct transport t = *flow_transport(e, f);
	struct base_trip trip = engine_base_trip(e, f->src, f->dst);

	if (e->config->rdma.window_of == WINDOW_OF_PAIR)
		engine_set_env(e, &t.env, trip, host_link(e->net, f->src)->rate_bps);
	else
		t.env.path_shorter_ns =
			pair_shorter_ns(t.env.base_rtt_ns - weir_ps_to_ns(trip.rtt_ps));
	return t;
}

static int pair_env_is_same(const struct weir_cc_env *a, const struct weir_cc_env *b)
{
	return a->base_rtt_ns == b->base_rtt_ns && a->path_shorter_ns == b->path_shorter_ns &&
	       a->bdp_bytes == b->bdp_bytes && a->rate_bps == b->rate_bps && a->hops == b->hops;
}

/* Number of an equal transport; transport_count: there is none yet. */
static uint32_t pair_find_transport(const struct engine *e, const struct transport *t)
{
	uint32_t i = e->config->traffic_count + 1;

	while (i < e->transport_count && !(e->transports[i].cc_params == t->cc_params &&
					   pair_env_is_same(&e->transports[i].env, &t->env)))
		i++;
	return i;
}

static int pair_has_own_transport(const struct engine *e, const struct flow *f)
{
	const struct weir_cc_ops *cc = flow_transport(e, f)->cc;

	return cc->transport == WEIR_CC_RDMA &&
	       (e->config->rdma.window_of == WINDOW_OF_PAIR || cc->needs & WEIR_CC_NEEDS_PATH) &&
	       !e->config->traffic[f->traffic].ops->messages;
}

/* Appends a transport. The array moves, because it is aligned to cache lines; there are few. */
static void pair_add_transport(struct engine *e, const struct transport *t)
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

		if (f->connection != i || !pair_has_own_transport(e, f))
			continue;
		t = pair_make_transport(e, f);
		if (pair_find_transport(e, &t) < e->transport_count)
			continue;
		if (e->transport_count > UINT16_MAX)
			return weir_error_set(
				error,
				"rdma.base-rtt: pair, but pairs differ in more than %d ways; "
				"take network",
				UINT16_MAX);
		pair_add_transport(e, &t);
	}
	return 0;
}

uint16_t pair_transport_number(const struct engine *e, const struct flow *f)
{
	struct transport t;

	if (!pair_has_own_transport(e, f))
		return flow_transport_number(e, f);
	t = pair_make_transport(e, f);
	return (uint16_t)pair_find_transport(e, &t);
}
