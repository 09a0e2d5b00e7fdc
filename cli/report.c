/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c -- weir report [FOLDER]: a result folder as one HTML file, or its charts as SVG
 * files. */
#include "cli/options.h"
#include "base/output.h"
#include "lab/report/report.h"
#include <stdlib.h>

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

/* Without --svg, or with -o, an HTML file; with --svg the charts. */
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
