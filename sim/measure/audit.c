/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.c -- see audit.h. */
#include "sim/measure/audit.h"
#include "sim/parallel/ranks.h"
#include "sim/core/host.h"
#include "sim/core/mailbox.h"
#include "sim/core/event_switch.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128 };

/* What one audit works with. */
struct auditor {
	struct engine *e;
	struct weir_error *error;
	uint32_t *slots; /* of packets that wait in one place, one place at a time */
	uint64_t slot_room;
	/* Of the switch that is looked at, where it is an ordered one: bytes found, by input and
	 * lossless class, and of all other classes. */
	uint64_t (*found)[WEIR_PFC_CLASSES];
	uint32_t input_room;
	uint64_t lossy_bytes;
	/* Of all nodes, those of other ranks included. */
	struct audit_sums {
		uint64_t made, delivered, dropped, under_way; /* packets */
		uint64_t received, counted;                   /* bytes: by flows, by hosts */
		uint64_t byte_errors;
	} sums;
};

/* --- packets --- */

static void count_packets(const struct engine *e, struct audit_sums *s)
{
	s->under_way = engine_packets_in_network(e);
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		s->made += e->hosts[i].made_pkts;
		s->delivered += e->hosts[i].received_pkts;
		s->under_way += nic_delayed_pkts(e->config, &e->hosts[i]);
	}
	for (uint32_t i = 0; i < e->net->link_count; i++)
		for (uint32_t d = 0; engine_owns_link(e, i) && d < WEIR_PORT_DROPS; d++)
			s->dropped += engine_egress(e, i)->port.cold->drops[d];
	for (uint32_t i = 0; e->pauses && i < e->net->switch_count; i++) {
		if (!engine_owns(e, e->switches[i].node))
			continue;
		s->made += e->switches[i].events->frames;
		s->under_way += e->switches[i].events->kept_pkts;
	}
}

static int check_packets(struct auditor *a)
{
	uint64_t made = a->sums.made, delivered = a->sums.delivered, dropped = a->sums.dropped;
	uint64_t under_way = a->sums.under_way;

	if (made == delivered + dropped + under_way)
		return 0;
	return weir_error_set(a->error,
			      "packets do not add up: %" PRIu64 " sent, but %" PRIu64
			      " delivered + %" PRIu64 " dropped + %" PRIu64 " under way",
			      made, delivered, dropped, under_way);
}

/* --- ports --- */

static uint32_t *room_for(struct auditor *a, uint64_t pkts)
{
	if (pkts > a->slot_room) {
		a->slot_room = 2 * pkts;
		a->slots = memory_grow(a->slots, a->slot_room, sizeof(*a->slots));
	}
	return a->slots;
}

static int port_differs(struct auditor *a, uint32_t link, const char *what, uint64_t counted,
			uint64_t found)
{
	char name[NAME_SIZE];

	return weir_error_set(
		a->error, "%s: %s do not add up: %" PRIu64 " are accounted for, %" PRIu64 " wait",
		link_name(a->e->net, link, name, sizeof(name)), what, counted, found);
}

/* Bytes of the packets in a->slots, also by where they came in. */
static uint64_t add_up(struct auditor *a, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct weir_packet *packet = &a->e->store.slots[a->slots[i]];

		bytes += packet->bytes;
		if (!a->found)
			continue;
		if (class_is_lossless(a->e->config->lossless, packet->class_id))
			a->found[packet_segment(packet)->ingress][packet->class_id] +=
				packet->bytes;
		else
			a->lossy_bytes += packet->bytes;
	}
	return bytes;
}

/* A port's queues, one by one, and their sum. */
static int check_port(struct auditor *a, uint32_t link)
{
	struct weir_port *p = &engine_egress(a->e, link)->port;
	const struct weir_queue *queues = weir_port_queues(p);
	uint64_t pkts = 0, bytes = 0, paused_pkts = 0;

	if (p->pkts == 0 && p->bytes == 0)
		return 0;
	for (uint32_t i = 0; i < p->kind->queues; i++) {
		const struct weir_queue *q = &queues[i];
		uint32_t *slots = room_for(a, q->pkts);
		uint32_t count = weir_port_list_queued(p, i, &a->e->store, slots);
		uint64_t waiting_bytes;

		if (count != q->pkts)
			return port_differs(a, link, "packets of a queue", q->pkts, count);
		waiting_bytes = add_up(a, count);
		if (waiting_bytes != q->bytes)
			return port_differs(a, link, "bytes of a queue", q->bytes, waiting_bytes);
		pkts += count;
		bytes += waiting_bytes;
		paused_pkts += weir_port_is_paused(p, i) ? count : 0;
	}
	if (pkts != p->pkts)
		return port_differs(a, link, "packets of the port", p->pkts, pkts);
	if (bytes != p->bytes)
		return port_differs(a, link, "bytes of the port", p->bytes, bytes);
	if (p->kind->order != WEIR_PORT_FIFO && paused_pkts != p->paused_pkts)
		return port_differs(a, link, "packets that are paused", p->paused_pkts,
				    paused_pkts);
	return 0;
}

