/* SPDX-License-Identifier: BSD-3-Clause */
/* sonic_count.c -- queues of a profile, their counters, and the hardware state. Contract in
 * sonic.h. */
#include "keeper/drivers/sonic.h"
#include "base/memory.h"
#include "base/clock.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	QUEUES_MAX = 64 * 1024,
	PORT_QUEUES = 64,
	SPEED_MAX_MBPS = 10 * 1000 * 1000,
	BPS_PER_MBPS = 1000 * 1000,
};

/* --- queue discovery --- */

static void sonic_add_queue(struct sonic_profile *p, const char *port, size_t length,
			    uint32_t queue)
{
	struct sonic_queue *q;

	if (p->queue_count == QUEUES_MAX || !length || length >= sizeof(q->port))
		return;
	p->queues = memory_grow(p->queues, p->queue_count + UINT64_C(1), sizeof(*p->queues));
	q = &p->queues[p->queue_count++];
	memset(q, 0, sizeof(*q));
	memcpy(q->port, port, length);
	q->queue = queue;
}

/* "QUEUE|Ethernet0,Ethernet4|3-4" names four. */
static void sonic_add_queues(struct sonic_profile *p, const char *key)
{
	const char *ports = strchr(key, '|'), *range = ports ? strchr(ports + 1, '|') : NULL;
	unsigned first, last;
	int read = range ? sscanf(range, "|%2u-%2u", &first, &last) : 0;

	if (read == 1)
		last = first;
	if (read < 1 || last >= PORT_QUEUES)
		return;
	for (const char *port = ports + 1; port < range;) {
		size_t length = strcspn(port, ",|");

		for (uint32_t q = first; q <= last; q++)
			sonic_add_queue(p, port, length, q);
		port += length + 1;
	}
}

/* Does the queue's hash refer to the profile? Older images write [WRED_PROFILE|NAME]. */
static int sonic_names_profile(const char *value, const char *name)
{
	size_t length = strlen(name);
	const char *at = strrchr(value, '|');

	at = at ? at + 1 : value;
	return strncmp(at, name, length) == 0 && (at[length] == '\0' || at[length] == ']');
}

/* A switch that takes too long to list its queues is treated as unreachable; profiles already
 * resolved stay resolved. */
static int sonic_is_late(const struct sonic *s, struct weir_error *e)
{
	return clock_ns() > s->find_by_ns
		       ? weir_error_set(e, "timeout while Redis lists the queues")
		       : 0;
}

/* Queues that CONFIG_DB binds to the profile. */
static int sonic_find_queues(struct sonic *s, uint32_t profile, struct weir_error *e)
{
	const struct redis_command keys = { s->ids[SONIC_CONFIG], 2, { "KEYS", "QUEUE|*" } };
	struct redis_answer a;
	int failed = 0;

	if (redis_ask(s->redis, &keys, &a, e))
		return -1;
	for (uint32_t i = 0; i < a.count && !failed; i++) {
		char value[SONIC_KEY_SIZE];

		if (!a.texts[i])
			continue;
		failed = sonic_is_late(s, e) ||
			 sonic_read_string(
				 s,
				 &(struct redis_command){ s->ids[SONIC_CONFIG],
							  3,
							  { "HGET", a.texts[i], "wred_profile" } },
				 value, sizeof(value), e);
		if (!failed && sonic_names_profile(value, s->plan->profiles[profile].name))
			sonic_add_queues(&s->profiles[profile], a.texts[i]);
	}
	redis_answer_free(&a);
	return failed;
}

/* Queues that the plan lists: "Ethernet0 3". */
static void sonic_plan_queues(struct sonic *s, uint32_t profile)
{
	const struct line_list *lines = &s->plan->profiles[profile].limits.queues;

	for (uint32_t i = 0; i < lines->count; i++) {
		unsigned queue;
		size_t length = strcspn(lines->lines[i].text, " \t");

		if (sscanf(lines->lines[i].text + length, "%2u", &queue) == 1)
			sonic_add_queue(&s->profiles[profile], lines->lines[i].text, length, queue);
	}
}

