/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_transformer.c -- pattern transformer: iterations of training a transformer with tensor,
 * pipeline, data and expert parallelism.
 *
 * Ranks: tensor-parallel ones are neighbours, then come replicas of the data (of which `expert`
 * neighbours share the experts), then stages of the pipeline.
 *
 * Narayanan et al., "Efficient large-scale language model training on GPU clusters using
 * Megatron-LM", SC 2021: stages work one forward, one backward (1F1B, section 2.2); a layer has two
 * all-reduces of the activations, of b s h values, in each direction (section 2.3); a stage's ranks
 * send their share of the activations to the next stage (scatter/gather, section 4.1); the forward
 * pass of a layer takes
 *	24 b s h^2 (1 + s / 6h)
 * floating-point operations, the backward pass twice as many (appendix). Values have two bytes.
 * Gradients, 12 h^2 values a layer, are all-reduced layer by layer during the last backward pass.
 * With experts, tokens go to top-k experts and back by two all-to-alls a layer and direction.
 *
 * Left out: embeddings, the optimizer, recomputation, gradients of experts as a group of their own.
 *
 * Model sizes: Brown et al., "Language models are few-shot learners", 2020, table 2.1; Touvron et
 * al., "LLaMA: open and efficient foundation language models", 2023, table 2. Sequences have 2048
 * tokens in both. */
#include "base/memory.h"
#include "base/text.h"
#include "sim/traffic/flow_builder.h"
#include "sim/traffic/job.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct transformer_params {
	struct job_params job;
	struct job_algorithms algorithms;
	char model[WEIR_OPT_TEXT_SIZE];
	uint64_t layers, hidden, sequence;
	uint64_t tensor, pipeline, expert, top_k;
	uint64_t micro_batches, micro_batch;
	uint64_t tflops;
};

#define AT(member) offsetof(struct transformer_params, member)
static const struct weir_option transformer_options[] = {
	{ "model", WEIR_OPT_TEXT, AT(model), NULL, 0, 0,
	  "sizes of a published model: gpt3-6.7b, gpt3-13b, gpt3-175b, llama-7b, llama-13b, "
	  "llama-65b; or give layers and hidden",
	  NULL },
	{ "layers", WEIR_OPT_COUNT, AT(layers), NULL, 1, 10000, "layers of the model", NULL },
	{ "hidden", WEIR_OPT_COUNT, AT(hidden), NULL, 1, 1000000, "values of a token", NULL },
	{ "sequence", WEIR_OPT_COUNT, AT(sequence), "2048", 1, 10000000, "tokens of a sequence",
	  NULL },
	JOB_MEMBERS_OPTION("ranks; as many as hosts unless given"),
	{ "tensor", WEIR_OPT_COUNT, AT(tensor), "1", 1, COLLECTIVE_RANKS_MAX,
	  "ranks that share each layer", NULL },
	{ "pipeline", WEIR_OPT_COUNT, AT(pipeline), "1", 1, COLLECTIVE_RANKS_MAX,
	  "stages of the pipeline; must divide the layers", NULL },
	{ "expert", WEIR_OPT_COUNT, AT(expert), "1", 1, COLLECTIVE_RANKS_MAX,
	  "ranks that share the experts; 1: no experts", NULL },
	{ "top-k", WEIR_OPT_COUNT, AT(top_k), "2", 1, 64, "experts of a token", NULL },
	{ "micro-batches", WEIR_OPT_COUNT, AT(micro_batches), "8", 1, 100000,
	  "micro-batches of a replica in an iteration", NULL },
	{ "micro-batch", WEIR_OPT_COUNT, AT(micro_batch), "1", 1, 100000,
	  "sequences of a micro-batch", NULL },
	{ "tflops", WEIR_OPT_COUNT, AT(tflops), "400", 1, 1000000000,
	  "floating-point operations that a rank completes, in 10^12 a second", NULL },
	JOB_ALGORITHM_OPTIONS,
	JOB_PLACEMENT_OPTION,
	JOB_REPEATS_OPTION,
	JOB_WARM_UP_OPTION,
	JOB_STRAGGLERS_OPTION,
	JOB_STRAGGLER_DELAY_OPTION,
	{ .name = NULL },
};
#undef AT

