/* SPDX-License-Identifier: BSD-3-Clause */
/* run_one.c -- weir run of a single run without a result folder: executes it, in one process or
 * in ranks that share its network, and prints and writes the results. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "base/clock.h"
#include "base/output.h"
#include "lab/store/results.h"
#include "sim/parallel/exchange.h"
#include "sim/parallel/mpi_world.h"
#include "weir/option.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRESS_NS = 200 * 1000 * 1000 };

#define BYTES_PER_MB 1e6

/* --- the ranks: processes that share one run --- */

static const char word_mpi[] = "mpi";

int ranks_share_one(const struct arguments *a)
{
	const char *text = arguments_option(a, "--ranks");

	return text && strcmp(text, word_mpi) == 0;
}

int ranks_read(const struct arguments *a, uint32_t *ranks, struct weir_error *e)
{
	static const struct weir_option option = {
		.name = "--ranks",
		.type = WEIR_OPT_COUNT,
		.def = "1",
		.min = 1,
		.max = RANKS_MAX,
		.help = "",
	};
	static const char *const here[] = { "--pcap", "--pcap-whole" };
	const char *text = arguments_option(a, "--ranks");
	uint64_t count = 1;

	for (size_t i = 0; text && i < sizeof(here) / sizeof(here[0]); i++)
		if (arguments_option(a, here[i]))
			return weir_error_set(e,
					      "--ranks: captures need a single process; use "
					      "--threads, or leave %s out",
					      here[i]);
	*ranks = RANKS_OF_WORLD;
	if (ranks_share_one(a))
		return 0;
	if (text && weir_option_parse(&count, &option, text, e))
		return weir_error_set(e,
				      "--ranks: '%.60s' is neither a number from 1 to %d nor mpi",
				      text, RANKS_MAX);
	if (count > 1 && world_size() > 1)
		return weir_error_set(e,
				      "--ranks: mpirun has started %d processes; --ranks mpi "
				      "makes them share each run",
				      world_size());
	*ranks = (uint32_t)count;
	return 0;
}

/* Are all ranks ready? */
static int ranks_agree(struct exchange *x, enum ranks_ready ready)
{
	char *own = exchange_extend(&x->out[x->rank], 1);
	int all = 1;

	*own = ready == RANKS_READY;
	exchange_allgather(x);
	for (uint32_t i = 0; i < x->ranks; i++)
		all &= x->in[i].bytes[0];
	return all;
}

int ranks_start(struct exchange **out, uint32_t ranks, enum ranks_ready ready, struct weir_error *e)
{
	*out = NULL;
	if (ranks == RANKS_OF_WORLD) {
		if (exchange_world(out, e))
			return -1;
		if (ranks_agree(*out, ready))
			return 0;
		exchange_close(*out);
		*out = NULL;
		return -1;
	}
	if (ready == RANKS_NOT_READY)
		return -1;
	if (ranks == 1)
		return 0;
	fflush(NULL);
	if (exchange_fork(out, ranks, e))
		return -1;
	/* All ranks receive SIGINT; rank 0 decides and informs the others. */
	if ((*out)->rank > 0)
		signal(SIGINT, SIG_IGN);
	return 0;
}

static void ranks_end(struct exchange *x, int status)
{
	if (!x)
		return;
	if (x->rank > 0 && x->ops->join)
		_exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
	if (x->ops->join)
		x->ops->join(x);
	exchange_close(x);
}

/* --- progress --- */

struct run_line {
	int64_t shown_ns; /* time of the last progress line */
};

static void run_show_progress(void *context, const struct run_progress *at)
{
	struct run_line *p = context;
	int64_t now_ns = clock_ns();

	if (now_ns - p->shown_ns < PROGRESS_NS)
		return;
	p->shown_ns = now_ns;
	fprintf(stderr, "\r%s simulated", format_time((double)at->now_ps / 1e3).text);
	if (at->end_ps > 0)
		fprintf(stderr, " of %s, %.0f %%", format_time((double)at->end_ps / 1e3).text,
			100.0 * (double)at->now_ps / (double)at->end_ps);
	fputs("\033[K", stderr);
}

/* --- results --- */

static int run_json_to_stdout(const struct run_request *q)
{
	return q->json && strcmp(q->json, "-") == 0;
}

/* Probes output files before the run. */
static int run_probe_outputs(const struct run_request *q, struct weir_error *e)
{
	if (q->json && !run_json_to_stdout(q) && output_probe(q->json, e))
		return weir_error_prefix(e, "--json ");
	if (q->csv && results_csv_probe(q->csv, e))
		return weir_error_prefix(e, "--csv ");
	return 0;
}

