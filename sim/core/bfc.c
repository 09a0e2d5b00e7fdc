/* SPDX-License-Identifier: BSD-3-Clause */
/* bfc.c -- backpressure flow control (BFC): per-hop, per-flow pauses instead of per-class PFC. A
 * switch pauses the queue at its upstream neighbour that fills one of its own.
 *
 * Goyal, Shah, Zhao, Nikolaidis, Alizadeh and Anderson, "Backpressure Flow Control", NSDI 2022,
 * after the authors' simulator (github.com/prateshg/BFC_NS3_NSDI2022), whose rules these are. The
 * length of sticky and the size of the table are those that another study's implementation names as
 * the paper's (github.com/NASA-NJU/Pyrrha-NS3); the authors' simulator has three round trips and
 * twice the size.
 *
 * A port has a small number of queues for data, served round robin, and above them one for ACKs and
 * other control packets, which is never paused. A table holds for each flow how many of its packets
 * are queued and in which queue. A flow that has been idle for longer than sticky hop round trips
 * is assigned a new queue: an empty one that is not paused, any one if there is none. Flows whose
 * hashes collide in the table are one flow.
 *
 * A packet that joins a queue of more than a threshold, behind another of its flow, is counted, and
 * pauses the queue at the neighbour that it came from, whose number it carries. A neighbour's queue
 * stays paused while a counted packet from it is queued here. The threshold is what the queue sends
 * in (1 + tau) round trips of the hop while N_active queues share the link: those that hold packets
 * and are not paused. A host's NIC is a neighbour with a queue for each flow, by hash.
 *
 * Not here: PFC below BFC, which the authors' simulator has switched off.
 *
 * Differs: the authors' switches send their neighbours a bitmap of the paused queues every tau,
 * and at once on a resume; here each pause and each resume is a frame of 64 bytes, sent when it
 * happens and serialised like any packet. The threshold keeps tau. */
#include "base/compiler.h"
#include "sim/parallel/ranks.h"
#include "sim/core/host.h"
#include "sim/core/event_switch.h"
#include "weir/units.h"
#include <stdio.h>

enum {
	BFC_QUEUES_MAX = WEIR_QUEUES_MAX - 1,
	BFC_CONTROL_QUEUE = 0,
	BFC_WORDS = WEIR_QUEUES_MAX / 64,
	TABLE_MAX = 1 << 20,
	NIC_QUEUES_MAX = 1 << 16,
};

struct bfc_params {
	uint64_t queues;
	uint64_t table; /* entries for each port */
	uint64_t nic_queues;
	uint64_t hop_rtt_ns; /* 0: computed from the link's delays */
	uint64_t tau_q32, sticky_q32;
};

#define PARAMS(member) offsetof(struct bfc_params, member)

static const struct weir_option bfc_options[] = {
	{ "queues", WEIR_OPT_COUNT, PARAMS(queues), "32", 1, BFC_QUEUES_MAX,
	  "data queues of a port, which flows share; control packets have one more", NULL },
	{ "table", WEIR_OPT_COUNT, PARAMS(table), "3200", 1, TABLE_MAX,
	  "entries of a port's flow table, a hundred for each of 32 queues; flows that collide in "
	  "one are one flow",
	  NULL },
	{ "card-queues", WEIR_OPT_COUNT, PARAMS(nic_queues), "1024", 1, NIC_QUEUES_MAX,
	  "queues of a host's NIC; flows that collide in one are paused together", NULL },
	{ "hop-rtt", WEIR_OPT_TIME_NS, PARAMS(hop_rtt_ns), "0us", 0, WEIR_NS_PER_S,
	  "round-trip time of a hop; 0us: the delays of the link, both ways", NULL },
	{ "tau", WEIR_OPT_FRACTION_Q32, PARAMS(tau_q32), "1/2", 0, 16 * WEIR_ONE_Q32,
	  "how much longer than a hop's round trip a queue may take to drain before the queue "
	  "upstream is paused, in such round trips",
	  NULL },
	{ "sticky", WEIR_OPT_FRACTION_Q32, PARAMS(sticky_q32), "2", 0, 1000 * WEIR_ONE_Q32,
	  "a flow that was idle for so many round trips of a hop is assigned a new queue", NULL },
	{ .name = NULL },
};

