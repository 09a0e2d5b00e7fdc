/* SPDX-License-Identifier: BSD-3-Clause */
/* job_run.c -- see job_run.h.
 *
 * A message carries a label of 64 bits that says what it is for:
 *
 *	job (8) | 1 | communicator (11) | sequence (26) | lane (12) | label of the algorithm (6)
 *	job (8) | 0 | iteration (23) | receive (32)
 *
 * A message may arrive before its rank has come to the collective, or to the iteration, that it
 * belongs to; its label then waits in a list of the rank. Sequence and iteration are counted modulo
 * their fields: ranks of a communicator are never so far apart. Most collectives cannot end without
 * messages of all others; the root of a broadcast may be far ahead of a rank that computes for
 * longer. */
#include "sim/core/job_run.h"
#include "sim/core/mailbox.h"
#include "sim/core/timing_wheel.h"
#include "sim/parallel/ranks.h"
#include "sim/traffic/job.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	JOB_SHIFT = 56,
	COMM_SHIFT = 44,
	SEQUENCE_SHIFT = 18,
	LANE_SHIFT = 6,
	COMM_MASK = 0x7ff,
	SEQUENCE_MASK = 0x3ffffff,
	LANE_MASK = 0xfff,
	STEP_MASK = 0x3f,
	ITERATION_MASK = 0x7fffff
};

#define LABEL_OF_COLLECTIVE (UINT64_C(1) << 55)

_Static_assert((int)COLLECTIVE_LANES_MAX <= LANE_MASK + 1, "a lane fits its field");
_Static_assert((int)JOB_COMMS_MAX <= COMM_MASK, "a communicator fits its field");

/* A rank in the turn of its host. */
struct rank_turn {
	struct worker *w;
	struct host *h;
	struct graph_job *job;
	struct job_rank *r;
	uint32_t job_number, rank;
};

static struct rank_turn rank_turn_of(struct worker *w, struct host *h, uint64_t label)
{
	struct rank_turn t = { .w = w, .h = h, .job_number = (uint32_t)(label >> JOB_SHIFT) };

	t.job = &w->engine->flows.jobs->jobs[t.job_number];
	t.rank = t.job->rank_of_host[h->number];
	t.r = &t.job->ranks[t.rank];
	return t;
}

static int64_t turn_now_ps(const struct rank_turn *t)
{
	return t->h->now_ps;
}

/* --- failures --- */

static void jobs_set_failed(struct engine *e, const struct graph_job *j,
			    const struct weir_error *error)
{
	struct job_list *l = e->flows.jobs;

	pthread_mutex_lock(&l->lock);
	if (!atomic_load_explicit(&l->failed, memory_order_relaxed)) {
		l->error = *error;
		weir_error_prefix(&l->error, "traffic.%s: ", e->config->traffic[j->traffic].name);
		atomic_store_explicit(&l->failed, 1, memory_order_release);
	}
	pthread_mutex_unlock(&l->lock);
}

int jobs_failed(const struct engine *e, struct weir_error *error)
{
	const struct job_list *l = e->flows.jobs;

	if (!l || !atomic_load_explicit(&l->failed, memory_order_acquire))
		return 0;
	*error = l->error;
	return 1;
}

/* --- operations --- */

static struct job_iteration *rank_iteration(const struct rank_turn *t)
{
	return &t->r->iterations[t->r->iteration];
}

/* Moves an operation that waits for nothing any more to the queue of those that start now. */
static void rank_push_ready(struct job_rank *r, uint32_t op)
{
	r->ready[r->ready_tail++] = op;
}

/* One of the things that the operation waits for has happened. */
static void rank_satisfy(const struct rank_turn *t, uint32_t op)
{
	if (--t->r->needs[op - t->r->first_op] == 0)
		rank_push_ready(t->r, op);
}

static void rank_satisfy_next(const struct rank_turn *t, uint32_t op, uint32_t flags)
{
	const struct graph_job *j = t->job;

	for (uint32_t i = j->ops[op].next; i < job_next_end(j, op); i++)
		if ((j->next[i] & JOB_AT_START) == flags)
			rank_satisfy(t, j->next[i] & ~JOB_AT_START);
}

