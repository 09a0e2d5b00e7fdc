/* planned.h -- the runs of a sweep as a store would have them, before any of them has run.
 *
 * Who asks of stored runs whether there is one with such settings (lab/compare/selection.h) can ask of
 * these too: a figure's claims are checked against them before hours are spent. */
#ifndef LAB_PAPERS_PLANNED_H
#define LAB_PAPERS_PLANNED_H
#include "lab/scenario/sweep.h"
#include "lab/store/store.h"

/* With all settings and without results. The caller frees them (stored_runs_free). */
int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e);
#endif
