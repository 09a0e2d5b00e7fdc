/* SPDX-License-Identifier: BSD-3-Clause */
/* partition.c -- see partition.h. */
#include "sim/measure/partition.h"

/* When the last path from one host to another was lost, WEIR_TIME_NEVER_PS: there is one. Routes
 * tell when senders learn of a failure, which is later by the reroute delay. */
static int64_t cut_since_ps(const struct engine *e, uint32_t from, uint32_t to, int64_t now_ps)
{
	int64_t delay_ps = (int64_t)e->config->network.reroute_delay_ps, at_ps = 0;
	struct route route;

	for (;;) {
		route_find(e->routes, from, to, 0, at_ps, &route);
		if (!route.found)
			return at_ps - delay_ps;
		if (route.until_ps == WEIR_TIME_NEVER_PS || route.until_ps - delay_ps > now_ps)
			return WEIR_TIME_NEVER_PS;
		at_ps = route.until_ps;
	}
}

/* Does it want to send, or has it something under way? */
static int is_running(const struct engine *e, uint32_t flow, int64_t now_ps)
{
	return e->flows.flows[flow].start_ps <= now_ps && *flow_end_ps(e, flow) < 0;
}

void partition_find(const struct engine *e, int64_t now_ps, struct partition *p)
{
	*p = (struct partition){ .since_ps = WEIR_TIME_NEVER_PS };
	if (!e->config->network.fails.count)
		return;
	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = &e->flows.flows[i];
		int64_t since_ps;

		if (!is_running(e, i, now_ps))
			continue;
		since_ps = cut_since_ps(e, f->src, f->dst, now_ps);
		if (since_ps == WEIR_TIME_NEVER_PS || f->stop_ps <= since_ps)
			continue;
		p->flows++;
		if (since_ps < p->since_ps) {
			p->since_ps = since_ps;
			p->src = f->src;
			p->dst = f->dst;
		}
	}
}
