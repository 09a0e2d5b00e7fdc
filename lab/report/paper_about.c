/* SPDX-License-Identifier: BSD-3-Clause */
/* paper_about.c -- see paper_about.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/paper_about.h"
#include "base/ini.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const keys[ABOUT_KEYS] = {
	[ABOUT_TITLE] = "title",
	[ABOUT_AUTHORS] = "authors",
	[ABOUT_VENUE] = "venue",
	[ABOUT_DOI] = "doi",
};

static int see_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	(void)user;
	if (strcmp(kind, "paper") == 0 && name[0] == '\0')
		return 0;
	return weir_error_set(at->e, "unknown section %s; there is [paper]", weir_quote(kind).text);
}

static int see_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct paper_about *p = user;

	for (int i = 0; i < ABOUT_KEYS; i++)
		if (strcmp(keys[i], key) == 0) {
			text_print(&p->text[i], "%s", value);
			return 0;
		}
	return weir_error_unknown(at->e, "key", key, keys, ABOUT_KEYS);
}

int paper_about_read(struct paper_about *p, const char *figure_file, struct weir_error *e)
{
	static const struct ini_form form = { .what = "about a paper",
					      .example = "[paper]",
					      .section = see_section,
					      .pair = see_pair };
	const char *slash = strrchr(figure_file, '/');
	char *file = NULL;
	struct ini_text text = { .length = 0 };
	int failed = 0;

	*p = (struct paper_about){ .text = { NULL } };
	text_print(&file, "%.*spaper.about", slash ? (int)(slash - figure_file) + 1 : 0,
		   figure_file);
	if (access(file, F_OK) == 0) {
		char *content = ini_load(&form, file, &text.length, e);

		text.file = file;
		text.text = content;
		failed = content ? ini_read(&form, p, &text, e) : -1;
		free(content);
	}
	free(file);
	if (failed)
		paper_about_free(p);
	return failed;
}

void paper_about_free(struct paper_about *p)
{
	for (int i = 0; i < ABOUT_KEYS; i++)
		free(p->text[i]);
	*p = (struct paper_about){ .text = { NULL } };
}
