/* SPDX-License-Identifier: BSD-3-Clause */
/* acc.c -- ACC: an agent that chooses among ECN settings for each queue of a switch with a deep
 * Q-network.
 *
 * Yan et al., "ACC: Automatic ECN Tuning for High-Speed Datacenter Networks", SIGCOMM 2021. Once a
 * slot the agent observes every queue, asks the network for the value of each setting, applies the
 * best one (acc_mdp.c), and may learn from the outcome of the last ones by double DQN
 * (acc_online.c). All queues of a switch share one network and one replay memory.
 *
 * scope=network is C-ACC of section 5.4: one agent for the network. It observes the mean over the
 * ports of each of three groups (leaf to host, leaf up, spine down) and gives each group one of
 * seven settings; a slot is worth the mean over the ports that were busy. Observation and action
 * are those of the first queue's place.
 *
 * Differs: the first action follows the first slot; before, the setting is SECN2 for the link, as
 * the paper does not state the device default. */
#include "lib/agent/acc.h"
#include "weir/units.h"
#include <assert.h>
#include <string.h>

/* Places per inference batch: several rows at a time hide the latency of dependent additions. */
enum { BATCH_PLACES = 8 };

struct acc_state {
	struct acc_online online;
	struct acc_slot slot;
	struct weir_learn_net own_net; /* unless a model or the learner has one */
	const struct weir_learn_net *net;
	const float *weights;
	float *own_weights, *tape;
	float *batch, *values; /* [BATCH_PLACES]: observations, Q-values */
	struct acc_queue *queues;
	uint8_t *asked;      /* [places]: was an action requested at the last observation? */
	uint32_t is_held;    /* keeps its initial settings */
	uint64_t choices;    /* ever made */
	uint64_t not_finite; /* inputs that were NaN or infinite */
};

/* --- a slot --- */

/* The network's inputs for a queue. */
static void acc_inputs_of(const struct acc_params *p, const struct acc_queue *q, float *to)
{
	size_t at = (size_t)weir_acc_slots(p) * ACC_FEATURES;

	memcpy(to, q->seen, at * sizeof(*to));
	if (weir_acc_has_traces(p)) {
		memcpy(to + at, q->traces, sizeof(q->traces));
		at += ACC_TRACE_FEATURES;
	}
	if (weir_acc_has_weight(p))
		to[at] = acc_fraction(weir_acc_weight_q32(p));
}

/* C-ACC: means over groups of ports instead of queues. */
static void acc_observe_network(const struct acc_state *s, const struct acc_params *p,
				const struct weir_agent_env *env, const struct acc_slot *to)
{
	uint32_t size = to->inputs / WEIR_AGENT_GROUPS, members[WEIR_AGENT_GROUPS] = { 0 },
		 busy = 0;
	float sum = 0.0F, all = 0.0F;
	uint8_t asks = 0;

	memset(to->observations, 0, (size_t)to->places * to->inputs * sizeof(float));
	for (uint32_t i = 0; i < to->places; i++) {
		const struct acc_queue *q = &s->queues[i];
		float *group = to->observations + env->queues[i].group * size,
		      inputs[ACC_SLOTS_MAX * ACC_FEATURES + ACC_TRACE_FEATURES + 1];

		acc_inputs_of(p, q, inputs);

		for (uint32_t j = 0; j < size; j++)
			group[j] += inputs[j];
		members[env->queues[i].group]++;
		busy += !q->is_idle && q->carries;
		sum += !q->is_idle && q->carries ? q->reward : 0.0F;
		all += q->reward;
		asks |= to->asks[i];
		to->asks[i] = 0;
		to->rewards[i] = 0.0F;
	}
	for (uint32_t g = 0; g < WEIR_AGENT_GROUPS; g++)
		for (uint32_t j = 0; members[g] && j < size; j++)
			to->observations[g * size + j] /= (float)members[g];
	to->asks[0] = asks;
	to->rewards[0] = busy ? sum / (float)busy : all / (float)to->places;
}

