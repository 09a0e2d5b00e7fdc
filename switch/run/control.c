/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c -- see control.h: the switch's side of the socket. */
#define _GNU_SOURCE
#include "switch/run/control.h"
#include "base/text.h"
#include "switch/run/change.h"
#include "switch/run/sample.h"
#include "switch/run/status.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the socket --- */

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

/* --- answers --- */

/* An answer is written in memory first: the switch never waits for a client. */
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
	json_text(f, e->text);
	fputs("}\n", f);
}

/* --- requests --- */

static struct control_probe *probe_of(struct control *c, const struct control_client *client)
{
	return &c->probes[client - c->socket.clients];
}

static int begin_probe(struct control *c, struct control_client *client, const struct loop *l,
		       const char *line, struct weir_error *e)
{
	struct control_probe *p = probe_of(c, client);
	struct watch watch;

	if (watch_read(&watch, l->settings, line, e))
		return -1;
	if (control_socket_pin(&c->socket, client))
		return weir_error_set(e, "there are %d probes already; end one of them first",
				      CONTROL_PINNED_MAX);
	p->connection = client->connection;
	p->watch = watch;
	watch_begin(&p->watch, loop_port(l, watch.port), loop_now_ps(l));
	return 0;
}

static int done(FILE *f, const char *line)
{
	fputs("{\"done\":", f);
	json_text(f, line);
	fputs("}\n", f);
	return 0;
}

/* A request, and what it is answered with. */
struct request {
	struct control_client *client;
	const char *line;
	FILE *answer;
};

static int handle(struct control *c, struct loop *l, const struct request *r, struct weir_error *e)
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
		return done(r->answer, r->line);
	case SET:
		return change_apply(l, r->line + length, e) ? -1 : done(r->answer, r->line);
	case PROBE:
		return begin_probe(c, r->client, l, r->line + length, e);
	case STOP:
		c->stops = 1;
		return done(r->answer, r->line);
	default:
		return weir_error_unknown(e, "request", word, names, REQUESTS);
	}
}

struct serving {
	struct control *control;
	struct loop *loop;
};

/* A control_handler. */
static void answer_request(void *context, struct control_client *client, const char *line)
{
	const struct serving *s = context;
	struct weir_error e = { "" };
	struct answer a;

	answer_open(&a);
	if (a.stream &&
	    handle(s->control, s->loop, &(struct request){ client, line, a.stream }, &e))
		answer_error(a.stream, &e);
	answer_send(&a, client);
}

static void answer_probe(struct control_client *client, struct watch *w, const struct loop *l,
			 int64_t now_ps)
{
	double value = watch_take(w, loop_port(l, w->port), now_ps);
	struct answer a;

	answer_open(&a);
	if (a.stream)
		fprintf(a.stream, "{\"time_ps\":%lld,\"%s\":%s}\n", (long long)now_ps,
			watch_name(w), isnan(value) ? "null" : exact_number(value).text);
	answer_send(&a, client);
}

/* Has this client a probe with a line due by then? */
static int is_due(const struct control *c, uint32_t client, int64_t now_ps)
{
	const struct control_probe *p = &c->probes[client];

	return p->connection && p->connection == c->socket.clients[client].connection &&
	       p->watch.every_ps && p->watch.next_ps <= now_ps;
}

void control_serve(struct control *c, struct loop *l)
{
	int64_t now_ps = loop_now_ps(l);

	control_socket_serve(&c->socket, answer_request, &(struct serving){ c, l });
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (is_due(c, i, now_ps))
			answer_probe(&c->socket.clients[i], &c->probes[i].watch, l, now_ps);
}

int64_t control_next_ps(const struct control *c)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (is_due(c, i, next_ps))
			next_ps = c->probes[i].watch.next_ps;
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
		return weir_error_set(e, "%s: the switch closed the connection without an answer",
				      path);
	return failed ? weir_error_set(e, "%s: was refused", request) : 0;
}
