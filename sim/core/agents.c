/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.c -- see agents.h: intervals, settings and their delays, values for probes. Building is in
 * agents_build.c. */
#include "sim/core/agents.h"
#include "sim/parallel/ranks.h"
#include "weir/units.h"
#include <string.h>

/* --- settings --- */

/* Applies the agent's desired settings. An equal setting is not applied again: that could restart
 * the scheme. */
static void agent_apply(struct agents *a, struct agent *agent)
{
	uint32_t first = agent->first_row;

	agent->apply_ps = WEIR_TIME_NEVER_PS;
	for (uint32_t i = first; i < first + agent->env.queue_count; i++) {
		void *state = agent_row_state(&a->rows[i]);

		if (agent_knobs_equal(&a->desired[i], &a->applied[i]))
			continue;
		a->applied[i] = a->desired[i];
		a->meter.inner->knobs->apply(state, meter_inner_params(state, &a->meter),
					     &a->applied[i]);
	}
}

/* Rejects invalid settings: the agent keeps the one that is applied. */
static void agent_reject_invalid(struct agents *a, const struct agent *agent)
{
	for (uint32_t i = 0; i < agent->env.queue_count; i++) {
		uint32_t row = agent->first_row + i;

		if (weir_tune_knobs_are_good(&a->desired[row]))
			continue;
		a->desired[row] = a->applied[row];
		a->rejected++;
	}
}

static int64_t draw_delay_ps(struct weir_rng *r, struct weir_span_ps span)
{
	uint64_t width_ps = (uint64_t)(span.last_ps - span.first_ps);

	return span.first_ps + (int64_t)weir_rng_below(r, width_ps + 1);
}

/* Schedules the settings that the agent desires after the interval that ended at now_ps. Earlier
 * ones are applied already: delays are at most an interval. */
static void agent_schedule(struct agents *a, struct agent *agent, int64_t now_ps)
{
	const struct switch_config *s = &a->config->switches;
	int64_t delay_ps = draw_delay_ps(&agent->rng, s->tune_read_delay);

	delay_ps += draw_delay_ps(&agent->rng, s->tune_write_delay);
	agent_reject_invalid(a, agent);
	agent->apply_ps = now_ps + delay_ps;
	if (delay_ps == 0)
		agent_apply(a, agent);
}

void agents_apply_initial(struct agents *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		agent_reject_invalid(a, &a->agents[i]);
		agent_apply(a, &a->agents[i]);
	}
}

/* --- intervals --- */

/* Every rank runs all agents. With the same telemetry they decide the same everywhere, so neither
 * what agents share nor an agent for the whole network needs any other exchange. */
static void agents_exchange_telemetry(struct agents *a)
{
	struct exchange *x = a->ranks->exchange;
	size_t size = sizeof(*a->telemetry);

	for (uint32_t i = 0; i < a->row_count; i++)
		if (rank_owns(a->ranks, a->queues[i].node))
			exchange_append_own(x, &a->telemetry[i], size);
	exchange_allgather(x);
	for (uint32_t k = 0; k < x->ranks; k++) {
		const char *at = x->in[k].bytes;

		for (uint32_t i = 0; i < a->row_count; i++) {
			if (a->ranks->rank_of[a->queues[i].node] != k)
				continue;
			memcpy(&a->telemetry[i], at, size);
			at += size;
		}
	}
}

static void agents_read_meters(struct agents *a, int64_t now_ps)
{
	for (uint32_t i = 0; i < a->row_count; i++) {
		const struct agent_row *r = &a->rows[i];
		struct weir_tune_telemetry *t = &a->telemetry[i];

		if (!rank_owns(a->ranks, a->queues[i].node))
			continue;
		weir_meter_read(meter_of(agent_row_state(r), &a->meter), weir_ps_to_ns(now_ps),
				weir_port_queues(r->port)[r->queue].bytes, t);
		t->rate_bps = r->port->kind->rate_bps;
		t->mtu_bytes = r->port->kind->mtu_bytes;
	}
	if (a->ranks)
		agents_exchange_telemetry(a);
}

