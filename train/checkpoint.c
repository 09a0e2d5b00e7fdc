/* SPDX-License-Identifier: BSD-3-Clause */
/* checkpoint.c -- checkpoints of a training, see trainer.h. The format:
 *	"weir-checkpoint 1\n", the version and a newline, the identity and a newline, zeros up to a
 *	multiple of 8; the sizes of the blocks as 64-bit numbers; the blocks, each padded to a
 *	multiple of 8; the checksum of all before it. */
#include "train/trainer.h"
#include "base/output.h"
#include "base/version.h"
#include "base/input.h"
#include "base/memory.h"
#include "weir/rng.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD = sizeof(uint64_t) };

static const char magic[] = "weir-checkpoint 1\n";

static size_t checkpoint_padded(size_t size)
{
	return (size + WORD - 1) / WORD * WORD;
}

/* --- writing --- */

/* The output stream and the checksum so far. */
struct sink {
	FILE *f;
	uint64_t sum;
};

static void checkpoint_put(struct sink *s, const void *bytes, size_t size)
{
	const char *at = bytes;

	for (size_t i = 0; i < size; i += WORD) {
		uint64_t word = 0;

		memcpy(&word, at + i, size - i < WORD ? size - i : WORD);
		s->sum = weir_hash64(s->sum, word);
		fwrite(&word, WORD, 1, s->f);
	}
}

int checkpoint_write(const char *file, const char *identity,
		     const struct checkpoint_block blocks[CHECKPOINT_BLOCKS], struct weir_error *e)
{
	struct version version = version_of_training();
	struct output o;
	struct sink s = { .sum = 0 };
	size_t size = sizeof(magic) + strlen(version.text) + strlen(identity) + 2;
	char *head = memory_new(1, size);
	int length;

	if (output_open(&o, file, e)) {
		memory_free(head, 1, size);
		return -1;
	}
	s.f = o.stream;
	length = snprintf(head, size, "%s%s\n%s\n", magic, version.text, identity);
	checkpoint_put(&s, head, (size_t)length);
	memory_free(head, 1, size);
	for (int i = 0; i < CHECKPOINT_BLOCKS; i++)
		checkpoint_put(&s, &(uint64_t){ blocks[i].size }, WORD);
	for (int i = 0; i < CHECKPOINT_BLOCKS; i++)
		checkpoint_put(&s, blocks[i].bytes, blocks[i].size);
	fwrite(&s.sum, WORD, 1, s.f);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

/* --- reading --- */

/* Reads the whole file and adds a NUL. 1: there is no file. */
static int checkpoint_read_all(const char *file, char **bytes, size_t *size, struct weir_error *e)
{
	const char *why;
	FILE *f;
	size_t room = 0, got;

	if (access(file, F_OK) && errno == ENOENT)
		return 1;
	f = input_open(file, &why);
	if (!f)
		return weir_error_set(e, "cannot be read: %s", why);
	*bytes = NULL;
	*size = 0;
	do {
		room += room + BUFSIZ;
		*bytes = memory_grow(*bytes, room + 1, 1);
		got = fread(*bytes + *size, 1, room - *size, f);
		*size += got;
	} while (*size == room);
	(*bytes)[*size] = '\0';
	if (ferror(f)) {
		weir_error_set(e, "cannot be read: %s", strerror(errno));
		free(*bytes);
		fclose(f);
		return -1;
	}
	fclose(f);
	return 0;
}

/* Consumes the line at *at if it is this one. */
static int checkpoint_take_line(const char **at, const char *line)
{
	size_t length = strlen(line);

	if (strncmp(*at, line, length) != 0 || (*at)[length] != '\n')
		return 0;
	*at += length + 1;
	return 1;
}

static uint64_t checkpoint_word(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, WORD);
	return word;
}

static int checkpoint_is_damaged(const char *bytes, size_t size)
{
	uint64_t sum = 0;

	if (size % WORD || size < sizeof(magic) + WORD)
		return 1;
	for (size_t i = 0; i + WORD < size; i += WORD)
		sum = weir_hash64(sum, checkpoint_word(bytes + i));
	return sum != checkpoint_word(bytes + size - WORD);
}

/* Locates the blocks; the checksum was valid. */
static int checkpoint_find_blocks(struct checkpoint *c, const char *at, const char *end)
{
	size_t left;

	if (end - at < CHECKPOINT_BLOCKS * WORD)
		return -1;
	for (int i = 0; i < CHECKPOINT_BLOCKS; i++)
		c->blocks[i].size = checkpoint_word(at + i * WORD);
	at += CHECKPOINT_BLOCKS * WORD;
	left = (size_t)(end - at);
	for (int i = 0; i < CHECKPOINT_BLOCKS; i++) {
		size_t size = c->blocks[i].size;

		if (size > left)
			return -1;
		c->blocks[i].bytes = at;
		at += checkpoint_padded(size);
		left -= checkpoint_padded(size);
	}
	return left ? -1 : 0;
}

static int checkpoint_parse(struct checkpoint *c, size_t size, const char *identity,
			    struct weir_error *e)
{
	const char *at = c->memory;
	const char *end = c->memory + size - WORD;

	if (strncmp(at, magic, strlen(magic)) != 0)
		return weir_error_set(e, "is no checkpoint of a training");
	if (checkpoint_is_damaged(c->memory, size))
		return weir_error_set(e, "is damaged; delete it to begin anew");
	at += strlen(magic);
	if (!checkpoint_take_line(&at, version_of_training().text))
		return weir_error_set(
			e,
			"was written by Weir %.*s and this is %s; go on with that, or "
			"delete the file to begin anew",
			(int)strcspn(at, "\n"), at, version_of_training().text);
	if (!checkpoint_take_line(&at, identity))
		return weir_error_set(e,
				      "is of another training: '%.*s'; give another output, or "
				      "delete the file to begin anew",
				      (int)strcspn(at, "\n"), at);
	at = c->memory + checkpoint_padded((size_t)(at - c->memory));
	return checkpoint_find_blocks(c, at, end)
		       ? weir_error_set(e, "is damaged; delete it to begin anew")
		       : 0;
}

int checkpoint_read(struct checkpoint *c, const char *file, const char *identity,
		    struct weir_error *e)
{
	size_t size = 0;
	int status = checkpoint_read_all(file, &c->memory, &size, e);

	if (status == 0 && checkpoint_parse(c, size, identity, e)) {
		free(c->memory);
		status = -1;
	}
	if (status < 0)
		weir_error_prefix(e, "%.200s: ", file);
	return status;
}

void checkpoint_free(struct checkpoint *c)
{
	free(c->memory);
}
