/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c -- options and words shared by commands: the scenario with --set and --seed, --jobs,
 * captures, result folders. Contract in options.h. */
#define _DEFAULT_SOURCE
#include "cli/options.h"
#include "sim/parallel/mpi_world.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the scenario --- */

/* Options that are short for --set. */
static const struct short_form {
	const char *option, *path;
} short_forms[] = {
	{ "--marking", "switch.marking" },
	{ "--scheduler", "switch.scheduler" },
	{ "--cc", "host.cc" },
};

static int options_set_short(const struct argument *at, struct scenario *s, struct weir_error *e)
{
	char assignment[WEIR_OPT_TEXT_SIZE + 32];

	for (size_t i = 0; i < sizeof(short_forms) / sizeof(short_forms[0]); i++) {
		if (strcmp(at->option->name, short_forms[i].option) != 0)
			continue;
		if (snprintf(assignment, sizeof(assignment), "%s=%s", short_forms[i].path,
			     at->value) >= (int)sizeof(assignment))
			return weir_error_set(e, "%s: %s is too long", at->option->name,
					      weir_quote(at->value).text);
		return scenario_set(s, assignment, e);
	}
	return 0;
}

static int options_set_all(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct argument *at = &a->all[i];

		if (!at->option)
			continue;
		if (strcmp(at->option->name, "--set") == 0 && scenario_set(s, at->value, e))
			return -1;
		if (options_set_short(at, s, e))
			return -1;
	}
	return 0;
}

/* --seed replaces a list of seeds in [sweep], too. */
static int options_set_seed(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	static const struct weir_option seed = { "--seed", WEIR_OPT_COUNT, 0,  "1",
						 0,        UINT64_MAX,     "", NULL };
	const char *text = arguments_option(a, "--seed");
	char assignment[64];
	uint64_t number;

	if (!text)
		return 0;
	if (weir_option_parse(&number, &seed, text, e))
		return -1;
	snprintf(assignment, sizeof(assignment), "seed=%" PRIu64, number);
	return scenario_set(s, assignment, e);
}

enum scenario_size options_size(const struct arguments *a)
{
	return arguments_option(a, "--full") ? SIZE_FULL : SIZE_QUICK;
}

static int options_use_full(struct scenario *s, struct weir_error *e)
{
	if (!s->full.name)
		return weir_error_set(e, "--full: %.200s has no [full] section", s->file);
	scenario_use_full(s);
	return 0;
}

int options_scenario(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	if (options_scenario_of_size(a, options_size(a), s, e))
		return -1;
	cli_note(s->renamed);
	return 0;
}

int options_scenario_of_size(const struct arguments *a, enum scenario_size size, struct scenario *s,
			     struct weir_error *e)
{
	if (scenario_read(s, arguments_word(a, 0), e))
		return -1;
	if ((size == SIZE_FULL && options_use_full(s, e)) || options_set_all(a, s, e) ||
	    options_set_seed(a, s, e)) {
		scenario_free(s);
		return -1;
	}
	return 0;
}

/* --- --jobs --- */

enum { JOBS_MAX = 4096 };

int options_jobs(const struct arguments *a, uint64_t *jobs, struct weir_error *e)
{
	static const struct weir_option option = {
		.name = "--jobs",
		.type = WEIR_OPT_COUNT,
		.def = "0",
		.min = 1,
		.max = JOBS_MAX,
		.help = "",
	};
	const char *number = arguments_option(a, option.name);

	*jobs = 0;
	if (number && world_size() > 1)
		return weir_error_set(e, "--jobs: with mpirun the number of parallel runs is its "
					 "-n");
	return number ? weir_option_parse(jobs, &option, number, e) : 0;
}

/* --- captures --- */

/* Refuses one file for two ports, except a device or a pipe, which has no temporary name. */
static int captures_check_file(const struct captures *c, struct weir_error *e)
{
	const struct pcap *last = &c->files[c->count];

	for (uint32_t i = 0; i < c->count; i++)
		if (last->output.temp && c->files[i].output.temp &&
		    strcmp(c->files[i].output.path, last->output.path) == 0)
			return weir_error_set(e, "%.300s is the file of two ports, %s and %s",
					      last->output.path, c->files[i].port, last->port);
	return 0;
}

static int captures_open_one(struct captures *c, const char *port_and_file,
			     const struct config *config, enum frame_extent extent,
			     struct weir_error *e)
{
	struct pcap *file = &c->files[c->count];

	if (c->count == CAPTURES_MAX)
		return weir_error_set(e, "at most %d ports at once", CAPTURES_MAX);
	if (pcap_open(file, port_and_file, config, extent, e))
		return -1;

	int failed = captures_check_file(c, e);

	c->taps[c->count++] = pcap_tap(file);
	return failed;
}

int captures_open(struct captures *c, const struct arguments *a, const struct config *config,
		  struct weir_error *e)
{
	int is_whole = arguments_option(a, "--pcap-whole") != NULL;
	enum frame_extent extent = is_whole ? FRAME_WHOLE : FRAME_HEADERS;
	const char *text;

