/* help.c -- weir help [NAME]: commands, sections, and everything in the catalogue.
 *
 * All of it comes from the tables that also read the values, so help cannot differ from what is
 * accepted. */
#include "cli/catalogue.h"
#include "cli/commands.h"
#include "lab/scenario/sections.h"
#include "lab/base/version.h"
#include "lab/store/columns.h"
#include "sim/config/plugin.h"
#include <string.h>

enum {
	NAMES_MAX = 256,
	TEXT_WIDTH = 80,
	ENTRY_INDENT = 2,
	HELP_INDENT = 6,
	COMMAND_INDENT = 2, /* of what a command does, by itself */
	USAGE_INDENT = 32,  /* and in the list of all */
	OPTION_INDENT = 29,
};

/* Lines of readable length that all begin at indent, but for the first, which is there already. */
static void wrap(FILE *f, const char *text, int indent)
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

void print_wrapped(const char *text, int indent)
{
	wrap(stdout, text, indent);
}

void print_usage(FILE *f)
{
	fputs("weir simulates datacenter networks packet by packet.\n\nusage:\n", f);
	for (size_t i = 0; command_all[i]; i++) {
		fprintf(f, "  weir %-10s%-15s", command_all[i]->name, command_all[i]->usage);
		wrap(f, command_all[i]->help, USAGE_INDENT);
	}
	fputs("\n'weir help COMMAND' shows a command's options, 'weir help network' the keys of a\n"
	      "section, 'weir help red' the options of a scheme, 'weir list' all names.\n",
	      f);
}

void print_command(FILE *f, const struct command *c)
{
	fprintf(f, "weir %s %s%s\n  ", c->name, c->usage, c->options ? " [OPTION]..." : "");
	wrap(f, c->help, COMMAND_INDENT);
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		char left[64];

		snprintf(left, sizeof(left), "%s %s", o->name, o->value ? o->value : "");
		fprintf(f, "  %-*s ", OPTION_INDENT - COMMAND_INDENT - 1, left);
		wrap(f, o->help, OPTION_INDENT);
	}
	if (c->more)
		fprintf(f, "\n%s", c->more);
}

static void print_options(const struct weir_option *table)
{
	char range[1024];

	for (const struct weir_option *o = table; o && o->name; o++) {
		weir_option_range(range, sizeof(range), o);
		printf("  %s = %s", o->name, weir_option_kind(o));
		if (!weir_opt_is_text(o->type) && o->type != WEIR_OPT_FLAG)
			printf(", %s", range);
		if (o->def)
			printf(" (default %s)", o->def);
		putchar('\n');
		printf("%*s", HELP_INDENT, "");
		print_wrapped(o->help, HELP_INDENT);
	}
}

static void print_section(const struct section *s)
{
	struct kind k;

	printf("%s: %s\n", s->example, s->help);
	print_options(s->options);
	for (size_t i = 0; s->kind && s->kind(i, &k); i++) {
		printf("with %s = %s:", section_chooser(s)->name, k.name);
		for (const struct weir_option *o = k.options; o && o->name; o++)
			printf("%s %s", o == k.options ? "" : ",", o->name);
		putchar('\n');
	}
	if (s->kind)
		printf("'weir help NAME' explains the keys of a %s.\n", section_chooser(s)->name);
}

/* What a topology or pattern has besides its own keys. */
static void print_section_keys(const char *section)
{
	printf("and the keys of every %s: 'weir help %s'\n",
	       section_chooser(section_find(section))->name, section);
}

static void print_entry(const struct shelf *s, const struct entry *e)
{
	printf("%s (%s)\n", e->name, s->name);
	for (int i = 0; i < 2; i++) {
		const char *text = i ? e->cite : e->help;

		if (!text)
			continue;
		printf("%*s", ENTRY_INDENT, "");
		print_wrapped(text, ENTRY_INDENT);
	}
	if (e->unit && *e->unit)
		printf("  unit: %s\n", e->unit);
	print_options(e->options);
	if (strcmp(s->name, "topology") == 0)
		print_section_keys("network");
	if (strcmp(s->name, "traffic") == 0)
		print_section_keys("traffic");
}

