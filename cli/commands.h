/* SPDX-License-Identifier: BSD-3-Clause */
/* commands.h -- the commands of the program, their arguments and how they end. A command is a file,
 * cli/NAME.c, with its help texts, its options and its code, and a line in main.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How the program ends. */
enum exit_status {
	EXIT_FINE = 0,
	EXIT_WORLD = 1,         /* something outside failed: a disk, memory, a plug-in */
	EXIT_MISTAKE = 2,       /* the user's: nothing was run or written */
	EXIT_BUG = 3,           /* ours: packets or bytes of a run do not add up */
	EXIT_INTERRUPTED = 130, /* as shells report SIGINT */
};

/* What a shell may offer for a word, see completion.c. */
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
	OFFER_NAME,      /* all that 'weir help' knows */
	OFFER_SHELL,     /* shells that have completion */
};

struct cli_option {
	const char *name;  /* "--seed"; NULL ends a table */
	const char *value; /* what follows it, "N"; NULL: nothing does */
	const char *help;
	enum cli_offer offer; /* for the value */
};

/* One thing on the command line: an option with its value, or a word. */
struct argument {
	const struct cli_option *option; /* NULL: a word */
	const char *value;               /* NULL: option without one */
};

struct arguments {
	const struct argument *all;
	size_t count;
};

/* What becomes of a command where mpirun has started several processes
 * (sim/parallel/mpi_world.h). */
enum command_world {
	COMMAND_ALONE,    /* it is refused: it would be done as often as there are processes */
	COMMAND_EXECUTES, /* the first executes it, the others do runs for it (executor_mpi.c) */
	COMMAND_TOGETHER, /* all of them have it */
};

struct command {
	const char *name;
	const char *usage; /* what follows the name */
	const char *help;
	const struct cli_option *options; /* may be NULL: none */
	size_t words_min, words_max;
	int (*run)(const struct arguments *a);
	const char *more;     /* lines that stand below the options; NULL: none */
	enum cli_offer offer; /* for the words */
	enum command_world world;
};

#define ALLOW_PLUGINS "--allow-plugins"

extern const struct command *const command_all[]; /* ends with NULL */

/* Each in cli/NAME.c, with its options; version in help.c. */
extern const struct command command_run, command_check, command_choose, command_import,
	command_report, command_view, command_table, command_export, command_prune, command_merge,
	command_submit, command_status, command_reproduce, command_train, command_switch,
	command_testbed, command_keeper, command_list, command_model, command_help, command_version;

/* The i-th word, or NULL. */
const char *arguments_word(const struct arguments *a, size_t i);

/* The value of the last such option ("" where it has none), or NULL. */
const char *arguments_option(const struct arguments *a, const char *name);

/* The next value of an option that may be given several times: *at is 0 at first. NULL: there are
 * no more. */
const char *arguments_next(const struct arguments *a, const char *name, size_t *at);

/* Of a command whose first word is a request (status, stop ...) or a FILE: which of the names it
 * is, -1 for a FILE. Where a second word follows, a first that is no request is a mistake, -2. */
int arguments_request(const struct arguments *a, const char *const *names, size_t count,
		      struct weir_error *e);

/* All values of an option that may be given several times, at most as many as there are
 * arguments. */
uint32_t arguments_values(const struct arguments *a, const char *name, const char **values);

/* Prints "weir: MESSAGE" to stderr, in one line, and returns status. */
int cli_error(enum exit_status status, const struct weir_error *e);

/* Prints "weir: NOTE" to stderr, unless it is empty; of several ranks only the first does. */
void cli_note(const char *note);

/* Everything that was printed has arrived: status; otherwise EXIT_WORLD with a message. */
int cli_finish_output(int status);

/* Characters in a line of the terminal that f is, or of a page where it is none. */
int cli_line_width(FILE *f);
#endif
