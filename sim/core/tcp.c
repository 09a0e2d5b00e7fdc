/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c -- TCP among the transports: what its connections share, and its hooks. */
#include "sim/core/receiver.h"
#include "sim/core/sender.h"

/* A control that hears every mark has ECN-capable SYNs and SYN-ACKs: queues that mark would drop
 * them (RFC 8257, section 3.5). With classic ECN neither is (RFC 3168, section 6.1.1). */
static void tcp_plan(struct transport *t, const struct engine *e)
{
	const struct config *c = e->config;
	enum weir_cc_echo echo = weir_cc_echo_of(t->cc, t->cc_params);
	int ecn = echo != WEIR_CC_ECHO_NONE;

	t->env.mss_bytes = (uint32_t)c->host.mss_bytes;
	t->env.initial_window_bytes = c->host.initial_window_pkts * c->host.mss_bytes;
	t->max_window_bytes = c->host.max_window_bytes;
	t->header_bytes = t->ack_bytes = (uint16_t)c->host.header_bytes;
	t->acks_per = (uint32_t)c->host.acks_per;
	t->rto_min_ns = weir_ps_to_ns((int64_t)c->host.rto_min_ps);
	t->rto_initial_ns = weir_ps_to_ns((int64_t)c->host.rto_initial_ps);
	t->exact_echo = echo == WEIR_CC_ECHO_EXACT;
	t->data_flags = ecn ? WEIR_PACKET_ECT : 0;
	t->ack_flags = SEGMENT_ACK | (ecn && c->host.ecn_acks ? WEIR_PACKET_ECT : 0);
	t->syn_flags = SEGMENT_SYN | (echo == WEIR_CC_ECHO_EXACT ? WEIR_PACKET_ECT : 0);
	t->spread_cuts = c->host.recovery == RECOVERY_PRR;
	t->idle_restart = c->host.idle_restart != 0;
	t->rack = config_has_rack(c) != 0;
	t->tail_probe = c->host.tail_probe != 0;
}

const struct transport_ops tcp_transport = {
	.plan = tcp_plan,
	.open = tcp_open,
	.try_to_send = tcp_try_to_send,
	.send = tcp_send,
	.on_ack = tcp_on_ack,
	.on_timeout = tcp_on_timeout,
	.on_timer = tcp_on_timer,
	.on_data = tcp_on_data,
};
