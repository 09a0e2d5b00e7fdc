/* SPDX-License-Identifier: BSD-3-Clause */
/* help.c -- weir help [NAME]: explains commands, sections, keys, schemes, metrics and topics.
 *
 * Except for topics (help_topics.c) all texts come from the tables that also parse the values,
 * so help cannot differ from what is accepted. */
#include "cli/help.h"
#include "cli/options.h"
#include "lab/scenario/sections.h"
#include "base/version.h"
#include "lab/store/columns.h"
#include "config/plugin.h"
#include "switch/run/settings.h"
#include <string.h>

static const struct cli_option help_arguments[] = {
	{ "--markdown", NULL, "writes the scenario reference as Markdown", OFFER_NOTHING },
	{ "--man", NULL, "writes commands and options as part of a man page", OFFER_NOTHING },
	{ "--results", NULL, "writes the columns of results as part of docs/reference/results.md",
	  OFFER_NOTHING },
	{ "--completion", "SHELL", "writes command-line completion for bash, zsh or fish",
	  OFFER_SHELL },
	{ .name = NULL },
};

enum {
	NAMES_MAX = 1024,
	TEXT_WIDTH = 80,
	ENTRY_INDENT = 2,
	HEAD_INDENT = 4, /* further lines of an option's type, range and default */
	HELP_INDENT = 6,
	COMMAND_INDENT = 2, /* help sentence of a single command */
	USAGE_INDENT = 32,  /* help sentence in the list of commands */
	OPTION_INDENT = 29,
};

/* Wraps text at TEXT_WIDTH; all lines but the first, which continues the current one, are
 * indented. */
static void help_wrap(FILE *f, const char *text, int indent)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column > 0 && column + 1 + word > (size_t)(TEXT_WIDTH - indent)) {
			fprintf(f, "\n%*s", indent, "");
			column = 0;
		} else if (column > 0) {
			fputc(' ', f);
			column++;
		}
		fprintf(f, "%.*s", (int)word, text);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

void help_print_wrapped(const char *text, int indent)
{
	help_wrap(stdout, text, indent);
}

/* Prints a name and its help from column indent on, on the next line if the name is too long. */
static void help_print_explained(FILE *f, const char *name, const char *text, int indent)
{
	if (fprintf(f, "%s", name) >= indent)
		fprintf(f, "\n%*s", indent, "");
	else
		fprintf(f, "%*s", indent - (int)strlen(name), "");
	help_wrap(f, text, indent);
}

static void help_print_topics(FILE *f)
{
	size_t column = 0;

	for (const struct topic *t = topic_all; t->name; t++) {
		size_t length = strlen(t->name) + (t[1].name ? 2 : 1);

		if (column + length > TEXT_WIDTH) {
			fputc('\n', f);
			column = 0;
		}
		column += (size_t)fprintf(f, "%s%s%s", column ? " " : "", t->name,
					  t[1].name ? "," : ".");
	}
	fputc('\n', f);
}

void help_print_usage(FILE *f)
{
	fputs("weir: packet-level simulation of datacenter networks: ECN/AQM, scheduling,\n"
	      "buffers, PFC, congestion control.\n"
	      "\n"
	      "usage:\n",
	      f);
	for (size_t i = 0; command_all[i]; i++) {
		char left[128];

		snprintf(left, sizeof(left), "  weir %-9s %s", command_all[i]->name,
			 command_all[i]->usage);
		help_print_explained(f, left, command_all[i]->help, USAGE_INDENT);
	}
	fputs("\n"
	      "'weir help COMMAND' shows the options of a command, 'weir help network' the\n"
	      "keys of a section, 'weir help red' the options of a scheme, 'weir help\n"
	      "defaults' the sources of defaults, 'weir list' all names. Topics:\n",
	      f);
	help_print_topics(f);
}

void help_print_command(FILE *f, const struct command *c)
{
	fprintf(f, "weir %s %s%s\n  ", c->name, c->usage, c->options ? " [OPTION]..." : "");
	help_wrap(f, c->help, COMMAND_INDENT);
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		char left[128];

		snprintf(left, sizeof(left), "  %s%s%s", o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		help_print_explained(f, left, o->help, OPTION_INDENT);
	}
	if (c->more)
		fprintf(f, "\n%s", c->more);
}

static void help_print_option(const struct weir_option *o)
{
	char range[1024], head[2048];
	int has_range = !weir_opt_is_text(o->type) && o->type != WEIR_OPT_FLAG;

	weir_option_range(range, sizeof(range), o);
	snprintf(head, sizeof(head), "%s = %s%s%s%s%s%s", o->name, weir_option_kind(o),
		 has_range ? ", " : "", has_range ? range : "", o->def ? " (default " : "",
		 o->def ? o->def : "", o->def ? ")" : "");
	printf("%*s", ENTRY_INDENT, "");
	help_print_wrapped(head, HEAD_INDENT);
	printf("%*s", HELP_INDENT, "");
	help_print_wrapped(o->help, HELP_INDENT);
}

