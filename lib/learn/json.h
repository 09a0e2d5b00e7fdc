/* json.h -- the little of JSON that the header of a safetensors file needs, read without trust.
 *
 * A cursor walks over the text; each function takes one thing or leaves an error and returns -1. There
 * is no recursion: how deep a text may nest is written in the code that walks over it. */
#ifndef LEARN_JSON_H
#define LEARN_JSON_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

struct json {
	const uint8_t *at, *end;
	struct error *error;
};

/* Skips white space. Is this character next? If so it is taken. */
int json_takes(struct json *j, char c);

/* Takes the character, which must be next. */
int json_expect(struct json *j, char c);

/* Takes a string of UTF-8 into text, escapes resolved; size is too small for it: an error. With text
 * NULL it is only checked. */
int json_string(struct json *j, char *text, size_t size);

/* Takes a whole number below 2^53. */
int json_number(struct json *j, uint64_t *number);

/* Nothing but white space is left. */
int json_end(struct json *j);

/* Bytes of the well-formed UTF-8 character at s, before end; 0: there is none. */
size_t json_utf8_length(const uint8_t *s, const uint8_t *end);
#endif
