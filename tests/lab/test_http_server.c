/* SPDX-License-Identifier: BSD-3-Clause */
/* test_http_server.c -- pages over a socket of this machine, to clients that ask slowly, too much,
 * or nothing. */
#define _GNU_SOURCE
#include "base/http_server.h"
#include "tests/test.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG_PAGE = 4 << 20 };

static int page(void *context, const char *path, FILE *f, const char **type)
{
	(void)context;
	*type = "text/plain";
	if (strcmp(path, "/long") == 0)
		for (int i = 0; i < LONG_PAGE; i++)
			fputc('x', f);
	else if (strcmp(path, "/") == 0)
		fputs("hello\n", f);
	else
		return -1;
	return 0;
}

/* Some port that is free. */
static uint16_t open_somewhere(struct http_server *r)
{
	struct weir_error e;

	for (uint16_t port = (uint16_t)(20000 + getpid() % 20000); port < 60000; port++)
		if (http_server_open(r, port, page, NULL, &e) == 0)
			return port;
	test_fail(__FILE__, __LINE__, "no port is free");
	return 0;
}

static int reach(uint16_t port)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK_INT(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	CHECK_INT(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* All that comes, until the end; the first of it in text. */
static size_t hear_all(struct http_server *r, int fd, char *text, size_t size)
{
	char buffer[65536];
	size_t length = 0;

	for (;;) {
		struct pollfd polled[HTTP_SERVER_FDS + 1];
		uint32_t count = http_server_poll_fds(r, polled);
		ssize_t got;

		http_server_serve(r);
		polled[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		CHECK(poll(polled, count, 5000) > 0);
		got = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		if (got == 0)
			return length;
		for (ssize_t i = 0; i < got; i++, length++)
			if (length < size - 1)
				text[length] = buffer[i];
		text[length < size - 1 ? length : size - 1] = '\0';
	}
}

TEST(test_responder_answers_a_request_that_comes_in_pieces)
{
	char text[2048] = "";
	struct http_server r;
	uint16_t port = open_somewhere(&r);
	int fd = reach(port);

	say(fd, "GET / HTTP/1.1\r\nHo");
	http_server_serve(&r);
	http_server_serve(&r);
	say(fd, "st: localhost\r\n\r\n");
	hear_all(&r, fd, text, sizeof(text));
	CHECK_CONTAINS(text, "HTTP/1.1 200 OK\r\n");
	CHECK_CONTAINS(text, "Content-Length: 6\r\n");
	CHECK_CONTAINS(text, "\r\n\r\nhello\n");
	close(fd);
	fd = reach(port);
	say(fd, "GET /other HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	hear_all(&r, fd, text, sizeof(text));
	CHECK_CONTAINS(text, "HTTP/1.1 404 ");
	close(fd);
	fd = reach(port);
	say(fd, "GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n");
	hear_all(&r, fd, text, sizeof(text));
	CHECK_CONTAINS(text, "HTTP/1.1 421 ");
	close(fd);
	http_server_close(&r);
}

TEST(test_responder_waits_for_nobody_and_sends_long_pages_whole)
{
	char text[2048] = "";
	struct http_server r;
	uint16_t port = open_somewhere(&r);
	int silent[HTTP_SERVER_CLIENTS + 2], fd;

	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS + 2; i++) { /* who come and say nothing */
		silent[i] = reach(port);
		http_server_serve(&r);
	}
	fd = reach(port);
	say(fd, "GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n");
	CHECK(hear_all(&r, fd, text, sizeof(text)) > LONG_PAGE);
	CHECK_CONTAINS(text, "Content-Length: 4194304\r\n");
	close(fd);
	for (uint32_t i = 0; i < HTTP_SERVER_CLIENTS + 2; i++)
		close(silent[i]);
	http_server_close(&r);
}
