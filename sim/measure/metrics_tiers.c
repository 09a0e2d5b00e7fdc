/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_tiers.c -- the network by tiers of links: from hosts, up, down and to hosts. */
#include "sim/measure/metrics.h"
#include "base/memory.h"
#include "sim/core/switch_pfc.h"
#include <math.h>
#include <stdlib.h>

/* Few rounds: networks are a few tiers high. */
uint32_t *tier_heights(const struct network *net)
{
	uint32_t *height = memory_grow(NULL, net->node_count, sizeof(*height));
	int changed = 1;

	for (uint32_t i = 0; i < net->node_count; i++)
		height[i] = net->nodes[i].kind == NODE_HOST ? 0 : net->node_count;
	while (changed) {
		changed = 0;
		for (uint32_t i = 0; i < net->link_count; i++) {
			const struct net_link *l = &net->links[i];

			if (height[l->to] > height[l->from] + 1) {
				height[l->to] = height[l->from] + 1;
				changed = 1;
			}
		}
	}
	return height;
}

enum tier tier_of(const struct network *net, const uint32_t *height, uint32_t link)
{
	const struct net_link *l = &net->links[link];

	if (net->nodes[l->from].kind == NODE_HOST)
		return FROM_HOSTS;
	if (net->nodes[l->to].kind == NODE_HOST)
		return TO_HOSTS;
	return height[l->to] >= height[l->from] ? UP : DOWN;
}

static double paused_ps(const struct measure *m, uint32_t link)
{
	double sum_ps = 0;

	for (uint32_t k = 0; m->pauses && k < WEIR_PFC_CLASSES; k++)
		sum_ps += (double)m->pauses[link].class[k].sum_ps;
	return sum_ps;
}

void metrics_of_tiers(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct network *net = m->engine->net;
	uint32_t *height = tier_heights(net);
	double links[TIERS] = { 0 }, busy[TIERS] = { 0 }, marks[TIERS] = { 0 },
	       paused[TIERS] = { 0 };

	for (uint32_t i = 0; i < net->link_count; i++) {
		enum tier t = tier_of(net, height, i);

		links[t]++;
		busy[t] += metrics_busy_ps(m, i);
		marks[t] += (double)m->ports[i].marks;
		paused[t] += paused_ps(m, i);
	}
	for (int t = 0; t < TIERS; t++) {
		r->value[UTILISATION_FROM_HOSTS + t] =
			links[t] > 0 ? busy[t] / links[t] / interval_ps : NAN;
		r->value[MARKS_FROM_HOSTS + t] = links[t] > 0 ? marks[t] : NAN;
		r->value[PAUSE_FRACTION_FROM_HOSTS + t] =
			links[t] > 0 ? paused[t] / links[t] / interval_ps : NAN;
	}
	free(height);
}
