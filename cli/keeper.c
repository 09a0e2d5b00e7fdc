/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c -- weir keeper: runs a keeper, or sends a request to a running one. */
#include "cli/options.h"
#include "keeper/core/plan.h"
#include "keeper/service/service.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option keeper_arguments[] = {
	{ "--dry-run", NULL, "writes nothing; prints what it would write", OFFER_NOTHING },
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

static const char keeper_more[] =
	"weir keeper leaf3.ini --dry-run       reads and logs what it would write\n"
	"weir keeper leaf3.ini                 tunes, until Ctrl-C, a signal or 'stop'\n"
	"weir keeper status leaf3.ini          settings, states and reasons, as JSON\n"
	"weir keeper explain leaf3.ini PROFILE the events that led to its setting\n"
	"weir keeper pause leaf3.ini           no changes until 'resume'\n"
	"weir keeper resume leaf3.ini PROFILE  manages a profile again that an operator changed\n"
	"weir keeper reload leaf3.ini          reads the plan again; state is kept\n"
	"weir keeper stop leaf3.ini            restores the originals, and ends; status 0: all "
	"are\n"
	"weir keeper restore leaf3.ini         restores the originals left in the journal\n"
	"weir keeper restore leaf3.ini PROFILE also if an operator changed the profile\n"
	"weir keeper release leaf3.ini PROFILE gives an original up: the switch keeps its setting\n"
	"weir keeper emulate switch.ini        emulates a SONiC switch, over a simulated or real "
	"one\n"
	"\n"
	"A minimal plan:\n"
	"  [keeper]\n"
	"  driver = sonic               or tc, weir(...), sim(...); 'weir list driver'\n"
	"  tune = qla                   or acc, fixed(...), ./mine.so; 'weir list tuner'\n"
	"  [limits]                     defaults of every profile\n"
	"  min-from = 100KB\n"
	"  [profile AZURE_LOSSLESS]\n"
	"At the end all originals are restored. More in docs/manual/10-keeper.md.\n";

/* Whether a request takes a profile. */
enum profile_argument { PROFILE_NONE, PROFILE_MAY, PROFILE_MUST };

/* Whether a request needs a running keeper. */
enum keeper_need { KEEPER_MUST_RUN, KEEPER_MAY_RUN, KEEPER_NOT_ASKED };

static int keeper_run_emulator(const struct keeper_plan *plan, const char *profile,
			       struct weir_error *e)
{
	(void)profile;
	return keeper_emulate_sonic(plan, e);
}

/* Accepted for one release, and not listed: the last verb of the table. */
#define FORMER_EMULATE "mimic"

static const struct keeper_verb {
	const char *name;
	enum profile_argument profile;
	enum keeper_need keeper;
	/* Without a running keeper. */
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
	{ "emulate", PROFILE_NONE, KEEPER_NOT_ASKED, keeper_run_emulator },
	{ FORMER_EMULATE, PROFILE_NONE, KEEPER_NOT_ASKED, keeper_run_emulator },
};

enum { VERBS = sizeof(verbs) / sizeof(verbs[0]) };

/* Does a keeper run? */
static int keeper_is_running(const char *path)
{
	struct weir_error e;
	int fd = control_socket_connect(path, "keeper", &e);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int keeper_send_request(const struct keeper_verb *verb, const struct keeper_plan *plan,
			       const char *profile, struct weir_error *e)
{
	char path[WEIR_OPT_TEXT_SIZE], text[128];

	keeper_plan_socket(plan, path);
	if (verb->keeper == KEEPER_NOT_ASKED ||
	    (verb->keeper == KEEPER_MAY_RUN && !keeper_is_running(path)))
		return verb->alone(plan, profile, e);
	if (verb->keeper == KEEPER_MAY_RUN && !profile)
		return weir_error_set(
			e, "%s: a keeper runs; 'weir keeper stop %s' puts the originals back", path,
			plan->file);
	snprintf(text, sizeof(text), "%s %.63s", verb->name, profile ? profile : "");
	return keeper_control_ask(path, text, e);
}

/* "explain leaf3.ini AZURE_LOSSLESS" */
static int keeper_run_verb(const struct arguments *a, const struct keeper_verb *verb)
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
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (keeper_plan_read(&plan, &keeper_driver_registry, file, &e))
		return cli_error(EXIT_MISTAKE, &e);
	cli_note(plan.renamed);
	failed = keeper_send_request(verb, &plan, profile, &e);
	keeper_plan_free(&plan);
	return failed ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

static int keeper_main(const struct arguments *a)
{
	const char *names[VERBS];
	struct keeper_plan plan;
	struct weir_error e;
	int request, failed, is_former = strcmp(arguments_word(a, 0), FORMER_EMULATE) == 0;

	for (size_t i = 0; i < VERBS; i++)
		names[i] = verbs[i].name;
	request = arguments_request(a, names, is_former ? VERBS : VERBS - 1, &e);
	if (is_former)
		cli_note("keeper mimic is called keeper emulate now; its former name will go with "
			 "the next release");
	if (request >= 0)
		return keeper_run_verb(a, &verbs[request]);
	if (request == -2 ||
	    keeper_plan_read(&plan, &keeper_driver_registry, arguments_word(a, 0), &e))
		return cli_error(EXIT_MISTAKE, &e);
	cli_note(plan.renamed);
	failed = keeper_serve(&(struct keeper_service){ &plan, &keeper_driver_registry,
							arguments_option(a, "--dry-run")
								? KEEPER_DRY
								: KEEPER_LIVE },
			      &e);
	keeper_plan_free(&plan);
	return failed ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

const struct command command_keeper = {
	.name = "keeper",
	.usage = "FILE",
	.help = "tunes the ECN thresholds of a real switch online, within limits and with "
		"rollback",
	.options = keeper_arguments,
	.words_min = 1,
	.words_max = 3,
	.run = keeper_main,
	.more = keeper_more,
	.offer = OFFER_FILE,
};
