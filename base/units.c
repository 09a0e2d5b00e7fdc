/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c -- the tables of units, and exact decimals, see units.h. */
#include "base/units.h"
#include "weir/compiler.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- the tables --- */

const struct unit weir_ns_units[] = {
	{ "ns", 1, 0 },
	{ "us", WEIR_NS_PER_US, 0 },
	{ "ms", WEIR_NS_PER_MS, 0 },
	{ "s", WEIR_NS_PER_S, 0 },
	{ NULL, 0, 0 },
};

#define PS_OF(ns) ((uint64_t)WEIR_PS_PER_NS * (ns))

const struct unit weir_ps_units[] = {
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

const struct unit weir_byte_units[] = { BYTE_UNITS, { NULL, 0, 0 } };

const struct unit weir_packet_units[] = { { "pkts", 1, 0 }, { NULL, 0, 0 } };

const struct unit weir_length_units[] = {
	BYTE_UNITS,
	{ "pkts", 1, WEIR_LENGTH_IN_PACKETS },
	{ NULL, 0, 0 },
};

const struct unit weir_rate_units[] = {
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
		return weir_ns_units;
	case WEIR_OPT_TIME_PS:
	case WEIR_OPT_TIME_AUTO_PS:
	case WEIR_OPT_SPAN_PS:
		return weir_ps_units;
	case WEIR_OPT_BYTES:
	case WEIR_OPT_SIZE:
		return weir_byte_units;
	case WEIR_OPT_LENGTH:
		return weir_length_units;
	case WEIR_OPT_RATE_BPS:
		return weir_rate_units;
	default:
		return NULL;
	}
}

/* --- numbers --- */

static int decimal_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static enum number_fault decimal_read_whole(uint64_t *value, const char *text, const char **end)
{
	enum number_fault fault = decimal_is_digit(*text) ? NUMBER_FINE : NUMBER_NONE;
	uint64_t sum = 0;

	for (; decimal_is_digit(*text); text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (sum > (UINT64_MAX - digit) / 10)
			fault = NUMBER_TOO_LARGE;
		else
			sum = sum * 10 + digit;
	}
	*value = sum;
	*end = text;
	return fault;
}

enum number_fault weir_decimal_read(struct decimal *d, const char *text, const char **end)
{
	enum number_fault fault = decimal_read_whole(&d->whole, text, end);

	d->digits = *end;
	d->digit_count = 0;
	if (fault == NUMBER_NONE || **end != '.')
		return fault;
	d->digits = ++*end;
	if (!decimal_is_digit(**end))
		return NUMBER_NONE;
	for (; decimal_is_digit(**end); ++*end)
		if (**end != '0')
			d->digit_count = (size_t)(*end - d->digits) + 1;
	return fault;
}

/* The digits after the point as a whole number; at most 38 fit. */
static weir_u128 decimal_digits(const struct decimal *d, size_t count)
{
	weir_u128 sum = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned digit = (unsigned char)d->digits[i];

		sum = sum * 10 + (digit - '0');
	}
	return sum;
}

static void decimal_divide_out(weir_u128 *number, unsigned *times, unsigned divisor)
{
	while (*times > 0 && *number % divisor == 0) {
		*number /= divisor;
		--*times;
	}
}

/* 0.digits is n / 10^k with n not a multiple of 10, so n lacks the factor 2 or the factor 5. For
 * n * factor / 10^k to be whole, factor must then contain 5^k or 2^k; below 2^33 no factor has more
 * than 32 twos, and none up to 10^12 more than 12 fives. Hence k > 32 cannot come out whole, and n
 * fits 128 bits. Once all of 10^k is divided out, what is left multiplies to less than factor. */
enum number_fault weir_decimal_times(const struct decimal *d, uint64_t factor, uint64_t *product)
{
	enum { DIGITS_MAX = 32 };
	weir_u128 sum = (weir_u128)d->whole * factor;
	unsigned twos = (unsigned)d->digit_count, fives = twos;

