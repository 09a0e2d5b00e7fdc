/* SPDX-License-Identifier: BSD-3-Clause */
/* range.c -- see range.h. */
#include "lab/campaign/range.h"
#include "base/quantity.h"
#include "base/memory.h"
#include "weir/rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 3 };

static int wrong(const char *text, struct weir_error *e)
{
	return weir_error_set(e,
			      "%s; write PATH=LOW..HIGH, as in switch.marking.min=5KB..500KB, or "
			      "PATH=A, B",
			      weir_quote(text).text);
}

/* Both ends in the unit of the lower one. */
static int read_ends(struct range *r, char *low, const char *high, struct weir_error *e)
{
	struct quantity from, to;
	char *unit, *unit_of_high;

	if (quantity_read(&from, low, e) || quantity_read(&to, high, e))
		return -1;
	if (strcmp(from.unit, to.unit) != 0)
		return weir_error_set(e, "%s and %s are not in units of one kind", low, high);
	r->low = strtod(low, &unit);
	r->high = strtod(high, &unit_of_high);
	snprintf(r->unit, sizeof(r->unit), "%s", unit);
	if (strcmp(unit, unit_of_high) != 0 && r->low > 0)
		r->high = to.number / (from.number / r->low);
	if (to.number <= from.number)
		return weir_error_set(e, "%s..%s is empty: it ends before it starts", low, high);
	r->scale = from.unit[0] && r->low > 0 ? RANGE_LOG : RANGE_LINEAR;
	r->is_whole = strcmp(unit, "pkts") == 0 || strcmp(unit, "B") == 0 ||
		      (!*unit && !strchr(low, '.') && !strchr(high, '.'));
	return 0;
}

int range_read(struct range *r, const char *text, struct weir_error *e)
{
	const char *equals = strchr(text, '=');
	char *low, *dots;
	int failed;

	memset(r, 0, sizeof(*r));
	if (!equals || equals == text || !equals[1])
		return wrong(text, e);
	text_print(&r->path, "%.*s", (int)(equals - text), text);
	r->text = text_copy(equals + 1);
	low = text_copy(equals + 1);
	dots = strstr(low, "..");
	if (dots) {
		*dots = '\0';
		failed = read_ends(r, low, dots + 2, e);
	} else {
		r->scale = RANGE_LIST;
		failed = list_split(&r->list, low, e);
		if (!failed && r->list.count < 2)
			failed = wrong(text, e);
	}
	free(low);
	if (failed)
		range_free(r);
	return failed;
}

void range_free(struct range *r)
{
	free(r->path);
	free(r->text);
	list_free(&r->list);
	memset(r, 0, sizeof(*r));
}

const char *range_value(const struct range *r, double share, char *buffer, size_t size)
{
	double value;
	int decimals;

	if (r->scale == RANGE_LIST) {
		uint32_t i = (uint32_t)(share * r->list.count);

		snprintf(buffer, size, "%s", r->list.items[i < r->list.count ? i : i - 1]);
		return buffer;
	}
	value = r->scale == RANGE_LOG ? r->low * pow(r->high / r->low, share)
				      : r->low + (r->high - r->low) * share;
	decimals = value > 0 ? DIGITS - 1 - (int)floor(log10(value)) : 0;
	decimals = decimals < 0 || r->is_whole ? 0 : decimals;
	snprintf(buffer, size, "%.*f", decimals, value);
	if (decimals > 0) {
		char *end = buffer + strlen(buffer);

		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
	snprintf(buffer + strlen(buffer), size - strlen(buffer), "%s", r->unit);
	return buffer;
}

void hypercube_draw(double *shares, uint32_t count, uint32_t dimensions, uint64_t seed)
{
	uint32_t *slice = memory_zeroed(count, sizeof(*slice));

	for (uint32_t d = 0; d < dimensions; d++) {
		struct weir_rng rng = weir_rng_make(seed, d, WEIR_RNG_TUNING);

		for (uint32_t i = 0; i < count; i++) { /* a random order, Fisher and Yates */
			uint32_t k = (uint32_t)weir_rng_below(&rng, i + UINT64_C(1));

			slice[i] = slice[k];
			slice[k] = i;
		}
		for (uint32_t i = 0; i < count; i++)
			shares[(uint64_t)i * dimensions + d] =
				(slice[i] + weir_rng_unit(&rng)) / count;
	}
	free(slice);
}
