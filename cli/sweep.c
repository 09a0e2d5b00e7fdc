/* sweep.c -- weir run of many: what is missing, on all cores, into the store.
 *
 * Each run is a process (lab/campaign/workers.h), which adds its own result to the store: no result passes
 * through another process, and one transaction makes it whole or nothing. */
#define _DEFAULT_SOURCE
#include "cli/sweep.h"
#include "cli/folder.h"
#include "cli/progress.h"
#include "lab/compare/compare.h"
#include "lab/campaign/workers.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct campaign {
	const struct sweep_request *q;
	struct scenario *s;
	const struct sweep *w;
	char folder[FOLDER_SIZE];
	char (*keys)[RUN_KEY_SIZE];
	uint64_t *missing, missing_count; /* runs to do */
	struct sweep_progress progress;
	atomic_int stop;
	uint64_t failed;
	int bug;
};

/* --- in the process of a run --- */

struct pulse {
	struct worker_pipe *pipe;
	int64_t told_ns;
};

static void tell_share(void *context, int64_t now_ps, int64_t end_ps)
{
	enum { TELL_NS = 100 * 1000 * 1000 };
	struct pulse *p = context;
	int64_t now_ns = clock_ns();

	if (now_ns - p->told_ns < TELL_NS)
		return;
	p->told_ns = now_ns;
	/* After the measured interval flows may still be on their way. */
	worker_share(p->pipe, end_ps <= 0       ? 0
			      : now_ps < end_ps ? (double)now_ps / (double)end_ps
						: 1);
}

/* 1: another process has done it meanwhile. */
static int is_there(const struct campaign *c, uint64_t task, struct weir_error *e)
{
	struct store *store;
	int there;

	if (c->q->again)
		return 0;
	if (store_open(&store, c->folder, STORE_ADD, e))
		return -1;
	there = store_has(store, c->keys[task], e);
	store_close(store);
	return there;
}

static enum task_end keep(const struct campaign *c, uint64_t task, const struct config *config,
			  const struct run_result *r, struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, c->folder, STORE_ADD, e))
		return TASK_UNSTORED;
	failed = store_add(store, c->keys[task], config, r, e);
	store_close(store);
	return failed ? TASK_UNSTORED : TASK_DONE;
}

static enum task_end work(void *context, uint64_t task, struct worker_pipe *p, struct weir_error *e)
{
	struct campaign *c = context;
	struct pulse pulse = { p, clock_ns() };
	const struct run_control control = { .threads = (uint32_t)c->q->threads,
					     .progress = tell_share,
					     .context = &pulse };
	int there = is_there(c, task, e), failed;
	struct run_result result;
	struct config config;

	if (there)
		return there < 0 ? TASK_UNSTORED : TASK_SKIPPED;
	if (sweep_apply(c->w, task, c->s, e) || scenario_config(c->s, &config, e))
		return TASK_FAILED;
	failed = run(&config, &control, &result, e);
	if (failed == -1) {
		scenario_locate(c->s, e);
		return TASK_FAILED;
	}
	if (failed == RUN_MISLED || failed == RUN_FAILED) /* a plug-in's fault, or the system's */
		return TASK_FAILED;
	return failed ? TASK_BUG : keep(c, task, &config, &result, e);
}

/* --- in the process that has them --- */

static int hear_end(void *context, uint64_t task, enum task_end end, const struct weir_error *e)
{
	struct campaign *c = context;
	char label[256];
	struct weir_error message = *e;

	if (end == TASK_STOPPED)
		return 1;
	progress_end(&c->progress, end == TASK_DONE || end == TASK_SKIPPED);
	if (end == TASK_DONE || end == TASK_SKIPPED)
		return 0;
	c->failed++;
	c->bug |= end == TASK_BUG;
	if (end == TASK_BUG)
		weir_error_prefix(
			&message,
			"packets or bytes do not add up, which is a bug of Weir and no result: ");
	if (c->w->axis_count > 0)
		weir_error_prefix(&message, "run %" PRIu64 " (%s): ", task + 1,
				  sweep_label(c->w, task, label, sizeof(label)));
	progress_clear(&c->progress);
	complain(EXIT_WORLD, &message);
	return end == TASK_UNSTORED;
}

/* Ctrl-C is blocked and asked for now and then, by no thread of its own: a process that has threads
 * cannot well be forked. Runs leave it to us. */
static sigset_t interrupt_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	return set;
}

static int take_interrupt(void)
{
	const struct timespec at_once = { 0, 0 };
	sigset_t set = interrupt_set();

	return sigtimedwait(&set, NULL, &at_once) == SIGINT;
}

static void hear_tick(void *context, const struct running_task *running, uint32_t count)
{
	struct campaign *c = context;

	if (take_interrupt())
		atomic_store(&c->stop, 1);
	progress_show(&c->progress, c->w, running, count);
}

/* --- before --- */

