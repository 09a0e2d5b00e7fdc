/* SPDX-License-Identifier: BSD-3-Clause */
/* redis.h -- one connection to a Redis server that may go away and come back.
 *
 * Answers are bounded in time, bytes and elements: a server that sends more, or too slowly, is as
 * good as away. A question that fails closes the connection; the next one opens it again. An answer
 * that is an error of the server's, as while it loads its data or may only be read, is a failure
 * like any other. */
#ifndef KEEPER_DRIVERS_REDIS_H
#define KEEPER_DRIVERS_REDIS_H
#include "weir/error.h"
#include <stdint.h>

struct redis;

/* NULL with a message: this program was built without hiredis. Nothing is connected yet. */
struct redis *redis_new(const char *socket_path, uint64_t timeout_ns, struct weir_error *e);
void redis_free(struct redis *r);

/* Changes with every connection: what was learnt over an earlier one may be wrong. 0: there is
 * none. */
uint64_t redis_generation(const struct redis *r);

/* Connects where it is not. */
int redis_connect(struct redis *r, struct weir_error *e);

enum { REDIS_WORDS = 16 };

/* A command for one of the databases, in words. */
struct redis_command {
	int database;
	int count;
	const char *words[REDIS_WORDS];
};

/* A list of texts; a text that is not there is NULL. Numbers come as text. */
struct redis_answer {
	uint32_t count;
	const char **texts;
	void *reply; /* what they lie in */
};

/* --- notifications: keys that somebody changed, over a connection that does nothing else --- */

/* Hears of keys that match one of the patterns of a database from the next redis_connect on; the
 * server must have keyspace notifications on, or nothing ever comes. */
enum { REDIS_PATTERNS = 4 };
void redis_listen(struct redis *r, int database, const char *const patterns[REDIS_PATTERNS]);

/* To be waited for; -1: there is no connection. */
int redis_fd(const struct redis *r);

/* 1: a key, without what names the database; 0: no more for now; -1: the connection is gone. */
enum { REDIS_KEY_SIZE = 256 };
int redis_next_notification(struct redis *r, char key[REDIS_KEY_SIZE], struct weir_error *e);

/* --- questions --- */

/* Many at once, for they cost one journey together: each that is planned is asked by
 * redis_ask_planned, and its answer waits for the redis_ask of the same command, or until it is
 * forgotten. */
void redis_forget(struct redis *r);
void redis_plan(struct redis *r, const struct redis_command *c);
int redis_ask_planned(struct redis *r, struct weir_error *e);

int redis_ask(struct redis *r, const struct redis_command *c, struct redis_answer *a,
	      struct weir_error *e);
void redis_answer_free(struct redis_answer *a);
#endif