	c->count = 0;
	for (size_t at = 0; (text = arguments_next(a, "--pcap", &at));)
		if (captures_open_one(c, text, config, extent, e)) {
			captures_abandon(c);
			return weir_error_prefix(e, "--pcap: ");
		}
	if (is_whole && c->count == 0)
		return weir_error_set(e, "--pcap-whole: needs --pcap PORT=FILE");
	return 0;
}

int captures_publish(struct captures *c, struct weir_error *e)
{
	while (c->count > 0) {
		c->count--;
		if (pcap_publish(&c->files[c->count], e)) {
			captures_abandon(c);
			return weir_error_prefix(e, "--pcap: ");
		}
	}
	return 0;
}

void captures_abandon(struct captures *c)
{
	while (c->count > 0)
		pcap_abandon(&c->files[--c->count]);
}

/* --- the result folder --- */

enum { PAGE_WIDTH = 120, WIDTH_MIN = 40 };

#define RESULTS_SUFFIX ".results"

const struct folder_kind folder_of_results = { RESULTS_SUFFIX, "weir run" };

int folder_has_suffix(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);

	return length > end && strcmp(name + length - end, suffix) == 0;
}

/* Finds folders in the current directory by their suffix. Returns how many there are; `folder`
 * is the last one, `list` names all, separated by commas. */
static int folder_search(const char *suffix, char folder[FOLDER_SIZE], char *list, size_t size)
{
	struct dirent *entry;
	struct stat st;
	size_t used = 0;
	int found = 0;
	DIR *here = opendir(".");

	list[0] = '\0';
	while (here && (entry = readdir(here))) {
		if (!folder_has_suffix(entry->d_name, suffix) || stat(entry->d_name, &st) != 0 ||
		    !S_ISDIR(st.st_mode))
			continue;
		snprintf(folder, FOLDER_SIZE, "%s", entry->d_name);
		if (used < size)
			used += (size_t)snprintf(list + used, size - used, "%s%s",
						 found ? ", " : "", entry->d_name);
		found++;
	}
	if (here)
		closedir(here);
	return found;
}

int folder_find(const struct arguments *a, const struct folder_kind *kind, char folder[FOLDER_SIZE],
		struct weir_error *e)
{
	const char *word = arguments_word(a, 0);
	char list[400];
	int found;

	if (word) {
		if (snprintf(folder, FOLDER_SIZE, "%s", word) >= FOLDER_SIZE)
			return weir_error_set(e, "%s: the name is too long", weir_quote(word).text);
		return 0;
	}
	found = folder_search(kind->suffix, folder, list, sizeof(list));
	if (found == 1)
		return 0;
	if (found == 0)
		return weir_error_set(e, "no folder here ends in %s; name one, or make one by '%s'",
				      kind->suffix, kind->maker);
	return weir_error_set(e, "which folder? There are %s", list);
}

int folder_open_results(const struct arguments *a, char folder[FOLDER_SIZE], struct store **store)
{
	struct weir_error e;

	if (folder_find(a, &folder_of_results, folder, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (store_open(store, folder, STORE_READ, &e))
		return cli_error(EXIT_WORLD, &e);
	if (!store_has_digests(*store)) {
		weir_error_set(
			&e,
			"%.300s: was written by an earlier version, without digests: damage in "
			"it would not be noticed; the next 'weir run' adds them",
			folder);
		cli_error(EXIT_FINE, &e);
	}
	return EXIT_FINE;
}

enum store_scope folder_scope(const struct arguments *a)
{
	return arguments_option(a, "--all") ? STORE_ALL : STORE_PLANNED;
}

void folder_print_left_out(FILE *f, uint32_t count)
{
	if (count)
		fprintf(f,
			"%u run%s of other sweeps %s not shown (--all; 'weir prune' deletes %s).\n",
			count, count == 1 ? "" : "s", count == 1 ? "is" : "are",
			count == 1 ? "it" : "them");
}

int folder_default(const char *file, const char *word, char folder[FOLDER_SIZE],
		   struct weir_error *e)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name), end = strlen(".ini");

	if (length > end && strcmp(name + length - end, ".ini") == 0)
		length -= end;
	if (length + strlen(word) + sizeof(RESULTS_SUFFIX) > FOLDER_SIZE)
		return weir_error_set(e, "%s: the name is too long; give a folder by --out",
				      weir_quote(name).text);
	snprintf(folder, FOLDER_SIZE, "%.*s%s%s", (int)length, name, word, RESULTS_SUFFIX);
	return 0;
}

int cli_line_width(FILE *f)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width = PAGE_WIDTH;

	if (ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	else if (columns && atoi(columns) > 0)
		width = atoi(columns);
	return width < WIDTH_MIN ? WIDTH_MIN : width;
}

static void folder_print_sentence(void *context, const char *line)
{
	(void)context;
	comparison_print_line(stdout, cli_line_width(stdout), line);
}

int folder_print_answer(const struct comparison *c, struct store *s, const char *baseline,
			struct weir_error *e)
{
	return answer_write(c, s, baseline, &(struct line_sink){ folder_print_sentence, NULL }, e);
}
