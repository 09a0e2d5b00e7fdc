/* traffic_import.c -- flow files of other simulators, as they are.
 *
 * HPCC and its descendants: the number of flows, then a line a flow, and whatever follows those is not
 * read, as the original does not read it either:
 *
 *	2
 *	0 4 3 100 200000 2.000000005	source, destination, priority, port, bytes, seconds
 *
 * With topology hpcc, hosts are the node numbers of its file; with others, host numbers. Priority and
 * port are not used: the section's class is that of all its flows.
 *
 * htsim's connection matrices: a header, then a line a connection, in bytes and picoseconds. A
 * connection without a size has no end. Words that change nothing here (id, prio and the triggers that
 * an end sets off) are read and not used; a flow that waits for a trigger cannot be had.
 *
 *	Nodes 16
 *	Connections 2
 *	0->5 start 0 size 2000000
 *	1->5 id 7 start 1000000 size 2000000 */
#include "sim/line_file.h"
#include "sim/traffic_make.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct import {
	struct maker m;
	struct line_file in;
};

static const struct option hpcc_options[] = {
	{ "file", OPT_TEXT, TRAFFIC_AT(list), NULL, 0, 0,
	  "flow file: the number of flows, then source, destination, priority, port, bytes and "
	  "seconds "
	  "a line",
	  NULL },
	{ .name = NULL },
};

static const struct option htsim_options[] = {
	{ "file", OPT_TEXT, TRAFFIC_AT(list), NULL, 0, 0,
	  "connection matrix: Nodes, Connections, then lines such as 0->5 start 0 size 2000000",
	  NULL },
	STOP_OPTION,
	{ .name = NULL },
};

/* --- both --- */

static int add_flow(struct import *i, const struct flow_plan *p)
{
	struct maker *m = &i->m;
	struct error e;
	struct flow_plan placed = *p;

	placed.start_ps += m->t->start.first_ps;
	if (p->src == p->dst)
		return line_file_error(&i->in, "source and destination are both h%u", p->src);
	if (maker_check_endless(m, &placed, &e))
		return line_file_error(&i->in, "%s", e.text);
	if (m->list->count == m->list->capacity && maker_reserve(m, (uint64_t)m->list->count + 64))
		return -1;
	maker_add(m, &placed);
	return 0;
}

/* Reads the section's file by the pattern's own reader; its messages get the key in front. */
static int import_file(struct import *i, int (*read)(struct import *))
{
	struct maker *m = &i->m;
	int failed;

	if (m->t->start.first_ps != m->t->start.last_ps)
		return maker_error(m, "start",
				   "a span, but the file says when each flow starts; give one "
				   "time to count from");
	if (m->t->list[0] == '\0')
		return maker_error(m, "file", "not given; pattern %s needs file = flows.txt",
				   m->t->pattern);
	failed = line_file_open(&i->in, m->t->list, m->e);
	if (!failed) {
		failed = read(i);
		line_file_close(&i->in);
	}
	if (failed && strncmp(m->e->text, "traffic.", strlen("traffic.")) != 0)
		error_prefix(m->e, "traffic.%s.file: ", m->t->name);
	return failed;
}

/* --- HPCC --- */

static int by_number(const void *key, const void *entry)
{
	uint32_t a = *(const uint32_t *)key, b = *(const uint32_t *)entry;

	return (a > b) - (a < b);
}

/* The host of that node number. */
static int read_node(struct import *i, const char *word, uint32_t *host)
{
	const struct network *net = i->m.net;
	const uint32_t *found;
	uint64_t number;
	uint32_t node;

	if (read_whole(word, UINT32_MAX, &number))
		return line_file_error(&i->in, "%s is not the number of a node", quote(word).text);
	node = (uint32_t)number;
	if (!net->host_ids) {
		if (node >= net->host_count)
			return line_file_error(&i->in, "there is no host %u; hosts are 0 to %u",
					       node, net->host_count - 1);
		*host = node;
		return 0;
	}
	found = bsearch(&node, net->host_ids, net->host_count, sizeof(node), by_number);
	if (!found)
		return line_file_error(&i->in,
				       "node %u is no host; hosts are %u of the nodes 0 to %u",
				       node, net->host_count, net->node_count - 1);
	*host = (uint32_t)(found - net->host_ids);
	return 0;
}

