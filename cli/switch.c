/* switch.c -- weir switch: runs a real switch, and talks to one that runs. */
#include "cli/commands.h"
#include "switch/results/results.h"
#include "switch/run/serve.h"
#include <stdio.h>
#include <string.h>

/* The socket of the switch that CONFIG.ini describes; a word that is no file of settings is the socket itself. */
static int find_socket(const struct arguments *a, const char *word, char path[WEIR_OPT_TEXT_SIZE],
		       struct weir_error *e)
{
	const char *given = arguments_option(a, "--socket"), *dot = strrchr(word, '.');
	struct switch_settings s;
	int failed;

	if (given || (dot && strcmp(dot, ".sock") == 0))
		return control_path(word, given ? given : word, path, e);
	if (settings_read(&s, word, e))
		return -1;
	failed = control_path(word, s.real.socket, path, e);
	settings_free(&s);
	return failed;
}

/* "status CONFIG.ini", "set CONFIG.ini port.b.rate=50Mbps", "probe CONFIG.ini 'queue b every 10ms'" */
static int ask(const struct arguments *a, const char *verb)
{
	const char *file = arguments_word(a, 1), *what = arguments_word(a, 2);
	char path[WEIR_OPT_TEXT_SIZE], request[CONTROL_LINE];
	uint64_t lines = strcmp(verb, "probe") == 0 ? UINT64_MAX : 1;
	int wants_more = strcmp(verb, "set") == 0 || strcmp(verb, "probe") == 0;
	struct weir_error e;

	if (!file || wants_more != (what != NULL)) {
		weir_error_set(&e, "switch %s: usage: weir switch %s CONFIG.ini%s", verb, verb,
			       !wants_more                ? ""
			       : strcmp(verb, "set") == 0 ? " port.NAME.KEY=VALUE"
							  : " 'queue NAME every 10ms'");
		return complain(EXIT_MISTAKE, &e);
	}
	if (find_socket(a, file, path, &e))
		return complain(EXIT_MISTAKE, &e);
	if (snprintf(request, sizeof(request), "%s%s%s", verb, what ? " " : "", what ? what : "") >=
	    (int)sizeof(request)) {
		weir_error_set(&e, "switch %s: too long", verb);
		return complain(EXIT_MISTAKE, &e);
	}
	return control_ask(path, request, lines, &e) ? complain(EXIT_WORLD, &e) : EXIT_FINE;
}

/* The interfaces are open: works until the end, and keeps what was measured where a folder is given. */
static int work(struct loop *l, struct control *c, const char *folder)
{
	int status = EXIT_FINE;
	struct real_server server;
	struct weir_error e;

	if (real_open(&server, l->settings, &e))
		return complain(EXIT_WORLD, &e);
	printf("%u ports; 'weir switch status %s' says how they are\n", l->settings->port_count,
	       c->path);
	fflush(stdout);
	real_run(&server, l, c, WEIR_TIME_NEVER_PS);
	if (folder && real_store(l, folder, &e))
		status = complain(EXIT_WORLD, &e);
	real_close(&server); /* not before all is written */
	return status;
}

static int run_switch(const struct arguments *a, const struct switch_settings *s)
{
	const char *given = arguments_option(a, "--socket");
	char path[WEIR_OPT_TEXT_SIZE];
	struct control control;
	struct weir_error e;
	struct loop loop;
	int status;

	if (control_path(s->file, given ? given : s->real.socket, path, &e))
		return complain(EXIT_MISTAKE, &e);
	if (control_open(&control, path, &e))
		return complain(EXIT_WORLD, &e);
	if (loop_open(&loop, s, &e)) {
		status = complain(EXIT_WORLD, &e);
	} else {
		status = work(&loop, &control, arguments_option(a, "--out"));
		loop_close(&loop);
	}
	control_close(&control);
	return status;
}

int command_switch(const struct arguments *a)
{
	static const char *const verbs[] = { "status", "measure", "set", "probe", "stop" };
	const char *word = arguments_word(a, 0);
	struct switch_settings s;
	struct weir_error e;
	int status;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(word, verbs[i]) == 0)
			return ask(a, word);
	if (arguments_word(a, 1)) {
		weir_error_unknown(&e, "request", word, verbs, sizeof(verbs) / sizeof(verbs[0]));
		return complain(EXIT_MISTAKE, &e);
	}
	if (settings_read(&s, word, &e))
		return complain(EXIT_MISTAKE, &e);
	status = run_switch(a, &s);
	settings_free(&s);
	return status;
}
