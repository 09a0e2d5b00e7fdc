/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c -- one run from config to result: when measuring begins and ends, when the run is over, and
 * whether every packet and byte is accounted for. The numbers are made in metrics.c. */
#define _GNU_SOURCE
#include "base/compiler.h"
#include "sim/run/run.h"
#include "sim/run/build.h"
#include "base/text.h"
#include "config/plugin.h"
#include "sim/parallel/ranks.h"
#include "sim/measure/audit.h"
#include "sim/measure/gather.h"
#include "sim/measure/measure.h"
#include "sim/core/agents.h"
#include "base/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLLS_BETWEEN_LOOKS = 1024 };

/* A run that goes on. */
struct course {
	struct measure measure;
	const struct run_control *control;
	uint64_t polls; /* windows so far */
	int partial;
	enum run_status trouble;   /* RUN_DONE, or why the run was ended in the middle ... */
	struct weir_error message; /* ... in words */
};

/* --- the course of a run --- */

/* What is to be done at a stop; returns the next one, or -1 where the run is over. In order:
 * measuring begins, samples, measuring ends, time is up. A stop may be all of them. */
static int64_t at_stop(struct measure *m, int64_t now_ps)
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
	/* Flows that waited for others have their time too. */
	if (m->engine->last_opened_ps > 0 && m->timed_ends &&
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

/* Packets and bytes do not add up, where that is to be looked at now. */
static int is_broken(struct course *r)
{
	const struct run_control *control = r->control;
	const struct measure *m = &r->measure;

	if (!control->audit_windows || r->polls % control->audit_windows != 0 ||
	    !audit(m->engine, &r->message))
		return 0;
	weir_error_prefix(&r->message, "at %s: ", format_exact_ps((uint64_t)m->now_ps).text);
	return 1;
}

/* Has something happened after which there is no result? */
static inline ALWAYS_INLINE enum run_status find_trouble(struct course *r)
{
	const struct measure *m = &r->measure;

	if (plugin_guard_error(m->engine->guard, &r->message))
		return RUN_PLUGIN_FAULT;
	if (r->polls % POLLS_BETWEEN_LOOKS == 0 && probes_overflow(m->probes, &r->message))
		return RUN_REFUSED;
	return RUN_DONE;
}

static void tell_progress(const struct course *r)
{
	const struct measure *m = &r->measure;
	struct run_progress p = { .now_ps = m->now_ps, .end_ps = m->expected_ps };

	p.series = probes_so_far(m->probes, &p.series_count);
	r->control->progress(r->control->context, &p);
}

static int is_stopped(const struct course *r)
{
	return r->control->stop && atomic_load_explicit(r->control->stop, memory_order_relaxed);
}

static inline ALWAYS_INLINE int go_on(const struct course *r)
{
	const struct measure *m = &r->measure;

	if (r->control->progress && r->polls % POLLS_BETWEEN_LOOKS == 0)
		tell_progress(r);
	return (m->phase == PHASE_AFTER || m->to_ps == WEIR_TIME_NEVER_PS) && measure_flows_done(m);
}

static int on_poll(void *context, int64_t now_ps)
{
	struct course *r = context;

	r->measure.now_ps = now_ps;
	r->polls++;
	r->trouble = find_trouble(r);
	if (!r->trouble && is_broken(r))
		r->trouble = RUN_AUDIT_FAILED;
	if (r->trouble)
		return 1;
	if (is_stopped(r)) {
		r->partial = 1;
		return 1;
	}
	return go_on(r);
}

/* Where there are other ranks all end together, one window after somebody has found a reason.
 * Whether it adds up all ask at the same time, whatever else they have found. */
static int on_poll_of_ranks(void *context, int64_t now_ps)
{
	struct course *r = context;
	struct ranks *ranks = r->measure.engine->ranks;
	uint64_t any = ranks->agreed.any;
	int broken;

	r->measure.now_ps = now_ps;
	r->polls++;
	if (any) {
		r->partial = !(any & RANK_TROUBLED);
		return 1;
	}
	broken = is_broken(r);
	r->trouble = find_trouble(r);
	if (!r->trouble && broken)
		r->trouble = RUN_AUDIT_FAILED;
	ranks->votes = (r->trouble ? RANK_TROUBLED : 0) | (is_stopped(r) ? RANK_STOPPED : 0);
	return go_on(r);
}

/* From the config: when to measure and when to stop. */
static int plan(struct measure *m, const struct config *c, struct weir_error *e)
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
	if (!flows->count)
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
	if (!m->timed_ends)
		m->limit_ps = m->to_ps;
	return 0;
}

/* --- the run --- */

