/* SPDX-License-Identifier: BSD-3-Clause */
/* sonic_emulator.c -- emulates the Redis tables of a SONiC switch. Contract in service.h. */
#define _GNU_SOURCE
#include "keeper/service/service.h"
#include "keeper/drivers/redis.h"
#include "base/text.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* defaults of images without database_config.json */
enum { ASIC_DB = 1, COUNTERS_DB = 2, CONFIG_DB = 4 };

enum {
	QUEUE = 3,
	PORTS_BETWEEN = 4,
	KEY_SIZE = 160,
	NUMBER_SIZE = 24,
	PPM_PER_PERCENT = KEEPER_PPM / 100
};

struct emulated {
	struct keeper_setting in_force, wanted;
	int64_t due_ns; /* when the desired setting takes effect; 0: in effect */
};

struct emulator {
	const struct keeper_plan *plan;
	void *driver;
	struct redis *redis, *notifications;
	uint64_t generation; /* of the connection over which the tables were written */
	int64_t begin_ns, next_poll_ns;
	struct emulated *profiles;
};

/* --- tables --- */

static int emulator_send(struct emulator *m, const struct redis_command *c, struct weir_error *e)
{
	struct redis_answer a;

	if (redis_ask(m->redis, c, &a, e))
		return -1;
	redis_answer_free(&a);
	return 0;
}

/* Object ids of the ASIC: type 0x15 for queues, 0x1 for ports, 0x13 for WRED profiles. */
static void emulator_object_key(const char *prefix, const char *kind, uint32_t profile,
				char key[KEY_SIZE])
{
	snprintf(key, KEY_SIZE, "%soid:0x%s%012" PRIx32, prefix, kind, profile);
}

/* Writes the hardware's state to ASIC_DB. */
static int emulator_write_asic(struct emulator *m, uint32_t profile, struct weir_error *e)
{
	const struct keeper_setting *s = &m->profiles[profile].in_force;
	char key[KEY_SIZE], min[NUMBER_SIZE], max[NUMBER_SIZE], percent[NUMBER_SIZE];

	emulator_object_key("ASIC_STATE:SAI_OBJECT_TYPE_WRED:", "13", profile, key);
	snprintf(min, sizeof(min), "%" PRIu64, s->min_bytes);
	snprintf(max, sizeof(max), "%" PRIu64, s->max_bytes);
	snprintf(percent, sizeof(percent), "%" PRIu32, s->p_ppm / PPM_PER_PERCENT);
	return emulator_send(
		m,
		&(struct redis_command){ ASIC_DB,
					 8,
					 { "HSET", key, "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD", min,
					   "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD", max,
					   "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY", percent } },
		e);
}

/* A profile that already exists in CONFIG_DB is kept: a booting switch loads its configuration. */
static int emulator_write_profile(struct emulator *m, uint32_t profile, struct weir_error *e)
{
	const struct keeper_setting *s = &m->profiles[profile].in_force;
	char key[KEY_SIZE], min[NUMBER_SIZE], max[NUMBER_SIZE], percent[NUMBER_SIZE];
	struct redis_answer a;
	int is_there;

	snprintf(key, sizeof(key), "WRED_PROFILE|%s", m->plan->profiles[profile].name);
	if (redis_ask(m->redis, &(struct redis_command){ CONFIG_DB, 2, { "HGETALL", key } }, &a, e))
		return -1;
	is_there = a.count > 0;
	redis_answer_free(&a);
	if (is_there)
		return 0;
	snprintf(min, sizeof(min), "%" PRIu64, s->min_bytes);
	snprintf(max, sizeof(max), "%" PRIu64, s->max_bytes);
	snprintf(percent, sizeof(percent), "%" PRIu32, s->p_ppm / PPM_PER_PERCENT);
	return emulator_send(m,
			     &(struct redis_command){
				     CONFIG_DB,
				     12,
				     { "HSET", key, "ecn", "ecn_all", "wred_green_enable", "true",
				       "green_min_threshold", min, "green_max_threshold", max,
				       "green_drop_probability", percent } },
			     e);
}

