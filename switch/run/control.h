/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h -- the Unix socket by which a switch that runs is asked and told things.
 *
 * A request is a line of words, an answer a line of JSON; a client may ask as often as it likes.
 *
 *	status				everything that is counted
 *	measure				lengths of queues are measured anew from now on
 *	set port.NAME.KEY=VALUE		marking (settings of the same scheme), rate or delay of a
 * port probe WHAT NAME every TIME	a line now and at every such time, until the client goes
 *	stop				the switch ends as it does by a signal
 *
 * Where something is wrong the answer is {"error":"..."}. */
#ifndef SWITCH_RUN_CONTROL_H
#define SWITCH_RUN_CONTROL_H
#include "base/control_socket.h"
#include "switch/run/loop.h"
#include <stdio.h>
#include "switch/run/probe.h"

/* What a connection of the socket wants to hear at every such time. */
struct control_probe {
	uint64_t connection; /* 0: none */
	struct port_probe probe;
};

struct control {
	struct control_socket socket;
	int stops;                                    /* 1: a client asked for it */
	struct control_probe probes[CONTROL_CLIENTS]; /* by the client's place */
};

/* The path of a switch's socket: that of its settings, or made of its file's name. */
int control_path(const char *file, const char *given, char path[WEIR_OPT_TEXT_SIZE],
		 struct weir_error *e);

/* Refuses a path where a program answers, or where something else than a socket is. */
int control_open(struct control *c, const char *path, struct weir_error *e);
void control_close(struct control *c); /* and removes the socket */

/* Descriptors to wait for; returns how many. */
uint32_t control_polled(const struct control *c, struct pollfd polled[CONTROL_FDS]);

/* Answers requests, and probes that are due. */
void control_serve(struct control *c, struct loop *l);

/* When the next probe is due, by the clock of the plane. */
int64_t control_next_ps(const struct control *c);

/* The client's side: sends a request and prints answers until the other side ends, or after so many
 * lines. */
int control_ask(const char *path, const char *request, uint64_t lines, struct weir_error *e);

/* --- settings that change while the switch runs --- */

/* "port.NAME.KEY=VALUE": marking (of the same scheme), rate or delay. */
int change_apply(struct loop *l, const char *assignment, struct weir_error *e);

/* --- status.c: everything that is counted --- */

/* Everything that is counted, and queues since they are measured. */
void status_json(FILE *f, struct loop *l);

/* The metrics of every port, at / and /metrics; a responder_page, whose context is a struct loop.
 */
int status_page(void *context, const char *path, FILE *f, const char **type);
#endif
