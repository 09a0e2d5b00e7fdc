/* SPDX-License-Identifier: BSD-3-Clause */
/* http_server.c -- see http_server.h. */
#define _GNU_SOURCE
#include "base/http_server.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void let_go(struct http_server_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->answer);
	c->answer = NULL;
	c->fd = -1;
}

int http_server_open(struct http_server *r, uint64_t port, http_server_page *page, void *context,
		     struct weir_error *e)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons((uint16_t)port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int again = 1;

	*r = (struct http_server){ .fd = -1, .page = page, .context = context };
	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS; i++)
		r->clients[i].fd = -1;
	if (!port)
		return 0;
	r->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->fd >= 0 && setsockopt(r->fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again)) == 0 &&
	    bind(r->fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(r->fd, HTTP_SERVER_CLIENTS) == 0)
		return 0;
	weir_error_set(e, "port %" PRIu64 " of 127.0.0.1 cannot be had: %s", port, strerror(errno));
	http_server_close(r);
	return -1;
}

void http_server_close(struct http_server *r)
{
	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS; i++)
		let_go(&r->clients[i]);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

uint32_t http_server_poll_fds(const struct http_server *r, struct pollfd polled[HTTP_SERVER_FDS])
{
	uint32_t count = 0;

	if (r->fd < 0)
		return 0;
	polled[count++] = (struct pollfd){ .fd = r->fd, .events = POLLIN };
	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS; i++)
		if (r->clients[i].fd >= 0)
			polled[count++] = (struct pollfd){
				.fd = r->clients[i].fd,
				.events = r->clients[i].answer ? POLLOUT : POLLIN,
			};
	return count;
}

/* A free place, or that of whoever came first. */
static struct http_server_client *find_place(struct http_server *r)
{
	struct http_server_client *oldest = &r->clients[0];

	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS; i++) {
		if (r->clients[i].fd < 0)
			return &r->clients[i];
		if (r->clients[i].number < oldest->number)
			oldest = &r->clients[i];
	}
	let_go(oldest);
	return oldest;
}

static void receive(struct http_server *r)
{
	for (int fd; (fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
		struct http_server_client *c = find_place(r);

		c->fd = fd;
		c->number = r->served++;
		c->asked_length = c->answer_length = c->sent = 0;
	}
}

/* The head and, unless only that was asked for, the page. */
static void make_answer(struct http_server *r, struct http_server_client *c,
			enum http_status status, const struct http_request *request)
{
	const char *type = "text/plain; charset=utf-8";
	char *page = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&page, &length), *whole;
	struct http_text head;

	if (!f)
		return;
	if (status == HTTP_OK && r->page(r->context, request->path, f, &type))
		status = HTTP_NOT_FOUND;
	if (status != HTTP_OK)
		fprintf(f, "%d\n", (int)status);
	fclose(f);
	head = http_head(status, type, length);
	whole = open_memstream(&c->answer, &c->answer_length);
	if (whole) {
		fputs(head.text, whole);
		if (status != HTTP_OK || request->method == HTTP_GET)
			fwrite(page, 1, length, whole);
		fclose(whole);
	}
	free(page);
}

/* 0: more is to come; -1: it is over. */
static int hear(struct http_server *r, struct http_server_client *c)
{
	const size_t room = sizeof(c->asked) - c->asked_length;
	const ssize_t got = recv(c->fd, c->asked + c->asked_length, room, 0);
	struct http_request request;
	enum http_status status;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0)
		return -1;
	c->asked_length += (size_t)got;
	status = http_parse(c->asked, c->asked_length, &request);
	if (status == HTTP_MORE)
		return 0;
	make_answer(r, c, status, &request);
	return c->answer ? 0 : -1;
}

static int answer(struct http_server_client *c)
{
	while (c->sent < c->answer_length) {
		const ssize_t went =
			send(c->fd, c->answer + c->sent, c->answer_length - c->sent, MSG_NOSIGNAL);

		if (went < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -1;
		c->sent += (size_t)went;
	}
	shutdown(c->fd, SHUT_WR);
	return -1;
}

void http_server_serve(struct http_server *r)
{
	if (r->fd < 0)
		return;
	receive(r);
	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS; i++) {
		struct http_server_client *c = &r->clients[i];
		int over = 0;

		if (c->fd < 0)
			continue;
		if (!c->answer)
			over = hear(r, c);
		if (!over && c->answer)
			over = answer(c);
		if (over)
			let_go(c);
	}
}
