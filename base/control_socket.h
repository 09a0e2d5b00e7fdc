/* SPDX-License-Identifier: BSD-3-Clause */
/* control_socket.h -- the Unix domain socket through which a running 'weir switch' or 'weir keeper'
 * takes requests.
 *
 * A request is one line of text. The server runs in the program's own event loop, in one thread,
 * and never blocks: requests and unsent answers are bounded, and when all places are taken a new
 * client replaces the one that has been silent for longest. So idle clients, slow readers and
 * garbage cannot starve other clients. Only root and the user that runs the server may connect. */
#ifndef BASE_CONTROL_SOCKET_H
#define BASE_CONTROL_SOCKET_H
#include "weir/error.h"
#include <poll.h>
#include <stdint.h>

enum {
	CONTROL_CLIENTS = 16,
	CONTROL_PINNED_MAX = 12, /* the other places remain for short-lived clients */
	CONTROL_FDS = CONTROL_CLIENTS + 1,
	CONTROL_REQUEST_SIZE = 1024,
	CONTROL_UNSENT_MAX = 4 << 20, /* bytes; a client that reads too slowly is disconnected */
	CONTROL_PATH_SIZE = 108,      /* sun_path */
};

struct control_client {
	int fd;              /* -1: a free place */
	uint64_t connection; /* unique for each connection; 0: a free place */
	uint64_t heard;      /* sequence number of its last request, or of its arrival */
	int is_pinned;       /* never replaced by a new client */
	int is_ending;       /* close once everything is sent */
	uint32_t used;
	char request[CONTROL_REQUEST_SIZE];
	char *unsent;
	size_t unsent_length;
};

struct control_socket {
	int fd; /* -1: not open */
	char path[CONTROL_PATH_SIZE];
	uint64_t device,
		inode;   /* of the socket file; a different file at the path is not removed */
	uint64_t events; /* arrivals and requests so far */
	struct control_client clients[CONTROL_CLIENTS];
};

/* Handles a request, given without its newline; NUL bytes in it have become question marks. Answers
 * with control_socket_send. */
typedef void control_handler(void *context, struct control_client *client, const char *request);

/* Listens at the path; server is the kind of program, for messages. A stale socket at the path is
 * replaced; anything else there is left alone and refused with a message. */
int control_socket_open(struct control_socket *s, const char *path, const char *server,
			struct weir_error *e);

/* Disconnects all clients and removes the socket file. */
void control_socket_close(struct control_socket *s);

/* The descriptors to poll; returns their number. */
uint32_t control_socket_polled(const struct control_socket *s, struct pollfd polled[CONTROL_FDS]);

/* Accepts, reads and answers as far as possible without blocking. */
void control_socket_serve(struct control_socket *s, control_handler *handler, void *context);

void control_socket_send(struct control_client *client, const char *text, size_t length);

/* Closes the connection once everything is sent. */
void control_socket_end(struct control_client *client);

/* Exempts a client from replacement, for answers that come later. -1: CONTROL_PINNED_MAX clients
 * are pinned already. */
int control_socket_pin(struct control_socket *s, struct control_client *client);

/* --- the client's side --- */

/* Is the path short enough for a socket? */
int control_socket_check(const char *path, struct weir_error *e);

/* Returns a connected, blocking descriptor. -1 with a message: no server answers there. */
int control_socket_connect(const char *path, const char *server, struct weir_error *e);

/* Sends a request, which ends in a newline, and returns the answer's line, for the caller to free.
 * NULL with a message: no line of at most answer_max bytes arrived in time. */
struct control_question {
	const char *path, *server, *request;
	int64_t timeout_ns; /* for connecting, sending and receiving together */
	size_t answer_max;
};

char *control_socket_ask(const struct control_question *q, struct weir_error *e);
#endif
