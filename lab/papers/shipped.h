/* shipped.h -- verdicts that Weir comes with, so that a reader knows what to expect before anything is run:
 * PAPERS/PAPER/paper.verdicts.
 *
 *	[verdicts]
 *	fig13 = 0.2.0: 8 2 1 0 0
 *	fig13.full = 0.1.0: 9 1 1 0 0
 *
 * A line is a figure in one size: which version of Weir it came out of, and how many of its claims agree, have the
 * same direction, disagree, are not judged at this size and were not measured. This is their one place;
 * weir reproduce --summary --ship writes it. */
#ifndef LAB_PAPERS_SHIPPED_H
#define LAB_PAPERS_SHIPPED_H
#include "lab/papers/figure_report.h"

enum { SHIPPED_VERSION_SIZE = 32 };

struct shipped {
	char version[SHIPPED_VERSION_SIZE]; /* "": nothing is shipped */
	struct verdict_counts counts;
};

/* Of a figure, by its scenario, PAPERS/PAPER/FIGURE.ini. Refuses what it does not understand. */
int shipped_read(struct shipped *s, const char *scenario, enum figure_size size,
		 struct weir_error *e);

/* A line of such a file. */
void shipped_write(FILE *f, const char *figure, enum figure_size size, const struct shipped *s);

/* Where that file is, beside a scenario; the caller frees it. */
char *shipped_file(const char *scenario);
#endif