static const struct transformer_model {
	const char *name;
	uint64_t layers, hidden;
} models[] = {
	{ "gpt3-6.7b", 32, 4096 }, { "gpt3-13b", 40, 5140 },  { "gpt3-175b", 96, 12288 },
	{ "llama-7b", 32, 4096 },  { "llama-13b", 40, 5120 }, { "llama-65b", 80, 8192 },
};

enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	VALUE_BYTES = 2,
	HALVES = 2,              /* of a layer: attention and the rest */
	VALUES_PER_LAYER = 12,   /* times hidden^2 */
	OPERATIONS_FORWARD = 24, /* of a layer, per token, times hidden^2 */
	OPS_MAX = 1 << 25
};

enum transformer_group { GROUP_TENSOR, GROUP_DATA, GROUP_EXPERT, GROUPS };
enum direction { FORWARD, BACKWARD, DIRECTIONS };

struct transformer {
	struct flow_builder *b;
	struct graph_job *job;
	struct job_ties ties;
	uint64_t layers, hidden;
	uint32_t ranks, tensor, pipeline, data, expert, micro_batches;
	uint64_t forward_ps; /* of a layer */
	uint64_t activation_bytes;
	int64_t kinds[GROUPS]; /* in job.kinds; -1: the group has one rank */
	uint32_t rank, stage;
	uint32_t last; /* operation that the next one of the rank's chain waits for; JOB_NONE */
};

/* --- sizes --- */

static int transformer_choose_model(struct transformer *t, const struct transformer_params *p)
{
	const char *names[MODELS];

	t->layers = p->layers;
	t->hidden = p->hidden;
	if (p->model[0] && (p->layers || p->hidden))
		return flow_builder_error(t->b, "model",
					  "%s, but layers or hidden is given too; one of the two",
					  weir_quote(p->model).text);
	if (!p->model[0] && !(p->layers && p->hidden))
		return flow_builder_error(t->b, "model",
					  "not given; a published one, as in llama-7b, or its "
					  "layers and hidden");
	for (size_t i = 0; i < MODELS && p->model[0]; i++) {
		names[i] = models[i].name;
		t->layers = models[i].layers;
		t->hidden = models[i].hidden;
		if (strcmp(p->model, names[i]) == 0)
			return 0;
	}
	if (!p->model[0])
		return 0;
	weir_error_unknown(t->b->e, "model", p->model, names, MODELS);
	return weir_error_prefix(t->b->e, "traffic.%s.model: ", t->b->t->name);
}

static int transformer_check(struct transformer *t, const struct transformer_params *p)
{
	uint64_t shares = p->tensor * p->pipeline;

	if (t->ranks > COLLECTIVE_RANKS_MAX)
		return flow_builder_error(t->b, "members", "%u; at most %d", t->ranks,
					  COLLECTIVE_RANKS_MAX);
	if (t->ranks % shares)
		return flow_builder_error(t->b, "tensor",
					  "%" PRIu64 " x %" PRIu64 " stages; must divide the %u "
					  "members",
					  p->tensor, p->pipeline, t->ranks);
	if (t->ranks / shares % p->expert)
		return flow_builder_error(t->b, "expert",
					  "%" PRIu64 "; must divide the %" PRIu64 " replicas",
					  p->expert, t->ranks / shares);
	if (t->layers % p->pipeline)
		return flow_builder_error(t->b, "pipeline",
					  "%" PRIu64 "; must divide the %" PRIu64 " layers",
					  p->pipeline, t->layers);
	return 0;
}

