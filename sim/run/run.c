/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c -- one run from config to result: when measuring starts and ends, when the run is over, and
 * the audit of packets and bytes. Metrics are computed in sim/measure. */
#define _GNU_SOURCE
#include "base/compiler.h"
#include "sim/run/run.h"
#include "sim/measure/preview.h"
#include "base/text.h"
#include "config/plugin.h"
#include "sim/parallel/ranks.h"
#include "sim/measure/measure.h"
#include "sim/core/agents.h"
#include "sim/core/job_run.h"
#include "sim/traffic/job.h"
#include "base/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Barriers between checks of what changes slowly. */
enum { POLLS_BETWEEN_CHECKS = 1024 };

struct run_state {
	struct measure measure;
	const struct run_control *control;
	uint64_t polls; /* barriers so far */
	int partial;
	enum run_status error;     /* why the run was ended early; RUN_DONE: it was not */
	struct weir_error message; /* of that */
};

/* --- stops and polls --- */

/* At a stop: starts measuring, takes samples, ends measuring, checks the time limit, in this order.
 * Returns the next stop, or -1 where the run is over. */
static int64_t run_at_stop(struct measure *m, int64_t now_ps)
{
	if (m->phase == PHASE_BEFORE && now_ps >= m->from_ps) {
		measure_begin(m, m->from_ps);
		m->phase = PHASE_MEASURING;
	}
	probes_sample(m->probes, now_ps);
	if (m->phase == PHASE_MEASURING && now_ps == m->goodput_to_ps)
		measure_goodput(m);
	if (m->phase == PHASE_MEASURING && now_ps >= m->to_ps) {
		measure_end(m, m->to_ps);
		m->phase = PHASE_AFTER;
	}
	/* Flows that waited for others have measure.drain, too; and messages of jobs. */
	if (m->engine->last_opened_ps > 0 && (m->timed_ends || m->engine->flows.jobs) &&
	    m->engine->last_opened_ps + (int64_t)m->config->measure.drain_ps > m->limit_ps)
		m->limit_ps = m->engine->last_opened_ps + (int64_t)m->config->measure.drain_ps;
	if (now_ps >= m->limit_ps || (m->phase == PHASE_AFTER && measure_flows_done(m)))
		return -1;

	int64_t next_ps = m->phase == PHASE_BEFORE ? m->from_ps : m->limit_ps;
	int64_t sample_ps = probes_next_ps(m->probes);

	if (m->phase == PHASE_MEASURING && m->to_ps < next_ps)
		next_ps = m->to_ps;
	if (m->phase == PHASE_MEASURING && m->goodput_to_ps > now_ps && m->goodput_to_ps < next_ps)
		next_ps = m->goodput_to_ps;
	return sample_ps < next_ps ? sample_ps : next_ps;
}

/* Runs the audit that tests ask for at this barrier. 1: packets or bytes do not add up. */
static int run_fails_audit(struct run_state *r)
{
	const struct run_control *control = r->control;
	const struct measure *m = &r->measure;

	if (!control->audit_windows || r->polls % control->audit_windows != 0 ||
	    !audit_run(m->engine, &r->message))
		return 0;
	weir_error_prefix(&r->message, "at %s: ", format_exact_ps((uint64_t)m->now_ps).text);
	return 1;
}

/* Errors that end a run without a result. */
static inline ALWAYS_INLINE enum run_status run_find_error(struct run_state *r)
{
	const struct measure *m = &r->measure;

	if (plugin_guard_error(m->engine->guard, &r->message))
		return RUN_PLUGIN_FAULT;
	if (jobs_failed(m->engine, &r->message))
		return RUN_REFUSED;
	if (r->polls % POLLS_BETWEEN_CHECKS == 0 && probes_overflow(m->probes, &r->message))
		return RUN_REFUSED;
	return RUN_DONE;
}

static void run_report_progress(const struct run_state *r)
{
	const struct measure *m = &r->measure;
	struct run_progress p = { .now_ps = m->now_ps, .end_ps = m->expected_ps };

	p.series = probes_so_far(m->probes, &p.series_count);
	r->control->progress(r->control->context, &p);
}

