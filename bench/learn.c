/* learn.c -- what a decision and an update cost, for the nets that learning schemes have.
 *
 *	build/release/bench-learn
 *
 * stack 12-20-40-40-20 is ACC's, stack 32-64-64-1 an actor on four stacked observations of eight
 * numbers, recall H the LSTM nets of FDCC over eight past observations, policy 12 that of RL-CC.
 * Forward and back are one pass of a net with so many samples, per sample; an update is one minibatch
 * of the learner, on one thread. ACC's lines are its step, from telemetry to knobs, per queue of a switch
 * with 32; learning adds one update a step. Those of flows are an ACK, from telemetry to window and rate. Times are processor time, the best of several turns. */
#define _POSIX_C_SOURCE 200809L
#include "weir/agent.h"
#include "weir/cc.h"
#include "weir/error.h"
#include "weir/learn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 7, PAST = 8, OBSERVATION = 8, ROWS = 20000 };

#define TURN_NS 2e7

static void *block(size_t bytes)
{
	size_t whole = (bytes / WEIR_LEARN_ALIGNMENT + 1) * WEIR_LEARN_ALIGNMENT;
	void *memory = aligned_alloc(WEIR_LEARN_ALIGNMENT, whole);

	if (!memory)
		exit(1);
	memset(memory, 0, whole);
	return memory;
}

