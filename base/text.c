/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c -- see text.h; quantities are in human.c, numbers that read back in exact.c. */
#define _GNU_SOURCE
#include "base/text.h"
#include "base/utf8.h"
#include "base/memory.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void csv_write_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

void csv_write_number(FILE *f, double value)
{
	fputc(',', f);
	if (isfinite(value))
		fputs(format_exact(value).text, f);
}

/* By hand: tables of flows are made of little else, and printf takes several times as long. */
void write_integer(FILE *f, int64_t number)
{
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	char digits[20]; /* 2^63 has nineteen */
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (number < 0)
		fputc('-', f);
	fwrite(digits + at, 1, sizeof(digits) - at, f);
}

/* Bytes at s that JSON takes as they are; most texts are nothing else. */
static size_t plain_length(const unsigned char *s)
{
	size_t length = 0;

	while (s[length] >= ' ' && s[length] < 0x7f && s[length] != '"' && s[length] != '\\')
		length++;
	return length;
}

void json_write_string(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', f);
	while (*s) {
		size_t length = plain_length(s);

		if (length > 0) {
			fwrite(s, 1, length, f);
			s += length;
			continue;
		}
		length = weir_utf8_length(s, WEIR_UTF8_BYTES_MAX);
		if (length == 0) { /* not text: the replacement character */
			fputs("\\ufffd", f);
			s++;
			continue;
		}
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < ' ' || *s == 0x7f)
			fprintf(f, "\\u%04x", *s);
		else
			fwrite(s, 1, length, f);
		s += length;
	}
	fputc('"', f);
}

char *text_copy(const char *text)
{
	return memory_text(text, strlen(text));
}

void text_print(char **text, const char *format, ...)
{
	va_list arguments;
	char *replacement; /* the old text may be one of the arguments */
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	replacement = memory_grow(NULL, (uint64_t)length + 1, 1);
	va_start(arguments, format);
	vsnprintf(replacement, (size_t)length + 1, format, arguments);
	va_end(arguments);
	free(*text);
	*text = replacement;
}