/* Sizes in double first: products of what the options allow exceed 64 bits. */
static int transformer_size(struct transformer *t, const struct transformer_params *p)
{
	double tokens = (double)p->micro_batch * (double)p->sequence, h = (double)t->hidden;
	double activation = tokens * h * VALUE_BYTES;
	double seconds = OPERATIONS_FORWARD * tokens * h * h * (1 + (double)p->sequence / (6 * h)) /
			 ((double)p->tflops * 1e12 * (double)p->tensor);
	double ops = (double)t->ranks * (double)(t->layers / p->pipeline) *
		     (double)p->micro_batches * DIRECTIONS * 2 * HALVES;

	if (activation * (double)p->top_k > (double)FLOW_SIZE_MAX_BYTES ||
	    VALUES_PER_LAYER * h * h * VALUE_BYTES > (double)FLOW_SIZE_MAX_BYTES || seconds > 1000)
		return flow_builder_error(t->b, "hidden",
					  "a layer sends more than 1 TB or computes for more than "
					  "1000 s");
	if (ops > OPS_MAX)
		return flow_builder_error(t->b, "micro-batches",
					  "%.0f million operations in all; at most %d", ops / 1e6,
					  OPS_MAX / 1000000);
	t->activation_bytes = (uint64_t)activation;
	t->forward_ps = (uint64_t)(seconds * (double)WEIR_PS_PER_S);
	return 0;
}

static int transformer_add_group(struct transformer *t, enum transformer_group group, uint32_t size,
				 uint32_t stride, const struct collective *c)
{
	const struct transformer_params *p = t->b->params;
	struct collective of_group = *c;

	job_add_comm(t->job, size, stride, NULL);
	of_group.ranks = size;
	t->kinds[group] = -1;
	if (size == 1)
		return 0;
	t->kinds[group] = job_add_file_kind(t->job, &p->algorithms, &of_group, t->b->e);
	return t->kinds[group] < 0
		       ? weir_error_prefix(t->b->e, "traffic.%s.algorithm: ", t->b->t->name)
		       : 0;
}

static int transformer_add_groups(struct transformer *t, const struct transformer_params *p)
{
	const struct collective activations = { .kind = COLLECTIVE_ALL_REDUCE,
						.bytes = t->activation_bytes },
				gradients = { .kind = COLLECTIVE_ALL_REDUCE,
					      .bytes = VALUES_PER_LAYER * t->hidden * t->hidden *
						       VALUE_BYTES / t->tensor },
				tokens = { .kind = COLLECTIVE_ALL_TO_ALL,
					   .bytes = t->activation_bytes * p->top_k / t->tensor };

	return transformer_add_group(t, GROUP_TENSOR, t->tensor, 1, &activations) ||
	       transformer_add_group(t, GROUP_DATA, t->data, t->tensor, &gradients) ||
	       transformer_add_group(t, GROUP_EXPERT, t->expert, t->tensor, &tokens);
}

/* --- a rank's chain of operations --- */

static int transformer_add(struct transformer *t, const struct job_op *op)
{
	int64_t number = job_add_op(t->job, op, t->b->e);

	if (number < 0)
		return -1;
	if (t->last != JOB_NONE)
		job_ties_add(&t->ties, (struct job_tie){ t->last, (uint32_t)number, 0 });
	t->last = (uint32_t)number;
	return 0;
}

static int transformer_add_collective(struct transformer *t, enum transformer_group group)
{
	return t->kinds[group] < 0
		       ? 0
		       : transformer_add(t, &(struct job_op){ .kind = JOB_COLLECTIVE,
							      .peer = (uint32_t)t->kinds[group],
							      .comm = (uint16_t)group });
}

/* Does not hold the chain up. */
static int transformer_add_beside(struct transformer *t, enum transformer_group group)
{
	uint32_t last = t->last;
	int failed = transformer_add_collective(t, group);

	t->last = last;
	return failed;
}

static int transformer_add_layer(struct transformer *t, enum direction d, int is_last)
{
	const struct job_op compute = { .kind = JOB_COMPUTE,
					.amount =
						t->forward_ps * (d == BACKWARD ? 2 : 1) / HALVES };

	for (int half = 0; half < HALVES; half++) {
		int has_experts = half == (d == FORWARD ? 1 : 0);

		if ((has_experts && transformer_add_collective(t, GROUP_EXPERT)) ||
		    transformer_add(t, &compute) ||
		    (has_experts && transformer_add_collective(t, GROUP_EXPERT)) ||
		    transformer_add_collective(t, GROUP_TENSOR))
			return -1;
	}
	return is_last && d == BACKWARD ? transformer_add_beside(t, GROUP_DATA) : 0;
}

