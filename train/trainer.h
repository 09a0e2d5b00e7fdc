/* SPDX-License-Identifier: BSD-3-Clause */
/* trainer.h -- the interface of trainers, and the training loop that drives them.
 *
 * A trainer is a file with an option table and a line in train/training.c. The loop runs rounds:
 * the hook episode for several episodes in parallel, with the policy unchanged; then keep for each
 * record in order of episodes, and update, both in the calling thread. So results do not depend on
 * the number of threads. Everything learned is in one block without pointers, the state, which the
 * loop writes to checkpoints.
 *
 *	round: episodes on all threads -> records in order -> updates -> a point of the curve
 *
 * With several ranks (sim/parallel/mpi_world.h) each runs its share of the episodes and receives
 * all records; then all compute the same updates. Rank 0 alone reads and writes checkpoints.
 *
 * Episode e has the seed hash(seed, e). The model depends on the trainer's options, the input and
 * the length of rounds, and not on threads, ranks or interruptions: training resumes from the last
 * checkpoint and repeats what was done since, with the same result. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H
#include "base/task_pool.h"
#include "weir/learn.h"
#include "weir/scheme.h"
#include <stdatomic.h>

enum { TRAIN_FIGURES_MAX = 12 };

/* The input of a training, besides the trainer's options. */
struct train_input {
	uint64_t seed;
	uint64_t steps;           /* total training steps */
	uint32_t scenario_count;  /* 0: the trainer generates its own */
	const char *const *texts; /* of scenario files ... */
	const char *const *files; /* ... and their names */
};

/* Identifies an episode. */
struct train_episode {
	uint64_t seed;
	uint64_t number; /* from 0; evaluation episodes are numbered separately */
	/* EXPLORE: for training. JUDGE: evaluates the policy; its rows are not recorded. */
	enum train_purpose { TRAIN_EXPLORE, TRAIN_JUDGE } purpose;
};

/* The result of an episode. The trainer defines the rows, and reads them in keep. */
struct train_record {
	uint64_t steps;
	double score;                      /* of the policy; higher is better */
	double figures[TRAIN_FIGURES_MAX]; /* the BY_EPISODE ones */
	uint64_t floats, room;
	float *rows;
};

/* Appends floats to the record; returns the first. */
float *train_record_add(struct train_record *r, uint64_t floats);

/* A number of the training curve. */
struct train_figure {
	const char *name; /* NULL ends a table */
	const char *unit; /* as of metrics: "bytes", "" */
	enum { BY_EPISODE, BY_UPDATE } by;
	const char *help;
};

/* A table that shows the policy's action by observation, for the report of a training. */
struct train_cell {
	char text[48];
};

struct train_policy_table {
	const char *about;          /* a sentence */
	const char *rows, *columns; /* captions */
	uint32_t row_count, column_count;
	void (*row)(const void *context, uint32_t row, struct train_cell *cell);
	void (*column)(const void *context, uint32_t column, struct train_cell *cell);
	void (*cell)(const void *context, const struct weir_learn_model *model,
		     const uint32_t at[2], struct train_cell *cell);
};

/* The context holds options, texts and nets, and is constant after open. The state is the block. */
struct trainer {
	struct weir_scheme scheme;
	uint64_t steps_default;
	/* Weight of the worst episode against the mean of all, in an evaluation. */
	double worst_weight;
	const struct train_figure *figures;
	/* Validates options and input. -1 with a message. */
	int (*open)(void **context, const void *params, const struct train_input *input,
		    struct weir_error *e);
	void (*close)(void *context); /* context may be NULL */
	/* A block of size bytes, aligned to WEIR_LEARN_ALIGNMENT and zeroed before. */
	size_t (*size)(const void *context);
	void (*begin)(const void *context, void *state);
	/* The text of an episode's scenario file, for the caller to free. */
	char *(*scenario)(const void *context, const struct train_episode *which);
	/* Runs an episode, on any thread and concurrently with others. -1: the training fails. */
	int (*episode)(const void *context, const void *state, const struct train_episode *which,
		       struct train_record *r, struct weir_error *e);
	void (*keep)(const void *context, void *state, const struct train_record *r);
	/* After the episodes of a round, which had that many steps. Sets the BY_UPDATE figures. */
	void (*update)(const void *context, void *state, struct task_pool *pool, uint64_t steps,
		       double figures[TRAIN_FIGURES_MAX]);
	/* Sets the net, its weights, and metadata "features" and "actions", as pointers into
	 * context and state. */
	void (*model)(const void *context, const void *state, struct weir_learn_model *model);
	const struct train_policy_table *policy_table; /* NULL: none */
};

/* --- the state of trainers with a replay memory: learner, memory, count --- */

