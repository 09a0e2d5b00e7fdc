/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c -- messages for the person who made a mistake, and the name that was probably meant. */
#include "weir/error.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The arguments may point into e->text, so a message is finished before it replaces the last. */
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

/* Bytes of the character at s that prints, 0: there is none. C1 controls do not print. */
static size_t printing_length(const unsigned char *s)
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
		size_t length = printing_length(s);

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

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to insert, delete, replace or swap with their neighbour to get from a to b, capitals and
 * small letters being the same: optimal string alignment, over the last three rows of its table. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[3][NAME_LENGTH_MAX + 1];
	size_t length = strlen(b), i = 0;

	for (size_t j = 0; j <= length; j++)
		row[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t differ = lower(a[i - 1]) != lower(b[j - 1]);

			now[j] = smaller(smaller(now[j - 1], above[j]) + 1, above[j - 1] + differ);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				now[j] = smaller(now[j], before[j - 2] + 1);
		}
	}
	return row[(i - 1) % 3][length];
}

static int begins_with(const char *text, const char *start)
{
	while (*start && lower(*text) == lower(*start)) {
		text++;
		start++;
	}
	return *start == '\0';
}

/* One that begins with the other ("sec" and "s", "pkt" and "pkts") is nearer than one that differs
 * by a letter; otherwise a third of the word may be wrong. */
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
		distance = 2 * edit_distance(word, candidates[i]);
		if (distance > 1 &&
		    (begins_with(word, candidates[i]) || begins_with(candidates[i], word)))
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
