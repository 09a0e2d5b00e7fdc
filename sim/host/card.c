/* card.c -- cards with a queue: what their ports are made of, and how packets go through them.
 *
 * Differs: fq has no list of new flows that go first, and a card that is full drops what comes, not
 * from the longest queue. Linux keeps most of a connection's window out of its queues (TCP small
 * queues); ns-3 does not, nor do these cards. */
#include "sim/config/card.h"
#include "sim/host/host.h"

/* --- building --- */

/* The queue of a flow in a card that has one for each, as far as they go. */
static uint32_t queue_of_flow(void *state, const void *params, const struct weir_mark_view *v,
			      const struct weir_queue *queues)
{
	(void)state;
	(void)params;
	(void)queues;
	return host_flow_queue(v->flow_hash, WEIR_QUEUES_MAX);
}

struct weir_mark_ops card_marking(const struct config *c)
{
	struct weir_mark_ops mark = { .scheme.name = "none" };

	if (card_has_queue(c))
		mark = *c->card_mark;
	if (card_has_queue(c) && c->card->queues > 1)
		mark.choose_queue = queue_of_flow;
	return mark;
}

void card_plan(const struct config *c, struct weir_port_plan *plan)
{
	const struct card_params *p = (const void *)c->card_params;

	plan->queues = c->card->queues;
	plan->mark_params = c->card_mark_params;
	plan->sched = c->card_sched;
	plan->sched_params = c->card_sched_params;
	plan->pass_not_ect = (uint32_t)c->switches.non_ect;
	weir_buffer_params_init(&plan->buffer, WEIR_BUFFER_PER_PORT, p->limit, 0);
}

/* --- running --- */

void card_offer(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps)
{
	const struct engine *e = w->engine;
	struct weir_port *p = &h->out->port;
	int answer;

	if (packet_segment(packet)->path == PATH_NONE) {
		p->rare->drops[WEIR_DROP_LINK_DOWN]++;
		packet_gone(w, packet);
		return;
	}
	if (p->pkts == 0 && p->free_ps > now_ps && !p->stats && e->measuring)
		engine_begin_stats(w->engine, p);
	answer = weir_port_offer(p, &w->pool, packet, now_ps);
	if (answer == WEIR_PORT_SEND)
		egress_commit(w, h->out, now_ps);
	else if (answer == WEIR_PORT_DROPPED)
		packet_gone(w, packet);
	h->work = p->pkts;
}

void card_drain(struct worker *w, struct host *h, int64_t limit_ps)
{
	struct egress *out = h->out;

	while (out->port.pkts && out->port.free_ps < limit_ps) {
		int64_t start_ps = out->port.free_ps;
		struct weir_packet *place = egress_place(w, out);
		uint32_t queue = 0;
		struct weir_packet *next = weir_port_take_next(&out->port, &w->pool, &queue);

		if (!next)
			continue;
		if (weir_port_start(&out->port, next, queue) == WEIR_PORT_SEND) {
			*place = *next;
			egress_commit(w, out, start_ps);
		} else { /* by its marking scheme */
			packet_gone(w, next);
		}
	}
	h->work = out->port.pkts;
}
