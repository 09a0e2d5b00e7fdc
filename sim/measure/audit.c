/* SPDX-License-Identifier: BSD-3-Clause */
/* audit.c -- compares every account that a run keeps with the state it counts; see measure.h. Run
 * at a barrier: it reads the state of all nodes and allocates only for itself. */
#include "sim/measure/measure.h"
#include "sim/parallel/ranks.h"
#include "sim/core/host.h"
#include "sim/core/mailbox.h"
#include "sim/core/event_switch.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128 };

struct auditor {
	struct engine *e;
	struct weir_error *error;
	uint32_t *slots; /* of the packets of one queue at a time */
	uint64_t slot_room;
	/* Of the current switch, if it keeps PFC accounts: bytes found by ingress and lossless
	 * class, and of all lossy classes. */
	uint64_t (*found)[WEIR_PFC_CLASSES];
	uint32_t ingress_room;
	uint64_t lossy_bytes;
	/* Over all nodes of all ranks. */
	struct audit_sums {
		uint64_t made, delivered, dropped, in_flight; /* packets */
		uint64_t received, counted;                   /* bytes: by flows, by hosts */
		uint64_t byte_errors;
	} sums;
};

/* --- packets --- */

static void audit_count_packets(const struct engine *e, struct audit_sums *s)
{
	s->in_flight = engine_packets_in_network(e);
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		s->made += e->hosts[i].made_pkts;
		s->delivered += e->hosts[i].received_pkts;
		s->in_flight += nic_delayed_pkts(e->config, &e->hosts[i]);
	}
	for (uint32_t i = 0; i < e->net->link_count; i++)
		for (uint32_t d = 0; engine_owns_link(e, i) && d < WEIR_PORT_DROPS; d++)
			s->dropped += engine_egress(e, i)->port.cold->drops[d];
	for (uint32_t i = 0; e->pauses && i < e->net->switch_count; i++) {
		if (!engine_owns(e, e->switches[i].node))
			continue;
		s->made += e->switches[i].events->frames;
		s->in_flight += e->switches[i].events->kept_pkts;
	}
}

static int audit_packets(struct auditor *a)
{
	uint64_t made = a->sums.made, delivered = a->sums.delivered, dropped = a->sums.dropped;
	uint64_t in_flight = a->sums.in_flight;

	if (made == delivered + dropped + in_flight)
		return 0;
	return weir_error_set(a->error,
			      "packets do not add up: %" PRIu64 " sent, but %" PRIu64
			      " delivered + %" PRIu64 " dropped + %" PRIu64 " in flight",
			      made, delivered, dropped, in_flight);
}

/* --- ports --- */

static uint32_t *audit_slots(struct auditor *a, uint64_t pkts)
{
	if (pkts > a->slot_room) {
		a->slot_room = 2 * pkts;
		a->slots = memory_grow(a->slots, a->slot_room, sizeof(*a->slots));
	}
	return a->slots;
}

static int audit_port_error(struct auditor *a, uint32_t link, const char *what, uint64_t counted,
			    uint64_t found)
{
	char name[NAME_SIZE];

	return weir_error_set(
		a->error, "%s: %s do not add up: %" PRIu64 " are accounted for, %" PRIu64 " wait",
		link_name(a->e->net, link, name, sizeof(name)), what, counted, found);
}

/* Adds up the bytes of the packets in a->slots, also by ingress and class. */
static uint64_t audit_add_packets(struct auditor *a, uint32_t count)
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

/* Checks each queue of a port, and their sums against those of the port. */
static int audit_port(struct auditor *a, uint32_t link)
{
	struct weir_port *p = &engine_egress(a->e, link)->port;
	const struct weir_queue *queues = weir_port_queues(p);
	uint64_t pkts = 0, bytes = 0, paused_pkts = 0;

	if (p->pkts == 0 && p->bytes == 0)
		return 0;
	for (uint32_t i = 0; i < p->kind->queues; i++) {
		const struct weir_queue *q = &queues[i];
		uint32_t *slots = audit_slots(a, q->pkts);
		uint32_t count = weir_port_list_queued(p, i, &a->e->store, slots);
		uint64_t queued_bytes;

		if (count != q->pkts)
			return audit_port_error(a, link, "packets of a queue", q->pkts, count);
		queued_bytes = audit_add_packets(a, count);
		if (queued_bytes != q->bytes)
			return audit_port_error(a, link, "bytes of a queue", q->bytes,
						queued_bytes);
		pkts += count;
		bytes += queued_bytes;
		paused_pkts += weir_port_is_paused(p, i) ? count : 0;
	}
	if (pkts != p->pkts)
		return audit_port_error(a, link, "packets of the port", p->pkts, pkts);
	if (bytes != p->bytes)
		return audit_port_error(a, link, "bytes of the port", p->bytes, bytes);
	if (p->kind->order != WEIR_PORT_FIFO && paused_pkts != p->paused_pkts)
		return audit_port_error(a, link, "packets that are paused", p->paused_pkts,
					paused_pkts);
	return 0;
}

