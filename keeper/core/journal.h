/* SPDX-License-Identifier: BSD-3-Clause */
/* journal.h -- what the profiles were before a keeper touched them, on disk before anything is
 * written.
 *
 * The journal is replaced whole, by a new file that is synced and renamed over it: whenever the
 * machine stops, one whole journal is there. Each profile has its original and the two settings
 * between which the last change goes: whichever of them a switch is found with is the keeper's own
 * doing, anything else is somebody else's. */
#ifndef KEEPER_CORE_JOURNAL_H
#define KEEPER_CORE_JOURNAL_H
#include "keeper/core/plan.h"

struct keeper_record {
	char name[INI_NAME_SIZE]; /* empty: the profile was never looked at */
	struct keeper_setting original, was, wrote;
	int yielded; /* an operator changed it: it is theirs */
};

/* Nobody else may have the journal while this holds it: another keeper, or a restore. */
int keeper_journal_lock(const char *path, int *lock, struct weir_error *e);
void keeper_journal_unlock(int lock);

int keeper_journal_save(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e);
void keeper_journal_remove(const char *path);

/* For the caller to free; *records is NULL where there is no journal. */
int keeper_journal_load(const char *path, struct keeper_record **records, uint32_t *count,
			struct weir_error *e);
#endif