	if (d->digit_count > DIGITS_MAX)
		return NUMBER_NOT_WHOLE;
	if (d->digit_count > 0) {
		weir_u128 digits = decimal_digits(d, d->digit_count), scale = factor;

		decimal_divide_out(&scale, &twos, 2);
		decimal_divide_out(&scale, &fives, 5);
		decimal_divide_out(&digits, &twos, 2);
		decimal_divide_out(&digits, &fives, 5);
		if (twos || fives)
			return NUMBER_NOT_WHOLE;
		sum += digits * scale;
	}
	if (sum > UINT64_MAX)
		return NUMBER_TOO_LARGE;
	*product = (uint64_t)sum;
	return NUMBER_FINE;
}

static enum number_fault fraction_store(uint64_t *value_q32, weir_u128 value)
{
	if (value > UINT64_MAX)
		return NUMBER_TOO_LARGE;
	*value_q32 = (uint64_t)value;
	return NUMBER_FINE;
}

static weir_u128 fraction_power_of_ten(size_t exponent)
{
	weir_u128 power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

static enum number_fault fraction_read_ratio(const char *text, uint64_t above, uint64_t *value_q32)
{
	const char *end;
	uint64_t below;
	enum number_fault fault = decimal_read_whole(&below, text, &end);

	if (fault == NUMBER_NONE || *end)
		return NUMBER_NONE;
	if (fault == NUMBER_TOO_LARGE)
		return fault;
	if (below == 0)
		return NUMBER_DIVIDES_BY_ZERO;
	return fraction_store(value_q32, (((weir_u128)above << 32) + below / 2) / below);
}

/* Digits after the 25th are ignored: they move the value by less than 10^-25. As (whole * 10^25 +
 * digits) * 2^32 could still exceed 128 bits, whole and digits are scaled separately. With percent
 * the whole may leave a rest, at most 99 * 10^25 before scaling: below 2^122. */
enum number_fault weir_fraction_read(const char *text, uint64_t *value_q32)
{
	enum { DIGITS_MAX = 25 };
	struct decimal d;
	const char *end;
	enum number_fault fault = weir_decimal_read(&d, text, &end);
	size_t count = d.digit_count < DIGITS_MAX ? d.digit_count : DIGITS_MAX;
	uint64_t divisor = 1;
	weir_u128 whole, ones, rest, below;

	if (fault == NUMBER_NONE)
		return fault;
	if (*end == '/' && d.digits == end)
		return fault ? fault : fraction_read_ratio(end + 1, d.whole, value_q32);
	if (*end == '%') {
		divisor = 100;
		end++;
	}
	if (*end)
		return NUMBER_NONE;
	if (fault)
		return fault;
	ones = fraction_power_of_ten(count);
	below = ones * divisor;
	whole = d.whole / divisor;
	rest = d.whole % divisor * ones + decimal_digits(&d, count);
	return fraction_store(value_q32, (whole << 32) + ((rest << 32) + below / 2) / below);
}

const struct unit *weir_unit_find(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (strcmp(units->name, name) == 0)
			return units;
	return NULL;
}

const char *weir_quantity_format(char *buffer, size_t size, uint64_t value,
				 const struct unit *units)
{
	char best[64] = "", text[64];

	for (const struct unit *u = units; u->name; u++) {
		if (value % u->factor != 0)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 "%s", value / u->factor, u->name);
		if (!best[0] || strlen(text) < strlen(best))
			memcpy(best, text, sizeof(best));
	}
	snprintf(buffer, size, "%s", best);
	return buffer;
}

/* Ten digits always suffice: they lie 10^-10 apart, less than half of 2^-32. */
const char *weir_fraction_format(char *buffer, size_t size, uint64_t value_q32)
{
	enum { DIGITS_MAX = 10 };

	for (size_t count = 0; count <= DIGITS_MAX; count++) {
		weir_u128 ones = fraction_power_of_ten(count);
		weir_u128 number = (value_q32 * ones + (WEIR_ONE_Q32 >> 1)) >> 32;

		if (((number << 32) + ones / 2) / ones != value_q32)
			continue;
		if (count == 0)
			snprintf(buffer, size, "%" PRIu64, (uint64_t)number);
		else
			snprintf(buffer, size, "%" PRIu64 ".%0*" PRIu64, (uint64_t)(number / ones),
				 (int)count, (uint64_t)(number % ones));
		break;
	}
	return buffer;
}