static int read_hpcc_flow(struct import *i)
{
	char *words[LINE_WORDS_MAX];
	struct flow_plan p;
	uint64_t unused;

	if (line_file_words(&i->in, words) != 6)
		return line_file_error(&i->in,
				       "a flow is source, destination, priority, port, bytes and "
				       "seconds, as in 0 4 3 100 200000 2.5");
	if (read_node(i, words[0], &p.src) || read_node(i, words[1], &p.dst))
		return -1;
	if (read_whole(words[2], UINT32_MAX, &unused) || read_whole(words[3], UINT16_MAX, &unused))
		return line_file_error(&i->in, "priority %s and port %s; both are whole numbers",
				       quote(words[2]).text, quote(words[3]).text);
	if (read_whole(words[4], FLOW_SIZE_MAX_BYTES, &p.size_bytes) || p.size_bytes == 0)
		return line_file_error(&i->in,
				       "%s is not a size; allowed are 1 to %" PRIu64 " bytes",
				       quote(words[4]).text, FLOW_SIZE_MAX_BYTES);
	if (read_time_ps(words[5], (double)PS_PER_S, &p.start_ps))
		return line_file_error(&i->in, "%s is not a start; allowed are 0 to 1000 seconds",
				       quote(words[5]).text);
	return add_flow(i, &p);
}

static int read_hpcc(struct import *i)
{
	char *words[LINE_WORDS_MAX];
	uint64_t wanted;
	int got = line_file_next(&i->in);

	if (got < 0)
		return -1;
	if (got == 0)
		return error_set(i->in.e,
				 "%.200s: the file is empty; it starts with the number of flows",
				 i->in.name);
	if (line_file_words(&i->in, words) != 1 || read_whole(words[0], UINT32_MAX, &wanted) ||
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
		if (read_hpcc_flow(i))
			return -1;
	}
	return 0;
}

static int hpcc_generate(struct flow_list *list, const struct traffic_config *t,
			 const struct config *c, const struct network *net, struct error *e)
{
	struct import i = { .m = maker_make(list, t, c, net, e) };

	return import_file(&i, read_hpcc);
}

const struct traffic_ops traffic_hpcc_flows = {
	.name = "hpcc-flows",
	.help = "a flow file of the HPCC simulator as it is; priorities and ports are not used",
	.options = hpcc_options,
	.generate = hpcc_generate,
};

/* --- htsim --- */

struct matrix {
	uint64_t connections;
	int has_count;
};

/* "0->5" */
static int read_pair(struct import *i, const char *word, struct flow_plan *p)
{
	const char *arrow = strstr(word, "->");
	const char *part[2] = { word, arrow + 2 };
	uint32_t *host[2] = { &p->src, &p->dst };

	for (int end = 0; end < 2; end++) {
		uint64_t number;
		char text[24];
		size_t length = end ? strlen(part[1]) : (size_t)(arrow - word);

		snprintf(text, sizeof(text), "%.*s", (int)(length < 20 ? length : 20), part[end]);
		if (read_whole(text, i->m.net->host_count - 1, &number))
			return line_file_error(&i->in, "there is no host %s; hosts are 0 to %u",
					       quote(text).text, i->m.net->host_count - 1);
		*host[end] = (uint32_t)number;
	}
	return 0;
}

static int is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

/* One word and its value; *started says whether a start was among them. */
static int read_attribute(struct import *i, char *const words[2], struct flow_plan *p, int *started)
{
	static const char *const unused[] = { "id", "prio", "send_done_trigger",
					      "recv_done_trigger", NULL };
	static const char *const known[] = {
		"start", "size", "id", "prio", "send_done_trigger", "recv_done_trigger"
	};
	uint64_t number;

	if (strcmp(words[0], "trigger") == 0)
		return line_file_error(&i->in,
				       "the flow waits for trigger %s; flows of Weir start at a "
				       "time, so it must have a start",
				       quote(words[1]).text);
	if (strcmp(words[0], "start") == 0) {
		*started = 1;
		return read_time_ps(words[1], 1, &p->start_ps)
			       ? line_file_error(&i->in,
						 "%s is not a start; allowed are 0 to 1000 s in "
						 "picoseconds",
						 quote(words[1]).text)
			       : 0;
	}
	if (strcmp(words[0], "size") == 0) {
		if (read_whole(words[1], FLOW_SIZE_MAX_BYTES, &number))
			return line_file_error(
				&i->in, "%s is not a size; allowed are 0 to %" PRIu64 " bytes",
				quote(words[1]).text, FLOW_SIZE_MAX_BYTES);
		p->size_bytes = number ? number : FLOW_UNLIMITED;
		return 0;
	}
	if (!is_one_of(words[0], unused)) {
		struct error e;

		error_unknown(&e, "word", words[0], known, sizeof(known) / sizeof(known[0]));
		return line_file_error(&i->in, "%s", e.text);
	}
	if (read_whole(words[1], UINT64_MAX, &number))
		return line_file_error(&i->in, "%s %s; it is a whole number", words[0],
				       quote(words[1]).text);
	return 0;
}

