/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_memory.c -- see packet_memory.h. What one window may take: a link carries so many of the
 * shortest packets in it, each of which calls for a few at most where it arrives (an ACK held back,
 * the one that it causes, a notification); a connection may send a control packet when its timer
 * runs out or it begins; a card with a queue may be filled at once. */
#include "sim/parallel/ranks.h"
#include "sim/core/packet_memory.h"
#include "config/nic.h"
#include "config/fabric.h"
#include "sim/core/mailbox.h"
#include "sim/core/switch_pfc.h"
#include "sim/core/telemetry.h"

/* The least and the most packets that there is room for: 256 MiB and 64 GiB of addresses. */
#define PACKETS_MIN (UINT64_C(1) << 22)
#define PACKETS_MAX (UINT64_C(1) << 30)

enum { CALLED_FOR = 4 }; /* packets in the place of one */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Packets lie in chunks of their own where they are ranked, or wait by destination. */
static uint64_t chunks_for(const struct engine *e, uint64_t packets, uint32_t queues)
{
	if (e->config->sched->rank || fabric_is_on(e->config))
		return packets;
	return packets / WEIR_CHUNK_PACKETS + smaller(packets, queues) + 1;
}

static uint64_t link_chunks(const struct engine *e, uint32_t link, uint32_t shortest_bytes)
{
	const struct weir_port_class *kind = engine_port_class(e, link);
	int64_t wire_ps = weir_port_wire_ps(kind, shortest_bytes);
	uint64_t packets = (uint64_t)(e->window_ps / (wire_ps > 0 ? wire_ps : 1)) + 2;
	uint64_t chunks = CALLED_FOR * chunks_for(e, packets, kind->queues);

	if (e->net->nodes[e->net->links[link].from].kind == NODE_HOST && nic_has_queue(e->config))
		chunks +=
			smaller(kind->buffer.limit_pkts, kind->buffer.limit_bytes / shortest_bytes);
	return chunks;
}

static uint64_t window_chunks(const struct engine *e)
{
	uint32_t shortest_bytes = e->config->frame_min_bytes;
	uint64_t connections = e->flows.count, chunks = 0;

	if (shortest_bytes > WEIR_PFC_FRAME_BYTES)
		shortest_bytes = WEIR_PFC_FRAME_BYTES;
	for (uint32_t i = 0; i < e->net->link_count; i++)
		chunks += smaller(link_chunks(e, i, shortest_bytes), PACKETS_MAX);
	if (e->mail)
		connections += (uint64_t)e->mail->connections * e->net->host_count;
	chunks += CALLED_FOR * chunks_for(e, connections, 0);
	return chunks + 2 * (uint64_t)WEIR_POOL_BATCH * e->threads; /* which pools have in hand */
}

void packet_memory_new(struct engine *e)
{
	uint64_t chunks = smaller(window_chunks(e), PACKETS_MAX / WEIR_CHUNK_PACKETS);
	uint64_t packets = 2 * chunks * WEIR_CHUNK_PACKETS;

	e->window_chunks = (uint32_t)chunks;
	e->tidy_at = e->net->link_count;
	packet_memory_reserve(e,
			      packets > PACKETS_MIN ? smaller(packets, PACKETS_MAX) : PACKETS_MIN);
}

static uint64_t room_packets(const struct engine *e)
{
	return (uint64_t)e->store.chunk_limit * WEIR_CHUNK_PACKETS;
}

void packet_memory_reserve(struct engine *e, uint64_t packets)
{
	uint64_t before = room_packets(e);

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

/* At the most that there may be a run goes on as long as it can. */
void packet_memory_grow(struct engine *e)
{
	uint64_t packets = room_packets(e);

	if (packets < PACKETS_MAX)
		packet_memory_reserve(e, smaller(2 * packets, PACKETS_MAX));
	else if (e->store.chunk_limit - e->store.fresh < 2 * WEIR_POOL_BATCH * e->threads)
		memory_refused(2 * packets * sizeof(struct weir_packet));
}

void packet_memory_reclaim(struct engine *e)
{
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		struct egress *out = engine_egress(e, i);

		if (!out->port.kind) /* it is at another rank */
			continue;
		if (out->tail == WEIR_SLOT_NONE || e->link_queue_head[out->link_queue] != out->tail)
			continue;
		weir_chunk_give(&e->workers[0].pool, out->tail >> WEIR_CHUNK_SHIFT);
		out->tail = e->link_queue_head[out->link_queue] = WEIR_SLOT_NONE;
		out->to |= EGRESS_SLOW_PATH;
		atomic_store_explicit(&e->link_queue_tail[out->link_queue], WEIR_SLOT_NONE,
				      memory_order_relaxed);
		atomic_store_explicit(&e->line_first[out->link_queue], WEIR_SLOT_NONE,
				      memory_order_relaxed);
	}
	e->tidy_at = e->store.fresh + e->store.fresh / 4;
}

void packet_memory_free(struct engine *e)
{
	int_stacks_free(e);
	weir_packet_store_free(&e->store);
}
