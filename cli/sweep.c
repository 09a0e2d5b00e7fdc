/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.c -- weir run of many: has what is missing done (lab/campaign/campaign.h), says how far it
 * is and what became of it. */
#define _DEFAULT_SOURCE
#include "cli/sweep.h"
#include "cli/folder.h"
#include "cli/progress.h"
#include "lab/campaign/campaign.h"
#include "lab/analysis/compare.h"
#include "sim/parallel/mpi_world.h"
#include <inttypes.h>
#include <signal.h>
#include <time.h>

enum { JOBS_MAX = 4096 };

/* A sweep on its way, as its user sees it. */
struct show {
	const struct sweep_request *q;
	struct campaign campaign;
	char folder[FOLDER_SIZE];
	struct sweep_progress progress;
	uint64_t failed;
	int interrupted, bug;
	int refused; /* what the request's watch answered */
	struct weir_error refusal;
};

int read_jobs(const struct arguments *a, uint64_t *jobs, struct weir_error *e)
{
	static const struct weir_option option = {
		.name = "--jobs",
		.type = WEIR_OPT_COUNT,
		.def = "0",
		.min = 1,
		.max = JOBS_MAX,
		.help = "",
	};
	const char *number = arguments_option(a, option.name);

	*jobs = 0;
	if (number && world_size() > 1)
		return weir_error_set(e, "--jobs: mpirun says how many runs there are at a time");
	return number ? weir_option_parse(jobs, &option, number, e) : 0;
}

/* --- while it runs --- */

static void show_watch(struct show *v, uint64_t run)
{
	const struct sweep_watch *w = v->q->watch;

	if (w && !v->refused)
		v->refused = w->see(w->context, run, v->campaign.keys[run], &v->refusal);
}

/* Those that were there before; missing runs are in order. */
static void show_watch_done(struct show *v)
{
	const struct campaign *c = &v->campaign;
	uint64_t missing = 0;

	for (uint64_t i = 0; i < c->sweep->run_count; i++) {
		if (missing < c->missing_count && c->missing[missing] == i)
			missing++;
		else
			show_watch(v, i);
	}
}

static void hear_end(void *context, const struct task_result *r)
{
	struct show *v = context;
	const struct sweep *sweep = v->campaign.sweep;
	struct weir_error message = r->error;
	char label[256];

	if (r->end == TASK_STOPPED)
		return;
	progress_end(&v->progress, r->end == TASK_DONE || r->end == TASK_SKIPPED);
	if (r->end == TASK_DONE || r->end == TASK_SKIPPED) {
		show_watch(v, r->task);
		return;
	}
	v->failed++;
	v->bug |= r->end == TASK_BUG;
	if (r->end == TASK_BUG)
		weir_error_prefix(
			&message,
			"packets or bytes do not add up, which is a bug of Weir and no result: ");
	if (sweep->axis_count > 0)
		weir_error_prefix(&message, "run %" PRIu64 " (%s): ", r->task + 1,
				  sweep_label(sweep, r->task, label, sizeof(label)));
	progress_clear(&v->progress);
	complain(EXIT_WORLD, &message);
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

static int hear_tick(void *context, const struct running_task *running, uint32_t count)
{
	struct show *v = context;

	v->interrupted |= take_interrupt();
	progress_show(&v->progress, v->campaign.sweep, running, count);
	return v->interrupted || v->refused;
}

/* --- after --- */

static int show_table(const struct show *v, struct weir_error *e)
{
	const struct compare_request request = { .scope = STORE_PLANNED,
						 .by = &v->q->by,
						 .by_count = v->q->by != NULL,
						 .sort = v->q->sort,
						 .same = ROWS_JOINED };
	const struct compare_layout layout = { .width = line_width(stdout) };
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
		failed = print_answer(&comparison, store, NULL, e);
		comparison_free(&comparison);
	}
	store_close(store);
	if (failed == -1)
		weir_error_prefix(e, "%.200s: ", v->folder);
	return failed ? -1 : 0;
}

static uint64_t runs_there(const struct show *v)
{
	return v->campaign.own_count - v->campaign.missing_count + v->progress.done;
}

static int finish(struct show *v)
{
	struct weir_error e;
	int none = runs_there(v) == 0;
	char line[FOLDER_SIZE + 128];

	progress_clear(&v->progress);
	if (v->interrupted) {
		fprintf(stderr,
			"weir: interrupted; %" PRIu64 " of %" PRIu64 " runs are kept in %s; "
			"the same command continues\n",
			runs_there(v), v->campaign.own_count, v->folder);
		return EXIT_INTERRUPTED;
	}
	if (v->refused) {
		complain(v->refused < 0 ? EXIT_WORLD : EXIT_MISTAKE, &v->refusal);
		fprintf(stderr, "weir: the runs that were done are kept in %s\n", v->folder);
		return v->refused < 0 ? EXIT_WORLD : EXIT_MISTAKE;
	}
	if (!v->q->quiet && !v->q->no_table && !none) {
		if (show_table(v, &e))
			return complain(EXIT_WORLD, &e);
		snprintf(line, sizeof(line), "%s: %" PRIu64 " run%s, %" PRIu64 " of them new in %s",
			 v->folder, runs_there(v), runs_there(v) == 1 ? "" : "s", v->progress.done,
			 progress_time(&v->progress).text);
		comparison_print_line(stdout, line_width(stdout), line);
	}
	if (v->failed) {
		fprintf(stderr,
			"weir: %" PRIu64 " of %" PRIu64 " runs failed; "
			"the same command tries again what is missing\n",
			v->failed, v->campaign.own_count);
		return v->bug ? EXIT_BUG : EXIT_WORLD;
	}
	return EXIT_FINE;
}

/* --- all of it --- */

static int find_results(struct show *v, struct weir_error *e)
{
	const char *out = v->q->out;

	if (!out)
		return default_folder(v->campaign.scenario->file, "", v->folder, e);
	if (snprintf(v->folder, sizeof(v->folder), "%s", out) >= (int)sizeof(v->folder))
		return weir_error_set(e, "--out: %s is too long", weir_quote(out).text);
	return 0;
}

static int run_missing(struct show *v)
{
	const struct campaign_watch watch = { v, hear_end, hear_tick };
	struct campaign *c = &v->campaign;
	sigset_t set = interrupt_set(), before;
	struct weir_error e;
	int failed;

	if (v->q->stage && !v->q->quiet)
		fprintf(stderr, "weir: %s\n", v->q->stage);
	show_watch_done(v);
	if (v->refused)
		return finish(v);
	progress_begin(&v->progress, c->missing_count, c->own_count, v->q->quiet);
	fflush(stdout); /* or every process would have what is left to print */
	sigprocmask(SIG_BLOCK, &set, &before);
	if (v->q->exchange)
		failed = campaign_run(c, &executor_inline, 1, &watch, &e);
	else if (world_size() > 1)
		failed = campaign_run(c, &executor_mpi, 1, &watch, &e);
	else
		failed = campaign_run(c, &executor_processes, (uint32_t)v->q->jobs, &watch, &e);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return complain(EXIT_WORLD, &e);
	return finish(v);
}

int run_sweep(const struct sweep_request *q, struct scenario *s, const struct sweep *w)
{
	struct show v = { .q = q };
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
	if (find_results(&v, &e) || campaign_check(&v.campaign, &e))
		status = complain(EXIT_MISTAKE, &e);
	else if (campaign_find_missing(&v.campaign, &e))
		status = complain(EXIT_WORLD, &e);
	else
		status = run_missing(&v);
	campaign_free(&v.campaign);
	return status;
}
