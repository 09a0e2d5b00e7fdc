/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c -- weir export: a result folder for other programs. */
#include "cli/options.h"
#include "lab/store/results.h"
#include "base/output.h"
#include "lab/report/report.h"
#include <string.h>

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

/* What goes to standard output cannot be taken back: all is compared before. (Files appear when all
 * of their rows have been compared.) */
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
		weir_error_set(&e,
			       "export: where to? Write --csv DIR, --json FILE or --plots DIR, or "
			       "several of them");
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