static void help_print_options(const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++)
		help_print_option(o);
}

static void help_print_section(const struct section *s)
{
	struct kind k;

	printf("%s: ", s->example);
	help_print_wrapped(s->help, (int)strlen(s->example) + 2);
	help_print_options(s->options);
	for (size_t i = 0; s->kind && s->kind(i, &k); i++) {
		printf("with %s = %s:", section_chooser(s)->name, k.name);
		for (const struct weir_option *o = k.options; o && o->name; o++)
			printf("%s %s", o == k.options ? "" : ",", o->name);
		putchar('\n');
	}
	if (s->kind)
		printf("'weir help NAME' explains the keys of a %s.\n", section_chooser(s)->name);
}

/* Refers to the keys that every topology or pattern has. */
static void help_print_section_keys(const char *section)
{
	printf("and the keys of every %s: 'weir help %s'\n",
	       section_chooser(section_find(section))->name, section);
}

static void help_print_entry(const struct catalogue *s, const struct entry *e)
{
	printf("%s (%s)\n", e->name, s->name);
	for (int i = 0; i < 2; i++) {
		const char *text = i ? e->cite : e->help;

		if (!text)
			continue;
		printf("%*s", ENTRY_INDENT, "");
		help_print_wrapped(text, ENTRY_INDENT);
	}
	if (e->unit && *e->unit)
		printf("  unit: %s\n", e->unit);
	help_print_options(e->options);
	if (strcmp(s->name, "topology") == 0)
		help_print_section_keys("network");
	if (strcmp(s->name, "traffic") == 0)
		help_print_section_keys("traffic");
}

/* --- plug-ins, by path --- */

static int help_print_plugin(const char *path)
{
	static const struct catalogue catalogues[] = {
		[PLUGIN_MARK] = { .name = "marking" }, [PLUGIN_SCHED] = { .name = "scheduler" },
		[PLUGIN_CC] = { .name = "cc" },        [PLUGIN_TRAFFIC] = { .name = "traffic" },
		[PLUGIN_TUNE] = { .name = "tuner" },   [PLUGIN_AGENT] = { .name = "agent" },
	};
	const struct weir_plugin *p;
	struct weir_error e;
	int found = 0;

	plugin_permit_named(path);
	p = plugin_load(path, &e);
	if (!p)
		return cli_error(EXIT_MISTAKE, &e);
	for (int kind = 0; kind < PLUGIN_KINDS; kind++) {
		const struct weir_scheme *s = plugin_ops(p, (enum plugin_kind)kind);
		struct entry entry;

		if (!s)
			continue;
		if (found++)
			putchar('\n');
		entry = scheme_entry(s);
		help_print_entry(&catalogues[kind], &entry);
	}
	return EXIT_FINE;
}

/* --- keys --- */

/* Prints a key of sections and of their kinds, which may use one name for different things. */
static int help_print_key(const char *name, int found)
{
	for (const struct section *s = section_all; s->name; s++) {
		const struct weir_option *own = weir_option_find(s->options, name), *o;
		struct kind k;

		if (own) {
			printf("%s%s, a key of %s\n", found++ ? "\n" : "", name, s->example);
			help_print_option(own);
		}
		for (size_t i = 0; s->kind && s->kind(i, &k); i++) {
			o = weir_option_find(k.options, name);
			if (!o)
				continue;
			printf("%s%s, a key of %s with %s = %s\n", found++ ? "\n" : "", name,
			       s->example, section_chooser(s)->name, k.name);
			help_print_option(o);
		}
	}
	return found;
}

/* --- lookup of a name, which may have several meanings --- */

static size_t help_add_name(const char **names, size_t count, const char *name)
{
	if (count < NAMES_MAX)
		names[count++] = name;
	return count;
}

static int help_unknown_name(const char *name)
{
	const char *names[NAMES_MAX], *nearest;
	size_t count = help_add_name(names, 0, "defaults");
	struct entry entry;
	struct weir_error e;

	for (size_t i = 0; command_all[i]; i++)
		count = help_add_name(names, count, command_all[i]->name);
	for (const struct section *s = section_all; s->name; s++)
		count = help_add_name(names, count, s->name);
	for (const struct catalogue *s = catalogue_all; s->name; s++)
		for (size_t i = 0; catalogue_entry(s, i, &entry); i++)
			count = help_add_name(names, count, entry.name);
	for (const struct topic *t = topic_all; t->name; t++)
		count = help_add_name(names, count, t->name);
	for (const struct section *s = section_all; s->name; s++)
		for (const struct weir_option *o = s->options; o && o->name; o++)
			count = help_add_name(names, count, o->name);
	nearest = weir_nearest_name(name, names, count);
	weir_error_set(
		&e,
		"no help on %s; allowed are commands, sections (network, switch, host, rdma, "
		"traffic, measure, sweep, case, full; real and port of switches) and their keys, "
		"what 'weir list' shows, and "
		"the topics of 'weir help'%s%s%s",
		weir_quote(name).text, nearest ? " (nearest: " : "", nearest ? nearest : "",
		nearest ? ")" : "");
	return cli_error(EXIT_MISTAKE, &e);
}

