/* SPDX-License-Identifier: BSD-3-Clause */
/* key.c -- see key.h. */
#include "lab/scenario/key.h"
#include "base/version.h"
#include "lab/scenario/scenario.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Changes if the same settings are to get new keys; independent of STORE_SCHEMA. */
enum { KEY_FORM = 2 };

/* FNV-1a of the text, mixed into `before`. The length separates neighbouring texts. */
static uint64_t hash_text(uint64_t before, const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return weir_hash64(weir_hash64(before, hash), length);
}

static void hash_setting(void *context, const char *path, const char *value)
{
	uint64_t *hash = context;

	*hash = hash_text(hash_text(*hash, path), value);
}

int run_key(const struct config *c, char key[RUN_KEY_SIZE], struct weir_error *e)
{
	uint64_t hash = hash_text(KEY_FORM, version_of_results().text);

	/* Includes digests of the files that settings name. */
	if (scenario_settings(c, hash_setting, &hash, e))
		return -1;
	snprintf(key, RUN_KEY_SIZE, "%016" PRIx64, hash);
	return 0;
}
