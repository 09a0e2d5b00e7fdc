/* SPDX-License-Identifier: BSD-3-Clause */
/* minds.c -- what a decision (inference) and an update cost, for every learner.
 *
 *	build/release/bench-minds		all of them: ns and how many a second, on one core
 *	build/release/bench-minds list		their names
 *	build/release/bench-minds NAME CALLS	CALLS calls of one, to count instructions
 *
 * Decisions of ACC are those of a switch, from telemetry to knobs, per queue; a step that learns
 * has one update, too. Decisions of flows are an ACK, from telemetry to window and rate. Updates
 * are one minibatch, on one thread: stack 12-20-40-40-20 is ACC's net, stacked 64 and recall are
 * FDCC's, over four and eight past observations. */
#define _POSIX_C_SOURCE 200809L
#include "bench/cost.h"
#include "weir/agent.h"
#include "weir/cc.h"
#include "weir/error.h"
#include <inttypes.h>
#include <stdio.h>

enum { PAST = 8, OBSERVATION = 8, ROWS = 20000 };

/* Ready to be called. */
struct mind {
	void (*call)(void *context);
	void *context;
	uint32_t per;   /* operations (decisions, updates) of a call */
	uint32_t bytes; /* of its state; of an agent that of a queue */
};

struct row {
	const char *name, *unit;
	void (*open)(struct mind *m, const struct row *r);
	const char *spec;
	uint32_t size; /* of the net, or queues; 0: none */
	uint32_t batch;
};

/* --- updates --- */

struct update {
	struct weir_learn_memory *memory;
	struct weir_learn_executor executor;
	struct weir_learn_dqn *dqn;
	struct weir_learn_td3 *td3;
};

static void dqn_update(void *context)
{
	struct update *u = context;

	weir_learn_dqn_update(u->dqn, u->memory, &u->executor);
}

static void td3_update(void *context)
{
	struct update *u = context;

	weir_learn_td3_update(u->td3, u->memory, &u->executor);
}

static struct weir_learn_memory *filled_memory(uint32_t observation_size, float actions)
{
	struct weir_learn_memory_plan plan = { ROWS, observation_size, 1 };
	struct weir_learn_memory *m = block(weir_learn_memory_size(&plan));
	float *numbers = floats(2 * (size_t)ROWS);

	weir_learn_memory_init(m, &plan);
	for (uint32_t i = 0; i < ROWS - 1; i++) {
		float action = actions > 1.0F ? (float)(i % (uint32_t)actions) : numbers[i];

		weir_learn_memory_step(m, numbers + i, &action, numbers[i]);
	}
	weir_learn_memory_end(m, numbers, WEIR_LEARN_CUT);
	return m;
}

static void open_dqn(struct mind *m, const struct row *r)
{
	struct weir_learn_dqn_config c = {
		.training = { .observation_size = 12,
			      .batch = r->batch,
			      .gamma = 0.9,
			      .return_steps = 1 },
		.plan = weir_learn_plan_stack(&(struct weir_learn_stack){
			.inputs = 12, .outputs = 20, .hidden = { 20, 40, 40 } }),
		.adam = WEIR_LEARN_ADAM_DEFAULT,
		.target_every = 100,
	};
	struct update *u = block(sizeof(*u));

	*u = (struct update){ .memory = filled_memory(12, 20.0F), .executor = { .workers = 1 } };
	u->dqn = block(weir_learn_dqn_size(&c));
	u->executor.scratch = block(weir_learn_dqn_scratch_size(&c, 1));
	weir_learn_dqn_init(u->dqn, &c);
	*m = (struct mind){ dqn_update, u, 1, (uint32_t)weir_learn_dqn_size(&c) };
}

