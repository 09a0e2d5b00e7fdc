/* SPDX-License-Identifier: BSD-3-Clause */
/* http_server.c -- HTTP connections as state machines; see http_server.h. */
#define _GNU_SOURCE
#include "base/http_server.h"
#include "base/clock.h"
#include "base/memory.h"
#include "weir/units.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 32, DISCARD_SIZE = 4096 };

/* A client without progress is dropped after this time. Preparing a page may take longer. */
#define CLIENT_TIMEOUT_NS (10 * (int64_t)WEIR_NS_PER_S)

enum client_step {
	CLIENT_REQUEST, /* reading the request */
	CLIENT_WAIT,    /* the page is not ready */
	CLIENT_ANSWER,  /* sending the answer */
	CLIENT_DRAIN /* everything is sent; further input is discarded, because closing with unread
			input could reset the connection and lose the answer */
};

struct http_server_client {
	int fd;
	enum client_step step;
	int64_t since_ns; /* time of the last byte or change of step */
	size_t received, sent, answer_length;
	char *answer; /* head and page */
	struct http_request r;
	char request[HTTP_REQUEST_MAX];
};

/* --- listening socket --- */

/* Returns a socket, or -1 with errno. */
static int http_server_try_port(uint16_t port)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;
	const int yes = 1;

	/* Without SO_REUSEADDR the port is blocked for a minute after the last connection
	 * (TIME_WAIT). */
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

int http_server_listen(struct http_server *s, uint16_t first, uint16_t last, struct weir_error *e)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);

	s->fd = -1;
	for (uint32_t port = first; s->fd < 0 && port <= last; port++) {
		s->fd = http_server_try_port((uint16_t)port);
		if (s->fd < 0 && errno != EADDRINUSE)
			break;
	}
	if (s->fd < 0 || getsockname(s->fd, (struct sockaddr *)&address, &length) != 0) {
		weir_error_set(e, "127.0.0.1:%d: cannot be listened to: %s", first,
			       strerror(errno));
		http_server_close(s);
		return -1;
	}
	s->port = ntohs(address.sin_port);
	return 0;
}

int http_server_open(struct http_server *s, uint64_t port, http_server_page *page, void *context,
		     struct weir_error *e)
{
	*s = (struct http_server){ .fd = -1, .page = page, .context = context };
	return port ? http_server_listen(s, (uint16_t)port, (uint16_t)port, e) : 0;
}

/* --- clients --- */

static void http_server_drop(struct http_server *s, uint32_t i)
{
	close(s->clients[i]->fd);
	free(s->clients[i]->answer);
	free(s->clients[i]);
	s->clients[i] = s->clients[--s->count];
}

