/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c -- writers of CSV, JSON, HTML and Prometheus, and strings on the heap, see text.h. */
#define _GNU_SOURCE
#include "base/text.h"
#include "base/memory.h"
#include "base/utf8.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- CSV and numbers --- */

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

/* Tables of flows consist of integers, and printf takes several times as long. */
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

/* --- JSON --- */

/* Length of the prefix that needs no escape; for most strings that is all of it. */
static size_t json_plain_length(const unsigned char *s)
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
		size_t length = json_plain_length(s);

		if (length > 0) {
			fwrite(s, 1, length, f);
			s += length;
			continue;
		}
		length = weir_utf8_length(s, WEIR_UTF8_BYTES_MAX);
		if (length == 0) {
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

/* --- HTML --- */

#define REPLACEMENT "\xef\xbf\xbd"

static const char *html_entity(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

/* Control characters, U+FFFE and U+FFFF: XML 1.0, section 2.2. */
static int html_is_forbidden(const unsigned char *s)
{
	if (*s < ' ')
		return *s != '\t' && *s != '\n';
	return *s == 0x7f || (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe);
}

void html_write_text(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t length = weir_utf8_length(s, WEIR_UTF8_BYTES_MAX);

		if (length == 0 || html_is_forbidden(s))
			fputs(REPLACEMENT, f);
		else if (html_entity(*s))
			fputs(html_entity(*s), f);
		else
			fwrite(s, 1, length, f);
		s += length ? length : 1;
	}
}

void html_write_json_string(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', f);
	while (*s) {
		size_t length = weir_utf8_length(s, WEIR_UTF8_BYTES_MAX);

		if (length == 0)
			fputs("\\ufffd", f);
		else if (length == 1 && (*s < ' ' || *s == 0x7f || strchr("\"\\<>&", *s)))
			fprintf(f, "\\u%04x", *s);
		else
			fwrite(s, 1, length, f);
		s += length ? length : 1;
	}
	fputc('"', f);
}

/* --- Prometheus --- */

void prometheus_write_head(FILE *f, const struct prometheus_metric *m)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
}

/* Integers below 2^53 are exact in a double, so counters are written with all digits. */
static void prometheus_write_value(FILE *f, double value)
{
	fprintf(f,
		value >= 1 && value < 0x1p53 && value == (double)(uint64_t)value ? " %.0f\n"
										 : " %.15g\n",
		value);
}

void prometheus_write(FILE *f, const struct prometheus_metric *metrics,
		      const struct prometheus_objects *objects)
{
	for (const struct prometheus_metric *m = metrics; m->name; m++) {
		prometheus_write_head(f, m);
		for (uint32_t i = 0; i < objects->count; i++) {
			fputs(m->name, f);
			if (objects->label)
				fprintf(f, "{%s=\"%s\"}", objects->label,
					objects->name(objects->context, i));
			prometheus_write_value(f, objects->read(objects->context, i, m->id));
		}
	}
}

/* --- strings --- */

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
