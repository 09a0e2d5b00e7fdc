/* shipped.h -- verdicts that Weir comes with, so that a reader knows what to expect before anything is run:
 * PAPERS/PAPER/paper.verdicts.
 *
 *	[verdicts]
 *	fig13 = 0.2.0 0a1b2c3d4e5f6071: 8 2 1 0 0 0 0 0 / 5 1 1 0 0 0 0 0 / 0 1 0 0 0
 *	fig13.full = 0.2.0 8796a5b4c3d2e1f0: 9 1 1 0 0 0 0 0 / 6 0 1 0 0 0 0 0 / 0 1 0 0 0
 *
 * A line is a figure in one size: which version of Weir it came out of, the digest of what was judged, and how
 * many of its claims have each verdict, in the order of enum verdict_kind; then how many of its sentences; then
 * why claims that disagree do, in the order of enum claim_why. Without these, nothing is said of why.
 * Where the digest is another today, the verdicts are out of date. This is their one place;
 * weir reproduce --summary --ship writes it. */
#ifndef LAB_PAPERS_SHIPPED_H
#define LAB_PAPERS_SHIPPED_H
#include "lab/papers/figure_report.h"
#include "sim/base/digest.h"

enum { SHIPPED_VERSION_SIZE = 32 };

struct shipped {
	char version[SHIPPED_VERSION_SIZE]; /* "": nothing is shipped */
	struct digest digest;
	struct verdict_counts claims, sentences;
	struct why_counts whys;
};

/* Of all that decides the verdicts of a figure in one size: the settings of its scenario, and what its claims
 * measure and expect. Comments, titles and notes decide nothing; nor does [full] where the size is quick. */
int figure_digest(struct digest *d, const char *scenario, const char *claims, enum figure_size size,
		  struct weir_error *e);

/* Of a figure, by its scenario, PAPERS/PAPER/FIGURE.ini. Refuses what it does not understand. */
int shipped_read(struct shipped *s, const char *scenario, enum figure_size size,
		 struct weir_error *e);

/* A line of such a file. */
void shipped_write(FILE *f, const char *figure, enum figure_size size, const struct shipped *s);

/* Where that file is, beside a scenario; the caller frees it. */
char *shipped_file(const char *scenario);
#endif