static void acc_observe(void *state, const void *params, const struct weir_agent_env *env,
			const struct weir_tune_telemetry *telemetry, float *observations,
			float *rewards, uint8_t *asks)
{
	struct acc_state *s = state;
	const struct acc_params *p = params;
	struct acc_slot to = { .observations = observations,
			       .rewards = rewards,
			       .asks = asks,
			       .places = env->queue_count,
			       .inputs = weir_acc_inputs(p) };

	for (uint32_t i = 0; i < to.places; i++) {
		struct acc_queue *q = &s->queues[i];

		s->not_finite += weir_acc_observe(q, p, &telemetry[i]);
		asks[i] = !q->is_idle && !s->is_held;
		rewards[i] = q->reward;
		if (!weir_acc_is_central(p))
			acc_inputs_of(p, q, observations + (size_t)i * to.inputs);
	}
	if (weir_acc_is_central(p))
		acc_observe_network(s, p, env, &to);
	memcpy(s->asked, asks, to.places);
}

static void acc_note_setting(struct acc_queue *q, uint32_t setting,
			     const struct weir_tune_knobs *knobs)
{
	q->setting = setting;
	q->min_bytes = knobs->min_bytes;
}

static void acc_act(void *state, const void *params, const struct weir_agent_env *env,
		    const uint32_t *actions, struct weir_tune_knobs *knobs)
{
	struct acc_state *s = state;
	const struct acc_params *p = params;

	for (uint32_t i = 0; i < env->queue_count; i++) {
		const struct weir_agent_queue *q = &env->queues[i];
		uint32_t place = weir_acc_is_central(p) ? 0 : i, setting;

		if (!s->asked[place])
			continue;
		assert(actions[place] < weir_acc_outputs(p));
		setting = weir_acc_setting_of(p, actions[place], q);
		knobs[i] = weir_acc_knobs(p, setting, q);
		acc_note_setting(&s->queues[i], setting, &knobs[i]);
	}
}

static void acc_note(void *state, const void *params, const struct weir_agent_env *env,
		     const struct weir_tune_knobs *knobs)
{
	struct acc_state *s = state;

	for (uint32_t i = 0; i < env->queue_count; i++)
		acc_note_setting(&s->queues[i],
				 weir_acc_nearest(params, &knobs[i], &env->queues[i]), &knobs[i]);
}

/* Chooses actions for up to BATCH_PLACES places, whose observations are in s->batch. */
static void acc_choose_batch(struct acc_state *s, const struct acc_params *p,
			     const struct weir_learn_choice *how, const uint32_t *places,
			     uint32_t count)
{
	const struct weir_learn_batch batch = { .samples = count, .current = s->batch };
	uint32_t outputs = weir_acc_outputs(p);

	if (weir_acc_control(p) != ACC_RANDOM)
		weir_learn_forward(s->net, s->weights, &batch, s->tape, s->values);
	for (uint32_t i = 0; i < count; i++) {
		float *values = s->values + (size_t)i * outputs;
		/* weir_learn_choose_action consumes two counters. */
		struct weir_learn_draw draw = { s->online.seed, ACC_CHOICE, 2 * s->choices++ };

		if (weir_acc_margin(p) > 0.0F)
			values[weir_acc_anchor(p)] += weir_acc_margin(p);
		s->slot.actions[places[i]] = weir_learn_choose_action(how, values, outputs, draw);
	}
}

