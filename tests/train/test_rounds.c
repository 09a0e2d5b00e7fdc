/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rounds.c -- the frame of a training (train/trainer.h), with a toy to train: a bandit whose
 * arms pay by the sign of what is seen, learnt by double DQN. */
#include "tests/folder.h"
#include "train/trainer.h"
#include "base/memory.h"
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { ARMS = 2, PULLS = 20, ROW = 3 }; /* a row: seen, arm, reward */

struct toy {
	struct weir_learn_dqn_config config;
	struct weir_learn_memory_plan memory;
	struct weir_learn_net net;
	void *scratch;
	size_t scratch_size;
	uint64_t delay_us; /* that an episode takes longer */
};

static int toy_open(void **context, const void *params, const struct train_input *input,
		    struct weir_error *e)
{
	struct toy *toy = memory_new(1, sizeof(*toy));

	toy->delay_us = *(const uint64_t *)params;
	toy->config = (struct weir_learn_dqn_config){
		.training = { .observation_size = 1,
			      .batch = 16,
			      .gamma = 0.0,
			      .return_steps = 1,
			      .seed = input->seed },
		.plan = weir_learn_plan_stack(&(struct weir_learn_stack){
			.inputs = 1, .hidden = { 8 }, .outputs = ARMS }),
		.adam = WEIR_LEARN_ADAM_DEFAULT,
		.target_every = 10,
	};
	toy->memory = (struct weir_learn_memory_plan){ 512, 1, 1 };
	CHECK_INT(weir_learn_dqn_check(&toy->config, e), 0);
	toy->scratch_size = weir_learn_dqn_scratch_size(&toy->config, 1);
	toy->scratch = memory_new(1, toy->scratch_size);
	*context = toy;
	return 0;
}

static void toy_close(void *context)
{
	struct toy *toy = context;

	memory_free(toy->scratch, 1, toy->scratch_size);
	memory_free(toy, 1, sizeof(*toy));
}

static size_t learner_size(const struct toy *toy)
{
	size_t size = weir_learn_dqn_size(&toy->config);

	return (size + WEIR_LEARN_ALIGNMENT - 1) / WEIR_LEARN_ALIGNMENT * WEIR_LEARN_ALIGNMENT;
}

static size_t toy_size(const void *context)
{
	const struct toy *toy = context;

	return learner_size(toy) + weir_learn_memory_size(&toy->memory);
}

static void *toy_memory(const struct toy *toy, const void *state)
{
	return (char *)(uintptr_t)state + learner_size(toy);
}

static void toy_begin(const void *context, void *state)
{
	const struct toy *toy = context;

	weir_learn_dqn_init(state, &toy->config);
	weir_learn_memory_init(toy_memory(toy, state), &toy->memory);
}

/* What is seen is -1 or 1, and pulling arm 1 pays where it is 1, arm 0 elsewhere. */
static int toy_episode(const void *context, const void *state, const struct train_episode *which,
		       struct train_record *r, struct weir_error *e)
{
	const struct toy *toy = context;
	const struct weir_learn_net *net = weir_learn_dqn_net(state);
	struct weir_learn_choice choice = { .epsilon = which->purpose == TRAIN_JUDGE ? 0 : 0.5F };
	float tape[256], values[ARMS];

	(void)e;
	CHECK(weir_learn_tape_floats(net, 1, 0, WEIR_LEARN_FORWARD_ONLY) <= 256);
	nanosleep(&(struct timespec){ .tv_nsec = (long)toy->delay_us * 1000 }, NULL);
	for (uint64_t i = 0; i < PULLS; i++) {
		struct weir_learn_draw draw = { which->seed, 1, 4 * i };
		float seen = weir_learn_uniform(draw) < 0.5F ? -1 : 1, *row;
		uint32_t arm;

		weir_learn_forward(net, weir_learn_dqn_weights(state),
				   &(struct weir_learn_batch){ .samples = 1, .current = &seen },
				   tape, values);
		draw.counter++;
		arm = weir_learn_choose_action(&choice, values, ARMS, draw);
		row = train_record_add(r, ROW);
		row[0] = seen;
		row[1] = (float)arm;
		row[2] = (arm == 1) == (seen > 0) ? 1 : 0;
		r->score += (double)row[2] / PULLS;
	}
	r->steps = PULLS;
	r->figures[0] = r->score;
	return 0;
}

