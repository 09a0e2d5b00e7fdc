/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c -- weir view [FOLDER]: serves the runs of a result folder to a browser, live while a
 * sweep runs. */
#define _DEFAULT_SOURCE
#include "cli/options.h"
#include "cli/signals.h"
#include "lab/campaign/view.h"
#include "weir/option.h"
#include <unistd.h>

static const struct cli_option view_arguments[] = {
	{ "--port", "N", "TCP port, 0: any; 8347, or the next free one, unless given",
	  OFFER_NOTHING },
	{ "--papers", "DIR",
	  "folder of the figures, for results of 'weir reproduce'; as for that command unless "
	  "given",
	  OFFER_FOLDER },
	{ .name = NULL },
};

static const char view_more[] =
	"weir run mine.ini & weir view mine.results      prints an address; open it in a "
	"browser\n"
	"weir view reproduction/pred/fig13               the same, with the figure's page\n"
	"\n"
	"The first page shows the progress of the sweep, the active runs and the time left; "
	"below\n"
	"are the answer and the table so far, and live probes of a run. It updates by itself.\n"
	"/report is the whole report of the runs so far, /figure the page of a paper's figure. "
	"The\n"
	"folder need not exist yet, and an interrupted sweep that is resumed is followed.\n"
	"\n"
	"The server listens on 127.0.0.1 only, and nothing is loaded from elsewhere. To view "
	"from\n"
	"another machine, forward the port:\n"
	"  ssh -L 8347:127.0.0.1:8347 that-machine\n"
	"It only reads; Ctrl-C ends it.\n";

/* Default port: the first free one. */
enum { PORT_FIRST = 8347, PORTS = 20 };

static int view_read_port(const struct arguments *a, uint16_t *first, uint16_t *last,
			  struct weir_error *e)
{
	static const struct weir_option option = {
		.name = "--port",
		.type = WEIR_OPT_COUNT,
		.def = "0",
		.min = 0,
		.max = UINT16_MAX,
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

static int view_is_over(void *context)
{
	(void)context;
	return signals_arrived(SIGNALS_INT_TERM);
}

static int view_serve(const struct live_subject *s, uint16_t first, uint16_t last)
{
	struct http_server server = { .fd = -1 };
	struct weir_error e;

	signals_block(SIGNALS_INT_TERM);
	if (http_server_listen(&server, first, last, &e)) {
		signals_unblock(SIGNALS_INT_TERM);
		return cli_error(EXIT_WORLD, &e);
	}
	printf("http://127.0.0.1:%u/ shows %s%s; Ctrl-C ends it\n", server.port, s->folder,
	       access(s->folder, F_OK) ? ", which does not exist yet" : "");
	fflush(stdout);
	view_run(&server, s, view_is_over, NULL);
	signals_unblock(SIGNALS_INT_TERM);
	return EXIT_FINE;
}

static int view_main(const struct arguments *a)
{
	char folder[FOLDER_SIZE];
	struct live_subject s = { .folder = folder };
	struct figure_list figures = { .count = 0 };
	uint16_t first, last;
	struct weir_error e;
	int status, has_figures;

	if (folder_find(a, &folder_of_results, folder, &e) || view_read_port(a, &first, &last, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (folder[0] == '\0') {
		weir_error_set(&e, "a folder is missing");
		return cli_error(EXIT_MISTAKE, &e);
	}
	has_figures = figures_find(&figures, arguments_option(a, "--papers"), &e) == 0;
	if (!has_figures && arguments_option(a, "--papers"))
		return cli_error(EXIT_MISTAKE, &e);
	if (has_figures)
		s.figure = view_figure(&figures, folder, &s.size);
	status = view_serve(&s, first, last);
	if (has_figures)
		figures_free(&figures);
	return status;
}

const struct command command_view = {
	.name = "view",
	.usage = "[FOLDER]",
	.help = "serves a result folder (default: the only *.results here) to a browser, live "
		"while a sweep runs",
	.options = view_arguments,
	.words_max = 1,
	.run = view_main,
	.more = view_more,
	.offer = OFFER_FOLDER,
};
