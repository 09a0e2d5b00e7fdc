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

/* A section of the config whose plain keys have been read. */
struct spec_owner {
	const struct scenario *scenario;
	const struct section *section;
	const char *path; /* "switch", "traffic.web" */
	void *params;     /* of the section's options */
};

/* Takes the setting if it is of its kind, and leaves it alone otherwise. The message has no
 * place. */
typedef int spec_setter(const struct spec_owner *o, const char *key, const struct setting *at,
			struct weir_error *e);
spec_setter spec_add_part, spec_set_option;

/* "marking.leaf", and the spec with every option spelled out, of a line of switch.markings. Both
 * return buffer. */
const char *spec_part_key(const char *line, char *buffer, size_t size);
const char *spec_part_text(const char *line, char *buffer, size_t size);

/* Does the spec give that option a value? */
int spec_gives(const char *spec, const char *option);
#endif
