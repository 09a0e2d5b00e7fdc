/* SPDX-License-Identifier: BSD-3-Clause */
/* reference.c -- everything that a scenario may hold, as Markdown, and every command, as a part of
 * a man page: what docs/reference/scenario.md and docs/reference/weir.1 are made of ("make
 * docs"). */
#include "cli/catalogue.h"
#include "cli/commands.h"
#include "lab/scenario/sections.h"
#include <string.h>

/* --- Markdown --- */

/* Bars end a cell, and angle brackets might start a tag. */
static void print_cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			fputs("\\|", stdout);
		else if (*text == '<')
			fputs("&lt;", stdout);
		else
			putchar(*text);
	}
}

/* A help text, which has neither capital nor full stop, as a paragraph. */
static void print_sentence(const char *text)
{
	const char first[] = { text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A')
								: text[0],
			       '\0' };

	print_cell(first);
	print_cell(text + 1);
	puts(".");
}

/* "at least 1", "one of a, b"; flags and texts need no more than their kind. */
static void print_allowed(const struct weir_option *o)
{
	char range[1024];

	fputs(weir_option_kind(o), stdout);
	if (weir_opt_is_text(o->type) || o->type == WEIR_OPT_FLAG)
		return;
	fputs(", ", stdout);
	print_cell(weir_option_range(range, sizeof(range), o));
}

static void print_keys_head(void)
{
	puts("\n| key | value | default | |\n|---|---|---|---|");
}

static void print_keys(const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++) {
		printf("| `%s` | ", o->name);
		print_allowed(o);
		fputs(" | ", stdout);
		if (o->def)
			printf("`%s`", o->def);
		fputs(" | ", stdout);
		print_cell(o->help);
		puts(" |");
	}
}

/* The keys of a section, or of one of its kinds. */
static void print_owner(const struct weir_option *options)
{
	if (!options || !options->name)
		return;
	print_keys_head();
	print_keys(options);
}

static void print_section_reference(const struct section *s)
{
	struct kind k;

	printf("\n## %s\n\n", s->example);
	print_sentence(s->help);
	print_owner(s->options);
	for (size_t i = 0; s->kind && s->kind(i, &k); i++) {
		printf("\n### %s = %s\n\n", section_chooser(s)->name, k.name);
		print_sentence(k.help);
		print_owner(k.options);
	}
}

static void print_shelf_reference(const struct shelf *s)
{
	struct entry e;

	printf("\n## %s\n\n", s->name);
	print_sentence(s->help);
	for (size_t i = 0; shelf_entry(s, i, &e); i++) {
		printf("\n### %s\n\n", e.name);
		print_sentence(e.help);
		if (e.cite)
			printf("\n*%s.*\n", e.cite);
		if (!e.options || !e.options->name)
			continue;
		print_keys_head();
		print_keys(e.options);
	}
}

/* A shelf whose entries have no options: one table. */
static void print_names_reference(const struct shelf *s)
{
	struct entry e;

	printf("\n## %s\n\n", s->name);
	print_sentence(s->help);
	puts("\n| name | unit | |\n|---|---|---|");
	for (size_t i = 0; shelf_entry(s, i, &e); i++) {
		printf("| `%s` | %s | ", e.name, e.unit ? e.unit : "");
		print_cell(e.help);
		puts(" |");
	}
}

void print_reference(void)
{
	static const char *const schemes[] = { "marking", "scheduler", "cc" };

	puts("# The scenario reference\n\n"
	     "Written by `weir help --markdown` (`make docs`) "
	     "from the tables that also read the values.\n\n"
	     "A scenario is an INI file: `[section]` lines, `key = value` lines, "
	     "comments after `#` or `;`. The first\n"
	     "comment is its title. `seed = N` may stand before the first section. "
	     "Every quantity has a unit: times in\n"
	     "`ps ns us ms s`, sizes in `B KB MB GB` (1000) and `KiB MiB GiB` (1024), "
	     "rates in `bps Kbps Mbps Gbps\n"
	     "Tbps`, queue lengths in bytes or `pkts`. "
	     "A scheme is written with its options in brackets, `red(min=5KB,\n"
	     "max=200KB)`; one with a slash in its name is a plug-in, `./mine.so(k=10KB)`. "
	     "On the command line the\n"
	     "same settings are `--set section.key=value`.");
	for (const struct section *s = section_all; s->name; s++)
		print_section_reference(s);
	for (const struct shelf *s = shelf_all; s->name; s++) {
		int is_scheme = 0;

		for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
			is_scheme |= strcmp(s->name, schemes[i]) == 0;
		if (is_scheme)
			print_shelf_reference(s);
		else if (!section_find(s->name) && strcmp(s->name, "topology") != 0)
			print_names_reference(s);
	}
	print_defaults_markdown();
}

/* --- man page --- */

/* Minus signs are hyphens unless escaped; a dot or weir_quote at a line's start would be a
 * command. */
static void print_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text == '\\' ? 'e' : *text);
		if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
			fputs("\\&", stdout);
	}
}

void print_manual(void)
{
	for (size_t i = 0; command_all[i]; i++) {
		const struct command *c = command_all[i];

		fputs(".SS weir ", stdout);
		print_roff(c->name);
		if (*c->usage)
			putchar(' ');
		print_roff(c->usage);
		puts(c->options ? " [OPTION]..." : "");
		print_roff(c->help);
		puts(".");
		for (const struct cli_option *o = c->options; o && o->name; o++) {
			fputs(".TP\n.B ", stdout);
			print_roff(o->name);
			if (o->value) {
				putchar(' ');
				print_roff(o->value);
			}
			putchar('\n');
			print_roff(o->help);
			puts(".");
		}
		if (c->more) {
			puts(".PP\n.nf");
			print_roff(c->more);
			puts(".fi");
		}
	}
}
