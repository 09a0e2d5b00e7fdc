/* SPDX-License-Identifier: BSD-3-Clause */
/* test_utf8.c -- what is text by RFC 3629, and how a message quotes what is not. */
#include "base/utf8.h"
#include "tests/test.h"
#include "weir/error.h"
#include <string.h>

static size_t length_of(const char *text)
{
	return weir_utf8_length((const unsigned char *)text, WEIR_UTF8_BYTES_MAX);
}

/* The first and the last character of each length (RFC 3629, section 3). */
TEST(test_utf8_takes_the_first_and_last_character_of_each_length)
{
	CHECK_INT(length_of("\x01"), 1);
	CHECK_INT(length_of("\x7f"), 1);
	CHECK_INT(length_of("\xc2\x80"), 2);
	CHECK_INT(length_of("\xdf\xbf"), 2);
	CHECK_INT(length_of("\xe0\xa0\x80"), 3);
	CHECK_INT(length_of("\xef\xbf\xbf"), 3);
	CHECK_INT(length_of("\xf0\x90\x80\x80"), 4);
	CHECK_INT(length_of("\xf4\x8f\xbf\xbf"), 4);
}

TEST(test_utf8_refuses_overlong_forms_surrogates_and_what_is_beyond_unicode)
{
	CHECK_INT(length_of("\xc0\xaf"), 0);         /* "/" in two bytes */
	CHECK_INT(length_of("\xc1\xbf"), 0);         /* DEL in two */
	CHECK_INT(length_of("\xe0\x9f\xbf"), 0);     /* U+07FF in three */
	CHECK_INT(length_of("\xf0\x8f\xbf\xbf"), 0); /* U+FFFF in four */
	CHECK_INT(length_of("\xed\x9f\xbf"), 3);     /* U+D7FF, the last before the surrogates */
	CHECK_INT(length_of("\xed\xa0\x80"), 0);
	CHECK_INT(length_of("\xed\xbf\xbf"), 0);
	CHECK_INT(length_of("\xf4\x90\x80\x80"), 0); /* U+110000 */
	CHECK_INT(length_of("\xf5\x80\x80\x80"), 0);
	CHECK_INT(length_of("\xff"), 0);
}

TEST(test_utf8_refuses_a_character_that_is_cut_or_continues_nothing)
{
	CHECK_INT(length_of("\x80"), 0);
	CHECK_INT(length_of("\xe2\x82"), 0); /* NUL ends it */
	CHECK_INT(length_of("\xe2\x82x"), 0);
	CHECK_INT(weir_utf8_length((const unsigned char *)"\xe2\x82\xac", 3), 3);
	CHECK_INT(weir_utf8_length((const unsigned char *)"\xe2\x82\xac", 2), 0);
}

/* A message is text itself: a surrogate or an overlong form on a user's line must not make it
 * something else. */
TEST(test_a_quote_is_well_formed_whatever_is_quoted)
{
	CHECK_STR(weir_quote("caf\xc3\xa9").text, "'caf\xc3\xa9'");
	CHECK_STR(weir_quote("\xed\xa0\x80").text, "'\\xed\\xa0\\x80'");
	CHECK_STR(weir_quote("\xe0\x80\xaf").text, "'\\xe0\\x80\\xaf'");
	CHECK_STR(weir_quote("\xc2\x9b"
			     "1m")
			  .text,
		  "'\\xc2\\x9b1m'"); /* a C1 control */
	CHECK_STR(weir_quote("\x1b[1m\x7f").text, "'\\x1b[1m\\x7f'");
}
