/* SPDX-License-Identifier: BSD-3-Clause */
/* mailbox.c -- see mailbox.h. */
#include "sim/core/mailbox.h"
#include "sim/core/job_run.h"
#include "sim/core/sender.h"
#include "sim/parallel/exchange.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MIN = 16, CALLS_MAX = 1 << MAIL_CALL_BITS, CALLS_MIN = 16 };

#define CALL_NONE UINT32_MAX

/* --- records --- */

static struct mailbox *box_of(const struct engine *e, const struct host *h)
{
	return &e->mail->boxes[h->number];
}

/* Frees records of messages that are acknowledged, but for the opener. */
static void mailbox_release_records(struct worker *w, struct mailbox *box,
				    struct mail_connection *c)
{
	const struct engine *e = w->engine;
	uint32_t handle = flow_at(e, c->opener)->tx;
	struct sender *s;

	if (handle == FLOW_NONE)
		return; /* the connection is not open yet */
	s = sender_at(w, handle);
	while (flow_at(e, c->oldest)->end_segment < s->una) {
		uint32_t record = c->oldest;
		struct flow *f = flow_at(e, record);

		c->oldest = f->next;
		if (s->una_message == record)
			s->una_message = f->next;
		if (record == c->opener)
			continue;
		f->next = box->spare;
		box->spare = record;
	}
}

/* FLOW_NONE: all records of the host are in use. */
static uint32_t mailbox_take_record(struct worker *w, const struct host *h, struct mailbox *box)
{
	const struct mailboxes *mail = w->engine->mail;
	uint32_t record;

	if (box->spare == FLOW_NONE && box->fresh == mail->messages)
		for (uint32_t i = 0; i < box->place_count; i++)
			if (box->places[i].opener != FLOW_NONE)
				mailbox_release_records(w, box, &box->places[i]);
	record = box->spare;
	if (record != FLOW_NONE) {
		box->spare = flow_at(w->engine, record)->next;
		return record;
	}
	if (box->fresh == mail->messages)
		return FLOW_NONE;
	return mail->first + h->number * mail->messages + box->fresh++;
}

uint32_t engine_next_flow(const struct engine *e, uint32_t flow)
{
	const struct mailboxes *mail = e->mail;
	uint64_t next = flow == FLOW_NONE ? 0 : flow + UINT64_C(1);

	if (next < e->flows.count)
		return (uint32_t)next;
	if (!mail)
		return FLOW_NONE;
	for (uint64_t host = (next - mail->first) / mail->messages; host < e->net->host_count;
	     host++) {
		uint64_t begin = mail->first + host * mail->messages;

		if (next < begin)
			next = begin;
		if (next < begin + mail->boxes[host].fresh)
			return (uint32_t)next;
	}
	return FLOW_NONE;
}

/* --- connections --- */

/* The place of a connection in a table that has room, or an empty one for it. */
static struct mail_connection *mail_find_place(struct mail_connection *places, uint32_t count,
					       const struct mail_connection *key)
{
	uint64_t hash = weir_hash64((uint64_t)key->traffic << 32 | key->to,
				    (uint64_t)key->channel << 8 | key->class_id);

	for (;; hash++) {
		struct mail_connection *c = &places[hash & (count - 1)];

		if (c->opener == FLOW_NONE ||
		    (c->to == key->to && c->traffic == key->traffic &&
		     c->class_id == key->class_id && c->channel == key->channel))
			return c;
	}
}

static void mailbox_grow_places(struct mailbox *box)
{
	uint32_t count = box->place_count ? 2 * box->place_count : PLACES_MIN;
	struct mail_connection *grown = memory_grow(NULL, count, sizeof(*grown));

	for (uint32_t i = 0; i < count; i++)
		grown[i].opener = FLOW_NONE;
	for (uint32_t i = 0; i < box->place_count; i++)
		if (box->places[i].opener != FLOW_NONE)
			*mail_find_place(grown, count, &box->places[i]) = box->places[i];
	free(box->places);
	box->places = grown;
	box->place_count = count;
}

static struct mail_connection *mail_find_connection(struct mailbox *box,
						    const struct mail_connection *key)
{
	if (2 * (box->used_count + 1) > box->place_count)
		mailbox_grow_places(box);
	return mail_find_place(box->places, box->place_count, key);
}

/* Is the connection open, with sequence numbers left for that many segments? They have 32 bits and
 * never wrap. */