struct train_count {
	uint64_t steps;
	double updates_due; /* the fraction left after whole updates */
};

struct train_layout {
	size_t learner_size, memory_size; /* rounded up */
};

struct train_layout train_layout_of(size_t learner_size, size_t memory_size);
size_t train_layout_size(const struct train_layout *l);
struct weir_learn_memory *train_memory(const struct train_layout *l, void *state);
struct train_count *train_count(const struct train_layout *l, const void *state);

/* Counts the steps of a round. Returns the number of updates due: updates_a_step per step, none
 * during the warm-up of that many steps. */
uint64_t train_count_round(struct train_count *c, uint64_t steps, uint64_t warm_up,
			   double updates_a_step);

/* --- all trainers --- */

extern const struct trainer *const trainer_all[]; /* ends with NULL */

/* The same as a registry, for lists of names (base/registry.h). */
extern const struct registry trainer_registry;

/* NULL with a message: there is none of that name. */
const struct trainer *trainer_find(const char *name, struct weir_error *e);

/* Computes the outputs of a model for one sample: inputs hold a current observation, or a sequence
 * of steps. For policy tables. */
void train_policy_forward(const struct weir_learn_model *model, const float *inputs, uint32_t steps,
			  float *outputs);

/* --- the training loop, in training.c --- */

struct train_plan {
	const struct trainer *trainer;
	const void *params; /* of the trainer's options */
	struct train_input input;
	uint64_t round_episodes;
	uint64_t judge_episodes; /* per evaluation; the same ones for every seed */
	uint64_t judge_rounds;   /* between two evaluations */
	uint32_t threads;
	const char *identity; /* of the command: a checkpoint continues the same command only */
	const char *file;     /* the checkpoint; "" or NULL: disabled */
	double checkpoint_seconds; /* between two of them */
};

/* A round on the training curve. */
struct train_point {
	uint64_t episodes, steps;          /* so far */
	double score;                      /* mean over the exploring episodes of the round */
	double judged;                     /* mean over an evaluation; NAN: none this round */
	double figures[TRAIN_FIGURES_MAX]; /* mean over episodes, or from the update */
};

struct training;

/* Resumes from the checkpoint if there is one. -1 with a message: invalid input, or the checkpoint
 * belongs to another training. */
int training_new(struct training **t, const struct train_plan *plan, struct weir_error *e);
void training_free(struct training *t); /* NULL: no effect */

enum train_ended { TRAIN_DONE = 0, TRAIN_STOPPED, TRAIN_FAILED = -1 };

/* Runs rounds until the steps are used up (DONE), or until *stop becomes non-zero: then the current
 * round is discarded and a checkpoint is written (STOPPED). */
struct train_watch {
	atomic_int *stop; /* NULL: not interruptible */
	void (*show)(void *context,
		     const struct training *t); /* after every round; NULL: disabled */
	void *context;
};
enum train_ended training_run(struct training *t, const struct train_watch *watch,
			      struct weir_error *e);

/* Are all steps done? The number of episodes in the checkpoint that was resumed; 0: none. */
int training_is_done(const struct training *t);
uint64_t training_found(const struct training *t);

const struct train_plan *training_plan(const struct training *t);
const void *training_context(const struct training *t);
uint64_t training_points(const struct training *t);
const struct train_point *training_point(const struct training *t, uint64_t i);

/* The scenario of the i-th evaluation episode, as text for the caller to free. */
char *training_judge_scenario(const struct training *t, uint64_t i);

/* The best evaluated policy: its score, its training steps, and its model, whose weights are valid
 * until the training continues. 0 steps: none was evaluated yet. */
struct train_best {
	double score;
	uint64_t steps;
};
struct train_best training_best(const struct training *t, struct weir_learn_model *model);

/* --- checkpoints, in checkpoint.c: memory blocks of a training, its identity and a checksum. Valid
 * for the same version of the program on the same kind of machine. --- */

enum { CHECKPOINT_BLOCKS = 4 };

struct checkpoint_block {
	const void *bytes;
	size_t size;
};

/* A checkpoint in memory; blocks point into memory, aligned to 8 bytes. */
struct checkpoint {
	char *memory;
	struct checkpoint_block blocks[CHECKPOINT_BLOCKS];
};

/* Atomic (base/output.h). identity is one line. */
int checkpoint_write(const char *file, const char *identity,
		     const struct checkpoint_block blocks[CHECKPOINT_BLOCKS], struct weir_error *e);

/* 1: there is no such file. -1 with a message: unreadable, damaged, or of another version or
 * training. Only 0 leaves a checkpoint to free. */
int checkpoint_read(struct checkpoint *c, const char *file, const char *identity,
		    struct weir_error *e);
void checkpoint_free(struct checkpoint *c);
#endif
