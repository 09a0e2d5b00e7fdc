/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c -- see link.h: the slow path of a link, and the memory of packets. */
#include "sim/core/link.h"
#include "config/fabric.h"
#include "config/nic.h"
#include "sim/core/mailbox.h"
#include "sim/core/switch_pfc.h"
#include "sim/core/telemetry.h"
#include "sim/parallel/ranks.h"

/* --- in-flight queues --- */

/* The switch with that node, if it has active sets; otherwise NULL. */
static const struct switch_state *link_sparse_switch(const struct engine *e, uint32_t node)
{
	const struct net_node *n = &e->net->nodes[node];

	return n->kind == NODE_SWITCH && e->switches[n->number].ports_active
		       ? &e->switches[n->number]
		       : NULL;
}

static void link_show_taps(const struct engine *e, uint32_t link, int64_t start_ps,
			   const struct weir_packet *packet)
{
	const struct flow *flow =
		packet->flags & SEGMENT_LINK_FRAME
			? NULL
			: &e->flows.flows[packet_segment((struct weir_packet *)packet)->connection];

	for (uint32_t i = 0; i < e->tap_count; i++)
		if (e->taps[i].link == link && (flow || e->taps[i].sees_frames))
			e->taps[i].see(e->taps[i].context, start_ps, packet, flow);
}

int link_send_slow(struct worker *w, struct egress *out, int64_t start_ps)
{
	const struct engine *e = w->engine;
	const struct net_link *link = &e->net->links[out->link];
	struct weir_packet *packet = link_reserve(w, out);
	const struct switch_state *s;

	if (start_ps >= link->fails_ps) {
		out->port.cold->drops[WEIR_DROP_LINK_DOWN]++;
		packet_retire(w, packet);
		return 1;
	}
	if (e->tap_count)
		link_show_taps(e, out->link, start_ps, packet);
	s = w->has_sparse ? link_sparse_switch(e, link->from) : NULL;
	if (s)
		active_set_add(&s->ports_active->sent, out->link - s->first_link);
	return 0;
}

void link_publish_sparse(const struct worker *w, const struct egress *out)
{
	_Atomic uint32_t *tail = &w->link_queue_tail[out->link_queue];
	const struct switch_state *s;

	if (atomic_load_explicit(tail, memory_order_relaxed) == out->tail)
		return;
	atomic_store_explicit(tail, out->tail, memory_order_release);
	s = link_sparse_switch(w->engine, out->to & ~EGRESS_SLOW_PATH);
	if (s)
		active_set_add(&s->ports_active->arriving, out->link_queue - s->first_link_queue);
}

static int link_has_tap(const struct engine *e, uint32_t link)
{
	for (uint32_t i = 0; i < e->tap_count; i++)
		if (e->taps[i].link == link)
			return 1;
	return 0;
}

void link_queue_open(struct worker *w, struct egress *out)
{
	const struct engine *e = w->engine;

	if (e->net->links[out->link].fails_ps == WEIR_TIME_NEVER_PS &&
	    !link_has_tap(e, out->link) && !link_sparse_switch(e, e->net->links[out->link].from))
		out->to &= ~EGRESS_SLOW_PATH;
	out->tail = engine_chunk_alloc(w) << WEIR_CHUNK_SHIFT;
	atomic_store_explicit(&e->link_queue_first[out->link_queue], out->tail,
			      memory_order_release);
}

uint64_t engine_packets_in_network(const struct engine *e)
{
	uint64_t count = 0;

	for (uint32_t link = 0; link < e->net->link_count; link++) {
		const struct egress *out = engine_egress(e, link);
		uint32_t slot = link_queue_start(e, e->net->links[link].link_queue);

		count += out->port.pkts;
		while (slot != WEIR_SLOT_NONE && slot != out->tail) {
			count++;
			slot = link_slot_after(e, slot);
		}
	}
	return count;
}

/* --- packet memory --- */

/* Bounds of the store: 256 MiB and 64 GiB of addresses. */
#define PACKETS_MIN (UINT64_C(1) << 22)
#define PACKETS_MAX (UINT64_C(1) << 30)

/* Packets that one arrival may cause: an ACK that was held back, the one that it triggers, a
 * notification, and itself. */
