/* SPDX-License-Identifier: BSD-3-Clause */
/* farm_task.h -- a run as a task of another process: what that is told, what it does, and what
 * becomes of the result here (executor.h). */
#ifndef LAB_CAMPAIGN_FARM_TASK_H
#define LAB_CAMPAIGN_FARM_TASK_H
#include "lab/campaign/executor.h"
#include "lab/scenario/scenario.h"
#include "lab/store/store.h"

/* What a process must know: all settings of the scenario as they are now, how many threads a run
 * has, and its key. */
void farm_pack_run(struct parcel *asked, const struct scenario *s, uint32_t threads,
		   const char *key);

/* Does it. What is made is a store with that run, as the bytes of its file. Refuses a run that has
 * another key here: then the program or the files that settings name are not the same. */
task_service farm_serve_run;

/* Puts it into the store of the folder. */
enum task_end farm_keep_run(const struct parcel *made, const char *key, const char *folder,
			    enum store_copying copying, struct weir_error *e);
#endif
