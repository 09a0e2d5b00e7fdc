/* plan.c -- see plan.h. */
#define _GNU_SOURCE
#include "switch/testbed/plan.h"
#include "lab/base/text.h"
#include "sim/base/memory.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	IP_TCP_BYTES = 40,
	FRAME_BYTES = 14 + IP_TCP_BYTES, /* what host.header has to be: TCP without options */
	TOS_DSCP_SHIFT = 2,
	RATE_MAX_MBPS = 1000,
};

/* What a packet takes from one process to another besides the switch's own times, as measured: half of what a
 * round trip takes. */
#define MACHINE_PS ((int64_t)25 * WEIR_PS_PER_NS * WEIR_NS_PER_US)

/* Connections are there so long before their flow starts where a scenario's need no handshake. */
#define LEAD_NS ((int64_t)30 * WEIR_NS_PER_MS)

/* --- congestion control --- */

/* The kernel's list of those that are loaded, "reno cubic". */
static void kernel_controls(char *list, size_t size)
{
	FILE *f = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "r");

	list[0] = '\0';
	if (f && !fgets(list, (int)size, f))
		list[0] = '\0';
	if (f)
		fclose(f);
	list[strcspn(list, "\n")] = '\0';
}

static int has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return 1;
	return 0;
}

/* Reality has no options but ecn, which is the hosts'. Returns whether it is on. */
static int read_options(const struct weir_cc_ops *ops, const void *params, int *has_ecn,
			struct weir_error *e)
{
	*has_ecn = 0;
	for (const struct weir_option *o = ops->scheme.options; o && o->name; o++) {
		char text[WEIR_OPT_TEXT_SIZE];

		if (strcmp(o->name, "ecn") == 0)
			*has_ecn = strcmp(weir_option_format(text, sizeof(text), o, params),
					  "yes") == 0;
		else if (!weir_option_is_default(o, params))
			return weir_error_set(e, "option '%s' of %s cannot be set in a real kernel",
					      o->name, ops->scheme.name);
	}
	return 0;
}

/* Which control of the kernel it is; the one of ours where it has no dctcp. */
static int find_control(struct testbed_plan *p, const struct weir_cc_ops *ops, char name[BED_NAME],
			struct weir_error *e)
{
	static const char *const known[] = { "dctcp", "cubic", "reno" };
	char there[512];

	kernel_controls(there, sizeof(there));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(ops->scheme.name, known[i]) != 0)
			continue;
		snprintf(name, BED_NAME, "%s", known[i]);
		if (has_word(there, known[i]))
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
		"%s is for simulated hosts; real ones here have dctcp, cubic and reno, with "
		"cubic(ecn=yes) and reno(ecn=yes)",
		ops->scheme.name);
}

static int find_controls(struct testbed_plan *p, const struct config *c, struct weir_error *e)
{
	int has_ecn, first_ecn = -1;

	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];
		const struct weir_cc_ops *ops = traffic_cc(c, i);

		if (find_control(p, ops, p->cc[i], e) ||
		    read_options(ops, t->cc_ops ? t->cc_params : c->cc_params, &has_ecn, e))
			return t->cc_ops ? weir_error_prefix(e, "traffic.%s.cc: ", t->name)
					 : weir_error_prefix(e, "host.cc: ");
		if (strcmp(ops->scheme.name, "dctcp") == 0)
			continue; /* has it whatever the others do */
		if (first_ecn >= 0 && has_ecn != first_ecn)
			return weir_error_set(
				e,
				"traffic.%s.cc: ecn is yes or no for all cubic and reno "
				"flows of real hosts",
				t->name);
		first_ecn = has_ecn;
	}
	p->bed.has_ecn = first_ecn != 0;
	return 0;
}

/* --- what cannot be --- */

static int check_network(const struct network *net, const struct config *c, struct weir_error *e)
{
	if (net->switch_count != 1)
		return weir_error_set(e, "network.topology: a testbed has one switch: star");
	if (net->host_count > BED_HOSTS_MAX)
		return weir_error_set(e,
				      "network.hosts: a testbed has at most %d hosts, not %" PRIu32,
				      BED_HOSTS_MAX, net->host_count);
	for (uint32_t i = 0; i < net->link_count; i++) {
		if (net->links[i].rate_bps > (uint64_t)RATE_MAX_MBPS * 1000 * 1000)
			return weir_error_set(
				e,
				"network.rate: a testbed's lines have at most %d Mb/s; "
				"scale rates, buffers and thresholds together, as in --set "
				"network.rate=100Mbps",
				RATE_MAX_MBPS);
		if (net->links[i].fails_ps != WEIR_TIME_NEVER_PS)
			return weir_error_set(
				e, "network.fail: links of a testbed do not fail by plan");
	}
	if (c->host.header_bytes != FRAME_BYTES)
		return weir_error_set(e, "host.header: real packets have %d bytes of it",
				      FRAME_BYTES);
	return 0;
}

