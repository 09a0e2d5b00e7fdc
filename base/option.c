/* SPDX-License-Identifier: BSD-3-Clause */
/* option.c -- reading option values, with a message for every way to get one wrong. */
#include "base/units.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The option and text being parsed, for messages. */
struct option_reading {
	const struct weir_option *option;
	const char *text; /* as the user wrote it */
	struct weir_error *error;
};

/* "k: 'text' IS WRONG; allowed: 1B to 4GB". */
static int option_refuse(const struct option_reading *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int option_refuse(const struct option_reading *r, const char *format, ...)
{
	char wrong[256], range[256];
	va_list args;

	va_start(args, format);
	vsnprintf(wrong, sizeof(wrong), format, args);
	va_end(args);
	weir_option_range(range, sizeof(range), r->option);
	return weir_error_set(r->error, "%s: %s %s; allowed: %s", r->option->name,
			      weir_quote(r->text).text, wrong, range);
}

static int option_in_range(const struct weir_option *o, uint64_t number)
{
	return number >= o->min && number <= weir_option_largest(o);
}

/* --- numbers with units --- */

enum { UNITS_MAX = 8 };

static size_t option_unit_names(const char *names[UNITS_MAX], const struct unit *units)
{
	size_t count = 0;

	for (; units[count].name; count++) {
		assert(count < UNITS_MAX);
		names[count] = units[count].name;
	}
	return count;
}

static int option_refuse_unit(const struct option_reading *r, const char *unit,
			      const struct unit *units)
{
	const char *names[UNITS_MAX];
	size_t count = option_unit_names(names, units), used = 0;
	const char *nearest = weir_nearest_name(unit, names, count);
	char list[96] = "";

	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 names[i]);
	if (*unit == '\0')
		return option_refuse(r, "has no unit (%s)", list);
	if (nearest)
		return option_refuse(r, "ends in %s, which is no unit here (%s; nearest: %s)",
				     weir_quote(unit).text, list, nearest);
	return option_refuse(r, "ends in %s, which is no unit here (%s)", weir_quote(unit).text,
			     list);
}

static int option_refuse_number(const struct option_reading *r, enum number_fault fault,
				const char *shape)
{
	if (r->text[0] == '\0')
		return option_refuse(r, "is empty");
	if (r->text[0] == '-' && r->text[1] >= '0' && r->text[1] <= '9')
		return option_refuse(r, "is negative");
	if (fault == NUMBER_TOO_LARGE)
		return option_refuse(r, "is too large");
	if (fault == NUMBER_DIVIDES_BY_ZERO)
		return option_refuse(r, "divides by zero");
	return option_refuse(r, "is not %s", shape);
}

/* text is r->text or, for a span, one of its two parts. */
static int option_read_quantity(const struct option_reading *r, const char *text, uint64_t *value)
{
	const struct unit *units = weir_option_units(r->option->type), *unit;
	struct decimal decimal;
	const char *end;
	enum number_fault fault = weir_decimal_read(&decimal, text, &end);

	if (fault == NUMBER_NONE)
		return option_refuse_number(r, fault, "a number with a unit");
	unit = weir_unit_find(units, end);
	if (!unit)
		return option_refuse_unit(r, end, units);
	if (!fault)
		fault = weir_decimal_times(&decimal, unit->factor, value);
	if (fault == NUMBER_NOT_WHOLE)
		return option_refuse(r, "is not a whole number of %s",
				     unit->kind ? unit->name : units->name);
	if (fault)
		return option_refuse_number(r, fault, "");
	if (!option_in_range(r->option, *value))
		return option_refuse(r, "is out of range");
	*value |= unit->kind;
	return 0;
}

static int option_read_count(const struct option_reading *r, uint64_t *value)
{
	struct decimal decimal;
	const char *end;
	enum number_fault fault = weir_decimal_read(&decimal, r->text, &end);

	if (fault == NUMBER_NONE || *end || decimal.digits != end)
		return option_refuse_number(r, NUMBER_NONE, "a whole number");
	if (fault)
		return option_refuse_number(r, fault, "");
	*value = decimal.whole;
	return option_in_range(r->option, *value) ? 0 : option_refuse(r, "is out of range");
}

static int option_read_fraction(const struct option_reading *r, uint64_t *value)
{
	enum number_fault fault = weir_fraction_read(r->text, value);

	if (fault)
		return option_refuse_number(r, fault, "a fraction such as 0.05, 5% or 1/16");
	return option_in_range(r->option, *value) ? 0 : option_refuse(r, "is out of range");
}

/* --- words --- */

static int option_read_flag(const struct option_reading *r, uint64_t *value)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(r->text, words[i]) == 0) {
			*value = i % 2;
			return 0;
		}
	}
	return option_refuse(r, "is neither yes nor no (nor true, false, on, off)");
}

static int option_read_choice(const struct option_reading *r, uint64_t *value)
{
	const char *const *choices = r->option->choices;
	const char *nearest;
	size_t count = 0;

	for (; choices[count]; count++) {
		if (strcmp(r->text, choices[count]) == 0) {
			*value = count;
			return 0;
		}
	}
	nearest = weir_nearest_name(r->text, choices, count);
	if (nearest)
		return option_refuse(r, "is no choice (nearest: %s)", nearest);
	return option_refuse(r, "is no choice");
}

/* --- values of several numbers --- */

