/* SPDX-License-Identifier: BSD-3-Clause */
/* selection.h -- some of the runs, by their settings: "case=pred, traffic.web.load=0.9".
 *
 * A value is the same as a stored one when the texts are equal, when both are the same number in
 * the same kind of unit (0.9 and 0.90, 100KB and 0.1MB), or when it names a scheme: "ecn" is every
 * ecn(...), "ecn(k=65pkts)" every ecn that has this option, whatever the others. Claims and panels
 * use it. */
#ifndef LAB_ANALYSIS_SELECTION_H
#define LAB_ANALYSIS_SELECTION_H
#include "lab/store/store.h"

struct condition {
	char *path, *value;
};

struct selection {
	char *text; /* as written; NULL where nothing was: every run */
	uint32_t count;
	struct condition *conditions;
};

/* On -1 nothing is left to free. */
int selection_read(struct selection *s, const char *text, struct weir_error *e);
void selection_free(struct selection *s);

/* Does the run meet every condition? */
int selection_has(const struct selection *s, const struct stored_run *run);

/* Refuses a path that none of the runs has and a value that no run has, naming the nearest; and
 * conditions that no run meets together. */
int selection_check(const struct selection *s, const struct stored_runs *runs,
		    struct weir_error *e);

/* Refuses a path that none of the runs has. */
int path_check(const char *path, const struct stored_runs *runs, struct weir_error *e);

/* The setting, besides the seed and the path apart (NULL: none), in which two of the selected runs
 * differ, or NULL: what is recorded (measure.probe) changes no result and is passed over. */
const char *selection_mixes(const struct selection *s, const struct stored_runs *runs,
			    const char *apart);

/* Are two values of a setting the same? */
int setting_is(const char *stored, const char *wanted);
#endif
