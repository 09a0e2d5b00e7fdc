/* reproduce_ship.c -- the verdicts of runs that are here become those that Weir comes with. */
#include "lab/base/output.h"
#include "lab/base/version.h"
#include "lab/papers/reproduce.h"
#include <stdlib.h>
#include <string.h>

static int has_other(const struct summary_entry *y, int size)
{
	return strcmp(y->shipped[size].digest.text, y->digest[size].text) != 0;
}

int summary_is_shipped(const struct summary_entry *y, int size)
{
	return !y->states[size].done && y->shipped[size].version[0] && !has_other(y, size);
}

int summary_is_outdated(const struct summary_entry *y, int size)
{
	return !y->states[size].done && y->shipped[size].version[0] && has_other(y, size);
}

/* Of today's runs that are all there, or as it was. */
static struct shipped shipped_now(const struct summary_entry *y, int size)
{
	const struct figure_state *st = &y->states[size];
	struct shipped s = y->shipped[size];

	if (today_is_whole(&st->today)) {
		snprintf(s.version, sizeof(s.version), "%.*s",
			 (int)strcspn(version_of_results().text, "+"), version_of_results().text);
		s.digest = y->digest[size];
		s.claims = st->claims;
		s.sentences = st->sentences;
		s.whys = st->whys;
	}
	return s;
}

static void write_paper(FILE *f, const struct summary *y, const char *paper)
{
	fputs("# Verdicts that Weir comes with: version, digest: how many claims", f);
	for (int i = 0; i < VERDICTS; i++)
		fprintf(f, "%s %s", i ? "," : "", verdict_word((enum verdict_kind)i, 0));
	fputs(" / how many sentences / why claims disagree:", f);
	for (int i = 0; i < WHYS; i++)
		fprintf(f, "%s %s", i ? "," : "", why_name((enum claim_why)i));
	fputs(".\n# Written by weir reproduce --summary --ship.\n[verdicts]\n", f);
	for (uint32_t i = 0; i < y->count; i++)
		for (int size = 0; size < FIGURE_SIZES; size++) {
			const struct shipped s = shipped_now(&y->all[i], size);

			if (strcmp(y->all[i].files->paper, paper) == 0 && s.version[0])
				shipped_write(f, y->all[i].files->name, (enum figure_size)size, &s);
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