/* An entry of the flow table; zero: never used. Time has 32 bits: a flow that is idle for a
 * multiple of 4.3 s, plus less than sticky, keeps its queue. */
struct bfc_flow {
	uint32_t pkts : 24;
	uint32_t queue : 8;
	uint32_t last_ns; /* of its last arrival or departure */
};

_Static_assert(WEIR_QUEUES_MAX <= 1 << 8, "the number of a queue fits");

struct bfc_port {
	uint64_t busy[BFC_WORDS]; /* bit per data queue: it holds packets */
	struct weir_rng rng;
	struct bfc_flow *table;
	uint32_t busy_count; /* bits of busy */
};

/* Per ingress. */
struct bfc_ingress {
	int64_t allowed_ps; /* (1 + tau) round trips of the hop, for a queue to drain */
	uint32_t sticky_ns;
	uint32_t is_host;  /* 1: the neighbour is a host */
	uint32_t queues;   /* of the neighbour */
	uint32_t *counted; /* per queue of the neighbour: counted packets queued here */
};

struct bfc {
	const struct bfc_params *params;
	uint32_t entries, queues; /* of a table; of a port, the control queue included */
	uint32_t words;           /* of a bitmap of these */
	struct bfc_port *ports;
	struct bfc_ingress *ingress;
	struct bfc_flow *arrived; /* the entry of the last data arrival, for its queued hook */
};

static struct bfc *bfc_of(const struct switch_state *s)
{
	return s->events->fabric_state;
}

/* --- frames --- */

static void bfc_send_signal(struct worker *w, struct switch_state *s, uint32_t ingress,
			    const struct segment *cause, int64_t now_ps)
{
	const struct bfc_ingress *in = &bfc_of(s)->ingress[ingress];
	uint32_t pauses = in->counted[cause->hop.bfc_queue] != 0;
	struct weir_packet frame = link_frame_make(pauses ? FRAME_BFC_PAUSE : FRAME_BFC_RESUME);

	packet_segment(&frame)->bfc_queue = cause->hop.bfc_queue;
	event_switch_send_frame(w, s, ingress, &frame, now_ps);
}

static enum weir_pfc_signal bfc_frame_signal(const struct segment *frame)
{
	return frame->frame_kind == FRAME_BFC_RESUME ? WEIR_PFC_RESUME : WEIR_PFC_PAUSE;
}

static void bfc_frame(struct worker *w, struct switch_state *s, uint32_t ingress,
		      const struct weir_packet *frame)
{
	const struct segment *body = packet_segment((struct weir_packet *)frame);
	uint32_t link = link_queue_reverse(w->engine, s->first_link_queue + ingress);

	event_switch_pause_queue(s, link - s->first_link, (uint32_t)body->bfc_queue,
				 bfc_frame_signal(body), frame->time_ps);
}

static void bfc_host_frame(struct worker *w, struct host *h, const struct weir_packet *frame)
{
	const struct segment *body = packet_segment((struct weir_packet *)frame);

	host_pause_queue(w, h, (uint32_t)body->bfc_queue, bfc_frame_signal(body));
}

/* --- queues --- */

/* Picks a set bit: the first from a random start, wrapping around. 0: none is set. */
static uint32_t bfc_pick_queue(struct bfc_port *p, const uint64_t *bits, uint32_t queues)
{
	uint32_t start = 1 + (uint32_t)weir_rng_below(&p->rng, queues - 1);

	for (uint32_t i = 0, q = start; i <= BFC_WORDS; i++, q = (q / 64 + 1) % BFC_WORDS * 64) {
		uint64_t left = bits[q / 64] >> (q % 64);

		if (left)
			return q + (uint32_t)__builtin_ctzll(left);
	}
	return 0;
}

