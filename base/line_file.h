/* SPDX-License-Identifier: BSD-3-Clause */
/* line_file.h -- a text file line by line, for files of other simulators: words, and messages with
 * the place.
 *
 * Blank lines are passed over. A line's words are parts of the line, which is the reader's until
 * the next one is read. */
#ifndef BASE_LINE_FILE_H
#define BASE_LINE_FILE_H
#include "weir/error.h"
#include <stdint.h>
#include <stdio.h>

enum { LINE_WORDS_MAX = 32 };

struct line_file {
	FILE *f;
	const char *name;
	int line; /* number of the line read last */
	char *text;
	size_t room;
	struct weir_error *e;
};

/* -1: it cannot be read; nothing is left to close. */
int line_file_open(struct line_file *l, const char *name, struct weir_error *e);
void line_file_close(struct line_file *l);

/* The next line that is not blank. 1: there is one, 0: no more, -1: message. */
int line_file_next(struct line_file *l);

/* Takes the next word off *rest, or NULL: no more. */
char *line_file_next_word(char **rest);

/* Divides the line into words; returns how many, at most LINE_WORDS_MAX, or -1 where there are
 * more. */
int line_file_words(struct line_file *l, char *words[LINE_WORDS_MAX]);

/* "topo.txt:3: ..."; returns -1. */
int line_file_error(struct line_file *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A whole number of at most most. -1: it is none; no message. */
int parse_integer(const char *word, uint64_t most, uint64_t *number);

/* A decimal number of units that are ps_per_unit long, to the nearest picosecond; likewise. */
int parse_time_ps(const char *word, double ps_per_unit, int64_t *ps);
#endif
