/* SPDX-License-Identifier: BSD-3-Clause */
/* test_option.c -- what users write: numbers, units, words, and a message for each mistake. */
#include "tests/test.h"
#include "weir/option.h"
#include "weir/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const colours[] = { "red", "green", "blue", NULL };

/* Every type, with limits that let everything through. */
static const struct weir_option any_options[] = {
	{ "time-ns", WEIR_OPT_TIME_NS, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "time-ps", WEIR_OPT_TIME_PS, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "span", WEIR_OPT_SPAN_PS, 0, NULL, 0, INT64_MAX, "h", NULL },
	{ "bytes", WEIR_OPT_BYTES, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "length", WEIR_OPT_LENGTH, 0, NULL, 0, INT64_MAX, "h", NULL },
	{ "size", WEIR_OPT_SIZE, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "rate", WEIR_OPT_RATE_BPS, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "count", WEIR_OPT_COUNT, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "fraction", WEIR_OPT_FRACTION_Q32, 0, NULL, 0, UINT64_MAX, "h", NULL },
	{ "flag", WEIR_OPT_FLAG, 0, NULL, 0, 0, "h", NULL },
	{ "choice", WEIR_OPT_CHOICE, 0, NULL, 0, 0, "h", colours },
	{ "weights", WEIR_OPT_WEIGHTS, 0, NULL, 0, UINT32_MAX, "h", NULL },
	{ "text", WEIR_OPT_TEXT, 0, NULL, 0, 0, "h", NULL },
	{ .name = NULL },
};

union any {
	uint64_t number;
	struct weir_span_ps span;
	struct weir_weights weights;
	char text[WEIR_OPT_TEXT_SIZE];
};

static uint64_t read_number(const char *option, const char *text)
{
	const struct weir_option *o = weir_option_find(any_options, option);
	struct weir_error e = { "" };
	union any v;

	if (weir_option_parse(&v, o, text, &e))
		test_fail(__FILE__, __LINE__, "'%s' was refused: %s", text, e.text);
	return v.number;
}

static const char *refusal(const struct weir_option *o, const char *text, struct weir_error *e)
{
	union any v;

	e->text[0] = '\0';
	if (weir_option_parse(&v, o, text, e) != -1)
		test_fail(__FILE__, __LINE__, "'%s' was accepted as %s", text, o->name);
	return e->text;
}

/* --- numbers and units --- */

TEST(test_times_are_exact_in_every_unit)
{
	CHECK_INT(read_number("time-ns", "0ns"), 0);
	CHECK_INT(read_number("time-ns", "100us"), 100000);
	CHECK_INT(read_number("time-ns", "1.5us"), 1500);
	CHECK_INT(read_number("time-ns", "51.2us"), 51200);
	CHECK_INT(read_number("time-ns", "0.000000001s"), 1);
	CHECK_INT(read_number("time-ns", "1.000000000000000000000000000000000000000000ms"),
		  1000000);
	CHECK_INT(read_number("time-ns", "0000000000000000000000000000000000000000000007ns"), 7);
	CHECK_INT(read_number("time-ps", "1ps"), 1);
	CHECK_INT(read_number("time-ps", "1.234ns"), 1234);
	CHECK_INT(read_number("time-ps", "3s"), INT64_C(3000000000000));
	CHECK(read_number("time-ns", "18446744073.709551615s") == UINT64_MAX);
}

TEST(test_bytes_count_in_thousands_and_in_1024)
{
	CHECK_INT(read_number("bytes", "1B"), 1);
	CHECK_INT(read_number("bytes", "1.5KB"), 1500);
	CHECK_INT(read_number("bytes", "0.1MB"), 100000);
	CHECK_INT(read_number("bytes", "2GB"), INT64_C(2000000000));
	CHECK_INT(read_number("bytes", "64KiB"), 65536);
	CHECK_INT(read_number("bytes", "0.5MiB"), 524288);
	CHECK_INT(read_number("bytes", "0.000000000931322574615478515625GiB"), 1);
	CHECK_INT(read_number("size", "2MB"), 2000000);
	CHECK(read_number("size", "unlimited") == UINT64_MAX);
}

