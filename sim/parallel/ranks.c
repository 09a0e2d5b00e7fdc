/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c -- see ranks.h.
 *
 * A buffer holds the number of message updates, the updates (of messages of jobs with their
 * records: mailbox.h), then runs of packets. A run is the in-flight queue, the number of packets,
 * and the packets, each followed by its INT stack if it has one. */
#include "sim/parallel/ranks.h"
#include "base/digest.h"
#include "sim/core/mailbox.h"
#include "sim/core/host.h"
#include "sim/core/telemetry.h"
#include "sim/traffic/job.h"
#include <stdlib.h>
#include <string.h>

struct run_head {
	uint32_t link_queue, packets;
};

/* --- building --- */

int ranks_new(struct ranks **out, const struct network *net, struct exchange *x,
	      struct weir_error *e)
{
	struct ranks *r;

	*out = NULL;
	if (!x)
		return 0;
	r = *out = memory_new(1, sizeof(*r));
	r->exchange = x;
	r->rank_of = memory_new(net->node_count, sizeof(*r->rank_of));
	r->own = memory_new((net->node_count + UINT64_C(63)) / 64, sizeof(*r->own));
	r->class_of = memory_new(net->link_count, sizeof(*r->class_of));
	if (ranks_part(net, x->ranks, r->rank_of, e))
		return -1;
	for (uint32_t i = 0; i < net->node_count; i++)
		if (r->rank_of[i] == x->rank)
			r->own[i / 64] |= UINT64_C(1) << (i % 64);
	return 0;
}

/* A checksum of what must be the same at all ranks. */
static uint64_t ranks_scenario_sum(const struct engine *e)
{
	struct digest_sum sum = { 0, 0 };
	const uint64_t numbers[] = {
		e->config->seed, e->net->link_count, e->net->node_count,  e->flows.count,
		e->class_count,  e->egress_size,     sizeof(struct flow), (uint64_t)e->lookahead_ps,
	};

	digest_add(&sum, numbers, sizeof(numbers));
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];
		const uint64_t flow[] = { (uint64_t)f->start_ps, f->size_bytes,
					  (uint64_t)f->src << 32 | f->dst };

		digest_add(&sum, flow, sizeof(flow));
	}
	return sum.sum;
}

static int ranks_check_same(struct engine *e, struct weir_error *error)
{
	struct exchange *x = e->ranks->exchange;
	uint64_t own = ranks_scenario_sum(e), other;

	exchange_append_own(x, &own, sizeof(own));
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++) {
		memcpy(&other, x->in[i].bytes, sizeof(other));
		if (other != own)
			return weir_error_set(error,
					      "ranks: rank %u has read another scenario than rank "
					      "%u, or is another build",
					      i, x->rank);
	}
	return 0;
}

/* Any two hosts of a job may send each other messages. */
static void ranks_find_neighbours_of_job(struct engine *e, const struct graph_job *job)
{
	const struct ranks *r = e->ranks;
	int takes_part = 0;

	for (uint32_t i = 0; i < job->rank_count; i++)
		takes_part |= engine_owns_host(e, job->ranks[i].host);
	for (uint32_t i = 0; i < job->rank_count && takes_part; i++) {
		uint32_t rank = r->rank_of[e->net->host_node[job->ranks[i].host]];

		if (rank != r->exchange->rank)
			r->exchange->is_neighbour[rank] = 1;
	}
}

/* Neighbours are ranks that cut links lead to, and those whose hosts exchange messages with this
 * rank's, which get updates. */
static void ranks_find_neighbours(struct engine *e)
{
	const struct job_list *jobs = e->flows.jobs;
	const struct ranks *r = e->ranks;
	uint32_t own = r->exchange->rank;

	for (uint32_t i = 0; jobs && i < jobs->count; i++)
		ranks_find_neighbours_of_job(e, &jobs->jobs[i]);

	for (uint32_t i = 0; i < r->cut_count; i++)
		r->exchange->is_neighbour[r->cuts[i].rank] = 1;
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];
		uint32_t from = r->rank_of[e->net->host_node[f->src]];
		uint32_t to = r->rank_of[e->net->host_node[f->dst]];

		if (from != to && (from == own || to == own))
			r->exchange->is_neighbour[from == own ? to : from] = 1;
	}
}

