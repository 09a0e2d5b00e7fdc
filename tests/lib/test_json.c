/* SPDX-License-Identifier: BSD-3-Clause */
/* test_json.c -- JSON without trust: what is found, what is skipped, and that nothing that is
 * missing reads as zero. */
#include "base/json.h"
#include "tests/test.h"
#include "weir/rng.h"
#include <string.h>

static const char status[] =
	"{\"title\":\"a \\\"ports\\\":[] switch\",\"ports\":[{\"name\":\"a\",\"drops\":3,"
	"\"reasons\":{\"drops\":9,\"x\":[1,{\"y\":null}]},\"tx\":18446744073709551615}],\"p\":-1."
	"5e3}";

static struct weir_json begin(const char *text, struct weir_error *e)
{
	return weir_json_begin(text, strlen(text), "the text", e);
}

TEST(test_json_finds_members_of_its_own_object_alone)
{
	struct weir_error e = { "" };
	struct weir_json j = begin(status, &e), port;
	uint64_t number = 0;
	char name[8];

	CHECK_INT(weir_json_find(&j, "ports"), 0); /* not the one inside the title */
	CHECK_INT(weir_json_expect(&j, '['), 0);
	port = j;
	CHECK_INT(weir_json_find(&port, "name"), 0);
	CHECK_INT(weir_json_string(&port, name, sizeof(name)), 0);
	CHECK_STR(name, "a");
	port = j;
	CHECK_INT(weir_json_find(&port, "tx"), 0); /* behind an object that nests */
	CHECK_INT(weir_json_u64(&port, &number), 0);
	CHECK(number == UINT64_MAX);
	port = j;
	CHECK_INT(weir_json_find(&port, "x"), -1); /* of reasons, not of the port */
	CHECK_STR(e.text, "the text has no member x");
	port = j;
	CHECK_INT(weir_json_skip(&port), 0);
	CHECK_INT(weir_json_expect(&port, ']'), 0);
}

static void check_number(const char *text, int status_wanted, const char *message)
{
	struct weir_error e = { "" };
	struct weir_json j = begin(text, &e);
	uint64_t number;

	CHECK_INT(weir_json_u64(&j, &number), status_wanted);
	CHECK_STR(e.text, message);
}

TEST(test_json_takes_whole_numbers_alone_for_counters)
{
	check_number("0", 0, "");
	check_number("18446744073709551615,", 0, "");
	check_number("18446744073709551616", -1, "the text has a number of 2^64 or more");
	check_number("1.0", -1, "the text has no whole number where one is expected");
	check_number("1e3", -1, "the text has no whole number where one is expected");
	check_number("-1", -1, "the text has no whole number where one is expected");
	check_number("07", -1, "the text has no whole number where one is expected");
	check_number("null", -1, "the text has no whole number where one is expected");
}

TEST(test_json_refuses_what_nests_deeper_than_it_says)
{
	char text[2 * WEIR_JSON_DEPTH + 3];
	struct weir_error e = { "" };
	struct weir_json j;

	memset(text, '[', WEIR_JSON_DEPTH);
	memset(text + WEIR_JSON_DEPTH, ']', WEIR_JSON_DEPTH);
	text[2 * WEIR_JSON_DEPTH] = '\0';
	j = begin(text, &e);
	CHECK_INT(weir_json_skip(&j), 0);
	CHECK_INT(weir_json_end(&j), 0);
	memset(text, '[', WEIR_JSON_DEPTH + 1);
	memset(text + WEIR_JSON_DEPTH + 1, ']', WEIR_JSON_DEPTH + 1);
	text[2 * WEIR_JSON_DEPTH + 2] = '\0';
	j = begin(text, &e);
	CHECK_INT(weir_json_skip(&j), -1);
	CHECK_STR(e.text, "the text is nested too deeply");
}

/* A text that is cut anywhere, or has any byte changed, is not read beyond its end, and a walk over
 * it terminates. */
TEST(test_json_survives_any_damage)
{
	struct weir_rng rng = weir_rng_make(3, 1, WEIR_RNG_TUNING);
	struct weir_error e;

	for (size_t length = 0; length < sizeof(status) - 1; length++) {
		struct weir_json j = weir_json_begin(status, length, "the text", &e);

		CHECK_INT(weir_json_skip(&j), -1);
	}
	for (int i = 0; i < 20000; i++) {
		char text[sizeof(status)];
		struct weir_json j, k;
		uint64_t number;

		memcpy(text, status, sizeof(text));
		text[weir_rng_below(&rng, sizeof(text) - 1)] = (char)weir_rng_below(&rng, 256);
		j = k = weir_json_begin(text, sizeof(text) - 1, "the text", &e);
		if (weir_json_skip(&j) == 0)
			CHECK(j.at <= j.end);
		if (weir_json_find(&k, "ports") == 0 && weir_json_expect(&k, '[') == 0 &&
		    weir_json_find(&k, "tx") == 0)
			weir_json_u64(&k, &number);
	}
}