TEST(test_lengths_keep_packets_and_bytes_apart)
{
	CHECK(read_number("length", "70pkts") == (70 | WEIR_LENGTH_IN_PACKETS));
	CHECK_INT(read_number("length", "70KB"), 70000);
	CHECK(weir_length_reached(70 | WEIR_LENGTH_IN_PACKETS, 0, 70));
	CHECK(!weir_length_reached(70 | WEIR_LENGTH_IN_PACKETS, 100000, 69));
	CHECK(weir_length_reached(70000, 70000, 1));
	CHECK(!weir_length_reached(70000, 69999, 1000));
}

TEST(test_rates_are_bits_per_second)
{
	CHECK_INT(read_number("rate", "12.5Gbps"), INT64_C(12500000000));
	CHECK_INT(read_number("rate", "1Kbps"), 1000);
	CHECK_INT(read_number("rate", "0.8Tbps"), INT64_C(800000000000));
	CHECK_INT(read_number("rate", "7bps"), 7);
}

TEST(test_fractions_are_the_nearest_of_2_to_the_32)
{
	CHECK(read_number("fraction", "1") == WEIR_ONE_Q32);
	CHECK(read_number("fraction", "1/16") == WEIR_ONE_Q32 / 16);
	CHECK(read_number("fraction", "0.0625") == WEIR_ONE_Q32 / 16);
	CHECK(read_number("fraction", "6.25%") == WEIR_ONE_Q32 / 16);
	CHECK(read_number("fraction", "250%") == WEIR_ONE_Q32 * 5 / 2);
	CHECK_INT(read_number("fraction", "5%"), 214748365); /* 214748364.8 */
	CHECK_INT(read_number("fraction", "0.05"), 214748365);
	CHECK_INT(read_number("fraction", "1/3"), 1431655765); /* ...765.33 */
	CHECK_INT(read_number("fraction", "2/3"), 2863311531); /* ...530.67 */
	CHECK(read_number("fraction", "128") == 128 * WEIR_ONE_Q32);
	CHECK(read_number("fraction", "4294967295.9999999998") == UINT64_MAX);
	CHECK_INT(read_number("fraction", "0.333333333333333333333333333333333333333333"),
		  1431655765);
}

TEST(test_flags_have_three_spellings)
{
	CHECK_INT(read_number("flag", "yes"), 1);
	CHECK_INT(read_number("flag", "true"), 1);
	CHECK_INT(read_number("flag", "on"), 1);
	CHECK_INT(read_number("flag", "no"), 0);
	CHECK_INT(read_number("flag", "false"), 0);
	CHECK_INT(read_number("flag", "off"), 0);
	CHECK_INT(read_number("choice", "blue"), 2);
}

TEST(test_spans_and_weights_hold_several_numbers)
{
	struct weir_error e;
	struct weir_span_ps span;
	struct weir_weights w;

	CHECK_INT(weir_option_parse(&span, weir_option_find(any_options, "span"), "0us..1.5us", &e),
		  0);
	CHECK_INT(span.first_ps, 0);
	CHECK_INT(span.last_ps, 1500000);
	CHECK_INT(weir_option_parse(&span, weir_option_find(any_options, "span"), "3ns", &e), 0);
	CHECK_INT(span.first_ps, 3000);
	CHECK_INT(span.last_ps, 3000);
	CHECK_INT(weir_option_parse(&w, weir_option_find(any_options, "weights"), "4:2:1", &e), 0);
	CHECK_INT(w.count, 3);
	CHECK_INT(w.weight[0] * 100 + w.weight[1] * 10 + w.weight[2], 421);
	CHECK_INT(weir_option_parse(&w, weir_option_find(any_options, "weights"), "equal", &e), 0);
	CHECK_INT(w.count, 0);
}

