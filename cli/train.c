/* SPDX-License-Identifier: BSD-3-Clause */
/* train.c -- weir train NAME: learns a network on simulated episodes and writes it as a model.
 *
 * The model goes to FILE, the curve to FILE.csv and FILE.html. While it goes on, and until it is
 * done, FILE.checkpoint holds all that is needed to go on from there. */
#define _POSIX_C_SOURCE 200809L
#include "cli/train.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "base/file_digest.h"
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

/* --- what is asked for --- */

static int set_option(struct train_request *q, const char *assignment, struct weir_error *e)
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

static int read_settings(const struct arguments *a, struct train_request *q, struct weir_error *e)
{
	weir_options_default(q->params, q->trainer->scheme.options);
	for (size_t i = 0; i < a->count; i++) {
		const struct argument *at = &a->all[i];
		char assignment[WEIR_OPT_TEXT_SIZE];

		if (!at->option)
			continue;
		if (strcmp(at->option->name, "--set") == 0 && set_option(q, at->value, e))
			return -1;
		if (strcmp(at->option->name, "--preset") == 0) {
			snprintf(assignment, sizeof(assignment), "preset=%.200s", at->value);
			if (set_option(q, assignment, e))
				return -1;
		}
	}
	return 0;
}

/* The whole of a file, as a text. */
static char *read_file(const char *file, struct weir_error *e)
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

static int read_scenarios(const struct arguments *a, struct train_request *q, struct weir_error *e)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct argument *at = &a->all[i];
		uint32_t n = q->scenario_count;

		if (!at->option || strcmp(at->option->name, "--scenario") != 0)
			continue;
		q->files = memory_grow(q->files, n + UINT64_C(1), sizeof(*q->files));
		q->texts = memory_grow(q->texts, n + UINT64_C(1), sizeof(*q->texts));
		q->files[n] = at->value;
		q->texts[n] = read_file(at->value, e);
		if (!q->texts[n])
			return -1;
		q->scenario_count++;
	}
	return 0;
}

static int read_numbers(const struct arguments *a, struct train_request *q, struct weir_error *e)
{
	q->steps = q->trainer->steps_default;
	q->threads = world_size() > 1 ? 1 : core_count();
	for (const struct weir_option *o = request_options; o->name; o++) {
		const char *text = arguments_option(a, o->name);

		if (!text)
			text = o->def;
		if (text && weir_option_parse(q, o, text, e))
			return -1;
	}
	return 0;
}

/* What to type for the same model, without what is the default anyway: -o and a name are the
 * user's. */
static char *command_of(const struct train_request *q)
{
	const struct weir_option *settings = q->trainer->scheme.options;
	char value[WEIR_OPT_TEXT_SIZE + 64], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		memory_refused(BUFSIZ);
	fprintf(f, "weir train %s", q->trainer->scheme.name);
	for (const struct weir_option *o = settings; o && o->name; o++)
		if (!weir_option_is_default(o, q->params))
			fprintf(f, " --set '%s=%s'", o->name,
				weir_option_format(value, sizeof(value), o, q->params));
	for (uint32_t i = 0; i < q->scenario_count; i++)
		fprintf(f, " --scenario %s", q->files[i]);
	fprintf(f,
		" --steps %" PRIu64 " --seed %" PRIu64 " --episodes %" PRIu64 " --judge %" PRIu64
		" --judge-every %" PRIu64,
		q->steps, q->seed, q->episodes, q->judge, q->judge_every);
	if (fclose(f))
		memory_refused(size);
	return text;
}

/* All that decides what comes out, in one line. */
static void identify(struct train_request *q)
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

