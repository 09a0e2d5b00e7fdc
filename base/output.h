/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h -- files that appear whole or not at all.
 *
 * What is written goes to a temporary file beside the target, which takes the target's name when
 * all of it is on disk. Targets that are no regular files (/dev/null, a pipe) are written directly;
 * a symbolic link is replaced and not followed, so that nobody who may write to the folder can have
 * another file overwritten. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H
#include "weir/error.h"
#include <stdio.h>

struct output {
	FILE *stream;
	char *path; /* the target */
	char *temp; /* NULL: written directly */
};

/* Could it be written? Leaves nothing behind. */
int output_probe(const char *path, struct weir_error *e);

int output_open(struct output *o, const char *path, struct weir_error *e);

/* 1: the folder was made; 0: it was there; -1: it cannot be. */
int output_folder(const char *folder, struct weir_error *e);
int output_open_in(struct output *o, const char *folder, const char *name, struct weir_error *e);

/* In two steps, so that several files can wait until all are written. After output_finish fails,
 * and after output_publish in any case, nothing is left to give up. */
int output_finish(struct output *o, struct weir_error *e);
int output_publish(struct output *o, struct weir_error *e);

/* Several files in a folder that is made where it does not exist: all appear, or none. */
enum { OUTPUT_FILES_MAX = 8 };

struct output_file {
	const char *name;  /* NULL ends a table */
	const void *about; /* what goes into it, for whoever writes */
};

struct output_writer {
	int (*write)(FILE *f, const void *about, void *context, struct weir_error *e);
	void *context;
};

int output_files(const char *folder, const struct output_file *files, const struct output_writer *w,
		 struct weir_error *e);

/* Could they be written? Leaves nothing behind. */
int output_files_probe(const char *folder, const struct output_file *files, struct weir_error *e);

/* Removes what was written. For outputs that were opened and not published. */
void output_abandon(struct output *o);
#endif
