/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.c -- weir reproduce: re-runs figures of papers and prints the verdicts of their
 * claims. */
#define _POSIX_C_SOURCE 200809L
#include "cli/reproduce.h"
#include "cli/options.h"
#include "cli/run.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option reproduce_arguments[] = {
	{ "--full", NULL, "in the size of the paper; may take hours, and can be interrupted",
	  OFFER_NOTHING },
	{ "--more-seeds", NULL,
	  "figures with undecided claims only: judges them by four times as many fresh seeds, from "
	  "101 on",
	  OFFER_NOTHING },
	OPTION_JOBS,
	{ "--out", "DIR",
	  "result folder: DIR/PAPER/FIGURE and DIR/PAPER/FIGURE.full; ./reproduction unless "
	  "given",
	  OFFER_FOLDER },
	{ "--papers", "DIR",
	  "folder of the figures, DIR/PAPER/FIGURE.ini and FIGURE.claims; scenarios/papers here, "
	  "or the installed ones, unless given",
	  OFFER_FOLDER },
	{ "--check", NULL, "runs nothing; checks the figures' files, in both sizes",
	  OFFER_NOTHING },
	{ "--summary", NULL, "runs nothing; writes index.html over the results of all papers",
	  OFFER_NOTHING },
	{ "--markdown", "FILE", "with --summary: writes it as Markdown, too", OFFER_FILE },
	{ "--ship", NULL,
	  "with --summary: writes the verdicts to PAPER/paper.verdicts, which are shown as "
	  "shipped for figures that were not run",
	  OFFER_NOTHING },
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

static const char reproduce_more[] =
	"weir reproduce                     which figures there are, and what is known of them\n"
	"weir reproduce pred/fig13          one figure in quick size\n"
	"weir reproduce pred                every figure of a paper\n"
	"weir reproduce all --full          everything in the size of the papers\n"
	"weir reproduce all --more-seeds    figures with undecided claims, with 4 times the seeds\n"
	"weir reproduce --summary           a page over all results that are there\n"
	"\n"
	"Only runs that are missing are done, on all cores; interrupt it, and the same command\n"
	"goes on. Then every claim of the paper has its verdict:\n"
	"  agrees            the 95 % interval of the mean over seeds is within the tolerance of\n"
	"                    what the paper says\n"
	"  same direction    it is not, but all of it is on the same side of 1 (or 'against')\n"
	"  not reproduced here  neither, and all of it is outside the tolerance\n"
	"  undecided         it reaches over an edge of the tolerance: more seeds may decide\n"
	"  too few           seeds: five are needed, or two that are alike in everything\n"
	"  paper contradicts itself, and fitted (a setting was chosen by it; it is not counted)\n"
	"  not at this size  the claim needs --full\n"
	"  not measured      its runs are not there\n"
	"The figure, drawn as in the paper, is in DIR/PAPER/FIGURE/figure.html. A verdict is a\n"
	"result and no failure: the exit status is 0 whatever it is.\n"
	"\n"
	"A figure is a scenario, FIGURE.ini, and FIGURE.claims, an INI file with these sections:\n"
	"  [figure]      title, paper; about; time, full-time (of all runs, on one core)\n"
	"  [panel NAME]  kind (lines, bars, cdf, time, sizes), y (a metric of 'weir table'; fct\n"
	"                or slowdown; series); x, x-scale (lines); sizes (where these are\n"
	"                divided); title, by, normalize, where, x-label, y-label\n"
	"  [claim NAME]  says, section, metric, of, value or range; over, tolerance, against, "
	"best\n"
	"                (a swept setting), sentence (of which it is a part), contradicts, "
	"fitted,\n"
	"                size (full), why, note. A metric is one of 'weir table', or "
	"fct_small_within\n"
	"                1ms, fct_small_p97_ns and the like, or is taken from a probe:\n"
	"                series \"queue sw->h0\" mean 10ms..20ms (also min, max, p50, p95, p99,\n"
	"                std, sum, last), reaches 30 after 10ms, falls-to 5 after 10ms\n"
	"  [reading NAME]  says, source; cases, where, metric, claims; or result: another way to\n"
	"                read what the paper leaves open, shown beside the claims\n";

static const char default_out[] = "reproduction";

/* The parsed command line. */
struct reproduce_request {
	const char *word; /* NULL: list the figures */
	const char *papers, *out, *markdown;
	enum figure_size size;
	int out_given, summary, ship, check, more_seeds;
	uint64_t jobs; /* 0: one per core */
};

static int reproduce_read_request(const struct arguments *a, struct reproduce_request *q,
				  struct weir_error *e)
{
	const char *out = arguments_option(a, "--out");

