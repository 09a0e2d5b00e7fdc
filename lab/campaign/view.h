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
#include "base/http_server.h"
#include "lab/report/reproduce.h"

/* The folder that is shown. */
struct live_subject {
	const char *folder;
	const struct figure_files *figure; /* NULL: the folder is not a figure's */
	enum figure_size size;
};

/* The figure to which the folder belongs by its name, .../PAPER/FIGURE or FIGURE.full; NULL:
 * none. */
const struct figure_files *view_figure(const struct figure_list *l, const char *folder,
				       enum figure_size *size);

/* Serves on a listening server until stop, which is called several times a second, returns
 * non-zero. Closes the server. */
void view_run(struct http_server *s, const struct live_subject *subject, int (*stop)(void *context),
	      void *context);

/* --- live.c: the pages --- */

/* Identifies the state of a store: every change of the store changes the text. "": there is no
 * store. */
enum { STORE_STAMP_SIZE = 64 };
struct store_stamp {
	char text[STORE_STAMP_SIZE];
};

struct store_stamp store_stamp(const char *folder);

/* The live page, independent of the folder's content. */
void live_page(FILE *f, const struct live_subject *s);

/* state.json: {"stamp", "runs", "running": null or the campaign, "series": of a running run}. The
 * first stamp is the store's current one, the second that of the latest runs.json. */
void live_state(FILE *f, const struct live_subject *s, const struct store_stamp *stamp,
		const struct store_stamp *read);

/* runs.json: {"stamp", "title", "planned", "done", "sentences", "table", "charts"}, or {"stamp",
 * "error"}. */
void live_runs(FILE *f, const struct live_subject *s, const struct store_stamp *stamp);

/* The pages of weir report and of a figure, or a page that explains why there is none. */
void live_report(FILE *f, const struct live_subject *s);
void live_figure(FILE *f, const struct live_subject *s);
#endif
