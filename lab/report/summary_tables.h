/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_tables.h -- the tables of a summary; between the files that write it. */
#ifndef LAB_REPORT_SUMMARY_TABLES_H
#define LAB_REPORT_SUMMARY_TABLES_H
#include "lab/report/document.h"
#include "lab/report/reproduce.h"

/* What a page or a document says of a figure; NULL: nothing. */
const struct findings *summary_shown(const struct document *d, const struct summary_entry *y,
				     int size);

/* "PRED" of "PRED, Figure 13, section 6.3.1". */
struct report_text summary_paper_name(const struct summary_entry *y);

/* Is the figure the first of its paper? */
int summary_begins_paper(const struct summary *y, uint32_t i);

/* All papers, by claims and by sentences. */
void summary_papers(const struct document *d, const struct summary *s);

/* The figures of the paper that begins there. */
void summary_figures(const struct document *d, const struct summary *s, uint32_t first);

/* The claims that are not as the paper says, figure by figure, with what is known of the reason;
 * and those whose runs did not end well. */
void summary_claims(const struct document *d, const struct summary *s);
#endif