int ranks_begin(struct engine *e, struct weir_error *error)
{
	struct ranks *r = e->ranks;
	const struct network *net = e->net;

	if (!r)
		return 0;
	r->updates = memory_new(e->threads, sizeof(*r->updates));
	r->cuts = memory_new(net->link_count, sizeof(*r->cuts));
	for (uint32_t i = 0; i < net->link_count; i++) {
		const struct net_link *l = &net->links[i];

		if (r->rank_of[l->from] != r->rank_of[l->to] && engine_owns(e, l->from))
			r->cuts[r->cut_count++] =
				(struct cut_link){ l->link_queue, r->rank_of[l->to] };
	}
	ranks_find_neighbours(e);
	return ranks_check_same(e, error);
}

void ranks_free(struct engine *e)
{
	struct ranks *r = e->ranks;

	if (!r)
		return;
	for (uint32_t i = 0; r->updates && i < e->threads; i++)
		free(r->updates[i].updates);
	memory_free(r->updates, e->threads, sizeof(*r->updates));
	memory_free(r->cuts, e->net->link_count, sizeof(*r->cuts));
	memory_free(r->class_of, e->net->link_count, sizeof(*r->class_of));
	memory_free(r->own, (e->net->node_count + UINT64_C(63)) / 64, sizeof(*r->own));
	memory_free(r->rank_of, e->net->node_count, sizeof(*r->rank_of));
	memory_free(r, 1, sizeof(*r));
}

/* --- message updates --- */

void ranks_send_message(struct worker *w, uint32_t flow, uint32_t before)
{
	const struct flow *f = flow_at(w->engine, flow);
	struct update_list *l = &w->engine->ranks->updates[w->index];

	if (engine_owns_host(w->engine, f->dst))
		return;
	if (l->count == l->capacity) {
		l->capacity = l->capacity ? 2 * l->capacity : 64;
		l->updates = memory_grow(l->updates, l->capacity, sizeof(*l->updates));
	}
	l->updates[l->count++] =
		(struct message_update){ f->start_ps, flow, before, f->end_segment, 0 };
}

/* Starts the buffer for each rank. */
static void pack_updates(struct engine *e)
{
	struct ranks *r = e->ranks;
	struct exchange *x = r->exchange;
	uint32_t none = 0;

	for (uint32_t i = 0; i < x->ranks; i++)
		exchange_append(&x->out[i], &none, sizeof(none));
	for (uint32_t i = 0; i < e->threads; i++) {
		struct update_list *l = &r->updates[i];

		for (uint32_t k = 0; k < l->count; k++) {
			const struct flow *f = flow_at(e, l->updates[k].flow);
			struct exchange_buffer *out =
				&x->out[r->rank_of[e->net->host_node[f->dst]]];
			uint32_t count;

			exchange_append(out, &l->updates[k], sizeof(l->updates[k]));
			mailbox_pack_record(e, l->updates[k].flow, out);
			memcpy(&count, out->bytes, sizeof(count));
			count++;
			memcpy(out->bytes, &count, sizeof(count));
		}
		l->count = 0;
	}
}

static const char *unpack_updates(struct engine *e, const char *at)
{
	uint32_t count;

	memcpy(&count, at, sizeof(count));
	at += sizeof(count);
	for (uint32_t i = 0; i < count; i++) {
		struct message_update n;
		struct flow *f;

		memcpy(&n, at, sizeof(n));
		at += sizeof(n);
		f = flow_at(e, n.flow);
		at = mailbox_unpack_record(e, n.flow, at);
		f->start_ps = n.start_ps;
		f->end_segment = n.end_segment;
		if (n.before != FLOW_NONE)
			flow_at(e, n.before)->next = n.flow;
	}
	return at;
}

/* --- packets --- */

static size_t int_stack_bytes(const struct int_stack *stack)
{
	return offsetof(struct int_stack, hop) + stack->count * sizeof(stack->hop[0]);
}

/* How many packets of an in-flight queue are contiguous in memory, from that slot on. */
static uint32_t packets_contiguous(uint32_t slot, uint32_t tail)
{
	uint32_t end = (slot | WEIR_CHUNK_MASK) + 1;

	return (tail > slot && tail < end ? tail : end) - slot;
}

static void pack_packets(struct worker *w, struct exchange_buffer *out, uint32_t slot,
			 uint32_t count)
{
	struct weir_packet *packet = &w->pool.slots[slot];
	const struct engine *e = w->engine;

	exchange_append(out, packet, count * sizeof(*packet));
	if (e->int_stacks && packet->int_stack_index) {
		const struct int_stack *stack = packet_int_stack(e, packet);
		size_t size = int_stack_bytes(stack);

		exchange_append(out, stack, size);
		packet_retire(w, packet);
	}
}

