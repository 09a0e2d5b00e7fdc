/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_simai.c -- pattern simai: a workload file of SimAI (and of ASTRA-sim 1.0), as AICB writes
 * them:
 *
 *	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 2 pp: 1 ga: 1 all_gpus: 16
 *	1
 *	mlp -1 5000 ALLGATHER 1048576 3000 ALLTOALL_EP 65536 2000 REDUCESCATTER_DP_EP 131072 100
 *
 * The second line is the number of layers, and each layer has a line: name, an unused number, then
 * time in nanoseconds, collective and bytes of the forward pass, of the input gradients and of the
 * weight gradients, and the time of the weight update.
 *
 * An iteration is the forward pass through all layers and the backward pass from the last layer to
 * the first, as in SimAI's Workload.cc: a rank computes and waits for the collective in the forward
 * pass and for input gradients; the collective of weight gradients runs beside what follows.
 *
 * Groups: model_parallel_NPU_group neighbours (forward pass and input gradients); ranks of the same
 * place in all of those (weight gradients); of these, ep neighbours (_EP) and the same place in
 * all of these (_DP_EP).
 *
 * Differs: an iteration begins when all collectives of the one before have ended, SimAI's when
 * those of the layer have. Refused: pipelines, as the file does not say what stages send; layers
 * that are computed again in the backward pass. */
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/traffic/flow_builder.h"
#include "sim/traffic/job.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct simai_params {
	struct job_params job;
	struct job_algorithms algorithms;
	char file[WEIR_OPT_TEXT_SIZE];
};

#define AT(member) offsetof(struct simai_params, member)
static const struct weir_option simai_options[] = {
	{ "file", WEIR_OPT_FILE, AT(file), NULL, 0, 0, "workload file of SimAI", NULL },
	JOB_ALGORITHM_OPTIONS,
	JOB_PLACEMENT_OPTION,
	JOB_REPEATS_OPTION,
	JOB_WARM_UP_OPTION,
	JOB_STRAGGLERS_OPTION,
	JOB_STRAGGLER_DELAY_OPTION,
	{ .name = NULL },
};
#undef AT

/* Communicators, in this order. */
enum simai_group { GROUP_MODEL, GROUP_DATA, GROUP_EXPERT, GROUP_DATA_EXPERT, GROUPS };

enum simai_pass { PASS_FORWARD, PASS_INPUT, PASS_WEIGHT, PASSES };

enum { LAYER_WORDS = 12, LAYERS_MAX = 10 * 1000 * 1000, UPDATE_STREAM = 1 };

#define SIMAI_TIME_MAX_NS (UINT64_C(1000) * 1000 * 1000 * 1000)

struct simai_layer {
	int line;
	struct {
		uint64_t compute_ns, bytes;
		enum collective_kind kind; /* COLLECTIVE_KINDS: none */
		enum simai_group group;
	} pass[PASSES];
	uint64_t update_ns;
};

struct simai_reader {
	struct line_file in;
	struct flow_builder *b;
	struct graph_job *job;
	struct job_ties ties;
	uint64_t model, expert, pipeline, ranks;
	uint32_t group_size[GROUPS];
	uint64_t layer_count;
	struct simai_layer *layers;
	uint32_t last; /* operation that the next one of the main chain waits for; JOB_NONE */
};

/* --- the first line --- */

static int simai_check_parallelism(struct simai_reader *s)
{
	uint64_t hosts = s->b->net->host_count;

	if (s->ranks < 2 || s->ranks > hosts)
		return line_file_error(&s->in,
				       "all_gpus: %" PRIu64 "; from 2 to %" PRIu64 ", the hosts",
				       s->ranks, hosts);
	if (s->pipeline != 1)
		return line_file_error(&s->in,
				       "pp: %" PRIu64 "; the file does not say what stages of a "
				       "pipeline send; only pp: 1 is read",
				       s->pipeline);
	if (!s->model || !s->expert || s->ranks % (s->model * s->expert))
		return line_file_error(&s->in,
				       "model_parallel_NPU_group: %" PRIu64 " and ep: %" PRIu64
				       "; their product must divide all_gpus: %" PRIu64,
				       s->model, s->expert, s->ranks);
	if (s->ranks > COLLECTIVE_RANKS_MAX)
		return line_file_error(&s->in, "all_gpus: %" PRIu64 "; at most %d", s->ranks,
				       COLLECTIVE_RANKS_MAX);
	return 0;
}

