/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric.h -- interface of fabric schemes (switch.fabric): hop-by-hop flow control finer than a
 * class.
 *
 * PFC pauses a class of a link. The schemes here pause a flow's queue (bfc) or limit what is in
 * flight to one destination (floodgate). A switch with one processes arrivals and departures in
 * strict time order (sim/core/event_switch.c) and reports each packet to the scheme; the scheme's
 * own control frames travel like pause frames. docs/manual/04-schemes.md says what of each
 * paper is implemented.
 *
 * Hooks run in the worker thread that processes the switch or host; those of one switch are never
 * concurrent. */
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
	FABRIC_OFFER, /* the packet is enqueued at its port */
	FABRIC_KEEP,  /* the scheme holds the packet until event_switch_release */
};

/* Every hook may be NULL: the scheme does not need it. */
struct fabric_ops {
	struct weir_scheme scheme;
	/* The queues of a port and their scheduler. NULL: the settings decide. */
	void (*layout)(const struct config *c, struct weir_mark_layout *l);
	/* Refuses settings, which are parsed, that contradict the scheme. -1 with a message that
	 * begins with the key. */
	int (*fits)(const struct config *c, struct weir_error *e);
	/* The scheme's state of a switch, once all ports are built; and of hosts. */
	void *(*new_switch)(struct engine *e, struct switch_state *s);
	void (*free_switch)(struct switch_state *s, void *state);
	void (*new_hosts)(struct engine *e);
	void (*free_hosts)(struct engine *e);
	/* A packet that the buffer admits is about to be enqueued; packet->time_ps is now. */
	enum fabric_answer (*arrive)(struct worker *w, struct switch_state *s, uint32_t port,
				     struct weir_packet *packet);
	/* The packet was enqueued, as *stored. */
	void (*queued)(struct worker *w, struct switch_state *s, uint32_t port,
		       struct weir_packet *stored);
	/* The packet leaves the port, after queueing or without. Changes to *packet are sent. */
	void (*leave)(struct worker *w, struct switch_state *s, uint32_t port,
		      struct weir_packet *packet, int64_t now_ps);
	/* Called instead of leave for a packet that the port dropped. NULL: leave is called. */
	void (*lost)(struct worker *w, struct switch_state *s, uint32_t port,
		     const struct weir_packet *packet);
	/* A control frame of the scheme arrived at a switch, or at a host. */
	void (*frame)(struct worker *w, struct switch_state *s, uint32_t input,
		      const struct weir_packet *frame);
	void (*host_frame)(struct worker *w, struct host *h, const struct weir_packet *frame);
	/* For audits: lists the slots of all held packets, of which room fit; returns their
	 * number. NULL: it never holds any. */
	uint32_t (*list_kept)(const struct switch_state *s, uint32_t *slots, uint64_t room);
	/* A timer that was set with event_switch_set_timer expired. */
	void (*timer)(struct worker *w, struct switch_state *s, uint32_t input, int64_t now_ps);
};

extern const struct registry fabric_registry;
extern const struct fabric_ops *const fabric_all[]; /* ends with NULL; the first is none */

/* Is a scheme other than none selected? */
static inline int fabric_is_on(const struct config *c)
{
	return c->fabric && c->fabric->arrive;
}
#endif
