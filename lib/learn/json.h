/* json.h -- the little of JSON that the header of a safetensors file needs, read without trust.
 *
 * A cursor walks over the text; each function takes one thing or leaves an error and returns -1. There
 * is no recursion: how deep a text may nest is written in the code that walks over it. */
#ifndef LEARN_JSON_H
#define LEARN_JSON_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

struct learn_json {
	const uint8_t *at, *end;
	struct weir_error *error;
};

/* Skips white space. Is this character next? If so it is taken. */
int weir_learn_json_takes(struct learn_json *j, char c);

/* Takes the character, which must be next. */
int weir_learn_json_expect(struct learn_json *j, char c);

/* Takes a string of UTF-8 into text, escapes resolved; size is too small for it: an error. With text
 * NULL it is only checked. */
int weir_learn_json_string(struct learn_json *j, char *text, size_t size);

/* Takes a whole number below 2^53. */
int weir_learn_json_number(struct learn_json *j, uint64_t *number);

/* Nothing but white space is left. */
int weir_learn_json_end(struct learn_json *j);
#endif
