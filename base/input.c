/* SPDX-License-Identifier: BSD-3-Clause */
/* input.c -- opening, hashing and splitting the text files that users name, see input.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/input.h"
#include "base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGEST_BLOCK_BYTES = 1 << 16, LINE_BYTES_MAX = 1 << 24 }; /* a million switches in a line */

#define BLANKS " \t\r\n\f\v"
#define TIME_MAX_PS ((double)(1000 * WEIR_PS_PER_S))

/* --- files --- */

/* Why the open file must not be read; NULL: it may be. */
static const char *input_refusal(int fd)
{
	struct stat s;

	if (fstat(fd, &s) != 0)
		return strerror(errno);
	if (S_ISDIR(s.st_mode))
		return strerror(EISDIR);
	if (!S_ISREG(s.st_mode))
		return "it is no regular file";
	return (uint64_t)s.st_size > INPUT_MAX_BYTES ? "it is larger than 4 GiB" : NULL;
}

FILE *input_open(const char *path, const char **why)
{
	/* O_NONBLOCK: opening a pipe without a writer would block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *f;

	*why = fd < 0 ? strerror(errno) : input_refusal(fd);
	f = *why ? NULL : fdopen(fd, "rb");
	if (!*why && !f)
		*why = strerror(errno);
	if (!f && fd >= 0)
		close(fd);
	return f;
}

int input_name_in_set(const char *file, uint32_t number, char name[INPUT_NAME_SIZE])
{
	static const char first[] = ".0.et";
	size_t length = strlen(file), ending = strlen(first);
	int written;

	if (length < ending || strcmp(file + length - ending, first) != 0)
		return 0;
	written =
		snprintf(name, INPUT_NAME_SIZE, "%.*s.%u.et", (int)(length - ending), file, number);
	return written > 0 && written < INPUT_NAME_SIZE;
}

static int input_digest_add(const char *file, struct digest_sum *sum, struct weir_error *e)
{
	const char *why;
	FILE *f = input_open(file, &why);
	char block[DIGEST_BLOCK_BYTES];
	size_t got;

	if (!f)
		return weir_error_set(e, "%.200s: cannot be read: %s", file, why);
	while ((got = fread(block, 1, sizeof(block), f)) > 0)
		digest_add(sum, block, got);
	if (ferror(f)) {
		fclose(f);
		return weir_error_set(e, "%.200s: cannot be read: %s", file, strerror(errno));
	}
	fclose(f);
	return 0;
}

int input_digest(const char *file, struct digest *d, struct weir_error *e)
{
	struct digest_sum sum = { 0, 0 };
	char name[INPUT_NAME_SIZE];

	if (input_digest_add(file, &sum, e))
		return -1;
	for (uint32_t i = 1; input_name_in_set(file, i, name) && access(name, F_OK) == 0; i++)
		if (input_digest_add(name, &sum, e))
			return -1;
	*d = digest_end(&sum);
	return 0;
}

/* --- lines --- */

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

static int line_file_grow(struct line_file *l)
{
	size_t room = l->room ? 2 * l->room : 256;

	if (room > LINE_BYTES_MAX)
		return line_file_error(l, "the line is too long");
	l->text = memory_grow(l->text, room, 1);
	l->room = room;
	return 0;
}

/* Reads one line, blank or not, without its newline. 1: read, 0: end of file, -1: message. */
static int line_file_read(struct line_file *l)
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
		if (used + 1 >= l->room && line_file_grow(l))
			return -1;
		l->text[used++] = (char)c;
	}
	if (l->room == 0 && line_file_grow(l))
		return -1;
	l->text[used] = '\0';
	return 1;
}

int line_file_next(struct line_file *l)
{
	int got;

	do
		got = line_file_read(l);
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

/* --- values --- */

int parse_integer(const char *word, uint64_t most, uint64_t *number)
{
	if (!*word || word[strspn(word, "0123456789")])
		return -1;
	errno = 0;
	*number = strtoull(word, NULL, 10);
	return errno || *number > most ? -1 : 0;
}

/* A double resolves 1000 s to an eighth of a picosecond, so rounding to the nearest is exact. */
int parse_time_ps(const char *word, double ps_per_unit, int64_t *ps)
{
	double value;
	char *end;

	if (!*word || word[strspn(word, "0123456789.eE+-")])
		return -1;
	value = strtod(word, &end) * ps_per_unit;
	if (*end || !(value >= 0) || value > TIME_MAX_PS)
		return -1;
	*ps = (int64_t)llround(value);
	return 0;
}

int words_split(struct words *w, const char *text)
{
	static const char blanks[] = " \t\r\n";
	int count = 0;

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t length = strcspn(text, blanks);

		if (count == WORDS_MAX || length >= WORD_SIZE)
			return -1;
		memcpy(w->word[count], text, length);
		w->word[count++][length] = '\0';
		text += length;
	}
	return count;
}