/* Resolves object ids and the link rate. */
static int sonic_find_objects(struct sonic *s, struct sonic_queue *q, struct weir_error *e)
{
	const int counters = s->ids[SONIC_COUNTERS], config = s->ids[SONIC_CONFIG];
	char name[SONIC_KEY_SIZE], key[SONIC_KEY_SIZE], speed[24];
	const struct redis_command of_queue = { counters,
						3,
						{ "HGET", "COUNTERS_QUEUE_NAME_MAP", name } };
	const struct redis_command of_port = { counters,
					       3,
					       { "HGET", "COUNTERS_PORT_NAME_MAP", q->port } };
	const struct redis_command of_speed = { config, 3, { "HGET", key, "speed" } };
	uint64_t mbps;

	snprintf(name, sizeof(name), "%s:%" PRIu32, q->port, q->queue);
	snprintf(key, sizeof(key), "PORT|%s", q->port);
	if (sonic_read_string(s, &of_queue, q->oid, sizeof(q->oid), e) ||
	    sonic_read_string(s, &of_port, q->port_oid, sizeof(q->port_oid), e) ||
	    sonic_read_string(s, &of_speed, speed, sizeof(speed), e))
		return -1;
	sonic_number(speed, &mbps);
	q->rate_bps = mbps < SPEED_MAX_MBPS ? mbps * BPS_PER_MBPS : 0;
	return 0;
}

/* Resolved again for every connection: ids change when a switch restarts. */
static int sonic_resolve_queues(struct sonic *s, uint32_t profile, struct weir_error *e)
{
	struct sonic_profile *p = &s->profiles[profile];

	if (redis_connect(s->redis, e))
		return -1;
	if (p->queue_count && p->generation == redis_generation(s->redis))
		return 0;
	p->queue_count = 0;
	if (s->plan->profiles[profile].limits.queues.count)
		sonic_plan_queues(s, profile);
	else if (sonic_find_queues(s, profile, e))
		return -1;
	for (uint32_t i = 0; i < p->queue_count; i++)
		if (sonic_is_late(s, e) || sonic_find_objects(s, &p->queues[i], e))
			return -1;
	p->generation = redis_generation(s->redis);
	return 0;
}

/* --- counters --- */

enum queue_field { BYTES, DROPS, MARKED_PKTS, MARKED_BYTES, WATERMARK, OCCUPANCY, QUEUE_FIELDS };

static const char *const queue_fields[QUEUE_FIELDS] = {
	[BYTES] = "SAI_QUEUE_STAT_BYTES",
	[DROPS] = "SAI_QUEUE_STAT_DROPPED_PACKETS",
	[MARKED_PKTS] = "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
	[MARKED_BYTES] = "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES",
	[WATERMARK] = "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
	[OCCUPANCY] = "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
};

struct words {
	char key[SONIC_KEY_SIZE], name[64];
	struct redis_command command;
};

static void sonic_queue_command(const struct sonic *s, const struct sonic_queue *q, struct words *w)
{
	w->command = (struct redis_command){ s->ids[SONIC_COUNTERS],
					     2 + QUEUE_FIELDS,
					     { "HMGET", w->key } };
	snprintf(w->key, sizeof(w->key), "COUNTERS:%s", q->oid);
	memcpy(w->command.words + 2, queue_fields, sizeof(queue_fields));
}

static void sonic_pauses_command(const struct sonic *s, const struct sonic_queue *q,
				 struct words *w)
{
	w->command =
		(struct redis_command){ s->ids[SONIC_COUNTERS], 3, { "HGET", w->key, w->name } };
	snprintf(w->key, sizeof(w->key), "COUNTERS:%s", q->port_oid);
	snprintf(w->name, sizeof(w->name), "SAI_PORT_STAT_PFC_%" PRIu32 "_RX_PKTS", q->queue);
}

