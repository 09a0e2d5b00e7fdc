/* SPDX-License-Identifier: BSD-3-Clause */
/* run_sweep.c -- runs that go into a result folder: executes missing ones
 * (lab/campaign/campaign.h), shows progress, and prints the table and the answer. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"
#include "base/clock.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "lab/analysis/compare.h"
#include "lab/campaign/campaign.h"
#include "lab/campaign/running.h"
#include "sim/parallel/mpi_world.h"
#include "weir/units.h"
#include "lab/campaign/executor.h"
#include "lab/store/results.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* --- progress --- */

#define SCREEN_NS (WEIR_NS_PER_S / 5)          /* progress interval on a terminal */
#define PLAIN_NS ((int64_t)WEIR_NS_PER_S * 30) /* progress interval in a log */

enum { LINE_SIZE = 1024, LABEL_SIZE = 48 };

/* Progress display: a line that is rewritten on a terminal, a new line from time to time in a
 * log. */
struct sweep_progress {
	int silent, terminal;
	uint64_t todo;          /* runs to execute */
	uint64_t total, before; /* runs of the sweep, and runs stored before */
	uint64_t ended, done;   /* of todo; done: succeeded */
	int64_t begin_ns, shown_ns;
	int on_screen; /* a progress line is on the terminal */
};

static double progress_seconds(const struct sweep_progress *p)
{
	return (double)(clock_ns() - p->begin_ns) / WEIR_NS_PER_S;
}

static void progress_begin(struct sweep_progress *p, uint64_t todo, uint64_t total, int silent)
{
	memset(p, 0, sizeof(*p));
	p->todo = todo;
	p->total = total;
	p->before = total - todo;
	p->silent = silent;
	p->terminal = isatty(STDERR_FILENO);
	p->begin_ns = p->shown_ns = clock_ns();
	if (!silent && !p->terminal && todo > 0)
		fprintf(stderr, "weir: %" PRIu64 " run%s to do, %" PRIu64 " already stored\n", todo,
			todo == 1 ? "" : "s", p->before);
}

static void progress_clear(struct sweep_progress *p)
{
	if (p->on_screen)
		fputs("\r\033[K", stderr);
	p->on_screen = 0;
}

/* "12 of 90 runs" and, once it can be estimated, "3 min 10 s left". */
static void progress_write_summary(const struct sweep_progress *p,
				   const struct running_task *running, uint32_t count, char *counts,
				   char *clock)
{
	double gone = progress_seconds(p), share = (double)p->ended;

	for (uint32_t i = 0; i < count; i++)
		share += running[i].share;
	share /= (double)p->todo;
	snprintf(counts, LINE_SIZE, "%" PRIu64 " of %" PRIu64 " runs", p->before + p->done,
		 p->total);
	if (!isnan(running_seconds_left(gone, share)))
		snprintf(clock, LINE_SIZE, "%s, about %s left", format_duration(gone).text,
			 format_duration(running_seconds_left(gone, share)).text);
	else
		snprintf(clock, LINE_SIZE, "%s", format_duration(gone).text);
}

/* The active runs, as many as fit into `room` characters. */
static void progress_write_running(const struct sweep *w, const struct running_task *running,
				   uint32_t count, char *text, int room)
{
	char label[LABEL_SIZE], one[LABEL_SIZE + 32];
	int used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		int length;

		sweep_label(w, running[i].task, label, sizeof(label));
		length = snprintf(one, sizeof(one), "; %s%s%.0f %%", label, label[0] ? " " : "",
				  100 * running[i].share);
		if (used + length > room)
			break;
		memcpy(text + used, one, (size_t)length + 1);
		used += length;
	}
}

static void progress_show(struct sweep_progress *p, const struct sweep *w,
			  const struct running_task *running, uint32_t count)
{
	char counts[LINE_SIZE], clock[LINE_SIZE], middle[LINE_SIZE];
	int64_t now_ns = clock_ns();
	int room;

	if (p->silent || now_ns - p->shown_ns < (p->terminal ? SCREEN_NS : PLAIN_NS))
		return;
	p->shown_ns = now_ns;
	progress_write_summary(p, running, count, counts, clock);
	if (!p->terminal) {
		fprintf(stderr, "weir: %s; %s\n", counts, clock);
		return;
	}
	room = cli_line_width(stderr) - (int)strlen(counts) - (int)strlen(clock) - 3;
	progress_write_running(w, running, count, middle,
			       room < LINE_SIZE - 1 ? room : LINE_SIZE - 1);
	fprintf(stderr, "\r%s%s; %s\033[K", counts, middle, clock);
	p->on_screen = 1;
}

