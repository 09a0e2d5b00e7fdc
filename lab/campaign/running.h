/* SPDX-License-Identifier: BSD-3-Clause */
/* running.h -- progress files of a running campaign, for the live view (view.h).
 *
 * A store holds complete runs only. Therefore a campaign writes running.PID into the result folder
 * twice a second: how many runs are to be done, and the progress of those under way. The process of
 * a run writes running.PID.TASK once a second: what its probes have recorded so far. Both are
 * removed when the campaign ends. Files of a killed campaign are ignored after a few seconds, and
 * removed by the next campaign of that folder: at once on the same machine, after a minute on any
 * other. Failing to write them does not fail the campaign. Readers must not trust their
 * contents. */
#ifndef LAB_CAMPAIGN_RUNNING_H
#define LAB_CAMPAIGN_RUNNING_H
#include "sim/run/run.h"
#include <stdint.h>
#include <stdio.h>

enum {
	RUNNING_TASKS_MAX = 64, /* running tasks that are reported */
	RUNNING_LABEL_SIZE = 96,
	RUNNING_SERIES_MAX = 6,
	RUNNING_NAME_SIZE = 128,
	RUNNING_UNIT_SIZE = 16,
	RUNNING_POINTS_MAX = 2000, /* of a series: more than a screen has pixels across */
	RUNNING_FILE_MAX = 1 << 20,
};

struct running_run {
	uint64_t task;
	double share; /* finished share of its work, 0 to 1 */
	char label[RUNNING_LABEL_SIZE];
};

struct running_campaign {
	int64_t pid;
	double seconds;               /* since it started */
	uint64_t total;               /* runs of the sweep, stored ones included */
	uint64_t todo, ended, failed; /* failed is part of ended */
	uint32_t run_count;
	struct running_run runs[RUNNING_TASKS_MAX];
};

/* Estimated remaining seconds, extrapolated from the share of finished work; NAN: no estimate
 * yet. */
double running_seconds_left(double seconds_gone, double share);
double running_share(const struct running_campaign *c);

/* How many runs of the sweep are stored by now. */
uint64_t running_done(const struct running_campaign *c);

/* --- writers: the campaign and its workers --- */

void running_write(const char *folder, const struct running_campaign *c);
void running_write_series(const char *folder, int64_t pid, uint64_t task,
			  const struct run_progress *p);
void running_remove_series(const char *folder, int64_t pid, uint64_t task);

/* Removes the campaign's files and those of killed campaigns. */
void running_remove(const char *folder, int64_t pid);

/* --- readers --- */

/* Reads the most recently written campaign. 1: it is running; 0: none is. */
int running_read(const char *folder, struct running_campaign *c);

struct running_series {
	char name[RUNNING_NAME_SIZE], unit[RUNNING_UNIT_SIZE];
	uint32_t count;
	double time_ns[RUNNING_POINTS_MAX], value[RUNNING_POINTS_MAX];
};

/* Reads what the run's probes have recorded, up to the given maximum. Returns the number of
 * series. */
uint32_t running_read_series(const char *folder, int64_t pid, uint64_t task,
			     struct running_series all[RUNNING_SERIES_MAX]);

/* --- parsers, exposed for tests; the input is untrusted --- */

int running_parse(struct running_campaign *c, const char *text);
uint32_t running_parse_series(struct running_series all[RUNNING_SERIES_MAX], const char *text);
#endif
