/* SPDX-License-Identifier: BSD-3-Clause */
/* test_http_server.c -- requests and answers of HTTP, and the server: what it makes of the bytes of
 * clients, and that no client delays another. */
#define _GNU_SOURCE
#include "base/http_server.h"
#include "tests/test.h"
#include "weir/rng.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static enum http_status parse(const char *text)
{
	struct http_request r;

	return http_parse(text, strlen(text), &r);
}

/* --- requests --- */

TEST(test_a_request_is_its_method_and_its_path)
{
	static const char get[] = "GET /report?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8347\r\n\r\n";
	static const char head[] =
		"HEAD / HTTP/1.0\r\nAccept: */*\r\nhOST:\tlocalhost \r\n\r\nGET /";
	struct http_request r;

	CHECK_INT(http_parse(get, strlen(get), &r), HTTP_OK);
	CHECK_INT(r.method, HTTP_GET);
	CHECK_STR(r.path, "/report");
	CHECK_INT(http_parse(head, strlen(head), &r), HTTP_OK);
	CHECK_INT(r.method, HTTP_HEAD);
	CHECK_STR(r.path, "/");
}

TEST(test_a_request_that_is_not_whole_is_waited_for)
{
	static const char get[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct http_request r;

	for (size_t i = 0; i + 1 < sizeof(get) - 1; i++)
		CHECK_INT(http_parse(get, i, &r), HTTP_MORE);
	CHECK_INT(http_parse(get, sizeof(get) - 1, &r), HTTP_OK);
}

TEST(test_a_request_for_another_host_is_refused)
{
	static const char *const hosts[] = { "evil.example",           "localhost.evil.example",
					     "127.0.0.1.evil.example", "127.0.0.1:80@evil.example",
					     "127.0.0.1:8347x",        "[::1]:8347",
					     "192.168.0.7:8347",       "" };
	char text[200];

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);
		CHECK_INT(parse(text), HTTP_MISDIRECTED);
	}
	CHECK_INT(parse("GET / HTTP/1.1\r\n\r\n"), HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
		  HTTP_BAD_REQUEST);
}

TEST(test_a_request_that_is_none_is_refused)
{
	CHECK_INT(parse("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n"), HTTP_NOT_ALLOWED);
	CHECK_INT(parse("get / HTTP/1.1\r\nHost: localhost\r\n\r\n"), HTTP_NOT_ALLOWED);
	CHECK_INT(parse("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n"), HTTP_VERSION);
	CHECK_INT(parse("GET / HTTQ/1.1\r\nHost: localhost\r\n\r\n"), HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n"), HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		  HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET /\r\nHost: localhost\r\n\r\n"), HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET / HTTP/1.1\r\nHost : localhost\r\n\r\n"), HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET / HTTP/1.1\r\nHost: localhost\r\n and more\r\n\r\n"),
		  HTTP_BAD_REQUEST);
	CHECK_INT(parse("GET / HTTP/1.1\r\nHost: localhost\r\nA: \001\r\n\r\n"), HTTP_BAD_REQUEST);
	CHECK_INT(parse("\r\n\r\n"), HTTP_BAD_REQUEST);
}

TEST(test_a_request_has_a_largest_size)
{
	char text[HTTP_REQUEST_MAX + 64], path[HTTP_PATH_SIZE + 64];
	struct http_request r;

	memset(text, 'a', sizeof(text));
	CHECK_INT(http_parse(text, HTTP_REQUEST_MAX - 1, &r), HTTP_MORE);
	CHECK_INT(http_parse(text, HTTP_REQUEST_MAX, &r), HTTP_TOO_LARGE);
	snprintf(path, sizeof(path), "GET /%0*d HTTP/1.1\r\nHost: localhost\r\n\r\n",
		 HTTP_PATH_SIZE - 2, 0);
	CHECK_INT(parse(path), HTTP_OK);
	snprintf(path, sizeof(path), "GET /%0*d HTTP/1.1\r\nHost: localhost\r\n\r\n",
		 HTTP_PATH_SIZE - 1, 0);
	CHECK_INT(parse(path), HTTP_NOT_FOUND);
}

/* Changes a few bytes, and where the text ends. */
static size_t change(char *bytes, size_t length, struct weir_rng *r)
{
	static const char odd[] = "\r\n :/?\t\001GHh1.@[";
	size_t end = length;

	for (uint64_t i = 1 + weir_rng_below(r, 6); i > 0; i--) {
		size_t at = (size_t)weir_rng_below(r, length);

		bytes[at] = weir_rng_below(r, 2) ? odd[weir_rng_below(r, sizeof(odd))]
						 : (char)weir_rng_below(r, 256);
	}
	if (weir_rng_below(r, 4) == 0)
		end = (size_t)weir_rng_below(r, length + 1);
	return end;
}

