/* SPDX-License-Identifier: BSD-3-Clause */
/* floodgate.c -- Floodgate: per-destination windows between switches, opened by credits of the next
 * hop.
 *
 * Liu et al., "Floodgate: Taming Incast in Datacenter Networks", CoNEXT 2021, after the authors'
 * simulator (github.com/NASA-NJU/Floodgate-NS3), whose rules and values these are.
 *
 * For each destination a switch has a window: bytes of data that may be in flight to its neighbours
 * or queued there. Packets beyond it are kept in a virtual output queue (VOQ) of the destination,
 * so that the queues of ports hold only traffic that makes progress, and incast is queued at the
 * edge where it enters. The neighbour returns credit for the bytes that it has passed on, many
 * packets and destinations in one frame: once enough has accumulated for an ingress, or some time
 * after the first. A switch that itself keeps too many bytes for a destination withholds the credit
 * for it until it keeps fewer, so that the window of the switch before it closes too.
 *
 *	window = m BDP_nexthop + T C_nexthop
 *
 * with the rate and the propagation delays, both ways, of the link that the first packet for the
 * destination took, and T the credit timer.
 *
 * The first switch gives its hosts no credit: PFC pauses them, or their congestion control slows
 * down. The switch of the destination has no window for it; nor has, below the top tier, a switch
 * on the way down: packets on the way up and on the way down would share VOQs, and two switches
 * could wait for each other.
 *
 * Not here: recovery of lost credit (sequence numbers and SYN packets between switches), so nothing
 * may be lost on a link: classes are lossless and no link fails. PFC for single destinations
 * between the first switch and its hosts, which is part of the authors' ideal variant.
 *
 * Differs: a credit frame has 64 bytes and room for three destinations; more need more frames. In
 * the authors' simulator the length of a port's queue for ECN includes the VOQs of that port; here
 * a packet is marked by the queue it finds at its port. */
#include "sim/core/host.h"
#include "sim/core/event_switch.h"

enum { VOQS_MAX = 1 << 15 };

struct floodgate_params {
	uint64_t window_q32; /* in bandwidth-delay products of a hop */
	uint64_t credit_bytes, credit_ns;
	uint64_t hold_q32; /* in bandwidth-delay products of the longest hop */
	uint64_t voqs;
};

#define PARAMS(member) offsetof(struct floodgate_params, member)

static const struct weir_option floodgate_options[] = {
	{ "window", WEIR_OPT_FRACTION_Q32, PARAMS(window_q32), "1.5", WEIR_ONE_Q32 / 64,
	  64 * WEIR_ONE_Q32,
	  "bytes that may be in flight to the next switch for one destination, in bandwidth-delay "
	  "products of the hop; the bytes of one credit timer are added",
	  NULL },
	{ "credit", WEIR_OPT_BYTES, PARAMS(credit_bytes), "10240B", 1, UINT32_MAX,
	  "bytes passed on from one ingress port after which a credit frame is sent", NULL },
	{ "credit-timer", WEIR_OPT_TIME_NS, PARAMS(credit_ns), "10us", 1, WEIR_NS_PER_MS,
	  "accumulated credit is sent after this time", NULL },
	{ "hold", WEIR_OPT_FRACTION_Q32, PARAMS(hold_q32), "1.5", 0, 1000 * WEIR_ONE_Q32,
	  "credit for a destination is withheld while more bytes than this are kept here for it, "
	  "in bandwidth-delay products of the longest hop at the highest rate",
	  NULL },
	{ "voqs", WEIR_OPT_COUNT, PARAMS(voqs), "100", 1, VOQS_MAX,
	  "virtual output queues of a switch, for destinations whose window is closed; when all "
	  "are in use, destinations share one",
	  NULL },
	{ .name = NULL },
};

/* State of a destination host at a switch. */
struct destination {
	uint64_t window_bytes; /* that may still be sent */
	uint64_t kept_bytes;
	uint32_t kept_pkts;
	uint32_t voq;      /* that keeps them; valid while kept_pkts > 0 */
	uint32_t is_known; /* 1: window_bytes is valid */
};

/* A VOQ: packets of one or more destinations, first in first out, in chunks of the packet pool. */
struct voq {
	uint32_t head, tail; /* slots */
	uint32_t pkts;
	uint32_t next_free; /* in the list of free VOQs */
};

