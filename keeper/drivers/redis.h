/* SPDX-License-Identifier: BSD-3-Clause */
/* redis.h -- a reconnecting connection to a Redis server.
 *
 * Replies are bounded in time, bytes and elements: a server that exceeds a bound is treated as
 * unreachable. A failed command closes the connection, and the next command reconnects. An error
 * reply of the server itself, for example while it is loading or read-only, is a failure like any
 * other. */
#ifndef KEEPER_DRIVERS_REDIS_H
#define KEEPER_DRIVERS_REDIS_H
#include "weir/error.h"
#include <stdint.h>

struct redis;

/* NULL with a message: built without hiredis. Does not connect yet. */
struct redis *redis_new(const char *socket_path, uint64_t timeout_ns, struct weir_error *e);
void redis_free(struct redis *r);

/* Increases with every connection: data cached over an earlier one may be stale. 0: not
 * connected. */
uint64_t redis_generation(const struct redis *r);

/* Connects unless connected. */
int redis_connect(struct redis *r, struct weir_error *e);

enum { REDIS_WORDS = 16 };

/* A command for one of the databases, as words. */
struct redis_command {
	int database;
	int count;
	const char *words[REDIS_WORDS];
};

/* A list of strings, NULL for missing ones. Numbers are formatted as text. */
struct redis_answer {
	uint32_t count;
	const char **texts;
	void *reply; /* the reply that owns the strings */
};

/* --- keyspace notifications, over a connection used for nothing else --- */

/* Subscribes to keys of a database that match one of the patterns, at the next redis_connect. The
 * server must have keyspace notifications enabled, or nothing is delivered. */
enum { REDIS_PATTERNS = 4 };
void redis_listen(struct redis *r, int database, const char *const patterns[REDIS_PATTERNS]);

/* Descriptor to poll; -1: not connected. */
int redis_fd(const struct redis *r);

/* 1: a key, without the database prefix; 0: no more for now; -1: the connection was lost. */
enum { REDIS_KEY_SIZE = 256 };
int redis_next_notification(struct redis *r, char key[REDIS_KEY_SIZE], struct weir_error *e);

/* --- commands --- */

/* Pipelining, one round trip for many commands: planned commands are sent together by
 * redis_ask_planned, and each reply is kept until redis_ask is called with the same command, or
 * until it is dropped by redis_forget. */
void redis_forget(struct redis *r);
void redis_plan(struct redis *r, const struct redis_command *c);
int redis_ask_planned(struct redis *r, struct weir_error *e);

int redis_ask(struct redis *r, const struct redis_command *c, struct redis_answer *a,
	      struct weir_error *e);
void redis_answer_free(struct redis_answer *a);
#endif
