/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.c -- finds the figures of papers and names the folders of their results. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/reproduce.h"
#include "lab/report/chart.h"
#include "base/output.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char here[] = "scenarios/papers";
static const char installed[] = "share/weir/papers";
static const char scenario_end[] = ".ini", claims_end[] = ".claims";

const char *const figure_size_names[FIGURE_SIZES] = { "quick", "full" };

/* --- places --- */

static int is_folder(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* PREFIX/share/weir/papers of the PREFIX/bin/weir that runs; NULL: it cannot be known. */
static char *installed_folder(void)
{
	enum { PATH_ROOM = 4096 };
	char program[PATH_ROOM], *path = NULL;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (length <= 0)
		return NULL;
	program[length] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(program, '/');

		if (!slash)
			return NULL;
		*slash = '\0';
	}
	text_print(&path, "%s/%s", program, installed);
	return path;
}

static int choose_folder(struct figure_list *l, const char *wanted, struct weir_error *e)
{
	if (wanted || is_folder(here)) {
		text_print(&l->folder, "%s", wanted ? wanted : here);
		return 0;
	}
	l->folder = installed_folder();
	if (l->folder && is_folder(l->folder))
		return 0;
	return weir_error_set(e, "no figures: there is no folder %s here%s%s; name one by --papers",
			      here, l->folder ? ", nor " : "", l->folder ? l->folder : "");
}

/* --- reading folders --- */

static int ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), wanted = strlen(end);

	return length > wanted && strcmp(name + length - wanted, end) == 0;
}

/* Shows every entry of a folder that does not begin with a dot. */
static int each_entry(const char *folder, void (*show)(void *, const char *), void *context,
		      struct weir_error *e)
{
	DIR *d = opendir(folder);
	struct dirent *entry;

	if (!d)
		return weir_error_set(e, "%.300s: cannot be read: %s", folder, strerror(errno));
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.')
			show(context, entry->d_name);
	closedir(d);
	return 0;
}

struct names {
	uint32_t count;
	char **all;
};

static void keep_name(void *context, const char *name)
{
	struct names *n = context;

	n->all = memory_grow(n->all, n->count + UINT64_C(1), sizeof(*n->all));
	n->all[n->count] = NULL;
	text_print(&n->all[n->count++], "%s", name);
}

static void names_free(struct names *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->all[i]);
	free(n->all);
}

static void add_figure(struct figure_list *l, const char *paper, const char *file)
{
	int length = (int)(strlen(file) - strlen(scenario_end));
	struct figure_files *f;

	l->all = memory_grow(l->all, l->count + UINT64_C(1), sizeof(*l->all));
	f = &l->all[l->count++];
	*f = (struct figure_files){ NULL, NULL, NULL, NULL, NULL };
	text_print(&f->paper, "%s", paper);
	text_print(&f->name, "%.*s", length, file);
	text_print(&f->label, "%s/%s", paper, f->name);
	text_print(&f->scenario, "%s/%s/%s", l->folder, paper, file);
	text_print(&f->claims, "%s/%s/%s%s", l->folder, paper, f->name, claims_end);
}

static int add_paper(struct figure_list *l, const char *paper, struct weir_error *e)
{
	struct names files = { 0, NULL };
	char *folder = NULL;
	int failed = 0;

	text_print(&folder, "%s/%s", l->folder, paper);
	if (is_folder(folder))
		failed = each_entry(folder, keep_name, &files, e);
	for (uint32_t i = 0; i < files.count && !failed; i++)
		if (ends_in(files.all[i], scenario_end))
			add_figure(l, paper, files.all[i]);
	names_free(&files);
	free(folder);
	return failed;
}

/* --- order --- */

/* Numbers inside texts count as such: fig3a, fig4, fig11. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *end_a, *end_b;
			unsigned long long x = strtoull(a, &end_a, 10), y = strtoull(b, &end_b, 10);

			if (x != y)
				return x < y ? -1 : 1;
			a = end_a;
			b = end_b;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static int compare_figures(const void *a, const void *b)
{
	const struct figure_files *p = a, *q = b;
	int order = strcmp(p->paper, q->paper);

	order = order ? order : compare_names(p->name, q->name);
	return order ? order : strcmp(p->name, q->name);
}

int figures_find(struct figure_list *l, const char *folder, struct weir_error *e)
{
	struct names papers = { 0, NULL };
	int failed;

	*l = (struct figure_list){ NULL, 0, NULL };
	failed = choose_folder(l, folder, e) || each_entry(l->folder, keep_name, &papers, e);
	for (uint32_t i = 0; i < papers.count && !failed; i++)
		failed = add_paper(l, papers.all[i], e);
	names_free(&papers);
	if (!failed && l->count == 0)
		failed = weir_error_set(e, "%.300s: has no figures, no PAPER/FIGURE%s", l->folder,
					scenario_end);
	if (failed) {
		figures_free(l);
		return -1;
	}
	qsort(l->all, l->count, sizeof(*l->all), compare_figures);
	return 0;
}

void figures_free(struct figure_list *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		free(l->all[i].paper);
		free(l->all[i].name);
		free(l->all[i].label);
		free(l->all[i].scenario);
		free(l->all[i].claims);
	}
	free(l->all);
	free(l->folder);
	*l = (struct figure_list){ NULL, 0, NULL };
}

/* --- words --- */

