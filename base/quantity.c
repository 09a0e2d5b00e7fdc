/* SPDX-License-Identifier: BSD-3-Clause */
/* quantity.c -- numbers with units as claims have them, see quantity.h. */
#include "base/quantity.h"
#include "base/units.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables of base/units.h as one list, each with the unit that its numbers are converted to. */
static const struct quantity_table {
	const struct unit *units;
	const char *base;
	double per_base; /* stored units of the table in a base unit */
} quantity_tables[] = {
	{ weir_ps_units, "ns", WEIR_PS_PER_NS },
	{ weir_packet_units, "pkts", 1 },
	{ weir_byte_units, "bytes", 1 },
	{ weir_rate_units, "bps", 1 },
};

enum { QUANTITY_TABLES = sizeof(quantity_tables) / sizeof(quantity_tables[0]), UNITS_MAX = 32 };

/* The base unit and the factor of a suffix; NULL: it is no unit. */
static const char *quantity_unit(const char *name, double *factor)
{
	*factor = strcmp(name, "%") == 0 ? 0.01 : 1;
	if (*name == '\0' || strcmp(name, "%") == 0)
		return "";
	for (size_t i = 0; i < QUANTITY_TABLES; i++) {
		const struct unit *u = weir_unit_find(quantity_tables[i].units, name);

		if (u) {
			*factor = (double)u->factor / quantity_tables[i].per_base;
			return quantity_tables[i].base;
		}
	}
	return NULL;
}

/* Length of the number at the start of the text: digits with an optional sign, point and exponent.
 */
static size_t quantity_number_length(const char *text)
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

static int quantity_unknown_unit(const char *text, const char *unit, struct weir_error *e)
{
	const char *names[UNITS_MAX] = { "%" }, *nearest;
	char list[160] = "%";
	size_t count = 1, used = 1;

	for (size_t i = 0; i < QUANTITY_TABLES; i++)
		for (const struct unit *u = quantity_tables[i].units; u->name; u++) {
			names[count++] = u->name;
			used += (size_t)snprintf(list + used, sizeof(list) - used, ", %s", u->name);
		}
	nearest = weir_nearest_name(unit, names, count);
	return weir_error_set(e, "%s ends in %s, which is no unit (%s%s%s)", weir_quote(text).text,
			      weir_quote(unit).text, list, nearest ? "; nearest: " : "",
			      nearest ? nearest : "");
}

int quantity_read(struct quantity *q, const char *text, struct weir_error *e)
{
	size_t length = quantity_number_length(text);
	char number[64];
	double factor;

	if (length == 0 || length >= sizeof(number))
		return weir_error_set(e,
				      "%s is no number, with a unit where it has one, as in 1.4ms",
				      weir_quote(text).text);
	memcpy(number, text, length);
	number[length] = '\0';
	q->unit = quantity_unit(text + length, &factor);
	if (!q->unit)
		return quantity_unknown_unit(text, text + length, e);
	q->number = strtod(number, NULL) * factor;
	return isfinite(q->number) ? 0
				   : weir_error_set(e, "%s is too large", weir_quote(text).text);
}

static int quantity_read_end(struct quantity *q, const char *text, size_t length,
			     struct weir_error *e)
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
	if (r->has_low && quantity_read_end(&r->low, text, length, e))
		return -1;
	if (r->has_high && quantity_read_end(&r->high, dots + 2, strlen(dots + 2), e))
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
static const char *quantity_kind(const char *unit)
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
				      quantity_kind(q->unit), quantity_kind(unit));
	*number = strcmp(unit, "s") == 0 ? q->number / WEIR_NS_PER_S : q->number;
	return 0;
}

int is_same_number(double a, double b)
{
	const double rounding = 1e-9; /* fractions have 32 bits, texts ten digits */

	return a == b ||
	       (isfinite(a) && isfinite(b) && fabs(a - b) <= rounding * fmax(fabs(a), fabs(b)));
}
