/* json.c -- strings, numbers and punctuation of JSON (RFC 8259). */
#include "lib/learn/json.h"
#include "lib/base/utf8.h"
#include <string.h>

static void skip_space(struct learn_json *j)
{
	while (j->at < j->end &&
	       (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
		j->at++;
}

int weir_learn_json_takes(struct learn_json *j, char c)
{
	skip_space(j);
	if (j->at == j->end || *j->at != (uint8_t)c)
		return 0;
	j->at++;
	return 1;
}

int weir_learn_json_expect(struct learn_json *j, char c)
{
	if (weir_learn_json_takes(j, c))
		return 0;
	if (j->at == j->end)
		return weir_error_set(j->error, "the header ends where '%c' is expected", c);
	return weir_error_set(j->error, "the header has byte 0x%02x where '%c' is expected", *j->at,
			      c);
}

int weir_learn_json_end(struct learn_json *j)
{
	skip_space(j);
	return j->at == j->end ? 0
			       : weir_error_set(j->error, "something follows the header's object");
}

int weir_learn_json_number(struct learn_json *j, uint64_t *number)
{
	const uint64_t limit = UINT64_C(1) << 53;
	const uint8_t *first;

	skip_space(j);
	first = j->at;
	for (*number = 0; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
		*number = *number * 10 + (uint64_t)(*j->at - '0');
		if (*number >= limit)
			return weir_error_set(j->error, "the header has a number of 2^53 or more");
	}
	if (j->at == first || (*first == '0' && j->at > first + 1))
		return weir_error_set(j->error,
				      "the header has no whole number where one is expected");
	return 0;
}

/* --- strings --- */

/* Where a string's characters go. */
struct sink {
	char *text;
	size_t size, used;
};

static int put(struct learn_json *j, struct sink *s, const void *bytes, size_t count)
{
	if (!s->text)
		return 0;
	if (count >= s->size - s->used)
		return weir_error_set(j->error, "the header has a string of more than %zu bytes",
				      s->size - 1);
	memcpy(s->text + s->used, bytes, count);
	s->used += count;
	return 0;
}

static int hex_digit(uint8_t c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The four digits of \uXXXX. */
static int take_hex(struct learn_json *j, uint32_t *code)
{
	if (j->end - j->at < 4)
		return -1;
	*code = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*j->at++);

		if (digit < 0)
			return -1;
		*code = *code * 16 + (uint32_t)digit;
	}
	return 0;
}

/* Behind "\u". A character beyond U+FFFF is two of them, a surrogate each. */
static int take_unicode(struct learn_json *j, uint32_t *code)
{
	uint32_t low;

	if (take_hex(j, code) || *code == 0 || (*code >= 0xdc00 && *code < 0xe000))
		return -1;
	if (*code < 0xd800 || *code >= 0xe000)
		return 0;
	if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u')
		return -1;
	j->at += 2;
	if (take_hex(j, &low) || low < 0xdc00 || low >= 0xe000)
		return -1;
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 0;
}

static size_t encode_utf8(uint32_t code, uint8_t bytes[4])
{
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = length; i-- > 1; code >>= 6)
		bytes[i] = (uint8_t)(0x80 | (code & 0x3f));
	bytes[0] = (uint8_t)(lead[length] | code);
	return length;
}

/* Behind a backslash. */
static int take_escape(struct learn_json *j, struct sink *s)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;
	uint8_t bytes[4];
	uint32_t code;

	if (j->at == j->end)
		return weir_error_set(j->error, "the header ends inside a string");
	if (*j->at == 'u') {
		j->at++;
		if (take_unicode(j, &code))
			return weir_error_set(j->error, "the header has a bad \\u in a string");
		return put(j, s, bytes, encode_utf8(code, bytes));
	}
	found = memchr(letters, *j->at++, sizeof(letters) - 1);
	if (!found)
		return weir_error_set(j->error, "the header has an unknown escape in a string");
	return put(j, s, &meant[found - letters], 1);
}

int weir_learn_json_string(struct learn_json *j, char *text, size_t size)
{
	struct sink s = { .text = text, .size = size };

	if (weir_learn_json_expect(j, '"'))
		return -1;
	while (j->at < j->end && *j->at != '"') {
		size_t length = weir_utf8_length(j->at, (size_t)(j->end - j->at));
		int is_escape = *j->at == '\\';

		if (length == 0 || *j->at < ' ')
			return weir_error_set(j->error, "the header has byte 0x%02x in a string",
					      *j->at);
		j->at += length;
		if (is_escape ? take_escape(j, &s) : put(j, &s, j->at - length, length))
			return -1;
	}
	if (text)
		text[s.used] = '\0';
	return weir_learn_json_expect(j, '"');
}
