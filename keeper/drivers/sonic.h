/* SPDX-License-Identifier: BSD-3-Clause */
/* sonic.h -- the driver of SONiC switches, shared by sonic.c (settings) and sonic_count.c (counters
 * and hardware state).
 *
 * A profile is WRED_PROFILE|NAME in CONFIG_DB, to which orchagent subscribes: one HSET is one
 * atomic change. Counters are in COUNTERS_DB under the queues' object ids, and the attributes that
 * were programmed into the hardware in ASIC_DB under the same ids. */
#ifndef KEEPER_DRIVERS_SONIC_H
#define KEEPER_DRIVERS_SONIC_H
#include "keeper/core/plan.h"
#include "keeper/drivers/redis.h"

enum { SONIC_OID_SIZE = 40, SONIC_KEY_SIZE = 160 };

enum sonic_database { SONIC_ASIC, SONIC_COUNTERS, SONIC_CONFIG, SONIC_DATABASES };

struct sonic_params {
	char socket[WEIR_OPT_TEXT_SIZE], databases[WEIR_OPT_TEXT_SIZE];
	uint64_t timeout_ns;
};

/* A queue that uses a profile. */
struct sonic_queue {
	char port[INI_NAME_SIZE];
	uint32_t queue;
	char oid[SONIC_OID_SIZE], port_oid[SONIC_OID_SIZE]; /* empty: not resolved yet */
	char wred_oid[SONIC_OID_SIZE]; /* the WRED object that the queue had at the last check of
					  the hardware */
	uint64_t rate_bps;
};

struct sonic_profile {
	uint32_t queue_count;
	struct sonic_queue *queues;
	uint64_t generation; /* of the connection over which they were resolved */
	int is_unverified;   /* written, and not yet confirmed by the hardware */
};

struct sonic {
	const struct keeper_plan *plan;
	int ids[SONIC_DATABASES];
	struct redis *redis;
	struct redis *notifications; /* second connection, for changes of profiles and queues */
	uint64_t generation;
	int64_t find_by_ns; /* deadline of this step's queue discovery, by clock_ns */
	uint64_t timeout_ns;
	struct sonic_profile *profiles;
};

/* Reads one string, empty if missing. -1: the switch does not answer. */
int sonic_read_string(struct sonic *s, const struct redis_command *c, char *text, size_t size,
		      struct weir_error *e);

/* Parses a plain decimal number; -1: it is none. */
int sonic_number(const char *text, uint64_t *number);

/* Plans the commands that read a profile's counters and hardware state. */
void sonic_plan_count(struct sonic *s, uint32_t profile);

enum keeper_reading sonic_count(void *driver, uint32_t profile, struct keeper_counters *c,
				struct weir_error *e);
enum keeper_following sonic_follows(void *driver, uint32_t profile, const struct keeper_setting *s,
				    struct weir_error *e);
#endif
