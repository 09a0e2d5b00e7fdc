/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h -- the pairs of an INI file in the order in which they came, each with the section it
 * stands in, for readers that look at them when the whole file is known. */
#ifndef BASE_PAIRS_H
#define BASE_PAIRS_H
#include "base/ini.h"
#include <stdint.h>

struct ini_pair {
	int owner;       /* kind of section, as the reader numbers them */
	uint32_t number; /* which one of that kind */
	int line;
	char *key, *value;
};

struct ini_pairs {
	uint32_t count;
	struct ini_pair *list;
};

enum { INI_PAIRS_MAX = 20000 };

/* Refuses an empty key or value, of which example shows a good one, and more pairs than there may
 * be. */
int ini_pairs_add(struct ini_pairs *pairs, struct ini_place *at, const struct ini_pair *pair,
		  const char *example);
void ini_pairs_free(struct ini_pairs *pairs);

/* The earlier pair of the same section and key; NULL: there is none. */
const struct ini_pair *ini_pairs_earlier(const struct ini_pairs *pairs, uint32_t at);

/* Puts "FILE:LINE: SECTION.KEY: " in front of a message; the key itself, with which messages of an
 * option begin, is a part of it. section ends with a dot, or is empty. */
int ini_pair_locate(const struct ini_pair *pair, const char *file, const char *section,
		    struct weir_error *e);
#endif
