/* SPDX-License-Identifier: BSD-3-Clause */
/* help_reference.c -- long forms of help: the scenario reference as Markdown and the commands as
 * part of a man page, for docs/reference ("make docs"), and the sources of defaults, for a
 * terminal and as Markdown. Values of defaults come from the option tables, their sources from
 * config/defaults.c. */
#include "cli/help.h"
#include "cli/commands.h"
#include "config/defaults.h"
#include "lab/scenario/sections.h"
#include <string.h>

/* --- defaults --- */

enum { SOURCE_INDENT = 6 };

/* Introduction of the table of defaults, in both forms. */
static const char lead[] = "Every default with a unit, its source, and the link rates that the "
			   "source is about. 'weir check' and 'weir run' note a default in use "
			   "on links more than twice as fast or as slow. Times and rates of 0 "
			   "stand for a computed value, see the remark.";

/* "cc timely", "cc dcqcn(preset=paper)", "host". */
static const char *defaults_subject(const struct default_entry *d, char *buffer, size_t size)
{
	const char *when = d->when ? d->when : "";

	snprintf(buffer, size, "%s%s%s%s%s%s", d->owner, d->scheme ? " " : "",
		 d->scheme ? d->scheme : "", *when ? "(" : "", when, *when ? ")" : "");
	return buffer;
}

/* "t-low = 50us, t-high = 500us" */
static const char *defaults_values(const struct default_entry *d, char *buffer, size_t size)
{
	const struct weir_option *table = default_options(d);
	size_t used = 0;
	char name[64];

	*buffer = '\0';
	for (const char *at = d->options; (at = default_next_option(at, name, sizeof(name)));) {
		const struct weir_option *o = weir_option_find(table, name);

		if (o && used < size)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s = %s",
						 used ? ", " : "", name, o->def);
	}
	return buffer;
}

void help_print_defaults(void)
{
	char subject[128], last[128] = "", values[512], rates[128], text[1024];

	help_print_wrapped(lead, 0);
	for (const struct default_entry *d = default_all; d->owner; d++) {
		if (strcmp(defaults_subject(d, subject, sizeof(subject)), last) != 0)
			printf("\n%s\n", subject);
		snprintf(last, sizeof(last), "%s", subject);
		printf("  ");
		help_print_wrapped(defaults_values(d, values, sizeof(values)), 2);
		snprintf(text, sizeof(text), "for %s; source: %s%s%s",
			 default_rates(d, rates, sizeof(rates)), d->source, d->note ? "; " : "",
			 d->note ? d->note : "");
		printf("%*s", SOURCE_INDENT, "");
		help_print_wrapped(text, SOURCE_INDENT);
	}
}

static void help_print_defaults_markdown(void)
{
	char subject[128], values[512], rates[128];

	printf("\n## defaults\n\n%s\n\n", lead);
	puts("| of | default | for links of | source | remark |\n|---|---|---|---|---|");
	for (const struct default_entry *d = default_all; d->owner; d++)
		printf("| %s | `%s` | %s | %s | %s |\n",
		       defaults_subject(d, subject, sizeof(subject)),
		       defaults_values(d, values, sizeof(values)),
		       default_rates(d, rates, sizeof(rates)), d->source, d->note ? d->note : "");
}

/* --- Markdown --- */

/* Escapes bars, which end a cell, and angle brackets, which start a tag. */
static void reference_print_cell(const char *text)
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

/* Prints a help sentence as a paragraph, with a capital and a full stop. */
static void reference_print_sentence(const char *text)
{
	const char first[] = { text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A')
								: text[0],
			       '\0' };

	reference_print_cell(first);
	reference_print_cell(text + 1);
	puts(".");
}

/* "at least 1", "one of a, b"; "" for flags and texts. */
static void reference_print_allowed(const struct weir_option *o)
{
	char range[1024];

	fputs(weir_option_kind(o), stdout);
	if (weir_opt_is_text(o->type) || o->type == WEIR_OPT_FLAG)
		return;
	fputs(", ", stdout);
	reference_print_cell(weir_option_range(range, sizeof(range), o));
}

static void reference_print_keys_head(void)
{
	puts("\n| key | value | default | |\n|---|---|---|---|");
}

static void reference_print_keys(const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++) {
		printf("| `%s` | ", o->name);
		reference_print_allowed(o);
		fputs(" | ", stdout);
		if (o->def)
			printf("`%s`", o->def);
		fputs(" | ", stdout);
		reference_print_cell(o->help);
		puts(" |");
	}
}

/* Prints the table of keys of a section or of one of its kinds. */
static void reference_print_owner(const struct weir_option *options)
{
	if (!options || !options->name)
		return;
	reference_print_keys_head();
	reference_print_keys(options);
}

static void reference_print_section(const struct section *s)
{
	struct kind k;

	printf("\n## %s\n\n", s->example);
	reference_print_sentence(s->help);
	reference_print_owner(s->options);
	for (size_t i = 0; s->kind && s->kind(i, &k); i++) {
		printf("\n### %s = %s\n\n", section_chooser(s)->name, k.name);
		reference_print_sentence(k.help);
		reference_print_owner(k.options);
	}
}

static void reference_print_catalogue(const struct catalogue *s)
{
	struct entry e;

	printf("\n## %s\n\n", s->name);
	reference_print_sentence(s->help);
	for (size_t i = 0; catalogue_entry(s, i, &e); i++) {
		printf("\n### %s\n\n", e.name);
		reference_print_sentence(e.help);
		if (e.cite)
			printf("\n*%s.*\n", e.cite);
		if (!e.options || !e.options->name)
			continue;
		reference_print_keys_head();
		reference_print_keys(e.options);
	}
}

/* Prints a catalogue whose entries have no options as one table. */
static void reference_print_names(const struct catalogue *s)
{
	struct entry e;

	printf("\n## %s\n\n", s->name);
	reference_print_sentence(s->help);
	puts("\n| name | unit | |\n|---|---|---|");
	for (size_t i = 0; catalogue_entry(s, i, &e); i++) {
		printf("| `%s` | %s | ", e.name, e.unit ? e.unit : "");
		reference_print_cell(e.help);
		puts(" |");
	}
}

void help_print_reference(void)
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
		reference_print_section(s);
	for (const struct catalogue *s = catalogue_all; s->name; s++) {
		int is_scheme = 0;

		for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
			is_scheme |= strcmp(s->name, schemes[i]) == 0;
		if (is_scheme)
			reference_print_catalogue(s);
		else if (!section_find(s->name) && strcmp(s->name, "topology") != 0)
			reference_print_names(s);
	}
	help_print_defaults_markdown();
}

/* --- man page --- */

/* Escapes for troff: minus signs, and a dot or quote at the start of a line, which would be a
 * request. */
static void reference_print_roff(const char *text)
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

void help_print_manual(void)
{
	for (size_t i = 0; command_all[i]; i++) {
		const struct command *c = command_all[i];

		fputs(".SS weir ", stdout);
		reference_print_roff(c->name);
		if (*c->usage)
			putchar(' ');
		reference_print_roff(c->usage);
		puts(c->options ? " [OPTION]..." : "");
		reference_print_roff(c->help);
		puts(".");
		for (const struct cli_option *o = c->options; o && o->name; o++) {
			fputs(".TP\n.B ", stdout);
			reference_print_roff(o->name);
			if (o->value) {
				putchar(' ');
				reference_print_roff(o->value);
			}
			putchar('\n');
			reference_print_roff(o->help);
			puts(".");
		}
		if (c->more) {
			puts(".PP\n.nf");
			reference_print_roff(c->more);
			puts(".fi");
		}
	}
}
