/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c -- settings that change at run time, and the control socket. Contract in control.h. */
#define _GNU_SOURCE
#include "switch/run/control.h"
#include "config/schemes.h"
#include "base/text.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "marking", "rate", "delay" };
enum { KEY_MARKING, KEY_RATE, KEY_DELAY, KEYS };

/* "port.h0.rate=50Mbps" split into its parts; the value points into the text. */
struct assignment {
	char port[PLANE_NAME_SIZE];
	int key;
	const char *value;
};

static int change_read_assignment(const char *text, struct assignment *a, struct weir_error *e)
{
	const char *name = text + strlen("port."), *equals = strchr(text, '='), *dot = equals;
	char key[32];

	while (dot && dot > text && *dot != '.')
		dot--;
	if (!equals || strncmp(text, "port.", strlen("port.")) != 0 || dot <= name ||
	    (size_t)(dot - name) >= sizeof(a->port))
		return weir_error_set(e, "%s; a setting is changed as in port.h0.rate=50Mbps",
				      weir_quote(text).text);
	memcpy(a->port, name, (size_t)(dot - name));
	a->port[dot - name] = '\0';
	snprintf(key, sizeof(key), "%.*s", (int)(equals - dot - 1), dot + 1);
	a->value = equals + 1;
	for (a->key = 0; a->key < KEYS; a->key++)
		if (strcmp(keys[a->key], key) == 0)
			return 0;
	return weir_error_unknown(e, "setting that can change at run time", key, keys, KEYS);
}

static int change_set_marking(const struct loop *l, uint32_t port, const char *spec, void *params,
			      struct weir_port_plan *plan, struct weir_error *e)
{
	const struct config *c = &l->settings->ports[port].config;
	const struct weir_mark_ops *ops;

	if (l->tuning)
		return weir_error_set(e, "%s: the ports are tuned by switch.tune = %s",
				      weir_quote(spec).text,
				      weir_quote(l->settings->config.switches.tune).text);
	if (scheme_parse_mark(spec, &ops, params, e))
		return -1;
	if (ops != c->mark)
		return weir_error_set(
			e, "%s: the scheme cannot change at run time (%s), only its options",
			weir_quote(spec).text, c->mark->scheme.name);
	plan->mark_params = params;
	return 0;
}

int change_apply(struct loop *l, const char *assignment, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct port_settings values = { 0 };
	struct weir_port_plan plan;
	struct assignment a;
	uint32_t port;

	assignment += strspn(assignment, " \t");
	if (change_read_assignment(assignment, &a, e) ||
	    settings_port(l->settings, a.port, &port, e))
		return -1;
	if (a.key != KEY_MARKING &&
	    weir_option_parse(&values, weir_option_find(real_port_options, keys[a.key]), a.value,
			      e))
		return -1;
	if (a.key == KEY_DELAY && l->settings->ports[port].peer_plus_one)
		return weir_error_set(e,
				      "%s: the delay of an internal link cannot change at run "
				      "time",
				      weir_quote(a.value).text);
	if (a.key == KEY_DELAY) {
		loop_port(l, port)->delay_ps = (int64_t)values.delay_ps;
		return 0;
	}
	plan = loop_port(l, port)->plan;
	if (a.key == KEY_RATE)
		plan.rate_bps = values.rate_bps;
	else if (change_set_marking(l, port, a.value, params, &plan, e))
		return -1;
	if (plane_change(loop_plane(l, port), port, &plan))
		return weir_error_set(
			e,
			"%s: %s derives state from its options at start, so they cannot "
			"change at run time",
			weir_quote(a.value).text, plan.mark->scheme.name);
	return 0;
}

/* --- socket --- */

int control_path(const char *file, const char *given, char path[WEIR_OPT_TEXT_SIZE],
		 struct weir_error *e)
{
	const char *name = strrchr(file, '/');
	const char *dot;

