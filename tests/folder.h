/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h -- a folder of a test's own, and its end. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkdtemp */
#endif
#include "tests/test.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char path[64];
};

static inline struct folder folder_make(void)
{
	struct folder f = { "/tmp/weir-test-XXXXXX" };

	CHECK(mkdtemp(f.path) != NULL);
	return f;
}

/* With the files in it. */
static inline void folder_remove(const struct folder *f)
{
	DIR *d = opendir(f->path);
	struct dirent *entry;
	char path[400];

	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", f->path, entry->d_name);
		if (entry->d_name[0] != '.')
			CHECK_INT(unlink(path), 0);
	}
	if (d)
		closedir(d);
	CHECK_INT(rmdir(f->path), 0);
}

/* A file of the folder, whole; for the caller to free. */
static inline char *folder_read(const struct folder *f, const char *name, size_t *length)
{
	char path[400], *bytes;
	struct stat st;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	file = fopen(path, "rb");
	CHECK(file != NULL && fstat(fileno(file), &st) == 0);
	bytes = malloc((size_t)st.st_size + 1);
	CHECK(bytes != NULL);
	*length = fread(bytes, 1, (size_t)st.st_size, file);
	bytes[*length] = '\0';
	fclose(file);
	return bytes;
}

static inline void folder_write(const struct folder *f, const char *name, const void *bytes,
				size_t length)
{
	char path[400];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	file = fopen(path, "wb");
	CHECK(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}
#endif
