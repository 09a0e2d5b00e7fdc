/* SPDX-License-Identifier: BSD-3-Clause */
/* error.h -- error messages for users.
 *
 * A function that parses user input takes a struct weir_error and returns 0, or -1 after
 * weir_error_set. The caller that knows the place (file:line, command-line option) prepends it with
 * weir_error_prefix. Nothing here prints, allocates or keeps state; messages are truncated to the
 * struct. Thread-safe for distinct objects. */
#ifndef WEIR_ERROR_H
#define WEIR_ERROR_H
#include "weir/begin.h"
#include <stddef.h>

WEIR_BEGIN

struct weir_error {
	char text[768]; /* empty: no error */
};

/* Sets the message; the arguments may point into the old one. Returns -1. */
int weir_error_set(struct weir_error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prepends text, such as "file.ini:12: ", to the message. Returns -1. */
int weir_error_prefix(struct weir_error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The candidate closest to word by edit distance; NULL: none is close enough to be meant. */
const char *weir_nearest_name(const char *word, const char *const *candidates, size_t count);

/* Sets "unknown marking 'redd'; there are none, ecn, red (nearest: red)". Returns -1. */
int weir_error_unknown(struct weir_error *e, const char *kind, const char *word,
		       const char *const *candidates, size_t count);

/* User input made safe for a one-line message: quoted, truncated, unprintable bytes as \xNN. */
struct weir_quoted {
	char text[80];
};

struct weir_quoted weir_quote(const char *text);

WEIR_END
#endif
