/* load.c -- FILE, --set and --seed of a command line as a config. */
#include "cli/load.h"
#include <string.h>

static int set_all(const struct arguments *a, struct scenario *s, struct error *e)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct argument *at = &a->all[i];

		if (at->option && strcmp(at->option->name, "--set") == 0 &&
		    scenario_set(s, at->value, e))
			return -1;
	}
	return 0;
}

static int set_seed(const struct arguments *a, struct config *c, struct error *e)
{
	static const struct option seed = { "--seed", OPT_COUNT, offsetof(struct config, seed), "1", 0,
					    UINT64_MAX, "", NULL };
	const char *text = arguments_option(a, "--seed");

	return text ? option_parse(c, &seed, text, e) : 0;
}

int load(const struct arguments *a, struct scenario *s, struct config *c, struct error *e)
{
	if (scenario_read(s, arguments_word(a, 0), e))
		return -1;
	if (set_all(a, s, e) || scenario_config(s, c, e)) {
		scenario_free(s);
		return -1;
	}
	if (set_seed(a, c, e)) {
		config_free(c);
		scenario_free(s);
		return -1;
	}
	return 0;
}
