/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c -- translation of a scenario into a testbed plan. Contract in plan.h. */
#define _GNU_SOURCE
#include "testbed/plan.h"
#include "base/text.h"
#include "base/memory.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	IP_TCP_BYTES = 40,
	FRAME_BYTES = 14 + IP_TCP_BYTES, /* required host.header: TCP without options, or ... */
	TIMESTAMP_BYTES = 12,            /* ... with timestamps (RFC 7323) */
	TOS_DSCP_SHIFT = 2,
	RATE_MAX_MBPS = 1000,
	BINS_MAX = 1000 * 1000,
};

/* Connections are opened this long before their flow starts when the scenario's flows need no
 * handshake. */
#define LEAD_NS ((int64_t)30 * WEIR_NS_PER_MS)

/* --- congestion control --- */

/* The kernel's available congestion controls, "reno cubic". */
static void plan_kernel_controls(char *list, size_t size)
{
	FILE *f = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "r");

	list[0] = '\0';
	if (f && !fgets(list, (int)size, f))
		list[0] = '\0';
	if (f)
		fclose(f);
	list[strcspn(list, "\n")] = '\0';
}

static int plan_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return 1;
	return 0;
}

/* The kernel takes no parameters except ecn, which is a setting of the hosts. DCTCP has the
 * kernel's minimum window; the initial alpha, and growth in whole segments that survives a
 * reduction, are those of our BPF program. */
static int plan_read_options(struct testbed_plan *p, const struct weir_cc_ops *ops,
			     const void *params, int *has_ecn, struct weir_error *e)
{
	*has_ecn = 0;
	for (const struct weir_option *o = ops->scheme.options; o && o->name; o++) {
		char text[WEIR_OPT_TEXT_SIZE];

		weir_option_format(text, sizeof(text), o, params);
		if (strcmp(o->name, "ecn") == 0)
			*has_ecn = strcmp(text, "yes") == 0;
		else if (strcmp(o->name, "min-window") == 0 && strcmp(text, "2pkts") == 0)
			continue;
		else if (strcmp(o->name, "alpha-start") == 0 && !weir_option_is_default(o, params))
			p->alpha_start = strtod(text, NULL), p->needs_own_dctcp = 1;
		else if (strcmp(o->name, "growth") == 0 && strcmp(text, "segments") == 0)
			p->needs_own_dctcp = 1;
		else if (!weir_option_is_default(o, params))
			return weir_error_set(e, "option '%s' of %s cannot be set in a real kernel",
					      o->name, ops->scheme.name);
	}
	return 0;
}

/* Maps a scheme to a congestion control of the kernel, or to our DCTCP where the kernel lacks
 * it. */
static int plan_find_control(struct testbed_plan *p, const struct weir_cc_ops *ops,
			     char name[BED_NAME], struct weir_error *e)
{
	static const char *const known[] = { "dctcp", "cubic", "reno" };
	char there[512];

	plan_kernel_controls(there, sizeof(there));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(ops->scheme.name, known[i]) != 0)
			continue;
		snprintf(name, BED_NAME, "%s", known[i]);
		if (plan_has_word(there, known[i]))
			return 0;
		if (strcmp(known[i], "dctcp") == 0) {
			snprintf(name, BED_NAME, "%s", OWN_DCTCP);
			p->needs_own_dctcp = 1;
			return 0;
		}
		return weir_error_set(e, "this kernel has no %s; it has %s", known[i], there);
	}
	return weir_error_set(
		e,
		"%s is for simulated hosts; a testbed has dctcp, cubic and reno, with "
		"cubic(ecn=yes) and reno(ecn=yes)",
		ops->scheme.name);
}

static int plan_find_controls(struct testbed_plan *p, const struct config *c, struct weir_error *e)
{
	int has_ecn, first_ecn = -1;

	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];
		const struct weir_cc_ops *ops = traffic_cc(c, i);

		if (plan_find_control(p, ops, p->cc[i], e) ||
		    plan_read_options(p, ops, t->cc_ops ? t->cc_params : c->cc_params, &has_ecn, e))
			return t->cc_ops ? weir_error_prefix(e, "traffic.%s.cc: ", t->name)
					 : weir_error_prefix(e, "host.cc: ");
		if (strcmp(ops->scheme.name, "dctcp") == 0) {
			if (p->needs_own_dctcp)
				snprintf(p->cc[i], BED_NAME, "%s", OWN_DCTCP);
			continue; /* uses ECN regardless of the others */
		}
		if (first_ecn >= 0 && has_ecn != first_ecn)
			return weir_error_set(
				e,
				"traffic.%s.cc: ecn must be the same for all cubic and reno "
				"flows of a testbed",
				t->name);
		first_ecn = has_ecn;
	}
	p->bed.has_ecn = first_ecn != 0;
	return 0;
}

/* --- limits --- */

