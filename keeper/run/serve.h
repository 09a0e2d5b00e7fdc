/* serve.h -- a keeper from its start to its end, by the clock of the machine. */
#ifndef KEEPER_RUN_SERVE_H
#define KEEPER_RUN_SERVE_H
#include "keeper/run/desk.h"

/* Looks after the switch until SIGINT, SIGTERM, SIGHUP or a request to stop, and puts the originals back. A journal
 * that a keeper left that did not end is restored first. What happens is written to stdout. */
int keeper_serve(const struct keeper_plan *plan, enum keeper_mode mode, struct weir_error *e);

/* Puts back what the journal of a keeper that was killed holds. */
int keeper_restore_after_crash(const struct keeper_plan *plan, struct weir_error *e);
#endif