/* size 0: four observations stacked, 64-64; else an LSTM with that many units. */
static void open_td3(struct mind *m, const struct row *r)
{
	struct weir_learn_recurrent recall = { .observation_size = OBSERVATION,
					       .hidden = r->size,
					       .outputs = 1,
					       .output = WEIR_LEARN_TANH };
	struct weir_learn_stack stack = { .inputs = 4 * OBSERVATION,
					  .outputs = 1,
					  .hidden = { 64, 64 },
					  .output = WEIR_LEARN_TANH };
	struct weir_learn_td3_config c = {
		.training = { .observation_size = OBSERVATION,
			      .past = r->size ? PAST : 3,
			      .batch = r->batch,
			      .gamma = 0.9,
			      .return_steps = 4,
			      .clip_norm = 1.0F },
		.actor_adam = WEIR_LEARN_ADAM_DEFAULT,
		.critic_adam = WEIR_LEARN_ADAM_DEFAULT,
		.share = 0.005F,
		.smoothing = 0.2F,
		.smoothing_limit = 0.5F,
		.delay = 2,
	};
	struct update *u = block(sizeof(*u));

	*u = (struct update){ .memory = filled_memory(OBSERVATION, 0.0F),
			      .executor = { .workers = 1 } };
	c.actor = r->size ? weir_learn_plan_recurrent(&recall) : weir_learn_plan_stack(&stack);
	recall.action_size = 1;
	stack.inputs++;
	recall.output = stack.output = WEIR_LEARN_LINEAR;
	c.critic = r->size ? weir_learn_plan_recurrent(&recall) : weir_learn_plan_stack(&stack);
	u->td3 = block(weir_learn_td3_size(&c));
	u->executor.scratch = block(weir_learn_td3_scratch_size(&c, 1));
	weir_learn_td3_init(u->td3, &c);
	*m = (struct mind){ td3_update, u, 1, (uint32_t)weir_learn_td3_size(&c) };
}

/* --- agents --- */

enum { QUEUES_MAX = 32, WARM_STEPS = 400 };

struct agent {
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_agent_ops *ops;
	struct weir_agent_queue queues[QUEUES_MAX];
	struct weir_agent_env env;
	struct weir_tune_telemetry telemetry[QUEUES_MAX];
	struct weir_tune_knobs knobs[QUEUES_MAX];
	void *state;
};

static void agent_step(void *context)
{
	struct agent *a = context;

	a->ops->step(a->state, a->params, &a->env, a->telemetry, a->knobs);
}

/* Queues of all lengths, none of which counts as idle. */
static void open_agent(struct mind *m, const struct row *r)
{
	struct agent *a = block(sizeof(*a));
	struct weir_error e;
	size_t bytes;

	if (weir_agent_parse(r->spec, &a->ops, a->params, &e))
		exit(1);
	for (uint32_t i = 0; i < r->size; i++) {
		a->queues[i] =
			(struct weir_agent_queue){ .rate_bps = 25000000000, .mtu_bytes = 1000 };
		a->telemetry[i] = (struct weir_tune_telemetry){ .interval_ns = 100000,
								.rate_bps = 25000000000,
								.out_bytes = 300000 - 1000 * i,
								.ce_bytes = 3000 * i,
								.queue_mean_bytes = 20000 * i,
								.queue_end_bytes = 30000 * i,
								.mtu_bytes = 1000 };
	}
	a->env = (struct weir_agent_env){ .seed = 1,
					  .interval_ns = 100000,
					  .rtt_ns = 5000,
					  .queue_count = r->size,
					  .queues = a->queues };
	bytes = a->ops->size(a->params, &a->env);
	a->state = block(bytes);
	a->ops->init(a->state, a->params, &a->env, a->knobs);
	for (int i = 0; i < WARM_STEPS; i++)
		agent_step(a);
	*m = (struct mind){ agent_step, a, r->batch ? 1 : r->size, (uint32_t)(bytes / r->size) };
}

/* --- flows --- */

