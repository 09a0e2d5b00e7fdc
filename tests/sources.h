/* SPDX-License-Identifier: BSD-3-Clause */
/* sources.h -- the program's own source files, for tests that read them (test_house.c,
 * test_language.c). Tests run in the top directory; from elsewhere there is nothing to read, which
 * a test notices by a count of 0. */
#ifndef WEIR_TESTS_SOURCES_H
#define WEIR_TESTS_SOURCES_H

#include "tests/test.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called with the path and the text of a source; the text may be changed. */
typedef void source_check_fn(const char *path, char *text, void *argument);

/* The file's text, owned by the caller. */
static inline char *source_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	long size;

	CHECK(f != NULL && fseek(f, 0, SEEK_END) == 0);
	size = ftell(f);
	rewind(f);
	text = calloc(1, (size_t)size + 1);
	CHECK(text != NULL && fread(text, 1, (size_t)size, f) == (size_t)size);
	fclose(f);
	return text;
}

/* Calls check for each .c and .h file below the directory; returns how many there were. */
static inline int sources_check(const char *directory, source_check_fn *check, void *argument)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	int files = 0;

	while (d && (entry = readdir(d))) {
		size_t length = strlen(entry->d_name);
		char path[512];
		char *text;

		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		if (!strchr(entry->d_name, '.'))
			files += sources_check(path, check, argument);
		if (length < 3 || entry->d_name[length - 2] != '.' ||
		    !strchr("ch", entry->d_name[length - 1]))
			continue;
		text = source_text(path);
		check(path, text, argument);
		free(text);
		files++;
	}
	if (d)
		closedir(d);
	return files;
}

/* All directories of the program; fails the test where one of them has no sources. */
static inline void sources_check_all(source_check_fn *check, void *argument)
{
	static const char *const top[] = { "include", "base",   "lib",     "config", "sim", "lab",
					   "train",   "switch", "testbed", "keeper", "cli" };

	for (size_t i = 0; i < sizeof top / sizeof top[0]; i++)
		CHECK(sources_check(top[i], check, argument) > 0);
}

#endif
