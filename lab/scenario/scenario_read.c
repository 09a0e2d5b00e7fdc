/* scenario_read.c -- from the bytes of a file to the list of settings.
 *
 * libinih splits the lines. It tells neither line numbers nor empty sections, cuts long names and
 * lines and takes an indented line for the end of the one before, so it is given each line by a
 * reader of ours that has counted it, taken off blanks and comments, and seen its section. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRAFFIC_SECTIONS_MAX = 1000,
	CASES_MAX = 1000,
	SETTINGS_MAX = 20000, /* besides those of keys that may be repeated */
	PATH_ROOM = 192,
};

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct reader {
	struct scenario *s;
	struct weir_error *e;
	const char *next, *end; /* what is left of the text */
	int line;               /* number of the line that was read last */
	int failed, begun;      /* begun: a section or setting was seen, so no title any more */
	uint32_t single_settings;
	char owner[128];               /* of the current section: "", "network", "traffic.web" */
	const struct section *section; /* NULL: none yet */
	struct setting_bundle *bundle; /* of cases and [full]; NULL: in another section */
};

static int fail_here(struct reader *r)
{
	r->failed = 1;
	return weir_error_prefix(r->e, "%.200s:%d: ", r->s->file, r->line);
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && is_blank(end[-1]))
		end--;
	*end = '\0';
	while (is_blank(*text))
		text++;
	return text;
}

/* --- section headers --- */

static int add_section(struct reader *r)
{
	struct scenario *s = r->s;
	const struct scenario_section *first = scenario_section(s, r->owner);
	struct scenario_section *grown;

	if (first)
		return weir_error_set(
			r->e,
			"%s: the section is given twice, first in line %d; put its keys "
			"together%s",
			r->owner, first->line,
			strchr(r->owner, '.') ? " or give it another name" : "");
	if (s->section_count == TRAFFIC_SECTIONS_MAX)
		return weir_error_set(r->e, "too many sections; allowed are %d",
				      TRAFFIC_SECTIONS_MAX);
	grown = realloc(s->sections, (s->section_count + 1) * sizeof(*grown));
	if (grown)
		s->sections = grown;
	if (!grown || !(grown[s->section_count].path = text_copy(r->owner)))
		return weir_error_set(r->e, "no memory");
	grown[s->section_count++].line = r->line;
	return 0;
}

static int unknown_section(struct reader *r, const char *name)
{
	const char *names[16];
	size_t count = 0;

	for (const struct section *s = section_all; s->name; s++)
		names[count++] = s->name;
	return weir_error_unknown(r->e, "section", name, names, count);
}

/* A case may be called ecn# or k0.5; its name is no part of a path. */
static int add_case(struct reader *r, const char *name)
{
	struct scenario *s = r->s;
	const struct setting_bundle *first = scenario_case(s, name);
	struct setting_bundle *grown;

	if (first)
		return weir_error_set(
			r->e,
			"[case %s]: the case is given twice, first in line %d; put its "
			"settings together or give it another name",
			name, first->line);
	if (s->case_count == CASES_MAX)
		return weir_error_set(r->e, "too many cases; allowed are %d", CASES_MAX);
	grown = realloc(s->cases, (s->case_count + 1) * sizeof(*grown));
	if (grown)
		s->cases = grown;
	if (!grown || !(name = text_copy(name)))
		return weir_error_set(r->e, "no memory");
	r->bundle = &grown[s->case_count++];
	*r->bundle = (struct setting_bundle){ .name = (char *)name, .line = r->line };
	return 0;
}

