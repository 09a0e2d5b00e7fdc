/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c -- weir list [SHELF]: names, each with the sentence that says what it is. */
#include "cli/catalogue.h"
#include "cli/commands.h"
#include <string.h>

enum { SHELVES_MAX = 16 };

static int longest_name(const struct shelf *s)
{
	struct entry e;
	size_t longest = 0;

	for (size_t i = 0; shelf_entry(s, i, &e); i++)
		if (strlen(e.name) > longest)
			longest = strlen(e.name);
	return (int)longest;
}

static void print_shelf(const struct shelf *s)
{
	int width = longest_name(s);
	struct entry e;

	printf("%s: %s\n", s->name, s->help);
	for (size_t i = 0; shelf_entry(s, i, &e); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s%s%s", e.help, e.unit && *e.unit ? " (" : "",
			 e.unit ? e.unit : "", e.unit && *e.unit ? ")" : "");
		printf("  %-*s  ", width, e.name);
		print_wrapped(text, width + 4);
	}
}

static int unknown_shelf(const char *name)
{
	const char *names[SHELVES_MAX];
	struct weir_error e;
	size_t count = 0;

	for (const struct shelf *s = shelf_all; s->name; s++)
		names[count++] = s->name;
	weir_error_unknown(&e, "list", name, names, count);
	return complain(EXIT_MISTAKE, &e);
}

int command_list(const struct arguments *a)
{
	const char *name = arguments_word(a, 0);
	int found = 0;

	for (const struct shelf *s = shelf_all; s->name; s++) {
		if (name && strcmp(s->name, name) != 0)
			continue;
		if (found++)
			putchar('\n');
		print_shelf(s);
	}
	return found ? EXIT_FINE : unknown_shelf(name);
}
