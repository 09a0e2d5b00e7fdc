/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_episode.c -- runs and scores episodes of congestion controls, and shares rewards between
 * flows, see flow_episode.h. */
#include "train/flow_episode.h"
#include "lab/scenario/scenario.h"
#include "base/memory.h"
#include "sim/run/run.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_SCENARIO = 12, ROWS_ALL = 1024 * FLOW_ROWS_MAX, ROWS_LEAST = 32 };

/* --- the scenario --- */

/* Refuses lists: an episode has one of each. */
static int flow_check_single(const struct scenario *s, struct weir_error *e)
{
	const struct setting *at;

	for (uint32_t i = 0; (at = scenario_next(s, &i)) != NULL;)
		if (path_of_list(at->path)) {
			weir_error_set(e, "a list of values; a training scenario has one of each");
			return setting_prefix(s, at, e);
		}
	return 0;
}

/* The control of a section, or of the sections without one (traffic_count): its params if it is
 * that which is trained; else NULL. */
static unsigned char *flow_params(struct config *c, uint32_t section, const struct weir_cc_ops *cc)
{
	if (section == c->traffic_count)
		return c->cc == cc ? c->cc_params : NULL;
	return c->traffic[section].cc_ops == cc ? c->traffic[section].cc_params : NULL;
}

/* 1: some section has no control of its own, and so has host.cc. */
static int flow_section_inherits(const struct config *c)
{
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (!c->traffic[i].cc_ops)
			return 1;
	return 0;
}

static int flow_fits(const struct weir_cc_ops *cc, const unsigned char *params,
		     const struct weir_learn_policy *policy, struct weir_error *e)
{
	const struct weir_scheme_model *model = cc->scheme.model;

	if (!model->standard(params))
		return weir_error_set(e, "a policy without a neural network cannot be trained");
	return model->fits(params, policy, e)
		       ? weir_error_prefix(e, "the policy to be trained does not fit: ")
		       : 0;
}

/* Do some flows follow the control, and does the policy fit wherever it is named? */
static int flow_check_control(struct config *c, const struct flow_episode *ep,
			      const struct weir_learn_policy *policy, struct weir_error *e)
{
	int used = 0;

	for (uint32_t i = 0; i <= c->traffic_count; i++) {
		const unsigned char *params = flow_params(c, i, ep->cc);

		if (!params)
			continue;
		if (i == c->traffic_count && !flow_section_inherits(c))
			continue;
		if (flow_fits(ep->cc, params, policy, e))
			return i < c->traffic_count
				       ? weir_error_prefix(e, "traffic.%s.cc: ", c->traffic[i].name)
				       : weir_error_prefix(e, "host.cc: ");
		used = 1;
	}
	return used ? 0
		    : weir_error_set(e, "host.cc: %s is to be trained, but nothing uses it",
				     ep->cc->scheme.name);
}

static void flow_give_policy(struct config *c, const struct weir_cc_ops *cc,
			     const struct weir_learn_policy *policy)
{
	for (uint32_t i = 0; i <= c->traffic_count; i++) {
		unsigned char *params = flow_params(c, i, cc);

		if (params)
			memcpy(params + cc->scheme.model->policy_offset, &policy, sizeof(policy));
	}
}

/* Rewards need the number of flows at a port; under packet spraying it can only be estimated. */
static void flow_count_flows(struct config *c)
{
	if (c->telemetry && c->rdma.int_flows == INT_FLOWS_NO)
		c->rdma.int_flows = config_sprays(c) ? INT_FLOWS_SEEN : INT_FLOWS_EXACT;
}

/* What the scenario has before it runs. */
struct flow_preview {
	uint32_t flows, endless;
	double base_ns; /* longest round trip without queueing */
};

