/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c -- what is known of each figure: from the runs in its result folders, judged now, and
 * from the verdicts that ship with Weir; and which of the two a reader is shown. */
#define _DEFAULT_SOURCE
#include "base/ini.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "lab/report/reproduce.h"
#include "lab/store/results.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- results of a figure in one size --- */

/* "0.2.0" of "0.2.0+0a1b2c3d4e5f". */
static void state_add_version(struct figure_state *st, const char *version)
{
	size_t length = strcspn(version, "+");

	if (!st->version[0])
		snprintf(st->version, sizeof(st->version), "%.*s", (int)length, version);
	else if (strlen(st->version) != length || strncmp(st->version, version, length) != 0)
		snprintf(st->version, sizeof(st->version), "several");
}

/* Counts the runs and adds up their CPU time. */
static int state_read_runs(struct figure_state *st, struct store *s, const struct figure *f,
			   const struct figure_results *at, struct weir_error *e)
{
	int cpu_seconds = metric_index("cpu_seconds");
	struct stored_runs runs;
	int failed = 0;

	if (store_progress(s, &st->planned, &st->done, e) || store_runs(s, STORE_PLANNED, &runs, e))
		return -1;
	for (uint32_t i = 0; i < runs.count; i++) {
		st->run_seconds += runs.runs[i].value[cpu_seconds];
		state_add_version(st, runs.runs[i].version);
	}
	if (at->scenario && runs.count)
		failed = freshness_read(&st->freshness, f, at->scenario, at->size, &runs, e);
	stored_runs_free(&runs);
	return failed;
}

static int state_judge(struct figure_state *st, struct store *s, const struct figure *f,
		       enum figure_size size, struct weir_error *e)
{
	st->verdicts = memory_grow(NULL, f->judged_count + UINT64_C(1), sizeof(*st->verdicts));
	if (figure_judge(s, f, size, st->verdicts, e))
		return -1;
	st->claims = verdict_count(f, st->verdicts);
	st->sentences = verdict_count_sentences(f, st->verdicts);
	return 0;
}

int figure_state_read(struct figure_state *st, const struct figure *f,
		      const struct figure_results *at, struct weir_error *e)
{
	struct store *s = NULL;
	char *path = NULL;
	int failed;

	*st = (struct figure_state){ .planned = 0 };
	text_print(&path, "%s/results.db", at->folder);
	failed = access(path, F_OK) == 0 && store_open(&s, at->folder, STORE_READ, e);
	free(path);
	if (failed)
		return -1;
	failed = s && state_read_runs(st, s, f, at, e);
	if (!failed && (st->done || at->judges == JUDGES_ALWAYS))
		failed = state_judge(st, st->done ? s : NULL, f, at->size, e);
	if (s)
		store_close(s);
	if (!failed)
		return 0;
	figure_state_free(st);
	return weir_error_prefix(e, "%.200s: ", at->folder);
}

void figure_state_free(struct figure_state *st)
{
	free(st->verdicts);
	*st = (struct figure_state){ .planned = 0 };
}

/* --- all figures --- */

/* The results of the runs in a folder, in the form in which they are shipped. */
static void summary_make_findings(struct summary_entry *y, int size)
{
	const struct figure_state *st = &y->states[size];
	struct findings *o = &y->run[size];

	findings_make(o, &y->figure, (enum figure_size)size, st->verdicts);
	memcpy(o->version, st->version, sizeof(o->version));
	o->digest = y->digest[size].settings;
	o->runs = st->done;
	o->seconds = round(st->run_seconds * 10) / 10;
}

/* Digests of the former form, of a scenario with all its cases, become those of today. */
static void summary_convert(struct findings *o, const struct figure *f,
			    const struct scenario_digest *d, enum figure_size size)
{
	if (strcmp(o->former.text, d->whole.text) != 0)
		return;
	o->digest = d->settings;
	findings_convert(o, f, size);
}

