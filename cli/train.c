/* SPDX-License-Identifier: BSD-3-Clause */
/* train.c -- weir train NAME: trains a neural network on simulated episodes.
 *
 * Writes the model to FILE, the learning curve to FILE.csv and FILE.html. FILE.checkpoint holds
 * the complete state during training, from which the same command resumes. */
#define _POSIX_C_SOURCE 200809L
#include "cli/train.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "base/clock.h"
#include "base/output.h"
#include "base/text.h"
#include "base/version.h"
#include "sim/parallel/mpi_world.h"
#include "base/input.h"
#include "base/memory.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option train_arguments[] = {
	{ "-o", "FILE",
	  "output file of the model; FILE.csv, FILE.html and FILE.checkpoint go beside it",
	  OFFER_FILE },
	{ "--scenario", "FILE",
	  "training scenario; may be given several times; the trainer generates its own unless "
	  "given",
	  OFFER_FILE },
	{ "--steps", "N", "total number of training steps", OFFER_NOTHING },
	{ "--seed", "N", "seed of all random numbers; 1 unless given", OFFER_NOTHING },
	{ "--threads", "N",
	  "parallel episodes (rollouts); the model does not depend on it; one per core unless "
	  "given",
	  OFFER_NOTHING },
	{ "--preset", "NAME", "short for --set preset=NAME", OFFER_NOTHING },
	{ "--set", "KEY=VALUE",
	  "an option of the trainer ('weir help NAME'); may be given "
	  "several times",
	  OFFER_NOTHING },
	{ "--episodes", "N", "rollout episodes per round, with a fixed policy; 16 unless given",
	  OFFER_NOTHING },
	{ "--judge", "N", "evaluation episodes, the same for every seed; 24 unless given",
	  OFFER_NOTHING },
	{ "--judge-every", "N", "rounds between evaluations; 8 unless given", OFFER_NOTHING },
	{ "--show", "N",
	  "trains nothing; prints the scenario of the N-th evaluation episode, from 1",
	  OFFER_NOTHING },
	OPTION_QUIET,
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

static const char train_more[] =
	"If interrupted or killed, the same command resumes from the last checkpoint, and\n"
	"gives the same model. 'weir list trainer' lists the trainers, 'weir help NAME'\n"
	"their options.\n";

enum { TRAIN_THREADS_MAX = 256, SCENARIOS_MAX = 1024 };

#define SCREEN_NS (WEIR_NS_PER_S / 5)
#define PLAIN_NS ((int64_t)WEIR_NS_PER_S * 30)
#define CHECKPOINT_SECONDS 60.0

static const struct weir_option request_options[] = {
	{ "--steps", WEIR_OPT_COUNT, offsetof(struct train_request, steps), NULL, 1, UINT64_MAX, "",
	  NULL },
	{ "--seed", WEIR_OPT_COUNT, offsetof(struct train_request, seed), "1", 0, UINT64_MAX, "",
	  NULL },
	{ "--threads", WEIR_OPT_COUNT, offsetof(struct train_request, threads), NULL, 1,
	  TRAIN_THREADS_MAX, "", NULL },
	{ "--episodes", WEIR_OPT_COUNT, offsetof(struct train_request, episodes), "16", 1, 4096, "",
	  NULL },
	{ "--judge", WEIR_OPT_COUNT, offsetof(struct train_request, judge), "24", 1, 4096, "",
	  NULL },
	{ "--judge-every", WEIR_OPT_COUNT, offsetof(struct train_request, judge_every), "8", 1,
	  1000000, "", NULL },
	{ "--show", WEIR_OPT_COUNT, offsetof(struct train_request, show), NULL, 1, UINT32_MAX, "",
	  NULL },
	{ .name = NULL },
};

/* --- the request --- */