static int attach_taps(struct engine *e, const struct run_control *control,
		       struct weir_error *error)
{
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

/* What one process has to see by itself. */
static int check_ranks(const struct run_control *control, struct weir_error *e)
{
	if (!control->exchange || (!control->tap_count && !control->rollout))
		return 0;
	return weir_error_set(e, "ranks: %s by one process; take threads",
			      control->rollout ? "controls are trained" : "captures are written");
}

static int prepare(struct course *course, const struct config *c, struct run_result *r,
		   struct weir_error *e)
{
	const struct run_control *control = course->control;
	struct measure *m = &course->measure;
	const struct engine_plan plan_of_engine = { .threads = control->threads,
						    .adapts = control->adapts,
						    .rollout = control->rollout,
						    .exchange = control->exchange };

	if (check_ranks(control, e))
		return -1;
	return build_engine(&m->engine, &r->network, c, &plan_of_engine, e) || plan(m, c, e) ||
			       measure_new(m, c, e) || attach_taps(m->engine, control, e)
		       ? -1
		       : 0;
}

/* What one rank has found holds for all: the status and message of the first that has one. */
static enum run_status agree_on_end(struct engine *e, enum run_status status,
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

/* May the run be believed? Sums are checked where the run was not ended for a reason of its own, at
 * any rank. */
static enum run_status judge(struct course *r, struct weir_error *error)
{
	struct engine *e = r->measure.engine;
	enum run_status status;

	/* In the last window, too. */
	if (!r->trouble && plugin_guard_error(e->guard, &r->message))
		r->trouble = RUN_PLUGIN_FAULT;
	if (r->trouble)
		*error = r->message;
	status = agree_on_end(e, r->trouble, error);
	return status ? status
		      : agree_on_end(e, audit(e, error) ? RUN_AUDIT_FAILED : RUN_DONE, error);
}

/* The whole course, and what came of it. */
static enum run_status carry_out(struct course *course, struct run_result *r,
				 struct weir_error *error)
{
	const struct run_control *control = course->control;
	struct measure *m = &course->measure;
	enum run_status status;
	enum engine_status leg = ENGINE_AT_STOP;
	int64_t cpu_ns;

	m->engine->on_poll = control->exchange ? on_poll_of_ranks : on_poll;
	m->engine->context = course;
	cpu_ns = clock_cpu_ns();
	for (int64_t stop_ps = 0; stop_ps >= 0 && leg == ENGINE_AT_STOP;) {
		leg = agents_advance_until(m->engine, stop_ps, error);
		if (leg == ENGINE_AT_STOP)
			stop_ps = at_stop(m, stop_ps);
	}
	if (leg == ENGINE_REFUSED && control->exchange) /* the others do not know */
		exchange_lost(control->exchange, control->exchange->rank, error->text);
	if (leg == ENGINE_REFUSED)
		return RUN_FAILED;
	m->cpu_seconds = 1e-9 * (double)(clock_cpu_ns() - cpu_ns);
	/* An interrupted run measures up to where it got. */
	if (m->phase == PHASE_MEASURING)
		measure_end(m, m->now_ps < m->to_ps ? m->now_ps : m->to_ps);
	status = judge(course, error);
	gather_results(m);
	deadlock_find(m->engine, &r->deadlock);
	if (control->exchange && control->exchange->rank > 0)
		return status;
	partition_find(m->engine, m->now_ps, &r->partition);
	weir_packet_store_forget(&m->engine->store); /* room for the results */
	measure_results(m, r);
	r->partial = course->partial;
	return status;
}

/* What was built, for whoever wants to know before anything runs. */
/* The engine, which is not run, has no more use for its flows: there may be millions. */
static void show_built(struct engine *e, struct run_result *r)
{
	r->estimate = estimate_run(e);
	r->ways = path_survey_flows(e);
	r->flow_count = e->flows.count;
	r->flows = e->flows.flows;
	e->flows.flows = NULL;
}

int run(const struct config *c, const struct run_control *control, struct run_result *r,
	struct weir_error *error)
{
	struct course course = { .measure = { .config = c }, .control = control };
	struct measure *m = &course.measure;
	int64_t begin_ns = clock_ns();
	int status;

	memset(r, 0, sizeof(*r));
	status = prepare(&course, c, r, error);
	if (status == RUN_DONE && control->extent == RUN_ONLY_BUILT)
		show_built(m->engine, r);
	else if (status == RUN_DONE)
		status = carry_out(&course, r, error);
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
	free(r->ideal_ps);
	free(r->section_value);
	free(r->ports);
	free(r->pauses);
	series_free(r->series, r->series_count);
	network_free(&r->network);
	memset(r, 0, sizeof(*r));
}