	*q = (struct reproduce_request){
		.word = arguments_word(a, 0),
		.papers = arguments_option(a, "--papers"),
		.out = out ? out : default_out,
		.out_given = out != NULL,
		.markdown = arguments_option(a, "--markdown"),
		.size = arguments_option(a, "--full") ? FIGURE_FULL : FIGURE_QUICK,
		.summary = arguments_option(a, "--summary") != NULL,
		.ship = arguments_option(a, "--ship") != NULL,
		.check = arguments_option(a, "--check") != NULL,
		.more_seeds = arguments_option(a, "--more-seeds") != NULL,
	};
	if (options_jobs(a, &q->jobs, e))
		return -1;
	if (q->out[0] == '\0')
		return weir_error_set(e, "--out: a folder is missing");
	if (q->markdown && !q->summary)
		return weir_error_set(e,
				      "--markdown: needs --summary; write --summary --markdown "
				      "%s",
				      q->markdown);
	if (q->ship && !q->summary)
		return weir_error_set(e, "--ship: needs --summary; write --summary --ship");
	if (q->check && !q->word)
		return weir_error_set(e, "--check: needs a figure, a paper or all, as in weir "
					 "reproduce all --check");
	if (q->more_seeds && (!q->word || q->check))
		return weir_error_set(e, "--more-seeds: needs a figure, a paper or all, to run");
	if (q->summary && q->word)
		return weir_error_set(e, "--summary: covers all papers; leave %s out",
				      weir_quote(q->word).text);
	return 0;
}

/* --- one figure --- */

static int reproduce_write_page(const struct figure_report *fr, const char *folder,
				struct weir_error *e)
{
	char *path;

	if (figure_page_write(fr, folder, &path, e))
		return -1;
	printf("%s\n", path);
	free(path);
	return 0;
}

/* Prints the claims and writes the figure's page from the stored runs. Returns an exit status. */
static int reproduce_print_figure(const struct reproduce_request *q, const struct figure_files *f,
				  const struct figure *figure, struct verdict_sums *sums)
{
	char *folder = figure_folder(f, q->out, q->size);
	struct figure_state state;
	struct figure_report report = {
		.figure = figure, .label = f->label, .scenario = f->scenario, .size = q->size
	};
	struct weir_error e;
	int status = EXIT_FINE;

	if (figure_state_read(&state, figure,
			      &(struct figure_results){
				      .folder = folder, .size = q->size, .judges = JUDGES_ALWAYS },
			      &e)) {
		free(folder);
		return cli_error(EXIT_WORLD, &e);
	}
	report.verdicts = state.verdicts;
	reproduce_print_claims(figure, state.verdicts);
	if (state.done && reproduce_write_page(&report, folder, &e))
		status = cli_error(EXIT_WORLD, &e);
	*sums = (struct verdict_sums){ state.claims, state.sentences };
	figure_state_free(&state);
	free(folder);
	return status;
}

static int reproduce_run_job(const struct reproduce_request *q, const struct figure_files *f,
			     struct figure_job *j)
{
	char *folder = figure_folder(f, q->out, q->size);
	const struct sweep_request request = {
		.out = folder, .jobs = q->jobs, .threads = 1, .no_table = 1
	};
	struct weir_error e;
	int status;

	printf("%s: %s; %s size, %" PRIu64 " run%s\n", f->label, j->figure.title,
	       figure_size_names[q->size], j->sweep.run_count, j->sweep.run_count == 1 ? "" : "s");
	if (figure_prepare(f, q->out, &e))
		status = cli_error(EXIT_WORLD, &e);
	else
		status = run_sweep(&request, &j->scenario, &j->sweep);
	free(folder);
	return status;
}

/* Counts the verdicts of stored runs, or else shipped ones. -1: an error was printed. */
static int reproduce_read_known(const struct reproduce_request *q, const struct figure_files *f,
				struct verdict_sums *sums)
{
	struct summary_entry y;
	struct weir_error e;

	if (summary_entry_read(&y, f, q->out, &e)) {
		cli_error(EXIT_MISTAKE, &e);
		return -1;
	}
	if (summary_is_run(&y, (int)q->size))
		*sums = (struct verdict_sums){ y.run[q->size].claims, y.run[q->size].sentences };
	else if (summary_is_shipped(&y, (int)q->size))
		*sums = (struct verdict_sums){ y.shipped[q->size].claims,
					       y.shipped[q->size].sentences };
	summary_entry_free(&y);
	return 0;
}

/* Returns an exit status; after failed runs the others are shown. */
static int reproduce_figure(const struct reproduce_request *q, const struct figure_files *f,
			    struct verdict_sums *sums)
{
	struct figure_job j;
	struct weir_error e;
	int status, shown;