static void rank_complete(const struct rank_turn *t, uint32_t op)
{
	t->r->left--;
	rank_satisfy_next(t, op, 0);
}

static void rank_send(const struct rank_turn *t, const struct mail_post *post)
{
	struct weir_error error;

	if (mailbox_post(t->w, t->h, post, turn_now_ps(t), &error))
		jobs_set_failed(t->w->engine, t->job, &error);
}

static void rank_start_send(const struct rank_turn *t, uint32_t op)
{
	const struct job_op *o = &t->job->ops[op];

	rank_send(t, &(struct mail_post){
			     .to = t->job->ranks[o->peer].host,
			     .traffic = t->job->traffic,
			     .bytes = o->amount,
			     .is_of_job = 1,
			     .wants_ack = t->job->waits_for_acks,
			     .label = (uint64_t)t->job_number << JOB_SHIFT |
				      (uint64_t)(t->r->iteration & ITERATION_MASK) << 32 | o->match,
		     });
	if (!t->job->waits_for_acks)
		rank_complete(t, op);
}

/* How long a computation takes: its own random stream, by rank, operation and iteration. */
static int64_t rank_compute_ps(const struct rank_turn *t, uint32_t op)
{
	const struct job_op *o = &t->job->ops[op];
	uint64_t time_ps = o->amount;

	if (o->spread) {
		uint64_t owner = weir_hash64((uint64_t)t->job->traffic << 32 | t->rank,
					     (uint64_t)op << 32 | t->r->iteration);
		struct weir_rng rng =
			weir_rng_make(t->w->engine->config->seed, owner, WEIR_RNG_COMPUTE);

		time_ps += weir_rng_below(&rng, o->spread + 1);
	}
	if (t->r->is_straggler)
		time_ps += (uint64_t)((double)time_ps * (double)t->job->straggler_q32 / 0x1p32);
	return (int64_t)time_ps;
}

static void job_on_computed(void *context, struct weir_sim_turn *turn);

/* Timers and contexts of calls hold a label of the form of a message between two ranks. */
static void *label_context(uint64_t label)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it is never followed. */
	return (void *)(uintptr_t)label;
}

/* A rank's computations begin before; each is far shorter than what is left of 63 bits. */
#define COMPUTE_BEGIN_MAX_PS (WEIR_TIME_NEVER_PS / 2)

static void rank_start_compute(const struct rank_turn *t, uint32_t op)
{
	struct job_rank *r = t->r;
	int64_t *free_ps = &r->stream_free_ps[t->job->ops[op].stream];
	int64_t begin_ps = *free_ps > turn_now_ps(t) ? *free_ps : turn_now_ps(t);
	int64_t from_ps = begin_ps > r->compute_end_ps ? begin_ps : r->compute_end_ps;
	int64_t end_ps;
	struct weir_error error;
	struct weir_sim_call call = { 0, job_on_computed,
				      label_context((uint64_t)t->job_number << JOB_SHIFT | op) };

	if (begin_ps > COMPUTE_BEGIN_MAX_PS) {
		weir_error_set(&error, "rank %u computes for more than %" PRId64 " s", t->rank,
			       COMPUTE_BEGIN_MAX_PS / WEIR_PS_PER_S);
		jobs_set_failed(t->w->engine, t->job, &error);
		return;
	}
	call.time_ps = end_ps = begin_ps + rank_compute_ps(t, op);
	*free_ps = end_ps;
	if (end_ps > from_ps)
		rank_iteration(t)->compute_ps += end_ps - from_ps;
	if (end_ps > r->compute_end_ps)
		r->compute_end_ps = end_ps;
	if (end_ps == turn_now_ps(t)) {
		rank_complete(t, op);
		return;
	}
	if (end_ps > t->w->opened_ps)
		t->w->opened_ps = end_ps;
	if (mailbox_call_at(t->w->engine, t->h, &call, turn_now_ps(t), &error))
		jobs_set_failed(t->w->engine, t->job, &error);
}

/* --- collectives --- */

static uint32_t collective_sequence(const struct rank_turn *t, const struct job_op *o)
{
	return (t->r->iteration * t->job->comms[o->comm].count + o->tag) & SEQUENCE_MASK;
}

