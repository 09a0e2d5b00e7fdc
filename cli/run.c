/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c -- weir run FILE: reads the command line, and has one run (run_one.c) or a sweep
 * (run_sweep.c) done. */
#include "cli/run.h"
#include "cli/options.h"
#include "lab/campaign/campaign.h"
#include "lab/scenario/sweep.h"
#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "sim/parallel/mpi_world.h"
#include <inttypes.h>
#include <string.h>

static const struct cli_option run_arguments[] = {
	OPTIONS_OF_SCENARIO,
	{ "--full", NULL,
	  "with the settings of [full]; a [sweep] goes to FILE's name and .full.results",
	  OFFER_NOTHING },
	{ "--threads", "N",
	  "threads of a run; results do not depend on it; auto, the default without --jobs: as "
	  "many as are faster where the machine has more processors than there are runs to do, "
	  "else 1",
	  OFFER_NOTHING },
	{ "--ranks", "N",
	  "processes that share the network of one run, each with its threads; mpi: those that "
	  "mpirun has started; results do not depend on it",
	  OFFER_NOTHING },
	{ "--json", "FILE", "writes all of the run in one file; - is standard output", OFFER_FILE },
	OPTION_CSV("FOLDER"),
	{ "--pcap", "PORT=FILE",
	  "writes what starts on a port, as leaf0->h3, for Wireshark; "
	  "may be given several times",
	  OFFER_NOTHING },
	{ "--pcap-whole", NULL,
	  "captures hold payload too, in zeros, and every checksum; headers only unless given",
	  OFFER_NOTHING },
	{ "--out", "FOLDER",
	  "keeps the runs in this folder; a [sweep] goes to FILE's name and .results",
	  OFFER_FOLDER },
	{ "--again", NULL, "does also the runs that are in the folder", OFFER_NOTHING },
	{ "--shard", "I/N",
	  "does every N-th run of a sweep, from the I-th on, into FILE's name and .I-of-N.results; "
	  "'weir merge' makes one folder of all",
	  OFFER_NOTHING },
	{ "--jobs", "N", "runs of a sweep at a time; as many as there are cores unless given",
	  OFFER_NOTHING },
	{ "--by", "PART",
	  "the table of a sweep has rows for parts of its runs: traffic, traffic-class or "
	  "flow-size, see 'weir help table'",
	  OFFER_NOTHING },
	{ "--sort", "NAME",
	  "the table of a sweep has rows with the least of this metric first; -NAME: with the most",
	  OFFER_METRIC },
	{ "--quiet", NULL, "prints no table and no progress", OFFER_NOTHING },
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

enum { THREADS_MAX = 256 };

/* Known before anything runs: what rows may be parts by. */
static int run_check_part(const char *name, struct weir_error *e)
{
	for (int i = 0; i < SPLITS; i++)
		if (strcmp(compare_split_names[i], name) == 0)
			return 0;
	weir_error_unknown(e, "part", name, compare_split_names, SPLITS);
	return weir_error_prefix(e, "--by: ");
}

static int run_check_sort(const char *name, struct weir_error *e)
{
	const char *metric = name + (*name == '-'), *unit;

	if (metric_index(metric) >= 0 || flow_metric_known(metric, &unit))
		return 0;
	return weir_error_set(e, "--sort: unknown metric %s; 'weir list metric' names them",
			      weir_quote(metric).text);
}

static int run_read_request(const struct arguments *a, struct run_request *q, struct weir_error *e)
{
	static const struct weir_option threads = {
		.name = "--threads",
		.type = WEIR_OPT_COUNT,
		.offset = offsetof(struct run_request, threads),
		.min = 1,
		.max = THREADS_MAX,
		.help = "",
	};
	const char *text = arguments_option(a, "--threads"), *part = arguments_option(a, "--shard");

	memset(q, 0, sizeof(*q));
	if (part && shard_read(&q->shard, part, e))
		return weir_error_prefix(e, "--shard: ");
	if (options_jobs(a, &q->jobs, e) || ranks_read(a, &q->ranks, e))
		return -1;
	q->out = arguments_option(a, "--out");
	q->json = arguments_option(a, "--json");
	q->csv = arguments_option(a, "--csv");
	q->quiet = arguments_option(a, "--quiet") != NULL;
	q->by = arguments_option(a, "--by");
	q->sort = arguments_option(a, "--sort");
	if ((q->by && run_check_part(q->by, e)) || (q->sort && run_check_sort(q->sort, e)))
		return -1;
	q->threads = 0;
	q->is_auto = text != NULL;
	if (!text || strcmp(text, "auto") == 0 || weir_option_parse(q, &threads, text, e) == 0)
		return 0;
	return weir_error_set(e, "%s, or auto", e->text);
}

/* "mine.full.results", "mine.3-of-16.results" */
static int run_shard_folder(const struct arguments *a, const struct run_request *q,
			    const struct scenario *s, char folder[FOLDER_SIZE],
			    struct weir_error *e)
{
	const char *size = options_size(a) == SIZE_FULL ? ".full" : "";
	char word[64];

	snprintf(word, sizeof(word), "%s", size);
	if (q->shard.count)
		snprintf(word, sizeof(word), "%s.%" PRIu32 "-of-%" PRIu32, size, q->shard.number,
			 q->shard.count);
	return folder_default(s->file, word, folder, e);
}

/* The processes of one mpirun share each run: the first has the sweep, the others follow it. */
static int run_sweep_together(struct sweep_request *q, struct scenario *s, const struct sweep *w)
{
	struct campaign c = { .scenario = s, .sweep = w, .threads = (uint32_t)q->threads };
	struct weir_error e = { "" };
	int status = EXIT_FINE;

	if (ranks_start(&q->exchange, RANKS_OF_WORLD, RANKS_READY, &e))
		return run_error(EXIT_MISTAKE, &e);
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

static int run_many(const struct arguments *a, const struct run_request *q, struct scenario *s,
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
			return run_error(EXIT_MISTAKE, &e);
		}
	if (!q->out && (options_size(a) == SIZE_FULL || q->shard.count)) {
		if (run_shard_folder(a, q, s, folder, &e))
			return run_error(EXIT_MISTAKE, &e);
		request.out = folder;
	}
	return q->ranks == RANKS_OF_WORLD ? run_sweep_together(&request, s, w)
					  : run_sweep(&request, s, w);
}

/* One line, however many defaults are meant for other links: 'weir check' has them all. */
static void run_warn_of_defaults(struct scenario *s, const struct sweep *w)
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

static int run_main(const struct arguments *a)
{
	struct run_request q;
	struct scenario s;
	struct sweep w;
	struct weir_error e;
	int status;

	if (run_read_request(a, &q, &e) || options_scenario(a, &s, &e))
		return run_error(EXIT_MISTAKE, &e);
	if (sweep_read(&w, &s, &e)) {
		scenario_free(&s);
		return run_error(EXIT_MISTAKE, &e);
	}
	if (sweep_add_seeds(&w, &s) && !q.quiet && world_rank() == 0)
		fprintf(stderr,
			"weir: seeds 1 to %d of everything that is compared, because [sweep] lists "
			"no seed; --seed 1 runs one\n",
			SWEEP_SEEDS);
	if (!q.quiet && world_rank() == 0)
		run_warn_of_defaults(&s, &w);
	if (q.shard.count && w.axis_count == 0) {
		weir_error_set(&e, "--shard: is for a sweep; this is one run");
		status = cli_error(EXIT_MISTAKE, &e);
	} else if ((q.by || q.sort) && w.axis_count == 0 && !q.out) {
		weir_error_set(&e, "%s: is for a sweep; a single run shows its traffic sections",
			       q.by ? "--by" : "--sort");
		status = cli_error(EXIT_MISTAKE, &e);
	} else if (w.axis_count > 0 || q.out)
		status = run_many(a, &q, &s, &w);
	else
		status = run_one(a, &q, &s);
	sweep_free(&w);
	scenario_free(&s);
	return status;
}

const struct command command_run = {
	.name = "run",
	.usage = "FILE",
	.help = "runs a scenario and prints what came out",
	.options = run_arguments,
	.words_min = 1,
	.words_max = 1,
	.run = run_main,
	.world = COMMAND_EXECUTES,
	.offer = OFFER_FILE,
};
