/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h -- weir view: the pages of a result folder, for browsers of this machine, as it is now.
 *
 *	/		the live page, which follows a sweep
 *	/state.json	what that asks for every second
 *	/runs.json	and this, when the store has changed
 *	/report		as weir report writes it
 *	/figure		as weir reproduce writes it, where the folder is that of a figure
 *
 * Pages are made, no file is served. What is made of the store is made by a process of its own,
 * anew only where the store has changed, and no more often than its making takes a fifth of a core;
 * and only while somebody looks. */
#ifndef LAB_CAMPAIGN_VIEW_H
#define LAB_CAMPAIGN_VIEW_H
#include "lab/campaign/live.h"
#include "lab/campaign/view_server.h"

/* Whose results the folder is by its name, .../PAPER/FIGURE or FIGURE.full; NULL: no figure's. */
const struct figure_files *view_figure(const struct figure_list *l, const char *folder,
				       enum figure_size *size);

/* Until stop, which is asked several times a second, says so. */
void view_run(int listener, const struct live_subject *s, int (*stop)(void *context),
	      void *context);
#endif