enum { PACKETS_PER_ARRIVAL = 4 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Packets have chunks of their own where a scheduler ranks them, or a fabric scheme queues them by
 * destination. */
static uint64_t chunks_for(const struct engine *e, uint64_t packets, uint32_t queues)
{
	if (e->config->sched->rank || fabric_is_on(e->config))
		return packets;
	return packets / WEIR_CHUNK_PACKETS + smaller(packets, queues) + 1;
}

/* Chunks that one lookahead window may need for a link: for as many of the shortest packets as the
 * link carries in a window; and for the NIC's queue, which may fill at once. */
static uint64_t chunks_for_link(const struct engine *e, uint32_t link, uint32_t shortest_bytes)
{
	const struct weir_port_class *kind = engine_port_class(e, link);
	int64_t wire_ps = weir_port_wire_ps(kind, shortest_bytes);
	uint64_t packets = (uint64_t)(e->lookahead_ps / (wire_ps > 0 ? wire_ps : 1)) + 2;
	uint64_t chunks = PACKETS_PER_ARRIVAL * chunks_for(e, packets, kind->queues);

	if (e->net->nodes[e->net->links[link].from].kind == NODE_HOST && nic_has_queue(e->config))
		chunks +=
			smaller(kind->buffer.limit_pkts, kind->buffer.limit_bytes / shortest_bytes);
	return chunks;
}

/* The same for all links; and for connections, each of which may send control packets on a timer or
 * when it opens. */
static uint64_t chunks_for_lookahead(const struct engine *e)
{
	uint32_t shortest_bytes = e->config->frame_min_bytes;
	uint64_t connections = e->flows.count, chunks = 0;

	if (shortest_bytes > WEIR_PFC_FRAME_BYTES)
		shortest_bytes = WEIR_PFC_FRAME_BYTES;
	for (uint32_t i = 0; i < e->net->link_count; i++)
		chunks += smaller(chunks_for_link(e, i, shortest_bytes), PACKETS_MAX);
	if (e->mail)
		connections += (uint64_t)e->mail->connections * e->net->host_count;
	chunks += PACKETS_PER_ARRIVAL * chunks_for(e, connections, 0);
	return chunks + 2 * (uint64_t)WEIR_POOL_BATCH *
				e->threads; /* that lie unused in the workers' pools */
}

void packet_memory_new(struct engine *e)
{
	uint64_t chunks = smaller(chunks_for_lookahead(e), PACKETS_MAX / WEIR_CHUNK_PACKETS);
	uint64_t packets = 2 * chunks * WEIR_CHUNK_PACKETS;

	e->lookahead_chunks = (uint32_t)chunks;
	e->reclaim_at = e->net->link_count;
	packet_memory_reserve(e,
			      packets > PACKETS_MIN ? smaller(packets, PACKETS_MAX) : PACKETS_MIN);
}

static uint64_t packet_memory_packets(const struct engine *e)
{
	return (uint64_t)e->store.chunk_limit * WEIR_CHUNK_PACKETS;
}

void packet_memory_reserve(struct engine *e, uint64_t packets)
{
	uint64_t before = packet_memory_packets(e);

	if (before ? weir_packet_store_grow(&e->store, packets)
		   : weir_packet_store_init(&e->store, packets))
		memory_refused(packets * sizeof(struct weir_packet));
	if (e->config->telemetry)
		int_stacks_grow(e, packets);
	for (uint32_t i = 0; e->workers && i < e->threads; i++) {
		e->workers[i].pool.slots = e->store.slots;
		e->workers[i].pool.next = e->store.next;
	}
}

/* Doubles the store, up to PACKETS_MAX. At that bound the run continues while chunks are left for
 * the workers' pools; then the program ends, out of memory. */
void packet_memory_grow(struct engine *e)
{
	uint64_t packets = packet_memory_packets(e);

	if (packets < PACKETS_MAX)
		packet_memory_reserve(e, smaller(2 * packets, PACKETS_MAX));
	else if (e->store.chunk_limit - e->store.fresh < 2 * WEIR_POOL_BATCH * e->threads)
		memory_refused(2 * packets * sizeof(struct weir_packet));
}

void packet_memory_reclaim(struct engine *e)
{
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		struct egress *out = engine_egress(e, i);

		if (!out->port.kind) /* another rank's */
			continue;
		if (out->tail == WEIR_SLOT_NONE || e->link_queue_head[out->link_queue] != out->tail)
			continue;
		weir_chunk_free(&e->workers[0].pool, out->tail >> WEIR_CHUNK_SHIFT);
		out->tail = e->link_queue_head[out->link_queue] = WEIR_SLOT_NONE;
		out->to |= EGRESS_SLOW_PATH;
		atomic_store_explicit(&e->link_queue_tail[out->link_queue], WEIR_SLOT_NONE,
				      memory_order_relaxed);
		atomic_store_explicit(&e->link_queue_first[out->link_queue], WEIR_SLOT_NONE,
				      memory_order_relaxed);
	}
	e->reclaim_at = e->store.fresh + e->store.fresh / 4;
}

void packet_memory_free(struct engine *e)
{
	int_stacks_free(e);
	weir_packet_store_free(&e->store);
}
