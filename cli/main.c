/* main.c -- the program: finds the command, reads its arguments, runs it. */
#include "cli/commands.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32 };

static const struct cli_option run_options[] = {
	{ "--set", "SECTION.KEY=VALUE", "replaces or adds a setting; may be given several times" },
	{ "--seed", "N", "start of every random number, in place of the file's" },
	{ "--threads", "N", "threads of the run; results do not depend on it" },
	{ "--json", "FILE", "writes settings and metrics as JSON; - is standard output" },
	{ "--csv", "FOLDER", "writes runs.csv, flows.csv and ports.csv" },
	{ "--quiet", NULL, "prints no table and no progress" },
	{ .name = NULL },
};

static const struct cli_option check_options[] = {
	{ "--set", "SECTION.KEY=VALUE", "replaces or adds a setting; may be given several times" },
	{ "--seed", "N", "start of every random number, in place of the file's" },
	{ .name = NULL },
};

static const struct command run_command = {
	"run", "FILE", "runs a scenario and prints what came out", run_options, 1, 1, command_run
};
static const struct command check_command = {
	"check", "FILE", "reads a scenario, builds its network and traffic, and says what it found",
	check_options, 1, 1, command_check
};
static const struct command list_command = {
	"list", "[KIND]",
	"names what there is: marking, scheduler, cc, topology, traffic, workload, metric", NULL, 0, 1,
	command_list
};
static const struct command help_command = {
	"help", "[NAME]", "explains a command, a section, a scheme, a workload or a metric", NULL, 0, 1,
	command_help
};
static const struct command version_command = {
	"version", "", "says which Weir this is", NULL, 0, 0, command_version
};

const struct command *const command_all[] = {
	&run_command, &check_command, &list_command, &help_command, &version_command, NULL,
};

/* --- reading the arguments --- */

static int unknown_option(const struct command *c, const char *word, struct error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (const struct cli_option *o = c->options; o && o->name; o++)
		names[count++] = o->name;
	names[count++] = "--help";
	error_unknown(e, "option", word, names, count);
	return error_prefix(e, "%s: ", c->name);
}

/* "--name", "--name value" or "--name=value". Returns how many words it took, -1: a mistake. */
static int read_option(const struct command *c, char **words, struct argument *a, struct error *e)
{
	size_t length = strcspn(words[0], "=");

	for (const struct cli_option *o = c->options; o && o->name; o++) {
		if (strlen(o->name) != length || strncmp(o->name, words[0], length) != 0)
			continue;
		a->option = o;
		if (words[0][length] == '=') {
			a->value = words[0] + length + 1;
			if (!o->value)
				return error_set(e, "%s: takes no value, got %s", o->name,
						 quote(a->value).text);
			return 1;
		}
		if (!o->value)
			return 1;
		a->value = words[1];
		if (!a->value)
			return error_set(e, "%s: a value is missing; write %s %s", o->name, o->name,
					 o->value);
		return 2;
	}
	return unknown_option(c, words[0], e);
}

static int is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* Fills all with at most as many arguments as there are words. */
static int read_arguments(const struct command *c, char **words, struct argument *all,
			  struct arguments *a, struct error *e)
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
		if (!only_words && is_option(*words))
			taken = read_option(c, words, at, e);
		else if (++plain > c->words_max)
			return error_set(e, "%s: %s is one word too many; usage: weir %s %s", c->name,
					 quote(*words).text, c->name, c->usage);
		if (taken < 0)
			return -1;
		words += taken;
		a->count++;
	}
	if (plain < c->words_min)
		return error_set(e, "%s: %s is missing; usage: weir %s %s", c->name, c->usage, c->name,
				 c->usage);
	return 0;
}

const char *arguments_word(const struct arguments *a, size_t i)
{
	for (size_t n = 0; n < a->count; n++)
		if (!a->all[n].option && i-- == 0)
			return a->all[n].value;
	return NULL;
}

const char *arguments_option(const struct arguments *a, const char *name)
{
	for (size_t n = a->count; n-- > 0;)
		if (a->all[n].option && strcmp(a->all[n].option->name, name) == 0)
			return a->all[n].value ? a->all[n].value : "";
	return NULL;
}

/* --- endings --- */

int complain(enum exit_status status, const struct error *e)
{
	fputs("weir: ", stderr);
	/* What users wrote may hold anything; a terminal must not obey it. */
	for (const char *c = e->text; *c; c++)
		fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stderr);
	fputc('\n', stderr);
	return (int)status;
}

int finish_output(int status)
{
	struct error e;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	error_set(&e, "standard output: cannot be written: %s", strerror(errno));
	return complain(EXIT_WORLD, &e);
}

/* --- the command --- */

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_all[i]; i++)
		if (strcmp(command_all[i]->name, name) == 0)
			return command_all[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[NAMES_MAX];
	struct error e;
	size_t count = 0;

	while (command_all[count]) {
		names[count] = command_all[count]->name;
		count++;
	}
	error_unknown(&e, "command", name, names, count);
	return complain(EXIT_MISTAKE, &e);
}

static int asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int start(const struct command *c, char **words)
{
	struct argument *all;
	struct arguments a;
	struct error e;
	size_t count = 0;
	int status;

	while (words[count])
		if (asks_for_help(words[count++])) {
			print_command(stdout, c);
			return EXIT_FINE;
		}
	all = calloc(count + 1, sizeof(*all));
	if (!all) {
		error_set(&e, "no memory");
		return complain(EXIT_WORLD, &e);
	}
	if (read_arguments(c, words, all, &a, &e))
		status = complain(EXIT_MISTAKE, &e);
	else
		status = c->run(&a);
	free(all);
	return status;
}

int main(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_MISTAKE;
	}
	if (asks_for_help(argv[1])) {
		print_usage(stdout);
		return finish_output(EXIT_FINE);
	}
	if (strcmp(argv[1], "--version") == 0)
		argv[1] += strlen("--");
	c = command_find(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	return finish_output(start(c, argv + 2));
}
