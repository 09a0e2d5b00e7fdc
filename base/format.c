/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c -- numbers as text, see text.h: four digits in a display unit for people, the shortest
 * exact decimal for programs. */
#include "base/text.h"
#include "weir/compiler.h"
#include "weir/option.h"
#include "weir/units.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- for people: four significant digits --- */

static const struct unit_scale format_time_scales[] = { { 1, "ns" },
							{ WEIR_NS_PER_US, "us" },
							{ WEIR_NS_PER_MS, "ms" },
							{ WEIR_NS_PER_S, "s" },
							{ 0, NULL } };
static const struct unit_scale format_rate_scales[] = { { 1, "b/s" },     { 1e3, "Kb/s" },
							{ 1e6, "Mb/s" },  { 1e9, "Gb/s" },
							{ 1e12, "Tb/s" }, { 0, NULL } };
static const struct unit_scale format_byte_scales[] = { { 1, "B" },     { 1e3, "KB" },
							{ 1e6, "MB" },  { 1e9, "GB" },
							{ 1e12, "TB" }, { 0, NULL } };
static const struct unit_scale format_second_scales[] = { { 1, "s" }, { 0, NULL } };
static const struct unit_scale format_packet_scales[] = { { 1, "pkts" }, { 0, NULL } };
static const struct unit_scale format_percent_scales[] = { { 0.01, "%" }, { 0, NULL } };
static const struct unit_scale format_plain_scales[] = { { 1, "" }, { 0, NULL } };

const struct unit_scale *unit_scales(const char *unit)
{
	static const struct {
		const char *unit;
		const struct unit_scale *scales;
	} all[] = { { "ns", format_time_scales },     { "s", format_second_scales },
		    { "bps", format_rate_scales },    { "bytes", format_byte_scales },
		    { "pkts", format_packet_scales }, { "%", format_percent_scales } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].unit, unit) == 0)
			return all[i].scales;
	return format_plain_scales;
}

/* 999.95 would round to 1000 of this unit, so the next one is used from there on. */
static struct format_text format_scaled(double value, const struct unit_scale *s)
{
	struct format_text h = { "-" };

	if (isnan(value))
		return h;
	while (s[1].label && fabs(value) >= 0.99995 * s[1].factor)
		s++;
	snprintf(h.text, sizeof(h.text), "%.4g %s", value / s->factor, s->label);
	return h;
}

struct format_text format_time(double ns)
{
	return format_scaled(ns, format_time_scales);
}

struct format_text format_rate(double bps)
{
	return format_scaled(bps, format_rate_scales);
}

struct format_text format_bytes(double bytes)
{
	return format_scaled(bytes, format_byte_scales);
}

struct format_text format_percent(double fraction)
{
	return format_scaled(fraction, format_percent_scales);
}

struct format_text format_duration(double seconds)
{
	struct format_text h;
	long long whole = (long long)(seconds + 0.5);

	if (seconds < 9.95)
		snprintf(h.text, sizeof(h.text), "%.1f s", seconds);
	else if (whole < 60)
		snprintf(h.text, sizeof(h.text), "%lld s", whole);
	else if (whole < 3600)
		snprintf(h.text, sizeof(h.text), "%lld min %02lld s", whole / 60, whole % 60);
	else
		snprintf(h.text, sizeof(h.text), "%lld h %02lld min", whole / 3600,
			 whole / 60 % 60);
	return h;
}

/* Inserts a comma before every three digits from the right. */
static void format_group_digits(char *text, size_t size)
{
	size_t length = strlen(text), commas = (length - 1) / 3;

	if (length + commas >= size)
		return;
	text[length + commas] = '\0';
	for (size_t i = 0; i < length; i++) {
		size_t from = length - 1 - i, to = from + commas - i / 3;

		text[to] = text[from];
		if (i % 3 == 2 && from > 0)
			text[to - 1] = ',';
	}
}

struct format_text format_count(double number)
{
	struct format_text h = { "-" };

	if (isnan(number))
		return h;
	if (number < 0 || number > 1e15 || (number != floor(number) && number < 1e4)) {
		snprintf(h.text, sizeof(h.text), "%.4g", number);
		return h;
	}
	snprintf(h.text, sizeof(h.text), "%.0f", number);
	format_group_digits(h.text, sizeof(h.text));
	return h;
}

struct format_text format_quantity(double value, const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		return format_time(value);
	if (strcmp(unit, "s") == 0)
		return format_time(value * WEIR_NS_PER_S);
	if (strcmp(unit, "bps") == 0)
		return format_rate(value);
	if (strcmp(unit, "bytes") == 0)
		return format_bytes(value);
	return format_count(value);
}

/* --- for programs: the shortest decimal that reads back as the same double ---
 *
 * strtod returns the nearest double, so every decimal within half the distance to the neighbouring
 * doubles stands for the number. Tables of flows hold one such number per row, so printf with 15,
 * 16 and 17 digits is the slow path only. */

/* A decimal of up to DBL_DIG digits survives a round trip through a double; so where DBL_DIG digits
 * suffice they are the shortest, but for trailing zeros, which %g omits. Subnormal numbers have
 * fewer digits, so all lengths are tried. */
static struct format_text format_exact_by_trial(double value)
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

/* A number with a fraction: mantissa / 2^shift, mantissa of 53 bits. */
struct format_binary {
	uint64_t mantissa;
	int shift;
};

/* Range of the fast path. From 1e-4 up the shift is at most 52 + 14, so a further digit fits 128
 * bits. */
static const double exact_least = 1e-4, exact_most = 1e15;

/* Returns 0 for numbers that need an exponent, and for powers of two, whose two neighbours are not
 * equally far away. */
static int format_is_plain(double value, struct format_binary *b)
{
	int exponent;
	double fraction;

	if (!(value >= exact_least && value < exact_most))
		return 0;
	fraction = frexp(value, &exponent);
	b->mantissa = (uint64_t)ldexp(fraction, DBL_MANT_DIG);
	b->shift = DBL_MANT_DIG - exponent;
	return fraction > 0.5;
}

/* Steele and White, "How to Print Floating-Point Numbers Accurately", PLDI 1990: digits are
 * generated until the rest is less than half the distance to a neighbour, or exceeds the next digit
 * up by less than that; all in units of 2^-shift / 2. A number of so few digits never lies exactly
 * half-way: that takes shift + 1 of them behind the point. Of two equally near last digits the even
 * one is written, as printf does. No digit becomes ten: the one before it would have been the
 * last. */
static void format_write_fraction(char *text, const struct format_binary *b)
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
	struct format_binary b;
	struct format_text h;
	int length;

	/* 1000000 instead of 1e+06, and as exact. */
	if (fabs(value) < exact_most && value == floor(value)) {
		snprintf(h.text, sizeof(h.text), "%.0f", value);
		return h;
	}
	if (!format_is_plain(fabs(value), &b))
		return format_exact_by_trial(value);
	length = snprintf(h.text, sizeof(h.text), "%s%llu.", value < 0 ? "-" : "",
			  (unsigned long long)(b.shift < 64 ? b.mantissa >> b.shift : 0));
	format_write_fraction(h.text + length, &b);
	return h;
}

struct format_text format_exact_ps(uint64_t ps)
{
	static const struct weir_option time = { "time", WEIR_OPT_TIME_PS, 0,  NULL,
						 0,      UINT64_MAX,       "", NULL };
	struct format_text t;

	weir_option_format(t.text, sizeof(t.text), &time, &ps);
	return t;
}
