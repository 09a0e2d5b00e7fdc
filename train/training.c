/* SPDX-License-Identifier: BSD-3-Clause */
/* training.c -- the registry of trainers, the training loop, and what trainers share, see
 * trainer.h. */
#include "train/trainer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/registry.h"
#include "base/version.h"
#include "sim/parallel/mpi_world.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- trainers --- */

extern const struct trainer trainer_acc, trainer_fdcc, trainer_rl_cc;

const struct trainer *const trainer_all[] = {
	&trainer_acc,
	&trainer_fdcc,
	&trainer_rl_cc,
	NULL,
};

const struct registry trainer_registry = REGISTRY("trainer", trainer_all);

const struct trainer *trainer_find(const char *name, struct weir_error *e)
{
	const struct trainer *t = weir_registry_find(&trainer_registry, name);

	if (!t)
		weir_registry_unknown(&trainer_registry, name, e);
	return t;
}

float *train_record_add(struct train_record *r, uint64_t floats)
{
	if (r->floats + floats > r->room) {
		r->room = 2 * (r->floats + floats);
		r->rows = memory_grow(r->rows, r->room, sizeof(*r->rows));
	}
	r->floats += floats;
	return r->rows + r->floats - floats;
}

struct train_layout train_layout_of(size_t learner_size, size_t memory_size)
{
	const size_t unit = WEIR_LEARN_ALIGNMENT;

	return (struct train_layout){ (learner_size + unit - 1) / unit * unit,
				      (memory_size + unit - 1) / unit * unit };
}

size_t train_layout_size(const struct train_layout *l)
{
	return l->learner_size + l->memory_size + sizeof(struct train_count);
}

struct weir_learn_memory *train_memory(const struct train_layout *l, void *state)
{
	return (struct weir_learn_memory *)((char *)state + l->learner_size);
}

struct train_count *train_count(const struct train_layout *l, const void *state)
{
	return (struct train_count *)((char *)state + l->learner_size + l->memory_size);
}

uint64_t train_count_round(struct train_count *c, uint64_t steps, uint64_t warm_up,
			   double updates_a_step)
{
	uint64_t updates;

	c->steps += steps;
	if (c->steps < warm_up)
		return 0;
	c->updates_due += (double)steps * updates_a_step;
	updates = (uint64_t)c->updates_due;
	c->updates_due -= (double)updates;
	return updates;
}

void train_policy_forward(const struct weir_learn_model *model, const float *inputs, uint32_t steps,
			  float *outputs)
{
	size_t floats = weir_learn_tape_floats(model->net, 1, steps, WEIR_LEARN_FORWARD_ONLY);
	const struct weir_learn_batch batch = {
		.samples = 1, .steps = steps, .sequence = inputs, .current = inputs
	};
	float *tape = memory_new(floats, sizeof(*tape));

	weir_learn_forward(model->net, model->weights, &batch, tape, outputs);
	memory_free(tape, floats, sizeof(*tape));
}

/* --- the training loop --- */

/* Evaluation episodes are the same for every seed of the training, so that trainings are
 * comparable. */
#define JUDGE_SEED UINT64_C(0x6a75646765)

/* Progress; a block of the checkpoint. */
struct progress {
	uint64_t rounds, episodes, steps;
	uint64_t best_steps; /* 0: nothing was evaluated yet */
	double best_score;
};

struct training {
	struct train_plan plan;
	void *context;
	struct task_pool *pool;
	struct progress progress;
	uint64_t found;             /* episodes of the checkpoint that was read */
	struct train_point *points; /* one a round */
	void *state;
	size_t state_size;
	float *best; /* weights */
	size_t best_floats;
	struct train_record *records; /* of a round, or of an evaluation */
	uint64_t record_count;
	int64_t written_ns; /* when the last checkpoint was */
};

/* --- parallel episodes --- */

struct batch {
	struct training *t;
	enum train_purpose purpose;
	atomic_int *stop;
	atomic_int failed;
	struct weir_error *errors; /* one an episode */
};

/* The i-th episode of the current round, or of an evaluation. */
static struct train_episode training_episode(const struct training *t, enum train_purpose purpose,
					     uint64_t i)
{
	uint64_t number = purpose == TRAIN_EXPLORE ? t->progress.episodes + i : i;
	uint64_t seed = purpose == TRAIN_EXPLORE ? t->plan.input.seed : JUDGE_SEED;

	return (struct train_episode){ weir_hash64(seed, number), number, purpose };
}

