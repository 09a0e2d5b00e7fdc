/* SPDX-License-Identifier: BSD-3-Clause */
/* markup.c -- what users wrote, safe inside HTML, SVG and scripts. See markup.h. */
#include "base/markup.h"
#include "base/utf8.h"
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static const char *entity(unsigned char c)
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

/* Control characters, and U+FFFE and U+FFFF, which XML does not allow. */
static int is_forbidden(const unsigned char *s)
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

		if (length == 0 || is_forbidden(s))
			fputs(REPLACEMENT, f);
		else if (entity(*s))
			fputs(entity(*s), f);
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
