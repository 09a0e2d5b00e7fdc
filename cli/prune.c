/* SPDX-License-Identifier: BSD-3-Clause */
/* prune.c -- weir prune [FOLDER]: deletes the runs that the latest sweep does not name. */
#include "cli/options.h"
#include "lab/store/results.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const struct cli_option prune_arguments[] = {
	{ "--dry-run", NULL, "deletes nothing; prints how many runs it would delete",
	  OFFER_NOTHING },
	{ .name = NULL },
};

/* Of the file, in bytes; 0: not known. */
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
	if (mode == PRUNE) { /* it is there: opening it to write does not make it */
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
