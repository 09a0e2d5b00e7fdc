/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_digest.c -- digests of the settings of a figure's scenario, which say whether shipped
 * verdicts are of today's scenario. Settings of all cases together have one digest; those of a case
 * belong to the claims about it, so that a new case outdates nothing. See reproduce.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/reproduce.h"
#include "base/ini.h"
#include "base/memory.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

/* The settings of a case, [case NAME] and for the full size [full NAME], as text. */
struct case_settings {
	char *name, *text;
};

struct digest_input {
	FILE *whole, *common; /* everything; everything but cases and their list */
	uint32_t case_count;
	struct case_settings *cases;
	struct case_settings *current;     /* the case of the current section; NULL: none */
	int is_included;                   /* 1: the current section is of this size */
	int is_sweep;                      /* 1: the current section is [sweep] */
	char owner[2 * INI_NAME_SIZE + 2]; /* of the paths of its keys, "traffic.web."; empty where
					      keys are paths */
	enum figure_size size;
};

static struct case_settings *digest_case(struct digest_input *s, const char *name)
{
	for (uint32_t i = 0; i < s->case_count; i++)
		if (strcmp(s->cases[i].name, name) == 0)
			return &s->cases[i];
	s->cases = memory_grow(s->cases, s->case_count + UINT64_C(1), sizeof(*s->cases));
	s->cases[s->case_count] = (struct case_settings){ text_copy(name), text_copy("") };
	return &s->cases[s->case_count++];
}

static int digest_add_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct digest_input *s = user;
	int is_case = strcmp(kind, "case") == 0, is_full = strcmp(kind, "full") == 0;

	(void)at;
	s->is_included = s->size == FIGURE_FULL || !is_full;
	s->is_sweep = strcmp(kind, "sweep") == 0;
	s->current = is_case || (is_full && *name) ? digest_case(s, name) : NULL;
	s->owner[0] = '\0';
	if (!is_case && !is_full)
		snprintf(s->owner, sizeof(s->owner), "%s.%s%s", kind, name, *name ? "." : "");
	if (!s->is_included)
		return 0;
	fprintf(s->whole, "[%s %s]\n", kind, name);
	if (s->current)
		text_print(&s->current->text, "%s[%s]\n", s->current->text, kind);
	else
		fprintf(s->common, "[%s %s]\n", kind, name);
	return 0;
}

/* The key under its former name: a renamed setting leaves the digest as it is. */
static const char *digest_former_key(const struct digest_input *s, const char *key,
				     char buffer[SETTING_PATH_SIZE])
{
	char path[SETTING_PATH_SIZE];
	const char *former;

	snprintf(path, sizeof(path), "%s%s", s->owner, key);
	former = setting_former_path(path, buffer);
	return former == path ? key : former + strlen(s->owner);
}

static int digest_add_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct digest_input *s = user;
	int is_list = s->is_sweep ? strcmp(key, CASE_PATH) == 0
				  : !s->current && strcmp(key, SWEEP_PREFIX CASE_PATH) == 0;
	char buffer[SETTING_PATH_SIZE];
	const char *former = digest_former_key(s, key, buffer);

	(void)at;
	if (!s->is_included)
		return 0;
	fprintf(s->whole, "%s = %s\n", former, value);
	if (s->current)
		text_print(&s->current->text, "%s%s = %s\n", s->current->text, former, value);
	else if (!is_list)
		fprintf(s->common, "%s = %s\n", former, value);
	return 0;
}

/* --- claims --- */

/* Of the cases that a claim selects; of all cases, if it selects by something else. */
static void claim_print_cases(FILE *f, const struct digest_input *s, const struct selection *by)
{
	const char *wanted = selection_value(by, CASE_PATH);

	for (uint32_t i = 0; i < s->case_count; i++)
		if (!wanted || strcmp(s->cases[i].name, wanted) == 0)
			fprintf(f, "%s\n%s", s->cases[i].name, s->cases[i].text);
}

static struct digest digest_of_text(const char *text, size_t length)
{
	struct digest_sum sum = { 0, 0 };

	digest_add(&sum, text, length);
	return digest_end(&sum);
}

static void claim_set_cases(struct claim *c, const struct digest_input *s)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f;

	if (s->case_count == 0)
		return;
	f = open_memstream(&text, &length);
	if (!f)
		memory_refused(length);
	claim_print_cases(f, s, &c->of);
	if (c->over.count)
		claim_print_cases(f, s, &c->over);
	fclose(f);
	c->cases[s->size] = digest_of_text(text, length);
	free(text);
}

/* --- the scenario --- */

static int digest_read(struct digest_input *s, const char *scenario, struct weir_error *e)
{
	static const struct ini_form form = { .what = "a figure",
					      .example = "[network]",
					      .section = digest_add_section,
					      .pair = digest_add_pair };
	struct ini_text in = { .file = scenario };
	char *text = ini_load(&form, scenario, &in.length, e);
	int failed;

	if (!text)
		return -1;
	in.text = text;
	failed = ini_read(&form, s, &in, e);
	free(text);
	return failed;
}

int scenario_digest(struct scenario_digest *d, struct figure *f, const char *scenario,
		    enum figure_size size, struct weir_error *e)
{
	char *whole = NULL, *common = NULL;
	size_t whole_length = 0, common_length = 0;
	struct digest_input s = { .size = size, .is_included = 1 };
	int failed;

	s.whole = open_memstream(&whole, &whole_length);
	s.common = open_memstream(&common, &common_length);
	if (!s.whole || !s.common)
		memory_refused(0);
	failed = digest_read(&s, scenario, e);
	fclose(s.whole);
	fclose(s.common);
	d->whole = digest_of_text(whole, whole_length);
	d->settings = digest_of_text(common, common_length);
	for (uint32_t i = 0; i < f->judged_count && !failed; i++)
		claim_set_cases(&f->claims[i], &s);
	for (uint32_t i = 0; i < s.case_count; i++) {
		free(s.cases[i].name);
		free(s.cases[i].text);
	}
	free(s.cases);
	free(whole);
	free(common);
	return failed ? -1 : 0;
}
