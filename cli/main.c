/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c -- entry point: parses the command line and runs the command. */
#include "cli/help.h"
#include "cli/run.h"
#include "cli/signals.h"
#include "lab/campaign/campaign.h"
#include "sim/parallel/mpi_world.h"
#include "base/memory.h"
#include "config/plugin.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32 };

const struct command *const command_all[] = {
	&command_run,       &command_check, &command_choose, &command_import,
	&command_report,    &command_view,  &command_table,  &command_export,
	&command_prune,     &command_merge, &command_submit, &command_status,
	&command_reproduce, &command_train, &command_switch, &command_testbed,
	&command_keeper,    &command_list,  &command_model,  &command_help,
	&command_version,   NULL,
};

/* --- parsing the command line --- */

static int arguments_unknown_option(const struct command *c, const char *word, struct weir_error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (const struct cli_option *o = c->options; o && o->name; o++)
		names[count++] = o->name;
	names[count++] = "--help";
	weir_error_unknown(e, "option", word, names, count);
	return weir_error_prefix(e, "%s: ", c->name);
}

/* Parses "--name", "--name value" or "--name=value". Returns the number of words consumed; -1: a
 * mistake. */
static int arguments_read_option(const struct command *c, char **words, struct argument *a,
				 struct weir_error *e)
{
	size_t length = strcspn(words[0], "=");

	for (const struct cli_option *o = c->options; o && o->name; o++) {
		if (strlen(o->name) != length || strncmp(o->name, words[0], length) != 0)
			continue;
		a->option = o;
		if (words[0][length] == '=') {
			a->value = words[0] + length + 1;
			if (!o->value)
				return weir_error_set(e, "%s: takes no value, got %s", o->name,
						      weir_quote(a->value).text);
			return 1;
		}
		if (!o->value)
			return 1;
		a->value = words[1];
		if (!a->value)
			return weir_error_set(e, "%s: a value is missing; write %s %s", o->name,
					      o->name, o->value);
		return 2;
	}
	return arguments_unknown_option(c, words[0], e);
}

static int arguments_is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* Parses all words into arguments, at most one per word. */
static int arguments_read(const struct command *c, char **words, struct argument *all,
			  struct arguments *a, struct weir_error *e)
{
	size_t plain = 0;
	int only_words = 0;

	*a = (struct arguments){ all, 0 };
	while (*words) {
		struct argument *at = &all[a->count];
		int taken = 1;

		*at = (struct argument){ NULL, *words };
		if (!only_words && strcmp(*words, "--") == 0) {
			only_words = 1;
			words++;
			continue;
		}
		if (!only_words && arguments_is_option(*words))
			taken = arguments_read_option(c, words, at, e);
		else if (++plain > c->words_max)
			return weir_error_set(e, "%s: %s is one word too many; usage: weir %s %s",
					      c->name, weir_quote(*words).text, c->name, c->usage);
		if (taken < 0)
			return -1;
		words += taken;
		a->count++;
	}
	if (plain < c->words_min)
		return weir_error_set(e, "%s: %s is missing; usage: weir %s %s", c->name, c->usage,
				      c->name, c->usage);
	return 0;
}

const char *arguments_word(const struct arguments *a, size_t i)
{
	for (size_t n = 0; n < a->count; n++)
		if (!a->all[n].option && i-- == 0)
			return a->all[n].value;
	return NULL;
}

const char *arguments_next(const struct arguments *a, const char *name, size_t *at)
{
	while (*at < a->count) {
		const struct argument *next = &a->all[(*at)++];

		if (next->option && strcmp(next->option->name, name) == 0)
			return next->value;
	}
	return NULL;
}

uint32_t arguments_values(const struct arguments *a, const char *name, const char **values)
{
	const char *value;
	uint32_t count = 0;

	for (size_t at = 0; (value = arguments_next(a, name, &at));)
		values[count++] = value;
	return count;
}

int arguments_request(const struct arguments *a, const char *const *names, size_t count,
		      struct weir_error *e)
{
	const char *word = arguments_word(a, 0);

	for (size_t i = 0; i < count; i++)
		if (strcmp(word, names[i]) == 0)
			return (int)i;
	if (!arguments_word(a, 1))
		return -1;
	weir_error_unknown(e, "request", word, names, count);
	return -2;
}