static int plan_check_network(const struct network *net, const struct config *c,
			      struct weir_error *e)
{
	if (net->host_count > BED_HOSTS_MAX)
		return weir_error_set(e,
				      "network.hosts: a testbed has at most %d hosts, not %" PRIu32,
				      BED_HOSTS_MAX, net->host_count);
	for (uint32_t i = 0; i < net->link_count; i++) {
		if (net->links[i].rate_bps > (uint64_t)RATE_MAX_MBPS * 1000 * 1000)
			return weir_error_set(
				e,
				"network.rate: a testbed has links of at most %d Mb/s; scale "
				"rates, buffers and thresholds together, as in --set "
				"network.rate=100Mbps",
				RATE_MAX_MBPS);
		if (net->links[i].fails_ps != WEIR_TIME_NEVER_PS)
			return weir_error_set(e, "network.fail: a testbed has no link failures");
	}
	if (c->host.header_bytes != FRAME_BYTES &&
	    c->host.header_bytes != FRAME_BYTES + TIMESTAMP_BYTES)
		return weir_error_set(e,
				      "host.header: real packets have %d bytes of it, or %d with "
				      "timestamps",
				      FRAME_BYTES, FRAME_BYTES + TIMESTAMP_BYTES);
	if (c->network.ecmp == ECMP_PER_PACKET)
		return weir_error_set(e, "network.ecmp: a testbed has per-flow ECMP only");
	if (c->measure.completion != COMPLETION_RECEIVER)
		return weir_error_set(e, "measure.completion: in a testbed flows complete at the "
					 "receiving application; take receiver");
	return 0;
}

static int plan_check_traffic(const struct testbed_plan *p, const struct config *c,
			      struct weir_error *e)
{
	if (c->traffic_count > BED_SECTIONS_MAX)
		return weir_error_set(e, "traffic: a testbed has at most %d sections",
				      BED_SECTIONS_MAX);
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];

		if (t->ops->messages)
			return weir_error_set(
				e,
				"traffic.%s.pattern: a testbed has flows, but %s has messages; "
				"pattern = ring has flows",
				t->name, t->ops->scheme.name);
		if (t->first_bytes && traffic_is_persistent(c, t))
			return weir_error_set(
				e,
				"traffic.%s.first-bytes: a persistent connection of a testbed "
				"has one class",
				t->name);
	}
	for (uint32_t i = 0; i < p->flows.count; i++)
		if (p->flows.flows[i].start_ps == WEIR_TIME_NEVER_PS)
			return weir_error_set(
				e,
				"traffic.%s.pattern: its flows depend on others, which a testbed "
				"does not support",
				c->traffic[p->flows.flows[i].traffic].name);
	return 0;
}

/* --- the plan --- */

static void plan_set_hosts(struct testbed_plan *p, const struct config *c)
{
	p->bed.has_timestamps = c->host.header_bytes > FRAME_BYTES;
	p->bed.mtu_bytes =
		(uint32_t)(c->host.mss_bytes + c->host.header_bytes) - (FRAME_BYTES - IP_TCP_BYTES);
	p->bed.initial_window_pkts = (uint32_t)c->host.initial_window_pkts;
	p->bed.rto_min_ms =
		(uint32_t)(c->host.rto_min_ps / ((uint64_t)WEIR_PS_PER_NS * WEIR_NS_PER_MS));
	if (p->bed.rto_min_ms == 0)
		p->bed.rto_min_ms = 1;
	p->bed.acks_each = c->host.acks_per == 1;
	p->bed.has_tail_probe = (int)c->host.tail_probe;
	p->bed.has_idle_restart = (int)c->host.idle_restart;
	p->drain_ns = weir_ps_to_ns((int64_t)c->measure.drain_ps);
}

/* Finds measure.port among the switch's ports. */
static int plan_find_measured(struct testbed_plan *p, const struct config *c, struct weir_error *e)
{
	int64_t link;

	p->measured_port = -1;
	if (!c->measure.port[0])
		return 0;
	link = link_find(&p->net, c->measure.port, e);
	if (link < 0)
		return weir_error_prefix(e, "measure.port: ");
	for (uint32_t i = 0; i < p->port_count; i++)
		if (p->port_link[i] == (uint32_t)link)
			p->measured_port = (int)i;
	if (p->measured_port < 0)
		return weir_error_set(e, "measure.port: a testbed measures switch ports only");
	return 0;
}

/* "throughput traffic:web every 10ms" is counted by hosts. A probe of a run without a known end is
 * skipped. */
static void plan_set_probes(struct testbed_plan *p, const struct config *c)
{
	static const struct weir_option time = { .name = "every",
						 .type = WEIR_OPT_TIME_NS,
						 .min = 1,
						 .max = 1000 * (uint64_t)WEIR_NS_PER_S,
						 .help = "" };
	int64_t end_ns = weir_ps_to_ns((int64_t)c->measure.to_ps);

	for (uint32_t i = 0; i < c->measure.probes.count && p->probe_count < BED_PROBES_MAX; i++) {
		struct bed_probe *probe = &p->probes[p->probe_count];
		char name[64], every[64];
		struct weir_error unheard;
		uint64_t every_ns;

		if (sscanf(c->measure.probes.lines[i].text, "throughput traffic:%63s every %63s",
			   name, every) != 2 ||
		    weir_option_parse(&every_ns, &time, every, &unheard) ||
		    end_ns / (int64_t)every_ns > BINS_MAX)
			continue;
		for (uint32_t k = 0; k < c->traffic_count; k++)
			if (strcmp(c->traffic[k].name, name) == 0)
				probe->section = k;
		probe->every_ns = (int64_t)every_ns;
		probe->first_bin = p->bin_count;
		probe->bins = (uint32_t)(end_ns / (int64_t)every_ns);
		p->bin_count += probe->bins;
		p->probe_count++;
	}
}