/* Exchange of experience: each agent exports to the shared state, in order of agents; then each
 * imports from it. */
static void agents_share(struct agents *a)
{
	uint64_t every = a->ops->share_steps ? a->ops->share_steps(a->params) : 0;

	if (!every || a->steps % every != 0)
		return;
	for (uint32_t i = 0; i < a->count; i++)
		a->ops->export_experience(a->agents[i].state, a->params, a->shared);
	for (uint32_t i = 0; i < a->count; i++)
		a->ops->import_experience(a->agents[i].state, a->params, a->shared);
}

static void agents_step(struct agents *a, int64_t now_ps)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct agent *agent = &a->agents[i];

		a->ops->step(agent->state, a->params, &agent->env, a->telemetry + agent->first_row,
			     a->desired + agent->first_row);
		agent_schedule(a, agent, now_ps);
	}
	a->steps++;
	agents_share(a);
}

/* External actions: agents observe and do not decide. */
static void agents_observe(struct agents *a, int64_t now_ps)
{
	struct agents_observed *o = &a->observed;

	for (uint32_t i = 0; i < a->count; i++) {
		struct agent *agent = &a->agents[i];
		uint32_t row = agent->first_row;

		a->ops->learner->observe(agent->state, a->params, &agent->env, a->telemetry + row,
					 a->observations + (size_t)row * o->observation_size,
					 a->rewards + row, a->asks + row);
	}
	o->time_ps = now_ps;
}

/* The next end of an interval, or time at which settings are applied. */
static int64_t agents_next_ps(const struct agents *a)
{
	int64_t next = a->end_ps;

	for (uint32_t i = 0; i < a->count; i++)
		if (a->agents[i].apply_ps < next)
			next = a->agents[i].apply_ps;
	return next;
}

/* At a stop: applies settings that are due, as the last step of an interval that ends now, then
 * ends that. */
static void agents_run_at_stop(struct agents *a, int64_t now_ps)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->agents[i].apply_ps <= now_ps)
			agent_apply(a, &a->agents[i]);
	if (a->end_ps > now_ps)
		return;
	agents_read_meters(a, now_ps);
	a->end_ps += weir_ns_to_ps(a->interval_ns);
	if (a->observations)
		agents_observe(a, now_ps);
	else
		agents_step(a, now_ps);
}

enum engine_status agents_advance_until(struct engine *e, int64_t stop_ps, struct weir_error *error)
{
	struct agents *a = e->agents;

	while (a && agents_next_ps(a) <= stop_ps) {
		int64_t now_ps = agents_next_ps(a);
		enum engine_status status = engine_advance_until(e, now_ps, error);

		if (status != ENGINE_AT_STOP)
			return status;
		/* No event is left, no caller can cause one, and no learner needs rewards. */
		if (e->is_over && !e->mail && !a->observations)
			break;
		agents_run_at_stop(a, now_ps);
	}
	return engine_advance_until(e, stop_ps, error);
}

/* --- reading --- */

uint32_t agents_count(const struct agents *a)
{
	return a->count;
}

struct agent_view agents_at(const struct agents *a, uint32_t agent)
{
	const struct agent *one = &a->agents[agent];

	return (struct agent_view){ a->ops, a->params, &one->env, one->state, one->first_row };
}

uint32_t agents_rows(const struct agents *a)
{
	return a->row_count;
}

int64_t agents_end_ps(const struct agents *a)
{
	return a->end_ps;
}

uint64_t agents_rejected(const struct agents *a)
{
	return a->rejected;
}

enum { KNOB_VALUES = 3 };

struct value_head {
	const char *name, *unit;
};

static const struct value_head knob_values[KNOB_VALUES] = { { "k-min", "bytes" },
							    { "k-max", "bytes" },
							    { "p-max", "" } };

