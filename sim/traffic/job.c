/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c -- builds the operation graphs of jobs; see job.h. Runs once, at one thread. */
#include "sim/traffic/job.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/traffic/flow_builder.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Iterations and most messages of a host that are planned for at a time: a rank may begin its next
 * iteration before its last messages are acknowledged. */
enum { ITERATIONS_AT_ONCE = 2, MESSAGES_SPARE = 16, MESSAGES_MAX = 1 << 17, OPS_MAX = 1 << 30 };

/* Records that a connection keeps (mailbox.h): its opener's, and that of the last message that was
 * acknowledged. */
enum { RECORDS_KEPT = 2 };

/* --- ranks and hosts --- */

int job_count_ranks(struct flow_builder *b, const struct job_params *p, uint32_t *ranks)
{
	uint64_t count = p->members ? p->members : b->net->host_count;

	if (count > b->net->host_count)
		return flow_builder_error(b, "members", "%" PRIu64 ", but there are %u hosts",
					  count, b->net->host_count);
	if (count < 2)
		return flow_builder_error(b, "members", "the network has one host; a job needs 2");
	*ranks = (uint32_t)count;
	return 0;
}

static void place_in_order(struct graph_job *j)
{
	for (uint32_t i = 0; i < j->rank_count; i++)
		j->ranks[i].host = i;
}

/* The first ranks of a random permutation of all hosts. */
static void place_at_random(struct graph_job *j, struct weir_rng *rng)
{
	uint32_t *hosts = memory_new(j->host_count, sizeof(*hosts));

	for (uint32_t i = 0; i < j->host_count; i++)
		hosts[i] = i;
	for (uint32_t i = 0; i < j->rank_count; i++) {
		uint32_t other = i + (uint32_t)weir_rng_below(rng, j->host_count - i);
		uint32_t host = hosts[other];

		hosts[other] = hosts[i];
		j->ranks[i].host = host;
	}
	memory_free(hosts, j->host_count, sizeof(*hosts));
}

