/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h -- a line of words, as in "link = s0 s1 10Gbps 5us".
 *
 * For the few settings that are lists of lines: links, failures, flows. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H
#include <stddef.h>
#include <string.h>

enum { WORDS_MAX = 5, WORD_SIZE = 64 };

struct words {
	char word[WORDS_MAX][WORD_SIZE];
};

/* Splits text at blanks. Returns the number of words, or -1 where there are more than WORDS_MAX or
 * one is too long: no line we know looks like that. */
static inline int words_split(struct words *w, const char *text)
{
	static const char blanks[] = " \t\r\n";
	int count = 0;

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t length = strcspn(text, blanks);

		if (count == WORDS_MAX || length >= WORD_SIZE)
			return -1;
		memcpy(w->word[count], text, length);
		w->word[count++][length] = '\0';
		text += length;
	}
	return count;
}
#endif
