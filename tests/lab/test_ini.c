/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ini.c -- the grammar that scenarios and claims share: what is seen of a file, and where. */
#include "base/ini.h"
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was seen, a piece each: "3[kind name]", "4 key=value", "title: text", "5 end". */
struct seen {
	char text[1024];
	int refuse_line; /* what stands there is refused; -1: nothing */
	int blame_line;  /* and this is the line that is said to be wrong; 0: the same */
};

static int note(struct seen *s, struct ini_place *at, const char *piece)
{
	size_t used = strlen(s->text);
	int line = at->line;

	snprintf(s->text + used, sizeof(s->text) - used, "%s%d%s", used ? "|" : "", line, piece);
	if (line != s->refuse_line)
		return 0;
	if (s->blame_line)
		at->line = s->blame_line;
	return weir_error_set(at->e, "no");
}

static void see_title(void *user, const char *text)
{
	struct seen *s = user;

	snprintf(s->text, sizeof(s->text), "title: %s", text);
}

static int see_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	char piece[256];

	snprintf(piece, sizeof(piece), "[%s,%s]", kind, name);
	return note(user, at, piece);
}

static int see_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	char piece[256];

	snprintf(piece, sizeof(piece), " %s=%s", key, value);
	return note(user, at, piece);
}

static int see_end(void *user, struct ini_place *at)
{
	return note(user, at, " end");
}

static const struct ini_form form = {
	.what = "a test",
	.example = "[kind]",
	.title = see_title,
	.section = see_section,
	.pair = see_pair,
	.end = see_end,
};

static int read_text(struct seen *s, const char *text, struct weir_error *e)
{
	const struct ini_text in = { "f", text, strlen(text) };

	s->text[0] = '\0';
	return ini_read(&form, s, &in, e);
}

static void check_seen(const char *text, const char *expected)
{
	struct seen s = { "", -1, 0 };
	struct weir_error e = { "" };

	if (read_text(&s, text, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_STR(s.text, expected);
}

TEST(test_ini_headers_and_pairs_come_in_order_with_their_lines)
{
	check_seen("", "0 end");
	check_seen("seed=1\n\n[network]\n  rate = 1 Gbps \t\r\n[ traffic\tweb ]\nsize:1MB",
		   "1 seed=1|3[network,]|4 rate=1 Gbps|5[traffic,web]|6 size=1MB|6 end");
	check_seen("a = b = c : d\n= x\ny =\n", "1 a=b = c : d|2 =x|3 y=|3 end");
	check_seen("\xef\xbb\xbf[a]\n", "1[a,]|1 end");
}

TEST(test_ini_comments_begin_at_the_start_or_after_a_blank)
{
	check_seen("a = 1 # x\nb = 2\t; y\nc = ecn#\nd = 1;2; 3\n",
		   "1 a=1|2 b=2|3 c=ecn#|4 d=1;2; 3|4 end");
	check_seen("[a] # x\nb = # none\n", "1[a,]|2 b=|2 end");
	check_seen("x = 1\n  # indented\n ; too\n", "1 x=1|3 end");
}

TEST(test_ini_title_is_the_first_comment_that_says_something)
{
	check_seen("#\n ## ; Which is it?\n# no other\na = 1\n", "title: Which is it?|4 a=1|4 end");
	check_seen("a = 1 # no\n# too late\n", "1 a=1|2 end");
	check_seen("[a]\n# too late\n", "1[a,]|2 end");
}

TEST(test_ini_lines_may_be_of_any_length)
{
	enum { LENGTH = 100000 };
	struct seen s = { "", -1, 0 };
	struct weir_error e = { "" };
	char *text = malloc(LENGTH + 16);

	CHECK(text != NULL);
	memset(text, ' ', LENGTH);
	memcpy(text, "first = 1", strlen("first = 1"));
	strcpy(text + LENGTH, "2\nnext = 3\n");
	CHECK_INT(read_text(&s, text, &e), 0);
	CHECK_INT(strncmp(s.text, "1 first=1   ", 12), 0);
	memset(text, '#', LENGTH);
	CHECK_INT(read_text(&s, text, &e), 0);
	CHECK_STR(s.text, "title: 2|2 next=3|2 end");
	free(text);
}

TEST(test_ini_mistakes_have_their_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "a = 1\n[b\n", "f:2: '[b'; a section is written [kind]" },
		{ "[b] c\n", "f:1: '[b] c'; a section is written [kind]" },
		{ "\nx y # z\n", "f:2: 'x y' is neither key = value nor [section] nor # comment" },
		{ "# \x1b[2J\n", "f:1: byte 0x1b in a test; it is plain text" },
		{ "a = 1\x7f\n", "f:1: byte 0x7f in a test; it is plain text" },
	};
	struct seen s = { "", -1, 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_error e = { "" };

		CHECK_INT(read_text(&s, cases[i].text, &e), -1);
		CHECK_STR(e.text, cases[i].message);
	}
}

TEST(test_ini_reading_ends_where_something_is_refused)
{
	struct seen s = { "", 2, 0 };
	struct weir_error e = { "" };

	CHECK_INT(read_text(&s, "a = 1\nb = 2\nc = 3\n", &e), -1);
	CHECK_STR(e.text, "f:2: no");
	CHECK_STR(s.text, "1 a=1|2 b=2");
	s.blame_line = 1; /* an earlier line turned out to be wrong */
	CHECK_INT(read_text(&s, "a = 1\nb = 2\nc = 3\n", &e), -1);
	CHECK_STR(e.text, "f:1: no");
}

TEST(test_ini_names_are_letters_digits_and_given_signs)
{
	char name[INI_NAME_SIZE + 1] = "";

	CHECK_INT(ini_name_is_good("ecn#", "-_#."), 1);
	CHECK_INT(ini_name_is_good("ecn#", "-_"), 0);
	CHECK_INT(ini_name_is_good("", "-_"), 0);
	memset(name, 'x', INI_NAME_SIZE - 1);
	CHECK_INT(ini_name_is_good(name, ""), 1);
	memset(name, 'x', INI_NAME_SIZE);
	CHECK_INT(ini_name_is_good(name, ""), 0);
}
