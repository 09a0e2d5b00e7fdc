/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_switch.c -- settings of a testbed's switches, from a scenario's network. Contract in plan.h.
 *
 * Every egress port of the network's switches becomes a port. Ports to hosts have a veth pair to a
 * namespace; ports between switches have an internal link (plane.h), which adds no delay of the
 * machine. Frames take any shortest path, as in the simulation, but another hash chooses it. */
#define _GNU_SOURCE
#include "testbed/plan.h"
#include "switch/run/probe.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measured delay of a packet from one process to another besides the switch's own delays: half of a
 * round trip. */
#define MACHINE_PS ((int64_t)25 * WEIR_PS_PER_NS * WEIR_NS_PER_US)

enum {
	FAR = UINT8_MAX,
	NODES_MAX = PLANE_PORTS_MAX + 1,
	CATCH_UP_PART = 4, /* fraction of a round trip: a shorter delay of the switch process is
			      caught up */
};

/* --- paths --- */

static int is_switch(const struct network *net, uint32_t node)
{
	return net->nodes[node].kind == NODE_SWITCH;
}

/* Hop counts from every switch to one, by switch number. */
static void plan_find_distances(const struct network *net, uint32_t rack,
				uint8_t distance[NODES_MAX])
{
	memset(distance, FAR, NODES_MAX);
	distance[rack] = 0;
	for (int changed = 1; changed;) {
		changed = 0;
		for (uint32_t i = 0; i < net->link_count; i++) {
			const struct net_link *l = &net->links[i];
			uint32_t from = net->nodes[l->from].number, to = net->nodes[l->to].number;

			if (!is_switch(net, l->from) || !is_switch(net, l->to) ||
			    distance[to] == FAR || distance[from] <= distance[to] + 1)
				continue;
			distance[from] = (uint8_t)(distance[to] + 1);
			changed = 1;
		}
	}
}

/* Is that link on a shortest path to the host? */
static int plan_is_shortest(const struct network *net, const struct net_link *l, uint32_t host)
{
	uint8_t distance[NODES_MAX];

	if (!is_switch(net, l->to))
		return net->nodes[l->to].number == host;
	plan_find_distances(net, net->nodes[net->host_node[host]].rack, distance);
	return distance[net->nodes[l->to].number] < distance[net->nodes[l->from].number];
}

/* --- ports --- */

/* Delay of a host's port: the round trip of its link, plus what is missing in reality: in the
 * simulation a packet is also serialised by the host's own link, so half of a full packet's
 * serialisation delay is added at each port, and the delay of the machine is subtracted. */
static int64_t plan_host_delay_ps(const struct network *net, const struct net_link *down,
				  uint32_t frame_bytes)
{
	const struct net_link *up = &net->links[down->reverse];
	uint64_t per_byte_q20 = weir_bps_to_ps_per_byte_q20(up->rate_bps);
	int64_t ps = up->delay_ps + down->delay_ps +
		     weir_bytes_to_ps(frame_bytes, per_byte_q20) / 2 - MACHINE_PS;

	return ps > 0 ? ps : 0;
}

uint32_t plan_wire_bytes(const struct config *c, uint64_t payload)
{
	uint32_t bytes = (uint32_t)(payload + c->host.header_bytes);

	if (!c->switches.ethernet_overhead)
		return bytes;
	return WEIR_ETHERNET_OVERHEAD_BYTES +
	       (bytes < WEIR_ETHERNET_MIN_FRAME_BYTES ? WEIR_ETHERNET_MIN_FRAME_BYTES : bytes);
}

/* "h3" in a star, else "leaf0-h3"; a number distinguishes parallel links. */
static void plan_name_port(const struct testbed_plan *p, uint32_t port, char *name, size_t size)
{
	const struct network *net = &p->net;
	const struct net_link *l = &net->links[p->port_link[port]];
	char from[64], to[64];
	uint32_t twins = 0;

	node_name(net, l->from, from, sizeof(from));
	node_name(net, l->to, to, sizeof(to));
	for (uint32_t i = 0; i < port; i++)
		twins += net->links[p->port_link[i]].from == l->from &&
			 net->links[p->port_link[i]].to == l->to;
	if (net->switch_count == 1)
		snprintf(name, size, "%.20s", to);
	else if (twins)
		snprintf(name, size, "%.20s-%.20s.%" PRIu32, from, to, twins);
	else
		snprintf(name, size, "%.20s-%.20s", from, to);
}