static int simai_read_pair(struct simai_reader *s, const char *key, const char *value)
{
	const struct {
		const char *key;
		uint64_t *to;
	} known[] = {
		{ "model_parallel_NPU_group:", &s->model },
		{ "ep:", &s->expert },
		{ "pp:", &s->pipeline },
		{ "all_gpus:", &s->ranks },
	};
	uint64_t number;

	if (parse_integer(value, UINT32_MAX, &number))
		return line_file_error(&s->in, "%s %s; a whole number", key,
				       weir_quote(value).text);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(key, known[i].key) == 0)
			*known[i].to = number;
	if (number &&
	    (strcmp(key, "checkpoints:") == 0 || strcmp(key, "checkpoint_initiates:") == 0))
		return line_file_error(&s->in, "%s %s; layers that are computed again are not read",
				       key, value);
	return 0;
}

static int simai_read_head(struct simai_reader *s)
{
	static const char *const forms[] = { "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
					     "HYBRID_TRANSFORMER" };
	char *words[LINE_WORDS_MAX];
	int count;

	if (line_file_next(&s->in) <= 0)
		return line_file_error(&s->in, "the file is empty");
	count = line_file_words(&s->in, words);
	if (count < 0)
		return -1;
	if (count == 0 || (strcmp(words[0], forms[0]) != 0 && strcmp(words[0], forms[1]) != 0))
		return line_file_error(&s->in, "%s; the first line begins with %s or %s",
				       weir_quote(count ? words[0] : "").text, forms[0], forms[1]);
	if (count % 2 == 0)
		return line_file_error(&s->in, "'%s' has no value", words[count - 1]);
	s->model = s->expert = s->pipeline = 1;
	for (int i = 1; i < count; i += 2)
		if (simai_read_pair(s, words[i], words[i + 1]))
			return -1;
	return simai_check_parallelism(s);
}

/* --- layers --- */

static int simai_read_number(struct simai_reader *s, const char *word, uint64_t most, uint64_t *to)
{
	if (parse_integer(word, most, to))
		return line_file_error(&s->in, "%s; a whole number up to %" PRIu64,
				       weir_quote(word).text, most);
	return 0;
}

/* "ALLGATHER_DP_EP" */
static int simai_read_collective(struct simai_reader *s, const char *word, enum simai_pass pass,
				 struct simai_layer *l)
{
	static const struct {
		const char *name;
		enum collective_kind kind;
	} kinds[] = { { "ALLREDUCE", COLLECTIVE_ALL_REDUCE },
		      { "ALLGATHER", COLLECTIVE_ALL_GATHER },
		      { "REDUCESCATTER", COLLECTIVE_REDUCE_SCATTER },
		      { "ALLTOALL", COLLECTIVE_ALL_TO_ALL } };
	static const struct {
		const char *suffix;
		enum simai_group group;
	} groups[] = { { "_EP", GROUP_EXPERT }, { "_DP_EP", GROUP_DATA_EXPERT } };

	l->pass[pass].kind = COLLECTIVE_KINDS;
	if (strcmp(word, "NONE") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].name);

		if (strncmp(word, kinds[i].name, length) != 0)
			continue;
		l->pass[pass].kind = kinds[i].kind;
		l->pass[pass].group = pass == PASS_WEIGHT ? GROUP_DATA : GROUP_MODEL;
		if (!word[length])
			return 0;
		for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++)
			if (strcmp(word + length, groups[k].suffix) == 0) {
				l->pass[pass].group = groups[k].group;
				return 0;
			}
	}
	return line_file_error(&s->in,
			       "%s; NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, and "
			       "_EP or _DP_EP behind it",
			       weir_quote(word).text);
}

