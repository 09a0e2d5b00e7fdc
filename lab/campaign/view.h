/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h -- weir view: live pages of a result folder for browsers on this machine.
 *
 *	/		the live page, which follows a sweep
 *	/state.json	requested by it every second
 *	/runs.json	requested by it when the store has changed
 *	/report		the page of weir report
 *	/figure		the page of weir reproduce, if the folder is a figure's
 *
 * Pages are generated; no files are served. Pages built from the store are built by a forked
 * process, only if the store has changed and somebody requests them, and using at most a fifth of a
 * core. */
#ifndef LAB_CAMPAIGN_VIEW_H
#define LAB_CAMPAIGN_VIEW_H
#include "lab/campaign/live.h"
#include "lab/campaign/view_server.h"

/* The figure to which the folder belongs by its name, .../PAPER/FIGURE or FIGURE.full; NULL:
 * none. */
const struct figure_files *view_figure(const struct figure_list *l, const char *folder,
				       enum figure_size *size);

/* Serves until stop, which is called several times a second, returns non-zero. */
void view_run(int listener, const struct live_subject *s, int (*stop)(void *context),
	      void *context);
#endif
