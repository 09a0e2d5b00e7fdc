/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.c -- see outcome.h. */
#include "testbed/outcome.h"
#include "sim/measure/sample.h"
#include "weir/units.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set(struct run_result *r, const char *metric, double value)
{
	uint32_t i = 0;

	for (; strcmp(metric_all[i].name, metric) != 0; i++)
		assert(metric_all[i + 1].name);
	r->value[i] = value;
}

/* --- flows --- */

/* Alone in the network, as the simulator has it (sim/measure/metrics_flows.c): all segments but the
 * last are equal, and each is stored and forwarded over every link. */
static int64_t ideal_ps(const struct testbed_plan *p, const struct config *c, const struct flow *f)
{
	uint64_t mss = c->host.mss_bytes, segments = (f->size_bytes + mss - 1) / mss;
	uint32_t last = plan_wire_bytes(c, f->size_bytes - (segments - 1) * mss);
	int64_t first_ps = 0, slowest_ps = 0, done_ps = 0;
	struct route route;

	route_find(p->routes, f->src, f->dst, 0, 0, &route);
	for (uint32_t i = 0; i < route.hops; i++) {
		const struct net_link *l = &p->net.links[route.links[i]];
		uint64_t per_byte_q20 = weir_bps_to_ps_per_byte_q20(l->rate_bps);
		int64_t full_ps = weir_bytes_to_ps(plan_wire_bytes(c, mss), per_byte_q20);

		if (segments > 1) {
			int64_t before_ps;

			first_ps += full_ps;
			slowest_ps = full_ps > slowest_ps ? full_ps : slowest_ps;
			before_ps = first_ps + (int64_t)(segments - 2) * slowest_ps;
			done_ps = before_ps > done_ps ? before_ps : done_ps;
			first_ps += l->delay_ps;
		}
		done_ps += weir_bytes_to_ps(last, per_byte_q20) + l->delay_ps;
	}
	return done_ps;
}

static void list_flows(const struct testbed_plan *p, const struct config *c,
		       const struct bed_board *b, struct run_result *r)
{
	r->flow_count = p->flows.count;
	r->flows = memory_grow(NULL, r->flow_count + UINT64_C(1), sizeof(*r->flows));
	r->ideal_ps = memory_grow(NULL, r->flow_count + UINT64_C(1), sizeof(*r->ideal_ps));
	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct bed_flow *from = &b->flows[i];
		struct flow *to = &r->flows[i];

		*to = p->flows.flows[i];
		if (from->began_ns >= 0)
			to->start_ps = weir_ns_to_ps(from->began_ns);
		to->finish_ps = from->finish_ns >= 0 ? weir_ns_to_ps(from->finish_ns) : -1;
		r->ideal_ps[i] = to->size_bytes == FLOW_UNLIMITED ? -1 : ideal_ps(p, c, to);
	}
}

/* Completion times of the flows that start while it is measured. */
struct times {
	struct sample all, small, medium, large, slowdown;
	uint64_t started, completed, unfinished;
};

static void add_flow(struct times *t, const struct config *c, const struct flow *f, int64_t ideal)
{
	double fct_ps = (double)(f->finish_ps - f->start_ps);

	t->started++;
	t->unfinished += f->finish_ps < 0 && f->size_bytes != FLOW_UNLIMITED;
	if (f->finish_ps < 0)
		return;
	t->completed++;
	sample_add(&t->all, fct_ps / WEIR_PS_PER_NS);
	sample_add(f->size_bytes <= c->measure.small_bytes  ? &t->small
		   : f->size_bytes > c->measure.large_bytes ? &t->large
							    : &t->medium,
		   fct_ps / WEIR_PS_PER_NS);
	sample_add(&t->slowdown, fct_ps / (double)ideal);
}

static void set_times(struct times *t, struct run_result *r)
{
	sample_sort(&t->all);
	sample_sort(&t->small);
	sample_sort(&t->slowdown);
	set(r, "flows_started", (double)t->started);
	set(r, "flows_completed", (double)t->completed);
	set(r, "flows_unfinished", (double)t->unfinished);
	set(r, "fct_mean_ns", sample_mean(&t->all));
	set(r, "fct_p50_ns", sample_quantile(&t->all, 0.5));
	set(r, "fct_p99_ns", sample_quantile(&t->all, 0.99));
	set(r, "fct_p999_ns", sample_quantile(&t->all, 0.999));
	set(r, "fct_small_mean_ns", sample_mean(&t->small));
	set(r, "fct_small_p99_ns", sample_quantile(&t->small, 0.99));
	set(r, "fct_medium_mean_ns", sample_mean(&t->medium));
	set(r, "fct_large_mean_ns", sample_mean(&t->large));
	set(r, "slowdown_mean", sample_mean(&t->slowdown));
	set(r, "slowdown_p50", sample_quantile(&t->slowdown, 0.5));
	set(r, "slowdown_p99", sample_quantile(&t->slowdown, 0.99));
}

static void flow_metrics(const struct config *c, const struct bed_board *b, struct run_result *r)
{
	uint32_t n = r->flow_count + 1;
	struct times t = { .all = sample_new(n),
			   .small = sample_new(n),
			   .medium = sample_new(n),
			   .large = sample_new(n),
			   .slowdown = sample_new(n) };

	for (uint32_t i = 0; i < r->flow_count; i++) {
		int64_t start_ns =
			b->flows[i]
				.start_ns; /* as planned: which flows count is no matter of luck */

		if (start_ns >= b->from_ns && start_ns < b->to_ns)
			add_flow(&t, c, &r->flows[i], r->ideal_ps[i]);
	}
	set_times(&t, r);
	free(t.all.values);
	free(t.small.values);
	free(t.medium.values);
	free(t.large.values);
	free(t.slowdown.values);
}

