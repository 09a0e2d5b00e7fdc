/* SPDX-License-Identifier: BSD-3-Clause */
/* deadlock.c -- see deadlock.h.
 *
 * A node of the wait-for graph is a class of a link. Suspects are classes that are paused by a
 * switch whose PFC state still says so, with no pause or resume frame in flight. Packets that came
 * over a suspect and are queued at a port that is no suspect will leave: that clears the suspect,
 * and others after it. Suspects that remain wait for each other. */
#include "sim/core/deadlock.h"
#include "sim/core/link.h"
#include "sim/parallel/ranks.h"
#include "sim/core/event_switch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An edge of the graph: packets that came over one link are queued at the port of another. */
struct wait {
	uint32_t from, to, class_id;
};

struct search {
	const struct engine *engine;
	uint8_t *stuck; /* per link: bit per class that is suspected */
	/* Per ingress and class of a switch: the last link that it waits for, plus 1. */
	uint32_t *noted, noted_count;
	struct wait *waits;
	uint32_t wait_count, wait_capacity;
	uint8_t *signalled; /* per link: bit per class with a frame in flight to its sender */
};

static int is_stuck(const struct search *f, uint32_t link, uint32_t class_id)
{
	return f->stuck[link] >> class_id & 1;
}

static void clear_suspect(struct search *f, uint32_t link, uint32_t class_id)
{
	f->stuck[link] &= (uint8_t) ~(1u << class_id);
}

/* --- suspects --- */

/* Does the PFC state of the switch at the end of the link say paused? Hosts never send PFC pauses.
 * Not where the fabric scheme keeps packets: other events may release those. */
static int deadlock_pause_is_in_force(const struct engine *e, uint32_t link, uint32_t class_id)
{
	const struct net_link *l = &e->net->links[link];
	const struct net_node *to = &e->net->nodes[l->to];
	const struct switch_state *s;

	if (to->kind != NODE_SWITCH || !engine_owns(e, l->to))
		return 0;
	s = &e->switches[to->number];
	return s->events->pfc.ingress[l->link_queue - s->first_link_queue][class_id].paused &&
	       !s->events->kept_pkts;
}

/* Bits that any rank has set: one may know the beginning of a link and another its end. */
static void or_over_ranks(const struct engine *e, uint8_t *bits)
{
	struct exchange *x = e->ranks ? e->ranks->exchange : NULL;
	size_t size = e->net->link_count;

	if (!x)
		return;
	exchange_append_own(x, bits, size);
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++)
		for (size_t k = 0; k < size; k++)
			bits[k] |= (uint8_t)x->in[i].bytes[k];
}

/* Returns how many suspects are links between switches: without such there is no cycle. */
static uint32_t list_suspects(struct search *f)
{
	const struct engine *e = f->engine;
	uint8_t *meant = memory_new(e->net->link_count, sizeof(*meant));
	uint32_t between = 0;

	for (uint32_t link = 0; link < e->net->link_count; link++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			uint8_t bit = (uint8_t)(1u << k);

			f->stuck[link] |= e->pauses[link].class[k].since_ps >= 0 ? bit : 0;
			meant[link] |= deadlock_pause_is_in_force(e, link, k) ? bit : 0;
		}
	or_over_ranks(e, f->stuck);
	or_over_ranks(e, meant);
	for (uint32_t link = 0; link < e->net->link_count; link++) {
		f->stuck[link] &= meant[link];
		between += f->stuck[link] &&
			   e->net->nodes[e->net->links[link].from].kind == NODE_SWITCH;
	}
	memory_free(meant, e->net->link_count, sizeof(*meant));
	return between;
}

/* --- the wait-for graph --- */

static void add_wait(struct search *f, uint32_t from, uint32_t to, uint32_t class_id)
{
	if (f->wait_count == f->wait_capacity) {
		f->wait_capacity = f->wait_capacity ? 2 * f->wait_capacity : 64;
		f->waits = memory_grow(f->waits, f->wait_capacity, sizeof(*f->waits));
	}
	f->waits[f->wait_count++] = (struct wait){ from, to, class_id };
}

/* Adds edges for the packets of a queue, one for each ingress and class. */
static void walk_queue(struct search *f, const struct switch_state *s, const struct weir_queue *q,
		       uint32_t to)
{
	const struct engine *e = f->engine;
	uint32_t slot = q->head;

	for (uint32_t left = q->pkts; left; left--) {
		struct weir_packet *packet = &e->store.slots[slot];
		uint32_t ingress = packet_segment(packet)->ingress, class_id = packet->class_id;
		uint32_t from = e->net->link_queue_link[s->first_link_queue + ingress];

		if (class_is_lossless(e->config->lossless, class_id) &&
		    is_stuck(f, from, class_id) &&
		    f->noted[ingress * WEIR_PFC_CLASSES + class_id] != to + 1) {
			f->noted[ingress * WEIR_PFC_CLASSES + class_id] = to + 1;
			add_wait(f, from, to, class_id);
		}
		slot = link_slot_after(e, slot);
	}
}

