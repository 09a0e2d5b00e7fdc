/* serve.h -- a keeper from its start to its end, by the clock of the machine. */
#ifndef KEEPER_RUN_SERVE_H
#define KEEPER_RUN_SERVE_H
#include "keeper/run/desk.h"

/* Looks after the switch until SIGINT, SIGTERM or a request to stop, and puts the originals back; SIGHUP makes
 * it read its plan again. A journal
 * that a keeper left that did not end is restored first. What happens is written to stdout. */
struct keeper_service {
	const struct keeper_plan *plan;
	const struct registry *drivers; /* that a plan which is read again may name */
	enum keeper_mode mode;
};

int keeper_serve(const struct keeper_service *service, struct weir_error *e);

/* Puts back what the journal of a keeper that was killed holds. */
int keeper_restore_after_crash(const struct keeper_plan *plan, struct weir_error *e);
#endif
