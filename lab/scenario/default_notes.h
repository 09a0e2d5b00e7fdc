/* SPDX-License-Identifier: BSD-3-Clause */
/* default_notes.h -- which defaults in use are meant for other link rates than the network has.
 *
 * A scenario's author answers for values that the scenario sets; a default is the program's choice,
 * so that 'weir check' and 'weir run' say where it is used outside of what its source is about
 * (config/defaults.h). */
#ifndef LAB_SCENARIO_DEFAULT_NOTES_H
#define LAB_SCENARIO_DEFAULT_NOTES_H
#include "lab/scenario/sweep.h"

struct default_notes {
	uint32_t count;
	char **lines; /* without duplicates, in run order */
};

/* Reads the notes of all runs of the sweep. Stops at the first run whose settings are invalid,
 * which sweep_check reports. Leaves the scenario with the settings of the last run. The caller
 * frees the notes. */
void default_notes_read(struct default_notes *n, struct scenario *s, const struct sweep *w);
void default_notes_free(struct default_notes *n);
#endif
