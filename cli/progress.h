/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h -- how far a sweep is: one line that changes on a terminal, a plain line now and then
 * elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H
#include "lab/store/results.h"
#include "lab/scenario/sweep.h"
#include "lab/campaign/executor.h"

struct sweep_progress {
	int silent, terminal;
	uint64_t todo;          /* runs to do now */
	uint64_t total, before; /* runs of the sweep, and those that were there */
	uint64_t ended, done;   /* of todo; done: without failure */
	int64_t begin_ns, shown_ns;
	int on_screen; /* a line stands there */
};

void progress_begin(struct sweep_progress *p, uint64_t todo, uint64_t total, int silent);
void progress_end(struct sweep_progress *p, int done);
void progress_show(struct sweep_progress *p, const struct sweep *w,
		   const struct running_task *running, uint32_t count);

/* Takes the line off the screen, so that something else can be printed. */
void progress_clear(struct sweep_progress *p);

/* Since it began. */
struct human progress_time(const struct sweep_progress *p);
#endif