static int run_is_interrupted(const struct run_state *r)
{
	return r->control->stop && atomic_load_explicit(r->control->stop, memory_order_relaxed);
}

static inline ALWAYS_INLINE int run_is_complete(const struct run_state *r)
{
	const struct measure *m = &r->measure;

	if (r->control->progress && r->polls % POLLS_BETWEEN_CHECKS == 0)
		run_report_progress(r);
	return (m->phase == PHASE_AFTER || m->to_ps == WEIR_TIME_NEVER_PS) && measure_flows_done(m);
}

static int run_on_poll(void *context, int64_t now_ps)
{
	struct run_state *r = context;

	r->measure.now_ps = now_ps;
	r->polls++;
	r->error = run_find_error(r);
	if (!r->error && run_fails_audit(r))
		r->error = RUN_AUDIT_FAILED;
	if (r->error)
		return 1;
	if (run_is_interrupted(r)) {
		r->partial = 1;
		return 1;
	}
	return run_is_complete(r);
}

/* With ranks all end together, one round after a rank has found a reason. The audit is collective:
 * all ranks run it at the same barrier, whatever else they have found. */
static int run_on_poll_of_ranks(void *context, int64_t now_ps)
{
	struct run_state *r = context;
	struct ranks *ranks = r->measure.engine->ranks;
	uint64_t any = ranks->agreed.any;
	int audit_failed;

	r->measure.now_ps = now_ps;
	r->polls++;
	if (any) {
		r->partial = !(any & RANK_TROUBLED);
		return 1;
	}
	audit_failed = run_fails_audit(r);
	r->error = run_find_error(r);
	if (!r->error && audit_failed)
		r->error = RUN_AUDIT_FAILED;
	ranks->votes = (r->error ? RANK_TROUBLED : 0) | (run_is_interrupted(r) ? RANK_STOPPED : 0);
	return run_is_complete(r);
}

/* Sets the times at which to measure and to stop. -1: there is no traffic, or no end; message. */
static int run_plan_times(struct measure *m, const struct config *c, struct weir_error *e)
{
	const struct flow_list *flows = &m->engine->flows;
	int64_t last_start_ps = 0;
	int unlimited = 0;

	for (uint32_t i = 0; i < flows->count; i++) {
		const struct flow *f = &flows->flows[i];

		if (f->start_ps > last_start_ps && !(f->flags & FLOW_WAITS))
			last_start_ps = f->start_ps;
		if (f->size_bytes == FLOW_UNLIMITED)
			unlimited = 1;
		if (!(f->flags & FLOW_WAITS))
			m->timed_ends += flow_ends(f);
	}
	for (uint32_t i = 0; flows->jobs && i < flows->jobs->count; i++)
		if (flows->jobs->jobs[i].start_last_ps > last_start_ps)
			last_start_ps = flows->jobs->jobs[i].start_last_ps;
	if (!flows->count && !flows->jobs)
		return weir_error_set(
			e, "there is no traffic: add a [traffic NAME] section of a pattern "
			   "that has flows by itself");
	if (unlimited && !c->measure.to_ps)
		return weir_error_set(e, "measure.to: needed, because some flows are unlimited");
	m->from_ps = (int64_t)c->measure.from_ps;
	m->to_ps = c->measure.to_ps ? (int64_t)c->measure.to_ps : WEIR_TIME_NEVER_PS;
	m->expected_ps = c->measure.to_ps ? m->to_ps : last_start_ps;
	measure_plan_goodput(m, last_start_ps);
	m->limit_ps = (c->measure.to_ps && m->to_ps > last_start_ps ? m->to_ps : last_start_ps) +
		      (int64_t)c->measure.drain_ps;
	if (!m->timed_ends && !flows->jobs)
		m->limit_ps = m->to_ps;
	return 0;
}

/* --- building --- */

