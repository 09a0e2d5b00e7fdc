/* claims.c -- from the bytes of FIG.claims to sections, and their end. */
#include "lab/papers/claims_read.h"
#include "lab/base/quantity.h"
#include "lab/scenario/scenario.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 20 };

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static const struct claims_form {
	const char *name, *example;
	const char *keys[CLAIMS_KEYS_MAX];     /* ends with NULL */
	const char *required[CLAIMS_KEYS_MAX]; /* likewise */
} forms[] = {
	[SECTION_FIGURE] = { "figure",
			     "[figure]",
			     { "title", "paper", "about", "time", "full-time", NULL },
			     { "title", "paper", NULL } },
	[SECTION_PANEL] = { "panel",
			    "[panel a]",
			    { "title", "kind", "y", "x", "by", "normalize", "where", "x-label",
			      "x-scale", "y-label", NULL },
			    { "kind", "y", NULL } },
	[SECTION_CLAIM] = { "claim",
			    "[claim small-p99]",
			    { "says", "section", "metric", "of", "over", "value", "range",
			      "tolerance", "against", "size", "note", NULL },
			    { "says", "section", "metric", NULL } },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

struct reader {
	struct figure *f;
	struct weir_error *e;
	const char *next, *end; /* what is left of the text */
	int line;
	size_t length; /* of the line, whatever is in it */
	int has_figure;
	struct claims_section section;
};

/* --- a section --- */

const char *section_value(struct claims_section *s, const char *key)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->entries[i].key, key) == 0) {
			s->at = s->entries[i].line;
			return s->entries[i].value;
		}
	return NULL;
}

int section_take(struct claims_section *s, const char *key, enum absent absent, char **text,
		 struct weir_error *e)
{
	*text = NULL;
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->entries[i].key, key) == 0) {
			*text = s->entries[i].value;
			s->entries[i].value = NULL;
			return 0;
		}
	if (absent == ABSENT_IS_NULL)
		return 0;
	*text = text_copy("");
	return *text ? 0 : weir_error_set(e, "no memory");
}

static void section_clear(struct claims_section *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->entries[i].value);
	memset(s, 0, sizeof(*s));
}

static int check_required(struct claims_section *s, struct weir_error *e)
{
	const struct claims_form *form = &forms[s->kind];

	for (const char *const *key = form->required; *key; key++)
		if (!section_value(s, *key)) {
			s->at = s->line;
			return weir_error_set(e, "%s is missing", *key);
		}
	return 0;
}

/* How long all runs take, on one core. */
static int read_seconds(struct claims_section *s, const char *key, double *seconds,
			struct weir_error *e)
{
	const char *text = section_value(s, key);
	struct quantity q;

	if (!text)
		return 0;
	if (quantity_read(&q, text, e) || quantity_in(&q, text, "s", seconds, e))
		return weir_error_prefix(e, "%s: ", key);
	return 0;
}

static int add_figure(struct reader *r)
{
	struct claims_section *s = &r->section;

	r->has_figure = 1;
	if (read_seconds(s, "time", &r->f->seconds[FIGURE_QUICK], r->e) ||
	    read_seconds(s, "full-time", &r->f->seconds[FIGURE_FULL], r->e))
		return -1;
	if (section_take(s, "title", ABSENT_IS_EMPTY, &r->f->title, r->e) ||
	    section_take(s, "paper", ABSENT_IS_EMPTY, &r->f->paper, r->e))
		return -1;
	return section_take(s, "about", ABSENT_IS_EMPTY, &r->f->about, r->e);
}

static int add_panel(struct reader *r)
{
	struct figure *f = r->f;
	struct panel *grown = realloc(f->panels, (f->panel_count + 1) * sizeof(*grown));

	if (!grown)
		return weir_error_set(r->e, "no memory");
	f->panels = grown;
	memset(&grown[f->panel_count], 0, sizeof(*grown));
	return panel_make(&grown[f->panel_count++], &r->section, r->e);
}

static int add_claim(struct reader *r)
{
	struct figure *f = r->f;
	struct claim *grown = realloc(f->claims, (f->claim_count + 1) * sizeof(*grown));

	if (!grown)
		return weir_error_set(r->e, "no memory");
	f->claims = grown;
	memset(&grown[f->claim_count], 0, sizeof(*grown));
	return claim_make(&grown[f->claim_count++], &r->section, r->e);
}