/* The case stands above. */
static int add_full_case(struct reader *r, const char *name)
{
	struct setting_bundle *c = (struct setting_bundle *)scenario_case(r->s, name);

	if (r->s->case_count == 0)
		return weir_error_set(
			r->e,
			"[full %s]: no case stands above; write its settings in [case %s], "
			"or [full] for those of all cases",
			weir_quote(name).text, name);
	if (scenario_check_case(r->s, name, r->e))
		return weir_error_prefix(r->e, "[full NAME] stands below its case: ");
	if (c->full)
		return weir_error_set(
			r->e,
			"[full %s]: the section is given twice, first in line %d; put its "
			"settings together",
			name, c->full->line);
	c->full = calloc(1, sizeof(*c->full));
	if (!c->full || !(c->full->name = text_copy(name)))
		return weir_error_set(r->e, "no memory");
	c->full->line = r->line;
	r->bundle = c->full;
	return 0;
}

static int is_good_name(const char *name, const char *signs)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t length = 0;

	while (name[length] && (strchr(allowed, name[length]) || strchr(signs, name[length])))
		length++;
	return length > 0 && name[length] == '\0' &&
	       length < sizeof(((struct traffic_config *)0)->name);
}

/* A section of which there are several. */
static int read_named(struct reader *r, const char *name)
{
	int is_case = strcmp(r->section->name, "case") == 0;

	if (!is_good_name(name, is_case ? "-_#." : "-_"))
		return weir_error_set(
			r->e, "[%s]: name %s; allowed are up to 63 letters, digits, %s, as in %s",
			r->section->name, *name ? weir_quote(name).text : "is missing",
			is_case ? "- _ # and ." : "- and _", r->section->example);
	if (is_case)
		return add_case(r, name);
	snprintf(r->owner, sizeof(r->owner), "%s.%s", r->section->name, name);
	return add_section(r);
}

/* text is what stands between the brackets. */
static int read_header(struct reader *r, char *text)
{
	char *name = text + strcspn(text, " \t");

	if (*name != '\0')
		*name++ = '\0';
	name = trim(name);
	r->section = section_find(text);
	if (!r->section)
		return unknown_section(r, text);
	r->bundle = NULL;
	if (r->section->traits & SECTION_NAMED)
		return read_named(r, name);
	if (*name != '\0' && strcmp(text, "full") == 0)
		return add_full_case(r, name);
	if (*name != '\0')
		return weir_error_set(
			r->e,
			"[%s %s]: only [traffic NAME], [case NAME] and [full NAME] have a "
			"name; write [%s]",
			text, weir_quote(name).text, text);
	snprintf(r->owner, sizeof(r->owner), "%s", text);
	if (add_section(r))
		return -1;
	if (strcmp(text, "full") != 0)
		return 0;
	r->bundle = &r->s->full;
	*r->bundle = (struct setting_bundle){ .name = text_copy(text), .line = r->line };
	return r->bundle->name ? 0 : weir_error_set(r->e, "no memory");
}

/* --- lines --- */

/* A line of the text, or what is left of it. */
struct slice {
	const char *start;
	size_t length;
};

static struct slice trimmed(struct slice s)
{
	while (s.length > 0 && is_blank(s.start[s.length - 1]))
		s.length--;
	while (s.length > 0 && is_blank(*s.start)) {
		s.start++;
		s.length--;
	}
	return s;
}

/* Takes the next line off the text. */
static struct slice next_line(struct reader *r)
{
	size_t left = (size_t)(r->end - r->next), mark = strlen(BYTE_ORDER_MARK);
	const char *newline = memchr(r->next, '\n', left);
	struct slice s = { r->next, newline ? (size_t)(newline - r->next) : left };

	r->next += s.length + (newline != NULL);
	r->line++;
	if (r->line == 1 && s.length >= mark && memcmp(s.start, BYTE_ORDER_MARK, mark) == 0) {
		s.start += mark;
		s.length -= mark;
	}
	return trimmed(s);
}

