/* SPDX-License-Identifier: BSD-3-Clause */
/* markup.h -- is a text well-formed HTML or XML? Stricter than a browser, looser than a standard:
 * tags nest, attributes are in quotes, every & starts an entity, nothing is fetched from
 * elsewhere. */
#ifndef TESTS_MARKUP_H
#define TESTS_MARKUP_H
#include "tests/test.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum markup_kind { MARKUP_HTML, MARKUP_XML };
enum { MARKUP_DEPTH = 64, MARKUP_NAME = 32 };

struct markup {
	const char *at;
	enum markup_kind kind;
	int depth, tags;
	char open[MARKUP_DEPTH][MARKUP_NAME];
};

static inline _Noreturn void markup_fail(const struct markup *m, const char *why)
{
	test_fail(__FILE__, __LINE__, "%s at \"%.60s\"", why, m->at);
}

static inline int markup_is_void(const char *name)
{
	return strcmp(name, "meta") == 0 || strcmp(name, "link") == 0 || strcmp(name, "br") == 0;
}

/* What an attribute may make a browser load. */
static inline void markup_check_reference(const struct markup *m, const char *name, size_t length)
{
	static const char *const fetching[] = {
		"src", "href", "action", "data", "poster", "srcset"
	};

	for (size_t i = 0; i < sizeof(fetching) / sizeof(fetching[0]); i++)
		if (strlen(fetching[i]) == length && strncmp(name, fetching[i], length) == 0 &&
		    strncmp(m->at, "data:", 5) != 0 && *m->at != '#')
			markup_fail(m, "a reference to somewhere else");
}

static inline void markup_text_until(struct markup *m, char end)
{
	for (; *m->at && *m->at != end; m->at++) {
		if (*m->at == '&' && m->at[1 + strcspn(m->at + 1, "; <\"")] != ';')
			markup_fail(m, "a bare &");
		if (*m->at == '<' || (*m->at == '>' && end == '<'))
			markup_fail(m, "a bare < or >");
	}
}

static inline void markup_attributes(struct markup *m)
{
	for (;;) {
		const char *name;
		size_t length;

		m->at += strspn(m->at, " \t\n");
		if (*m->at == '>' || *m->at == '/' || *m->at == '?')
			return;
		name = m->at;
		length = strcspn(name, " =/>");
		if (!length)
			markup_fail(m, "an attribute without name");
		m->at += length;
		if (*m->at != '=') { /* "selected": not in XML */
			if (m->kind == MARKUP_XML)
				markup_fail(m, "an attribute without value");
			continue;
		}
		if (*++m->at != '"')
			markup_fail(m, "a value without quotes");
		m->at++;
		markup_check_reference(m, name, length);
		markup_text_until(m, '"');
		if (*m->at++ != '"')
			markup_fail(m, "a value that does not end");
	}
}

/* The inside of a script or style goes on to its end tag. */
static inline void markup_raw(struct markup *m, const char *name)
{
	char end[MARKUP_NAME + 4];

	if (m->kind == MARKUP_XML || (strcmp(name, "script") != 0 && strcmp(name, "style") != 0))
		return;
	snprintf(end, sizeof(end), "</%s>", name);
	m->at = strstr(m->at, end);
	CHECK(m->at != NULL);
}

static inline void markup_tag(struct markup *m)
{
	char name[MARKUP_NAME] = "";
	int closing = m->at[1] == '/', empty;
	size_t length;

	m->at += 1 + closing;
	length = strcspn(m->at, " \t\n/>");
	if (!length || length >= MARKUP_NAME ||
	    !(isalpha((unsigned char)*m->at) || strchr("!?", *m->at)))
		markup_fail(m, "no tag");
	memcpy(name, m->at, length);
	m->at += length;
	markup_attributes(m);
	empty = *m->at == '/' || *m->at == '?' || name[0] == '!' ||
		(m->kind == MARKUP_HTML && markup_is_void(name));
	m->at += strspn(m->at, "/?");
	if (*m->at++ != '>')
		markup_fail(m, "a tag that does not end");
	m->tags++;
	if (closing) {
		if (m->depth == 0 || strcmp(m->open[m->depth - 1], name) != 0)
			markup_fail(m, "an end tag that closes something else");
		m->depth--;
	} else if (!empty) {
		CHECK(m->depth < MARKUP_DEPTH);
		strcpy(m->open[m->depth++], name);
		markup_raw(m, name);
	}
}

/* Returns the number of tags. */
static inline int check_markup(const char *text, enum markup_kind kind)
{
	struct markup m = { .at = text, .kind = kind };

	while (*m.at) {
		markup_text_until(&m, '<');
		if (*m.at == '<')
			markup_tag(&m);
	}
	if (m.depth)
		test_fail(__FILE__, __LINE__, "<%s> is not closed", m.open[m.depth - 1]);
	return m.tags;
}
#endif
