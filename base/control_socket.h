/* SPDX-License-Identifier: BSD-3-Clause */
/* control_socket.h -- the Unix socket by which a running program takes requests: 'weir switch' and
 * 'weir keeper'.
 *
 * A request is a line. The server is called from the program's own loop and never blocks: requests
 * and unsent answers are bounded, and when all places are taken a new client replaces the one that
 * has been silent for longest. So idle clients, slow readers and garbage cost no other client its
 * answer. Only the user that runs the server, and root, may connect. */
#ifndef BASE_CONTROL_SOCKET_H
#define BASE_CONTROL_SOCKET_H
#include "weir/error.h"
#include <poll.h>
#include <stdint.h>

enum {
	CONTROL_CLIENTS = 16,
	CONTROL_PINNED_MAX = 12, /* some places are always left for clients that come and go */
	CONTROL_FDS = CONTROL_CLIENTS + 1,
	CONTROL_REQUEST_SIZE = 1024,
	CONTROL_UNSENT_MAX =
		4 << 20,         /* bytes; a client that reads no faster loses its connection */
	CONTROL_PATH_SIZE = 108, /* sun_path */
};

struct control_client {
	int fd;              /* -1: a free place */
	uint64_t connection; /* unique for each connection; 0: a free place */
	uint64_t heard;      /* order of its last request, or of its arrival */
	int is_pinned;       /* never replaced by a new client */
	int is_ending;       /* closed when everything is sent */
	uint32_t used;
	char request[CONTROL_REQUEST_SIZE];
	char *unsent;
	size_t unsent_length;
};

struct control_socket {
	int fd; /* -1: not open */
	char path[CONTROL_PATH_SIZE];
	uint64_t device, inode; /* of the socket file: another one at the path is not this server's
				   to remove */
	uint64_t events;        /* arrivals and requests so far */
	struct control_client clients[CONTROL_CLIENTS];
};

/* A request without its newline; a NUL byte in it has become a question mark. The answer goes to
 * control_socket_send. */
typedef void control_handler(void *context, struct control_client *client, const char *request);

/* Listens at the path; server is what kind of program this is, for messages. What is there already
 * is replaced only where it is a socket that no program answers; anything else is left as it is,
 * and refused with a message. */
int control_socket_open(struct control_socket *s, const char *path, const char *server,
			struct weir_error *e);

/* Also removes the socket file. */
void control_socket_close(struct control_socket *s);

/* Descriptors to wait for; returns how many. */
uint32_t control_socket_polled(const struct control_socket *s, struct pollfd polled[CONTROL_FDS]);

/* Accepts, reads and answers as far as this is possible without waiting. */
void control_socket_serve(struct control_socket *s, control_handler *handler, void *context);

void control_socket_send(struct control_client *client, const char *text, size_t length);

/* Closes the connection when everything is sent. */
void control_socket_end(struct control_client *client);

/* Keeps the place of a client that will be sent more later; -1: too many clients have that. */
int control_socket_pin(struct control_socket *s, struct control_client *client);

/* --- the client's side --- */

/* Is the path short enough for a socket? */
int control_socket_check(const char *path, struct weir_error *e);

/* A descriptor that is connected and blocks; -1 with a message: no server of that kind answers
 * there. */
int control_socket_connect(const char *path, const char *server, struct weir_error *e);

/* Sends a request that ends in a newline and returns the line of the answer, for the caller to
 * free. NULL with a message: there was no whole line of at most so many bytes in time. */
struct control_question {
	const char *path, *server, *request;
	int64_t timeout_ns; /* for everything together */
	size_t answer_max;
};

char *control_socket_ask(const struct control_question *q, struct weir_error *e);
#endif
