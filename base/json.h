/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h -- pull parser of untrusted JSON (RFC 8259): headers of safetensors files, the status of a
 * switch, the database configuration of SONiC. The writer is json_write_string in text.h.
 *
 * A cursor moves over the text. Each function consumes one token or value, or sets the cursor's
 * error and returns -1. There is no recursion, no tree and no allocation: the caller descends as
 * deep as its format nests and skips the rest. Copying a cursor saves a position. */
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

/* The text is not copied and must outlive the cursor. */
static inline struct weir_json weir_json_begin(const void *text, size_t length, const char *what,
					       struct weir_error *e)
{
	return (struct weir_json){ text, (const uint8_t *)text + length, what, e };
}

/* Skips white space; consumes the character and returns 1 if it is next. */
int weir_json_accept(struct weir_json *j, char c);

/* Consumes the character, which must be next. */
int weir_json_expect(struct weir_json *j, char c);

/* Consumes a string into text, as UTF-8 with escapes resolved. A string that does not fit size
 * bytes is an error. text NULL: only checked. */
int weir_json_string(struct weir_json *j, char *text, size_t size);

/* Consume a whole number: below 2^64; below 2^53, up to which all JSON readers agree. */
int weir_json_u64(struct weir_json *j, uint64_t *number);
int weir_json_number(struct weir_json *j, uint64_t *number);

/* Consumes any value, nested at most WEIR_JSON_DEPTH deep. */
enum { WEIR_JSON_DEPTH = 32 };
int weir_json_skip(struct weir_json *j);

/* Enters the object that is next and stops before the value of its first member of this name. -1
 * with a message that names the member: there is none, or no well-formed object. */
int weir_json_find(struct weir_json *j, const char *name);

/* Is nothing but white space left? -1 with a message: there is more. */
int weir_json_end(struct weir_json *j);
#endif
