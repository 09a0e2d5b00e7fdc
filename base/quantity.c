/* SPDX-License-Identifier: BSD-3-Clause */
/* quantity.c -- see quantity.h. */
#include "base/quantity.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct written_unit {
	const char *name, *base;
	double factor;
} units[] = {
	{ "", "", 1 },
	{ "%", "", 0.01 },
	{ "ps", "ns", 1.0 / WEIR_PS_PER_NS },
	{ "ns", "ns", 1 },
	{ "us", "ns", WEIR_NS_PER_US },
	{ "ms", "ns", WEIR_NS_PER_MS },
	{ "s", "ns", WEIR_NS_PER_S },
	{ "pkts", "pkts", 1 },
	{ "B", "bytes", 1 },
	{ "KB", "bytes", 1e3 },
	{ "MB", "bytes", 1e6 },
	{ "GB", "bytes", 1e9 },
	{ "KiB", "bytes", 1 << 10 },
	{ "MiB", "bytes", 1 << 20 },
	{ "GiB", "bytes", 1 << 30 },
	{ "bps", "bps", 1 },
	{ "Kbps", "bps", 1e3 },
	{ "Mbps", "bps", 1e6 },
	{ "Gbps", "bps", 1e9 },
	{ "Tbps", "bps", 1e12 },
};

enum { UNITS = sizeof(units) / sizeof(units[0]) };

/* How long is the number at the start of the text: digits with a sign, a point and an exponent? */
static size_t number_length(const char *text)
{
	static const char digits[] = "0123456789";
	size_t sign = strspn(text, "+-"), whole = strspn(text + sign, digits),
	       length = sign + whole;
	size_t fraction = 0, exponent;

	if (sign > 1)
		return 0;
	if (text[length] == '.') {
		fraction = strspn(text + length + 1, digits);
		length += 1 + fraction;
	}
	if (whole + fraction == 0)
		return 0;
	if (text[length] == 'e' || text[length] == 'E') {
		exponent = 1 + strspn(text + length + 1, "+-");
		if (exponent <= 2 && strspn(text + length + exponent, digits) > 0)
			length += exponent + strspn(text + length + exponent, digits);
	}
	return length;
}

static int unknown_unit(const char *text, const char *unit, struct weir_error *e)
{
	const char *names[UNITS], *nearest;
	char list[160] = "";
	size_t used = 0;

	for (size_t i = 1; i < UNITS; i++) {
		names[i - 1] = units[i].name;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i > 1 ? ", " : "", units[i].name);
	}
	nearest = weir_nearest_name(unit, names, UNITS - 1);
	return weir_error_set(e, "%s ends in %s, which is no unit (%s%s%s)", weir_quote(text).text,
			      weir_quote(unit).text, list, nearest ? "; nearest: " : "",
			      nearest ? nearest : "");
}

int quantity_read(struct quantity *q, const char *text, struct weir_error *e)
{
	size_t length = number_length(text);
	char number[64];

	if (length == 0 || length >= sizeof(number))
		return weir_error_set(e,
				      "%s is no number, with a unit where it has one, as in 1.4ms",
				      weir_quote(text).text);
	memcpy(number, text, length);
	number[length] = '\0';
	for (size_t i = 0; i < UNITS; i++)
		if (strcmp(units[i].name, text + length) == 0) {
			q->number = strtod(number, NULL) * units[i].factor;
			q->unit = units[i].base;
			return isfinite(q->number) ? 0
						   : weir_error_set(e, "%s is too large",
								    weir_quote(text).text);
		}
	return unknown_unit(text, text + length, e);
}

static int read_end(struct quantity *q, const char *text, size_t length, struct weir_error *e)
{
	char end[64];

	if (length >= sizeof(end))
		return weir_error_set(e, "%s is too long", weir_quote(text).text);
	memcpy(end, text, length);
	end[length] = '\0';
	return quantity_read(q, end, e);
}

int quantity_range_read(struct quantity_range *r, const char *text, struct weir_error *e)
{
	const char *dots = strstr(text, "..");
	size_t length = dots ? (size_t)(dots - text) : 0;

	if (!dots || strlen(text) == strlen(".."))
		return weir_error_set(e, "%s is no range, as in 10ms..20ms, 1.1.. or ..0.9",
				      weir_quote(text).text);
	r->has_low = length > 0;
	r->has_high = dots[2] != '\0';
	if (r->has_low && read_end(&r->low, text, length, e))
		return -1;
	if (r->has_high && read_end(&r->high, dots + 2, strlen(dots + 2), e))
		return -1;
	if (!r->has_low)
		r->low = r->high;
	if (!r->has_high)
		r->high = r->low;
	if (strcmp(r->low.unit, r->high.unit) != 0)
		return weir_error_set(e, "%s: both ends need a unit, and of the same kind",
				      weir_quote(text).text);
	if (r->has_low && r->has_high && r->low.number >= r->high.number)
		return weir_error_set(e, "%s does not end above its start", weir_quote(text).text);
	return 0;
}

int unit_fits(const char *read, const char *unit)
{
	return strcmp(read, unit) == 0 || (strcmp(read, "ns") == 0 && strcmp(unit, "s") == 0) ||
	       (*read == '\0' && strcmp(unit, "pkts") == 0);
}

/* "a time, as in 1.4ms". */
static const char *unit_kind(const char *unit)
{
	static const struct {
		const char *unit, *kind;
	} kinds[] = {
		{ "", "a plain number" },
		{ "ns", "a time (ns, us, ms, s)" },
		{ "s", "a time (ns, us, ms, s)" },
		{ "pkts", "a number of packets (pkts)" },
		{ "bytes", "a size (B, KB, MB, GB, KiB, MiB, GiB)" },
		{ "bps", "a rate (bps, Kbps, Mbps, Gbps, Tbps)" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].unit, unit) == 0)
			return kinds[i].kind;
	return unit;
}

int quantity_in(const struct quantity *q, const char *text, const char *unit, double *number,
		struct weir_error *e)
{
	if (!unit_fits(q->unit, unit))
		return weir_error_set(e, "%s is %s; it must be %s", weir_quote(text).text,
				      unit_kind(q->unit), unit_kind(unit));
	*number = strcmp(unit, "s") == 0 ? q->number / WEIR_NS_PER_S : q->number;
	return 0;
}

int is_same_number(double a, double b)
{
	const double rounding = 1e-9; /* a fraction is stored in 32 bits, a text in ten digits */

	return a == b ||
	       (isfinite(a) && isfinite(b) && fabs(a - b) <= rounding * fmax(fabs(a), fabs(b)));
}
