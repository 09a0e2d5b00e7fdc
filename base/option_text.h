/* SPDX-License-Identifier: BSD-3-Clause */
/* option_text.h -- what reading and writing option values share: the units of each type. */
#ifndef BASE_OPTION_TEXT_H
#define BASE_OPTION_TEXT_H
#include "base/number.h"
#include "weir/option.h"

/* Units a value of the type is read in; NULL: a type without units. */
const struct unit *weir_option_units(enum weir_opt_type type);

/* The largest number that the option allows and its type can hold. */
uint64_t weir_option_largest(const struct weir_option *o);

/* Bytes the value takes in the params struct. */
size_t weir_option_value_size(enum weir_opt_type type);

static inline const void *option_value(const struct weir_option *o, const void *params)
{
	return (const char *)params + o->offset;
}
#endif
