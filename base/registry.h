/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.h -- the tables of schemes: finding one by name, reading "name(options)".
 *
 * A registry holds ops structs of one kind and knows of each no more than its head (weir/scheme.h),
 * with which it begins; so there is one registry for all kinds. Who asks casts the head back. */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H
#include "weir/scheme.h"

struct registry {
	const char *kind;       /* "marking", for messages */
	const void *const *all; /* ops structs, each beginning with a head; ends with NULL */
};

#define REGISTRY(kind, all) \
	{ \
		kind, (const void *const *)(all) \
	}

extern const struct registry weir_mark_registry, weir_sched_registry, weir_cc_registry,
	weir_tune_registry, weir_agent_registry;

/* The i-th head; NULL behind the last. */
const struct weir_scheme *weir_registry_at(const struct registry *r, size_t i);

/* NULL: there is none of that name. */
const void *weir_registry_find(const struct registry *r, const char *name);

/* "unknown marking 'rad'; ..., nearest". Returns -1. */
int weir_registry_unknown(const struct registry *r, const char *name, struct weir_error *e);

/* Reads the options of a spec into params, after the defaults, and asks the scheme what it thinks
 * of them. */
int weir_scheme_parse(const struct weir_scheme *s, const char *spec, void *params,
		      struct weir_error *e);

/* The same for the scheme that the spec names; returns its ops, or NULL with a message. */
const void *weir_registry_parse(const struct registry *r, const char *spec, void *params,
				struct weir_error *e);
#endif
