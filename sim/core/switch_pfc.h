/* SPDX-License-Identifier: BSD-3-Clause */
/* switch_pfc.h -- priority flow control (PFC, IEEE 802.1Qbb) in a switch: ingress accounting, link
 * frames, and how long links were paused.
 *
 * The bytes of a packet are accounted to the ingress it arrived at. When a class of an ingress
 * reaches its XOFF threshold, the upstream neighbour is sent a pause frame, and at XON a resume
 * frame. These are link frames: they are sent ahead of data, travel like packets, and pause the
 * class at the sending end of the link when they arrive, with all of its flows (head-of-line
 * blocking). The thresholds are those of weir/pfc.h; event_switch.h decides when they have to be
 * checked.
 *
 * Functions on a switch run on the thread that works on it; those on a link, on the thread of the
 * link's sending end, where the pause takes effect. */
#ifndef SIM_CORE_SWITCH_PFC_H
#define SIM_CORE_SWITCH_PFC_H
#include "sim/core/engine.h"
#include "weir/pfc.h"

/* How long the sending end of a link was paused, by class. */
struct link_pauses {
	struct pause_count {
		int64_t since_ps; /* paused since then; -1: not paused */
		int64_t sum_ps;   /* of pauses that have ended */
		uint64_t count;
	} class[WEIR_PFC_CLASSES];
};

/* The accounts of a switch's memory. Without lossless classes they only count. */
struct switch_pfc {
	struct weir_pfc_memory memory;
	uint32_t classes;                /* bit per class: it is lossless */
	struct weir_buffer_params lossy; /* dynamic threshold of all other classes */
	struct weir_pfc_ingress (*ingress)[WEIR_PFC_CLASSES]; /* per ingress */
};

static inline int class_is_lossless(uint32_t classes, uint32_t class_id)
{
	return class_id < WEIR_PFC_CLASSES && classes >> class_id & 1;
}

int switch_pfc_init(struct switch_pfc *l, const struct engine *e, const struct switch_state *s,
		    struct weir_error *error);
void switch_pfc_free(struct switch_pfc *l, const struct switch_state *s);

/* Is there room for a packet of a lossy class? Those use the shared buffer, which is neither
 * reserved nor headroom, under the dynamic thresholds of their queues. */
static inline int switch_pfc_shared_admits(const struct switch_pfc *l,
					   const struct weir_packet *packet,
					   const struct weir_port *p)
{
	const struct weir_queue *queues = (const struct weir_queue *)(p + 1);
	const struct weir_shared_buffer shared = { .used_bytes = l->memory.used_bytes };

	return weir_shared_buffer_admits(&l->lossy, &shared,
					 queues[p->kind->class_queue[packet->class_id]].bytes,
					 packet->bytes);
}

/* Is there room for a packet of an ingress? */
static inline int switch_pfc_admits(const struct switch_pfc *l, uint32_t ingress,
				    const struct weir_packet *packet, const struct weir_port *p)
{
	return class_is_lossless(l->classes, packet->class_id)
		       ? weir_pfc_admits(&l->memory, &l->ingress[ingress][packet->class_id],
					 packet->bytes)
		       : switch_pfc_shared_admits(l, packet, p);
}

/* Fast path: is there room for a packet and no pause frame to send, even if the accounts are too
 * high? They may still count packets that have left, but miss none that has arrived. Below
 * fast_bytes, the XOFF threshold once all arrivals of the window are stored, a lossless class needs
 * no other test. */
static inline int switch_pfc_admits_fast(const struct switch_pfc *l, uint32_t ingress,
					 uint64_t fast_bytes, const struct weir_packet *packet,
					 const struct weir_port *p)
{
	if (class_is_lossless(l->classes, packet->class_id)) {
		const struct weir_pfc_ingress *in = &l->ingress[ingress][packet->class_id];

		return in->bytes + packet->bytes < fast_bytes ||
		       weir_pfc_admits_fast(&l->memory, in, packet->bytes);
	}
	return switch_pfc_shared_admits(l, packet, p);
}

/* switch_pfc_enter and switch_pfc_leave on the fast path, where no neighbour gets paused. */
static inline void switch_pfc_enter_fast(struct switch_pfc *l, uint32_t ingress,
					 const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		weir_pfc_store(&l->memory, &l->ingress[ingress][packet->class_id], packet->bytes);
	else
		l->memory.used_bytes += packet->bytes;
}

static inline void switch_pfc_leave_fast(struct switch_pfc *l, uint32_t ingress,
					 const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		weir_pfc_release(&l->memory, &l->ingress[ingress][packet->class_id], packet->bytes);
	else
		l->memory.used_bytes -= packet->bytes;
}

/* A packet of an ingress is stored, or has left. Returns the frame to send to its neighbour. */
static inline enum weir_pfc_signal switch_pfc_enter(struct switch_pfc *l, uint32_t ingress,
						    const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		return weir_pfc_enter(&l->memory, &l->ingress[ingress][packet->class_id],
				      packet->bytes);
	l->memory.used_bytes += packet->bytes;
	return WEIR_PFC_NOTHING;
}

static inline enum weir_pfc_signal switch_pfc_leave(struct switch_pfc *l, uint32_t ingress,
						    const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		return weir_pfc_leave(&l->memory, &l->ingress[ingress][packet->class_id],
				      packet->bytes);
	l->memory.used_bytes -= packet->bytes;
	return WEIR_PFC_NOTHING;
}

/* Pauses or resumes a class at a port. */
void port_apply_pfc_signal(struct weir_port *p, uint32_t class_id, enum weir_pfc_signal signal,
			   int64_t now_ps);

/* --- link frames --- */

/* A link frame of this kind, everything else zero. */
static inline struct weir_packet link_frame_make(enum link_frame kind)
{
	struct weir_packet frame = { .bytes = WEIR_PFC_FRAME_BYTES, .flags = SEGMENT_LINK_FRAME };

	packet_segment(&frame)->frame_kind = kind;
	packet_segment(&frame)->connection = UINT32_MAX; /* of no flow */
	return frame;
}

/* Records that a class of a link is paused, 1, or resumed, 0, from now_ps on. */
void link_record_pause(struct engine *e, uint32_t link, uint32_t class_id, int pause,
		       int64_t now_ps);

/* How long the class was paused, up to now_ps. */
int64_t link_paused_ps(const struct engine *e, uint32_t link, uint32_t class_id, int64_t now_ps);

static inline int packet_is_link_frame(const struct weir_packet *packet)
{
	return (packet->flags & SEGMENT_LINK_FRAME) != 0;
}

/* The link in the opposite direction of a link queue: from its receiver back to its sender. */
static inline uint32_t link_queue_reverse(const struct engine *e, uint32_t link_queue)
{
	return e->net->links[e->net->link_queue_link[link_queue]].reverse;
}
#endif
