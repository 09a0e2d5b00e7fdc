/* SPDX-License-Identifier: BSD-3-Clause */
/* mailbox.h -- messages that a program sends from hosts while a simulation runs, and timed calls
 * that it requests (weir/sim.h).
 *
 * A message is a flow record, like those of the scenario. Each host has a range of records of its
 * own, behind the scenario's, so that a record's number does not depend on other hosts; and
 * connections by (receiver, section, class, channel), opened for the first message and kept. Jobs
 * (job_run.h) send in the same way.
 *
 * Ownership and threads: a mailbox belongs to its host. Only the host's worker touches it, or the
 * caller's thread while the workers are stopped. The program's callbacks run on the host's worker.
 *
 * Reuse of records: the receiver refers to the record of the message that it completed last until
 * data of the next message arrives (receiver.c). Once a segment of the next message is
 * acknowledged, the record is free. That is checked when the host sends over the connection again,
 * so the packet path has no part in it. The record that opened a connection is never reused:
 * packets carry its number. */
#ifndef SIM_CORE_MAILBOX_H
#define SIM_CORE_MAILBOX_H
#include "sim/core/host.h"
#include "weir/sim.h"

struct mail_connection {
	uint32_t to;
	uint16_t traffic;
	uint8_t class_id, channel;
	uint32_t opener;   /* record that opened it; FLOW_NONE: an empty place of the table */
	uint32_t oldest;   /* first of its records in use, a list by flow.next */
	uint32_t segments; /* of all its messages so far */
};

struct mailbox {
	uint32_t fresh; /* records that were ever used */
	uint32_t spare; /* records that may be reused: a list by flow.next */
	struct {
		uint32_t first, last;
	} waiting;                 /* messages that start now: a list by flow.next */
	uint32_t connection_count; /* opened so far */
	uint32_t place_count, used_count;
	struct mail_connection *places; /* hash table, open addressing, at most half full */
	struct heap due;                /* (time, order << MAIL_CALL_BITS | place in calls) */
	uint64_t order;
	uint32_t call_room, call_count, call_spare; /* spare places: a list by context */
	struct weir_sim_call *calls;
};

enum { MAIL_CALL_BITS = 24 };

struct mail_listener {
	weir_sim_delivered *delivered; /* NULL: the message is a job's, and context its label */
	void *context;
};

/* A message of a program or of a job. */
struct mail_post {
	uint32_t to;      /* host */
	uint16_t traffic; /* its section, counted among all */
	uint8_t class_id; /* counted from the section's first */
	uint8_t channel;  /* messages of different channels have connections of their own */
	uint8_t is_of_job;
	uint8_t wants_ack; /* of a job: 1: job_on_ack when its last byte is acknowledged */
	uint64_t bytes;
	uint64_t label;                /* of a job */
	struct mail_listener listener; /* of a program; delivered NULL: nobody listens */
};

struct mailboxes {
	uint32_t first;         /* first record of host 0 */
	uint32_t messages;      /* records of each host */
	uint32_t connections;   /* that each host may open */
	uint32_t section_count; /* of the scenario with pattern = messages */
	uint16_t *sections;
	struct mailbox *boxes; /* by host */
	/* By record, from first on: the callback for its delivery. */
	struct mail_listener *listeners;
};

/* Context of a callback: valid while it runs. */
struct weir_sim_turn {
	struct worker *worker;
	struct host *host;
};

/* Makes e->mail and room behind the flows of the scenario, where the plan has messages. -1: more
 * than flow numbers allow; message. */
int mailboxes_new(struct engine *e, const struct engine_plan *plan, struct weir_error *error);
void mailboxes_free(struct engine *e);

/* The message starts at the host at now_ps, after the event that the host processes. -1: the
 * message is invalid or the plan has no room; message. */
int mailbox_send(struct worker *w, struct host *h, const struct weir_sim_message *m, int64_t now_ps,
		 struct weir_error *error);

/* The same for a checked section and class, of a program or a job. */
int mailbox_post(struct worker *w, struct host *h, const struct mail_post *post, int64_t now_ps,
		 struct weir_error *error);

/* Calls call->called on the host's worker at call->time_ps, which is not before now_ps. */
int mailbox_call_at(const struct engine *e, struct host *h, const struct weir_sim_call *call,
		    int64_t now_ps, struct weir_error *error);

/* TIMER_MAILBOX: starts messages and makes calls that are due. */
void mailbox_on_timer(struct worker *w, struct host *h);

/* The last byte of a message with FLOW_HAS_CALLBACK has arrived; that of one with FLOW_SIGNALS_SENT
 * was acknowledged. */
void mailbox_deliver(struct worker *w, struct host *h, uint32_t message);
void mailbox_on_ack(struct worker *w, struct host *h, uint32_t message);

/* With ranks: what the receiver's rank has to know of a message of a mailbox; nothing for flows of
 * the scenario. Packed at the end of the lookahead window in which the message was sent. Unpacking
 * returns the end of what it has read. */
struct exchange_buffer;
void mailbox_pack_record(const struct engine *e, uint32_t message, struct exchange_buffer *out);
const char *mailbox_unpack_record(struct engine *e, uint32_t message, const char *at);

/* Iterates over the flow records in use, the scenario's and those of mailboxes: FLOW_NONE gives the
 * first, and comes after the last. */
uint32_t engine_next_flow(const struct engine *e, uint32_t flow);
#endif
