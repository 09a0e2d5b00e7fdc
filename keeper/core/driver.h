/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.h -- how a keeper reaches a switch: one table a kind of switch.
 *
 * A driver is told the profiles of a plan when it is opened and knows them by their numbers
 * afterwards. Calls may wait for the switch, but never long. One that fails because the switch does
 * not answer says so and tries again with the next call: connections are the driver's affair. */
#ifndef KEEPER_CORE_DRIVER_H
#define KEEPER_CORE_DRIVER_H
#include "keeper/core/setting.h"
#include "weir/scheme.h"
#include <stdio.h>

struct keeper_plan;

enum keeper_reading {
	KEEPER_READ,
	KEEPER_LOST,   /* the switch does not answer */
	KEEPER_UNFIT,  /* it does, but the profile is missing, of another kind, or garbage */
	KEEPER_LOCKED, /* the setting was read, but cannot be written now: ECN is off */
};

enum keeper_look { KEEPER_LOOK_AT_ALL, KEEPER_LOOK_AT_SETTINGS };

/* Of a driver whose switch has a time of its own. */
enum keeper_advance { KEEPER_GOES_ON, KEEPER_OVER };

enum keeper_following { KEEPER_FOLLOWS, KEEPER_DIFFERS, KEEPER_UNKNOWN };

/* error says why for anything but the first of either. */
struct keeper_driver_ops {
	struct weir_scheme scheme;
	uint32_t p_unit_ppm; /* settings have multiples of it */
	/* NULL with a message: a mistake of the plan, or what this program was built without. That
	 * the switch does not answer is no reason. */
	void *(*open)(const void *params, const struct keeper_plan *plan, struct weir_error *e);
	void (*close)(void *driver);
	/* All profiles are about to be read, and counted; or only read, before they are written.
	 * For drivers that can ask for much at once. NULL: nothing to prepare. */
	void (*prepare)(void *driver, enum keeper_look look);
	enum keeper_reading (*read)(void *driver, uint32_t profile, struct keeper_setting *s,
				    struct weir_error *e);
	enum keeper_reading (*count)(void *driver, uint32_t profile, struct keeper_counters *c,
				     struct weir_error *e);
	/* All of the setting, or nothing. -1: it is not known whether it came into force. */
	int (*write)(void *driver, uint32_t profile, const struct keeper_setting *s,
		     struct weir_error *e);
	/* What a setting becomes when it is written, where the switch has no finer one. NULL: what
	 * it is. */
	void (*round)(void *driver, uint32_t profile, struct keeper_setting *s);
	/* Does the hardware have what was written? NULL: what is read back is what the hardware
	 * has. */
	enum keeper_following (*follows)(void *driver, uint32_t profile,
					 const struct keeper_setting *s, struct weir_error *e);
	/* What somebody may have changed since the last step, for drivers that hear of it: a
	 * descriptor to wait for, -1 where there is none for now; and the next profile, -1: no
	 * more. Both or none may be NULL. */
	int (*news_fd)(void *driver);
	int64_t (*news)(void *driver);
	/* Virtual time goes on to time_ns, from 0 when it was opened. KEEPER_OVER: there is no more
	 * of it; error is empty unless something failed. NULL: the switch lives in the time that
	 * clocks show. */
	enum keeper_advance (*advance)(void *driver, int64_t time_ns, struct weir_error *e);
	/* What became of the traffic, as a line of JSON, where time is over. NULL: nobody knows. */
	void (*report)(void *driver, FILE *f);
};
#endif
