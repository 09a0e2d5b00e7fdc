/* SPDX-License-Identifier: BSD-3-Clause */
/* service.h -- a keeper as a program: its main loop, event log, control socket and HTTP endpoint;
 * and an emulator of a SONiC switch to try it with. */
#ifndef KEEPER_SERVICE_SERVICE_H
#define KEEPER_SERVICE_SERVICE_H
#include "keeper/core/keeper.h"
#include "base/control_socket.h"
#include "keeper/core/plan.h"
#include <stdio.h>
#include <time.h>

/* --- service.c: the main loop --- */

struct keeper_service {
	const struct keeper_plan *plan;
	const struct registry *drivers; /* that a plan which is read again may name */
	enum keeper_mode mode;
};

/* Looks after the switch until SIGINT, SIGTERM or a request to stop, and puts the originals back;
 * SIGHUP makes it read its plan again. What an earlier keeper left in the journal is restored
 * first. Events are written to stdout. */
int keeper_serve(const struct keeper_service *service, struct weir_error *e);

/* Without a keeper: puts back what the journal holds; of a profile that is named (NULL: none) also
 * where an operator changed it. -1 with a message that says how many are left. */
int keeper_restore_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e);

/* Without a keeper: gives up the original of a profile. */
int keeper_release_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e);

/* --- event_log.c: what a keeper did, one line of JSON per event, and the latest events in memory
 * --- */

enum { LOG_ENTRIES = 256 };

struct log_entry {
	time_t wall;
	int64_t time_ns; /* by the keeper's clock: virtual in a rehearsal */
	enum keeper_event_kind kind;
	char profile[INI_NAME_SIZE]; /* empty: of the whole switch */
	struct keeper_setting from, to;
	char why[KEEPER_WHY_SIZE];
};

struct keeper_log {
	FILE *out;
	uint64_t count;
	struct log_entry entries[LOG_ENTRIES]; /* a ring */
};

/* A keeper_event_handler; user is the log. */
void keeper_log_event(void *user, const struct keeper_event *event);

/* A keeper_restore_handler; user is the log. */
void keeper_log_restored(void *user, const struct keeper_record *r, enum keeper_restored became,
			 const char *why);

void keeper_log_setting(FILE *f, const char *name, const struct keeper_setting *s);

/* Does it have from and to? */
int keeper_log_is_change(enum keeper_event_kind kind);

/* An entry as a line of JSON. */
void keeper_log_print(FILE *f, const struct log_entry *entry);

/* --- control_socket.c: requests to a running keeper ---
 *
 * A request is a line, the answer is what comes until the connection ends; its first byte is '!'
 * where the request failed, and a space otherwise:
 *
 *	status			settings, states and reasons, as a line of JSON
 *	explain PROFILE		why its setting is what it is: its latest events
 *	pause			nothing is changed until resume; what is in force stays
 *	resume [PROFILE]	goes on; a profile that was yielded is the keeper's again
 *	restore PROFILE		puts its original back although an operator changed it, and leaves
 *				it to them
 *	release PROFILE		gives its original up: what is in force is the operator's
 *	reload			reads the plan again, as SIGHUP does
 *	stop			puts originals back; the answer comes then, and says whether all
 *				are
 */

struct keeper_control {
	struct control_socket socket;
	int stops, reloads; /* 1: a client asked for it */
};

/* Refuses a path where a program answers, or where something else than a socket is. */
int keeper_control_open(struct keeper_control *d, const char *path, struct weir_error *e);
void keeper_control_close(struct keeper_control *d);

/* Answers the clients that asked to stop: the keeper has ended, and error is NULL, or says what is
 * left to do. */
void keeper_control_answer_stop(struct keeper_control *d, const struct weir_error *error);

/* The keeper's state, as a line of JSON. */
void keeper_status_json(const struct keeper *k, FILE *f);

/* Answers requests. */
void keeper_control_serve(struct keeper_control *d, struct keeper *k, const struct keeper_log *log);

/* The client's side: prints the answer. */
int keeper_control_ask(const char *path, const char *request, struct weir_error *e);

/* --- http_endpoint.c: "/" for people, "/metrics" for Prometheus, "/status" for programs;
 * read-only, and on this machine alone --- */

struct keeper_http {
	const struct keeper *keeper;
	const struct keeper_log *log;
};

/* A responder_page; context is a keeper_http. */
int keeper_http_page(void *context, const char *path, FILE *page, const char **type);

void keeper_http_metrics(const struct keeper *k, FILE *f);
void keeper_http_html(const struct keeper *k, const struct keeper_log *log, FILE *f);

/* --- sonic_emulator.c: another driver's ports behind the Redis tables of a SONiC switch ---
 *
 * A keeper whose driver is sonic can so be tried with packets and without a device:
 *
 *	[mimic]
 *	socket = /run/redis-lab/redis.sock
 *	poll = 100ms
 *	[keeper]
 *	driver = weir(socket=/run/weir-sw.sock)
 *	[profile port1]
 *
 * The emulator does what orchagent, syncd and the counters' poller do: a profile that is changed in
 * CONFIG_DB comes into force at the driver's ports and in ASIC_DB some time later, and what the
 * driver counts is written to COUNTERS_DB at intervals. Profile number i is WRED_PROFILE|NAME and
 * queue 3 of port Ethernet(4 i). The time of a simulated switch follows the clock, slowed down by
 * speed. */

/* Until SIGINT, SIGTERM, or until the driver's time is over. What comes into force is told on
 * stdout. */
int keeper_emulate_sonic(const struct keeper_plan *plan, struct weir_error *e);
#endif