static int check_traffic(const struct testbed_plan *p, const struct config *c, struct weir_error *e)
{
	if (c->traffic_count > BED_SECTIONS_MAX)
		return weir_error_set(e, "traffic: a testbed has at most %d sections",
				      BED_SECTIONS_MAX);
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];

		if (t->first_bytes)
			return weir_error_set(
				e, "traffic.%s.first-bytes: real connections have one class",
				t->name);
	}
	for (uint32_t i = 0; i < p->flows.count; i++)
		if (p->flows.flows[i].start_ps == WEIR_TIME_NEVER_PS)
			return weir_error_set(
				e,
				"traffic.%s.pattern: its flows wait for others, which a "
				"testbed's do not",
				c->traffic[p->flows.flows[i].traffic].name);
	return 0;
}

/* --- the switch --- */

/* Keys of [switch] that become others here. */
static int is_told_otherwise(const char *key)
{
	return strcmp(key, "dscp-map") == 0 || strcmp(key, "non-ect") == 0;
}

/* Where every flow is ECN-capable and connections begin with data, the simulated world has no packet that is not.
 * A real kernel's SYNs and what it sends again are none under reno and cubic: they pass, too. */
static int passes_not_ect(const struct testbed_plan *p, const struct config *c)
{
	return c->switches.non_ect || (p->bed.has_ecn && !c->host.handshake);
}

static void write_options(FILE *f, const struct weir_option *table, const void *params)
{
	for (const struct weir_option *o = table; o->name; o++) {
		char text[1024];

		if (o->type == WEIR_OPT_LINES || is_told_otherwise(o->name) ||
		    weir_option_is_default(o, params))
			continue;
		fprintf(f, "%s = %s\n", o->name, weir_option_format(text, sizeof(text), o, params));
	}
}

/* A host's cable, there and back, and what real hosts do not take: in the simulated world a packet is on
 * their own line, too, and half of a full one's time there and of the machine's here is set against each port. */
static int64_t port_delay_ps(const struct network *net, const struct net_link *down,
			     uint32_t frame_bytes)
{
	const struct net_link *up = &net->links[down->reverse];
	uint64_t per_byte_q20 = weir_bps_to_ps_per_byte_q20(up->rate_bps);
	int64_t ps = up->delay_ps + down->delay_ps +
		     weir_bytes_to_ps(frame_bytes, per_byte_q20) / 2 - MACHINE_PS;

	return ps > 0 ? ps : 0;
}

static void write_ports(FILE *f, const struct network *net, uint32_t frame_bytes)
{
	const struct net_node *sw = &net->nodes[net->switch_node[0]];

	for (uint32_t i = 0; i < sw->link_count; i++) {
		const struct net_link *l = &net->links[sw->first_link + i];
		uint32_t host = net->nodes[l->to].number;
		char address[BED_ADDRESS];

		fprintf(f, "[port h%" PRIu32 "]\ninterface = " BED_INTERFACE "%" PRIu32 "\n", host,
			host);
		fprintf(f, "rate = %" PRIu64 "bps\ndelay = %" PRId64 "ps\naddress = %s\n",
			l->rate_bps, port_delay_ps(net, l, frame_bytes),
			bed_address(host, address));
	}
}

/* Packets carry their class as a DSCP, unless the scenario has code points and a map of its own. */
static void write_classes(FILE *f, const struct config *c)
{
	for (uint32_t i = 0; i < DSCP_COUNT; i++) {
		if (c->dscp.has_map)
			fprintf(f, "dscp = %" PRIu32 " %u\n", i, c->dscp.class_of[i]);
		else if (i < c->queues)
			fprintf(f, "dscp = %" PRIu32 " %" PRIu32 "\n", i, i);
	}
}

/* Of the scenario's probes those that a real switch has: "queue sw->h0 every 1ms". */
static void write_probes(FILE *f, const struct config *c)
{
	for (uint32_t i = 0; i < c->measure.probes.count; i++) {
		char what[64], port[64], every[64];

		if (sscanf(c->measure.probes.lines[i].text, "%63s sw->%63s every %63s", what, port,
			   every) == 3)
			fprintf(f, "probe = %s %s every %s\n", what, port, every);
	}
}

