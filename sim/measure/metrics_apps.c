/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_apps.c -- what applications see: how many I/Os a second there are and how long they take,
 * by operation; and how long rounds take, of training and collectives. */
#include "sim/measure/metrics.h"
#include "sim/measure/sample.h"

static int is_measured(const struct measure *m, int64_t time_ps)
{
	return time_ps >= m->from_ps && time_ps < m->to_ps;
}

/* --- I/Os --- */

/* Who opens gates, and who waits at them. */
struct chain {
	uint32_t *teller; /* of each gate, the last flow that tells it; FLOW_NONE: none */
	uint32_t *gate;   /* of each flow, where it waits; FLOW_NONE: nowhere */
};

static void chain_new(struct chain *c, const struct gate_list *gates, uint32_t flow_count)
{
	c->teller = memory_grow(NULL, gates->gate_count, sizeof(*c->teller));
	c->gate = memory_grow(NULL, flow_count, sizeof(*c->gate));
	for (uint32_t i = 0; i < gates->gate_count; i++)
		c->teller[i] = FLOW_NONE;
	for (uint32_t i = 0; i < flow_count; i++)
		c->gate[i] = FLOW_NONE;
	for (uint32_t i = 0; i < gates->signal_count; i++)
		c->teller[gates->signals[i].gate] = gates->signals[i].flow;
	for (uint32_t i = 0; i < gates->wait_count; i++)
		c->gate[gates->waits[i].flow] = gates->waits[i].gate;
}

static void chain_free(struct chain *c)
{
	free(c->teller);
	free(c->gate);
}

/* From the answer back to the request of the same host, over the copies in between. FLOW_NONE:
 * there is none. */
static uint32_t request_of(const struct chain *c, const struct flow *flows, uint32_t answer)
{
	uint32_t flow = answer;

	do {
		if (c->gate[flow] == FLOW_NONE)
			return FLOW_NONE;
		flow = c->teller[c->gate[flow]];
	} while (flow != FLOW_NONE && flows[flow].src != flows[answer].dst);
	return flow;
}

/* I/Os of one kind that end in the measured interval: an answer without a block is that of a
 * write. */
static void operation_metrics(const struct measure *m, struct run_result *r, const struct chain *c,
			      uint8_t control, const enum metric_id *to)
{
	struct sample times = sample_new(r->flow_count);
	double seconds = weir_ps_to_s(m->to_ps - m->from_ps);
	int known = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *f = &r->flows[i];
		uint32_t request;

		if (!(f->flags & FLOW_ENDS_IO) || (f->flags & FLOW_IS_CONTROL) != control)
			continue;
		known = 1;
		request = is_measured(m, f->finish_ps) ? request_of(c, r->flows, i) : FLOW_NONE;
		if (request != FLOW_NONE)
			sample_add(&times, (double)(f->finish_ps - r->flows[request].start_ps) /
						   WEIR_PS_PER_NS);
	}
	sample_sort(&times);
	r->value[to[0]] = known && seconds > 0 ? times.count / seconds : NAN;
	r->value[to[1]] = sample_known_quantile(&times, 0.5);
	r->value[to[2]] = sample_known_quantile(&times, 0.99);
	free(times.values);
}

static void io_metrics(const struct measure *m, struct run_result *r)
{
	static const enum metric_id reads[] = { READ_IOPS, IO_READ_P50, IO_READ_P99 };
	static const enum metric_id writes[] = { WRITE_IOPS, IO_WRITE_P50, IO_WRITE_P99 };
	struct chain chain;

	chain_new(&chain, &m->engine->flows.gates, r->flow_count);
	operation_metrics(m, r, &chain, 0, reads);
	operation_metrics(m, r, &chain, FLOW_IS_CONTROL, writes);
	chain_free(&chain);
}

static double iops(const struct measure *m, const struct run_result *r)
{
	uint64_t ended = 0, known = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *f = &r->flows[i];

		if (!(f->flags & FLOW_ENDS_IO))
			continue;
		known++;
		if (is_measured(m, f->finish_ps))
			ended++;
	}
	if (!known || m->to_ps <= m->from_ps)
		return NAN;
	return (double)ended / weir_ps_to_s(m->to_ps - m->from_ps);
}

/* --- rounds --- */

/* As completion times are those of the flows that start in the interval, round times are those of
 * the rounds that start in it: if a round had to end in it as well, slow settings would lose more
 * rounds, and slower ones, than fast settings. A round that did not end is not counted; its flows
 * are among the unfinished. Of the last round some hosts may have begun before measure.to and
 * others not, whose flows then never start: that is no round.
 *
 * The flows of a section are in the order of making, but for those that start at a time, which come
 * first in both orders: they belong to its first round. */
static void round_metrics(const struct measure *m, struct run_result *r)
{
	struct round {
		int64_t first_ps, last_ps;
	} *rounds = memory_grow(NULL, m->config->traffic_count, sizeof(*rounds));
	struct sample times = sample_new(r->flow_count);

	for (uint32_t i = 0; i < m->config->traffic_count; i++)
		rounds[i] = (struct round){ WEIR_TIME_NEVER_PS, 0 };
	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *f = &r->flows[i];
		struct round *round = &rounds[f->traffic];
		int64_t finish_ps = f->finish_ps < 0 ? WEIR_TIME_NEVER_PS : f->finish_ps;

		if (f->start_ps < round->first_ps)
			round->first_ps = f->start_ps;
		if (finish_ps > round->last_ps)
			round->last_ps = finish_ps;
		if (!(f->flags & FLOW_ENDS_ROUND))
			continue;
		if (is_measured(m, round->first_ps) && round->last_ps != WEIR_TIME_NEVER_PS)
			sample_add(&times,
				   (double)(round->last_ps - round->first_ps) / WEIR_PS_PER_NS);
		*round = (struct round){ WEIR_TIME_NEVER_PS, 0 };
	}
	r->value[ROUND_MEAN] = sample_mean(&times);
	sample_sort(&times);
	r->value[ROUND_P50] = sample_known_quantile(&times, 0.5);
	r->value[ROUND_P99] = sample_known_quantile(&times, 0.99);
	free(times.values);
	free(rounds);
}

void metrics_of_applications(const struct measure *m, struct run_result *r)
{
	r->value[IOPS] = iops(m, r);
	io_metrics(m, r);
	round_metrics(m, r);
}
