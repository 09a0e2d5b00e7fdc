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
	char **lines; /* each once, in the order of the runs */
};

/* Of all runs of the sweep. Runs that cannot be made have none: what is wrong with them is said
 * elsewhere. The scenario's settings are those of the last run afterwards. */
void default_notes_read(struct default_notes *n, struct scenario *s, const struct sweep *w);
void default_notes_free(struct default_notes *n);
#endif
