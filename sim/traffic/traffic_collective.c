/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_collective.c -- pattern collective: one collective operation again and again, as
 * nccl-tests measure it: by all ranks together, or by groups of ranks at the same time. */
#include "base/input.h"
#include "base/memory.h"
#include "sim/traffic/flow_builder.h"
#include "sim/traffic/job.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPUTE_MAX_PS ((uint64_t)(100 * WEIR_PS_PER_S))

struct collective_params {
	struct job_params job;
	uint64_t kind;
	uint64_t algorithm; /* 0: the usual one of the kind; else enum collective_algorithm + 1 */
	uint64_t size_bytes;
	uint64_t group, stride, local, root, channels, chunks;
	char matrix[WEIR_OPT_TEXT_SIZE];
	struct weir_span_ps compute;
};

#define AT(member) offsetof(struct collective_params, member)
static const struct weir_option collective_options[] = {
	{ "collective", WEIR_OPT_CHOICE, AT(kind), "all-reduce", 0, 0,
	  "operation: point-to-point sends from each rank to the next", collective_kind_names },
	{ "algorithm", WEIR_OPT_CHOICE, AT(algorithm), "auto", 0, 0,
	  "auto: direct for all-to-all and point-to-point, else ring; tree: a double binary tree, "
	  "for all-reduce and broadcast",
	  job_algorithm_choices },
	{ "size", WEIR_OPT_BYTES, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES,
	  "bytes as nccl-tests count them: of each rank's buffer; all-gather: of the result; "
	  "reduce-scatter, all-to-all: of each rank's input",
	  NULL },
	JOB_MEMBERS_OPTION("ranks of the job; as many as hosts unless given"),
	{ "group", WEIR_OPT_COUNT, AT(group), NULL, 2, COLLECTIVE_RANKS_MAX,
	  "ranks of a collective; with fewer than members, several groups run it at the same time; "
	  "all unless given",
	  NULL },
	{ "stride", WEIR_OPT_COUNT, AT(stride), "1", 1, UINT32_MAX,
	  "distance of two ranks of a group: 1 for neighbours, 8 for the same GPU of servers with "
	  "8 each",
	  NULL },
	{ "local", WEIR_OPT_COUNT, AT(local), NULL, 2, COLLECTIVE_RANKS_MAX,
	  "hierarchical: ranks of a server, which are neighbours in the group", NULL },
	{ "root", WEIR_OPT_COUNT, AT(root), "0", 0, UINT32_MAX,
	  "broadcast: rank of the group that sends", NULL },
	{ "channels", WEIR_OPT_COUNT, AT(channels), "1", 1, COLLECTIVE_CHANNELS_MAX,
	  "parts of the data that have connections of their own between each pair of ranks", NULL },
	{ "chunks", WEIR_OPT_COUNT, AT(chunks), "1", 1, COLLECTIVE_LANES_MAX,
	  "parts of a channel's data that go through the algorithm one behind the other", NULL },
	{ "matrix", WEIR_OPT_FILE, AT(matrix), NULL, 0, 0,
	  "all-to-all: file with a line for each rank, of the bytes that it sends to each rank, in "
	  "place of size; # starts a comment",
	  NULL },
	JOB_PLACEMENT_OPTION,
	JOB_ROUNDS_OPTION,
	JOB_WARM_UP_OPTION,
	{ "compute", WEIR_OPT_SPAN_PS, AT(compute), "0us", 0, COMPUTE_MAX_PS,
	  "computation time of a rank before each collective: constant, or uniform between two "
	  "times",
	  NULL },
	JOB_STRAGGLERS_OPTION,
	JOB_STRAGGLER_DELAY_OPTION,
	{ .name = NULL },
};
#undef AT

static const struct collective_params *params_of(const struct flow_builder *b)
{
	return b->params;
}

/* --- checks --- */

/* Names the algorithms that the kind has. */
static int refuse_algorithm(struct flow_builder *b, const struct collective *c)
{
	char text[128] = "";

	for (uint32_t i = 0; i < COLLECTIVE_ALGORITHMS; i++) {
		size_t used = strlen(text);

		if (collective_exists(c->kind, (enum collective_algorithm)i))
			snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
				 collective_algorithm_names[i]);
	}
	return flow_builder_error(b, "algorithm", "%s, but %s has: %s",
				  collective_algorithm_names[c->algorithm],
				  collective_kind_names[c->kind], text);
}

