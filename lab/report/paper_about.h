/* SPDX-License-Identifier: BSD-3-Clause */
/* paper_about.h -- what a paper is called, who wrote it and where it is found:
 * PAPERS/PAPER/paper.about.
 *
 *	[paper]
 *	title = Enabling ECN over Generic Packet Scheduling
 *	authors = ...
 *	venue = CoNEXT 2016
 *	doi = 10.1145/2999572.2999575
 *
 * Memory that is missing ends the program. */
#ifndef LAB_REPORT_PAPER_ABOUT_H
#define LAB_REPORT_PAPER_ABOUT_H
#include "weir/error.h"

enum about_key { ABOUT_TITLE, ABOUT_AUTHORS, ABOUT_VENUE, ABOUT_DOI, ABOUT_KEYS };

struct paper_about {
	char *text[ABOUT_KEYS]; /* NULL: not said */
};

/* Of the paper that a figure's file, PAPERS/PAPER/FIGURE.ini, belongs to; nothing where there is no
 * such file. Refuses what it does not know. On -1 nothing is left to free. */
int paper_about_read(struct paper_about *p, const char *figure_file, struct weir_error *e);
void paper_about_free(struct paper_about *p);
#endif