	if (q->more_seeds && reproduce_read_known(q, f, sums))
		return EXIT_MISTAKE;
	if (q->more_seeds && !sums->claims.of[VERDICT_UNDECIDED]) {
		printf("%s: no claim is known to be undecided\n", f->label);
		return EXIT_FINE;
	}
	if (figure_job_read(&j, f, q->size, &e) || (q->more_seeds && figure_job_more_seeds(&j, &e)))
		return cli_error(EXIT_MISTAKE, &e);
	status = reproduce_run_job(q, f, &j);
	if (status != EXIT_INTERRUPTED && status != EXIT_MISTAKE) {
		shown = reproduce_print_figure(q, f, &j.figure, sums);
		status = status == EXIT_FINE ? shown : status;
	}
	figure_job_free(&j);
	return status;
}

/* --- summaries --- */

static int reproduce_write_index(const char *out, const struct summary *y, struct weir_error *e)
{
	char *path;

	if (summary_page_write(y, out, &path, e))
		return -1;
	printf("%s\n", path);
	free(path);
	return 0;
}

static int reproduce_summarise(const struct reproduce_request *q, const struct figure_list *l)
{
	const struct summary_request of = {
		.papers = q->papers, .out = q->out, .out_given = q->out_given, .ship = q->ship
	};
	struct summary y;
	struct weir_error e;
	int status = EXIT_FINE;

	if (summary_read(&y, l, q->out, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (reproduce_write_index(q->out, &y, &e) || (q->ship && summary_ship(&y, &e)) ||
	    (q->markdown && summary_document_write(&y, q->markdown, &e)))
		status = cli_error(EXIT_WORLD, &e);
	else if (q->markdown)
		printf("%s\n", q->markdown);
	if (reproduce_print_outdated(&y, &of) && q->ship && status == EXIT_FINE)
		status = EXIT_MISTAKE;
	summary_free(&y);
	return status;
}

/* Updates the summary of all papers after runs. Errors in other figures' files are ignored. */
static void reproduce_renew_index(const struct reproduce_request *q, const struct figure_list *l)
{
	struct summary y;
	struct weir_error e;
	int failed = summary_read(&y, l, q->out, &e);

	if (!failed) {
		failed = reproduce_write_index(q->out, &y, &e);
		summary_free(&y);
	}
	if (failed) {
		weir_error_prefix(&e, "%.200s/" SUMMARY_PAGE " is unchanged: ", q->out);
		cli_error(EXIT_WORLD, &e);
	}
}

/* --- the command --- */

/* Checks the files of all requested figures before anything runs. */
static int reproduce_check_all(const struct reproduce_request *q, const struct figure_list *l,
			       const struct figure_range *r, struct weir_error *e)
{
	for (uint32_t i = 0; i < r->count; i++) {
		struct figure_job j;

		if (figure_job_read(&j, &l->all[r->first + i], q->size, e))
			return -1;
		figure_job_free(&j);
	}
	return 0;
}

static int reproduce_run_all(const struct reproduce_request *q, const struct figure_list *l)
{
	struct verdict_sums sum = { { { 0 } }, { { 0 } } };
	struct figure_range r;
	struct weir_error e;
	int worst = EXIT_FINE;

	if (figures_choose(l, q->word, &r, &e) || reproduce_check_all(q, l, &r, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (q->check) {
		printf("%" PRIu32 " figure%s: valid in both sizes\n", r.count,
		       r.count == 1 ? "" : "s");
		return EXIT_FINE;
	}
	for (uint32_t i = 0; i < r.count; i++) {
		const struct figure_files *f = &l->all[r.first + i];
		struct verdict_sums one = { { { 0 } }, { { 0 } } };
		int status = reproduce_figure(q, f, &one);

		if (status == EXIT_INTERRUPTED || status == EXIT_MISTAKE)
			return status;
		worst = status > worst ? status : worst;
		for (int k = 0; k < VERDICTS; k++) {
			sum.claims.of[k] += one.claims.of[k];
			sum.sentences.of[k] += one.sentences.of[k];
		}
		if (r.count > 1) {
			reproduce_print_counts(f->label, &one);
			putchar('\n');
		}
	}
	reproduce_renew_index(q, l);
	reproduce_print_counts(q->word, &sum);
	return worst;
}

static int reproduce_main(const struct arguments *a)
{
	struct figure_list l;
	struct reproduce_request q;
	struct weir_error e;
	int status;

	if (reproduce_read_request(a, &q, &e) || figures_find(&l, q.papers, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (q.summary)
		status = reproduce_summarise(&q, &l);
	else if (q.word)
		status = reproduce_run_all(&q, &l);
	else
		status = reproduce_list_figures(&l, q.out);
	figures_free(&l);
	return status;
}

const struct command command_reproduce = {
	.name = "reproduce",
	.usage = "[PAPER/FIGURE]",
	.help = "re-runs a figure of a paper, a PAPER or all, and checks which of its claims are "
		"reproduced; without arguments, lists the figures",
	.options = reproduce_arguments,
	.words_max = 1,
	.run = reproduce_main,
	.world = COMMAND_EXECUTES,
	.more = reproduce_more,
};
