/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_htsim.c -- pattern htsim: connection matrices (.cm) of htsim. A header, then a line a
 * connection, in bytes and picoseconds.
 *
 * A connection without a size is unlimited. An id has no effect. prio is the order in which NDP
 * receivers pull, which no transport here does: it is refused unless the section says prio =
 * ignore. A trigger is a gate (gate.h): oneshot starts all its flows at the first signal, barrier
 * at the signal of its count, multishot one flow at each signal.
 *
 *	Nodes 16
 *	Connections 2
 *	0->5 start 0 size 2000000
 *	1->5 id 7 start 1000000 size 2000000 send_done_trigger 1
 *	5->1 trigger 1 size 2000000
 *	trigger id 1 oneshot */
#include "base/memory.h"
#include "sim/traffic/flow_builder.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct flow_import_params, member)

static const char *const prio_names[] = { "refuse", "ignore", NULL };

static const struct weir_option htsim_options[] = {
	{ "file", WEIR_OPT_FILE, AT(file), NULL, 0, 0,
	  "connection matrix: Nodes, Connections, then lines such as 0->5 start 0 size 2000000",
	  NULL },
	STOP_OPTION,
	{ "prio", WEIR_OPT_CHOICE, AT(prio), "refuse", 0, 0,
	  "connections with a prio other than 0, the order in which an NDP receiver pulls, which "
	  "no transport here does: refuse the file, or ignore prio",
	  prio_names },
	{ .name = NULL },
};

#undef AT

struct trigger {
	uint64_t id;
	uint32_t gate;
	int is_declared, is_set_off, is_waited_for;
};

struct matrix {
	uint64_t connections;
	int has_count;
	uint32_t trigger_count;
	struct trigger *triggers;
};

/* One line of a connection. */
struct connection {
	struct flow_plan plan;
	int has_start; /* 1: a time, 2: a trigger, 3: both */
	uint32_t tie_count;
	struct {
		uint64_t trigger;
		enum flow_tie kind;
	} ties[LINE_WORDS_MAX];
};

/* Finds the trigger of that id, or adds it. */
static struct trigger *matrix_trigger(struct flow_import *i, struct matrix *x, uint64_t id)
{
	for (uint32_t t = 0; t < x->trigger_count; t++)
		if (x->triggers[t].id == id)
			return &x->triggers[t];
	x->triggers =
		memory_grow(x->triggers, x->trigger_count + UINT64_C(1), sizeof(*x->triggers));
	x->triggers[x->trigger_count] =
		(struct trigger){ .id = id, .gate = gates_add(&i->b->list->gates, 1, 0) };
	return &x->triggers[x->trigger_count++];
}

/* Reads "0->5". */
static int htsim_read_pair(struct flow_import *i, const char *word, struct flow_plan *p)
{
	const char *arrow = strstr(word, "->");
	const char *part[2] = { word, arrow + 2 };
	uint32_t *host[2] = { &p->src, &p->dst };

	for (int end = 0; end < 2; end++) {
		uint64_t number;
		char text[24];
		size_t length = end ? strlen(part[1]) : (size_t)(arrow - word);

		snprintf(text, sizeof(text), "%.*s", (int)(length < 20 ? length : 20), part[end]);
		if (parse_integer(text, i->b->net->host_count - 1, &number))
			return line_file_error(&i->in, "there is no host %s; hosts are 0 to %u",
					       weir_quote(text).text, i->b->net->host_count - 1);
		*host[end] = (uint32_t)number;
	}
	return 0;
}

static int htsim_is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words) != 0)
		words++;
	return *words != NULL;
}

/* The tie that a keyword makes; 0: none. */
static enum flow_tie htsim_tie(const char *word)
{
	if (strcmp(word, "trigger") == 0)
		return FLOW_WAITS;
	if (strcmp(word, "send_done_trigger") == 0)
		return FLOW_SIGNALS_SENT;
	return strcmp(word, "recv_done_trigger") == 0 ? FLOW_SIGNALS_RECEIVED : (enum flow_tie)0;
}

