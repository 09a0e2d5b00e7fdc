/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c -- weir run FILE: reads, runs, shows. */
#define _POSIX_C_SOURCE 200809L
#include "cli/capture.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/ranks.h"
#include "cli/sweep.h"
#include "lab/campaign/campaign.h"
#include "lab/scenario/default_notes.h"
#include "base/clock.h"
#include "base/output.h"
#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "sim/parallel/mpi_world.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 256, PROGRESS_NS = 200 * 1000 * 1000 };

#define BYTES_PER_MB 1e6

/* What the command line asks for, besides the scenario. */
struct request {
	const char *json, *csv, *out, *by, *sort; /* NULL: not asked for */
	int quiet;
	struct shard shard;
	uint64_t threads; /* 0: as many as are faster */
	int is_auto;      /* 1: that was said, not left open */
	uint64_t jobs;    /* 0: as many as there are cores */
	uint32_t ranks;
};

/* Known before anything runs: what rows may be parts by. */
static int find_part(const char *name, struct weir_error *e)
{
	for (int i = 0; i < SPLITS; i++)
		if (strcmp(compare_split_names[i], name) == 0)
			return 0;
	weir_error_unknown(e, "part", name, compare_split_names, SPLITS);
	return weir_error_prefix(e, "--by: ");
}

static int check_sort(const char *name, struct weir_error *e)
{
	const char *metric = name + (*name == '-'), *unit;

	if (metric_index(metric) >= 0 || flow_metric_known(metric, &unit))
		return 0;
	return weir_error_set(e, "--sort: unknown metric %s; 'weir list metric' names them",
			      weir_quote(metric).text);
}

static int read_request(const struct arguments *a, struct request *q, struct weir_error *e)
{
	static const struct weir_option threads = {
		.name = "--threads",
		.type = WEIR_OPT_COUNT,
		.offset = offsetof(struct request, threads),
		.min = 1,
		.max = THREADS_MAX,
		.help = "",
	};
	const char *text = arguments_option(a, "--threads"), *part = arguments_option(a, "--shard");

	memset(q, 0, sizeof(*q));
	if (part && shard_read(&q->shard, part, e))
		return weir_error_prefix(e, "--shard: ");
	if (read_jobs(a, &q->jobs, e) || ranks_read(a, &q->ranks, e))
		return -1;
	q->out = arguments_option(a, "--out");
	q->json = arguments_option(a, "--json");
	q->csv = arguments_option(a, "--csv");
	q->quiet = arguments_option(a, "--quiet") != NULL;
	q->by = arguments_option(a, "--by");
	q->sort = arguments_option(a, "--sort");
	if ((q->by && find_part(q->by, e)) || (q->sort && check_sort(q->sort, e)))
		return -1;
	q->threads = 0;
	q->is_auto = text != NULL;
	if (!text || strcmp(text, "auto") == 0 || weir_option_parse(q, &threads, text, e) == 0)
		return 0;
	return weir_error_set(e, "%s, or auto", e->text);
}

static int json_to_stdout(const struct request *q)
{
	return q->json && strcmp(q->json, "-") == 0;
}

/* Finds out before the run what would only fail after it. */
static int probe_outputs(const struct request *q, struct weir_error *e)
{
	if (q->json && !json_to_stdout(q) && output_probe(q->json, e))
		return weir_error_prefix(e, "--json ");
	if (q->csv && results_csv_probe(q->csv, e))
		return weir_error_prefix(e, "--csv ");
	return 0;
}

/* --- progress --- */

struct progress {
	int64_t shown_ns; /* when the line was last written */
};

static void show_progress(void *context, const struct run_progress *at)
{
	struct progress *p = context;
	int64_t now_ns = clock_ns();

	if (now_ns - p->shown_ns < PROGRESS_NS)
		return;
	p->shown_ns = now_ns;
	fprintf(stderr, "\r%s simulated", human_time((double)at->now_ps / 1e3).text);
	if (at->end_ps > 0)
		fprintf(stderr, " of %s, %.0f %%", human_time((double)at->end_ps / 1e3).text,
			100.0 * (double)at->now_ps / (double)at->end_ps);
	fputs("\033[K", stderr);
}

/* --- results --- */

static int write_json(const char *path, const struct config *c, const struct run_result *r,
		      struct weir_error *e)
{
	struct output o;

