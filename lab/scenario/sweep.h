/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h -- [sweep]: settings with several values each, and the runs that these make.
 *
 * A key of the section is the path of a setting, its value a list: "ecn, tcn(threshold=80us)" by
 * commas outside brackets, "1..5" whole numbers, "0.1..0.9/0.2" or "1us..5us/2us" from, to and
 * step. The runs are all combinations; the first key changes slowest, values come as written. Cases
 * are an axis before all others: those of "case = a, b", or all that the scenario has. A scenario
 * with neither is a sweep of one run. */
#ifndef LAB_SCENARIO_SWEEP_H
#define LAB_SCENARIO_SWEEP_H
#include "lab/scenario/scenario.h"
#include "sim/run/run.h"
#include "lab/scenario/key.h"

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

/* --- used between the files of this module --- */

/* Does the run differ from an earlier one only in its seed? */
int sweep_is_other_seed(const struct sweep *w, uint64_t run);

/* Splits a list into its values. On -1 there is nothing to free; the message has no location. */
int list_split(struct text_list *list, const char *text, struct weir_error *e);
void list_free(struct text_list *list);
#endif
