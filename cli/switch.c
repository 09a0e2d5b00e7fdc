/* SPDX-License-Identifier: BSD-3-Clause */
/* switch.c -- weir switch: runs a real switch, and talks to one that runs. */
#define _POSIX_C_SOURCE 200809L
#include "cli/capture.h"
#include "testbed/switch_results.h"
#include "switch/run/serve.h"
#include "weir/units.h"
#include "base/clock.h"
#include <stdio.h>
#include <string.h>

/* The socket of the switch that CONFIG.ini describes; a word that is no file of settings is the
 * socket itself. */
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

/* "status CONFIG.ini", "set CONFIG.ini port.b.rate=50Mbps", "probe CONFIG.ini 'queue b every
 * 10ms'" */
static int ask(const struct arguments *a, const char *verb)
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

/* Where runs are kept, and how often while the switch goes on. */
struct keeping {
	const char *folder; /* NULL: nowhere */
	uint64_t every_ps;  /* 0: at the end alone */
};

static int read_keeping(const struct arguments *a, struct keeping *k, struct weir_error *e)
{
	static const struct weir_option every = { .name = "--every",
						  .type = WEIR_OPT_TIME_PS,
						  .min = WEIR_PS_PER_S,
						  .max = UINT64_C(86400) * WEIR_PS_PER_S,
						  .help = "" };
	const char *text = arguments_option(a, "--every");

	*k = (struct keeping){ .folder = arguments_option(a, "--out") };
	if (text && !k->folder)
		return weir_error_set(e, "--every: is for what is kept; add --out FOLDER");
	return text ? weir_option_parse(&k->every_ps, &every, text, e) : 0;
}

/* Runs until somebody ends it, writing down now and then what it has measured. */
static void run_until_end(struct real_server *server, struct loop *l, struct control *c,
			  const struct keeping *k)
{
	struct real_keeping keeping = { 0 };
	int64_t next_ps = k->every_ps ? (int64_t)k->every_ps : WEIR_TIME_NEVER_PS;

	for (; !real_run(server, l, c, next_ps); next_ps += (int64_t)k->every_ps)
		real_store_aside(l, k->folder, &keeping);
	real_store_wait(&keeping);
}

/* The interfaces are open: works until the end, and keeps what was measured where a folder is
 * given. */
static int work(struct loop *l, struct control *c, const struct keeping *k)
{
	int status = EXIT_FINE;
	struct real_server server;
	struct weir_error e;

	if (real_open(&server, l, &e))
		return complain(EXIT_WORLD, &e);
	printf("%u ports; 'weir switch status %s' says how they are\n", l->settings->port_count,
	       c->socket.path);
	fflush(stdout);
	run_until_end(&server, l, c, k);
	if (k->folder && real_store(l, k->folder, &e))
		status = complain(EXIT_WORLD, &e);
	real_close(&server); /* not before all is written */
	return status;
}

/* --- captures --- */

struct watching {
	struct captures captures;
	struct pcap *of_port[PLANE_PORTS_MAX]; /* NULL: nobody captures it */
	uint64_t start_ns;                     /* time 0 of the plane, since 1970 */
};

static void see_frame(void *context, uint32_t port, const struct plane_frame *f, int64_t start_ps)
{
	const struct watching *w = context;

	if (w->of_port[port])
		pcap_frame(w->of_port[port], w->start_ns + (uint64_t)weir_ps_to_ns(start_ps),
			   f->data, f->length);
}

/* The files of --pcap PORT=FILE, which are written while the switch runs. On -1 none is left. */
static int watch(struct watching *w, const struct arguments *a, const struct config *config,
		 struct loop *l, struct weir_error *e)
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
		l->tap = (struct loop_tap){ see_frame, w };
	return 0;
}

/* --- a switch --- */

static int run_loop(const struct arguments *a, struct loop *l, struct control *c,
		    const struct keeping *keeping)
{
	struct watching watching = { .captures = { 0 } };
	struct config config;
	struct weir_error e;
	int status;

	real_config(l->settings, &config);
	if (watch(&watching, a, &config, l, &e)) {
		status = complain(EXIT_MISTAKE, &e);
	} else {
		status = work(l, c, keeping);
		if (captures_publish(&watching.captures, &e))
			status = complain(EXIT_WORLD, &e);
	}
	config_free(&config);
	return status;
}

static int run_switch(const struct arguments *a, const struct switch_settings *s)
{
	const char *given = arguments_option(a, "--socket");
	char path[WEIR_OPT_TEXT_SIZE];
	struct keeping keeping;
	struct control control;
	struct weir_error e;
	struct loop loop;
	int status;

	if (read_keeping(a, &keeping, &e) ||
	    control_path(s->file, given ? given : s->real.socket, path, &e))
		return complain(EXIT_MISTAKE, &e);
	if (control_open(&control, path, &e))
		return complain(EXIT_WORLD, &e);
	if (loop_open(&loop, s, &e)) {
		status = complain(EXIT_WORLD, &e);
	} else {
		status = run_loop(a, &loop, &control, &keeping);
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
