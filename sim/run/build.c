/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c -- see build.h. */
#include "sim/run/build.h"
#include "sim/parallel/exchange.h"
#include "sim/measure/preview.h"

int build_engine(struct engine **e, struct network *net, const struct config *c,
		 const struct engine_plan *plan, struct weir_error *error)
{
	uint32_t ranks = plan->exchange ? plan->exchange->ranks : 1; /* each may have its machine */
	struct flow_list flows = { 0 };
	int failed;

	if (network_build(net, &c->network, error))
		return -1;
	failed = traffic_generate(&flows, c, net, error) ||
		 memory_check(estimate_memory(c, net, flows.count) / ranks, "network", error) ||
		 engine_new(e, c, net, &flows, plan, error);
	flow_list_free(&flows);
	return failed ? -1 : 0;
}