static int unknown_word(const struct figure_list *l, const char *word, struct weir_error *e)
{
	const char **names = memory_grow(NULL, l->count + UINT64_C(1), sizeof(*names));
	const char *nearest;
	size_t count = 0;

	for (uint32_t i = 0; i < l->count; i++)
		names[count++] = strchr(word, '/') ? l->all[i].label : l->all[i].paper;
	nearest = weir_nearest_name(word, names, count);
	weir_error_set(
		e, "no paper or figure %s%s%s%s; 'weir reproduce' lists them, and 'all' means all",
		weir_quote(word).text, nearest ? " (nearest: " : "", nearest ? nearest : "",
		nearest ? ")" : "");
	free(names);
	return -1;
}

int figures_choose(const struct figure_list *l, const char *word, struct figure_range *r,
		   struct weir_error *e)
{
	*r = (struct figure_range){ 0, 0 };
	for (uint32_t i = 0; i < l->count; i++) {
		const struct figure_files *f = &l->all[i];

		if (strcmp(word, "all") != 0 && strcmp(word, f->paper) != 0 &&
		    strcmp(word, f->label) != 0)
			continue;
		if (r->count++ == 0)
			r->first = i;
	}
	return r->count ? 0 : unknown_word(l, word, e);
}

/* --- results --- */

char *figure_folder(const struct figure_files *f, const char *out, enum figure_size size)
{
	char *path = NULL;

	text_print(&path, "%s/%s/%s%s", out, f->paper, f->name, size == FIGURE_FULL ? ".full" : "");
	return path;
}

int figure_prepare(const struct figure_files *f, const char *out, struct weir_error *e)
{
	char *paper = NULL;
	int failed;

	text_print(&paper, "%s/%s", out, f->paper);
	failed = output_folder(out, e) < 0 || output_folder(paper, e) < 0;
	free(paper);
	return failed ? -1 : 0;
}

/* --- how far --- */

static int has_store(const char *folder)
{
	char *path = NULL;
	struct stat s;
	int there;

	text_print(&path, "%s/results.db", folder);
	there = stat(path, &s) == 0;
	free(path);
	return there;
}

/* "0.2.0" of "0.2.0+0a1b2c3d4e5f". */
static void add_version(struct figure_state *st, const char *version)
{
	size_t length = strcspn(version, "+");

	if (!st->version[0])
		snprintf(st->version, sizeof(st->version), "%.*s", (int)length, version);
	else if (strlen(st->version) != length || strncmp(st->version, version, length) != 0)
		snprintf(st->version, sizeof(st->version), "several");
}

/* Processor time: what else the machine did meanwhile is not the figure's. */
static int add_runs(struct figure_state *st, struct store *s, const struct figure *f,
		    const struct figure_results *at, struct weir_error *e)
{
	int cpu_seconds = metric_index("cpu_seconds");
	struct stored_runs runs;
	int failed = 0;

	if (store_progress(s, &st->planned, &st->done, e) || store_runs(s, STORE_PLANNED, &runs, e))
		return -1;
	for (uint32_t i = 0; i < runs.count; i++) {
		st->run_seconds += runs.runs[i].value[cpu_seconds];
		add_version(st, runs.runs[i].version);
	}
	if (at->scenario && runs.count)
		failed = freshness_read(&st->freshness, f, at->scenario, at->size, &runs, e);
	stored_runs_free(&runs);
	return failed;
}

int figure_state_read(struct figure_state *st, const struct figure *f,
		      const struct figure_results *at, struct weir_error *e)
{
	struct store *s = NULL;
	int failed;

	*st = (struct figure_state){ .planned = 0 };
	if (has_store(at->folder) && store_open(&s, at->folder, STORE_READ, e))
		return -1;
	st->verdicts = memory_grow(NULL, f->claim_count + UINT64_C(1), sizeof(*st->verdicts));
	failed = s && add_runs(st, s, f, at, e);
	if (!failed)
		failed = figure_judge(st->done ? s : NULL, f, at->size, st->verdicts, e);
	if (s)
		store_close(s);
	if (failed) {
		figure_state_free(st);
		return weir_error_prefix(e, "%.200s: ", at->folder);
	}
	st->claims = verdict_count(f, st->verdicts);
	st->sentences = verdict_count_sentences(f, st->verdicts);
	return 0;
}

void figure_state_free(struct figure_state *st)
{
	free(st->verdicts);
	*st = (struct figure_state){ .planned = 0 };
}
