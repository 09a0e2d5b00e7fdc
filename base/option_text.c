/* SPDX-License-Identifier: BSD-3-Clause */
/* option_text.c -- values and ranges of options as users write them, see weir/option.h. The parser
 * is in option.c. */
#include "base/units.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t option_type_largest(enum weir_opt_type type)
{
	switch (type) {
	case WEIR_OPT_LENGTH:
		return WEIR_LENGTH_IN_PACKETS - 1;
	case WEIR_OPT_SPAN_PS:
		return INT64_MAX;
	case WEIR_OPT_WEIGHTS:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

uint64_t weir_option_largest(const struct weir_option *o)
{
	uint64_t largest = option_type_largest(o->type);

	return o->max < largest ? o->max : largest;
}

size_t weir_option_value_size(enum weir_opt_type type)
{
	switch (type) {
	case WEIR_OPT_SPAN_PS:
		return sizeof(struct weir_span_ps);
	case WEIR_OPT_WEIGHTS:
		return sizeof(struct weir_weights);
	case WEIR_OPT_TEXT:
	case WEIR_OPT_SCHEME:
	case WEIR_OPT_FILE:
	case WEIR_OPT_SELECTOR:
		return WEIR_OPT_TEXT_SIZE;
	case WEIR_OPT_LINES:
		return 0; /* kept by the reader of the scenario */
	default:
		return sizeof(uint64_t);
	}
}

/* One stored number of the option. */
static const char *option_format_number(char *buffer, size_t size, enum weir_opt_type type,
					uint64_t value)
{
	if (type == WEIR_OPT_SIZE && value == UINT64_MAX)
		snprintf(buffer, size, "unlimited");
	else if (type == WEIR_OPT_TIME_AUTO_PS && value == WEIR_OPT_AUTO)
		snprintf(buffer, size, "auto");
	else if (type == WEIR_OPT_LENGTH && weir_length_is_packets(value))
		weir_quantity_format(buffer, size, weir_length_number(value), weir_packet_units);
	else if (type == WEIR_OPT_FRACTION_Q32)
		weir_fraction_format(buffer, size, value);
	else if (weir_option_units(type))
		weir_quantity_format(buffer, size, value, weir_option_units(type));
	else
		snprintf(buffer, size, "%" PRIu64, value);
	return buffer;
}

static void option_format_weights(char *buffer, size_t size, const struct weir_weights *w)
{
	size_t used = 0;

	assert(w->count <= WEIR_WEIGHTS_MAX);
	if (w->count == 0)
		snprintf(buffer, size, "equal");
	for (uint32_t i = 0; i < w->count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%" PRIu32, i ? ":" : "",
					 w->weight[i]);
}

static void option_format_span(char *buffer, size_t size, const struct weir_span_ps *span)
{
	char first[32], last[32];

	option_format_number(first, sizeof(first), WEIR_OPT_TIME_PS, (uint64_t)span->first_ps);
	option_format_number(last, sizeof(last), WEIR_OPT_TIME_PS, (uint64_t)span->last_ps);
	if (span->first_ps == span->last_ps)
		snprintf(buffer, size, "%s", first);
	else
		snprintf(buffer, size, "%s..%s", first, last);
}

/* A spec that cannot be read is copied unchanged: its checker reports why. */
static void option_format_spec(char *buffer, size_t size, const struct weir_option *o,
			       const char *spec)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_scheme_set *specs = weir_option_scheme_set(o);
	const struct weir_option *table;
	char name[WEIR_OPT_TEXT_SIZE];
	struct weir_error e;

	/* The name as the user wrote it: the path of a plug-in, not the plug-in's own name. */
	if (specs->read && weir_spec_name(spec, name, sizeof(name), &e) == 0 &&
	    specs->read(spec, params, &table, &e) == 0)
		weir_spec_format(buffer, size, name, table, params);
	else
		snprintf(buffer, size, "%s", spec);
}

static size_t option_choice_count(const struct weir_option *o)
{
	size_t count = 0;

	while (o->choices[count])
		count++;
	return count;
}

const char *weir_option_format(char *buffer, size_t size, const struct weir_option *o,
			       const void *params)
{
	const void *at = (const char *)params + o->offset;
	struct weir_span_ps span;
	uint64_t value;

	if (o->type == WEIR_OPT_SCHEME) {
		option_format_spec(buffer, size, o, at);
		return buffer;
	}
	if (weir_opt_is_text(o->type)) {
		snprintf(buffer, size, "%s", (const char *)at);
		return buffer;
	}
	if (o->type == WEIR_OPT_WEIGHTS) {
		option_format_weights(buffer, size, at);
		return buffer;
	}
	if (o->type == WEIR_OPT_SPAN_PS) {
		memcpy(&span, at, sizeof(span));
		option_format_span(buffer, size, &span);
		return buffer;
	}
	memcpy(&value, at, sizeof(value));
	if (o->type == WEIR_OPT_FLAG) {
		snprintf(buffer, size, "%s", value ? "yes" : "no");
	} else if (o->type == WEIR_OPT_CHOICE) {
		assert(value < option_choice_count(o));
		snprintf(buffer, size, "%s", o->choices[value]);
	} else {
		option_format_number(buffer, size, o->type, value);
	}
	return buffer;
}

/* "a to b" or "at least a". type is the option's own, or the half of WEIR_OPT_LENGTH that is
 * meant. */
static void option_format_limits(char *buffer, size_t size, enum weir_opt_type type,
				 const struct weir_option *o)
{
	uint64_t kind = type == WEIR_OPT_LENGTH ? WEIR_LENGTH_IN_PACKETS : 0;
	char min[64], max[64];

	option_format_number(min, sizeof(min), type, o->min | kind);
	if (weir_option_largest(o) == option_type_largest(o->type)) {
		snprintf(buffer, size, "at least %s", min);
		return;
	}
	option_format_number(max, sizeof(max), type, o->max | kind);
	snprintf(buffer, size, "%s to %s", min, max);
}

static void option_format_choices(char *buffer, size_t size, const struct weir_option *o)
{
	size_t count = option_choice_count(o), used = 0;

	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s",
					 i == 0 ? "one of " : ", ", o->choices[i]);
}