/* Reads a number and, behind a dash, the end of a range. -1: there is none. */
static int read_range(const char **at, uint64_t *first, uint64_t *last)
{
	char *end;

	if (**at < '0' || **at > '9')
		return -1;
	*first = *last = strtoull(*at, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*last = strtoull(end + 1, &end, 10);
	*at = end;
	return *first <= *last && (*end == ',' || *end == '\0') ? 0 : -1;
}

static int place_by_list(struct flow_builder *b, struct graph_job *j, const char *list)
{
	uint64_t first, last;
	uint32_t count = 0;

	for (const char *at = list;;) {
		if (read_range(&at, &first, &last))
			return flow_builder_error(b, "placement",
						  "%s; allowed are in-order, random, and numbers "
						  "of hosts, as in 0-7,16-23",
						  weir_quote(list).text);
		if (last >= j->host_count)
			return flow_builder_error(b, "placement",
						  "host %" PRIu64 "; hosts are 0 to %u", last,
						  j->host_count - 1);
		for (uint64_t host = first; host <= last; host++, count++)
			if (count < j->rank_count)
				j->ranks[count].host = (uint32_t)host;
		if (*at++ == '\0')
			break;
	}
	if (count != j->rank_count)
		return flow_builder_error(b, "placement", "%u hosts, but the job has %u ranks",
					  count, j->rank_count);
	return 0;
}

static int job_place(struct flow_builder *b, struct graph_job *j, const char *placement)
{
	if (strcmp(placement, "in-order") == 0)
		place_in_order(j);
	else if (strcmp(placement, "random") == 0)
		place_at_random(j, &b->rng);
	else if (place_by_list(b, j, placement))
		return -1;
	for (uint32_t i = 0; i < j->host_count; i++)
		j->rank_of_host[i] = JOB_NONE;
	for (uint32_t i = 0; i < j->rank_count; i++) {
		uint32_t *rank = &j->rank_of_host[j->ranks[i].host];

		if (*rank != JOB_NONE)
			return flow_builder_error(b, "placement",
						  "host %u is given twice; each rank has its own",
						  j->ranks[i].host);
		*rank = i;
	}
	return 0;
}

static int job_choose_stragglers(struct flow_builder *b, struct graph_job *j,
				 const struct job_params *p)
{
	if (p->stragglers > j->rank_count)
		return flow_builder_error(b, "stragglers", "%" PRIu64 ", but the job has %u ranks",
					  p->stragglers, j->rank_count);
	for (uint64_t left = p->stragglers; left > 0;) {
		uint32_t rank = (uint32_t)weir_rng_below(&b->rng, j->rank_count);

		left -= !j->ranks[rank].is_straggler;
		j->ranks[rank].is_straggler = 1;
	}
	return 0;
}

static int job_plan_iterations(struct flow_builder *b, struct graph_job *j,
			       const struct job_params *p)
{
	int64_t to_ps = (int64_t)b->c->measure.to_ps;

	if (to_ps && b->t->start.last_ps >= to_ps)
		return flow_builder_error(b, "start", "must be before measure.to");
	j->start_first_ps = b->t->start.first_ps;
	j->start_last_ps = b->t->start.last_ps;
	j->closes_ps = to_ps ? to_ps : WEIR_TIME_NEVER_PS;
	j->iterations = p->rounds || to_ps ? (uint32_t)p->rounds : 1;
	j->warm_up = (uint32_t)p->warm_up;
	if (j->iterations && j->warm_up >= j->iterations)
		return flow_builder_error(b, "warm-up",
					  "%u, but there are %u rounds: none is measured",
					  j->warm_up, j->iterations);
	return 0;
}

struct graph_job *job_new(struct flow_builder *b, const struct job_params *p, uint32_t ranks)
{
	struct job_list *l = b->list->jobs;
	struct graph_job *j;

	if (!l) {
		l = b->list->jobs = memory_zeroed(1, sizeof(*l));
		pthread_mutex_init(&l->lock, NULL);
	}
	if (l->count == GRAPH_JOBS_MAX) {
		flow_builder_error(b, "pattern", "more than %d jobs in a run", GRAPH_JOBS_MAX);
		return NULL;
	}
	l->jobs = memory_grow(l->jobs, l->count + UINT64_C(1), sizeof(*l->jobs));
	j = &l->jobs[l->count++];
	*j = (struct graph_job){ .traffic = (uint16_t)(b->t - b->c->traffic),
				 .straggler_q32 = p->straggler_q32,
				 .rank_count = ranks,
				 .host_count = b->net->host_count };
	j->ranks = memory_zeroed(ranks, sizeof(*j->ranks));
	j->rank_of_host = memory_grow(NULL, j->host_count, sizeof(*j->rank_of_host));
	if (job_place(b, j, p->placement) || job_choose_stragglers(b, j, p) ||
	    job_plan_iterations(b, j, p))
		return NULL;
	return j;
}

/* --- operations --- */

void job_begin_rank(struct graph_job *j, uint32_t rank)
{
	j->ranks[rank].first_op = j->op_count;
	j->ranks[rank].op_count = 0;
}

int64_t job_add_op(struct graph_job *j, const struct job_op *op, struct weir_error *e)
{
	if (j->op_count == OPS_MAX)
		return weir_error_set(e, "more than %d operations", OPS_MAX);
	if (j->op_count == j->op_room) {
		if (memory_check(2.0 * j->op_room * sizeof(*j->ops), "operations", e))
			return -1;
		j->op_room = j->op_room ? 2 * j->op_room : 64;
		j->ops = memory_grow(j->ops, j->op_room, sizeof(*j->ops));
	}
	j->ops[j->op_count] = *op;
	return j->op_count++;
}

uint32_t job_add_kind(struct graph_job *j, const struct collective *c)
{
	for (uint32_t i = 0; i < j->kind_count; i++)
		if (collective_is_same(&j->kinds[i], c))
			return i;
	j->kinds = memory_grow(j->kinds, j->kind_count + UINT64_C(1), sizeof(*j->kinds));
	j->kinds[j->kind_count] = *c;
	return j->kind_count++;
}

int job_add_comm(struct graph_job *j, uint32_t size, uint32_t stride, uint32_t *members)
{
	if (j->comm_count == JOB_COMMS_MAX)
		return -1;
	j->comms = memory_grow(j->comms, j->comm_count + UINT64_C(1), sizeof(*j->comms));
	j->comms[j->comm_count] =
		(struct job_comm){ .size = size, .stride = stride, .members = members };
	return (int)j->comm_count++;
}

uint32_t job_comm_place(const struct job_comm *c, uint32_t rank)
{
	uint32_t low = 0, high = c->size;

	if (!c->members)
		return rank / c->stride % c->size;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->members[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int job_comm_has(const struct job_comm *c, uint32_t rank)
{
	uint32_t place = job_comm_place(c, rank);

	return !c->members || (place < c->size && c->members[place] == rank);
}

uint32_t job_comm_rank(const struct job_comm *c, uint32_t rank, uint32_t place)
{
	if (c->members)
		return c->members[place];
	return rank + (place - rank / c->stride % c->size) * c->stride;
}

const char *const job_algorithm_choices[COLLECTIVE_ALGORITHMS + 2] = {
	"auto", "ring", "halving-doubling", "tree", "direct", "hierarchical", NULL
};

int64_t job_add_file_kind(struct graph_job *j, const struct job_algorithms *a,
			  const struct collective *c, struct weir_error *e)
{
	struct collective own = *c;
	enum collective_algorithm asked = (enum collective_algorithm)(a->algorithm - 1);

	own.algorithm = collective_usual(c->kind);
	if (a->algorithm && collective_exists(c->kind, asked))
		own.algorithm = asked;
	own.channels = (uint32_t)a->channels;
	own.chunks = (uint32_t)a->chunks;
	if (own.algorithm == COLLECTIVE_HIERARCHICAL && c->ranks > a->local) {
		if (c->ranks % a->local)
			return weir_error_set(e,
					      "a collective of %u ranks; local = %" PRIu64
					      " does not divide them",
					      c->ranks, a->local);
		own.local = (uint32_t)a->local;
	} else if (own.algorithm == COLLECTIVE_HIERARCHICAL) {
		own.algorithm = collective_usual(c->kind);
	}
	if (own.algorithm == COLLECTIVE_HALVING_DOUBLING && c->ranks & (c->ranks - 1))
		return weir_error_set(e,
				      "a collective of %u ranks; halving-doubling takes a power "
				      "of two",
				      c->ranks);
	if (own.bytes < collective_bytes_min(&own))
		own.bytes = collective_bytes_min(&own);
	return job_add_kind(j, &own);
}

/* --- dependencies --- */

void job_ties_add(struct job_ties *t, struct job_tie tie)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->ties = memory_grow(t->ties, t->room, sizeof(*t->ties));
	}
	t->ties[t->count++] = tie;
}

void job_ties_free(struct job_ties *t)
{
	free(t->ties);
	*t = (struct job_ties){ 0 };
}

static int job_tie_compare(const void *a, const void *b)
{
	const struct job_tie *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->after > y->after) - (x->after < y->after);
}

