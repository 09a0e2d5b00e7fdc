/* run.c -- weir run FILE: reads, runs, shows. */
#define _POSIX_C_SOURCE 200809L
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "lab/output.h"
#include "lab/results.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256, PROGRESS_NS = 200 * 1000 * 1000, NS_PER_SECOND = 1000 * 1000 * 1000 };

/* What the command line asks for, besides the scenario. */
struct request {
	const char *json, *csv;		/* NULL: not asked for */
	int quiet;
	uint64_t threads;
};

static int read_request(const struct arguments *a, struct request *q, struct error *e)
{
	static const struct option threads = { "--threads", OPT_COUNT,
		offsetof(struct request, threads), "1", 1, THREADS_MAX, "", NULL };
	const char *text = arguments_option(a, "--threads");

	q->json = arguments_option(a, "--json");
	q->csv = arguments_option(a, "--csv");
	q->quiet = arguments_option(a, "--quiet") != NULL;
	return option_parse(q, &threads, text ? text : threads.def, e);
}

static int json_to_stdout(const struct request *q)
{
	return q->json && strcmp(q->json, "-") == 0;
}

/* Finds out before the run what would only fail after it. */
static int probe_outputs(const struct request *q, struct error *e)
{
	if (q->json && !json_to_stdout(q) && output_probe(q->json, e))
		return error_prefix(e, "--json ");
	if (q->csv && results_csv_probe(q->csv, e))
		return error_prefix(e, "--csv ");
	return 0;
}

/* --- progress --- */

struct progress {
	int64_t shown_ns;	/* when the line was last written */
};

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

static void show_progress(void *context, int64_t now_ps, int64_t end_ps)
{
	struct progress *p = context;
	int64_t now_ns = clock_ns();

	if (now_ns - p->shown_ns < PROGRESS_NS)
		return;
	p->shown_ns = now_ns;
	fprintf(stderr, "\r%s simulated", human_time((double)now_ps / 1e3).text);
	if (end_ps > 0)
		fprintf(stderr, " of %s, %.0f %%", human_time((double)end_ps / 1e3).text,
			100.0 * (double)now_ps / (double)end_ps);
	fputs("\033[K", stderr);
}

/* --- results --- */

static int write_json(const char *path, const struct config *c, const struct run_result *r,
		      struct error *e)
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
	struct error e;

	if (!q->quiet)
		results_table(json_to_stdout(q) ? stderr : stdout, c, r);
	if (q->json && write_json(q->json, c, r, &e))
		return complain(EXIT_WORLD, &e);
	if (q->csv && results_csv(q->csv, c, r, &e))
		return complain(EXIT_WORLD, &e);
	return EXIT_FINE;
}

static int report_bug(const struct config *c, struct error *e)
{
	error_prefix(e, "packets were lost or made up, which is a bug of Weir and no result: ");
	complain(EXIT_BUG, e);
	fprintf(stderr, "weir: please report it with %s, seed %" PRIu64 " and the output of "
		"'weir version'\n", c->file, c->seed);
	return EXIT_BUG;
}

static int run_config(const struct request *q, const struct scenario *s, const struct config *c)
{
	struct progress progress = { clock_ns() };
	struct interrupt interrupt;
	struct run_control control = { .threads = (uint32_t)q->threads, .stop = &interrupt.stop };
	struct run_result result;
	struct error e;
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
		scenario_locate(s, &e);
		return complain(EXIT_MISTAKE, &e);
	}
	status = failed ? report_bug(c, &e) : show(q, c, &result);
	interrupt_stop(&interrupt);	/* not before all is written: no half files */
	run_result_free(&result);
	if (status == EXIT_FINE && atomic_load(&interrupt.stop))
		return EXIT_INTERRUPTED;
	return status;
}

int command_run(const struct arguments *a)
{
	struct request q;
	struct scenario s;
	struct config c;
	struct error e;
	int status;

	if (read_request(a, &q, &e) || load(a, &s, &c, &e))
		return complain(EXIT_MISTAKE, &e);
	if (probe_outputs(&q, &e))
		status = complain(EXIT_MISTAKE, &e);
	else
		status = run_config(&q, &s, &c);
	config_free(&c);
	scenario_free(&s);
	return status;
}
