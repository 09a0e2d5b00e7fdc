/* SPDX-License-Identifier: BSD-3-Clause */
/* mailbox.h -- messages that a program sends from hosts while a run goes on, and calls that it asks
 * for (weir/sim.h).
 *
 * A message is a flow record, as those of the scenario are. Each host has a stretch of records of
 * its own, behind the scenario's, so that numbers depend on no other host; and connections by
 * (receiver, section, class), opened for the first message and kept. Everything in a mailbox
 * belongs to its host: it is touched by the thread of that host, or with all threads at rest.
 *
 * When is a record used again? The receiving end holds on to the record of the message that it
 * completed last until data of the next one is there (tcp_receive.c). Once something of the next
 * one is acknowledged, nobody knows the record any more. This is looked at when the host sends over
 * that connection again, so packets and ACKs have no part in it. The record that opened a
 * connection stays: packets name it. */
#ifndef SIM_CORE_MAILBOX_H
#define SIM_CORE_MAILBOX_H
#include "sim/core/host.h"
#include "weir/sim.h"

struct mail_connection {
	uint32_t to;
	uint16_t traffic;
	uint8_t class_id;
	uint32_t opener;   /* FLOW_NONE: this place in the table is empty */
	uint32_t oldest;   /* of its records in use; those behind it by flow.next */
	uint32_t segments; /* of all its messages so far */
};

struct mailbox {
	uint32_t fresh; /* records that were ever used */
	uint32_t spare; /* to be used again: a list through flow.next */
	struct {
		uint32_t first, last;
	} waiting; /* messages of now that their connections do not know yet, likewise */
	uint32_t connection_count; /* opened */
	uint32_t place_count, used_count;
	struct mail_connection *places; /* a hash table */
	struct heap calls;              /* (time, order << MAIL_CALL_BITS | place in asked) */
	uint64_t order;
	uint32_t asked_room, asked_count, asked_spare; /* a list through context */
	struct weir_sim_call *asked;
};

enum { MAIL_CALL_BITS = 24 };

struct mail_listener {
	weir_sim_delivered *delivered;
	void *context;
};

struct mailboxes {
	uint32_t first;         /* record of host 0 */
	uint32_t messages;      /* records of each host */
	uint32_t connections;   /* that each host may open */
	uint32_t section_count; /* that take messages; a message counts among them */
	uint16_t *sections;
	struct mailbox *boxes; /* by host */
	/* By record, from first on: whom to tell of the delivery. */
	struct mail_listener *listeners;
};

struct weir_sim_turn {
	struct worker *worker;
	struct host *host;
};

/* Where the plan has messages: e->mail, and room behind the flows of the scenario. */
int mailboxes_new(struct engine *e, const struct engine_plan *plan, struct weir_error *error);
void mailboxes_free(struct engine *e);

/* The message starts at the host, now, once what the host does now is done. */
int mailbox_send(struct worker *w, struct host *h, const struct weir_sim_message *m, int64_t now_ps,
		 struct weir_error *error);
int mailbox_call_at(const struct engine *e, struct host *h, const struct weir_sim_call *call,
		    int64_t now_ps, struct weir_error *error);

/* TIMER_MAILBOX: messages start and calls are made that are due. */
void mailbox_on_timer(struct worker *w, struct host *h);

/* The last byte of a message with FLOW_HAS_CALLBACK is here. */
void mailbox_deliver(struct worker *w, struct host *h, uint32_t message);

/* The record in use after that one, scenario's and mailboxes'; FLOW_NONE: there is none. Begins
 * with FLOW_NONE. */
uint32_t engine_next_flow(const struct engine *e, uint32_t flow);
#endif