/* Reads a keyword and its value. */
static int htsim_read_attribute(struct flow_import *i, char *const words[2], struct connection *c)
{
	const struct flow_import_params *p = i->b->params;
	static const char *const known[] = {
		"start", "size", "id", "prio", "trigger", "send_done_trigger", "recv_done_trigger"
	};
	uint64_t number;

	if (strcmp(words[0], "start") == 0) {
		c->has_start = 1;
		return parse_time_ps(words[1], 1, &c->plan.start_ps)
			       ? line_file_error(&i->in,
						 "%s is not a start; allowed "
						 "are 0 to 1000 s in picoseconds",
						 weir_quote(words[1]).text)
			       : 0;
	}
	if (strcmp(words[0], "size") == 0) {
		if (parse_integer(words[1], FLOW_SIZE_MAX_BYTES, &number))
			return line_file_error(
				&i->in, "%s is not a size; allowed are 0 to %" PRIu64 " bytes",
				weir_quote(words[1]).text, FLOW_SIZE_MAX_BYTES);
		c->plan.size_bytes = number ? number : FLOW_UNLIMITED;
		return 0;
	}
	if (!htsim_tie(words[0]) && strcmp(words[0], "id") != 0 && strcmp(words[0], "prio") != 0) {
		struct weir_error e;

		weir_error_unknown(&e, "word", words[0], known, sizeof(known) / sizeof(known[0]));
		return line_file_error(&i->in, "%s", e.text);
	}
	if (parse_integer(words[1], UINT64_MAX, &number))
		return line_file_error(&i->in, "%s %s; it is a whole number", words[0],
				       weir_quote(words[1]).text);
	if (htsim_tie(words[0])) {
		c->ties[c->tie_count].trigger = number;
		c->ties[c->tie_count++].kind = htsim_tie(words[0]);
		c->has_start |= htsim_tie(words[0]) == FLOW_WAITS ? 2 : 0;
	}
	if (strcmp(words[0], "prio") == 0 && number != 0 && p->prio != PRIO_IGNORE)
		return line_file_error(&i->in,
				       "prio %" PRIu64 " is the order in which an NDP receiver "
				       "pulls, and no transport here is pull-based; prio = "
				       "ignore in the section ignores it",
				       number);
	return 0;
}

static int htsim_read_connection(struct flow_import *i, char *const words[], int count,
				 struct matrix *x)
{
	struct connection c = { .plan = { .size_bytes = FLOW_UNLIMITED } };

	if (htsim_read_pair(i, words[0], &c.plan))
		return -1;
	for (int w = 1; w < count; w += 2) {
		if (w + 1 == count)
			return line_file_error(&i->in, "the line ends after %s; a value is missing",
					       weir_quote(words[w]).text);
		if (htsim_read_attribute(i, words + w, &c))
			return -1;
	}
	if (c.has_start != 1 && c.has_start != 2)
		return line_file_error(
			&i->in,
			"the flow has %s; a line is as in 0->5 start 0 size 2000000, "
			"or with a trigger in place of the start",
			c.has_start ? "both a start and a trigger" : "no start");
	if (c.has_start == 2)
		c.plan.start_ps = WEIR_TIME_NEVER_PS;
	if (flow_import_add(i, &c.plan))
		return -1;
	for (uint32_t t = 0; t < c.tie_count; t++) {
		struct trigger *trigger = matrix_trigger(i, x, c.ties[t].trigger);

		if (c.ties[t].kind == FLOW_WAITS)
			trigger->is_waited_for = 1;
		else
			trigger->is_set_off = 1;
		flow_builder_tie(i->b, i->b->list->count - 1, trigger->gate, c.ties[t].kind);
	}
	return 0;
}

/* Reads "trigger id 3 barrier count 2" or "trigger id 1 oneshot". */
static int htsim_read_trigger(struct flow_import *i, char *const words[], int count,
			      struct matrix *x)
{
	uint64_t id = 0, needed = 1;
	const char *kind = NULL;

	for (int w = 1; w < count; w++) {
		uint64_t *number = strcmp(words[w], "id") == 0      ? &id
				   : strcmp(words[w], "count") == 0 ? &needed
								    : NULL;

		if (!number)
			kind = words[w];
		else if (++w == count || parse_integer(words[w], UINT32_MAX, number))
			return line_file_error(&i->in, "%s is followed by a whole number",
					       words[w - 1]);
	}
	if (!id || !needed || !kind ||
	    (strcmp(kind, "oneshot") != 0 && strcmp(kind, "multishot") != 0 &&
	     strcmp(kind, "barrier") != 0))
		return line_file_error(&i->in,
				       "a trigger has an id above 0 and is oneshot, multishot "
				       "or barrier count N, as in trigger id 1 oneshot");

	struct trigger *t = matrix_trigger(i, x, id);