static char *switch_text(const struct testbed_plan *p, const struct config *c)
{
	uint64_t mtu = c->host.mss_bytes + IP_TCP_BYTES;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "# %s\nseed = %" PRIu64 "\n[switch]\n", c->title, c->seed);
	write_options(f, switch_options, &c->switches);
	fprintf(f, "non-ect = %s\n", passes_not_ect(p, c) ? "pass" : "drop");
	fprintf(f, "[real]\nmtu = %" PRIu64 "B\nlearn = no\nunknown = drop\n", mtu);
	write_classes(f, c);
	write_probes(f, c);
	write_ports(f, &p->net, (uint32_t)(c->host.mss_bytes + c->host.header_bytes));
	fclose(f);
	return text;
}

/* --- all of it --- */

static void plan_hosts(struct testbed_plan *p, const struct config *c)
{
	p->bed.mtu_bytes = (uint32_t)c->host.mss_bytes + IP_TCP_BYTES;
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

int plan_make(struct testbed_plan *p, const struct config *c, struct weir_error *e)
{
	memset(p, 0, sizeof(*p));
	if (network_build(&p->net, &c->network, e))
		return -1;
	if (check_network(&p->net, c, e) || traffic_generate(&p->flows, c, &p->net, e) ||
	    check_traffic(p, c, e) || find_controls(p, c, e)) {
		plan_free(p);
		return -1;
	}
	plan_hosts(p, c);
	p->switch_text = switch_text(p, c);
	return 0;
}

void plan_free(struct testbed_plan *p)
{
	flow_list_free(&p->flows);
	network_free(&p->net);
	free(p->switch_text);
	memset(p, 0, sizeof(*p));
}

static uint8_t tos_of(const struct config *c, const struct flow *f)
{
	const struct traffic_config *t = &c->traffic[f->traffic];

	return (uint8_t)((c->dscp.has_map ? t->code.data : f->class_id) << TOS_DSCP_SHIFT);
}

static uint8_t ack_tos_of(const struct config *c, const struct flow *f)
{
	const struct traffic_config *t = &c->traffic[f->traffic];

	if (c->dscp.has_map)
		return (uint8_t)(t->code.ack << TOS_DSCP_SHIFT);
	if (t->ack_class_plus_one)
		return (uint8_t)((t->ack_class_plus_one - 1) << TOS_DSCP_SHIFT);
	return tos_of(c, f);
}

static void write_flow(const struct testbed_plan *p, const struct config *c, uint32_t i,
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
		.tos = tos_of(c, f),
		.ack_tos = ack_tos_of(c, f),
		.began_ns = -1,
		.finish_ns = -1,
	};
}

/* Payload, which is what the kernel counts. */
static uint64_t line_Bps(const struct testbed_plan *p, const struct config *c, uint32_t host)
{
	double share =
		(double)c->host.mss_bytes / (double)(c->host.mss_bytes + c->host.header_bytes);

	return (uint64_t)(host_access_bps(&p->net, host) * share) / WEIR_BITS_PER_BYTE;
}

void plan_write(const struct testbed_plan *p, const struct config *c, struct bed_board *b)
{
	uint32_t *last = memory_zeroed(p->flows.count + UINT64_C(1), sizeof(*last));

	b->host_count = p->net.host_count;
	b->section_count = c->traffic_count;
	b->lead_ns = c->host.handshake ? 0 : LEAD_NS;
	b->from_ns = weir_ps_to_ns((int64_t)c->measure.from_ps);
	b->to_ns = c->measure.to_ps ? weir_ps_to_ns((int64_t)c->measure.to_ps) : BED_NEVER_NS;
	for (uint32_t i = 0; i < b->host_count; i++)
		b->hosts[i].line_Bps = line_Bps(p, c, i);
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		snprintf(b->sections[i].cc, BED_NAME, "%s", p->cc[i]);
		b->sections[i].pacing_Bps = c->traffic[i].app_rate_bps / WEIR_BITS_PER_BYTE;
	}
	for (uint32_t i = 0; i < p->flows.count; i++) {
		uint32_t opener = p->flows.flows[i].connection;

		write_flow(p, c, i, &b->flows[i]);
		if (opener != i)
			b->flows[last[opener]].next = i;
		last[opener] = i;
	}
	free(last);
}
