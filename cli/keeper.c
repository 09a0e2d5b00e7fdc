/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c -- weir keeper: looks after the ECN settings of a real switch, and talks to one that
 * does. */
#include "cli/commands.h"
#include "keeper/drivers/drivers.h"
#include "keeper/service/mimic.h"
#include "keeper/service/serve.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Does a request name a profile? */
enum wants_profile { PROFILE_NONE, PROFILE_MAY, PROFILE_MUST };

/* Is a request answered by a running keeper, or without one? */
enum needs_keeper { KEEPER_MUST_RUN, KEEPER_MAY_RUN, KEEPER_NOT_ASKED };

static int mimic(const struct keeper_plan *plan, const char *profile, struct weir_error *e)
{
	(void)profile;
	return keeper_mimic(plan, e);
}

static const struct verb {
	const char *name;
	enum wants_profile profile;
	enum needs_keeper keeper;
	/* Without a keeper. */
	int (*alone)(const struct keeper_plan *plan, const char *profile, struct weir_error *e);
} verbs[] = {
	{ "status", PROFILE_NONE, KEEPER_MUST_RUN, NULL },
	{ "explain", PROFILE_MUST, KEEPER_MUST_RUN, NULL },
	{ "pause", PROFILE_NONE, KEEPER_MUST_RUN, NULL },
	{ "resume", PROFILE_MAY, KEEPER_MUST_RUN, NULL },
	{ "reload", PROFILE_NONE, KEEPER_MUST_RUN, NULL },
	{ "stop", PROFILE_NONE, KEEPER_MUST_RUN, NULL },
	{ "restore", PROFILE_MAY, KEEPER_MAY_RUN, keeper_restore_journal },
	{ "release", PROFILE_MUST, KEEPER_MAY_RUN, keeper_release_journal },
	{ "mimic", PROFILE_NONE, KEEPER_NOT_ASKED, mimic },
};

enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

static const struct verb *find_verb(const char *word)
{
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(word, verbs[i].name) == 0)
			return &verbs[i];
	return NULL;
}

/* Does a keeper run? */
static int is_running(const char *path)
{
	struct weir_error e;
	int fd = control_socket_connect(path, "keeper", &e);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int request(const struct verb *verb, const struct keeper_plan *plan, const char *profile,
		   struct weir_error *e)
{
	char path[WEIR_OPT_TEXT_SIZE], text[128];

	keeper_plan_socket(plan, path);
	if (verb->keeper == KEEPER_NOT_ASKED ||
	    (verb->keeper == KEEPER_MAY_RUN && !is_running(path)))
		return verb->alone(plan, profile, e);
	if (verb->keeper == KEEPER_MAY_RUN && !profile)
		return weir_error_set(
			e, "%s: a keeper runs; 'weir keeper stop %s' puts the originals back", path,
			plan->file);
	snprintf(text, sizeof(text), "%s %.63s", verb->name, profile ? profile : "");
	return keeper_desk_ask(path, text, e);
}

/* "explain leaf3.ini AZURE_LOSSLESS" */
static int ask(const struct arguments *a, const struct verb *verb)
{
	static const char *const profiles[] = { "", " [PROFILE]", " PROFILE" };
	const char *file = arguments_word(a, 1), *profile = arguments_word(a, 2);
	struct keeper_plan plan;
	struct weir_error e;
	int failed;

	if (!file || (verb->profile == PROFILE_MUST && !profile) ||
	    (verb->profile == PROFILE_NONE && profile)) {
		weir_error_set(&e, "keeper %s: usage: weir keeper %s CONFIG.ini%s", verb->name,
			       verb->name, profiles[verb->profile]);
		return complain(EXIT_MISTAKE, &e);
	}
	if (keeper_plan_read(&plan, &keeper_driver_registry, file, &e))
		return complain(EXIT_MISTAKE, &e);
	failed = request(verb, &plan, profile, &e);
	keeper_plan_free(&plan);
	return failed ? complain(EXIT_WORLD, &e) : EXIT_FINE;
}

static int refuse_word(const char *word)
{
	const char *names[VERBS];
	struct weir_error e;

	for (size_t i = 0; i < VERBS; i++)
		names[i] = verbs[i].name;
	weir_error_unknown(&e, "request", word, names, VERBS);
	return complain(EXIT_MISTAKE, &e);
}

int command_keeper(const struct arguments *a)
{
	const char *word = arguments_word(a, 0);
	struct keeper_plan plan;
	struct weir_error e;
	int failed;

	if (find_verb(word))
		return ask(a, find_verb(word));
	if (arguments_word(a, 1))
		return refuse_word(word);
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