static int simai_read_layer(struct simai_reader *s, struct simai_layer *l)
{
	char *words[LINE_WORDS_MAX];
	int count = line_file_words(&s->in, words);

	if (count < 0)
		return -1;
	if (count != LAYER_WORDS)
		return line_file_error(&s->in, "a layer has %d columns, here are %d", LAYER_WORDS,
				       count);
	l->line = s->in.line;
	for (int pass = 0; pass < PASSES; pass++) {
		char *const *w = &words[2 + 3 * pass];

		if (simai_read_number(s, w[0], SIMAI_TIME_MAX_NS, &l->pass[pass].compute_ns) ||
		    simai_read_collective(s, w[1], (enum simai_pass)pass, l) ||
		    simai_read_number(s, w[2], FLOW_SIZE_MAX_BYTES, &l->pass[pass].bytes))
			return -1;
	}
	return simai_read_number(s, words[LAYER_WORDS - 1], SIMAI_TIME_MAX_NS, &l->update_ns);
}

static int simai_read_layers(struct simai_reader *s)
{
	char *words[LINE_WORDS_MAX];
	int got = line_file_next(&s->in);

	if (got <= 0 || line_file_words(&s->in, words) != 1 ||
	    parse_integer(words[0], LAYERS_MAX, &s->layer_count) || !s->layer_count)
		return line_file_error(&s->in, "the second line is the number of layers, from 1");
	for (uint64_t i = 0; i < s->layer_count; i++) {
		got = line_file_next(&s->in);
		if (got < 0)
			return -1;
		if (got == 0)
			return line_file_error(
				&s->in, "the file ends after %" PRIu64 " of %" PRIu64 " layers", i,
				s->layer_count);
		/* The number of layers is the file's: room grows with what is read. */
		if ((i & (i - 1)) == 0)
			s->layers = memory_grow(s->layers, i ? 2 * i : 1, sizeof(*s->layers));
		if (simai_read_layer(s, &s->layers[i]))
			return -1;
	}
	return line_file_next(&s->in) == 0
		       ? 0
		       : line_file_error(&s->in, "a line behind the %" PRIu64 " layers",
					 s->layer_count);
}

/* --- the graph --- */

/* Appends an operation to the main chain, or beside it (behind `after`). Returns its number. */
static int64_t simai_add(struct simai_reader *s, const struct job_op *op, uint32_t after)
{
	int64_t number = job_add_op(s->job, op, s->b->e);

	if (number >= 0 && after != JOB_NONE)
		job_ties_add(&s->ties, (struct job_tie){ after, (uint32_t)number, 0 });
	return number;
}

static int simai_add_compute(struct simai_reader *s, const struct simai_layer *l,
			     enum simai_pass pass)
{
	const struct job_op op = { .kind = JOB_COMPUTE,
				   .amount = l->pass[pass].compute_ns * WEIR_PS_PER_NS,
				   .line = (uint32_t)l->line };
	int64_t number;

	if (!op.amount)
		return 0;
	number = simai_add(s, &op, s->last);
	s->last = (uint32_t)number;
	return number < 0 ? -1 : 0;
}

/* The collective behind s->last; *number stays JOB_NONE where there is none. */
static int simai_add_collective(struct simai_reader *s, const struct simai_layer *l,
				enum simai_pass pass, uint32_t *number)
{
	const struct simai_params *p = s->b->params;
	enum simai_group group = l->pass[pass].group;
	struct collective c = { .kind = l->pass[pass].kind, .bytes = l->pass[pass].bytes };
	int64_t kind, op;

	*number = JOB_NONE;
	if (c.kind == COLLECTIVE_KINDS || c.bytes == 0 || s->group_size[group] == 1)
		return 0;
	c.ranks = s->group_size[group];
	kind = job_add_file_kind(s->job, &p->algorithms, &c, s->b->e);
	if (kind < 0)
		return weir_error_prefix(s->b->e, "%s:%d: ", s->in.name, l->line);
	op = simai_add(s,
		       &(struct job_op){ .kind = JOB_COLLECTIVE,
					 .peer = (uint32_t)kind,
					 .comm = (uint16_t)group,
					 .line = (uint32_t)l->line },
		       s->last);
	*number = (uint32_t)op;
	return op < 0 ? -1 : 0;
}

