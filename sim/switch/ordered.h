/* ordered.h -- switches that work through their arrivals and departures in one order of time.
 *
 * Where a departure can change what happens elsewhere, ports cannot be left behind as switch.c does: what
 * leaves one port may let another one's neighbour go on (lossless.h), what a packet is told of a queue
 * must be so at that moment (telemetry.h), and the hooks of a fabric scheme (fabric.h) want to be called
 * when things happen. */
#ifndef SIM_SWITCH_ORDERED_H
#define SIM_SWITCH_ORDERED_H
#include "sim/config/fabric.h"
#include "sim/switch/lossless.h"

/* What such a switch has besides struct switch_state. */
struct ordered_switch {
	struct lossless lossless;
	/* (free_ps, port) of ports that may send; (time, link_count + input) of the fabric scheme's timers;
	 * (time, link_count + line_count + port) where a link fails */
	struct heap departures;
	uint64_t frames;                 /* made minus taken, of every kind */
	const struct fabric_ops *fabric; /* NULL: none */
	void *fabric_state;
	uint64_t kept_pkts; /* that the fabric scheme has */
};

static inline int ordered_is_needed(const struct config *c)
{
	return c->lossless || c->telemetry || fabric_is_on(c);
}

/* Where that is so; before the threads start. */
int ordered_new(struct engine *e, struct weir_error *error);
void ordered_free(struct engine *e);

/* One window of such a switch. */
void ordered_run(struct worker *w, struct switch_state *s);

/* A frame of the switch's own takes the line to the neighbour at the other end of an input. */
void ordered_send(struct worker *w, struct switch_state *s, uint32_t input,
		  const struct weir_packet *frame, int64_t now_ps);

/* --- for fabric schemes --- */

/* The scheme's timer hook is called at that time. */
void ordered_timer(struct switch_state *s, uint32_t input, int64_t time_ps);

/* A packet that the scheme kept goes to its port now. */
void ordered_release(struct worker *w, struct switch_state *s, uint32_t port,
		     struct weir_packet *packet, const struct int_stack *notes);

/* A queue of a port must wait, or may go on. */
void ordered_hold(struct switch_state *s, uint32_t port, uint32_t queue,
		  enum weir_pfc_signal signal, int64_t now_ps);
#endif
