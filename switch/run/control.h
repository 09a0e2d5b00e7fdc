/* control.h -- the Unix socket by which a switch that runs is asked and told things.
 *
 * A request is a line of words, an answer a line of JSON; a client may ask as often as it likes.
 *
 *	status				everything that is counted
 *	measure				lengths of queues are measured anew from now on
 *	set port.NAME.KEY=VALUE		marking (settings of the same scheme), rate or delay of a port
 *	probe WHAT NAME every TIME	a line now and at every such time, until the client goes
 *	stop				the switch ends as it does by a signal
 *
 * Where something is wrong the answer is {"error":"..."}. Only who runs the switch may connect. */
#ifndef SWITCH_RUN_CONTROL_H
#define SWITCH_RUN_CONTROL_H
#include "switch/run/loop.h"
#include "switch/run/watch.h"
#include <poll.h>

enum { CONTROL_CLIENTS = 16, CONTROL_LINE = 1024 };

struct control_client {
	int fd; /* -1: nobody */
	uint32_t used;
	char line[CONTROL_LINE];
	struct watch probe;
};

struct control {
	int fd;
	char path[WEIR_OPT_TEXT_SIZE];
	int stops; /* 1: somebody asked for it */
	struct control_client clients[CONTROL_CLIENTS];
};

/* The path of a switch's socket: that of its settings, or made of its file's name. */
int control_path(const char *file, const char *given, char path[WEIR_OPT_TEXT_SIZE],
		 struct weir_error *e);

/* Refuses a path where another switch answers. */
int control_open(struct control *c, const char *path, struct weir_error *e);
void control_close(struct control *c); /* and removes the socket */

/* Descriptors to wait for, at most CONTROL_CLIENTS + 1; returns how many. */
uint32_t control_polled(const struct control *c, struct pollfd *polled);

/* Answers whoever has asked, and those whose probes are due. */
void control_serve(struct control *c, struct loop *l);

/* When the next probe is due, by the clock of the plane. */
int64_t control_next_ps(const struct control *c);

/* The client's side: sends a request and prints answers until the other side ends, or after so many lines. */
int control_ask(const char *path, const char *request, uint64_t lines, struct weir_error *e);
#endif
