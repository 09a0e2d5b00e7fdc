/* SPDX-License-Identifier: BSD-3-Clause */
/* host_results.c -- converts what the testbed's hosts measured into results of a run. Contract in
 * testbed.h. */
#include "testbed/testbed.h"
#include "testbed/plan.h"
#include "sim/measure/sample.h"
#include "weir/units.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void outcome_set_metric(struct run_result *r, const char *metric, double value)
{
	uint32_t i = 0;

	for (; strcmp(metric_all[i].name, metric) != 0; i++)
		assert(metric_all[i + 1].name);
	r->value[i] = value;
}

/* --- flows --- */

/* FCT alone in the network, as in the simulator (sim/measure/metrics_flows.c): all segments but the
 * last are equal, and each is stored and forwarded over every link. */
static int64_t outcome_ideal_ps(const struct testbed_plan *p, const struct config *c,
				const struct flow *f)
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

static void outcome_list_flows(const struct testbed_plan *p, const struct config *c,
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
		r->ideal_ps[i] = to->size_bytes == FLOW_UNLIMITED ? -1 : outcome_ideal_ps(p, c, to);
	}
}

/* Completion times of the flows that start in the measurement interval. */
struct completion_times {
	struct sample all, small, medium, large, slowdown;
	uint64_t started, completed, unfinished;
};

static void outcome_add_flow(struct completion_times *t, const struct config *c,
			     const struct flow *f, int64_t ideal)
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

static void outcome_set_times(struct completion_times *t, struct run_result *r)
{
	sample_sort(&t->all);
	sample_sort(&t->small);
	sample_sort(&t->slowdown);
	outcome_set_metric(r, "flows_started", (double)t->started);
	outcome_set_metric(r, "flows_completed", (double)t->completed);
	outcome_set_metric(r, "flows_unfinished", (double)t->unfinished);
	outcome_set_metric(r, "fct_mean_ns", sample_mean(&t->all));
	outcome_set_metric(r, "fct_p50_ns", sample_quantile(&t->all, 0.5));
	outcome_set_metric(r, "fct_p99_ns", sample_quantile(&t->all, 0.99));
	outcome_set_metric(r, "fct_p999_ns", sample_quantile(&t->all, 0.999));
	outcome_set_metric(r, "fct_small_mean_ns", sample_mean(&t->small));
	outcome_set_metric(r, "fct_small_p99_ns", sample_quantile(&t->small, 0.99));
	outcome_set_metric(r, "fct_medium_mean_ns", sample_mean(&t->medium));
	outcome_set_metric(r, "fct_large_mean_ns", sample_mean(&t->large));
	outcome_set_metric(r, "slowdown_mean", sample_mean(&t->slowdown));
	outcome_set_metric(r, "slowdown_p50", sample_quantile(&t->slowdown, 0.5));
	outcome_set_metric(r, "slowdown_p99", sample_quantile(&t->slowdown, 0.99));
}

static void outcome_flow_metrics(const struct config *c, const struct bed_board *b,
				 struct run_result *r)
{
	uint32_t n = r->flow_count + 1;
	struct completion_times t = { .all = sample_new(n),
				      .small = sample_new(n),
				      .medium = sample_new(n),
				      .large = sample_new(n),
				      .slowdown = sample_new(n) };

	for (uint32_t i = 0; i < r->flow_count; i++) {
		int64_t start_ns = b->flows[i].start_ns; /* planned start, so that the set of flows
							    does not depend on timing */

		if (start_ns >= b->from_ns && start_ns < b->to_ns)
			outcome_add_flow(&t, c, &r->flows[i], r->ideal_ps[i]);
	}
	outcome_set_times(&t, r);
	free(t.all.values);
	free(t.small.values);
	free(t.medium.values);
	free(t.large.values);
	free(t.slowdown.values);
}

/* --- hosts --- */

/* Time between the two readings of a host's counters. */
static double outcome_counted_ns(const struct bed_board *b, uint32_t host)
{
	return (double)(b->hosts[host].to.time_ns - b->hosts[host].from.time_ns);
}

