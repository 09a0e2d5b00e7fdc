/* plane.c -- see plane.h. */
#include "switch/plane/plane.h"
#include "sim/base/memory.h"
#include "sim/config/port_change.h"
#include "weir/rng.h"
#include <stdio.h>
#include <string.h>

#define NO_BUFFER UINT32_MAX

const char *const plane_fault_names[PLANE_FAULTS] = {
	[PLANE_MALFORMED] = "malformed",
	[PLANE_OVERSIZE] = "longer than the MTU",
	[PLANE_POOL_FULL] = "no buffer free",
	[PLANE_NOWHERE] = "for nobody here",
};

/* What travels with a packet through a port. */
struct passenger {
	uint32_t buffer;
	uint8_t came_with_ce;
	struct frame_facts facts;
};

_Static_assert(sizeof(struct passenger) <= WEIR_PACKET_OWNER_BYTES, "it fits into a packet");

struct plane {
	struct plane_plan plan;
	int64_t now_ps;
	struct plane_port *ports;
	struct weir_packet_pool packets;
	struct weir_packet_store store;
	struct weir_buffer_pool pool;
	struct addresses *addresses;
	uint8_t *buffers;
	size_t buffer_size;
	uint32_t free_first, free_count; /* buffers, as a list */
};

/* --- buffers --- */

static struct plane_frame *buffer_at(const struct plane *p, uint32_t buffer)
{
	return (struct plane_frame *)(void *)(p->buffers + buffer * p->buffer_size);
}

static uint32_t buffer_take(struct plane *p)
{
	uint32_t buffer = p->free_first;

	if (buffer == NO_BUFFER)
		return NO_BUFFER;
	p->free_first = buffer_at(p, buffer)->next;
	p->free_count--;
	return buffer;
}

static void buffer_give(struct plane *p, uint32_t buffer)
{
	buffer_at(p, buffer)->next = p->free_first;
	p->free_first = buffer;
	p->free_count++;
}

/* --- making --- */

static void sync_ports(struct weir_buffer_pool *pool, int64_t now_ps);

static void build_port(struct plane *p, uint32_t i)
{
	const struct plane_port_plan *plan = &p->plan.ports[i];
	struct plane_port *port = &p->ports[i];

	snprintf(port->name, sizeof(port->name), "%s", plan->name);
	port->plan = plan->plan;
	weir_port_class_init(&port->class, &port->plan);
	port->port = memory_new(port->class.size, 1);
	port->delay_ps = plan->delay_ps;
	port->line_first = port->line_last = NO_BUFFER;
	weir_port_init(port->port, &port->class, p->plan.shared_buffer ? &p->pool : NULL,
		       weir_hash64(p->plan.seed, i));
	weir_port_stats_start(port->port, &port->stats, 0);
}

static void build_buffers(struct plane *p)
{
	size_t bytes = sizeof(struct plane_frame) + FRAME_HEADER_BYTES +
		       FRAME_TAGS_MAX * FRAME_TAG_BYTES + p->plan.mtu_bytes;

	p->buffer_size = (bytes + 63) & ~(size_t)63;
	p->buffers = memory_new(p->plan.buffers, p->buffer_size);
	p->free_first = NO_BUFFER;
	for (uint32_t i = p->plan.buffers; i-- > 0;)
		buffer_give(p, i);
}

struct plane *plane_new(const struct plane_plan *plan)
{
	struct plane *p = memory_new(1, sizeof(*p));
	/* Every packet in a port has a buffer, and no queue of n packets lies in more than n chunks; the
	 * library's pool takes them by the batch. */
	uint64_t slots = ((uint64_t)plan->buffers + 2 * WEIR_POOL_BATCH) * WEIR_CHUNK_PACKETS;

	p->plan = *plan;
	if (weir_packet_store_init(&p->store, slots))
		memory_refused(slots * sizeof(struct weir_packet));
	weir_packet_pool_init(&p->packets, &p->store);
	p->pool = (struct weir_buffer_pool){ .sync = sync_ports, .owner = p };
	p->addresses = memory_new(1, sizeof(*p->addresses));
	p->addresses->age_ps = plan->age_ps;
	p->ports = memory_new(plan->port_count, sizeof(*p->ports));
	for (uint32_t i = 0; i < plan->port_count; i++)
		build_port(p, i);
	build_buffers(p);
	p->plan.ports = NULL; /* the caller's */
	return p;
}

void plane_free(struct plane *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->plan.port_count; i++)
		memory_free(p->ports[i].port, p->ports[i].class.size, 1);
	memory_free(p->ports, p->plan.port_count, sizeof(*p->ports));
	memory_free(p->addresses, 1, sizeof(*p->addresses));
	memory_free(p->buffers, p->plan.buffers, p->buffer_size);
	weir_packet_store_free(&p->store);
	memory_free(p, 1, sizeof(*p));
}

