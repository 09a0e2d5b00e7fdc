/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.c -- see shard.h. */
#include "lab/campaign/shard.h"
#include "base/output.h"
#include "base/text.h"
#include "base/input.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "shard";

/* A number from 1 to SHARDS_MAX, and where it ends; 0: it is none. */
static uint32_t read_number(const char **text)
{
	uint32_t number = 0;

	while (**text >= '0' && **text <= '9' && number <= SHARDS_MAX)
		number = 10 * number + (uint32_t)(*(*text)++ - '0');
	return number <= SHARDS_MAX ? number : 0;
}

int shard_read(struct shard *s, const char *text, struct weir_error *e)
{
	const char *at = text;

	s->number = read_number(&at);
	s->count = *at == '/' ? (at++, read_number(&at)) : 0;
	if (s->number && s->count && *at == '\0' && s->number <= s->count)
		return 0;
	return weir_error_set(e,
			      "%s is no shard; 3/16 is the third of sixteen, and there are at "
			      "most %d",
			      weir_quote(text).text, SHARDS_MAX);
}

uint64_t shard_runs(const struct shard *s, uint64_t runs)
{
	if (s->count == 0)
		return runs;
	return runs / s->count + (s->number <= runs % s->count);
}

int shard_write(const struct shard *s, const char *folder, struct weir_error *e)
{
	struct output o;

	if (output_open_in(&o, folder, file_name, e))
		return -1;
	fprintf(o.stream, "%" PRIu32 "/%" PRIu32 "\n", s->number, s->count);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

struct shard shard_of_folder(const char *folder)
{
	struct shard s = { 0, 0 };
	struct weir_error unheard;
	char text[64] = "", *path = NULL;
	const char *why;
	FILE *f;

	text_print(&path, "%s/%s", folder, file_name);
	f = input_open(path, &why);
	free(path);
	if (!f)
		return s;
	if (fgets(text, sizeof(text), f))
		text[strcspn(text, "\n")] = '\0';
	fclose(f);
	if (shard_read(&s, text, &unheard))
		s = (struct shard){ 0, 0 };
	return s;
}
