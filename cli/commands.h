/* SPDX-License-Identifier: BSD-3-Clause */
/* commands.h -- the table of commands, their parsed arguments, and exit statuses. A command is a
 * struct command with its help texts, option table and function, in cli/NAME.c, and an entry in
 * main.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. */
enum exit_status {
	EXIT_FINE = 0,
	EXIT_WORLD = 1,         /* failure of the environment: a disk, memory, a plug-in */
	EXIT_MISTAKE = 2,       /* the user's mistake: nothing was run or written */
	EXIT_BUG = 3,           /* a bug of Weir: packets or bytes are not conserved */
	EXIT_INTERRUPTED = 130, /* as shells report SIGINT */
};

/* What shell completion offers for a word, see help_completion.c. */
enum cli_offer {
	OFFER_NOTHING,
	OFFER_FILE,
	OFFER_FOLDER,
	OFFER_MARKING, /* names in a catalogue of 'weir list' ... */
	OFFER_SCHEDULER,
	OFFER_CC,
	OFFER_TOPOLOGY,
	OFFER_METRIC,
	OFFER_TRAINER,
	OFFER_MODEL,
	OFFER_CATALOGUE, /* ... names of the catalogues ... */
	OFFER_SETTING,   /* "switch.marking" */
	OFFER_NAME,      /* every name that 'weir help' accepts */
	OFFER_SHELL,     /* shells with completion */
};

struct cli_option {
	const char *name;  /* "--seed"; NULL ends a table */
	const char *value; /* placeholder of its value, "N"; NULL: it has none */
	const char *help;
	enum cli_offer offer; /* for the value */
};

/* An element of the command line: an option with its value, or a word. */
struct argument {
	const struct cli_option *option; /* NULL: a word */
	const char *value;               /* NULL: option without one */
};

struct arguments {
	const struct argument *all;
	size_t count;
};

/* Behaviour of a command under mpirun with several processes (sim/parallel/mpi_world.h). */
enum command_world {
	COMMAND_ALONE,    /* refused, because every process would do the same */
	COMMAND_EXECUTES, /* rank 0 executes it, the others execute its runs (executor_mpi.c) */
	COMMAND_TOGETHER, /* every rank executes it */
};

struct command {
	const char *name;
	const char *usage; /* placeholders of words, after the name */
	const char *help;
	const struct cli_option *options; /* may be NULL: none */
	size_t words_min, words_max;
	int (*run)(const struct arguments *a);
	const char *more;     /* text below the options; NULL: none */
	enum cli_offer offer; /* for the words */
	enum command_world world;
};

#define ALLOW_PLUGINS "--allow-plugins"

extern const struct command *const command_all[]; /* ends with NULL */

/* Each in cli/NAME.c; table, export, report and prune in results.c, version in help.c. */
extern const struct command command_run, command_check, command_choose, command_import,
	command_report, command_view, command_table, command_export, command_prune, command_merge,
	command_submit, command_status, command_reproduce, command_train, command_switch,
	command_testbed, command_keeper, command_list, command_model, command_help, command_version;

/* The i-th word, or NULL. */
const char *arguments_word(const struct arguments *a, size_t i);

/* The value of the last such option, "" if it takes none; NULL: not given. */
const char *arguments_option(const struct arguments *a, const char *name);

/* Iterates over the values of an option that may be given several times; *at starts at 0. NULL:
 * no more. */
const char *arguments_next(const struct arguments *a, const char *name, size_t *at);

/* For commands whose first word is a request (status, stop ...) or a FILE. Returns the index of
 * the request; -1: a FILE; -2 with a message: an unknown request, because a second word follows. */
int arguments_request(const struct arguments *a, const char *const *names, size_t count,
		      struct weir_error *e);

/* Fills in all values of an option, at most a->count. Returns how many. */
uint32_t arguments_values(const struct arguments *a, const char *name, const char **values);

/* Prints "weir: MESSAGE" to stderr as one line. Returns status. */
int cli_error(enum exit_status status, const struct weir_error *e);

/* Prints "weir: NOTE" to stderr, unless it is empty; of several ranks only the first does. */
void cli_note(const char *note);

/* Flushes standard output. Returns status, or EXIT_WORLD with a message if writing failed. */
int cli_finish_output(int status);

/* Line width of the terminal, or of a page if f is not a terminal. */
int cli_line_width(FILE *f);
#endif