static void training_do_episode(void *context, uint32_t k, uint32_t worker)
{
	struct batch *b = context;
	const struct training *t = b->t;
	uint64_t i = (uint64_t)world_rank() + (uint64_t)k * (uint64_t)world_size();
	struct train_record *r = &t->records[i];
	struct train_episode which = training_episode(t, b->purpose, i);

	(void)worker;
	if ((b->stop && atomic_load(b->stop)) || atomic_load(&b->failed))
		return;
	*r = (struct train_record){ .rows = r->rows, .room = r->room };
	if (t->plan.trainer->episode(t->context, t->state, &which, r, &b->errors[i])) {
		weir_error_prefix(&b->errors[i], "episode %" PRIu64 ": ", which.number);
		atomic_store(&b->failed, 1);
	}
}

/* Broadcasts the record of an episode from the rank that ran it. */
static void training_share_episode(struct batch *b, uint64_t i)
{
	struct train_record *r = &b->t->records[i], given = *r;
	int from = (int)(i % (uint64_t)world_size());

	world_broadcast(&given, sizeof(given), from);
	world_broadcast(&b->errors[i], sizeof(b->errors[i]), from);
	if (world_rank() != from) {
		given.rows = r->rows;
		given.room = r->room;
		*r = given;
		r->floats = 0;
		train_record_add(r, given.floats);
	}
	world_broadcast(r->rows, r->floats * sizeof(*r->rows), from);
}

/* Fills the first count records: each rank runs some of the episodes, and all receive all records.
 */
static enum train_ended training_do_batch(struct training *t, enum train_purpose purpose,
					  uint64_t count, atomic_int *stop, struct weir_error *e)
{
	struct batch b = { .t = t, .purpose = purpose, .stop = stop };
	/* Of R ranks, rank r does episodes r, r + R, r + 2 R, ... */
	uint64_t size = (uint64_t)world_size(), rank = (uint64_t)world_rank();
	uint64_t own = rank < count ? (count - rank - 1) / size + 1 : 0;
	enum train_ended ended = TRAIN_DONE;
	int stopped;

	b.errors = memory_new(count, sizeof(*b.errors));
	task_pool_run(t->pool, (uint32_t)own, training_do_episode, &b);
	stopped = stop && atomic_load(stop);
	world_broadcast(&stopped, sizeof(stopped), 0); /* rank 0 handles interrupts */
	for (uint64_t i = 0; i < count && !stopped && world_size() > 1; i++)
		training_share_episode(&b, i);
	for (uint64_t i = 0; i < count && ended == TRAIN_DONE; i++)
		if (b.errors[i].text[0]) {
			*e = b.errors[i];
			ended = TRAIN_FAILED;
		}
	if (ended == TRAIN_DONE && stopped)
		ended = TRAIN_STOPPED;
	memory_free(b.errors, count, sizeof(*b.errors));
	return ended;
}

/* --- a round --- */

static double training_mean_score(const struct train_record *records, uint64_t count)
{
	double sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += records[i].score;
	return sum / (double)count;
}

/* Score of an evaluation: weighted mean of all episodes and the worst one. */
static double training_judged_score(const struct training *t, uint64_t count)
{
	double worst = t->records[0].score, weight = t->plan.trainer->worst_weight;

	for (uint64_t i = 1; i < count; i++)
		if (t->records[i].score < worst)
			worst = t->records[i].score;
	return (1 - weight) * training_mean_score(t->records, count) + weight * worst;
}

/* Updates the state from the records of the round, and fills in the point of the curve. */
static void training_learn(struct training *t, struct train_point *p)
{
	const struct trainer *trainer = t->plan.trainer;
	uint64_t count = t->plan.round_episodes, steps = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct train_record *r = &t->records[i];

		trainer->keep(t->context, t->state, r);
		steps += r->steps;
		for (int k = 0; k < TRAIN_FIGURES_MAX; k++)
			p->figures[k] += r->figures[k] / (double)count;
	}
	p->score = training_mean_score(t->records, count);
	trainer->update(t->context, t->state, t->pool, steps, p->figures);
	t->progress.rounds++;
	t->progress.episodes += count;
	t->progress.steps += steps;
	p->episodes = t->progress.episodes;
	p->steps = t->progress.steps;
}

int training_is_done(const struct training *t)
{
	return t->progress.steps >= t->plan.input.steps;
}

/* Evaluates the policy and keeps the best one so far: the result is that of early stopping, at the
 * best point of the curve. */
static enum train_ended training_judge(struct training *t, struct train_point *p,
				       struct weir_error *e)
{
	struct weir_learn_model model = { .net = NULL };
	uint64_t count = t->plan.judge_episodes;
	/* Not interruptible: the state already contains the updates of the round. */
	enum train_ended ended = training_do_batch(t, TRAIN_JUDGE, count, NULL, e);