/* --- switches --- */

static int audit_switch_error(struct auditor *a, const struct switch_state *s, const char *what,
			      uint64_t counted, uint64_t found)
{
	char name[NAME_SIZE];

	return weir_error_set(
		a->error,
		"switch %s: %s do not add up: %" PRIu64 " are accounted for, %" PRIu64 " are there",
		node_name(a->e->net, s->node, name, sizeof(name)), what, counted, found);
}

/* A lossless class of an ingress. */
static int audit_ingress(struct auditor *a, const struct switch_state *s, uint32_t ingress,
			 uint32_t class_id)
{
	const struct weir_pfc_ingress *in = &s->events->pfc.ingress[ingress][class_id];
	uint64_t found = a->found[ingress][class_id];
	char name[NAME_SIZE];

	link_name(a->e->net, a->e->net->link_queue_link[s->first_link_queue + ingress], name,
		  sizeof(name));
	if (in->bytes + in->headroom_used != found)
		return weir_error_set(a->error,
				      "ingress %s, class %u: bytes do not add up: %" PRIu64
				      " + %" PRIu64 " of headroom are accounted for, %" PRIu64
				      " are there",
				      name, class_id, in->bytes, in->headroom_used, found);
	if (in->headroom_used > in->headroom_bytes)
		return weir_error_set(a->error,
				      "ingress %s, class %u: %" PRIu64
				      " bytes of headroom in use, of %" PRIu64,
				      name, class_id, in->headroom_used, in->headroom_bytes);
	if (in->headroom_used && !in->paused)
		return weir_error_set(a->error,
				      "ingress %s, class %u: %" PRIu64
				      " bytes of headroom in use, but it is not paused",
				      name, class_id, in->headroom_used);
	return 0;
}

/* Packets that a fabric scheme keeps count in the memory of the switch. */
static int audit_kept_packets(struct auditor *a, const struct switch_state *s, uint64_t *bytes)
{
	const struct event_switch *ev = s->events;
	uint32_t count;

	if (!ev->fabric || !ev->fabric->list_kept)
		return ev->kept_pkts ? audit_switch_error(a, s, "kept packets", ev->kept_pkts, 0)
				     : 0;
	count = ev->fabric->list_kept(s, audit_slots(a, ev->kept_pkts), ev->kept_pkts);
	if (count != ev->kept_pkts)
		return audit_switch_error(a, s, "kept packets", ev->kept_pkts, count);
	*bytes += audit_add_packets(a, count);
	return 0;
}

static int audit_pfc(struct auditor *a, const struct switch_state *s, uint64_t *bytes)
{
	const struct switch_pfc *l = &s->events->pfc;
	uint64_t shared_bytes;

	if (audit_kept_packets(a, s, bytes))
		return -1;
	shared_bytes = a->lossy_bytes;
	for (uint32_t i = 0; i < s->link_queue_count; i++)
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			if (!class_is_lossless(a->e->config->lossless, k))
				continue;
			if (audit_ingress(a, s, i, k))
				return -1;
			shared_bytes += weir_pfc_shared(&l->memory, &l->ingress[i][k]);
		}
	if (shared_bytes != l->memory.used_bytes)
		return audit_switch_error(a, s, "bytes of shared memory", l->memory.used_bytes,
					  shared_bytes);
	return 0;
}

/* Clears the sums of packets found in a switch. */
static void audit_switch_begin(struct auditor *a, const struct switch_state *s)
{
	if (!s->events)
		return;
	if (s->link_queue_count > a->ingress_room) {
		a->ingress_room = s->link_queue_count;
		a->found = memory_grow(a->found, a->ingress_room, sizeof(*a->found));
	}
	memset(a->found, 0, s->link_queue_count * sizeof(*a->found));
	a->lossy_bytes = 0;
}