static void toy_keep(const void *context, void *state, const struct train_record *r)
{
	struct weir_learn_memory *m = toy_memory(context, state);

	for (uint64_t i = 0; i < r->floats; i += ROW) {
		weir_learn_memory_step(m, &r->rows[i], &r->rows[i + 1], r->rows[i + 2]);
		weir_learn_memory_end(m, &r->rows[i], WEIR_LEARN_DONE);
	}
}

static void toy_update(const void *context, void *state, struct task_pool *pool, uint64_t steps,
		       double figures[TRAIN_FIGURES_MAX])
{
	const struct toy *toy = context;

	(void)pool;
	for (uint64_t i = 0; i < steps / 4; i++)
		figures[1] = (double)weir_learn_dqn_update(
			state, toy_memory(toy, state),
			&(struct weir_learn_executor){ .workers = 1, .scratch = toy->scratch });
}

static void toy_model(const void *context, const void *state, struct weir_learn_model *model)
{
	(void)context;
	model->net = weir_learn_dqn_net(state);
	model->weights = weir_learn_dqn_weights(state);
}

static const struct train_figure toy_figures[] = {
	{ "reward", "", BY_EPISODE, "" },
	{ "loss", "", BY_UPDATE, "" },
	{ .name = NULL },
};

static const struct trainer toy_trainer = {
	.scheme = { .name = "toy", .help = "a bandit with two arms" },
	.figures = toy_figures,
	.open = toy_open,
	.close = toy_close,
	.size = toy_size,
	.begin = toy_begin,
	.episode = toy_episode,
	.keep = toy_keep,
	.update = toy_update,
	.model = toy_model,
};

static const uint64_t at_once = 0;

static struct train_plan toy_plan(const char *file)
{
	return (struct train_plan){
		.trainer = &toy_trainer,
		.params = &at_once,
		.input = { .seed = 3, .steps = 4000 },
		.round_episodes = 16,
		.judge_episodes = 5,
		.judge_rounds = 2,
		.threads = 1,
		.identity = "toy",
		.file = file,
	};
}

