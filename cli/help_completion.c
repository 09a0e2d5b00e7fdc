/* SPDX-License-Identifier: BSD-3-Clause */
/* help_completion.c -- weir help --completion SHELL: a completion script for bash, zsh or fish.
 *
 * The scripts hold the names of the tables at build time and do not run weir. Every position of
 * the command line has an offer (enum cli_offer): the first part of this file lists the names of
 * an offer, the second prints a script for each shell. */
#include "cli/help.h"
#include "lab/scenario/sections.h"
#include <string.h>

/* --- the names of an offer, with a space after each --- */

static void completion_print_catalogue(const char *catalogue)
{
	struct entry e;

	for (const struct catalogue *s = catalogue_all; s->name; s++)
		for (size_t i = 0; strcmp(s->name, catalogue) == 0 && catalogue_entry(s, i, &e);
		     i++)
			printf("%s ", e.name);
}

static void completion_print_shelves(void)
{
	for (const struct catalogue *s = catalogue_all; s->name; s++)
		printf("%s ", s->name);
}

/* Names chosen by users (sections, parts) are left out. */
static void completion_print_settings(void)
{
	for (const struct section *s = section_all; s->name; s++)
		for (const struct weir_option *o = s->options; o && o->name; o++)
			if (!(s->traits & SECTION_NAMED) && !strchr(o->name, '.'))
				printf("%s.%s ", s->name, o->name);
}

static void completion_print_commands(void)
{
	for (size_t i = 0; command_all[i]; i++)
		printf("%s ", command_all[i]->name);
}

static void completion_print_all(void)
{
	completion_print_commands();
	for (const struct section *s = section_all; s->name; s++)
		printf("%s ", s->name);
	for (const struct catalogue *s = catalogue_all; s->name; s++)
		completion_print_catalogue(s->name);
	for (const struct topic *t = topic_all; t->name; t++)
		printf("%s ", t->name);
	printf("defaults ");
}

static void completion_print_shells(void);

static void completion_print_names(enum cli_offer offer)
{
	static const char *const catalogues[] = {
		[OFFER_MARKING] = "marking", [OFFER_SCHEDULER] = "scheduler",
		[OFFER_CC] = "cc",           [OFFER_TOPOLOGY] = "topology",
		[OFFER_METRIC] = "metric",   [OFFER_TRAINER] = "trainer",
		[OFFER_MODEL] = "model",
	};
	static void (*const lists[])(void) = {
		[OFFER_CATALOGUE] = completion_print_shelves,
		[OFFER_SETTING] = completion_print_settings,
		[OFFER_NAME] = completion_print_all,
		[OFFER_SHELL] = completion_print_shells,
	};

	if (offer < sizeof(catalogues) / sizeof(catalogues[0]) && catalogues[offer])
		completion_print_catalogue(catalogues[offer]);
	else if (offer < sizeof(lists) / sizeof(lists[0]) && lists[offer])
		lists[offer]();
}

/* Prints text inside single quotes, with quotes escaped for the shell and special characters for
 * the function that parses the string. */
static void completion_print_quoted(const char *text, const char *quote, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, stdout);
		else if (strchr(special, *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

/* --- bash --- */

static void bash_offer(enum cli_offer offer)
{
	switch (offer) {
	case OFFER_NOTHING:
		puts("return ;;");
		break;
	case OFFER_FILE:
		puts("compopt -o filenames; offer=(-f) ;;");
		break;
	case OFFER_FOLDER:
		puts("compopt -o filenames; offer=(-d) ;;");
		break;
	default:
		fputs("offer=(-W '", stdout);
		completion_print_names(offer);
		puts("') ;;");
	}
}

static void bash_command(const struct command *c)
{
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		if (!o->value)
			continue;
		printf("\t'%s %s '*) ", c->name, o->name);
		bash_offer(o->offer);
	}
	printf("\t'%s '*' -'*) offer=(-W '", c->name);
	for (const struct cli_option *o = c->options; o && o->name; o++)
		printf("%s ", o->name);
	puts("--help') ;;");
	printf("\t'%s '*) ", c->name);
	bash_offer(c->offer);
}

/* A pattern is "COMMAND WORD-BEFORE WORD"; the first match counts. */
static void bash_completion(void)
{
	puts("# Completion of weir's command lines, by 'weir help --completion bash'.\n"
	     "_weir() {\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} offer\n"
	     "\tlocal command=${COMP_WORDS[1]}\n"
	     "\tCOMPREPLY=()\n"
	     "\t[ \"$COMP_CWORD\" -gt 1 ] || command=\n"
	     "\tcase \"$command $before $word\" in");
	for (size_t i = 0; command_all[i]; i++)
		bash_command(command_all[i]);
	fputs("\t' '*) offer=(-W '", stdout);
	completion_print_commands();
	puts("--help --version') ;;\n"
	     "\t*) return ;;\n"
	     "\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen \"${offer[@]}\" -- \"$word\")\n"
	     "}\n"
	     "complete -F _weir weir");
}

/* --- zsh --- */

static void zsh_offer(const char *what, enum cli_offer offer)
{
	putchar(':');
	completion_print_quoted(what, "'\\''", ":");
	putchar(':');
	switch (offer) {
	case OFFER_NOTHING:
		putchar(' ');
		break;
	case OFFER_FILE:
		fputs("_files", stdout);
		break;
	case OFFER_FOLDER:
		fputs("_files -/", stdout);
		break;
	default:
		putchar('(');
		completion_print_names(offer);
		putchar(')');
	}
}

static void zsh_command(const struct command *c)
{
	printf("\t%s)\n\t\t_arguments", c->name);
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		printf(" \\\n\t\t\t'*%s[", o->name);
		completion_print_quoted(o->help, "'\\''", "[]:\\");
		putchar(']');
		if (o->value)
			zsh_offer(o->value, o->offer);
		putchar('\'');
	}
	fputs(" \\\n\t\t\t'(- *)--help[explains the command]'", stdout);
	if (c->words_max > 0) {
		fputs(" \\\n\t\t\t'*", stdout);
		zsh_offer(c->usage, c->offer);
		putchar('\'');
	}
	puts("\n\t\t;;");
}