	if (ended != TRAIN_DONE)
		return ended;
	p->judged = training_judged_score(t, count);
	if (t->progress.best_steps && !(p->judged > t->progress.best_score))
		return TRAIN_DONE;
	t->plan.trainer->model(t->context, t->state, &model);
	memcpy(t->best, model.weights, t->best_floats * sizeof(*t->best));
	t->progress.best_score = p->judged;
	t->progress.best_steps = t->progress.steps;
	return TRAIN_DONE;
}

/* All ranks compute the same updates. Fails if one of the machines computes different weights. */
static int training_check_equal(const struct training *t, struct weir_error *e)
{
	struct weir_learn_model model = { .net = NULL };
	uint64_t sum = 0;

	if (world_size() == 1)
		return 0;
	t->plan.trainer->model(t->context, t->state, &model);
	for (uint64_t i = 0; i < t->best_floats; i++) {
		uint32_t bits;

		memcpy(&bits, &model.weights[i], sizeof(bits));
		sum = weir_hash64(sum, bits);
	}
	return world_same(sum)
		       ? 0
		       : weir_error_set(e, "the processes have learnt different weights from "
					   "the same episodes: one of the machines computes "
					   "otherwise than the others");
}

static enum train_ended training_do_round(struct training *t, atomic_int *stop,
					  struct weir_error *e)
{
	struct train_point *p;
	enum train_ended ended =
		training_do_batch(t, TRAIN_EXPLORE, t->plan.round_episodes, stop, e);

	if (ended != TRAIN_DONE)
		return ended;
	t->points = memory_grow(t->points, t->progress.rounds + 1, sizeof(*t->points));
	p = &t->points[t->progress.rounds];
	memset(p, 0, sizeof(*p));
	p->judged = NAN;
	training_learn(t, p);
	if (training_check_equal(t, e))
		return TRAIN_FAILED;
	if (t->progress.rounds % t->plan.judge_rounds && !training_is_done(t))
		return TRAIN_DONE;
	return training_judge(t, p, e);
}

/* --- checkpoints --- */

static int training_write_checkpoint(struct training *t, struct weir_error *e)
{
	const struct checkpoint_block blocks[CHECKPOINT_BLOCKS] = {
		{ &t->progress, sizeof(t->progress) },
		{ t->points, t->progress.rounds * sizeof(*t->points) },
		{ t->best, t->best_floats * sizeof(*t->best) },
		{ t->state, t->state_size },
	};

	t->written_ns = clock_ns();
	if (!t->plan.file || !*t->plan.file || world_rank() > 0)
		return 0;
	return checkpoint_write(t->plan.file, t->plan.identity, blocks, e);
}

static int training_read_own_checkpoint(struct training *t, struct weir_error *e)
{
	struct checkpoint c;
	int status;

	if (!t->plan.file || !*t->plan.file || world_rank() > 0)
		return 0;
	status = checkpoint_read(&c, t->plan.file, t->plan.identity, e);
	if (status)
		return status < 0 ? -1 : 0;
	memcpy(&t->progress, c.blocks[0].bytes, sizeof(t->progress));
	if (c.blocks[0].size != sizeof(t->progress) || c.blocks[3].size != t->state_size ||
	    c.blocks[2].size != t->best_floats * sizeof(*t->best) ||
	    c.blocks[1].size != t->progress.rounds * sizeof(*t->points)) {
		checkpoint_free(&c);
		return weir_error_set(e, "%.200s: is of another training; delete it to begin anew",
				      t->plan.file);
	}
	t->points = memory_grow(NULL, t->progress.rounds + 1, sizeof(*t->points));
	memcpy(t->points, c.blocks[1].bytes, c.blocks[1].size);
	memcpy(t->best, c.blocks[2].bytes, c.blocks[2].size);
	memcpy(t->state, c.blocks[3].bytes, c.blocks[3].size);
	t->found = t->progress.episodes;
	checkpoint_free(&c);
	return 0;
}

/* Rank 0 reads the checkpoint and broadcasts it. */
static int training_read_checkpoint(struct training *t, struct weir_error *e)
{
	int failed = training_read_own_checkpoint(t, e);

	if (!world_all(!failed))
		return -1;
	world_broadcast(&t->progress, sizeof(t->progress), 0);
	world_broadcast(&t->found, sizeof(t->found), 0);
	if (world_rank() > 0)
		t->points = memory_grow(NULL, t->progress.rounds + 1, sizeof(*t->points));
	world_broadcast(t->points, t->progress.rounds * sizeof(*t->points), 0);
	world_broadcast(t->best, t->best_floats * sizeof(*t->best), 0);
	world_broadcast(t->state, t->state_size, 0);
	return 0;
}

