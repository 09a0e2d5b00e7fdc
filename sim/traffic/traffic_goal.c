/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_goal.c -- pattern goal: a schedule in the text form of GOAL (Group Operation Assembly
 * Language: Hoefler, Siebert, Lumsdaine, "Group operation assembly language - a flexible way to
 * express collective communication", ICPP 2009), as LogGOPSim and ATLAHS read it:
 *
 *	num_ranks 2
 *	rank 0 {
 *	l1: calc 500 cpu 0
 *	l2: send 10b to 1 tag 7 cpu 0 nic 0
 *	l2 requires l1
 *	}
 *	rank 1 {
 *	l1: recv 10b from 0 tag 7
 *	}
 *
 * "irequires" waits for the start of the other operation. Comments are C's and C++'s. A calc counts
 * nanoseconds. A send is complete when it is acknowledged. Ignored: nic, since a host has one, and
 * the cpu of sends and receives, which take no time of a host.
 *
 * Differs: a receive matches the sends of the same source and tag in the order of the file, not in
 * the order in which they are posted; any source and any tag (-1) are refused. A message of 0 bytes
 * has 1. */
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/traffic/flow_builder.h"
#include "sim/traffic/job.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct goal_params {
	struct job_params job;
	char file[WEIR_OPT_TEXT_SIZE];
	uint64_t calc_ps;
};

#define AT(member) offsetof(struct goal_params, member)
static const struct weir_option goal_options[] = {
	{ "file", WEIR_OPT_FILE, AT(file), NULL, 0, 0, "schedule in the text form of GOAL", NULL },
	{ "calc-unit", WEIR_OPT_TIME_PS, AT(calc_ps), "1ns", 1, (uint64_t)WEIR_PS_PER_S,
	  "time of one unit of calc", NULL },
	JOB_PLACEMENT_OPTION,
	JOB_REPEATS_OPTION,
	JOB_WARM_UP_OPTION,
	JOB_STRAGGLERS_OPTION,
	JOB_STRAGGLER_DELAY_OPTION,
	{ .name = NULL },
};
#undef AT

enum { TOKEN_SIZE = 64, LABELS_MIN = 64 };

#define CALC_MAX_PS ((uint64_t)(1000 * WEIR_PS_PER_S))
#define NO_RANK UINT32_MAX

/* Operations of the rank that have a label: a hash table, at most half full. */
struct goal_labels {
	uint32_t room, count;
	struct goal_label {
		char text[TOKEN_SIZE]; /* "": an empty place */
		uint32_t op;
	} * places;
};

struct goal_reader {
	struct line_file in;
	struct flow_builder *b;
	struct graph_job *job; /* NULL: before num_ranks */
	struct job_ties ties;
	struct goal_labels labels;
	uint32_t rank, next_rank; /* rank: NO_RANK between ranks */
	int in_comment;
	const char *at;         /* rest of the line */
	char token[TOKEN_SIZE]; /* the current one; "": end of the line */
};

/* --- tokens: words, numbers, -1, and single characters --- */

static int goal_skip_blanks(struct goal_reader *g)
{
	for (;;) {
		if (g->in_comment) {
			const char *end = strstr(g->at, "*/");

			g->at = end ? end + 2 : g->at + strlen(g->at);
			g->in_comment = !end;
			if (!end)
				return 0;
		}
		while (isspace((unsigned char)*g->at))
			g->at++;
		if (g->at[0] == '/' && g->at[1] == '/')
			g->at += strlen(g->at);
		if (g->at[0] != '/' || g->at[1] != '*')
			return *g->at != '\0';
		g->in_comment = 1;
		g->at += 2;
	}
}