static int check_hierarchy(struct flow_builder *b, const struct collective *c)
{
	uint64_t local = params_of(b)->local;

	if (c->algorithm != COLLECTIVE_HIERARCHICAL)
		return local ? flow_builder_error(b, "local",
						  "%" PRIu64 ", but algorithm is %s; only "
						  "hierarchical has servers",
						  local, collective_algorithm_names[c->algorithm])
			     : 0;
	if (!local)
		return flow_builder_error(b, "local",
					  "not given; ranks of a server, as in local = 8");
	if (c->ranks % local || local == c->ranks)
		return flow_builder_error(b, "local",
					  "%" PRIu64 "; must divide the %u ranks of a collective "
					  "into two servers or more",
					  local, c->ranks);
	return 0;
}

static int check_lanes(struct flow_builder *b, const struct collective *c)
{
	if (collective_lanes(c) > COLLECTIVE_LANES_MAX)
		return flow_builder_error(b, "chunks", "%u x %u channels%s; allowed are %u parts",
					  c->chunks, c->channels,
					  c->algorithm == COLLECTIVE_TREE ? " x 2 trees" : "",
					  COLLECTIVE_LANES_MAX);
	if (!params_of(b)->matrix[0] && c->bytes < collective_bytes_min(c))
		return flow_builder_error(b, "size",
					  "%" PRIu64 "B, but it is split into %" PRIu64
					  " parts of at least one byte",
					  c->bytes, collective_bytes_min(c));
	return 0;
}

/* The number of ranks of a group, and their distance. */
static int collective_group(struct flow_builder *b, uint32_t ranks, uint32_t *group)
{
	const struct collective_params *p = params_of(b);

	*group = p->group ? (uint32_t)p->group : ranks;
	if (*group > COLLECTIVE_RANKS_MAX)
		return flow_builder_error(b, "group", "%u ranks; allowed are %d", *group,
					  COLLECTIVE_RANKS_MAX);
	if (ranks % (*group * p->stride))
		return flow_builder_error(b, "group",
					  "%u ranks with stride %" PRIu64
					  "; their product must divide the %u members",
					  *group, p->stride, ranks);
	return 0;
}

static int collective_check(struct flow_builder *b, struct collective *c)
{
	const struct collective_params *p = params_of(b);

	c->algorithm = p->algorithm ? (enum collective_algorithm)(p->algorithm - 1)
				    : collective_usual(c->kind);
	if (!collective_exists(c->kind, c->algorithm))
		return refuse_algorithm(b, c);
	if (c->algorithm == COLLECTIVE_HALVING_DOUBLING && c->ranks & (c->ranks - 1))
		return flow_builder_error(b, "algorithm",
					  "halving-doubling takes a power of two of ranks; there "
					  "are %u (ring takes any number)",
					  c->ranks);
	if (p->root >= c->ranks)
		return flow_builder_error(b, "root", "%" PRIu64 "; the ranks are 0 to %u", p->root,
					  c->ranks - 1);
	if (check_hierarchy(b, c))
		return -1;
	c->local = (uint32_t)p->local;
	c->root = c->kind == COLLECTIVE_BROADCAST ? (uint32_t)p->root : 0;
	return check_lanes(b, c);
}

/* --- matrix --- */

struct matrix_file {
	struct line_file in;
	uint64_t *bytes;
	uint32_t ranks, row, column;
};

static int matrix_add(struct matrix_file *m, const char *word)
{
	uint64_t bytes;

	if (parse_integer(word, FLOW_SIZE_MAX_BYTES, &bytes))
		return line_file_error(&m->in, "%s; a number of bytes, at most %" PRIu64,
				       weir_quote(word).text, FLOW_SIZE_MAX_BYTES);
	if (m->column == m->ranks)
		return line_file_error(&m->in, "more than %u numbers", m->ranks);
	m->bytes[(uint64_t)m->row * m->ranks + m->column++] = bytes;
	return 0;
}

static int matrix_read_lines(struct matrix_file *m)
{
	int got;

	while ((got = line_file_next(&m->in)) > 0) {
		char *rest = m->in.text, *word;

		if (m->row == m->ranks)
			return line_file_error(&m->in, "more lines than ranks, %u", m->ranks);
		m->column = 0;
		while ((word = line_file_next_word(&rest)) && word[0] != '#')
			if (matrix_add(m, word))
				return -1;
		if (m->column == 0)
			continue;
		if (m->column < m->ranks)
			return line_file_error(&m->in, "%u numbers; one for each of %u ranks",
					       m->column, m->ranks);
		m->row++;
	}
	if (got == 0 && m->row < m->ranks)
		return line_file_error(&m->in,
				       "the file ends after %u lines; one for each of %u "
				       "ranks",
				       m->row, m->ranks);
	return got;
}

