/* SPDX-License-Identifier: BSD-3-Clause */
/* redis.c -- Redis client with bounded replies, on hiredis. Contract in redis.h. */
#define _GNU_SOURCE
#include "keeper/drivers/redis.h"
#include "weir/units.h"
#include <time.h>

#ifdef WEIR_HAVE_HIREDIS
#include "base/memory.h"
#include "base/clock.h"
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* Bounds of a reply: a switch of 512 ports with 20 queues has 10240 keys QUEUE|... of 30 bytes. A
 * longer reply closes the connection before memory is spent on it. All replies of a pipeline also
 * share a deadline. */
enum {
	PATH_SIZE = 256,
	ELEMENTS_MAX = 64 * 1024,
	ANSWER_BYTES_MAX = 8 << 20,
	BATCH_TIMEOUTS = 4,
};

#if HIREDIS_MAJOR > 0
typedef size_t redis_elements;
#else
typedef int redis_elements;
#endif

/* A pipelined command and its reply. */
struct planned {
	int database, count;
	char *words[REDIS_WORDS];
	redisReply *reply; /* NULL: none yet, or already consumed */
};

struct redis {
	char path[PATH_SIZE];
	struct timeval timeout;
	int64_t timeout_ns;
	redisContext *context;
	redisReplyObjectFunctions functions; /* the reader's functions, with a bound on arrays */
	const redisReplyObjectFunctions *standard;
	int database; /* selected database; -1: unknown */
	uint64_t generation;
	uint32_t planned_count, planned_room;
	uint32_t planned_next; /* where redis_ask looks first for the next reply */
	struct planned *planned;
	int listens_to;              /* database of the notifications */
	const char *const *patterns; /* NULL: a connection for commands */
};

struct redis *redis_new(const char *socket_path, uint64_t timeout_ns, struct weir_error *e)
{
	struct redis *r = memory_zeroed(1, sizeof(*r));

	(void)e;
	snprintf(r->path, sizeof(r->path), "%s", socket_path);
	r->timeout_ns = (int64_t)timeout_ns;
	r->timeout.tv_sec = (time_t)(timeout_ns / WEIR_NS_PER_S);
	r->timeout.tv_usec = (suseconds_t)(timeout_ns % WEIR_NS_PER_S / WEIR_NS_PER_US);
	return r;
}

void redis_listen(struct redis *r, int database, const char *const patterns[REDIS_PATTERNS])
{
	r->listens_to = database;
	r->patterns = patterns;
}

int redis_fd(const struct redis *r)
{
	return r->context ? r->context->fd : -1;
}

void redis_forget(struct redis *r)
{
	for (uint32_t i = 0; i < r->planned_count; i++) {
		for (int w = 0; w < r->planned[i].count; w++)
			free(r->planned[i].words[w]);
		if (r->planned[i].reply)
			freeReplyObject(r->planned[i].reply);
	}
	r->planned_count = r->planned_next = 0;
}

static void redis_disconnect(struct redis *r)
{
	redis_forget(r);
	if (r->context)
		redisFree(r->context);
	r->context = NULL;
}

void redis_free(struct redis *r)
{
	redis_disconnect(r);
	free(r->planned);
	free(r);
}

uint64_t redis_generation(const struct redis *r)
{
	return r->context ? r->generation : 0;
}

static int redis_subscribe(struct redis *r, struct weir_error *e);

/* hiredis allocates as many elements as the array header announces: 8 GB for "*1000000000". */
static void *redis_create_array(const redisReadTask *task, redis_elements elements)
{
	const struct redis *r = task->privdata;

	return elements > ELEMENTS_MAX ? NULL : r->standard->createArray(task, elements);
}

