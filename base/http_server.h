/* SPDX-License-Identifier: BSD-3-Clause */
/* http_server.h -- a few pages of a program that has other things to do: HTTP on a port of this
 * machine alone, from the program's own loop. Nobody is waited for: what a client has not asked or
 * taken yet is looked at again when its descriptor is ready, and clients beyond the last place
 * replace the oldest. */
#ifndef BASE_HTTP_SERVER_H
#define BASE_HTTP_SERVER_H
#include "base/http.h"
#include "weir/error.h"
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

enum { HTTP_SERVER_CLIENTS = 4, HTTP_SERVER_FDS = HTTP_SERVER_CLIENTS + 1 };

/* Writes the page of a path, and says of what type it is; -1: there is none. */
typedef int http_server_page(void *context, const char *path, FILE *page, const char **type);

struct http_server_client {
	int fd; /* -1: a free place */
	uint64_t number;
	char asked[HTTP_REQUEST_MAX];
	size_t asked_length;
	char *answer; /* NULL: not all is asked */
	size_t answer_length, sent;
};

struct http_server {
	int fd; /* -1: nobody may ask */
	uint64_t served;
	http_server_page *page;
	void *context;
	struct http_server_client clients[HTTP_SERVER_CLIENTS];
};

/* Listens on that port of 127.0.0.1; 0: nowhere. */
int http_server_open(struct http_server *r, uint64_t port, http_server_page *page, void *context,
		     struct weir_error *e);
void http_server_close(struct http_server *r);

/* Descriptors to wait for; returns how many. */
uint32_t http_server_poll_fds(const struct http_server *r, struct pollfd polled[HTTP_SERVER_FDS]);

/* Goes on with everybody. */
void http_server_serve(struct http_server *r);
#endif
