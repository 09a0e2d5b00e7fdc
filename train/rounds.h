/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.h -- the course of a training, whatever is trained: rounds of episodes with a policy that
 * stands still, updates, and now and then a judgement of the policy and a checkpoint.
 *
 *	round: EPISODES at once on all threads -> kept in order -> updates -> a point of the curve
 *
 * With several ranks (sim/parallel/mpi_world.h) each does its share of the episodes and gets to
 * know all of them; then each learns by itself, which gives all of them the same. The first one
 * alone reads and writes checkpoints.
 *
 * Episode e has the seed hash(seed, e). The model depends on the trainer's options, the input and
 * the length of rounds, and not on threads or ranks, nor on how often it was interrupted: training
 * goes on from the last checkpoint, and what was done since is done again, the same. */
#ifndef TRAIN_ROUNDS_H
#define TRAIN_ROUNDS_H
#include "train/trainer.h"
#include <stdatomic.h>

struct train_plan {
	const struct trainer *trainer;
	const void *params; /* of the trainer's options */
	struct train_input input;
	uint64_t round_episodes;
	uint64_t judge_episodes; /* the same for every seed */
	uint64_t judge_rounds;   /* between two judgements */
	uint32_t threads;
	const char *identity;      /* of the command: one checkpoint goes on in one command only */
	const char *file;          /* checkpoint; "" or NULL: none is kept */
	double checkpoint_seconds; /* between two of them */
};

/* A round, as the curve has it. */
struct train_point {
	uint64_t episodes, steps;          /* so far */
	double score;                      /* mean over the episodes of the round, which explore */
	double judged;                     /* mean of those that judge; NAN: not this round */
	double figures[TRAIN_FIGURES_MAX]; /* mean over episodes, or of the update */
};

struct training;

/* Reads the checkpoint where there is one. -1: input, or a checkpoint that is not of this
 * training. */
int training_new(struct training **t, const struct train_plan *plan, struct weir_error *e);
void training_free(struct training *t); /* NULL is fine */

enum train_ended { TRAIN_DONE = 0, TRAIN_STOPPED, TRAIN_FAILED = -1 };

/* A round, or as much as there was time for until *stop became non-zero, which then counts for
 * nothing. STOPPED: a checkpoint is written. DONE: the steps are used up. */
struct train_watch {
	atomic_int *stop; /* NULL: nobody interrupts */
	void (*show)(void *context,
		     const struct training *t); /* after every round; NULL: nobody looks */
	void *context;
};
enum train_ended training_run(struct training *t, const struct train_watch *watch,
			      struct weir_error *e);

/* Is nothing left to do, and how many episodes did it have when it was opened? */
int training_is_done(const struct training *t);
uint64_t training_found(const struct training *t);

const struct train_plan *training_plan(const struct training *t);
const void *training_context(const struct training *t);
uint64_t training_points(const struct training *t);
const struct train_point *training_point(const struct training *t, uint64_t i);

/* The scenario of the i-th episode that judges, as text for the caller to free. */
char *training_judge_scenario(const struct training *t, uint64_t i);

/* The best that was judged: its score, the steps it had seen, and the model with the trainer's
 * texts; weights are valid until the training goes on. 0 steps: none was judged yet. */
struct train_best {
	double score;
	uint64_t steps;
};
struct train_best training_best(const struct training *t, struct weir_learn_model *model);

/* --- checkpoint.c: a training in a file, to go on from: blocks of memory as they are, whose
 * training it is, and a checksum. For the same version of the program on the same kind of machine.
 * --- */

enum { CHECKPOINT_BLOCKS = 4 };

struct checkpoint_block {
	const void *bytes;
	size_t size;
};

/* What was read: blocks lie in memory, which begins at a multiple of 8. */
struct checkpoint {
	char *memory;
	struct checkpoint_block blocks[CHECKPOINT_BLOCKS];
};

/* Appears whole or not at all. identity is one line. */
int checkpoint_write(const char *file, const char *identity,
		     const struct checkpoint_block blocks[CHECKPOINT_BLOCKS], struct weir_error *e);

/* 1: there is no such file. -1: it is damaged, another version's or another training's, or cannot
 * be read; nothing is left to free on both. */
int checkpoint_read(struct checkpoint *c, const char *file, const char *identity,
		    struct weir_error *e);
void checkpoint_free(struct checkpoint *c);
#endif