static int option_read_span(const struct option_reading *r, struct weir_span_ps *span)
{
	const char *dots = strstr(r->text, "..");
	uint64_t first, last;
	char part[64];

	if (!dots) {
		if (option_read_quantity(r, r->text, &first))
			return -1;
		last = first;
	} else {
		if ((size_t)(dots - r->text) >= sizeof(part))
			return option_refuse(r, "is too long");
		memcpy(part, r->text, (size_t)(dots - r->text));
		part[dots - r->text] = '\0';
		if (option_read_quantity(r, part, &first) ||
		    option_read_quantity(r, dots + 2, &last))
			return -1;
	}
	if (last < first)
		return option_refuse(r, "ends before it starts");
	*span = (struct weir_span_ps){ (int64_t)first, (int64_t)last };
	return 0;
}

static int option_read_weights(const struct option_reading *r, struct weir_weights *w)
{
	const char *at = r->text;

	*w = (struct weir_weights){ 0 };
	if (strcmp(at, "equal") == 0)
		return 0;
	for (;; at++) {
		struct decimal decimal;
		const char *end;
		enum number_fault fault = weir_decimal_read(&decimal, at, &end);

		if (fault == NUMBER_NONE || decimal.digits != end || (*end && *end != ':'))
			return option_refuse_number(r, NUMBER_NONE, "a list of whole numbers");
		if (fault || !option_in_range(r->option, decimal.whole))
			return option_refuse(r, "has a weight out of range");
		if (w->count == WEIR_WEIGHTS_MAX)
			return option_refuse(r, "has more than %d weights", WEIR_WEIGHTS_MAX);
		w->weight[w->count++] = (uint32_t)decimal.whole;
		at = end;
		if (*end == '\0')
			return 0;
	}
}

static int option_read_text(const struct option_reading *r, char *text)
{
	size_t length = strlen(r->text);

	if (length >= WEIR_OPT_TEXT_SIZE)
		return option_refuse(r, "has %zu bytes", length);
	memset(text, 0, WEIR_OPT_TEXT_SIZE);
	memcpy(text, r->text, length);
	return 0;
}

/* --- options --- */

union option_value {
	uint64_t number;
	struct weir_span_ps span;
	struct weir_weights weights;
	char text[WEIR_OPT_TEXT_SIZE];
};

static int option_read_value(const struct option_reading *r, union option_value *v)
{
	switch (r->option->type) {
	case WEIR_OPT_SIZE:
		if (strcmp(r->text, "unlimited") == 0) {
			v->number = UINT64_MAX;
			return 0;
		}
		return option_read_quantity(r, r->text, &v->number);
	case WEIR_OPT_TIME_AUTO_PS:
		if (strcmp(r->text, "auto") == 0) {
			v->number = WEIR_OPT_AUTO;
			return 0;
		}
		return option_read_quantity(r, r->text, &v->number);
	case WEIR_OPT_TIME_NS:
	case WEIR_OPT_TIME_PS:
	case WEIR_OPT_BYTES:
	case WEIR_OPT_LENGTH:
	case WEIR_OPT_RATE_BPS:
		return option_read_quantity(r, r->text, &v->number);
	case WEIR_OPT_COUNT:
		return option_read_count(r, &v->number);
	case WEIR_OPT_FRACTION_Q32:
		return option_read_fraction(r, &v->number);
	case WEIR_OPT_FLAG:
		return option_read_flag(r, &v->number);
	case WEIR_OPT_CHOICE:
		return option_read_choice(r, &v->number);
	case WEIR_OPT_SPAN_PS:
		return option_read_span(r, &v->span);
	case WEIR_OPT_WEIGHTS:
		return option_read_weights(r, &v->weights);
	case WEIR_OPT_TEXT:
	case WEIR_OPT_SCHEME:
	case WEIR_OPT_FILE:
	case WEIR_OPT_SELECTOR:
		return option_read_text(r, v->text);
	case WEIR_OPT_LINES:
		break; /* a list, which the reader of the scenario keeps */
	}
	return option_refuse(r, "has no known type");
}

int weir_option_parse(void *params, const struct weir_option *o, const char *text,
		      struct weir_error *e)
{
	struct option_reading r = { o, text, e };
	union option_value v;

	if (option_read_value(&r, &v))
		return -1;
	memcpy((char *)params + o->offset, &v, weir_option_value_size(o->type));
	return 0;
}

static void option_set_default(void *params, const struct weir_option *o)
{
	struct weir_error e;
	int failed = 0;

	if (o->def)
		failed = weir_option_parse(params, o, o->def, &e);
	else
		memset((char *)params + o->offset, 0, weir_option_value_size(o->type));
	assert(!failed);
	(void)failed;
}

void weir_options_default(void *params, const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++)
		option_set_default(params, o);
}

int weir_option_is_default(const struct weir_option *o, const void *params)
{
	struct weir_option alone = *o;
	union option_value v;

	alone.offset = 0;
	option_set_default(&v, &alone);
	return memcmp(&v, (const char *)params + o->offset, weir_option_value_size(o->type)) == 0;
}

const struct weir_option *weir_option_find(const struct weir_option *table, const char *name)
{
	for (const struct weir_option *o = table; o && o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

int weir_option_unknown(const char *owner, const char *name, const struct weir_option *table,
			struct weir_error *e)
{
	enum { NAMES_MAX = 64 };
	const char *names[NAMES_MAX], *nearest;
	size_t count = 0;

	for (const struct weir_option *o = table; o && o->name && count < NAMES_MAX; o++)
		names[count++] = o->name;
	if (count == 0)
		return weir_error_set(e, "unknown option %s of %s; it has none",
				      weir_quote(name).text, owner);
	nearest = weir_nearest_name(name, names, count);
	weir_error_set(e, "unknown option %s of %s; it has ", weir_quote(name).text, owner);
	for (size_t i = 0; i < count; i++)
		weir_error_set(e, "%s%s%s", e->text, i ? ", " : "", names[i]);
	if (nearest)
		weir_error_set(e, "%s (nearest: %s)", e->text, nearest);
	return -1;
}
