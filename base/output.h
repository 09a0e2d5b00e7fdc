/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h -- atomic output files: a file appears complete or not at all.
 *
 * Data goes to a temporary file in the same folder, which is renamed to the target after fsync.
 * Targets that are not regular files (/dev/null, a pipe) are written directly. A symbolic link is
 * replaced, not followed, so that nobody with write permission to the folder can redirect the
 * output. Not thread-safe per object. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H
#include "weir/error.h"
#include <stdio.h>

struct output {
	FILE *stream;
	char *path; /* the target */
	char *temp; /* the temporary file; NULL: written directly */
};

/* 0: the file could be written; -1 with a message. Leaves nothing behind. */
int output_probe(const char *path, struct weir_error *e);

int output_open(struct output *o, const char *path, struct weir_error *e);

/* 1: the folder was created; 0: it existed; -1 with a message. */
int output_folder(const char *folder, struct weir_error *e);
int output_open_in(struct output *o, const char *folder, const char *name, struct weir_error *e);

/* Commit in two steps, so that several files can wait until all are written: output_finish syncs
 * and closes, output_publish renames. The object is released if output_finish fails, and by
 * output_publish in any case. */
int output_finish(struct output *o, struct weir_error *e);
int output_publish(struct output *o, struct weir_error *e);

/* Writes several files into a folder, which is created if missing: all of them appear, or none. */
enum { OUTPUT_FILES_MAX = 8 };

struct output_file {
	const char *name;  /* NULL ends a table */
	const void *about; /* for the writer */
};

struct output_writer {
	int (*write)(FILE *f, const void *about, void *context, struct weir_error *e);
	void *context;
};

int output_files(const char *folder, const struct output_file *files, const struct output_writer *w,
		 struct weir_error *e);

/* 0: the files could be written; -1 with a message. Leaves nothing behind. */
int output_files_probe(const char *folder, const struct output_file *files, struct weir_error *e);

/* Discards the temporary file of an output that was opened and not published. */
void output_abandon(struct output *o);
#endif