struct flow {
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[WEIR_CC_STATE_MAX];
	const struct weir_cc_ops *ops;
	struct weir_learn_net net;
	struct weir_learn_policy policy;
	float *weights;
	struct weir_cc_env env;
	struct weir_cc_hop hops[3];
	struct weir_cc_ack ack;
};

/* Two packets more are acknowledged; queues and round trips change a little. */
static void flow_ack(void *context)
{
	struct flow *f = context;
	uint32_t turn = (uint32_t)(f->ack.una_bytes / 2000);

	f->ack.now_ns += 700;
	f->ack.rtt_ns = 1200 + turn % 7 * 100;
	f->ack.rx_ns = (uint32_t)f->ack.now_ns;
	f->ack.una_bytes += 2000;
	for (int i = 0; i < 3; i++) {
		f->hops[i].queue_bytes = turn % 5 * 1000;
		f->hops[i].tx_bytes += 8000;
		f->hops[i].time_ns += 700;
	}
	f->ops->ack(f->state, f->params, &f->env, &f->ack);
}

static void open_flow_of(struct mind *m, const struct row *r, const struct weir_learn_plan *plan)
{
	struct flow *f = block(sizeof(*f));
	struct weir_error e;

	if (weir_cc_parse(r->spec, &f->ops, f->params, &e) ||
	    (plan && weir_learn_net_init(&f->net, plan, &e)))
		exit(1);
	if (plan) {
		const struct weir_learn_policy *policy = &f->policy;

		f->weights = floats(f->net.weight_floats);
		f->policy = (struct weir_learn_policy){ .net = &f->net, .weights = f->weights };
		memcpy(f->params + f->ops->scheme.model->policy_offset, &policy, sizeof(policy));
	}
	f->env = (struct weir_cc_env){ .mss_bytes = 1000,
				       .header_bytes = 118,
				       .hops = 2,
				       .rate_bps = 100000000000,
				       .min_rate_bps = 100000000,
				       .base_rtt_ns = 1200,
				       .bdp_bytes = 15000 };
	for (uint32_t i = 0; i < 3; i++)
		f->hops[i] = (struct weir_cc_hop){ .link = i + 1, .rate_mbps = 100000, .flows = 4 };
	f->ack = (struct weir_cc_ack){ .hop_count = 3, .hops = f->hops };
	f->ops->init(f->state, f->params, &f->env);
	*m = (struct mind){ flow_ack, f, 1, (uint32_t)f->ops->state_size };
}

static void open_flow(struct mind *m, const struct row *r)
{
	open_flow_of(m, r, NULL);
}

static void open_fdcc(struct mind *m, const struct row *r)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 32, .outputs = 1, .hidden = { 64, 64 }, .output = WEIR_LEARN_TANH });

	if (r->size)
		plan = weir_learn_plan_recurrent(
			&(struct weir_learn_recurrent){ .observation_size = OBSERVATION,
							.hidden = r->size,
							.outputs = 1,
							.output = WEIR_LEARN_TANH });
	open_flow_of(m, r, &plan);
}

static void open_rl_cc(struct mind *m, const struct row *r)
{
	struct weir_learn_plan plan =
		weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 4,
								  .outputs = 1,
								  .hidden = { 12, 12 },
								  .lstm_units = 12,
								  .output = WEIR_LEARN_TANH,
								  .bias = WEIR_LEARN_NO_BIAS });

	open_flow_of(m, r, &plan);
}

/* --- all --- */

