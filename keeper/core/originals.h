/* SPDX-License-Identifier: BSD-3-Clause */
/* originals.h -- the settings that profiles had before a keeper changed them: kept on disk, and put
 * back.
 *
 * The journal is on disk before anything is written to the switch. It is replaced as a whole, by a
 * new file that is synced and renamed over it, so that a complete journal exists whenever the
 * machine stops. Each record has the original setting and both ends of the last change: a switch
 * that has either of these was set by the keeper, and any other setting is an operator's.
 *
 * An original stays in the journal until it is in force again, until an operator has replaced every
 * value that the keeper wrote, or until it is released ('weir keeper release'). Values of an
 * operator are never overwritten. Where an operator changed a part of a setting, the values that
 * are still the keeper's are named, and stay until the operator decides. */
#ifndef KEEPER_CORE_ORIGINALS_H
#define KEEPER_CORE_ORIGINALS_H
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

typedef void keeper_restore_handler(void *user, const struct keeper_record *r,
				    enum keeper_restored became, const char *why);

/* A round of putting back; the driver was opened with the plan. */
struct keeper_restoring {
	const struct keeper_plan *plan;
	void *driver;
	const char
		*forced; /* profile whose original replaces an operator's values, too; NULL: none */
	keeper_restore_handler *on_restored; /* NULL: no reports */
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

/* Originals that could not be put back. */
struct keeper_originals {
	struct keeper_record
		*records; /* those that are left have a name; NULL: there was no journal */
	uint32_t count, left;
};

/* Reads the journal, whose lock the caller has, and puts back what can be put back; the journal
 * keeps the rest. -1 with a message: the journal cannot be read or written. */
int keeper_originals_restore(struct keeper_restoring *x, const char *journal,
			     struct keeper_originals *o, struct weir_error *e);

/* Takes a profile out of the journal; what the switch has stays. */
int keeper_originals_release(const char *journal, const char *profile, struct weir_error *e);

/* Says how many are left, and what can be done about it; returns -1. */
int keeper_originals_refuse(const struct keeper_plan *plan, const char *journal, uint32_t left,
			    struct weir_error *e);
#endif
