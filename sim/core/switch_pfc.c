/* SPDX-License-Identifier: BSD-3-Clause */
/* switch_pfc.c -- pauses of links, and the division of a switch's memory into reserved part,
 * headroom and shared buffer. Not on the fast path. */
#include "sim/core/switch_pfc.h"
#include <inttypes.h>

/* --- pauses of a link --- */

void link_record_pause(struct engine *e, uint32_t link, uint32_t class_id, int pause,
		       int64_t now_ps)
{
	struct pause_count *p = &e->pauses[link].class[class_id];

	if (pause && p->since_ps < 0) {
		p->since_ps = now_ps;
		p->count++;
	} else if (!pause && p->since_ps >= 0) {
		p->sum_ps += now_ps - p->since_ps;
		p->since_ps = -1;
	}
}

int64_t link_paused_ps(const struct engine *e, uint32_t link, uint32_t class_id, int64_t now_ps)
{
	const struct pause_count *p = &e->pauses[link].class[class_id];

	return p->sum_ps + (p->since_ps >= 0 ? now_ps - p->since_ps : 0);
}

/* A port whose marking scheme chooses queues has one class, which all of its queues hold. */
void port_apply_pfc_signal(struct weir_port *p, uint32_t class_id, enum weir_pfc_signal signal,
			   int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint32_t first = c->choose_queue ? 0 : c->class_queue[class_id];
	uint32_t last = c->choose_queue ? c->queues - 1 : first;

	for (uint32_t queue = first; queue <= last; queue++) {
		if (signal == WEIR_PFC_PAUSE)
			weir_port_pause(p, queue);
		else
			weir_port_resume(p, queue, now_ps);
	}
}

/* --- building --- */

/* Headroom: bytes that may still arrive at an ingress after a pause frame was made. Until it takes
 * effect the frame waits for the packet on its link and for the frames of other classes, is
 * serialised and propagates, the sender finishes a packet, and the link is full of packets; a
 * host's packets may be delayed by its jitter. */
static uint64_t switch_pfc_headroom_bytes(const struct engine *e, uint32_t link_queue)
{
	const struct egress *in = engine_egress(e, e->net->link_queue_link[link_queue]);
	const struct egress *back = engine_egress(e, link_queue_reverse(e, link_queue));
	const struct net_link *link = &e->net->links[in->link];
	int from_host = e->net->nodes[link->from].kind == NODE_HOST;
	uint32_t mtu = e->config->frame_max_bytes;
	int64_t wait_ps =
		weir_port_wire_ps(back->port.kind, mtu) +
		weir_port_wire_ps(back->port.kind, WEIR_PFC_FRAME_BYTES) * WEIR_PFC_CLASSES +
		back->delay_ps + weir_port_wire_ps(in->port.kind, mtu) + in->delay_ps +
		(from_host ? e->jitter_ps : 0);

	return weir_ps_to_bytes(wait_ps, in->port.kind->rate_bps) + 2 * (uint64_t)mtu;
}

int switch_pfc_init(struct switch_pfc *l, const struct engine *e, const struct switch_state *s,
		    struct weir_error *error)
{
	const struct switch_config *c = &e->config->switches;
	uint64_t set_aside = 0;

	l->classes = e->config->lossless;
	l->ingress = memory_new(s->link_queue_count, sizeof(*l->ingress));
	for (uint32_t i = 0; i < s->link_queue_count; i++) {
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			if (!class_is_lossless(l->classes, k))
				continue;
			l->ingress[i][k].headroom_bytes =
				c->pfc_headroom_bytes
					? c->pfc_headroom_bytes
					: switch_pfc_headroom_bytes(e, s->first_link_queue + i);
			set_aside += l->ingress[i][k].headroom_bytes + c->pfc_reserved_bytes;
		}
	}
	if (set_aside >= c->buffer)
		return weir_error_set(error,
				      "switch.buffer: %" PRIu64 "B, but headroom and reserved "
				      "bytes of the lossless classes of %u ingress ports take "
				      "%" PRIu64 "B already",
				      c->buffer, s->link_queue_count, set_aside);
	l->memory = (struct weir_pfc_memory){
		.params = &e->config->pfc,
		.shared_buffer_bytes = c->buffer - set_aside,
	};
	weir_buffer_params_init(&l->lossy, WEIR_BUFFER_PER_SWITCH, c->buffer - set_aside,
				c->dt_alpha_q32);
	return 0;
}

void switch_pfc_free(struct switch_pfc *l, const struct switch_state *s)
{
	memory_free(l->ingress, s->link_queue_count, sizeof(*l->ingress));
}
