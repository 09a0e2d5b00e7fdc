/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.c -- weir switch: runs a real switch, and talks to one that runs. */
#define _POSIX_C_SOURCE 200809L
#include "cli/options.h"
#include "testbed/testbed.h"
#include "switch/run/serve.h"
#include "weir/units.h"
#include "base/clock.h"
#include <stdio.h>
#include <string.h>

static const struct cli_option switch_arguments[] = {
	{ "--socket", "PATH",
	  "where it is reached; that of the file, or /run/weir-NAME.sock, unless given",
	  OFFER_FILE },
	{ "--out", "FOLDER",
	  "when it ends, what it measured is a run of this folder, for 'weir table', 'report' and "
	  "'export'",
	  OFFER_FOLDER },
	{ "--every", "TIME", "with --out: writes it down that often, too, as in 60s",
	  OFFER_NOTHING },
	{ "--pcap", "PORT=FILE",
	  "writes the frames that leave a port to FILE (pcapng for Wireshark, their first 128 "
	  "bytes), "
	  "marks and all; may be given several times",
	  OFFER_FILE },
	{ "--pcap-whole", NULL, "with --pcap: all bytes of every frame", OFFER_NOTHING },
	OPTION_ALLOW_PLUGINS,
	{ .name = NULL },
};

static const char switch_more[] =
	"weir switch sw.ini                                   runs it, until Ctrl-C or 'stop'\n"
	"weir switch status sw.ini                            everything it counts, as JSON\n"
	"weir switch measure sw.ini                           lengths of queues count from now on\n"
	"weir switch set sw.ini port.b.rate=50Mbps            or delay, or marking's settings\n"
	"weir switch probe sw.ini 'queue b every 10ms'        a line each time, until Ctrl-C\n"
	"weir switch stop sw.ini\n"
	"\n"
	"A small one:\n"
	"  [switch]                     keys as in scenarios: 'weir help switch'\n"
	"  marking = ecn(k=20pkts)\n"
	"  [port a]                     a network interface; any key of [switch] for it alone\n"
	"  interface = veth-a\n"
	"  [port b]\n"
	"  interface = veth-b\n"
	"  rate = 100Mbps\n"
	"  delay = 100us\n"
	"'weir help port' and 'weir help real' name all keys, docs/manual/09-real-packets.md tells the "
	"rest.\n";

/* The socket of the switch that CONFIG.ini describes; a word that is no file of settings is the
 * socket itself. */
static int switch_find_socket(const struct arguments *a, const char *word,
			      char path[WEIR_OPT_TEXT_SIZE], struct weir_error *e)
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

/* "status CONFIG.ini", "set CONFIG.ini port.b.rate=50Mbps", "probe CONFIG.ini 'queue b every
 * 10ms'" */
