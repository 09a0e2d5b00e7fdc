/* SPDX-License-Identifier: BSD-3-Clause */
/* http.h -- the part of HTTP/1.1 (RFC 9112) that a local endpoint needs: parsing the head of a
 * request and writing the head of a response. No sockets (http_server.h has them); the input is not
 * trusted.
 *
 * Only GET and HEAD are supported. The Host of a request must be 127.0.0.1 or localhost, with any
 * port as it may be forwarded: this defeats DNS rebinding by pages from elsewhere. */
#ifndef BASE_HTTP_H
#define BASE_HTTP_H
#include <stddef.h>

enum {
	HTTP_REQUEST_MAX = 8192, /* bytes of a request head */
	HTTP_PATH_SIZE = 128,    /* a longer path is not found */
};

enum http_method { HTTP_GET, HTTP_HEAD };

struct http_request {
	enum http_method method;
	char path[HTTP_PATH_SIZE]; /* "/report", without the query */
};

enum http_status {
	HTTP_MORE = 0, /* from the parser: the head is incomplete */
	HTTP_OK = 200,
	HTTP_BAD_REQUEST = 400,
	HTTP_NOT_FOUND = 404,
	HTTP_NOT_ALLOWED = 405,
	HTTP_MISDIRECTED = 421,
	HTTP_TOO_LARGE = 431,
	HTTP_UNAVAILABLE = 503,
	HTTP_VERSION = 505,
};

/* HTTP_OK: r is complete; HTTP_MORE: more bytes are needed; else the status to refuse with. */
enum http_status http_parse(const char *bytes, size_t length, struct http_request *r);

/* The head of a response. The connection closes after it. The browser must neither cache it nor
 * show it in a frame, and the page may load only inline content and data of this server. */
enum { HTTP_HEAD_SIZE = 1024 };
struct http_text {
	char text[HTTP_HEAD_SIZE];
};

struct http_text http_head(enum http_status status, const char *type, size_t length);
#endif
