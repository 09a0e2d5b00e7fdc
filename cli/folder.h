/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h -- which result folder does the user mean? */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H
#include "cli/commands.h"
#include "lab/analysis/answer.h"

enum { FOLDER_SIZE = 512 };

/* The first word of the command line, or the only folder here whose name ends in .results. */
int find_folder(const struct arguments *a, char folder[FOLDER_SIZE], struct weir_error *e);

/* Opens the store of that folder for reading and says where damage in it could not be noticed.
 * Returns an exit status, after complaining. */
int open_results(const struct arguments *a, char folder[FOLDER_SIZE], struct store **store);

/* Which runs are meant: with --all every one, otherwise those of the latest sweep. */
enum store_scope asked_scope(const struct arguments *a);

/* "3 runs of other sweeps are not shown (--all; 'weir prune' deletes them)." or nothing. */
void tell_left_out(FILE *f, uint32_t count);

/* Where the runs of a scenario go unless told otherwise: "mine.ini" to "mine.results", here. What
 * must stay apart has a word of its own: with ".full" to "mine.full.results". */
int default_folder(const char *file, const char *word, char folder[FOLDER_SIZE],
		   struct weir_error *e);

/* Prints who wins (lab/analysis/answer.h), a sentence for each traffic section. */
int print_answer(const struct comparison *c, struct store *s, const char *baseline,
		 struct weir_error *e);

/* Characters in a line of the terminal that f is, or of a page where it is none. */
int line_width(FILE *f);
#endif
