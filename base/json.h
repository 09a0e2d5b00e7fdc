/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h -- reads JSON (RFC 8259) without trust: headers of safetensors files, the status of a
 * switch, the database configuration of SONiC.
 *
 * A cursor walks over the text; each function takes one thing, or leaves an error and returns -1.
 * There is no recursion and no tree: the caller walks as deep as its format nests, and what it has
 * no use for is skipped. A cursor may be copied to come back to a place. */
#ifndef BASE_JSON_H
#define BASE_JSON_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

struct weir_json {
	const uint8_t *at, *end;
	const char *what; /* the text's name in messages: "the header" */
	struct weir_error *error;
};

/* The text is looked at, and not copied. */
static inline struct weir_json weir_json_begin(const void *text, size_t length, const char *what,
					       struct weir_error *e)
{
	return (struct weir_json){ text, (const uint8_t *)text + length, what, e };
}

/* Skips white space. Is this character next? If so it is taken. */
int weir_json_accept(struct weir_json *j, char c);

/* Takes the character, which must be next. */
int weir_json_expect(struct weir_json *j, char c);

/* Takes a string of UTF-8 into text, escapes resolved; size is too small for it: an error. With
 * text NULL it is only checked. */
int weir_json_string(struct weir_json *j, char *text, size_t size);

/* Takes a whole number from 0 to 2^64 - 1; below 2^53, where all readers of JSON agree. */
int weir_json_u64(struct weir_json *j, uint64_t *number);
int weir_json_number(struct weir_json *j, uint64_t *number);

/* Takes any value, nested at most WEIR_JSON_DEPTH deep. */
enum { WEIR_JSON_DEPTH = 32 };
int weir_json_skip(struct weir_json *j);

/* Goes into the object that is next, up to the value of its first member of this name. 0: it is
 * next; -1 with a message that names it: there is none, or the text is no such object. */
int weir_json_find(struct weir_json *j, const char *name);

/* Nothing but white space is left. */
int weir_json_end(struct weir_json *j);
#endif
