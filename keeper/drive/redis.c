/* redis.c -- see redis.h. */
#define _POSIX_C_SOURCE 200809L
#include "keeper/drive/redis.h"

#ifdef WEIR_HAVE_HIREDIS
#include "sim/base/memory.h"
#include "weir/units.h"
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { PATH_SIZE = 256 };

/* A command that was asked beside others, and its answer. */
struct planned {
	int database, count;
	char *words[REDIS_WORDS];
	redisReply *reply; /* NULL: none yet, or it was given away */
};

struct redis {
	char path[PATH_SIZE];
	struct timeval timeout;
	redisContext *context;
	int database; /* that is selected; -1: none is known */
	uint64_t generation;
	uint32_t planned_count, planned_room;
	uint32_t planned_next; /* where the one that is asked for is likely to be */
	struct planned *planned;
	int listens_to;              /* database */
	const char *const *patterns; /* NULL: it asks */
};

struct redis *redis_new(const char *socket_path, uint64_t timeout_ns, struct weir_error *e)
{
	struct redis *r = memory_zeroed(1, sizeof(*r));

	(void)e;
	snprintf(r->path, sizeof(r->path), "%s", socket_path);
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

static void disconnect(struct redis *r)
{
	redis_forget(r);
	if (r->context)
		redisFree(r->context);
	r->context = NULL;
}

void redis_free(struct redis *r)
{
	disconnect(r);
	free(r->planned);
	free(r);
}

uint64_t redis_generation(const struct redis *r)
{
	return r->context ? r->generation : 0;
}

static int subscribe(struct redis *r, struct weir_error *e);

int redis_connect(struct redis *r, struct weir_error *e)
{
	if (r->context)
		return 0;
	r->context = redisConnectUnixWithTimeout(r->path, r->timeout);
	if (!r->context || r->context->err || redisSetTimeout(r->context, r->timeout)) {
		weir_error_set(e, "%s: Redis does not answer: %s", r->path,
			       r->context && r->context->err ? r->context->errstr : "no memory");
		disconnect(r);
		return -1;
	}
	r->database = -1;
	r->generation++;
	return r->patterns ? subscribe(r, e) : 0;
}

/* A key that is something else than it should be: one key's trouble, not the server's. */
static int is_garbage(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "WRONGTYPE", 9) == 0;
}

/* The reply as it is, unless the connection is gone or the server said that it will not: NULL. */
static redisReply *check(struct redis *r, const char *word, redisReply *reply, struct weir_error *e)
{
	if (reply && (reply->type != REDIS_REPLY_ERROR || is_garbage(reply)))
		return reply;
	weir_error_set(e, "%s: Redis does not answer %.32s: %.200s", r->path, word,
		       reply ? reply->str : r->context->errstr);
	if (reply)
		freeReplyObject(reply);
	disconnect(r);
	return NULL;
}

static redisReply *call(struct redis *r, int count, const char **words, struct weir_error *e)
{
	return check(r, words[0], redisCommandArgv(r->context, count, words, NULL), e);
}

static int use_database(struct redis *r, int database, struct weir_error *e)
{
	char number[16];
	const char *words[] = { "SELECT", number };
	redisReply *reply;

	if (r->database == database)
		return 0;
	snprintf(number, sizeof(number), "%d", database);
	reply = call(r, 2, words, e);
	if (!reply)
		return -1;
	freeReplyObject(reply);
	r->database = database;
	return 0;
}

/* --- news --- */

static int subscribe(struct redis *r, struct weir_error *e)
{
	for (int i = 0; i < REDIS_PATTERNS && r->patterns[i]; i++) {
		char channel[REDIS_KEY_SIZE];
		const char *words[] = { "PSUBSCRIBE", channel };
		redisReply *reply;

		snprintf(channel, sizeof(channel), "__keyspace@%d__:%.200s", r->listens_to,
			 r->patterns[i]);
		reply = call(r, 2, words, e);
		if (!reply)
			return -1;
		freeReplyObject(reply);
	}
	return 0;
}