static void job_add_ties(struct graph_job *j, struct job_ties *t)
{
	uint64_t place = 0;

	if (t->count)
		qsort(t->ties, t->count, sizeof(*t->ties), job_tie_compare);
	j->next = memory_grow(NULL, t->count, sizeof(*j->next));
	for (uint32_t i = 0; i < j->op_count; i++) {
		j->ops[i].next = (uint32_t)place;
		for (; place < t->count && t->ties[place].before == i; place++) {
			j->next[place] = t->ties[place].after | t->ties[place].flags;
			j->ops[t->ties[place].after].needs++;
		}
	}
	j->next_count = (uint32_t)place;
}

uint32_t job_next_end(const struct graph_job *j, uint32_t op)
{
	return op + 1 < j->op_count ? j->ops[op + 1].next : j->next_count;
}

static uint32_t job_rank_of_op(const struct graph_job *j, uint32_t op)
{
	uint32_t low = 0, high = j->rank_count;

	/* The last rank whose operations begin at or before it. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (j->ranks[middle].first_op <= op)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Where the operation is in the user's file. */
static int job_op_error(const struct graph_job *j, uint32_t op, struct weir_error *e)
{
	if (j->has_records)
		return weir_error_prefix(e, "rank %u, record %u: ", job_rank_of_op(j, op),
					 j->ops[op].line);
	if (j->is_shared)
		return weir_error_prefix(e, "line %u: ", j->ops[op].line);
	return weir_error_prefix(e, "line %u (rank %u): ", j->ops[op].line, job_rank_of_op(j, op));
}

/* An operation in a cycle never starts. O(operations + dependencies). */
static int job_check_cycles(const struct graph_job *j, struct weir_error *e)
{
	uint32_t *needs = memory_grow(NULL, j->op_count, sizeof(*needs));
	uint32_t *ready = memory_grow(NULL, j->op_count, sizeof(*ready));
	uint32_t count = 0, blocked = JOB_NONE;

	for (uint32_t i = 0; i < j->op_count; i++) {
		needs[i] = j->ops[i].needs;
		if (!needs[i])
			ready[count++] = i;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = j->ops[ready[i]].next; k < job_next_end(j, ready[i]); k++)
			if (--needs[j->next[k] & ~JOB_AT_START] == 0)
				ready[count++] = j->next[k] & ~JOB_AT_START;
	for (uint32_t i = j->op_count; count < j->op_count && i-- > 0;)
		if (needs[i])
			blocked = i;
	free(needs);
	free(ready);
	if (blocked == JOB_NONE)
		return 0;
	weir_error_set(e, "the operation depends on itself, through others");
	return job_op_error(j, blocked, e);
}

/* --- messages --- */

/* A send or receive, in the order in which they match. */
struct job_end {
	uint32_t from, to, tag, op;
};

static int job_end_compare_keys(const struct job_end *x, const struct job_end *y)
{
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

static int job_end_compare(const void *a, const void *b)
{
	const struct job_end *x = a, *y = b;
	int keys = job_end_compare_keys(x, y);

	return keys ? keys : (x->op > y->op) - (x->op < y->op);
}

/* All sends, or all receives, sorted. Returns their number. */
static uint32_t job_list_ends(const struct graph_job *j, enum job_op_kind kind,
			      struct job_end **ends)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < j->op_count; i++)
		count += j->ops[i].kind == kind;
	*ends = memory_grow(NULL, count, sizeof(**ends));
	count = 0;
	for (uint32_t r = 0; r < j->rank_count; r++)
		for (uint32_t i = 0; i < j->ranks[r].op_count; i++) {
			uint32_t op = j->ranks[r].first_op + i;
			const struct job_op *o = &j->ops[op];

			if (o->kind != kind)
				continue;
			(*ends)[count++] =
				(struct job_end){ kind == JOB_SEND ? r : o->peer,
						  kind == JOB_SEND ? o->peer : r, o->tag, op };
		}
	if (count)
		qsort(*ends, count, sizeof(**ends), job_end_compare);
	return count;
}