/* Moves all packets of a cut link from its in-flight queue to the buffer. */
static void pack_link(struct engine *e, const struct cut_link *cut)
{
	struct worker *w = &e->workers[0];
	struct exchange_buffer *out = &e->ranks->exchange->out[cut->rank];
	uint32_t tail =
		atomic_load_explicit(&e->link_queue_tail[cut->link_queue], memory_order_acquire);
	uint32_t slot = e->link_queue_head[cut->link_queue];
	struct run_head head = { cut->link_queue, 0 };
	size_t place = out->size;

	if (slot == tail)
		return;
	if (slot == WEIR_SLOT_NONE)
		slot = link_queue_start(e, cut->link_queue);
	exchange_extend(out, sizeof(head));
	for (uint32_t count; slot != tail; head.packets += count) {
		count = e->int_stacks ? 1 : packets_contiguous(slot, tail);
		pack_packets(w, out, slot, count);
		slot = link_queue_advance(&w->pool, slot + count - 1);
	}
	e->link_queue_head[cut->link_queue] = slot;
	e->ranks->packets += head.packets;
	memcpy(out->bytes + place, &head, sizeof(head));
}

static const char *unpack_run(struct engine *e, const char *at)
{
	struct worker *w = &e->workers[0];
	struct run_head head;
	struct egress *out;

	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	out = engine_egress(e, e->net->link_queue_link[head.link_queue]);
	for (uint32_t i = 0; i < head.packets; i++) {
		struct weir_packet *packet = link_reserve(w, out);

		memcpy(packet, at, sizeof(*packet));
		at += sizeof(*packet);
		if (e->int_stacks && packet->int_stack_index) {
			struct int_stack *stack;
			uint32_t count;

			memcpy(&count, at, sizeof(count));
			int_stack_attach(w, packet);
			stack = packet_int_stack(e, packet);
			stack->count = count;
			memcpy(stack, at, int_stack_bytes(stack));
			at += int_stack_bytes(stack);
		}
		link_append(w, out, out->to & ~EGRESS_SLOW_PATH, packet->time_ps);
	}
	link_publish_sparse(w, out);
	return at;
}

static void ranks_unpack(struct engine *e, const struct exchange_buffer *in)
{
	const char *at, *end = in->bytes + in->size;

	if (!in->size)
		return;
	at = unpack_updates(e, in->bytes);
	while (at < end)
		at = unpack_run(e, at);
}

/* --- rounds --- */

static void count_flows(const struct engine *e, struct exchange_votes *v)
{
	for (uint32_t i = 0; i < e->threads; i++) {
		const struct worker *w = &e->workers[i];

		v->sums[RANK_OPENED] += w->flows_opened;
		v->sums[RANK_DONE] += w->flows_done;
		v->sums[RANK_UNSIGNALLED] += w->ended_count;
		if ((uint64_t)w->opened_ps > v->most)
			v->most = (uint64_t)w->opened_ps;
	}
}

void ranks_synchronize(struct engine *e, enum rank_barrier barrier, uint64_t next_lookahead)
{
	struct ranks *r = e->ranks;
	struct exchange *x = r->exchange;

	r->agreed = (struct exchange_votes){ .least = next_lookahead, .any = r->votes };
	count_flows(e, &r->agreed);
	r->opened_now = 0;
	if (barrier == RANKS_AT_WINDOW) {
		r->windows++;
		pack_updates(e);
		for (uint32_t i = 0; i < r->cut_count; i++)
			pack_link(e, &r->cuts[i]);
	}
	exchange_round(x, &r->agreed);
	r->unsignalled = r->agreed.sums[RANK_UNSIGNALLED];
	for (uint32_t i = 0; barrier == RANKS_AT_WINDOW && i < x->ranks; i++)
		if (i != x->rank)
			ranks_unpack(e, &x->in[i]);
}

void ranks_each_ended(struct engine *e,
		      void (*each)(struct engine *e, const struct ended_flow *ended))
{
	struct ranks *r = e->ranks;
	struct exchange *x = r->exchange;

	if (!r->unsignalled)
		return;
	r->unsignalled = 0;
	for (uint32_t i = 0; i < e->threads; i++) {
		const struct worker *w = &e->workers[i];
		size_t size = w->ended_count * sizeof(*w->ended);

		exchange_append_own(x, w->ended, size);
	}
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++)
		for (size_t at = 0; at < x->in[i].size; at += sizeof(struct ended_flow)) {
			struct ended_flow ended;

			memcpy(&ended, x->in[i].bytes + at, sizeof(ended));
			each(e, &ended);
		}
}
