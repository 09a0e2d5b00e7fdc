/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.c -- the figures of papers that can be re-run: finds their files, checks and prepares
 * them for a run, and names and writes what their results consist of. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/reproduce.h"
#include "lab/analysis/planned.h"
#include "base/output.h"
#include "base/ini.h"
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
static const char scenario_end[] = ".ini";

const char *const figure_size_names[FIGURE_SIZES] = { "quick", "full" };

/* --- where figures are --- */

static int is_folder(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* PREFIX/share/weir/papers for the running PREFIX/bin/weir; NULL: unknown. */
static char *figures_installed_folder(void)
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

static int figures_choose_folder(struct figure_list *l, const char *wanted, struct weir_error *e)
{
	if (wanted || is_folder(here)) {
		text_print(&l->folder, "%s", wanted ? wanted : here);
		return 0;
	}
	l->folder = figures_installed_folder();
	if (l->folder && is_folder(l->folder))
		return 0;
	return weir_error_set(e, "no figures: there is no folder %s here%s%s; name one by --papers",
			      here, l->folder ? ", nor " : "", l->folder ? l->folder : "");
}

struct name_list {
	uint32_t count;
	char **all;
};

/* Reads the names in a folder, without those that begin with a dot. */
static int names_read(struct name_list *n, const char *folder, struct weir_error *e)
{
	DIR *d = opendir(folder);
	struct dirent *entry;

	if (!d)
		return weir_error_set(e, "%.300s: cannot be read: %s", folder, strerror(errno));
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		n->all = memory_grow(n->all, n->count + UINT64_C(1), sizeof(*n->all));
		n->all[n->count++] = text_copy(entry->d_name);
	}
	closedir(d);
	return 0;
}

static void names_free(struct name_list *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->all[i]);
	free(n->all);
}

static void figures_add(struct figure_list *l, const char *paper, const char *file)
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
	text_print(&f->claims, "%s/%s/%s.claims", l->folder, paper, f->name);
}

static int figures_add_paper(struct figure_list *l, const char *paper, struct weir_error *e)
{
	struct name_list files = { 0, NULL };
	char *folder = NULL;
	int failed = 0;

	text_print(&folder, "%s/%s", l->folder, paper);
	if (is_folder(folder))
		failed = names_read(&files, folder, e);
	for (uint32_t i = 0; i < files.count && !failed; i++) {
		const char *end = strrchr(files.all[i], '.');

		if (end && end > files.all[i] && strcmp(end, scenario_end) == 0)
			figures_add(l, paper, files.all[i]);
	}
	names_free(&files);
	free(folder);
	return failed;
}

/* --- order --- */

/* Compares numbers within names by value: fig3a, fig4, fig11. */
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
	struct name_list papers = { 0, NULL };
	int failed;

	*l = (struct figure_list){ NULL, 0, NULL };
	failed = figures_choose_folder(l, folder, e) || names_read(&papers, l->folder, e);
	for (uint32_t i = 0; i < papers.count && !failed; i++)
		failed = figures_add_paper(l, papers.all[i], e);
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

/* --- selection by the command line --- */

static int figures_refuse_word(const struct figure_list *l, const char *word, struct weir_error *e)
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
	return r->count ? 0 : figures_refuse_word(l, word, e);
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

/* --- files of a paper, beside its figures --- */

char *paper_file(const char *scenario, const char *name)
{
	const char *slash = strrchr(scenario, '/');
	char *path = NULL;

	text_print(&path, "%.*s%s", slash ? (int)(slash - scenario) + 1 : 0, scenario, name);
	return path;
}

/* 1: text holds the file; 0: there is none; -1: message. The caller frees both of text's strings.
 */
static int paper_file_open(const char *scenario, const char *name, const struct ini_form *form,
			   struct ini_text *text, struct weir_error *e)
{
	*text = (struct ini_text){ .file = paper_file(scenario, name) };
	if (access(text->file, F_OK) != 0)
		return 0;
	text->text = ini_load(form, text->file, &text->length, e);
	return text->text ? 1 : -1;
}