static int train_set_option(struct train_request *q, const char *assignment, struct weir_error *e)
{
	const struct weir_option *table = q->trainer->scheme.options, *o;
	const char *equals = strchr(assignment, '=');
	char name[64];

	if (!equals || (size_t)(equals - assignment) >= sizeof(name))
		return weir_error_set(e, "--set %s: write KEY=VALUE", weir_quote(assignment).text);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - assignment), assignment);
	o = weir_option_find(table, name);
	if (!o)
		return weir_option_unknown(q->trainer->scheme.name, name, table, e);
	return weir_option_parse(q->params, o, equals + 1, e);
}

static int train_read_settings(const struct arguments *a, struct train_request *q,
			       struct weir_error *e)
{
	weir_options_default(q->params, q->trainer->scheme.options);
	for (size_t i = 0; i < a->count; i++) {
		const struct argument *at = &a->all[i];
		char assignment[WEIR_OPT_TEXT_SIZE];

		if (!at->option)
			continue;
		if (strcmp(at->option->name, "--set") == 0 && train_set_option(q, at->value, e))
			return -1;
		if (strcmp(at->option->name, "--preset") == 0) {
			snprintf(assignment, sizeof(assignment), "preset=%.200s", at->value);
			if (train_set_option(q, assignment, e))
				return -1;
		}
	}
	return 0;
}

/* Reads a whole file as a text. */
static char *train_read_file(const char *file, struct weir_error *e)
{
	const char *why;
	FILE *f = input_open(file, &why);
	size_t length = 0, room = 0, got;
	char *text = NULL;

	if (!f) {
		weir_error_set(e, "%.200s: cannot be read: %s", file, why);
		return NULL;
	}
	do {
		room += room + BUFSIZ;
		text = memory_grow(text, room + 1, 1);
		got = fread(text + length, 1, room - length, f);
		length += got;
	} while (length == room);
	text[length] = '\0';
	fclose(f);
	if (strlen(text) == length)
		return text;
	free(text);
	weir_error_set(e, "%.200s: holds a byte that is zero", file);
	return NULL;
}

static int train_read_scenarios(const struct arguments *a, struct train_request *q,
				struct weir_error *e)
{
	const char *file;

	for (size_t at = 0; (file = arguments_next(a, "--scenario", &at));) {
		uint32_t n = q->scenario_count;

		q->files = memory_grow(q->files, n + UINT64_C(1), sizeof(*q->files));
		q->texts = memory_grow(q->texts, n + UINT64_C(1), sizeof(*q->texts));
		q->files[n] = file;
		q->texts[n] = train_read_file(file, e);
		if (!q->texts[n])
			return -1;
		q->scenario_count++;
	}
	return 0;
}

static int train_read_numbers(const struct arguments *a, struct train_request *q,
			      struct weir_error *e)
{
	q->steps = q->trainer->steps_default;
	q->threads = world_size() > 1 ? 1 : cpu_count();
	for (const struct weir_option *o = request_options; o->name; o++) {
		const char *text = arguments_option(a, o->name);

		if (!text)
			text = o->def;
		if (text && weir_option_parse(q, o, text, e))
			return -1;
	}
	return 0;
}

/* Everything that determines the model, in one line: a checkpoint with another identity is
 * refused. */
static void train_identify(struct train_request *q)
{
	char spec[2048];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < q->scenario_count; i++)
		for (const char *c = q->texts[i]; *c; c++)
			sum = weir_hash64(sum, (unsigned char)*c);
	weir_spec_format(spec, sizeof(spec), q->trainer->scheme.name, q->trainer->scheme.options,
			 q->params);
	text_print(&q->identity,
		   "%s --steps %" PRIu64 " --seed %" PRIu64 " --episodes %" PRIu64
		   " --judge %" PRIu64 " --judge-every %" PRIu64 ", %" PRIu32
		   " scenarios %016" PRIx64,
		   spec, q->steps, q->seed, q->episodes, q->judge, q->judge_every,
		   q->scenario_count, sum);
}

