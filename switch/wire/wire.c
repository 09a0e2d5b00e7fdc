/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c -- the back-ends that there are. */
#include "switch/wire/wire.h"
#include <string.h>

const struct wire_ops *const wire_all[] = { &wire_packet, &wire_xdp, NULL };

const struct wire_ops *wire_find(const char *name, struct weir_error *e)
{
	const char *names[8];
	size_t count = 0;

	for (; wire_all[count]; count++) {
		names[count] = wire_all[count]->name;
		if (strcmp(names[count], name) == 0)
			return wire_all[count];
	}
	weir_error_unknown(e, "back-end", name, names, count);
	return NULL;
}