static int switch_run_verb(const struct arguments *a, const char *verb)
{
	const char *file = arguments_word(a, 1), *what = arguments_word(a, 2);
	char path[WEIR_OPT_TEXT_SIZE], request[CONTROL_REQUEST_SIZE];
	uint64_t lines = strcmp(verb, "probe") == 0 ? UINT64_MAX : 1;
	int wants_more = strcmp(verb, "set") == 0 || strcmp(verb, "probe") == 0;
	struct weir_error e;

	if (!file || wants_more != (what != NULL)) {
		weir_error_set(&e, "switch %s: usage: weir switch %s CONFIG.ini%s", verb, verb,
			       !wants_more                ? ""
			       : strcmp(verb, "set") == 0 ? " port.NAME.KEY=VALUE"
							  : " 'queue NAME every 10ms'");
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (switch_find_socket(a, file, path, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (snprintf(request, sizeof(request), "%s%s%s", verb, what ? " " : "", what ? what : "") >=
	    (int)sizeof(request)) {
		weir_error_set(&e, "switch %s: too long", verb);
		return cli_error(EXIT_MISTAKE, &e);
	}
	return control_ask(path, request, lines, &e) ? cli_error(EXIT_WORLD, &e) : EXIT_FINE;
}

/* Where runs are kept, and how often while the switch goes on. */
struct switch_keeping {
	const char *folder; /* NULL: nowhere */
	uint64_t every_ps;  /* 0: at the end alone */
};

static int switch_read_keeping(const struct arguments *a, struct switch_keeping *k,
			       struct weir_error *e)
{
	static const struct weir_option every = { .name = "--every",
						  .type = WEIR_OPT_TIME_PS,
						  .min = WEIR_PS_PER_S,
						  .max = UINT64_C(86400) * WEIR_PS_PER_S,
						  .help = "" };
	const char *text = arguments_option(a, "--every");

	*k = (struct switch_keeping){ .folder = arguments_option(a, "--out") };
	if (text && !k->folder)
		return weir_error_set(e, "--every: is for what is kept; add --out FOLDER");
	return text ? weir_option_parse(&k->every_ps, &every, text, e) : 0;
}

/* Runs until somebody ends it, writing down now and then what it has measured. */
static void switch_run_until_end(struct real_server *server, struct loop *l, struct control *c,
				 const struct switch_keeping *k)
{
	struct real_keeping keeping = { 0 };
	int64_t next_ps = k->every_ps ? (int64_t)k->every_ps : WEIR_TIME_NEVER_PS;

	for (; !real_run(server, l, c, next_ps); next_ps += (int64_t)k->every_ps)
		real_store_aside(l, k->folder, &keeping);
	real_store_wait(&keeping);
}

/* The interfaces are open: works until the end, and keeps what was measured where a folder is
 * given. */
static int switch_run_ports(struct loop *l, struct control *c, const struct switch_keeping *k)
{
	int status = EXIT_FINE;
	struct real_server server;
	struct weir_error e;

	if (real_open(&server, l, &e))
		return cli_error(EXIT_WORLD, &e);
	printf("%u ports; 'weir switch status %s' says how they are\n", l->settings->port_count,
	       c->socket.path);
	fflush(stdout);
	switch_run_until_end(&server, l, c, k);
	if (k->folder && real_store(l, k->folder, &e))
		status = cli_error(EXIT_WORLD, &e);
	real_close(&server); /* not before all is written */
	return status;
}

/* --- captures --- */

struct switch_captures {
	struct captures captures;
	struct pcap *of_port[PLANE_PORTS_MAX]; /* NULL: nobody captures it */
	uint64_t start_ns;                     /* time 0 of the plane, since 1970 */
};

static void switch_capture_frame(void *context, uint32_t port, const struct plane_frame *f,
				 int64_t start_ps)
{
	const struct switch_captures *w = context;

	if (w->of_port[port])
		pcap_frame(w->of_port[port], w->start_ns + (uint64_t)weir_ps_to_ns(start_ps),
			   f->data, f->length);
}

/* The files of --pcap PORT=FILE, which are written while the switch runs. On -1 none is left. */
static int switch_open_captures(struct switch_captures *w, const struct arguments *a,
				const struct config *config, struct loop *l, struct weir_error *e)
{
	uint32_t port;

	if (captures_open(&w->captures, a, config, e))
		return -1;
	for (uint32_t i = 0; i < w->captures.count; i++) {
		if (settings_port(l->settings, w->captures.files[i].port, &port, e) ||
		    (l->settings->ports[port].peer_plus_one &&
		     weir_error_set(e, "%s has a cable inside, where nobody captures",
				    w->captures.files[i].port))) {
			captures_abandon(&w->captures);
			return weir_error_prefix(e, "--pcap: ");
		}
		w->of_port[port] = &w->captures.files[i];
	}
	w->start_ns = (uint64_t)(clock_wall_ns() - weir_ps_to_ns(loop_now_ps(l)));
	if (w->captures.count)
		l->tap = (struct loop_tap){ switch_capture_frame, w };
	return 0;
}

/* --- a switch --- */

static int switch_run_loop(const struct arguments *a, struct loop *l, struct control *c,
			   const struct switch_keeping *keeping)
{
	struct switch_captures watching = { .captures = { 0 } };
	struct config config;
	struct weir_error e;
	int status;

	real_config(l->settings, &config);
	if (switch_open_captures(&watching, a, &config, l, &e)) {
		status = cli_error(EXIT_MISTAKE, &e);
	} else {
		status = switch_run_ports(l, c, keeping);
		if (captures_publish(&watching.captures, &e))
			status = cli_error(EXIT_WORLD, &e);
	}
	config_free(&config);
	return status;
}

static int switch_run_file(const struct arguments *a, const struct switch_settings *s)
{
	const char *given = arguments_option(a, "--socket");
	char path[WEIR_OPT_TEXT_SIZE];
	struct switch_keeping keeping;
	struct control control;
	struct weir_error e;
	struct loop loop;
	int status;

	if (switch_read_keeping(a, &keeping, &e) ||
	    control_path(s->file, given ? given : s->real.socket, path, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (control_open(&control, path, &e))
		return cli_error(EXIT_WORLD, &e);
	if (loop_open(&loop, s, &e)) {
		status = cli_error(EXIT_WORLD, &e);
	} else {
		status = switch_run_loop(a, &loop, &control, &keeping);
		loop_close(&loop);
	}
	control_close(&control);
	return status;
}

static int switch_main(const struct arguments *a)
{
	static const char *const verbs[] = { "status", "measure", "set", "probe", "stop" };
	struct switch_settings s;
	struct weir_error e;
	int request, status;

	request = arguments_request(a, verbs, sizeof(verbs) / sizeof(verbs[0]), &e);
	if (request >= 0)
		return switch_run_verb(a, verbs[request]);
	if (request == -2 || settings_read(&s, arguments_word(a, 0), &e))
		return cli_error(EXIT_MISTAKE, &e);
	status = switch_run_file(a, &s);
	settings_free(&s);
	return status;
}

const struct command command_switch = {
	.name = "switch",
	.usage = "FILE",
	.help = "forwards real packets between network interfaces, with the ports of scenarios",
	.options = switch_arguments,
	.words_min = 1,
	.words_max = 3,
	.run = switch_main,
	.more = switch_more,
	.offer = OFFER_FILE,
};
