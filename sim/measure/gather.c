/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c -- collects the measurements of all ranks at rank 0, at the end of a run.
 *
 * Every other rank sends, in one order: its links, the ends and starts of its flows, its series,
 * its sums. Both sides know the partition of the network, so only values are sent. One walk
 * describes both directions. */
#include "sim/measure/measure.h"
#include "sim/traffic/job.h"
#include "sim/measure/probe_set.h"
#include "sim/core/switch_pfc.h"
#include <stdlib.h>
#include <sys/resource.h>

struct gather_stream {
	struct measure *m;
	struct exchange_stream stream;
	uint32_t rank; /* of the sender */
	int is_sender;
};

static void gather_value(struct gather_stream *v, void *bytes, size_t size)
{
	if (v->is_sender)
		exchange_put(&v->stream, bytes, size);
	else
		exchange_get(&v->stream, bytes, size);
}

static int gather_is_of(const struct gather_stream *v, uint32_t node)
{
	return v->m->engine->ranks->rank_of[node] == v->rank;
}

static int gather_has_host(const struct gather_stream *v, uint32_t host)
{
	return gather_is_of(v, v->m->engine->net->host_node[host]);
}

/* --- ports --- */

/* Statistics of a port, in their own length; none if the port has none. */
static void gather_stats(struct gather_stream *v, struct weir_port_stats **stats)
{
	struct weir_port_sojourns *waits = v->is_sender && *stats ? (*stats)->sojourns : NULL;
	struct {
		uint32_t buckets, waits;
	} has = { *stats ? (*stats)->buckets : 0, waits != NULL };

	gather_value(v, &has, sizeof(has));
	if (!has.buckets)
		return;
	if (!v->is_sender)
		*stats = memory_zeroed(1, weir_port_stats_size(has.buckets));
	gather_value(v, *stats, weir_port_stats_size(has.buckets));
	if (has.waits && !v->is_sender)
		waits = memory_zeroed(1, sizeof(*waits));
	if (has.waits)
		gather_value(v, waits, sizeof(*waits));
	if (!v->is_sender) {
		(*stats)->on_change = NULL;
		(*stats)->grow = NULL;
		(*stats)->sojourns = waits;
	}
}

static void gather_links(struct gather_stream *v)
{
	struct measure *m = v->m;
	const struct network *net = m->engine->net;

	for (uint32_t i = 0; i < net->link_count; i++) {
		struct port_end end;

		if (!gather_is_of(v, net->links[i].from))
			continue;
		end = measure_port_end(m, i);
		gather_value(v, &end, sizeof(end));
		if (!v->is_sender)
			m->ends[i] = end;
		gather_value(v, &m->ports[i], sizeof(m->ports[i]));
		gather_stats(v, &m->stats[i]);
		if (!m->pauses)
			continue;
		gather_value(v, &m->pauses[i], sizeof(m->pauses[i]));
		gather_value(v, &m->engine->pauses[i], sizeof(m->engine->pauses[i]));
	}
}

/* --- flows --- */

/* The rank of the sender knows the start and the place on the connection, that of the receiver the
 * rest. */
static void gather_flows(struct gather_stream *v)
{
	struct engine *e = v->m->engine;

	for (uint32_t i = 0; i < e->flows.count; i++) {
		struct flow *f = flow_at(e, i);

		if (gather_has_host(v, f->src)) {
			gather_value(v, &f->start_ps, sizeof(f->start_ps));
			gather_value(v, &f->next, sizeof(f->next));
			gather_value(v, &f->end_segment, sizeof(f->end_segment));
			if (e->acked_ps)
				gather_value(v, &e->acked_ps[i], sizeof(e->acked_ps[i]));
		}
		if (gather_has_host(v, f->dst)) {
			gather_value(v, &f->finish_ps, sizeof(f->finish_ps));
			gather_value(v, &v->m->flow_bytes[i], sizeof(v->m->flow_bytes[i]));

			uint64_t part_bytes = v->is_sender ? measure_part_bytes(v->m, i) : 0;

			gather_value(v, &part_bytes, sizeof(part_bytes));
			if (!v->is_sender)
				v->m->parts[i] = part_bytes;
		}
	}
}

/* --- jobs --- */

/* The rank of a host knows the iterations of the job's rank there, and what it has received. */
static void gather_jobs(struct gather_stream *v)
{
	const struct job_list *l = v->m->engine->flows.jobs;

	for (uint32_t i = 0; l && i < l->count; i++) {
		uint64_t bytes = v->m->job_bytes[i];

		gather_value(v, &bytes, sizeof(bytes));
		if (!v->is_sender)
			v->m->job_bytes[i] += bytes;
		for (uint32_t k = 0; k < l->jobs[i].rank_count; k++) {
			struct job_rank *r = &l->jobs[i].ranks[k];

			if (!gather_has_host(v, r->host))
				continue;
			gather_value(v, &r->iteration, sizeof(r->iteration));
			if (!v->is_sender)
				r->iterations = memory_grow(r->iterations, r->iteration,
							    sizeof(*r->iterations));
			gather_value(v, r->iterations, r->iteration * sizeof(*r->iterations));
		}
	}
}

/* --- series --- */

static void gather_series(struct gather_stream *v)
{
	struct probe_set *set = v->m->probes;

	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct series *s = &set->series[set->probes[i].series];

		if (probe_rank(&set->probes[i]) != v->rank)
			continue;
		gather_value(v, &s->count, sizeof(s->count));
		if (!v->is_sender && s->count) {
			s->capacity = s->count;
			s->time_ps = memory_grow(s->time_ps, s->count, sizeof(*s->time_ps));
			s->value = memory_grow(s->value, s->count, sizeof(*s->value));
		}
		gather_value(v, s->time_ps, s->count * sizeof(*s->time_ps));
		gather_value(v, s->value, s->count * sizeof(*s->value));
	}
}

/* --- sums --- */

/* Counters are summed; of memory the largest counts. */
static void gather_sums(struct gather_stream *v)
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
	gather_value(v, &s, sizeof(s));
	if (v->is_sender)
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

static void gather_rank(struct gather_stream *v)
{
	gather_links(v);
	gather_flows(v);
	gather_jobs(v);
	gather_series(v);
	gather_sums(v);
	if (v->is_sender)
		exchange_flush(&v->stream);
	free(v->stream.buffer.bytes);
}

void gather_results(struct measure *m)
{
	const struct ranks *r = m->engine->ranks;

	if (!r)
		return;
	if (r->exchange->rank == 0) {
		m->ends = memory_new(m->engine->net->link_count, sizeof(*m->ends));
		m->parts = memory_new(m->engine->flows.count, sizeof(*m->parts));
	}
	for (uint32_t i = 1; i < r->exchange->ranks; i++) {
		struct gather_stream v = {
			m, { r->exchange, i, { NULL, 0, 0 }, 0 }, i, r->exchange->rank == i
		};

		if (r->exchange->rank == 0 || v.is_sender)
			gather_rank(&v);
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
