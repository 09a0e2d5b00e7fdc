/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h -- the plan: a keeper's configuration file, parsed and checked.
 *
 *	# the keeper of leaf 3
 *	[keeper]
 *	driver = sonic
 *	tune = qla
 *	[limits]
 *	min-from = 50KB
 *	[profile AZURE_LOSSLESS]
 *	canary = yes
 *
 * Keys of [limits] are defaults for every [profile NAME]. Error messages begin with the location:
 * "FILE:LINE: section.key: ". */
#ifndef KEEPER_CORE_PLAN_H
#define KEEPER_CORE_PLAN_H
#include "keeper/core/driver.h"
#include "base/ini.h"
#include "base/registry.h"
#include "config/config.h"
#include "config/schemes.h"

enum { KEEPER_PROFILES_MAX = 1024, KEEPER_WRITES_MAX = 60000 };

/* [limits] and [profile NAME] */
struct keeper_limits {
	struct keeper_bounds bounds;
	uint64_t shortest_ns; /* minimum time between two changes */
	uint64_t writes;      /* maximum per minute */
	uint64_t canary;
	struct line_list queues;
};

struct keeper_profile {
	char name[INI_NAME_SIZE];
	int line; /* line of its section header */
	struct keeper_limits limits;
};

/* [keeper] */
struct keeper_options {
	char driver[WEIR_OPT_TEXT_SIZE], tune[WEIR_OPT_TEXT_SIZE];
	uint64_t interval_ns;
	uint64_t rtt_ns;
	uint64_t mtu_bytes;
	uint64_t seed;
	uint64_t guard_intervals; /* intervals of probation after a change; 0: none */
	uint64_t guard_worse_q32, guard_least;
	uint64_t hold_off_ns, canary_for_ns, verify_ns;
	uint64_t http; /* TCP port; 0: no HTTP endpoint */
	char journal[WEIR_OPT_TEXT_SIZE], socket[WEIR_OPT_TEXT_SIZE];
};

/* [emulator]: settings of 'weir keeper emulate', see service.h */
struct keeper_emulator {
	char socket[WEIR_OPT_TEXT_SIZE]; /* empty: there is no such section */
	uint64_t poll_ns, apply_ns, speed_q32;
};

struct keeper_plan {
	char file[WEIR_OPT_TEXT_SIZE], title[WEIR_OPT_TEXT_SIZE];
	char renamed[WEIR_OPT_TEXT_SIZE]; /* note about a former name, see config.h; empty: none */
	struct keeper_options options;
	struct keeper_emulator emulator;
	const struct keeper_driver_ops *driver;
	struct tune_choice tune;
	_Alignas(8) unsigned char driver_params[WEIR_SPEC_PARAMS_MAX],
		tune_params[WEIR_SPEC_PARAMS_MAX];
	uint32_t profile_count;
	struct keeper_profile *profiles;
};

extern const struct weir_option keeper_option_table[], keeper_limit_table[],
	keeper_emulator_table[];

/* drivers: those that the plan may name. After -1 there is nothing to free. */
int keeper_plan_read(struct keeper_plan *p, const struct registry *drivers, const char *file,
		     struct weir_error *e);
int keeper_plan_read_text(struct keeper_plan *p, const struct registry *drivers,
			  const struct ini_text *text, struct weir_error *e);
void keeper_plan_free(struct keeper_plan *p);

/* The index of the profile with that name; -1: none. */
int64_t keeper_plan_find(const struct keeper_plan *p, const char *name);

/* Paths of the journal and of the control socket: configured, or derived from the file's name. */
void keeper_plan_journal(const struct keeper_plan *p, char path[WEIR_OPT_TEXT_SIZE]);
void keeper_plan_socket(const struct keeper_plan *p, char path[WEIR_OPT_TEXT_SIZE]);
#endif