static void open_it(struct training **t, const struct train_plan *plan)
{
	struct weir_error e = { "" };

	if (training_new(t, plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void finish(struct training *t)
{
	struct weir_error e;

	CHECK_INT(training_run(t, &(struct train_watch){ .stop = NULL }, &e), TRAIN_DONE);
}

/* All that matters of a training: the best weights and the curve. */
struct outcome {
	float weights[256];
	struct train_point last;
	struct train_best best;
};

static struct outcome outcome_of(const struct training *t)
{
	struct weir_learn_model model = { .net = NULL };
	struct outcome o;

	memset(&o, 0, sizeof(o));
	o.best = training_best(t, &model);
	CHECK(model.net->weight_floats <= 256);
	memcpy(o.weights, model.weights, model.net->weight_floats * sizeof(float));
	o.last = *training_point(t, training_points(t) - 1);
	return o;
}

static struct outcome outcome_with(uint32_t threads)
{
	struct train_plan plan = toy_plan("");
	struct training *t;
	struct outcome o;

	plan.threads = threads;
	open_it(&t, &plan);
	finish(t);
	CHECK_INT(training_points(t), 13); /* 13 rounds of 16 x 20 steps are the first above 4000 */
	CHECK_INT(training_is_done(t), 1);
	o = outcome_of(t);
	training_free(t);
	return o;
}

TEST(test_training_learns_the_toy_and_does_not_depend_on_threads)
{
	struct outcome one = outcome_with(1), two = outcome_with(2), five = outcome_with(5);

	CHECK_NEAR(one.best.score, 1, 1e-9); /* the best arm, always */
	CHECK_INT(memcmp(&one, &two, sizeof(one)), 0);
	CHECK_INT(memcmp(&one, &five, sizeof(one)), 0);
}

TEST(test_training_with_another_seed_is_another)
{
	struct train_plan plan = toy_plan("");
	struct outcome first = outcome_with(1), other;
	struct training *t;

	plan.input.seed = 4;
	open_it(&t, &plan);
	finish(t);
	other = outcome_of(t);
	training_free(t);
	CHECK(memcmp(first.weights, other.weights, sizeof(other.weights)) != 0);
}

/* --- interrupted --- */

struct interrupter {
	atomic_int stop;
	uint64_t after; /* rounds */
};

static void interrupt_it(void *context, const struct training *t)
{
	struct interrupter *i = context;

	if (training_points(t) >= i->after)
		atomic_store(&i->stop, 1);
}

static char *file_of(const struct folder *f)
{
	char *path = malloc(128);

	CHECK(path != NULL);
	snprintf(path, 128, "%s/checkpoint", f->path);
	return path;
}

TEST(test_training_interrupted_and_continued_gives_the_same_bytes)
{
	struct folder f = folder_make();
	char *file = file_of(&f);
	struct train_plan plan = toy_plan(file);
	struct outcome whole = outcome_with(1), parts;
	struct weir_error e;
	struct training *t;
	uint64_t done = 0;

	plan.checkpoint_seconds = 1e9; /* only where it is interrupted */
	for (uint64_t after = 1; after < 13; after += 5) {
		struct interrupter i = { .after = after };
		struct train_watch watch = { &i.stop, interrupt_it, &i };

		atomic_init(&i.stop, 0);
		plan.threads = (uint32_t)(1 + after % 3);
		open_it(&t, &plan);
		CHECK_INT(training_found(t), done);
		CHECK_INT(training_run(t, &watch, &e), TRAIN_STOPPED);
		done = training_point(t, training_points(t) - 1)->episodes;
		training_free(t);
	}
	open_it(&t, &plan);
	finish(t);
	parts = outcome_of(t);
	training_free(t);
	CHECK_INT(memcmp(&whole, &parts, sizeof(whole)), 0);

	open_it(&t, &plan); /* and once more: there is nothing left to do */
	CHECK_INT(training_is_done(t), 1);
	CHECK_INT(training_found(t), 13 * 16);
	training_free(t);
	free(file);
	folder_remove(&f);
}

TEST(test_training_killed_continues_from_its_last_checkpoint)
{
	static const uint64_t slowly_us = 300;
	struct folder f = folder_make();
	char *file = file_of(&f);
	struct train_plan plan = toy_plan(file);
	struct outcome whole = outcome_with(1), parts;
	struct training *t;
	pid_t child = fork();
	int status;

	if (child == 0) {
		plan.params = &slowly_us;
		open_it(&t, &plan);
		finish(t);
		_exit(0);
	}
	while (access(file, F_OK))
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	open_it(&t, &plan);
	CHECK(training_found(t) >= 16);
	finish(t);
	parts = outcome_of(t);
	training_free(t);
	CHECK_INT(memcmp(&whole, &parts, sizeof(whole)), 0);
	free(file);
	folder_remove(&f);
}

/* --- checkpoints that are refused --- */

static void check_refused(const char *file, const char *identity, const char *message)
{
	struct train_plan plan = toy_plan(file);
	struct training *t = NULL;
	struct weir_error e;

	plan.identity = identity;
	CHECK_INT(training_new(&t, &plan, &e), -1);
	CHECK_CONTAINS(e.text, file);
	CHECK_CONTAINS(e.text, message);
}

TEST(test_checkpoint_of_another_training_or_damaged_is_refused_by_name)
{
	struct folder f = folder_make();
	char *file = file_of(&f), *bytes;
	struct train_plan plan = toy_plan(file);
	struct training *t;
	size_t length;

	open_it(&t, &plan);
	finish(t);
	training_free(t);
	check_refused(file, "toy of another kind", "is of another training: 'toy'");

	bytes = folder_read(&f, "checkpoint", &length);
	for (size_t at = 0; at < length; at += length / 40) {
		bytes[at] ^= 0x10;
		folder_write(&f, "checkpoint", bytes, length);
		check_refused(file, "toy", "is ");
		bytes[at] ^= 0x10;
	}
	for (size_t left = 0; left < length; left += length / 9) {
		folder_write(&f, "checkpoint", bytes, left);
		check_refused(file, "toy", "is ");
	}
	folder_write(&f, "checkpoint", bytes, length);
	open_it(&t, &plan);
	CHECK_INT(training_is_done(t), 1);
	training_free(t);
	free(bytes);
	free(file);
	folder_remove(&f);
}