int paper_file_load(const char *scenario, const char *name, const struct ini_form *form,
		    char **content, struct weir_error *e)
{
	struct ini_text text;
	int found = paper_file_open(scenario, name, form, &text, e);

	*content = found > 0 ? memory_text(text.text, text.length) : NULL;
	free((char *)text.text);
	free((char *)text.file);
	return found;
}

int paper_file_read(const char *scenario, const char *name, const struct ini_form *form, void *user,
		    struct weir_error *e)
{
	struct ini_text text;
	int found = paper_file_open(scenario, name, form, &text, e);

	if (found > 0 && ini_read(form, user, &text, e))
		found = -1;
	free((char *)text.text);
	free((char *)text.file);
	return found;
}

/* --- a figure that is ready to run --- */

void figure_job_free(struct figure_job *j)
{
	sweep_free(&j->sweep);
	scenario_free(&j->scenario);
	figure_free(&j->figure);
}

/* Checks that the claims will find their runs and the panels their axes. */
static int figure_job_check(struct figure_job *j, enum figure_size size, struct weir_error *e)
{
	struct stored_runs runs;
	int failed;

	if (planned_runs(&runs, &j->sweep, &j->scenario, e))
		return -1;
	failed =
		figure_check(&j->figure, &runs, size, e) || figure_check_axes(&j->figure, &runs, e);
	stored_runs_free(&runs);
	return failed ? -1 : 0;
}

static int figure_job_read_size(struct figure_job *j, const struct figure_files *f,
				enum figure_size size, struct weir_error *e)
{
	if (figure_read(&j->figure, f->claims, e))
		return -1;
	if (figure_scenario(f->scenario, size, &j->scenario, &j->sweep, e)) {
		figure_free(&j->figure);
		return -1;
	}
	/* Flow records are most of a run's data, so they are not stored if the figure reads
	 * none. */
	if ((!figure_reads_flows(&j->figure) &&
	     scenario_set(&j->scenario, "measure.flows=none", e)) ||
	    figure_job_check(j, size, e)) {
		figure_job_free(j);
		return -1;
	}
	return 0;
}

int figure_job_read(struct figure_job *j, const struct figure_files *f, enum figure_size size,
		    struct weir_error *e)
{
	if (figure_job_read_size(j, f, size == FIGURE_QUICK ? FIGURE_FULL : FIGURE_QUICK, e))
		return -1;
	figure_job_free(j);
	return figure_job_read_size(j, f, size, e);
}

int figure_job_more_seeds(struct figure_job *j, struct weir_error *e)
{
	if (figure_more_seeds(&j->scenario, &j->sweep, e) == 0)
		return 0;
	scenario_free(&j->scenario);
	figure_free(&j->figure);
	return -1;
}

/* --- pages --- */

int figure_page_write(const struct figure_report *fr, const char *folder, char **path,
		      struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, folder, STORE_READ, e))
		return -1;
	*path = NULL;
	text_print(path, "%s/" FIGURE_PAGE, folder);
	failed = figure_report_write(fr, *path, store, e);
	store_close(store);
	if (failed)
		free(*path);
	return failed;
}

static int summary_write(const struct summary *y, const char *path,
			 void (*write)(FILE *, const struct summary *), struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	write(o.stream, y);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

int summary_page_write(const struct summary *y, const char *out, char **path, struct weir_error *e)
{
	*path = NULL;
	text_print(path, "%s/" SUMMARY_PAGE, out);
	if (output_folder(out, e) >= 0 && summary_write(y, *path, summary_html, e) == 0)
		return 0;
	free(*path);
	return -1;
}

int summary_document_write(const struct summary *y, const char *path, struct weir_error *e)
{
	return summary_write(y, path, summary_markdown, e);
}
