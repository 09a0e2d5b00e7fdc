/* reproduce.h -- what weir reproduce prints; used between its files. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H
#include "lab/campaign/figure_job.h"

/* A line a claim: verdict, claim, expected, measured; then what is best where, and why claims have no verdict. */
void print_claims(const struct figure *f, const struct verdict *verdicts);

/* Verdicts, of claims and of sentences. */
struct verdict_sums {
	struct verdict_counts claims, sentences;
};

/* "pred/fig13: 8 agree, 2 same direction, 1 disagrees"; and of sentences, where these are fewer. */
void print_counts(const char *label, const struct verdict_sums *sums);

/* Every figure with its size, its time and what is known of its claims. Returns an exit status. */
int list_figures(const struct figure_list *l, const char *out);

#endif
