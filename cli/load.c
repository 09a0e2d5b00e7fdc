/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c -- FILE, --full, --set and --seed of a command line as a scenario. */
#include "cli/load.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Options that stand for a --set. */
static const struct short_form {
	const char *option, *path;
} short_forms[] = {
	{ "--marking", "switch.marking" },
	{ "--scheduler", "switch.scheduler" },
	{ "--cc", "host.cc" },
};

static int set_short(const struct argument *at, struct scenario *s, struct weir_error *e)
{
	char assignment[WEIR_OPT_TEXT_SIZE + 32];

	for (size_t i = 0; i < sizeof(short_forms) / sizeof(short_forms[0]); i++) {
		if (strcmp(at->option->name, short_forms[i].option) != 0)
			continue;
		if (snprintf(assignment, sizeof(assignment), "%s=%s", short_forms[i].path,
			     at->value) >= (int)sizeof(assignment))
			return weir_error_set(e, "%s: %s is too long", at->option->name,
					      weir_quote(at->value).text);
		return scenario_set(s, assignment, e);
	}
	return 0;
}

static int set_all(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct argument *at = &a->all[i];

		if (!at->option)
			continue;
		if (strcmp(at->option->name, "--set") == 0 && scenario_set(s, at->value, e))
			return -1;
		if (set_short(at, s, e))
			return -1;
	}
	return 0;
}

/* One seed, also where [sweep] lists several. */
static int set_seed(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	static const struct weir_option seed = { "--seed", WEIR_OPT_COUNT, 0,  "1",
						 0,        UINT64_MAX,     "", NULL };
	const char *text = arguments_option(a, "--seed");
	char assignment[64];
	uint64_t number;

	if (!text)
		return 0;
	if (weir_option_parse(&number, &seed, text, e))
		return -1;
	snprintf(assignment, sizeof(assignment), "seed=%" PRIu64, number);
	return scenario_set(s, assignment, e);
}

enum scenario_size asked_size(const struct arguments *a)
{
	return arguments_option(a, "--full") ? SIZE_FULL : SIZE_QUICK;
}

static int use_full(struct scenario *s, struct weir_error *e)
{
	if (!s->full.name)
		return weir_error_set(e, "--full: %.200s has no [full] section", s->file);
	scenario_use_full(s);
	return 0;
}

int load_scenario(const struct arguments *a, struct scenario *s, struct weir_error *e)
{
	return load_size(a, asked_size(a), s, e);
}

int load_size(const struct arguments *a, enum scenario_size size, struct scenario *s,
	      struct weir_error *e)
{
	if (scenario_read(s, arguments_word(a, 0), e))
		return -1;
	if ((size == SIZE_FULL && use_full(s, e)) || set_all(a, s, e) || set_seed(a, s, e)) {
		scenario_free(s);
		return -1;
	}
	return 0;
}