	if (strcmp(path, "-") == 0)
		return results_json(stdout, c, r, e);
	if (output_open(&o, path, e))
		return -1;
	if (results_json(o.stream, c, r, e)) {
		output_abandon(&o);
		return -1;
	}
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

static int show(const struct request *q, const struct config *c, const struct run_result *r)
{
	struct weir_error e;

	if (!q->quiet) {
		FILE *f = json_to_stdout(q) ? stderr : stdout;

		results_table(f, c, r, line_width(f));
	}
	if (q->json && write_json(q->json, c, r, &e))
		return complain(EXIT_WORLD, &e);
	if (q->csv && results_csv(q->csv, c, r, &e))
		return complain(EXIT_WORLD, &e);
	return EXIT_FINE;
}

static int report_bug(const struct config *c, struct weir_error *e)
{
	weir_error_prefix(e,
			  "packets or bytes do not add up, which is a bug of Weir and no result: ");
	complain(EXIT_BUG, e);
	fprintf(stderr,
		"weir: please report it with %s, seed %" PRIu64
		" and the output of 'weir version'\n",
		c->file, c->seed);
	return EXIT_BUG;
}

/* Where nobody says how many: those of the machine, which ranks that are here share. */
static uint32_t threads_of(const struct request *q, const struct exchange *x)
{
	uint32_t ranks = x && x->ops->join ? x->ranks : 1, cores = core_count();

	if (q->threads)
		return (uint32_t)q->threads;
	return cores > ranks ? cores / ranks : 1;
}

/* What a rank does that is not the first: all but show and write. */
static int work_on(const struct request *q, const struct config *c, struct exchange *x)
{
	const struct run_control control = { .exchange = x,
					     .threads = threads_of(q, x),
					     .adapts = q->threads == 0 };
	struct run_result result;
	struct weir_error e;
	int failed = run(c, &control, &result, &e);

	if (failed == RUN_REFUSED)
		return EXIT_MISTAKE;
	run_result_free(&result);
	return failed == RUN_BROKEN ? EXIT_BUG : failed ? EXIT_WORLD : EXIT_FINE;
}

static int run_config(const struct request *q, const struct scenario *s, const struct config *c,
		      struct captures *captures, struct exchange *x)
{
	struct progress progress = { clock_ns() };
	struct interrupt interrupt;
	struct run_control control = {
		.exchange = x,
		.threads = threads_of(q, x),
		.adapts = q->threads == 0,
		.stop = &interrupt.stop,
		.tap_count = captures->count,
		.taps = captures->taps,
		.taps_see_frames = 1,
	};
	struct run_result result;
	struct weir_error e;
	int failed, status;

	if (!q->quiet && isatty(STDERR_FILENO)) {
		control.progress = show_progress;
		control.context = &progress;
	}
	interrupt_start(&interrupt);
	failed = run(c, &control, &result, &e);
	if (control.progress)
		fputs("\r\033[K", stderr);
	if (failed == -1) {
		interrupt_stop(&interrupt);
		captures_abandon(captures);
		scenario_locate(s, &e);
		return complain(EXIT_MISTAKE, &e);
	}
	if (failed == RUN_MISLED || failed == RUN_FAILED) {
		interrupt_stop(&interrupt);
		captures_abandon(captures);
		run_result_free(&result);
		return complain(EXIT_WORLD, &e);
	}
	status = failed ? report_bug(c, &e) : show(q, c, &result);
	if (captures_publish(captures, &e))
		status = complain(EXIT_WORLD, &e);
	interrupt_stop(&interrupt); /* not before all is written: no half files */
	run_result_free(&result);
	if (status == EXIT_FINE && atomic_load(&interrupt.stop))
		return EXIT_INTERRUPTED;
	return status;
}

/* What a mistake of all ranks is said by the first. */
static int say(enum exit_status status, const struct weir_error *e)
{
	return world_rank() > 0 ? (int)status : complain(status, e);
}

static int run_ranks(const struct request *q, const struct scenario *s, const struct config *c,
		     struct captures *captures, enum ranks_ready ready)
{
	struct weir_error e = { "" };
	struct exchange *x;
	int status;