/* A ranked queue cannot be walked by ingress: adds an edge for every ingress of its classes. Such a
 * queue drains unless it is stuck, so a needless edge clears nothing wrongly for long. */
static void add_all_waits(struct search *f, const struct switch_state *s, uint32_t queue,
			  uint32_t to)
{
	const struct engine *e = f->engine;
	const struct weir_port_class *c = engine_egress(e, to)->port.kind;

	for (uint32_t i = 0; i < s->link_queue_count; i++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			if (c->class_queue[k] == queue &&
			    is_stuck(f, e->net->link_queue_link[s->first_link_queue + i], k))
				add_wait(f, e->net->link_queue_link[s->first_link_queue + i], to,
					 k);
}

static void walk_port(struct search *f, const struct switch_state *s, uint32_t link)
{
	struct weir_port *p = &engine_egress(f->engine, link)->port;

	for (uint32_t i = 0; i < p->kind->queues; i++) {
		const struct weir_queue *q = weir_port_queues(p) + i;

		if (q->pkts && p->kind->order == WEIR_PORT_RANKED)
			add_all_waits(f, s, i, link);
		else if (q->pkts)
			walk_queue(f, s, q, link);
	}
}

static void list_waits(struct search *f)
{
	const struct engine *e = f->engine;

	for (uint32_t i = 0; i < e->net->switch_count; i++) {
		const struct switch_state *s = &e->switches[i];
		uint32_t stuck = 0;

		for (uint32_t n = 0; n < s->link_queue_count; n++)
			stuck |= f->stuck[e->net->link_queue_link[s->first_link_queue + n]];
		if (!stuck || !engine_owns(e, s->node))
			continue;
		memset(f->noted, 0, f->noted_count * sizeof(*f->noted));
		for (uint32_t n = 0; n < s->link_count; n++)
			walk_port(f, s, s->first_link + n);
	}
}

/* An edge with its sort key: the switch of the queue, then the order of discovery there. */
struct found_wait {
	struct wait wait;
	uint32_t at, order;
};

static int by_switch(const void *a, const void *b)
{
	const struct found_wait *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Adds the edges that other ranks have found, in the order in which one process would have. */
static void list_waits_of_ranks(struct search *f)
{
	const struct network *net = f->engine->net;
	struct exchange *x = f->engine->ranks->exchange;
	struct found_wait *found;
	uint64_t count = 0;

	exchange_append_own(x, f->waits, f->wait_count * sizeof(*f->waits));
	exchange_allgather(x);
	f->wait_count = 0;
	for (uint32_t i = 0; i < x->ranks; i++)
		for (size_t at = 0; at < x->in[i].size; at += sizeof(struct wait)) {
			struct wait w;

			memcpy(&w, x->in[i].bytes + at, sizeof(w));
			add_wait(f, w.from, w.to, w.class_id);
		}
	found = memory_grow(NULL, f->wait_count, sizeof(*found));
	for (uint32_t i = 0; i < f->wait_count; i++)
		found[count++] = (struct found_wait){
			f->waits[i], net->nodes[net->links[f->waits[i].to].from].number, i
		};
	qsort(found, count, sizeof(*found), by_switch);
	for (uint32_t i = 0; i < f->wait_count; i++)
		f->waits[i] = found[i].wait;
	free(found);
}

/* --- clearing --- */

/* Bit per class with a pause or resume frame in flight to the sender of the link, as far as this
 * rank knows. */
static uint8_t frames_in_flight(const struct engine *e, uint32_t link)
{
	const struct egress *back = engine_egress(e, e->net->links[link].reverse);
	uint32_t slot = link_queue_start(e, e->net->links[e->net->links[link].reverse].link_queue);
	uint8_t classes = 0;

	while (slot != WEIR_SLOT_NONE && slot != back->tail) {
		struct weir_packet *packet = &e->store.slots[slot];

		if (packet_is_link_frame(packet) &&
		    packet_segment(packet)->frame_kind < FRAME_FABRIC)
			classes |= (uint8_t)(1u << packet->class_id);
		slot = link_slot_after(e, slot);
	}
	return classes;
}

/* Clears suspects that wait for nothing, or whose sender is about to receive a frame. */
static void clear_waiting_for_nothing(struct search *f)
{
	uint32_t links = f->engine->net->link_count;
	uint8_t *waits = memory_new(links, sizeof(*waits));

	for (uint32_t i = 0; i < f->wait_count; i++)
		waits[f->waits[i].from] |= (uint8_t)(1u << f->waits[i].class_id);
	for (uint32_t link = 0; link < links; link++) {
		f->stuck[link] &= waits[link];
		f->signalled[link] = f->stuck[link] ? frames_in_flight(f->engine, link) : 0;
	}
	or_over_ranks(f->engine, f->signalled);
	for (uint32_t link = 0; link < links; link++)
		f->stuck[link] &= (uint8_t)~f->signalled[link];
	memory_free(waits, links, sizeof(*waits));
}

/* Clears suspects that wait for a port which is no suspect, until none is left. */
static void clear_moving(struct search *f)
{
	int changed = 1;

	while (changed) {
		changed = 0;
		for (uint32_t i = 0; i < f->wait_count; i++) {
			const struct wait *wait = &f->waits[i];

			if (is_stuck(f, wait->from, wait->class_id) &&
			    !is_stuck(f, wait->to, wait->class_id)) {
				clear_suspect(f, wait->from, wait->class_id);
				changed = 1;
			}
		}
	}
}

/* --- cycles --- */

/* The graph of one class, with one edge per link, and the links visited. */
struct trail {
	uint32_t class_id;
	uint32_t *next; /* per link: the first edge's end */
	uint32_t *seen; /* per link: start of the walk that visited it, plus 1; 0: none */
	uint32_t *path;
};

static void describe_cycle(const struct engine *e, const uint32_t *cycle, uint32_t count,
			   struct deadlock *d)
{
	size_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t since_ps = e->pauses[cycle[i]].class[d->class_id].since_ps;
		char name[128];

		if (since_ps > d->since_ps)
			d->since_ps = since_ps;
		link_name(e->net, cycle[i], name, sizeof(name));
		if (used + strlen(name) + 16 < sizeof(d->text))
			used += (size_t)snprintf(d->text + used, sizeof(d->text) - used, "%s%s",
						 i ? ", " : "", name);
		else if (i + 1 == count)
			snprintf(d->text + used, sizeof(d->text) - used, ", ...");
	}
}

/* Follows edges from a stuck link until a link repeats: that is a new cycle, unless an earlier walk
 * has visited it. */
static void walk_from(const struct engine *e, struct trail *t, uint32_t link, struct deadlock *d)
{
	uint32_t count = 0, walk = link + 1, first = 0;

	while (!t->seen[link]) {
		t->seen[link] = walk;
		t->path[count++] = link;
		link = t->next[link];
	}
	if (t->seen[link] != walk || !count)
		return;
	while (t->path[first] != link)
		first++;
	if (d->cycles++ == 0) {
		d->class_id = t->class_id;
		describe_cycle(e, t->path + first, count - first, d);
	}
}

static void find_cycles(const struct search *f, struct deadlock *d)
{
	uint32_t links = f->engine->net->link_count;
	uint32_t *memory = memory_new(3 * (uint64_t)links, sizeof(*memory));
	struct trail t = { 0, memory, memory + links, memory + 2 * (size_t)links };

	for (; t.class_id < WEIR_PFC_CLASSES; t.class_id++) {
		memset(t.seen, 0, links * sizeof(*t.seen));
		for (uint32_t i = f->wait_count; i-- > 0;)
			if (f->waits[i].class_id == t.class_id)
				t.next[f->waits[i].from] = f->waits[i].to;
		for (uint32_t link = 0; link < links; link++)
			if (is_stuck(f, link, t.class_id))
				walk_from(f->engine, &t, link, d);
	}
	memory_free(memory, 3 * (uint64_t)links, sizeof(*memory));
}

void deadlock_find(const struct engine *e, struct deadlock *d)
{
	uint32_t links = e->net->link_count;
	struct search f = { .engine = e };

	*d = (struct deadlock){ 0 };
	if (!e->config->lossless)
		return;
	f.stuck = memory_new(links, sizeof(*f.stuck));
	f.signalled = memory_new(links, sizeof(*f.signalled));
	if (list_suspects(&f)) {
		for (uint32_t i = 0; i < e->net->switch_count; i++)
			if (e->switches[i].link_queue_count * WEIR_PFC_CLASSES > f.noted_count)
				f.noted_count = e->switches[i].link_queue_count * WEIR_PFC_CLASSES;
		f.noted = memory_new(f.noted_count, sizeof(*f.noted));
		list_waits(&f);
		if (e->ranks)
			list_waits_of_ranks(&f);
		clear_waiting_for_nothing(&f);
		clear_moving(&f);
		find_cycles(&f, d);
		memory_free(f.noted, f.noted_count, sizeof(*f.noted));
		free(f.waits);
	}
	memory_free(f.signalled, links, sizeof(*f.signalled));
	memory_free(f.stuck, links, sizeof(*f.stuck));
}