/* ["pmessage", pattern, "__keyspace@4__:WRED_PROFILE|A", "hset"] */
static int take_key(const redisReply *reply, char key[REDIS_KEY_SIZE])
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

int redis_news(struct redis *r, char key[REDIS_KEY_SIZE], struct weir_error *e)
{
	struct pollfd polled = { .fd = redis_fd(r), .events = POLLIN };

	for (;;) {
		void *reply = NULL;
		int found;

		if (!r->context || redisGetReplyFromReader(r->context, &reply) != REDIS_OK)
			break;
		if (!reply && poll(&polled, 1, 0) <= 0)
			return 0;
		if (!reply && redisBufferRead(r->context) != REDIS_OK)
			break;
		if (!reply)
			continue;
		found = take_key(reply, key);
		freeReplyObject(reply);
		if (found)
			return 1;
	}
	weir_error_set(e, "%s: Redis is gone", r->path);
	disconnect(r);
	return -1;
}

/* --- questions --- */

static const char *text_of(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS ? reply->str
										      : NULL;
}

/* --- many at once --- */

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

/* All are on their way before the first answer is read. */
static void send_planned(struct redis *r)
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

static redisReply *next_reply(struct redis *r)
{
	void *reply = NULL;

	return redisGetReply(r->context, &reply) == REDIS_OK ? reply : NULL;
}

int redis_ask_planned(struct redis *r, struct weir_error *e)
{
	if (redis_connect(r, e)) {
		redis_forget(r);
		return -1;
	}
	send_planned(r);
	for (uint32_t i = 0; i < r->planned_count; i++) {
		struct planned *p = &r->planned[i];
		redisReply *selected;

		if (p->database != r->database) {
			selected = check(r, "SELECT", next_reply(r), e);
			if (!selected)
				return -1;
			freeReplyObject(selected);
			r->database = p->database;
		}
		p->reply = next_reply(r);
		if (!p->reply) {
			check(r, p->words[0], NULL, e);
			return -1;
		}
	}
	return 0;
}

static int is_same(const struct planned *p, const struct redis_command *c)
{
	if (!p->reply || p->database != c->database || p->count != c->count)
		return 0;
	for (int i = 0; i < c->count; i++)
		if (strcmp(p->words[i], c->words[i]) != 0)
			return 0;
	return 1;
}

/* The answer that was had beforehand; NULL: none was. Commands come in the order in which they were planned, more or
 * less. */
static redisReply *take_planned(struct redis *r, const struct redis_command *c)
{
	for (uint32_t i = 0; i < r->planned_count; i++) {
		const uint32_t at = (r->planned_next + i) % r->planned_count;
		redisReply *reply = r->planned[at].reply;

		if (!is_same(&r->planned[at], c))
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
	reply = take_planned(r, c);
	if (reply)
		reply = check(r, words[0], reply, e);
	else if (use_database(r, c->database, e) == 0)
		reply = call(r, c->count, words, e);
	if (!reply)
		return -1;
	a->reply = reply;
	a->count = reply->type == REDIS_REPLY_ARRAY ? (uint32_t)reply->elements
		   : is_garbage(reply)              ? 0
						    : 1;
	a->texts = memory_zeroed(a->count + UINT64_C(1), sizeof(*a->texts));
	for (uint32_t i = 0; i < a->count; i++)
		a->texts[i] = text_of(reply->type == REDIS_REPLY_ARRAY ? reply->element[i] : reply);
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
	weir_error_set(e,
		       "this program was built without hiredis, by which Redis is reached; install "
		       "libhiredis-dev and make it again");
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
	return weir_error_set(e, "there is no hiredis");
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

int redis_news(struct redis *r, char key[REDIS_KEY_SIZE], struct weir_error *e)
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