static int job_unmatched(const struct graph_job *j, const struct job_end *x, struct weir_error *e)
{
	int is_send = j->ops[x->op].kind == JOB_SEND;

	weir_error_set(e, "%s rank %u with tag %u, but rank %u has no %s for it",
		       is_send ? "sends to" : "receives from", is_send ? x->to : x->from, x->tag,
		       is_send ? x->to : x->from, is_send ? "receive" : "send");
	return job_op_error(j, x->op, e);
}

static int job_match_ends(struct graph_job *j, struct job_end *const ends[2],
			  const uint32_t counts[2], struct weir_error *e)
{
	uint32_t most = counts[0] > counts[1] ? counts[0] : counts[1];

	for (uint32_t i = 0; i < most; i++) {
		const struct job_end *send = i < counts[0] ? &ends[0][i] : NULL;
		const struct job_end *receive = i < counts[1] ? &ends[1][i] : NULL;
		int order = !send ? 1 : !receive ? -1 : job_end_compare_keys(send, receive);

		if (order != 0)
			return job_unmatched(j, order < 0 ? send : receive, e);
		if (j->ops[receive->op].amount < j->ops[send->op].amount) {
			weir_error_set(e,
				       "receives %" PRIu64 " bytes, but %s %u (rank %u) sends "
				       "%" PRIu64,
				       j->ops[receive->op].amount,
				       j->has_records ? "record" : "line", j->ops[send->op].line,
				       send->from, j->ops[send->op].amount);
			return job_op_error(j, receive->op, e);
		}
		j->ops[send->op].match = receive->op;
		j->ops[receive->op].match = send->op;
		j->ops[receive->op].needs++; /* the message */
	}
	return 0;
}

static int job_match(struct graph_job *j, struct weir_error *e)
{
	struct job_end *ends[2];
	const uint32_t counts[2] = { job_list_ends(j, JOB_SEND, &ends[0]),
				     job_list_ends(j, JOB_RECEIVE, &ends[1]) };
	int failed = job_match_ends(j, ends, counts, e);

	free(ends[0]);
	free(ends[1]);
	return failed;
}

/* --- what it needs --- */

/* Ranks whose operations differ. */
static uint32_t job_graphs(const struct graph_job *j)
{
	return j->is_shared ? 1 : j->rank_count;
}

static void job_plan_messages(struct graph_job *j)
{
	uint64_t sum_peers = 0, channels = 1;

	for (uint32_t i = 0; i < j->kind_count; i++) {
		sum_peers += collective_peers(&j->kinds[i]);
		if (j->kinds[i].channels > channels)
			channels = j->kinds[i].channels;
	}
	for (uint32_t r = 0; r < job_graphs(j); r++) {
		uint64_t messages = 0, sends = 0, largest = 0;

		for (uint32_t i = 0; i < j->ranks[r].op_count; i++) {
			const struct job_op *o = &j->ops[j->ranks[r].first_op + i];
			uint64_t of_op = 0;

			if (o->kind == JOB_COLLECTIVE)
				of_op = collective_in_flight(&j->kinds[o->peer]);
			sends += o->kind == JOB_SEND;
			messages += of_op;
			if (of_op > largest)
				largest = of_op;
		}
		messages += sends;
		if (messages > MESSAGES_MAX)
			messages = MESSAGES_MAX > largest ? MESSAGES_MAX : largest;
		messages = ITERATIONS_AT_ONCE * messages + MESSAGES_SPARE;
		if (messages > j->messages)
			j->messages = messages;
		if (sends > j->peers)
			j->peers = sends;
	}
	j->peers += sum_peers;
	if (j->peers > channels * (j->rank_count - 1))
		j->peers = channels * (j->rank_count - 1);
	j->messages += RECORDS_KEPT * j->peers;
}

