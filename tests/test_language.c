/* SPDX-License-Identifier: BSD-3-Clause */
/* test_language.c -- comments and names of the program use the field's words and have subjects.
 *
 * Reads every comment of every source file, with its lines joined, and every identifier, and
 * refuses the forms of the table below. CONTRIBUTING.md has the rules in words,
 * docs/internals.md the glossary. A form is a POSIX extended regular expression; where one is
 * legitimate English elsewhere, it is narrowed until it finds the elliptical use only. */
#include "tests/sources.h"
#include <ctype.h>
#include <regex.h>

/* A form that is refused, and what to write in its place. */
struct form {
	const char *pattern;
	const char *instead;
};

/* "^" is the begin of a sentence: sentences are matched one at a time. */
static const struct form in_sentences[] = {
	{ "^(Who|Whoever|Whose) ", "a sentence needs a subject: name the function or thread" },
	{ "^Of (a|an|the|those|that|them|what|all) [^,]*\\.$", "name the subject, with a verb" },
	{ "^Mostly", "fast path, common case" },
	{ "^What (is|was|are|were|has|only|others?) [^?]*$", "name the subject" },
	{ "[Nn]obody (asks|looks|turns|waits)", "NULL: disabled" },
	{ "\\b(worked off|goes on as|a way of its own|a shorter way)\\b", "processed; fast path" },
	{ "\\b(network card|host's card|hosts' cards)", "NIC" },
};

static const struct form in_names[] = {
	{ "_(simply|plainly|rarely|easily|specially|slowly|mostly)(_|$)", "_fast or _slow" },
	{ "^(hands|crew)_", "thread_tuner_, thread_pool_" },
	{ "^(obey|tell)(_|$)", "name what is applied or reported" },
};

enum { FORMS_MAX = 16, SENTENCE_MAX = 4096 };

struct language {
	regex_t sentences[FORMS_MAX], names[FORMS_MAX];
	int found;
	char first[SENTENCE_MAX + 256]; /* what was found first, for the message */
};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static void compile_forms(regex_t *compiled, const struct form *forms, size_t count)
{
	CHECK(count <= FORMS_MAX);
	for (size_t i = 0; i < count; i++)
		CHECK_INT(regcomp(&compiled[i], forms[i].pattern, REG_EXTENDED | REG_NOSUB), 0);
}

static void language_start(struct language *l)
{
	memset(l, 0, sizeof *l);
	compile_forms(l->sentences, in_sentences, LENGTH(in_sentences));
	compile_forms(l->names, in_names, LENGTH(in_names));
}

static void language_end(struct language *l)
{
	for (size_t i = 0; i < LENGTH(in_sentences); i++)
		regfree(&l->sentences[i]);
	for (size_t i = 0; i < LENGTH(in_names); i++)
		regfree(&l->names[i]);
}

static void refuse(struct language *l, const char *path, const char *text, const struct form *form)
{
	if (l->found++ == 0)
		snprintf(l->first, sizeof l->first, "%s: \"%s\"; instead: %s", path, text,
			 form->instead);
}

static void check_sentence(struct language *l, const char *path, const char *sentence)
{
	for (size_t i = 0; i < LENGTH(in_sentences); i++)
		if (regexec(&l->sentences[i], sentence, 0, NULL, 0) == 0)
			refuse(l, path, sentence, &in_sentences[i]);
}

static void check_name(struct language *l, const char *path, const char *name)
{
	for (size_t i = 0; i < LENGTH(in_names); i++)
		if (regexec(&l->names[i], name, 0, NULL, 0) == 0)
			refuse(l, path, name, &in_names[i]);
}

/* Where clang-format breaks a comment line of more than 100 columns it may leave the next one
 * without the blank after the asterisk, and with it a list or an equation as running text. */
static void check_torn_lines(struct language *l, const char *path, const char *text,
			     const char *end)
{
	static const struct form torn = { "", "shorter lines: the formatter has torn this one" };

	for (; text < end; text++) {
		const char *line = text + 1 + strspn(text + 1, " \t");
		char start[64];

		if (*text != '\n' || *line != '*' || !isalnum((unsigned char)line[1]))
			continue;
		snprintf(start, sizeof start, "%.*s", (int)strcspn(line, "\n"), line);
		refuse(l, path, start, &torn);
	}
}

