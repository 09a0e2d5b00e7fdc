/* SPDX-License-Identifier: BSD-3-Clause */
/* shipped.h -- verdicts that Weir comes with, so that a reader knows what to expect before anything
 * is run: PAPERS/PAPER/paper.verdicts.
 *
 *	[figure fig13.full]
 *	version = 0.2.0
 *	digest = 0a1b2c3d4e5f6071
 *	runs = 40
 *	seconds = 12.5
 *	[claims fig13.full]
 *	small-p99 = disagrees | 0.31 ±0.02, 5 seeds
 *	large-mean = fitted (agrees) | 1.02 ±0.01, 5 seeds | in 1 of 5 runs 2 of 100 flows did not
 * end
 *
 * A figure in one size: which version of Weir its runs are of, the digest of what was judged, how
 * many runs there were and what they took on one core. Then its claims: the verdict, in brackets
 * what the numbers alone would say where that is another, what was measured, and why its runs are
 * no whole results. Where the digest is another today, the verdicts are out of date. This is their
 * one place; weir reproduce --summary --ship writes it. */
#ifndef LAB_REPORT_SHIPPED_H
#define LAB_REPORT_SHIPPED_H
#include "lab/report/figure_report.h"
#include "lab/analysis/verdict.h"

/* Of all that decides the verdicts of a figure in one size: the settings of its scenario, and what
 * its claims measure and expect. Comments, titles and notes decide nothing; nor does [full] where
 * the size is quick. */
int figure_digest(struct digest *d, const char *scenario, const char *claims, enum figure_size size,
		  struct weir_error *e);

/* Of a figure, by its scenario, PAPERS/PAPER/FIGURE.ini; not counted yet. Refuses what it does not
 * understand. On -1 nothing is left to free. */
int shipped_read(struct findings *o, const char *scenario, enum figure_size size,
		 struct weir_error *e);

/* Its part of such a file. */
void shipped_write(FILE *f, const char *figure, enum figure_size size, const struct findings *o);

/* Where that file is, beside a scenario; the caller frees it. */
char *shipped_file(const char *scenario);
#endif
