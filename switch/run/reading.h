/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h -- the file of a real switch while it is being read: settings.c fills settings from its
 * pairs, checks.c says what does not go together. */
#ifndef SWITCH_RUN_READING_H
#define SWITCH_RUN_READING_H
#include "base/pairs.h"
#include "switch/run/settings.h"

enum owner { OWNER_ROOT, OWNER_SWITCH, OWNER_REAL, OWNER_PORT };

struct reader {
	struct switch_settings *s;
	enum owner owner;
	int seen[2]; /* lines of [switch] and [real] */
	struct ini_pairs pairs;
};

/* A message about that pair: says where it is. */
int reading_locate(const struct reader *r, const struct ini_pair *p, struct weir_error *e);

/* Of [switch] and [real], when these are filled in; of a port, when it is; and of all together. */
int reading_check_common(struct reader *r, struct weir_error *e);
int reading_check_port(struct reader *r, uint32_t port, struct weir_error *e);
int reading_check_whole(struct reader *r, struct weir_error *e);
#endif
