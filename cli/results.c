/* SPDX-License-Identifier: BSD-3-Clause */
/* results.c -- commands on a result folder: weir table, export, report and prune. The folder is
 * the first word, or the only *.results in the current directory. */
#include "cli/options.h"
#include "base/memory.h"
#include "base/output.h"
#include "lab/analysis/compare.h"
#include "lab/report/report.h"
#include "lab/store/results.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- weir table --- */

static const struct cli_option table_arguments[] = {
	{ "--by", "SETTING",
	  "a row per value of this setting, as in switch.marking; may be given several times; "
	  "unless given, every setting that differs, without the seed. Or by part of each run: "
	  "traffic (its sections), traffic-class, flow-size",
	  OFFER_SETTING },
	{ "--sizes", "LIST",
	  "with --by flow-size: boundaries, as in 10KB, 1MB; tenths of the flows unless given",
	  OFFER_NOTHING },
	{ "--metric", "NAME",
	  "a column; may be given several times. Besides those of 'weir list metric' "
	  "there are fct_ and slowdown_ of small_, medium_, large_, over_1mb_ flows, or of all, "
	  "by mean, p50, p95, p99, p999, and _ns after fct: fct_over_1mb_p99_ns, "
	  "slowdown_small_mean",
	  OFFER_METRIC },
	{ "--wide", NULL, "all default columns, in several tables", OFFER_NOTHING },
	{ "--normalize-to", "VALUE",
	  "ratios to the row with this value, written as in [sweep]: ecn, 20%; paired by seed; "
	  "~: not significant (95 % CI includes 1)",
	  OFFER_NOTHING },
	{ "--sort", "NAME", "sorts by this metric, ascending; -NAME: descending", OFFER_METRIC },
	{ "--csv", "FILE", "writes the table as CSV instead; - is standard output", OFFER_FILE },
	OPTION_ALL,
	{ .name = NULL },
};

static int table_write_csv(const char *path, const struct comparison *c)
{
	struct weir_error e;
	struct output o;

	if (strcmp(path, "-") == 0) {
		comparison_csv(stdout, c);
		return EXIT_FINE;
	}
	if (output_open(&o, path, &e))
		return cli_error(EXIT_WORLD, &e);
	comparison_csv(o.stream, c);
	return output_finish(&o, &e) || output_publish(&o, &e) ? cli_error(EXIT_WORLD, &e)
							       : EXIT_FINE;
}

/* Returns an exit status. */
static int table_print(const struct arguments *a, const struct compare_request *q,
		       struct weir_error *e)
{
	const struct compare_layout layout = {
		.width = cli_line_width(stdout),
		.all = q->metric_count > 0 || arguments_option(a, "--wide"),
		.relative = q->normalize_to != NULL,
	};
	const char *csv = arguments_option(a, "--csv");
	struct comparison c;
	struct store *store;
	char folder[FOLDER_SIZE];
	uint64_t planned = 0, done = 0;
	int failed, status;

	status = folder_open_results(a, folder, &store);
	if (status != EXIT_FINE)
		return status;
	failed = comparison_make(&c, store, q, e);
	if (!failed && store_progress(store, &planned, &done, e)) {
		comparison_free(&c);
		failed = -2;
	}
	if (failed) {
		store_close(store);
		if (failed == -1)
			weir_error_prefix(e, "%.200s: ", folder);
		return cli_error(failed == -2 ? EXIT_WORLD : EXIT_MISTAKE, e);
	}
	status = csv ? table_write_csv(csv, &c) : EXIT_FINE;
	if (!csv) {
		comparison_print(stdout, &c, &layout);
		if (q->normalize_to) {
			char line[WEIR_OPT_TEXT_SIZE + 64];

			snprintf(line, sizeof(line), "Ratios to %.*s, paired by seed.",
				 WEIR_OPT_TEXT_SIZE, q->normalize_to);
			comparison_print_line(stdout, layout.width, line);
		}
		if (q->same == ROWS_JOINED && folder_print_answer(&c, store, q->normalize_to, e))
			status = cli_error(EXIT_WORLD, e);
	}
	store_close(store);
	if (done < planned)
		fprintf(csv ? stderr : stdout,
			"%" PRIu64 " of %" PRIu64 " runs of the latest sweep are missing.\n",
			planned - done, planned);
	folder_print_left_out(csv ? stderr : stdout, c.runs.left_out);
	comparison_free(&c);
	return status;
}

