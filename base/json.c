/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c -- tokens, strings, numbers, and skipping of values, see json.h. */
#include "base/json.h"
#include "base/utf8.h"
#include <string.h>

static void json_skip_space(struct weir_json *j)
{
	while (j->at < j->end &&
	       (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
		j->at++;
}

int weir_json_accept(struct weir_json *j, char c)
{
	json_skip_space(j);
	if (j->at == j->end || *j->at != (uint8_t)c)
		return 0;
	j->at++;
	return 1;
}

int weir_json_expect(struct weir_json *j, char c)
{
	if (weir_json_accept(j, c))
		return 0;
	if (j->at == j->end)
		return weir_error_set(j->error, "%s ends where '%c' is expected", j->what, c);
	return weir_error_set(j->error, "%s has byte 0x%02x where '%c' is expected", j->what,
			      *j->at, c);
}

int weir_json_end(struct weir_json *j)
{
	json_skip_space(j);
	return j->at == j->end ? 0
			       : weir_error_set(j->error, "something follows %s's object", j->what);
}

int weir_json_u64(struct weir_json *j, uint64_t *number)
{
	const uint8_t *first;

	json_skip_space(j);
	first = j->at;
	for (*number = 0; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
		const uint64_t digit = (uint64_t)(*j->at - '0');

		if (*number > (UINT64_MAX - digit) / 10)
			return weir_error_set(j->error, "%s has a number of 2^64 or more", j->what);
		*number = *number * 10 + digit;
	}
	if (j->at == first || (*first == '0' && j->at > first + 1) ||
	    (j->at < j->end && (*j->at == '.' || *j->at == 'e' || *j->at == 'E')))
		return weir_error_set(j->error, "%s has no whole number where one is expected",
				      j->what);
	return 0;
}

int weir_json_number(struct weir_json *j, uint64_t *number)
{
	if (weir_json_u64(j, number))
		return -1;
	return *number < UINT64_C(1) << 53
		       ? 0
		       : weir_error_set(j->error, "%s has a number of 2^53 or more", j->what);
}

/* --- strings --- */

/* Destination of a string's characters; text NULL: they are dropped. */
struct json_sink {
	char *text;
	size_t size, used;
};

static int json_put(struct weir_json *j, struct json_sink *s, const void *bytes, size_t count)
{
	if (!s->text)
		return 0;
	if (count >= s->size - s->used)
		return weir_error_set(j->error, "%s has a string of more than %zu bytes", j->what,
				      s->size - 1);
	memcpy(s->text + s->used, bytes, count);
	s->used += count;
	return 0;
}

static int json_hex_digit(uint8_t c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The four digits of \uXXXX. */
static int json_read_hex(struct weir_json *j, uint32_t *code)
{
	if (j->end - j->at < 4)
		return -1;
	*code = 0;
	for (int i = 0; i < 4; i++) {
		int digit = json_hex_digit(*j->at++);

		if (digit < 0)
			return -1;
		*code = *code * 16 + (uint32_t)digit;
	}
	return 0;
}

/* What follows "\u". A character above U+FFFF is a pair of surrogates. */
static int json_read_code_point(struct weir_json *j, uint32_t *code)
{
	uint32_t low;

	if (json_read_hex(j, code) || *code == 0 || (*code >= 0xdc00 && *code < 0xe000))
		return -1;
	if (*code < 0xd800 || *code >= 0xe000)
		return 0;
	if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u')
		return -1;
	j->at += 2;
	if (json_read_hex(j, &low) || low < 0xdc00 || low >= 0xe000)
		return -1;
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 0;
}

static size_t json_encode_utf8(uint32_t code, uint8_t bytes[4])
{
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = length; i-- > 1; code >>= 6)
		bytes[i] = (uint8_t)(0x80 | (code & 0x3f));
	bytes[0] = (uint8_t)(lead[length] | code);
	return length;
}

/* What follows a backslash. */
static int json_read_escape(struct weir_json *j, struct json_sink *s)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;
	uint8_t bytes[4];
	uint32_t code;

	if (j->at == j->end)
		return weir_error_set(j->error, "%s ends inside a string", j->what);
	if (*j->at == 'u') {
		j->at++;
		if (json_read_code_point(j, &code))
			return weir_error_set(j->error, "%s has a bad \\u in a string", j->what);
		return json_put(j, s, bytes, json_encode_utf8(code, bytes));
	}
	found = memchr(letters, *j->at++, sizeof(letters) - 1);
	if (!found)
		return weir_error_set(j->error, "%s has an unknown escape in a string", j->what);
	return json_put(j, s, &meant[found - letters], 1);
}

int weir_json_string(struct weir_json *j, char *text, size_t size)
{
	struct json_sink s = { .text = text, .size = size };

	if (weir_json_expect(j, '"'))
		return -1;
	while (j->at < j->end && *j->at != '"') {
		size_t length = weir_utf8_length(j->at, (size_t)(j->end - j->at));
		int is_escape = *j->at == '\\';

		if (length == 0 || *j->at < ' ')
			return weir_error_set(j->error, "%s has byte 0x%02x in a string", j->what,
					      *j->at);
		j->at += length;
		if (is_escape ? json_read_escape(j, &s) : json_put(j, &s, j->at - length, length))
			return -1;
	}
	if (text)
		text[s.used] = '\0';
	return weir_json_expect(j, '"');
}

/* --- skipping --- */

/* A number, true, false or null; only its characters are checked. */
static int json_skip_word(struct weir_json *j)
{
	const uint8_t *first;

	json_skip_space(j);
	for (first = j->at; j->at < j->end && *j->at && strchr("+-.0123456789Eaeflnrstu", *j->at);)
		j->at++;
	return j->at > first
		       ? 0
		       : weir_error_set(j->error, "%s has no value where one is expected", j->what);
}

/* Closing brackets of the open arrays and objects, innermost last. */
struct json_nesting {
	int depth;
	char closing[WEIR_JSON_DEPTH];
};

/* An object's member name and colon. */
static int json_skip_name(struct weir_json *j)
{
	return weir_json_string(j, NULL, 0) || weir_json_expect(j, ':') ? -1 : 0;
}

/* Consumes a scalar, an empty array or object, or the opening of a non-empty one. Returns 1 when a
 * value is complete. */
static int json_skip_opening(struct weir_json *j, struct json_nesting *n)
{
	const int is_object = weir_json_accept(j, '{');

	if (!is_object && !weir_json_accept(j, '[')) {
		const int is_string = j->at < j->end && *j->at == '"';

		return (is_string ? weir_json_string(j, NULL, 0) : json_skip_word(j)) ? -1 : 1;
	}
	if (n->depth == WEIR_JSON_DEPTH)
		return weir_error_set(j->error, "%s is nested too deeply", j->what);
	n->closing[n->depth] = is_object ? '}' : ']';
	if (weir_json_accept(j, n->closing[n->depth]))
		return 1;
	n->depth++;
	return is_object ? json_skip_name(j) : 0;
}

/* After a complete value: closes what ends here. Returns 1 when another value follows. */
static int json_skip_closing(struct weir_json *j, struct json_nesting *n)
{
	for (; n->depth; n->depth--) {
		const char closing = n->closing[n->depth - 1];

		if (weir_json_accept(j, ','))
			return closing == '}' && json_skip_name(j) ? -1 : 1;
		if (weir_json_expect(j, closing))
			return -1;
	}
	return 0;
}

int weir_json_skip(struct weir_json *j)
{
	struct json_nesting n = { .depth = 0 };
	int goes_on;

	do {
		goes_on = json_skip_opening(j, &n);
		if (goes_on > 0)
			goes_on = json_skip_closing(j, &n);
		else if (goes_on == 0)
			goes_on = 1; /* the first value inside */
	} while (goes_on > 0);
	return goes_on;
}

int weir_json_find(struct weir_json *j, const char *name)
{
	char key[64];

	if (weir_json_expect(j, '{'))
		return -1;
	if (weir_json_accept(j, '}'))
		return weir_error_set(j->error, "%s has no member %s", j->what, name);
	do {
		struct weir_json start = *j;

		if (weir_json_string(j, NULL, 0))
			return -1;
		/* A name that does not fit the buffer is a different one. */
		key[0] = '\0';
		if ((size_t)(j->at - start.at) <= sizeof(key))
			weir_json_string(&start, key, sizeof(key));
		if (weir_json_expect(j, ':'))
			return -1;
		if (strcmp(key, name) == 0)
			return 0;
		if (weir_json_skip(j))
			return -1;
	} while (weir_json_accept(j, ','));
	if (weir_json_expect(j, '}'))
		return -1;
	return weir_error_set(j->error, "%s has no member %s", j->what, name);
}
