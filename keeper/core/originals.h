/* SPDX-License-Identifier: BSD-3-Clause */
/* originals.h -- original settings of profiles: the journal on disk, and restoring from it.
 *
 * The journal is a write-ahead log: it is on disk before anything is written to the switch. It is
 * replaced atomically (new file, fsync, rename), so a complete journal exists whenever the machine
 * stops. Each record has
 * the original setting and both ends of the last change: a profile with either of these was set by
 * the keeper, and any other setting is an operator's.
 *
 * An original stays in the journal until it is in force again, until an operator has replaced every
 * value that the keeper wrote, or until it is released ('weir keeper release'). Values of an
 * operator are never overwritten. If an operator changed part of a setting, the values that are
 * still the keeper's are reported and stay until the operator decides. */
#ifndef KEEPER_CORE_ORIGINALS_H
#define KEEPER_CORE_ORIGINALS_H
#include "keeper/core/plan.h"

struct keeper_record {
	char name[INI_NAME_SIZE]; /* empty: the profile was never read */
	struct keeper_setting original, was, wrote;
	int yielded; /* an operator changed it, and owns it */
};

/* Takes the journal's lock, which excludes other keepers and restores. */
int keeper_journal_lock(const char *path, int *lock, struct weir_error *e);
void keeper_journal_unlock(int lock);

int keeper_journal_save(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e);
void keeper_journal_remove(const char *path);

/* *records is freed by the caller, NULL if there is no journal. */
int keeper_journal_load(const char *path, struct keeper_record **records, uint32_t *count,
			struct weir_error *e);

/* Outcome of restoring a profile. */
enum keeper_restored {
	KEEPER_PUT_BACK,
	KEEPER_WAS_BACK, /* it has its original, or the keeper never wrote it */
	KEEPER_THEIRS, /* an operator replaced every value that the keeper wrote: nothing to restore
			*/
	KEEPER_MIXED,  /* an operator changed it, and some values are still the keeper's */
	KEEPER_DISABLED, /* not writable at present: ECN is off */
	KEEPER_ABSENT,   /* missing, malformed, or not in the plan */
	KEEPER_NOT_BACK, /* the switch does not answer, or rejected the setting */
};

/* Is the original no longer needed? */
static inline int keeper_restored_is_done(enum keeper_restored became)
{
	return became <= KEEPER_THEIRS;
}

typedef void keeper_restore_handler(void *user, const struct keeper_record *r,
				    enum keeper_restored became, const char *why);

/* A pass over all originals; the driver was opened with the plan. */
struct keeper_restoring {
	const struct keeper_plan *plan;
	void *driver;
	const char *forced; /* profile whose original is restored over an operator's values, too;
			       NULL: none */
	keeper_restore_handler *on_restored; /* NULL: no reports */
	void *user;
	/* Results: originals that are still needed, and how many of those a retry may restore. */
	uint32_t left, unanswered;
	int is_lost; /* the switch did not answer: skip the remaining profiles */
};

/* Restores all originals and clears the name of each record that is done. Returns how many are
 * left, which the journal must keep. */
uint32_t keeper_restore(struct keeper_restoring *x, struct keeper_record *records, uint32_t count);

/* Writes the remaining records to the journal; removes it when there are none. */
int keeper_journal_keep(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e);

/* The values of the setting that are the keeper's and not the original's, as bits 1 << enum
 * keeper_value. */
unsigned keeper_record_left(const struct keeper_record *r, const struct keeper_setting *now);

/* Makes this setting the original and the operator's. */
void keeper_record_release(struct keeper_record *r, const struct keeper_setting *now);

/* Index of a profile's record; -1 with a message that lists the existing ones. */
int keeper_record_find(const struct keeper_record *records, uint32_t count, const char *name,
		       uint32_t *at, struct weir_error *e);

/* Originals that could not be restored. */
struct keeper_originals {
	struct keeper_record
		*records; /* records still needed have a name; NULL: there was no journal */
	uint32_t count, left;
};

/* Reads the journal, whose lock the caller holds, and restores what can be restored; the journal
 * keeps the rest. -1 with a message: the journal cannot be read or written. */
int keeper_originals_restore(struct keeper_restoring *x, const char *journal,
			     struct keeper_originals *o, struct weir_error *e);

/* Removes a profile from the journal; its setting on the switch stays. */
int keeper_originals_release(const char *journal, const char *profile, struct weir_error *e);

/* Sets a message that says how many originals are left and what to do; returns -1. */
int keeper_originals_refuse(const struct keeper_plan *plan, const char *journal, uint32_t left,
			    struct weir_error *e);
#endif