int plane_tell(struct plane *p, uint64_t address, uint32_t port)
{
	return addresses_tell(p->addresses, address, port);
}

/* --- out --- */

/* The packet has taken the line, which is free again when all of it has passed. */
static void put_on_line(struct plane *p, struct plane_port *port, const struct weir_packet *packet)
{
	struct passenger rider;
	struct plane_frame *f;

	memcpy(&rider, packet->owner, sizeof(rider));
	f = buffer_at(p, rider.buffer);
	if (packet->flags & WEIR_PACKET_CE && !rider.came_with_ce)
		frame_mark(f->data, &rider.facts);
	f->due_ps = port->port->free_ps + port->delay_ps;
	f->next = NO_BUFFER;
	if (port->line_first == NO_BUFFER)
		port->line_first = rider.buffer;
	else
		buffer_at(p, port->line_last)->next = rider.buffer;
	port->line_last = rider.buffer;
}

static void forget(struct plane *p, const struct weir_packet *packet)
{
	struct passenger rider;

	memcpy(&rider, packet->owner, sizeof(rider));
	buffer_give(p, rider.buffer);
}

/* Everything that could start on the port by now_ps starts. */
static void catch_up(struct plane *p, struct plane_port *port, int64_t now_ps)
{
	struct weir_port *out = port->port;

	while (out->pkts && out->free_ps <= now_ps) {
		uint32_t queue = 0;
		struct weir_packet *packet = weir_port_take_next(out, &p->packets, &queue);

		if (weir_port_start(out, packet, queue) == WEIR_PORT_SEND)
			put_on_line(p, port, packet);
		else
			forget(p, packet);
	}
}

static void sync_ports(struct weir_buffer_pool *pool, int64_t now_ps)
{
	struct plane *p = pool->owner;

	for (uint32_t i = 0; i < p->plan.port_count; i++)
		catch_up(p, &p->ports[i], now_ps);
}

/* A line that stood still for longer than may be made good has lost that time. */
static void forgive(const struct plane *p, struct plane_port *port, int64_t now_ps)
{
	struct weir_port *out = port->port;
	int64_t from_ps = now_ps - p->plan.catch_up_ps;

	if (!out->pkts || out->free_ps >= from_ps)
		return;
	port->counts.lost_ps += from_ps - out->free_ps;
	out->free_ps = from_ps;
}

void plane_advance(struct plane *p, int64_t now_ps)
{
	if (now_ps < p->now_ps)
		return;
	for (uint32_t i = 0; i < p->plan.port_count; i++) {
		forgive(p, &p->ports[i], now_ps);
		catch_up(p, &p->ports[i], now_ps);
	}
	p->now_ps = now_ps;
}

const struct plane_frame *plane_due(const struct plane *p, uint32_t port, int64_t now_ps)
{
	uint32_t first = p->ports[port].line_first;

	return first != NO_BUFFER && buffer_at(p, first)->due_ps <= now_ps ? buffer_at(p, first)
									   : NULL;
}

const struct plane_frame *plane_due_next(const struct plane *p, const struct plane_frame *f,
					 int64_t now_ps)
{
	return f->next != NO_BUFFER && buffer_at(p, f->next)->due_ps <= now_ps
		       ? buffer_at(p, f->next)
		       : NULL;
}

void plane_done(struct plane *p, uint32_t port, enum plane_fate fate)
{
	struct plane_port *out = &p->ports[port];
	uint32_t first = out->line_first;
	const struct plane_frame *f = buffer_at(p, first);

	out->line_first = f->next;
	if (fate == PLANE_LOST) {
		weir_port_drop(out->port, WEIR_DROP_LINK_DOWN);
	} else {
		out->counts.sent_pkts++;
		out->counts.sent_bytes += f->length;
	}
	buffer_give(p, first);
}

int64_t plane_next_ps(const struct plane *p)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < p->plan.port_count; i++) {
		uint32_t first = p->ports[i].line_first;

		if (first != NO_BUFFER && buffer_at(p, first)->due_ps < next_ps)
			next_ps = buffer_at(p, first)->due_ps;
	}
	return next_ps;
}

/* --- in --- */

/* The frame is let in: it needs to be kept from now on. */
static void keep(struct plane_frame *buffer, const struct plane_arrival *a,
		 const struct frame_facts *f)
{
	memcpy(buffer->data, a->frame, a->length);
	if (a->lacks_sum)
		frame_complete_sum(buffer->data, f);
}

