/* SPDX-License-Identifier: BSD-3-Clause */
/* quantity.h -- a number with its unit, as people write them in claims: "1.4ms", "23pkts",
 * "9.4Gbps", "0.32", "32%".
 *
 * Units are those of options (weir/option.h). What is read is in the unit of its kind: times in ns,
 * lengths in bytes or pkts, rates in bps, plain numbers and percentages in "". */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H
#include "weir/error.h"

struct quantity {
	double number;
	const char *unit; /* "ns", "bytes", "bps", "pkts" or "" */
};

int quantity_read(struct quantity *q, const char *text, struct weir_error *e);

/* The number in that unit, of a metric or series. A metric in s is a time, and packets may be given
 * as a plain number. Refuses another kind of unit; text is what was read. */
int quantity_in(const struct quantity *q, const char *text, const char *unit, double *number,
		struct weir_error *e);

/* "10ms..20ms", "1.1.." or "..0.9". An open end has the unit of the other. */
struct quantity_range {
	int has_low, has_high;
	struct quantity low, high;
};

int quantity_range_read(struct quantity_range *r, const char *text, struct weir_error *e);

/* Are these the same kind of unit, as above? */
int unit_fits(const char *read, const char *unit);

/* Are two numbers the same but for rounding? */
int is_same_number(double a, double b);
#endif
