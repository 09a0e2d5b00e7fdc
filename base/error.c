/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c -- error messages, quoting of user input, and nearest names, see weir/error.h. */
#include "weir/error.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The arguments may point into e->text, so the new message is built before it replaces the old. */
int weir_error_set(struct weir_error *e, const char *format, ...)
{
	struct weir_error made;
	va_list args;

	va_start(args, format);
	vsnprintf(made.text, sizeof(made.text), format, args);
	va_end(args);
	*e = made;
	return -1;
}

int weir_error_prefix(struct weir_error *e, const char *format, ...)
{
	struct weir_error made;
	va_list args;
	size_t used;

	va_start(args, format);
	vsnprintf(made.text, sizeof(made.text), format, args);
	va_end(args);
	used = strlen(made.text);
	snprintf(made.text + used, sizeof(made.text) - used, "%s", e->text);
	*e = made;
	return -1;
}

/* --- quoting --- */

/* Length of the printable character at s; 0: it is a control character (C0, C1) or malformed. */
static size_t error_printable_length(const unsigned char *s)
{
	if (*s < ' ' || *s == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0))
		return 0;
	return weir_utf8_length(s, WEIR_UTF8_BYTES_MAX);
}

struct weir_quoted weir_quote(const char *text)
{
	enum { ROOM_FOR_THE_END = sizeof("\\xNN...'") };
	const unsigned char *s = (const unsigned char *)text;
	struct weir_quoted q = { "'" };
	size_t used = 1;

	while (*s && used + ROOM_FOR_THE_END < sizeof(q.text)) {
		size_t length = error_printable_length(s);

		if (length == 0) {
			used += (size_t)snprintf(q.text + used, sizeof(q.text) - used, "\\x%02x",
						 *s);
			s++;
			continue;
		}
		memcpy(q.text + used, s, length);
		used += length;
		s += length;
	}
	snprintf(q.text + used, sizeof(q.text) - used, *s ? "...'" : "'");
	return q;
}

/* --- the nearest name --- */

enum { NAME_LENGTH_MAX = 48 };

static char error_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t error_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance, case-insensitive: insertions, deletions, replacements and
 * swaps of neighbours that turn a into b. Keeps the last three rows of the table. */
static size_t error_edit_distance(const char *a, const char *b)
{
	size_t row[3][NAME_LENGTH_MAX + 1];
	size_t length = strlen(b), i = 0;

	for (size_t j = 0; j <= length; j++)
		row[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t differ = error_lower(a[i - 1]) != error_lower(b[j - 1]);

			now[j] = error_min(error_min(now[j - 1], above[j]) + 1,
					   above[j - 1] + differ);
			if (i > 1 && j > 1 && error_lower(a[i - 1]) == error_lower(b[j - 2]) &&
			    error_lower(a[i - 2]) == error_lower(b[j - 1]))
				now[j] = error_min(now[j], before[j - 2] + 1);
		}
	}
	return row[(i - 1) % 3][length];
}

static int error_begins_with(const char *text, const char *start)
{
	while (*start && error_lower(*text) == error_lower(*start)) {
		text++;
		start++;
	}
	return *start == '\0';
}

/* A prefix relation ("sec" and "s", "pkt" and "pkts") counts as half a letter, so that it beats any
 * single edit; otherwise up to a third of the word may differ. */
const char *weir_nearest_name(const char *word, const char *const *candidates, size_t count)
{
	const char *nearest = NULL;
	size_t length = strlen(word), best = SIZE_MAX;

	if (length == 0 || length > NAME_LENGTH_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t distance;

		if (candidates[i][0] == '\0' || strlen(candidates[i]) > NAME_LENGTH_MAX)
			continue;
		distance = 2 * error_edit_distance(word, candidates[i]);
		if (distance > 1 && (error_begins_with(word, candidates[i]) ||
				     error_begins_with(candidates[i], word)))
			distance = 1;
		if (distance < best && distance <= 2 * (1 + length / 3)) {
			best = distance;
			nearest = candidates[i];
		}
	}
	return nearest;
}

int weir_error_unknown(struct weir_error *e, const char *kind, const char *word,
		       const char *const *candidates, size_t count)
{
	const char *nearest = weir_nearest_name(word, candidates, count);

	weir_error_set(e, "unknown %s %s; there are ", kind, weir_quote(word).text);
	for (size_t i = 0; i < count; i++)
		weir_error_set(e, "%s%s%s", e->text, i ? ", " : "", candidates[i]);
	if (nearest)
		weir_error_set(e, "%s (nearest: %s)", e->text, nearest);
	return -1;
}