/* Per ingress. */
struct floodgate_ingress {
	uint32_t is_host;
	uint32_t has_window; /* 1: the neighbour has one for what it sends here */
	uint32_t timer_is_set;
	uint64_t due_bytes;   /* passed on since credit was last sent */
	int64_t deadline_ps;  /* when to send it at the latest; -1: none is due */
	uint32_t *owed_bytes; /* credit owed to the neighbour, by destination */
	uint64_t *owed;       /* bit per destination: owed_bytes is not 0 */
};

struct floodgate {
	const struct floodgate_params *params;
	uint64_t hold_bytes;
	uint32_t host_count, free_voq; /* VOQ_NONE: all are in use */
	uint32_t is_releasing;
	struct destination *to;
	struct voq *voqs;
	struct floodgate_ingress *ingress;
	uint8_t *has_window; /* by port: 1: it leads to a switch with a window */
};

#define VOQ_NONE UINT32_MAX

static struct floodgate *floodgate_of(const struct switch_state *s)
{
	return s->events->fabric_state;
}

/* --- sending credit --- */

/* Is credit for the destination withheld? */
static int floodgate_withholds(const struct floodgate *f, uint32_t dst)
{
	return f->to[dst].kept_bytes > f->hold_bytes;
}

/* Sends the credit owed to the neighbour at an ingress, unless withheld. Returns 1 if some is. */
static int floodgate_send_credit(struct worker *w, struct switch_state *s, uint32_t ingress,
				 int64_t now_ps)
{
	struct floodgate *f = floodgate_of(s);
	struct floodgate_ingress *in = &f->ingress[ingress];
	struct weir_packet frame = link_frame_make(FRAME_FLOODGATE_CREDIT);
	struct segment *body = packet_segment(&frame);
	int withheld = 0;

	for (uint32_t word = 0; word < (f->host_count + 63) / 64; word++) {
		for (uint64_t left = in->owed[word]; left; left &= left - 1) {
			uint32_t dst = word * 64 + (uint32_t)__builtin_ctzll(left);

			if (floodgate_withholds(f, dst)) {
				withheld = 1;
				continue;
			}
			body->credit[body->credit_count++] =
				(struct segment_credit){ dst, in->owed_bytes[dst] };
			in->owed_bytes[dst] = 0;
			in->owed[word] &= ~(UINT64_C(1) << (dst % 64));
			if (body->credit_count == FRAME_CREDITS) {
				event_switch_send_frame(w, s, ingress, &frame, now_ps);
				body->credit_count = 0;
			}
		}
	}
	if (body->credit_count)
		event_switch_send_frame(w, s, ingress, &frame, now_ps);
	in->due_bytes = 0;
	return withheld;
}

static void floodgate_set_timer(struct switch_state *s, uint32_t ingress, int64_t now_ps)
{
	struct floodgate *f = floodgate_of(s);
	struct floodgate_ingress *in = &f->ingress[ingress];

	in->deadline_ps = now_ps + weir_ns_to_ps((int64_t)f->params->credit_ns);
	if (in->timer_is_set)
		return;
	in->timer_is_set = 1;
	event_switch_set_timer(s, ingress, in->deadline_ps);
}

static void floodgate_timer(struct worker *w, struct switch_state *s, uint32_t ingress,
			    int64_t now_ps)
{
	struct floodgate_ingress *in = &floodgate_of(s)->ingress[ingress];

	in->timer_is_set = 0;
	if (in->deadline_ps < 0)
		return; /* sent, and no credit is owed since */
	if (in->deadline_ps > now_ps) {
		in->timer_is_set = 1;
		event_switch_set_timer(s, ingress, in->deadline_ps);
	} else if (floodgate_send_credit(w, s, ingress, now_ps)) {
		floodgate_set_timer(s, ingress, now_ps);
	} else {
		in->deadline_ps = -1;
	}
}

/* Data was passed on, or dropped: the neighbour it came from is owed credit. */
static void floodgate_leave(struct worker *w, struct switch_state *s, uint32_t port,
			    struct weir_packet *packet, int64_t now_ps)
{
	struct floodgate *f = floodgate_of(s);
	const struct segment *segment = packet_segment(packet);
	struct floodgate_ingress *in = &f->ingress[segment->ingress];
	uint32_t dst = segment->hop.dst;

