/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_apps.c -- application metrics: rate and latency of I/Os by operation, and duration of the
 * rounds of training jobs and collectives. */
#include "sim/measure/metrics.h"
#include "sim/measure/sample.h"

static int measure_contains(const struct measure *m, int64_t time_ps)
{
	return time_ps >= m->from_ps && time_ps < m->to_ps;
}

/* --- I/Os --- */

/* The gates between the flows of an I/O. */
struct chain {
	uint32_t *opener; /* per gate: the last flow that opens it; FLOW_NONE: none */
	uint32_t *gate;   /* per flow: the gate that it waits for; FLOW_NONE: none */
};

static void chain_new(struct chain *c, const struct gate_list *gates, uint32_t flow_count)
{
	c->opener = memory_grow(NULL, gates->gate_count, sizeof(*c->opener));
	c->gate = memory_grow(NULL, flow_count, sizeof(*c->gate));
	for (uint32_t i = 0; i < gates->gate_count; i++)
		c->opener[i] = FLOW_NONE;
	for (uint32_t i = 0; i < flow_count; i++)
		c->gate[i] = FLOW_NONE;
	for (uint32_t i = 0; i < gates->signal_count; i++)
		c->opener[gates->signals[i].gate] = gates->signals[i].flow;
	for (uint32_t i = 0; i < gates->wait_count; i++)
		c->gate[gates->waits[i].flow] = gates->waits[i].gate;
}

/* Follows the gates from an answer back to the request of the same host, through replication flows.
 * FLOW_NONE: there is none. */
static uint32_t chain_request(const struct chain *c, const struct flow *flows, uint32_t answer)
{
	uint32_t flow = answer;

	do {
		if (c->gate[flow] == FLOW_NONE)
			return FLOW_NONE;
		flow = c->opener[c->gate[flow]];
	} while (flow != FLOW_NONE && flows[flow].src != flows[answer].dst);
	return flow;
}

/* I/Os of one kind that end in the measured interval; the answer to a write is a control flow. */
static void metrics_of_operation(const struct measure *m, struct run_result *r,
				 const struct chain *c, uint8_t control, const enum metric_id *to)
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
		request = measure_contains(m, f->finish_ps) ? chain_request(c, r->flows, i)
							    : FLOW_NONE;
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

static void metrics_of_ios(const struct measure *m, struct run_result *r)
{
	static const enum metric_id reads[] = { READ_IOPS, IO_READ_P50, IO_READ_P99 };
	static const enum metric_id writes[] = { WRITE_IOPS, IO_WRITE_P50, IO_WRITE_P99 };
	struct chain chain;

	chain_new(&chain, &m->engine->flows.gates, r->flow_count);
	metrics_of_operation(m, r, &chain, 0, reads);
	metrics_of_operation(m, r, &chain, FLOW_IS_CONTROL, writes);
	free(chain.opener);
	free(chain.gate);
}

static double metrics_iops(const struct measure *m, const struct run_result *r)
{
	uint64_t ended = 0, known = 0;

	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *f = &r->flows[i];

		if (!(f->flags & FLOW_ENDS_IO))
			continue;
		known++;
		if (measure_contains(m, f->finish_ps))
			ended++;
	}
	if (!known || m->to_ps <= m->from_ps)
		return NAN;
	return (double)ended / weir_ps_to_s(m->to_ps - m->from_ps);
}

/* --- rounds --- */

/* Rounds that start in the interval, as completion times are those of flows that start in it: if a
 * round had to end in the interval too, slow settings would lose more rounds, and slower ones, than
 * fast settings. A round that did not end is not counted; its flows count as unfinished. In the
 * last round some hosts may have started before measure.to and others not, whose flows then never
 * start: it is not counted either.
 *
 * The flows of a section are in order of creation, except those with a start time, which come
 * first: they belong to its first round. */
static void metrics_of_rounds(const struct measure *m, struct run_result *r)
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
		if (measure_contains(m, round->first_ps) && round->last_ps != WEIR_TIME_NEVER_PS)
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
	r->value[IOPS] = metrics_iops(m, r);
	metrics_of_ios(m, r);
	metrics_of_rounds(m, r);
}
