/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c -- builds a network from its configuration, applies link failures, names nodes and
 * links. */
#include "sim/net/network.h"
#include "sim/net/topology.h"
#include "base/input.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODE_NAME_SIZE = 64 };

/* --- names --- */

const char *node_name(const struct network *net, uint32_t node, char *buffer, size_t size)
{
	const struct net_node *n = &net->nodes[node];

	if (net->node_names)
		snprintf(buffer, size, "%s", net->node_names[node]);
	else if (n->index == NODE_ALONE)
		snprintf(buffer, size, "%s", net->tier_names[n->tier]);
	else
		snprintf(buffer, size, "%s%u", net->tier_names[n->tier], n->index);
	return buffer;
}

/* Links from a node to another, of those before a link. */
static uint32_t count_links(const struct network *net, uint32_t from, uint32_t to, uint32_t before)
{
	const struct net_node *n = &net->nodes[from];
	uint32_t count = 0;

	for (uint32_t i = n->first_link; i < n->first_link + n->link_count && i < before; i++)
		count += net->links[i].to == to;
	return count;
}

const char *link_name(const struct network *net, uint32_t link, char *buffer, size_t size)
{
	const struct net_link *l = &net->links[link];
	char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE];
	uint32_t earlier = 0;

	/* A cable has two directions, so the node with fewer links tells as well whether there are
	 * several: a switch may have 10^5 links. */
	if (net->nodes[l->from].link_count <= net->nodes[l->to].link_count ||
	    count_links(net, l->to, l->from, UINT32_MAX) != 1)
		earlier = count_links(net, l->from, l->to, link);
	node_name(net, l->from, from, sizeof(from));
	node_name(net, l->to, to, sizeof(to));
	if (earlier)
		snprintf(buffer, size, "%s->%s#%u", from, to, earlier);
	else
		snprintf(buffer, size, "%s->%s", from, to);
	return buffer;
}

/* Number of nodes of a tier, and the largest index. */
struct tier_extent {
	uint32_t count, last;
};

static struct tier_extent tier_extent(const struct network *net, uint8_t tier)
{
	struct tier_extent x = { 0, 0 };

	for (uint32_t i = 0; i < net->node_count; i++) {
		const struct net_node *n = &net->nodes[i];

		if (n->tier != tier)
			continue;
		x.count++;
		if (n->index == NODE_ALONE || n->index > x.last)
			x.last = n->index;
	}
	return x;
}

/* For the message on an unknown name: the names there are, "h0 to h127, leaf0 to leaf7, spine0",
 * and of each tier the name with the word's number, or with the largest one there is. */
struct name_hints {
	char has[256];
	char like[TIERS_MAX][NODE_NAME_SIZE];
	const char *candidates[TIERS_MAX];
	size_t count;
};

static void name_hints_init(struct name_hints *h, const struct network *net, const char *word)
{
	size_t stem = strcspn(word, "0123456789"), used = 0;
	unsigned long number = strtoul(word + stem, NULL, 10);

	h->count = 0;
	for (uint8_t t = 0; t < TIERS_MAX && net->tier_names[t]; t++) {
		struct tier_extent x = tier_extent(net, t);
		const char *name = net->tier_names[t], *comma = used ? ", " : "";
		char *like = h->like[h->count];
		int n;

		if (x.count == 0)
			continue;
		if (x.last == NODE_ALONE) {
			n = snprintf(h->has + used, sizeof(h->has) - used, "%s%s", comma, name);
			snprintf(like, NODE_NAME_SIZE, "%s", name);
		} else {
			n = snprintf(h->has + used, sizeof(h->has) - used, "%s%s0 to %s%u", comma,
				     name, name, x.last);
			snprintf(like, NODE_NAME_SIZE, "%s%lu", name,
				 number < x.last ? number : (unsigned long)x.last);
		}
		used += (size_t)n;
		h->candidates[h->count++] = like;
	}
}

static int64_t node_unknown(const struct network *net, const char *name, struct weir_error *e)
{
	struct name_hints hints;
	const char *near;

	if (net->node_names) {
		near = weir_nearest_name(name, (const char *const *)net->node_names,
					 net->node_count);
		weir_error_set(e, "no link has a node %s", weir_quote(name).text);
	} else {
		name_hints_init(&hints, net, name);
		near = weir_nearest_name(name, hints.candidates, hints.count);
		weir_error_set(e, "there is no node %s, but %s", weir_quote(name).text, hints.has);
	}
	if (near)
		weir_error_set(e, "%s (nearest: %s)", e->text, near);
	return -1;
}

int64_t node_find(const struct network *net, const char *name, struct weir_error *e)
{
	char buffer[NODE_NAME_SIZE];

	for (uint32_t i = 0; i < net->node_count; i++)
		if (strcmp(node_name(net, i, buffer, sizeof(buffer)), name) == 0)
			return i;
	return node_unknown(net, name, e);
}

/* --- links by the names of their ends --- */

enum { ALL_PARALLEL = -1 };

/* Cuts "#2" off "spine1#2" and returns 2; ALL_PARALLEL: there is no #; -2: not a number. */
static long name_cut_parallel(char *name)
{
	char *hash = strchr(name, '#'), *end;
	long number;

	if (!hash)
		return ALL_PARALLEL;
	number = strtol(hash + 1, &end, 10);
	if (hash[1] < '0' || hash[1] > '9' || *end)
		return -2;
	*hash = '\0';
	return number;
}

static int64_t link_missing(const struct network *net, uint32_t from, const char *to,
			    struct weir_error *e)
{
	const struct net_node *n = &net->nodes[from];
	char name[NODE_NAME_SIZE], first[NODE_NAME_SIZE], last[NODE_NAME_SIZE];

