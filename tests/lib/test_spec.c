/* SPDX-License-Identifier: BSD-3-Clause */
/* test_spec.c -- schemes with their options, names that were nearly right, and parsers under
 * noise. */
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/sched.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[] = { "soft", "hard", NULL };

struct params {
	uint64_t min, p, mode;
	struct weir_weights weights;
	char name[WEIR_OPT_TEXT_SIZE];
};

static const struct weir_option options[] = {
	{ "min", WEIR_OPT_BYTES, offsetof(struct params, min), "5KB", 1, 1000000, "h", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, offsetof(struct params, p), "1%", 0, WEIR_ONE_Q32, "h",
	  NULL },
	{ "mode", WEIR_OPT_CHOICE, offsetof(struct params, mode), "soft", 0, 0, "h", modes },
	{ "weights", WEIR_OPT_WEIGHTS, offsetof(struct params, weights), NULL, 1, UINT32_MAX, "h",
	  NULL },
	{ "name", WEIR_OPT_TEXT, offsetof(struct params, name), "", 0, 0, "h", NULL },
	{ .name = NULL },
};

static struct params read_spec(const char *text)
{
	struct weir_error e = { "" };
	struct params p;

	memset(&p, 0x5a, sizeof(p));
	if (weir_spec_params(text, &p, options, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return p;
}

static const char *spec_refusal(const char *text, struct weir_error *e)
{
	struct params p;

	e->text[0] = '\0';
	if (weir_spec_params(text, &p, options, e) != -1)
		test_fail(__FILE__, __LINE__, "'%s' was accepted", text);
	return e->text;
}

/* --- options that are specs --- */

static int read_mine(const char *spec, void *params, const struct weir_option **table,
		     struct weir_error *e)
{
	*table = options;
	return weir_spec_params(spec, params, options, e);
}

static const struct weir_scheme_set mine = { { "scheme of mine", NULL }, read_mine, NULL };

TEST(test_spec_option_is_spelled_out_or_kept_where_it_cannot_be_read)
{
	static const struct weir_option o = { "o", WEIR_OPT_SCHEME, 0, NULL, 0, 0, "h", mine.kind };
	char value[WEIR_OPT_TEXT_SIZE], text[512];
	struct weir_error e = { "" };

	CHECK(weir_option_scheme_set(&o) == &mine);
	CHECK_INT(weir_option_parse(value, &o, "any( min = 2000B )", &e), 0);
	CHECK_STR(value, "any( min = 2000B )");
	CHECK_STR(weir_option_format(text, sizeof(text), &o, value),
		  "any(min=2KB, p=0.01, mode=soft, weights=equal, name=)");
	CHECK_INT(weir_option_parse(value, &o, "any(mim=2KB)", &e), 0);
	CHECK_STR(weir_option_format(text, sizeof(text), &o, value), "any(mim=2KB)");
	CHECK_STR(weir_option_range(text, sizeof(text), &o),
		  "scheme of mine as name(option=value, ...), at most 255 bytes");
}

TEST(test_texts_of_every_meaning_are_kept_alike)
{
	static const enum weir_opt_type types[] = { WEIR_OPT_TEXT, WEIR_OPT_FILE,
						    WEIR_OPT_SELECTOR };
	struct weir_error e = { "" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct weir_option o = { "o", types[i], 0, NULL, 0, 0, "h", NULL };
		char value[WEIR_OPT_TEXT_SIZE], text[WEIR_OPT_TEXT_SIZE];

		CHECK(weir_opt_is_text(types[i]));
		CHECK_INT(weir_option_parse(value, &o, "./a (b).txt", &e), 0);
		CHECK_STR(weir_option_format(text, sizeof(text), &o, value), "./a (b).txt");
	}
	CHECK(!weir_opt_is_text(WEIR_OPT_WEIGHTS));
}

/* --- specs --- */

TEST(test_a_spec_is_a_name_and_options_after_the_defaults)
{
	static const char *const plain[] = { "red", "red()", " red ( ) ", "red(min=5KB)" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		struct params p = read_spec(plain[i]);

		CHECK_INT(p.min, 5000);
		CHECK_INT(p.p, 42949673);
		CHECK_INT(p.mode, 0);
		CHECK_INT(p.weights.count, 0);
		CHECK_STR(p.name, "");
	}

	struct params p =
		read_spec(" red( p = 1/2 ,min=7B, weights=3:1,mode=hard,name=f(a=1, b=2) ) ");

	CHECK_INT(p.min, 7);
	CHECK(p.p == WEIR_ONE_Q32 / 2);
	CHECK_INT(p.mode, 1);
	CHECK_INT(p.weights.weight[0], 3);
	CHECK_STR(p.name, "f(a=1, b=2)");
}

TEST(test_every_mistake_in_a_spec_has_its_message)
{
	static const char *const cases[][2] = {
		{ "", "'' names nothing; write a name or name(option=value, ...)" },
		{ "(min=5KB)",
		  "'(min=5KB)' names nothing; write a name or name(option=value, ...)" },
		{ "red 5", "'red 5' is not a name; write name or name(option=value, ...)" },
		{ "a\nb", "'a\\x0ab' is not a name; write name or name(option=value, ...)" },
		{ "min=5KB", "'min=5KB' is not a name; write name or name(option=value, ...)" },
		{ "red(min=5KB", "'red(min=5KB' lacks the closing bracket" },
		{ "red(", "'red(' lacks the closing bracket" },
		{ "red(min=5KB) x", "'red(min=5KB) x' goes on after the closing bracket with 'x'" },
		{ "red(min=5KB))", "'red(min=5KB))' goes on after the closing bracket with ')'" },
		{ "red(5KB)", "red: '5KB' is not option=value" },
		{ "red(min=5KB,)", "red: '' is not option=value" },
		{ "red(,)", "red: '' is not option=value" },
		{ "red(mim=5KB)", "unknown option 'mim' of red; it has min, p, mode, weights, name "
				  "(nearest: min)" },
		{ "red(colour=5)", "unknown option 'colour' of red; "
				   "it has min, p, mode, weights, name" },
		{ "red(=5KB)", "unknown option '' of red; it has min, p, mode, weights, name" },
		{ "red(min=5KB, min=6KB)", "red: min is given twice" },
		{ "red(min=5us)",
		  "red: min: '5us' ends in 'us', which is no unit here (B, KB, MB, GB, "
		  "KiB, MiB, GiB); allowed: 1B to 1MB" },
		{ "red(min=)", "red: min: '' is empty; allowed: 1B to 1MB" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(spec_refusal(cases[i][0], &e), cases[i][1]);
}

TEST(test_long_specs_are_refused_not_cut)
{
	char text[4096], name[8];
	struct weir_error e;

	snprintf(text, sizeof(text), "red(name=%0300d)", 0);
	CHECK_CONTAINS(spec_refusal(text, &e), "has 300 bytes");
	snprintf(text, sizeof(text), "red(%0300d=1)", 0);
	CHECK_CONTAINS(spec_refusal(text, &e), "is too long; at most 255 bytes before =");
	snprintf(text, sizeof(text), "red(name=%01600d)", 0);
	CHECK_CONTAINS(spec_refusal(text, &e), "is too long");
	snprintf(text, sizeof(text), "red(name=%03000d)", 0);
	CHECK_CONTAINS(spec_refusal(text, &e), "an argument of 3005 bytes is too long");
	CHECK_INT(weir_spec_name("abcdefg", name, sizeof(name), &e), 0);
	CHECK_INT(weir_spec_name("abcdefgh", name, sizeof(name), &e), -1);
	CHECK_STR(e.text, "'abcdefgh' is too long a name; at most 7 bytes");
}

TEST(test_a_written_spec_reads_back_the_same)
{
	struct params before = read_spec("red(p=1/3, mode=hard)"), after;
	char text[4096];

	before.weights.count = WEIR_WEIGHTS_MAX;
	for (uint32_t i = 0; i < WEIR_WEIGHTS_MAX; i++)
		before.weights.weight[i] = UINT32_MAX - i;
	weir_spec_format(text, sizeof(text), "red", options, &before);
	CHECK_CONTAINS(text,
		       "red(min=5KB, p=0.3333333333, mode=hard, weights=4294967295:4294967294:");
	after = read_spec(text);
	CHECK(memcmp(&before, &after, sizeof(before)) == 0);
	CHECK_STR(weir_spec_format(text, sizeof(text), "none", NULL, NULL), "none");
	CHECK_STR(weir_spec_format(text, 8, "red", options, &before), "red(min");
}

TEST(test_a_value_knows_whether_it_is_the_default)
{
	struct params p = read_spec("red(min=5000B, mode=hard)");

	CHECK_INT(weir_option_is_default(weir_option_find(options, "min"), &p), 1);
	CHECK_INT(weir_option_is_default(weir_option_find(options, "p"), &p), 1);
	CHECK_INT(weir_option_is_default(weir_option_find(options, "mode"), &p), 0);
	CHECK_INT(weir_option_is_default(weir_option_find(options, "weights"), &p), 1);
	CHECK_INT(weir_option_is_default(weir_option_find(options, "name"), &p), 1);
	CHECK(weir_option_find(options, "max") == NULL);
	CHECK(weir_option_find(NULL, "max") == NULL);
}

TEST(test_unknown_options_of_a_scheme_without_any)
{
	struct weir_error e;

	CHECK_INT(weir_option_unknown("none", "k", NULL, &e), -1);
	CHECK_STR(e.text, "unknown option 'k' of none; it has none");
}

/* --- errors and nearest names --- */

TEST(test_a_prefix_goes_in_front_and_nothing_overflows)
{
	char text[2000];
	struct weir_error e;

	CHECK_INT(weir_error_set(&e, "k: %d is odd", 3), -1);
	CHECK_INT(weir_error_prefix(&e, "%s:%d: ", "a.ini", 12), -1);
	CHECK_STR(e.text, "a.ini:12: k: 3 is odd");
	weir_error_set(&e, "<%s>", e.text);
	CHECK_STR(e.text, "<a.ini:12: k: 3 is odd>");
	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	weir_error_set(&e, "%s", text);
	CHECK_INT(strlen(e.text), sizeof(e.text) - 1);
	weir_error_prefix(&e, "%s", text);
	CHECK_INT(strlen(e.text), sizeof(e.text) - 1);
}

static const char *nearest_unit(const char *word)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "Gbps", "KB", "pkts" };

	return weir_nearest_name(word, units, sizeof(units) / sizeof(units[0]));
}

TEST(test_the_nearest_name_is_the_one_that_was_meant)
{
	CHECK_STR(nearest_unit("usec"), "us");
	CHECK_STR(nearest_unit("sec"), "s");
	CHECK_STR(nearest_unit("US"), "us");
	CHECK_STR(nearest_unit("gbps"), "Gbps");
	CHECK_STR(nearest_unit("gbit"), "Gbps");
	CHECK_STR(nearest_unit("kb"), "KB");
	CHECK_STR(nearest_unit("pkt"), "pkts");
	CHECK_STR(nearest_unit("packets"), "pkts");
	CHECK_STR(nearest_unit("ptks"), "pkts");
	CHECK_STR(nearest_unit("bk"), "KB");
	CHECK_STR(nearest_unit("furlong"), NULL);
	CHECK_STR(nearest_unit(""), NULL);
	CHECK_STR(weir_nearest_name("x", NULL, 0), NULL);
	CHECK_STR(nearest_unit("sssssssssssssssssssssssssssssssssssssssssssssssss"), NULL);
}

TEST(test_unknown_schemes_are_told_with_the_nearest)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_sched_ops *sched;
	const struct weir_mark_ops *mark;
	const struct weir_cc_ops *cc;
	struct weir_error e;

	CHECK_INT(weir_mark_parse("redd", &mark, params, &e), -1);
	CHECK_LIKE(e.text, "unknown marking 'redd'; there are ... (nearest: red)");
	CHECK_INT(weir_sched_parse("drr", 8, &sched, params, &e), -1);
	CHECK_LIKE(e.text, "unknown scheduler 'drr'; there are ... (nearest: wrr)");
	CHECK_INT(weir_cc_parse("dctpc(g=1)", &cc, params, &e), -1);
	CHECK_LIKE(e.text, "unknown congestion control 'dctpc'; there are ... (nearest: dctcp)");
}

/* --- noise --- */

/* Text that is nearly right: pieces of the grammar in random order, with random bytes between. */
static void some_text(char *text, size_t room, struct weir_rng *r)
{
	static const char *const pieces[] = {
		"red",     "ecn",     "dwrr", "dctcp", "codel", "(",         ")",
		",",       "=",       " ",    "min",   "max",   "p",         "k",
		"weights", "quantum", "g",    "0",     "1",     "9",         "99999999999999999999",
		".",       "..",      "/",    "%",     ":",     "KB",        "pkts",
		"us",      "s",       "Gbps", "GiB",   "-",     "unlimited", "equal",
		"yes",     "queue",   "\n",
	};
	size_t used = 0, count = weir_rng_below(r, 24);

	text[0] = '\0';
	for (size_t i = 0; i < count && used + 24 < room; i++) {
		const char *piece = pieces[weir_rng_below(r, sizeof(pieces) / sizeof(pieces[0]))];

		if (weir_rng_below(r, 12) == 0)
			used += (size_t)snprintf(text + used, room - used, "%c",
						 (int)(1 + weir_rng_below(r, 255)));
		else
			used += (size_t)snprintf(text + used, room - used, "%s", piece);
	}
}

static void check_one_line(int refused, const struct weir_error *e, const char *text)
{
	if (refused && (e->text[0] == '\0' || strchr(e->text, '\n')))
		test_fail(__FILE__, __LINE__, "'%s': the message is not one line: '%s'", text,
			  e->text);
}

TEST(test_no_text_breaks_the_parsers)
{
	static const enum weir_opt_type types[] = {
		WEIR_OPT_TIME_NS,      WEIR_OPT_TIME_PS, WEIR_OPT_SPAN_PS,  WEIR_OPT_BYTES,
		WEIR_OPT_LENGTH,       WEIR_OPT_SIZE,    WEIR_OPT_RATE_BPS, WEIR_OPT_COUNT,
		WEIR_OPT_FRACTION_Q32, WEIR_OPT_FLAG,    WEIR_OPT_CHOICE,   WEIR_OPT_WEIGHTS,
		WEIR_OPT_TEXT
	};
	struct weir_rng r = weir_rng_make(4, 0, WEIR_RNG_TEST);
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	char text[512];

	for (int i = 0; i < 20000; i++) {
		struct weir_option o = { "o", types[(size_t)i % (sizeof(types) / sizeof(types[0]))],
					 0,   NULL,
					 0,   UINT64_MAX,
					 "h", modes };
		const struct weir_sched_ops *sched;
		const struct weir_mark_ops *mark;
		const struct weir_cc_ops *cc;
		struct weir_error e = { "" };

		some_text(text, sizeof(text), &r);
		check_one_line(weir_option_parse(params, &o, text, &e), &e, text);
		check_one_line(weir_spec_params(text, params, options, &e), &e, text);
		check_one_line(weir_mark_parse(text, &mark, params, &e), &e, text);
		check_one_line(weir_sched_parse(text, 4, &sched, params, &e), &e, text);
		check_one_line(weir_cc_parse(text, &cc, params, &e), &e, text);
		weir_nearest_name(text, modes, 2);
	}
}