static void offer(struct plane *p, struct plane_port *in, struct plane_port *out,
		  const struct plane_arrival *a, const struct frame_facts *f)
{
	struct passenger rider = { buffer_take(p), f->ecn == FRAME_CE, *f };
	struct weir_packet packet = {
		.flow_hash = f->flow_hash,
		.bytes = (uint16_t)a->length,
		.class_id = p->plan.class_of_dscp[f->dscp],
	};
	struct plane_frame *buffer;

	if (rider.buffer == NO_BUFFER) {
		in->counts.faults[PLANE_POOL_FULL]++;
		return;
	}
	if (f->ecn != FRAME_NOT_ECT)
		packet.flags |= WEIR_PACKET_ECT;
	if (f->ecn == FRAME_CE)
		packet.flags |= WEIR_PACKET_CE;
	memcpy(packet.owner, &rider, sizeof(rider));
	catch_up(p, out, p->now_ps);
	buffer = buffer_at(p, rider.buffer);
	buffer->length = a->length;
	switch (weir_port_offer(out->port, &p->packets, &packet, p->now_ps)) {
	case WEIR_PORT_DROPPED:
		buffer_give(p, rider.buffer);
		return;
	case WEIR_PORT_SEND:
		keep(buffer, a, f);
		put_on_line(p, out, &packet);
		return;
	default:
		keep(buffer, a, f);
	}
}

/* Which of the ports in the bits, n of them: by the flow, so that a flow stays in order. */
static uint64_t one_of(uint64_t ports, uint64_t seed, uint32_t flow_hash)
{
	uint32_t count = (uint32_t)__builtin_popcountll(ports);
	uint64_t choice = (weir_hash64(seed, flow_hash) >> 32) * count >> 32;

	while (choice-- > 0)
		ports &= ports - 1;
	return ports & -ports;
}

/* 01:80:c2:00:00:00 to 0f: for the neighbour on the cable alone (IEEE 802.1Q, table 8-1). */
static int is_for_neighbour(uint64_t address)
{
	return address >> 4 == UINT64_C(0x0180c200000);
}

/* Bits of the ports that the frame leaves by. */
static uint64_t ways_out(const struct plane *p, uint32_t in, const struct frame_facts *f)
{
	uint64_t all =
		p->plan.port_count < 64 ? (UINT64_C(1) << p->plan.port_count) - 1 : UINT64_MAX;
	uint64_t others = all & ~(UINT64_C(1) << in), known;

	if (is_for_neighbour(f->to))
		return 0;
	if (!frame_is_for_one(f->to))
		return others;
	known = addresses_find(p->addresses, f->to, p->now_ps);
	if (!known)
		return p->plan.unknown == PLANE_UNKNOWN_FLOOD ? others : 0;
	known &= others;
	return known ? one_of(known, p->plan.seed, f->flow_hash) : 0;
}

void plane_receive(struct plane *p, uint32_t port, const struct plane_arrival *a)
{
	struct plane_port *in = &p->ports[port];
	struct frame_facts facts;
	uint64_t out;

	if (a->time_ps > p->now_ps)
		p->now_ps = a->time_ps;
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
	if (p->plan.learns && frame_is_for_one(facts.from))
		addresses_learn(p->addresses, facts.from, port, p->now_ps);
	out = ways_out(p, port, &facts);
	if (!out)
		in->counts.faults[PLANE_NOWHERE]++;
	for (; out; out &= out - 1)
		offer(p, in, &p->ports[__builtin_ctzll(out)], a, &facts);
}

void plane_refuse(struct plane *p, uint32_t port, uint32_t length)
{
	struct plane_counts *c = &p->ports[port].counts;

	c->rx_pkts++;
	c->rx_bytes += length;
	c->faults[PLANE_OVERSIZE]++;
}

int plane_change(struct plane *p, uint32_t port, const struct weir_port_plan *plan)
{
	struct plane_port *out = &p->ports[port];
	struct weir_port_class class;
	const void *params;

	weir_port_class_init(&class, plan);
	if (port_begins_otherwise(&out->class, &class))
		return -1;
	if (plan->mark_params != out->plan.mark_params)
		memcpy(out->mark_params, plan->mark_params, plan->mark->scheme.params_size);
	params = plan->mark_params == out->plan.mark_params ? plan->mark_params : out->mark_params;
	out->plan = *plan;
	out->plan.mark_params = params;
	weir_port_class_init(&out->class, &out->plan);
	return 0;
}

/* --- looking --- */

uint32_t plane_ports(const struct plane *p)
{
	return p->plan.port_count;
}

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
		sum += port->port->rare->marks[i];
	return sum;
}

uint64_t plane_drops(const struct plane_port *port)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WEIR_PORT_DROPS; i++)
		sum += port->port->rare->drops[i];
	return sum;
}

int64_t plane_now_ps(const struct plane *p)
{
	return p->now_ps;
}

static void measure_port(const struct plane *p, struct plane_port *port)
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
	for (uint32_t i = 0; i < p->plan.port_count; i++)
		measure_port(p, &p->ports[i]);
}

void plane_account(struct plane *p)
{
	for (uint32_t i = 0; i < p->plan.port_count; i++)
		weir_port_stats_account(p->ports[i].port, p->now_ps);
}
