/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_import.c -- see traffic_import.h. */
#include "sim/traffic/traffic_import.h"
#include <string.h>

int import_flow(struct import *i, const struct flow_plan *p)
{
	struct maker *m = i->m;
	struct weir_error e;
	struct flow_plan placed = *p;

	if (p->start_ps != WEIR_TIME_NEVER_PS)
		placed.start_ps += m->t->start.first_ps;
	if (p->src == p->dst)
		return line_file_error(&i->in, "source and destination are both h%u", p->src);
	if (maker_check_endless(m, &placed, &e))
		return line_file_error(&i->in, "%s", e.text);
	if (m->list->count == m->list->capacity && maker_reserve(m, (uint64_t)m->list->count + 64))
		return -1;
	maker_add(m, &placed);
	return 0;
}

int import_file(struct import *i, int (*read)(struct import *))
{
	struct maker *m = i->m;
	const struct import_params *p = m->params;
	int failed;

	m->stop_ps = p->stop_ps;
	if (m->t->start.first_ps != m->t->start.last_ps)
		return maker_error(m, "start",
				   "a span, but the file says when each flow starts; give one "
				   "time to count from");
	if (p->file[0] == '\0')
		return maker_error(m, "file", "not given; pattern %s needs file = flows.txt",
				   m->t->pattern);
	failed = line_file_open(&i->in, p->file, m->e);
	if (!failed) {
		failed = read(i);
		line_file_close(&i->in);
	}
	if (failed && strncmp(m->e->text, "traffic.", strlen("traffic.")) != 0)
		weir_error_prefix(m->e, "traffic.%s.file: ", m->t->name);
	return failed;
}
