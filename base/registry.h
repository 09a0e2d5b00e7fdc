/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.h -- tables of schemes: lookup by name, and parsing of "name(options)".
 *
 * A registry holds ops structs of one kind. Each begins with a struct weir_scheme, which is all
 * that this code looks at, so one implementation serves all kinds; callers cast the result back to
 * the ops struct. Registries are constant: any thread may use them. */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H
#include "weir/scheme.h"

struct registry {
	const char *kind;       /* "marking", for messages */
	const void *const *all; /* ops structs; ends with NULL */
};

#define REGISTRY(kind, all) \
	{ \
		kind, (const void *const *)(all) \
	}

extern const struct registry weir_mark_registry, weir_sched_registry, weir_cc_registry,
	weir_tune_registry, weir_agent_registry;

/* The i-th scheme; NULL: i is the number of schemes. */
const struct weir_scheme *weir_registry_at(const struct registry *r, size_t i);

/* NULL: there is none of that name. */
const void *weir_registry_find(const struct registry *r, const char *name);

/* Sets "unknown marking 'rad'; there are ... (nearest: red)"; returns -1. */
int weir_registry_unknown(const struct registry *r, const char *name, struct weir_error *e);

/* Fills params with the defaults, then with the options of the spec, and runs the scheme's check.
 */
int weir_scheme_parse(const struct weir_scheme *s, const char *spec, void *params,
		      struct weir_error *e);

/* Finds the scheme that the spec names and parses its options into params. Returns its ops struct;
 * NULL with a message. */
const void *weir_registry_parse(const struct registry *r, const char *spec, void *params,
				struct weir_error *e);
#endif
