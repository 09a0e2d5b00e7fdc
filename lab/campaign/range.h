/* SPDX-License-Identifier: BSD-3-Clause */
/* range.h -- what weir choose looks through: "switch.marking.min=5KB..500KB", or values one by one,
 * "switch.marking=ecn, tcn". Quantities with a unit are drawn on a logarithmic scale, since what
 * matters of a length, a time or a rate is its ratio to others; plain numbers and fractions on a
 * linear one. */
#ifndef LAB_CAMPAIGN_RANGE_H
#define LAB_CAMPAIGN_RANGE_H
#include "lab/scenario/sweep.h"

enum range_scale { RANGE_LINEAR, RANGE_LOG, RANGE_LIST };

struct range {
	char *path;
	char *text; /* after the =, as written */
	enum range_scale scale;
	double low, high; /* in the unit */
	char unit[16];
	int is_whole;
	struct text_list list;
};

/* On -1 nothing is left to free. */
int range_read(struct range *r, const char *text, struct weir_error *e);
void range_free(struct range *r);

/* The value at a share of the range, 0 to 1, in three digits, as a user would write it. Returns
 * buffer. */
const char *range_value(const struct range *r, double share, char *buffer, size_t size);

/* A Latin hypercube: count points in the unit cube of so many dimensions, shares[point * dimensions
 * + d]. Each of the count equal slices of each dimension holds one point. */
void hypercube_draw(double *shares, uint32_t count, uint32_t dimensions, uint64_t seed);
#endif
