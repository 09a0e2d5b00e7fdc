/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_explicit.c -- topology explicit: a network given link by link.
 *
 *	link = h0 s0 10Gbps 5us
 *	link = s0 s1 40Gbps 1us
 *
 * A name of h and a number is a host, any other a switch. Hosts are h0, h1, ... without gaps, so
 * that host numbers elsewhere in a scenario mean the same hosts; each has one link, to a switch.
 * Switches may have parallel links. */
#include "sim/net/topology.h"
#include "base/memory.h"
#include "base/input.h"
#include <stdio.h>
#include <stdlib.h>

enum { NAME_SIZE = 32 };

struct named_link {
	const char *text; /* the line as written */
	char end[2][NAME_SIZE];
	struct wire wire;
};

struct named_node {
	char name[NAME_SIZE];
	uint32_t mention; /* its first occurrence: line * 2 + end */
	uint32_t links;
	uint32_t hosts; /* of a switch: its hosts that have no node yet */
	uint32_t node;
};

/* The lines, read and checked, before the network is built. */
struct sketch {
	struct named_link *links;
	struct named_node *nodes; /* sorted by name */
	uint32_t link_count, node_count, host_count;
};

static int explicit_is_host(const char *name)
{
	return name[0] == 'h' && name[1] != '\0' &&
	       name[1 + strspn(name + 1, "0123456789")] == '\0';
}

static int explicit_name_is_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";

	return strlen(name) < NAME_SIZE && name[strspn(name, letters)] == '\0';
}

static int explicit_read_link(struct named_link *l, struct weir_error *e)
{
	static const struct weir_option rate = { "rate",       WEIR_OPT_RATE_BPS, 0,  NULL,
						 RATE_MIN_BPS, RATE_MAX_BPS,      "", NULL };
	static const struct weir_option delay = { "delay", WEIR_OPT_TIME_PS, 0,  NULL,
						  0,       DELAY_MAX_PS,     "", NULL };
	struct words w;
	uint64_t delay_ps;

	if (words_split(&w, l->text) != 4)
		return weir_error_set(
			e, "a link is two nodes, a rate and a delay, as in h0 s0 10Gbps 5us");
	for (int end = 0; end < 2; end++) {
		if (!explicit_name_is_valid(w.word[end]))
			return weir_error_set(
				e,
				"%s cannot name a node; allowed are up to %d letters, "
				"digits and _.-",
				weir_quote(w.word[end]).text, NAME_SIZE - 1);
		snprintf(l->end[end], NAME_SIZE, "%.*s", NAME_SIZE - 1, w.word[end]);
	}
	if (strcmp(l->end[0], l->end[1]) == 0)
		return weir_error_set(e, "a link needs two nodes; both are %s", l->end[0]);
	if (explicit_is_host(l->end[0]) && explicit_is_host(l->end[1]))
		return weir_error_set(e, "%s and %s are both hosts; a host's link goes to a switch",
				      l->end[0], l->end[1]);
	if (weir_option_parse(&l->wire.rate_bps, &rate, w.word[2], e) ||
	    weir_option_parse(&delay_ps, &delay, w.word[3], e))
		return -1;
	if (delay_ps == 0)
		return weir_error_set(e, "delay 0 is refused: " ZERO_DELAY_REASON);
	l->wire.delay_ps = (int64_t)delay_ps;
	return 0;
}

static int explicit_compare_names(const void *a, const void *b)
{
	const struct named_node *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->mention > y->mention) - (x->mention < y->mention);
}

/* Collects the distinct names, sorted: of equal names the first occurrence stays. O(n log n). */
static void sketch_collect_nodes(struct sketch *s)
{
	uint32_t mentions = s->link_count * 2;

	for (uint32_t i = 0; i < mentions; i++) {
		memcpy(s->nodes[i].name, s->links[i / 2].end[i % 2], NAME_SIZE);
		s->nodes[i].mention = i;
	}
	qsort(s->nodes, mentions, sizeof(*s->nodes), explicit_compare_names);
	for (uint32_t i = 0; i < mentions; i++) {
		if (s->node_count &&
		    strcmp(s->nodes[s->node_count - 1].name, s->nodes[i].name) == 0)
			continue;
		s->nodes[s->node_count++] = s->nodes[i];
	}
	for (uint32_t i = 0; i < s->node_count; i++)
		s->host_count += (uint32_t)explicit_is_host(s->nodes[i].name);
}

static struct named_node *sketch_find(const struct sketch *s, const char *name)
{
	uint32_t low = 0, high = s->node_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(s->nodes[middle].name, name) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low < high && strcmp(s->nodes[low].name, name) == 0 ? &s->nodes[low] : NULL;
}

/* Counts the links and hosts of each node. Hosts have one link, and numbers without gaps. */
static int sketch_check_hosts(struct sketch *s, struct weir_error *e)
{
	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct named_link *l = &s->links[i];

		for (int end = 0; end < 2; end++) {
			struct named_node *n = sketch_find(s, l->end[end]);
			unsigned long number;
			char again[NAME_SIZE];

			n->links++;
			if (!explicit_is_host(n->name))
				continue;
			sketch_find(s, l->end[1 - end])->hosts++;
			number = strtoul(n->name + 1, NULL, 10);
			snprintf(again, sizeof(again), "h%lu", number);
			if (strcmp(again, n->name) != 0 || number >= s->host_count)
				return weir_error_set(
					e,
					"network.link: '%.300s': no host may be called %s: there "
					"are %u hosts, so their names are h0 to h%u",
					l->text, n->name, s->host_count, s->host_count - 1);
			if (n->links > 1)
				return weir_error_set(
					e,
					"network.link: '%.300s': host %s has a second link; a host "
					"has one (names that are not h and a number are switches)",
					l->text, n->name);
		}
	}
	return 0;
}

