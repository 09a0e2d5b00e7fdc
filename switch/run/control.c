/* control.c -- see control.h: the switch's side of the socket. */
#define _GNU_SOURCE
#include "switch/run/control.h"
#include "lab/base/text.h"
#include "switch/run/change.h"
#include "switch/run/sample.h"
#include "switch/run/status.h"
#include "weir/units.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return weir_error_set(e, "real.socket: %s is too long for a socket",
				      weir_quote(path).text);
	return 0;
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strcpy(address.sun_path, path);
	return address;
}

/* Does somebody answer there? */
static int is_answered(const char *path)
{
	struct sockaddr_un address = address_of(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int answered = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	if (fd >= 0)
		close(fd);
	return answered;
}

int control_open(struct control *c, const char *path, struct weir_error *e)
{
	struct sockaddr_un address = address_of(path);
	mode_t mask;
	int failed;

	memset(c, 0, sizeof(*c));
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		c->clients[i].fd = -1;
	c->fd = -1;
	if (is_answered(path))
		return weir_error_set(e, "%s: another switch answers there", path);
	unlink(path); /* what a switch that was killed has left */
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	failed = c->fd < 0 || bind(c->fd, (struct sockaddr *)&address, sizeof(address)) ||
		 listen(c->fd, CONTROL_CLIENTS);
	umask(mask);
	if (failed) {
		weir_error_set(e, "%s: no socket can be made there: %s", path, strerror(errno));
		if (c->fd >= 0)
			close(c->fd);
		c->fd = -1;
		return -1;
	}
	snprintf(c->path, sizeof(c->path), "%s", path);
	return 0;
}

static void hang_up(struct control_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	*client = (struct control_client){ .fd = -1 };
}

void control_close(struct control *c)
{
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		hang_up(&c->clients[i]);
	if (c->fd < 0)
		return;
	close(c->fd);
	unlink(c->path);
	c->fd = -1;
}

uint32_t control_polled(const struct control *c, struct pollfd *polled)
{
	uint32_t count = 0;

	polled[count++] = (struct pollfd){ .fd = c->fd, .events = POLLIN };
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (c->clients[i].fd >= 0)
			polled[count++] =
				(struct pollfd){ .fd = c->clients[i].fd, .events = POLLIN };
	return count;
}

/* --- answers --- */

/* An answer, written in memory and sent in one piece: the switch waits for nobody. */
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
	if (a->stream)
		fclose(a->stream);
	/* Who does not read loses the connection. */
	if (!a->stream ||
	    send(client->fd, a->text, a->length, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)a->length)
		hang_up(client);
	free(a->text);
}

static void answer_error(FILE *f, const struct weir_error *e)
{
	fputs("{\"error\":", f);
	json_text(f, e->text);
	fputs("}\n", f);
}

/* --- requests --- */

static int begin_probe(struct control_client *client, const struct loop *l, const char *line,
		       struct weir_error *e)
{
	if (watch_read(&client->probe, l->settings, line, e))
		return -1;
	watch_begin(&client->probe, loop_port(l, client->probe.port), loop_now_ps(l));
	return 0;
}

static int done(FILE *f, const char *line)
{
	fputs("{\"done\":", f);
	json_text(f, line);
	fputs("}\n", f);
	return 0;
}

static int obey(struct control *c, struct control_client *client, struct loop *l, FILE *f,
		struct weir_error *e)
{
	static const char *const names[] = { "status", "measure", "set", "probe", "stop" };
	enum { STATUS, MEASURE, SET, PROBE, STOP, REQUESTS };
	size_t length = strcspn(client->line, " \t\r");
	char word[16];
	int i = 0;

	snprintf(word, sizeof(word), "%.*s", (int)length, client->line);
	while (i < REQUESTS && strcmp(word, names[i]) != 0)
		i++;
	switch (i) {
	case STATUS:
		status_json(f, l);
		return 0;
	case MEASURE:
		loop_measure(l);
		return done(f, client->line);
	case SET:
		return change_apply(l, client->line + length, e) ? -1 : done(f, client->line);
	case PROBE:
		return begin_probe(client, l, client->line + length, e);
	case STOP:
		c->stops = 1;
		return done(f, client->line);
	default:
		return weir_error_unknown(e, "request", word, names, REQUESTS);
	}
}

static void answer_line(struct control *c, struct control_client *client, struct loop *l)
{
	struct weir_error e = { "" };
	struct answer a;

	answer_open(&a);
	if (a.stream && obey(c, client, l, a.stream, &e))
		answer_error(a.stream, &e);
	answer_send(&a, client);
}

/* Reads what the client wrote and answers line by line. */
static void hear(struct control *c, struct control_client *client, struct loop *l)
{
	ssize_t got = recv(client->fd, client->line + client->used,
			   sizeof(client->line) - 1 - client->used, MSG_DONTWAIT);
	char *end;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		hang_up(client);
		return;
	}
	client->used += (uint32_t)got;
	client->line[client->used] = '\0';
	while (client->fd >= 0 && (end = strchr(client->line, '\n'))) {
		uint32_t taken = (uint32_t)(end + 1 - client->line);

		*end = '\0';
		answer_line(c, client, l);
		if (client->fd < 0)
			return;
		memmove(client->line, client->line + taken, client->used - taken + 1);
		client->used -= taken;
	}
	if (client->used == sizeof(client->line) - 1)
		hang_up(client);
}

static void answer_probe(struct control_client *client, const struct loop *l, int64_t now_ps)
{
	double value = watch_take(&client->probe, loop_port(l, client->probe.port), now_ps);
	struct answer a;

	answer_open(&a);
	if (a.stream)
		fprintf(a.stream, "{\"time_ps\":%lld,\"%s\":%s}\n", (long long)now_ps,
			watch_name(&client->probe),
			isnan(value) ? "null" : exact_number(value).text);
	answer_send(&a, client);
}

/* Whose line is due. */
static int is_due(const struct control_client *client, int64_t now_ps)
{
	return client->fd >= 0 && client->probe.every_ps && client->probe.next_ps <= now_ps;
}

static void welcome(struct control *c)
{
	int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (c->clients[i].fd < 0) {
			c->clients[i].fd = fd;
			return;
		}
	close(fd);
}

void control_serve(struct control *c, struct loop *l)
{
	int64_t now_ps = loop_now_ps(l);

	welcome(c);
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *client = &c->clients[i];

		if (client->fd >= 0)
			hear(c, client, l);
		if (is_due(client, now_ps))
			answer_probe(client, l, now_ps);
	}
}

int64_t control_next_ps(const struct control *c)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (is_due(&c->clients[i], next_ps))
			next_ps = c->clients[i].probe.next_ps;
	return next_ps;
}

/* --- the client's side --- */

int control_ask(const char *path, const char *request, uint64_t lines, struct weir_error *e)
{
	struct sockaddr_un address = address_of(path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), failed = 0;
	FILE *f = fd >= 0 ? fdopen(fd, "r+") : NULL;
	char *line = NULL;
	size_t room = 0;

	if (!f || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		weir_error_set(e, "%s: no switch answers there: %s", path, strerror(errno));
		if (f)
			fclose(f);
		return -1;
	}
	fprintf(f, "%s\n", request);
	fflush(f);
	while (lines-- > 0 && getline(&line, &room, f) > 0) {
		if (strncmp(line, "{\"error\":", strlen("{\"error\":")) == 0)
			failed = 1;
		fputs(line, stdout);
		fflush(stdout);
	}
	free(line);
	fclose(f);
	return failed ? weir_error_set(e, "%s: was refused", request) : 0;
}