static int read_request(const struct arguments *a, struct train_request *q, struct weir_error *e)
{
	q->trainer = trainer_find(arguments_word(a, 0), e);
	if (!q->trainer)
		return -1;
	if (read_numbers(a, q, e) || read_settings(a, q, e) || read_scenarios(a, q, e))
		return -1;
	identify(q);
	if (q->show)
		return 0;
	q->out = arguments_option(a, "-o");
	if (!q->out || !*q->out)
		return weir_error_set(e, "where does the model go? weir train %s -o FILE.model",
				      q->trainer->scheme.name);
	q->quiet = arguments_option(a, "--quiet") != NULL || world_rank() > 0;
	text_print(&q->checkpoint, "%s.checkpoint", q->out);
	text_print(&q->csv, "%s.csv", q->out);
	text_print(&q->page, "%s.html", q->out);
	if (world_rank() > 0) /* the first one writes */
		return 0;
	return output_probe(q->out, e) || output_probe(q->checkpoint, e) ||
			       output_probe(q->csv, e) || output_probe(q->page, e)
		       ? -1
		       : 0;
}

static void request_free(struct train_request *q)
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

struct display {
	int terminal, on_screen;
	int64_t begin_ns, shown_ns;
	uint64_t begin_steps;
};

/* "episode 320, 64,000 of 400,000 steps, 512 steps/s: reward 0.81, use 0.92, queue 40.1 KB, ..." */
static void show_line(const struct display *s, const struct training *t)
{
	const struct train_plan *plan = training_plan(t);
	const struct train_point *p = training_point(t, training_points(t) - 1);
	double seconds = (double)(clock_ns() - s->begin_ns) / WEIR_NS_PER_S;
	double rate = (double)(p->steps - s->begin_steps) / (seconds > 0 ? seconds : 1);
	struct weir_learn_model model;
	struct train_best best = training_best(t, &model);

	fprintf(stderr, "episode %" PRIu64 ", %s of %s steps, %s/s, %s left:", p->episodes,
		human_count((double)p->steps).text, human_count((double)plan->input.steps).text,
		human_count(floor(rate)).text,
		p->steps < plan->input.steps
			? human_duration((double)(plan->input.steps - p->steps) / rate).text
			: "nothing");
	for (const struct train_figure *f = plan->trainer->figures; f->name; f++)
		fprintf(stderr, " %s %s", f->name,
			human_quantity(p->figures[f - plan->trainer->figures], f->unit).text);
	if (best.steps)
		fprintf(stderr, "; best %.4f", best.score);
}

static void show(void *context, const struct training *t)
{
	struct display *s = context;
	int64_t now_ns = clock_ns();

	if (now_ns - s->shown_ns < (s->terminal ? SCREEN_NS : PLAIN_NS) && !training_is_done(t))
		return;
	s->shown_ns = now_ns;
	fputs(s->terminal ? "\r" : "weir: ", stderr);
	show_line(s, t);
	fputs(s->terminal ? "\033[K" : "\n", stderr);
	s->on_screen = s->terminal;
}

/* --- the model --- */

static int write_model(const struct train_request *q, const struct training *t,
		       struct weir_error *e)
{
	enum { TEXTS = 12 };
	struct weir_learn_text texts[TEXTS];
	struct weir_learn_model model;
	char seed[32], digest[17];
	char *command = command_of(q);
	uint64_t sum = 0;
	uint8_t *bytes;
	size_t size;
	struct output o;
	int failed;

	training_best(t, &model);
	memcpy(texts, model.texts, model.text_count * sizeof(*texts));
	for (const char *c = q->identity; *c; c++)
		sum = weir_hash64(sum, (unsigned char)*c);
	snprintf(digest, sizeof(digest), "%016" PRIx64, sum);
	snprintf(seed, sizeof(seed), "%" PRIu64, q->seed);
	texts[model.text_count++] =
		(struct weir_learn_text){ WEIR_LEARN_SCHEME, q->trainer->scheme.name };
	texts[model.text_count++] = (struct weir_learn_text){ WEIR_LEARN_COMMAND, command };
	texts[model.text_count++] = (struct weir_learn_text){ WEIR_LEARN_SEED, seed };
	texts[model.text_count++] =
		(struct weir_learn_text){ WEIR_LEARN_VERSION, version_of_training().text };
	texts[model.text_count++] = (struct weir_learn_text){ WEIR_LEARN_DIGEST, digest };
	model.texts = texts;
	size = weir_learn_model_size(&model);
	bytes = memory_new(1, size);
	failed = weir_learn_model_encode(&model, bytes, e) || output_open(&o, q->out, e);
	if (!failed) {
		fwrite(bytes, 1, size, o.stream);
		failed = output_finish(&o, e) || output_publish(&o, e);
	}
	memory_free(bytes, 1, size);
	free(command);
	return failed ? -1 : 0;
}

