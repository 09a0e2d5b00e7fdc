/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_digest.c -- what decides a figure's verdicts, as a digest: see shipped.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/ini.h"
#include "config/config.h"
#include "lab/report/shipped.h"
#include <stdlib.h>
#include <string.h>

/* Keys of a claim that people read and that decide nothing. */
static const char *const texts[] = { "says", "section", "why", "note" };

/* Of these it matters that they are there, not what they say. */
static const char *const remarks[] = { "contradicts", "fitted" };

struct sum {
	FILE *out;
	int is_scenario, takes;            /* the section */
	char owner[2 * INI_NAME_SIZE + 2]; /* of the paths of its keys, "traffic.web."; empty where
					      keys are paths */
	enum figure_size size;
};

static int is_one_of(const char *key, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(key, words[i]) == 0)
			return 1;
	return 0;
}

static int see_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct sum *s = user;

	(void)at;
	s->takes = s->is_scenario ? s->size == FIGURE_FULL || strcmp(kind, "full") != 0
				  : strcmp(kind, "claim") == 0;
	if (s->takes)
		fprintf(s->out, "[%s %s]\n", kind, name);
	s->owner[0] = '\0';
	if (s->is_scenario && strcmp(kind, "case") != 0 && strcmp(kind, "full") != 0)
		snprintf(s->owner, sizeof(s->owner), "%s.%s%s", kind, name, *name ? "." : "");
	return 0;
}

/* The key under its former name: a renamed setting leaves the digest as it is. */
static const char *former_key(const struct sum *s, const char *key, char buffer[SETTING_PATH_SIZE])
{
	char path[SETTING_PATH_SIZE];
	const char *former;

	if (!s->is_scenario)
		return key;
	snprintf(path, sizeof(path), "%s%s", s->owner, key);
	former = setting_former_path(path, buffer);
	return former == path ? key : former + strlen(s->owner);
}

static int see_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct sum *s = user;
	char former[SETTING_PATH_SIZE];

	(void)at;
	if (!s->takes || (!s->is_scenario && is_one_of(key, texts, sizeof(texts) / sizeof(*texts))))
		return 0;
	if (!s->is_scenario && is_one_of(key, remarks, sizeof(remarks) / sizeof(*remarks)))
		value = "";
	fprintf(s->out, "%s = %s\n", former_key(s, key, former), value);
	return 0;
}

static int add_file(struct sum *s, const char *file, struct weir_error *e)
{
	static const struct ini_form form = {
		.what = "a figure", .example = "[network]", .section = see_section, .pair = see_pair
	};
	struct ini_text in = { .file = file };
	char *text = ini_load(&form, file, &in.length, e);
	int failed;

	in.text = text;
	s->takes = s->is_scenario;
	failed = !text || ini_read(&form, s, &in, e);
	free(text);
	return failed ? -1 : 0;
}

int figure_digest(struct digest *d, const char *scenario, const char *claims, enum figure_size size,
		  struct weir_error *e)
{
	char *text = NULL;
	size_t length = 0;
	struct sum s = { .out = open_memstream(&text, &length), .size = size, .is_scenario = 1 };
	struct digest_sum sum = { 0, 0 };
	int failed;

	if (!s.out)
		return weir_error_set(e, "no memory for a digest");
	failed = add_file(&s, scenario, e);
	s.is_scenario = 0;
	failed = failed || add_file(&s, claims, e);
	fclose(s.out);
	digest_add(&sum, text, length);
	*d = digest_end(&sum);
	free(text);
	return failed ? -1 : 0;
}
