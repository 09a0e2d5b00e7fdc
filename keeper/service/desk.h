/* SPDX-License-Identifier: BSD-3-Clause */
/* desk.h -- the requests that a running keeper takes over its control socket. A request is a line,
 *the answer is what comes until the connection ends; its first byte is '!' where the request
 *failed, and a space otherwise:
 *
 *	status			settings, states and reasons, as a line of JSON
 *	explain PROFILE		why its setting is what it is: the last things that happened to it
 *	pause			nothing is changed until resume; what is in force stays
 *	resume [PROFILE]	goes on; a profile that was yielded is the keeper's again
 *	restore PROFILE		puts its original back although an operator changed it, and leaves
 *it to them release PROFILE		gives its original up: what is in force is the operator's
 *	reload			the plan is read again, as by SIGHUP
 *	stop			originals are put back; the answer comes then, and says whether all
 *are */
#ifndef KEEPER_SERVICE_DESK_H
#define KEEPER_SERVICE_DESK_H
#include "keeper/service/log.h"
#include "base/control_socket.h"

struct keeper_desk {
	struct control_socket socket;
	int stops, reloads; /* 1: a client asked for it */
};

/* Refuses a path where a program answers, or where something else than a socket is. */
int keeper_desk_open(struct keeper_desk *d, const char *path, struct weir_error *e);
void keeper_desk_close(struct keeper_desk *d);

/* Answers the clients that asked to stop: the keeper has ended, and error is NULL, or says what is
 * left to do. */
void keeper_desk_tell_end(struct keeper_desk *d, const struct weir_error *error);

/* The keeper's state, as a line of JSON. */
void keeper_desk_status(const struct keeper *k, FILE *f);

/* Answers requests. */
void keeper_desk_serve(struct keeper_desk *d, struct keeper *k, const struct keeper_log *log);

/* The client's side: prints the answer. */
int keeper_desk_ask(const char *path, const char *request, struct weir_error *e);
#endif