/* --- mistakes --- */

static const struct weir_option wait = { "wait", WEIR_OPT_TIME_NS, 0,   NULL,
					 2000,   10000000,         "h", NULL };
static const struct weir_option room = {
	"room", WEIR_OPT_LENGTH, 0, NULL, 1, 4000000000, "h", NULL
};
static const struct weir_option load = { "load", WEIR_OPT_FRACTION_Q32, 0,   NULL,
					 0,      WEIR_ONE_Q32,          "h", NULL };
static const struct weir_option hosts = { "hosts", WEIR_OPT_COUNT, 0, NULL, 2, 1000, "h", NULL };
static const struct weir_option speed = { "speed", WEIR_OPT_RATE_BPS, 0,   NULL,
					  1000000, UINT64_MAX,        "h", NULL };
static const struct weir_option start = { "start", WEIR_OPT_SPAN_PS, 0,   NULL,
					  0,       1000000000000,    "h", NULL };
static const struct weir_option size = { "size", WEIR_OPT_SIZE, 0, NULL, 1, UINT64_MAX, "h", NULL };
static const struct weir_option flag = { "flag", WEIR_OPT_FLAG, 0, NULL, 0, 0, "h", NULL };
static const struct weir_option shade = { "shade", WEIR_OPT_CHOICE, 0, NULL, 0, 0, "h", colours };
static const struct weir_option share = { "share", WEIR_OPT_WEIGHTS, 0, NULL, 1, 100, "h", NULL };
static const struct weir_option words = { "words", WEIR_OPT_TEXT, 0, NULL, 0, 0, "h", NULL };

#define WAIT_RANGE "; allowed: 2us to 10ms"
#define ROOM_RANGE "; allowed: 1B to 4GB or 1pkts to 4000000000pkts"

