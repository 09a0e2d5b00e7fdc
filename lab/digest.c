/* digest.c -- see digest.h. */
#include "lab/digest.h"
#include "weir/rng.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int file_digest(const char *file, struct digest *d, struct error *e)
{
	FILE *f = fopen(file, "rb");
	uint64_t sum = 0, length = 0, word;
	size_t got;

	if (!f)
		return error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	while (word = 0, (got = fread(&word, 1, sizeof(word), f)) > 0) {
		sum = hash64(sum, word);
		length += got;
	}
	if (ferror(f)) {
		fclose(f);
		return error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	}
	fclose(f);
	snprintf(d->text, sizeof(d->text), "%016" PRIx64, hash64(sum, length));
	return 0;
}
