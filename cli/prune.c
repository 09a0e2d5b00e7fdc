/* SPDX-License-Identifier: BSD-3-Clause */
/* prune.c -- weir prune [FOLDER]: deletes the runs that the latest sweep does not name. */
#include "cli/folder.h"
#include "lab/store/results.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* Of the file, in bytes; 0: not known. */
static double file_bytes(const char *folder)
{
	char path[FOLDER_SIZE + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/results.db", folder);
	return stat(path, &st) == 0 ? (double)st.st_size : 0;
}

static void tell(const char *folder, enum prune_mode mode, uint64_t pruned, double before)
{
	const char *runs = pruned == 1 ? "run" : "runs";
	double freed = before - file_bytes(folder);

	if (mode == PRUNE_DRY)
		printf("%s: %" PRIu64 " %s not of the latest sweep would be deleted\n", folder,
		       pruned, runs);
	else
		printf("%s: %" PRIu64 " %s not of the latest sweep deleted, %s freed\n", folder,
		       pruned, runs, human_bytes(freed > 0 ? freed : 0).text);
}

int command_prune(const struct arguments *a)
{
	enum prune_mode mode = arguments_option(a, "--dry-run") ? PRUNE_DRY : PRUNE;
	char folder[FOLDER_SIZE];
	struct store *store;
	uint64_t pruned;
	struct weir_error e;
	double before;
	int status = open_results(a, folder, &store), failed;

	if (status != EXIT_FINE)
		return status;
	before = file_bytes(folder);
	if (mode == PRUNE) { /* it is there: opening it to write does not make it */
		store_close(store);
		if (store_open(&store, folder, STORE_WRITE, &e))
			return complain(EXIT_WORLD, &e);
	}
	failed = store_prune(store, mode, &pruned, &e);
	store_close(store);
	if (failed)
		return complain(EXIT_WORLD, &e);
	tell(folder, mode, pruned, before);
	return EXIT_FINE;
}
