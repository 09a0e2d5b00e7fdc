/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.c -- see utf8.h. */
#include "base/utf8.h"

size_t weir_utf8_length(const unsigned char *s, size_t room)
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
