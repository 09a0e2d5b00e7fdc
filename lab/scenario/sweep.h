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
	char *path; /* "switch.marking", or "case" */
	int line;   /* 0: by --set */
	struct text_list values;
};

struct sweep {
	uint32_t axis_count;
	struct sweep_axis *axes;
	uint64_t run_count;
};

/* On -1 nothing is left to free. */
int sweep_read(struct sweep *w, const struct scenario *s, struct weir_error *e);
void sweep_free(struct sweep *w);

/* What a user runs to compare is run with several seeds, so that differences have an interval:
 * where values are listed and nobody says a word of seeds, not the file, a case nor --seed, there
 * are those from 1 on. Returns 1 where that was so. Cases alone are compared as they stand. */
enum { SWEEP_SEEDS = 5 };
int sweep_add_seeds(struct sweep *w, const struct scenario *s);

/* A sweep of points, several settings each, "switch.marking.min=5KB; host.cc.g=1/4", and of seeds:
 * the first point with every seed, and so on. A setting without a value, "host.cc.g=", is as if
 * nobody gave it, so points that name the same paths leave nothing behind for each other. */
#define POINT_PATH "point"
void sweep_of_points(struct sweep *w, const struct text_list *points, uint64_t first_seed,
		     uint32_t seeds);

/* Gives the scenario the settings of a point. */
void point_apply(const char *point, struct scenario *s);

/* Gives the scenario's settings the values of one run. */
int sweep_apply(const struct sweep *w, uint64_t run, struct scenario *s, struct weir_error *e);

/* Reads every combination, makes all that a run of it needs (for one seed of each), and writes down
 * the keys of all runs. Refuses combinations that are the same run. */
int sweep_check(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		struct weir_error *e);

/* The same; first is what was built of the first run, the caller's to free whatever comes of it. */
int sweep_check_first(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		      struct run_result *first, struct weir_error *e);

/* What tells the run from others, "tcn, 0.5, seed 2"; empty for a sweep of one. Returns buffer. */
const char *sweep_label(const struct sweep *w, uint64_t run, char *buffer, size_t size);

/* --- used between the files of this module --- */

/* Does the run differ from an earlier one in its seed alone? */
int sweep_is_other_seed(const struct sweep *w, uint64_t run);

/* The values of a list, on -1 nothing is left to free. The message has no place. */
int list_split(struct text_list *list, const char *text, struct weir_error *e);
void list_free(struct text_list *list);
#endif