/* Reads which WRED object the queue is bound to. */
static void sonic_object_command(const struct sonic *s, const struct sonic_queue *q,
				 struct words *w)
{
	w->command = (struct redis_command){ s->ids[SONIC_ASIC],
					     3,
					     { "HGET", w->key, "SAI_QUEUE_ATTR_WRED_PROFILE_ID" } };
	snprintf(w->key, sizeof(w->key), "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:%s", q->oid);
}

static void sonic_hardware_command(const struct sonic *s, const char *oid, struct words *w)
{
	w->command = (struct redis_command){ s->ids[SONIC_ASIC],
					     5,
					     { "HMGET", w->key, "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD",
					       "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD",
					       "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY" } };
	snprintf(w->key, sizeof(w->key), "ASIC_STATE:SAI_OBJECT_TYPE_WRED:%s", oid);
}

void sonic_plan_count(struct sonic *s, uint32_t profile)
{
	const struct sonic_profile *p = &s->profiles[profile];
	struct words w;

	if (p->generation != redis_generation(s->redis))
		return; /* resolved again first */
	for (uint32_t i = 0; i < p->queue_count; i++) {
		const struct sonic_queue *q = &p->queues[i];

		sonic_queue_command(s, q, &w);
		redis_plan(s->redis, &w.command);
		if (q->port_oid[0]) {
			sonic_pauses_command(s, q, &w);
			redis_plan(s->redis, &w.command);
		}
		if (!p->is_unverified)
			continue;
		sonic_object_command(s, q, &w);
		redis_plan(s->redis, &w.command);
		if (q->wred_oid[0]) {
			sonic_hardware_command(s, q->wred_oid, &w);
			redis_plan(s->redis, &w.command);
		}
	}
}

/* Every platform counts bytes and drops; without them the tuner and the guards have no input. */
static int sonic_is_required(uint32_t field)
{
	return field == BYTES || field == DROPS;
}

/* 1: bytes or drops are missing or malformed. */
static int sonic_count_queue(struct sonic *s, const struct sonic_queue *q,
			     uint64_t values[QUEUE_FIELDS], struct weir_error *e)
{
	struct redis_answer a;
	struct words w;
	int wrong = 0;

	sonic_queue_command(s, q, &w);
	if (redis_ask(s->redis, &w.command, &a, e))
		return -1;
	for (uint32_t i = 0; i < QUEUE_FIELDS && !wrong; i++) {
		const char *text = i < a.count ? a.texts[i] : NULL;

		values[i] = 0;
		wrong = text ? sonic_number(text, &values[i]) : sonic_is_required(i);
		if (wrong)
			weir_error_set(e, "%s of queue %s %" PRIu32 " is %s", queue_fields[i],
				       q->port, q->queue, text ? weir_quote(text).text : "missing");
	}
	redis_answer_free(&a);
	return wrong ? 1 : 0;
}

/* 1: malformed. A platform without PFC lacks these counters. */
static int sonic_count_pauses(struct sonic *s, const struct sonic_queue *q, uint64_t *pauses,
			      struct weir_error *e)
{
	char text[24];
	struct words w;

	*pauses = 0;
	if (!q->port_oid[0])
		return 0;
	sonic_pauses_command(s, q, &w);
	if (sonic_read_string(s, &w.command, text, sizeof(text), e))
		return -1;
	if (!text[0] || sonic_number(text, pauses) == 0)
		return 0;
	weir_error_set(e, "%s of port %s is %s", w.name, q->port, weir_quote(text).text);
	return 1;
}

static uint64_t sonic_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void sonic_add_counters(struct keeper_counters *c, const struct sonic_queue *q,
			       const uint64_t values[QUEUE_FIELDS], uint64_t pauses)
{
	c->since_start[KEEPER_OUT_BYTES] += values[BYTES];
	c->since_start[KEEPER_DROPS] += values[DROPS];
	c->since_start[KEEPER_MARKED_PKTS] += values[MARKED_PKTS];
	c->since_start[KEEPER_MARKED_BYTES] += values[MARKED_BYTES];
	c->since_start[KEEPER_PFC_PKTS] += pauses;
	c->queue_bytes = sonic_larger(c->queue_bytes, values[OCCUPANCY]);
	c->watermark_bytes = sonic_larger(c->watermark_bytes, values[WATERMARK]);
	c->rate_bps += q->rate_bps;
}

