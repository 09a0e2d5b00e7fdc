/* desk.h -- the Unix socket by which a keeper that runs is asked and told things. A request is a line, the answer
 * is what comes until the other side closes:
 *
 *	status			how it is, as a line of JSON
 *	explain PROFILE		why its setting is what it is: the last things that happened to it
 *	pause			nothing is changed until resume; what is in force stays
 *	resume [PROFILE]	goes on; a profile that was yielded is the keeper's again
 *	reload			the plan is read again, as by SIGHUP
 *	stop			as by a signal: originals are put back
 *
 * Only who runs the keeper may connect. */
#ifndef KEEPER_RUN_DESK_H
#define KEEPER_RUN_DESK_H
#include "keeper/run/log.h"

struct keeper_desk {
	int fd;
	char path[WEIR_OPT_TEXT_SIZE];
	int stops, reloads; /* 1: somebody asked for it */
};

/* Refuses a path where another keeper answers. */
int keeper_desk_open(struct keeper_desk *d, const char *path, struct weir_error *e);
void keeper_desk_close(struct keeper_desk *d);

/* How it is, as a line of JSON. */
void keeper_desk_status(const struct keeper *k, FILE *f);

/* Somebody has connected: answers them. */
void keeper_desk_serve(struct keeper_desk *d, struct keeper *k, const struct keeper_log *log);

/* One request, by its words; -1: it is a mistake. */
int keeper_desk_obey(struct keeper_desk *d, struct keeper *k, const struct keeper_log *log,
		     const char *request, FILE *answer);

/* The client's side: prints the answer. */
int keeper_desk_ask(const char *path, const char *request, struct weir_error *e);
#endif
