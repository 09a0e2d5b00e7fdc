/* rdma.c -- RDMA among the transports: what its queue pairs share, and its hooks. */
#include "sim/host/receive.h"
#include "sim/host/send.h"

static uint64_t fastest_host_bps(const struct network *net)
{
	uint64_t fastest = 0;

	for (uint32_t i = 0; i < net->host_count; i++) {
		const struct net_node *node = &net->nodes[net->host_node[i]];

		if (net->links[node->first_link].rate_bps > fastest)
			fastest = net->links[node->first_link].rate_bps;
	}
	return fastest;
}

/* Everything an RDMA host sends is ECN-capable: in a lossless class nothing may be dropped for want of
 * it. */
static void rdma_plan(struct transport *t, const struct engine *e)
{
	const struct rdma_config *c = &e->config->rdma;
	uint32_t needs = t->cc->needs;
	uint32_t telemetry = needs & WEIR_CC_NEEDS_INT ? (uint32_t)c->int_bytes : 0;

	t->env.mss_bytes = (uint32_t)c->mtu_bytes;
	t->env.header_bytes = (uint32_t)c->header_bytes + telemetry;
	t->header_bytes = (uint16_t)t->env.header_bytes;
	t->ack_bytes = (uint16_t)(rdma_ack_bytes(c) + telemetry);
	engine_set_env(e, &t->env, (struct base_trip){ e->base_rtt_ps, e->longest_hops },
		       fastest_host_bps(e->net));
	t->max_window_bytes = c->max_window_bytes;
	t->acks_per = (uint32_t)c->acks_per;
	t->rto_min_ns = t->rto_initial_ns = weir_ps_to_ns((int64_t)c->rto_ps);
	t->exact_echo = 1;
	t->data_flags = WEIR_PACKET_ECT;
	t->ack_flags = SEGMENT_ACK | WEIR_PACKET_ECT;
	t->go_back_n = c->recovery == RDMA_GO_BACK_N;
	t->cnp_interval_ps = needs & WEIR_CC_NEEDS_CNP ? (int64_t)c->cnp_interval_ps : -1;
}

/* The control's samples of the round trip do not count how long the receiver held an ACK back. */
const struct transport_ops rdma_transport = {
	.plan = rdma_plan,
	.open = rdma_open,
	.try_to_send = rdma_try_to_send,
	.is_due = rdma_is_due,
	.send = rdma_send,
	.on_ack = rdma_on_ack,
	.on_timeout = rdma_on_timeout,
	.on_timer = rdma_on_timer,
	.on_data = rdma_on_data,
	.receiver_bytes = sizeof(struct rdma_receiver),
	.echo_skips_hold = 1,
};
