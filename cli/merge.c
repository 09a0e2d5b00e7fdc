/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c -- weir merge: merges the shards of a sweep into one result folder
 * (lab/campaign/shard.h). */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/shard.h"
#include "cli/commands.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct cli_option merge_arguments[] = {
	{ "--out", "FOLDER", "result folder; may already hold runs of the same sweep",
	  OFFER_FOLDER },
	{ .name = NULL },
};

static const char merge_more[] =
	"weir run mine.ini --shard 1/2     on one machine\n"
	"weir run mine.ini --shard 2/2     on another, with the same build\n"
	"weir merge mine.*-of-2.results --out mine.results\n"
	"\n"
	"Folders may overlap if their common runs are equal. Folders of another scenario, "
	"other\n"
	"settings or another version are refused, and nothing is written. If runs are missing, "
	"the\n"
	"shards that lack them are named, and the exit status is 1.\n";

static int merge_is_same_folder(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Prints "shard 3/16 lacks 6 runs, shard 4/16 lacks 1", for the first few shards. */
static void merge_print_lacking(const struct merge *m)
{
	enum { SHOWN = 8 };
	uint32_t lacking = 0;

	for (uint32_t i = 0; i < m->shard_count; i++) {
		if (!m->lacking[i])
			continue;
		if (lacking++ < SHOWN)
			fprintf(stderr, "%s shard %" PRIu32 "/%" PRIu32 " lacks %" PRIu64 "%s",
				lacking == 1 ? ";" : ",", i + 1, m->shard_count, m->lacking[i],
				lacking > 1          ? ""
				: m->lacking[i] == 1 ? " run"
						     : " runs");
	}
	if (lacking > SHOWN)
		fprintf(stderr, " and %" PRIu32 " more shards some", lacking - SHOWN);
}

static int merge_print_result(struct merge *m)
{
	struct weir_error e;
	int status = EXIT_FINE;

	if (merge_folders(m, &e)) {
		merge_free(m);
		return cli_error(EXIT_WORLD, &e);
	}
	printf("%s: %" PRIu64 " of %" PRIu64 " runs, %" PRIu64 " of them new", m->out,
	       m->planned - m->missing, m->planned, m->added);
	if (m->again)
		printf("; %" PRIu64 " were found again, and are the same", m->again);
	putchar('\n');
	if (m->missing) {
		fflush(stdout);
		fprintf(stderr, "weir: %" PRIu64 " of %" PRIu64 " runs are missing", m->missing,
			m->planned);
		merge_print_lacking(m);
		fputs("; run these, and merge again\n", stderr);
		status = EXIT_WORLD;
	}
	merge_free(m);
	return status;
}

static int merge_main(const struct arguments *a)
{
	struct merge m = { .out = arguments_option(a, "--out") };
	const char **folders = memory_zeroed(a->count, sizeof(*folders));
	struct weir_error e = { "" };
	int status;

	while (arguments_word(a, m.folder_count)) {
		folders[m.folder_count] = arguments_word(a, m.folder_count);
		if (m.out && merge_is_same_folder(m.out, folders[m.folder_count]))
			weir_error_set(&e,
				       "--out %.200s: is one of the folders to be merged; name "
				       "another",
				       m.out);
		m.folder_count++;
	}
	if (!m.out || !*m.out)
		weir_error_set(&e, "merge: --out FOLDER is missing");
	m.folders = folders;
	status = e.text[0] ? cli_error(EXIT_MISTAKE, &e) : merge_print_result(&m);
	free(folders);
	return status;
}

const struct command command_merge = {
	.name = "merge",
	.usage = "FOLDER... --out FOLDER",
	.help = "merges the shards of a sweep into one result folder, and names missing runs",
	.options = merge_arguments,
	.words_min = 1,
	.words_max = SIZE_MAX,
	.run = merge_main,
	.more = merge_more,
	.offer = OFFER_FOLDER,
};
