/* SPDX-License-Identifier: BSD-3-Clause */
/* frame_pause.c -- frames between neighbours in captures: priority flow control (IEEE 802.1Qbb),
 * and frames of fabric schemes, which have no form of their own on any wire and are written with
 * the EtherType that IEEE 802 leaves to local experiments. */
#include "lab/capture/frame.h"
#include "sim/core/switch_pfc.h"

enum {
	TYPE_MAC_CONTROL = 0x8808,
	TYPE_EXPERIMENT = 0x88b5,
	OPCODE_PFC = 0x0101,
	QUANTA_MAX =
		0xffff, /* longest pause, in units of 512 bit times; the resume frame ends it */
};

#define MAC_CONTROL_GROUP UINT64_C(0x0180c2000001)

static uint64_t card_of(uint32_t number)
{
	return UINT64_C(0x0201) << 32 | number;
}

void frame_pause(struct frame *f, const struct sighting *seen)
{
	const struct weir_packet *packet = seen->packet;
	uint32_t kind = seen_segment(seen).frame_kind;

	if (kind >= FRAME_FABRIC) {
		frame_put_ethernet(f, MAC_CONTROL_GROUP, card_of(seen->card), TYPE_EXPERIMENT);
		frame_put(f, kind, 4);
	} else {
		frame_put_ethernet(f, MAC_CONTROL_GROUP, card_of(seen->card), TYPE_MAC_CONTROL);
		frame_put(f, OPCODE_PFC, 2);
		frame_put(f, UINT64_C(1) << packet->class_id, 2);
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			frame_put(f, k == packet->class_id && kind == FRAME_PAUSE ? QUANTA_MAX : 0,
				  2);
	}
	if (packet->bytes > f->head_bytes)
		f->trailer_bytes = packet->bytes - f->head_bytes;
}
