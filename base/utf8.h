/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h -- decoding UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above
 * U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H
#include <stddef.h>

/* Longest character. Also a safe room for any NUL-terminated string: NUL continues no character, so
 * nothing behind it is read. */
enum { WEIR_UTF8_BYTES_MAX = 4 };

/* Length of the well-formed character at s, of which room bytes, at least one, may be read; 0: it
 * is malformed. */
static inline size_t weir_utf8_length(const unsigned char *s, size_t room)
{
	size_t length = s[0] < 0x80   ? 1
			: s[0] < 0xc2 ? 0
			: s[0] < 0xe0 ? 2
			: s[0] < 0xf0 ? 3
			: s[0] < 0xf5 ? 4
				      : 0;

	if (length > room)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}
#endif