	t->is_declared = 1;
	i->b->list->gates.gates[t->gate].one_by_one = strcmp(kind, "multishot") == 0;
	if (strcmp(kind, "barrier") == 0)
		i->b->list->gates.gates[t->gate].needed = (uint32_t)needed;
	return 0;
}

/* Checks that every trigger a flow waits for is declared and signalled by some flow. */
static int matrix_check_triggers(struct flow_import *i, const struct matrix *x)
{
	for (uint32_t t = 0; t < x->trigger_count; t++) {
		const struct trigger *trigger = &x->triggers[t];

		if (trigger->is_waited_for && !trigger->is_declared)
			return weir_error_set(i->in.e,
					      "%.200s: no line declares trigger %" PRIu64
					      ", as in trigger id %" PRIu64 " oneshot",
					      i->in.name, trigger->id, trigger->id);
		if (trigger->is_waited_for && !trigger->is_set_off)
			return weir_error_set(i->in.e,
					      "%.200s: flows wait for trigger %" PRIu64
					      ", but none fires it",
					      i->in.name, trigger->id);
	}
	return 0;
}

/* Reads "Nodes 16", "Connections 2", "Triggers 0" or "Failures 0". */
static int htsim_read_count(struct flow_import *i, char *const words[], int count, struct matrix *x)
{
	uint64_t number;

	if (count != 2 || parse_integer(words[1], UINT32_MAX, &number))
		return line_file_error(&i->in, "%s is followed by one whole number", words[0]);
	if (strcmp(words[0], "Nodes") == 0 && number > i->b->net->host_count)
		return line_file_error(&i->in, "Nodes %" PRIu64 ", but the network has %u hosts",
				       number, i->b->net->host_count);
	if (strcmp(words[0], "Connections") == 0) {
		x->connections = number;
		x->has_count = 1;
	}
	return 0;
}

static int htsim_read_line(struct flow_import *i, struct matrix *x)
{
	static const char *const counts[] = { "Nodes", "Connections", "Triggers", "Failures",
					      NULL };
	char *words[LINE_WORDS_MAX];
	int count = line_file_words(&i->in, words);

	if (words[0][0] == '#')
		return 0;
	if (count < 0)
		return line_file_error(&i->in, "the line has more than %d words", LINE_WORDS_MAX);
	if (htsim_is_one_of(words[0], counts))
		return htsim_read_count(i, words, count, x);
	if (strstr(words[0], "->"))
		return htsim_read_connection(i, words, count, x);
	if (strcmp(words[0], "trigger") == 0)
		return htsim_read_trigger(i, words, count, x);
	if (strcmp(words[0], "failure") == 0)
		return line_file_error(&i->in, "a failure; links of Weir fail by "
					       "fail = NODE NODE TIME in [network]");
	return line_file_error(
		&i->in,
		"%s starts no line of a connection matrix; allowed are Nodes, "
		"Connections, Triggers, Failures, trigger and lines such as 0->5 start 0 "
		"size 2000000",
		weir_quote(words[0]).text);
}

static int htsim_read_matrix(struct flow_import *i, struct matrix *x)
{
	uint32_t before = i->b->list->count, read;
	int got;

	while ((got = line_file_next(&i->in)) == 1)
		if (htsim_read_line(i, x))
			return -1;
	read = i->b->list->count - before;
	if (got < 0)
		return -1;
	if (!x->has_count)
		return weir_error_set(i->in.e, "%.200s: no line says Connections and how many",
				      i->in.name);
	if (read != x->connections || read == 0)
		return line_file_error(&i->in,
				       "%u connections are listed, but Connections says %" PRIu64,
				       read, x->connections);
	if (matrix_check_triggers(i, x))
		return -1;
	return flow_builder_any_endless(i->b, before) ? 0 : flow_builder_check_stop(i->b, 0);
}

static int htsim_read(struct flow_import *i)
{
	struct matrix x = { 0 };
	int failed = htsim_read_matrix(i, &x);

	free(x.triggers);
	return failed;
}

static int htsim_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_import i = { .b = flow_builder_of(pub, params) };

	return flow_import_file(&i, htsim_read);
}

const struct weir_traffic_ops traffic_htsim = {
	.scheme = {
		.name = "htsim",
		.help = "a connection matrix (.cm) of htsim as it is, with its triggers",
		.params_size = sizeof(struct flow_import_params),
		.options = htsim_options,
	},
	.generate = htsim_generate,
};
