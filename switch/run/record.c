/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c -- see record.h. */
#include "switch/run/record.h"
#include "base/memory.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>

void records_open(struct records *r, const struct switch_settings *s)
{
	struct weir_error unheard;

	r->count = s->real.probes.count;
	r->all = memory_zeroed(r->count + UINT64_C(1), sizeof(*r->all));
	for (uint32_t i = 0; i < r->count; i++)
		watch_read(&r->all[i].probe, s, s->real.probes.lines[i].text, &unheard);
}

void records_close(struct records *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		free(r->all[i].time_ps);
		free(r->all[i].value);
	}
	free(r->all);
	*r = (struct records){ 0 };
}

/* Room doubles: grow whenever the count is a power of two. */
static void keep(struct record *r, int64_t time_ps, double value)
{
	if (r->count == RECORD_POINTS_MAX || isnan(value)) /* a scheme may have no such value */
		return;
	if ((r->count & (r->count - 1)) == 0) {
		uint64_t room = r->count ? 2 * r->count : 1;

		r->time_ps = memory_grow(r->time_ps, room, sizeof(*r->time_ps));
		r->value = memory_grow(r->value, room, sizeof(*r->value));
	}
	r->time_ps[r->count] = time_ps;
	r->value[r->count++] = value;
}

void records_take(struct records *r, struct plane *plane, uint64_t ports, int64_t now_ps)
{
	for (uint32_t i = 0; i < r->count; i++) {
		struct watch *w = &r->all[i].probe;

		if (ports >> w->port & 1 && w->next_ps <= now_ps)
			keep(&r->all[i], now_ps, watch_take(w, plane_port(plane, w->port), now_ps));
	}
}

int64_t records_next_ps(const struct records *r, uint64_t ports)
{
	int64_t next_ps = WEIR_TIME_NEVER_PS;

	for (uint32_t i = 0; i < r->count; i++)
		if (ports >> r->all[i].probe.port & 1 && r->all[i].probe.next_ps < next_ps)
			next_ps = r->all[i].probe.next_ps;
	return next_ps;
}
