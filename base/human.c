/* SPDX-License-Identifier: BSD-3-Clause */
/* human.c -- numbers as text in units that people read. */
#include "base/text.h"
#include "weir/units.h"
#include <math.h>
#include <string.h>

struct scale {
	double factor;
	const char *unit;
};

static struct format_text scaled(double value, const struct scale *scales, size_t count)
{
	struct format_text h = { "-" };
	size_t i = 0;

	if (isnan(value))
		return h;
	/* 999.95 would be shown as 1000 of this unit: take the next one. */
	while (i + 1 < count && fabs(value) >= 0.99995 * scales[i + 1].factor)
		i++;
	snprintf(h.text, sizeof(h.text), "%.4g%s", value / scales[i].factor, scales[i].unit);
	return h;
}

#define SCALED(value, scales) scaled(value, scales, sizeof(scales) / sizeof(scales[0]))

struct format_text format_time(double ns)
{
	static const struct scale scales[] = { { 1, " ns" },
					       { WEIR_NS_PER_US, " us" },
					       { WEIR_NS_PER_MS, " ms" },
					       { WEIR_NS_PER_S, " s" } };

	return SCALED(ns, scales);
}

struct format_text format_rate(double bps)
{
	static const struct scale scales[] = { { 1, " b/s" },
					       { 1e3, " Kb/s" },
					       { 1e6, " Mb/s" },
					       { 1e9, " Gb/s" },
					       { 1e12, " Tb/s" } };

	return SCALED(bps, scales);
}

struct format_text format_bytes(double bytes)
{
	static const struct scale scales[] = {
		{ 1, " B" }, { 1e3, " KB" }, { 1e6, " MB" }, { 1e9, " GB" }, { 1e12, " TB" }
	};

	return SCALED(bytes, scales);
}

struct format_text format_percent(double fraction)
{
	static const struct scale scales[] = { { 0.01, " %" } };

	return SCALED(fraction, scales);
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

/* Puts a comma before every three digits from the right. */
static void group_digits(char *text, size_t size)
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
	group_digits(h.text, sizeof(h.text));
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