/* --- a plug-in, by its path --- */

static int print_plugin(const char *path)
{
	static const struct shelf shelves[] = {
		[PLUGIN_MARK] = { .name = "marking" },
		[PLUGIN_SCHED] = { .name = "scheduler" },
		[PLUGIN_CC] = { .name = "cc" },
		[PLUGIN_TRAFFIC] = { .name = "traffic" },
		[PLUGIN_TUNE] = { .name = "tuner" },
		[PLUGIN_AGENT] = { .name = "agent" },
	};
	const struct weir_plugin *p;
	struct weir_error e;
	int found = 0;

	p = plugin_load(path, &e);
	if (!p)
		return complain(EXIT_MISTAKE, &e);
	for (int kind = 0; kind < PLUGIN_KINDS; kind++) {
		const struct weir_scheme *s = plugin_ops(p, (enum plugin_kind)kind);
		struct entry entry;

		if (!s)
			continue;
		if (found++)
			putchar('\n');
		entry = scheme_entry(s);
		print_entry(&shelves[kind], &entry);
	}
	return EXIT_FINE;
}

/* --- finding what a name means; it may mean several things --- */

static size_t add(const char **names, size_t count, const char *name)
{
	if (count < NAMES_MAX)
		names[count++] = name;
	return count;
}

static int unknown_name(const char *name)
{
	const char *names[NAMES_MAX], *nearest;
	size_t count = 0;
	struct entry entry;
	struct weir_error e;

	for (size_t i = 0; command_all[i]; i++)
		count = add(names, count, command_all[i]->name);
	for (const struct section *s = section_all; s->name; s++)
		count = add(names, count, s->name);
	for (const struct shelf *s = shelf_all; s->name; s++)
		for (size_t i = 0; shelf_entry(s, i, &entry); i++)
			count = add(names, count, entry.name);
	nearest = weir_nearest_name(name, names, count);
	weir_error_set(
		&e,
		"no help on %s; allowed are commands, sections (network, switch, host, rdma, "
		"traffic, measure, sweep, case, full) and what 'weir list' shows%s%s%s",
		weir_quote(name).text, nearest ? " (nearest: " : "", nearest ? nearest : "",
		nearest ? ")" : "");
	return complain(EXIT_MISTAKE, &e);
}

static int print_catalogue(const char *name, int found)
{
	struct entry e;

	for (const struct shelf *s = shelf_all; s->name; s++)
		for (size_t i = 0; shelf_entry(s, i, &e); i++) {
			if (strcmp(e.name, name) != 0)
				continue;
			if (found++)
				putchar('\n');
			print_entry(s, &e);
		}
	return found;
}

int command_help(const struct arguments *a)
{
	const char *name = arguments_word(a, 0), *shell = arguments_option(a, "--completion");
	const struct section *section;
	struct weir_error e;
	int found = 0;

	if (arguments_option(a, "--markdown") || arguments_option(a, "--man")) {
		if (arguments_option(a, "--markdown"))
			print_reference();
		else
			print_manual();
		return EXIT_FINE;
	}
	if (arguments_option(a, "--results")) {
		columns_markdown(stdout);
		return EXIT_FINE;
	}
	if (shell)
		return print_completion(shell, &e) ? complain(EXIT_MISTAKE, &e) : EXIT_FINE;
	if (!name) {
		print_usage(stdout);
		return EXIT_FINE;
	}
	if (is_plugin(name))
		return print_plugin(name);
	for (size_t i = 0; command_all[i]; i++)
		if (strcmp(command_all[i]->name, name) == 0) {
			print_command(stdout, command_all[i]);
			found++;
		}
	section = section_find(name);
	if (section) {
		if (found++)
			putchar('\n');
		print_section(section);
	}
	return print_catalogue(name, found) ? EXIT_FINE : unknown_name(name);
}

int command_version(const struct arguments *a)
{
	(void)a;
	printf("weir %s (%s)\n", version_of_results().text, version_commit);
	return EXIT_FINE;
}