static int emulator_write_port(struct emulator *m, uint32_t profile, uint64_t rate_bps,
			       struct weir_error *e)
{
	char port[KEY_SIZE], key[KEY_SIZE], queue[KEY_SIZE], oid[KEY_SIZE], speed[NUMBER_SIZE];
	const char *name = m->plan->profiles[profile].name;
	const double slower = (double)m->plan->emulator.speed_q32 / (double)WEIR_ONE_Q32;

	snprintf(port, sizeof(port), "Ethernet%" PRIu32, profile * PORTS_BETWEEN);
	snprintf(key, sizeof(key), "PORT|%.100s", port);
	snprintf(speed, sizeof(speed), "%.0f", slower * (double)rate_bps / 1e6);
	if (emulator_send(
		    m, &(struct redis_command){ CONFIG_DB, 4, { "HSET", key, "speed", speed } }, e))
		return -1;
	snprintf(key, sizeof(key), "QUEUE|%.100s|%d", port, QUEUE);
	if (emulator_send(
		    m,
		    &(struct redis_command){ CONFIG_DB, 4, { "HSET", key, "wred_profile", name } },
		    e))
		return -1;
	snprintf(queue, sizeof(queue), "%.100s:%d", port, QUEUE);
	emulator_object_key("", "15", profile, oid);
	if (emulator_send(
		    m,
		    &(struct redis_command){
			    COUNTERS_DB, 4, { "HSET", "COUNTERS_QUEUE_NAME_MAP", queue, oid } },
		    e))
		return -1;
	emulator_object_key("", "1", profile, oid);
	if (emulator_send(m,
			  &(struct redis_command){
				  COUNTERS_DB, 4, { "HSET", "COUNTERS_PORT_NAME_MAP", port, oid } },
			  e))
		return -1;
	emulator_object_key("ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:", "15", profile, key);
	emulator_object_key("", "13", profile, oid);
	return emulator_send(
		m,
		&(struct redis_command){
			ASIC_DB, 4, { "HSET", key, "SAI_QUEUE_ATTR_WRED_PROFILE_ID", oid } },
		e);
}

static int emulator_write_counters(struct emulator *m, uint32_t profile,
				   const struct keeper_counters *c, struct weir_error *e)
{
	static const char *const names[] = {
		"SAI_QUEUE_STAT_BYTES",
		"SAI_QUEUE_STAT_DROPPED_PACKETS",
		"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
		"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
		"SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
	};
	enum { COUNT = sizeof(names) / sizeof(names[0]) };
	const uint64_t values[COUNT] = {
		c->since_start[KEEPER_OUT_BYTES],
		c->since_start[KEEPER_DROPS],
		c->since_start[KEEPER_MARKED_PKTS],
		c->watermark_bytes > c->queue_bytes ? c->watermark_bytes : c->queue_bytes,
		c->queue_bytes,
	};
	char key[KEY_SIZE], texts[COUNT][NUMBER_SIZE];
	struct redis_command set = { COUNTERS_DB, 2 + 2 * COUNT, { "HSET", key } };

	emulator_object_key("COUNTERS:", "15", profile, key);
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(texts[i], NUMBER_SIZE, "%" PRIu64, values[i]);
		set.words[2 + 2 * i] = names[i];
		set.words[3 + 2 * i] = texts[i];
	}
	return emulator_send(m, &set, e);
}

/* After a connection to an empty Redis: writes all tables, the configuration last, as a booting
 * switch does. */
static int emulator_write_tables(struct emulator *m, struct weir_error *e)
{
	if (redis_connect(m->redis, e))
		return -1;
	if (m->generation == redis_generation(m->redis))
		return 0;
	for (uint32_t i = 0; i < m->plan->profile_count; i++) {
		struct keeper_counters c = { 0 };

		if (m->plan->driver->count(m->driver, i, &c, e) != KEEPER_READ ||
		    emulator_write_asic(m, i, e) || emulator_write_profile(m, i, e) ||
		    emulator_write_port(m, i, c.rate_bps, e) ||
		    emulator_write_counters(m, i, &c, e))
			return -1;
	}
	if (emulator_send(m,
			  &(struct redis_command){
				  CONFIG_DB, 3, { "SET", "CONFIG_DB_INITIALIZED", "1" } },
			  e))
		return -1;
	m->generation = redis_generation(m->redis);
	return 0;
}

/* --- orchagent --- */

static int emulator_is_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text)
		return 0;
	*number = strtoull(text, &end, 10);
	return *text && *end == '\0';
}

