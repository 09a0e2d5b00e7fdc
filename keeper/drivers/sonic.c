/* SPDX-License-Identifier: BSD-3-Clause */
/* sonic.c -- WRED profiles of CONFIG_DB. Contract in sonic.h. */
#include "keeper/core/plan.h"
#include "keeper/drivers/sonic.h"
#include "base/json.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char standard_databases[] = "/var/run/redis/sonic-db/database_config.json";

enum { PPM_PER_PERCENT = KEEPER_PPM / 100, FIND_TIMEOUTS = 10 };

#define AT(member) offsetof(struct sonic_params, member)
static const struct weir_option sonic_options[] = {
	{ "socket", WEIR_OPT_TEXT, AT(socket), "/var/run/redis/redis.sock", 0, 0,
	  "Unix socket of the switch's Redis", NULL },
	{ "databases", WEIR_OPT_TEXT, AT(databases), NULL, 0, 0,
	  "file with the database numbers; not given: SONiC's, if it exists", NULL },
	{ "timeout", WEIR_OPT_TIME_NS, AT(timeout_ns), "500ms", 1000 * 1000,
	  UINT64_C(60) * WEIR_NS_PER_S, "timeout of Redis", NULL },
	{ .name = NULL },
};
#undef AT

/* --- database numbers --- */

struct database_name {
	const char *name;
	int id; /* default for images without database_config.json */
};

static const struct database_name database_names[SONIC_DATABASES] = {
	[SONIC_ASIC] = { "ASIC_DB", 1 },
	[SONIC_COUNTERS] = { "COUNTERS_DB", 2 },
	[SONIC_CONFIG] = { "CONFIG_DB", 4 },
};

enum { DATABASES_FILE_MAX = 64 * 1024, DATABASE_ID_MAX = 1023 };

/* {"DATABASES": {"ASIC_DB": {"id": 1, ...}, ...}, ...} */
static int sonic_find_database(struct weir_json j, const char *name, int *id)
{
	uint64_t number;

	if (weir_json_find(&j, "DATABASES") || weir_json_find(&j, name) ||
	    weir_json_find(&j, "id") || weir_json_u64(&j, &number))
		return -1;
	if (number > DATABASE_ID_MAX)
		return weir_error_set(j.error, "%s has an id above %d", name, DATABASE_ID_MAX);
	*id = (int)number;
	return 0;
}

static int sonic_read_databases(struct sonic *s, const char *given, struct weir_error *e)
{
	const char *file = given[0] ? given : standard_databases;
	FILE *f = fopen(file, "re");
	char *text;
	size_t length;
	int failed = 0;

	for (int i = 0; i < SONIC_DATABASES; i++)
		s->ids[i] = database_names[i].id;
	if (!f)
		return given[0] ? weir_error_set(e, "%s: cannot be read", file) : 0;
	text = memory_zeroed(DATABASES_FILE_MAX, 1);
	length = fread(text, 1, DATABASES_FILE_MAX, f);
	fclose(f);
	for (int i = 0; i < SONIC_DATABASES && !failed; i++)
		failed = sonic_find_database(weir_json_begin(text, length, "the file", e),
					     database_names[i].name, &s->ids[i]);
	free(text);
	if (failed)
		return weir_error_prefix(e, "%s: no database number of: ", file);
	return 0;
}

/* --- opening --- */

static void sonic_close(void *driver)
{
	struct sonic *s = driver;

	for (uint32_t i = 0; i < s->plan->profile_count; i++)
		free(s->profiles[i].queues);
	free(s->profiles);
	if (s->redis)
		redis_free(s->redis);
	if (s->notifications)
		redis_free(s->notifications);
	free(s);
}

static const char profile_prefix[] = "WRED_PROFILE|", queue_prefix[] = "QUEUE|";
static const char *const notification_patterns[REDIS_PATTERNS] = { "WRED_PROFILE|*", "QUEUE|*" };

static void *sonic_open(const void *params, const struct keeper_plan *plan, struct weir_error *e)
{
	const struct sonic_params *p = params;
	struct sonic *s = memory_zeroed(1, sizeof(*s));

	s->plan = plan;
	s->timeout_ns = p->timeout_ns;
	s->find_by_ns = INT64_MAX;
	s->profiles = memory_zeroed(plan->profile_count, sizeof(*s->profiles));
	s->redis = redis_new(p->socket, p->timeout_ns, e);
	s->notifications = redis_new(p->socket, p->timeout_ns, e);
	if (s->redis && s->notifications && sonic_read_databases(s, p->databases, e) == 0) {
		redis_listen(s->notifications, s->ids[SONIC_CONFIG], notification_patterns);
		return s;
	}
	sonic_close(s);
	return NULL;
}