int redis_connect(struct redis *r, struct weir_error *e)
{
	redisReader *reader;

	if (r->context)
		return 0;
	r->context = redisConnectUnixWithTimeout(r->path, r->timeout);
	if (!r->context || r->context->err || redisSetTimeout(r->context, r->timeout)) {
		weir_error_set(e, "%s: Redis does not answer: %s", r->path,
			       r->context && r->context->err ? r->context->errstr : "no memory");
		redis_disconnect(r);
		return -1;
	}
	reader = r->context->reader;
	r->standard = reader->fn;
	r->functions = *reader->fn;
	r->functions.createArray = redis_create_array;
	reader->fn = &r->functions;
	reader->privdata = r;
	r->database = -1;
	r->generation++;
	return r->patterns ? redis_subscribe(r, e) : 0;
}

/* An error of type: one key is of the wrong type, the server itself works. */
static int redis_is_garbage(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "WRONGTYPE", 9) == 0;
}

/* Why there is no reply: hiredis's reason or our own. Only redis_create_array makes hiredis report
 * out of memory. */
static const char *redis_failure(const struct redis *r)
{
	if (r->context->err == REDIS_ERR_OOM)
		return "the reply has too many elements";
	return r->context->err ? r->context->errstr
			       : "the reply is too long, or incomplete after the timeout";
}

/* Reads available bytes of a reply. -1: deadline passed, connection lost, or reply too long. */
static int redis_read_more(struct redis *r, size_t *bytes, int64_t deadline_ns)
{
	struct pollfd polled = { .fd = redis_fd(r), .events = POLLIN };
	const int64_t left_ns = deadline_ns - clock_ns();
	const struct timespec t = { left_ns / WEIR_NS_PER_S, left_ns % WEIR_NS_PER_S };
	const size_t before = r->context->reader->len;

	if (left_ns <= 0 || ppoll(&polled, 1, &t, NULL) != 1 ||
	    redisBufferRead(r->context) != REDIS_OK)
		return -1;
	*bytes += r->context->reader->len - before;
	return *bytes > ANSWER_BYTES_MAX ? -1 : 0;
}

/* The next reply, within the timeout and the pipeline's deadline; NULL: none. */
static redisReply *redis_read_reply(struct redis *r, int64_t batch_end_ns)
{
	const int64_t own_ns = clock_ns() + r->timeout_ns;
	const int64_t deadline_ns = own_ns < batch_end_ns ? own_ns : batch_end_ns;
	void *reply = NULL;
	size_t bytes = 0;
	int sent = 0;

	while (!sent)
		if (redisBufferWrite(r->context, &sent) != REDIS_OK)
			return NULL;
	while (redisGetReplyFromReader(r->context, &reply) == REDIS_OK) {
		if (reply)
			return reply;
		if (redis_read_more(r, &bytes, deadline_ns))
			return NULL;
	}
	return NULL;
}

/* Passes the reply through unless the connection was lost or the server returned an error: NULL. */
static redisReply *redis_check_reply(struct redis *r, const char *word, redisReply *reply,
				     struct weir_error *e)
{
	if (reply && (reply->type != REDIS_REPLY_ERROR || redis_is_garbage(reply)))
		return reply;
	weir_error_set(e, "%s: Redis does not answer %.32s: %.200s", r->path, word,
		       reply ? reply->str : redis_failure(r));
	if (reply)
		freeReplyObject(reply);
	redis_disconnect(r);
	return NULL;
}

static redisReply *redis_call(struct redis *r, int count, const char **words, struct weir_error *e)
{
	redisAppendCommandArgv(r->context, count, words, NULL);
	return redis_check_reply(r, words[0], redis_read_reply(r, INT64_MAX), e);
}

static int redis_use_database(struct redis *r, int database, struct weir_error *e)
{
	char number[16];
	const char *words[] = { "SELECT", number };
	redisReply *reply;

	if (r->database == database)
		return 0;
	snprintf(number, sizeof(number), "%d", database);
	reply = redis_call(r, 2, words, e);
	if (!reply)
		return -1;
	freeReplyObject(reply);
	r->database = database;
	return 0;
}

