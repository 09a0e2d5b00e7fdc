/* digest.c -- see digest.h. */
#include "lab/base/digest.h"
#include "sim/base/input.h"
#include "weir/rng.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16 }; /* whole words: only the last block may end within one */

int file_digest(const char *file, struct digest *d, struct weir_error *e)
{
	const char *why;
	FILE *f = input_open(file, &why);
	uint64_t sum = 0, length = 0, word;
	char block[BLOCK_BYTES];
	size_t got;

	if (!f)
		return weir_error_set(e, "%.200s: cannot be read: %s", file, why);
	while ((got = fread(block, 1, sizeof(block), f)) > 0) {
		for (size_t i = 0; i < got; i += sizeof(word)) {
			word = 0;
			memcpy(&word, block + i, got - i < sizeof(word) ? got - i : sizeof(word));
			sum = weir_hash64(sum, word);
		}
		length += got;
	}
	if (ferror(f)) {
		fclose(f);
		return weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	}
	fclose(f);
	snprintf(d->text, sizeof(d->text), "%016" PRIx64, weir_hash64(sum, length));
	return 0;
}