static void zsh_completion(void)
{
	puts("#compdef weir\n"
	     "# Completion of weir's command lines, by 'weir help --completion zsh'.\n"
	     "_weir() {\n"
	     "\tlocal -a commands=(");
	for (size_t i = 0; command_all[i]; i++) {
		printf("\t\t'%s:", command_all[i]->name);
		completion_print_quoted(command_all[i]->help, "'\\''", ":\\");
		puts("'");
	}
	puts("\t)\n"
	     "\tif (( CURRENT == 2 )); then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tshift words\n"
	     "\t(( CURRENT-- ))\n"
	     "\tcase $words[1] in");
	for (size_t i = 0; command_all[i]; i++)
		zsh_command(command_all[i]);
	puts("\tesac\n"
	     "}\n"
	     "_weir \"$@\"");
}

/* --- fish --- */

static void fish_offer(enum cli_offer offer)
{
	switch (offer) {
	case OFFER_NOTHING:
		fputs(" -f", stdout);
		break;
	case OFFER_FILE:
		fputs(" -F", stdout);
		break;
	case OFFER_FOLDER:
		fputs(" -f -a '(__fish_complete_directories)'", stdout);
		break;
	default:
		fputs(" -f -a '", stdout);
		completion_print_names(offer);
		putchar('\'');
	}
}

static void fish_help(const char *text)
{
	fputs(" -d '", stdout);
	completion_print_quoted(text, "\\'", "\\");
	puts("'");
}

static void fish_command(const struct command *c)
{
	printf("complete -c weir -n __fish_use_subcommand -f -a %s", c->name);
	fish_help(c->help);
	printf("complete -c weir -n '__fish_seen_subcommand_from %s'", c->name);
	fish_offer(c->offer);
	putchar('\n');
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		int is_long = o->name[1] == '-';

		printf("complete -c weir -n '__fish_seen_subcommand_from %s' -%c %s", c->name,
		       is_long ? 'l' : 's', o->name + (is_long ? 2 : 1));
		if (o->value) {
			fputs(" -r", stdout);
			fish_offer(o->offer);
		}
		fish_help(o->help);
	}
}

static void fish_completion(void)
{
	puts("# Completion of weir's command lines, by 'weir help --completion fish'.");
	for (size_t i = 0; command_all[i]; i++)
		fish_command(command_all[i]);
}

/* --- the shells --- */

static const struct {
	const char *name;
	void (*print)(void);
} shells[] = {
	{ "bash", bash_completion },
	{ "zsh", zsh_completion },
	{ "fish", fish_completion },
};

enum { SHELLS = sizeof(shells) / sizeof(shells[0]) };

static void completion_print_shells(void)
{
	for (size_t i = 0; i < SHELLS; i++)
		printf("%s ", shells[i].name);
}

int help_print_completion(const char *shell, struct weir_error *e)
{
	const char *names[SHELLS];

	for (size_t i = 0; i < SHELLS; i++) {
		names[i] = shells[i].name;
		if (strcmp(names[i], shell) != 0)
			continue;
		shells[i].print();
		return 0;
	}
	return weir_error_unknown(e, "shell", shell, names, SHELLS);
}