static int mail_is_open(const struct mail_connection *c, uint32_t segments)
{
	return c->opener != FLOW_NONE && c->segments + UINT64_C(0) + segments < UINT32_MAX;
}

/* --- sending --- */

static int check_message(const struct engine *e, const struct weir_sim_message *m,
			 struct weir_error *error)
{
	const struct traffic_config *t;

	if (m->traffic >= e->mail->section_count)
		return weir_error_set(error,
				      "a message of section %u; the scenario has %u with "
				      "pattern = messages, from 0",
				      m->traffic, e->mail->section_count);
	t = &e->config->traffic[e->mail->sections[m->traffic]];
	if (m->to >= e->net->host_count)
		return weir_error_set(error, "a message to host %u; there are %u, from 0", m->to,
				      e->net->host_count);
	if (m->class_id >= t->classes)
		return weir_error_set(error,
				      "a message of class %u; traffic.%s.classes is %" PRIu64,
				      m->class_id, t->name, t->classes);
	return 0;
}

static int check_flow(const struct engine *e, const struct flow *f, struct weir_error *error)
{
	uint64_t max_bytes = UINT32_MAX / 2 * (uint64_t)flow_transport(e, f)->env.mss_bytes;

	if (f->src == f->dst)
		return weir_error_set(error, "a message from host %u to itself", f->src);
	if (f->size_bytes == 0 || f->size_bytes > max_bytes)
		return weir_error_set(error, "a message of %" PRIu64 " bytes; from 1 to %" PRIu64,
				      f->size_bytes, max_bytes);
	return 0;
}

/* Appends the message to those that start with the next TIMER_MAILBOX. */
static void mailbox_append_waiting(const struct engine *e, struct host *h, uint32_t record)
{
	struct mailbox *box = box_of(e, h);

	if (box->waiting.first == FLOW_NONE) {
		box->waiting.first = record;
		host_timer(h, flow_at(e, record)->start_ps, TIMER_MAILBOX, 0);
	} else {
		flow_at(e, box->waiting.last)->next = record;
	}
	box->waiting.last = record;
}

/* A record and a connection for the flow; FLOW_NONE: the plan has no room, message. */
static uint32_t mailbox_admit(struct worker *w, const struct host *h, struct flow *f,
			      const struct mail_post *post, struct weir_error *error)
{
	const struct mailboxes *mail = w->engine->mail;
	struct mailbox *box = box_of(w->engine, h);
	struct mail_connection key = { .to = f->dst,
				       .traffic = f->traffic,
				       .class_id = f->class_id,
				       .channel = post->channel };
	const char *advice =
		post->is_of_job ? "more than a job may have" : "plan for more (weir_sim_plan)";
	struct mail_connection *c = mail_find_connection(box, &key);
	uint32_t segments = message_segments(w->engine, f), record;
	int is_new = !mail_is_open(c, segments);

	if (is_new && box->connection_count == mail->connections) {
		weir_error_set(error, "host %u has opened %u connections; %s", h->number,
			       mail->connections, advice);
		return FLOW_NONE;
	}
	if (c->opener != FLOW_NONE)
		mailbox_release_records(w, box, c);
	record = mailbox_take_record(w, h, box);
	if (record == FLOW_NONE) {
		weir_error_set(error, "%u messages of host %u are under way; %s", mail->messages,
			       h->number, advice);
		return FLOW_NONE;
	}
	/* Opens a connection in that place. It may replace one whose sequence numbers are used up,
	 * which keeps its records. */
	if (is_new) {
		box->used_count += c->opener == FLOW_NONE;
		box->connection_count++;
		*c = key;
		c->opener = c->oldest = record;
	}
	c->segments += segments;
	f->connection = c->opener;
	return record;
}

int mailbox_send(struct worker *w, struct host *h, const struct weir_sim_message *m, int64_t now_ps,
		 struct weir_error *error)
{
	const struct mailboxes *mail = w->engine->mail;

	if (check_message(w->engine, m, error))
		return -1;
	return mailbox_post(w, h,
			    &(struct mail_post){ .to = m->to,
						 .traffic = mail->sections[m->traffic],
						 .class_id = (uint8_t)m->class_id,
						 .bytes = m->bytes,
						 .listener = { m->delivered, m->context } },
			    now_ps, error);
}