/* Writes a checkpoint if one is due, by the clock of rank 0. */
static int training_keep_checkpoint(struct training *t, struct weir_error *e)
{
	double gone = (double)(clock_ns() - t->written_ns) / WEIR_NS_PER_S;
	int failed = 0;

	if (gone >= t->plan.checkpoint_seconds || training_is_done(t))
		failed = training_write_checkpoint(t, e);
	return world_all(!failed) ? 0 : -1;
}

/* --- life cycle --- */

/* Do all ranks have the same plan and program? */
static int training_check_plans(const struct train_plan *plan, struct weir_error *e)
{
	struct version version = version_of_training();
	uint64_t sum = 0;

	for (const char *c = version.text; *c; c++)
		sum = weir_hash64(sum, (unsigned char)*c);
	for (const char *c = plan->identity; c && *c; c++)
		sum = weir_hash64(sum, (unsigned char)*c);
	return world_same(sum)
		       ? 0
		       : weir_error_set(e, "the processes are of different programs, or their "
					   "files are not the same");
}

int training_new(struct training **out, const struct train_plan *plan, struct weir_error *e)
{
	struct training *t = memory_new(1, sizeof(*t));
	const struct trainer *trainer = plan->trainer;
	struct weir_learn_model model = { .net = NULL };
	int failed;

	t->plan = *plan;
	failed = trainer->open(&t->context, plan->params, &plan->input, e);
	/* The failing rank has set its message; the others are silent. */
	if (!world_all(!failed) || training_check_plans(plan, e)) {
		training_free(t);
		return -1;
	}
	t->state_size = trainer->size(t->context);
	t->state = memory_new(1, t->state_size);
	trainer->begin(t->context, t->state);
	trainer->model(t->context, t->state, &model);
	t->best_floats = model.net->weight_floats;
	t->best = memory_new(t->best_floats, sizeof(*t->best));
	t->record_count = plan->round_episodes > plan->judge_episodes ? plan->round_episodes
								      : plan->judge_episodes;
	t->records = memory_new(t->record_count, sizeof(*t->records));
	if (training_read_checkpoint(t, e)) {
		training_free(t);
		return -1;
	}
	t->pool = task_pool_new(plan->threads);
	t->written_ns = clock_ns();
	*out = t;
	return 0;
}

void training_free(struct training *t)
{
	if (!t)
		return;
	task_pool_free(t->pool);
	for (uint64_t i = 0; t->records && i < t->record_count; i++)
		free(t->records[i].rows);
	memory_free(t->records, t->record_count, sizeof(*t->records));
	memory_free(t->best, t->best_floats, sizeof(*t->best));
	memory_free(t->state, 1, t->state_size);
	free(t->points);
	if (t->context)
		t->plan.trainer->close(t->context);
	memory_free(t, 1, sizeof(*t));
}

enum train_ended training_run(struct training *t, const struct train_watch *watch,
			      struct weir_error *e)
{
	while (!training_is_done(t)) {
		enum train_ended ended = training_do_round(t, watch->stop, e);

		if (ended == TRAIN_FAILED)
			return ended;
		if (ended == TRAIN_STOPPED)
			return world_all(!training_write_checkpoint(t, e)) ? TRAIN_STOPPED
									   : TRAIN_FAILED;
		if (watch->show)
			watch->show(watch->context, t);
		if (training_keep_checkpoint(t, e))
			return TRAIN_FAILED;
	}
	return TRAIN_DONE;
}

/* --- access --- */

uint64_t training_found(const struct training *t)
{
	return t->found;
}

const struct train_plan *training_plan(const struct training *t)
{
	return &t->plan;
}

const void *training_context(const struct training *t)
{
	return t->context;
}

uint64_t training_points(const struct training *t)
{
	return t->progress.rounds;
}

const struct train_point *training_point(const struct training *t, uint64_t i)
{
	return &t->points[i];
}

char *training_judge_scenario(const struct training *t, uint64_t i)
{
	struct train_episode which = training_episode(t, TRAIN_JUDGE, i);

	return t->plan.trainer->scenario(t->context, &which);
}

struct train_best training_best(const struct training *t, struct weir_learn_model *model)
{
	t->plan.trainer->model(t->context, t->state, model);
	model->weights = t->best;
	return (struct train_best){ t->progress.best_score, t->progress.best_steps };
}
