/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_hpcc.c -- topology hpcc: a topology file of the HPCC simulator, in the form that
 * topology.h shows. */
#include "base/input.h"
#include "base/memory.h"
#include "sim/net/topology.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hpcc_node {
	uint32_t number; /* of a host: host number */
	uint32_t links;
	int is_switch;
};

/* State of reading a file. */
struct hpcc_reader {
	struct line_file in;
	struct hpcc_topology *t;
	struct hpcc_node *nodes;
	uint32_t link_count;
};

static int hpcc_ends_early(struct hpcc_reader *r, const char *what, uint32_t got, uint32_t wanted)
{
	return weir_error_set(r->in.e, "%.200s:%d: the file ends after %u of %u %s", r->in.name,
			      r->in.line, got, wanted, what);
}

static int hpcc_read_header(struct hpcc_reader *r)
{
	char *words[LINE_WORDS_MAX];
	uint64_t nodes, switches, links;
	int got = line_file_next(&r->in);

	if (got < 0)
		return -1;
	if (got == 0)
		return weir_error_set(r->in.e,
				      "%.200s: the file is empty; it starts with the numbers of "
				      "nodes, switches and links",
				      r->in.name);
	if (line_file_words(&r->in, words) != 3 || parse_integer(words[0], NODES_MAX, &nodes) ||
	    parse_integer(words[1], NODES_MAX, &switches) ||
	    parse_integer(words[2], CABLES_MAX, &links))
		return line_file_error(&r->in,
				       "the first line is the numbers of nodes, switches and "
				       "links, as in 5 1 4");
	if (switches == 0 || nodes < switches + 2 || links == 0)
		return line_file_error(&r->in,
				       "%" PRIu64 " nodes, %" PRIu64 " switches and %" PRIu64
				       " links; at least two nodes are hosts, one is a switch",
				       nodes, switches, links);
	r->t->node_count = (uint32_t)nodes;
	r->t->switch_count = (uint32_t)switches;
	r->link_count = (uint32_t)links;
	return 0;
}

static int hpcc_read_node(struct hpcc_reader *r, const char *word, uint32_t *node)
{
	uint64_t number;

	if (parse_integer(word, r->t->node_count - 1, &number))
		return line_file_error(&r->in, "there is no node %s; nodes are 0 to %u",
				       weir_quote(word).text, r->t->node_count - 1);
	*node = (uint32_t)number;
	return 0;
}

/* Reads the numbers of the switches, which may span several lines. */
static int hpcc_read_switches(struct hpcc_reader *r)
{
	uint32_t wanted = r->t->switch_count, count = 0;

	while (count < wanted) {
		int got = line_file_next(&r->in);
		char *rest = r->in.text, *word;
		uint32_t node;

		if (got <= 0)
			return got ? -1 : hpcc_ends_early(r, "switches", count, wanted);
		while ((word = line_file_next_word(&rest))) {
			if (count == wanted)
				return line_file_error(&r->in,
						       "%s is one switch more than the %u of the "
						       "first line",
						       weir_quote(word).text, wanted);
			if (hpcc_read_node(r, word, &node))
				return -1;
			if (r->nodes[node].is_switch)
				return line_file_error(&r->in, "switch %u is listed twice", node);
			r->nodes[node].is_switch = 1;
			count++;
		}
	}
	return 0;
}

static void hpcc_number_hosts(struct hpcc_reader *r)
{
	struct hpcc_topology *t = r->t;

	t->host_ids = memory_zeroed(t->node_count - t->switch_count, sizeof(*t->host_ids));
	for (uint32_t i = 0; i < t->node_count; i++) {
		if (r->nodes[i].is_switch)
			continue;
		t->host_ids[t->host_count] = i;
		r->nodes[i].number = t->host_count++;
	}
}

/* Checks rate and delay, in the form that topology explicit reads, and that the error rate is 0. */
static int hpcc_check_wire(struct hpcc_reader *r, char *const words[])
{
	static const struct weir_option rate = { "rate",       WEIR_OPT_RATE_BPS, 0,  NULL,
						 RATE_MIN_BPS, RATE_MAX_BPS,      "", NULL };
	static const struct weir_option delay = { "delay", WEIR_OPT_TIME_PS, 0,  NULL,
						  0,       DELAY_MAX_PS,     "", NULL };
	uint64_t rate_bps, delay_ps;
	int64_t loss;
	struct weir_error e;

	if (weir_option_parse(&rate_bps, &rate, words[2], &e) ||
	    weir_option_parse(&delay_ps, &delay, words[3], &e))
		return line_file_error(&r->in, "%s", e.text);
	if (delay_ps == 0)
		return line_file_error(&r->in, "delay 0 is refused: " ZERO_DELAY_REASON);
	if (parse_time_ps(words[4], (double)WEIR_PS_PER_S, &loss))
		return line_file_error(&r->in, "%s is not an error rate",
				       weir_quote(words[4]).text);
	if (loss != 0)
		return line_file_error(&r->in,
				       "error rate %s, but links of Weir lose nothing; only 0 "
				       "can be had",
				       weir_quote(words[4]).text);
	return 0;
}