/* Is everything right that the user wrote? */
static int check(struct campaign *c, struct weir_error *e)
{
	const char *out = c->q->out;

	c->keys = calloc(c->w->run_count, sizeof(*c->keys));
	c->missing = calloc(c->w->run_count, sizeof(*c->missing));
	if (!c->keys || !c->missing)
		return weir_error_set(e, "no memory");
	if (!out && default_folder(c->s->file, c->folder, e))
		return -1;
	if (out && snprintf(c->folder, sizeof(c->folder), "%s", out) >= (int)sizeof(c->folder))
		return weir_error_set(e, "--out: %s is too long", weir_quote(out).text);
	return sweep_check(c->w, c->s, c->keys, e);
}

/* The store is good and can be written; what is missing is known. Nothing was changed but the plan. */
static int find_missing(struct campaign *c, struct weir_error *e)
{
	struct store *store;
	int failed = 0;

	if (store_open(&store, c->folder, STORE_WRITE, e))
		return -1;
	failed = store_plan(store, (const char(*)[RUN_KEY_SIZE])c->keys, c->w->run_count, e);
	for (uint64_t i = 0; i < c->w->run_count && !failed; i++) {
		int there = c->q->again ? 0 : store_has(store, c->keys[i], e);

		failed = there < 0;
		if (there == 0)
			c->missing[c->missing_count++] = i;
	}
	store_close(store); /* no process may take an open one over */
	return failed;
}

static uint32_t job_count(const struct sweep_request *q)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t jobs = q->jobs;

	if (jobs == 0)
		jobs = cores > 0 ? (uint64_t)cores / q->threads : 1;
	return jobs > 0 ? (uint32_t)jobs : 1;
}

/* --- after --- */

static int show_table(const struct campaign *c, struct weir_error *e)
{
	const struct compare_request request = { .scope = STORE_PLANNED };
	const struct compare_layout layout = { .width = line_width(stdout) };
	struct comparison comparison;
	struct store *store;
	int failed;

	if (store_open(&store, c->folder, STORE_READ, e))
		return -1;
	failed = comparison_make(&comparison, store, &request, e);
	store_close(store);
	if (failed == -1)
		weir_error_prefix(e, "%.200s: ", c->folder);
	if (failed)
		return -1;
	if (comparison.runs.runs[0].title[0])
		printf("%s\n\n", comparison.runs.runs[0].title);
	comparison_print(stdout, &comparison, &layout);
	comparison_free(&comparison);
	return 0;
}

static uint64_t runs_there(const struct campaign *c)
{
	return c->w->run_count - c->missing_count + c->progress.done;
}

static int finish(struct campaign *c, int interrupted)
{
	struct weir_error e;
	int none = runs_there(c) == 0;

	progress_clear(&c->progress);
	if (interrupted) {
		fprintf(stderr,
			"weir: interrupted; %" PRIu64 " of %" PRIu64
			" runs are kept in %s; the same "
			"command continues\n",
			runs_there(c), c->w->run_count, c->folder);
		return EXIT_INTERRUPTED;
	}
	if (!c->q->quiet && !c->q->no_table && !none) {
		if (show_table(c, &e))
			return complain(EXIT_WORLD, &e);
		printf("%s: %" PRIu64 " run%s, %" PRIu64 " of them new in %s\n", c->folder,
		       runs_there(c), runs_there(c) == 1 ? "" : "s", c->progress.done,
		       progress_time(&c->progress).text);
	}
	if (c->failed) {
		fprintf(stderr,
			"weir: %" PRIu64 " of %" PRIu64
			" runs failed; the same command tries again "
			"what is missing\n",
			c->failed, c->w->run_count);
		return c->bug ? EXIT_BUG : EXIT_WORLD;
	}
	return EXIT_FINE;
}

static int run_missing(struct campaign *c)
{
	sigset_t set = interrupt_set(), before;
	const struct workers workers = {
		.jobs = job_count(c->q),
		.count = c->missing_count,
		.tasks = c->missing,
		.stop = &c->stop,
		.context = c,
		.work = work,
		.ended = hear_end,
		.tick = hear_tick,
	};
	struct weir_error e;
	int failed;

	progress_begin(&c->progress, c->missing_count, c->w->run_count, c->q->quiet);
	fflush(stdout); /* or every process would have what is left to print */
	sigprocmask(SIG_BLOCK, &set, &before);
	failed = workers_run(&workers, &e);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return complain(EXIT_WORLD, &e);
	return finish(c, atomic_load(&c->stop));
}

int run_sweep(const struct sweep_request *q, struct scenario *s, const struct sweep *w)
{
	struct campaign c = { .q = q, .s = s, .w = w };
	struct weir_error e = { "" };
	int status;

	atomic_init(&c.stop, 0);
	if (check(&c, &e))
		status = complain(EXIT_MISTAKE, &e);
	else if (find_missing(&c, &e))
		status = complain(EXIT_WORLD, &e);
	else
		status = run_missing(&c);
	free(c.keys);
	free(c.missing);
	return status;
}
