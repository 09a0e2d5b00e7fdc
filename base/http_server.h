/* SPDX-License-Identifier: BSD-3-Clause */
/* http_server.h -- an HTTP endpoint for programs that have an event loop of their own: metrics and
 * status pages of 'weir switch' and 'weir keeper'. It listens on 127.0.0.1 only.
 *
 * All calls come from the loop's thread and none blocks: an incomplete request or unsent response
 * waits until poll reports its descriptor. When all places are taken a new client replaces the
 * oldest one. */
#ifndef BASE_HTTP_SERVER_H
#define BASE_HTTP_SERVER_H
#include "base/http.h"
#include "weir/error.h"
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

enum { HTTP_SERVER_CLIENTS = 4, HTTP_SERVER_FDS = HTTP_SERVER_CLIENTS + 1 };

/* Writes the page of a path and sets its content type. -1: there is no such page. */
typedef int http_server_page(void *context, const char *path, FILE *page, const char **type);

struct http_server_client {
	int fd; /* -1: a free place */
	uint64_t number;
	char asked[HTTP_REQUEST_MAX];
	size_t asked_length;
	char *answer; /* NULL: the request is incomplete */
	size_t answer_length, sent;
};

struct http_server {
	int fd; /* -1: disabled */
	uint64_t served;
	http_server_page *page;
	void *context;
	struct http_server_client clients[HTTP_SERVER_CLIENTS];
};

/* Listens on a port of 127.0.0.1. Port 0: disabled, and all other calls do nothing. */
int http_server_open(struct http_server *r, uint64_t port, http_server_page *page, void *context,
		     struct weir_error *e);
void http_server_close(struct http_server *r);

/* The descriptors to poll; returns their number. */
uint32_t http_server_poll_fds(const struct http_server *r, struct pollfd polled[HTTP_SERVER_FDS]);

/* Accepts, reads and answers as far as possible without blocking. */
void http_server_serve(struct http_server *r);
#endif