	if (ranks_start(&x, q->ranks, ready, &e)) {
		if (ready == RANKS_READY)
			captures_abandon(captures);
		return e.text[0] ? say(EXIT_MISTAKE, &e) : EXIT_MISTAKE;
	}
	status = x && x->rank > 0 ? work_on(q, c, x) : run_config(q, s, c, captures, x);
	if (x && x->rank == 0 && !q->quiet && status == EXIT_FINE)
		fprintf(stderr,
			"weir: %u ranks (%s) met %" PRIu64 " times; the first sent %.6g MB and "
			"waited for %.3g s\n",
			x->ranks, x->ops->name, x->rounds, (double)x->sent_bytes / BYTES_PER_MB,
			x->waited_seconds);
	ranks_end(x, status);
	return status;
}

static int run_one(const struct arguments *a, const struct request *q, const struct scenario *s)
{
	enum ranks_ready ready = RANKS_READY;
	struct captures captures = { 0 };
	struct config c;
	struct weir_error e;
	int status;

	if (world_size() > 1 && q->ranks != RANKS_OF_WORLD) {
		weir_error_set(&e,
			       "%.200s: is one run, but %d processes were started; several do the "
			       "runs of a [sweep], and with --ranks mpi share one",
			       s->file, world_size());
		return complain(EXIT_MISTAKE, &e);
	}
	if (scenario_config(s, &c, &e))
		return say(EXIT_MISTAKE, &e);
	if (world_rank() == 0 && (probe_outputs(q, &e) || captures_open(&captures, a, &c, &e))) {
		complain(EXIT_MISTAKE, &e);
		ready = RANKS_NOT_READY;
	}
	status = run_ranks(q, s, &c, &captures, ready);
	config_free(&c);
	return status;
}

/* "mine.full.results", "mine.3-of-16.results" */
static int shard_folder(const struct arguments *a, const struct request *q,
			const struct scenario *s, char folder[FOLDER_SIZE], struct weir_error *e)
{
	const char *size = asked_size(a) == SIZE_FULL ? ".full" : "";
	char word[64];

	snprintf(word, sizeof(word), "%s", size);
	if (q->shard.count)
		snprintf(word, sizeof(word), "%s.%" PRIu32 "-of-%" PRIu32, size, q->shard.number,
			 q->shard.count);
	return default_folder(s->file, word, folder, e);
}

/* The processes of one mpirun share each run: the first has the sweep, the others follow it. */
static int run_together(struct sweep_request *q, struct scenario *s, const struct sweep *w)
{
	struct campaign c = { .scenario = s, .sweep = w, .threads = (uint32_t)q->threads };
	struct weir_error e = { "" };
	int status = EXIT_FINE;

	if (ranks_start(&q->exchange, RANKS_OF_WORLD, RANKS_READY, &e))
		return say(EXIT_MISTAKE, &e);
	c.exchange = q->exchange;
	if (q->exchange->rank > 0) {
		campaign_follow(&c);
	} else {
		status = run_sweep(q, s, w);
		campaign_dismiss(q->exchange);
	}
	exchange_close(q->exchange);
	return status;
}

static int run_many(const struct arguments *a, const struct request *q, struct scenario *s,
		    const struct sweep *w)
{
	static const char *const single[] = { "--json", "--csv", "--pcap", "--pcap-whole" };
	struct sweep_request request = { .out = q->out,
					 .jobs = q->jobs,
					 .threads = q->threads ? q->threads : 1,
					 .adapts = q->threads == 0 && (!q->jobs || q->is_auto),
					 .ranks = q->ranks,
					 .shard = q->shard,
					 .again = arguments_option(a, "--again") != NULL,
					 .quiet = q->quiet,
					 .by = q->by,
					 .sort = q->sort };
	char folder[FOLDER_SIZE];
	struct weir_error e;

	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (arguments_option(a, single[i])) {
			weir_error_set(&e,
				       "%s: is for a single run; "
				       "what is in a result folder is written by 'weir export'",
				       single[i]);
			return say(EXIT_MISTAKE, &e);
		}
	if (!q->out && (asked_size(a) == SIZE_FULL || q->shard.count)) {
		if (shard_folder(a, q, s, folder, &e))
			return say(EXIT_MISTAKE, &e);
		request.out = folder;
	}
	return q->ranks == RANKS_OF_WORLD ? run_together(&request, s, w)
					  : run_sweep(&request, s, w);
}

/* One line, however many defaults are meant for other links: 'weir check' has them all. */
static void warn_of_defaults(struct scenario *s, const struct sweep *w)
{
	struct default_notes notes;

	default_notes_read(&notes, s, w);
	if (notes.count > 0)
		fprintf(stderr, "weir: %s", notes.lines[0]);
	if (notes.count > 1)
		fprintf(stderr, "; and %" PRIu32 " more: 'weir check' lists them", notes.count - 1);
	if (notes.count > 0)
		fputc('\n', stderr);
	default_notes_free(&notes);
}

int command_run(const struct arguments *a)
{
	struct request q;
	struct scenario s;
	struct sweep w;
	struct weir_error e;
	int status;

	if (read_request(a, &q, &e) || load_scenario(a, &s, &e))
		return say(EXIT_MISTAKE, &e);
	if (sweep_read(&w, &s, &e)) {
		scenario_free(&s);
		return say(EXIT_MISTAKE, &e);
	}
	if (sweep_add_seeds(&w, &s) && !q.quiet && world_rank() == 0)
		fprintf(stderr,
			"weir: seeds 1 to %d of everything that is compared, because [sweep] lists "
			"no seed; --seed 1 runs one\n",
			SWEEP_SEEDS);
	if (!q.quiet && world_rank() == 0)
		warn_of_defaults(&s, &w);
	if (q.shard.count && w.axis_count == 0) {
		weir_error_set(&e, "--shard: is for a sweep; this is one run");
		status = complain(EXIT_MISTAKE, &e);
	} else if ((q.by || q.sort) && w.axis_count == 0 && !q.out) {
		weir_error_set(&e, "%s: is for a sweep; a single run shows its traffic sections",
			       q.by ? "--by" : "--sort");
		status = complain(EXIT_MISTAKE, &e);
	} else if (w.axis_count > 0 || q.out)
		status = run_many(a, &q, &s, &w);
	else
		status = run_one(a, &q, &s);
	sweep_free(&w);
	scenario_free(&s);
	return status;
}
