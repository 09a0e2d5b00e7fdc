/* SPDX-License-Identifier: BSD-3-Clause */
/* plane.c -- forwarding, egress, internal links and counters of the data plane. Contract in
 * plane.h. */
#include "switch/plane/inside.h"
#include "weir/rng.h"
#include <string.h>

const char *const plane_fault_names[PLANE_FAULTS] = {
	[PLANE_MALFORMED] = "malformed",
	[PLANE_OVERSIZE] = "longer than the MTU",
	[PLANE_POOL_FULL] = "no buffer free",
	[PLANE_NOWHERE] = "for nobody here",
	[PLANE_NOT_GIVEN] = "no room between threads",
};

/* --- egress --- */

/* Puts the packet on the link, which is busy for its serialisation delay. */
static void plane_put_on_link(struct plane *p, struct plane_port *port,
			      const struct weir_packet *packet)
{
	struct frame_tag tag;
	struct plane_frame *f;

	memcpy(&tag, packet->owner, sizeof(tag));
	f = buffer_get(p, tag.buffer);
	if (packet->flags & WEIR_PACKET_CE && !tag.came_with_ce)
		frame_mark(f->data, &tag.facts);
	f->due_ps = port->port->free_ps + port->delay_ps;
	f->next = NO_BUFFER;
	if (port->inflight_first == NO_BUFFER)
		port->inflight_first = tag.buffer;
	else
		buffer_get(p, port->inflight_last)->next = tag.buffer;
	port->inflight_last = tag.buffer;
}

/* Starts every packet of the port whose transmission can begin by now_ps. */
static void plane_run_port(struct plane *p, struct plane_port *port, int64_t now_ps)
{
	struct weir_port *out = port->port;

	while (out->pkts && out->free_ps <= now_ps) {
		uint32_t queue = 0;
		struct weir_packet *packet = weir_port_dequeue_next(out, &p->packets, &queue);

		if (weir_port_start(out, packet, queue) == WEIR_PORT_SEND) {
			plane_put_on_link(p, port, packet);
		} else {
			struct frame_tag tag;

			memcpy(&tag, packet->owner, sizeof(tag));
			buffer_free(p, tag.buffer);
		}
	}
}

void plane_sync(struct weir_shared_buffer *pool, int64_t now_ps)
{
	struct plane *p = pool->owner;

	for (uint64_t left = p->own; left; left &= left - 1)
		plane_run_port(p, &p->ports[__builtin_ctzll(left)], now_ps);
}

/* Advances an idle link's clock to at most catch_up_ps before now, so that a late process sends no
 * burst; the capacity before that is lost and counted. */
static void plane_skip_lost_time(const struct plane *p, struct plane_port *port, int64_t now_ps)
{
	struct weir_port *out = port->port;
	int64_t from_ps = now_ps - p->plan.catch_up_ps;

	if (!out->pkts || out->free_ps >= from_ps)
		return;
	port->counts.lost_ps += from_ps - out->free_ps;
	port->late_until_ps = now_ps; /* a delay is counted only once */
	out->free_ps = from_ps;
}

const struct plane_frame *plane_due(const struct plane *p, uint32_t port, int64_t now_ps)
{
	uint32_t first = p->ports[port].inflight_first;

	return first != NO_BUFFER && buffer_get(p, first)->due_ps <= now_ps ? buffer_get(p, first)
									    : NULL;
}

const struct plane_frame *plane_due_next(const struct plane *p, const struct plane_frame *f,
					 int64_t now_ps)
{
	return f->next != NO_BUFFER && buffer_get(p, f->next)->due_ps <= now_ps
		       ? buffer_get(p, f->next)
		       : NULL;
}

