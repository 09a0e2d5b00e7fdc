/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.h -- 64-bit content hash in 16 hexadecimal digits. The identity of a run includes the
 * digest of every file that its settings name (input_digest in base/input.h). Not cryptographic. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H
#include "weir/rng.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct digest {
	char text[17];
};

/* A running sum; zero at first. */
struct digest_sum {
	uint64_t sum, length;
};

/* Every block but the last must be a multiple of 8 bytes long; the last is padded with zeros. */
static inline void digest_add(struct digest_sum *s, const void *block, size_t size)
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

static inline struct digest digest_end(const struct digest_sum *s)
{
	struct digest d;

	snprintf(d.text, sizeof(d.text), "%016" PRIx64, weir_hash64(s->sum, s->length));
	return d;
}
#endif
