/* reproduce.h -- what weir reproduce prints; used between its files. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H
#include "lab/papers/reproduce.h"
#include "lab/scenario/sweep.h"

/* A line a claim: verdict, claim, expected, measured; then why claims were not measured. */
void print_claims(const struct figure *f, const struct verdict *verdicts);

/* "pred/fig13: 8 agree, 2 same direction, 1 disagrees". */
void print_counts(const char *label, const struct verdict_counts *counts);

/* Every figure with its size, its time and what is known of its claims. Returns an exit status. */
int list_figures(const struct figure_list *l, const char *out);

/* The scenario and its sweep in that size. On -1 nothing is left to free. */
int sized_scenario(const char *file, enum figure_size size, struct scenario *s, struct sweep *w,
		   struct weir_error *e);
#endif