void plane_count_late(struct plane *p, uint32_t port, int64_t now_ps)
{
	struct plane_port *out = &p->ports[port];
	int64_t from_ps;

	if (out->inflight_first == NO_BUFFER)
		return;
	from_ps = buffer_get(p, out->inflight_first)->due_ps + p->plan.catch_up_ps;
	if (from_ps < out->late_until_ps)
		from_ps = out->late_until_ps;
	if (from_ps >= now_ps)
		return;
	out->counts.lost_ps += now_ps - from_ps;
	out->late_until_ps = now_ps;
}

void plane_done(struct plane *p, uint32_t port, enum plane_fate fate)
{
	struct plane_port *out = &p->ports[port];
	uint32_t first = out->inflight_first;
	const struct plane_frame *f = buffer_get(p, first);

	out->inflight_first = f->next;
	if (fate == PLANE_LOST) {
		weir_port_drop(out->port, WEIR_DROP_LINK_DOWN);
	} else {
		out->counts.sent_pkts++;
		out->counts.sent_bytes += f->length;
	}
	buffer_free(p, first);
}

int64_t plane_next_ps(const struct plane *p)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint64_t left = p->own; left; left &= left - 1) {
		uint32_t first = p->ports[__builtin_ctzll(left)].inflight_first;

		if (first != NO_BUFFER && buffer_get(p, first)->due_ps < next_ps)
			next_ps = buffer_get(p, first)->due_ps;
	}
	return next_ps;
}

/* --- ingress --- */

/* Copies an admitted frame into its buffer; until then it is read in place from the ring. */
static void plane_keep_frame(struct plane_frame *buffer, const struct plane_arrival *a,
			     const struct frame_facts *f)
{
	memcpy(buffer->data, a->frame, a->length);
	if (a->needs_checksum)
		frame_complete_checksum(buffer->data, f);
}

static void plane_offer_frame(struct plane *p, struct plane_port *in, struct plane_port *out,
			      const struct plane_arrival *a, const struct frame_facts *f)
{
	struct frame_tag tag = { buffer_alloc(p), f->ecn == FRAME_CE, *f };
	struct weir_packet packet = {
		.flow_hash = f->flow_hash,
		.bytes = (uint16_t)a->length,
		.class_id = p->plan.class_of_dscp[f->dscp],
	};
	struct plane_frame *buffer;

	if (tag.buffer == NO_BUFFER) {
		in->counts.faults[PLANE_POOL_FULL]++;
		return;
	}
	if (f->ecn != FRAME_NOT_ECT)
		packet.flags |= WEIR_PACKET_ECT;
	if (f->ecn == FRAME_CE)
		packet.flags |= WEIR_PACKET_CE;
	memcpy(packet.owner, &tag, sizeof(tag));
	plane_run_port(p, out, p->now_ps);
	buffer = buffer_get(p, tag.buffer);
	buffer->length = a->length;
	switch (weir_port_offer_inline(out->port, &p->packets, &packet, p->now_ps)) {
	case WEIR_PORT_DROPPED:
		buffer_free(p, tag.buffer);
		return;
	case WEIR_PORT_SEND:
		plane_keep_frame(buffer, a, f);
		plane_put_on_link(p, out, &packet);
		return;
	default:
		plane_keep_frame(buffer, a, f);
	}
}

/* Selects one of n ports by flow hash (equal-cost multipath without reordering). */
static uint64_t plane_choose_port(uint64_t ports, uint64_t seed, uint32_t flow_hash)
{
	uint32_t count = (uint32_t)__builtin_popcountll(ports);
	uint64_t choice = (weir_hash64(seed, flow_hash) >> 32) * count >> 32;

	while (choice-- > 0)
		ports &= ports - 1;
	return ports & -ports;
}