/* Assigns a queue: an empty one that is not paused, or any. */
static uint32_t bfc_assign_queue(const struct bfc *b, struct bfc_port *p,
				 const struct weir_port *port)
{
	uint64_t open[BFC_WORDS];
	uint32_t q;

	for (uint32_t i = 0; i < BFC_WORDS; i++) {
		uint32_t last = b->queues > i * 64 ? b->queues - i * 64 : 0;
		uint64_t all = last >= 64 ? UINT64_MAX : (UINT64_C(1) << last) - 1;

		open[i] = all & ~p->busy[i] & ~port->cold->paused[i];
	}
	open[0] &= ~(UINT64_C(1) << BFC_CONTROL_QUEUE);
	q = bfc_pick_queue(p, open, b->queues);
	return q ? q : 1 + (uint32_t)weir_rng_below(&p->rng, b->queues - 1);
}

/* The hash is mixed first: ECMP may have chosen the path by it, and the host's NIC its queue by the
 * other half. */
static struct bfc_flow *bfc_flow_entry(const struct bfc *b, const struct bfc_port *p,
				       uint32_t flow_hash)
{
	return &p->table[(weir_mix64(flow_hash) >> 32) * b->entries >> 32];
}

static enum fabric_answer bfc_arrive(struct worker *w, struct switch_state *s, uint32_t port,
				     struct weir_packet *packet)
{
	struct bfc *b = bfc_of(s);
	struct bfc_port *p = &b->ports[port];
	struct segment *segment = packet_segment(packet);
	const struct bfc_ingress *in = &b->ingress[segment->ingress];
	uint32_t now_ns = (uint32_t)weir_ps_to_ns(packet->time_ps);
	struct bfc_flow *flow;

	(void)w;
	if (packet->flags & SEGMENT_ACK)
		return FABRIC_OFFER; /* class 0: the control queue */
	b->arrived = flow = bfc_flow_entry(b, p, packet->flow_hash);
	if (in->is_host)
		segment->hop.bfc_queue = (uint16_t)host_flow_queue(packet->flow_hash, in->queues);
	if (flow->pkts == 0 && (flow->queue == 0 || now_ns - flow->last_ns > in->sticky_ns))
		flow->queue = bfc_assign_queue(
				      b, p, &engine_egress(s->engine, s->first_link + port)->port) &
			      UINT8_MAX;
	flow->last_ns = now_ns;
	packet->class_id = flow->queue;
	return FABRIC_OFFER;
}

/* N_active: queues that hold packets and are not paused, at least 1. */
static uint32_t bfc_active_queues(const struct bfc *b, const struct bfc_port *p,
				  const struct weir_port *port)
{
	uint32_t count = 0;

	if (!port->paused_queues)
		return p->busy_count;
	for (uint32_t i = 0; i < b->words; i++)
		count += (uint32_t)__builtin_popcountll(p->busy[i] & ~port->cold->paused[i]);
	return count ? count : 1;
}

/* Th = (HRTT + tau) mu / N_active, compared as bytes N_active / mu > HRTT + tau without a division.
 * Bytes and queues are below 2^32 and 2^7, times below 2^50 ps, rates below 2^43: all fits 128
 * bits. */
static int bfc_is_above_threshold(const struct weir_port *port, uint32_t bytes, uint32_t active,
				  int64_t allowed_ps)
{
	return (weir_u128)bytes * active * (WEIR_BITS_PER_BYTE * (uint64_t)WEIR_PS_PER_S) >
	       (weir_u128)allowed_ps * port->kind->rate_bps;
}

static void bfc_set_busy(struct bfc_port *p, uint32_t queue)
{
	uint64_t bit = UINT64_C(1) << (queue % 64);

	p->busy_count += !(p->busy[queue / 64] & bit);
	p->busy[queue / 64] |= bit;
}

static void bfc_set_idle(struct bfc_port *p, uint32_t queue)
{
	uint64_t bit = UINT64_C(1) << (queue % 64);

	p->busy_count -= (p->busy[queue / 64] & bit) != 0;
	p->busy[queue / 64] &= ~bit;
}