/* --- switches --- */

static int switch_differs(struct auditor *a, const struct switch_state *s, const char *what,
			  uint64_t counted, uint64_t found)
{
	char name[NAME_SIZE];

	return weir_error_set(
		a->error,
		"switch %s: %s do not add up: %" PRIu64 " are accounted for, %" PRIu64 " are there",
		node_name(a->e->net, s->node, name, sizeof(name)), what, counted, found);
}

/* A lossless class of an input. */
static int check_input(struct auditor *a, const struct switch_state *s, uint32_t input,
		       uint32_t class_id)
{
	const struct weir_pfc_ingress *in = &s->events->pfc.ingress[input][class_id];
	uint64_t found = a->found[input][class_id];
	char name[NAME_SIZE];

	link_name(a->e->net, a->e->net->link_queue_link[s->first_link_queue + input], name,
		  sizeof(name));
	if (in->bytes + in->headroom_used != found)
		return weir_error_set(a->error,
				      "input %s, class %u: bytes do not add up: %" PRIu64
				      " + %" PRIu64 " of headroom are accounted for, %" PRIu64
				      " are there",
				      name, class_id, in->bytes, in->headroom_used, found);
	if (in->headroom_used > in->headroom_bytes)
		return weir_error_set(a->error,
				      "input %s, class %u: %" PRIu64
				      " bytes of headroom in use, of %" PRIu64,
				      name, class_id, in->headroom_used, in->headroom_bytes);
	if (in->headroom_used && !in->paused)
		return weir_error_set(a->error,
				      "input %s, class %u: %" PRIu64
				      " bytes of headroom in use, but it is not paused",
				      name, class_id, in->headroom_used);
	return 0;
}

/* What a fabric scheme keeps belongs to its switch as well. */
static int check_kept(struct auditor *a, const struct switch_state *s, uint64_t *bytes)
{
	const struct event_switch *o = s->events;
	uint32_t count;

	if (!o->fabric || !o->fabric->list_kept)
		return o->kept_pkts ? switch_differs(a, s, "kept packets", o->kept_pkts, 0) : 0;
	count = o->fabric->list_kept(s, room_for(a, o->kept_pkts), o->kept_pkts);
	if (count != o->kept_pkts)
		return switch_differs(a, s, "kept packets", o->kept_pkts, count);
	*bytes += add_up(a, count);
	return 0;
}

static int check_lossless(struct auditor *a, const struct switch_state *s, uint64_t *bytes)
{
	const struct switch_pfc *l = &s->events->pfc;
	uint64_t shared_bytes;

	if (check_kept(a, s, bytes))
		return -1;
	shared_bytes = a->lossy_bytes;
	for (uint32_t i = 0; i < s->link_queue_count; i++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			if (!class_is_lossless(a->e->config->lossless, k))
				continue;
			if (check_input(a, s, i, k))
				return -1;
			shared_bytes += weir_pfc_shared(&l->memory, &l->ingress[i][k]);
		}
	if (shared_bytes != l->memory.used_bytes)
		return switch_differs(a, s, "bytes of shared memory", l->memory.used_bytes,
				      shared_bytes);
	return 0;
}

/* The packets that a switch has found so far are none. */
static void begin_switch(struct auditor *a, const struct switch_state *s)
{
	if (!s->events)
		return;
	if (s->link_queue_count > a->input_room) {
		a->input_room = s->link_queue_count;
		a->found = memory_grow(a->found, a->input_room, sizeof(*a->found));
	}
	memset(a->found, 0, s->link_queue_count * sizeof(*a->found));
	a->lossy_bytes = 0;
}

/* No more is in a switch's memory than there is of it: the shared part of a lossless one's, or
 * all. */
static int check_limit(struct auditor *a, const struct switch_state *s)
{
	const struct weir_buffer_params *b = &engine_egress(a->e, s->first_link)->port.kind->buffer;
	uint64_t used_bytes = s->pool.used_bytes, limit_bytes = b->limit_bytes;
	char name[NAME_SIZE];

	if (b->scope != WEIR_BUFFER_PER_SWITCH)
		return 0;
	if (a->e->config->lossless) {
		used_bytes = s->events->pfc.memory.used_bytes;
		limit_bytes = s->events->pfc.memory.shared_buffer_bytes;
	}
	if (used_bytes <= limit_bytes)
		return 0;
	return weir_error_set(a->error, "switch %s: %" PRIu64 " bytes are shared, of %" PRIu64,
			      node_name(a->e->net, s->node, name, sizeof(name)), used_bytes,
			      limit_bytes);
}

