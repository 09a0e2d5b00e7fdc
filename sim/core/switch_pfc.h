/* SPDX-License-Identifier: BSD-3-Clause */
/* switch_pfc.h -- classes that are paused before a packet would be lost (PFC, IEEE 802.1Qbb): the
 * memory of a switch that has them, and the frames between neighbours.
 *
 * What a packet takes of the memory is accounted to the input that it came in by. Where an input's
 * class has too much, the neighbour at its other end is told to stop, and later to go on. Pause and
 * resume frames take the line ahead of data and travel like packets; they stop a class at the
 * sending end of the link when they arrive. The arithmetic is weir/pfc.h's; when things happen is
 * event_switch.h's business. */
#ifndef SIM_CORE_SWITCH_PFC_H
#define SIM_CORE_SWITCH_PFC_H
#include "sim/core/engine.h"
#include "weir/pfc.h"

/* For how long the sending end of a link was told to wait, for each class. */
struct link_pauses {
	struct pause_count {
		int64_t since_ps; /* paused since then; -1: not paused */
		int64_t sum_ps;   /* of pauses that are over */
		uint64_t count;
	} class[WEIR_PFC_CLASSES];
};

/* The memory of a switch, by inputs. Where no class is lossless it is only counted. */
struct switch_pfc {
	struct weir_pfc_memory memory;
	uint32_t classes;                /* a bit for each that is lossless */
	struct weir_buffer_params lossy; /* of all other classes: the shared part */
	struct weir_pfc_ingress (*ingress)[WEIR_PFC_CLASSES]; /* per line of the switch */
};

static inline int class_is_lossless(uint32_t classes, uint32_t class_id)
{
	return class_id < WEIR_PFC_CLASSES && classes >> class_id & 1;
}

int switch_pfc_init(struct switch_pfc *l, const struct engine *e, const struct switch_state *s,
		    struct weir_error *error);
void switch_pfc_free(struct switch_pfc *l, const struct switch_state *s);

/* Is there room for a packet that is of no lossless class, where there are some? They share what is
 * neither reserved nor headroom, under the dynamic thresholds of their queues. */
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

/* Is there room for a packet of an input, where there are lossless classes? */
static inline int switch_pfc_admits(const struct switch_pfc *l, uint32_t input,
				    const struct weir_packet *packet, const struct weir_port *p)
{
	return class_is_lossless(l->classes, packet->class_id)
		       ? weir_pfc_admits(&l->memory, &l->ingress[input][packet->class_id],
					 packet->bytes)
		       : switch_pfc_shared_admits(l, packet, p);
}

/* Is there room, and nobody to be told to stop, even if what waits is less than is accounted for?
 * Packets that have left may still be in the accounts, but none that came is missing. Below
 * fast_bytes a lossless class need not be asked for: weir_pfc_xoff_threshold_with all that may
 * come. */
static inline int switch_pfc_admits_fast(const struct switch_pfc *l, uint32_t input,
					 uint64_t fast_bytes, const struct weir_packet *packet,
					 const struct weir_port *p)
{
	if (class_is_lossless(l->classes, packet->class_id)) {
		const struct weir_pfc_ingress *in = &l->ingress[input][packet->class_id];

		return in->bytes + packet->bytes < fast_bytes ||
		       weir_pfc_admits_fast(&l->memory, in, packet->bytes);
	}
	return switch_pfc_shared_admits(l, packet, p);
}

/* switch_pfc_enter for such a packet, and switch_pfc_leave where nobody waits. */
static inline void switch_pfc_enter_fast(struct switch_pfc *l, uint32_t input,
					 const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		weir_pfc_store(&l->memory, &l->ingress[input][packet->class_id], packet->bytes);
	else
		l->memory.used_bytes += packet->bytes;
}

static inline void switch_pfc_leave_fast(struct switch_pfc *l, uint32_t input,
					 const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		weir_pfc_release(&l->memory, &l->ingress[input][packet->class_id], packet->bytes);
	else
		l->memory.used_bytes -= packet->bytes;
}

/* A packet of an input is stored, or is gone. Says what the neighbour at the input's other end is
 * to be told. */
static inline enum weir_pfc_signal switch_pfc_enter(struct switch_pfc *l, uint32_t input,
						    const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		return weir_pfc_enter(&l->memory, &l->ingress[input][packet->class_id],
				      packet->bytes);
	l->memory.used_bytes += packet->bytes;
	return WEIR_PFC_NOTHING;
}

static inline enum weir_pfc_signal switch_pfc_leave(struct switch_pfc *l, uint32_t input,
						    const struct weir_packet *packet)
{
	if (class_is_lossless(l->classes, packet->class_id))
		return weir_pfc_leave(&l->memory, &l->ingress[input][packet->class_id],
				      packet->bytes);
	l->memory.used_bytes -= packet->bytes;
	return WEIR_PFC_NOTHING;
}

/* A class may not leave a port, or may again. */
void port_apply_pfc_signal(struct weir_port *p, uint32_t class_id, enum weir_pfc_signal signal,
			   int64_t now_ps);

/* --- frames --- */

/* A frame with nothing filled in but that it is one. */
static inline struct weir_packet link_frame_make(enum link_frame kind)
{
	struct weir_packet frame = { .bytes = WEIR_PFC_FRAME_BYTES, .flags = SEGMENT_LINK_FRAME };

	packet_segment(&frame)->frame_kind = kind;
	packet_segment(&frame)->connection = UINT32_MAX; /* no flow's */
	return frame;
}

/* A pause or resume frame came in over a line: keeps the account of the link that must obey it. */
void link_record_pause(struct engine *e, uint32_t link, uint32_t class_id, int pause,
		       int64_t now_ps);

/* Time that the link's class was paused, up to now. */
int64_t link_paused_ps(const struct engine *e, uint32_t link, uint32_t class_id, int64_t now_ps);

static inline int packet_is_link_frame(const struct weir_packet *packet)
{
	return (packet->flags & SEGMENT_LINK_FRAME) != 0;
}

/* The link on which the receiver of a line sends back to its sender. */
static inline uint32_t link_queue_reverse(const struct engine *e, uint32_t line)
{
	return e->net->links[e->net->link_queue_link[line]].reverse;
}
#endif