/* All keys of the section have been seen. */
static int end_section(struct reader *r)
{
	static int (*const add[FORMS])(struct reader *) = { add_figure, add_panel, add_claim };
	struct claims_section *s = &r->section;
	int failed;

	if (s->line == 0)
		return 0;
	s->at = s->line;
	failed = check_required(s, r->e) || add[s->kind](r);
	if (failed) {
		r->line = s->at;
		weir_error_prefix(r->e, "[%s%s%s]: ", forms[s->kind].name, *s->name ? " " : "",
				  s->name);
	}
	section_clear(s);
	return failed ? -1 : 0;
}

/* --- lines --- */

static int is_good_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	size_t length = strspn(name, allowed);

	return length > 0 && name[length] == '\0' &&
	       length < sizeof(((struct claims_section *)0)->name);
}

/* Line of the section of that name, 0: there is none. */
static int line_of(const struct figure *f, enum claims_section_kind kind, const char *name)
{
	for (uint32_t i = 0; kind == SECTION_PANEL && i < f->panel_count; i++)
		if (strcmp(f->panels[i].name, name) == 0)
			return f->panels[i].line;
	for (uint32_t i = 0; kind == SECTION_CLAIM && i < f->claim_count; i++)
		if (strcmp(f->claims[i].name, name) == 0)
			return f->claims[i].line;
	return 0;
}

static int check_name(struct reader *r, const struct claims_form *form, const char *name)
{
	enum claims_section_kind kind = (enum claims_section_kind)(form - forms);
	int first;

	if (kind == SECTION_FIGURE) {
		if (*name)
			return weir_error_set(r->e, "[figure %s]: [figure] has no name", name);
		return r->has_figure ? weir_error_set(r->e, "[figure] is given twice") : 0;
	}
	if (!is_good_name(name))
		return weir_error_set(
			r->e,
			"[%s]: name %s; allowed are up to 63 letters, digits, -, _ and ., "
			"as in %s",
			form->name, *name ? weir_quote(name).text : "is missing", form->example);
	first = line_of(r->f, kind, name);
	return first ? weir_error_set(r->e, "[%s %s]: given twice, first in line %d", form->name,
				      name, first)
		     : 0;
}

/* "[claim NAME]", without blanks around it. */
static int read_header(struct reader *r, char *text)
{
	const char *names[FORMS];
	size_t length = strlen(text), kind = 0;
	char *name;

	if (end_section(r))
		return -1;
	if (text[length - 1] != ']')
		return weir_error_set(r->e, "%s; a section is written [claim NAME]",
				      weir_quote(text).text);
	text[length - 1] = '\0';
	text += 1 + strspn(text + 1, " \t");
	name = text + strcspn(text, " \t");
	if (*name)
		*name++ = '\0';
	name += strspn(name, " \t");
	for (size_t i = 0; i < FORMS; i++)
		names[i] = forms[i].name;
	while (kind < FORMS && strcmp(forms[kind].name, text) != 0)
		kind++;
	if (kind == FORMS)
		return weir_error_unknown(r->e, "section", text, names, FORMS);
	if (check_name(r, &forms[kind], name))
		return -1;
	r->section =
		(struct claims_section){ .kind = (enum claims_section_kind)kind, .line = r->line };
	snprintf(r->section.name, sizeof(r->section.name), "%s", name);
	return 0;
}

static int read_pair(struct reader *r, char *key, char *value)
{
	struct claims_section *s = &r->section;
	const struct claims_form *form = &forms[s->kind];
	size_t count = 0, at;

	if (s->line == 0)
		return weir_error_set(r->e,
				      "%s stands before the first section; [figure] comes first",
				      weir_quote(key).text);
	while (form->keys[count])
		count++;
	for (at = 0; at < count && strcmp(form->keys[at], key) != 0;)
		at++;
	if (at == count) {
		weir_error_unknown(r->e, "key", key, form->keys, count);
		return weir_error_prefix(r->e, "[%s]: ", form->name);
	}
	for (uint32_t i = 0; i < s->count; i++)
		if (s->entries[i].key == form->keys[at])
			return weir_error_set(r->e, "%s: given twice, first in line %d", key,
					      s->entries[i].line);
	if (*value == '\0')
		return weir_error_set(r->e, "%s has no value", key);
	s->entries[s->count] = (struct claims_entry){ form->keys[at], text_copy(value), r->line };
	return s->entries[s->count++].value ? 0 : weir_error_set(r->e, "no memory");
}

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* A comment starts with # at the start of the line or after a blank. */
static void cut_comment(char *text)
{
	for (char *c = text; *c; c++)
		if (*c == '#' && (c == text || c[-1] == ' ' || c[-1] == '\t')) {
			*c = '\0';
			return;
		}
}