int mailbox_post(struct worker *w, struct host *h, const struct mail_post *post, int64_t now_ps,
		 struct weir_error *error)
{
	const struct engine *e = w->engine;
	struct flow flow = {
		.start_ps = now_ps,
		.finish_ps = -1,
		.size_bytes = post->bytes,
		.stop_ps = WEIR_TIME_NEVER_PS,
		.src = h->number,
		.dst = post->to,
		.next = FLOW_NONE,
		.flags = (uint8_t)((post->is_of_job || post->listener.delivered ? FLOW_HAS_CALLBACK
										: 0) |
				   (post->wants_ack ? FLOW_SIGNALS_SENT : 0)),
		.traffic = post->traffic,
		.tx = FLOW_NONE,
		.rx = FLOW_NONE,
	};
	uint32_t record;

	flow.class_id = (uint8_t)(flow_traffic(e, &flow)->class_id + post->class_id);
	if (check_flow(e, &flow, error))
		return -1;
	record = mailbox_admit(w, h, &flow, post, error);
	if (record == FLOW_NONE)
		return -1;
	*flow_at(e, record) = flow;
	/* NOLINTBEGIN(performance-no-int-to-ptr): a label is never followed. */
	e->mail->listeners[record - e->mail->first] =
		post->is_of_job ? (struct mail_listener){ NULL, (void *)(uintptr_t)post->label }
				: post->listener;
	/* NOLINTEND(performance-no-int-to-ptr) */
	w->flows_opened += !e->acked_ps; /* as receiver.c counts their ends */
	w->opened_ps = now_ps > w->opened_ps ? now_ps : w->opened_ps;
	mailbox_append_waiting(e, h, record);
	return 0;
}

void mailbox_deliver(struct worker *w, struct host *h, uint32_t message)
{
	const struct mailboxes *mail = w->engine->mail;
	const struct flow *f = flow_at(w->engine, message);
	const struct mail_listener *l = &mail->listeners[message - mail->first];
	const struct weir_sim_delivery d = { f->src, f->dst, f->size_bytes, f->start_ps,
					     f->finish_ps };
	struct weir_sim_turn turn = { w, h };

	if (l->delivered)
		l->delivered(l->context, &turn, &d);
	else
		job_on_delivery(w, h, (uint64_t)(uintptr_t)l->context, f->size_bytes);
}

void mailbox_on_ack(struct worker *w, struct host *h, uint32_t message)
{
	const struct mailboxes *mail = w->engine->mail;

	flow_at(w->engine, message)->flags &= (uint8_t)~FLOW_SIGNALS_SENT;
	job_on_ack(w, h, (uint64_t)(uintptr_t)mail->listeners[message - mail->first].context);
}

/* --- ranks --- */

struct mail_record {
	struct flow flow;
	struct mail_listener listener; /* of a job: its context is a label */
};

void mailbox_pack_record(const struct engine *e, uint32_t message, struct exchange_buffer *out)
{
	struct mail_record record;

	if (message < e->flows.count)
		return;
	record.flow = *flow_at(e, message);
	record.listener = e->mail->listeners[message - e->mail->first];
	exchange_append(out, &record, sizeof(record));
}

const char *mailbox_unpack_record(struct engine *e, uint32_t message, const char *at)
{
	struct mailboxes *mail = e->mail;
	struct mail_record record;
	struct mailbox *box;

	if (message < e->flows.count)
		return at;
	memcpy(&record, at, sizeof(record));
	record.flow.tx = record.flow.rx = record.flow.next = FLOW_NONE;
	/* Records between, which are of messages to other ranks, are empty here. */
	box = &mail->boxes[record.flow.src];
	while (box->fresh <= (message - mail->first) % mail->messages) {
		uint32_t number = mail->first + record.flow.src * mail->messages + box->fresh++;

		*flow_at(e, number) = (struct flow){ .finish_ps = -1,
						     .src = record.flow.src,
						     .dst = record.flow.src,
						     .connection = number,
						     .next = FLOW_NONE,
						     .tx = FLOW_NONE,
						     .rx = FLOW_NONE };
	}
	*flow_at(e, message) = record.flow;
	mail->listeners[message - mail->first] = record.listener;
	return at + sizeof(record);
}

/* --- calls --- */

