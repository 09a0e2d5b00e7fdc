/* SPDX-License-Identifier: BSD-3-Clause */
/* ways.c -- see ways.h. */
#include "sim/measure/ways.h"
#include "base/memory.h"
#include <stdlib.h>

enum { SAMPLES_MAX = 500 };

static void widen(struct path_range *r, double value)
{
	if (r->most == 0 || value < r->least)
		r->least = value;
	if (value > r->most)
		r->most = value;
}

static uint32_t rack_of(const struct network *net, uint32_t host)
{
	return net->nodes[net->host_node[host]].rack;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct path_survey path_survey_flows(const struct engine *e)
{
	uint32_t step = e->flows.count / SAMPLES_MAX + 1, count = 0;
	double *rtts = memory_grow(NULL, e->flows.count / step + UINT64_C(1), sizeof(*rtts));
	struct path_survey s = { .rtt_typical_ps = 0 };

	for (uint32_t i = 0; i < e->flows.count; i += step) {
		const struct flow *f = &e->flows.flows[i];
		struct base_trip trip = engine_base_trip(e, f->src, f->dst);

		rtts[count++] = (double)trip.rtt_ps;
		widen(&s.rtt_ps, (double)trip.rtt_ps);
		if (rack_of(e->net, f->src) == rack_of(e->net, f->dst)) {
			widen(&s.links_within, trip.hops);
			continue;
		}
		widen(&s.links_between, trip.hops);
		widen(&s.paths, route_count(e->routes, f->src, f->dst));
	}
	qsort(rtts, count, sizeof(*rtts), by_size);
	if (count)
		s.rtt_typical_ps = rtts[(count - 1) / 2];
	free(rtts);
	return s;
}
