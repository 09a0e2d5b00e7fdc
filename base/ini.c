/* SPDX-License-Identifier: BSD-3-Clause */
/* ini.c -- parser of INI files, and the list of pairs that readers keep, see ini.h. */
#include "base/ini.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct ini_parser {
	const struct ini_form *form;
	void *user;
	struct ini_place at;
	const char *next, *end; /* what is left of the text */
	char *line;             /* a copy of the current one, to be cut up */
	size_t room;            /* of the copy */
	int has_title;          /* or a header or pair came first */
};

static int ini_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static char *ini_trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && ini_is_blank(end[-1]))
		end--;
	*end = '\0';
	while (ini_is_blank(*text))
		text++;
	return text;
}

/* Ends the text at the first of these characters; returns what follows it, "" if none occurs. */
static char *ini_cut_at(char *text, const char *characters)
{
	char *end = text + strcspn(text, characters);

	if (*end == '\0')
		return end;
	*end = '\0';
	return end + 1;
}

/* --- lines --- */

/* A line in place. */
struct ini_slice {
	const char *start;
	size_t length;
};

static struct ini_slice ini_trim_slice(struct ini_slice s)
{
	while (s.length > 0 && ini_is_blank(s.start[s.length - 1]))
		s.length--;
	while (s.length > 0 && ini_is_blank(*s.start)) {
		s.start++;
		s.length--;
	}
	return s;
}

/* The next line without blanks around it; skips a byte order mark. */
static struct ini_slice ini_next_line(struct ini_parser *r)
{
	size_t left = (size_t)(r->end - r->next), mark = strlen(BYTE_ORDER_MARK);
	const char *newline = memchr(r->next, '\n', left);
	struct ini_slice s = { r->next, newline ? (size_t)(newline - r->next) : left };

	r->next += s.length + (newline != NULL);
	r->at.line++;
	if (r->at.line == 1 && s.length >= mark && memcmp(s.start, BYTE_ORDER_MARK, mark) == 0) {
		s.start += mark;
		s.length -= mark;
	}
	return ini_trim_slice(s);
}

static int ini_check_bytes(const struct ini_parser *r, struct ini_slice s)
{
	for (size_t i = 0; i < s.length; i++) {
		unsigned char c = (unsigned char)s.start[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return weir_error_set(r->at.e, "byte 0x%02x in %s; it is plain text", c,
					      r->form->what);
	}
	return 0;
}

/* Copies the line into the parser's buffer, NUL-terminated. */
static void ini_copy_line(struct ini_parser *r, struct ini_slice s)
{
	if (s.length >= r->room) {
		r->room = 2 * (s.length + 1);
		r->line = memory_grow(r->line, r->room, 1);
	}
	memcpy(r->line, s.start, s.length);
	r->line[s.length] = '\0';
}

/* --- contents of a line --- */

/* The first non-empty comment above all headers and pairs is the title. */
static void ini_note_title(struct ini_parser *r, const char *comment)
{
	comment += strspn(comment, "#; \t");
	if (r->has_title || *comment == '\0')
		return;
	r->has_title = 1;
	if (r->form->title)
		r->form->title(r->user, comment);
}

/* Cuts off a comment that follows a blank; the line does not begin with one. */
static char *ini_strip_comment(char *text)
{
	char *c = text;

	while (*c && !(ini_is_blank(*c) && (c[1] == '#' || c[1] == ';')))
		c++;
	*c = '\0';
	return ini_trim(text);
}

/* "[traffic web]" */
static int ini_read_header(struct ini_parser *r, char *text)
{
	char *close = strchr(text, ']'), *name;

	if (!close || close[1] != '\0')
		return weir_error_set(r->at.e, "%s; a section is written %s", weir_quote(text).text,
				      r->form->example);
	*close = '\0';
	text = ini_trim(text + 1);
	name = ini_cut_at(text, " \t");
	return r->form->section(r->user, &r->at, text, ini_trim(name));
}

/* A line without blanks around it. */
static int ini_read_line(struct ini_parser *r, char *text)
{
	char *value;

	if (*text == '#' || *text == ';') {
		ini_note_title(r, text);
		return 0;
	}
	if (*text == '\0')
		return 0;
	text = ini_strip_comment(text);
	r->has_title = 1;
	if (*text == '[')
		return ini_read_header(r, text);
	if (!strpbrk(text, "=:"))
		return weir_error_set(r->at.e,
				      "%s is neither key = value nor [section] nor # comment",
				      weir_quote(text).text);
	value = ini_cut_at(text, "=:");
	return r->form->pair(r->user, &r->at, ini_trim(text), ini_trim(value));
}

static int ini_read_lines(struct ini_parser *r)
{
	while (r->next < r->end) {
		struct ini_slice s = ini_next_line(r);

		if (ini_check_bytes(r, s))
			return -1;
		ini_copy_line(r, s);
		if (ini_read_line(r, r->line))
			return -1;
	}
	return r->form->end ? r->form->end(r->user, &r->at) : 0;
}

int ini_read(const struct ini_form *form, void *user, const struct ini_text *text,
	     struct weir_error *e)
{
	struct ini_parser r = {
		.form = form,
		.user = user,
		.at = { .e = e },
		.next = text->text,
		.end = text->text + text->length,
	};
	int failed = ini_read_lines(&r);

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

/* Reads up to FILE_BYTES_MAX bytes; the caller frees them. */
static char *ini_load_stream(FILE *f, size_t *length)
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
	char *text = f ? ini_load_stream(f, length) : NULL;

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

/* --- pairs --- */

int ini_pairs_add(struct ini_pairs *pairs, struct ini_place *at, const struct ini_pair *pair,
		  const char *example)
{
	if (*pair->key == '\0' || *pair->value == '\0')
		return weir_error_set(at->e, "a key and a value are wanted, as in %s", example);
	if (pairs->count == INI_PAIRS_MAX)
		return weir_error_set(at->e, "more than %d settings", INI_PAIRS_MAX);
	if ((pairs->count & (pairs->count - 1)) == 0)
		pairs->list =
			memory_grow(pairs->list, pairs->count ? 2 * (uint64_t)pairs->count : 1,
				    sizeof(*pairs->list));
	pairs->list[pairs->count++] = (struct ini_pair){
		.owner = pair->owner,
		.number = pair->number,
		.line = at->line,
		.key = memory_text(pair->key, strlen(pair->key)),
		.value = memory_text(pair->value, strlen(pair->value)),
	};
	return 0;
}

void ini_pairs_free(struct ini_pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->count; i++) {
		free(pairs->list[i].key);
		free(pairs->list[i].value);
	}
	free(pairs->list);
	*pairs = (struct ini_pairs){ 0 };
}

const struct ini_pair *ini_pairs_earlier(const struct ini_pairs *pairs, uint32_t at)
{
	const struct ini_pair *p = &pairs->list[at];

	for (uint32_t i = 0; i < at; i++) {
		const struct ini_pair *q = &pairs->list[i];

		if (q->owner == p->owner && q->number == p->number && strcmp(q->key, p->key) == 0)
			return q;
	}
	return NULL;
}

int ini_pair_locate(const struct ini_pair *pair, const char *file, const char *section,
		    struct weir_error *e)
{
	size_t length = strlen(pair->key);

	if (strncmp(e->text, pair->key, length) == 0 && strncmp(e->text + length, ": ", 2) == 0)
		memmove(e->text, e->text + length + 2, strlen(e->text + length + 2) + 1);
	return weir_error_prefix(e, "%.200s:%d: %.100s%.64s: ", file, pair->line, section,
				 pair->key);
}