	(void)port;
	if (packet->flags & SEGMENT_ACK || !in->has_window)
		return;
	in->owed_bytes[dst] += packet->bytes;
	in->owed[dst / 64] |= UINT64_C(1) << (dst % 64);
	if (!floodgate_withholds(f, dst))
		in->due_bytes += packet->bytes;
	if (in->due_bytes >= f->params->credit_bytes) {
		in->deadline_ps = -1;
		if (!floodgate_send_credit(w, s, segment->ingress, now_ps))
			return;
	}
	if (in->deadline_ps < 0)
		floodgate_set_timer(s, segment->ingress, now_ps);
}

/* --- windows --- */

/* At least one packet, or none would ever be sent. */
static uint64_t floodgate_window_bytes(const struct engine *e, const struct floodgate_params *p,
				       const struct egress *out)
{
	const struct net_link *link = &e->net->links[e->net->link_queue_link[out->link_queue]];
	const struct egress *back = engine_egress(e, link->reverse);
	uint64_t rate_bps = out->port.kind->rate_bps;
	uint64_t bdp_bytes = weir_ps_to_bytes(out->delay_ps + back->delay_ps, rate_bps);
	/* At most 2 s at 8 Tb/s: 2^41 bytes, times 2^22. */
	uint64_t window_bytes = (bdp_bytes * (p->window_q32 >> 16)) >> 16;

	window_bytes += weir_bps_times_ns_to_bytes(rate_bps, p->credit_ns);
	return window_bytes > e->config->frame_max_bytes ? window_bytes
							 : e->config->frame_max_bytes;
}

