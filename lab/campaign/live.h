/* SPDX-License-Identifier: BSD-3-Clause */
/* live.h -- the live page of a result folder, and the two JSON documents that it requests:
 * state.json, which is cheap and requested every second, and runs.json, which is requested when the
 * store has changed. */
#ifndef LAB_CAMPAIGN_LIVE_H
#define LAB_CAMPAIGN_LIVE_H
#include "lab/report/reproduce.h"
#include "weir/error.h"
#include <stdio.h>

/* The folder that is shown. */
struct live_subject {
	const char *folder;
	const struct figure_files *figure; /* NULL: the folder is not a figure's */
	enum figure_size size;
};

/* Identifies the state of a store: every change of the store changes the text. "": there is no
 * store. */
enum { STORE_STAMP_SIZE = 64 };
struct store_stamp {
	char text[STORE_STAMP_SIZE];
};

struct store_stamp store_stamp(const char *folder);

/* The page itself, independent of the folder's content. */
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
