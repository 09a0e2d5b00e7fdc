/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h -- the file that a keeper works by.
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
 * A key of [limits] is one of every [profile NAME] that does not have it itself. A message says
 * where the mistake is: "FILE:LINE: section.key: ". */
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
	uint64_t shortest_ns; /* between two changes */
	uint64_t writes;      /* a minute, at most */
	uint64_t canary;
	struct line_list queues;
};

struct keeper_profile {
	char name[INI_NAME_SIZE];
	int line; /* of its header */
	struct keeper_limits limits;
};

/* [keeper] */
struct keeper_options {
	char driver[WEIR_OPT_TEXT_SIZE], tune[WEIR_OPT_TEXT_SIZE];
	uint64_t interval_ns;
	uint64_t rtt_ns;
	uint64_t mtu_bytes;
	uint64_t seed;
	uint64_t guard_intervals; /* 0: nobody looks after a change */
	uint64_t guard_worse_q32, guard_least;
	uint64_t hold_off_ns, canary_for_ns, verify_ns;
	uint64_t http; /* port; 0: none */
	char journal[WEIR_OPT_TEXT_SIZE], socket[WEIR_OPT_TEXT_SIZE];
};

/* [mimic]: of 'weir keeper mimic' alone, see mimic.h */
struct keeper_emulator {
	char socket[WEIR_OPT_TEXT_SIZE]; /* empty: there is no such section */
	uint64_t poll_ns, apply_ns, speed_q32;
};

struct keeper_plan {
	char file[WEIR_OPT_TEXT_SIZE], title[WEIR_OPT_TEXT_SIZE];
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

/* drivers are those that the plan may name. On -1 nothing is left to free. */
int keeper_plan_read(struct keeper_plan *p, const struct registry *drivers, const char *file,
		     struct weir_error *e);
int keeper_plan_read_text(struct keeper_plan *p, const struct registry *drivers,
			  const struct ini_text *text, struct weir_error *e);
void keeper_plan_free(struct keeper_plan *p);

/* The number of the profile with that name; -1: there is none. */
int64_t keeper_plan_find(const struct keeper_plan *p, const char *name);

/* Where the journal lies and where the keeper is reached: as given, or by the file's name. */
void keeper_plan_journal(const struct keeper_plan *p, char path[WEIR_OPT_TEXT_SIZE]);
void keeper_plan_socket(const struct keeper_plan *p, char path[WEIR_OPT_TEXT_SIZE]);
#endif