/* --- notifications --- */

static int redis_subscribe(struct redis *r, struct weir_error *e)
{
	for (int i = 0; i < REDIS_PATTERNS && r->patterns[i]; i++) {
		char channel[REDIS_KEY_SIZE];
		const char *words[] = { "PSUBSCRIBE", channel };
		redisReply *reply;

		snprintf(channel, sizeof(channel), "__keyspace@%d__:%.200s", r->listens_to,
			 r->patterns[i]);
		reply = redis_call(r, 2, words, e);
		if (!reply)
			return -1;
		freeReplyObject(reply);
	}
	return 0;
}

/* ["pmessage", pattern, "__keyspace@4__:WRED_PROFILE|A", "hset"] */
static int redis_take_key(const redisReply *reply, char key[REDIS_KEY_SIZE])
{
	const char *channel;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 4 ||
	    reply->element[2]->type != REDIS_REPLY_STRING)
		return 0;
	channel = strchr(reply->element[2]->str, ':');
	if (!channel)
		return 0;
	snprintf(key, REDIS_KEY_SIZE, "%s", channel + 1);
	return 1;
}

int redis_next_notification(struct redis *r, char key[REDIS_KEY_SIZE], struct weir_error *e)
{
	struct pollfd polled = { .fd = redis_fd(r), .events = POLLIN };

	for (;;) {
		void *reply = NULL;
		int found;

		if (!r->context || redisGetReplyFromReader(r->context, &reply) != REDIS_OK)
			break;
		if (!reply && poll(&polled, 1, 0) <= 0)
			return 0;
		if (!reply && (redisBufferRead(r->context) != REDIS_OK ||
			       r->context->reader->len > ANSWER_BYTES_MAX))
			break;
		if (!reply)
			continue;
		found = redis_take_key(reply, key);
		freeReplyObject(reply);
		if (found)
			return 1;
	}
	weir_error_set(e, "%s: the connection to Redis was closed", r->path);
	redis_disconnect(r);
	return -1;
}

/* --- commands --- */

/* --- pipelining --- */

void redis_plan(struct redis *r, const struct redis_command *c)
{
	struct planned *p;

	if (r->planned_count == r->planned_room) {
		r->planned_room = r->planned_room ? 2 * r->planned_room : 64;
		r->planned = memory_grow(r->planned, r->planned_room, sizeof(*r->planned));
	}
	p = &r->planned[r->planned_count++];
	*p = (struct planned){ .database = c->database, .count = c->count };
	for (int i = 0; i < c->count; i++)
		p->words[i] = memory_text(c->words[i], strlen(c->words[i]));
}

/* All commands are sent before the first reply is read. */
static void redis_send_planned(struct redis *r)
{
	int database = r->database;

	for (uint32_t i = 0; i < r->planned_count; i++) {
		const struct planned *p = &r->planned[i];

		if (p->database != database)
			redisAppendCommand(r->context, "SELECT %d", p->database);
		database = p->database;
		redisAppendCommandArgv(r->context, p->count, (const char **)p->words, NULL);
	}
}

int redis_ask_planned(struct redis *r, struct weir_error *e)
{
	int64_t batch_end_ns;

	if (redis_connect(r, e)) {
		redis_forget(r);
		return -1;
	}
	batch_end_ns = clock_ns() + BATCH_TIMEOUTS * r->timeout_ns;
	redis_send_planned(r);
	for (uint32_t i = 0; i < r->planned_count; i++) {
		struct planned *p = &r->planned[i];
		redisReply *selected;

		if (p->database != r->database) {
			selected = redis_check_reply(r, "SELECT", redis_read_reply(r, batch_end_ns),
						     e);
			if (!selected)
				return -1;
			freeReplyObject(selected);
			r->database = p->database;
		}
		p->reply = redis_read_reply(r, batch_end_ns);
		if (!p->reply) {
			redis_check_reply(r, p->words[0], NULL, e);
			return -1;
		}
	}
	return 0;
}

