/* run.c -- one run from config to result: when measuring begins and ends, when the run is over, and
 * whether every packet and byte is accounted for. The numbers are made in metrics.c. */
#define _GNU_SOURCE
#include "sim/audit.h"
#include "sim/deadlock.h"
#include "sim/estimate.h"
#include "sim/lossless.h"
#include "sim/measure.h"
#include "sim/partition.h"
#include "sim/plugin_guard.h"
#include "sim/time_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLLS_BETWEEN_LOOKS = 1024 };

static double clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the course of a run --- */

/* Order of stops: measuring begins, samples, measuring ends, time is up. A stop may be all of them. */
static int64_t on_stop(void *context, int64_t now_ps)
{
	struct measure *m = context;

	if (m->phase == PHASE_BEFORE && now_ps >= m->from_ps) {
		measure_begin(m, m->from_ps);
		m->phase = PHASE_MEASURING;
	}
	probes_sample(m->probes, now_ps);
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
	return sample_ps < next_ps ? sample_ps : next_ps;
}

/* Has something happened after which there is no result? */
static enum run_status find_trouble(struct measure *m)
{
	const struct run_control *control = m->control;

	if (plugin_guard_caught(m->engine->guard, &m->message))
		return RUN_MISLED;
	if (m->polls % POLLS_BETWEEN_LOOKS == 0 && probes_overflow(m->probes, &m->message))
		return RUN_REFUSED;
	if (control->audit_windows && m->polls % control->audit_windows == 0 &&
	    audit(m->engine, &m->message)) {
		error_prefix(&m->message, "at %s: ", time_text((uint64_t)m->now_ps).text);
		return RUN_BROKEN;
	}
	return RUN_DONE;
}

static int on_poll(void *context, int64_t now_ps)
{
	struct measure *m = context;

	m->now_ps = now_ps;
	m->polls++;
	m->trouble = find_trouble(m);
	if (m->trouble)
		return 1;
	if (m->control->stop && atomic_load_explicit(m->control->stop, memory_order_relaxed)) {
		m->partial = 1;
		return 1;
	}
	if (m->control->progress && m->polls % POLLS_BETWEEN_LOOKS == 0)
		m->control->progress(m->control->context, now_ps, m->expected_ps);
	return (m->phase == PHASE_AFTER || m->to_ps == TIME_NEVER_PS) && measure_flows_done(m);
}

/* From the config: when to measure and when to stop. */
static int plan(struct measure *m, const struct config *c, struct error *e)
{
	const struct flow_list *flows = &m->engine->flows;
	int64_t last_start_ps = 0;
	int unlimited = 0;

	for (uint32_t i = 0; i < flows->count; i++) {
		const struct flow *f = &flows->flows[i];

		if (f->start_ps > last_start_ps && !(f->ties & FLOW_WAITS))
			last_start_ps = f->start_ps;
		if (f->size_bytes == FLOW_UNLIMITED)
			unlimited = 1;
		if (!(f->ties & FLOW_WAITS))
			m->timed_ends += flow_ends(f);
	}
	if (!flows->count)
		return error_set(e, "there is no traffic: add a [traffic NAME] section");
	if (unlimited && !c->measure.to_ps)
		return error_set(e, "measure.to: needed, because some flows are unlimited");
	m->from_ps = (int64_t)c->measure.from_ps;
	m->to_ps = c->measure.to_ps ? (int64_t)c->measure.to_ps : TIME_NEVER_PS;
	m->expected_ps = c->measure.to_ps ? m->to_ps : last_start_ps;
	m->limit_ps = (c->measure.to_ps && m->to_ps > last_start_ps ? m->to_ps : last_start_ps) +
		      (int64_t)c->measure.drain_ps;
	if (!m->timed_ends)
		m->limit_ps = m->to_ps;
	return 0;
}

/* --- the run --- */

