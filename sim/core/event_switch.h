/* SPDX-License-Identifier: BSD-3-Clause */
/* event_switch.h -- the slow path of a switch: arrivals and departures in event order.
 *
 * Where a departure can change what happens elsewhere in the switch, ports must not lag behind its
 * clock as they do in switch.c: a packet that leaves one port may resume a class at an ingress
 * (PFC, switch_pfc.h), and the hooks of a fabric scheme (config/fabric.h) are called at the time of
 * the event.
 *
 * A switch with PFC keeps event order only while one of its upstream neighbours is paused. As long
 * as none is, and arrivals stay clear of every threshold, the time of a departure has no effect:
 * the switch runs on the fast path and keeps the PFC accounts (SWITCH_F_PFC), which may then be too
 * high but never too low. An arrival that the accounts do not clearly admit has all ports drain,
 * and from there on the switch keeps event order, until the end of the first lookahead window in
 * which no neighbour is paused. With a fabric scheme, a link that fails or a marking scheme that
 * reads the shared buffer at dequeue it always does.
 *
 * All functions but event_switch_new and event_switch_free run on the thread that works on the
 * switch. */
#ifndef SIM_CORE_EVENT_SWITCH_H
#define SIM_CORE_EVENT_SWITCH_H
#include "config/fabric.h"
#include "sim/core/switch_pfc.h"

/* State that such a switch has besides struct switch_state. */
struct event_switch {
	struct switch_pfc pfc;
	/* While active: (free_ps, port) of each port that may send; (time, link_count + ingress) of
	 * the fabric scheme's timers; (time, link_count + link_queue_count + port) of failures. */
	struct heap departures;
	uint64_t frames;                 /* link frames sent minus received, of every kind */
	const struct fabric_ops *fabric; /* NULL: none */
	void *fabric_state;
	uint64_t kept_pkts;     /* packets that the fabric scheme holds */
	uint32_t paused_count;  /* (ingress, class) pairs whose neighbours are paused */
	uint32_t is_active;     /* 1: the switch keeps event order */
	uint32_t always_active; /* 1: and never returns to the fast path */
};

/* Builds the state of all switches that need it, before the threads start. */
int event_switch_new(struct engine *e, struct weir_error *error);
void event_switch_free(struct engine *e);

/* The switch keeps event order from now_ps on: what could leave by then leaves first. */
void event_switch_activate(struct switch_state *s, int64_t now_ps);

/* Runs the lookahead window of an active switch, or the rest of it; keys: its arrivals, see
 * switch_arrivals. */
void event_switch_run(struct worker *w, struct switch_state *s, const uint64_t *keys,
		      uint32_t count);

/* A link frame arrived. Pauses or resumes the class it names, or calls the fabric scheme. Returns
 * the port on the same link, which must have sent everything that it could before. */
uint32_t event_switch_on_frame(struct worker *w, struct switch_state *s, uint32_t ingress,
			       const struct weir_packet *frame);

/* Sends a link frame to the neighbour at an ingress, ahead of queued packets. */
void event_switch_send_frame(struct worker *w, struct switch_state *s, uint32_t ingress,
			     const struct weir_packet *frame, int64_t now_ps);

/* --- for fabric schemes, in their hooks --- */

/* Has the scheme's timer hook called at time_ps. */
void event_switch_set_timer(struct switch_state *s, uint32_t ingress, int64_t time_ps);

/* Offers a packet that the scheme kept to its port. */
void event_switch_release(struct worker *w, struct switch_state *s, uint32_t port,
			  struct weir_packet *packet);

/* Pauses or resumes a queue of a port. */
void event_switch_pause_queue(struct switch_state *s, uint32_t port, uint32_t queue,
			      enum weir_pfc_signal signal, int64_t now_ps);
#endif