int sonic_read_string(struct sonic *s, const struct redis_command *c, char *text, size_t size,
		      struct weir_error *e)
{
	struct redis_answer a;

	if (redis_ask(s->redis, c, &a, e))
		return -1;
	snprintf(text, size, "%s", a.count && a.texts[0] ? a.texts[0] : "");
	redis_answer_free(&a);
	return 0;
}

int sonic_number(const char *text, uint64_t *number)
{
	size_t digits = strspn(text, "0123456789");

	*number = 0;
	if (!digits || digits > 20 || text[digits] != '\0')
		return -1;
	*number = strtoull(text, NULL, 10);
	return 0;
}

/* A switch that is booting has an incomplete configuration and is treated as unreachable. */
static int sonic_check_ecn(struct sonic *s, struct weir_error *e)
{
	const struct redis_command ready = { s->ids[SONIC_CONFIG],
					     2,
					     { "GET", "CONFIG_DB_INITIALIZED" } };
	char text[8];

	if (redis_connect(s->redis, e))
		return -1;
	if (s->generation == redis_generation(s->redis))
		return 0;
	if (sonic_read_string(s, &ready, text, sizeof(text), e))
		return -1;
	if (strcmp(text, "1") != 0)
		return weir_error_set(e,
				      "CONFIG_DB_INITIALIZED is not 1: the switch is starting up");
	s->generation = redis_generation(s->redis);
	return 0;
}

/* --- profiles --- */

/* The value of a field in the flat list of a hash; NULL: missing. */
static const char *sonic_field(const struct redis_answer *a, const char *name)
{
	for (uint32_t i = 0; i + 1 < a->count; i += 2)
		if (a->texts[i] && strcmp(a->texts[i], name) == 0)
			return a->texts[i + 1];
	return NULL;
}

/* A number of the profile, in the range that orchagent accepts. */
static int sonic_read_number(const struct redis_answer *a, const char *name, uint64_t most,
			     uint64_t *number, struct weir_error *e)
{
	const char *text = sonic_field(a, name);

	if (!text)
		return weir_error_set(e, "it has no %s", name);
	if (sonic_number(text, number) || *number > most)
		return weir_error_set(e, "its %s is %s", name, weir_quote(text).text);
	return 0;
}

/* Thresholds are readable but not writable while the profile does not mark green packets. */
static enum keeper_reading sonic_read_profile(const struct redis_answer *a,
					      struct keeper_setting *setting, struct weir_error *e)
{
	const char *enabled = sonic_field(a, "wred_green_enable"), *ecn = sonic_field(a, "ecn");
	uint64_t percent = 100; /* default of a missing field */

	if (sonic_read_number(a, "green_min_threshold", KEEPER_BYTES_MAX, &setting->min_bytes, e) ||
	    sonic_read_number(a, "green_max_threshold", KEEPER_BYTES_MAX, &setting->max_bytes, e))
		return KEEPER_UNFIT;
	if (sonic_field(a, "green_drop_probability") &&
	    sonic_read_number(a, "green_drop_probability", 100, &percent, e))
		return KEEPER_UNFIT;
	setting->p_ppm = (uint32_t)percent * PPM_PER_PERCENT;
	if (!enabled || strcmp(enabled, "true") != 0)
		weir_error_set(e, "its wred_green_enable is not true");
	else if (!ecn || (strncmp(ecn, "ecn_green", strlen("ecn_green")) != 0 &&
			  strcmp(ecn, "ecn_all") != 0))
		weir_error_set(e, "its ecn does not mark green packets");
	else
		return KEEPER_READ;
	return KEEPER_LOCKED;
}

static void sonic_profile_key(const struct sonic *s, uint32_t profile, char key[SONIC_KEY_SIZE])
{
	snprintf(key, SONIC_KEY_SIZE, "%s%s", profile_prefix, s->plan->profiles[profile].name);
}

