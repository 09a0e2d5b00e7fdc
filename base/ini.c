/* SPDX-License-Identifier: BSD-3-Clause */
/* ini.c -- from the bytes of an INI file to headers and pairs. */
#include "base/ini.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct reading {
	const struct ini_form *form;
	void *user;
	struct ini_place at;
	const char *next, *end; /* what is left of the text */
	char *line;             /* a copy of the current one, to be cut up */
	size_t room;            /* of the copy */
	int has_title;          /* or it is too late for one */
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && is_blank(end[-1]))
		end--;
	*end = '\0';
	while (is_blank(*text))
		text++;
	return text;
}

/* Ends the text at the first of these characters; what comes after that, "" where there is none. */
static char *cut_at(char *text, const char *characters)
{
	char *end = text + strcspn(text, characters);

	if (*end == '\0')
		return end;
	*end = '\0';
	return end + 1;
}

/* --- lines --- */

/* A line of the text, where it stands. */
struct slice {
	const char *start;
	size_t length;
};

static struct slice trimmed(struct slice s)
{
	while (s.length > 0 && is_blank(s.start[s.length - 1]))
		s.length--;
	while (s.length > 0 && is_blank(*s.start)) {
		s.start++;
		s.length--;
	}
	return s;
}

/* Takes the next line off the text. */
static struct slice next_line(struct reading *r)
{
	size_t left = (size_t)(r->end - r->next), mark = strlen(BYTE_ORDER_MARK);
	const char *newline = memchr(r->next, '\n', left);
	struct slice s = { r->next, newline ? (size_t)(newline - r->next) : left };

	r->next += s.length + (newline != NULL);
	r->at.line++;
	if (r->at.line == 1 && s.length >= mark && memcmp(s.start, BYTE_ORDER_MARK, mark) == 0) {
		s.start += mark;
		s.length -= mark;
	}
	return trimmed(s);
}

static int check_bytes(const struct reading *r, struct slice s)
{
	for (size_t i = 0; i < s.length; i++) {
		unsigned char c = (unsigned char)s.start[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return weir_error_set(r->at.e, "byte 0x%02x in %s; it is plain text", c,
					      r->form->what);
	}
	return 0;
}

/* Makes the line a string. */
static void copy_line(struct reading *r, struct slice s)
{
	if (s.length >= r->room) {
		r->room = 2 * (s.length + 1);
		r->line = memory_grow(r->line, r->room, 1);
	}
	memcpy(r->line, s.start, s.length);
	r->line[s.length] = '\0';
}

/* --- what is in a line --- */

/* The first comment that says something, above all else. */
static void take_title(struct reading *r, const char *comment)
{
	comment += strspn(comment, "#; \t");
	if (r->has_title || *comment == '\0')
		return;
	r->has_title = 1;
	if (r->form->title)
		r->form->title(r->user, comment);
}

/* The line does not begin with one. */
static char *without_comment(char *text)
{
	char *c = text;

	while (*c && !(is_blank(*c) && (c[1] == '#' || c[1] == ';')))
		c++;
	*c = '\0';
	return trim(text);
}

/* "[traffic web]" */
static int read_header(struct reading *r, char *text)
{
	char *close = strchr(text, ']'), *name;

	if (!close || close[1] != '\0')
		return weir_error_set(r->at.e, "%s; a section is written %s", weir_quote(text).text,
				      r->form->example);
	*close = '\0';
	text = trim(text + 1);
	name = cut_at(text, " \t");
	return r->form->section(r->user, &r->at, text, trim(name));
}

/* A line without blanks around it. */
static int read_line(struct reading *r, char *text)
{
	char *value;

	if (*text == '#' || *text == ';') {
		take_title(r, text);
		return 0;
	}
	if (*text == '\0')
		return 0;
	text = without_comment(text);
	r->has_title = 1;
	if (*text == '[')
		return read_header(r, text);
	if (!strpbrk(text, "=:"))
		return weir_error_set(r->at.e,
				      "%s is neither key = value nor [section] nor # comment",
				      weir_quote(text).text);
	value = cut_at(text, "=:");
	return r->form->pair(r->user, &r->at, trim(text), trim(value));
}

static int read_all(struct reading *r)
{
	while (r->next < r->end) {
		struct slice s = next_line(r);

		if (check_bytes(r, s))
			return -1;
		copy_line(r, s);
		if (read_line(r, r->line))
			return -1;
	}
	return r->form->end ? r->form->end(r->user, &r->at) : 0;
}

int ini_read(const struct ini_form *form, void *user, const struct ini_text *text,
	     struct weir_error *e)
{
	struct reading r = {
		.form = form,
		.user = user,
		.at = { .e = e },
		.next = text->text,
		.end = text->text + text->length,
	};
	int failed = read_all(&r);

	free(r.line);
	return failed ? weir_error_prefix(e, "%.200s:%d: ", text->file, r.at.line) : 0;
}

int ini_name_is_good(const char *name, const char *signs)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t length = 0;

	while (name[length] && (strchr(allowed, name[length]) || strchr(signs, name[length])))
		length++;
	return length > 0 && name[length] == '\0' && length < INI_NAME_SIZE;
}

/* --- files --- */

/* As much as is read of a file, for the caller to free. */
static char *load(FILE *f, size_t *length)
{
	size_t room = 1 << 16;
	char *text = memory_grow(NULL, room, 1);

	*length = 0;
	for (;;) {
		*length += fread(text + *length, 1, room - *length, f);
		if (*length < room || room >= FILE_BYTES_MAX)
			return text;
		text = memory_grow(text, room *= 2, 1);
	}
}

char *ini_load(const struct ini_form *form, const char *file, size_t *length, struct weir_error *e)
{
	FILE *f = fopen(file, "rb");
	char *text = f ? load(f, length) : NULL;

	if (!f || ferror(f)) {
		weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	} else if (*length >= FILE_BYTES_MAX) {
		weir_error_set(e, "%.200s: too long for %s; at most %zu MiB are read", file,
			       form->what, FILE_BYTES_MAX >> 20);
	} else {
		fclose(f);
		return text;
	}
	if (f)
		fclose(f);
	free(text);
	return NULL;
}
