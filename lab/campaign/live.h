/* SPDX-License-Identifier: BSD-3-Clause */
/* live.h -- the page that follows a result folder, and the two texts of JSON that it asks for: how
 * things stand, which is cheap and asked for every second, and what the store holds, which is asked
 * for when that has changed. */
#ifndef LAB_CAMPAIGN_LIVE_H
#define LAB_CAMPAIGN_LIVE_H
#include "lab/report/reproduce.h"
#include "weir/error.h"
#include <stdio.h>

/* What is looked at. */
struct live_subject {
	const char *folder;
	const struct figure_files *figure; /* NULL: it is no figure of a paper */
	enum figure_size size;
};

/* Which state a store is in; any change of it changes the text. "": there is none. */
enum { STORE_STAMP_SIZE = 64 };
struct store_stamp {
	char text[STORE_STAMP_SIZE];
};

struct store_stamp store_stamp(const char *folder);

/* The page itself, the same whatever the folder holds. */
void live_page(FILE *f, const struct live_subject *s);

/* How things stand: {"stamp", "runs", "running": null or what is under way, "series": of a run of
 * it}. The store is in the state of the first stamp, and what was read of it last is of the
 * other. */
void live_state(FILE *f, const struct live_subject *s, const struct store_stamp *stamp,
		const struct store_stamp *read);

/* What the store holds: {"stamp", "title", "planned", "done", "sentences", "table", "charts"}, or
 * {"stamp", "error"}. */
void live_runs(FILE *f, const struct live_subject *s, const struct store_stamp *stamp);

/* The report, and the page of a figure; or a page that says why there is none. */
void live_report(FILE *f, const struct live_subject *s);
void live_figure(FILE *f, const struct live_subject *s);
#endif
