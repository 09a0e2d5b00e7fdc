/* report.c -- weir report [FOLDER]: a result folder as one HTML file, or its charts as SVG files. */
#include "cli/folder.h"
#include "lab/output.h"
#include "lab/report.h"
#include <stdlib.h>

static int write_html(const char *path, const struct report *r, struct error *e)
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
	struct error e;
	char *path = NULL;
	int status = EXIT_FINE;

	chart_text(&path, html ? "%s" : "%s/report.html", html ? html : folder);
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

static int read_report(const char *folder, struct report *r, struct error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, folder, STORE_READ, e))
		return -1;
	failed = report_read(r, store, e);
	store_close(store);
	return failed ? error_prefix(e, "%.200s: ", folder) : 0;
}

int command_report(const struct arguments *a)
{
	char folder[FOLDER_SIZE];
	struct report report;
	struct error e;
	int status;

	if (find_folder(a, folder, &e) || read_report(folder, &report, &e))
		return complain(EXIT_MISTAKE, &e);
	status = write_report(a, folder, &report);
	report_free(&report);
	return status;
}