static int flow_preview(const struct config *c, struct flow_preview *p, struct weir_error *e)
{
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result built;

	if (run(c, &control, &built, e))
		return -1;
	*p = (struct flow_preview){ .flows = built.flow_count,
				    .base_ns = built.paths.rtt_ps.most / WEIR_PS_PER_NS };
	for (uint32_t i = 0; i < built.flow_count; i++)
		p->endless += built.flows[i].size_bytes == FLOW_UNLIMITED;
	run_result_free(&built);
	return 0;
}

/* --- running --- */

static void flow_measure(const struct flow_preview *p, const struct run_result *run,
			 struct flow_result *r)
{
	double started = run_metric(run, "flows_completed") + run_metric(run, "flows_unfinished");
	double queue_bytes = run_metric(run, "queue_mean_bytes");
	const struct network *net = &run->network;

	*r = (struct flow_result){ .jain = run_metric(run, "jain"),
				   .use = run_metric(run, "utilisation"),
				   .unfair = run_metric(run, "unfair_ratio"),
				   .queue = NAN,
				   .slowdown_mean = run_metric(run, "slowdown_mean"),
				   .slowdown_p99 = run_metric(run, "slowdown_p99"),
				   .completed = run_metric(run, "flows_completed") / started,
				   .flows = p->flows,
				   .endless = p->endless };
	if (isnan(r->jain)) /* nothing arrived */
		r->jain = 0;
	if (isnan(r->unfair))
		r->unfair = p->flows - 1;
	if (run->port_count) {
		double rate_bps = (double)net->links[run->ports[run->measured_port].link].rate_bps;

		r->queue = queue_bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S / rate_bps / p->base_ns;
	}
}

/* A step needs an action and what came of it. */
static int flow_check_steps(const struct flow_episode *ep, const struct decision_log *log,
			    struct weir_error *e)
{
	for (uint32_t f = 0; f < log->flows; f++)
		if (log->counts[f] > 1)
			return 0;
	return weir_error_set(e,
			      "host.cc: no flow under %s lives for two decisions; there is nothing "
			      "to learn from",
			      ep->cc->scheme.name);
}

static int flow_run_config(struct config *c, const struct flow_episode *ep, struct flow_run *r,
			   struct weir_error *e)
{
	const struct run_control control = { .threads = 1, .rollout = r->rollout };
	struct flow_preview preview;
	struct run_result result;
	uint32_t rows;

	c->seed = ep->seed >> 1;
	flow_count_flows(c);
	if (r->policy)
		flow_give_policy(c, ep->cc, r->policy);
	if (flow_preview(c, &preview, e))
		return -1;
	if (r->rollout) {
		rows = ROWS_ALL / preview.flows;
		rows = rows > FLOW_ROWS_MAX ? FLOW_ROWS_MAX : rows;
		decision_log_new(&r->log, preview.flows, rows < ROWS_LEAST ? ROWS_LEAST : rows);
		r->rollout->record = decision_log_add;
		r->rollout->context = &r->log;
	}
	if (run(c, &control, &result, e))
		return -1;
	flow_measure(&preview, &result, &r->result);
	run_result_free(&result);
	return ep->is_given && r->rollout ? flow_check_steps(ep, &r->log, e) : 0;
}

/* Reads the scenario and runs it; r is NULL: checks it only, for that policy. */
static int flow_with_config(const struct flow_episode *ep, struct flow_run *r,
			    const struct weir_learn_policy *policy, struct weir_error *e)
{
	struct flow_preview preview;
	struct scenario s;
	struct config c;
	int failed;

	if (scenario_read_text(&s, ep->file, ep->text, strlen(ep->text), e))
		return -1;
	failed = flow_check_single(&s, e) || scenario_config(&s, &c, e) ? -1 : 0;
	if (!failed) {
		if (r)
			failed = flow_run_config(&c, ep, r, e);
		else
			failed = (policy && flow_check_control(&c, ep, policy, e)) ||
				 flow_preview(&c, &preview, e);
		if (failed)
			scenario_locate(&s, e);
		config_free(&c);
	}
	scenario_free(&s);
	return failed ? -1 : 0;
}

