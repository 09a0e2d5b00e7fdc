/* SPDX-License-Identifier: BSD-3-Clause */
/* view_server.h -- a small HTTP server for browsers on this machine: one thread, non-blocking
 * sockets, no file access.
 *
 * It listens on 127.0.0.1 only. Each connection carries one request and one answer. The site
 * defines the pages: it is asked for a path, and may reply that the answer is not ready yet. A
 * client that is slow to send or to receive is dropped after a while, or at once if its connection
 * slot is needed. */
#ifndef LAB_CAMPAIGN_VIEW_SERVER_H
#define LAB_CAMPAIGN_VIEW_SERVER_H
#include "base/http.h"
#include "weir/error.h"
#include <stdint.h>

/* Reference-counted bytes that several answers may share. */
struct body {
	uint32_t users;
	size_t length;
	char *bytes;
};

/* Takes ownership of the bytes; the caller holds the first reference. */
struct body *body_new(char *bytes, size_t length);
struct body *body_use(struct body *b);
void body_leave(struct body *b); /* Releases a reference; b may be NULL. */

struct answer {
	enum http_status status;
	const char *type;  /* "text/html; charset=utf-8" */
	struct body *body; /* the answer holds one reference */
};

enum { SITE_FDS_MAX = 4 };

struct site {
	void *context;
	/* 1: a is valid; 0: not ready, ask again after the next work(). */
	int (*ask)(void *context, const char *path, struct answer *a);
	/* Fills in file descriptors to poll for reading. Returns how many. */
	uint32_t (*waits_for)(void *context, int fds[SITE_FDS_MAX]);
	/* Called several times a second, and when one of those is readable. Non-zero: stop the
	 * server. */
	int (*work)(void *context);
};

enum { SERVER_PORT_LAST = 65535 };

/* Binds the first free port from first to last; first 0: a port chosen by the system. Returns the
 * socket and its port, or -1 with a message. */
int server_listen(uint16_t first, uint16_t last, uint16_t *port, struct weir_error *e);

/* Serves until the site's work() returns non-zero. Closes the socket. */
void server_run(int listener, const struct site *site);
#endif