static int goal_next(struct goal_reader *g)
{
	const char *end;

	g->token[0] = '\0';
	if (!goal_skip_blanks(g))
		return 0;
	end = g->at;
	if (isdigit((unsigned char)*end) || (*end == '-' && isdigit((unsigned char)end[1])))
		for (end++; isdigit((unsigned char)*end);)
			end++;
	else if (isalpha((unsigned char)*end))
		while (isalnum((unsigned char)*end) || *end == '_')
			end++;
	else
		end++;
	if (end - g->at >= TOKEN_SIZE)
		return line_file_error(&g->in, "a word of more than %d characters", TOKEN_SIZE - 1);
	memcpy(g->token, g->at, (size_t)(end - g->at));
	g->token[end - g->at] = '\0';
	g->at = end;
	return 0;
}

static int goal_is(const struct goal_reader *g, const char *word)
{
	return strcmp(g->token, word) == 0;
}

static int goal_expected(struct goal_reader *g, const char *what)
{
	return line_file_error(&g->in, "%s; expected %s",
			       g->token[0] ? weir_quote(g->token).text : "the line ends", what);
}

/* The current token is that word: goes on to the next one. */
static int goal_take(struct goal_reader *g, const char *word)
{
	return goal_is(g, word) ? goal_next(g) : goal_expected(g, word);
}

static int goal_number(struct goal_reader *g, uint64_t most, uint64_t *number)
{
	if (!isdigit((unsigned char)g->token[0]))
		return goal_expected(g, "a whole number");
	if (parse_integer(g->token, most, number))
		return line_file_error(&g->in, "%s; at most %" PRIu64, g->token, most);
	return goal_next(g);
}

/* --- labels --- */