int build_engine(struct engine **e, struct network *net, const struct config *c,
		 const struct engine_plan *plan, struct weir_error *error)
{
	uint32_t ranks = plan->exchange ? plan->exchange->ranks : 1; /* each may have its machine */
	struct engine_plan own = *plan;
	struct flow_list flows = { 0 };
	int failed;

	if (network_build(net, &c->network, error))
		return -1;
	failed = traffic_generate(&flows, c, net, error) ||
		 memory_check(estimate_memory(c, net, flows.count) / ranks, "network", error);
	jobs_plan(&flows, &own);
	failed = failed || engine_new(e, c, net, &flows, &own, error) || jobs_start(*e, error);
	flow_list_free(&flows);
	return failed ? -1 : 0;
}

/* A capture finds a packet's message from the record that opened its connection on; records of
 * jobs' messages are reused. */
static int run_attach_taps(struct engine *e, const struct run_control *control,
			   struct weir_error *error)
{
	if (control->tap_count && e->flows.jobs)
		return weir_error_set(
			error,
			"captures are of flows, but traffic.%s is a job of messages; pattern = "
			"ring has flows",
			e->config->traffic[e->flows.jobs->jobs[0].traffic].name);
	e->taps = memory_grow(e->taps, e->tap_count + control->tap_count + UINT64_C(1),
			      sizeof(*e->taps));
	for (uint32_t i = 0; i < control->tap_count; i++) {
		const struct tap *t = &control->taps[i];
		int64_t link = link_find(e->net, t->port, error);

		if (link < 0)
			return weir_error_prefix(error, "capture of '%s': ", t->port);
		e->taps[e->tap_count++] = (struct engine_tap){ (uint32_t)link, t->see, t->context,
							       control->taps_see_frames };
		engine_egress(e, (uint32_t)link)->to |= EGRESS_SLOW_PATH;
	}
	return 0;
}

/* Captures and rollouts need all packets in one process. */
static int run_check_ranks(const struct run_control *control, struct weir_error *e)
{
	if (!control->exchange || (!control->tap_count && !control->rollout))
		return 0;
	return weir_error_set(e, "ranks: %s by one process; take threads",
			      control->rollout ? "controls are trained" : "captures are written");
}

static int run_build(struct run_state *run, const struct config *c, struct run_result *r,
		     struct weir_error *e)
{
	const struct run_control *control = run->control;
	struct measure *m = &run->measure;
	const struct engine_plan plan_of_engine = { .threads = control->threads,
						    .adapts = control->adapts,
						    .rollout = control->rollout,
						    .exchange = control->exchange };

	if (run_check_ranks(control, e))
		return -1;
	return build_engine(&m->engine, &r->network, c, &plan_of_engine, e) ||
			       run_plan_times(m, c, e) || measure_new(m, c, e) ||
			       run_attach_taps(m->engine, control, e)
		       ? -1
		       : 0;
}

/* --- running --- */

/* The error of the first rank that has one; *error is its message. Collective. */
static enum run_status run_agree_on_error(struct engine *e, enum run_status status,
					  struct weir_error *error)
{
	struct exchange *x = e->ranks ? e->ranks->exchange : NULL;
	struct end {
		enum run_status status;
		struct weir_error error;
	} end = { status, { "" } };

	if (!x)
		return status;
	if (status)
		end.error = *error;
	exchange_append_own(x, &end, sizeof(end));
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++) {
		memcpy(&end, x->in[i].bytes, sizeof(end));
		if (!end.status)
			continue;
		*error = end.error;
		return end.status;
	}
	return RUN_DONE;
}

/* Is the result valid? The final audit runs unless some rank ended the run with an error. */
static enum run_status run_verify(struct run_state *r, struct weir_error *error)
{
	struct engine *e = r->measure.engine;
	enum run_status status;

