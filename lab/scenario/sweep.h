/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h -- [sweep]: settings with several values each, and the resulting runs.
 *
 * A key of the section is the path of a setting, its value a list: values separated by commas
 * outside brackets, "ecn, tcn(threshold=80us)", ranges of whole numbers, "1..5", and ranges with a
 * step, "0.1..0.9/0.2" or "1us..5us/2us". The runs are all combinations in the order of the values;
 * the first key changes slowest. Cases are the first axis: those of "case = a, b", or all cases of
 * the scenario. A scenario with neither is a sweep of one run. */
#ifndef LAB_SCENARIO_SWEEP_H
#define LAB_SCENARIO_SWEEP_H
#include "lab/scenario/scenario.h"
#include "sim/run/run.h"

struct text_list {
	uint32_t count;
	char **items;
};

struct sweep_axis {
	char *path; /* "switch.marking" or "case" */
	int line;   /* 0: given by --set */
	struct text_list values;
};

struct sweep {
	uint32_t axis_count;
	struct sweep_axis *axes;
	uint64_t run_count;
};

/* On -1 there is nothing to free. */
int sweep_read(struct sweep *w, const struct scenario *s, struct weir_error *e);
void sweep_free(struct sweep *w);

/* Adds seeds 1 to SWEEP_SEEDS, so that differences have a confidence interval, if the sweep lists
 * values of a setting and no seed is given by the file, a case or --seed. Returns 1 if it did.
 * Sweeps over cases alone get no seeds. */
enum { SWEEP_SEEDS = 5 };
int sweep_add_seeds(struct sweep *w, const struct scenario *s);

/* A sweep over points, each several settings, "switch.marking.min=5KB; host.cc.g=1/4", and over
 * seeds, which change faster. A setting without a value, "host.cc.g=", is removed, so that points
 * that name the same paths do not affect each other. */
#define POINT_PATH "point"
void sweep_of_points(struct sweep *w, const struct text_list *points, uint64_t first_seed,
		     uint32_t seeds);

/* Applies the settings of a point. */
void point_apply(const char *point, struct scenario *s);

/* Applies the values of one run to the scenario. */
int sweep_apply(const struct sweep *w, uint64_t run, struct scenario *s, struct weir_error *e);

/* Parses every combination, builds each one for one seed, and computes the keys of all runs.
 * Refuses combinations with equal keys. keys has room for run_count. */
int sweep_check(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		struct weir_error *e);

/* The same; first: what was built for the first run, which the caller frees in any case. */
int sweep_check_first(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		      struct run_result *first, struct weir_error *e);

/* The run's values on all axes, "tcn, 0.5, seed 2"; empty for a single run. Returns buffer. */
const char *sweep_label(const struct sweep *w, uint64_t run, char *buffer, size_t size);

/* --- defaults in use: default_notes.c ---
 *
 * Values set by a scenario are its author's responsibility; defaults are the program's. So 'weir
 * check' and 'weir run' note defaults that are used with other link rates than their source
 * (config/defaults.h) covers. */

struct default_notes {
	uint32_t count;
	char **lines; /* without duplicates, in run order */
};

/* Reads the notes of all runs of the sweep. Stops at the first run whose settings are invalid,
 * which sweep_check reports. Leaves the scenario with the settings of the last run. The caller
 * frees the notes. */
void default_notes_read(struct default_notes *n, struct scenario *s, const struct sweep *w);
void default_notes_free(struct default_notes *n);

/* Does the run differ from an earlier one only in its seed? */
int sweep_is_other_seed(const struct sweep *w, uint64_t run);

/* --- lists of values: sweep_list.c --- */

/* Length of a list's first item: up to the next comma outside brackets. */
size_t list_item_length(const char *text);

/* Splits a list into its values. On -1 there is nothing to free; the message has no location. */
int list_split(struct text_list *list, const char *text, struct weir_error *e);
void list_free(struct text_list *list);
#endif
