/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c -- weir table: the runs of a result folder as one table. */
#include "cli/commands.h"
#include "cli/folder.h"
#include "base/output.h"
#include "lab/analysis/compare.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int write_csv(const char *path, const struct comparison *c)
{
	struct weir_error e;
	struct output o;

	if (strcmp(path, "-") == 0) {
		comparison_csv(stdout, c);
		return EXIT_FINE;
	}
	if (output_open(&o, path, &e))
		return complain(EXIT_WORLD, &e);
	comparison_csv(o.stream, c);
	return output_finish(&o, &e) || output_publish(&o, &e) ? complain(EXIT_WORLD, &e)
							       : EXIT_FINE;
}

/* Returns an exit status. */
static int print_table(const struct arguments *a, const struct compare_request *q,
		       struct weir_error *e)
{
	const struct compare_layout layout = {
		.width = line_width(stdout),
		.all = q->metric_count > 0 || arguments_option(a, "--wide"),
		.relative = q->normalize_to != NULL,
	};
	const char *csv = arguments_option(a, "--csv");
	struct comparison c;
	struct store *store;
	char folder[FOLDER_SIZE];
	uint64_t planned = 0, done = 0;
	int failed, status;

	status = open_results(a, folder, &store);
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
		return complain(failed == -2 ? EXIT_WORLD : EXIT_MISTAKE, e);
	}
	status = csv ? write_csv(csv, &c) : EXIT_FINE;
	if (!csv) {
		comparison_print(stdout, &c, &layout);
		if (q->normalize_to) {
			char line[WEIR_OPT_TEXT_SIZE + 64];

			snprintf(line, sizeof(line),
				 "Relative to %.*s, run by run of the same seed.",
				 WEIR_OPT_TEXT_SIZE, q->normalize_to);
			comparison_print_line(stdout, layout.width, line);
		}
		if (q->same == ROWS_JOINED && print_answer(&c, store, q->normalize_to, e))
			status = complain(EXIT_WORLD, e);
	}
	store_close(store);
	if (done < planned)
		fprintf(csv ? stderr : stdout,
			"%" PRIu64 " of %" PRIu64 " runs of the latest sweep are missing.\n",
			planned - done, planned);
	tell_left_out(csv ? stderr : stdout, c.runs.left_out);
	comparison_free(&c);
	return status;
}

int command_table(const struct arguments *a)
{
	const char **by = memory_zeroed(a->count, sizeof(*by)),
		   **metrics = memory_zeroed(a->count, sizeof(*metrics));
	struct compare_request q = { .normalize_to = arguments_option(a, "--normalize-to"),
				     .sort = arguments_option(a, "--sort"),
				     .sizes = arguments_option(a, "--sizes"),
				     .scope = asked_scope(a) };
	struct weir_error e = { "" };
	int status;

	q.by_count = arguments_values(a, "--by", by);
	q.metric_count = arguments_values(a, "--metric", metrics);
	q.by = by;
	q.metrics = metrics;
	q.same = q.by_count + q.metric_count == 0 ? ROWS_JOINED : ROWS_APART;
	status = print_table(a, &q, &e);
	free(by);
	free(metrics);
	return status;
}