static float *floats(size_t count)
{
	float *numbers = block(count * sizeof(float));

	for (size_t i = 0; i < count; i++)
		numbers[i] = weir_learn_uniform((struct weir_learn_draw){ 1, 1, i }) - 0.5F;
	return numbers;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of one call, the best of several turns. */
static double cost_ns(void (*call)(void *), void *context)
{
	double best = 1e18;
	int calls = 1;

	for (int turn = 0; turn < TURNS;) {
		double begin = now_ns(), ns;

		for (int i = 0; i < calls; i++)
			call(context);
		ns = now_ns() - begin;
		if (ns < TURN_NS / 2 && calls < 1 << 24) {
			calls *= 2;
			continue;
		}
		best = ns / calls < best ? ns / calls : best;
		turn++;
	}
	return best;
}

/* --- passes --- */

struct pass {
	struct weir_learn_net net;
	struct weir_learn_batch batch;
	struct weir_learn_gradient gradient;
	float *weights, *turned, *tape, *output;
};

static void forward(void *context)
{
	struct pass *p = context;

	weir_learn_forward(&p->net, p->weights, &p->batch, p->tape, p->output);
}

static void back(void *context)
{
	struct pass *p = context;

	weir_learn_backward(&p->net, p->turned, &p->batch, p->tape, &p->gradient);
}

static void bench_pass(const char *name, const struct weir_learn_plan *plan, uint32_t steps)
{
	static const uint32_t batches[] = { 1, 32, 128 };
	struct weir_error e;

	printf("%-24s", name);
	for (int i = 0; i < 3; i++) {
		uint32_t samples = batches[i];
		struct pass p;
		double ns[2];

		if (weir_learn_net_init(&p.net, plan, &e))
			exit(1);
		p.batch = (struct weir_learn_batch){
			.samples = samples,
			.steps = steps,
			.sequence = floats((size_t)samples * steps * plan->sequence_size),
			.current = floats((size_t)samples * plan->current_size),
		};
		p.weights = floats(p.net.weight_floats);
		p.turned = floats(p.net.turned_floats);
		weir_learn_net_start(&p.net, WEIR_LEARN_HE_UNIFORM,
				     (struct weir_learn_draw){ 1, 2, 0 }, p.weights);
		weir_learn_net_turn(&p.net, p.weights, p.turned);
		p.tape =
			floats(weir_learn_tape_floats(&p.net, samples, steps, WEIR_LEARN_AND_BACK));
		p.output = floats((size_t)samples * (steps + 1) * p.net.outputs);
		p.gradient = (struct weir_learn_gradient){
			.output = floats((size_t)samples * (steps + 1) * p.net.outputs),
			.weights = floats(p.net.weight_floats),
		};
		ns[0] = cost_ns(forward, &p);
		ns[1] = cost_ns(back, &p);
		printf(" %9.0f %9.0f", ns[0] / samples, ns[1] / samples);
		free((void *)p.batch.sequence);
		free((void *)p.batch.current);
		free((void *)p.gradient.output);
		free(p.gradient.weights);
		free(p.weights);
		free(p.turned);
		free(p.tape);
		free(p.output);
	}
	printf("\n");
}

/* --- updates --- */

struct update {
	struct weir_learn_memory *memory;
	struct weir_learn_crew crew;
	struct weir_learn_dqn *dqn;
	struct weir_learn_td3 *td3;
};

static void dqn_update(void *context)
{
	struct update *u = context;

	weir_learn_dqn_update(u->dqn, u->memory, &u->crew);
}

static void td3_update(void *context)
{
	struct update *u = context;

	weir_learn_td3_update(u->td3, u->memory, &u->crew);
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
	free(numbers);
	return m;
}

static void bench_dqn(uint32_t batch)
{
	struct weir_learn_dqn_config c = {
		.training = { .observation_size = 12,
			      .batch = batch,
			      .gamma = 0.9,
			      .return_steps = 1 },
		.plan = weir_learn_plan_stack(&(struct weir_learn_stack){
			.inputs = 12, .outputs = 20, .hidden = { 20, 40, 40 } }),
		.adam = WEIR_LEARN_ADAM_DEFAULT,
		.target_every = 100,
	};
	struct update u = { .memory = filled_memory(12, 20.0F), .crew = { .workers = 1 } };

	u.dqn = block(weir_learn_dqn_size(&c));
	u.crew.scratch = block(weir_learn_dqn_scratch_size(&c, 1));
	weir_learn_dqn_init(u.dqn, &c);
	printf("double DQN 12-20-40-40-20, batch %3u %10.1f us, %5.1f KB\n", batch,
	       cost_ns(dqn_update, &u) / 1e3, (double)weir_learn_dqn_size(&c) / 1e3);
	free(u.memory);
	free(u.dqn);
	free(u.crew.scratch);
}

/* hidden 0: four observations stacked, 64-64. */
static void bench_td3(uint32_t hidden, uint32_t batch)
{
	struct weir_learn_recall recall = { .observation_size = OBSERVATION,
					    .hidden = hidden,
					    .outputs = 1,
					    .output = WEIR_LEARN_TANH };
	struct weir_learn_stack stack = { .inputs = 4 * OBSERVATION,
					  .outputs = 1,
					  .hidden = { 64, 64 },
					  .output = WEIR_LEARN_TANH };
	struct weir_learn_td3_config c = {
		.training = { .observation_size = OBSERVATION,
			      .past = hidden ? PAST : 3,
			      .batch = batch,
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
	struct update u = { .memory = filled_memory(OBSERVATION, 0.0F), .crew = { .workers = 1 } };

	c.actor = hidden ? weir_learn_plan_recall(&recall) : weir_learn_plan_stack(&stack);
	recall.action_size = 1;
	stack.inputs++;
	recall.output = stack.output = WEIR_LEARN_LINEAR;
	c.critic = hidden ? weir_learn_plan_recall(&recall) : weir_learn_plan_stack(&stack);
	u.td3 = block(weir_learn_td3_size(&c));
	u.crew.scratch = block(weir_learn_td3_scratch_size(&c, 1));
	weir_learn_td3_init(u.td3, &c);
	printf("TD3 %-9s %3u, batch %3u %20.1f us, %5.1f KB\n", hidden ? "recall" : "stacked",
	       hidden ? hidden : 64, batch, cost_ns(td3_update, &u) / 1e3,
	       (double)weir_learn_td3_size(&c) / 1e3);
	free(u.memory);
	free(u.td3);
	free(u.crew.scratch);
}

/* --- ACC --- */

enum { ACC_QUEUES = 32, ACC_WARM_STEPS = 400 };

struct agent {
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_agent_ops *ops;
	struct weir_agent_queue queues[ACC_QUEUES];
	struct weir_agent_env env;
	struct weir_tune_telemetry telemetry[ACC_QUEUES];
	struct weir_tune_knobs knobs[ACC_QUEUES];
	void *state;
};

static void agent_step(void *context)
{
	struct agent *a = context;

	a->ops->step(a->state, a->params, &a->env, a->telemetry, a->knobs);
}

/* Queues of all lengths, none of which counts as idle. */
static void agent_open(struct agent *a, const char *spec)
{
	struct weir_error e;

	memset(a, 0, sizeof(*a));
	if (weir_agent_parse(spec, &a->ops, a->params, &e))
		exit(1);
	for (uint32_t i = 0; i < ACC_QUEUES; i++) {
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
					  .queue_count = ACC_QUEUES,
					  .queues = a->queues };
	a->state = block(a->ops->size(a->params, &a->env));
	a->ops->init(a->state, a->params, &a->env, a->knobs);
	for (int i = 0; i < ACC_WARM_STEPS; i++)
		agent_step(a);
}

static void bench_acc(const char *table)
{
	struct agent decides, learns;
	char spec[128];
	double decide_ns, learn_ns;

	snprintf(spec, sizeof(spec), "acc(learn=no, idle=none, actions=%s)", table);
	agent_open(&decides, spec);
	snprintf(spec, sizeof(spec), "acc(learn=yes, idle=none, actions=%s)", table);
	agent_open(&learns, spec);
	decide_ns = cost_ns(agent_step, &decides);
	learn_ns = cost_ns(agent_step, &learns);
	printf("ACC, %-10s a decision %7.2f us, an online update %7.1f us\n", table,
	       decide_ns / ACC_QUEUES / 1e3, (learn_ns - decide_ns) / 1e3);
	free(decides.state);
	free(learns.state);
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

/* plan NULL: without a network. */
static void bench_flow(const char *name, const char *spec, const struct weir_learn_plan *plan)
{
	struct flow *f = block(sizeof(*f));
	struct weir_error e;

	if (weir_cc_parse(spec, &f->ops, f->params, &e) ||
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
	printf("%-36s %7.0f ns, %4u B a flow\n", name, cost_ns(flow_ack, f),
	       (unsigned)f->ops->state_size);
	free(f->weights);
	free(f);
}

static void bench_flows(void)
{
	struct weir_learn_plan stack = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 32, .outputs = 1, .hidden = { 64, 64 }, .output = WEIR_LEARN_TANH });
	struct weir_learn_plan policy =
		weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 4,
								  .outputs = 1,
								  .hidden = { 12, 12 },
								  .lstm_units = 12,
								  .output = WEIR_LEARN_TANH,
								  .bias = WEIR_LEARN_NO_BIAS });

	printf("\na flow's ACK\n");
	bench_flow("hpcc", "hpcc", NULL);
	bench_flow("fdcc, without a decision", "fdcc(policy=always-cut, clock=1000)", NULL);
	bench_flow("fdcc, without a network", "fdcc(policy=always-cut, clock=0)", NULL);
	bench_flow("fdcc, stack 32-64-64-1", "fdcc(clock=0)", &stack);
	for (uint32_t hidden = 32; hidden <= 128; hidden *= 2) {
		struct weir_learn_plan recall = weir_learn_plan_recall(
			&(struct weir_learn_recall){ .observation_size = OBSERVATION,
						     .hidden = hidden,
						     .outputs = 1,
						     .output = WEIR_LEARN_TANH });
		char name[32];

		snprintf(name, sizeof(name), "fdcc, recall %u", (unsigned)hidden);
		bench_flow(name, "fdcc(clock=0, preset=thesis)", &recall);
	}
	bench_flow("rl-cc, linear rule", "rl-cc(clock=0, policy=linear)", NULL);
	bench_flow("rl-cc, policy 12", "rl-cc(clock=0)", &policy);
}

int main(void)
{
	static const char *const tables[] = { "template", "weir", "pred", "grid", "square" };
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 12, .outputs = 20, .hidden = { 20, 40, 40 } });
	static const uint32_t hidden[] = { 32, 64, 128 };

	printf("ns per sample            %9s %9s %9s %9s %9s %9s\n", "1: there", "back",
	       "32: there", "back", "128:there", "back");
	bench_pass("stack 12-20-40-40-20", &plan, 0);
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 32, .outputs = 1, .hidden = { 64, 64 }, .output = WEIR_LEARN_TANH });
	bench_pass("stack 32-64-64-1", &plan, 0);
	for (int i = 0; i < 3; i++) {
		char name[32];

		plan = weir_learn_plan_recall(
			&(struct weir_learn_recall){ .observation_size = OBSERVATION,
						     .hidden = hidden[i],
						     .outputs = 1,
						     .output = WEIR_LEARN_TANH });
		snprintf(name, sizeof(name), "recall %u", hidden[i]);
		bench_pass(name, &plan, PAST);
	}
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 4,
								 .outputs = 1,
								 .hidden = { 12, 12 },
								 .lstm_units = 12,
								 .output = WEIR_LEARN_TANH,
								 .bias = WEIR_LEARN_NO_BIAS });
	bench_pass("policy 12, one step", &plan, 1);
	printf("\nan update                                       time, learner\n");
	bench_dqn(32);
	bench_dqn(128);
	bench_td3(0, 128);
	for (int i = 0; i < 3; i++)
		bench_td3(hidden[i], 128);
	printf("\nan agent\n");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		bench_acc(tables[i]);
	bench_flows();
	return 0;
}