	name = name ? name + 1 : file;
	dot = strrchr(name, '.');
	if (given[0])
		snprintf(path, WEIR_OPT_TEXT_SIZE, "%s", given);
	else
		snprintf(path, WEIR_OPT_TEXT_SIZE, "/run/weir-%.*s.sock",
			 (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
	return control_socket_check(path, e) ? weir_error_prefix(e, "real.socket: ") : 0;
}

int control_open(struct control *c, const char *path, struct weir_error *e)
{
	memset(c, 0, sizeof(*c));
	return control_socket_open(&c->socket, path, "switch", e);
}

void control_close(struct control *c)
{
	control_socket_close(&c->socket);
}

uint32_t control_polled(const struct control *c, struct pollfd polled[CONTROL_FDS])
{
	return control_socket_polled(&c->socket, polled);
}

/* --- replies --- */

/* A reply is formatted in memory first: the switch never blocks on a client. */
struct answer {
	FILE *stream;
	char *text;
	size_t length;
};

static void answer_open(struct answer *a)
{
	*a = (struct answer){ 0 };
	a->stream = open_memstream(&a->text, &a->length);
}

static void answer_send(struct answer *a, struct control_client *client)
{
	if (a->stream) {
		fclose(a->stream);
		control_socket_send(client, a->text, a->length);
	} else {
		control_socket_end(client);
	}
	free(a->text);
}

static void answer_error(FILE *f, const struct weir_error *e)
{
	fputs("{\"error\":", f);
	json_write_string(f, e->text);
	fputs("}\n", f);
}

/* --- requests --- */

static int control_start_probe(struct control *c, struct control_client *client,
			       const struct loop *l, const char *line, struct weir_error *e)
{
	struct control_probe *p = &c->probes[client - c->socket.clients];
	struct port_probe probe;

	if (port_probe_read(&probe, l->settings, line, e))
		return -1;
	if (control_socket_pin(&c->socket, client))
		return weir_error_set(e, "there are %d probes already; end one first",
				      CONTROL_PINNED_MAX);
	p->connection = client->connection;
	p->probe = probe;
	port_probe_start(&p->probe, loop_port(l, probe.port), loop_now_ps(l));
	return 0;
}

static int control_answer_done(FILE *f, const char *line)
{
	fputs("{\"done\":", f);
	json_write_string(f, line);
	fputs("}\n", f);
	return 0;
}

/* A request and its reply. */
struct request {
	struct control_client *client;
	const char *line;
	FILE *answer;
};

static int control_handle_request(struct control *c, struct loop *l, const struct request *r,
				  struct weir_error *e)
{
	static const char *const names[] = { "status", "measure", "set", "probe", "stop" };
	enum { STATUS, MEASURE, SET, PROBE, STOP, REQUESTS };
	size_t length = strcspn(r->line, " \t\r");
	char word[16];
	int i = 0;

	snprintf(word, sizeof(word), "%.*s", (int)length, r->line);
	while (i < REQUESTS && strcmp(word, names[i]) != 0)
		i++;
	switch (i) {
	case STATUS:
		status_json(r->answer, l);
		return 0;
	case MEASURE:
		loop_measure(l);
		return control_answer_done(r->answer, r->line);
	case SET:
		return change_apply(l, r->line + length, e)
			       ? -1
			       : control_answer_done(r->answer, r->line);
	case PROBE:
		return control_start_probe(c, r->client, l, r->line + length, e);
	case STOP:
		c->stops = 1;
		return control_answer_done(r->answer, r->line);
	default:
		return weir_error_unknown(e, "request", word, names, REQUESTS);
	}
}

struct serving {
	struct control *control;
	struct loop *loop;
};

/* control_handler: executes one request line. */
static void control_answer_request(void *context, struct control_client *client, const char *line)
{
	const struct serving *s = context;
	struct weir_error e = { "" };
	struct answer a;

	answer_open(&a);
	if (a.stream && control_handle_request(s->control, s->loop,
					       &(struct request){ client, line, a.stream }, &e))
		answer_error(a.stream, &e);
	answer_send(&a, client);
}

static void control_answer_probe(struct control_client *client, struct port_probe *w,
				 const struct loop *l, int64_t now_ps)
{
	double value = port_probe_sample(w, loop_port(l, w->port), now_ps);
	struct answer a;

	answer_open(&a);
	if (a.stream)
		fprintf(a.stream, "{\"time_ps\":%lld,\"%s\":%s}\n", (long long)now_ps,
			port_probe_name(w), isnan(value) ? "null" : format_exact(value).text);
	answer_send(&a, client);
}

/* Has this client a probe that is due by then? */
static int control_probe_is_due(const struct control *c, uint32_t client, int64_t now_ps)
{
	const struct control_probe *p = &c->probes[client];

	return p->connection && p->connection == c->socket.clients[client].connection &&
	       p->probe.every_ps && p->probe.next_ps <= now_ps;
}

void control_serve(struct control *c, struct loop *l)
{
	int64_t now_ps = loop_now_ps(l);

	control_socket_serve(&c->socket, control_answer_request, &(struct serving){ c, l });
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (control_probe_is_due(c, i, now_ps))
			control_answer_probe(&c->socket.clients[i], &c->probes[i].probe, l, now_ps);
}

int64_t control_next_ps(const struct control *c)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (control_probe_is_due(c, i, next_ps))
			next_ps = c->probes[i].probe.next_ps;
	return next_ps;
}

/* --- the client's side --- */

int control_ask(const char *path, const char *request, uint64_t lines, struct weir_error *e)
{
	int fd = control_socket_connect(path, "switch", e), failed = 0;
	FILE *f = fd >= 0 ? fdopen(fd, "r+") : NULL;
	char *line = NULL;
	size_t size = 0;
	uint64_t heard = 0;

	if (!f)
		return -1;
	fprintf(f, "%s\n", request);
	fflush(f);
	while (heard < lines && getline(&line, &size, f) > 0) {
		heard++;
		if (strncmp(line, "{\"error\":", strlen("{\"error\":")) == 0)
			failed = 1;
		fputs(line, stdout);
		fflush(stdout);
	}
	free(line);
	fclose(f);
	if (!heard)
		return weir_error_set(e, "%s: the switch closed the connection without a reply",
				      path);
	return failed ? weir_error_set(e, "%s: was refused", request) : 0;
}