static int table_main(const struct arguments *a)
{
	const char **by = memory_zeroed(a->count, sizeof(*by)),
		   **metrics = memory_zeroed(a->count, sizeof(*metrics));
	struct compare_request q = { .normalize_to = arguments_option(a, "--normalize-to"),
				     .sort = arguments_option(a, "--sort"),
				     .sizes = arguments_option(a, "--sizes"),
				     .scope = folder_scope(a) };
	struct weir_error e = { "" };
	int status;

	q.by_count = arguments_values(a, "--by", by);
	q.metric_count = arguments_values(a, "--metric", metrics);
	q.by = by;
	q.metrics = metrics;
	q.same = q.by_count + q.metric_count == 0 ? ROWS_JOINED : ROWS_APART;
	status = table_print(a, &q, &e);
	free(by);
	free(metrics);
	return status;
}

const struct command command_table = {
	.name = "table",
	.usage = "[FOLDER]",
	.help = "compares the runs in a result folder (default: the only *.results here)",
	.options = table_arguments,
	.words_max = 1,
	.run = table_main,
	.offer = OFFER_FOLDER,
};

/* --- weir export --- */

static const struct cli_option export_arguments[] = {
	OPTION_CSV("DIR"),
	{ "--json", "FILE", "writes all in one file; - is standard output", OFFER_FILE },
	{ "--plots", "DIR",
	  "writes the charts of the report for gnuplot (NAME.dat, NAME.gp) and matplotlib "
	  "(plots.py); both write NAME.pdf",
	  OFFER_FOLDER },
	OPTION_ALL,
	{ .name = NULL },
};

static int export_write_json(const char *path, struct store *s, const struct stored_runs *runs,
			     struct weir_error *e)
{
	struct output o;

	if (strcmp(path, "-") == 0)
		return export_json(stdout, s, runs, e);
	if (output_open(&o, path, e))
		return -1;
	if (export_json(o.stream, s, runs, e)) {
		output_abandon(&o);
		return -1;
	}
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

/* Verifies the digests of all runs before anything goes to standard output. (Files are published
 * after their rows were verified.) */
static int export_check_runs(struct store *s, const struct stored_runs *runs, struct weir_error *e)
{
	for (uint32_t i = 0; i < runs->count; i++)
		if (store_check_run(s, runs->runs[i].id, e))
			return -1;
	return 0;
}

static int export_write_plots(const char *folder, struct store *s, enum store_scope scope,
			      struct weir_error *e)
{
	struct report r;
	int failed;

