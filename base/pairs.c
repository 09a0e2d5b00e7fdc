/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c -- see pairs.h. */
#include "base/pairs.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

int ini_pairs_add(struct ini_pairs *pairs, struct ini_place *at, const struct ini_pair *pair,
		  const char *example)
{
	if (*pair->key == '\0' || *pair->value == '\0')
		return weir_error_set(at->e, "a key and a value are wanted, as in %s", example);
	if (pairs->count == INI_PAIRS_MAX)
		return weir_error_set(at->e, "more than %d settings", INI_PAIRS_MAX);
	if ((pairs->count & (pairs->count - 1)) == 0)
		pairs->list =
			memory_grow(pairs->list, pairs->count ? 2 * (uint64_t)pairs->count : 1,
				    sizeof(*pairs->list));
	pairs->list[pairs->count++] = (struct ini_pair){
		.owner = pair->owner,
		.number = pair->number,
		.line = at->line,
		.key = memory_text(pair->key, strlen(pair->key)),
		.value = memory_text(pair->value, strlen(pair->value)),
	};
	return 0;
}

void ini_pairs_free(struct ini_pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->count; i++) {
		free(pairs->list[i].key);
		free(pairs->list[i].value);
	}
	free(pairs->list);
	*pairs = (struct ini_pairs){ 0 };
}

const struct ini_pair *ini_pairs_earlier(const struct ini_pairs *pairs, uint32_t at)
{
	const struct ini_pair *p = &pairs->list[at];

	for (uint32_t i = 0; i < at; i++) {
		const struct ini_pair *q = &pairs->list[i];

		if (q->owner == p->owner && q->number == p->number && strcmp(q->key, p->key) == 0)
			return q;
	}
	return NULL;
}

int ini_pair_locate(const struct ini_pair *pair, const char *file, const char *section,
		    struct weir_error *e)
{
	size_t length = strlen(pair->key);

	if (strncmp(e->text, pair->key, length) == 0 && strncmp(e->text + length, ": ", 2) == 0)
		memmove(e->text, e->text + length + 2, strlen(e->text + length + 2) + 1);
	return weir_error_prefix(e, "%.200s:%d: %.100s%.64s: ", file, pair->line, section,
				 pair->key);
}