static void voq_push(struct worker *w, struct voq *v, const struct weir_packet *packet)
{
	uint32_t slot = v->tail;

	if (v->pkts == 0) {
		slot = v->head = engine_chunk_alloc(w) << WEIR_CHUNK_SHIFT;
	} else if ((slot & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = engine_chunk_alloc(w);

		w->pool.next[(slot - 1) >> WEIR_CHUNK_SHIFT] = chunk;
		slot = chunk << WEIR_CHUNK_SHIFT;
	}
	w->pool.slots[slot] = *packet;
	v->tail = slot + 1;
	v->pkts++;
}

/* Assigns a VOQ to a destination: a free one, or one that others use. */
static uint32_t voq_assign(struct floodgate *f, uint32_t dst)
{
	uint32_t voq = f->free_voq;

	if (voq == VOQ_NONE)
		return (uint32_t)(weir_mix64(dst) % f->params->voqs);
	f->free_voq = f->voqs[voq].next_free;
	return voq;
}

static void floodgate_keep(struct worker *w, struct floodgate *f, const struct weir_packet *packet)
{
	uint32_t dst = packet_segment((struct weir_packet *)packet)->hop.dst;
	struct destination *d = &f->to[dst];

	if (d->kept_pkts == 0)
		d->voq = voq_assign(f, dst);
	voq_push(w, &f->voqs[d->voq], packet);
	d->kept_pkts++;
	d->kept_bytes += packet->bytes;
}

static uint32_t floodgate_list_kept(const struct switch_state *s, uint32_t *slots, uint64_t room)
{
	const struct floodgate *f = floodgate_of(s);
	uint64_t count = 0;

	for (uint32_t i = 0; i < f->params->voqs && count <= room; i++) {
		const struct weir_slot_range range = { f->voqs[i].head, f->voqs[i].tail };

		if (f->voqs[i].pkts)
			count += weir_slots_list(&range, &s->engine->store, slots + count,
						 (uint32_t)(room - count));
	}
	return (uint32_t)count;
}

/* Releases packets from the head of a VOQ to their ports, as long as their windows are open. */
static void floodgate_release(struct worker *w, struct switch_state *s, uint32_t voq,
			      int64_t now_ps)
{
	struct floodgate *f = floodgate_of(s);
	struct voq *v = &f->voqs[voq];

	f->is_releasing = 1;
	while (v->pkts) {
		struct weir_packet packet = w->pool.slots[v->head];
		const struct segment_hop *hop = &packet_segment(&packet)->hop;
		struct destination *d = &f->to[hop->dst];

		if (d->window_bytes < packet.bytes)
			break;
		v->pkts--;
		if (v->pkts == 0)
			weir_chunk_free(&w->pool, v->head >> WEIR_CHUNK_SHIFT);
		else
			v->head = link_queue_advance(&w->pool, v->head);
		d->window_bytes -= packet.bytes;
		d->kept_bytes -= packet.bytes;
		d->kept_pkts--;
		packet.time_ps = now_ps;
		event_switch_release(w, s, hop->kept_port, &packet);
	}
	f->is_releasing = 0;
	if (v->pkts == 0) {
		v->next_free = f->free_voq;
		f->free_voq = voq;
	}
}

static void floodgate_add_credit(struct worker *w, struct switch_state *s,
				 struct segment_credit credit, int64_t now_ps)
{
	struct floodgate *f = floodgate_of(s);
	struct destination *d = &f->to[credit.dst];

	d->window_bytes += credit.bytes;
	if (d->kept_pkts && !f->is_releasing)
		floodgate_release(w, s, d->voq, now_ps);
}

static void floodgate_frame(struct worker *w, struct switch_state *s, uint32_t ingress,
			    const struct weir_packet *frame)
{
	const struct segment *body = packet_segment((struct weir_packet *)frame);

	(void)ingress;
	for (uint32_t i = 0; i < body->credit_count; i++)
		floodgate_add_credit(w, s, body->credit[i], frame->time_ps);
}

/* The port dropped a packet that had been let through: its part of the window is open again. */
static void floodgate_lost(struct worker *w, struct switch_state *s, uint32_t port,
			   const struct weir_packet *packet)
{
	uint32_t dst = packet_segment((struct weir_packet *)packet)->hop.dst;

	if (!(packet->flags & SEGMENT_ACK) && floodgate_of(s)->has_window[port])
		floodgate_add_credit(w, s, (struct segment_credit){ dst, packet->bytes },
				     packet->time_ps);
}

static enum fabric_answer floodgate_arrive(struct worker *w, struct switch_state *s, uint32_t port,
					   struct weir_packet *packet)
{
	const struct engine *e = w->engine;
	struct floodgate *f = floodgate_of(s);
	struct segment *segment = packet_segment(packet);
	struct destination *d;

	if (packet->flags & SEGMENT_ACK)
		return FABRIC_OFFER;
	if (f->ingress[segment->ingress].is_host)
		segment->hop.dst = flow_at(e, segment->connection)->dst;
	if (!f->has_window[port])
		return FABRIC_OFFER;
	d = &f->to[segment->hop.dst];
	if (!d->is_known) {
		d->is_known = 1;
		d->window_bytes = floodgate_window_bytes(e, f->params,
							 engine_egress(e, s->first_link + port));
	}
	if (d->kept_pkts == 0 && d->window_bytes >= packet->bytes) {
		d->window_bytes -= packet->bytes;
		return FABRIC_OFFER;
	}
	segment->hop.kept_port = (uint16_t)port;
	floodgate_keep(w, f, packet);
	return FABRIC_KEEP;
}

/* --- building --- */

static int floodgate_fits(const struct config *c, struct weir_error *e)
{
	uint32_t classes = c->queues < WEIR_PFC_CLASSES ? c->queues : WEIR_PFC_CLASSES;
	uint32_t all = (1u << classes) - 1;

	if ((c->lossless & all) != all || c->queues > WEIR_PFC_CLASSES)
		return weir_error_set(
			e,
			"switch.fabric: floodgate cannot recover the window of a lost packet; set "
			"lossless = all and at most %d queues",
			WEIR_PFC_CLASSES);
	if (c->network.fails.count)
		return weir_error_set(
			e, "switch.fabric: floodgate cannot recover the windows of a failed link; "
			   "leave network.fail out");
	return 0;
}

static uint8_t network_top_tier(const struct network *net)
{
	uint8_t top = 0;

	for (uint32_t i = 0; i < net->node_count; i++)
		if (net->nodes[i].kind == NODE_SWITCH && net->nodes[i].tier > top)
			top = net->nodes[i].tier;
	return top;
}

/* Does the sender of a link have windows? Links between switches do, except down links below the
 * top tier. */
static int link_has_window(const struct network *net, uint32_t link, uint8_t top)
{
	const struct net_node *from = &net->nodes[net->links[link].from],
			      *to = &net->nodes[net->links[link].to];

	return from->kind == NODE_SWITCH && to->kind == NODE_SWITCH &&
	       !(to->tier < from->tier && from->tier < top);
}

/* The largest bandwidth-delay product of a link of the switch, over its round trip. */
static uint64_t floodgate_largest_bdp(const struct engine *e, const struct switch_state *s)
{
	uint64_t rate_bps = 0;
	int64_t hop_ps = 0;

	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct net_link *link = &e->net->links[s->first_link + i];
		int64_t ps = link->delay_ps + e->net->links[link->reverse].delay_ps;

		rate_bps = link->rate_bps > rate_bps ? link->rate_bps : rate_bps;
		hop_ps = ps > hop_ps ? ps : hop_ps;
	}
	return weir_ps_to_bytes(hop_ps, rate_bps);
}