static int train_read_request(const struct arguments *a, struct train_request *q,
			      struct weir_error *e)
{
	q->trainer = trainer_find(arguments_word(a, 0), e);
	if (!q->trainer)
		return -1;
	if (train_read_numbers(a, q, e) || train_read_settings(a, q, e) ||
	    train_read_scenarios(a, q, e))
		return -1;
	train_identify(q);
	if (q->show)
		return 0;
	q->out = arguments_option(a, "-o");
	if (!q->out || !*q->out)
		return weir_error_set(e,
				      "train: -o is missing; write weir train %s -o "
				      "FILE.model",
				      q->trainer->scheme.name);
	q->quiet = arguments_option(a, "--quiet") != NULL || world_rank() > 0;
	text_print(&q->checkpoint, "%s.checkpoint", q->out);
	text_print(&q->csv, "%s.csv", q->out);
	text_print(&q->page, "%s.html", q->out);
	if (world_rank() > 0) /* only rank 0 writes */
		return 0;
	return output_probe(q->out, e) || output_probe(q->checkpoint, e) ||
			       output_probe(q->csv, e) || output_probe(q->page, e)
		       ? -1
		       : 0;
}

static void train_request_free(struct train_request *q)
{
	for (uint32_t i = 0; i < q->scenario_count; i++)
		free(q->texts[i]);
	free(q->files);
	free(q->texts);
	free(q->checkpoint);
	free(q->csv);
	free(q->page);
	free(q->identity);
}

/* --- progress --- */

struct train_display {
	int terminal, on_screen;
	int64_t begin_ns, shown_ns;
	uint64_t begin_steps;
};

/* "episode 320, 64,000 of 400,000 steps, 512 steps/s: reward 0.81, use 0.92, queue 40.1 KB, ..." */
static void train_show_line(const struct train_display *s, const struct training *t)
{
	const struct train_plan *plan = training_plan(t);
	const struct train_point *p = training_point(t, training_points(t) - 1);
	double seconds = (double)(clock_ns() - s->begin_ns) / WEIR_NS_PER_S;
	double rate = (double)(p->steps - s->begin_steps) / (seconds > 0 ? seconds : 1);
	struct weir_learn_model model;
	struct train_best best = training_best(t, &model);

	fprintf(stderr, "episode %" PRIu64 ", %s of %s steps, %s/s, %s left:", p->episodes,
		format_count((double)p->steps).text, format_count((double)plan->input.steps).text,
		format_count(floor(rate)).text,
		p->steps < plan->input.steps
			? format_duration((double)(plan->input.steps - p->steps) / rate).text
			: "nothing");
	for (const struct train_figure *f = plan->trainer->figures; f->name; f++)
		fprintf(stderr, " %s %s", f->name,
			format_quantity(p->figures[f - plan->trainer->figures], f->unit).text);
	if (best.steps)
		fprintf(stderr, "; best %.4f", best.score);
}

static void train_show(void *context, const struct training *t)
{
	struct train_display *s = context;
	int64_t now_ns = clock_ns();

	if (now_ns - s->shown_ns < (s->terminal ? SCREEN_NS : PLAIN_NS) && !training_is_done(t))
		return;
	s->shown_ns = now_ns;
	fputs(s->terminal ? "\r" : "weir: ", stderr);
	train_show_line(s, t);
	fputs(s->terminal ? "\033[K" : "\n", stderr);
	s->on_screen = s->terminal;
}

/* --- the command --- */

/* Collective over all ranks: rank 0 reports an error, or the ranks that have one if rank 0 has
 * none. */
static int train_error_together(enum exit_status status, struct weir_error *e)
{
	int first_speaks = e->text[0] != '\0';

	world_broadcast(&first_speaks, sizeof(first_speaks), 0);
	if (world_rank() > 0 && (first_speaks || !e->text[0]))
		return (int)status;
	if (world_rank() > 0)
		weir_error_prefix(e, "rank %d on %.100s: ", world_rank(), world_place().name);
	return cli_error(status, e);
}

