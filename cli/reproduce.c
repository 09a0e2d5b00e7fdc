/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.c -- weir reproduce: re-runs figures of papers and says which of the papers' claims
 * hold. */
#define _POSIX_C_SOURCE 200809L
#include "cli/reproduce.h"
#include "cli/commands.h"
#include "cli/sweep.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char default_out[] = "reproduction";

/* What the command line asks for. */
struct request {
	const char *word; /* NULL: a list */
	const char *papers, *out, *markdown;
	enum figure_size size;
	int out_given, summary, ship, check;
	uint64_t jobs; /* 0: as many as there are cores */
};

static int read_request(const struct arguments *a, struct request *q, struct weir_error *e)
{
	const char *out = arguments_option(a, "--out");

	*q = (struct request){
		.word = arguments_word(a, 0),
		.papers = arguments_option(a, "--papers"),
		.out = out ? out : default_out,
		.out_given = out != NULL,
		.markdown = arguments_option(a, "--markdown"),
		.size = arguments_option(a, "--full") ? FIGURE_FULL : FIGURE_QUICK,
		.summary = arguments_option(a, "--summary") != NULL,
		.ship = arguments_option(a, "--ship") != NULL,
		.check = arguments_option(a, "--check") != NULL,
	};
	if (read_jobs(a, &q->jobs, e))
		return -1;
	if (q->out[0] == '\0')
		return weir_error_set(e, "--out: a folder is missing");
	if (q->markdown && !q->summary)
		return weir_error_set(e,
				      "--markdown: is a form of the summary; "
				      "write --summary --markdown %s",
				      q->markdown);
	if (q->ship && !q->summary)
		return weir_error_set(e, "--ship: is of the summary; write --summary --ship");
	if (q->check && !q->word)
		return weir_error_set(e, "--check: of what? weir reproduce all --check");
	if (q->summary && q->word)
		return weir_error_set(e, "--summary: is over all papers; leave %s out",
				      weir_quote(q->word).text);
	return 0;
}

/* --- one figure --- */

static int write_page(const struct figure_report *fr, const char *folder, struct weir_error *e)
{
	char *path;

	if (figure_page_write(fr, folder, &path, e))
		return -1;
	printf("%s\n", path);
	free(path);
	return 0;
}

/* What is in the folder now: the claims and the page. Returns an exit status. */
static int show_figure(const struct request *q, const struct figure_files *f,
		       const struct figure *figure, struct verdict_sums *sums)
{
	char *folder = figure_folder(f, q->out, q->size);
	struct figure_state state;
	struct figure_report report = {
		.figure = figure, .label = f->label, .scenario = f->scenario, .size = q->size
	};
	struct weir_error e;
	int status = EXIT_FINE;

	if (figure_state_read(&state, figure, &(struct figure_results){ folder, NULL, q->size },
			      &e)) {
		free(folder);
		return complain(EXIT_WORLD, &e);
	}
	report.verdicts = state.verdicts;
	print_claims(figure, state.verdicts);
	if (state.done && write_page(&report, folder, &e))
		status = complain(EXIT_WORLD, &e);
	*sums = (struct verdict_sums){ state.claims, state.sentences };
	figure_state_free(&state);
	free(folder);
	return status;
}

static int run_job(const struct request *q, const struct figure_files *f, struct figure_job *j)
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
		status = complain(EXIT_WORLD, &e);
	else
		status = run_sweep(&request, &j->scenario, &j->sweep);
	free(folder);
	return status;
}

/* Returns an exit status; where runs failed, what is there is shown all the same. */
static int reproduce(const struct request *q, const struct figure_files *f,
		     struct verdict_sums *sums)
{
	struct figure_job j;
	struct weir_error e;
	int status, shown;

	if (figure_job_read(&j, f, q->size, &e))
		return complain(EXIT_MISTAKE, &e);
	status = run_job(q, f, &j);
	if (status != EXIT_INTERRUPTED && status != EXIT_MISTAKE) {
		shown = show_figure(q, f, &j.figure, sums);
		status = status == EXIT_FINE ? shown : status;
	}
	figure_job_free(&j);
	return status;
}

/* --- summaries --- */

static int write_index(const char *out, const struct summary *y, struct weir_error *e)
{
	char *path;

	if (summary_page_write(y, out, &path, e))
		return -1;
	printf("%s\n", path);
	free(path);
	return 0;
}

static int summarise(const struct request *q, const struct figure_list *l)
{
	const struct summary_request of = {
		.papers = q->papers, .out = q->out, .out_given = q->out_given, .ship = q->ship
	};
	struct summary y;
	struct weir_error e;
	int status = EXIT_FINE;

	if (summary_read(&y, l, q->out, &e))
		return complain(EXIT_MISTAKE, &e);
	if (write_index(q->out, &y, &e) || (q->ship && summary_ship(&y, &e)) ||
	    (q->markdown && summary_document_write(&y, q->markdown, &e)))
		status = complain(EXIT_WORLD, &e);
	else if (q->markdown)
		printf("%s\n", q->markdown);
	if (print_strange(&y, &of) && q->ship && status == EXIT_FINE)
		status = EXIT_MISTAKE;
	summary_free(&y);
	return status;
}

/* After runs: the page over all papers has news. That another figure's files are wrong is no
 * failure of what was asked for. */
static void renew_index(const struct request *q, const struct figure_list *l)
{
	struct summary y;
	struct weir_error e;
	int failed = summary_read(&y, l, q->out, &e);

	if (!failed) {
		failed = write_index(q->out, &y, &e);
		summary_free(&y);
	}
	if (failed) {
		weir_error_prefix(&e, "%.200s/" SUMMARY_PAGE " stays as it was: ", q->out);
		complain(EXIT_WORLD, &e);
	}
}

/* --- what was asked for --- */

/* Is everything right, before anything runs? */
static int check_all(const struct request *q, const struct figure_list *l,
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

static int run_all(const struct request *q, const struct figure_list *l)
{
	struct verdict_sums sum = { { { 0 } }, { { 0 } } };
	struct figure_range r;
	struct weir_error e;
	int worst = EXIT_FINE;

	if (figures_choose(l, q->word, &r, &e) || check_all(q, l, &r, &e))
		return complain(EXIT_MISTAKE, &e);
	if (q->check) {
		printf("%" PRIu32 " figure%s: right in both sizes\n", r.count,
		       r.count == 1 ? "" : "s");
		return EXIT_FINE;
	}
	for (uint32_t i = 0; i < r.count; i++) {
		const struct figure_files *f = &l->all[r.first + i];
		struct verdict_sums one = { { { 0 } }, { { 0 } } };
		int status = reproduce(q, f, &one);

		if (status == EXIT_INTERRUPTED || status == EXIT_MISTAKE)
			return status;
		worst = status > worst ? status : worst;
		for (int k = 0; k < VERDICTS; k++) {
			sum.claims.of[k] += one.claims.of[k];
			sum.sentences.of[k] += one.sentences.of[k];
		}
		if (r.count > 1) {
			print_counts(f->label, &one);
			putchar('\n');
		}
	}
	renew_index(q, l);
	print_counts(q->word, &sum);
	return worst;
}

int command_reproduce(const struct arguments *a)
{
	struct figure_list l;
	struct request q;
	struct weir_error e;
	int status;

	if (read_request(a, &q, &e) || figures_find(&l, q.papers, &e))
		return complain(EXIT_MISTAKE, &e);
	if (q.summary)
		status = summarise(&q, &l);
	else if (q.word)
		status = run_all(&q, &l);
	else
		status = list_figures(&l, q.out);
	figures_free(&l);
	return status;
}
