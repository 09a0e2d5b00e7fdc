/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h -- how a keeper reaches a switch: one table of operations (ops) per kind of switch.
 *
 * A driver gets the plan when it is opened, and profiles are named by their number in the plan
 * afterwards. Calls may block for a bounded time. If the switch does not answer, the call fails
 * with KEEPER_LOST, and the driver reconnects with the next call. */
#ifndef KEEPER_CORE_DRIVER_H
#define KEEPER_CORE_DRIVER_H
#include "keeper/core/setting.h"
#include "base/registry.h"
#include "weir/scheme.h"
#include <stdio.h>

struct keeper_plan;

enum keeper_reading {
	KEEPER_READ,
	KEEPER_LOST,   /* the switch does not answer */
	KEEPER_UNFIT,  /* the profile is missing, of another kind, or malformed */
	KEEPER_LOCKED, /* the setting was read, but cannot be written now: ECN is off */
};

enum keeper_scope { KEEPER_READ_ALL, KEEPER_READ_SETTINGS };

/* For drivers in virtual time. */
enum keeper_advance { KEEPER_RUNNING, KEEPER_OVER };

enum keeper_following { KEEPER_FOLLOWS, KEEPER_DIFFERS, KEEPER_UNKNOWN };

/* The error is set for every result but the first of an enum. */
struct keeper_driver_ops {
	struct weir_scheme scheme;
	uint32_t p_unit_ppm; /* granularity of the marking probability */
	/* NULL with a message: the plan is wrong, or this program was built without the driver.
	 * A switch that does not answer is no error here. */
	void *(*open)(const void *params, const struct keeper_plan *plan, struct weir_error *e);
	void (*close)(void *driver);
	/* Announces that all profiles will be read (and counted), so that a driver can pipeline its
	 * requests. NULL: not needed. */
	void (*prepare)(void *driver, enum keeper_scope look);
	enum keeper_reading (*read)(void *driver, uint32_t profile, struct keeper_setting *s,
				    struct weir_error *e);
	enum keeper_reading (*count)(void *driver, uint32_t profile, struct keeper_counters *c,
				     struct weir_error *e);
	/* Atomic. -1: the setting may or may not be in force. */
	int (*write)(void *driver, uint32_t profile, const struct keeper_setting *s,
		     struct weir_error *e);
	/* Rounds a setting to what the switch can represent. NULL: no rounding. */
	void (*round)(void *driver, uint32_t profile, struct keeper_setting *s);
	/* Is the setting in force in the hardware? NULL: reading back tells. */
	enum keeper_following (*follows)(void *driver, uint32_t profile,
					 const struct keeper_setting *s, struct weir_error *e);
	/* Notifications of changes by others: a descriptor to poll, -1: none at the moment; and the
	 * next profile that may have changed, -1: no more. Both or neither may be NULL. */
	int (*notification_fd)(void *driver);
	int64_t (*next_notification)(void *driver);
	/* Advances virtual time, which is 0 at open, to time_ns. KEEPER_OVER: the simulation has
	 * ended; the error is empty unless it failed. NULL: the switch runs in real time. */
	enum keeper_advance (*advance)(void *driver, int64_t time_ns, struct weir_error *e);
	/* Writes traffic results as a line of JSON when virtual time has ended. NULL: none. */
	void (*report)(void *driver, FILE *f);
};

extern const struct keeper_driver_ops keeper_driver_sonic, keeper_driver_tc, keeper_driver_weir,
	keeper_driver_sim;
extern const struct keeper_driver_ops *const keeper_driver_all[]; /* ends with NULL */
extern const struct registry keeper_driver_registry;
#endif
