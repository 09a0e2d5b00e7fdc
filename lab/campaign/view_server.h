/* SPDX-License-Identifier: BSD-3-Clause */
/* view_server.h -- answers browsers of this machine: one thread, no files, nobody waits for anybody
 * else.
 *
 * It listens on 127.0.0.1 alone. Every connection has one request and one answer. What the pages
 * are is the site's business: it is asked for a path, and may say that the answer is still being
 * made. A client that is slow to ask or to read is dropped after a while, and at once where its
 * place is needed. */
#ifndef LAB_CAMPAIGN_VIEW_SERVER_H
#define LAB_CAMPAIGN_VIEW_SERVER_H
#include "base/http.h"
#include "weir/error.h"
#include <stdint.h>

/* Bytes that several answers may share. */
struct body {
	uint32_t users;
	size_t length;
	char *bytes;
};

/* Takes the bytes over; the first user is who asked. */
struct body *body_new(char *bytes, size_t length);
struct body *body_use(struct body *b);
void body_leave(struct body *b); /* may be NULL */

struct answer {
	enum http_status status;
	const char *type;  /* "text/html; charset=utf-8" */
	struct body *body; /* whose user the answer is */
};

enum { SITE_FDS_MAX = 4 };

struct site {
	void *context;
	/* 1: the answer; 0: not yet, it is asked again whenever the site has worked. */
	int (*ask)(void *context, const char *path, struct answer *a);
	/* What it waits for: file descriptors that become readable. Returns how many. */
	uint32_t (*waits_for)(void *context, int fds[SITE_FDS_MAX]);
	/* Called several times a second, and when one of those is readable. Non-zero: it is time to
	 * end. */
	int (*work)(void *context);
};

enum { SERVER_PORT_LAST = 65535 };

/* Any port from first to last that is free, first 0: whichever the system gives. Returns a socket
 * and the port that it has, or -1 with a message. */
int server_listen(uint16_t first, uint16_t last, uint16_t *port, struct weir_error *e);

/* Until the site says that it is time. Closes the socket. */
void server_run(int listener, const struct site *site);
#endif