static int read_line(struct reader *r, char *text)
{
	char *equals;

	for (const char *c = text; *c; c++)
		if (((unsigned char)*c < ' ' && !strchr("\t\r", *c)) || *c == 0x7f)
			return weir_error_set(r->e, "byte 0x%02x; the file is plain text",
					      (unsigned char)*c);
	cut_comment(text);
	text = trim(text);
	if (*text == '\0')
		return 0;
	if (*text == '[')
		return read_header(r, text);
	equals = strchr(text, '=');
	if (!equals)
		return weir_error_set(r->e, "%s is neither key = value nor [section] nor # comment",
				      weir_quote(text).text);
	*equals = '\0';
	return read_pair(r, trim(text), trim(equals + 1));
}

/* Takes the next line off the text; the caller frees it. NULL: no memory. */
static char *next_line(struct reader *r)
{
	size_t left = (size_t)(r->end - r->next);
	const char *newline = memchr(r->next, '\n', left);
	size_t length = newline ? (size_t)(newline - r->next) : left;
	char *line = malloc(length + 1);

	if (!line)
		return NULL;
	memcpy(line, r->next, length);
	line[length] = '\0';
	r->next += length + (newline != NULL);
	r->line++;
	r->length = length;
	return line;
}

int figure_read_text(struct figure *f, const char *file, const char *text, size_t length,
		     struct weir_error *e)
{
	struct reader r = { .f = f, .e = e, .next = text, .end = text + length };
	int failed = 0;

	memset(f, 0, sizeof(*f));
	f->file = text_copy(file);
	if (!f->file)
		return weir_error_set(e, "no memory");
	if (length >= strlen(BYTE_ORDER_MARK) &&
	    memcmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
		r.next += strlen(BYTE_ORDER_MARK);
	while (r.next < r.end && !failed) {
		char *line = next_line(&r);

		if (!line)
			failed = weir_error_set(e, "no memory");
		else if (strlen(line) != r.length)
			failed = weir_error_set(e, "byte 0x00; the file is plain text");
		else
			failed = read_line(&r, line);
		free(line);
	}
	if (!failed)
		failed = end_section(&r);
	if (!failed && !r.has_figure)
		failed = weir_error_set(e, "[figure] is missing");
	if (!failed)
		return 0;
	weir_error_prefix(e, "%.200s:%d: ", file, r.line);
	section_clear(&r.section);
	figure_free(f);
	return -1;
}

int figure_read(struct figure *f, const char *file, struct weir_error *e)
{
	FILE *stream = fopen(file, "rb");
	char *text = stream ? malloc(FILE_BYTES_MAX) : NULL;
	size_t length = 0;
	int failed;

	if (!stream)
		return weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	errno = 0;
	if (text)
		length = fread(text, 1, FILE_BYTES_MAX, stream);
	if (!text)
		failed = weir_error_set(e, "no memory");
	else if (ferror(stream))
		failed = weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	else if (length == FILE_BYTES_MAX)
		failed = weir_error_set(e, "%.200s: too long for claims; at most 1 MiB is read",
					file);
	else
		failed = figure_read_text(f, file, text, length, e);
	fclose(stream);
	free(text);
	return failed;
}

/* --- its end --- */

static void panel_free(struct panel *p)
{
	for (uint32_t i = 0; i < p->y_count; i++)
		free(p->y[i]);
	free(p->y);
	free(p->name);
	free(p->title);
	free(p->x);
	free(p->by);
	free(p->normalize);
	free(p->x_label);
	free(p->y_label);
	selection_free(&p->where);
}

static void claim_free(struct claim *c)
{
	free(c->name);
	free(c->says);
	free(c->section);
	free(c->note);
	free(c->metric);
	selection_free(&c->of);
	selection_free(&c->over);
}

void figure_free(struct figure *f)
{
	for (uint32_t i = 0; i < f->panel_count; i++)
		panel_free(&f->panels[i]);
	for (uint32_t i = 0; i < f->claim_count; i++)
		claim_free(&f->claims[i]);
	free(f->panels);
	free(f->claims);
	free(f->file);
	free(f->title);
	free(f->paper);
	free(f->about);
	memset(f, 0, sizeof(*f));
}