static int redis_is_same_command(const struct planned *p, const struct redis_command *c)
{
	if (!p->reply || p->database != c->database || p->count != c->count)
		return 0;
	for (int i = 0; i < c->count; i++)
		if (strcmp(p->words[i], c->words[i]) != 0)
			return 0;
	return 1;
}

/* Finds a pipelined reply; NULL: none. Commands arrive in about the order in which they were
 * planned, so the search starts at planned_next. */
static redisReply *redis_take_planned(struct redis *r, const struct redis_command *c)
{
	for (uint32_t i = 0; i < r->planned_count; i++) {
		const uint32_t at = (r->planned_next + i) % r->planned_count;
		redisReply *reply = r->planned[at].reply;

		if (!redis_is_same_command(&r->planned[at], c))
			continue;
		r->planned[at].reply = NULL;
		r->planned_next = at + 1;
		return reply;
	}
	return NULL;
}

int redis_ask(struct redis *r, const struct redis_command *c, struct redis_answer *a,
	      struct weir_error *e)
{
	const char *words[REDIS_WORDS];
	redisReply *reply;

	memcpy(words, c->words, sizeof(words));
	if (redis_connect(r, e))
		return -1;
	reply = redis_take_planned(r, c);
	if (reply)
		reply = redis_check_reply(r, words[0], reply, e);
	else if (redis_use_database(r, c->database, e) == 0)
		reply = redis_call(r, c->count, words, e);
	if (!reply)
		return -1;
	a->reply = reply;
	a->count = reply->type == REDIS_REPLY_ARRAY ? (uint32_t)reply->elements
		   : redis_is_garbage(reply)        ? 0
						    : 1;
	a->texts = memory_zeroed(a->count + UINT64_C(1), sizeof(*a->texts));
	for (uint32_t i = 0; i < a->count; i++) {
		const redisReply *text =
			reply->type == REDIS_REPLY_ARRAY ? reply->element[i] : reply;

		if (text->type == REDIS_REPLY_STRING || text->type == REDIS_REPLY_STATUS)
			a->texts[i] = text->str;
	}
	return 0;
}

void redis_answer_free(struct redis_answer *a)
{
	freeReplyObject(a->reply);
	free(a->texts);
}

#else
struct redis *redis_new(const char *socket_path, uint64_t timeout_ns, struct weir_error *e)
{
	(void)socket_path;
	(void)timeout_ns;
	weir_error_set(e, "this program was built without hiredis, the Redis client library; "
			  "install libhiredis-dev and rebuild");
	return NULL;
}

void redis_free(struct redis *r)
{
	(void)r;
}

uint64_t redis_generation(const struct redis *r)
{
	(void)r;
	return 0;
}

int redis_connect(struct redis *r, struct weir_error *e)
{
	(void)r;
	return weir_error_set(e, "built without hiredis");
}

void redis_listen(struct redis *r, int database, const char *const patterns[REDIS_PATTERNS])
{
	(void)r;
	(void)database;
	(void)patterns;
}

int redis_fd(const struct redis *r)
{
	(void)r;
	return -1;
}

void redis_forget(struct redis *r)
{
	(void)r;
}

void redis_plan(struct redis *r, const struct redis_command *c)
{
	(void)r;
	(void)c;
}

int redis_ask_planned(struct redis *r, struct weir_error *e)
{
	return redis_connect(r, e);
}

int redis_next_notification(struct redis *r, char key[REDIS_KEY_SIZE], struct weir_error *e)
{
	(void)key;
	return redis_connect(r, e);
}

int redis_ask(struct redis *r, const struct redis_command *c, struct redis_answer *a,
	      struct weir_error *e)
{
	(void)c;
	(void)a;
	return redis_connect(r, e);
}

void redis_answer_free(struct redis_answer *a)
{
	(void)a;
}
#endif