TEST(test_every_mistake_in_a_quantity_has_its_message)
{
	static const struct {
		const struct weir_option *o;
		const char *text, *message;
	} cases[] = {
		{ &wait, "", "wait: '' is empty" WAIT_RANGE },
		{ &wait, "100", "wait: '100' has no unit (ns, us, ms, s)" WAIT_RANGE },
		{ &wait, "10KB",
		  "wait: '10KB' ends in 'KB', which is no unit here (ns, us, ms, s)" WAIT_RANGE },
		{ &wait, "10usec",
		  "wait: '10usec' ends in 'usec', which is no unit here "
		  "(ns, us, ms, s; nearest: us)" WAIT_RANGE },
		{ &wait, "10US",
		  "wait: '10US' ends in 'US', which is no unit here "
		  "(ns, us, ms, s; nearest: us)" WAIT_RANGE },
		{ &wait, "10us ",
		  "wait: '10us ' ends in 'us ', which is no unit here "
		  "(ns, us, ms, s; nearest: us)" WAIT_RANGE },
		{ &wait, "10 us",
		  "wait: '10 us' ends in ' us', which is no unit here "
		  "(ns, us, ms, s; nearest: us)" WAIT_RANGE },
		{ &wait, "-5us", "wait: '-5us' is negative" WAIT_RANGE },
		{ &wait, "-us", "wait: '-us' is not a number with a unit" WAIT_RANGE },
		{ &wait, "soon", "wait: 'soon' is not a number with a unit" WAIT_RANGE },
		{ &wait, ".5us", "wait: '.5us' is not a number with a unit" WAIT_RANGE },
		{ &wait, "5.us", "wait: '5.us' is not a number with a unit" WAIT_RANGE },
		{ &wait, "+5us", "wait: '+5us' is not a number with a unit" WAIT_RANGE },
		{ &wait, "1e3us",
		  "wait: '1e3us' ends in 'e3us', which is no unit here "
		  "(ns, us, ms, s; nearest: us)" WAIT_RANGE },
		{ &wait, "2000.5ns", "wait: '2000.5ns' is not a whole number of ns" WAIT_RANGE },
		{ &wait, "1999ns", "wait: '1999ns' is out of range" WAIT_RANGE },
		{ &wait, "10.000001ms", "wait: '10.000001ms' is out of range" WAIT_RANGE },
		{ &wait, "18446744073.709551616s",
		  "wait: '18446744073.709551616s' is too large" WAIT_RANGE },
		{ &wait, "99999999999999999999ns",
		  "wait: '99999999999999999999ns' is too large" WAIT_RANGE },
		{ &room, "1.5pkts", "room: '1.5pkts' is not a whole number of pkts" ROOM_RANGE },
		{ &room, "1.5B", "room: '1.5B' is not a whole number of B" ROOM_RANGE },
		{ &room, "0pkts", "room: '0pkts' is out of range" ROOM_RANGE },
		{ &room, "5packets",
		  "room: '5packets' ends in 'packets', which is no unit here (B, KB, "
		  "MB, GB, KiB, MiB, GiB, pkts; nearest: pkts)" ROOM_RANGE },
		{ &room, "9223372036854775808B",
		  "room: '9223372036854775808B' is out of range" ROOM_RANGE },
		{ &speed, "10Gb",
		  "speed: '10Gb' ends in 'Gb', which is no unit here (bps, Kbps, Mbps, "
		  "Gbps, Tbps; nearest: Gbps); allowed: at least 1Mbps" },
		{ &size, "0B", "size: '0B' is out of range; allowed: at least 1B or unlimited" },
		{ &size, "unlimitd",
		  "size: 'unlimitd' is not a number with a unit; "
		  "allowed: at least 1B or unlimited" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(refusal(cases[i].o, cases[i].text, &e), cases[i].message);
}

#define LOAD_RANGE "; allowed: 0 to 1"
#define LOAD_SHAPE "is not a fraction such as 0.05, 5% or 1/16; allowed: 0 to 1"
#define START_RANGE "; allowed: 0s to 1s, once or as first..last"
#define SHARE_RANGE "; allowed: 1 to 100 each, as in 4:2:1, or equal"

TEST(test_every_mistake_in_a_number_or_a_word_has_its_message)
{
	static const struct {
		const struct weir_option *o;
		const char *text, *message;
	} cases[] = {
		{ &load, "", "load: '' is empty" LOAD_RANGE },
		{ &load, "-1", "load: '-1' is negative" LOAD_RANGE },
		{ &load, "1.1", "load: '1.1' is out of range" LOAD_RANGE },
		{ &load, "101%", "load: '101%' is out of range" LOAD_RANGE },
		{ &load, "1/0", "load: '1/0' divides by zero" LOAD_RANGE },
		{ &load, "1/2/3", "load: '1/2/3' " LOAD_SHAPE },
		{ &load, "0.5/2", "load: '0.5/2' " LOAD_SHAPE },
		{ &load, "5%%", "load: '5%%' " LOAD_SHAPE },
		{ &load, "half", "load: 'half' " LOAD_SHAPE },
		{ &load, "5000000000", "load: '5000000000' is too large" LOAD_RANGE },
		{ &load, "99999999999999999999%",
		  "load: '99999999999999999999%' is too large" LOAD_RANGE },
		{ &load, "1/99999999999999999999",
		  "load: '1/99999999999999999999' is too large" LOAD_RANGE },
		{ &hosts, "", "hosts: '' is empty; allowed: 2 to 1000" },
		{ &hosts, "1", "hosts: '1' is out of range; allowed: 2 to 1000" },
		{ &hosts, "-3", "hosts: '-3' is negative; allowed: 2 to 1000" },
		{ &hosts, "3.5", "hosts: '3.5' is not a whole number; allowed: 2 to 1000" },
		{ &hosts, "3.0", "hosts: '3.0' is not a whole number; allowed: 2 to 1000" },
		{ &hosts, "3x", "hosts: '3x' is not a whole number; allowed: 2 to 1000" },
		{ &hosts, "18446744073709551616",
		  "hosts: '18446744073709551616' is too large; allowed: 2 to 1000" },
		{ &flag, "maybe",
		  "flag: 'maybe' is neither yes nor no (nor true, false, on, off); "
		  "allowed: yes or no" },
		{ &shade, "gren",
		  "shade: 'gren' is no choice (nearest: green); "
		  "allowed: one of red, green, blue" },
		{ &shade, "", "shade: '' is no choice; allowed: one of red, green, blue" },
		{ &start, "5us..2us", "start: '5us..2us' ends before it starts" START_RANGE },
		{ &start, "5us..", "start: '5us..' is not a number with a unit" START_RANGE },
		{ &start, "0us..2s", "start: '0us..2s' is out of range" START_RANGE },
		{ &start, "0..2s", "start: '0..2s' has no unit (ps, ns, us, ms, s)" START_RANGE },
		{ &share, "", "share: '' is empty" SHARE_RANGE },
		{ &share, "4:2:", "share: '4:2:' is not a list of whole numbers" SHARE_RANGE },
		{ &share, "4;2", "share: '4;2' is not a list of whole numbers" SHARE_RANGE },
		{ &share, "4:1.5", "share: '4:1.5' is not a list of whole numbers" SHARE_RANGE },
		{ &share, "4:0", "share: '4:0' has a weight out of range" SHARE_RANGE },
		{ &share, "99999999999999999999",
		  "share: '99999999999999999999' has a weight out of range" SHARE_RANGE },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(refusal(cases[i].o, cases[i].text, &e), cases[i].message);
}

TEST(test_values_that_are_too_long_are_refused)
{
	char text[2 * WEIR_WEIGHTS_MAX + 2] = "1";
	struct weir_error e;
	union any v;

	for (int i = 1; i < WEIR_WEIGHTS_MAX; i++)
		strcat(text, ":1");
	CHECK_INT(weir_option_parse(&v, &share, text, &e), 0);
	CHECK_INT(v.weights.count, WEIR_WEIGHTS_MAX);
	strcat(text, ":1");
	CHECK_CONTAINS(refusal(&share, text, &e), "has more than 128 weights");
	memset(text, 'x', WEIR_OPT_TEXT_SIZE - 1);
	text[WEIR_OPT_TEXT_SIZE - 1] = '\0';
	CHECK_INT(weir_option_parse(&v, &words, text, &e), 0);
	text[WEIR_OPT_TEXT_SIZE - 1] = 'x';
	text[WEIR_OPT_TEXT_SIZE] = '\0';
	CHECK_CONTAINS(refusal(&words, text, &e),
		       "has 256 bytes; allowed: text of at most 255 bytes");
	memset(text, '0', 64);
	memcpy(text + 64, "..", 3);
	CHECK_CONTAINS(refusal(&start, text, &e), "is too long");
}

/* Where the table sets no limit the type still does: the top bit of a length, 32 bits of a
 * weight. */
TEST(test_numbers_that_their_type_cannot_hold_are_refused)
{
	static const struct weir_option length = { "l", WEIR_OPT_LENGTH, 0,   NULL,
						   0,   UINT64_MAX,      "h", NULL };
	static const struct weir_option span = { "s", WEIR_OPT_SPAN_PS, 0,   NULL,
						 0,   UINT64_MAX,       "h", NULL };
	static const struct weir_option weights = { "w", WEIR_OPT_WEIGHTS, 0,   NULL,
						    0,   UINT64_MAX,       "h", NULL };
	struct weir_error e;

	CHECK_STR(refusal(&length, "9223372036854775808B", &e),
		  "l: '9223372036854775808B' is out of range; "
		  "allowed: at least 0B or at least 0pkts");
	CHECK_CONTAINS(refusal(&length, "9223372036854775808pkts", &e), "is out of range");
	CHECK_CONTAINS(refusal(&span, "0s..9223372036854775808ps", &e), "is out of range");
	CHECK_CONTAINS(refusal(&weights, "1:4294967296", &e), "has a weight out of range");
}

TEST(test_messages_stay_on_one_line_whatever_was_written)
{
	struct weir_error e;

	CHECK_STR(refusal(&hosts, "a\nb\x1b[2J\xff", &e),
		  "hosts: 'a\\x0ab\\x1b[2J\\xff' is not a whole number; allowed: 2 to 1000");
	CHECK_CONTAINS(refusal(&wait, "10\xc2\xb5s", &e), "ends in '\xc2\xb5s'");
	CHECK_STR(weir_quote("\xc2\x9b").text, "'\\xc2\\x9b'");
	CHECK_STR(weir_quote("").text, "''");
	CHECK_STR(weir_quote("0123456789"
			     "0123456789"
			     "0123456789"
			     "0123456789"
			     "0123456789"
			     "0123456789"
			     "0123456789"
			     "0123456789")
			  .text,
		  "'0123456789012345678901234567890123456789012345678901234567890123456789...'");
}

/* --- writing values --- */

static const char *written(const char *option, const char *text, char *buffer, size_t room_bytes)
{
	const struct weir_option *o = weir_option_find(any_options, option);
	struct weir_error e;
	union any v;

	if (weir_option_parse(&v, o, text, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return weir_option_format(buffer, room_bytes, o, &v);
}

TEST(test_values_are_written_in_the_shortest_whole_form)
{
	static const char *const cases[][3] = {
		{ "time-ns", "1000us", "1ms" },
		{ "time-ns", "1500us", "1500us" },
		{ "time-ns", "0ms", "0s" },
		{ "bytes", "1448B", "1448B" },
		{ "bytes", "128KB", "128KB" },
		{ "bytes", "65536B", "64KiB" },
		{ "bytes", "67108864B", "64MiB" },
		{ "rate", "12.5Gbps", "12500Mbps" },
		{ "rate", "10000Mbps", "10Gbps" },
		{ "length", "70pkts", "70pkts" },
		{ "length", "1000pkts", "1000pkts" },
		{ "length", "5000B", "5KB" },
		{ "fraction", "1/16", "0.0625" },
		{ "fraction", "5%", "0.05" },
		{ "fraction", "300%", "3" },
		{ "span", "0us..100us", "0s..100us" },
		{ "span", "7ns..7ns", "7ns" },
		{ "weights", "4:2:1", "4:2:1" },
		{ "weights", "equal", "equal" },
		{ "size", "unlimited", "unlimited" },
		{ "bytes", "100352000B", "100352KB" },
		{ "bytes", "131072000B", "125MiB" },
		{ "flag", "on", "yes" },
		{ "choice", "green", "green" },
		{ "text", "as it is ", "as it is " },
	};
	char buffer[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(written(cases[i][0], cases[i][1], buffer, sizeof(buffer)), cases[i][2]);
}

/* Random values of every size: a random number of random bits. */
static uint64_t some_number(struct weir_rng *r)
{
	return weir_rng_u64(r) >> weir_rng_below(r, 64);
}

static void some_value(union any *v, const struct weir_option *o, struct weir_rng *r)
{
	memset(v, 0, sizeof(*v));
	switch (o->type) {
	case WEIR_OPT_FLAG:
		v->number = weir_rng_below(r, 2);
		break;
	case WEIR_OPT_CHOICE:
		v->number = weir_rng_below(r, 3);
		break;
	case WEIR_OPT_SPAN_PS:
		v->span.first_ps = (int64_t)(some_number(r) >> 2);
		v->span.last_ps = v->span.first_ps + (int64_t)(some_number(r) >> 2);
		break;
	case WEIR_OPT_WEIGHTS:
		v->weights.count = (uint32_t)weir_rng_below(r, WEIR_WEIGHTS_MAX + 1);
		for (uint32_t i = 0; i < v->weights.count; i++)
			v->weights.weight[i] = (uint32_t)some_number(r);
		break;
	case WEIR_OPT_TEXT:
		for (uint64_t i = weir_rng_below(r, WEIR_OPT_TEXT_SIZE); i > 0; i--)
			v->text[i - 1] = (char)(1 + weir_rng_below(r, 255));
		break;
	default:
		v->number = some_number(r);
		/* Also the round numbers that people write. */
		for (uint64_t i = weir_rng_below(r, 5); i > 0 && v->number < UINT64_MAX / 1000; i--)
			v->number *= 1000;
	}
}

TEST(test_every_written_value_reads_back_the_same)
{
	struct weir_rng r = weir_rng_make(1, 0, WEIR_RNG_TEST);
	char text[2048];

	for (const struct weir_option *o = any_options; o->name; o++) {
		for (int i = 0; i < 3000; i++) {
			union any before, after;
			struct weir_error e = { "" };

			some_value(&before, o, &r);
			memset(&after, 0, sizeof(after));
			weir_option_format(text, sizeof(text), o, &before);
			if (weir_option_parse(&after, o, text, &e))
				test_fail(__FILE__, __LINE__, "%s", e.text);
			if (memcmp(&before, &after, sizeof(before)) != 0)
				test_fail(__FILE__, __LINE__, "%s: '%s' reads back differently",
					  o->name, text);
		}
	}
}

TEST(test_fractions_written_have_no_more_digits_than_needed)
{
	struct weir_rng r = weir_rng_make(2, 0, WEIR_RNG_TEST);
	const struct weir_option *o = weir_option_find(any_options, "fraction");
	char text[64];

	for (int i = 0; i < 3000; i++) {
		uint64_t value = weir_rng_u64(&r) >> (32 + weir_rng_below(&r, 30));
		double error;

		weir_option_format(text, sizeof(text), o, &value);
		error = strtod(text, NULL) * (double)WEIR_ONE_Q32 - (double)value;
		CHECK(error <= 0.5 && error >= -0.5);
		CHECK(strlen(text) <= strlen("0.1234567890"));
	}
}

TEST(test_ranges_and_kinds_read_as_prose)
{
	static const struct {
		const struct weir_option *o;
		const char *range, *kind;
	} cases[] = {
		{ &wait, "2us to 10ms", "time" },
		{ &room, "1B to 4GB or 1pkts to 4000000000pkts", "bytes or packets" },
		{ &load, "0 to 1", "fraction" },
		{ &hosts, "2 to 1000", "whole number" },
		{ &speed, "at least 1Mbps", "rate" },
		{ &start, "0s to 1s, once or as first..last", "time or span of time" },
		{ &size, "at least 1B or unlimited", "bytes or unlimited" },
		{ &flag, "yes or no", "yes or no" },
		{ &shade, "one of red, green, blue", "choice" },
		{ &share, "1 to 100 each, as in 4:2:1, or equal", "weights" },
		{ &words, "text of at most 255 bytes", "text" },
	};
	char range[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_STR(weir_option_range(range, sizeof(range), cases[i].o), cases[i].range);
		CHECK_STR(weir_option_kind(cases[i].o), cases[i].kind);
	}
}

TEST(test_writing_stops_at_the_end_of_a_short_buffer)
{
	struct weir_rng r = weir_rng_make(3, 0, WEIR_RNG_TEST);
	union any v;
	char buffer[8];

	for (const struct weir_option *o = any_options; o->name; o++) {
		some_value(&v, o, &r);
		weir_option_format(buffer, sizeof(buffer), o, &v);
		CHECK(memchr(buffer, '\0', sizeof(buffer)) != NULL);
		weir_option_range(buffer, sizeof(buffer), o);
		CHECK(memchr(buffer, '\0', sizeof(buffer)) != NULL);
	}
}
