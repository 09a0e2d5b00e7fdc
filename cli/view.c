/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c -- weir view [FOLDER]: the runs of a result folder in a browser, while they come. */
#define _DEFAULT_SOURCE
#include "cli/folder.h"
#include "lab/campaign/view.h"
#include "weir/option.h"
#include <signal.h>
#include <time.h>

/* Unless one is asked for: the first that is free. */
enum { PORT_FIRST = 8347, PORTS = 20 };

static int read_port(const struct arguments *a, uint16_t *first, uint16_t *last,
		     struct weir_error *e)
{
	static const struct weir_option option = {
		.name = "--port",
		.type = WEIR_OPT_COUNT,
		.def = "0",
		.min = 0,
		.max = SERVER_PORT_LAST,
		.help = "",
	};
	const char *number = arguments_option(a, option.name);
	uint64_t port = 0;

	*first = PORT_FIRST;
	*last = PORT_FIRST + PORTS - 1;
	if (!number)
		return 0;
	if (weir_option_parse(&port, &option, number, e))
		return -1;
	*first = *last = (uint16_t)port;
	return 0;
}

/* Ctrl-C and kill are blocked and asked for now and then: whoever serves is never interrupted in
 * the middle. */
static sigset_t ends(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

static int is_over(void *context)
{
	const struct timespec at_once = { 0, 0 };
	sigset_t set = ends();

	(void)context;
	return sigtimedwait(&set, NULL, &at_once) > 0;
}

static int serve(const struct live_subject *s, uint16_t first, uint16_t last)
{
	sigset_t set = ends(), before;
	struct weir_error e;
	uint16_t port;
	int listener;

	sigprocmask(SIG_BLOCK, &set, &before);
	listener = server_listen(first, last, &port, &e);
	if (listener < 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return complain(EXIT_WORLD, &e);
	}
	printf("http://127.0.0.1:%u/ shows %s; Ctrl-C ends it\n", port, s->folder);
	fflush(stdout);
	view_run(listener, s, is_over, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return EXIT_FINE;
}

int command_view(const struct arguments *a)
{
	char folder[FOLDER_SIZE];
	struct live_subject s = { .folder = folder };
	struct figure_list figures = { .count = 0 };
	uint16_t first, last;
	struct weir_error e;
	int status, has_figures;

	if (find_folder(a, folder, &e) || read_port(a, &first, &last, &e))
		return complain(EXIT_MISTAKE, &e);
	if (folder[0] == '\0') {
		weir_error_set(&e, "a folder is missing");
		return complain(EXIT_MISTAKE, &e);
	}
	has_figures = figures_find(&figures, arguments_option(a, "--papers"), &e) == 0;
	if (!has_figures && arguments_option(a, "--papers"))
		return complain(EXIT_MISTAKE, &e);
	if (has_figures)
		s.figure = view_figure(&figures, folder, &s.size);
	status = serve(&s, first, last);
	if (has_figures)
		figures_free(&figures);
	return status;
}