TEST(test_no_bytes_of_a_request_crash_or_lead_elsewhere)
{
	static const char good[] = "GET /report?a HTTP/1.1\r\nHost: localhost:8347\r\n"
				   "Accept: text/html\r\nConnection: keep-alive\r\n\r\n";
	struct weir_rng rng = weir_rng_make(1, 0, WEIR_RNG_TEST);
	uint64_t fine = 0;

	for (int i = 0; i < 200000; i++) {
		char text[sizeof(good)], *bytes;
		struct http_request r;
		size_t length;

		memcpy(text, good, sizeof(good));
		length = change(text, sizeof(good) - 1, &rng);
		bytes = malloc(length + 1); /* of its own size: a byte beyond it is noticed */
		CHECK(bytes != NULL);
		memcpy(bytes, text, length);
		if (http_parse(bytes, length, &r) == HTTP_OK) {
			fine++;
			CHECK_INT(r.path[0], '/');
			CHECK(memchr(r.path, '\0', sizeof(r.path)) != NULL);
		}
		free(bytes);
	}
	CHECK(fine > 1000);
}

/* --- answers --- */

TEST(test_an_answer_is_not_kept_and_loads_nothing_from_elsewhere)
{
	struct http_text head = http_head(HTTP_OK, "text/html; charset=utf-8", 12);

	CHECK_LIKE(head.text,
		   "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
		   "Content-Length: 12\r\nConnection: close\r\nCache-Control: no-store\r\n...");
	CHECK_CONTAINS(head.text, "default-src 'none'");
	CHECK_CONTAINS(head.text, "connect-src 'self'");
	CHECK_CONTAINS(head.text, "frame-ancestors 'none'");
	CHECK_STR(head.text + strlen(head.text) - 4, "\r\n\r\n");
	CHECK(strstr(head.text, "http:") == NULL);
}

/* --- the server --- */

/* Pages: a large one, one that is never ready, one that does not exist, and one that ends the
 * server. */
enum { LARGE = 8 << 20 };

static int stub_page(void *context, const char *path, FILE *f, const char **type)
{
	const size_t length = strcmp(path, "/large") == 0 ? LARGE : 5;
	int *is_over = context;

	if (strcmp(path, "/never") == 0)
		return 1;
	if (strcmp(path, "/none") == 0)
		return -1;
	*is_over |= strcmp(path, "/end") == 0;
	*type = "text/plain";
	for (size_t i = 0; i < length; i++)
		fputc('x', f);
	return 0;
}

/* In a process of its own; its port. */
static pid_t start_server(uint16_t *port)
{
	int is_over = 0;
	struct http_server s = { .page = stub_page, .context = &is_over };
	struct pollfd polled[HTTP_SERVER_FDS];
	struct weir_error e;
	pid_t pid;

	CHECK_INT(http_server_listen(&s, 0, 0, &e), 0);
	*port = s.port;
	pid = fork();
	while (pid == 0) {
		poll(polled, http_server_poll_fds(&s, polled), 200);
		http_server_serve(&s);
		if (!is_over)
			continue;
		http_server_close(&s);
		exit(0); /* not _exit: the leak checker runs at exit */
	}
	http_server_close(&s);
	return pid;
}

static int dial(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
	return fd;
}