/* Reads the desired setting from CONFIG_DB. 1: one that orchagent would reject. */
static int emulator_read_config(struct emulator *m, uint32_t profile, struct keeper_setting *s,
				struct weir_error *e)
{
	char key[KEY_SIZE];
	struct redis_answer a;
	uint64_t percent = 0;
	int good;

	snprintf(key, sizeof(key), "WRED_PROFILE|%s", m->plan->profiles[profile].name);
	if (redis_ask(
		    m->redis,
		    &(struct redis_command){ CONFIG_DB,
					     5,
					     { "HMGET", key, "green_min_threshold",
					       "green_max_threshold", "green_drop_probability" } },
		    &a, e))
		return -1;
	good = a.count == 3 && emulator_is_number(a.texts[0], &s->min_bytes) &&
	       emulator_is_number(a.texts[1], &s->max_bytes) &&
	       emulator_is_number(a.texts[2], &percent) && s->min_bytes &&
	       s->min_bytes <= s->max_bytes && percent <= 100;
	redis_answer_free(&a);
	s->p_ppm = (uint32_t)percent * PPM_PER_PERCENT;
	return good ? 0 : 1;
}

/* Schedules a changed setting to take effect after the configured delay. */
static int emulator_check_profile(struct emulator *m, uint32_t profile, struct weir_error *e)
{
	struct emulated *p = &m->profiles[profile];
	struct keeper_setting s;
	int wrong = emulator_read_config(m, profile, &s, e);

	if (wrong || keeper_setting_equals(&s, &p->wanted))
		return wrong < 0 ? -1 : 0;
	p->wanted = s;
	p->due_ns = clock_ns() + (int64_t)m->plan->emulator.apply_ns;
	return 0;
}

static int emulator_apply_due(struct emulator *m, uint32_t profile, struct weir_error *e)
{
	struct emulated *p = &m->profiles[profile];

	if (!p->due_ns || clock_ns() < p->due_ns)
		return 0;
	if (m->plan->driver->write(m->driver, profile, &p->wanted, e))
		return -1;
	p->due_ns = 0;
	p->in_force = p->wanted;
	printf("{\"event\":\"in-force\",\"profile\":");
	json_write_string(stdout, m->plan->profiles[profile].name);
	printf(",\"min_bytes\":%" PRIu64 ",\"max_bytes\":%" PRIu64 ",\"p\":%s}\n",
	       p->in_force.min_bytes, p->in_force.max_bytes,
	       format_exact((double)p->in_force.p_ppm / KEEPER_PPM).text);
	fflush(stdout);
	return emulator_write_asic(m, profile, e);
}

/* --- the polling loop --- */

static int emulator_poll_counters(struct emulator *m, struct weir_error *e)
{
	const int64_t now_ns = clock_ns();

	if (now_ns < m->next_poll_ns)
		return 0;
	m->next_poll_ns += (int64_t)m->plan->emulator.poll_ns;
	if (m->next_poll_ns < now_ns)
		m->next_poll_ns = now_ns;
	for (uint32_t i = 0; i < m->plan->profile_count; i++) {
		struct keeper_counters c = { 0 };

		if (m->plan->driver->count(m->driver, i, &c, e) != KEEPER_READ ||
		    emulator_write_counters(m, i, &c, e))
			return -1;
	}
	return 0;
}

static int emulator_read_notifications(struct emulator *m, struct weir_error *e)
{
	char key[REDIS_KEY_SIZE];
	int changed;

	if (redis_connect(m->notifications, e))
		return -1;
	while ((changed = redis_next_notification(m->notifications, key, e)) > 0)
		for (uint32_t i = 0; i < m->plan->profile_count; i++)
			if (strcmp(key + strlen("WRED_PROFILE|"), m->plan->profiles[i].name) == 0 &&
			    emulator_check_profile(m, i, e))
				return -1;
	return changed;
}

/* -1: Redis or the driver does not answer; retried in the next round. */
static int emulator_step(struct emulator *m, struct weir_error *e)
{
	const uint64_t before = redis_generation(m->notifications);

	if (emulator_write_tables(m, e) || emulator_read_notifications(m, e))
		return -1;
	for (uint32_t i = 0; i < m->plan->profile_count; i++)
		if ((before != redis_generation(m->notifications) &&
		     emulator_check_profile(m, i, e)) ||
		    emulator_apply_due(m, i, e))
			return -1;
	return emulator_poll_counters(m, e);
}