static struct goal_label *goal_find_label(struct goal_label *places, uint32_t room,
					  const char *text)
{
	uint64_t hash = 0;

	for (const char *c = text; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	for (hash = weir_hash64(hash, 0);; hash++) {
		struct goal_label *l = &places[hash & (room - 1)];

		if (!l->text[0] || strcmp(l->text, text) == 0)
			return l;
	}
}

static void goal_grow_labels(struct goal_labels *l)
{
	uint32_t room = l->room ? 2 * l->room : LABELS_MIN;
	struct goal_label *grown = memory_zeroed(room, sizeof(*grown));

	for (uint32_t i = 0; i < l->room; i++)
		if (l->places[i].text[0])
			*goal_find_label(grown, room, l->places[i].text) = l->places[i];
	free(l->places);
	l->places = grown;
	l->room = room;
}

static int goal_add_label(struct goal_reader *g, const char *text, uint32_t op)
{
	struct goal_labels *l = &g->labels;
	struct goal_label *place;

	if (2 * (l->count + 1) > l->room)
		goal_grow_labels(l);
	place = goal_find_label(l->places, l->room, text);
	if (place->text[0])
		return line_file_error(&g->in, "label %s is used twice in rank %u", text, g->rank);
	memcpy(place->text, text, TOKEN_SIZE);
	place->op = op;
	l->count++;
	return 0;
}

static int goal_label_op(struct goal_reader *g, const char *text, uint32_t *op)
{
	const struct goal_labels *l = &g->labels;
	const struct goal_label *place = l->room ? goal_find_label(l->places, l->room, text) : NULL;

	if (!place || !place->text[0])
		return line_file_error(&g->in, "rank %u has no label %s before this line", g->rank,
				       weir_quote(text).text);
	*op = place->op;
	return 0;
}

/* --- operations --- */

/* "10b to 1", "10b from 0" */
static int goal_read_message(struct goal_reader *g, struct job_op *op)
{
	uint64_t peer;

	if (goal_number(g, FLOW_SIZE_MAX_BYTES, &op->amount) || goal_take(g, "b") ||
	    goal_take(g, op->kind == JOB_SEND ? "to" : "from"))
		return -1;
	if (goal_is(g, "-1"))
		return line_file_error(&g->in, "a receive from any source (-1); name the source");
	if (goal_number(g, UINT32_MAX, &peer))
		return -1;
	if (peer >= g->job->rank_count)
		return line_file_error(&g->in, "rank %" PRIu64 "; there are %u, from 0", peer,
				       g->job->rank_count);
	if (peer == g->rank)
		return line_file_error(&g->in, "rank %u sends to itself", g->rank);
	op->peer = (uint32_t)peer;
	op->amount += op->amount == 0;
	return 0;
}

static int goal_read_calc(struct goal_reader *g, struct job_op *op)
{
	const struct goal_params *p = g->b->params;

	if (goal_number(g, CALC_MAX_PS / p->calc_ps, &op->amount))
		return -1;
	op->amount *= p->calc_ps;
	return 0;
}

/* "tag 7 cpu 0 nic 0", each if wanted */
static int goal_read_places(struct goal_reader *g, struct job_op *op)
{
	uint64_t number;

	while (g->token[0]) {
		int is_tag = goal_is(g, "tag") && op->kind != JOB_COMPUTE,
		    is_cpu = goal_is(g, "cpu");

		if (!is_tag && !is_cpu && !(goal_is(g, "nic") && op->kind != JOB_COMPUTE))
			return goal_expected(g, op->kind == JOB_COMPUTE
							? "cpu, or the end of the line"
							: "tag, cpu, nic, or the end of the line");
		if (goal_next(g))
			return -1;
		if (is_tag && goal_is(g, "-1"))
			return line_file_error(&g->in, "any tag (-1); name the tag");
		if (goal_number(g, is_tag ? UINT32_MAX : UINT8_MAX, &number))
			return -1;
		if (is_tag)
			op->tag = (uint32_t)number;
		else if (is_cpu && op->kind == JOB_COMPUTE && number >= JOB_STREAMS)
			return line_file_error(&g->in, "cpu %" PRIu64 "; there are %d, from 0",
					       number, JOB_STREAMS);
		else if (is_cpu)
			op->stream = (uint8_t)(number % JOB_STREAMS);
	}
	return 0;
}

/* From the word calc, send or recv on. label "": it has none. */
static int goal_read_op(struct goal_reader *g, const char *label)
{
	struct job_op op = { .line = (uint32_t)g->in.line };
	int64_t number;

	if (goal_is(g, "calc"))
		op.kind = JOB_COMPUTE;
	else if (goal_is(g, "send"))
		op.kind = JOB_SEND;
	else if (goal_is(g, "recv"))
		op.kind = JOB_RECEIVE;
	else
		return goal_expected(g, "calc, send or recv");
	if (goal_next(g) ||
	    (op.kind == JOB_COMPUTE ? goal_read_calc(g, &op) : goal_read_message(g, &op)) ||
	    goal_read_places(g, &op))
		return -1;
	number = job_add_op(g->job, &op, g->b->e);
	if (number < 0)
		return -1;
	return label[0] ? goal_add_label(g, label, (uint32_t)number) : 0;
}

/* "requires l1" behind a label */
static int goal_read_dependency(struct goal_reader *g, const char *label)
{
	struct job_tie tie = { .flags = goal_is(g, "irequires") ? JOB_AT_START : 0 };

	if (goal_next(g) || goal_label_op(g, label, &tie.after) ||
	    goal_label_op(g, g->token, &tie.before) || goal_next(g))
		return -1;
	if (g->token[0])
		return goal_expected(g, "the end of the line");
	job_ties_add(&g->ties, tie);
	return 0;
}

/* --- the file --- */

static int goal_read_num_ranks(struct goal_reader *g)
{
	const struct goal_params *p = g->b->params;
	uint64_t ranks;

	if (g->job)
		return line_file_error(&g->in, "num_ranks is given twice");
	if (goal_next(g) || goal_number(g, UINT32_MAX, &ranks))
		return -1;
	if (ranks < 2 || ranks > g->b->net->host_count)
		return line_file_error(&g->in, "num_ranks %" PRIu64 "; from 2 to %u, the hosts",
				       ranks, g->b->net->host_count);
	g->job = job_new(g->b, &p->job, (uint32_t)ranks);
	if (g->job)
		g->job->waits_for_acks = 1;
	return g->job ? 0 : -1;
}

/* Ranks without a block have no operations. */
static int goal_begin_rank(struct goal_reader *g)
{
	uint64_t rank;

	if (!g->job)
		return line_file_error(&g->in, "num_ranks has to come before the first rank");
	if (goal_next(g) || goal_number(g, g->job->rank_count - 1, &rank) || goal_take(g, "{"))
		return -1;
	if (rank < g->next_rank)
		return line_file_error(&g->in, "rank %" PRIu64 " after rank %u; ranks ascend", rank,
				       g->next_rank - 1);
	g->rank = (uint32_t)rank;
	while (g->next_rank <= rank)
		job_begin_rank(g->job, g->next_rank++);
	g->labels.count = 0;
	if (g->labels.room)
		memset(g->labels.places, 0, g->labels.room * sizeof(*g->labels.places));
	return 0;
}

static int goal_read_in_rank(struct goal_reader *g)
{
	char label[TOKEN_SIZE];

	if (goal_is(g, "calc") || goal_is(g, "send") || goal_is(g, "recv"))
		return goal_read_op(g, "");
	if (!isalpha((unsigned char)g->token[0]))
		return goal_expected(g, "a label, calc, send, recv or }");
	memcpy(label, g->token, sizeof(label));
	if (goal_next(g))
		return -1;
	if (goal_is(g, "requires") || goal_is(g, "irequires"))
		return goal_read_dependency(g, label);
	if (!goal_is(g, ":"))
		return goal_expected(g, ": , requires or irequires");
	return goal_next(g) ? -1 : goal_read_op(g, label);
}

static int goal_read_statement(struct goal_reader *g)
{
	if (g->rank == NO_RANK && goal_is(g, "num_ranks"))
		return goal_read_num_ranks(g);
	if (g->rank == NO_RANK && goal_is(g, "rank"))
		return goal_begin_rank(g);
	if (g->rank == NO_RANK)
		return goal_expected(g, "num_ranks or rank");
	if (!goal_is(g, "}"))
		return goal_read_in_rank(g);
	g->rank = NO_RANK;
	return goal_next(g);
}

static int goal_read(struct goal_reader *g)
{
	int got;

	while ((got = line_file_next(&g->in)) > 0) {
		g->at = g->in.text;
		if (goal_next(g))
			return -1;
		while (g->token[0])
			if (goal_read_statement(g))
				return -1;
	}
	if (got < 0)
		return -1;
	if (g->rank != NO_RANK)
		return line_file_error(&g->in, "the file ends inside rank %u", g->rank);
	if (!g->job || !g->job->op_count)
		return line_file_error(&g->in, "the file has no operation");
	while (g->next_rank < g->job->rank_count)
		job_begin_rank(g->job, g->next_rank++);
	if (job_finish(g->job, &g->ties, g->b->e))
		return weir_error_prefix(g->b->e, "%s: ", g->in.name);
	return 0;
}

static int goal_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	struct goal_reader g = { .b = b, .rank = NO_RANK };
	const struct goal_params *p = params;
	int failed;

	if (!p->file[0])
		return flow_builder_error(b, "file",
					  "not given; pattern goal needs file = job.goal");
	failed = line_file_open(&g.in, p->file, b->e);
	if (!failed) {
		failed = goal_read(&g);
		line_file_close(&g.in);
	}
	job_ties_free(&g.ties);
	free(g.labels.places);
	if (failed && strncmp(b->e->text, "traffic.", strlen("traffic.")) != 0)
		weir_error_prefix(b->e, "traffic.%s.file: ", b->t->name);
	return failed ? -1 : 0;
}

const struct weir_traffic_ops traffic_goal = {
	.scheme = {
		.name = "goal",
		.help = "a schedule of operations in the text form of GOAL, as LogGOPSim and ATLAHS "
			"read it",
		.params_size = sizeof(struct goal_params),
		.options = goal_options,
	},
	.generate = goal_generate,
	.messages = WEIR_MESSAGES_OF_JOB,
	.unit = WEIR_TRAFFIC_ROUNDS,
};
