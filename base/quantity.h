/* SPDX-License-Identifier: BSD-3-Clause */
/* quantity.h -- numbers with units as claims, constraints and series conditions have them: "1.4ms",
 * "23pkts", "9.4Gbps", "0.32", "32%".
 *
 * The units are those of options (base/units.h). Unlike options, quantities are doubles: times in
 * ns, lengths in bytes or pkts, rates in bps, plain numbers and percentages in "". */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H
#include "weir/error.h"

struct quantity {
	double number;
	const char *unit; /* "ns", "bytes", "bps", "pkts" or "" */
};

int quantity_read(struct quantity *q, const char *text, struct weir_error *e);

/* Converts to the unit of a metric or series. A metric in s accepts times, one in pkts plain
 * numbers. -1 with a message: the kind of unit differs; text is what was read. */
int quantity_in(const struct quantity *q, const char *text, const char *unit, double *number,
		struct weir_error *e);

/* "10ms..20ms", "1.1.." or "..0.9". An open end has the unit of the other end. */
struct quantity_range {
	int has_low, has_high;
	struct quantity low, high;
};

int quantity_range_read(struct quantity_range *r, const char *text, struct weir_error *e);

/* Would quantity_in accept a quantity of unit `read` for `unit`? */
int unit_fits(const char *read, const char *unit);

/* Do the numbers differ by rounding only: by at most 1e-9 of the larger one? */
int is_same_number(double a, double b);
#endif
