/* reproduce.h -- what weir reproduce prints; used between its files. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H
#include "lab/campaign/figure_job.h"

/* A line a claim: verdict, claim, expected, measured; then why claims were not measured. */
void print_claims(const struct figure *f, const struct verdict *verdicts);

/* "pred/fig13: 8 agree, 2 same direction, 1 disagrees". */
void print_counts(const char *label, const struct verdict_counts *counts);

/* Every figure with its size, its time and what is known of its claims. Returns an exit status. */
int list_figures(const struct figure_list *l, const char *out);

#endif
