/* SPDX-License-Identifier: BSD-3-Clause */
/* plane_look.c -- what a plane has counted. See plane.h. */
#include "switch/plane/inside.h"

const char *const plane_fault_names[PLANE_FAULTS] = {
	[PLANE_MALFORMED] = "malformed",
	[PLANE_OVERSIZE] = "longer than the MTU",
	[PLANE_POOL_FULL] = "no buffer free",
	[PLANE_NOWHERE] = "for nobody here",
	[PLANE_NOT_GIVEN] = "no room between threads",
};

uint32_t plane_ports(const struct plane *p)
{
	return p->plan.port_count;
}

struct plane_port *plane_port(struct plane *p, uint32_t port)
{
	return &p->ports[port];
}

uint32_t plane_buffers_free(const struct plane *p)
{
	return p->free_count;
}

uint64_t plane_marks(const struct plane_port *port)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WEIR_MARK_REASONS; i++)
		sum += port->port->rare->marks[i];
	return sum;
}

uint64_t plane_drops(const struct plane_port *port)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WEIR_PORT_DROPS; i++)
		sum += port->port->rare->drops[i];
	return sum;
}

int64_t plane_now_ps(const struct plane *p)
{
	return p->now_ps;
}

static void measure_port(const struct plane *p, struct plane_port *port)
{
	weir_port_stats_start(port->port, &port->stats, p->now_ps);
	port->since = (struct plane_since){
		.time_ps = p->now_ps,
		.tx_pkts = port->port->tx_pkts,
		.tx_bytes = port->port->tx_bytes,
		.marks = plane_marks(port),
		.drops = plane_drops(port),
	};
}

void plane_measure(struct plane *p)
{
	for (uint64_t left = p->own; left; left &= left - 1)
		measure_port(p, &p->ports[__builtin_ctzll(left)]);
}

void plane_account(struct plane *p)
{
	for (uint64_t left = p->own; left; left &= left - 1)
		weir_port_stats_account(p->ports[__builtin_ctzll(left)].port, p->now_ps);
}
