/* catalogue.h -- everything that has a name a user may write, in one shape: for list and help. */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H
#include "weir/option.h"

struct entry {
	const char *name, *help;
	const char *cite;                  /* NULL: none */
	const char *unit;                  /* of a metric; NULL otherwise */
	const struct weir_option *options; /* NULL: none */
};

struct shelf {
	const char *name; /* "marking" */
	const char *help; /* what is on it, and where its names are written */
	/* Fills in the i-th entry; 0 when there are no more. */
	int (*entry)(size_t i, struct entry *e);
};

extern const struct shelf shelf_all[]; /* ends with .name == NULL */
#endif
