/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.h -- content in 16 hexadecimal digits: what is in a file that a setting names belongs to
 * the identity of a run. Not for secrets: a hash of 64 bits. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H
#include <stddef.h>
#include <stdint.h>

struct digest {
	char text[17];
};

/* Of what was added so far; zero at first. */
struct digest_sum {
	uint64_t sum, length;
};

/* Blocks are whole words of 8 bytes; only the last one may end within one. */
void digest_add(struct digest_sum *s, const void *block, size_t size);
struct digest digest_end(const struct digest_sum *s);
#endif
