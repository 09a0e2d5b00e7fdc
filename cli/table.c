/* table.c -- weir table: the runs of a result folder as one table. */
#include "cli/commands.h"
#include "cli/folder.h"
#include "lab/compare/compare.h"
#include "sim/base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* All values of an option that may be given several times, at most as many as there are arguments. */
static uint32_t all_values(const struct arguments *a, const char *name, const char **values)
{
	uint32_t count = 0;

	for (size_t i = 0; i < a->count; i++)
		if (a->all[i].option && strcmp(a->all[i].option->name, name) == 0)
			values[count++] = a->all[i].value;
	return count;
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
	store_close(store);
	if (failed == -2)
		return complain(EXIT_WORLD, e);
	if (failed) {
		weir_error_prefix(e, "%.200s: ", folder);
		return complain(EXIT_MISTAKE, e);
	}
	comparison_print(stdout, &c, &layout);
	if (q->normalize_to)
		printf("Relative to %s, run by run of the same seed.\n", q->normalize_to);
	if (done < planned)
		printf("%" PRIu64 " of %" PRIu64 " runs of the latest sweep are missing.\n",
		       planned - done, planned);
	tell_left_out(stdout, c.runs.left_out);
	comparison_free(&c);
	return EXIT_FINE;
}

int command_table(const struct arguments *a)
{
	const char **by = memory_zeroed(a->count, sizeof(*by)),
		   **metrics = memory_zeroed(a->count, sizeof(*metrics));
	struct compare_request q = { .normalize_to = arguments_option(a, "--normalize-to"),
				     .scope = asked_scope(a) };
	struct weir_error e = { "" };
	int status;

	q.by_count = all_values(a, "--by", by);
	q.metric_count = all_values(a, "--metric", metrics);
	q.by = by;
	q.metrics = metrics;
	status = print_table(a, &q, &e);
	free(by);
	free(metrics);
	return status;
}
