/* SPDX-License-Identifier: BSD-3-Clause */
/* running.h -- what is under way in a result folder, for the live view (view.h).
 *
 * A store holds whole runs only. So while a campaign goes on, it leaves a small text in the folder
 * twice a second, running.PID: how many runs are to be done, and how far those are that have begun.
 * Whoever does a run leaves beside it, once a second, what its probes have seen so far:
 * running.PID.TASK. Both are gone when the campaign has ended; those of one that was killed count
 * for nothing a few seconds later, and are removed by the next campaign of that folder on the same
 * machine, or after a minute by one of any machine. That one of them cannot be written is no
 * failure of the campaign, and nothing in them is trusted by who reads. */
#ifndef LAB_CAMPAIGN_RUNNING_H
#define LAB_CAMPAIGN_RUNNING_H
#include "sim/run/run.h"
#include <stdint.h>
#include <stdio.h>

enum {
	RUNNING_TASKS_MAX = 64, /* that are told of, of those under way */
	RUNNING_LABEL_SIZE = 96,
	RUNNING_SERIES_MAX = 6,
	RUNNING_NAME_SIZE = 128,
	RUNNING_UNIT_SIZE = 16,
	RUNNING_POINTS_MAX = 2000, /* of a series: more than a screen has columns */
	RUNNING_FILE_MAX = 1 << 20,
};

struct running_run {
	uint64_t task;
	double share; /* of its work that is done, 0 to 1 */
	char label[RUNNING_LABEL_SIZE];
};

struct running_campaign {
	int64_t pid;
	double seconds;               /* since it began */
	uint64_t total;               /* runs of the sweep; some may have been there */
	uint64_t todo, ended, failed; /* failed: of those that ended */
	uint32_t run_count;
	struct running_run runs[RUNNING_TASKS_MAX];
};

/* How many seconds are left, by the share of the work that is done; NAN: nobody can say yet. */
double running_seconds_left(double seconds_gone, double share);
double running_share(const struct running_campaign *c);

/* How many runs of the sweep are in the store by now. */
uint64_t running_done(const struct running_campaign *c);

/* --- for who does the work --- */

void running_write(const char *folder, const struct running_campaign *c);
void running_write_series(const char *folder, int64_t pid, uint64_t task,
			  const struct run_progress *p);
void running_remove_series(const char *folder, int64_t pid, uint64_t task);

/* Removes what a campaign left, and what others left that were killed. */
void running_remove(const char *folder, int64_t pid);

/* --- for who looks --- */

/* The campaign that wrote last. 1: it is under way; 0: none is. */
int running_read(const char *folder, struct running_campaign *c);

struct running_series {
	char name[RUNNING_NAME_SIZE], unit[RUNNING_UNIT_SIZE];
	uint32_t count;
	double time_ns[RUNNING_POINTS_MAX], value[RUNNING_POINTS_MAX];
};

/* What a run's probes have seen, as many as there is room for. Returns how many. */
uint32_t running_read_series(const char *folder, int64_t pid, uint64_t task,
			     struct running_series all[RUNNING_SERIES_MAX]);

/* --- the texts, also for tests: of any bytes --- */

int running_parse(struct running_campaign *c, const char *text);
uint32_t running_parse_series(struct running_series all[RUNNING_SERIES_MAX], const char *text);
#endif
