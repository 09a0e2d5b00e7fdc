/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c -- see gather.h. Every rank but the first gives, in one order: its links, its flows'
 * ends and starts, series, sums. Both sides know whose is what, so numbers need not be sent. */
#include "sim/measure/gather.h"
#include "sim/measure/probe_set.h"
#include "sim/core/switch_pfc.h"
#include <stdlib.h>
#include <sys/resource.h>

/* Rank 0 takes where the others give: one walk describes both. */
struct mover {
	struct measure *m;
	struct exchange_stream stream;
	uint32_t rank; /* whose it is */
	int gives;
};

static void move(struct mover *v, void *bytes, size_t size)
{
	if (v->gives)
		exchange_put(&v->stream, bytes, size);
	else
		exchange_get(&v->stream, bytes, size);
}

static int is_of(const struct mover *v, uint32_t node)
{
	return v->m->engine->ranks->rank_of[node] == v->rank;
}

static int has_host(const struct mover *v, uint32_t host)
{
	return is_of(v, v->m->engine->net->host_node[host]);
}

/* --- ports --- */

/* Statistics as long as they are; of a port that has none, none. */
static void move_stats(struct mover *v, struct weir_port_stats **stats)
{
	struct weir_port_sojourns *waits = v->gives && *stats ? (*stats)->sojourns : NULL;
	struct {
		uint32_t buckets, waits;
	} has = { *stats ? (*stats)->buckets : 0, waits != NULL };

	move(v, &has, sizeof(has));
	if (!has.buckets)
		return;
	if (!v->gives)
		*stats = memory_zeroed(1, weir_port_stats_size(has.buckets));
	move(v, *stats, weir_port_stats_size(has.buckets));
	if (has.waits && !v->gives)
		waits = memory_zeroed(1, sizeof(*waits));
	if (has.waits)
		move(v, waits, sizeof(*waits));
	if (!v->gives) {
		(*stats)->on_change = NULL;
		(*stats)->grow = NULL;
		(*stats)->sojourns = waits;
	}
}

static void move_links(struct mover *v)
{
	struct measure *m = v->m;
	const struct network *net = m->engine->net;

	for (uint32_t i = 0; i < net->link_count; i++) {
		struct port_end end;

		if (!is_of(v, net->links[i].from))
			continue;
		end = measure_port_end(m, i);
		move(v, &end, sizeof(end));
		if (!v->gives)
			m->ends[i] = end;
		move(v, &m->ports[i], sizeof(m->ports[i]));
		move_stats(v, &m->stats[i]);
		if (!m->pauses)
			continue;
		move(v, &m->pauses[i], sizeof(m->pauses[i]));
		move(v, &m->engine->pauses[i], sizeof(m->engine->pauses[i]));
	}
}

/* --- flows --- */

static void move_part(struct mover *v, uint32_t flow)
{
	uint64_t bytes = v->gives ? measure_part_bytes(v->m, flow) : 0;

	move(v, &bytes, sizeof(bytes));
	if (!v->gives)
		v->m->parts[flow] = bytes;
}

/* The sender knows when it began and where it lies on its connection, the receiver the rest. */
static void move_flows(struct mover *v)
{
	struct engine *e = v->m->engine;

	for (uint32_t i = 0; i < e->flows.count; i++) {
		struct flow *f = flow_at(e, i);

		if (has_host(v, f->src)) {
			move(v, &f->start_ps, sizeof(f->start_ps));
			move(v, &f->next, sizeof(f->next));
			move(v, &f->end_segment, sizeof(f->end_segment));
			if (e->acked_ps)
				move(v, &e->acked_ps[i], sizeof(e->acked_ps[i]));
		}
		if (has_host(v, f->dst)) {
			move(v, &f->finish_ps, sizeof(f->finish_ps));
			move(v, &v->m->flow_bytes[i], sizeof(v->m->flow_bytes[i]));
			move_part(v, i);
		}
	}
}

/* --- series --- */

static void move_series(struct mover *v)
{
	struct probe_set *set = v->m->probes;

	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct series *s = &set->series[set->probes[i].series];

		if (probe_rank(&set->probes[i]) != v->rank)
			continue;
		move(v, &s->count, sizeof(s->count));
		if (!v->gives && s->count) {
			s->capacity = s->count;
			s->time_ps = memory_grow(s->time_ps, s->count, sizeof(*s->time_ps));
			s->value = memory_grow(s->value, s->count, sizeof(*s->value));
		}
		move(v, s->time_ps, s->count * sizeof(*s->time_ps));
		move(v, s->value, s->count * sizeof(*s->value));
	}
}

/* --- sums --- */

/* All but the last are added up; memory is that of the largest. */
static void move_sums(struct mover *v)
{
	struct measure *m = v->m;
	struct rusage usage;
	struct {
		struct host_counts hosts;
		double cpu_seconds;
		int64_t peak_kib;
	} s = { m->hosts, m->cpu_seconds, 0 };

	getrusage(RUSAGE_SELF, &usage);
	s.peak_kib = usage.ru_maxrss;
	move(v, &s, sizeof(s));
	if (v->gives)
		return;
	m->hosts.data_pkts += s.hosts.data_pkts;
	m->hosts.marked_pkts += s.hosts.marked_pkts;
	m->hosts.goodput_bytes += s.hosts.goodput_bytes;
	m->hosts.retransmits += s.hosts.retransmits;
	m->hosts.timeouts += s.hosts.timeouts;
	m->hosts.small_flow_timeouts += s.hosts.small_flow_timeouts;
	m->hosts.retransmitted_flows += s.hosts.retransmitted_flows;
	m->hosts.arrival_bytes += s.hosts.arrival_bytes;
	m->cpu_seconds += s.cpu_seconds;
	if (s.peak_kib > m->peak_kib)
		m->peak_kib = s.peak_kib;
}

static void move_all(struct mover *v)
{
	move_links(v);
	move_flows(v);
	move_series(v);
	move_sums(v);
	if (v->gives)
		exchange_flush(&v->stream);
	free(v->stream.buffer.bytes);
}

static void gather_new(struct measure *m)
{
	m->ends = memory_new(m->engine->net->link_count, sizeof(*m->ends));
	m->parts = memory_new(m->engine->flows.count, sizeof(*m->parts));
}

void gather_results(struct measure *m)
{
	const struct ranks *r = m->engine->ranks;

	if (!r)
		return;
	if (r->exchange->rank == 0)
		gather_new(m);
	for (uint32_t i = 1; i < r->exchange->ranks; i++) {
		struct mover v = {
			m, { r->exchange, i, { NULL, 0, 0 }, 0 }, i, r->exchange->rank == i
		};

		if (r->exchange->rank == 0 || v.gives)
			move_all(&v);
	}
}

void gather_free(struct measure *m)
{
	const struct engine *e = m->engine;

	for (uint32_t i = 0; m->ends && i < e->net->link_count; i++)
		if (!engine_owns_link(e, i) && m->stats[i]) {
			free(m->stats[i]->sojourns);
			free(m->stats[i]);
		}
	memory_free(m->ends, e->net->link_count, sizeof(*m->ends));
	memory_free(m->parts, e->flows.count, sizeof(*m->parts));
}
