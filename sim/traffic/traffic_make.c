/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_make.c -- what traffic patterns share: room, sizes, times and the checks on them. */
#include "sim/traffic/traffic_make.h"
#include "base/memory.h"
#include "base/text.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FLOWS_MAX ((uint64_t)FLOW_NONE - 1)

int maker_error(struct maker *m, const char *key, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return weir_error_set(m->e, "traffic.%s.%s: %s", m->t->name, key, text);
}

int maker_reserve(struct maker *m, uint64_t flows)
{
	struct flow_list *list = m->list;
	uint64_t wanted = list->count + flows;

	if (flows > FLOWS_MAX || wanted > FLOWS_MAX)
		return maker_error(m, "flows",
				   "%" PRIu64 " flows and %u of other sections; allowed are "
				   "%" PRIu64 " in all",
				   flows, list->count, FLOWS_MAX);
	if (wanted <= list->capacity)
		return 0;
	if (memory_check((double)wanted * FLOW_MEMORY_BYTES, "flows", m->e))
		return weir_error_prefix(m->e, "traffic.%s.", m->t->name);
	list->flows = memory_grow(list->flows, wanted, sizeof(*list->flows));
	list->capacity = (uint32_t)wanted;
	return 0;
}

/* Which of the section's classes a flow has, the first being 0. Flows take turns as they are made,
 * which is by size where a pattern draws sizes: so every class gets the same mix of them.
 *
 * Pairs: a sender's turn begins one class later than that of the sender before it, so that both the
 * pairs of one sender and those of one receiver are spread over all classes: for each sender their
 * numbers differ by 1 at most, for each receiver by 2. */
static uint64_t class_of(const struct maker *m, const struct flow_plan *p)
{
	const struct traffic_config *t = m->t;
	uint64_t turn = m->list->count - m->first;

	if (t->class_by == CLASS_BY_SENDER)
		turn = p->src;
	else if (t->class_by == CLASS_BY_RECEIVER)
		turn = p->dst;
	else if (t->class_by == CLASS_BY_PAIR)
		turn = (uint64_t)p->src + p->dst - (p->dst > p->src);
	return turn % t->classes;
}

void maker_add(struct maker *m, const struct flow_plan *p)
{
	const struct traffic_config *t = m->t;
	int has_stop = p->size_bytes == FLOW_UNLIMITED && m->stop_ps != 0;
	uint64_t class_id = t->class_id + class_of(m, p);

	assert(m->list->count < m->list->capacity && p->src != p->dst);
	m->list->flows[m->list->count++] = (struct flow){
		.start_ps = p->start_ps,
		.flags = p->start_ps == WEIR_TIME_NEVER_PS ? FLOW_WAITS : 0,
		.finish_ps = -1,
		.size_bytes = p->size_bytes,
		.stop_ps = has_stop ? (int64_t)m->stop_ps : WEIR_TIME_NEVER_PS,
		.src = p->src,
		.dst = p->dst,
		.connection = FLOW_NONE,
		.next = FLOW_NONE,
		.traffic = (uint16_t)(t - m->c->traffic),
		.class_id = (uint8_t)class_id,
		.tx = FLOW_NONE,
		.rx = FLOW_NONE,
	};
}

void maker_tie(struct maker *m, uint32_t flow, uint32_t gate, enum flow_tie kind)
{
	m->list->flows[flow].flags |= (uint8_t)kind;
	gates_tie(&m->list->gates, (struct gate_tie){ flow, gate, (uint32_t)kind });
}

uint32_t maker_other_host(struct maker *m, uint32_t host)
{
	uint32_t other = (uint32_t)weir_rng_below(&m->rng, m->net->host_count - 1);

	return other + (other >= host);
}

int64_t maker_start_in_span(struct maker *m)
{
	const struct weir_span_ps *span = &m->t->start;
	uint64_t length = (uint64_t)(span->last_ps - span->first_ps);

	return span->first_ps + (int64_t)weir_rng_below(&m->rng, length + 1);
}

int maker_check_receiver(struct maker *m, uint64_t receiver)
{
	if (receiver < m->net->host_count)
		return 0;
	return maker_error(m, "receiver", "%" PRIu64 "; hosts are 0 to %u", receiver,
			   m->net->host_count - 1);
}

int maker_senders(struct maker *m, uint64_t asked, uint32_t *senders)
{
	uint32_t others = m->net->host_count - 1;

	if (asked > others)
		return maker_error(m, "senders",
				   "%" PRIu64 ", but there are %u hosts besides the "
				   "receiver",
				   asked, others);
	*senders = asked ? (uint32_t)asked : others;
	return 0;
}

