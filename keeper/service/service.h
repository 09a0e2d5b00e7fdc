/* SPDX-License-Identifier: BSD-3-Clause */
/* service.h -- the keeper as a process: main loop, event log, control socket, HTTP endpoint, and an
 * emulator of a SONiC switch for trials. */
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
	const struct registry *drivers; /* drivers that a reloaded plan may name */
	enum keeper_mode mode;
};

/* Runs the keeper until SIGINT, SIGTERM or a stop request, then restores the originals; SIGHUP
 * reloads the plan. Originals left in the journal by an earlier keeper are restored first. Events
 * are written to stdout. */
int keeper_serve(const struct keeper_service *service, struct weir_error *e);

/* Without a running keeper: restores the journal's originals; for the profile named in forced
 * (NULL: none) also over an operator's change. -1 with a message that says how many are left. */
int keeper_restore_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e);

/* Without a running keeper: releases the original of a profile. */
int keeper_release_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e);

/* --- event log, in service.c: one line of JSON per event, and the latest events in memory --- */

enum { LOG_ENTRIES = 256 };

struct log_entry {
	time_t wall;
	int64_t time_ns; /* by the keeper's clock, which is virtual in a rehearsal */
	enum keeper_event_kind kind;
	char profile[INI_NAME_SIZE]; /* empty: the whole switch */
	struct keeper_setting from, to;
	char why[KEEPER_WHY_SIZE];
};

struct keeper_log {
	FILE *out;
	uint64_t count;
	struct log_entry entries[LOG_ENTRIES]; /* ring buffer */
};

/* A keeper_event_handler; user is the log. */
void keeper_log_event(void *user, const struct keeper_event *event);

/* A keeper_restore_handler; user is the log. */
void keeper_log_restored(void *user, const struct keeper_record *r, enum keeper_restored became,
			 const char *why);

void keeper_log_setting(FILE *f, const char *name, const struct keeper_setting *s);

/* Is it an event with a from and a to setting? */
int keeper_log_is_change(enum keeper_event_kind kind);

/* Writes an entry as a line of JSON. */
void keeper_log_print(FILE *f, const struct log_entry *entry);

/* --- control_socket.c: requests to a running keeper ---
 *
 * A request is one line; the reply is everything until the connection closes. Its first byte is '!'
 * if the request failed, else a space:
 *
 *	status			settings, states and reasons, as a line of JSON
 *	explain PROFILE		the latest events of a profile, which led to its setting
 *	pause			suspends changes until resume; settings in force stay
 *	resume [PROFILE]	continues; a profile owned by an operator is managed again
 *	restore PROFILE		restores the original over an operator's change; the profile is
 *				the operator's from then on
 *	release PROFILE		gives up the original: the setting in force is the operator's
 *	reload			reads the plan again, as SIGHUP does
 *	stop			restores the originals, then replies whether all are restored
 */

struct keeper_control {
	struct control_socket socket;
	int stops, reloads; /* 1: a client requested it */
};

/* Refuses a path on which a process answers or that is not a socket. */
int keeper_control_open(struct keeper_control *d, const char *path, struct weir_error *e);
void keeper_control_close(struct keeper_control *d);

/* Answers the clients that requested a stop, after the keeper has ended. error NULL: all originals
 * are restored; else the message says what is left to do. */
void keeper_control_answer_stop(struct keeper_control *d, const struct weir_error *error);

/* Writes the keeper's state as a line of JSON. */
void keeper_status_json(const struct keeper *k, FILE *f);

/* Answers pending requests. */
void keeper_control_serve(struct keeper_control *d, struct keeper *k, const struct keeper_log *log);

/* Client side: prints the reply. */
int keeper_control_ask(const char *path, const char *request, struct weir_error *e);

/* --- http_endpoint.c: "/" as HTML, "/metrics" for Prometheus, "/status" as JSON; read-only, bound
 * to loopback --- */

struct keeper_http {
	const struct keeper *keeper;
	const struct keeper_log *log;
};

/* A http_server_page; context is a keeper_http. */
int keeper_http_page(void *context, const char *path, FILE *page, const char **type);

void keeper_http_metrics(const struct keeper *k, FILE *f);
void keeper_http_html(const struct keeper *k, const struct keeper_log *log, FILE *f);

/* --- sonic_emulator.c: another driver's ports behind the Redis tables of a SONiC switch ---
 *
 * Lets a keeper with driver = sonic be tried with packets and without a device:
 *
 *	[emulator]
 *	socket = /run/redis-lab/redis.sock
 *	poll = 100ms
 *	[keeper]
 *	driver = weir(socket=/run/weir-sw.sock)
 *	[profile port1]
 *
 * The emulator plays the part of orchagent, syncd and the flex counters: a profile that is changed
 * in CONFIG_DB takes effect at the driver's ports and in ASIC_DB after a delay, and the driver's
 * counters are written to COUNTERS_DB periodically. Profile i is WRED_PROFILE|NAME and queue 3 of
 * port Ethernet(4 i). The time of a simulated switch follows the real clock, divided by speed. */

/* Runs until SIGINT, SIGTERM or the end of the driver's virtual time. Logs applied settings to
 * stdout. */
int keeper_emulate_sonic(const struct keeper_plan *plan, struct weir_error *e);
#endif
