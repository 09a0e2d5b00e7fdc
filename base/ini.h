/* SPDX-License-Identifier: BSD-3-Clause */
/* ini.h -- INI files: the one grammar of scenarios and of figures' claims.
 *
 *	# the first comment above all else is the title
 *	key = value
 *	[kind name]
 *	key = value		# a comment
 *
 * Blanks around a line, a key and a value do not count. A comment begins with # or ; at the start
 * of a line or after a blank. The first = or : of a line ends its key. A line is as long as its
 * writer likes; it never goes on in the next. A byte order mark is skipped, other bytes that are no
 * text are refused.
 *
 * What there may be, and how often, is the caller's business: it is called for each header and each
 * pair, in the order of the file, and returns -1 with a message to end the reading. The texts that
 * it is given are gone afterwards. Every message gets "FILE:LINE: " in front here. */
#ifndef BASE_INI_H
#define BASE_INI_H
#include "weir/error.h"
#include <stddef.h>

/* Where the reading is. */
struct ini_place {
	int line; /* a callback that refuses an earlier one sets it back */
	struct weir_error *e;
};

/* A kind of INI file. Callbacks that may be NULL are then not called. */
struct ini_form {
	const char *what;                            /* "a scenario", for messages */
	const char *example;                         /* of a header, likewise: "[network]" */
	void (*title)(void *user, const char *text); /* may be NULL */
	int (*section)(void *user, struct ini_place *at, const char *kind, const char *name);
	int (*pair)(void *user, struct ini_place *at, const char *key, const char *value);
	int (*end)(void *user, struct ini_place *at); /* of the file; may be NULL */
};

/* Text in memory that is called file in messages. */
struct ini_text {
	const char *file, *text;
	size_t length;
};

int ini_read(const struct ini_form *form, void *user, const struct ini_text *text,
	     struct weir_error *e);

/* The whole file, for ini_read and for the caller to free. NULL with a message: it cannot be
 * had. */
char *ini_load(const struct ini_form *form, const char *file, size_t *length, struct weir_error *e);

/* A name as a header may have: 1 to 63 letters, digits and these signs. */
enum { INI_NAME_SIZE = 64 };
int ini_name_is_good(const char *name, const char *signs);
#endif