static struct job_run *run_find(const struct rank_turn *t, uint64_t label)
{
	struct job_run *run = t->r->runs;

	while (run && (run->sequence != (label >> SEQUENCE_SHIFT & SEQUENCE_MASK) ||
		       t->job->ops[run->op].comm != (label >> COMM_SHIFT & COMM_MASK)))
		run = run->next;
	return run;
}

static uint32_t job_lanes_max(const struct graph_job *j)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < j->kind_count; i++)
		if (collective_lanes(&j->kinds[i]) > most)
			most = collective_lanes(&j->kinds[i]);
	return most;
}

/* Records have room for the collective of the job with the most lanes, and are reused. */
static struct job_run *run_new(const struct rank_turn *t, uint32_t op)
{
	const struct job_op *o = &t->job->ops[op];
	const struct collective *c = &t->job->kinds[o->peer];
	uint32_t place = job_comm_place(&t->job->comms[o->comm], t->rank);
	struct job_run *run = t->r->spare;

	if (run)
		t->r->spare = run->next;
	else
		run = memory_grow(NULL, 1,
				  sizeof(*run) + job_lanes_max(t->job) * sizeof(run->lanes[0]));
	run->op = op;
	run->sequence = collective_sequence(t, o);
	run->left = 0;
	for (uint32_t i = 0; i < collective_lanes(c); i++) {
		uint32_t steps = collective_steps(c, place, i);

		run->lanes[i] = (struct job_lane){ 0, 0, steps };
		run->left += steps + (uint64_t)collective_arrivals(c, place, i);
	}
	run->next = t->r->runs;
	t->r->runs = run;
	return run;
}

static void run_end(const struct rank_turn *t, struct job_run *run)
{
	struct job_run **place = &t->r->runs;
	uint32_t op = run->op;

	while (*place != run)
		place = &(*place)->next;
	*place = run->next;
	run->next = t->r->spare;
	t->r->spare = run;
	rank_complete(t, op);
}

/* Sends what may be sent in a lane. */
static void run_advance(const struct rank_turn *t, struct job_run *run, uint32_t lane)
{
	const struct job_op *o = &t->job->ops[run->op];
	const struct job_comm *comm = &t->job->comms[o->comm];
	const struct collective *c = &t->job->kinds[o->peer];
	struct job_lane *l = &run->lanes[lane];
	uint32_t place = job_comm_place(comm, t->rank);

	for (; l->step < l->steps; l->step++) {
		struct collective_step s = collective_step(c, place, lane, l->step);
		uint64_t label = (uint64_t)t->job_number << JOB_SHIFT | LABEL_OF_COLLECTIVE |
				 (uint64_t)o->comm << COMM_SHIFT |
				 (uint64_t)run->sequence << SEQUENCE_SHIFT |
				 (uint64_t)lane << LANE_SHIFT | s.label;

		if (!collective_is_ready(c, l->progress, &s))
			return;
		if (!s.bytes || !collective_waits_for_acks(c))
			run->left--;
		if (s.bytes)
			rank_send(t, &(struct mail_post){
					     .to = t->job->ranks[job_comm_rank(comm, t->rank, s.to)]
							   .host,
					     .traffic = t->job->traffic,
					     .channel = (uint8_t)collective_channel(c, lane),
					     .bytes = s.bytes,
					     .is_of_job = 1,
					     .wants_ack = (uint8_t)collective_waits_for_acks(c),
					     .label = label,
				     });
	}
}

/* Appends a label to those of messages that came too early. */
static void rank_keep_early(struct job_rank *r, uint64_t label)
{
	if (r->early_count == r->early_room) {
		r->early_room = r->early_room ? 2 * r->early_room : 8;
		r->early = memory_grow(r->early, r->early_room, sizeof(*r->early));
	}
	r->early[r->early_count++] = label;
}

static void run_arrive(const struct rank_turn *t, struct job_run *run, uint64_t label)
{
	const struct collective *c = &t->job->kinds[t->job->ops[run->op].peer];
	uint32_t lane = (uint32_t)(label >> LANE_SHIFT & LANE_MASK);

	collective_arrive(c, &run->lanes[lane].progress, (uint32_t)(label & STEP_MASK));
	run->left--;
}