static int write_with(const char *file,
		      void (*write)(FILE *f, const struct train_request *q,
				    const struct training *t),
		      const struct train_request *q, const struct training *t, struct weir_error *e)
{
	struct output o;

	if (output_open(&o, file, e))
		return -1;
	write(o.stream, q, t);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

/* The model last: where it is, everything is. */
static int write_all(const struct train_request *q, const struct training *t, struct weir_error *e)
{
	return write_with(q->csv, train_csv, q, t, e) || write_with(q->page, train_page, q, t, e) ||
			       write_model(q, t, e)
		       ? -1
		       : 0;
}

/* --- the command --- */

/* For all processes together: the first says what is wrong, or, where it finds nothing wrong, those
 * that do. */
static int complain_together(enum exit_status status, struct weir_error *e)
{
	int first_speaks = e->text[0] != '\0';

	world_broadcast(&first_speaks, sizeof(first_speaks), 0);
	if (world_rank() > 0 && (first_speaks || !e->text[0]))
		return (int)status;
	if (world_rank() > 0)
		weir_error_prefix(e, "rank %d on %.100s: ", world_rank(), world_place().name);
	return complain(status, e);
}

static int finish(const struct train_request *q, const struct training *t)
{
	struct weir_learn_model model;
	struct train_best best = training_best(t, &model);
	struct weir_error e;

	if (world_rank() > 0)
		return EXIT_FINE;
	if (write_all(q, t, &e))
		return complain(EXIT_WORLD, &e);
	if (!q->quiet)
		printf("%s: score %.4f after %s of %s steps; curve in %s\n", q->out, best.score,
		       human_count((double)best.steps).text, human_count((double)q->steps).text,
		       q->page);
	return EXIT_FINE;
}

static int train(const struct train_request *q, struct training *t, struct interrupt *interrupt)
{
	struct display display = { .terminal = isatty(STDERR_FILENO), .begin_ns = clock_ns() };
	struct train_watch watch = { &interrupt->stop, q->quiet ? NULL : show, &display };
	struct weir_error e = { "" };
	enum train_ended ended;
	int status;

	display.shown_ns = display.begin_ns;
	if (training_points(t))
		display.begin_steps = training_point(t, training_points(t) - 1)->steps;
	if (training_is_done(t) && !q->quiet)
		printf("%s: training is done, nothing is left to learn\n", q->out);
	else if (training_found(t) && !q->quiet)
		fprintf(stderr, "weir: goes on from episode %" PRIu64 " of %s\n", training_found(t),
			q->checkpoint);
	ended = training_run(t, &watch, &e);
	if (display.on_screen)
		fputs("\r\033[K", stderr);
	if (ended == TRAIN_FAILED)
		status = complain_together(EXIT_WORLD, &e);
	else if (ended == TRAIN_DONE)
		status = finish(q, t);
	else
		status = EXIT_INTERRUPTED;
	if (ended == TRAIN_STOPPED && !q->quiet)
		fprintf(stderr, "weir: interrupted; the same command goes on from %s\n",
			q->checkpoint);
	return status;
}

static int show_scenario(const struct train_request *q, const struct training *t)
{
	char *text = training_judge_scenario(t, q->show - 1);

	if (world_rank() == 0)
		fputs(text, stdout);
	free(text);
	return EXIT_FINE;
}

int command_train(const struct arguments *a)
{
	struct train_request q = { .trainer = NULL };
	struct train_plan plan;
	struct training *t = NULL;
	struct interrupt interrupt;
	struct weir_error e = { "" };
	int status, failed = read_request(a, &q, &e);

	if (!world_all(!failed)) {
		request_free(&q);
		return complain_together(EXIT_MISTAKE, &e);
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
		status = complain_together(EXIT_MISTAKE, &e);
	else
		status = q.show ? show_scenario(&q, t) : train(&q, t, &interrupt);
	interrupt_stop(&interrupt);
	training_free(t);
	request_free(&q);
	return status;
}