static uint32_t plan_port_of_link(const struct testbed_plan *p, uint32_t link)
{
	uint32_t i = 0;

	while (p->port_link[i] != link)
		i++;
	return i;
}

/* Static addresses, as seen from the port's switch. */
static void plan_write_addresses(FILE *f, const struct network *net, const struct net_link *l)
{
	for (uint32_t host = 0; host < net->host_count; host++) {
		char address[BED_ADDRESS];

		if (plan_is_shortest(net, l, host))
			fprintf(f, "address = %s\n", bed_address(host, address));
	}
}

static void plan_write_port(FILE *f, const struct testbed_plan *p, const struct config *c,
			    uint32_t port)
{
	const struct network *net = &p->net;
	const struct net_link *l = &net->links[p->port_link[port]];
	int64_t delay_ps = l->delay_ps;
	char name[PLANE_NAME_SIZE];

	plan_name_port(p, port, name, sizeof(name));
	fprintf(f, "[port %s]\n", name);
	if (net->switch_count > 1)
		fprintf(f, "switch = %s\n", node_name(net, l->from, name, sizeof(name)));
	if (is_switch(net, l->to)) {
		plan_name_port(p, plan_port_of_link(p, l->reverse), name, sizeof(name));
		fprintf(f, "peer = %s\n", name);
	} else {
		fprintf(f, "interface = " BED_INTERFACE "%" PRIu32 "\n", net->nodes[l->to].number);
		delay_ps = plan_host_delay_ps(net, l, plan_wire_bytes(c, c->host.mss_bytes));
	}
	fprintf(f, "rate = %" PRIu64 "bps\ndelay = %" PRId64 "ps\n", l->rate_bps, delay_ps);
	plan_write_addresses(f, net, l);
}

int plan_list_ports(struct testbed_plan *p, struct weir_error *e)
{
	for (uint32_t i = 0; i < p->net.link_count; i++) {
		if (!is_switch(&p->net, p->net.links[i].from))
			continue;
		if (p->port_count == PLANE_PORTS_MAX)
			return weir_error_set(
				e,
				"network.topology: a testbed's switches have at most %d ports "
				"together",
				PLANE_PORTS_MAX);
		p->port_link[p->port_count++] = i;
	}
	return 0;
}

/* --- settings --- */

/* If every flow is ECN-capable and connections start with data, the simulation has no Not-ECT
 * packet. A real kernel's SYNs, and its retransmissions under reno and cubic, are Not-ECT and must
 * pass as well. */
static int must_pass_not_ect(const struct testbed_plan *p, const struct config *c)
{
	return c->switches.non_ect || (p->bed.has_ecn && !c->host.handshake);
}

static void plan_write_options(FILE *f, const struct weir_option *table, const void *params)
{
	for (const struct weir_option *o = table; o->name; o++) {
		char text[1024];

		/* dscp-map and non-ect are translated, not copied. */
		if (o->type == WEIR_OPT_LINES || strcmp(o->name, "dscp-map") == 0 ||
		    strcmp(o->name, "non-ect") == 0 || weir_option_is_default(o, params))
			continue;
		fprintf(f, "%s = %s\n", o->name, weir_option_format(text, sizeof(text), o, params));
	}
}

/* Maps classes to DSCPs, unless the scenario has its own map. */
static void plan_write_classes(FILE *f, const struct config *c)
{
	for (uint32_t i = 0; i < DSCP_COUNT; i++) {
		if (c->dscp.has_map)
			fprintf(f, "dscp = %" PRIu32 " %u\n", i, c->dscp.class_of[i]);
		else if (i < c->queues && i < c->switches.queues)
			fprintf(f, "dscp = %" PRIu32 " %" PRIu32 "\n", i, i);
	}
}