/* Epsilon-greedy actions for the places that need one. */
static void acc_choose(struct acc_state *s, const struct acc_params *p)
{
	int is_random = weir_acc_control(p) == ACC_RANDOM;
	struct weir_learn_choice how = {
		.epsilon = is_random ? 1.0F : weir_acc_epsilon(&s->online, p),
		.temperature = is_random ? 0.0F : acc_fraction(p->temperature_q32),
	};
	const struct acc_slot *slot = &s->slot;
	uint32_t places[BATCH_PLACES], count = 0;

	for (uint32_t i = 0; i < slot->places; i++) {
		if (!slot->asks[i])
			continue;
		memcpy(s->batch + (size_t)count * slot->inputs,
		       slot->observations + (size_t)i * slot->inputs,
		       slot->inputs * sizeof(*s->batch));
		places[count++] = i;
		if (count == BATCH_PLACES) {
			acc_choose_batch(s, p, &how, places, count);
			count = 0;
		}
	}
	if (count)
		acc_choose_batch(s, p, &how, places, count);
}

/* Learns from the slot that ended, and selects the weights that act in the next one. Under C-ACC
 * the first place stands for the network. */
static void acc_learn(struct acc_state *s, const struct acc_params *p)
{
	struct acc_online *o = &s->online;

	for (uint32_t i = 0; i < s->slot.places; i++)
		s->slot.carries[i] = weir_acc_is_central(p) ? i == 0 : s->queues[i].carries != 0;
	weir_acc_guard(o, p, &s->slot);
	weir_acc_store_transitions(o, p, &s->slot);
	s->weights =
		weir_acc_is_reference(o, p) ? o->guard.initial : weir_learn_dqn_weights(o->learner);
}

static void acc_step(void *state, const void *params, const struct weir_agent_env *env,
		     const struct weir_tune_telemetry *telemetry, struct weir_tune_knobs *knobs)
{
	struct acc_state *s = state;
	const struct acc_params *p = params;
	struct acc_slot *slot = &s->slot;

	acc_observe(s, p, env, telemetry, slot->observations, slot->rewards, slot->asks);
	if (s->online.learner)
		acc_learn(s, p);
	acc_choose(s, p);
	acc_act(s, p, env, slot->actions, knobs);
	if (s->online.learner)
		weir_acc_train(&s->online, p, slot);
}

/* --- memory --- */

/* Bump allocator over the state's block, in cache lines; base NULL: only counts bytes. */
struct acc_arena {
	unsigned char *base;
	size_t bytes;
};

static void *acc_arena_alloc(struct acc_arena *r, size_t bytes)
{
	size_t at = r->bytes;

	r->bytes +=
		(bytes + WEIR_LEARN_ALIGNMENT - 1) / WEIR_LEARN_ALIGNMENT * WEIR_LEARN_ALIGNMENT;
	return r->base ? r->base + at : NULL;
}

static void acc_layout_online(struct acc_online *o, const struct acc_params *p, uint32_t places,
			      struct acc_arena *r)
{
	struct weir_learn_memory_plan plan = weir_acc_memory_plan(p, p->memory);
	struct weir_learn_dqn_config config;

	weir_acc_config(p, 0, &config);
	o->learner = acc_arena_alloc(r, weir_learn_dqn_size(&config));
	o->scratch = acc_arena_alloc(r, weir_learn_dqn_scratch_size(&config, 1));
	o->memory = acc_arena_alloc(r, weir_learn_memory_size(&plan));
	o->before = acc_arena_alloc(r, (size_t)places * weir_acc_inputs(p) * sizeof(float));
	o->waits = acc_arena_alloc(r, places);
}

/* weir_acc_check has validated the plan. */
static void acc_make_net(struct weir_learn_net *net, const struct acc_params *p)
{
	struct weir_learn_plan plan = weir_acc_plan(p);
	struct weir_error e;
	int refused = weir_learn_net_init(net, &plan, &e);

	assert(!refused);
	(void)refused;
}

