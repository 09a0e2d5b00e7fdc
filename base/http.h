/* SPDX-License-Identifier: BSD-3-Clause */
/* http.h -- as much of HTTP/1.1 (RFC 9112) as a page on one's own machine needs: reading the head
 * of a request, and writing that of an answer. No sockets here; any bytes may come.
 *
 * Only GET and HEAD are known. A request must name this machine as its host, 127.0.0.1 or localhost
 * with any port (it may be forwarded): a page from elsewhere whose name was made to lead here does
 * not. */
#ifndef BASE_HTTP_H
#define BASE_HTTP_H
#include <stddef.h>

enum {
	HTTP_REQUEST_MAX = 8192, /* bytes of a head */
	HTTP_PATH_SIZE = 128,    /* longer ones lead nowhere */
};

enum http_method { HTTP_GET, HTTP_HEAD };

struct http_request {
	enum http_method method;
	char path[HTTP_PATH_SIZE]; /* "/report", without what follows a question mark */
};

/* Statuses that are answered with. */
enum http_status {
	HTTP_MORE = 0, /* of a parser: the head is not whole yet */
	HTTP_OK = 200,
	HTTP_BAD_REQUEST = 400,
	HTTP_NOT_FOUND = 404,
	HTTP_NOT_ALLOWED = 405,
	HTTP_MISDIRECTED = 421,
	HTTP_TOO_LARGE = 431,
	HTTP_UNAVAILABLE = 503,
	HTTP_VERSION = 505,
};

/* HTTP_OK: r is whole; HTTP_MORE: more bytes are needed; else what to refuse it with. */
enum http_status http_parse(const char *bytes, size_t length, struct http_request *r);

/* The head of an answer, after which the connection ends. It is never kept by the browser, nor
 * shown inside another page; what it may load or ask is what the page itself brings, and this
 * server. */
enum { HTTP_HEAD_SIZE = 1024 };
struct http_text {
	char text[HTTP_HEAD_SIZE];
};

struct http_text http_head(enum http_status status, const char *type, size_t length);
#endif
