/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.c -- see agents.h: when agents are called and their settings applied. Who looks after
 * which queues is in agents_build.c. */
#include "sim/core/agents_parts.h"
#include "sim/parallel/ranks.h"
#include "weir/units.h"
#include <string.h>

/* --- settings --- */

/* What agents asked for and is a setting comes into force; turning nothing leaves a scheme as it
 * is. */
static void apply(struct agents *a, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		void *state = row_state(&a->rows[i]);

		if (knobs_equal(&a->asked[i], &a->in_force[i]))
			continue;
		a->in_force[i] = a->asked[i];
		a->meter.inner->knobs->apply(state, meter_inner_params(state, &a->meter),
					     &a->in_force[i]);
	}
}

static void apply_agent(struct agents *a, struct agent *agent)
{
	agent->apply_ps = WEIR_TIME_NEVER_PS;
	apply(a, agent->first_row, agent->env.queue_count);
}

/* A setting that is none is not obeyed: the agent is taken to have asked for what is in force. */
static void check_asked(struct agents *a, const struct agent *agent)
{
	for (uint32_t i = 0; i < agent->env.queue_count; i++) {
		uint32_t row = agent->first_row + i;

		if (weir_tune_knobs_are_good(&a->asked[row]))
			continue;
		a->asked[row] = a->in_force[row];
		a->refused++;
	}
}

static int64_t draw_ps(struct weir_rng *r, struct weir_span_ps span)
{
	uint64_t width_ps = (uint64_t)(span.last_ps - span.first_ps);

	return span.first_ps + (int64_t)weir_rng_below(r, width_ps + 1);
}

/* The agent has decided on the interval that ended at now_ps. What it decided before is in force:
 * delays are at most an interval. */
static void decided(struct agents *a, struct agent *agent, int64_t now_ps)
{
	const struct switch_config *s = &a->config->switches;
	int64_t delay_ps = draw_ps(&agent->rng, s->tune_read_delay);

	delay_ps += draw_ps(&agent->rng, s->tune_write_delay);
	check_asked(a, agent);
	agent->apply_ps = now_ps + delay_ps;
	if (delay_ps == 0)
		apply_agent(a, agent);
}

void agents_first_settings(struct agents *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		check_asked(a, &a->agents[i]);
		apply_agent(a, &a->agents[i]);
	}
}

/* --- intervals --- */

/* Every rank has all agents, which are told the same everywhere and so decide the same: what they
 * share, and one that looks after the whole network, need nothing else. */
static void share_telemetry(struct agents *a)
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

static void read_meters(struct agents *a, int64_t now_ps)
{
	for (uint32_t i = 0; i < a->row_count; i++) {
		const struct agent_row *r = &a->rows[i];
		struct weir_tune_telemetry *t = &a->telemetry[i];

		if (!rank_owns(a->ranks, a->queues[i].node))
			continue;
		weir_meter_read(meter_of(row_state(r), &a->meter), weir_ps_to_ns(now_ps),
				weir_port_queues(r->port)[r->queue].bytes, t);
		t->rate_bps = r->port->kind->rate_bps;
		t->mtu_bytes = r->port->kind->mtu_bytes;
	}
	if (a->ranks)
		share_telemetry(a);
}

/* All give in order, then all take. */
static void share(struct agents *a)
{
	uint64_t every = a->ops->share_steps ? a->ops->share_steps(a->params) : 0;

	if (!every || a->steps % every != 0)
		return;
	for (uint32_t i = 0; i < a->count; i++)
		a->ops->export_experience(a->agents[i].state, a->params, a->shared);
	for (uint32_t i = 0; i < a->count; i++)
		a->ops->import_experience(a->agents[i].state, a->params, a->shared);
}

static void step(struct agents *a, int64_t now_ps)
{
	for (uint32_t i = 0; i < a->count; i++) {
		struct agent *agent = &a->agents[i];

		a->ops->step(agent->state, a->params, &agent->env, a->telemetry + agent->first_row,
			     a->asked + agent->first_row);
		decided(a, agent, now_ps);
	}
	a->steps++;
	share(a);
}

/* Somebody else decides: agents only look. */
static void observe(struct agents *a, int64_t now_ps)
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

static int64_t next_ps(const struct agents *a)
{
	int64_t next = a->end_ps;

	for (uint32_t i = 0; i < a->count; i++)
		if (a->agents[i].apply_ps < next)
			next = a->agents[i].apply_ps;
	return next;
}

/* Everything before now_ps has happened and nothing after. What comes into force now belongs to the
 * interval that ends now, if one does, as its last word. */
static void work(struct agents *a, int64_t now_ps)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->agents[i].apply_ps <= now_ps)
			apply_agent(a, &a->agents[i]);
	if (a->end_ps > now_ps)
		return;
	read_meters(a, now_ps);
	a->end_ps += weir_ns_to_ps(a->interval_ns);
	if (a->observations)
		observe(a, now_ps);
	else
		step(a, now_ps);
}

enum engine_status agents_advance_until(struct engine *e, int64_t stop_ps, struct weir_error *error)
{
	struct agents *a = e->agents;

	while (a && next_ps(a) <= stop_ps) {
		int64_t now_ps = next_ps(a);
		enum engine_status leg = engine_advance_until(e, now_ps, error);

		if (leg != ENGINE_AT_STOP)
			return leg;
		/* Nothing will ever happen again, and nobody outside asks what that was worth. */
		if (e->is_over && !e->mail && !a->observations)
			break;
		work(a, now_ps);
	}
	return engine_advance_until(e, stop_ps, error);
}

/* --- looking --- */

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
	return a->refused;
}

/* --- values --- */

enum { KNOB_VALUES = 3 };

struct value_head {
	const char *name, *unit;
};

static const struct value_head knob_values[KNOB_VALUES] = { { "k-min", "bytes" },
							    { "k-max", "bytes" },
							    { "p-max", "" } };

/* Behind the last the name is NULL. */
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

/* The probability just below max; a step is certain. */
static double p_max(const struct weir_tune_knobs *k)
{
	double p = (double)weir_tune_p_q32(k) / (double)WEIR_ONE_Q32;

	return k->min_bytes == k->max_bytes || p > 1 ? 1 : p;
}

static double knob_value(const struct weir_tune_knobs *k, uint32_t value)
{
	if (value == 0)
		return (double)k->min_bytes;
	return value == 1 ? (double)k->max_bytes : p_max(k);
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
		return knob_value(&a->in_force[row], value);
	if (a->config->tuner)
		return weir_tune_per_queue_value(agent->state, &a->each, own,
						 &a->config->tuner->values[value - KNOB_VALUES]);
	return a->ops->values[value - KNOB_VALUES].read(agent->state, a->params, own);
}

const void *agents_mark_params(struct weir_port *port, uint32_t queue)
{
	return meter_inner_params(weir_port_mark_state(port, queue), port->kind->mark_params);
}

/* --- standing in --- */

int agents_set_external(struct agents *a, struct weir_error *e)
{
	const struct weir_agent_learner *l = a->ops->learner;

	if (!l)
		return weir_error_set(e,
				      "switch.tune: %s does not learn, so nobody can do so for it",
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
				     actions + agent->first_row, a->asked + agent->first_row);
		decided(a, agent, a->observed.time_ps);
	}
}