/* A switch uses no more of its shared buffer than there is; with PFC, of the shared part. */
static int audit_buffer_limit(struct auditor *a, const struct switch_state *s)
{
	const struct weir_buffer_params *b = &engine_egress(a->e, s->first_link)->port.kind->buffer;
	uint64_t used_bytes = s->shared_buffer.used_bytes, limit_bytes = b->limit_bytes;
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

static int audit_switch(struct auditor *a, const struct switch_state *s)
{
	uint64_t bytes = 0;

	audit_switch_begin(a, s);
	for (uint32_t i = 0; i < s->link_count; i++) {
		if (audit_port(a, s->first_link + i))
			return -1;
		if (engine_egress(a->e, s->first_link + i)->port.shared_buffer)
			bytes += engine_egress(a->e, s->first_link + i)->port.bytes;
	}
	if (s->events && audit_pfc(a, s, &bytes))
		return -1;
	if (s->shared_buffer.used_bytes != bytes)
		return audit_switch_error(a, s, "bytes of the shared buffer",
					  s->shared_buffer.used_bytes, bytes);
	return audit_buffer_limit(a, s);
}

/* --- receivers --- */

/* A flow without a size has a connection of its own, and all its segments are full. */
static int audit_unlimited_flow(struct auditor *a, uint32_t flow, const struct receiver *r)
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

static const struct receiver *flow_receiver(struct engine *e, const struct flow *f)
{
	return slab_at(&engine_worker(e, e->net->host_node[f->dst])->receivers, f->rx);
}

/* Sums the bytes that flows have received and that hosts have counted. */
static void audit_count_bytes(struct engine *e, struct audit_sums *s)
{
	for (uint32_t i = engine_next_flow(e, FLOW_NONE); i != FLOW_NONE;
	     i = engine_next_flow(e, i)) {
		const struct flow *f = flow_at(e, i);

		if (!engine_owns_host(e, f->dst))
			continue;
		if (f->rx != FLOW_NONE)
			s->received += flow_receiver(e, f)->bytes;
		else if (f->finish_ps >= 0 && flow_at(e, f->connection)->rx == FLOW_NONE)
			s->received += f->size_bytes;
	}
	for (uint32_t i = 0; i < e->net->host_count; i++)
		s->counted += e->hosts[i].goodput_bytes;
	for (uint32_t i = 0; i < e->threads; i++)
		s->byte_errors += e->workers[i].byte_errors;
}

static int audit_receivers(struct auditor *a)
{
	struct engine *e = a->e;
	uint64_t received = a->sums.received, counted = a->sums.counted;
	uint64_t byte_errors = a->sums.byte_errors;

	for (uint32_t i = engine_next_flow(e, FLOW_NONE); i != FLOW_NONE;
	     i = engine_next_flow(e, i)) {
		const struct flow *f = flow_at(e, i);

		if (f->rx != FLOW_NONE && f->size_bytes == FLOW_UNLIMITED &&
		    audit_unlimited_flow(a, i, flow_receiver(e, f)))
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

/* Sums over all ranks. All of them call this before any check can fail. */
static void audit_sum_ranks(struct engine *e, struct audit_sums *s)
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

static int audit_all(struct auditor *a)
{
	const struct network *net = a->e->net;

	audit_count_packets(a->e, &a->sums);
	audit_count_bytes(a->e, &a->sums);
	if (a->e->ranks)
		audit_sum_ranks(a->e, &a->sums);
	if (audit_packets(a))
		return -1;
	for (uint32_t i = 0; i < net->host_count; i++)
		if (engine_owns_host(a->e, i) &&
		    audit_port(a, net->nodes[net->host_node[i]].first_link))
			return -1;
	for (uint32_t i = 0; i < net->switch_count; i++)
		if (engine_owns(a->e, net->switch_node[i]) && audit_switch(a, &a->e->switches[i]))
			return -1;
	return audit_receivers(a);
}

int audit_run(struct engine *e, struct weir_error *error)
{
	struct auditor a = { .e = e, .error = error };
	int failed = audit_all(&a);

	free(a.slots);
	free(a.found);
	return failed;
}