static int matrix_read(struct flow_builder *b, struct collective *c, uint64_t **matrix)
{
	const struct collective_params *p = params_of(b);
	struct matrix_file m = { .ranks = c->ranks };
	uint64_t largest = 0;
	uint32_t idle = JOB_NONE;
	int failed;

	if (c->kind != COLLECTIVE_ALL_TO_ALL || c->algorithm != COLLECTIVE_DIRECT)
		return flow_builder_error(b, "matrix",
					  "%s: it goes with collective = all-to-all and algorithm "
					  "= direct",
					  weir_quote(p->matrix).text);
	if (memory_check((double)c->ranks * c->ranks * sizeof(*m.bytes), "matrix", b->e))
		return weir_error_prefix(b->e, "traffic.%s.", b->t->name);
	m.bytes = *matrix = memory_zeroed((uint64_t)c->ranks * c->ranks, sizeof(*m.bytes));
	failed = line_file_open(&m.in, p->matrix, b->e);
	if (!failed) {
		failed = matrix_read_lines(&m);
		line_file_close(&m.in);
	}
	if (failed)
		return weir_error_prefix(b->e, "traffic.%s.matrix: ", b->t->name);
	for (uint32_t i = 0; i < c->ranks; i++) {
		uint64_t sent = 0, received = 0;

		for (uint32_t k = 0; k < c->ranks; k++) {
			sent += k == i ? 0 : m.bytes[(uint64_t)i * c->ranks + k];
			received += k == i ? 0 : m.bytes[(uint64_t)k * c->ranks + i];
		}
		largest = sent > largest ? sent : largest;
		idle = sent || received ? idle : i;
	}
	if (!largest)
		return flow_builder_error(b, "matrix", "%s: no rank sends anything",
					  weir_quote(p->matrix).text);
	/* Its rounds take no time: until measure.to it would begin them without end. */
	if (idle != JOB_NONE && b->c->measure.to_ps && !p->job.rounds && !p->compute.last_ps)
		return flow_builder_error(b, "rounds",
					  "not given, but rank %u of the matrix neither sends nor "
					  "receives",
					  idle);
	c->bytes = largest;
	c->matrix = m.bytes;
	return 0;
}

static int collective_bytes(struct flow_builder *b, const struct collective_params *p)
{
	if (p->matrix[0] && p->size_bytes)
		return flow_builder_error(b, "matrix", "%s, but size is given too; one of the two",
					  weir_quote(p->matrix).text);
	if (!p->matrix[0] && !p->size_bytes)
		return flow_builder_error(b, "size",
					  "not given; the bytes of the collective, as in size = "
					  "16MiB");
	return 0;
}

/* --- the job --- */

/* Computing, then the collective. */
static int collective_add_ops(struct flow_builder *b, struct graph_job *j, uint32_t kind,
			      struct job_ties *ties)
{
	const struct weir_span_ps *compute = &params_of(b)->compute;
	const struct job_op before = { .kind = JOB_COMPUTE,
				       .amount = (uint64_t)compute->first_ps,
				       .spread = (uint64_t)(compute->last_ps - compute->first_ps) };
	const struct job_op all = { .kind = JOB_COLLECTIVE, .peer = kind };

	j->is_shared = 1;
	if (compute->last_ps && job_add_op(j, &before, b->e) < 0)
		return -1;
	if (job_add_op(j, &all, b->e) < 0)
		return -1;
	if (compute->last_ps)
		job_ties_add(ties, (struct job_tie){ 0, 1, 0 });
	return 0;
}

static int collective_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	const struct collective_params *p = params;
	struct collective c = { .kind = (enum collective_kind)p->kind,
				.channels = (uint32_t)p->channels,
				.chunks = (uint32_t)p->chunks,
				.bytes = p->size_bytes };
	struct job_ties ties = { 0 };
	uint64_t *matrix = NULL;
	uint32_t ranks;
	struct graph_job *j;
	int failed;

	if (job_count_ranks(b, &p->job, &ranks) || collective_bytes(b, p) ||
	    collective_group(b, ranks, &c.ranks))
		return -1;
	failed = collective_check(b, &c) || (p->matrix[0] && matrix_read(b, &c, &matrix));
	j = failed ? NULL : job_new(b, &p->job, ranks);
	if (!j) {
		free(matrix);
		return -1;
	}
	j->matrix = matrix;
	job_add_comm(j, c.ranks, (uint32_t)p->stride, NULL);
	failed = collective_add_ops(b, j, job_add_kind(j, &c), &ties) || job_finish(j, &ties, b->e);
	job_ties_free(&ties);
	return failed;
}

const struct weir_traffic_ops traffic_collective = {
	.scheme = {
		.name = "collective",
		.help = "collective operations of a training job: all-reduce, all-gather, "
			"reduce-scatter, all-to-all, broadcast, point-to-point",
		.params_size = sizeof(struct collective_params),
		.options = collective_options,
	},
	.generate = collective_generate,
	.messages = WEIR_MESSAGES_OF_JOB,
	.unit = WEIR_TRAFFIC_ROUNDS,
};