/* A message to or from the stage at that distance: activations forward, their gradients back. */
static int transformer_add_message(struct transformer *t, enum job_op_kind kind, int to_later,
				   uint32_t tag)
{
	uint32_t distance = t->ranks / t->pipeline, bytes_shares = t->tensor;
	const struct job_op op = { .kind = (uint8_t)kind,
				   .amount = t->activation_bytes / bytes_shares +
					     (t->activation_bytes < bytes_shares),
				   .peer = to_later ? t->rank + distance : t->rank - distance,
				   .tag = tag };
	uint32_t last = t->last;

	if (transformer_add(t, &op))
		return -1;
	if (kind == JOB_SEND)
		t->last = last; /* the chain goes on */
	return 0;
}

/* A micro-batch through the layers of the stage. */
static int transformer_add_pass(struct transformer *t, enum direction d, uint32_t batch)
{
	int has_later = t->stage + 1 < t->pipeline, has_earlier = t->stage > 0;
	int receives = d == FORWARD ? has_earlier : has_later;
	int sends = d == FORWARD ? has_later : has_earlier;
	uint32_t tag = batch * DIRECTIONS + d;

	if (receives && transformer_add_message(t, JOB_RECEIVE, d == BACKWARD, tag))
		return -1;
	for (uint64_t i = 0; i < t->layers / t->pipeline; i++)
		if (transformer_add_layer(t, d, batch + 1 == t->micro_batches))
			return -1;
	return sends ? transformer_add_message(t, JOB_SEND, d == FORWARD, tag) : 0;
}

/* 1F1B: as many forward passes ahead as there are stages behind this one. */
static int transformer_add_rank(struct transformer *t)
{
	uint32_t ahead = t->pipeline - 1 - t->stage, forward = 0, backward = 0;

	t->last = JOB_NONE;
	while (backward < t->micro_batches) {
		int goes_back = forward == t->micro_batches || forward > backward + ahead;

		if (transformer_add_pass(t, goes_back ? BACKWARD : FORWARD,
					 goes_back ? backward : forward))
			return -1;
		*(goes_back ? &backward : &forward) += 1;
	}
	return 0;
}

static int transformer_build(struct transformer *t)
{
	t->job->is_shared = t->pipeline == 1;
	for (t->rank = 0; t->rank < (t->job->is_shared ? 1 : t->ranks); t->rank++) {
		if (!t->job->is_shared)
			job_begin_rank(t->job, t->rank);
		t->stage = t->rank / (t->ranks / t->pipeline);
		if (transformer_add_rank(t))
			return -1;
	}
	return job_finish(t->job, &t->ties, t->b->e);
}

static int transformer_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	const struct transformer_params *p = params;
	struct transformer t = { .b = b,
				 .tensor = (uint32_t)p->tensor,
				 .pipeline = (uint32_t)p->pipeline,
				 .expert = (uint32_t)p->expert,
				 .micro_batches = (uint32_t)p->micro_batches };
	int failed;

	if (job_count_ranks(b, &p->job, &t.ranks) || transformer_choose_model(&t, p) ||
	    transformer_check(&t, p) || transformer_size(&t, p))
		return -1;
	t.data = t.ranks / t.tensor / t.pipeline;
	t.job = job_new(b, &p->job, t.ranks);
	if (!t.job)
		return -1;
	failed = transformer_add_groups(&t, p) || transformer_build(&t);
	job_ties_free(&t.ties);
	return failed ? -1 : 0;
}

const struct weir_traffic_ops traffic_transformer = {
	.scheme = {
		.name = "transformer",
		.help = "training of a transformer with tensor, pipeline, data and expert "
			"parallelism",
		.params_size = sizeof(struct transformer_params),
		.options = transformer_options,
	},
	.generate = transformer_generate,
	.messages = WEIR_MESSAGES_OF_JOB,
	.unit = WEIR_TRAFFIC_ROUNDS,
};