int job_finish(struct graph_job *j, struct job_ties *ties, struct weir_error *e)
{
	for (uint32_t r = 0; r < j->rank_count && j->is_shared; r++)
		j->ranks[r].op_count = j->op_count;
	for (uint32_t r = 0; r < j->rank_count && !j->is_shared; r++)
		j->ranks[r].op_count =
			(r + 1 < j->rank_count ? j->ranks[r + 1].first_op : j->op_count) -
			j->ranks[r].first_op;
	job_add_ties(j, ties);
	if (job_check_cycles(j, e) || (!j->is_shared && job_match(j, e)))
		return -1;
	for (uint32_t r = 0; r < job_graphs(j); r++) {
		uint32_t *counts = memory_zeroed(j->comm_count, sizeof(*counts));

		for (uint32_t i = 0; i < j->ranks[r].op_count; i++) {
			struct job_op *o = &j->ops[j->ranks[r].first_op + i];

			if (o->kind == JOB_COLLECTIVE)
				o->tag = counts[o->comm]++;
		}
		for (uint32_t i = 0; i < j->comm_count; i++)
			if (counts[i])
				j->comms[i].count = counts[i];
		free(counts);
	}
	job_plan_messages(j);
	return 0;
}

/* --- estimate --- */

enum { RANKS_SAMPLED = 64, LANES_SAMPLED = 16 };

static void demand_add(struct job_demand *d, uint64_t bytes, double times, uint32_t mss_bytes)
{
	d->messages += times * (bytes > 0);
	d->bytes += times * (double)bytes;
	d->segments += times * (double)((bytes + mss_bytes - 1) / mss_bytes);
}

static void demand_add_collective(struct job_demand *d, const struct collective *c, uint32_t place,
				  double times, uint32_t mss_bytes)
{
	uint32_t lanes = collective_lanes(c), step = lanes / LANES_SAMPLED + 1;
	double each = times * lanes / ((lanes + step - 1) / step);

	for (uint32_t lane = 0; lane < lanes; lane += step)
		for (uint32_t i = 0; i < collective_steps(c, place, lane); i++)
			demand_add(d, collective_step(c, place, lane, i).bytes, each, mss_bytes);
}

struct job_demand job_estimate(const struct graph_job *j, uint32_t mss_bytes)
{
	struct job_demand d = { j->traffic, j->rank_count, j->iterations, 0, 0, 0 };
	uint32_t step = j->rank_count / RANKS_SAMPLED + 1;
	double times = (double)j->rank_count / ((j->rank_count + step - 1) / step);

	for (uint32_t r = 0; r < j->rank_count; r += step)
		for (uint32_t i = 0; i < j->ranks[r].op_count; i++) {
			const struct job_op *o = &j->ops[j->ranks[r].first_op + i];

			if (o->kind == JOB_SEND)
				demand_add(&d, o->amount, times, mss_bytes);
			else if (o->kind == JOB_COLLECTIVE)
				demand_add_collective(&d, &j->kinds[o->peer],
						      job_comm_place(&j->comms[o->comm], r), times,
						      mss_bytes);
		}
	return d;
}

static void job_runs_free(struct job_run *run)
{
	while (run) {
		struct job_run *next = run->next;

		free(run);
		run = next;
	}
}

static void job_rank_free(struct job_rank *r)
{
	job_runs_free(r->runs);
	job_runs_free(r->spare);
	free(r->needs);
	free(r->ready);
	free(r->early);
	free(r->iterations);
}

void job_list_free(struct job_list *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->count; i++) {
		struct graph_job *j = &l->jobs[i];

		for (uint32_t r = 0; r < j->rank_count; r++)
			job_rank_free(&j->ranks[r]);
		for (uint32_t k = 0; k < j->comm_count; k++)
			free(j->comms[k].members);
		free(j->ranks);
		free(j->rank_of_host);
		free(j->ops);
		free(j->next);
		free(j->kinds);
		free(j->comms);
		free(j->matrix);
	}
	free(l->jobs);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