const char *weir_option_range(char *buffer, size_t size, const struct weir_option *o)
{
	char bytes[160], pkts[160];

	switch (o->type) {
	case WEIR_OPT_FLAG:
		snprintf(buffer, size, "yes or no");
		break;
	case WEIR_OPT_CHOICE:
		option_format_choices(buffer, size, o);
		break;
	case WEIR_OPT_SCHEME:
		snprintf(buffer, size, "%s as name(option=value, ...), at most %d bytes",
			 weir_option_scheme_set(o)->kind[0], WEIR_OPT_TEXT_SIZE - 1);
		break;
	case WEIR_OPT_TEXT:
	case WEIR_OPT_FILE:
	case WEIR_OPT_SELECTOR:
		snprintf(buffer, size, "text of at most %d bytes", WEIR_OPT_TEXT_SIZE - 1);
		break;
	case WEIR_OPT_LINES:
		snprintf(buffer, size, "may be repeated");
		break;
	case WEIR_OPT_LENGTH:
		option_format_limits(bytes, sizeof(bytes), WEIR_OPT_BYTES, o);
		option_format_limits(pkts, sizeof(pkts), WEIR_OPT_LENGTH, o);
		snprintf(buffer, size, "%s or %s", bytes, pkts);
		break;
	case WEIR_OPT_SIZE:
		option_format_limits(bytes, sizeof(bytes), WEIR_OPT_BYTES, o);
		snprintf(buffer, size, "%s or unlimited", bytes);
		break;
	case WEIR_OPT_TIME_AUTO_PS:
		option_format_limits(bytes, sizeof(bytes), WEIR_OPT_TIME_PS, o);
		snprintf(buffer, size, "%s, or auto", bytes);
		break;
	case WEIR_OPT_SPAN_PS:
		option_format_limits(bytes, sizeof(bytes), WEIR_OPT_TIME_PS, o);
		snprintf(buffer, size, "%s, once or as first..last", bytes);
		break;
	case WEIR_OPT_WEIGHTS:
		option_format_limits(bytes, sizeof(bytes), WEIR_OPT_COUNT, o);
		snprintf(buffer, size, "%s each, as in 4:2:1, or equal", bytes);
		break;
	default:
		option_format_limits(buffer, size, o->type, o);
		break;
	}
	return buffer;
}

const char *weir_option_kind(const struct weir_option *o)
{
	switch (o->type) {
	case WEIR_OPT_TIME_NS:
	case WEIR_OPT_TIME_PS:
		return "time";
	case WEIR_OPT_TIME_AUTO_PS:
		return "time or auto";
	case WEIR_OPT_SPAN_PS:
		return "time or span of time";
	case WEIR_OPT_BYTES:
		return "bytes";
	case WEIR_OPT_LENGTH:
		return "bytes or packets";
	case WEIR_OPT_SIZE:
		return "bytes or unlimited";
	case WEIR_OPT_RATE_BPS:
		return "rate";
	case WEIR_OPT_COUNT:
		return "whole number";
	case WEIR_OPT_FRACTION_Q32:
		return "fraction";
	case WEIR_OPT_FLAG:
		return "yes or no";
	case WEIR_OPT_CHOICE:
		return "choice";
	case WEIR_OPT_WEIGHTS:
		return "weights";
	case WEIR_OPT_TEXT:
		return "text";
	case WEIR_OPT_SCHEME:
		return "name(option=value, ...)";
	case WEIR_OPT_FILE:
		return "file";
	case WEIR_OPT_SELECTOR:
		return "name";
	case WEIR_OPT_LINES:
		return o->choices[0];
	}
	return "text";
}