static int check_bytes(struct reader *r, struct slice s)
{
	for (size_t i = 0; i < s.length; i++) {
		unsigned char c = (unsigned char)s.start[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return weir_error_set(r->e, "byte 0x%02x in a scenario; it is plain text",
					      c);
	}
	return 0;
}

/* The first comment that says something, above all else. */
static void take_title(struct reader *r, struct slice s)
{
	while (s.length > 0 && strchr("#; \t", *s.start)) {
		s.start++;
		s.length--;
	}
	if (!r->begun && r->s->title[0] == '\0')
		snprintf(r->s->title, sizeof(r->s->title), "%.*s",
			 (int)(s.length < WEIR_OPT_TEXT_SIZE ? s.length : WEIR_OPT_TEXT_SIZE),
			 s.start);
}

/* Without a comment: at the start, or after a blank. */
static struct slice without_comment(struct reader *r, struct slice s)
{
	for (size_t i = 0; i < s.length; i++) {
		if (s.start[i] != '#' && s.start[i] != ';')
			continue;
		if (i == 0)
			take_title(r, s);
		if (i == 0 || is_blank(s.start[i - 1]))
			s.length = i;
	}
	return trimmed(s);
}

/* "[traffic web]": kept here, so that libinih need not know of it. */
static int take_header(struct reader *r, char *text)
{
	char *close = strchr(text, ']');

	if (!close || close[1] != '\0')
		return weir_error_set(r->e, "%s; a section is written %s", weir_quote(text).text,
				      r->section ? r->section->example : "[network]");
	*close = '\0';
	return read_header(r, trim(text + 1));
}

/* What libinih is to see of the next line goes to text, of size bytes. */
static int clean_line(struct reader *r, char *text, size_t size)
{
	struct slice s = next_line(r);

	*text = '\0';
	if (check_bytes(r, s))
		return -1;
	s = without_comment(r, s);
	if (s.length == 0)
		return 0;
	r->begun = 1;
	if (s.length >= size)
		return weir_error_set(r->e, "the line has %zu characters; at most %zu are read",
				      s.length, size - 1);
	memcpy(text, s.start, s.length);
	text[s.length] = '\0';
	if (*text == '[') {
		if (take_header(r, text))
			return -1;
		*text = '\0';
		return 0;
	}
	if (!strpbrk(text, "=:"))
		return weir_error_set(r->e, "%s is neither key = value nor [section] nor # comment",
				      weir_quote(text).text);
	return 0;
}

/* Called by libinih in place of fgets. */
static char *read_line(char *buffer, int size, void *stream)
{
	struct reader *r = stream;

	if (r->failed || r->next == r->end)
		return NULL;
	if (clean_line(r, buffer, (size_t)size - 1)) { /* one for the newline */
		fail_here(r);
		return NULL;
	}
	strcat(buffer, "\n");
	return buffer;
}

/* --- key = value --- */

static int check_pair(struct reader *r, const char *key, const char *value)
{
	if (*key == '\0')
		return weir_error_set(r->e, "a key is missing in front of = %s",
				      weir_quote(value).text);
	if (!r->section && strcmp(key, "seed") != 0)
		return weir_error_set(
			r->e,
			"%s stands before the first section; only seed may, other keys "
			"belong to a section such as [network]",
			weir_quote(key).text);
	if (strchr(key, '.') && !(r->section->traits & SECTION_PATHS))
		return weir_error_set(
			r->e,
			"%s has a dot; the section stands in a line of its own, as in "
			"[network]",
			weir_quote(key).text);
	if (*value == '\0')
		return weir_error_set(r->e,
				      "%s has no value; write %.64s = value, or leave the line out",
				      weir_quote(key).text, key);
	return 0;
}

static int count_setting(struct reader *r)
{
	return ++r->single_settings > SETTINGS_MAX
		       ? weir_error_set(r->e, "more than %d settings", SETTINGS_MAX)
		       : 0;
}

/* In [case NAME], [full] or [full NAME]. */
static int add_bundled(struct reader *r, const char *path, const char *value)
{
	struct setting_bundle *b = r->bundle;
	const struct setting *first = path_is_repeated(path) ? NULL : bundle_find(b, path);
	int failed;

	if (strlen(path) >= PATH_ROOM)
		return weir_error_set(r->e, "%s is too long for a key", weir_quote(path).text);
	if (first && !path_of_list(path))
		return weir_error_set(r->e, "%s: given twice, first in line %d", path, first->line);
	if (count_setting(r))
		return -1;
	failed = first ? setting_extend((struct setting *)first, value)
		       : bundle_add(b, path, value, r->line);
	return failed ? weir_error_set(r->e, "no memory") : 0;
}

static int add_pair(struct reader *r, const char *key, const char *value)
{
	const struct setting *first;
	char path[PATH_ROOM];

	if (r->bundle)
		return add_bundled(r, key, value);
	if (snprintf(path, sizeof(path), "%s%s%s", r->owner, r->section ? "." : "", key) >=
	    (int)sizeof(path))
		return weir_error_set(r->e, "%s is too long for a key", weir_quote(key).text);
	if (!r->section || !repeat_find(r->section->name, key)) {
		first = scenario_find(r->s, path);
		/* libinih's lines are short: a list may go on in another one. */
		if (first && path_of_list(path))
			return setting_extend((struct setting *)first, value)
				       ? weir_error_set(r->e, "no memory")
				       : 0;
		if (first)
			return weir_error_set(r->e, "%s: given twice, first in line %d", path,
					      first->line);
		if (count_setting(r))
			return -1;
	}
	if (scenario_add(r->s, path, value, r->line))
		return weir_error_set(r->e, "no memory");
	return 0;
}

static int take_pair(void *user, const char *section, const char *key, const char *value)
{
	struct reader *r = user;

	(void)section;
	if (check_pair(r, key, value) == 0 && add_pair(r, key, value) == 0)
		return 1;
	fail_here(r);
	return 0;
}

int scenario_read_text(struct scenario *s, const char *file, const char *text, size_t length,
		       struct weir_error *e)
{
	struct reader r = { .s = s, .e = e, .next = text, .end = text + length };

	memset(s, 0, sizeof(*s));
	s->file = text_copy(file);
	if (!s->file)
		return weir_error_set(e, "no memory");
	if (ini_parse_stream(read_line, &r, take_pair, &r) != 0 && !r.failed) {
		weir_error_set(e, "not understood");
		fail_here(&r);
	}
	if (!r.failed && scenario_check_bundles(s, e))
		r.failed = 1;
	if (r.failed)
		scenario_free(s);
	return r.failed ? -1 : 0;
}

/* The whole file, for the caller to free. NULL with a message where it cannot be had. */
static char *read_all(const char *file, size_t *length, struct weir_error *e)
{
	FILE *f = fopen(file, "rb");
	size_t room = 1 << 16, used = 0;
	char *text = malloc(room), *grown = text;

	errno = f ? 0 : errno;
	while (f && text) {
		used += fread(text + used, 1, room - used, f);
		if (used < room || room >= FILE_BYTES_MAX)
			break;
		grown = realloc(text, room *= 2);
		if (!grown)
			break;
		text = grown;
	}
	*length = used;
	if (!f || ferror(f))
		weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	else if (!grown)
		weir_error_set(e, "%.200s: no memory", file);
	else if (used >= FILE_BYTES_MAX)
		weir_error_set(e, "%.200s: too long for a scenario; at most %zu MiB are read", file,
			       FILE_BYTES_MAX >> 20);
	if (f)
		fclose(f);
	if (e->text[0] == '\0')
		return text;
	free(text);
	return NULL;
}

int scenario_read(struct scenario *s, const char *file, struct weir_error *e)
{
	size_t length;
	char *text;
	int failed;

	e->text[0] = '\0';
	text = read_all(file, &length, e);
	if (!text)
		return -1;
	failed = scenario_read_text(s, file, text, length, e);
	free(text);
	return failed;
}
