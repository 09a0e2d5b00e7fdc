/* SPDX-License-Identifier: BSD-3-Clause */
/* rdma.c -- RDMA among the transports: what its queue pairs share, and its hooks. */
#include "weir/compiler.h"
#include "sim/core/receiver.h"
#include "sim/core/sender.h"

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

/* What may wait at a port of a switch, in frames of full size where packets are counted. */
static uint64_t port_buffer_bytes(const struct config *c)
{
	uint64_t bytes = weir_length_number(c->switches.buffer);

	if (weir_length_is_packets(c->switches.buffer))
		bytes *= c->frame_max_bytes;
	return c->switches.buffer_per == WEIR_BUFFER_PER_QUEUE ? bytes * c->queues : bytes;
}

static uint64_t slowest_switch_bps(const struct network *net)
{
	uint64_t slowest = UINT64_MAX;

	for (uint32_t i = 0; i < net->link_count; i++)
		if (net->nodes[net->links[i].from].kind != NODE_HOST &&
		    net->links[i].rate_bps < slowest)
			slowest = net->links[i].rate_bps;
	return slowest;
}

/* Where packets of a flow take several paths: a base round trip and the time that a full port of a
 * switch takes to drain, by which one path may be slower than another. IRN (Mittal et al., SIGCOMM
 * 2018) sets its RTO_high by the same sum. In a lossless network pauses fill the ports of every
 * switch of a path, so the time counts once for each; losses are rare there. A window that is
 * learnt from how late packets were (rack.c) is too short for the first packets of a flow that meet
 * a long queue on one of its paths. A window longer than the retransmission timeout has no effect.
 *
 * Fewer than 2^32 packets of 2^14 B in each of 2^5 queues, 2^5 switches: bits x 10^12 < 2^99. */
int64_t rdma_reordering_window_ps(const struct engine *e)
{
	const struct config *c = e->config;
	weir_u128 bits, drain_ps;

	if (c->rdma.reordering_window_ps || !config_sprays(c))
		return (int64_t)c->rdma.reordering_window_ps;
	bits = (weir_u128)port_buffer_bytes(c) * WEIR_BITS_PER_BYTE;
	drain_ps = bits * (uint64_t)WEIR_PS_PER_S / slowest_switch_bps(e->net);
	if (c->lossless)
		drain_ps *= e->longest_hops - 1;
	drain_ps += (uint64_t)e->base_rtt_ps;
	return drain_ps < c->rdma.rto_ps ? (int64_t)drain_ps : (int64_t)c->rdma.rto_ps;
}

/* Everything an RDMA host sends is ECN-capable: in a lossless class nothing may be dropped for want
 * of it. */
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
	t->go_back_n = config_rdma_recovery(e->config) == RDMA_GO_BACK_N;
	t->rack = config_rdma_has_rack(e->config) != 0;
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