static int run_write_json(const char *path, const struct config *c, const struct run_result *r,
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

static int run_show_result(const struct run_request *q, const struct config *c,
			   const struct run_result *r)
{
	struct weir_error e;

	if (!q->quiet) {
		FILE *f = run_json_to_stdout(q) ? stderr : stdout;

		results_table(f, c, r, cli_line_width(f));
	}
	if (q->json && run_write_json(q->json, c, r, &e))
		return cli_error(EXIT_WORLD, &e);
	if (q->csv && results_csv(q->csv, c, r, &e))
		return cli_error(EXIT_WORLD, &e);
	return EXIT_FINE;
}

static int run_report_bug(const struct config *c, struct weir_error *e)
{
	weir_error_prefix(e, "packet or byte conservation is violated, which is a bug of Weir; "
			     "there is no result: ");
	cli_error(EXIT_BUG, e);
	fprintf(stderr,
		"weir: please report it with %s, seed %" PRIu64
		" and the output of 'weir version'\n",
		c->file, c->seed);
	return EXIT_BUG;
}

/* Default number of threads: the machine's cores, shared by the ranks on this machine. */
static uint32_t run_threads(const struct run_request *q, const struct exchange *x)
{
	uint32_t ranks = x && x->ops->join ? x->ranks : 1, cores = cpu_count();

	if (q->threads)
		return (uint32_t)q->threads;
	return cores > ranks ? cores / ranks : 1;
}

/* A rank other than 0: executes the run without output. */
static int run_other_rank(const struct run_request *q, const struct config *c, struct exchange *x)
{
	const struct run_control control = { .exchange = x,
					     .threads = run_threads(q, x),
					     .adapts = q->threads == 0 };
	struct run_result result;
	struct weir_error e;
	int failed = run(c, &control, &result, &e);

	if (failed == RUN_REFUSED)
		return EXIT_MISTAKE;
	run_result_free(&result);
	return failed == RUN_AUDIT_FAILED ? EXIT_BUG : failed ? EXIT_WORLD : EXIT_FINE;
}

static int run_first_rank(const struct run_request *q, const struct scenario *s,
			  const struct config *c, struct captures *captures, struct exchange *x)
{
	struct run_line progress = { clock_ns() };
	struct interrupt interrupt;
	struct run_control control = {
		.exchange = x,
		.threads = run_threads(q, x),
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
		control.progress = run_show_progress;
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
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (failed == RUN_PLUGIN_FAULT || failed == RUN_FAILED) {
		interrupt_stop(&interrupt);
		captures_abandon(captures);
		run_result_free(&result);
		return cli_error(EXIT_WORLD, &e);
	}
	status = failed ? run_report_bug(c, &e) : run_show_result(q, c, &result);
	if (captures_publish(captures, &e))
		status = cli_error(EXIT_WORLD, &e);
	interrupt_stop(&interrupt); /* SIGINT stays blocked until all files are written */
	run_result_free(&result);
	if (status == EXIT_FINE && atomic_load(&interrupt.stop))
		return EXIT_INTERRUPTED;
	return status;
}

int run_error(enum exit_status status, const struct weir_error *e)
{
	return world_rank() > 0 ? (int)status : cli_error(status, e);
}

static int run_all_ranks(const struct run_request *q, const struct scenario *s,
			 const struct config *c, struct captures *captures, enum ranks_ready ready)
{
	struct weir_error e = { "" };
	struct exchange *x;
	int status;

	if (ranks_start(&x, q->ranks, ready, &e)) {
		if (ready == RANKS_READY)
			captures_abandon(captures);
		return e.text[0] ? run_error(EXIT_MISTAKE, &e) : EXIT_MISTAKE;
	}
	status = x && x->rank > 0 ? run_other_rank(q, c, x) : run_first_rank(q, s, c, captures, x);
	if (x && x->rank == 0 && !q->quiet && status == EXIT_FINE)
		fprintf(stderr,
			"weir: %u ranks (%s) met %" PRIu64 " times; the first sent %.6g MB and "
			"waited for %.3g s\n",
			x->ranks, x->ops->name, x->rounds, (double)x->sent_bytes / BYTES_PER_MB,
			x->waited_seconds);
	ranks_end(x, status);
	return status;
}

int run_one(const struct arguments *a, const struct run_request *q, const struct scenario *s)
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
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (scenario_config(s, &c, &e))
		return run_error(EXIT_MISTAKE, &e);
	if (world_rank() == 0 &&
	    (run_probe_outputs(q, &e) || captures_open(&captures, a, &c, &e))) {
		cli_error(EXIT_MISTAKE, &e);
		ready = RANKS_NOT_READY;
	}
	status = run_all_ranks(q, s, &c, &captures, ready);
	config_free(&c);
	return status;
}
