/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.h -- everything that has a name a user may write, in one shape: for list and help. */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H
#include "base/registry.h"

struct entry {
	const char *name, *help;
	const char *cite;                  /* NULL: none */
	const char *unit;                  /* of a metric; NULL otherwise */
	const struct weir_option *options; /* NULL: none */
};

struct shelf {
	const char *name;               /* "marking" */
	const char *help;               /* what is on it, and where its names are written */
	const struct registry *schemes; /* NULL: what is on it are no schemes, and */
	int (*entry)(size_t i, struct entry *e); /* fills in the i-th; 0: there are no more */
};

extern const struct shelf shelf_all[]; /* ends with .name == NULL */

/* Fills in the i-th entry of the shelf; 0 when there are no more. */
int shelf_entry(const struct shelf *s, size_t i, struct entry *e);
struct entry scheme_entry(const struct weir_scheme *s);
#endif
