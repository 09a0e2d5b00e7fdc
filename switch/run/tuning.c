/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning.c -- switch.tune on a real switch. Contract in loop.h. */
#include "switch/run/loop.h"
#include "lib/tune/meter.h"
#include "base/memory.h"
#include "config/schemes.h"
#include "weir/rng.h"
#include "weir/units.h"

/* The marking parameters of a port: a meter that wraps the configured scheme. */
struct metered {
	struct weir_mark_ops mark;
	struct meter_plan plan;
	uint32_t first_row;
};

struct tuned_row {
	uint32_t port, queue;
};

struct tuning {
	const struct switch_settings *settings;
	const struct weir_agent_ops *ops;
	const void *params;
	struct tune_per_queue each;
	struct metered *ports;
	struct plane *plane;
	struct weir_agent_env env;
	int64_t end_ps; /* end of the current interval */
	uint64_t refused;
	void *state;
	size_t state_size;
	uint32_t row_count;
	struct tuned_row *rows;
	struct weir_agent_queue *queues;
	struct weir_tune_knobs *asked, *in_force;
	struct weir_tune_telemetry *telemetry;
};

/* --- construction --- */

struct tuning *tuning_new(const struct switch_settings *s)
{
	const struct config *c = &s->config;
	struct tuning *t;

	if (!tune_is_on(c))
		return NULL;
	t = memory_new(1, sizeof(*t));
	t->settings = s;
	t->ops = c->agent;
	t->params = c->tune_params;
	if (c->tuner) {
		t->each = (struct tune_per_queue){ c->tuner, c->tune_params };
		t->ops = &weir_tune_per_queue;
		t->params = &t->each;
	}
	t->ports = memory_new(s->port_count, sizeof(*t->ports));
	return t;
}

void tuning_plan(struct tuning *t, uint32_t port, struct weir_port_plan *plan)
{
	struct metered *m;

	if (!t)
		return;
	m = &t->ports[port];
	m->mark = weir_meter_init(&m->plan, plan->mark, plan->mark_params);
	m->plan.pass_not_ect = plan->pass_not_ect;
	m->first_row = t->row_count;
	t->row_count += plan->queues;
	plan->mark = &m->mark;
	plan->mark_params = &m->plan;
}

void tuning_free(struct tuning *t)
{
	if (!t)
		return;
	memory_free(t->state, t->state_size, 1);
	memory_free(t->ports, t->settings->port_count, sizeof(*t->ports));
	memory_free(t->rows, t->row_count, sizeof(*t->rows));
	memory_free(t->queues, t->row_count, sizeof(*t->queues));
	memory_free(t->asked, t->row_count, sizeof(*t->asked));
	memory_free(t->in_force, t->row_count, sizeof(*t->in_force));
	memory_free(t->telemetry, t->row_count, sizeof(*t->telemetry));
	memory_free(t, 1, sizeof(*t));
}

/* --- queues --- */

static struct weir_port *tuning_port(const struct tuning *t, uint32_t row)
{
	return plane_port(t->plane, t->rows[row].port)->port;
}

static void *tuning_mark_state(const struct tuning *t, uint32_t row)
{
	return weir_port_mark_state(tuning_port(t, row), t->rows[row].queue);
}

static const struct meter_plan *tuning_meter_plan(const struct tuning *t, uint32_t row)
{
	return &t->ports[t->rows[row].port].plan;
}

static void tuning_begin_row(struct tuning *t, uint32_t row)
{
	const struct weir_port *port = tuning_port(t, row);
	const struct meter_plan *plan = tuning_meter_plan(t, row);
	void *state = tuning_mark_state(t, row);

	t->queues[row] = (struct weir_agent_queue){
		.rate_bps = port->kind->rate_bps,
		.mtu_bytes = port->kind->mtu_bytes,
		.group = WEIR_AGENT_TO_HOST,
		.port = t->rows[row].port,
		.queue = t->rows[row].queue,
	};
	plan->inner->knobs->read(state, meter_inner_params(state, plan), port->kind->mtu_bytes,
				 &t->in_force[row]);
	t->asked[row] = t->in_force[row];
}

