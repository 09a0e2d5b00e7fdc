/* SPDX-License-Identifier: BSD-3-Clause */
/* selection.h -- selects runs by their settings: "case=pred, traffic.web.load=0.9". Used by claims
 * and panels.
 *
 * A value matches a stored one if the texts are equal, if both are the same quantity (0.9 and 0.90,
 * 100KB and 0.1MB), or if it names a scheme: "ecn" matches every ecn(...), "ecn(k=65pkts)" every
 * ecn with this option, whatever its other options. */
#ifndef LAB_ANALYSIS_SELECTION_H
#define LAB_ANALYSIS_SELECTION_H
#include "lab/store/store.h"

struct condition {
	char *path, *value;
};

struct selection {
	char *text; /* as written; NULL: not given, selects every run */
	uint32_t count;
	struct condition *conditions;
};

/* On -1 there is nothing to free. */
int selection_read(struct selection *s, const char *text, struct weir_error *e);
void selection_free(struct selection *s);

/* Does the run meet all conditions? */
int selection_has(const struct selection *s, const struct stored_run *run);

/* The value of the condition on that path; NULL: there is none. */
const char *selection_value(const struct selection *s, const char *path);

/* Refuses a path or value that no run has, with the nearest one as a hint, and conditions that no
 * run meets together. */
int selection_check(const struct selection *s, const struct stored_runs *runs,
		    struct weir_error *e);

/* Refuses a path that no run has. */
int path_check(const char *path, const struct stored_runs *runs, struct weir_error *e);

/* A setting besides the seed and `apart` (NULL: none) in which two selected runs differ; NULL:
 * there is none. Probes (measure.probe) change no result and are ignored. */
const char *selection_mixes(const struct selection *s, const struct stored_runs *runs,
			    const char *apart);

/* Are two values of a setting equal in the sense above? */
int setting_is(const char *stored, const char *wanted);
#endif
