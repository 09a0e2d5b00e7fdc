/* SPDX-License-Identifier: BSD-3-Clause */
/* responder.h -- a few pages of a program that has other things to do: HTTP on a port of this
 * machine alone, from the program's own loop. Nobody is waited for: what a client has not asked or
 * taken yet is looked at again when its descriptor is ready, and clients beyond the last place
 * replace the oldest. */
#ifndef BASE_RESPONDER_H
#define BASE_RESPONDER_H
#include "base/http.h"
#include "weir/error.h"
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

enum { RESPONDER_CLIENTS = 4, RESPONDER_FDS = RESPONDER_CLIENTS + 1 };

/* Writes the page of a path, and says of what type it is; -1: there is none. */
typedef int responder_page(void *context, const char *path, FILE *page, const char **type);

struct responder_client {
	int fd; /* -1: a free place */
	uint64_t number;
	char asked[HTTP_REQUEST_MAX];
	size_t asked_length;
	char *answer; /* NULL: not all is asked */
	size_t answer_length, sent;
};

struct responder {
	int fd; /* -1: nobody may ask */
	uint64_t served;
	responder_page *page;
	void *context;
	struct responder_client clients[RESPONDER_CLIENTS];
};

/* Listens on that port of 127.0.0.1; 0: nowhere. */
int responder_open(struct responder *r, uint64_t port, responder_page *page, void *context,
		   struct weir_error *e);
void responder_close(struct responder *r);

/* Descriptors to wait for; returns how many. */
uint32_t responder_polled(const struct responder *r, struct pollfd polled[RESPONDER_FDS]);

/* Goes on with everybody. */
void responder_serve(struct responder *r);
#endif
