/* SPDX-License-Identifier: BSD-3-Clause */
/* event_switch.h -- switches that work through their arrivals and departures in one order of time.
 *
 * Where a departure can change what happens elsewhere, ports cannot be left behind as switch.c
 * does: what leaves one port may let another one's neighbour go on (switch_pfc.h), and the hooks of
 * a fabric scheme (fabric.h) want to be called when things happen.
 *
 * A switch with lossless classes does so only while a neighbour of its own waits. As long as none
 * does, and what comes is far from a threshold, nobody can tell when a packet left: then it works
 * as all others do, and keeps the accounts (SWITCH_F_PFC). Those may be too high, never too low.
 * A packet that they do not let in easily has all ports catch up, and from there on the switch is
 * strict, to the end of the first window in which nobody waits any more. */
#ifndef SIM_CORE_EVENT_SWITCH_H
#define SIM_CORE_EVENT_SWITCH_H
#include "config/fabric.h"
#include "sim/core/switch_pfc.h"

/* What such a switch has besides struct switch_state. */
struct event_switch {
	struct switch_pfc pfc;
	/* (free_ps, port) of ports that may send; (time, link_count + input) of the fabric scheme's
	 * timers; (time, link_count + line_count + port) where a link fails */
	struct heap departures;
	uint64_t frames;                 /* made minus taken, of every kind */
	const struct fabric_ops *fabric; /* NULL: none */
	void *fabric_state;
	uint64_t kept_pkts;     /* that the fabric scheme has */
	uint32_t stopped;       /* classes of inputs whose neighbours wait */
	uint32_t is_active;     /* 1: departures are in the heap, and in order */
	uint32_t always_active; /* 1: it is never anything else */
};

/* Where that is so; before the threads start. */
int event_switch_new(struct engine *e, struct weir_error *error);
void event_switch_free(struct engine *e);

/* It is strict from now_ps on: everything up to then has come, and leaves. */
void event_switch_activate(struct switch_state *s, int64_t now_ps);

/* The window of a strict switch, or what is left of it: its arrivals, as switch_arrivals gives
 * them. */
void event_switch_run(struct worker *w, struct switch_state *s, const uint64_t *keys,
		      uint32_t count);

/* A frame between neighbours came, and the port whose number is returned has sent what it could
 * before that. */
uint32_t event_switch_on_frame(struct worker *w, struct switch_state *s, uint32_t input,
			       const struct weir_packet *frame);

/* A frame of the switch's own takes the line to the neighbour at the other end of an input. */
void event_switch_send_frame(struct worker *w, struct switch_state *s, uint32_t input,
			     const struct weir_packet *frame, int64_t now_ps);

/* --- for fabric schemes --- */

/* The scheme's timer hook is called at that time. */
void event_switch_set_timer(struct switch_state *s, uint32_t input, int64_t time_ps);

/* A packet that the scheme kept goes to its port now. */
void event_switch_release(struct worker *w, struct switch_state *s, uint32_t port,
			  struct weir_packet *packet);

/* A queue of a port must wait, or may go on. */
void event_switch_pause_queue(struct switch_state *s, uint32_t port, uint32_t queue,
			      enum weir_pfc_signal signal, int64_t now_ps);
#endif
