/* SPDX-License-Identifier: BSD-3-Clause */
/* pftcn.c -- mark a packet that waited longer than a fixed time, in a queue of its flow's own.
 *
 * Huang et al., "DiffECN", ToN 2024, section VI-C6: the queues of DiffECN (lib/mark/flow_queues.h)
 * and the threshold of TCN (lib/mark/tcn.c), sojourn > lambda RTT. */
#include "weir/compiler.h"
#include "lib/mark/flow_queues.h"
#include "weir/units.h"

struct pftcn_params {
	struct flow_queues_params flow;
	uint64_t threshold_ns;
};

/* Followed by flow_queues. */
struct pftcn_state {
	int64_t threshold_ns;
};

static const struct weir_option pftcn_options[] = {
	{ "threshold", WEIR_OPT_TIME_NS, offsetof(struct pftcn_params, threshold_ns), "0us", 0,
	  WEIR_NS_PER_S,
	  "sojourn time above which packets are marked; 0us: lambda round-trip times", NULL },
	FLOW_QUEUES_OPTIONS,
	{ .name = NULL },
};

static int pftcn_check(const void *params, struct weir_error *e)
{
	const struct pftcn_params *p = params;

	return weir_flow_queues_check(&p->flow, e);
}

static void pftcn_layout(const void *params, struct weir_mark_layout *l)
{
	const struct pftcn_params *p = params;

	weir_flow_queues_layout(&p->flow, l);
}

static size_t pftcn_size(const void *params)
{
	const struct pftcn_params *p = params;

	return sizeof(struct pftcn_state) + weir_flow_queues_size(&p->flow);
}

static struct flow_queues *pftcn_queues(struct pftcn_state *s)
{
	return (struct flow_queues *)(s + 1);
}

/* lambda RTT = lambda_q32 rtt_ns / 2^32, rounded to the nearest: half a nanosecond off at most. */
static void pftcn_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct pftcn_state *s = state;
	const struct pftcn_params *p = params;
	weir_u128 lambda_rtt = (weir_u128)p->flow.lambda_q32 * flow_queues_rtt_ns(&p->flow, env);
	uint64_t threshold_ns = (uint64_t)((lambda_rtt + WEIR_ONE_Q32 / 2) >> 32);

	s->threshold_ns = (int64_t)(p->threshold_ns ? p->threshold_ns : threshold_ns);
	weir_flow_queues_init(pftcn_queues(s), &p->flow, env);
}

static uint32_t pftcn_choose_queue(void *state, const void *params, const struct weir_mark_view *v,
				   const struct weir_queue *queues)
{
	(void)params;
	return flow_queues_choose(pftcn_queues(state), v->flow_hash,
				  (struct flow_arrival){ v->now_ns, v->packet_bytes }, queues);
}

static uint32_t pftcn_choose_fast(void *state, const void *params, const struct weir_packet *packet,
				  int64_t now_ns, const struct weir_queue *queues)
{
	(void)params;
	return flow_queues_choose(pftcn_queues(state), packet->flow_hash,
				  (struct flow_arrival){ now_ns, packet->bytes }, queues);
}

/* A packet that finds the port idle has zero sojourn time, so it is never marked; its queue counts
 * as busy until flow_queues_settle. */
static int pftcn_passes_idle(const void *params)
{
	(void)params;
	return 1;
}

static uint32_t pftcn_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct pftcn_state *s = state;

	(void)params;
	flow_queues_leave(pftcn_queues(s), v->queue, v->queue_pkts);
	return v->sojourn_ns > s->threshold_ns ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

static const struct weir_mark_fast_hooks pftcn_fast_hooks = { .choose_queue = pftcn_choose_fast };

const struct weir_mark_ops weir_mark_pftcn = {
	.scheme = {
		.name = "pftcn",
		.help = "per-flow TCN: a queue per active flow; marks above a sojourn-time "
			"threshold",
		.cite = "Huang et al., DiffECN: Differential ECN Marking "
			"for Datacenter Networks, ToN 2024, section VI-C6",
		.params_size = sizeof(struct pftcn_params),
		.options = pftcn_options,
		.check = pftcn_check,
	},
	.state_size = sizeof(struct pftcn_state),
	.scope = WEIR_MARK_STATE_PER_PORT,
	.reasons = { "sojourn" },
	.size = pftcn_size,
	.layout = pftcn_layout,
	.init = pftcn_init,
	.passes_idle = pftcn_passes_idle,
	.choose_queue = pftcn_choose_queue,
	.dequeue = pftcn_dequeue,
	.fast_hooks = &pftcn_fast_hooks,
};
