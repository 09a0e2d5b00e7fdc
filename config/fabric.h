/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric.h -- flow control between neighbours that knows more than a class: schemes for
 * switch.fabric.
 *
 * PFC (lossless.h) stops a class of a link. The schemes here stop a flow's queue (bfc) or hold back
 * what is for one destination (floodgate). A switch that has one works through its arrivals and
 * departures in one order of time (ordered.h) and tells the scheme of each packet; the scheme's own
 * frames travel like pause frames. docs/manual/04-schemes.md says what of each paper is
 * there.
 *
 * sim/core/event_switch.c calls the hooks, in the thread that works on the switch. */
#ifndef CONFIG_FABRIC_H
#define CONFIG_FABRIC_H
#include "base/registry.h"
#include "config/config.h"

/* The machinery that the hooks see: sim/core/engine.h, sim/core/host.h. */
struct engine;
struct host;
struct weir_packet;
struct switch_state;
struct worker;

enum fabric_answer {
	FABRIC_OFFER, /* the packet goes to its port */
	FABRIC_KEEP,  /* the scheme has it, and gives it to event_switch_release later */
};

struct fabric_ops {
	struct weir_scheme scheme; /* what follows may be NULL for none */
	/* The queues of a port and their scheduler. NULL: those of the settings. */
	void (*layout)(const struct config *c, struct weir_mark_layout *l);
	/* What contradicts the other settings, which have been read; the message begins with the
	 * key. */
	int (*fits)(const struct config *c, struct weir_error *e);
	/* The state of a switch, with every port in its place; and what hosts need. NULL:
	 * nothing. */
	void *(*new_switch)(struct engine *e, struct switch_state *s);
	void (*free_switch)(struct switch_state *s, void *state);
	void (*new_hosts)(struct engine *e);
	void (*free_hosts)(struct engine *e);
	/* A packet that there is room for wants to leave by a port; packet->time_ps is now. */
	enum fabric_answer (*arrive)(struct worker *w, struct switch_state *s, uint32_t port,
				     struct weir_packet *packet);
	/* It waits at the end of its queue, as *stored. NULL: of no interest. */
	void (*queued)(struct worker *w, struct switch_state *s, uint32_t port,
		       struct weir_packet *stored);
	/* It waits here no longer, straight through or not. What is changed in *packet goes on the
	 * line. */
	void (*leave)(struct worker *w, struct switch_state *s, uint32_t port,
		      struct weir_packet *packet, int64_t now_ps);
	/* Before that, where it does not go on the line after all: its port had it dropped. NULL:
	 * the same to the scheme. */
	void (*lost)(struct worker *w, struct switch_state *s, uint32_t port,
		     const struct weir_packet *packet);
	/* A frame of the scheme's own came, to a switch or a host. NULL: there are none for
	 * these. */
	void (*frame)(struct worker *w, struct switch_state *s, uint32_t input,
		      const struct weir_packet *frame);
	void (*host_frame)(struct worker *w, struct host *h, const struct weir_packet *frame);
	/* The slots of all packets that it keeps, with room for so many; returns how many there
	 * are. For audit.c. NULL: it never keeps any. */
	uint32_t (*list_kept)(const struct switch_state *s, uint32_t *slots, uint64_t room);
	/* A time that event_switch_set_timer was asked for has come. NULL: it never is. */
	void (*timer)(struct worker *w, struct switch_state *s, uint32_t input, int64_t now_ps);
};

extern const struct registry fabric_registry;
extern const struct fabric_ops *const fabric_all[]; /* ends with NULL; the first is none */

/* Does the scheme do anything? */
static inline int fabric_is_on(const struct config *c)
{
	return c->fabric && c->fabric->arrive;
}
#endif
