/* shipped.c -- see shipped.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/papers/shipped.h"
#include "lab/base/ini.h"
#include "lab/base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char section[] = "verdicts";

/* The line that is looked for. */
struct search {
	struct shipped *shipped;
	char *key;
};

/* "fig13", "fig13.full" */
static void print_key(char **key, const char *figure, size_t length, enum figure_size size)
{
	text_print(key, "%.*s%s", (int)length, figure, size == FIGURE_FULL ? ".full" : "");
}

static int see_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	(void)user;
	if (strcmp(kind, section) == 0 && name[0] == '\0')
		return 0;
	return weir_error_set(at->e, "unknown section %s; there is [%s]", weir_quote(kind).text,
			      section);
}

/* As many counts; moves on. */
static int read_counts(uint32_t *counts, int kinds, const char **at)
{
	for (int i = 0; i < kinds; i++) {
		char *end;
		unsigned long count = strtoul(*at, &end, 10);

		if (end == *at || count > UINT32_MAX)
			return -1;
		counts[i] = (uint32_t)count;
		*at = end;
	}
	*at += strspn(*at, " ");
	return 0;
}

/* "0.2.0 0a1b2c3d4e5f6071:"; moves on. */
static int read_origin(struct shipped *s, const char **at)
{
	size_t version = strcspn(*at, " "), digest;

	if (version == 0 || version >= sizeof(s->version))
		return -1;
	snprintf(s->version, sizeof(s->version), "%.*s", (int)version, *at);
	*at += version + strspn(*at + version, " ");
	digest = strspn(*at, "0123456789abcdef");
	if (digest != sizeof(s->digest.text) - 1 || (*at)[digest] != ':')
		return -1;
	memcpy(s->digest.text, *at, digest);
	*at += digest + 1;
	return 0;
}

/* Where nothing is said of it, that is so for all that disagree. */
static int read_whys(struct shipped *s, const char **at)
{
	s->whys.of[WHY_NOT_SAID] = s->claims.of[VERDICT_DISAGREES];
	if (**at == '\0')
		return 0;
	return *(*at)++ == '/' && read_counts(s->whys.of, WHYS, at) == 0 && **at == '\0' ? 0 : -1;
}

static int read_line(struct shipped *s, const char *value, struct weir_error *e)
{
	const char *at = value;
	struct shipped read = { .version = "" };

	if (read_origin(&read, &at) || read_counts(read.claims.of, VERDICTS, &at) || *at++ != '/' ||
	    read_counts(read.sentences.of, VERDICTS, &at) || read_whys(&read, &at))
		return weir_error_set(
			e,
			"%s; a version, a digest, %d counts of claims, %d of sentences and %d of "
			"reasons are needed; 'weir reproduce --summary --ship' writes them",
			weir_quote(value).text, VERDICTS, VERDICTS, WHYS);
	*s = read;
	return 0;
}

static int see_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	const struct search *looking = user;
	struct shipped other;

	return read_line(strcmp(key, looking->key) == 0 ? looking->shipped : &other, value, at->e)
		       ? weir_error_prefix(at->e, "%s: ", key)
		       : 0;
}

char *shipped_file(const char *scenario)
{
	const char *slash = strrchr(scenario, '/');
	char *file = NULL;

	text_print(&file, "%.*spaper.verdicts", slash ? (int)(slash - scenario) + 1 : 0, scenario);
	return file;
}

int shipped_read(struct shipped *s, const char *scenario, enum figure_size size,
		 struct weir_error *e)
{
	static const struct ini_form form = { .what = "verdicts",
					      .example = "[verdicts]",
					      .section = see_section,
					      .pair = see_pair };
	const char *slash = strrchr(scenario, '/'), *figure = slash ? slash + 1 : scenario;
	struct search looking = { s, NULL };
	struct ini_text text = { .file = shipped_file(scenario) };
	int failed = 0;

	*s = (struct shipped){ .version = "" };
	print_key(&looking.key, figure, strlen(figure) - strlen(".ini"), size);
	if (access(text.file, F_OK) == 0) {
		char *content = ini_load(&form, text.file, &text.length, e);

		text.text = content;
		failed = content ? ini_read(&form, &looking, &text, e) : -1;
		free(content);
	}
	free(looking.key);
	free((char *)text.file);
	return failed;
}

void shipped_write(FILE *f, const char *figure, enum figure_size size, const struct shipped *s)
{
	char *key = NULL;

	print_key(&key, figure, strlen(figure), size);
	fprintf(f, "%s = %s %s:", key, s->version, s->digest.text);
	for (int i = 0; i < VERDICTS; i++)
		fprintf(f, " %" PRIu32, s->claims.of[i]);
	fputs(" /", f);
	for (int i = 0; i < VERDICTS; i++)
		fprintf(f, " %" PRIu32, s->sentences.of[i]);
	fputs(" /", f);
	for (int i = 0; i < WHYS; i++)
		fprintf(f, " %" PRIu32, s->whys.of[i]);
	fputc('\n', f);
	free(key);
}