static int read_connection(struct import *i, char *const words[], int count)
{
	struct flow_plan p = { .size_bytes = FLOW_UNLIMITED };
	int started = 0;

	if (read_pair(i, words[0], &p))
		return -1;
	for (int w = 1; w < count; w += 2) {
		if (w + 1 == count)
			return line_file_error(&i->in, "the line ends after %s; a value is missing",
					       quote(words[w]).text);
		if (read_attribute(i, words + w, &p, &started))
			return -1;
	}
	if (!started)
		return line_file_error(&i->in,
				       "the flow has no start; a line is as in 0->5 start 0 size "
				       "2000000");
	return add_flow(i, &p);
}

/* "Nodes 16", "Connections 2", "Triggers 0", "Failures 0". */
static int read_count(struct import *i, char *const words[], int count, struct matrix *x)
{
	uint64_t number;

	if (count != 2 || read_whole(words[1], UINT32_MAX, &number))
		return line_file_error(&i->in, "%s is followed by one whole number", words[0]);
	if (strcmp(words[0], "Nodes") == 0 && number > i->m.net->host_count)
		return line_file_error(&i->in, "Nodes %" PRIu64 ", but the network has %u hosts",
				       number, i->m.net->host_count);
	if (strcmp(words[0], "Connections") == 0) {
		x->connections = number;
		x->has_count = 1;
	}
	return 0;
}

static int read_matrix_line(struct import *i, struct matrix *x)
{
	static const char *const counts[] = { "Nodes", "Connections", "Triggers", "Failures",
					      NULL };
	char *words[LINE_WORDS_MAX];
	int count = line_file_words(&i->in, words);

	if (words[0][0] == '#')
		return 0;
	if (count < 0)
		return line_file_error(&i->in, "the line has more than %d words", LINE_WORDS_MAX);
	if (is_one_of(words[0], counts))
		return read_count(i, words, count, x);
	if (strstr(words[0], "->"))
		return read_connection(i, words, count);
	if (strcmp(words[0], "trigger") == 0)
		return 0; /* declares one; flows that wait for it are refused */
	if (strcmp(words[0], "failure") == 0)
		return line_file_error(&i->in,
				       "a failure; links of Weir fail by fail = NODE NODE TIME in "
				       "[network]");
	return line_file_error(
		&i->in,
		"%s starts no line of a connection matrix; allowed are Nodes, "
		"Connections, Triggers, Failures, trigger and lines such as 0->5 start 0 "
		"size 2000000",
		quote(words[0]).text);
}

static int read_htsim(struct import *i)
{
	struct matrix x = { 0 };
	uint32_t before = i->m.list->count, read;
	int got;

	while ((got = line_file_next(&i->in)) == 1)
		if (read_matrix_line(i, &x))
			return -1;
	read = i->m.list->count - before;
	if (got < 0)
		return -1;
	if (!x.has_count)
		return error_set(i->in.e, "%.200s: no line says Connections and how many",
				 i->in.name);
	if (read != x.connections || read == 0)
		return line_file_error(&i->in,
				       "%u connections are listed, but Connections says %" PRIu64,
				       read, x.connections);
	return maker_any_endless(&i->m, before) ? 0 : maker_check_stop(&i->m, 0);
}

static int htsim_generate(struct flow_list *list, const struct traffic_config *t,
			  const struct config *c, const struct network *net, struct error *e)
{
	struct import i = { .m = maker_make(list, t, c, net, e) };

	return import_file(&i, read_htsim);
}

const struct traffic_ops traffic_htsim = {
	.name = "htsim",
	.help = "a connection matrix (.cm) of htsim as it is, without flows that wait for triggers",
	.options = htsim_options,
	.generate = htsim_generate,
};