static int summary_read_size(struct summary_entry *y, const char *out, int size,
			     struct weir_error *e)
{
	const struct figure_files *files = y->files;
	char *folder = figure_folder(files, out, (enum figure_size)size), *page = NULL;
	const struct figure_results at = { .folder = folder,
					   .scenario = files->scenario,
					   .size = (enum figure_size)size };
	int failed = scenario_digest(&y->digest[size], &y->figure, files->scenario, at.size, e) ||
		     figure_state_read(&y->states[size], &y->figure, &at, e);

	if (!failed) {
		if (y->states[size].done)
			summary_make_findings(y, size);
		summary_convert(&y->shipped[size], &y->figure, &y->digest[size], at.size);
		findings_judge(&y->shipped[size], &y->figure, at.size);
		text_print(&page, "%s/" FIGURE_PAGE, folder);
		y->has_page[size] = access(page, R_OK) == 0;
	}
	free(page);
	free(folder);
	return failed ? -1 : 0;
}

int summary_entry_read(struct summary_entry *y, const struct figure_files *files, const char *out,
		       struct weir_error *e)
{
	static const struct ini_form form = { .what = "a text" };
	int failed;

	*y = (struct summary_entry){ .files = files };
	if (figure_read(&y->figure, files->claims, e))
		return -1;
	failed = shipped_read(y->shipped, files->scenario, e);
	for (int size = 0; size < FIGURE_SIZES && !failed; size++)
		failed = summary_read_size(y, out, size, e);
	if (failed || paper_file_load(files->scenario, "paper.md", &form, &y->text, e) < 0) {
		summary_entry_free(y);
		return -1;
	}
	return 0;
}

void summary_entry_free(struct summary_entry *y)
{
	for (int size = 0; size < FIGURE_SIZES; size++) {
		figure_state_free(&y->states[size]);
		findings_free(&y->run[size]);
		findings_free(&y->shipped[size]);
	}
	figure_free(&y->figure);
	free(y->text);
}

int summary_read(struct summary *y, const struct figure_list *l, const char *out,
		 struct weir_error *e)
{
	*y = (struct summary){ 0, NULL };
	y->all = memory_grow(NULL, l->count + UINT64_C(1), sizeof(*y->all));
	for (; y->count < l->count; y->count++)
		if (summary_entry_read(&y->all[y->count], &l->all[y->count], out, e)) {
			summary_free(y);
			return -1;
		}
	return 0;
}

void summary_free(struct summary *y)
{
	for (uint32_t i = 0; i < y->count; i++)
		summary_entry_free(&y->all[i]);
	free(y->all);
	*y = (struct summary){ 0, NULL };
}

/* --- which results are shown --- */

static int summary_has_other_digest(const struct summary_entry *y, int size)
{
	return strcmp(y->shipped[size].digest.text, y->digest[size].settings.text) != 0;
}

int summary_is_run(const struct summary_entry *y, int size)
{
	return y->states[size].done && !y->states[size].freshness.extra;
}

int summary_is_shipped(const struct summary_entry *y, int size)
{
	return !summary_is_run(y, size) && y->shipped[size].version[0] &&
	       !summary_has_other_digest(y, size);
}

int summary_is_outdated(const struct summary_entry *y, int size)
{
	return !summary_is_run(y, size) && y->shipped[size].version[0] &&
	       summary_has_other_digest(y, size);
}

const struct findings *summary_certain(const struct summary_entry *y, int size)
{
	if (freshness_is_complete(&y->states[size].freshness))
		return &y->run[size];
	return y->shipped[size].version[0] && !summary_has_other_digest(y, size) ? &y->shipped[size]
										 : NULL;
}

/* --- shipping --- */

static void summary_write_paper(FILE *f, const struct summary *y, const char *paper)
{
	fputs("# Shipped verdicts. Written by weir reproduce --summary --ship; format in "
	      "docs/manual/08-papers.md.\n",
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
		path = paper_file(files->scenario, SHIPPED_FILE);
		failed = output_open(&o, path, e);
		free(path);
		if (failed)
			return -1;
		summary_write_paper(o.stream, y, files->paper);
		if (output_finish(&o, e) || output_publish(&o, e))
			return -1;
	}
	return 0;
}