int plan_make(struct testbed_plan *p, const struct config *c, struct weir_error *e)
{
	memset(p, 0, sizeof(*p));
	p->alpha_start = 1;
	if (network_build(&p->net, &c->network, e))
		return -1;
	if (plan_check_network(&p->net, c, e) || plan_list_ports(p, e) ||
	    plan_find_measured(p, c, e) || route_table_new(&p->routes, &p->net, 0, e) ||
	    traffic_generate(&p->flows, c, &p->net, e) || plan_check_traffic(p, c, e) ||
	    plan_find_controls(p, c, e)) {
		plan_free(p);
		return -1;
	}
	plan_set_hosts(p, c);
	plan_set_probes(p, c);
	p->switch_text = plan_switch_text(p, c);
	return 0;
}

void plan_free(struct testbed_plan *p)
{
	flow_list_free(&p->flows);
	if (p->routes)
		route_table_free(p->routes);
	network_free(&p->net);
	free(p->switch_text);
	memset(p, 0, sizeof(*p));
}

static uint8_t plan_tos(const struct config *c, const struct flow *f)
{
	const struct traffic_config *t = &c->traffic[f->traffic];

	return (uint8_t)((c->dscp.has_map ? t->code.data : f->class_id) << TOS_DSCP_SHIFT);
}

static uint8_t plan_first_tos(const struct config *c, const struct flow *f)
{
	const struct traffic_config *t = &c->traffic[f->traffic];

	return (uint8_t)((c->dscp.has_map ? t->code.first : t->first_class) << TOS_DSCP_SHIFT);
}

static uint8_t plan_ack_tos(const struct config *c, const struct flow *f)
{
	const struct traffic_config *t = &c->traffic[f->traffic];

	if (c->dscp.has_map)
		return (uint8_t)(t->code.ack << TOS_DSCP_SHIFT);
	if (t->ack_class_plus_one)
		return (uint8_t)((t->ack_class_plus_one - 1) << TOS_DSCP_SHIFT);
	return plan_tos(c, f);
}

static void plan_write_flow(const struct testbed_plan *p, const struct config *c, uint32_t i,
			    struct bed_flow *to)
{
	const struct flow *f = &p->flows.flows[i];

	*to = (struct bed_flow){
		.start_ns = weir_ps_to_ns(f->start_ps),
		.stop_ns =
			f->stop_ps == WEIR_TIME_NEVER_PS ? BED_NEVER_NS : weir_ps_to_ns(f->stop_ps),
		.size_bytes = f->size_bytes == FLOW_UNLIMITED ? BED_UNLIMITED : f->size_bytes,
		.src = f->src,
		.dst = f->dst,
		.connection = f->connection,
		.next = BED_NONE,
		.section = f->traffic,
		.tos = plan_tos(c, f),
		.ack_tos = plan_ack_tos(c, f),
		.first_tos = plan_first_tos(c, f),
		.first_bytes = (uint32_t)c->traffic[f->traffic].first_bytes,
		.began_ns = -1,
		.finish_ns = -1,
	};
}

void plan_write(const struct testbed_plan *p, const struct config *c, struct bed_board *b)
{
	/* Link rates count payload bytes, as the kernel does. */
	double payload_share =
		(double)c->host.mss_bytes / (double)(c->host.mss_bytes + c->host.header_bytes);
	uint32_t *last = memory_zeroed(p->flows.count + UINT64_C(1), sizeof(*last));

	b->host_count = p->net.host_count;
	b->section_count = c->traffic_count;
	b->probe_count = p->probe_count;
	memcpy(b->probes, p->probes, sizeof(b->probes));
	b->lead_ns = c->host.handshake ? 0 : LEAD_NS;
	b->from_ns = weir_ps_to_ns((int64_t)c->measure.from_ps);
	b->to_ns = c->measure.to_ps ? weir_ps_to_ns((int64_t)c->measure.to_ps) : BED_NEVER_NS;
	for (uint32_t i = 0; i < b->host_count; i++)
		b->hosts[i].line_Bps = (uint64_t)(host_access_bps(&p->net, i) * payload_share) /
				       WEIR_BITS_PER_BYTE;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		snprintf(b->sections[i].cc, BED_NAME, "%s", p->cc[i]);
		b->sections[i].pacing_Bps = c->traffic[i].app_rate_bps / WEIR_BITS_PER_BYTE;
	}
	for (uint32_t i = 0; i < p->flows.count; i++) {
		uint32_t opener = p->flows.flows[i].connection;

		plan_write_flow(p, c, i, &b->flows[i]);
		if (opener != i)
			b->flows[last[opener]].next = i;
		last[opener] = i;
	}
	free(last);
}
