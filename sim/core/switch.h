/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.h -- a packet goes from a port of a switch onto its line. */
#ifndef SIM_CORE_SWITCH_H
#define SIM_CORE_SWITCH_H
#include "base/compiler.h"
#include "sim/core/link.h"
#include "sim/core/telemetry.h"

/* As below, whatever the line is. */
void egress_transmit_slow(struct worker *w, struct egress *out, const struct weir_packet *packet,
			  uint64_t path, int64_t start_ps, int writes);

/* The packet starts at start_ps and is on the line until free_ps, there with that path (NULL: its
 * own). writes: the switch writes into it, see telemetry.h. */
static inline ALWAYS_INLINE void egress_transmit(struct worker *w, struct egress *out,
						 const struct weir_packet *packet,
						 const uint64_t *path, int64_t start_ps, int writes)
{
	uint32_t to = out->to;

	if (UNLIKELY(to & EGRESS_SLOW_PATH)) {
		egress_transmit_slow(w, out, packet,
				     path ? *path
					  : packet_segment((struct weir_packet *)packet)->path,
				     start_ps, writes);
		return;
	}

	struct weir_packet *place = &w->pool.slots[out->tail];

	*place = *packet;
	if (path)
		packet_segment(place)->path = *path;
	if (writes)
		telemetry_write(w->engine, out, place, start_ps);
	link_send_to(w, out, to, out->port.free_ps);
}
#endif
