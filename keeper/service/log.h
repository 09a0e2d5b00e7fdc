/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h -- what a keeper did, a line of JSON each, and the last of it in memory for who asks. */
#ifndef KEEPER_SERVICE_LOG_H
#define KEEPER_SERVICE_LOG_H
#include "keeper/core/keeper.h"
#include <stdio.h>
#include <time.h>

enum { LOG_KEPT = 256 };

struct log_entry {
	time_t wall;
	int64_t time_ns; /* by the keeper's clock: virtual in a rehearsal */
	enum keeper_event_kind kind;
	char profile[INI_NAME_SIZE]; /* empty: of the whole switch */
	struct keeper_setting from, to;
	char why[KEEPER_WHY_SIZE];
};

struct keeper_log {
	FILE *out;
	uint64_t count;
	struct log_entry entries[LOG_KEPT]; /* a ring */
};

/* A keeper_tell; user is the log. */
void keeper_log_event(void *user, const struct keeper_event *event);

/* A keeper_restore_tell; user is the log. */
void keeper_log_restored(void *user, const struct keeper_record *r, enum keeper_restored became,
			 const char *why);

void keeper_log_setting(FILE *f, const char *name, const struct keeper_setting *s);

/* Does it have from and to? */
int keeper_log_is_change(enum keeper_event_kind kind);

/* An entry as a line of JSON. */
void keeper_log_print(FILE *f, const struct log_entry *entry);
#endif
