/* SPDX-License-Identifier: BSD-3-Clause */
/* test_defaults.c -- the table of defaults against the option tables: nothing in it that is not
 * there, and no default with a dimension without its source. */
#include "config/config.h"
#include "config/defaults.h"
#include "tests/test.h"
#include <stdio.h>
#include <string.h>

static int lists(const struct default_entry *d, const char *option)
{
	char name[64];

	for (const char *at = d->options; (at = default_next_option(at, name, sizeof(name)));)
		if (strcmp(name, option) == 0)
			return 1;
	return 0;
}

/* Entries of the owner's option. scheme NULL: a key of a section. */
static int entries_of(const char *owner, const char *scheme, const char *option)
{
	int count = 0;

	for (const struct default_entry *d = default_all; d->owner; d++)
		count += strcmp(d->owner, owner) == 0 &&
			 (scheme ? d->scheme && strcmp(d->scheme, scheme) == 0 : !d->scheme) &&
			 lists(d, option);
	return count;
}

TEST(test_defaults_name_schemes_and_options_that_there_are)
{
	char name[64], rates[128];

	for (const struct default_entry *d = default_all; d->owner; d++) {
		const struct weir_option *table = default_options(d);

		if (!table)
			test_fail(__FILE__, __LINE__, "no options: %s %s", d->owner,
				  d->scheme ? d->scheme : "");
		for (const char *at = d->options;
		     (at = default_next_option(at, name, sizeof(name)));) {
			const struct weir_option *o = weir_option_find(table, name);

			if (!o || !o->def)
				test_fail(__FILE__, __LINE__, "no such default: %s %s %s", d->owner,
					  d->scheme ? d->scheme : "", name);
		}
		CHECK(d->source && *d->source);
		CHECK(d->rate_max_bps == 0 || d->rate_min_bps <= d->rate_max_bps);
		CHECK(strlen(default_rates(d, rates, sizeof(rates))) > 0);
	}
}

TEST(test_defaults_conditions_are_options_with_that_value)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct weir_error e;
	char spec[128];

	for (const struct default_entry *d = default_all; d->owner; d++) {
		if (!d->when)
			continue;
		snprintf(spec, sizeof(spec), "%s(%s)", d->scheme, d->when);
		CHECK_INT(weir_spec_params(spec, params, default_options(d), &e), 0);
		CHECK(default_holds(d, params));
	}
}

static void check_table(const char *owner, const char *scheme, const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++)
		if (default_is_bound(o) && entries_of(owner, scheme, o->name) == 0)
			test_fail(__FILE__, __LINE__,
				  "%s %s: default %s = %s has no entry in config/defaults.c", owner,
				  scheme ? scheme : "", o->name, o->def);
}

TEST(test_defaults_with_a_dimension_all_have_a_source)
{
	const struct weir_scheme *s;

	check_table("switch", NULL, switch_options);
	check_table("host", NULL, host_options);
	check_table("rdma", NULL, rdma_options);
	for (const struct default_kind *k = default_kinds; k->name; k++)
		for (size_t i = 0; (s = weir_registry_at(k->schemes, i)); i++)
			check_table(k->name, s->name, s->options);
}

TEST(test_defaults_are_outside_beyond_twice_and_half)
{
	const uint64_t gbps = UINT64_C(1000000000);
	const struct default_entry ten = { .rate_min_bps = 10 * gbps, .rate_max_bps = 10 * gbps };
	const struct default_entry open = { .rate_min_bps = 10 * gbps }, any = { .owner = "" };

	CHECK(!default_is_outside(&ten, 5 * gbps));
	CHECK(default_is_outside(&ten, 5 * gbps - 1));
	CHECK(!default_is_outside(&ten, 20 * gbps));
	CHECK(default_is_outside(&ten, 20 * gbps + 2));
	CHECK(!default_is_outside(&open, 800 * gbps));
	CHECK(default_is_outside(&open, gbps));
	CHECK(!default_is_outside(&any, 1));
}
