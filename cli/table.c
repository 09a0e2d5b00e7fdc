/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c -- weir table: the runs of a result folder as one table. */
#include "cli/options.h"
#include "base/output.h"
#include "lab/analysis/compare.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
