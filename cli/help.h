/* SPDX-License-Identifier: BSD-3-Clause */
/* help.h -- shared by the files of weir help and weir list: catalogues of the names that a user may
 * write, topics, and printers of help texts. */
#ifndef CLI_HELP_H
#define CLI_HELP_H
#include "base/registry.h"
#include "cli/commands.h"
#include <stdio.h>

/* --- catalogues of names, in list.c --- */

struct entry {
	const char *name, *help;
	const char *cite;                  /* NULL: none */
	const char *unit;                  /* of a metric; NULL otherwise */
	const struct weir_option *options; /* NULL: none */
};

struct catalogue {
	const char *name;               /* "marking" */
	const char *help;               /* what it holds, and where its names are written */
	const struct registry *schemes; /* NULL: its entries are no schemes, and `entry` is set */
	int (*entry)(size_t i, struct entry *e); /* fills in the i-th; 0: there are no more */
	int is_apart;                            /* 1: left out of 'weir list' unless it is named */
};

extern const struct catalogue catalogue_all[]; /* ends with .name == NULL */

/* Fills in the i-th entry of a catalogue; 0: there are no more. */
int catalogue_entry(const struct catalogue *s, size_t i, struct entry *e);

struct entry scheme_entry(const struct weir_scheme *s);

/* --- topics: words of the field that are not in a catalogue, in help_topics.c --- */

struct topic {
	const char *name;
	const char *also; /* other words for it, separated by blanks; may be empty */
	const char *text; /* lines of at most 80 columns */
};

extern const struct topic topic_all[]; /* ends with .name == NULL */

/* By its name or another word for it; NULL: there is none. */
const struct topic *topic_find(const char *word);

/* --- printers --- */

void help_print_usage(FILE *f);
void help_print_command(FILE *f, const struct command *c);

/* Prints text wrapped at the line width, with continuation lines indented. */
void help_print_wrapped(const char *text, int indent);

/* In help_reference.c: sources of defaults, the scenario reference as Markdown, and the commands
 * as part of a man page. */
void help_print_defaults(void);
void help_print_reference(void);
void help_print_manual(void);

/* Prints the completion script of a shell, in help_completion.c. -1: unknown shell. */
int help_print_completion(const char *shell, struct weir_error *e);
#endif