/* --- the runs --- */

/* A sweep in progress, as displayed. */
struct sweep_run {
	const struct sweep_request *q;
	struct campaign campaign;
	char folder[FOLDER_SIZE];
	struct sweep_progress progress;
	uint64_t failed;
	int interrupted, bug;
	int refused; /* result of the request's watch */
	struct weir_error refusal;
};

/* --- callbacks --- */

static void run_sweep_watch(struct sweep_run *v, uint64_t run)
{
	const struct sweep_watch *w = v->q->watch;

	if (w && !v->refused)
		v->refused = w->see(w->context, run, v->campaign.keys[run], &v->refusal);
}

/* Calls the watch for runs stored before; missing runs are in order. */
static void run_sweep_watch_done(struct sweep_run *v)
{
	const struct campaign *c = &v->campaign;
	uint64_t missing = 0;

	for (uint64_t i = 0; i < c->sweep->run_count; i++) {
		if (missing < c->missing_count && c->missing[missing] == i)
			missing++;
		else
			run_sweep_watch(v, i);
	}
}

static void run_sweep_task_ended(void *context, const struct task_result *r)
{
	struct sweep_run *v = context;
	const struct sweep *sweep = v->campaign.sweep;
	struct weir_error message = r->error;
	char label[256];

	if (r->end == TASK_STOPPED)
		return;
	v->progress.ended++;
	if (r->end == TASK_DONE || r->end == TASK_SKIPPED) {
		v->progress.done++;
		run_sweep_watch(v, r->task);
		return;
	}
	v->failed++;
	v->bug |= r->end == TASK_BUG;
	if (r->end == TASK_BUG)
		weir_error_prefix(
			&message,
			"packet or byte conservation is violated, which is a bug of Weir; there "
			"is no result: ");
	if (sweep->axis_count > 0)
		weir_error_prefix(&message, "run %" PRIu64 " (%s): ", r->task + 1,
				  sweep_label(sweep, r->task, label, sizeof(label)));
	progress_clear(&v->progress);
	cli_error(EXIT_WORLD, &message);
}

static int run_sweep_tick(void *context, const struct running_task *running, uint32_t count)
{
	struct sweep_run *v = context;

	v->interrupted |= signals_arrived(SIGNALS_INT);
	progress_show(&v->progress, v->campaign.sweep, running, count);
	return v->interrupted || v->refused;
}

/* --- results --- */

static int run_sweep_print_table(const struct sweep_run *v, struct weir_error *e)
{
	const struct compare_request request = { .scope = STORE_PLANNED,
						 .by = &v->q->by,
						 .by_count = v->q->by != NULL,
						 .sort = v->q->sort,
						 .same = ROWS_JOINED };
	const struct compare_layout layout = { .width = cli_line_width(stdout) };
	struct comparison comparison;
	struct store *store;
	int failed;

	if (store_open(&store, v->folder, STORE_READ, e))
		return -1;
	failed = comparison_make(&comparison, store, &request, e);
	if (!failed) {
		if (comparison.runs.runs[0].title[0]) {
			comparison_print_line(stdout, layout.width, comparison.runs.runs[0].title);
			putchar('\n');
		}
		comparison_print(stdout, &comparison, &layout);
		failed = folder_print_answer(&comparison, store, NULL, e);
		comparison_free(&comparison);
	}
	store_close(store);
	if (failed == -1)
		weir_error_prefix(e, "%.200s: ", v->folder);
	return failed ? -1 : 0;
}

static uint64_t run_sweep_runs_done(const struct sweep_run *v)
{
	return v->campaign.own_count - v->campaign.missing_count + v->progress.done;
}