static uint64_t floodgate_owed_words(const struct floodgate *f)
{
	return (f->host_count + UINT64_C(63)) / 64;
}

static void *floodgate_new_switch(struct engine *e, struct switch_state *s)
{
	struct floodgate *f = memory_new(1, sizeof(*f));
	uint8_t top = network_top_tier(e->net);

	f->params = (const void *)e->config->fabric_params;
	f->host_count = e->net->host_count;
	/* Below 2^37 units of 16 bytes, times 2^26. */
	f->hold_bytes = (floodgate_largest_bdp(e, s) >> 4) * (f->params->hold_q32 >> 16) >> 12;
	f->to = memory_new(f->host_count, sizeof(*f->to));
	f->voqs = memory_new(f->params->voqs, sizeof(*f->voqs));
	f->free_voq = VOQ_NONE;
	for (uint32_t i = (uint32_t)f->params->voqs; i-- > 0;) {
		f->voqs[i].next_free = f->free_voq;
		f->free_voq = i;
	}
	f->has_window = memory_new(s->link_count, sizeof(*f->has_window));
	for (uint32_t i = 0; i < s->link_count; i++)
		f->has_window[i] = (uint8_t)link_has_window(e->net, s->first_link + i, top);
	f->ingress = memory_new(s->link_queue_count, sizeof(*f->ingress));
	for (uint32_t i = 0; i < s->link_queue_count; i++) {
		struct floodgate_ingress *in = &f->ingress[i];
		uint32_t link = e->net->link_queue_link[s->first_link_queue + i];

		in->is_host = e->net->nodes[e->net->links[link].from].kind == NODE_HOST;
		in->has_window = (uint32_t)link_has_window(e->net, link, top);
		in->deadline_ps = -1;
		if (!in->has_window)
			continue;
		in->owed_bytes = memory_new(f->host_count, sizeof(*in->owed_bytes));
		in->owed = memory_new(floodgate_owed_words(f), sizeof(*in->owed));
	}
	return f;
}

static void floodgate_free_switch(struct switch_state *s, void *state)
{
	struct floodgate *f = state;

	for (uint32_t i = 0; i < s->link_queue_count; i++) {
		if (!f->ingress[i].has_window)
			continue;
		memory_free(f->ingress[i].owed_bytes, f->host_count,
			    sizeof(*f->ingress[i].owed_bytes));
		memory_free(f->ingress[i].owed, floodgate_owed_words(f),
			    sizeof(*f->ingress[i].owed));
	}
	memory_free(f->ingress, s->link_queue_count, sizeof(*f->ingress));
	memory_free(f->has_window, s->link_count, sizeof(*f->has_window));
	memory_free(f->voqs, f->params->voqs, sizeof(*f->voqs));
	memory_free(f->to, f->host_count, sizeof(*f->to));
	memory_free(f, 1, sizeof(*f));
}

const struct fabric_ops fabric_floodgate = {
	.scheme = {
		.name = "floodgate",
		.help = "keeps data whose destination has no window left at the next switch",
		.cite = "Liu et al., Floodgate: Taming Incast in Datacenter Networks, CoNEXT 2021",
		.params_size = sizeof(struct floodgate_params),
		.options = floodgate_options,
	},
	.fits = floodgate_fits,
	.new_switch = floodgate_new_switch,
	.free_switch = floodgate_free_switch,
	.arrive = floodgate_arrive,
	.leave = floodgate_leave,
	.lost = floodgate_lost,
	.frame = floodgate_frame,
	.list_kept = floodgate_list_kept,
	.timer = floodgate_timer,
};
