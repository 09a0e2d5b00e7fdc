/* SPDX-License-Identifier: BSD-3-Clause */
/* line_file.c -- see line_file.h. */
#include "base/line_file.h"
#include "base/memory.h"
#include "base/input.h"
#include "weir/units.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 24 }; /* a million switches in one line */

#define BLANKS " \t\r\n\f\v"
#define LONGEST_PS ((double)(1000 * WEIR_PS_PER_S))

int line_file_open(struct line_file *l, const char *name, struct weir_error *e)
{
	const char *why;

	*l = (struct line_file){ .f = input_open(name, &why), .name = name, .e = e };
	if (!l->f)
		return weir_error_set(e, "%.200s: cannot be read: %s", name, why);
	return 0;
}

void line_file_close(struct line_file *l)
{
	if (l->f)
		fclose(l->f);
	free(l->text);
	l->f = NULL;
	l->text = NULL;
}

int line_file_error(struct line_file *l, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return weir_error_set(l->e, "%.200s:%d: %s", l->name, l->line, text);
}

static int grow(struct line_file *l)
{
	size_t room = l->room ? 2 * l->room : 256;

	if (room > LINE_MAX_BYTES)
		return line_file_error(l, "the line is too long");
	l->text = memory_grow(l->text, room, 1);
	l->room = room;
	return 0;
}

/* One line, blank or not, without its end. */
static int read_line(struct line_file *l)
{
	size_t used = 0;
	int c = getc(l->f);

	if (c == EOF)
		return ferror(l->f) ? weir_error_set(l->e, "%.200s: cannot be read: %s", l->name,
						     strerror(errno))
				    : 0;
	l->line++;
	for (; c != EOF && c != '\n'; c = getc(l->f)) {
		if (c == '\0')
			return line_file_error(l, "byte 0x00; the file is plain text");
		if (used + 1 >= l->room && grow(l))
			return -1;
		l->text[used++] = (char)c;
	}
	if (l->room == 0 && grow(l))
		return -1;
	l->text[used] = '\0';
	return 1;
}

int line_file_next(struct line_file *l)
{
	int got;

	do
		got = read_line(l);
	while (got == 1 && l->text[strspn(l->text, BLANKS)] == '\0');
	return got;
}

char *line_file_next_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	char *end = word + strcspn(word, BLANKS);

	*rest = end + (*end != '\0');
	*end = '\0';
	return *word ? word : NULL;
}

int line_file_words(struct line_file *l, char *words[LINE_WORDS_MAX])
{
	char *rest = l->text, *word;
	int count = 0;

	while ((word = line_file_next_word(&rest))) {
		if (count == LINE_WORDS_MAX)
			return -1;
		words[count++] = word;
	}
	return count;
}

int parse_integer(const char *word, uint64_t most, uint64_t *number)
{
	if (!*word || word[strspn(word, "0123456789")])
		return -1;
	errno = 0;
	*number = strtoull(word, NULL, 10);
	return errno || *number > most ? -1 : 0;
}

/* A double holds the picoseconds of 1000 s to an eighth: the nearest whole one is the right one. */
int parse_time_ps(const char *word, double ps_per_unit, int64_t *ps)
{
	double value;
	char *end;

	if (!*word || word[strspn(word, "0123456789.eE+-")])
		return -1;
	value = strtod(word, &end) * ps_per_unit;
	if (*end || !(value >= 0) || value > LONGEST_PS)
		return -1;
	*ps = (int64_t)llround(value);
	return 0;
}