static int run_sweep_finish(struct sweep_run *v)
{
	struct weir_error e;
	int none = run_sweep_runs_done(v) == 0;
	char line[FOLDER_SIZE + 128];

	progress_clear(&v->progress);
	if (v->interrupted) {
		fprintf(stderr,
			"weir: interrupted; %" PRIu64 " of %" PRIu64 " runs are stored in %s; "
			"the same command continues\n",
			run_sweep_runs_done(v), v->campaign.own_count, v->folder);
		return EXIT_INTERRUPTED;
	}
	if (v->refused) {
		cli_error(v->refused < 0 ? EXIT_WORLD : EXIT_MISTAKE, &v->refusal);
		fprintf(stderr, "weir: completed runs are stored in %s\n", v->folder);
		return v->refused < 0 ? EXIT_WORLD : EXIT_MISTAKE;
	}
	if (!v->q->quiet && !v->q->no_table && !none) {
		if (run_sweep_print_table(v, &e))
			return cli_error(EXIT_WORLD, &e);
		snprintf(line, sizeof(line), "%s: %" PRIu64 " run%s, %" PRIu64 " of them new in %s",
			 v->folder, run_sweep_runs_done(v), run_sweep_runs_done(v) == 1 ? "" : "s",
			 v->progress.done, format_duration(progress_seconds(&v->progress)).text);
		comparison_print_line(stdout, cli_line_width(stdout), line);
	}
	if (v->failed) {
		fprintf(stderr,
			"weir: %" PRIu64 " of %" PRIu64 " runs failed; the same command retries "
			"them\n",
			v->failed, v->campaign.own_count);
		return v->bug ? EXIT_BUG : EXIT_WORLD;
	}
	return EXIT_FINE;
}

/* --- entry --- */

static int run_sweep_find_folder(struct sweep_run *v, struct weir_error *e)
{
	const char *out = v->q->out;

	if (!out)
		return folder_default(v->campaign.scenario->file, "", v->folder, e);
	if (snprintf(v->folder, sizeof(v->folder), "%s", out) >= (int)sizeof(v->folder))
		return weir_error_set(e, "--out: %s is too long", weir_quote(out).text);
	return 0;
}

static int run_sweep_missing(struct sweep_run *v)
{
	const struct campaign_watch watch = { v, run_sweep_task_ended, run_sweep_tick };
	struct campaign *c = &v->campaign;
	struct weir_error e;
	int failed;

	if (v->q->stage && !v->q->quiet)
		fprintf(stderr, "weir: %s\n", v->q->stage);
	run_sweep_watch_done(v);
	if (v->refused)
		return run_sweep_finish(v);
	progress_begin(&v->progress, c->missing_count, c->own_count, v->q->quiet);
	fflush(stdout); /* before fork, or every child would print the buffered output again */
	signals_block(SIGNALS_INT);
	if (v->q->exchange)
		failed = campaign_run(c, &executor_inline, 1, &watch, &e);
	else if (world_size() > 1)
		failed = campaign_run(c, &executor_mpi, 1, &watch, &e);
	else
		failed = campaign_run(c, &executor_processes, (uint32_t)v->q->jobs, &watch, &e);
	signals_unblock(SIGNALS_INT);
	if (failed)
		return cli_error(EXIT_WORLD, &e);
	return run_sweep_finish(v);
}

int run_sweep(const struct sweep_request *q, struct scenario *s, const struct sweep *w)
{
	struct sweep_run v = { .q = q };
	struct weir_error e = { "" };
	int status;

	v.campaign = (struct campaign){
		.scenario = s,
		.sweep = w,
		.folder = v.folder,
		.extent = q->again ? CAMPAIGN_AGAIN : CAMPAIGN_MISSING,
		.threads = (uint32_t)q->threads,
		.adapts = q->adapts && !q->exchange && world_size() == 1 && q->ranks <= 1,
		.ranks = q->ranks,
		.exchange = q->exchange,
		.shard = q->shard,
	};
	if (run_sweep_find_folder(&v, &e) || campaign_check(&v.campaign, &e))
		status = cli_error(EXIT_MISTAKE, &e);
	else if (campaign_find_missing(&v.campaign, &e))
		status = cli_error(EXIT_WORLD, &e);
	else
		status = run_sweep_missing(&v);
	campaign_free(&v.campaign);
	return status;
}