/* Everything that follows struct acc_state in the block. */
static void acc_layout(struct acc_state *s, const struct acc_params *p,
		       const struct weir_agent_env *env, struct acc_arena *r)
{
	uint32_t places = env->queue_count, inputs = weir_acc_inputs(p);
	uint32_t at_once = places < BATCH_PLACES ? places : BATCH_PLACES;
	size_t tape;

	acc_make_net(&s->own_net, p);
	tape = weir_learn_tape_floats(&s->own_net, at_once, 0, WEIR_LEARN_FORWARD_ONLY);
	acc_arena_alloc(r, sizeof(*s));
	s->queues = acc_arena_alloc(r, places * sizeof(s->queues[0]));
	s->asked = acc_arena_alloc(r, places);
	s->slot = (struct acc_slot){
		.observations = acc_arena_alloc(r, (size_t)places * inputs * sizeof(float)),
		.rewards = acc_arena_alloc(r, places * sizeof(float)),
		.asks = acc_arena_alloc(r, places),
		.carries = acc_arena_alloc(r, places),
		.actions = acc_arena_alloc(r, places * sizeof(uint32_t)),
		.places = places,
		.inputs = inputs,
	};
	s->batch = acc_arena_alloc(r, (size_t)at_once * inputs * sizeof(float));
	s->values = acc_arena_alloc(r, (size_t)at_once * weir_acc_outputs(p) * sizeof(float));
	s->tape = acc_arena_alloc(r, tape * sizeof(float));
	s->own_weights = acc_arena_alloc(r, s->own_net.weight_floats * sizeof(float));
	if (weir_acc_is_learning(p))
		acc_layout_online(&s->online, p, places, r);
}

static size_t acc_size(const void *params, const struct weir_agent_env *env)
{
	struct acc_state s = { 0 };
	struct acc_arena r = { 0 };

	acc_layout(&s, params, env, &r);
	return r.bytes;
}

/* --- start --- */

static void acc_start_online(struct acc_state *s, const struct acc_params *p, uint64_t seed)
{
	struct weir_learn_memory_plan plan = weir_acc_memory_plan(p, p->memory);
	struct weir_learn_dqn_config config;

	weir_acc_config(p, seed, &config);
	weir_learn_memory_init(s->online.memory, &plan);
	weir_learn_dqn_init(s->online.learner, &config);
	weir_learn_dqn_load(s->online.learner, s->weights);
	s->online.guard.initial = s->weights;
	s->weights = weir_learn_dqn_weights(s->online.learner);
}

static void acc_init(void *state, const void *params, const struct weir_agent_env *env,
		     struct weir_tune_knobs *knobs)
{
	struct acc_state *s = state;
	const struct acc_params *p = params;
	struct weir_learn_draw first = { env->seed, ACC_LEARNER, 0 };
	int joins_switches = 0;

	acc_layout(s, p, env, &(struct acc_arena){ .base = state });
	s->online.seed = env->seed;
	weir_learn_net_init_weights(&s->own_net, WEIR_LEARN_HE_UNIFORM, first, s->own_weights);
	s->net = p->policy ? p->policy->net : &s->own_net;
	s->weights = p->policy ? p->policy->weights : s->own_weights;
	if (weir_acc_is_learning(p))
		acc_start_online(s, p, env->seed);
	for (uint32_t i = 0; i < env->queue_count; i++)
		joins_switches |= env->queues[i].group != WEIR_AGENT_TO_HOST;
	joins_switches &= weir_acc_holds_fabric(p);
	s->is_held = (uint32_t)joins_switches || weir_acc_control(p) == ACC_CONSTANT;
	for (uint32_t i = 0; i < env->queue_count; i++) {
		const struct weir_agent_queue *q = &env->queues[i];

		if (joins_switches)
			knobs[i] = weir_acc_held();
		else if (s->is_held)
			knobs[i] = weir_acc_constant(q->rate_bps);
		else if (p->start == ACC_SECN2)
			knobs[i] = weir_acc_secn2(q->rate_bps);
		acc_note_setting(&s->queues[i], weir_acc_nearest(p, &knobs[i], q), &knobs[i]);
	}
}