static void sketch_add_node(struct net_builder *b, struct named_node *n, enum node_kind kind)
{
	struct network *net = b->net;
	uint32_t index = kind == NODE_HOST ? net->host_count : net->switch_count;

	n->node = builder_node(b, kind, kind == NODE_HOST ? 0 : 1, index);
	net->node_names[n->node] = memory_text(n->name, strlen(n->name));
}

/* Adds the hosts by number, each switch after the last of its hosts, then the switches without
 * hosts in the order of the lines. */
static void sketch_add_nodes(struct net_builder *b, const struct sketch *s)
{
	uint32_t *host_switch = memory_zeroed(s->host_count, sizeof(*host_switch));
	char name[NAME_SIZE];

	for (uint32_t i = 0; i < s->link_count; i++) {
		const struct named_link *l = &s->links[i];

		for (int end = 0; end < 2; end++)
			if (explicit_is_host(l->end[end]))
				host_switch[strtoul(l->end[end] + 1, NULL, 10)] =
					(uint32_t)(sketch_find(s, l->end[1 - end]) - s->nodes);
	}
	for (uint32_t h = 0; h < s->host_count; h++) {
		struct named_node *top = &s->nodes[host_switch[h]];

		snprintf(name, sizeof(name), "h%u", h);
		sketch_add_node(b, sketch_find(s, name), NODE_HOST);
		if (--top->hosts == 0)
			sketch_add_node(b, top, NODE_SWITCH);
	}
	free(host_switch);
	for (uint32_t i = 0; i < s->link_count * 2; i++) {
		struct named_node *n = sketch_find(s, s->links[i / 2].end[i % 2]);

		if (n->node == UINT32_MAX)
			sketch_add_node(b, n, NODE_SWITCH);
	}
}

static int sketch_build(struct network *net, const struct sketch *s, struct weir_error *e)
{
	const struct net_size size = {
		.hosts = s->host_count,
		.switches = s->node_count - s->host_count,
		.cables = s->link_count,
	};
	struct net_builder b;

	net->tier_names[1] = "switch";
	if (builder_start(&b, net, &size, e))
		return -1;
	for (uint32_t i = 0; i < s->node_count; i++)
		s->nodes[i].node = UINT32_MAX;
	net->node_names = memory_zeroed(s->node_count, sizeof(*net->node_names));
	sketch_add_nodes(&b, s);
	for (uint32_t i = 0; i < s->link_count; i++)
		builder_cable(&b, sketch_find(s, s->links[i].end[0])->node,
			      sketch_find(s, s->links[i].end[1])->node, &s->links[i].wire);
	builder_finish(&b);
	return 0;
}

static int explicit_read_and_build(struct sketch *s, struct network *net,
				   const struct line_list *lines, struct weir_error *e)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		s->links[i].text = lines->lines[i].text;
		if (explicit_read_link(&s->links[i], e))
			return weir_error_prefix(e, "network.link: '%.300s': ", s->links[i].text);
	}
	s->link_count = lines->count;
	sketch_collect_nodes(s);
	if (sketch_check_hosts(s, e))
		return -1;
	return sketch_build(net, s, e);
}

int explicit_build(struct network *net, const struct line_list *lines, struct weir_error *e)
{
	struct sketch s = { 0 };
	int failed;

	if (lines->count == 0)
		return weir_error_set(
			e, "network.link: not given; topology explicit needs lines such as "
			   "link = h0 s0 10Gbps 5us");
	if (lines->count > CABLES_MAX)
		return weir_error_set(e, "network.link: %u links; allowed are at most %d",
				      lines->count, CABLES_MAX);
	s.links = memory_zeroed(lines->count, sizeof(*s.links));
	s.nodes = memory_zeroed(lines->count * UINT64_C(2), sizeof(*s.nodes));
	failed = explicit_read_and_build(&s, net, lines, e);
	free(s.links);
	free(s.nodes);
	return failed;
}

static int topology_explicit_build(struct network *net, const struct network_config *c,
				   struct weir_error *e)
{
	return explicit_build(net, &c->links, e);
}

static const char *const link_form[] = { "NODE NODE RATE DELAY", NULL };

static const struct weir_option explicit_options[] = {
	{ "link", WEIR_OPT_LINES, 0, NULL, 0, 0, "a link, as in: s0 s1 10Gbps 5us", link_form },
	{ .name = NULL },
};

const struct topology_ops topology_explicit = {
	.scheme = {
		.name = "explicit",
		.help = "nodes and links as listed, one \"link = a b rate delay\" each; names that are h "
			"and a number (h0, h1, ...) are hosts with one link, all others switches",
		.options = explicit_options,
	},
	.build = topology_explicit_build,
	.has_links = 1,
};
