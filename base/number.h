/* SPDX-License-Identifier: BSD-3-Clause */
/* number.h -- decimal numbers and units exactly as written, without floating point.
 *
 * Used by the option parser. "1.5us" is split into a decimal and a unit; the decimal times the
 * unit's factor is a whole number or an error: nothing is rounded, except fractions to the nearest
 * 2^-32. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H
#include <stddef.h>
#include <stdint.h>

struct unit {
	const char *name; /* NULL ends a table; the first is the one stored numbers are in */
	uint64_t factor;
	uint64_t kind; /* bits added to the stored number, such as WEIR_LENGTH_IN_PACKETS */
};

enum number_fault {
	NUMBER_FINE,
	NUMBER_NONE, /* no digit where one must be */
	NUMBER_TOO_LARGE,
	NUMBER_NOT_WHOLE,
	NUMBER_DIVIDES_BY_ZERO,
};

/* whole + 0.digits; points into the text it was read from. */
struct decimal {
	uint64_t whole;
	const char *digits;
	size_t digit_count; /* without zeros at the end */
};

/* Reads "12", "0.05"; *end is the first character after the number. */
enum number_fault weir_decimal_read(struct decimal *d, const char *text, const char **end);

/* The decimal times the factor, a power of ten or two. */
enum number_fault weir_decimal_times(const struct decimal *d, uint64_t factor, uint64_t *product);

/* "0.05", "5%" or "1/16" times 2^32, to the nearest; the whole text must be that. */
enum number_fault weir_fraction_read(const char *text, uint64_t *value_q32);

/* The unit of that name, or NULL. */
const struct unit *weir_unit_find(const struct unit *units, const char *name);

/* The value as the shortest whole number with a unit; the first unit has factor 1. Returns
 * buffer. */
const char *weir_quantity_format(char *buffer, size_t size, uint64_t value,
				 const struct unit *units);

/* Shortest decimal that weir_fraction_read turns into the same value. Returns buffer. */
const char *weir_fraction_format(char *buffer, size_t size, uint64_t value_q32);
#endif