static int check_switch(struct auditor *a, const struct switch_state *s)
{
	uint64_t bytes = 0;

	begin_switch(a, s);
	for (uint32_t i = 0; i < s->link_count; i++) {
		if (check_port(a, s->first_link + i))
			return -1;
		if (engine_egress(a->e, s->first_link + i)->port.shared_buffer)
			bytes += engine_egress(a->e, s->first_link + i)->port.bytes;
	}
	if (s->events && check_lossless(a, s, &bytes))
		return -1;
	if (s->pool.used_bytes != bytes)
		return switch_differs(a, s, "bytes of the shared buffer", s->pool.used_bytes,
				      bytes);
	return check_limit(a, s);
}

/* --- receivers --- */

/* A flow without end has its connection to itself, and all its segments are full. */
static int check_endless(struct auditor *a, uint32_t flow, const struct receiver *r)
{
	uint64_t segments = r->next + UINT64_C(0) + r->arrived_count;
	uint64_t bytes = segments * flow_transport(a->e, flow_at(a->e, flow))->env.mss_bytes;

	if (r->bytes == bytes)
		return 0;
	return weir_error_set(a->error,
			      "flow %u: bytes do not add up: %" PRIu64 " received, but %" PRIu64
			      " in %" PRIu64 " segments",
			      flow, r->bytes, bytes, segments);
}

static const struct receiver *receiver_of(struct engine *e, const struct flow *f)
{
	return slab_at(&engine_worker(e, e->net->host_node[f->dst])->receivers, f->rx);
}

/* What the flows have received and what the hosts have counted. */
static void count_receivers(struct engine *e, struct audit_sums *s)
{
	for (uint32_t i = engine_next_flow(e, FLOW_NONE); i != FLOW_NONE;
	     i = engine_next_flow(e, i)) {
		const struct flow *f = flow_at(e, i);

		if (!engine_owns_host(e, f->dst))
			continue;
		if (f->rx != FLOW_NONE)
			s->received += receiver_of(e, f)->bytes;
		else if (f->finish_ps >= 0 && flow_at(e, f->connection)->rx == FLOW_NONE)
			s->received += f->size_bytes;
	}
	for (uint32_t i = 0; i < e->net->host_count; i++)
		s->counted += e->hosts[i].goodput_bytes;
	for (uint32_t i = 0; i < e->threads; i++)
		s->byte_errors += e->workers[i].byte_errors;
}

static int check_receivers(struct auditor *a)
{
	struct engine *e = a->e;
	uint64_t received = a->sums.received, counted = a->sums.counted;
	uint64_t byte_errors = a->sums.byte_errors;

	for (uint32_t i = engine_next_flow(e, FLOW_NONE); i != FLOW_NONE;
	     i = engine_next_flow(e, i)) {
		const struct flow *f = flow_at(e, i);

		if (f->rx != FLOW_NONE && f->size_bytes == FLOW_UNLIMITED &&
		    check_endless(a, i, receiver_of(e, f)))
			return -1;
	}
	if (byte_errors)
		return weir_error_set(a->error,
				      "%" PRIu64 " flows received other bytes than they were sent",
				      byte_errors);
	if (received != counted)
		return weir_error_set(a->error,
				      "received bytes do not add up: flows have %" PRIu64
				      ", hosts counted %" PRIu64,
				      received, counted);
	return 0;
}

/* --- all together --- */

/* What other ranks have counted as well. All of them come by here before anybody finds fault. */
static void add_ranks(struct engine *e, struct audit_sums *s)
{
	struct exchange *x = e->ranks->exchange;
	uint64_t *sums = (uint64_t *)s, one;

	exchange_append_own(x, s, sizeof(*s));
	exchange_allgather(x);
	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < x->ranks; i++)
		for (size_t k = 0; k < sizeof(*s) / sizeof(one); k++) {
			memcpy(&one, x->in[i].bytes + k * sizeof(one), sizeof(one));
			sums[k] += one;
		}
}

static int check_all(struct auditor *a)
{
	const struct network *net = a->e->net;

	count_packets(a->e, &a->sums);
	count_receivers(a->e, &a->sums);
	if (a->e->ranks)
		add_ranks(a->e, &a->sums);
	if (check_packets(a))
		return -1;
	for (uint32_t i = 0; i < net->host_count; i++)
		if (engine_owns_host(a->e, i) &&
		    check_port(a, net->nodes[net->host_node[i]].first_link))
			return -1;
	for (uint32_t i = 0; i < net->switch_count; i++)
		if (engine_owns(a->e, net->switch_node[i]) && check_switch(a, &a->e->switches[i]))
			return -1;
	return check_receivers(a);
}

int audit(struct engine *e, struct weir_error *error)
{
	struct auditor a = { .e = e, .error = error };
	int failed = check_all(&a);

	free(a.slots);
	free(a.found);
	return failed;
}
