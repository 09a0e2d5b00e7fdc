/* SPDX-License-Identifier: BSD-3-Clause */
/* originals.h -- the originals that a journal holds, when no keeper is running: put back, released,
 * or read for the next keeper. */
#ifndef KEEPER_SERVICE_ORIGINALS_H
#define KEEPER_SERVICE_ORIGINALS_H
#include "keeper/service/log.h"

/* Originals that could not be put back. */
struct keeper_originals {
	struct keeper_record
		*records; /* those that are left have a name; NULL: there was no journal */
	uint32_t count, left;
};

/* Where originals are, and what to put them back with. */
struct keeper_source {
	const struct keeper_plan *plan;
	void *driver;
	const char *journal; /* path; the caller has its lock */
	const char
		*forced; /* profile whose original replaces an operator's values, too; NULL: none */
	struct keeper_log *log;
};

/* Puts back what can be; the journal keeps the rest. -1 with a message: the journal cannot be read
 * or written. */
int keeper_originals_restore(const struct keeper_source *s, struct keeper_originals *o,
			     struct weir_error *e);

/* Takes a profile out of the journal; what the switch has stays. */
int keeper_originals_release(const char *journal, const char *profile, struct weir_error *e);

/* Says how many are left, and what can be done about it; returns -1. */
int keeper_originals_refuse(const struct keeper_plan *plan, const char *journal, uint32_t left,
			    struct weir_error *e);
#endif
