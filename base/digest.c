/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c -- see digest.h. */
#include "base/digest.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void digest_add(struct digest_sum *s, const void *block, size_t size)
{
	uint64_t word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		word = 0;
		memcpy(&word, (const char *)block + i,
		       size - i < sizeof(word) ? size - i : sizeof(word));
		s->sum = weir_hash64(s->sum, word);
	}
	s->length += size;
}

struct digest digest_end(const struct digest_sum *s)
{
	struct digest d;

	snprintf(d.text, sizeof(d.text), "%016" PRIx64, weir_hash64(s->sum, s->length));
	return d;
}