static void send_text(int fd, const char *text)
{
	CHECK_INT(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void send_get(int fd, const char *path)
{
	char text[200];

	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	send_text(fd, text);
}

/* All that comes until the other side ends. */
static size_t receive(int fd, char *start, size_t size)
{
	size_t length = 0;
	char piece[4096];
	ssize_t got;

	while ((got = recv(fd, piece, sizeof(piece), 0)) > 0) {
		for (ssize_t i = 0; i < got && length + (size_t)i + 1 < size; i++)
			start[length + (size_t)i] = piece[i];
		length += (size_t)got;
	}
	start[length < size ? length : size - 1] = '\0';
	close(fd);
	return length;
}

static void end_server(pid_t pid, uint16_t port)
{
	char start[64];
	int fd = dial(port), status;

	send_get(fd, "/end");
	receive(fd, start, sizeof(start));
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

TEST(test_the_server_answers_whole_pages_and_heads_alone)
{
	uint16_t port;
	pid_t pid = start_server(&port);
	char start[2048];
	int fd = dial(port);
	size_t length;

	send_get(fd, "/");
	receive(fd, start, sizeof(start));
	CHECK_LIKE(start, "HTTP/1.1 200 OK\r\n...Content-Length: 5\r\n...\r\n\r\nxxxxx");
	fd = dial(port);
	send_get(fd, "/large");
	length = receive(fd, start, sizeof(start));
	CHECK_INT(length - (size_t)(strstr(start, "\r\n\r\n") + 4 - start), LARGE);
	fd = dial(port);
	send_text(fd, "HEAD /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
	receive(fd, start, sizeof(start));
	CHECK_CONTAINS(start, "Content-Length: 8388608");
	CHECK_STR(start + strlen(start) - 4, "\r\n\r\n");
	end_server(pid, port);
}

TEST(test_the_server_answers_a_request_in_pieces_and_says_what_does_not_exist)
{
	uint16_t port;
	pid_t pid = start_server(&port);
	char start[2048];
	int fd = dial(port);

	send_text(fd, "GET / HTTP/1.1\r\nHo");
	usleep(20000);
	send_text(fd, "st: localhost\r\n\r\n");
	receive(fd, start, sizeof(start));
	CHECK_LIKE(start, "HTTP/1.1 200 OK\r\n...\r\n\r\nxxxxx");
	fd = dial(port);
	send_get(fd, "/none");
	receive(fd, start, sizeof(start));
	CHECK_LIKE(start, "HTTP/1.1 404 ...\r\n\r\n404\n");
	end_server(pid, port);
}

TEST(test_the_server_refuses_what_it_cannot_read_and_goes_on)
{
	uint16_t port;
	pid_t pid = start_server(&port);
	char start[2048], large[HTTP_REQUEST_MAX + 1];
	int fd = dial(port);

	send_text(fd, "DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	receive(fd, start, sizeof(start));
	CHECK_LIKE(start, "HTTP/1.1 405 ...Allow: GET, HEAD\r\n\r\n405\n");
	fd = dial(port);
	send_text(fd, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
	receive(fd, start, sizeof(start));
	CHECK_LIKE(start, "HTTP/1.1 421 ...");
	fd = dial(port);
	memset(large, 'a', sizeof(large));
	large[HTTP_REQUEST_MAX] = '\0';
	send_text(fd, large);
	receive(fd, start, sizeof(start));
	CHECK_LIKE(start, "HTTP/1.1 431 ...");
	close(dial(port)); /* says nothing and goes */
	end_server(pid, port);
}

/* Twice as many clients as there are places: some that say half a request, some that never read a
 * large answer, some that wait for what is never made. */
TEST(test_slow_clients_do_not_delay_others)
{
	enum { SLOW = 128 };
	uint16_t port;
	pid_t pid = start_server(&port);
	char start[2048];
	int slow[SLOW], fd;

	for (int i = 0; i < SLOW; i++) {
		slow[i] = dial(port);
		if (i % 3 == 0)
			send_text(slow[i], "GET / HTTP/1.1\r\nHo");
		else
			send_get(slow[i], i % 3 == 1 ? "/large" : "/never");
		if (i % 16 == 0) {
			fd = dial(port);
			send_get(fd, "/");
			receive(fd, start, sizeof(start));
			CHECK_LIKE(start, "HTTP/1.1 200 OK\r\n...xxxxx");
		}
	}
	for (int i = 0; i < SLOW; i++)
		close(slow[i]);
	end_server(pid, port);
}

TEST(test_the_server_listens_to_this_machine_alone)
{
	struct http_server one = { .fd = -1 }, other = { .fd = -1 };
	struct sockaddr_in at;
	socklen_t length = sizeof(at);
	struct weir_error e;

	CHECK_INT(http_server_listen(&one, 0, 0, &e), 0);
	CHECK_INT(getsockname(one.fd, (struct sockaddr *)&at, &length), 0);
	CHECK_INT(ntohl(at.sin_addr.s_addr), INADDR_LOOPBACK);
	CHECK_INT(ntohs(at.sin_port), one.port);
	/* The port is taken: a message, or the next one that is free. */
	CHECK_INT(http_server_listen(&other, one.port, one.port, &e), -1);
	CHECK_LIKE(e.text, "127.0.0.1:...: cannot be listened to: Address already in use");
	if (one.port < 65000)
		CHECK(http_server_listen(&other, one.port, (uint16_t)(one.port + 100), &e) == 0 &&
		      other.port > one.port);
	http_server_close(&other);
	http_server_close(&one);
}