/* The flow's receive rate in the measurement interval. */
static double outcome_rate_bps(const struct bed_board *b, const struct bed_flow *f)
{
	return weir_bytes_to_bits((double)(f->to_bytes - f->from_bytes)) * (double)WEIR_NS_PER_S /
	       outcome_counted_ns(b, f->dst);
}

/* For a completed flow its rate over its lifetime, else its rate over the part that was
 * measured. */
static double outcome_own_rate_bps(const struct bed_board *b, const struct bed_flow *f)
{
	int64_t since_ns = f->start_ns > b->from_ns ? f->start_ns : b->from_ns;

	if (f->finish_ns >= 0)
		return weir_bytes_to_bits((double)f->size_bytes) * (double)WEIR_NS_PER_S /
		       (double)(f->finish_ns - f->began_ns);
	return outcome_rate_bps(b, f) * (double)(b->to_ns - b->from_ns) /
	       (double)(b->to_ns - since_ns);
}

/* Rates of the flows active in the measurement interval, and their sum. If measure.to is not set,
 * the simulator's goodput interval ends with the last start (measure_plan_goodput), a time at which
 * hosts take no readings here, so goodput is unknown. */
static void outcome_rate_metrics(const struct config *c, const struct bed_board *b,
				 struct run_result *r)
{
	double sum = 0, squares = 0, count = 0, largest = 0, goodput_bps = 0;
	int has_end = c->measure.to_ps > 0;

	for (uint32_t i = 0; i < b->flow_count; i++) {
		const struct bed_flow *f = &b->flows[i];
		double bps;

		goodput_bps += outcome_rate_bps(b, f);
		if (f->start_ns >= b->to_ns || f->stop_ns <= b->from_ns ||
		    (f->finish_ns >= 0 && f->finish_ns <= b->from_ns))
			continue;
		bps = outcome_own_rate_bps(b, f);
		sum += bps;
		squares += bps * bps;
		largest = fmax(largest, bps);
		count++;
	}
	outcome_set_metric(r, "jain", squares > 0 ? sum * sum / (count * squares) : NAN);
	outcome_set_metric(r, "unfair_ratio", sum > 0 ? largest * count / sum - 1 : NAN);
	outcome_set_metric(r, "goodput_bps", has_end ? goodput_bps : NAN);
	outcome_set_metric(r, "goodput_span_ns", has_end ? (double)(b->to_ns - b->from_ns) : NAN);
}

/* Marks are counted by the switch over its interval, packets by the receivers over theirs. */
static void outcome_host_metrics(const struct bed_board *b, struct run_result *r)
{
	double segments = 0, retransmits = 0, timeouts = 0, marks = 0;

	for (uint32_t i = 0; i < b->host_count; i++) {
		const struct bed_host *h = &b->hosts[i];

		segments += (double)(h->to.data_segments - h->from.data_segments) *
			    (double)(b->to_ns - b->from_ns) / outcome_counted_ns(b, i);
		retransmits += (double)(h->to.retransmits - h->from.retransmits);
		timeouts += (double)(h->to.timeouts - h->from.timeouts);
	}
	for (uint32_t i = 0; i < r->port_count; i++)
		marks += (double)r->ports[i].marks;
	outcome_set_metric(r, "mark_fraction", segments > 0 ? marks / segments : NAN);
	outcome_set_metric(r, "retransmits", retransmits);
	outcome_set_metric(r, "timeouts", timeouts);
}

/* --- time series --- */

/* Goodput of a section's flows, one series per probe. */
static void outcome_add_series(const struct config *c, const struct bed_board *b,
			       struct run_result *r)
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
	outcome_list_flows(p, c, b, r);
	outcome_flow_metrics(c, b, r);
	outcome_rate_metrics(c, b, r);
	outcome_host_metrics(b, r);
	outcome_add_series(c, b, r);
}
