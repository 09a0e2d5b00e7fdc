/* SPDX-License-Identifier: BSD-3-Clause */
/* commands.h -- the commands of the program, their arguments and how they end. */
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
	OFFER_MARKING, /* names of the catalogue's shelves ... */
	OFFER_SCHEDULER,
	OFFER_CC,
	OFFER_TOPOLOGY,
	OFFER_METRIC,
	OFFER_TRAINER,
	OFFER_MODEL,
	OFFER_SHELF,   /* ... of the shelves themselves ... */
	OFFER_SETTING, /* "switch.marking" */
	OFFER_NAME,    /* all that 'weir help' knows */
	OFFER_SHELL,   /* shells that have completion */
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

/* Of commands that read scenarios: plug-ins that a file names are loaded wherever they lie. */
#define ALLOW_PLUGINS "--allow-plugins"
#define ALLOW_PLUGINS_OPTION \
	{ \
		ALLOW_PLUGINS, NULL, \
			"loads plug-ins that a file names, wherever they lie; without it only " \
			"those in the " \
			"folder of that file and below", \
			OFFER_NOTHING \
	}

extern const struct command *const command_all[]; /* ends with NULL */

/* Each with its options; in commands_*.c. */
extern const struct command run_command, check_command, choose_command, import_command,
	report_command, view_command, table_command, export_command, prune_command, merge_command,
	submit_command, status_command, reproduce_command, train_command, switch_command,
	testbed_command, keeper_command, list_command, model_command, help_command, version_command;

int command_run(const struct arguments *a);
int command_check(const struct arguments *a);
int command_choose(const struct arguments *a);
int command_report(const struct arguments *a);
int command_view(const struct arguments *a);
int command_table(const struct arguments *a);
int command_export(const struct arguments *a);
int command_prune(const struct arguments *a);
int command_merge(const struct arguments *a);
int command_submit(const struct arguments *a);
int command_status(const struct arguments *a);
int command_reproduce(const struct arguments *a);
int command_train(const struct arguments *a);
int command_switch(const struct arguments *a);
int command_testbed(const struct arguments *a);
int command_keeper(const struct arguments *a);
int command_list(const struct arguments *a);
int command_import(const struct arguments *a);
int command_model(const struct arguments *a);
int command_help(const struct arguments *a);
int command_version(const struct arguments *a);

/* The i-th word, or NULL. */
const char *arguments_word(const struct arguments *a, size_t i);

/* The value of the last such option ("" where it has none), or NULL. */
const char *arguments_option(const struct arguments *a, const char *name);

/* All values of an option that may be given several times, at most as many as there are
 * arguments. */
uint32_t arguments_values(const struct arguments *a, const char *name, const char **values);

/* Prints "weir: MESSAGE" to stderr, in one line, and returns status. */
int complain(enum exit_status status, const struct weir_error *e);

/* Everything that was printed has arrived: status; otherwise EXIT_WORLD with a message. */
int finish_output(int status);

/* --- help texts, in help.c --- */
void print_usage(FILE *f);
void print_command(FILE *f, const struct command *c);

/* The scenario reference as Markdown and the commands as a part of a man page, in reference.c. */
void print_reference(void);

/* Where each default comes from and which link rates it is for: for a terminal, and as Markdown. */
void print_defaults(void);
void print_defaults_markdown(void);
void print_manual(void);

/* Completion of command lines for a shell, in completion.c. -1: it knows no such shell. */
int print_completion(const char *shell, struct weir_error *e);

/* Prints text from column indent on, in lines of readable length that all begin there. */
void print_wrapped(const char *text, int indent);
#endif