static void tuning_begin_rows(struct tuning *t)
{
	uint32_t row = 0;

	t->rows = memory_new(t->row_count, sizeof(*t->rows));
	t->queues = memory_new(t->row_count, sizeof(*t->queues));
	t->asked = memory_new(t->row_count, sizeof(*t->asked));
	t->in_force = memory_new(t->row_count, sizeof(*t->in_force));
	t->telemetry = memory_new(t->row_count, sizeof(*t->telemetry));
	for (uint32_t p = 0; p < t->settings->port_count; p++)
		for (uint32_t q = 0; q < plane_port(t->plane, p)->class.queues; q++, row++) {
			t->rows[row] = (struct tuned_row){ p, q };
			tuning_begin_row(t, row);
		}
}

/* --- intervals --- */

/* Applies the requested settings that are valid. A request that changes nothing leaves the scheme's
 * state untouched. */
static void tuning_apply_knobs(struct tuning *t)
{
	for (uint32_t i = 0; i < t->row_count; i++) {
		const struct meter_plan *plan = tuning_meter_plan(t, i);
		struct weir_tune_knobs *asked = &t->asked[i], *now = &t->in_force[i];
		void *state = tuning_mark_state(t, i);

		if (!weir_tune_knobs_are_good(asked)) {
			*asked = *now;
			t->refused++;
		}
		if (asked->min_bytes == now->min_bytes && asked->max_bytes == now->max_bytes &&
		    asked->slope_q32 == now->slope_q32)
			continue;
		*now = *asked;
		plan->inner->knobs->apply(state, meter_inner_params(state, plan), now);
	}
}

/* The configured interval, else the one that the agent prefers. */
static int64_t tuning_interval_ns(const struct tuning *t, int64_t rtt_ns)
{
	int64_t ns = (int64_t)t->settings->config.switches.tune_interval_ns;

	if (!ns)
		ns = t->ops->interval_ns(t->params, rtt_ns);
	if (ns < (int64_t)TUNE_SHORTEST_NS)
		return (int64_t)TUNE_SHORTEST_NS;
	return ns < (int64_t)TUNE_LONGEST_NS ? ns : (int64_t)TUNE_LONGEST_NS;
}

int tuning_start(struct tuning *t, struct plane *plane, struct weir_error *e)
{
	int64_t rtt_ns = plane_port(plane, 0)->plan.rtt_ns;

	if (!t)
		return 0;
	t->plane = plane;
	tuning_begin_rows(t);
	t->env = (struct weir_agent_env){
		.seed = weir_hash64(t->settings->seed, WEIR_RNG_TUNING),
		.interval_ns = tuning_interval_ns(t, rtt_ns),
		.rtt_ns = rtt_ns,
		.queue_count = t->row_count,
		.queues = t->queues,
	};
	t->state_size = t->ops->size(t->params, &t->env);
	if (memory_check((double)t->state_size, "switch.tune", e))
		return -1;
	t->state = memory_new(t->state_size, 1);
	t->ops->init(t->state, t->params, &t->env, t->asked);
	tuning_apply_knobs(t);
	t->end_ps = weir_ns_to_ps(t->env.interval_ns);
	return 0;
}

void tuning_advance(struct tuning *t, int64_t now_ps)
{
	if (!t || t->end_ps > now_ps)
		return;
	for (uint32_t i = 0; i < t->row_count; i++) {
		struct weir_port *port = tuning_port(t, i);

		weir_meter_read(meter_of(tuning_mark_state(t, i), tuning_meter_plan(t, i)),
				weir_ps_to_ns(now_ps),
				weir_port_queues(port)[t->rows[i].queue].bytes, &t->telemetry[i]);
		t->telemetry[i].rate_bps = port->kind->rate_bps;
		t->telemetry[i].mtu_bytes = port->kind->mtu_bytes;
	}
	t->ops->step(t->state, t->params, &t->env, t->telemetry, t->asked);
	tuning_apply_knobs(t);
	while (t->end_ps <= now_ps)
		t->end_ps += weir_ns_to_ps(t->env.interval_ns);
}

/* --- observation --- */

int64_t tuning_next_ps(const struct tuning *t)
{
	return t ? t->end_ps : WEIR_TIME_NEVER_PS;
}

int tuning_knobs(const struct tuning *t, uint32_t port, uint32_t queue, struct weir_tune_knobs *k)
{
	if (!t)
		return 0;
	*k = t->in_force[t->ports[port].first_row + queue];
	return 1;
}

uint64_t tuning_refused(const struct tuning *t)
{
	return t ? t->refused : 0;
}
