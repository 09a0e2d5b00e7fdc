/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.h -- FIG.claims: how a paper draws a figure and what it says about it, as data.
 *
 * The form is INI (base/ini.h): one [figure], a [panel NAME] for each part of the drawing, a
 * [claim NAME] for each sentence that can be checked. Whatever is unknown, missing or in the wrong
 * unit is refused with FILE:LINE. Judging is verdict.h's business. */
#ifndef LAB_ANALYSIS_CLAIMS_H
#define LAB_ANALYSIS_CLAIMS_H
#include "lab/analysis/flow_share.h"
#include "lab/analysis/selection.h"
#include "lab/analysis/series_metric.h"

/* The default size of a scenario and that of the paper (--full). */
enum figure_size { FIGURE_QUICK, FIGURE_FULL };

enum panel_kind {
	PANEL_LINES, /* y against a swept setting */
	PANEL_BARS,
	PANEL_CDF,   /* of the flows' completion times or slowdowns */
	PANEL_TIME,  /* a probe's series */
	PANEL_SIZES, /* a metric of flows against their size */
};

struct panel {
	char *name; /* "a" */
	int line;   /* of its header, for messages */
	enum panel_kind kind;
	char *title; /* "" where there is none */
	/* lines, bars: a metric of `weir table`; cdf: "fct" or "slowdown"; time: names of series,
	 * "queue sw->h0"; sizes: a metric of all flows, "slowdown_p99". One, but time may have
	 * several, divided by commas. */
	uint32_t y_count;
	char **y;
	char *x;                 /* lines: path of a setting; otherwise NULL */
	char *by;                /* path of what tells lines apart; "case" where nothing is said */
	char *normalize;         /* value of by that the others are relative to, or NULL */
	char *x_label, *y_label; /* NULL: not given */
	char *sizes;             /* sizes: where these are divided; NULL: by tenths of the flows */
	char *axes; /* panels of one word have equal axes, "own": none has; NULL: as they are alike
		     */
	double x_scale; /* what values of x are multiplied with; 1 unless given */
	struct selection where;
};

#define PANEL_AXES_OWN "own"

/* Are both to be compared, and drawn over equal axes? In panel_axes.c. */
int panels_share_axes(const struct panel *a, const struct panel *b);

/* Why a claim fails: what its note begins with. */
enum claim_why {
	WHY_NOT_SAID,
	WHY_SILENT,      /* the paper does not say what decides it */
	WHY_FAILS,       /* it is not reproduced here, by an experiment */
	WHY_SIZE,        /* quick runs are too few or too short to tell */
	WHY_UNEXPLAINED, /* by nothing that was tried */
	WHYS,
};

/* "paper silent", "not reproduced here"; and as a sentence that a note ends: "Not reproduced here:
 * ". */
const char *why_name(enum claim_why why);
const char *why_begin(enum claim_why why);

struct claim {
	char *name; /* "small-p99-against-ecn-sharp" */
	int line;
	char *says, *section;
	char *note; /* "" where there is none */
	enum claim_why why;
	char *metric; /* as written */
	int is_series, is_share;
	struct series_metric series; /* where is_series */
	struct flow_share share;     /* where is_share */
	struct selection of;         /* count 0: nothing is said, all runs */
	struct selection over;       /* count 0: there is none, it is no ratio */
	/* Of expected and measured: "ns", "s", "pkts", "bytes", "bps"; "" of a ratio or number. */
	char unit[16];
	/* What the paper says: a value, low == high, or a range; -INFINITY, INFINITY where it is
	 * open. */
	double low, high;
	double tolerance;               /* share: 0.25; 0 for a range unless it is given */
	double accept_low, accept_high; /* with the tolerance: what agrees */
	/* What the other outcome would be. NAN: there is no direction; who says that two are alike
	 * has none. */
	double against;
	/* Path of a setting, or NULL. "Up to X %" is said of the best point of a sweep over it: the
	 * one whose mean is the farthest on the paper's side of against. */
	char *best;
	/* Claims of a figure with the same word are parts of one sentence of the paper; NULL: a
	 * sentence is this claim alone. */
	char *sentence;
	char *contradicts; /* which other passage of the paper says something else; NULL: none */
	char *fitted;      /* which setting was chosen by this number, and why; NULL: none was */
	enum figure_size size; /* FULL: judged only with --full */
};

struct figure {
	char *file;                  /* for messages */
	char *title, *paper, *about; /* about "" where there is none */
	/* How long its runs take on one core, by size; 0: not said. */
	double seconds[FIGURE_FULL + 1];
	uint32_t panel_count, claim_count;
	struct panel *panels; /* in the order of the file */
	struct claim *claims;
};

/* On -1 nothing is left to free. */
int figure_read(struct figure *f, const char *file, struct weir_error *e);
int figure_read_text(struct figure *f, const char *file, const char *text, size_t length,
		     struct weir_error *e);
void figure_free(struct figure *f);

/* Do its claims or panels read flows, or only numbers that every run has of itself? */
int figure_reads_flows(const struct figure *f);

/* Before anything runs: do the selections, series and settings that the figure names exist among
 * the runs of its scenario, and does a claim select runs that differ in their seeds alone? runs are
 * all of that size, with their settings (planned.h). Claims of the full size are looked at with
 * FIGURE_FULL only. */
int figure_check(const struct figure *f, const struct stored_runs *runs, enum figure_size size,
		 struct weir_error *e);

/* A text for people. */
struct claim_text {
	char text[160];
};

/* What the paper says, and in brackets what agrees with it where that is more: "0.32 (0.24..0.4)",
 * "1.4 ms (1.12 ms..1.68 ms)", "0.88..0.96", "at least 1.1". */
struct claim_text claim_expected(const struct claim *c);

/* Where there is a direction: is more expected than "against", or less? */
int claim_is_above(const struct claim *c);

/* "less than 1", "more than 25 pkts": what has the same direction; "": nothing has. */
struct claim_text claim_direction(const struct claim *c);

/* A number of that unit: "1.4 ms", "23 pkts", "0.32". */
struct claim_text claim_number(double number, const char *unit);
#endif