int mailbox_call_at(const struct engine *e, struct host *h, const struct weir_sim_call *call,
		    int64_t now_ps, struct weir_error *error)
{
	struct mailbox *box = box_of(e, h);
	uint32_t place = box->call_spare;

	if (call->time_ps < now_ps)
		return weir_error_set(error, "a call at %" PRId64 " ps; now it is %" PRId64,
				      call->time_ps, now_ps);
	if (place != CALL_NONE) {
		box->call_spare = (uint32_t)(uintptr_t)box->calls[place].context;
	} else if (box->call_count == CALLS_MAX) {
		return weir_error_set(error, "host %u: %d calls are to come already", h->number,
				      CALLS_MAX);
	} else {
		if (box->call_count == box->call_room) {
			box->call_room = box->call_room ? 2 * box->call_room : CALLS_MIN;
			box->calls = memory_grow(box->calls, box->call_room, sizeof(*box->calls));
		}
		place = box->call_count++;
	}
	box->calls[place] = *call;
	heap_push(&box->due, call->time_ps, box->order++ << MAIL_CALL_BITS | place);
	host_timer(h, call->time_ps, TIMER_MAILBOX, 0);
	return 0;
}

static void mailbox_make_call(struct worker *w, struct host *h, struct mailbox *box)
{
	uint32_t place = (uint32_t)(heap_pop(&box->due).key & (CALLS_MAX - 1));
	const struct weir_sim_call call = box->calls[place];
	struct weir_sim_turn turn = { w, h };

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the number of a place, which is
	 * never followed. */
	box->calls[place].context = (void *)(uintptr_t)box->call_spare;
	box->call_spare = place;
	call.called(call.context, &turn);
}

void mailbox_on_timer(struct worker *w, struct host *h)
{
	struct mailbox *box = box_of(w->engine, h);

	while (box->due.count && box->due.entries[0].time_ps <= h->now_ps)
		mailbox_make_call(w, h, box);
	while (box->waiting.first != FLOW_NONE) {
		uint32_t record = box->waiting.first;
		struct flow *f = flow_at(w->engine, record);

		box->waiting.first = f->next;
		f->next = FLOW_NONE;
		sender_start(w, h, record);
	}
}

/* --- building --- */

/* Lists sections with pattern = messages. */
static void mailboxes_list_sections(const struct engine *e, struct mailboxes *mail)
{
	const struct config *c = e->config;

	mail->sections = memory_grow(NULL, c->traffic_count + UINT64_C(1), sizeof(*mail->sections));
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (c->traffic[i].ops->messages == WEIR_MESSAGES_OF_PROGRAM)
			mail->sections[mail->section_count++] = (uint16_t)i;
}

int mailboxes_new(struct engine *e, const struct engine_plan *plan, struct weir_error *error)
{
	uint64_t room = (uint64_t)plan->messages * e->net->host_count;

	if (!plan->messages)
		return 0;
	if (e->flows.count + room >= FLOW_NONE ||
	    (uint64_t)plan->connections * e->net->host_count >= FLOW_NONE)
		return weir_error_set(error,
				      "%u messages, or %u connections, of each of %u hosts at once "
				      "are too many; there may be %u in all",
				      plan->messages, plan->connections, e->net->host_count,
				      FLOW_NONE - 1);
	e->mail = memory_new(1, sizeof(*e->mail));
	*e->mail = (struct mailboxes){ .first = e->flows.count,
				       .messages = plan->messages,
				       .connections = plan->connections };
	e->flows.flows =
		memory_grow(e->flows.flows, e->flows.count + room, sizeof(*e->flows.flows));
	e->mail->listeners = memory_new(room, sizeof(*e->mail->listeners));
	e->mail->boxes = memory_new(e->net->host_count, sizeof(*e->mail->boxes));
	for (uint32_t i = 0; i < e->net->host_count; i++)
		e->mail->boxes[i] = (struct mailbox){ .spare = FLOW_NONE,
						      .waiting = { FLOW_NONE, FLOW_NONE },
						      .call_spare = CALL_NONE };
	mailboxes_list_sections(e, e->mail);
	return 0;
}

void mailboxes_free(struct engine *e)
{
	struct mailboxes *mail = e->mail;

	if (!mail)
		return;
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		free(mail->boxes[i].places);
		free(mail->boxes[i].calls);
		heap_free(&mail->boxes[i].due);
	}
	free(mail->sections);
	memory_free(mail->boxes, e->net->host_count, sizeof(*mail->boxes));
	memory_free(mail->listeners, (uint64_t)mail->messages * e->net->host_count,
		    sizeof(*mail->listeners));
	memory_free(mail, 1, sizeof(*mail));
}