static int attach_taps(struct engine *e, const struct run_control *control, struct error *error)
{
	e->taps = memory_grow(e->taps, e->tap_count + control->tap_count + UINT64_C(1),
			      sizeof(*e->taps));
	for (uint32_t i = 0; i < control->tap_count; i++) {
		const struct tap *t = &control->taps[i];
		int64_t link = link_find(e->net, t->port, error);

		if (link < 0)
			return error_prefix(error, "capture of '%s': ", t->port);
		e->taps[e->tap_count++] = (struct engine_tap){ (uint32_t)link, t->see, t->context,
							       control->taps_see_frames };
		engine_egress(e, (uint32_t)link)->special_ps = INT64_MIN;
	}
	return 0;
}

static int prepare(struct measure *m, const struct config *c, struct run_result *r, struct error *e)
{
	struct flow_list flows = { 0 };
	int failed;

	if (network_build(&r->network, &c->network, e))
		return -1;
	failed =
		traffic_generate(&flows, c, &r->network, e) ||
		estimate_check_memory(estimate_memory(c, &r->network, flows.count), "network", e) ||
		engine_new(&m->engine, c, &r->network, &flows, m->control->threads, e) ||
		plan(m, c, e) || measure_new(m, c, e) || attach_taps(m->engine, m->control, e);
	flow_list_free(&flows);
	return failed ? -1 : 0;
}

/* May the run be believed? Sums are checked where the run was not ended for a reason of its own. */
static enum run_status judge(struct measure *m, struct error *error)
{
	/* In the last window, too. */
	if (!m->trouble && plugin_guard_caught(m->engine->guard, &m->message))
		m->trouble = RUN_MISLED;
	if (m->trouble) {
		*error = m->message;
		return m->trouble;
	}
	return audit(m->engine, error) ? RUN_BROKEN : RUN_DONE;
}

/* The whole course, and what came of it. */
static enum run_status carry_out(struct measure *m, struct run_result *r, struct error *error)
{
	enum run_status status;
	double cpu;

	m->engine->on_stop = on_stop;
	m->engine->on_poll = on_poll;
	m->engine->context = m;
	cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	engine_run(m->engine);
	m->cpu_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	/* An interrupted run measures up to where it got. */
	if (m->phase == PHASE_MEASURING)
		measure_end(m, m->now_ps < m->to_ps ? m->now_ps : m->to_ps);
	status = judge(m, error);
	deadlock_find(m->engine, &r->deadlock);
	partition_find(m->engine, m->now_ps, &r->partition);
	measure_results(m, r);
	r->partial = m->partial;
	return status;
}

/* What was built, for whoever wants to know before anything runs. */
static void show_built(const struct engine *e, struct run_result *r)
{
	r->estimate = estimate_run(e);
	r->flow_count = e->flows.count;
	r->flows = memory_grow(NULL, r->flow_count + UINT64_C(1), sizeof(*r->flows));
	memcpy(r->flows, e->flows.flows, r->flow_count * sizeof(*r->flows));
}

int run(const struct config *c, const struct run_control *control, struct run_result *r,
	struct error *error)
{
	struct measure m = { .control = control, .config = c };
	double wall = clock_seconds(CLOCK_MONOTONIC);
	int status;

	memset(r, 0, sizeof(*r));
	status = prepare(&m, c, r, error);
	if (status == RUN_DONE && control->extent == RUN_ONLY_BUILT)
		show_built(m.engine, r);
	else if (status == RUN_DONE)
		status = carry_out(&m, r, error);
	r->wall_seconds = clock_seconds(CLOCK_MONOTONIC) - wall;
	measure_free(&m);
	if (m.engine)
		engine_free(m.engine);
	if (status == RUN_REFUSED)
		run_result_free(r);
	return status;
}

void run_result_free(struct run_result *r)
{
	free(r->flows);
	free(r->ideal_ps);
	free(r->ports);
	free(r->pauses);
	series_free(r->series, r->series_count);
	network_free(&r->network);
	memset(r, 0, sizeof(*r));
}