/* A command that does not fit the pipeline is sent later by its caller. */
static void sonic_prepare(void *driver, enum keeper_scope look)
{
	struct sonic *s = driver;
	struct weir_error e;

	s->find_by_ns = clock_ns() + (int64_t)(FIND_TIMEOUTS * s->timeout_ns);
	redis_forget(s->redis);
	if (sonic_check_ecn(s, &e))
		return;
	for (uint32_t i = 0; i < s->plan->profile_count; i++) {
		char key[SONIC_KEY_SIZE];

		sonic_profile_key(s, i, key);
		redis_plan(s->redis,
			   &(struct redis_command){ s->ids[SONIC_CONFIG], 2, { "HGETALL", key } });
	}
	if (look == KEEPER_READ_ALL)
		for (uint32_t i = 0; i < s->plan->profile_count; i++)
			sonic_plan_count(s, i);
	redis_ask_planned(s->redis, &e);
}

static enum keeper_reading sonic_read(void *driver, uint32_t profile,
				      struct keeper_setting *setting, struct weir_error *e)
{
	struct sonic *s = driver;
	char key[SONIC_KEY_SIZE];
	enum keeper_reading reading = KEEPER_UNFIT;
	struct redis_answer a;

	sonic_profile_key(s, profile, key);
	if (sonic_check_ecn(s, e) ||
	    redis_ask(s->redis,
		      &(struct redis_command){ s->ids[SONIC_CONFIG], 2, { "HGETALL", key } }, &a,
		      e))
		return KEEPER_LOST;
	if (a.count)
		reading = sonic_read_profile(&a, setting, e);
	else
		weir_error_set(e, "it does not exist");
	redis_answer_free(&a);
	if (reading != KEEPER_READ)
		weir_error_prefix(e, "%s: ", key);
	return reading;
}

/* Values that crash orchagent are never written, whoever requests them. */
static int sonic_write(void *driver, uint32_t profile, const struct keeper_setting *setting,
		       struct weir_error *e)
{
	struct sonic *s = driver;
	char key[SONIC_KEY_SIZE], min[24], max[24], percent[16], answer[32];
	const struct redis_command set = {
		s->ids[SONIC_CONFIG],
		8,
		{ "HSET", key, "green_min_threshold", min, "green_max_threshold", max,
		  "green_drop_probability", percent },
	};

	if (setting->min_bytes < 1 || setting->min_bytes > setting->max_bytes ||
	    setting->max_bytes > KEEPER_BYTES_MAX || setting->p_ppm > KEEPER_PPM)
		return weir_error_set(e, "an invalid setting was not written");
	sonic_profile_key(s, profile, key);
	snprintf(min, sizeof(min), "%" PRIu64, setting->min_bytes);
	snprintf(max, sizeof(max), "%" PRIu64, setting->max_bytes);
	snprintf(percent, sizeof(percent), "%" PRIu32, setting->p_ppm / PPM_PER_PERCENT);
	s->profiles[profile].is_unverified = 1;
	return sonic_check_ecn(s, e) ? -1 : sonic_read_string(s, &set, answer, sizeof(answer), e);
}

/* --- notifications --- */

/* The notification connection is optional: without it, changes are found by the next step. */
static int sonic_notification_fd(void *driver)
{
	struct sonic *s = driver;
	struct weir_error e;

	if (redis_generation(s->redis) && redis_connect(s->notifications, &e) == 0)
		return redis_fd(s->notifications);
	return -1;
}

static int64_t sonic_next_notification(void *driver)
{
	struct sonic *s = driver;
	char key[REDIS_KEY_SIZE];
	struct weir_error e;

	while (redis_next_notification(s->notifications, key, &e) > 0) {
		if (strncmp(key, queue_prefix, strlen(queue_prefix)) == 0)
			for (uint32_t i = 0; i < s->plan->profile_count; i++)
				s->profiles[i].generation = 0; /* resolved again before use */
		if (strncmp(key, profile_prefix, strlen(profile_prefix)) != 0)
			continue;
		for (uint32_t i = 0; i < s->plan->profile_count; i++)
			if (strcmp(key + strlen(profile_prefix), s->plan->profiles[i].name) == 0)
				return i;
	}
	return -1;
}

const struct keeper_driver_ops keeper_driver_sonic = {
	.scheme = {
		.name = "sonic",
		.help = "a SONiC switch, through Redis: WRED_PROFILE of CONFIG_DB, COUNTERS_DB, "
			"ASIC_DB",
		.params_size = sizeof(struct sonic_params),
		.options = sonic_options,
	},
	.p_unit_ppm = PPM_PER_PERCENT,
	.open = sonic_open,
	.close = sonic_close,
	.prepare = sonic_prepare,
	.read = sonic_read,
	.count = sonic_count,
	.write = sonic_write,
	.follows = sonic_follows,
	.notification_fd = sonic_notification_fd,
	.next_notification = sonic_next_notification,
};