static const struct row rows[] = {
	{ "ACC, template, 1 queue", "decision", open_agent,
	  "acc(preset=paper, learn=no, idle=none, actions=template)", 1, 0 },
	{ "ACC, template, 32 queues", "decision", open_agent,
	  "acc(preset=paper, learn=no, idle=none, actions=template)", 32, 0 },
	{ "ACC, weir, 32 queues", "decision", open_agent,
	  "acc(preset=paper, learn=no, idle=none, actions=weir)", 32, 0 },
	{ "ACC, preset weir, 32 queues", "decision", open_agent,
	  "acc(learn=no, idle=none, preset=weir)", 32, 0 },
	{ "ACC, pred, 32 queues", "decision", open_agent,
	  "acc(preset=paper, learn=no, idle=none, actions=pred)", 32, 0 },
	{ "ACC, grid, 32 queues", "decision", open_agent,
	  "acc(preset=paper, learn=no, idle=none, actions=grid)", 32, 0 },
	{ "ACC, square, 32 queues", "decision", open_agent,
	  "acc(preset=paper, learn=no, idle=none, actions=square)", 32, 0 },
	{ "ACC, template, 32 queues, learning", "step", open_agent,
	  "acc(preset=paper, learn=yes, idle=none, actions=template)", 32, 1 },
	{ "ACC, square, 32 queues, learning", "step", open_agent,
	  "acc(preset=paper, learn=yes, idle=none, actions=square)", 32, 1 },
	{ "hpcc", "ACK", open_flow, "hpcc", 0, 0 },
	{ "fdcc, without a decision", "ACK", open_flow, "fdcc(policy=always-cut, clock=1000)", 0,
	  0 },
	{ "fdcc, without a network", "decision", open_flow, "fdcc(policy=always-cut, clock=0)", 0,
	  0 },
	{ "fdcc, stack 32-64-64-1", "decision", open_fdcc, "fdcc(clock=0)", 0, 0 },
	{ "fdcc, recall 32", "decision", open_fdcc, "fdcc(clock=0, preset=thesis)", 32, 0 },
	{ "fdcc, recall 64", "decision", open_fdcc, "fdcc(clock=0, preset=thesis)", 64, 0 },
	{ "fdcc, recall 128", "decision", open_fdcc, "fdcc(clock=0, preset=thesis)", 128, 0 },
	{ "rl-cc, linear rule", "decision", open_flow, "rl-cc(clock=0, policy=linear)", 0, 0 },
	{ "rl-cc, policy 12", "decision", open_rl_cc, "rl-cc(clock=0)", 0, 0 },
	{ "double DQN, ACC's net, batch 32", "update", open_dqn, NULL, 0, 32 },
	{ "double DQN, ACC's net, batch 128", "update", open_dqn, NULL, 0, 128 },
	{ "TD3, stacked 64, batch 128", "update", open_td3, NULL, 0, 128 },
	{ "TD3, recall 32, batch 128", "update", open_td3, NULL, 32, 128 },
	{ "TD3, recall 64, batch 128", "update", open_td3, NULL, 64, 128 },
	{ "TD3, recall 128, batch 128", "update", open_td3, NULL, 128, 128 },
	{ .name = NULL },
};

static int call_one(const char *name, long calls)
{
	const struct row *r = rows;
	struct mind m;

	while (r->name && strcmp(r->name, name) != 0)
		r++;
	if (!r->name || calls < 0) {
		fprintf(stderr, "bench-minds: '%s', %ld times; 'list' names what there is\n", name,
			calls);
		return 2;
	}
	r->open(&m, r);
	for (long i = 0; i < calls; i++)
		m.call(m.context);
	printf("%" PRIu32 " %s\n", m.per, r->unit);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return call_one(argv[1], strtol(argv[2], NULL, 10));
	if (argc == 1)
		printf("%-38s %-10s %12s %14s %12s\n", "who", "what", "ns", "a second", "bytes");
	for (const struct row *r = rows; r->name; r++) {
		struct mind m;
		double ns;

		if (argc == 2) {
			puts(r->name);
			continue;
		}
		r->open(&m, r);
		ns = cost_ns(m.call, m.context) / m.per;
		printf("%-38s %-10s %12.1f %14.0f %12" PRIu32 "\n", r->name, r->unit, ns, 1e9 / ns,
		       m.bytes);
	}
	return 0;
}
