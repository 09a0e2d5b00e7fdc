/* SPDX-License-Identifier: BSD-3-Clause */
/* env_info.c -- completion times of flows, and the summary of an episode (weir/env.h). */
#include "sim/run/env_state.h"
#include "base/memory.h"
#include "sim/core/decisions.h"
#include "sim/core/host.h"
#include "sim/core/switch_pfc.h"
#include "sim/measure/metrics.h"
#include "sim/measure/sample.h"
#include "weir/units.h"
#include <string.h>

/* --- complete flows --- */

/* The engine's on_flow_done. */
static void env_info_add(void *context, uint32_t flow)
{
	struct weir_env *env = context;
	const struct flow *f = &env->engine->flows.flows[flow];
	const struct engine *e = env->engine;

	if (flow >= e->flows.count) /* a message of a job */
		return;
	if (e->decisions && env->left < UINT64_MAX && decisions_has(e->decisions, f->connection))
		env->left--;
	if (f->flags & FLOW_IS_CONTROL)
		return;
	if (env->ended_count == env->ended_capacity) {
		env->ended_capacity = env->ended_capacity ? 2 * env->ended_capacity : 64;
		env->ended = memory_grow(env->ended, env->ended_capacity, sizeof(*env->ended));
	}
	env->ended[env->ended_count++] = (struct weir_env_flow){
		.flow = flow,
		.from = f->src,
		.to = f->dst,
		.traffic = f->traffic,
		.agent = f->connection,
		.closes = !traffic_is_persistent(e->config, flow_traffic(e, f)),
		.bytes = f->size_bytes,
		.start_ns = weir_ps_to_ns(f->start_ps),
		.fct_ns = weir_ps_to_ns(*flow_end_ps(e, flow) - f->start_ps),
		.ideal_ns = weir_ps_to_ns(flow_ideal_ps(e, flow)),
	};
}

void env_info_start(struct weir_env *env)
{
	env->ended_count = env->step_first = 0;
	env->engine->on_flow_done = env_info_add;
	env->engine->context = env;
}

void env_info_begin_step(struct weir_env *env)
{
	env->step_first = env->ended_count;
}

static int env_flow_compare(const void *a, const void *b)
{
	const struct weir_env_flow *x = a, *y = b;
	int64_t first_ns = x->start_ns + x->fct_ns, second_ns = y->start_ns + y->fct_ns;

	if (first_ns != second_ns)
		return first_ns < second_ns ? -1 : 1;
	return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* Hosts of a lookahead window run one after the other, so completions of a step are not in order of
 * time. */
void env_info_end_step(struct weir_env *env)
{
	uint32_t count = env->ended_count - env->step_first;

	if (count > 1)
		qsort(env->ended + env->step_first, count, sizeof(*env->ended), env_flow_compare);
}

void env_info_free(struct weir_env *env)
{
	free(env->ended);
}

uint32_t weir_env_ended(const struct weir_env *env, const struct weir_env_flow **flows)
{
	*flows = env->ended + env->step_first;
	return env->ended_count - env->step_first;
}

/* --- the summary --- */

/* Flows with more than `above` bytes, and at most `most`. */
struct size_class {
	uint64_t above, most;
};

static struct weir_env_fct env_fct(const struct weir_env *env, struct size_class sizes)
{
	struct sample fct = sample_new(env->ended_count), slowdown = sample_new(env->ended_count);
	struct weir_env_fct r;

	for (uint32_t i = 0; i < env->ended_count; i++) {
		const struct weir_env_flow *f = &env->ended[i];

		if (f->bytes <= sizes.above || f->bytes > sizes.most)
			continue;
		sample_add(&fct, (double)f->fct_ns);
		sample_add(&slowdown, (double)f->fct_ns / (double)f->ideal_ns);
	}
	sample_sort(&fct);
	sample_sort(&slowdown);
	r = (struct weir_env_fct){ fct.count, sample_mean(&fct), sample_known_quantile(&fct, 0.99),
				   sample_mean(&slowdown), sample_known_quantile(&slowdown, 0.99) };
	free(fct.values);
	free(slowdown.values);
	return r;
}

static void env_sum_ports(const struct weir_env *env, struct weir_env_summary *s)
{
	const struct engine *e = env->engine;

	for (uint32_t i = 0; i < env->net.link_count; i++) {
		const struct weir_port *p = &engine_egress(e, i)->port;

		for (uint32_t k = 0; k < WEIR_MARK_REASONS; k++)
			s->marks += p->cold->marks[k];
		for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
			s->drops += p->cold->drops[k];
		for (uint32_t k = 0; e->pauses && k < WEIR_PFC_CLASSES; k++) {
			s->pauses += e->pauses[i].class[k].count;
			s->paused_ns += weir_ps_to_ns(link_paused_ps(e, i, k, env->now_ps));
		}
	}
}

static void env_sum_hosts(const struct weir_env *env, struct weir_env_summary *s)
{
	for (uint32_t i = 0; i < env->net.host_count; i++) {
		const struct host *h = &env->engine->hosts[i];

		s->delivered_bytes += h->goodput_bytes;
		s->retransmits += h->retransmits;
		s->timeouts += h->timeouts;
	}
}

void weir_env_summary(const struct weir_env *env, struct weir_env_summary *s)
{
	const struct measure_config *m = &env->config.measure;

	*s = (struct weir_env_summary){ .now_ns = weir_ps_to_ns(env->now_ps) };
	s->all = env_fct(env, (struct size_class){ 0, UINT64_MAX });
	s->small = env_fct(env, (struct size_class){ 0, m->small_bytes });
	s->medium = env_fct(env, (struct size_class){ m->small_bytes, m->large_bytes });
	s->large = env_fct(env, (struct size_class){ m->large_bytes, UINT64_MAX });
	if (!env->engine)
		return;
	env_sum_ports(env, s);
	env_sum_hosts(env, s);
	if (s->now_ns)
		s->goodput_bps = (double)s->delivered_bytes * 8e9 / (double)s->now_ns;
}
