/* summary_tables.h -- the tables of a summary; between the files that write it. */
#ifndef LAB_PAPERS_SUMMARY_TABLES_H
#define LAB_PAPERS_SUMMARY_TABLES_H
#include "lab/papers/document.h"
#include "lab/papers/reproduce.h"

/* Is the figure the first of its paper? */
int summary_begins_paper(const struct summary *y, uint32_t i);

/* All papers, by claims and by sentences. */
void summary_papers(const struct document *d, const struct summary *s);

/* The figures of the paper that begins there. */
void summary_figures(const struct document *d, const struct summary *s, uint32_t first);
#endif
