/* SPDX-License-Identifier: BSD-3-Clause */
/* option_text.c -- values and ranges of options as a user would write them. */
#include "base/option_text.h"
#include "weir/units.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct unit ns_units[] = {
	{ "ns", 1, 0 },
	{ "us", WEIR_NS_PER_US, 0 },
	{ "ms", WEIR_NS_PER_MS, 0 },
	{ "s", WEIR_NS_PER_S, 0 },
	{ NULL, 0, 0 },
};

#define PS_OF(ns) ((uint64_t)WEIR_PS_PER_NS * (ns))

static const struct unit ps_units[] = {
	{ "ps", 1, 0 },
	{ "ns", WEIR_PS_PER_NS, 0 },
	{ "us", PS_OF(WEIR_NS_PER_US), 0 },
	{ "ms", PS_OF(WEIR_NS_PER_MS), 0 },
	{ "s", PS_OF(WEIR_NS_PER_S), 0 },
	{ NULL, 0, 0 },
};

#define BYTE_UNITS \
	{ "B", 1, 0 }, { "KB", 1000, 0 }, { "MB", 1000 * 1000, 0 }, \
		{ "GB", 1000 * 1000 * 1000, 0 }, { "KiB", 1024, 0 }, { "MiB", 1024 * 1024, 0 }, \
	{ \
		"GiB", 1024 * 1024 * 1024, 0 \
	}

static const struct unit byte_units[] = { BYTE_UNITS, { NULL, 0, 0 } };

static const struct unit packet_units[] = { { "pkts", 1, 0 }, { NULL, 0, 0 } };

static const struct unit length_units[] = {
	BYTE_UNITS,
	{ "pkts", 1, WEIR_LENGTH_IN_PACKETS },
	{ NULL, 0, 0 },
};

static const struct unit rate_units[] = {
	{ "bps", 1, 0 },
	{ "Kbps", 1000, 0 },
	{ "Mbps", 1000 * 1000, 0 },
	{ "Gbps", 1000 * 1000 * 1000, 0 },
	{ "Tbps", UINT64_C(1000) * 1000 * 1000 * 1000, 0 },
	{ NULL, 0, 0 },
};

const struct unit *weir_option_units(enum weir_opt_type type)
{
	switch (type) {
	case WEIR_OPT_TIME_NS:
		return ns_units;
	case WEIR_OPT_TIME_PS:
	case WEIR_OPT_TIME_AUTO_PS:
	case WEIR_OPT_SPAN_PS:
		return ps_units;
	case WEIR_OPT_BYTES:
	case WEIR_OPT_SIZE:
		return byte_units;
	case WEIR_OPT_LENGTH:
		return length_units;
	case WEIR_OPT_RATE_BPS:
		return rate_units;
	default:
		return NULL;
	}
}

static uint64_t type_largest(enum weir_opt_type type)
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
	uint64_t largest = type_largest(o->type);

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
		return 0; /* they are somebody else's */
	default:
		return sizeof(uint64_t);
	}
}

/* One stored number of the option. */
static const char *number_format(char *buffer, size_t size, enum weir_opt_type type, uint64_t value)
{
	if (type == WEIR_OPT_SIZE && value == UINT64_MAX)
		snprintf(buffer, size, "unlimited");
	else if (type == WEIR_OPT_TIME_AUTO_PS && value == WEIR_OPT_AUTO)
		snprintf(buffer, size, "auto");
	else if (type == WEIR_OPT_LENGTH && weir_length_is_packets(value))
		weir_quantity_format(buffer, size, weir_length_number(value), packet_units);
	else if (type == WEIR_OPT_FRACTION_Q32)
		weir_fraction_format(buffer, size, value);
	else if (weir_option_units(type))
		weir_quantity_format(buffer, size, value, weir_option_units(type));
	else
		snprintf(buffer, size, "%" PRIu64, value);
	return buffer;
}

static void weights_format(char *buffer, size_t size, const struct weir_weights *w)
{
	size_t used = 0;

	assert(w->count <= WEIR_WEIGHTS_MAX);
	if (w->count == 0)
		snprintf(buffer, size, "equal");
	for (uint32_t i = 0; i < w->count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%" PRIu32, i ? ":" : "",
					 w->weight[i]);
}

