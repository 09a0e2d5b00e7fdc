/* lossless.h -- switches that pause their neighbours instead of losing packets.
 *
 * A lossless switch works through its arrivals and departures in one order of time, because what leaves
 * one port may let another one's neighbour go on. Pause and resume frames take the line ahead of data
 * and travel like packets; they stop a class at the sending end of the link when they arrive. Switches
 * with a fabric scheme work the same way, with the scheme's hooks called in between (fabric.h). */
#ifndef SIM_SWITCH_LOSSLESS_H
#define SIM_SWITCH_LOSSLESS_H
#include "sim/engine/engine.h"
#include "sim/config/fabric.h"
#include "weir/pfc.h"

/* What a frame between neighbours says: its segment's number. */
enum link_frame {
	FRAME_RESUME,
	FRAME_PAUSE,  /* a class of the link */
	FRAME_FABRIC, /* from here on: the fabric scheme's */
};

/* For how long the sending end of a link was told to wait, for each class. */
struct link_pauses {
	struct pause_count {
		int64_t since_ps; /* paused since then; -1: not paused */
		int64_t sum_ps;   /* of pauses that are over */
		uint64_t count;
	} class[WEIR_PFC_CLASSES];
};

struct lossless {
	struct weir_pfc_memory memory;
	struct weir_buffer_params lossy; /* of all other classes: the shared part */
	struct weir_pfc_input (*inputs)[WEIR_PFC_CLASSES]; /* per line of the switch */
	/* (free_ps, port) of ports that may send; (time, link_count + input) of the fabric scheme's timers;
	 * (time, link_count + line_count + port) where a link fails */
	struct heap departures;
	uint64_t frames;                 /* made minus taken, of every kind */
	const struct fabric_ops *fabric; /* NULL: none */
	void *fabric_state;
	uint64_t kept_pkts; /* that the fabric scheme has */
};

/* Does a switch work through all that happens in one order of time? */
static inline int lossless_is_needed(const struct config *c)
{
	return c->lossless || c->telemetry || fabric_is_on(c);
}

/* Where that is so; before the threads start. */
int lossless_new(struct engine *e, struct weir_error *error);
void lossless_free(struct engine *e);

/* One window of a lossless switch. */
void lossless_run(struct worker *w, struct switch_state *s);

/* --- for fabric schemes --- */

/* A frame of the switch's own takes the line to the neighbour at the other end of an input. */
void lossless_send(struct worker *w, struct switch_state *s, uint32_t input,
		   const struct weir_packet *frame, int64_t now_ps);

/* The scheme's timer hook is called at that time. */
void lossless_timer(struct switch_state *s, uint32_t input, int64_t time_ps);

/* A packet that the scheme kept goes to its port now. */
void lossless_release(struct worker *w, struct switch_state *s, uint32_t port,
		      struct weir_packet *packet, const struct int_stack *notes);

/* A queue of a port must wait, or may go on. */
void lossless_hold(struct switch_state *s, uint32_t port, uint32_t queue,
		   enum weir_pfc_signal signal, int64_t now_ps);

/* A frame with nothing filled in but that it is one. */
static inline struct weir_packet frame_make(uint32_t kind)
{
	struct weir_packet frame = { .bytes = WEIR_PFC_FRAME_BYTES, .flags = SEGMENT_PAUSE };

	packet_segment(&frame)->number = kind;
	packet_segment(&frame)->connection = UINT32_MAX; /* no flow's */
	return frame;
}

/* A pause or resume frame came in over a line: keeps the account of the link that must obey it. */
void link_pause(struct engine *e, uint32_t link, uint32_t class_id, int pause, int64_t now_ps);

/* Time that the link's class was paused, up to now. */
int64_t link_paused_ps(const struct engine *e, uint32_t link, uint32_t class_id, int64_t now_ps);

static inline int class_is_lossless(const struct config *c, uint32_t class_id)
{
	return class_id < WEIR_PFC_CLASSES && c->lossless >> class_id & 1;
}

static inline int packet_is_pause(const struct weir_packet *packet)
{
	return (packet->flags & SEGMENT_PAUSE) != 0;
}

/* The link on which the receiver of a line sends back to its sender. */
static inline uint32_t line_back(const struct engine *e, uint32_t line)
{
	return e->net->links[e->net->line_link[line]].reverse;
}
#endif
