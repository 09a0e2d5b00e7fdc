/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h -- is it text? RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H
#include <stddef.h>

/* What a character has at most. Enough room for any text that ends with NUL: NUL continues no
 * character, and nothing is read behind it. */
enum { WEIR_UTF8_BYTES_MAX = 4 };

/* Bytes of the well-formed character at s, which has room for so many, at least one; 0: there is
 * none. */
size_t weir_utf8_length(const unsigned char *s, size_t room);
#endif
