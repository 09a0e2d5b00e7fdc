/* SPDX-License-Identifier: BSD-3-Clause */
/* ini.h -- INI files: the one grammar of scenarios, figures' claims and the keeper's profiles.
 *
 *	# the first comment above all else is the title
 *	key = value
 *	[kind name]
 *	key = value		# a comment
 *
 * Blanks around a line, a key and a value are ignored. A comment begins with # or ; at the start of
 * a line or after a blank. The first = or : of a line ends its key. Lines have any length and no
 * continuation. A byte order mark is skipped; control characters are refused.
 *
 * The parser is event-driven: it calls back for each header and pair in file order, and the caller
 * decides what is allowed. A callback returns -1 with a message to end the parse; its string
 * arguments are valid during the call. Every message is prefixed with "FILE:LINE: " here. */
#ifndef BASE_INI_H
#define BASE_INI_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* The position of the parser. */
struct ini_place {
	int line; /* a callback that refuses an earlier line sets it back */
	struct weir_error *e;
};

/* A kind of INI file. */
struct ini_form {
	const char *what;                            /* "a scenario", for messages */
	const char *example;                         /* a header, for messages: "[network]" */
	void (*title)(void *user, const char *text); /* NULL: ignored */
	int (*section)(void *user, struct ini_place *at, const char *kind, const char *name);
	int (*pair)(void *user, struct ini_place *at, const char *key, const char *value);
	int (*end)(void *user, struct ini_place *at); /* after the last line; NULL: ignored */
};

/* Text in memory; file is its name in messages. */
struct ini_text {
	const char *file, *text;
	size_t length;
};

int ini_read(const struct ini_form *form, void *user, const struct ini_text *text,
	     struct weir_error *e);

/* Reads a whole file of at most 64 MiB for ini_read; the caller frees it. NULL with a message: it
 * cannot be read. */
char *ini_load(const struct ini_form *form, const char *file, size_t *length, struct weir_error *e);

/* Is this a valid name for a header: 1 to 63 letters, digits and these signs? */
enum { INI_NAME_SIZE = 64 };
int ini_name_is_good(const char *name, const char *signs);

/* --- pairs in file order, for readers that check them when the whole file is known --- */

struct ini_pair {
	int owner;       /* kind of section, as the reader numbers them */
	uint32_t number; /* which section of that kind */
	int line;
	char *key, *value;
};

struct ini_pairs {
	uint32_t count;
	struct ini_pair *list;
};

enum { INI_PAIRS_MAX = 20000 };

/* Appends a copy. Refuses an empty key or value, of which example shows a good one, and more than
 * INI_PAIRS_MAX pairs. */
int ini_pairs_add(struct ini_pairs *pairs, struct ini_place *at, const struct ini_pair *pair,
		  const char *example);
void ini_pairs_free(struct ini_pairs *pairs);

/* The earlier pair of the same section and key. NULL: there is none. */
const struct ini_pair *ini_pairs_earlier(const struct ini_pairs *pairs, uint32_t at);

/* Prefixes a message with "FILE:LINE: SECTION.KEY: ". Messages of weir_option_parse begin with the
 * key, which is not repeated. section ends with a dot, or is empty. Returns -1. */
int ini_pair_locate(const struct ini_pair *pair, const char *file, const char *section,
		    struct weir_error *e);
#endif
