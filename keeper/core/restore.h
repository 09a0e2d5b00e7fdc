/* SPDX-License-Identifier: BSD-3-Clause */
/* restore.h -- puts originals back, and says of each profile what became of it.
 *
 * An original is kept in the journal until it is in force again, until every value that the keeper
 * wrote was replaced by an operator, or until it is released ('weir keeper release'). Values of an
 * operator are never overwritten: where they changed a part of a setting, the rest, which is still
 * the keeper's, is named, and stays until they decide. */
#ifndef KEEPER_CORE_RESTORE_H
#define KEEPER_CORE_RESTORE_H
#include "keeper/core/journal.h"

/* What became of a profile. */
enum keeper_restored {
	KEEPER_PUT_BACK,
	KEEPER_WAS_BACK, /* it has its original, or the keeper never wrote it */
	KEEPER_THEIRS,   /* an operator replaced every value that the keeper wrote: nothing to put
			    back */
	KEEPER_MIXED,    /* an operator changed it, and some values are still the keeper's */
	KEEPER_DISABLED, /* it cannot be written now: ECN is off */
	KEEPER_ABSENT,   /* it is not there, its values are garbage, or the plan does not name it */
	KEEPER_NOT_BACK, /* the switch does not answer, or does not take the setting */
};

/* Is the original no longer needed? */
static inline int keeper_restored_is_done(enum keeper_restored became)
{
	return became <= KEEPER_THEIRS;
}

typedef void keeper_restore_tell(void *user, const struct keeper_record *r,
				 enum keeper_restored became, const char *why);

/* A round of putting back; the driver was opened with the plan. */
struct keeper_restoring {
	const struct keeper_plan *plan;
	void *driver;
	const char
		*forced; /* profile whose original replaces an operator's values, too; NULL: none */
	keeper_restore_tell *tell; /* NULL: no reports */
	void *user;
	/* Results: originals that are still needed, and those among them that another try may
	 * restore at once. */
	uint32_t left, unanswered;
	int is_lost; /* the switch did not answer: the other profiles do not wait for it, too */
};

/* Puts all originals back and empties the name of each record that is done. Returns how many are
 * left; the journal must keep those. */
uint32_t keeper_restore(struct keeper_restoring *x, struct keeper_record *records, uint32_t count);

/* A journal file with what is left of the records; removed where nothing is. */
int keeper_journal_keep(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e);

/* A set of values, a bit 1 << enum keeper_value each: those of the setting that are the keeper's
 * and not the original's. */
unsigned keeper_record_left(const struct keeper_record *r, const struct keeper_setting *now);

/* Makes this setting the original, and the operator's. */
void keeper_record_release(struct keeper_record *r, const struct keeper_setting *now);

/* Where a profile's record is among these; -1 with a message that names those that are. */
int keeper_record_find(const struct keeper_record *records, uint32_t count, const char *name,
		       uint32_t *at, struct weir_error *e);
#endif
