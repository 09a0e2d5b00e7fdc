/* SPDX-License-Identifier: BSD-3-Clause */
/* input.h -- reading the text files that users name: scenarios' flow lists and topologies, and the
 * files of other simulators.
 *
 * Only regular files of at most INPUT_MAX_BYTES are opened, so that reading them ends: a scenario
 * may come from a stranger. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H
#include "base/digest.h"
#include "weir/error.h"
#include <stdint.h>
#include <stdio.h>

/* A list of a hundred million flows. */
#define INPUT_MAX_BYTES (UINT64_C(4) << 30)

/* For reading; the caller closes it. NULL: *why is the reason, as in "No such file or directory".
 */
FILE *input_open(const char *path, const char **why);

/* A file NAME.0.et is the first of a set, a trace of each rank: NAME.1.et and so on. Writes the
 * name of another one (INPUT_NAME_SIZE bytes). 0: the file is no such one, or the name is too long.
 */
enum { INPUT_NAME_SIZE = 288 };
int input_name_in_set(const char *file, uint32_t number, char name[INPUT_NAME_SIZE]);

/* The digest of a file's content, or of a whole set. -1 with a message: it cannot be read. */
int input_digest(const char *file, struct digest *d, struct weir_error *e);

/* --- line by line --- */

enum { LINE_WORDS_MAX = 32 };

/* A file that is read line by line; blank lines are skipped. Words point into the line, which is
 * valid until the next one is read. */
struct line_file {
	FILE *f;
	const char *name;
	int line; /* number of the line read last */
	char *text;
	size_t room;
	struct weir_error *e;
};

/* -1 with a message: it cannot be read, and there is nothing to close. */
int line_file_open(struct line_file *l, const char *name, struct weir_error *e);
void line_file_close(struct line_file *l);

/* 1: the next line was read, 0: end of file, -1: message. */
int line_file_next(struct line_file *l);

/* Splits the line; returns the number of words, or -1 where there are more than LINE_WORDS_MAX. */
int line_file_words(struct line_file *l, char *words[LINE_WORDS_MAX]);

/* Sets the message "FILE:LINE: ..."; returns -1. */
int line_file_error(struct line_file *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Cuts the next word off *rest. NULL: there is none. */
char *line_file_next_word(char **rest);

/* --- values --- */

/* A whole number up to most. -1: it is none; no message. */
int parse_integer(const char *word, uint64_t most, uint64_t *number);

/* A decimal number of units of ps_per_unit each, rounded to the nearest picosecond. -1: it is none,
 * or is longer than 1000 s; no message. */
int parse_time_ps(const char *word, double ps_per_unit, int64_t *ps);

/* A setting that is a short list of words, as "s0 s1 10Gbps 5us". */
enum { WORDS_MAX = 5, WORD_SIZE = 64 };
struct words {
	char word[WORDS_MAX][WORD_SIZE];
};

/* Splits text at blanks; returns the number of words. -1: there are more than WORDS_MAX, or one is
 * longer than any that a setting allows. */
int words_split(struct words *w, const char *text);
#endif
