/* keeper.c -- weir keeper: looks after the ECN settings of a real switch, and talks to one that does. */
#include "cli/commands.h"
#include "keeper/drive/drivers.h"
#include "keeper/run/mimic.h"
#include "keeper/run/serve.h"
#include <string.h>

static const char *const verbs[] = { "status", "explain", "pause",   "resume",
				     "reload", "stop",    "restore", "mimic" };

/* "explain leaf3.ini AZURE_LOSSLESS" */
static int ask(const struct arguments *a, const char *verb)
{
	const char *file = arguments_word(a, 1), *profile = arguments_word(a, 2);
	char path[WEIR_OPT_TEXT_SIZE], request[128];
	int explains = strcmp(verb, "explain") == 0, restores = strcmp(verb, "restore") == 0;
	struct keeper_plan plan;
	struct weir_error e;
	int failed;

	if (!file || (explains && !profile) ||
	    (profile && !explains && strcmp(verb, "resume") != 0)) {
		weir_error_set(&e, "keeper %s: usage: weir keeper %s CONFIG.ini%s", verb, verb,
			       explains                      ? " PROFILE"
			       : strcmp(verb, "resume") == 0 ? " [PROFILE]"
							     : "");
		return complain(EXIT_MISTAKE, &e);
	}
	if (keeper_plan_read(&plan, &keeper_driver_registry, file, &e))
		return complain(EXIT_MISTAKE, &e);
	keeper_plan_socket(&plan, path);
	snprintf(request, sizeof(request), "%s %.63s", verb, profile ? profile : "");
	if (strcmp(verb, "mimic") == 0)
		failed = keeper_mimic(&plan, &e);
	else
		failed = restores ? keeper_restore_after_crash(&plan, &e)
				  : keeper_desk_ask(path, request, &e);
	keeper_plan_free(&plan);
	return failed ? complain(EXIT_WORLD, &e) : EXIT_FINE;
}

int command_keeper(const struct arguments *a)
{
	const char *word = arguments_word(a, 0);
	struct keeper_plan plan;
	struct weir_error e;
	int failed;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(word, verbs[i]) == 0)
			return ask(a, word);
	if (arguments_word(a, 1)) {
		weir_error_unknown(&e, "request", word, verbs, sizeof(verbs) / sizeof(verbs[0]));
		return complain(EXIT_MISTAKE, &e);
	}
	if (keeper_plan_read(&plan, &keeper_driver_registry, word, &e))
		return complain(EXIT_MISTAKE, &e);
	failed = keeper_serve(&(struct keeper_service){ &plan, &keeper_driver_registry,
							arguments_option(a, "--dry-run")
								? KEEPER_DRY
								: KEEPER_LIVE },
			      &e);
	keeper_plan_free(&plan);
	return failed ? complain(EXIT_WORLD, &e) : EXIT_FINE;
}
