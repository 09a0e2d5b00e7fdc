/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_hpcc.c -- pattern hpcc-flows: flow files of the HPCC simulator and its descendants. The
 * number of flows, then a line a flow; like the original, the reader ignores what follows:
 *
 *	2
 *	0 4 3 100 200000 2.000000005	source, destination, priority, port, bytes, seconds
 *
 * With topology hpcc, hosts are given by the node numbers of its file, otherwise by host number.
 * Priority and port are ignored: all flows have the section's class. */
#include "sim/traffic/flow_builder.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct flow_import_params, member)

static const struct weir_option hpcc_options[] = {
	{ "file", WEIR_OPT_FILE, AT(file), NULL, 0, 0,
	  "flow file: the number of flows, then source, "
	  "destination, priority, port, bytes and seconds a line",
	  NULL },
	{ .name = NULL },
};

#undef AT

static int hpcc_compare_ids(const void *key, const void *entry)
{
	uint32_t a = *(const uint32_t *)key, b = *(const uint32_t *)entry;

	return (a > b) - (a < b);
}

/* Reads a node number, and finds its host. */
static int hpcc_read_host(struct flow_import *i, const char *word, uint32_t *host)
{
	const struct network *net = i->b->net;
	const uint32_t *found;
	uint64_t number;
	uint32_t node;

	if (parse_integer(word, UINT32_MAX, &number))
		return line_file_error(&i->in, "%s is not the number of a node",
				       weir_quote(word).text);
	node = (uint32_t)number;
	if (!net->host_ids) {
		if (node >= net->host_count)
			return line_file_error(&i->in, "there is no host %u; hosts are 0 to %u",
					       node, net->host_count - 1);
		*host = node;
		return 0;
	}
	found = bsearch(&node, net->host_ids, net->host_count, sizeof(node), hpcc_compare_ids);
	if (!found)
		return line_file_error(&i->in,
				       "node %u is no host; hosts are %u of the nodes 0 to %u",
				       node, net->host_count, net->node_count - 1);
	*host = (uint32_t)(found - net->host_ids);
	return 0;
}

static int hpcc_read_flow(struct flow_import *i)
{
	char *words[LINE_WORDS_MAX];
	struct flow_plan p;
	uint64_t unused;

	if (line_file_words(&i->in, words) != 6)
		return line_file_error(&i->in,
				       "a flow is source, destination, priority, port, bytes and "
				       "seconds, as in 0 4 3 100 200000 2.5");
	if (hpcc_read_host(i, words[0], &p.src) || hpcc_read_host(i, words[1], &p.dst))
		return -1;
	if (parse_integer(words[2], UINT32_MAX, &unused) ||
	    parse_integer(words[3], UINT16_MAX, &unused))
		return line_file_error(&i->in, "priority %s and port %s; both are whole numbers",
				       weir_quote(words[2]).text, weir_quote(words[3]).text);
	if (parse_integer(words[4], FLOW_SIZE_MAX_BYTES, &p.size_bytes) || p.size_bytes == 0)
		return line_file_error(&i->in,
				       "%s is not a size; allowed are 1 to %" PRIu64 " bytes",
				       weir_quote(words[4]).text, FLOW_SIZE_MAX_BYTES);
	if (parse_time_ps(words[5], (double)WEIR_PS_PER_S, &p.start_ps))
		return line_file_error(&i->in, "%s is not a start; allowed are 0 to 1000 seconds",
				       weir_quote(words[5]).text);
	return flow_import_add(i, &p);
}

static int hpcc_read_flows(struct flow_import *i)
{
	char *words[LINE_WORDS_MAX];
	uint64_t wanted;
	int got = line_file_next(&i->in);

	if (got < 0)
		return -1;
	if (got == 0)
		return weir_error_set(
			i->in.e, "%.200s: the file is empty; it starts with the number of flows",
			i->in.name);
	if (line_file_words(&i->in, words) != 1 || parse_integer(words[0], UINT32_MAX, &wanted) ||
	    wanted == 0)
		return line_file_error(&i->in, "the first line is the number of flows");
	for (uint64_t n = 0; n < wanted; n++) {
		got = line_file_next(&i->in);
		if (got < 0)
			return -1;
		if (got == 0)
			return line_file_error(
				&i->in, "the file ends after %" PRIu64 " of %" PRIu64 " flows", n,
				wanted);
		if (hpcc_read_flow(i))
			return -1;
	}
	return 0;
}

static int hpcc_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_import i = { .b = flow_builder_of(pub, params) };

	return flow_import_file(&i, hpcc_read_flows);
}

const struct weir_traffic_ops traffic_hpcc_flows = {
	.scheme = {
		.name = "hpcc-flows",
		.help = "a flow file of the HPCC simulator as it is; priorities and ports are not used",
		.params_size = sizeof(struct flow_import_params),
		.options = hpcc_options,
	},
	.generate = hpcc_generate,
};
