/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.h -- egress of a switch, shared by its fast path (switch.c) and its slow path
 * (event_switch.c), which keeps arrivals and departures in event order. Runs on the thread that has
 * claimed the switch. */
#ifndef SIM_CORE_SWITCH_H
#define SIM_CORE_SWITCH_H
#include "base/compiler.h"
#include "sim/core/link.h"
#include "sim/core/telemetry.h"

/* The egress port of this number in the switch. */
static inline struct egress *switch_egress(const struct switch_state *s, uint32_t port)
{
	return (struct egress *)(s->ports + (size_t)port * s->port_size);
}

/* Slow path of egress_transmit, for any link (EGRESS_SLOW_PATH); path is always given. */
void egress_transmit_slow(struct worker *w, struct egress *out, const struct weir_packet *packet,
			  uint64_t path, int64_t start_ps, int has_int);

/* Sends a packet that starts at start_ps and occupies the link until out->port.free_ps; path
 * replaces the packet's own, NULL: it does not. has_int: the switch appends to the packet's INT
 * stack, see telemetry.h. */
static inline ALWAYS_INLINE void egress_transmit(struct worker *w, struct egress *out,
						 const struct weir_packet *packet,
						 const uint64_t *path, int64_t start_ps,
						 int has_int)
{
	uint32_t to = out->to;

	if (UNLIKELY(to & EGRESS_SLOW_PATH)) {
		egress_transmit_slow(w, out, packet,
				     path ? *path
					  : packet_segment((struct weir_packet *)packet)->path,
				     start_ps, has_int);
		return;
	}

	struct weir_packet *place = &w->pool.slots[out->tail];

	*place = *packet;
	if (path)
		packet_segment(place)->path = *path;
	if (has_int)
		telemetry_write(w->engine, out, place, start_ps);
	link_send_to(w, out, to, out->port.free_ps);
}
#endif
