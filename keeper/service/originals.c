/* SPDX-License-Identifier: BSD-3-Clause */
/* originals.c -- see originals.h. */
#include "keeper/service/originals.h"
#include <inttypes.h>
#include <stdlib.h>

int keeper_originals_restore(const struct keeper_source *s, struct keeper_originals *o,
			     struct weir_error *e)
{
	struct keeper_restoring x = {
		.plan = s->plan,
		.driver = s->driver,
		.forced = s->forced,
		.tell = keeper_log_restored,
		.user = s->log,
	};
	uint32_t at;

	*o = (struct keeper_originals){ NULL, 0, 0 };
	if (keeper_journal_load(s->journal, &o->records, &o->count, e) ||
	    (s->forced && keeper_record_find(o->records, o->count, s->forced, &at, e)))
		return -1;
	if (!o->records)
		return 0;
	o->left = keeper_restore(&x, o->records, o->count);
	return keeper_journal_keep(s->journal, o->records, o->count, e);
}

int keeper_originals_release(const char *journal, const char *profile, struct weir_error *e)
{
	struct keeper_record *records;
	uint32_t count, at;
	int failed;

	if (keeper_journal_load(journal, &records, &count, e))
		return -1;
	failed = keeper_record_find(records, count, profile, &at, e);
	if (!failed) {
		records[at].name[0] = '\0';
		failed = keeper_journal_keep(journal, records, count, e);
	}
	free(records);
	return failed;
}

int keeper_originals_refuse(const struct keeper_plan *plan, const char *journal, uint32_t left,
			    struct weir_error *e)
{
	return weir_error_set(
		e,
		"%" PRIu32 " profile%s not restored; %s keeps the originals: 'weir keeper "
		"restore %s' puts them back, 'weir keeper release %s PROFILE' gives one up",
		left, left == 1 ? " is" : "s are", journal, plan->file, plan->file);
}
