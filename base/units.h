/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h -- the units that users write, and decimal numbers read without rounding. Freestanding;
 * called by the option parser (weir/option.h) and base/quantity.h.
 *
 * "1.5us" splits into a decimal and a unit; the decimal times the unit's factor is a whole number
 * or an error. Only fractions are rounded, to the nearest 2^-32. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H
#include "weir/option.h"
#include <stddef.h>
#include <stdint.h>

struct unit {
	const char *name; /* NULL ends a table */
	uint64_t factor;  /* in stored units; those of the first entry of a table, which has 1 */
	uint64_t kind;    /* bits added to the stored number, such as WEIR_LENGTH_IN_PACKETS */
};

/* Every unit that Weir reads. k = 1000, Ki = 1024. */
extern const struct unit weir_ns_units[], weir_ps_units[], weir_byte_units[], weir_packet_units[],
	weir_length_units[], /* bytes or packets */
	weir_rate_units[];

/* The units that values of the type are read in. NULL: the type has none. */
const struct unit *weir_option_units(enum weir_opt_type type);

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
	size_t digit_count; /* without trailing zeros */
};

/* Reads "12", "0.05"; *end is the first character after the number. */
enum number_fault weir_decimal_read(struct decimal *d, const char *text, const char **end);

/* The decimal times the factor, a power of ten or two. */
enum number_fault weir_decimal_times(const struct decimal *d, uint64_t factor, uint64_t *product);

/* Reads "0.05", "5%" or "1/16", which must be the whole text, times 2^32, to the nearest. */
enum number_fault weir_fraction_read(const char *text, uint64_t *value_q32);

/* NULL: there is no unit of that name. */
const struct unit *weir_unit_find(const struct unit *units, const char *name);

/* The value as the shortest whole number with a unit of the table. Returns buffer. */
const char *weir_quantity_format(char *buffer, size_t size, uint64_t value,
				 const struct unit *units);

/* The shortest decimal that weir_fraction_read turns into the same value. Returns buffer. */
const char *weir_fraction_format(char *buffer, size_t size, uint64_t value_q32);
#endif
