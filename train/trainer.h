/* SPDX-License-Identifier: BSD-3-Clause */
/* trainer.h -- what can be trained: the contract of a trainer with the frame that calls it
 * (train/rounds.h).
 *
 * A trainer is a file, an option table and a line in train/trainer.c. The frame calls its hooks in
 * rounds: episodes, several at a time, with the policy as it is; then, alone and in order of
 * episodes, keep, and then update. So what is learnt does not depend on the number of threads. All
 * that is learnt, and all that learning needs to go on, is one block without pointers: the frame
 * writes it to a file and reads it back. */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H
#include "base/task_pool.h"
#include "weir/learn.h"
#include "weir/scheme.h"

enum { TRAIN_FIGURES_MAX = 12 };

/* What there is to train on, besides the trainer's own options. */
struct train_input {
	uint64_t seed;
	uint64_t steps;           /* to learn from, in all */
	uint32_t scenario_count;  /* 0: the trainer draws its own */
	const char *const *texts; /* of scenario files ... */
	const char *const *files; /* ... and their names */
};

/* Which episode. */
struct train_episode {
	uint64_t seed;
	uint64_t number; /* from 0; those that judge are counted by themselves */
	/* EXPLORE: to learn from. JUDGE: how good is the policy? What it does is not recorded. */
	enum train_purpose { TRAIN_EXPLORE, TRAIN_JUDGE } purpose;
};

/* What came of it. Rows are the trainer's own, for keep. */
struct train_record {
	uint64_t steps;
	double score;                      /* how good the policy was; more is better */
	double figures[TRAIN_FIGURES_MAX]; /* of those that are BY_EPISODE */
	uint64_t floats, room;
	float *rows;
};

/* So many floats more at the end of the record. */
float *train_record_add(struct train_record *r, uint64_t floats);

/* A number that is shown while training goes on, and drawn afterwards. */
struct train_figure {
	const char *name; /* NULL ends a table */
	const char *unit; /* as metrics have it: "bytes", "" */
	enum { BY_EPISODE, BY_UPDATE } by;
	const char *help;
};

/* A table of words that shows what the policy does where. */
struct train_cell {
	char text[48];
};

struct train_policy_table {
	const char *about;          /* a sentence */
	const char *rows, *columns; /* what they are */
	uint32_t row_count, column_count;
	void (*row)(const void *desk, uint32_t row, struct train_cell *cell);
	void (*column)(const void *desk, uint32_t column, struct train_cell *cell);
	void (*cell)(const void *desk, const struct weir_learn_model *model, const uint32_t at[2],
		     struct train_cell *cell);
};

/* The desk is what hooks read and nobody writes after open: options, texts, nets. The state is the
 * block. */
struct trainer {
	struct weir_scheme scheme;
	uint64_t steps_default;
	/* Of a judgement: what the worst episode counts beside the mean of all. */
	double worst_weight;
	const struct train_figure *figures;
	/* Refuses what cannot be trained on, before anything runs. */
	int (*open)(void **desk, const void *params, const struct train_input *input,
		    struct weir_error *e);
	void (*close)(void *desk); /* NULL is fine */
	/* A block of size bytes, aligned to WEIR_LEARN_ALIGNMENT and zeroed before. */
	size_t (*size)(const void *desk);
	void (*begin)(const void *desk, void *state);
	/* What an episode is of: a scenario file's text, for the caller to free. */
	char *(*scenario)(const void *desk, const struct train_episode *which);
	/* On any thread. -1: it cannot go on, and neither can the training. */
	int (*episode)(const void *desk, const void *state, const struct train_episode *which,
		       struct train_record *r, struct weir_error *e);
	void (*keep)(const void *desk, void *state, const struct train_record *r);
	/* After the episodes of a round, which had so many steps. Sets those figures that are
	 * BY_UPDATE. */
	void (*update)(const void *desk, void *state, struct task_pool *team, uint64_t steps,
		       double figures[TRAIN_FIGURES_MAX]);
	/* The net, its weights, and the texts "features" and "actions"; pointers into desk and
	 * state. */
	void (*model)(const void *desk, const void *state, struct weir_learn_model *model);
	const struct train_policy_table *policy_table; /* NULL: none */
};

/* --- the state of trainers with a replay memory: learner, memory, count --- */

struct train_count {
	uint64_t steps;
	double updates_due; /* whole ones are done after each round, the rest is kept */
};

struct train_layout {
	size_t learner_size, memory_size; /* rounded up */
};

struct train_layout train_layout_of(size_t learner_size, size_t memory_size);
size_t train_layout_size(const struct train_layout *l);
struct weir_learn_memory *train_memory(const struct train_layout *l, void *state);
struct train_count *train_count(const struct train_layout *l, const void *state);

/* Counts the steps of a round. Returns how many updates are due after it: so many for each step,
 * once there were warm_up steps. */
uint64_t train_count_round(struct train_count *c, uint64_t steps, uint64_t warm_up,
			   double updates_a_step);

/* --- all trainers --- */

extern const struct trainer *const trainer_all[]; /* ends with NULL */

/* The same for whoever lists names; base/registry.h. */
extern const struct registry trainer_registry;

/* NULL with a message: there is none of that name. */
const struct trainer *trainer_find(const char *name, struct weir_error *e);
#endif