	/* Errors of the last window. */
	if (!r->error && plugin_guard_error(e->guard, &r->message))
		r->error = RUN_PLUGIN_FAULT;
	if (!r->error && jobs_failed(e, &r->message))
		r->error = RUN_REFUSED;
	if (r->error)
		*error = r->message;
	status = run_agree_on_error(e, r->error, error);
	return status ? status
		      : run_agree_on_error(e, audit_run(e, error) ? RUN_AUDIT_FAILED : RUN_DONE,
					   error);
}

static enum run_status run_simulate(struct run_state *run, struct run_result *r,
				    struct weir_error *error)
{
	const struct run_control *control = run->control;
	struct measure *m = &run->measure;
	enum run_status status;
	enum engine_status ended = ENGINE_AT_STOP;
	int64_t cpu_ns;

	m->engine->on_poll = control->exchange ? run_on_poll_of_ranks : run_on_poll;
	m->engine->context = run;
	cpu_ns = clock_cpu_ns();
	for (int64_t stop_ps = 0; stop_ps >= 0 && ended == ENGINE_AT_STOP;) {
		ended = agents_advance_until(m->engine, stop_ps, error);
		if (ended == ENGINE_AT_STOP)
			stop_ps = run_at_stop(m, stop_ps);
	}
	if (ended == ENGINE_REFUSED && control->exchange) /* the other ranks do not know */
		exchange_lost(control->exchange, control->exchange->rank, error->text);
	if (ended == ENGINE_REFUSED)
		return RUN_FAILED;
	m->cpu_seconds = 1e-9 * (double)(clock_cpu_ns() - cpu_ns);
	/* A run that was interrupted, or cut off, measures up to where it got: there is no poll
	 * after the last window. */
	m->now_ps = m->engine->workers[0].limit_ps;
	if (m->phase == PHASE_MEASURING)
		measure_end(m, m->now_ps < m->to_ps ? m->now_ps : m->to_ps);
	status = run_verify(run, error);
	gather_results(m);
	deadlock_find(m->engine, &r->deadlock);
	if (control->exchange && control->exchange->rank > 0)
		return status;
	partition_find(m->engine, m->now_ps, &r->partition);
	weir_packet_store_forget(&m->engine->store); /* returns memory, for the results */
	measure_results(m, r);
	r->partial = run->partial;
	return status;
}

/* RUN_ONLY_BUILT: what is known without a simulation. Moves the flows to the result: there may be
 * millions of them, and the engine does not run. */
static void run_take_built(struct engine *e, struct run_result *r)
{
	r->estimate = estimate_run(e);
	r->paths = path_survey_flows(e);
	if (e->flows.jobs) {
		r->job_count = e->flows.jobs->count;
		r->jobs = memory_grow(NULL, r->job_count, sizeof(*r->jobs));
	}
	for (uint32_t i = 0; i < r->job_count; i++)
		r->jobs[i] = job_estimate_of(e, i);
	r->flow_count = e->flows.count;
	r->flows = e->flows.flows;
	e->flows.flows = NULL;
}

int run(const struct config *c, const struct run_control *control, struct run_result *r,
	struct weir_error *error)
{
	struct run_state state = { .measure = { .config = c }, .control = control };
	struct measure *m = &state.measure;
	int64_t begin_ns = clock_ns();
	int status;

	memset(r, 0, sizeof(*r));
	status = run_build(&state, c, r, error);
	if (status == RUN_DONE && control->extent == RUN_ONLY_BUILT)
		run_take_built(m->engine, r);
	else if (status == RUN_DONE)
		status = run_simulate(&state, r, error);
	r->wall_seconds = 1e-9 * (double)(clock_ns() - begin_ns);
	measure_free(m);
	if (m->engine)
		engine_free(m->engine);
	if (status == RUN_REFUSED || status == RUN_FAILED)
		run_result_free(r);
	return status;
}

void run_result_free(struct run_result *r)
{
	free(r->flows);
	free(r->jobs);
	free(r->ideal_ps);
	free(r->section_value);
	free(r->ports);
	free(r->pauses);
	series_free(r->series, r->series_count);
	network_free(&r->network);
	memset(r, 0, sizeof(*r));
}
