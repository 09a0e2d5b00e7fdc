/* SPDX-License-Identifier: BSD-3-Clause */
/* error.h -- one message for the person who made a mistake.
 *
 * A function that reads what a user wrote takes a struct weir_error and returns 0, or -1 after
 * weir_error_set. The caller that knows the place (file:line, command-line option) puts it in front
 * with weir_error_prefix. Nothing here prints. */
#ifndef WEIR_ERROR_H
#define WEIR_ERROR_H
#include "weir/begin.h"
#include <stddef.h>

WEIR_BEGIN

struct weir_error {
	char text[768]; /* empty: no error */
};

/* Sets the message and returns -1, so that "return weir_error_set(...)" reads well. */
int weir_error_set(struct weir_error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts text in front of the message ("file.ini:12: "); returns -1. */
int weir_error_prefix(struct weir_error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The candidate closest to word by edit distance, or NULL where none is near enough to help. */
const char *weir_nearest_name(const char *word, const char *const *candidates, size_t count);

/* "unknown marking 'redd'; there are none, ecn, red (nearest: red)". Returns -1. */
int weir_error_unknown(struct weir_error *e, const char *kind, const char *word,
		       const char *const *candidates, size_t count);

/* What a user wrote, fit for a message of one line: in quotes, cut where it is long, bytes that do
 * not print as \xNN. */
struct weir_quoted {
	char text[80];
};

struct weir_quoted weir_quote(const char *text);

WEIR_END
#endif
