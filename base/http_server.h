/* SPDX-License-Identifier: BSD-3-Clause */
/* http_server.h -- a small HTTP server for browsers on this machine, driven by its owner's poll
 * loop: the keeper and the data plane serve metrics, weir view serves pages.
 *
 * It listens on 127.0.0.1 only and accesses no files. Each connection carries one request and one
 * answer. No call blocks. A client that makes no progress for ten seconds is dropped, and if all
 * places are taken the one that has been idle longest is. Everything runs on the owner's thread. */
#ifndef BASE_HTTP_SERVER_H
#define BASE_HTTP_SERVER_H
#include "base/http.h"
#include "weir/error.h"
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

enum { HTTP_SERVER_CLIENTS = 32, HTTP_SERVER_FDS = HTTP_SERVER_CLIENTS + 1 };

/* Writes the page of a path and sets its type, which is plain text otherwise. 0: written; -1: there
 * is no such page, and what was written explains that; 1: it is not ready, and the next
 * http_server_serve asks again. */
typedef int http_server_page(void *context, const char *path, FILE *page, const char **type);

struct http_server_client;

struct http_server {
	int fd; /* listening socket; -1: disabled */
	uint16_t port;
	http_server_page *page;
	void *context;
	uint32_t count;
	struct http_server_client *clients[HTTP_SERVER_CLIENTS];
};

/* Listens on the port; 0: disabled, and every other call does nothing. -1: disabled, with a
 * message. */
int http_server_open(struct http_server *s, uint64_t port, http_server_page *page, void *context,
		     struct weir_error *e);

/* The same on the first free port of a range; first 0: a port that the system chooses. s->page and
 * s->context are set by the caller. */
int http_server_listen(struct http_server *s, uint16_t first, uint16_t last, struct weir_error *e);

void http_server_close(struct http_server *s);

/* Fills in the descriptors to poll for. Returns their number. */
uint32_t http_server_poll_fds(const struct http_server *s, struct pollfd polled[HTTP_SERVER_FDS]);

/* Accepts, reads and writes as far as possible without waiting. Call after poll, and several times
 * a second while a page is not ready. */
void http_server_serve(struct http_server *s);
#endif