int flow_episode_check(const struct flow_episode *ep, const struct weir_learn_policy *policy,
		       struct weir_error *e)
{
	return flow_with_config(ep, NULL, policy, e);
}

int flow_episode_run(const struct flow_episode *ep, struct flow_run *r, struct weir_error *e)
{
	return flow_with_config(ep, r, NULL, e);
}

double flow_score(const struct flow_result *r)
{
	if (r->endless == r->flows)
		return r->use / (1 + r->unfair) - 0.3 * r->queue;
	if (!(r->completed > 0)) /* or no flow starts in the measured interval */
		return 0;
	return r->completed * (2 - log10(r->slowdown_mean * r->slowdown_p99) / 2);
}

/* --- the scenarios of the input --- */

int flow_check_input(const struct train_input *input, const struct weir_cc_ops *cc,
		     const struct weir_learn_policy *policy, struct weir_error *e)
{
	for (uint32_t i = 0; i < input->scenario_count; i++) {
		const struct flow_episode ep = { cc, input->files[i], input->texts[i], 0, 1 };

		if (flow_episode_check(&ep, policy, e))
			return -1;
	}
	return 0;
}

static uint32_t flow_given(const struct train_input *input, const struct train_episode *which)
{
	if (which->purpose == TRAIN_JUDGE)
		return (uint32_t)(which->number % input->scenario_count);
	return (uint32_t)(weir_hash64(which->seed, STREAM_SCENARIO) % input->scenario_count);
}

char *flow_text(const struct train_input *input, const struct fan_in *draw)
{
	const char *given;

	if (!input->scenario_count)
		return fan_in_scenario(draw);
	given = input->texts[flow_given(input, draw->which)];
	return memory_text(given, strlen(given));
}

const char *flow_file(const struct train_input *input, const struct train_episode *which)
{
	return input->scenario_count ? input->files[flow_given(input, which)] : "episode";
}

/* --- cooperative rewards --- */

/* The time at which a reward becomes known. */
struct moment {
	int64_t now_ns;
	uint32_t flow, step;
};

static int flow_by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->now_ns != y->now_ns)
		return x->now_ns < y->now_ns ? -1 : 1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static uint64_t flow_rewards_of(const struct decision_log *log, uint32_t flow)
{
	return log->counts[flow] > 1 ? log->counts[flow] - 1 : 0;
}

static struct moment *flow_moments(const struct decision_log *log, uint64_t count)
{
	struct moment *all = memory_new(count, sizeof(*all)), *next = all;

	for (uint32_t f = 0; f < log->flows; f++)
		for (uint32_t i = 0; i < flow_rewards_of(log, f); i++)
			*next++ = (struct moment){ decision_log_rows(log, f)[i + 1].now_ns, f, i };
	qsort(all, count, sizeof(*all), flow_by_time);
	return all;
}

/* A flow contributes to the mean from its first reward to its last. */
void flow_share_rewards(const struct decision_log *log, double share, float *rewards)
{
	struct moment *all;
	float *last = memory_new(log->flows, sizeof(*last));
	uint64_t count = 0, flows = 0;
	double sum = 0;

	for (uint32_t f = 0; f < log->flows; f++)
		count += flow_rewards_of(log, f);
	all = flow_moments(log, count);
	for (uint64_t i = 0; i < count; i++) {
		const struct moment *m = &all[i];
		float *reward = rewards + (size_t)m->flow * log->rows_each + m->step, own = *reward;

		flows += m->step == 0;
		sum += (double)own - (double)last[m->flow];
		last[m->flow] = own;
		*reward = (float)((1 - share) * (double)own + share * sum / (double)flows);
		if (m->step + 1 == flow_rewards_of(log, m->flow)) {
			flows--;
			sum -= (double)own;
		}
	}
	memory_free(all, count, sizeof(*all));
	memory_free(last, log->flows, sizeof(*last));
}
