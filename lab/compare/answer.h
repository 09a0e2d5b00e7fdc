/* answer.h -- who wins, in a sentence: the scheme whose small flows have the shortest tail, by how much run for
 * run of the same seed, and what its large flows pay. One sentence for each traffic section. */
#ifndef LAB_COMPARE_ANSWER_H
#define LAB_COMPARE_ANSWER_H
#include "lab/compare/compare.h"

/* Who hears it, a line at a time. */
struct answer_ear {
	void (*say)(void *context, const char *line);
	void *context;
};

/* Of the runs of a comparison, where one setting that is no number (a scheme, a case) tells them apart; else
 * nothing is said. baseline: what others are compared with, as for --normalize-to; NULL: ecn where there is
 * one, or the first. -1: it is not among them; -2: the store cannot be read. */
int answer_say(const struct comparison *c, struct store *s, const char *baseline,
	       const struct answer_ear *ear, struct weir_error *e);

/* The axis that the sentence is about, or -1; and the value that others are compared with unless somebody names
 * one. */
int answer_axis(const struct comparison *c);
const char *answer_baseline(const struct comparison *c, int axis);
#endif