static void rank_start_collective(const struct rank_turn *t, uint32_t op)
{
	struct job_run *run = run_new(t, op);
	struct job_rank *r = t->r;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->early_count; i++) {
		uint64_t label = r->early[i];

		if (label & LABEL_OF_COLLECTIVE && run_find(t, label) == run)
			run_arrive(t, run, label);
		else
			r->early[kept++] = label;
	}
	r->early_count = kept;
	for (uint32_t i = 0; i < collective_lanes(&t->job->kinds[t->job->ops[op].peer]); i++)
		run_advance(t, run, i);
	if (!run->left)
		run_end(t, run);
}

/* --- a rank --- */

static void rank_start_op(const struct rank_turn *t, uint32_t op)
{
	struct job_iteration *now = rank_iteration(t);
	enum job_op_kind kind = (enum job_op_kind)t->job->ops[op].kind;

	if (kind != JOB_COMPUTE && now->begin_ps == WEIR_TIME_NEVER_PS)
		now->begin_ps = turn_now_ps(t);
	rank_satisfy_next(t, op, JOB_AT_START);
	switch (kind) {
	case JOB_SEND:
		rank_start_send(t, op);
		break;
	case JOB_RECEIVE: /* the message was one of the things that it waited for */
		rank_complete(t, op);
		break;
	case JOB_COMPUTE:
		rank_start_compute(t, op);
		break;
	case JOB_COLLECTIVE:
		rank_start_collective(t, op);
		break;
	}
}

/* 0: the rank is done. */
static int rank_begin_iteration(const struct rank_turn *t)
{
	struct job_rank *r = t->r;
	uint32_t kept = 0;

	if (!r->op_count || (t->job->iterations && r->iteration == t->job->iterations) ||
	    turn_now_ps(t) >= t->job->closes_ps) {
		t->w->flows_done++;
		return 0;
	}
	if (r->iteration == r->iteration_room) {
		r->iteration_room = r->iteration_room ? 2 * r->iteration_room : 4;
		r->iterations =
			memory_grow(r->iterations, r->iteration_room, sizeof(*r->iterations));
	}
	*rank_iteration(t) =
		(struct job_iteration){ WEIR_TIME_NEVER_PS, WEIR_TIME_NEVER_PS, turn_now_ps(t), 0 };
	r->left = r->op_count;
	r->ready_head = r->ready_tail = 0;
	for (uint32_t i = 0; i < r->op_count; i++) {
		r->needs[i] = t->job->ops[r->first_op + i].needs;
		if (!r->needs[i])
			rank_push_ready(r, r->first_op + i);
	}
	for (uint32_t i = 0; i < r->early_count; i++) {
		uint64_t label = r->early[i];

		if (!(label & LABEL_OF_COLLECTIVE) &&
		    (label >> 32 & ITERATION_MASK) == (r->iteration & ITERATION_MASK))
			rank_satisfy(t, (uint32_t)label);
		else
			r->early[kept++] = label;
	}
	r->early_count = kept;
	return 1;
}

/* Starts what is ready, and the next iteration where this one is complete. Iterations of a rank
 * that take no time end when the run closes, at the latest: patterns refuse graphs of nothing. */
static void rank_work(const struct rank_turn *t)
{
	struct job_rank *r = t->r;

	do {
		while (r->ready_head < r->ready_tail)
			rank_start_op(t, r->ready[r->ready_head++]);
		if (r->left)
			return;
		if (rank_iteration(t)->begin_ps == WEIR_TIME_NEVER_PS)
			rank_iteration(t)->begin_ps = turn_now_ps(t);
		rank_iteration(t)->end_ps = turn_now_ps(t);
		r->iteration++;
	} while (rank_begin_iteration(t));
}

static void job_on_computed(void *context, struct weir_sim_turn *turn)
{
	uint64_t label = (uint64_t)(uintptr_t)context;
	struct rank_turn t = rank_turn_of(turn->worker, turn->host, label);

	rank_complete(&t, (uint32_t)label);
	rank_work(&t);
}

/* Is a message for a later iteration, or for a rank that has not started? */
static int message_is_early(const struct rank_turn *t, uint64_t label)
{
	return !t->r->left || (label >> 32 & ITERATION_MASK) != (t->r->iteration & ITERATION_MASK);
}