/* Time until the next action. */
static int64_t emulator_wait_ns(const struct emulator *m)
{
	const int64_t now_ns = clock_ns();
	int64_t until_ns = m->next_poll_ns;

	for (uint32_t i = 0; i < m->plan->profile_count; i++)
		if (m->profiles[i].due_ns && m->profiles[i].due_ns < until_ns)
			until_ns = m->profiles[i].due_ns;
	return until_ns > now_ns ? until_ns - now_ns : 0;
}

static enum keeper_advance emulator_advance(struct emulator *m, struct weir_error *e)
{
	const double speed = (double)m->plan->emulator.speed_q32 / (double)WEIR_ONE_Q32;
	const int64_t time_ns = (int64_t)((double)(clock_ns() - m->begin_ns) * speed);

	if (!m->plan->driver->advance)
		return KEEPER_RUNNING;
	return m->plan->driver->advance(m->driver, time_ns, e);
}

static void emulator_loop(struct emulator *m, int signals, struct weir_error *e)
{
	char said[sizeof(e->text)] = "";

	while (emulator_advance(m, e) == KEEPER_RUNNING) {
		struct pollfd polled[] = { { .fd = signals, .events = POLLIN },
					   { .fd = -1, .events = POLLIN } };
		struct timespec t = { 0, 100 * WEIR_NS_PER_MS };

		if (emulator_step(m, e) == 0) {
			const int64_t rest = emulator_wait_ns(m);

			t = (struct timespec){ rest / WEIR_NS_PER_S, rest % WEIR_NS_PER_S };
			said[0] = e->text[0] = '\0';
		} else if (strcmp(said, e->text) != 0) {
			snprintf(said, sizeof(said), "%s", e->text);
			fprintf(stderr, "weir: %s\n", e->text);
		}
		e->text[0] = '\0';
		polled[1].fd = redis_fd(m->notifications);
		if (ppoll(polled, 2, &t, NULL) > 0 && polled[0].revents)
			return;
	}
}

/* --- process --- */

static int emulator_open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int emulator_begin(struct emulator *m, struct weir_error *e)
{
	static const char *const patterns[REDIS_PATTERNS] = { "WRED_PROFILE|*" };

	m->driver = m->plan->driver->open(m->plan->driver_params, m->plan, e);
	if (!m->driver)
		return -1;
	m->redis = redis_new(m->plan->emulator.socket, WEIR_NS_PER_S, e);
	m->notifications = redis_new(m->plan->emulator.socket, WEIR_NS_PER_S, e);
	if (!m->redis || !m->notifications)
		return -1;
	redis_listen(m->notifications, CONFIG_DB, patterns);
	for (uint32_t i = 0; i < m->plan->profile_count; i++) {
		if (m->plan->driver->read(m->driver, i, &m->profiles[i].in_force, e) != KEEPER_READ)
			return -1;
		m->profiles[i].wanted = m->profiles[i].in_force;
	}
	m->begin_ns = m->next_poll_ns = clock_ns();
	return 0;
}

int keeper_emulate_sonic(const struct keeper_plan *plan, struct weir_error *e)
{
	struct emulator m = { .plan = plan };
	int signals, failed;

	if (!plan->emulator.socket[0])
		return weir_error_set(e,
				      "%.200s: section [emulator] with the socket of a Redis is "
				      "missing",
				      plan->file);
	m.profiles = memory_zeroed(plan->profile_count, sizeof(*m.profiles));
	signals = emulator_open_signals();
	e->text[0] = '\0';
	failed = emulator_begin(&m, e);
	if (!failed) {
		emulator_loop(&m, signals, e);
		failed = e->text[0] != '\0';
		if (!failed && plan->driver->report)
			plan->driver->report(m.driver, stdout);
	}
	if (m.notifications)
		redis_free(m.notifications);
	if (m.redis)
		redis_free(m.redis);
	if (m.driver)
		plan->driver->close(m.driver);
	if (signals >= 0)
		close(signals);
	free(m.profiles);
	return failed ? -1 : 0;
}