/* One line per probe: "scheme" expands to all values that the marking scheme exposes. */
static void plan_write_probe(FILE *f, const struct config *c, const char *what, const char *where,
			     const char *every)
{
	const struct weir_mark_value *v = c->mark->values;
	struct weir_error unheard;
	uint32_t sample;

	if (sample_find(what, &sample, &unheard) == 0)
		fprintf(f, "probe = %s %s every %s\n", what, where, every);
	if (strcmp(what, "scheme") == 0 && !c->agent && !c->tuner)
		for (; v && v->name; v++)
			fprintf(f, "probe = %s %s every %s\n", v->name, where, every);
}

/* The scenario's probes that a real switch supports: "queue sw->h0 every 1ms", or "queue sw->h0/2
 * ..." for one queue. */
static void plan_write_probes(FILE *f, const struct testbed_plan *p, const struct config *c)
{
	for (uint32_t i = 0; i < c->measure.probes.count; i++) {
		char what[64], link[64], every[64], name[PLANE_NAME_SIZE],
			where[2 * PLANE_NAME_SIZE], *queue;
		struct weir_error unheard;
		int64_t found;

		if (sscanf(c->measure.probes.lines[i].text, "%63s %63s every %63s", what, link,
			   every) != 3)
			continue;
		queue = strchr(link, '/');
		if (queue)
			*queue++ = '\0';
		found = link_find(&p->net, link, &unheard);
		if (found < 0 || !is_switch(&p->net, p->net.links[found].from))
			continue;
		plan_name_port(p, plan_port_of_link(p, (uint32_t)found), name, sizeof(name));
		snprintf(where, sizeof(where), "%s%s%s", name, queue ? "/" : "",
			 queue ? queue : "");
		plan_write_probe(f, c, what, where, every);
	}
}

/* Base RTT over the longest path, as the simulator passes it to schemes. */
static int64_t plan_base_rtt_ns(const struct testbed_plan *p, const struct config *c)
{
	int64_t longest_ps = 0;

	for (uint32_t from = 0; from < p->net.host_count; from++)
		for (uint32_t to = 0; to < p->net.host_count; to++) {
			int64_t ps = 0;
			struct route route;

			if (from == to)
				continue;
			route_find(p->routes, from, to, 0, 0, &route);
			for (uint32_t i = 0; i < route.hops; i++) {
				const struct net_link *l = &p->net.links[route.links[i]];
				uint64_t q20 = weir_bps_to_ps_per_byte_q20(l->rate_bps);

				ps += 2 * l->delay_ps + weir_bytes_to_ps(c->frame_max_bytes, q20) +
				      weir_bytes_to_ps(c->frame_min_bytes, q20);
			}
			if (ps > longest_ps)
				longest_ps = ps;
		}
	return weir_ps_to_ns(longest_ps);
}

char *plan_switch_text(const struct testbed_plan *p, const struct config *c)
{
	int64_t rtt_ns = plan_base_rtt_ns(p, c), catch_up_ns = rtt_ns / CATCH_UP_PART;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "# %s\nseed = %" PRIu64 "\n[switch]\n", c->title, c->seed);
	plan_write_options(f, switch_options, &c->switches);
	fprintf(f, "non-ect = %s\n", must_pass_not_ect(p, c) ? "pass" : "drop");
	fprintf(f, "[real]\nmtu = %" PRIu32 "B\nlearn = no\nunknown = drop\nrtt = %" PRId64 "ns\n",
		p->bed.mtu_bytes, rtt_ns);
	if (catch_up_ns > WEIR_NS_PER_MS) /* larger than the default */
		fprintf(f, "catch-up = %" PRId64 "ns\n", catch_up_ns);
	plan_write_classes(f, c);
	plan_write_probes(f, p, c);
	for (uint32_t i = 0; i < p->port_count; i++)
		plan_write_port(f, p, c, i);
	fclose(f);
	return text;
}