int maker_check_stop(struct maker *m, int is_unlimited)
{
	const struct traffic_config *t = m->t;

	if (m->stop_ps == 0)
		return 0;
	if (!is_unlimited)
		return maker_error(m, "stop", "%s, but only flows of unlimited size stop at a time",
				   format_exact_ps(m->stop_ps).text);
	if ((int64_t)m->stop_ps <= t->start.last_ps)
		return maker_error(m, "stop", "%s; must be after the last start, %s",
				   format_exact_ps(m->stop_ps).text,
				   format_exact_ps((uint64_t)t->start.last_ps).text);
	return 0;
}

int maker_check_endless(const struct maker *m, const struct flow_plan *p, struct weir_error *e)
{
	const struct traffic_config *t = m->t;

	if (p->size_bytes != FLOW_UNLIMITED)
		return 0;
	if (traffic_is_persistent(m->c, t))
		return weir_error_set(e, "an unlimited flow does not share a "
					 "connection; use connections = per-flow");
	if (m->stop_ps && (int64_t)m->stop_ps <= p->start_ps)
		return weir_error_set(e, "the flow does not start before the section's stop");
	if (!m->stop_ps && !m->c->measure.to_ps)
		return weir_error_set(e, "an unlimited flow never ends; give stop or measure.to");
	return 0;
}

int maker_any_endless(const struct maker *m, uint32_t since)
{
	for (uint32_t i = since; i < m->list->count; i++)
		if (m->list->flows[i].size_bytes == FLOW_UNLIMITED)
			return 1;
	return 0;
}

int maker_window(struct maker *m, uint64_t flows, struct arrival_window *w)
{
	const struct weir_span_ps *start = &m->t->start;
	int64_t to_ps = (int64_t)m->c->measure.to_ps;

	w->first_ps = start->first_ps;
	w->length_ps = 0;
	if (start->first_ps != start->last_ps) {
		if (flows)
			return maker_error(m, "start",
					   "%s..%s says when arrivals end, "
					   "and so does flows = %" PRIu64 "; give one of the two",
					   format_exact_ps((uint64_t)start->first_ps).text,
					   format_exact_ps((uint64_t)start->last_ps).text, flows);
		w->length_ps = (double)(start->last_ps - start->first_ps);
		return 0;
	}
	if (flows)
		return 0;
	if (to_ps == 0)
		return maker_error(m, "flows",
				   "not given; say how many flows, or until when they arrive "
				   "by measure.to or start = 0ms..100ms");
	if (to_ps <= start->first_ps)
		return maker_error(m, "start", "%s; must be before measure.to = %s",
				   format_exact_ps((uint64_t)start->first_ps).text,
				   format_exact_ps((uint64_t)to_ps).text);
	w->length_ps = (double)(to_ps - start->first_ps);
	return 0;
}

/* --- sizes --- */

int sizes_open(struct flow_sizes *s, struct maker *m, uint64_t size_bytes, const char *sizes,
	       enum sizes_allowed allowed)
{
	const struct traffic_config *t = m->t;

	s->workload = NULL;
	s->fixed_bytes = size_bytes;
	if (size_bytes && sizes[0])
		return maker_error(m, "sizes", "%s, but size is given too; one of the two",
				   weir_quote(sizes).text);
	if (size_bytes == FLOW_UNLIMITED && allowed == SIZES_FINITE)
		return maker_error(m, "size",
				   "unlimited, but flows of pattern %s end; many-to-one and "
				   "permutation have such that do not",
				   t->pattern);
	if (size_bytes)
		return 0;
	if (!sizes[0])
		return maker_error(m, "sizes",
				   "not given; how large are the flows? Give a distribution, as "
				   "in sizes = websearch, or size = 1MB");
	if (workload_new(&s->workload, sizes, m->e))
		return weir_error_prefix(m->e, "traffic.%s.sizes: ", t->name);
	return 0;
}

void sizes_close(struct flow_sizes *s)
{
	workload_free(s->workload);
	s->workload = NULL;
}

double sizes_mean_bytes(const struct flow_sizes *s)
{
	return s->fixed_bytes ? (double)s->fixed_bytes : workload_mean_bytes(s->workload);
}

uint64_t sizes_at(const struct flow_sizes *s, double u)
{
	const double below_one = 1 - 0x1p-53;

	if (s->fixed_bytes)
		return s->fixed_bytes;
	return workload_size(s->workload, u < below_one ? u : below_one);
}
