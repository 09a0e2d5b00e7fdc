/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.h -- FIG.claims: how a paper draws a figure and what it claims about it, as data.
 *
 * The format is INI (base/ini.h): one [figure], a [panel NAME] for each part of the drawing, a
 * [claim NAME] for each statement that can be checked, and a [reading NAME] for each other way to
 * read what the paper leaves open. Unknown keys, missing keys and wrong units are errors with
 * FILE:LINE. verdict.h judges the claims. */
#ifndef LAB_ANALYSIS_CLAIMS_H
#define LAB_ANALYSIS_CLAIMS_H
#include "base/digest.h"
#include "base/ini.h"
#include "lab/analysis/claim_metric.h"
#include "lab/analysis/selection.h"

/* The size of the experiment: QUICK is the scenario's default, FULL (--full) the paper's. */
enum figure_size { FIGURE_QUICK, FIGURE_FULL };

enum panel_kind {
	PANEL_LINES, /* y over a swept setting */
	PANEL_BARS,
	PANEL_CDF,   /* distribution of flow completion times or slowdowns */
	PANEL_TIME,  /* time series of a probe */
	PANEL_SIZES, /* metric of flows over flow size */
};

struct panel {
	char *name; /* "a" */
	int line;   /* line of its header, for messages */
	enum panel_kind kind;
	char *title; /* "" if not given */
	/* lines, bars: a metric of `weir table`; cdf: "fct" or "slowdown"; time: names of series,
	 * "queue sw->h0"; sizes: a metric of all flows, "slowdown_p99". Exactly one, except that
	 * time allows several, separated by commas. */
	uint32_t y_count;
	char **y;
	char *x;                 /* lines: path of the swept setting; otherwise NULL */
	char *by;                /* path of the setting that distinguishes lines; default "case" */
	char *normalize;         /* value of `by` that the others are divided by, or NULL */
	char *x_label, *y_label; /* NULL: default labels */
	char *sizes; /* sizes: boundaries of the size ranges; NULL: deciles of the flows */
	char *axes;  /* panels with the same word share axes; "own": never shared; NULL: shared if
			the panels are alike */
	double x_scale; /* factor for the values of x; default 1 */
	struct selection where;
};

#define PANEL_AXES_OWN "own"

/* Are two panels meant to be compared, and so drawn with equal axes? Defined in panel_axes.c. */
int panels_share_axes(const struct panel *a, const struct panel *b);

/* Why a claim fails, as the prefix of its note states. */
enum claim_why {
	WHY_NOT_SAID,
	WHY_SILENT,      /* the paper omits a parameter that decides the outcome */
	WHY_FAILS,       /* an experiment, which the note names, that should show it does not */
	WHY_SIZE,        /* quick runs are too few or too short to decide */
	WHY_UNEXPLAINED, /* no experiment has found the reason */
	WHYS,
};

/* "paper silent", "shown by experiment"; and the words that start a note: "Shown by experiment: ".
 */
const char *why_name(enum claim_why why);
const char *why_begin(enum claim_why why);

struct claim {
	char *name; /* "small-p99-against-ecn-sharp" */
	int line;
	char *says, *section;
	char *note; /* "" if not given */
	enum claim_why why;
	char *metric; /* as written in the file */
	int is_series, is_share;
	struct series_metric series; /* valid if is_series */
	struct flow_share share;     /* valid if is_share */
	struct selection of;         /* selects the runs; count 0: all runs */
	struct selection
		over; /* selects the denominator's runs; count 0: the claim is not a ratio */
	/* Unit of expected and measured: "ns", "s", "pkts", "bytes", "bps"; "" for ratios and plain
	 * numbers. */
	char unit[16];
	/* The paper's value (low == high) or range; -INFINITY or INFINITY for an open end. */
	double low, high;
	double tolerance; /* relative: 0.25 is 25 %; default 0 for a range */
	double accept_low,
		accept_high; /* low and high widened by the tolerance: numbers in here agree */
	/* The value on the other side of which the claim's direction would be reversed. NAN: the
	 * claim has no direction, such as one that two values are equal. */
	double against;
	/* Path of a swept setting, or NULL. For claims of the form "up to X %": judged at the point
	 * of the sweep whose mean is farthest from `against` on the paper's side. */
	char *best;
	/* Claims of a figure with the same word are parts of one sentence of the paper; NULL: the
	 * claim is a sentence of its own. */
	char *sentence;
	char *contradicts; /* which other passage of the paper contradicts this one; NULL: none */
	char *fitted;      /* which setting was fitted to this number, and why; NULL: none */
	enum figure_size size; /* FULL: judged with --full only */
	/* Number of the reading that the claim is judged by; NO_READING: a claim of the paper. A
	 * claim of a reading is named CLAIM@READING and is a copy of claim number `original` with
	 * other runs or another metric. */
	int reading;
	uint32_t original;
	/* Of the settings of the selected cases, by size; "": not determined. */
	struct digest cases[FIGURE_FULL + 1];
};