static int help_print_topic(const char *name, int found)
{
	const struct topic *t = topic_find(name);

	if (!t)
		return found;
	if (found++)
		putchar('\n');
	printf("%s%s%s (topic)\n", name, strcmp(t->name, name) == 0 ? "" : ", see ",
	       strcmp(t->name, name) == 0 ? "" : t->name);
	fputs(t->text, stdout);
	return found;
}

static int help_print_catalogue(const char *name, int found)
{
	struct entry e;

	for (const struct catalogue *s = catalogue_all; s->name; s++)
		for (size_t i = 0; catalogue_entry(s, i, &e); i++) {
			if (strcmp(e.name, name) != 0)
				continue;
			if (found++)
				putchar('\n');
			help_print_entry(s, &e);
		}
	return found;
}

/* Prints the sections of switch files ('weir switch'). */
static int help_print_real(const char *name, int found)
{
	static const struct {
		const char *name, *example, *help;
		const struct weir_option *options;
	} sections[] = {
		{ "real", "[real]", "packet I/O and process of a real switch ('weir switch')",
		  real_options },
		{ "port", "[port b]",
		  "a port of a real switch ('weir switch'); may also hold any key of [switch], "
		  "for this port only",
		  real_port_options },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (strcmp(sections[i].name, name) != 0)
			continue;
		if (found++)
			putchar('\n');
		printf("%s: %s\n", sections[i].example, sections[i].help);
		help_print_options(sections[i].options);
	}
	return found;
}

/* Prints options of schemes, if the name has no other meaning: drop-max of red. */
static int help_print_scheme_options(const char *name)
{
	struct entry e;
	int found = 0;

	for (const struct catalogue *s = catalogue_all; s->name; s++)
		for (size_t i = 0; catalogue_entry(s, i, &e); i++) {
			const struct weir_option *o = weir_option_find(e.options, name);

			if (!o)
				continue;
			printf("%s%s, an option of %s (%s)\n", found++ ? "\n" : "", name, e.name,
			       s->name);
			help_print_option(o);
		}
	return found;
}

/* Prints the key that has replaced a former one. */
static int help_print_renamed(const char *name)
{
	for (const struct section *s = section_all; s->name; s++) {
		const char *current = setting_current_key(s->name, name);

		if (current == name)
			continue;
		printf("%s is called %s now; its former name will go with the next release\n", name,
		       current);
		return help_print_key(current, 1);
	}
	return 0;
}

/* Prints every meaning of the word. Names are in lower case: PFC is pfc. */
static int help_print_name(const char *word)
{
	const struct section *section;
	char name[64];
	int found = 0;

	snprintf(name, sizeof(name), "%s", word);
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
	for (size_t i = 0; command_all[i]; i++)
		if (strcmp(command_all[i]->name, name) == 0) {
			help_print_command(stdout, command_all[i]);
			found++;
		}
	if (strcmp(name, "defaults") == 0) {
		help_print_defaults();
		found++;
	}
	section = section_find(name);
	if (section) {
		if (found++)
			putchar('\n');
		help_print_section(section);
	}
	found = help_print_real(name, found);
	found = help_print_topic(name, found);
	found = help_print_catalogue(name, found);
	found = help_print_key(name, found);
	found = found ? found : help_print_scheme_options(name);
	found = found ? found : help_print_renamed(name);
	return found ? EXIT_FINE : help_unknown_name(word);
}

static int help_main(const struct arguments *a)
{
	const char *name = arguments_word(a, 0), *shell = arguments_option(a, "--completion");
	struct weir_error e;

	if (arguments_option(a, "--markdown") || arguments_option(a, "--man")) {
		if (arguments_option(a, "--markdown"))
			help_print_reference();
		else
			help_print_manual();
		return EXIT_FINE;
	}
	if (arguments_option(a, "--results")) {
		columns_markdown(stdout);
		return EXIT_FINE;
	}
	if (shell)
		return help_print_completion(shell, &e) ? cli_error(EXIT_MISTAKE, &e) : EXIT_FINE;
	if (!name) {
		help_print_usage(stdout);
		return EXIT_FINE;
	}
	if (is_plugin(name))
		return help_print_plugin(name);
	return help_print_name(name);
}

static int version_main(const struct arguments *a)
{
	(void)a;
	printf("weir %s (%s)\n", version_of_results().text, version_commit);
	return EXIT_FINE;
}

const struct command command_help = {
	.name = "help",
	.usage = "[NAME]",
	.help = "explains a command, a section or key, a scheme or plug-in, a workload, a metric "
		"or a topic",
	.options = help_arguments,
	.words_max = 1,
	.run = help_main,
	.offer = OFFER_NAME,
};

const struct command command_version = {
	.name = "version",
	.usage = "",
	.help = "prints the version",
	.run = version_main,
};
