/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c -- weir report [FOLDER]: a result folder as one HTML file, or its charts as SVG
 * files. */
#include "cli/folder.h"
#include "base/output.h"
#include "lab/report/report.h"
#include <stdlib.h>

static int write_html(const char *path, const struct report *r, struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	report_html(o.stream, r);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

static void tell(const char *path, const struct report *r)
{
	printf("%s: %u run%s, %u chart%s\n", path, r->compare.runs.count,
	       r->compare.runs.count == 1 ? "" : "s", r->charts.count,
	       r->charts.count == 1 ? "" : "s");
}

/* Without --svg, or with -o, an HTML file; with --svg the charts. */
static int write_report(const struct arguments *a, const char *folder, const struct report *r)
{
	const char *html = arguments_option(a, "-o"), *svg = arguments_option(a, "--svg");
	struct weir_error e;
	char *path = NULL;
	int status = EXIT_FINE;

	text_print(&path, html ? "%s" : "%s/report.html", html ? html : folder);
	if (svg && report_svg(svg, r, &e))
		status = complain(EXIT_WORLD, &e);
	else if (svg)
		tell(svg, r);
	if (status == EXIT_FINE && (html || !svg)) {
		if (write_html(path, r, &e))
			status = complain(EXIT_WORLD, &e);
		else
			tell(path, r);
	}
	free(path);
	return status;
}

int command_report(const struct arguments *a)
{
	char folder[FOLDER_SIZE];
	struct report report;
	struct store *store;
	struct weir_error e;
	int status = open_results(a, folder, &store), failed;

	if (status != EXIT_FINE)
		return status;
	failed = report_read(&report, store, asked_scope(a), &e);
	store_close(store);
	if (failed == -2)
		return complain(EXIT_WORLD, &e);
	if (failed) {
		weir_error_prefix(&e, "%.200s: ", folder);
		return complain(EXIT_MISTAKE, &e);
	}
	status = write_report(a, folder, &report);
	tell_left_out(stdout, report.compare.runs.left_out);
	report_free(&report);
	return status;
}