	if (report_read(&r, s, scope, e))
		return -1;
	failed = report_plots(folder, &r, e);
	report_free(&r);
	return failed;
}

static int export_main(const struct arguments *a)
{
	const char *csv = arguments_option(a, "--csv"), *json = arguments_option(a, "--json");
	const char *plots = arguments_option(a, "--plots");
	char folder[FOLDER_SIZE];
	struct stored_runs runs;
	struct store *store;
	struct weir_error e;
	int failed, status;

	if (!csv && !json && !plots) {
		weir_error_set(&e, "export: no destination; add --csv DIR, --json FILE or --plots "
				   "DIR, or several of them");
		return cli_error(EXIT_MISTAKE, &e);
	}
	status = folder_open_results(a, folder, &store);
	if (status != EXIT_FINE)
		return status;
	failed = store_runs(store, folder_scope(a), &runs, &e);
	if (!failed) {
		failed = (json && strcmp(json, "-") == 0 && export_check_runs(store, &runs, &e)) ||
			 (csv && export_csv(csv, store, &runs, &e)) ||
			 (json && export_write_json(json, store, &runs, &e)) ||
			 (plots && runs.count > 0 &&
			  export_write_plots(plots, store, folder_scope(a), &e));
		if (!failed)
			folder_print_left_out(stderr, runs.left_out);
		stored_runs_free(&runs);
	}
	store_close(store);
	return failed ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

const struct command command_export = {
	.name = "export",
	.usage = "[FOLDER]",
	.help = "writes the runs, flows, ports and series in a result folder for other programs",
	.options = export_arguments,
	.words_max = 1,
	.run = export_main,
	.offer = OFFER_FOLDER,
};

/* --- weir report --- */

static const struct cli_option report_arguments[] = {
	{ "-o", "FILE", "output file, in place of report.html in the folder", OFFER_FILE },
	{ "--svg", "DIR", "writes every chart as an SVG file instead; with -o in addition",
	  OFFER_FOLDER },
	OPTION_ALL,
	{ .name = NULL },
};

static int report_write_html(const char *path, const struct report *r, struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	report_html(o.stream, r);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

static void report_print_result(const char *path, const struct report *r)
{
	printf("%s: %u run%s, %u chart%s\n", path, r->compare.runs.count,
	       r->compare.runs.count == 1 ? "" : "s", r->charts.count,
	       r->charts.count == 1 ? "" : "s");
}

/* Writes an HTML file without --svg or with -o, and the charts with --svg. */
static int report_write(const struct arguments *a, const char *folder, const struct report *r)
{
	const char *html = arguments_option(a, "-o"), *svg = arguments_option(a, "--svg");
	struct weir_error e;
	char *path = NULL;
	int status = EXIT_FINE;

	text_print(&path, html ? "%s" : "%s/report.html", html ? html : folder);
	if (svg && report_svg(svg, r, &e))
		status = cli_error(EXIT_WORLD, &e);
	else if (svg)
		report_print_result(svg, r);
	if (status == EXIT_FINE && (html || !svg)) {
		if (report_write_html(path, r, &e))
			status = cli_error(EXIT_WORLD, &e);
		else
			report_print_result(path, r);
	}
	free(path);
	return status;
}

static int report_main(const struct arguments *a)
{
	char folder[FOLDER_SIZE];
	struct report report;
	struct store *store;
	struct weir_error e;
	int status = folder_open_results(a, folder, &store), failed;

	if (status != EXIT_FINE)
		return status;
	failed = report_read(&report, store, folder_scope(a), &e);
	store_close(store);
	if (failed == -2)
		return cli_error(EXIT_WORLD, &e);
	if (failed) {
		weir_error_prefix(&e, "%.200s: ", folder);
		return cli_error(EXIT_MISTAKE, &e);
	}
	status = report_write(a, folder, &report);
	folder_print_left_out(stdout, report.compare.runs.left_out);
	report_free(&report);
	return status;
}

const struct command command_report = {
	.name = "report",
	.usage = "[FOLDER]",
	.help = "writes the runs of a result folder (default: the only *.results here) as one "
		"HTML file with charts",
	.options = report_arguments,
	.words_max = 1,
	.run = report_main,
	.offer = OFFER_FOLDER,
};

/* --- weir prune --- */

static const struct cli_option prune_arguments[] = {
	{ "--dry-run", NULL, "deletes nothing; prints how many runs it would delete",
	  OFFER_NOTHING },
	{ .name = NULL },
};

/* Size of the store's file; 0: unknown. */
static double prune_file_bytes(const char *folder)
{
	char path[FOLDER_SIZE + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/results.db", folder);
	return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

static void prune_print_result(const char *folder, enum prune_mode mode, uint64_t pruned,
			       double before)
{
	const char *runs = pruned == 1 ? "run" : "runs";
	double freed = before - prune_file_bytes(folder);

	if (mode == PRUNE_DRY)
		printf("%s: %" PRIu64 " %s not of the latest sweep would be deleted\n", folder,
		       pruned, runs);
	else
		printf("%s: %" PRIu64 " %s not of the latest sweep deleted, %s freed\n", folder,
		       pruned, runs, format_bytes(freed > 0 ? freed : 0).text);
}

static int prune_main(const struct arguments *a)
{
	enum prune_mode mode = arguments_option(a, "--dry-run") ? PRUNE_DRY : PRUNE;
	char folder[FOLDER_SIZE];
	struct store *store;
	uint64_t pruned;
	struct weir_error e;
	double before;
	int status = folder_open_results(a, folder, &store), failed;

	if (status != EXIT_FINE)
		return status;
	before = prune_file_bytes(folder);
	if (mode == PRUNE) { /* the store exists, so opening it for writing does not create it */
		store_close(store);
		if (store_open(&store, folder, STORE_WRITE, &e))
			return cli_error(EXIT_WORLD, &e);
	}
	failed = store_prune(store, mode, &pruned, &e);
	store_close(store);
	if (failed)
		return cli_error(EXIT_WORLD, &e);
	prune_print_result(folder, mode, pruned, before);
	return EXIT_FINE;
}

const struct command command_prune = {
	.name = "prune",
	.usage = "[FOLDER]",
	.help = "deletes the runs of a result folder that are not of its latest sweep",
	.options = prune_arguments,
	.words_max = 1,
	.run = prune_main,
	.offer = OFFER_FOLDER,
};
