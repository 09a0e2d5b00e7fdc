/* registry.h -- what the tables of schemes have in common: finding one by name, reading "name(options)".
 *
 * An ops struct of any kind begins with its name; the registry says where the rest is. */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H
#include "weir/option.h"

struct registry {
	const char *kind;            /* "marking", for messages */
	const void *const *all;      /* ops structs, ends with NULL */
	size_t options, params_size; /* where an ops struct has them */
};

#define REGISTRY(kind, all, type) \
	{ \
		kind, (const void *const *)(all), offsetof(type, options), \
			offsetof(type, params_size) \
	}

/* NULL: there is none of that name. */
const void *weir_registry_find(const struct registry *r, const char *name);

/* Reads a spec into params and returns its ops; NULL with a message. The caller checks what the
 * options mean together. */
const void *weir_registry_parse(const struct registry *r, const char *spec, void *params,
				struct weir_error *e);
#endif
