/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h -- the Unix control socket of a running switch.
 *
 * A request is one line of words, a reply one line of JSON; a connection may carry any number of
 * requests:
 *
 *	status				all counters
 *	measure				restarts the measurement of queue lengths
 *	set port.NAME.KEY=VALUE		changes rate, delay or marking of a port; marking only by
 *					parameters of the same scheme
 *	probe WHAT NAME every TIME	one line now and one per interval until the client
 *					disconnects
 *	stop				ends the switch as a signal does
 *
 * An error is answered with {"error":"..."}. */
#ifndef SWITCH_RUN_CONTROL_H
#define SWITCH_RUN_CONTROL_H
#include "base/control_socket.h"
#include "switch/run/loop.h"
#include <stdio.h>
#include "switch/run/probe.h"

/* A periodic probe that a connection asked for. */
struct control_probe {
	uint64_t connection; /* 0: unused */
	struct port_probe probe;
};

struct control {
	struct control_socket socket;
	int stops;                                    /* 1: a client requested a stop */
	struct control_probe probes[CONTROL_CLIENTS]; /* indexed by the client's slot */
};

/* Path of the switch's control socket: from its settings, or derived from the file name. */
int control_path(const char *file, const char *given, char path[WEIR_OPT_TEXT_SIZE],
		 struct weir_error *e);

/* Refuses a path on which a process answers or that is not a socket. */
int control_open(struct control *c, const char *path, struct weir_error *e);
void control_close(struct control *c); /* Closes and removes the socket. */

/* Adds descriptors to poll; returns how many. */
uint32_t control_polled(const struct control *c, struct pollfd polled[CONTROL_FDS]);

/* Answers requests and probes that are due. */
void control_serve(struct control *c, struct loop *l);

/* When the next probe is due, by the plane's clock. */
int64_t control_next_ps(const struct control *c);

/* Client side: sends a request and prints replies until the connection closes or the given number
 * of lines was printed. */
int control_ask(const char *path, const char *request, uint64_t lines, struct weir_error *e);

/* --- settings that change at run time --- */

/* "port.NAME.KEY=VALUE": marking (of the same scheme), rate or delay. */
int change_apply(struct loop *l, const char *assignment, struct weir_error *e);

/* --- status.c: counters --- */

/* Writes all counters, and queue statistics of the measurement interval, as JSON. */
void status_json(FILE *f, struct loop *l);

/* HTTP endpoint / and /metrics: Prometheus metrics of every port. A http_server_page whose context
 * is a struct loop. */
int status_page(void *context, const char *path, FILE *f, const char **type);
#endif
