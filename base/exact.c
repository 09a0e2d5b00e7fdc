/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.c -- the shortest text of a number that reads back as the same number.
 *
 * Whoever reads takes the nearest double, so every decimal number that is nearer to a double than
 * half the way to its neighbours stands for it. Tables of flows have one such number a row. */
#include "weir/compiler.h"
#include "base/text.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Every decimal number of up to DBL_DIG digits comes back from a double as it was, so that where
 * DBL_DIG digits are enough, they are the shortest but for zeros at the end, which %g leaves out.
 * Subnormal numbers have fewer digits, and all are tried. */
static struct format_text by_trial(double value)
{
	int digits = fabs(value) >= DBL_MIN ? DBL_DIG : 1;
	struct format_text h;

	for (; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(h.text, sizeof(h.text), "%.*g", digits, value);
		if (strtod(h.text, NULL) == value)
			break;
	}
	return h;
}

/* A number that is no whole one, as mantissa / 2^shift with a mantissa of 53 bits. */
struct binary {
	uint64_t mantissa;
	int shift;
};

/* 1e-4 and 2^-shift leave room for another digit in 128 bits: the shift is at most 52 + 14. */
static const double plain_least = 1e-4, plain_most = 1e15;

/* 0: it is outside of what is written without an exponent, or a power of two, whose neighbours are
 * not equally far. */
static int is_plain(double value, struct binary *b)
{
	int exponent;
	double fraction;

	if (!(value >= plain_least && value < plain_most))
		return 0;
	fraction = frexp(value, &exponent);
	b->mantissa = (uint64_t)ldexp(fraction, DBL_MANT_DIG);
	b->shift = DBL_MANT_DIG - exponent;
	return fraction > 0.5;
}

/* Digit by digit, until what is left is less than half the way to a neighbour, or what the next
 * digit would have too much is (Steele and White, PLDI 1990), in units of 2^-shift / 2. No number
 * of so few digits lies half the way: that takes shift + 1 of them behind the point. Of two last
 * digits that are equally near the even one is taken, as printf does. No digit is ten: the one
 * before it would have been the last. */
static void write_fraction(char *text, const struct binary *b)
{
	const weir_u128 one = (weir_u128)1 << (b->shift + 1);
	weir_u128 rest = ((weir_u128)b->mantissa << 1) & (one - 1), half = 1;
	int is_last = 0;

	while (!is_last) {
		unsigned digit;

		rest *= 10;
		half *= 10;
		digit = (unsigned)(rest >> (b->shift + 1));
		rest &= one - 1;
		is_last = rest < half || one - rest < half;
		if (is_last && (2 * rest > one || (2 * rest == one && digit % 2 == 1)))
			digit++;
		*text++ = (char)('0' + digit);
	}
	*text = '\0';
}

struct format_text format_exact(double value)
{
	struct binary b;
	struct format_text h;
	int length;

	/* 1000000 reads better than 1e+06, and is no less exact. */
	if (fabs(value) < plain_most && value == floor(value)) {
		snprintf(h.text, sizeof(h.text), "%.0f", value);
		return h;
	}
	if (!is_plain(fabs(value), &b))
		return by_trial(value);
	length = snprintf(h.text, sizeof(h.text), "%s%llu.", value < 0 ? "-" : "",
			  (unsigned long long)(b.shift < 64 ? b.mantissa >> b.shift : 0));
	write_fraction(h.text + length, &b);
	return h;
}