/* Bitmap of egress ports for the frame. */
static uint64_t plane_route(const struct plane *p, uint32_t in, const struct frame_facts *f)
{
	const struct plane_part *part = &p->parts[p->ports[in].part];
	uint64_t others = part->ports & ~(UINT64_C(1) << in), known;

	/* 01:80:c2:00:00:00 to 0f are link-local and never forwarded (IEEE 802.1Q, table 8-1). */
	if (f->to >> 4 == UINT64_C(0x0180c200000))
		return 0;
	if (!frame_is_for_one(f->to))
		return others;
	known = addresses_find(&part->addresses, f->to, p->now_ps);
	if (!known)
		return p->plan.unknown == PLANE_UNKNOWN_FLOOD ? others : 0;
	known &= others;
	return known ? plane_choose_port(known, p->plan.seed + p->ports[in].part, f->flow_hash) : 0;
}

static void plane_offer_copies(struct plane *p, uint64_t ports, uint32_t in,
			       const struct plane_arrival *a, const struct frame_facts *f)
{
	for (; ports; ports &= ports - 1)
		plane_offer_frame(p, &p->ports[in], &p->ports[__builtin_ctzll(ports)], a, f);
}

/* Learns a source address. If another plane could not be informed, the address is not learned here
 * either, so that the host's next frame triggers the announcement again. */
static void plane_learn_source(struct plane *p, uint32_t port, uint64_t address)
{
	struct addresses *known = &p->parts[p->ports[port].part].addresses;
	const struct plane_others *others = &p->plan.others;

	if (!p->plan.learns || !frame_is_for_one(address))
		return;
	if (others->announce && addresses_must_announce(known, address, port, p->now_ps) &&
	    others->announce(others->context, address, port, p->now_ps))
		return;
	addresses_learn(known, address, port, p->now_ps);
}

/* Receives a frame at an ingress port at the plane's current time. */
static void plane_forward(struct plane *p, uint32_t port, const struct plane_arrival *a)
{
	struct plane_port *in = &p->ports[port];
	struct frame_facts facts;
	uint64_t out;

	in->counts.rx_pkts++;
	in->counts.rx_bytes += a->length;
	if (frame_read(a->frame, a->length, &facts) != FRAME_GOOD) {
		in->counts.faults[PLANE_MALFORMED]++;
		return;
	}
	if (a->length - facts.ip_at > p->plan.mtu_bytes) {
		in->counts.faults[PLANE_OVERSIZE]++;
		return;
	}
	in->counts.rx_ce += facts.ecn == FRAME_CE;
	plane_learn_source(p, port, facts.from);
	out = plane_route(p, port, &facts);
	if (!out)
		in->counts.faults[PLANE_NOWHERE]++;
	plane_offer_copies(p, out & p->own, port, a, &facts);
	if (out & ~p->own) {
		const struct plane_others *others = &p->plan.others;
		const struct plane_arrival now = { a->frame, a->length, a->needs_checksum,
						   p->now_ps };

		in->counts.faults[PLANE_NOT_GIVEN] +=
			others->hand_over(others->context, out & ~p->own, port, &now, &facts);
	}
}

/* --- internal links --- */

/* The port whose internal link delivers the earliest frame by until_ps; -1: none. */
static int plane_next_internal_arrival(const struct plane *p, int64_t until_ps)
{
	int64_t first_ps = until_ps;
	int first = -1;

	for (uint64_t left = p->internal_links; left; left &= left - 1) {
		int i = __builtin_ctzll(left);
		uint32_t buffer = p->ports[i].inflight_first;

		if (buffer == NO_BUFFER || buffer_get(p, buffer)->due_ps > first_ps ||
		    (first >= 0 && buffer_get(p, buffer)->due_ps == first_ps))
			continue;
		first = i;
		first_ps = buffer_get(p, buffer)->due_ps;
	}
	return first;
}

static int plane_cables_are_idle(const struct plane *p)
{
	for (uint64_t left = p->internal_links; left; left &= left - 1) {
		const struct plane_port *port = &p->ports[__builtin_ctzll(left)];

		if (port->port->pkts || port->inflight_first != NO_BUFFER)
			return 0;
	}
	return 1;
}

/* Delivers frames over internal links in time order. Advances in steps of the shortest link delay:
 * a frame that starts during a step arrives after it (the lookahead of conservative simulation). */