void job_on_delivery(struct worker *w, struct host *h, uint64_t label, uint64_t bytes)
{
	struct rank_turn t = rank_turn_of(w, h, label);
	struct job_run *run;

	t.r->received_bytes += bytes;
	if (!(label & LABEL_OF_COLLECTIVE)) {
		if (message_is_early(&t, label)) {
			rank_keep_early(t.r, label);
			return;
		}
		rank_satisfy(&t, (uint32_t)label);
		rank_work(&t);
		return;
	}
	run = run_find(&t, label);
	if (!run) {
		rank_keep_early(t.r, label);
		return;
	}
	run_arrive(&t, run, label);
	run_advance(&t, run, (uint32_t)(label >> LANE_SHIFT & LANE_MASK));
	if (!run->left) {
		run_end(&t, run);
		rank_work(&t);
	}
}

void job_on_ack(struct worker *w, struct host *h, uint64_t label)
{
	struct rank_turn t = rank_turn_of(w, h, label);

	if (!(label & LABEL_OF_COLLECTIVE)) {
		rank_complete(&t, t.job->ops[(uint32_t)label].match);
		rank_work(&t);
		return;
	}

	struct job_run *run = run_find(&t, label);

	if (--run->left == 0) {
		run_end(&t, run);
		rank_work(&t);
	}
}

/* --- the start --- */

void jobs_plan(const struct flow_list *flows, struct engine_plan *plan)
{
	const struct job_list *l = flows->jobs;

	for (uint32_t i = 0; l && i < l->count; i++) {
		plan->messages += (uint32_t)l->jobs[i].messages;
		plan->connections += (uint32_t)l->jobs[i].peers;
	}
}

static int job_waits_for_acks(const struct graph_job *j)
{
	int waits = j->waits_for_acks;

	for (uint32_t i = 0; i < j->kind_count; i++)
		waits |= collective_waits_for_acks(&j->kinds[i]);
	return waits;
}

int jobs_wait_for_acks(const struct flow_list *flows)
{
	const struct job_list *l = flows->jobs;
	int waits = 0;

	for (uint32_t i = 0; l && i < l->count; i++)
		waits |= job_waits_for_acks(&l->jobs[i]);
	return waits;
}

static void job_on_start(void *context, struct weir_sim_turn *turn)
{
	struct rank_turn t = rank_turn_of(turn->worker, turn->host, (uint64_t)(uintptr_t)context);

	if (rank_begin_iteration(&t))
		rank_work(&t);
}

static int rank_set_start(struct engine *e, uint32_t job_number, uint32_t rank,
			  struct weir_error *error)
{
	struct graph_job *j = &e->flows.jobs->jobs[job_number];
	struct job_rank *r = &j->ranks[rank];
	struct host *h = &e->hosts[r->host];
	struct weir_rng rng = weir_rng_make(
		e->config->seed, weir_hash64((uint64_t)j->traffic << 32 | rank, UINT64_MAX),
		WEIR_RNG_COMPUTE);
	uint64_t span = (uint64_t)(j->start_last_ps - j->start_first_ps);
	const struct weir_sim_call call = { j->start_first_ps +
						    (int64_t)weir_rng_below(&rng, span + 1),
					    job_on_start,
					    label_context((uint64_t)job_number << JOB_SHIFT) };

	r->needs = memory_grow(NULL, r->op_count, sizeof(*r->needs));
	r->ready = memory_grow(NULL, r->op_count, sizeof(*r->ready));
	engine_worker(e, h->node)->flows_opened++;
	if (mailbox_call_at(e, h, &call, 0, error))
		return -1;
	engine_wake_stopped(e, h->node, call.time_ps);
	return 0;
}

int jobs_start(struct engine *e, struct weir_error *error)
{
	const struct job_list *l = e->flows.jobs;

	for (uint32_t i = 0; l && i < l->count; i++)
		for (uint32_t r = 0; r < l->jobs[i].rank_count; r++)
			if (engine_owns_host(e, l->jobs[i].ranks[r].host) &&
			    rank_set_start(e, i, r, error))
				return -1;
	return 0;
}