static int hpcc_check_ends(struct hpcc_reader *r, const uint32_t end[2])
{
	const struct hpcc_node *a = &r->nodes[end[0]], *b = &r->nodes[end[1]];

	if (end[0] == end[1])
		return line_file_error(&r->in, "a link needs two nodes; both are %u", end[0]);
	if (!a->is_switch && !b->is_switch)
		return line_file_error(&r->in,
				       "nodes %u and %u are both hosts; "
				       "a host's link goes to a switch",
				       end[0], end[1]);
	for (int i = 0; i < 2; i++)
		if (!r->nodes[end[i]].is_switch && r->nodes[end[i]].links > 0)
			return line_file_error(&r->in, "host %u has a second link; a host has one",
					       end[i]);
	return 0;
}

static int hpcc_read_link(struct hpcc_reader *r)
{
	char *words[LINE_WORDS_MAX];
	char name[2][16], line[256];
	uint32_t end[2];

	if (line_file_words(&r->in, words) != 5)
		return line_file_error(&r->in,
				       "a link is two nodes, a rate, a delay and an error rate, as "
				       "in 0 4 100Gbps 0.001ms 0");
	if (hpcc_read_node(r, words[0], &end[0]) || hpcc_read_node(r, words[1], &end[1]) ||
	    hpcc_check_ends(r, end) || hpcc_check_wire(r, words))
		return -1;
	for (int i = 0; i < 2; i++) {
		struct hpcc_node *n = &r->nodes[end[i]];

		n->links++;
		snprintf(name[i], sizeof(name[i]), "%c%u", n->is_switch ? 's' : 'h',
			 n->is_switch ? end[i] : n->number);
	}
	snprintf(line, sizeof(line), "%s %s %s %s", name[0], name[1], words[2], words[3]);
	line_list_add(&r->t->links, line, r->in.line);
	return 0;
}

static int hpcc_read_links(struct hpcc_reader *r)
{
	for (uint32_t i = 0; i < r->link_count; i++) {
		int got = line_file_next(&r->in);

		if (got <= 0)
			return got ? -1 : hpcc_ends_early(r, "links", i, r->link_count);
		if (hpcc_read_link(r))
			return -1;
	}
	for (uint32_t i = 0; i < r->t->node_count; i++)
		if (r->nodes[i].links == 0)
			return weir_error_set(r->in.e, "%.200s: %s %u has no link", r->in.name,
					      r->nodes[i].is_switch ? "switch" : "host", i);
	return 0;
}

static int hpcc_read_all(struct hpcc_reader *r)
{
	if (hpcc_read_header(r))
		return -1;
	r->nodes = memory_zeroed(r->t->node_count, sizeof(*r->nodes));
	if (hpcc_read_switches(r))
		return -1;
	hpcc_number_hosts(r);
	return hpcc_read_links(r);
}

int hpcc_read(struct hpcc_topology *t, const char *file, struct weir_error *e)
{
	struct hpcc_reader r = { .t = t };
	int failed;

	memset(t, 0, sizeof(*t));
	if (line_file_open(&r.in, file, e))
		return -1;
	failed = hpcc_read_all(&r);
	line_file_close(&r.in);
	free(r.nodes);
	if (failed)
		hpcc_free(t);
	return failed;
}

void hpcc_free(struct hpcc_topology *t)
{
	line_list_free(&t->links);
	free(t->host_ids);
	memset(t, 0, sizeof(*t));
}

struct hpcc_params {
	char file[WEIR_OPT_TEXT_SIZE];
};

static int hpcc_build(struct network *net, const struct network_config *c, struct weir_error *e)
{
	const struct hpcc_params *p = (const void *)c->params;
	struct hpcc_topology t;
	int failed;

	if (p->file[0] == '\0')
		return weir_error_set(
			e, "network.file: not given; topology hpcc needs file = topology.txt");
	if (hpcc_read(&t, p->file, e))
		return weir_error_prefix(e, "network.file: ");
	failed = explicit_build(net, &t.links, e);
	if (!failed) {
		net->host_ids = t.host_ids;
		t.host_ids = NULL;
	}
	hpcc_free(&t);
	return failed;
}

static const struct weir_option hpcc_options[] = {
	{ "file", WEIR_OPT_FILE, offsetof(struct hpcc_params, file), NULL, 0, 0,
	  "topology file: nodes, switches and links; the switches; a line a link", NULL },
	{ .name = NULL },
};

const struct topology_ops topology_hpcc = {
	.scheme = {
		.name = "hpcc",
		.help = "a topology file of the HPCC simulator as it is; hosts are h0, h1, ... in the "
			"order of "
			"their node numbers, switch 4 is s4",
		.params_size = sizeof(struct hpcc_params),
		.options = hpcc_options,
	},
	.build = hpcc_build,
};