static void plane_advance_internal(struct plane *p, int64_t until_ps)
{
	while (p->now_ps < until_ps && !plane_cables_are_idle(p)) {
		int64_t step_ps = until_ps - p->now_ps <= p->shortest_ps
					  ? until_ps
					  : p->now_ps + p->shortest_ps;
		int port;

		for (uint64_t left = p->internal_links; left; left &= left - 1)
			plane_run_port(p, &p->ports[__builtin_ctzll(left)], p->now_ps);
		while ((port = plane_next_internal_arrival(p, step_ps)) >= 0) {
			struct plane_port *from = &p->ports[port];
			const struct plane_frame *f = buffer_get(p, from->inflight_first);
			const struct plane_arrival a = { f->data, f->length, 0, f->due_ps };

			if (f->due_ps > p->now_ps)
				p->now_ps = f->due_ps;
			plane_forward(p, from->peer_plus_one - 1, &a);
			plane_done(p, (uint32_t)port, PLANE_SENT);
		}
		p->now_ps = step_ps;
	}
	if (until_ps > p->now_ps)
		p->now_ps = until_ps;
}

void plane_receive(struct plane *p, uint32_t port, const struct plane_arrival *a)
{
	plane_advance_internal(p, a->time_ps);
	plane_forward(p, port, a);
}

void plane_receive_handed(struct plane *p, uint64_t ports, uint32_t in,
			  const struct plane_arrival *a, const struct frame_facts *f)
{
	plane_advance_internal(p, a->time_ps);
	plane_offer_copies(p, ports, in, a, f);
}

void plane_learn(struct plane *p, uint64_t address, uint32_t port, int64_t time_ps)
{
	addresses_learn(&p->parts[p->ports[port].part].addresses, address, port, time_ps);
}

void plane_advance(struct plane *p, int64_t now_ps)
{
	if (now_ps < p->now_ps)
		return;
	plane_advance_internal(p, now_ps);
	for (uint64_t left = p->own; left; left &= left - 1) {
		struct plane_port *port = &p->ports[__builtin_ctzll(left)];

		plane_skip_lost_time(p, port, now_ps);
		plane_run_port(p, port, now_ps);
	}
}

void plane_drop_oversize(struct plane *p, uint32_t port, uint32_t length)
{
	struct plane_counts *c = &p->ports[port].counts;

	c->rx_pkts++;
	c->rx_bytes += length;
	c->faults[PLANE_OVERSIZE]++;
}

/* --- counters --- */

struct plane_port *plane_port(struct plane *p, uint32_t port)
{
	return &p->ports[port];
}

uint32_t plane_buffers_free(const struct plane *p)
{
	return p->free_count;
}

uint64_t plane_marks(const struct plane_port *port)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WEIR_MARK_REASONS; i++)
		sum += port->port->cold->marks[i];
	return sum;
}

uint64_t plane_drops(const struct plane_port *port)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WEIR_PORT_DROPS; i++)
		sum += port->port->cold->drops[i];
	return sum;
}

int64_t plane_now_ps(const struct plane *p)
{
	return p->now_ps;
}

static void plane_measure_port(const struct plane *p, struct plane_port *port)
{
	weir_port_stats_start(port->port, &port->stats, p->now_ps);
	port->since = (struct plane_since){
		.time_ps = p->now_ps,
		.tx_pkts = port->port->tx_pkts,
		.tx_bytes = port->port->tx_bytes,
		.marks = plane_marks(port),
		.drops = plane_drops(port),
	};
}

void plane_measure(struct plane *p)
{
	for (uint64_t left = p->own; left; left &= left - 1)
		plane_measure_port(p, &p->ports[__builtin_ctzll(left)]);
}

void plane_account(struct plane *p)
{
	for (uint64_t left = p->own; left; left &= left - 1)
		weir_port_stats_account(p->ports[__builtin_ctzll(left)].port, p->now_ps);
}
