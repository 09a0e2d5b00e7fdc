/* lossless.h -- switches that pause their neighbours instead of losing packets.
 *
 * A lossless switch works through its arrivals and departures in one order of time, because what leaves
 * one port may let another one's neighbour go on. Pause and resume frames take the line ahead of data
 * and travel like packets; they stop a class at the sending end of the link when they arrive. */
#ifndef SIM_LOSSLESS_H
#define SIM_LOSSLESS_H
#include "sim/engine.h"
#include "weir/pfc.h"

/* For how long the sending end of a link was told to wait, for each class. */
struct link_pauses {
	struct pause_count {
		int64_t since_ps; /* paused since then; -1: not paused */
		int64_t sum_ps;   /* of pauses that are over */
		uint64_t count;
	} class[PFC_CLASSES];
};

struct lossless {
	struct pfc_memory memory;
	struct buffer_params lossy;              /* of all other classes: the shared part */
	struct pfc_input (*inputs)[PFC_CLASSES]; /* per line of the switch */
	struct heap departures;                  /* (free_ps, port) of ports that may send */
	uint64_t frames;                         /* made minus taken, pause and resume */
};

/* Where some class is lossless; before the threads start. */
int lossless_new(struct engine *e, struct error *error);
void lossless_free(struct engine *e);

/* One window of a lossless switch. */
void lossless_run(struct worker *w, struct switch_state *s);

/* A pause or resume frame came in over a line: keeps the account of the link that must obey it. */
void link_pause(struct engine *e, uint32_t link, uint32_t class_id, int pause, int64_t now_ps);

/* Time that the link's class was paused, up to now. */
int64_t link_paused_ps(const struct engine *e, uint32_t link, uint32_t class_id, int64_t now_ps);

static inline int class_is_lossless(const struct config *c, uint32_t class_id)
{
	return class_id < PFC_CLASSES && c->lossless >> class_id & 1;
}

static inline int packet_is_pause(const struct packet *packet)
{
	return (packet->flags & SEGMENT_PAUSE) != 0;
}

/* The link on which the receiver of a line sends back to its sender. */
static inline uint32_t line_back(const struct engine *e, uint32_t line)
{
	return e->net->links[e->net->line_link[line]].reverse;
}
#endif
