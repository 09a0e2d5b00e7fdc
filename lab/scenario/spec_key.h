/* SPDX-License-Identifier: BSD-3-Clause */
/* spec_key.h -- keys that reach into a scheme: "marking.min = 10KB" is an option of what
 * switch.marking names, and "marking.leaf = ecn" the marking of a part (config/markings.h), which
 * "marking.leaf.k = 20KB" then has.
 *
 * So an option can be listed in [sweep], set in a case or by --set, whatever scheme stands in the
 * file. */
#ifndef LAB_SCENARIO_SPEC_KEY_H
#define LAB_SCENARIO_SPEC_KEY_H
#include "lab/scenario/scenario.h"

/* A section of the config whose keys without dot have been applied. */
struct spec_owner {
	const struct scenario *scenario;
	const struct section *section;
	const char *path; /* "switch", "traffic.web" */
	void *params;     /* values of the section's options */
};

/* spec_add_part applies settings that name a part, spec_set_option those that name an option; both
 * ignore the other. The message has no location. */
typedef int spec_setter(const struct spec_owner *o, const char *key, const struct setting *at,
			struct weir_error *e);
spec_setter spec_add_part, spec_set_option;

/* For a line of switch.markings: its key, "marking.leaf", and its spec with all options. Both
 * return buffer. */
const char *spec_part_key(const char *line, char *buffer, size_t size);
const char *spec_part_text(const char *line, char *buffer, size_t size);

int spec_gives(const char *spec, const char *option);
#endif