/* The name is NULL behind the last value. */
static struct value_head value_head(const struct agents *a, uint32_t value)
{
	const struct weir_tune_value *of_tuner = a->config->tuner ? a->config->tuner->values : NULL;
	uint32_t own = value - KNOB_VALUES;

	if (value < KNOB_VALUES)
		return knob_values[value];
	if (of_tuner)
		return (struct value_head){ of_tuner[own].name, of_tuner[own].unit };
	if (a->ops->values)
		return (struct value_head){ a->ops->values[own].name, a->ops->values[own].unit };
	return (struct value_head){ NULL, NULL };
}

/* P_max is the marking probability just below K_max, 1 for a step (K_min = K_max). */
static double knob_value(const struct weir_tune_knobs *k, uint32_t value)
{
	double p = (double)weir_tune_p_q32(k) / (double)WEIR_ONE_Q32;

	if (value < 2)
		return (double)(value == 0 ? k->min_bytes : k->max_bytes);
	return k->min_bytes == k->max_bytes || p > 1 ? 1 : p;
}

uint32_t agents_values(const struct agents *a)
{
	uint32_t count = KNOB_VALUES;

	while (value_head(a, count).name)
		count++;
	return count;
}

const char *agents_value_name(const struct agents *a, uint32_t value)
{
	return value_head(a, value).name;
}

const char *agents_value_unit(const struct agents *a, uint32_t value)
{
	return value_head(a, value).unit;
}

double agents_value(const struct agents *a, uint32_t link, uint32_t queue, uint32_t value)
{
	uint32_t row = a->first_row_of_link[link] + queue;
	const struct agent *agent = &a->agents[a->rows[row].agent];
	uint32_t own = row - agent->first_row;

	if (value < KNOB_VALUES)
		return knob_value(&a->applied[row], value);
	if (a->config->tuner)
		return weir_tune_per_queue_value(agent->state, &a->each, own,
						 &a->config->tuner->values[value - KNOB_VALUES]);
	return a->ops->values[value - KNOB_VALUES].read(agent->state, a->params, own);
}

const void *agents_mark_params(struct weir_port *port, uint32_t queue)
{
	return meter_inner_params(weir_port_mark_state(port, queue), port->kind->mark_params);
}

/* --- external actions --- */

int agents_set_external(struct agents *a, struct weir_error *e)
{
	const struct weir_agent_learner *l = a->ops->learner;

	if (!l)
		return weir_error_set(e,
				      "switch.tune: %s is not a learning agent, so no "
				      "environment can drive it",
				      weir_quote(a->config->switches.tune).text);
	if (a->observations)
		return 0;
	a->observed = (struct agents_observed){
		.rows = a->row_count,
		.observation_size = l->observation_size(a->params),
		.action_count = l->action_count(a->params),
	};
	a->observations = memory_new((uint64_t)a->row_count * a->observed.observation_size,
				     sizeof(*a->observations));
	a->rewards = memory_new(a->row_count, sizeof(*a->rewards));
	a->asks = memory_new(a->row_count, sizeof(*a->asks));
	a->observed.observations = a->observations;
	a->observed.rewards = a->rewards;
	a->observed.asks = a->asks;
	return 0;
}

const struct agents_observed *agents_observed(const struct agents *a)
{
	return &a->observed;
}

void agents_act(struct agents *a, const uint32_t *actions)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct agent *agent = &a->agents[i];

		a->ops->learner->act(agent->state, a->params, &agent->env,
				     actions + agent->first_row, a->desired + agent->first_row);
		agent_schedule(a, agent, a->observed.time_ps);
	}
}

void agents_set_knobs(struct agents *a, const struct weir_tune_knobs *knobs)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct agent *agent = &a->agents[i];
		uint32_t first = agent->first_row;

		for (uint32_t row = first; row < first + agent->env.queue_count; row++)
			if (a->asks[row])
				a->desired[row] = knobs[row];
		a->ops->learner->note(agent->state, a->params, &agent->env, a->desired + first);
		agent_schedule(a, agent, a->observed.time_ps);
	}
}
