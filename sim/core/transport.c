/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.c -- which transports there are, and one for each congestion control of a scenario. */
#include "sim/core/transport.h"
#include "sim/core/engine.h"

static const struct transport_ops *const transports[] = {
	[WEIR_CC_TCP] = &tcp_transport,
	[WEIR_CC_RDMA] = &rdma_transport,
};

void transports_new(struct engine *e)
{
	const struct config *c = e->config;

	e->transport_count = c->traffic_count + 1;
	e->transports = memory_new(e->transport_count, sizeof(*e->transports));
	for (uint32_t i = 0; i <= c->traffic_count; i++) {
		struct transport *t = &e->transports[i];

		t->cc = i ? traffic_cc(c, i - 1) : c->cc;
		t->cc_params =
			i && c->traffic[i - 1].cc_ops ? c->traffic[i - 1].cc_params : c->cc_params;
		t->ops = transports[t->cc->transport];
		t->ops->plan(t, e);
	}
}

void transports_free(struct engine *e)
{
	memory_free(e->transports, e->transport_count, sizeof(*e->transports));
}