static NOINLINE void bfc_data_queued(struct worker *w, struct switch_state *s, uint32_t port,
				     struct weir_packet *stored)
{
	const struct bfc *b = bfc_of(s);
	struct bfc_port *p = &b->ports[port];
	struct weir_port *out = &engine_egress(s->engine, s->first_link + port)->port;
	struct segment *segment = packet_segment(stored);
	const struct bfc_ingress *in = &b->ingress[segment->ingress];
	uint32_t queue = stored->class_id;
	struct bfc_flow *flow = b->arrived;

	flow->pkts++;
	bfc_set_busy(p, queue);
	segment->hop.is_queued = 1;
	if (flow->pkts < 2 || !bfc_is_above_threshold(out, weir_port_queues(out)[queue].bytes,
						      bfc_active_queues(b, p, out), in->allowed_ps))
		return;
	segment->hop.is_counted = 1;
	if (in->counted[segment->hop.bfc_queue]++ == 0)
		bfc_send_signal(w, s, segment->ingress, segment, stored->time_ps);
}

static void bfc_queued(struct worker *w, struct switch_state *s, uint32_t port,
		       struct weir_packet *stored)
{
	if (stored->class_id != BFC_CONTROL_QUEUE)
		bfc_data_queued(w, s, port, stored);
}

/* The hop state that the packet carries is replaced by that for the next switch. */
static NOINLINE void bfc_data_leaves(struct worker *w, struct switch_state *s, uint32_t port,
				     struct weir_packet *packet, int64_t now_ps)
{
	const struct bfc *b = bfc_of(s);
	struct bfc_port *p = &b->ports[port];
	struct segment *segment = packet_segment(packet);
	uint32_t queue = packet->class_id;

	if (segment->hop.is_queued) {
		struct weir_port *out = &engine_egress(s->engine, s->first_link + port)->port;
		struct bfc_flow *flow = bfc_flow_entry(b, p, packet->flow_hash);

		flow->pkts--;
		flow->last_ns = (uint32_t)weir_ps_to_ns(now_ps);
		if (weir_port_queues(out)[queue].pkts == 0)
			bfc_set_idle(p, queue);
		if (segment->hop.is_counted &&
		    --b->ingress[segment->ingress].counted[segment->hop.bfc_queue] == 0)
			bfc_send_signal(w, s, segment->ingress, segment, now_ps);
	}
	segment->hop = (struct segment_hop){ .bfc_queue = (uint16_t)queue };
	packet->class_id = 0;
}

static void bfc_leave(struct worker *w, struct switch_state *s, uint32_t port,
		      struct weir_packet *packet, int64_t now_ps)
{
	if (packet->class_id != BFC_CONTROL_QUEUE)
		bfc_data_leaves(w, s, port, packet, now_ps);
}

/* --- building --- */

static void bfc_layout(const struct config *c, struct weir_mark_layout *l)
{
	const struct bfc_params *p = (const void *)c->fabric_params;

	l->queues = (uint32_t)p->queues + 1;
	snprintf(l->scheduler, sizeof(l->scheduler), "sp-dwrr(priority-queues=1, quantum=%uB)",
		 c->frame_max_bytes < 64 ? 64 : c->frame_max_bytes);
}

static int bfc_fits(const struct config *c, struct weir_error *e)
{
	if (c->lossless)
		return weir_error_set(
			e,
			"switch.fabric: bfc pauses queues, and lossless = %s pauses classes; leave "
			"lossless out",
			c->switches.lossless);
	return 0;
}

static struct bfc_ingress bfc_ingress_init(const struct engine *e, const struct bfc *b,
					   uint32_t link_queue)
{
	const struct bfc_params *p = b->params;
	uint32_t link = e->net->link_queue_link[link_queue];
	int64_t hop_ps =
		p->hop_rtt_ns
			? weir_ns_to_ps((int64_t)p->hop_rtt_ns)
			: engine_egress(e, link)->delay_ps +
				  engine_egress(e, link_queue_reverse(e, link_queue))->delay_ps;
	uint32_t is_host = e->net->nodes[e->net->links[link].from].kind == NODE_HOST;
	struct bfc_ingress in = {
		.is_host = is_host,
		.queues = is_host ? (uint32_t)p->nic_queues : b->queues,
	};
	/* At most two seconds of delay, below 2^41 ps, times 1000: in whole nanoseconds it fits. */
	uint64_t hop_ns = (uint64_t)weir_ps_to_ns(hop_ps);
	uint64_t sticky_ns = (hop_ns * (p->sticky_q32 >> 16)) >> 16;

	in.allowed_ps = hop_ps + (int64_t)(((uint64_t)hop_ps * (p->tau_q32 >> 16)) >> 16);
	in.sticky_ns = (uint32_t)(sticky_ns < UINT32_MAX / 2 ? sticky_ns : UINT32_MAX / 2);
	in.counted = memory_new(in.queues, sizeof(*in.counted));
	return in;
}

