/* SPDX-License-Identifier: BSD-3-Clause */
/* port_change.c -- see port_change.h. */
#include "config/port_change.h"
#include "base/memory.h"
#include <string.h>

int port_begins_otherwise(const struct weir_port_class *a, const struct weir_port_class *b)
{
	struct weir_port *x, *y;
	int differs;

	if (a->size != b->size || a->mark_offset != b->mark_offset ||
	    a->mark_stride != b->mark_stride || a->mark_needs != b->mark_needs)
		return 1;
	x = memory_new(1, a->size);
	y = memory_new(1, b->size);
	weir_port_init(x, a, NULL, 0);
	weir_port_init(y, b, NULL, 0);
	differs = memcmp((char *)x + a->mark_offset, (char *)y + a->mark_offset,
			 a->size - a->mark_offset);
	memory_free(x, 1, a->size);
	memory_free(y, 1, b->size);
	return differs;
}