/* Computes and waits for the collective. */
static int simai_add_blocking(struct simai_reader *s, const struct simai_layer *l,
			      enum simai_pass pass)
{
	uint32_t all;

	if (simai_add_compute(s, l, pass) || simai_add_collective(s, l, pass, &all))
		return -1;
	s->last = all == JOB_NONE ? s->last : all;
	return 0;
}

static int simai_add_backward(struct simai_reader *s, const struct simai_layer *l)
{
	const struct job_op update = { .kind = JOB_COMPUTE,
				       .amount = l->update_ns * WEIR_PS_PER_NS,
				       .stream = UPDATE_STREAM,
				       .line = (uint32_t)l->line };
	uint32_t all;

	if (simai_add_blocking(s, l, PASS_INPUT) || simai_add_compute(s, l, PASS_WEIGHT) ||
	    simai_add_collective(s, l, PASS_WEIGHT, &all))
		return -1;
	return all != JOB_NONE && update.amount && simai_add(s, &update, all) < 0 ? -1 : 0;
}

static int simai_add_layers(struct simai_reader *s)
{
	s->last = JOB_NONE;
	for (uint64_t i = 0; i < s->layer_count; i++)
		if (simai_add_blocking(s, &s->layers[i], PASS_FORWARD))
			return -1;
	for (uint64_t i = s->layer_count; i-- > 0;)
		if (simai_add_backward(s, &s->layers[i]))
			return -1;
	if (!s->job->op_count)
		return line_file_error(&s->in, "no layer computes or communicates");
	return job_finish(s->job, &s->ties, s->b->e);
}

static void simai_add_groups(struct simai_reader *s)
{
	uint32_t model = (uint32_t)s->model, expert = (uint32_t)s->expert;
	uint32_t data = (uint32_t)s->ranks / model;
	const struct {
		uint32_t size, stride;
	} grids[GROUPS] = {
		[GROUP_MODEL] = { model, 1 },
		[GROUP_DATA] = { data, model },
		[GROUP_EXPERT] = { expert, model },
		[GROUP_DATA_EXPERT] = { data / expert, model * expert },
	};

	for (int i = 0; i < GROUPS; i++) {
		s->group_size[i] = grids[i].size;
		job_add_comm(s->job, grids[i].size, grids[i].stride, NULL);
	}
}

static int simai_read(struct simai_reader *s)
{
	const struct simai_params *p = s->b->params;

	if (simai_read_head(s) || simai_read_layers(s))
		return -1;
	s->job = job_new(s->b, &p->job, (uint32_t)s->ranks);
	if (!s->job)
		return -1;
	s->job->is_shared = 1;
	simai_add_groups(s);
	return simai_add_layers(s);
}

static int simai_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	struct simai_reader s = { .b = b };
	const struct simai_params *p = params;
	int failed;

	if (!p->file[0])
		return flow_builder_error(b, "file",
					  "not given; pattern simai needs file = workload.txt");
	failed = line_file_open(&s.in, p->file, b->e);
	if (!failed) {
		failed = simai_read(&s);
		line_file_close(&s.in);
	}
	job_ties_free(&s.ties);
	free(s.layers);
	if (failed && strncmp(b->e->text, "traffic.", strlen("traffic.")) != 0)
		weir_error_prefix(b->e, "traffic.%s.file: ", b->t->name);
	return failed ? -1 : 0;
}

const struct weir_traffic_ops traffic_simai = {
	.scheme = {
		.name = "simai",
		.help = "a training iteration of a SimAI workload file, as AICB writes them",
		.params_size = sizeof(struct simai_params),
		.options = simai_options,
	},
	.generate = simai_generate,
	.messages = WEIR_MESSAGES_OF_JOB,
	.unit = WEIR_TRAFFIC_ROUNDS,
};