/* --- hosts --- */

/* Between the two times at which a host counted. */
static double counted_ns(const struct bed_board *b, uint32_t host)
{
	return (double)(b->hosts[host].to.time_ns - b->hosts[host].from.time_ns);
}

/* What the flow received of it in a second. */
static double rate_bps(const struct bed_board *b, const struct bed_flow *f)
{
	return weir_bytes_to_bits((double)(f->to_bytes - f->from_bytes)) * (double)WEIR_NS_PER_S /
	       counted_ns(b, f->dst);
}

/* Of a flow that ended over all its life, of one that came later over what there was of it. */
static double own_rate_bps(const struct bed_board *b, const struct bed_flow *f)
{
	int64_t since_ns = f->start_ns > b->from_ns ? f->start_ns : b->from_ns;

	if (f->finish_ns >= 0)
		return weir_bytes_to_bits((double)f->size_bytes) * (double)WEIR_NS_PER_S /
		       (double)(f->finish_ns - f->began_ns);
	return rate_bps(b, f) * (double)(b->to_ns - b->from_ns) / (double)(b->to_ns - since_ns);
}

/* Rates of flows that ran while it was measured, and all of them together. Where measure.to is not
 * set, what the simulator calls goodput ends with the last start (measure_plan_goodput), a time at
 * which hosts count nothing here: it is unknown. */
static void rate_metrics(const struct config *c, const struct bed_board *b, struct run_result *r)
{
	double sum = 0, squares = 0, count = 0, largest = 0, goodput_bps = 0;
	int has_end = c->measure.to_ps > 0;

	for (uint32_t i = 0; i < b->flow_count; i++) {
		const struct bed_flow *f = &b->flows[i];
		double bps;

		goodput_bps += rate_bps(b, f);
		if (f->start_ns >= b->to_ns || f->stop_ns <= b->from_ns ||
		    (f->finish_ns >= 0 && f->finish_ns <= b->from_ns))
			continue;
		bps = own_rate_bps(b, f);
		sum += bps;
		squares += bps * bps;
		largest = fmax(largest, bps);
		count++;
	}
	set(r, "jain", squares > 0 ? sum * sum / (count * squares) : NAN);
	set(r, "unfair_ratio", sum > 0 ? largest * count / sum - 1 : NAN);
	set(r, "goodput_bps", has_end ? goodput_bps : NAN);
	set(r, "goodput_span_ns", has_end ? (double)(b->to_ns - b->from_ns) : NAN);
}

/* Marks are the switch's, over the time that it measured; packets are the receivers', over
 * theirs. */
static void host_metrics(const struct bed_board *b, struct run_result *r)
{
	double segments = 0, retransmits = 0, timeouts = 0, marks = 0;

	for (uint32_t i = 0; i < b->host_count; i++) {
		const struct bed_host *h = &b->hosts[i];

		segments += (double)(h->to.data_segments - h->from.data_segments) *
			    (double)(b->to_ns - b->from_ns) / counted_ns(b, i);
		retransmits += (double)(h->to.retransmits - h->from.retransmits);
		timeouts += (double)(h->to.timeouts - h->from.timeouts);
	}
	for (uint32_t i = 0; i < r->port_count; i++)
		marks += (double)r->ports[i].marks;
	set(r, "mark_fraction", segments > 0 ? marks / segments : NAN);
	set(r, "retransmits", retransmits);
	set(r, "timeouts", timeouts);
}

/* --- over time --- */

/* Payload that the flows of a section received, a series more for each probe that asks for it. */
static void add_series(const struct config *c, const struct bed_board *b, struct run_result *r)
{
	r->series = memory_grow(r->series, r->series_count + b->probe_count + UINT64_C(1),
				sizeof(*r->series));
	for (uint32_t i = 0; i < b->probe_count; i++) {
		const struct bed_probe *from = &b->probes[i];
		struct series *to = &r->series[r->series_count++];

		*to = (struct series){ .unit = "bps", .count = from->bins, .capacity = from->bins };
		snprintf(to->name, sizeof(to->name), "throughput traffic:%s",
			 c->traffic[from->section].name);
		to->time_ps = memory_grow(NULL, from->bins + UINT64_C(1), sizeof(*to->time_ps));
		to->value = memory_grow(NULL, from->bins + UINT64_C(1), sizeof(*to->value));
		for (uint32_t k = 0; k < from->bins; k++) {
			to->time_ps[k] = weir_ns_to_ps((k + 1) * from->every_ns);
			to->value[k] =
				weir_bytes_to_bits((double)bed_bins(b)[from->first_bin + k]) *
				(double)WEIR_NS_PER_S / (double)from->every_ns;
		}
	}
}

void outcome_add(const struct testbed_plan *p, const struct config *c, const struct bed_board *b,
		 struct run_result *r)
{
	list_flows(p, c, b, r);
	flow_metrics(c, b, r);
	rate_metrics(c, b, r);
	host_metrics(b, r);
	add_series(c, b, r);
}