static void *bfc_new_switch(struct engine *e, struct switch_state *s)
{
	struct bfc *b = memory_new(1, sizeof(*b));

	b->params = (const void *)e->config->fabric_params;
	b->queues = e->config->queues;
	b->words = (b->queues + 63) / 64;
	b->entries = (uint32_t)b->params->table;
	b->ports = memory_new(s->link_count, sizeof(*b->ports));
	b->ingress = memory_new(s->link_queue_count, sizeof(*b->ingress));
	for (uint32_t i = 0; i < s->link_count; i++) {
		b->ports[i].table = memory_new(b->entries, sizeof(*b->ports[i].table));
		b->ports[i].rng =
			weir_rng_make(e->config->seed, s->first_link + i, WEIR_RNG_FABRIC);
	}
	for (uint32_t i = 0; i < s->link_queue_count; i++)
		b->ingress[i] = bfc_ingress_init(e, b, s->first_link_queue + i);
	return b;
}

static void bfc_free_switch(struct switch_state *s, void *state)
{
	struct bfc *b = state;

	for (uint32_t i = 0; i < s->link_count; i++)
		memory_free(b->ports[i].table, b->entries, sizeof(*b->ports[i].table));
	for (uint32_t i = 0; i < s->link_queue_count; i++)
		memory_free(b->ingress[i].counted, b->ingress[i].queues,
			    sizeof(*b->ingress[i].counted));
	memory_free(b->ports, s->link_count, sizeof(*b->ports));
	memory_free(b->ingress, s->link_queue_count, sizeof(*b->ingress));
	memory_free(b, 1, sizeof(*b));
}

static uint64_t bfc_pause_words(const struct host *h)
{
	return (h->nic_queues + UINT64_C(63)) / 64;
}

static void bfc_new_hosts(struct engine *e)
{
	const struct bfc_params *p = (const void *)e->config->fabric_params;

	for (uint32_t i = 0; i < e->net->host_count; i++) {
		struct host *h = &e->hosts[i];

		if (!engine_owns_host(e, i))
			continue;
		h->nic_queues = (uint32_t)p->nic_queues;
		h->slow_features |= HOST_QUEUE_PAUSES;
		h->paused_queues = memory_new(bfc_pause_words(h), sizeof(*h->paused_queues));
	}
}

/* There are no hosts where the engine was refused before. */
static void bfc_free_hosts(struct engine *e)
{
	for (uint32_t i = 0; e->hosts && i < e->net->host_count; i++)
		if (e->hosts[i].paused_queues)
			memory_free(e->hosts[i].paused_queues, bfc_pause_words(&e->hosts[i]),
				    sizeof(*e->hosts[i].paused_queues));
}

const struct fabric_ops fabric_bfc = {
	.scheme = {
		.name = "bfc",
		.help = "pauses, at the upstream neighbour, the queue of a flow that fills a queue here",
		.cite = "Goyal et al., Backpressure Flow Control, NSDI 2022",
		.params_size = sizeof(struct bfc_params),
		.options = bfc_options,
	},
	.layout = bfc_layout,
	.fits = bfc_fits,
	.new_switch = bfc_new_switch,
	.free_switch = bfc_free_switch,
	.new_hosts = bfc_new_hosts,
	.free_hosts = bfc_free_hosts,
	.arrive = bfc_arrive,
	.queued = bfc_queued,
	.leave = bfc_leave,
	.frame = bfc_frame,
	.host_frame = bfc_host_frame,
};
