/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce_ship.c -- the verdicts of runs that are here become those that Weir comes with; and
 * which of the two a reader is shown. */
#include "base/output.h"
#include "lab/report/reproduce.h"
#include <stdlib.h>
#include <string.h>

static int has_other(const struct summary_entry *y, int size)
{
	return strcmp(y->shipped[size].digest.text, y->digest[size].text) != 0;
}

int summary_is_run(const struct summary_entry *y, int size)
{
	return y->states[size].done && !y->states[size].freshness.extra;
}

int summary_is_shipped(const struct summary_entry *y, int size)
{
	return !summary_is_run(y, size) && y->shipped[size].version[0] && !has_other(y, size);
}

int summary_is_outdated(const struct summary_entry *y, int size)
{
	return !summary_is_run(y, size) && y->shipped[size].version[0] && has_other(y, size);
}

const struct findings *summary_certain(const struct summary_entry *y, int size)
{
	if (freshness_is_complete(&y->states[size].freshness))
		return &y->run[size];
	return y->shipped[size].version[0] && !has_other(y, size) ? &y->shipped[size] : NULL;
}

static void write_paper(FILE *f, const struct summary *y, const char *paper)
{
	fputs("# Verdicts that Weir comes with. Written by weir reproduce --summary --ship; "
	      "docs/manual/08-papers.md says what is what.\n",
	      f);
	for (uint32_t i = 0; i < y->count; i++)
		for (int size = 0; size < FIGURE_SIZES; size++) {
			const struct summary_entry *one = &y->all[i];
			const struct findings *o =
				freshness_is_complete(&one->states[size].freshness)
					? &one->run[size]
					: &one->shipped[size];

			if (strcmp(one->files->paper, paper) == 0 && o->version[0])
				shipped_write(f, one->files->name, (enum figure_size)size, o);
		}
}

int summary_ship(const struct summary *y, struct weir_error *e)
{
	for (uint32_t i = 0; i < y->count; i++) {
		const struct figure_files *files = y->all[i].files;
		struct output o;
		char *path;
		int failed;

		if (i > 0 && strcmp(files->paper, y->all[i - 1].files->paper) == 0)
			continue;
		path = shipped_file(files->scenario);
		failed = output_open(&o, path, e);
		free(path);
		if (failed)
			return -1;
		write_paper(o.stream, y, files->paper);
		if (output_finish(&o, e) || output_publish(&o, e))
			return -1;
	}
	return 0;
}