enum { NO_READING = -1 };

/* Another way to read what the paper leaves open. With another metric or other runs, claims are
 * judged by it, too, and shown beside their verdicts, but never counted. */
struct reading {
	char *name;
	int line;
	char *says, *source;
	char *result; /* outcome of an experiment outside the figure; NULL: none */
	char *metric; /* replaces that of the claims; NULL: unchanged */
	/* Conditions that replace those of `of` and `over` with the same path, or are added. */
	struct selection where;
	/* Replaced values of "case", as pairs: path is the claim's case, value the reading's. */
	struct selection cases;
	uint32_t claim_count;
	char **claims; /* names of the claims it is about; none: all whose runs or metric change */
};

struct figure {
	char *file;                  /* for messages */
	char *title, *paper, *about; /* about: "" if not given */
	char *because; /* why it is not, or only partly, reproduced; NULL: by the claims' reasons */
	/* Duration of all runs on one core, by size; 0: not given. */
	double seconds[FIGURE_FULL + 1];
	uint32_t panel_count, claim_count, reading_count;
	struct panel *panels; /* in file order */
	/* claim_count claims of the paper, then those of readings; judged_count in all. */
	struct claim *claims;
	uint32_t judged_count;
	struct reading *readings;
};

/* On -1 there is nothing to free. */
int figure_read(struct figure *f, const char *file, struct weir_error *e);
int figure_read_text(struct figure *f, const char *file, const char *text, size_t length,
		     struct weir_error *e);
void figure_free(struct figure *f);

/* Does any claim or panel read per-flow records, rather than metrics that every run stores? */
int figure_reads_flows(const struct figure *f);

/* Checks, before anything runs, that the selections, series and settings named by the figure exist
 * among the runs of its scenario, and that each claim selects runs that differ in the seed only.
 * runs: all planned runs of that size with their settings (planned_runs). Claims of the full size
 * are checked with FIGURE_FULL only. */
int figure_check(const struct figure *f, const struct stored_runs *runs, enum figure_size size,
		 struct weir_error *e);

/* Is the case there for readings alone? A claim of the paper then does not name it. */
int figure_case_is_of_reading(const struct figure *f, const char *name);

/* Text for people. */
struct claim_text {
	char text[160];
};

/* The paper's value, with the accepted range in brackets if that is wider: "0.32 (0.24..0.4)", "1.4
 * ms (1.12 ms..1.68 ms)", "0.88..0.96", "at least 1.1". */
struct claim_text claim_expected(const struct claim *c);

/* 1: the claim expects a value above `against`; 0: below. Only for claims with a direction. */
int claim_is_above(const struct claim *c);

/* Values with the claim's direction: "less than 1", "more than 25 pkts"; "": the claim has no
 * direction. */
struct claim_text claim_direction(const struct claim *c);

/* A number with its unit: "1.4 ms", "23 pkts", "0.32". */
struct claim_text claim_number(double number, const char *unit);

/* --- shared by claims.c, claims_make.c and claims_reading.c: keys and values of one section --- */

enum claims_section_kind { SECTION_FIGURE, SECTION_PANEL, SECTION_CLAIM, SECTION_READING };

enum { CLAIMS_KEYS_MAX = 20 };

struct claims_entry {
	const char *key; /* of the section's key table */
	char *value;
	int line;
};

struct claims_section {
	enum claims_section_kind kind;
	char name[INI_NAME_SIZE];
	int line; /* line of the header; 0: before the first section */
	uint32_t count;
	struct claims_entry entries[CLAIMS_KEYS_MAX];
	int at; /* line of the value being read, for messages */
};

/* The value of a key, or NULL. Later messages refer to the line of this key. */
const char *claims_value(struct claims_section *s, const char *key);

/* Moves the text out of the section; the caller frees it. If the key is absent: "" or NULL, as
 * requested. */
enum absent { ABSENT_IS_EMPTY, ABSENT_IS_NULL };
char *claims_take_value(struct claims_section *s, const char *key, enum absent absent);

/* Both need the section's required keys to be present. Messages start with the key. A rejected
 * panel or claim is freed together with the figure. */
int panel_make(struct panel *p, struct claims_section *s, struct weir_error *e);
int claim_make(struct claim *c, struct claims_section *s, struct weir_error *e);

/* Sets metric and unit of a claim from text. unit NULL: only the store knows it. */
int claim_set_metric(struct claim *c, const char *text, const char **unit, struct weir_error *e);

/* --- claims_reading.c --- */

int reading_make(struct reading *r, struct claims_section *s, struct weir_error *e);
void reading_free(struct reading *r);

/* Is the reading judged by runs of the figure, rather than described? */
int reading_is_judged(const struct reading *r);

/* Appends the claims of a reading to f->claims. Called when all claims are known. */
int reading_add_claims(struct figure *f, uint32_t reading, struct weir_error *e);

/* Frees what a claim owns. */
void claim_free(struct claim *c);
#endif