const char *arguments_option(const struct arguments *a, const char *name)
{
	for (size_t n = a->count; n-- > 0;)
		if (a->all[n].option && strcmp(a->all[n].option->name, name) == 0)
			return a->all[n].value ? a->all[n].value : "";
	return NULL;
}

/* --- messages and exit --- */

/* Text of a user may hold control characters; a terminal must not interpret them. */
static void cli_print_message(const char *text)
{
	fputs("weir: ", stderr);
	for (const char *c = text; *c; c++)
		fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stderr);
	fputc('\n', stderr);
}

int cli_error(enum exit_status status, const struct weir_error *e)
{
	cli_print_message(e->text);
	return (int)status;
}

void cli_note(const char *note)
{
	if (*note && world_launch().rank == 0)
		cli_print_message(note);
}

int cli_finish_output(int status)
{
	struct weir_error e;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	weir_error_set(&e, "standard output: cannot be written: %s", strerror(errno));
	return cli_error(EXIT_WORLD, &e);
}

/* --- the command --- */

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_all[i]; i++)
		if (strcmp(command_all[i]->name, name) == 0)
			return command_all[i];
	return NULL;
}

static int command_unknown(const char *name)
{
	const char *names[NAMES_MAX];
	struct weir_error e;
	size_t count = 0;

	while (command_all[count]) {
		names[count] = command_all[count]->name;
		count++;
	}
	weir_error_unknown(&e, "command", name, names, count);
	return cli_error(EXIT_MISTAKE, &e);
}

static int command_asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Only rank 0 prints a mistake that all ranks found. The others exit with 0: if one exited with
 * an error first, mpirun would kill rank 0 before it printed; mpirun's status is that of rank 0. */
static int command_error_once(const struct weir_error *e)
{
	return world_launch().rank == 0 ? cli_error(EXIT_MISTAKE, e) : EXIT_FINE;
}

static int command_refuse_world(const struct command *c)
{
	struct weir_error e;

	weir_error_set(&e, "%s: is done by one process, but %d were started; leave mpirun out",
		       c->name, world_launch().size);
	return command_error_once(&e);
}

static int command_do(const struct command *c, const struct arguments *a)
{
	enum command_world world = ranks_share_one(a) ? COMMAND_TOGETHER : c->world;
	struct weir_error e;
	int status;

	if (world_launch().size == 1)
		return c->run(a);
	if (world == COMMAND_ALONE)
		return command_refuse_world(c);
	if (world_begin(&e))
		return command_error_once(&e);
	if (world == COMMAND_EXECUTES && world_rank() > 0) {
		executor_mpi_serve(run_task_serve);
		status = EXIT_FINE;
	} else {
		status = cli_finish_output(c->run(a));
	}
	if (world == COMMAND_EXECUTES && world_rank() == 0)
		executor_mpi_dismiss();
	world_end(status);
	return status;
}

/* Plug-ins named on the command line may be loaded from any folder. */
static void command_permit_plugins(const struct command *c, const struct arguments *a)
{
	const int only_looks = c == &command_check && !arguments_option(a, ALLOW_PLUGINS);

	for (size_t i = 0; i < a->count; i++)
		if (a->all[i].option && a->all[i].value)
			plugin_permit_named(a->all[i].value);
	if (arguments_option(a, ALLOW_PLUGINS))
		plugin_permit_all();
	if (only_looks)
		plugin_permit_inspect_only();
}

static int command_start(const struct command *c, char **words)
{
	struct argument *all;
	struct arguments a;
	struct weir_error e;
	size_t count = 0;
	int status;

	while (words[count])
		if (command_asks_for_help(words[count++])) {
			help_print_command(stdout, c);
			return EXIT_FINE;
		}
	all = memory_zeroed(count, sizeof(*all));
	if (arguments_read(c, words, all, &a, &e)) {
		status = command_error_once(&e);
	} else {
		command_permit_plugins(c, &a);
		status = command_do(c, &a);
	}
	free(all);
	return status;
}

int main(int argc, char **argv)
{
	const struct command *c;

	crash_watch();
	if (argc < 2) {
		help_print_usage(stderr);
		return EXIT_MISTAKE;
	}
	if (command_asks_for_help(argv[1])) {
		help_print_usage(stdout);
		return cli_finish_output(EXIT_FINE);
	}
	if (strcmp(argv[1], "--version") == 0)
		argv[1] += strlen("--");
	c = command_find(argv[1]);
	if (!c)
		return command_unknown(argv[1]);
	return cli_finish_output(command_start(c, argv + 2));
}