	node_name(net, from, name, sizeof(name));
	node_name(net, net->links[n->first_link].to, first, sizeof(first));
	node_name(net, net->links[n->first_link + n->link_count - 1].to, last, sizeof(last));
	return weir_error_set(e,
			      "no link from %s to %s; %s has %u, the first to %s, the last to %s",
			      name, to, name, n->link_count, first, last);
}

/* A cable, found by the names of its ends. */
struct cable_ends {
	uint32_t from, to;
	long parallel; /* number among parallel cables, or ALL_PARALLEL */
};

static int cable_ends_find(const struct network *net, const char *from, const char *to,
			   struct cable_ends *ends, struct weir_error *e)
{
	char name[WORD_SIZE];
	int64_t a, b;

	snprintf(name, sizeof(name), "%s", to);
	ends->parallel = name_cut_parallel(name);
	if (ends->parallel < ALL_PARALLEL)
		return weir_error_set(e,
				      "%s: behind # stands the number "
				      "of a parallel link, as in spine1#2",
				      weir_quote(to).text);
	a = node_find(net, from, e);
	if (a < 0)
		return -1;
	b = node_find(net, name, e);
	if (b < 0)
		return -1;
	ends->from = (uint32_t)a;
	ends->to = (uint32_t)b;
	return 0;
}

/* The nth link with these ends, counted from 0; -1: there is none. */
static int64_t link_between(const struct network *net, const struct cable_ends *ends, long nth)
{
	const struct net_node *n = &net->nodes[ends->from];

	for (uint32_t i = n->first_link; i < n->first_link + n->link_count; i++)
		if (net->links[i].to == ends->to && nth-- == 0)
			return i;
	return -1;
}

int64_t link_find(const struct network *net, const char *name, struct weir_error *e)
{
	const char *arrow = strstr(name, "->");
	struct cable_ends ends;
	char from[WORD_SIZE], to[WORD_SIZE];
	int64_t link;

	if (!arrow || (size_t)(arrow - name) >= sizeof(from) || strlen(arrow + 2) >= sizeof(to))
		return weir_error_set(e, "%s does not name a link; write from->to, as in leaf0->h3",
				      weir_quote(name).text);
	snprintf(from, sizeof(from), "%.*s", (int)(arrow - name), name);
	snprintf(to, sizeof(to), "%s", arrow + 2);
	if (cable_ends_find(net, from, to, &ends, e))
		return -1;
	link = link_between(net, &ends, ends.parallel == ALL_PARALLEL ? 0 : ends.parallel);
	return link >= 0 ? link : link_missing(net, ends.from, to, e);
}

/* --- failures --- */

/* Applies a failure: "leaf0 spine1 10ms" fails all parallel cables between the two, both ways,
 * "leaf0 spine1#1 10ms" one of them. */
static int network_apply_failure(struct network *net, const char *text, struct weir_error *e)
{
	static const struct weir_option when = {
		"time", WEIR_OPT_TIME_PS, 0, NULL, 0, (uint64_t)(1000 * WEIR_PS_PER_S), "", NULL
	};
	struct cable_ends ends;
	struct words w;
	uint64_t fails_ps;
	int64_t link;
	long nth;

	if (words_split(&w, text) != 3)
		return weir_error_set(e,
				      "a failure is two nodes and a time, as in leaf0 spine1 10ms");
	if (cable_ends_find(net, w.word[0], w.word[1], &ends, e) ||
	    weir_option_parse(&fails_ps, &when, w.word[2], e))
		return -1;
	nth = ends.parallel == ALL_PARALLEL ? 0 : ends.parallel;
	link = link_between(net, &ends, nth);
	if (link < 0)
		return (int)link_missing(net, ends.from, w.word[1], e);
	while (link >= 0) {
		net->links[link].fails_ps = (int64_t)fails_ps;
		net->links[net->links[link].reverse].fails_ps = (int64_t)fails_ps;
		link = ends.parallel == ALL_PARALLEL ? link_between(net, &ends, ++nth) : -1;
	}
	return 0;
}

/* --- building --- */

static int network_finish(struct network *net, const struct network_config *c, struct weir_error *e)
{
	for (uint32_t i = 0; i < net->link_count; i++)
		if (net->links[i].delay_ps <= 0)
			return weir_error_set(e, "network.delay: 0 is refused: " ZERO_DELAY_REASON);
	for (uint32_t i = 0; i < c->fails.count; i++)
		if (network_apply_failure(net, c->fails.lines[i].text, e))
			return weir_error_prefix(
				e, "network.fail: '%.300s': ", c->fails.lines[i].text);
	return 0;
}

int network_build(struct network *net, const struct network_config *c, struct weir_error *e)
{
	memset(net, 0, sizeof(*net));
	if (c->links.count && !c->ops->has_links)
		return weir_error_set(
			e,
			"network.link: '%.300s': only topology = explicit has links of its "
			"own, not %s",
			c->links.lines[0].text, c->ops->scheme.name);
	if (c->ops->build(net, c, e) || network_finish(net, c, e)) {
		network_free(net);
		return -1;
	}
	return 0;
}

void network_free(struct network *net)
{
	for (uint32_t i = 0; net->node_names && i < net->node_count; i++)
		free(net->node_names[i]);
	free(net->node_names);
	free(net->host_ids);
	free(net->nodes);
	free(net->links);
	free(net->host_node);
	free(net->switch_node);
	free(net->link_queue_link);
	memset(net, 0, sizeof(*net));
}