/* Checks the sentences of a comment whose text is [text, end): white space and the asterisks at
 * line starts are folded into one space. Returns end. */
static const char *check_comment(struct language *l, const char *path, const char *text,
				 const char *end)
{
	char sentence[SENTENCE_MAX];
	size_t length = 0;

	for (; text < end; text++) {
		int is_space = isspace((unsigned char)*text) || *text == '*';

		if (is_space && (length == 0 || sentence[length - 1] == ' '))
			continue;
		if (length + 2 < sizeof sentence)
			sentence[length++] = is_space ? ' ' : *text;
		if (is_space && length >= 2 && strchr(".;:?", sentence[length - 2])) {
			sentence[length - 1] = '\0';
			check_sentence(l, path, sentence);
			length = 0;
		}
	}
	while (length > 0 && sentence[length - 1] == ' ')
		length--;
	sentence[length] = '\0';
	check_sentence(l, path, sentence);
	return end;
}

/* Returns the character behind a string or character literal that starts at text. */
static const char *literal_end(const char *text)
{
	char quote = *text++;

	while (*text && *text != quote)
		text += *text == '\\' && text[1] ? 2 : 1;
	return *text ? text + 1 : text;
}

static const char *check_identifier(struct language *l, const char *path, const char *text)
{
	char name[128];
	size_t length = 0;

	for (; isalnum((unsigned char)*text) || *text == '_'; text++)
		if (length + 1 < sizeof name)
			name[length++] = *text;
	name[length] = '\0';
	check_name(l, path, name);
	return text;
}

static void check_text(struct language *l, const char *path, const char *text)
{
	while (*text) {
		if (strncmp(text, "/*", 2) == 0) {
			const char *end = strstr(text, "*/");

			CHECK(end != NULL);
			check_torn_lines(l, path, text + 2, end);
			text = check_comment(l, path, text + 2, end) + 2;
		} else if (*text == '"' || *text == '\'') {
			text = literal_end(text);
		} else if (isalpha((unsigned char)*text) || *text == '_') {
			text = check_identifier(l, path, text);
		} else {
			text++;
		}
	}
}

static void check_source(const char *path, char *text, void *language)
{
	check_text(language, path, text);
}

TEST(test_comments_and_names_are_in_the_words_of_the_field)
{
	struct language l;

	language_start(&l);
	sources_check_all(check_source, &l);
	language_end(&l);
	if (l.found)
		test_fail(l.first, 1, "%d more like it", l.found - 1);
}

static int found_in(const char *text)
{
	struct language l;

	language_start(&l);
	check_text(&l, "a.c", text);
	language_end(&l);
	return l.found;
}

TEST(test_language_rule_finds_sentences_without_a_subject)
{
	CHECK_INT(found_in("/* Who finds nothing\n * waits for nothing. */"), 1);
	CHECK_INT(found_in("/* It is sent. Mostly it is alone. */ int a;"), 1);
	CHECK_INT(found_in("/* Of those that share a line. */"), 1);
	CHECK_INT(found_in("/* What is left over. */"), 1);
	CHECK_INT(found_in("/* NULL: nobody asks */"), 1);
	CHECK_INT(found_in("/* Wakes whoever holds it. The rest waits. */"), 0);
	CHECK_INT(found_in("/* Of all shortest paths, the first is taken. */"), 0);
	CHECK_INT(found_in("const char *s = \"Who is there\"; int c = '\"';"), 0);
}

TEST(test_language_rule_finds_lines_that_the_formatter_tore)
{
	CHECK_INT(found_in("/* A line that is too long, and\n *the rest of it. */"), 1);
	CHECK_INT(found_in("/* A line\n * and another\n *\n *\ta list */ int\n *p;"), 0);
}

TEST(test_language_rule_finds_names_that_are_adverbs)
{
	CHECK_INT(found_in("static void next_simply(int a) { b_easily = 1; }"), 2);
	CHECK_INT(found_in("static void next_fast(int a) { slowly = 1; }"), 0);
	CHECK_INT(found_in("void crew_new(void); int hands_on; int crews;"), 2);
}