static void span_format(char *buffer, size_t size, const struct weir_span_ps *span)
{
	char first[32], last[32];

	number_format(first, sizeof(first), WEIR_OPT_TIME_PS, (uint64_t)span->first_ps);
	number_format(last, sizeof(last), WEIR_OPT_TIME_PS, (uint64_t)span->last_ps);
	if (span->first_ps == span->last_ps)
		snprintf(buffer, size, "%s", first);
	else
		snprintf(buffer, size, "%s..%s", first, last);
}

/* As it stands where it cannot be read: whoever checks it says why. */
static void spec_text(char *buffer, size_t size, const struct weir_option *o, const char *spec)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_scheme_set *specs = weir_option_scheme_set(o);
	const struct weir_option *table;
	char name[WEIR_OPT_TEXT_SIZE];
	struct weir_error e;

	/* The name is that of the spec: a plug-in may call itself otherwise. */
	if (specs->read && weir_spec_name(spec, name, sizeof(name), &e) == 0 &&
	    specs->read(spec, params, &table, &e) == 0)
		weir_spec_format(buffer, size, name, table, params);
	else
		snprintf(buffer, size, "%s", spec);
}

static size_t choice_count(const struct weir_option *o)
{
	size_t count = 0;

	while (o->choices[count])
		count++;
	return count;
}

const char *weir_option_format(char *buffer, size_t size, const struct weir_option *o,
			       const void *params)
{
	const void *at = option_value(o, params);
	struct weir_span_ps span;
	uint64_t value;

	if (o->type == WEIR_OPT_SCHEME) {
		spec_text(buffer, size, o, at);
		return buffer;
	}
	if (weir_opt_is_text(o->type)) {
		snprintf(buffer, size, "%s", (const char *)at);
		return buffer;
	}
	if (o->type == WEIR_OPT_WEIGHTS) {
		weights_format(buffer, size, at);
		return buffer;
	}
	if (o->type == WEIR_OPT_SPAN_PS) {
		memcpy(&span, at, sizeof(span));
		span_format(buffer, size, &span);
		return buffer;
	}
	memcpy(&value, at, sizeof(value));
	if (o->type == WEIR_OPT_FLAG) {
		snprintf(buffer, size, "%s", value ? "yes" : "no");
	} else if (o->type == WEIR_OPT_CHOICE) {
		assert(value < choice_count(o));
		snprintf(buffer, size, "%s", o->choices[value]);
	} else {
		number_format(buffer, size, o->type, value);
	}
	return buffer;
}

/* "a to b" or "at least a". type is the option's own, or the half of WEIR_OPT_LENGTH that is
 * meant. */
static void limits_format(char *buffer, size_t size, enum weir_opt_type type,
			  const struct weir_option *o)
{
	uint64_t kind = type == WEIR_OPT_LENGTH ? WEIR_LENGTH_IN_PACKETS : 0;
	char min[64], max[64];

	number_format(min, sizeof(min), type, o->min | kind);
	if (weir_option_largest(o) == type_largest(o->type)) {
		snprintf(buffer, size, "at least %s", min);
		return;
	}
	number_format(max, sizeof(max), type, o->max | kind);
	snprintf(buffer, size, "%s to %s", min, max);
}

static void choices_format(char *buffer, size_t size, const struct weir_option *o)
{
	size_t count = choice_count(o), used = 0;

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
		choices_format(buffer, size, o);
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
		limits_format(bytes, sizeof(bytes), WEIR_OPT_BYTES, o);
		limits_format(pkts, sizeof(pkts), WEIR_OPT_LENGTH, o);
		snprintf(buffer, size, "%s or %s", bytes, pkts);
		break;
	case WEIR_OPT_SIZE:
		limits_format(bytes, sizeof(bytes), WEIR_OPT_BYTES, o);
		snprintf(buffer, size, "%s or unlimited", bytes);
		break;
	case WEIR_OPT_TIME_AUTO_PS:
		limits_format(bytes, sizeof(bytes), WEIR_OPT_TIME_PS, o);
		snprintf(buffer, size, "%s, or auto", bytes);
		break;
	case WEIR_OPT_SPAN_PS:
		limits_format(bytes, sizeof(bytes), WEIR_OPT_TIME_PS, o);
		snprintf(buffer, size, "%s, once or as first..last", bytes);
		break;
	case WEIR_OPT_WEIGHTS:
		limits_format(bytes, sizeof(bytes), WEIR_OPT_COUNT, o);
		snprintf(buffer, size, "%s each, as in 4:2:1, or equal", bytes);
		break;
	default:
		limits_format(buffer, size, o->type, o);
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