/* Section 3.3: an order of magnitude above the round-trip time. Other presets: see acc_params.c. */
static int64_t acc_interval_ns(const void *params, int64_t rtt_ns)
{
	enum { SHORTEST_NS = 50 * WEIR_NS_PER_US, GRAIN_NS = 10 * WEIR_NS_PER_US };
	const struct acc_params *p = params;
	int64_t ns = 10 * rtt_ns > SHORTEST_NS ? 10 * rtt_ns : SHORTEST_NS;

	if (!weir_acc_is_paper(p))
		return WEIR_NS_PER_MS;
	return (ns + GRAIN_NS - 1) / GRAIN_NS * GRAIN_NS;
}

static enum weir_agent_scope acc_scope(const void *params)
{
	const struct acc_params *p = params;

	return weir_acc_is_central(p) ? WEIR_AGENT_PER_NETWORK : WEIR_AGENT_PER_SWITCH;
}

static void acc_export(void *state, const void *params, void *shared)
{
	struct acc_state *s = state;

	weir_acc_export(&s->online, params, shared);
}

static void acc_import(void *state, const void *params, const void *shared)
{
	struct acc_state *s = state;

	weir_acc_import(&s->online, params, shared);
}

/* --- values to watch --- */

static double acc_read_reward(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)params;
	return (double)s->queues[queue].reward;
}

static double acc_read_action(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)params;
	return (double)s->queues[queue].setting;
}

static double acc_read_idle(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)params;
	return s->queues[queue].is_idle ? 1 : 0;
}

static double acc_read_epsilon(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)queue;
	return (double)weir_acc_epsilon(&s->online, params);
}

static double acc_read_loss(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)params;
	(void)queue;
	return (double)s->online.loss;
}

static double acc_read_rollbacks(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)params;
	(void)queue;
	return (double)s->online.guard.rollbacks;
}

static double acc_read_not_finite(const void *state, const void *params, uint32_t queue)
{
	const struct acc_state *s = state;

	(void)params;
	(void)queue;
	return (double)s->not_finite;
}

static const struct weir_agent_value acc_values[] = {
	{ "reward", "", acc_read_reward },
	{ "action", "", acc_read_action },
	{ "idle", "", acc_read_idle },
	{ "epsilon", "", acc_read_epsilon },
	{ "loss", "", acc_read_loss },
	{ "rollbacks", "", acc_read_rollbacks },
	{ "not-finite", "inputs", acc_read_not_finite },
	{ .name = NULL },
};

static uint32_t acc_inputs(const void *params)
{
	return weir_acc_inputs(params);
}

static uint32_t acc_outputs(const void *params)
{
	return weir_acc_outputs(params);
}

static const struct weir_agent_learner acc_learner = {
	.observation_size = acc_inputs,
	.action_count = acc_outputs,
	.observe = acc_observe,
	.act = acc_act,
	.note = acc_note,
	.config = weir_acc_config,
	.meaning = weir_acc_meaning,
};

extern const struct weir_agent_ops weir_agent_acc;

const struct weir_agent_ops weir_agent_acc = {
	.scheme = {
		.name = "acc",
		.help = "tunes each queue's ECN thresholds with a deep Q-network (ACC); alone it holds "
			"constants",
		.cite = "Yan et al., ACC, SIGCOMM 2021",
		.params_size = sizeof(struct acc_params),
		.options = weir_acc_options,
		.check = weir_acc_check,
		.model = &weir_acc_model,
	},
	.interval_ns = acc_interval_ns,
	.scope = acc_scope,
	.size = acc_size,
	.init = acc_init,
	.step = acc_step,
	.share_steps = weir_acc_share_steps,
	.shared_size = weir_acc_shared_size,
	.shared_init = weir_acc_shared_init,
	.export_experience = acc_export,
	.import_experience = acc_import,
	.values = acc_values,
	.learner = &acc_learner,
};