enum keeper_reading sonic_count(void *driver, uint32_t profile, struct keeper_counters *c,
				struct weir_error *e)
{
	struct sonic *s = driver;
	struct sonic_profile *p = &s->profiles[profile];

	if (sonic_resolve_queues(s, profile, e))
		return KEEPER_LOST;
	if (!p->queue_count) {
		weir_error_set(e, "no QUEUE names WRED_PROFILE|%s",
			       s->plan->profiles[profile].name);
		return KEEPER_UNFIT;
	}
	for (uint32_t i = 0; i < p->queue_count; i++) {
		const struct sonic_queue *q = &p->queues[i];
		uint64_t values[QUEUE_FIELDS], pauses;
		int wrong = sonic_count_queue(s, q, values, e);

		if (!wrong)
			wrong = sonic_count_pauses(s, q, &pauses, e);
		if (!wrong && !q->rate_bps) {
			weir_error_set(e, "PORT|%s has no speed in Mb/s", q->port);
			wrong = 1;
		}
		if (wrong > 0)
			p->generation = 0; /* the ids may be stale */
		if (wrong)
			return wrong > 0 ? KEEPER_UNFIT : KEEPER_LOST;
		sonic_add_counters(c, q, values, pauses);
	}
	return KEEPER_READ;
}

/* --- hardware state --- */

static enum keeper_following sonic_compare_object(const struct redis_answer *a,
						  const struct sonic_queue *q,
						  const struct keeper_setting *setting,
						  struct weir_error *e)
{
	const uint64_t wanted[] = { setting->min_bytes, setting->max_bytes,
				    setting->p_ppm / (KEEPER_PPM / 100) };
	uint64_t number;

	for (uint32_t i = 0; i < 3; i++) {
		if (i >= a->count || !a->texts[i] || sonic_number(a->texts[i], &number)) {
			weir_error_set(e, "ASIC_DB has no WRED profile of queue %s %" PRIu32 " has",
				       q->port, q->queue);
			return KEEPER_UNKNOWN;
		}
		if (number == wanted[i])
			continue;
		weir_error_set(e,
			       "the hardware did not apply the setting: queue %s %" PRIu32
			       " has %" PRIu64 " and not %" PRIu64,
			       q->port, q->queue, number, wanted[i]);
		return KEEPER_DIFFERS;
	}
	return KEEPER_FOLLOWS;
}

static enum keeper_following sonic_queue_follows(struct sonic *s, struct sonic_queue *q,
						 const struct keeper_setting *setting,
						 struct weir_error *e)
{
	enum keeper_following follows;
	struct redis_answer a;
	struct words w;

	sonic_object_command(s, q, &w);
	if (sonic_read_string(s, &w.command, q->wred_oid, sizeof(q->wred_oid), e))
		return KEEPER_UNKNOWN;
	sonic_hardware_command(s, q->wred_oid, &w);
	if (redis_ask(s->redis, &w.command, &a, e))
		return KEEPER_UNKNOWN;
	follows = sonic_compare_object(&a, q, setting, e);
	redis_answer_free(&a);
	return follows;
}

enum keeper_following sonic_follows(void *driver, uint32_t profile,
				    const struct keeper_setting *setting, struct weir_error *e)
{
	struct sonic *s = driver;
	struct sonic_profile *p = &s->profiles[profile];

	if (sonic_resolve_queues(s, profile, e))
		return KEEPER_UNKNOWN;
	for (uint32_t i = 0; i < p->queue_count; i++) {
		enum keeper_following follows = sonic_queue_follows(s, &p->queues[i], setting, e);

		if (follows != KEEPER_FOLLOWS)
			return follows;
	}
	p->is_unverified = 0;
	return KEEPER_FOLLOWS;
}