void http_server_close(struct http_server *s)
{
	while (s->count)
		http_server_drop(s, s->count - 1);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void client_step(struct http_server_client *c, enum client_step to)
{
	c->step = to;
	c->since_ns = clock_ns();
}

static void http_server_accept(struct http_server *s)
{
	for (int fd; (fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
		uint32_t idlest = 0;

		for (uint32_t i = 1; i < s->count; i++)
			if (s->clients[i]->since_ns < s->clients[idlest]->since_ns)
				idlest = i;
		if (s->count == HTTP_SERVER_CLIENTS)
			http_server_drop(s, idlest);
		s->clients[s->count] = memory_zeroed(1, sizeof(*s->clients[0]));
		s->clients[s->count]->fd = fd;
		client_step(s->clients[s->count++], CLIENT_REQUEST);
	}
}

/* Prepares the answer, unless the page is not ready. */
static void client_prepare(struct http_server *s, struct http_server_client *c,
			   enum http_status status)
{
	const char *type = "text/plain; charset=utf-8";
	struct http_text head;
	size_t length = 0;
	char *page = NULL;
	FILE *f = open_memstream(&page, &length);
	int found = 0;

	if (!f)
		memory_refused(0);
	if (status == HTTP_OK)
		found = s->page(s->context, c->r.path, f, &type);
	if (found < 0)
		status = HTTP_NOT_FOUND;
	fflush(f);
	if (status != HTTP_OK && length == 0)
		fprintf(f, "%d\n", (int)status);
	fclose(f);
	if (found > 0) {
		free(page);
		return;
	}
	head = http_head(status, type, length);
	c->answer_length = strlen(head.text);
	if (status != HTTP_OK || c->r.method == HTTP_GET)
		c->answer_length += length;
	c->answer = memory_grow(page, strlen(head.text) + length, 1);
	memmove(c->answer + strlen(head.text), c->answer, length);
	memcpy(c->answer, head.text, strlen(head.text));
	client_step(c, CLIENT_ANSWER);
}

/* These functions return 1 if the client must be dropped. */
static int client_receive(struct http_server *s, struct http_server_client *c)
{
	const ssize_t got =
		recv(c->fd, c->request + c->received, sizeof(c->request) - c->received, 0);
	enum http_status status;

	if (got <= 0)
		return got == 0 || (errno != EAGAIN && errno != EINTR);
	c->received += (size_t)got;
	c->since_ns = clock_ns();
	status = http_parse(c->request, c->received, &c->r);
	if (status == HTTP_MORE)
		return 0;
	client_step(c, CLIENT_WAIT);
	client_prepare(s, c, status);
	return 0;
}

static int client_send(struct http_server_client *c)
{
	while (c->sent < c->answer_length) {
		const ssize_t sent =
			send(c->fd, c->answer + c->sent, c->answer_length - c->sent, MSG_NOSIGNAL);

		if (sent < 0)
			return errno != EAGAIN && errno != EINTR;
		c->sent += (size_t)sent;
		c->since_ns = clock_ns();
	}
	shutdown(c->fd, SHUT_WR);
	client_step(c, CLIENT_DRAIN);
	return 0;
}

/* Does not update since_ns: a client that keeps sending is dropped, too. */
static int client_drain(struct http_server_client *c)
{
	char discarded[DISCARD_SIZE];
	const ssize_t got = recv(c->fd, discarded, sizeof(discarded), 0);

	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

/* poll reports a hang-up even if no event is requested, and would return at once every time. */
static int client_has_hung_up(const struct http_server_client *c)
{
	struct pollfd p = { .fd = c->fd };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}

static int client_serve(struct http_server *s, struct http_server_client *c)
{
	int is_over = 0;

	if (c->step == CLIENT_REQUEST)
		is_over = client_receive(s, c);
	else if (c->step == CLIENT_WAIT && !(is_over = client_has_hung_up(c)))
		client_prepare(s, c, HTTP_OK);
	if (!is_over && c->step == CLIENT_ANSWER)
		is_over = client_send(c);
	if (!is_over && c->step == CLIENT_DRAIN)
		is_over = client_drain(c);
	return is_over || (c->step != CLIENT_WAIT && clock_ns() - c->since_ns > CLIENT_TIMEOUT_NS);
}

/* --- the owner's loop --- */

uint32_t http_server_poll_fds(const struct http_server *s, struct pollfd polled[HTTP_SERVER_FDS])
{
	uint32_t count = 0;

	if (s->fd < 0)
		return 0;
	polled[count++] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	for (uint32_t i = 0; i < s->count; i++)
		polled[count++] = (struct pollfd){
			.fd = s->clients[i]->fd,
			.events = s->clients[i]->step == CLIENT_WAIT     ? 0
				  : s->clients[i]->step == CLIENT_ANSWER ? POLLOUT
									 : POLLIN,
		};
	return count;
}

void http_server_serve(struct http_server *s)
{
	if (s->fd < 0)
		return;
	http_server_accept(s);
	for (uint32_t i = s->count; i-- > 0;) /* backwards: the last client fills a freed place */
		if (client_serve(s, s->clients[i]))
			http_server_drop(s, i);
}