static int train_finish(const struct train_request *q, const struct training *t)
{
	struct weir_learn_model model;
	struct train_best best = training_best(t, &model);
	struct weir_error e;

	if (world_rank() > 0)
		return EXIT_FINE;
	if (train_write_all(q, t, &e))
		return cli_error(EXIT_WORLD, &e);
	if (!q->quiet)
		printf("%s: score %.4f after %s of %s steps; curve in %s\n", q->out, best.score,
		       format_count((double)best.steps).text, format_count((double)q->steps).text,
		       q->page);
	return EXIT_FINE;
}

static int train_run(const struct train_request *q, struct training *t, struct interrupt *interrupt)
{
	struct train_display display = { .terminal = isatty(STDERR_FILENO),
					 .begin_ns = clock_ns() };
	struct train_watch watch = { &interrupt->stop, q->quiet ? NULL : train_show, &display };
	struct weir_error e = { "" };
	enum train_ended ended;
	int status;

	display.shown_ns = display.begin_ns;
	if (training_points(t))
		display.begin_steps = training_point(t, training_points(t) - 1)->steps;
	if (training_is_done(t) && !q->quiet)
		printf("%s: training is done, nothing is left to learn\n", q->out);
	else if (training_found(t) && !q->quiet)
		fprintf(stderr, "weir: resumes from episode %" PRIu64 " of %s\n", training_found(t),
			q->checkpoint);
	ended = training_run(t, &watch, &e);
	if (display.on_screen)
		fputs("\r\033[K", stderr);
	if (ended == TRAIN_FAILED)
		status = train_error_together(EXIT_WORLD, &e);
	else if (ended == TRAIN_DONE)
		status = train_finish(q, t);
	else
		status = EXIT_INTERRUPTED;
	if (ended == TRAIN_STOPPED && !q->quiet)
		fprintf(stderr, "weir: interrupted; the same command resumes from %s\n",
			q->checkpoint);
	return status;
}

static int train_show_scenario(const struct train_request *q, const struct training *t)
{
	char *text = training_judge_scenario(t, q->show - 1);

	if (world_rank() == 0)
		fputs(text, stdout);
	free(text);
	return EXIT_FINE;
}

static int train_main(const struct arguments *a)
{
	struct train_request q = { .trainer = NULL };
	struct train_plan plan;
	struct training *t = NULL;
	struct interrupt interrupt;
	struct weir_error e = { "" };
	int status, failed = train_read_request(a, &q, &e);

	if (!world_all(!failed)) {
		train_request_free(&q);
		return train_error_together(EXIT_MISTAKE, &e);
	}
	plan = (struct train_plan){
		.trainer = q.trainer,
		.params = q.params,
		.input = { q.seed, q.steps, q.scenario_count, (const char *const *)q.texts,
			   q.files },
		.round_episodes = q.episodes,
		.judge_episodes = q.judge,
		.judge_rounds = q.judge_every,
		.threads = (uint32_t)q.threads,
		.identity = q.identity,
		.file = q.checkpoint,
		.checkpoint_seconds = CHECKPOINT_SECONDS,
	};
	/* Training starts threads, and a thread inherits the signal mask of the one that starts it:
	 * SIGINT must be blocked before the first, or Ctrl-C reaches a worker and kills the
	 * process. */
	interrupt_start(&interrupt);
	if (training_new(&t, &plan, &e))
		status = train_error_together(EXIT_MISTAKE, &e);
	else
		status = q.show ? train_show_scenario(&q, t) : train_run(&q, t, &interrupt);
	interrupt_stop(&interrupt);
	training_free(t);
	train_request_free(&q);
	return status;
}

const struct command command_train = {
	.name = "train",
	.usage = "NAME",
	.help = "trains a neural network on simulated episodes, and writes it as a model",
	.options = train_arguments,
	.words_min = 1,
	.words_max = 1,
	.run = train_main,
	.world = COMMAND_TOGETHER,
	.more = train_more,
	.offer = OFFER_TRAINER,
};
