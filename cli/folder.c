/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.c -- which result folder does the user mean? */
#define _DEFAULT_SOURCE
#include "cli/folder.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_WIDTH = 120, WIDTH_MIN = 40 };

static const char suffix[] = ".results";

static int is_result_folder(const char *name)
{
	size_t length = strlen(name), end = strlen(suffix);
	struct stat st;

	return length > end && strcmp(name + length - end, suffix) == 0 && stat(name, &st) == 0 &&
	       S_ISDIR(st.st_mode);
}

int find_folder(const struct arguments *a, char folder[FOLDER_SIZE], struct weir_error *e)
{
	const char *word = arguments_word(a, 0);
	char list[400] = "";
	struct dirent *entry;
	size_t used = 0;
	int found = 0;
	DIR *here;

	if (word) {
		if (snprintf(folder, FOLDER_SIZE, "%s", word) >= FOLDER_SIZE)
			return weir_error_set(e, "%s: the name is too long", weir_quote(word).text);
		return 0;
	}
	here = opendir(".");
	while (here && (entry = readdir(here))) {
		if (!is_result_folder(entry->d_name))
			continue;
		snprintf(folder, FOLDER_SIZE, "%s", entry->d_name);
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 found ? ", " : "", entry->d_name);
		found++;
	}
	if (here)
		closedir(here);
	if (found == 1)
		return 0;
	if (found == 0)
		return weir_error_set(
			e, "no folder here ends in %s; name one, or make one by 'weir run'",
			suffix);
	return weir_error_set(e, "which folder? There are %s", list);
}

int open_results(const struct arguments *a, char folder[FOLDER_SIZE], struct store **store)
{
	struct weir_error e;

	if (find_folder(a, folder, &e))
		return complain(EXIT_MISTAKE, &e);
	if (store_open(store, folder, STORE_READ, &e))
		return complain(EXIT_WORLD, &e);
	if (!store_has_digests(*store)) {
		weir_error_set(
			&e,
			"%.300s: was written by an earlier version, without digests: damage in "
			"it would not be noticed; the next 'weir run' adds them",
			folder);
		complain(EXIT_FINE, &e);
	}
	return EXIT_FINE;
}

enum store_scope asked_scope(const struct arguments *a)
{
	return arguments_option(a, "--all") ? STORE_ALL : STORE_PLANNED;
}

void tell_left_out(FILE *f, uint32_t count)
{
	if (count)
		fprintf(f,
			"%u run%s of other sweeps %s not shown (--all; 'weir prune' deletes %s).\n",
			count, count == 1 ? "" : "s", count == 1 ? "is" : "are",
			count == 1 ? "it" : "them");
}

int default_folder(const char *file, const char *word, char folder[FOLDER_SIZE],
		   struct weir_error *e)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name), end = strlen(".ini");

	if (length > end && strcmp(name + length - end, ".ini") == 0)
		length -= end;
	if (length + strlen(word) + sizeof(suffix) > FOLDER_SIZE)
		return weir_error_set(e, "%s: the name is too long; give a folder by --out",
				      weir_quote(name).text);
	snprintf(folder, FOLDER_SIZE, "%.*s%s%s", (int)length, name, word, suffix);
	return 0;
}

int line_width(FILE *f)
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

static void print_sentence(void *context, const char *line)
{
	(void)context;
	comparison_print_line(stdout, line_width(stdout), line);
}

int print_answer(const struct comparison *c, struct store *s, const char *baseline,
		 struct weir_error *e)
{
	return answer_say(c, s, baseline, &(struct answer_ear){ print_sentence, NULL }, e);
}
