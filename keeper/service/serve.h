/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h -- a keeper from its start to its end, by the clock of the machine. */
#ifndef KEEPER_SERVICE_SERVE_H
#define KEEPER_SERVICE_SERVE_H
#include "keeper/service/desk.h"

struct keeper_service {
	const struct keeper_plan *plan;
	const struct registry *drivers; /* that a plan which is read again may name */
	enum keeper_mode mode;
};

/* Looks after the switch until SIGINT, SIGTERM or a request to stop, and puts the originals back;
 * SIGHUP makes it read its plan again. What an earlier keeper left in the journal is restored
 * first. Events are written to stdout. */
int keeper_serve(const struct keeper_service *service, struct weir_error *e);

/* Without a keeper: puts back what the journal holds; of a profile that is named (NULL: none) also
 * where an operator changed it. -1 with a message that says how many are left. */
int keeper_restore_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e);

/* Without a keeper: gives up the original of a profile. */
int keeper_release_journal(const struct keeper_plan *plan, const char *profile,
			   struct weir_error *e);
#endif
