/* SPDX-License-Identifier: BSD-3-Clause */
/* file_digest.c -- see digest.h. */
#include "base/file_digest.h"
#include "base/input.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

int file_digest(const char *file, struct digest *d, struct weir_error *e)
{
	const char *why;
	FILE *f = input_open(file, &why);
	struct digest_sum sum = { 0, 0 };
	char block[BLOCK_BYTES];
	size_t got;

	if (!f)
		return weir_error_set(e, "%.200s: cannot be read: %s", file, why);
	while ((got = fread(block, 1, sizeof(block), f)) > 0)
		digest_add(&sum, block, got);
	if (ferror(f)) {
		fclose(f);
		return weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	}
	fclose(f);
	*d = digest_end(&sum);
	return 0;
}
