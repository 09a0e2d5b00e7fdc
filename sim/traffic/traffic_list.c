/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_list.c -- pattern list: flows one by one, as source, destination, size and start.
 *
 *	flow = 0 5 2MB 10us
 *	flow = h1 h5 unlimited 0us
 *
 * or the same without "flow =" in a file. Hosts are numbers or names. Starts count from the
 * section's start. In place of a time, sent:2 or received:2 starts a flow when flow 2 of the list,
 * counted from 0, is done (gate.h).
 *
 *	flow = 0 5 2MB 10us path=3
 *	flow = 0 5 2MB 10us path=1,2
 *
 * also chooses the flow's path: at each switch with several equally short ways on, the number of
 * the one to take, counted from 0 in the order of the switch's links (route_choose). */
#include "base/input.h"
#include "sim/traffic/flow_builder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct list_params {
	char file[WEIR_OPT_TEXT_SIZE]; /* "src dst bytes start" a line */
	uint64_t stop_ps, app_rate_bps;
};

#define AT(member) offsetof(struct list_params, member)
static const char *const flow_form[] = { "SOURCE DESTINATION SIZE START [path=N]", NULL };

static const struct weir_option list_options[] = {
	{ "file", WEIR_OPT_FILE, AT(file), NULL, 0, 0,
	  "file with a flow a line: source, destination, size, start (a time, or "
	  "sent:N or received:N to wait for flow N), and if wanted its path: path=3, "
	  "or path=1,2 where two switches on it have a choice of equally short ways, "
	  "counted from 0 in the order of the switch's links (leaf0 of a leaf-spine: "
	  "its spines); ACKs go back by the same switches; # starts a comment",
	  NULL },
	STOP_OPTION,
	APP_RATE_OPTION,
	{ "flow", WEIR_OPT_LINES, 0, NULL, 0, 0, "a flow between two hosts, as in: 0 5 2MB 10us",
	  flow_form },
	{ .name = NULL },
};
#undef AT

static const char *list_file(const struct flow_builder *b)
{
	const struct list_params *p = b->params;

	return p->file;
}

/* Reads "5" or "h5": in every topology hosts are named by number. */
static int list_read_host(struct flow_builder *b, const char *word, uint32_t *host)
{
	const char *digits = word + (word[0] == 'h');
	unsigned long number = strtoul(digits, NULL, 10);

	if (!*digits || digits[strspn(digits, "0123456789")] || strlen(digits) > 9 ||
	    number >= b->net->host_count)
		return weir_error_set(b->e, "there is no host %s; hosts are h0 to h%u",
				      weir_quote(word).text, b->net->host_count - 1);
	*host = (uint32_t)number;
	return 0;
}

/* One line of the list. */
struct listed_flow {
	struct flow_plan plan;
	struct {
		uint64_t flow;
		enum flow_tie kind; /* 0: none, it starts at a time */
	} after;
	int has_path;
	struct route route; /* valid where has_path */
};

/* Reads "sent:2" or "received:2"; leaves anything else, which must be a time. */
static int list_read_wait(struct flow_builder *b, const char *word, struct listed_flow *f)
{
	static const struct weir_option number = { "flow", WEIR_OPT_COUNT, 0,  NULL,
						   0,      UINT32_MAX,     "", NULL };
	const char *colon = strchr(word, ':');

	f->after.kind = (enum flow_tie)0;
	if (strncmp(word, "sent:", strlen("sent:")) == 0)
		f->after.kind = FLOW_SIGNALS_SENT;
	else if (strncmp(word, "received:", strlen("received:")) == 0)
		f->after.kind = FLOW_SIGNALS_RECEIVED;
	return f->after.kind ? weir_option_parse(&f->after.flow, &number, colon + 1, b->e) : 0;
}

/* Reads "3" or "1,2". */
static int list_read_choices(const char *text, struct route_choices *c, struct weir_error *e)
{
	c->count = 0;
	for (;; text++) {
		size_t digits = strspn(text, "0123456789");

		if (digits == 0 || digits > 9 || c->count == ROUTE_HOPS_MAX)
			break;
		c->choice[c->count++] = (uint32_t)strtoul(text, NULL, 10);
		text += digits;
		if (*text == '\0')
			return 0;
		if (*text != ',')
			break;
	}
	return weir_error_set(e, "a path is numbers, as in path=3 or path=1,2");
}

static int list_read_path(struct flow_builder *b, const char *word, struct listed_flow *f)
{
	static const char key[] = "path=";
	struct route_choices choices;

	f->has_path = 1;
	if (strncmp(word, key, strlen(key)) != 0)
		return weir_error_set(b->e, "%s: behind the start stands path=, as in path=3",
				      weir_quote(word).text);
	if (traffic_is_persistent(b->c, b->t))
		return weir_error_set(b->e, "%s: a path goes with connections = per-flow",
				      weir_quote(word).text);
	if (!b->routes &&
	    route_table_new(&b->routes, b->net, (int64_t)b->c->network.reroute_delay_ps, b->e))
		return -1;
	if (list_read_choices(word + strlen(key), &choices, b->e) ||
	    route_choose(b->routes, f->plan.src, f->plan.dst, &choices, &f->route, b->e))
		return weir_error_prefix(b->e, "%s: ", word);
	return 0;
}

static int list_read_flow(struct flow_builder *b, const char *text, struct listed_flow *p)
{
	static const struct weir_option size = { "size", WEIR_OPT_SIZE,       0,  NULL,
						 1,      FLOW_SIZE_MAX_BYTES, "", NULL };
	static const struct weir_option start = { "start", WEIR_OPT_TIME_PS,       0,  NULL,
						  0,       (uint64_t)START_MAX_PS, "", NULL };
	struct words w;
	uint64_t start_ps = 0;
	int count = words_split(&w, text);

	if (count != 4 && count != 5)
		return weir_error_set(b->e, "a flow is source, destination, size and start, as in "
					    "0 5 2MB 10us");
	if (list_read_host(b, w.word[0], &p->plan.src) ||
	    list_read_host(b, w.word[1], &p->plan.dst) ||
	    weir_option_parse(&p->plan.size_bytes, &size, w.word[2], b->e) ||
	    list_read_wait(b, w.word[3], p) ||
	    (!p->after.kind && weir_option_parse(&start_ps, &start, w.word[3], b->e)))
		return -1;
	if (p->plan.src == p->plan.dst)
		return weir_error_set(b->e, "source and destination are both h%u", p->plan.src);
	p->has_path = 0;
	if (count == 5 && list_read_path(b, w.word[4], p))
		return -1;
	p->plan.start_ps =
		p->after.kind ? WEIR_TIME_NEVER_PS : b->t->start.first_ps + (int64_t)start_ps;
	return flow_builder_check_endless(b, &p->plan, b->e);
}

/* A flow may wait for one that is listed after it: adds its gate now; list_resolve_waits checks it
 * at the end. */
static int list_add_flow(struct flow_builder *b, const char *text)
{
	struct listed_flow p;

	if (list_read_flow(b, text, &p))
		return -1;
	if (flow_builder_reserve_one(b))
		return -1;
	flow_builder_add(b, &p.plan);
	if (p.has_path)
		flow_paths_add(&b->list->paths, b->list->count - 1, b->net, &p.route);
	if (p.after.kind) {
		uint32_t gate = gates_add(&b->list->gates, 1, 0);

		flow_builder_tie(b, b->list->count - 1, gate, FLOW_WAITS);
		gates_tie(&b->list->gates,
			  (struct gate_tie){ (uint32_t)p.after.flow, gate, p.after.kind });
	}
	return 0;
}

/* Turns the flows that others wait for, counted from the first of this list, into numbers of the
 * flow list, and checks that they exist and end. */
static int list_resolve_waits(struct flow_builder *b, uint32_t first_flow, uint32_t first_tell)
{
	struct gate_list *l = &b->list->gates;

	for (uint32_t i = first_tell; i < l->signal_count; i++) {
		struct gate_tie *t = &l->signals[i];
		uint32_t count = b->list->count - first_flow;

		if (t->flow >= count)
			return flow_builder_error(b, "flow",
						  "there is no flow %u to wait for; the last is %u",
						  t->flow, count - 1);
		t->flow += first_flow;
		if (b->list->flows[t->flow].size_bytes == FLOW_UNLIMITED)
			return flow_builder_error(b, "flow", "flow %u has no end to wait for",
						  t->flow - first_flow);
		b->list->flows[t->flow].flags |= (uint8_t)t->kind;
	}
	return 0;
}

static int list_add_file_lines(struct flow_builder *b, FILE *f)
{
	const char *name = list_file(b);
	char line[512];

	for (int number = 1; fgets(line, sizeof(line), f); number++) {
		if (!strchr(line, '\n') && !feof(f)) {
			weir_error_set(b->e, "the line is too long; allowed are %zu bytes",
				       sizeof(line) - 2);
			return weir_error_prefix(b->e, "traffic.%s.file: %s:%d: ", b->t->name, name,
						 number);
		}
		line[strcspn(line, "#\r\n")] = '\0';
		if (line[strspn(line, " \t")] == '\0')
			continue;
		if (list_add_flow(b, line))
			return weir_error_prefix(b->e, "traffic.%s.file: %s:%d: ", b->t->name, name,
						 number);
	}
	if (ferror(f))
		return flow_builder_error(b, "file", "cannot read %s: %s", weir_quote(name).text,
					  strerror(errno));
	return 0;
}

static int list_add_file(struct flow_builder *b)
{
	const char *why;
	FILE *f = input_open(list_file(b), &why);
	int failed;

	if (!f)
		return flow_builder_error(b, "file", "cannot read %s: %s",
					  weir_quote(list_file(b)).text, why);
	failed = list_add_file_lines(b, f);
	fclose(f);
	return failed;
}

static int list_add_all(struct flow_builder *b)
{
	const struct traffic_config *t = b->t;
	uint32_t before = b->list->count, told_before = b->list->gates.signal_count;

	if (t->start.first_ps != t->start.last_ps)
		return flow_builder_error(
			b, "start",
			"a span, but the list says when each flow starts; give one "
			"time to count from");
	for (uint32_t i = 0; i < t->flow_lines.count; i++)
		if (list_add_flow(b, t->flow_lines.lines[i].text))
			return weir_error_prefix(b->e, "traffic.%s.flow: '%.300s': ", t->name,
						 t->flow_lines.lines[i].text);
	if (list_file(b)[0] && list_add_file(b))
		return -1;
	if (b->list->count == before)
		return flow_builder_error(
			b, "flow",
			"not given; pattern list needs lines such as flow = 0 5 2MB "
			"10us, or a file of them");
	if (list_resolve_waits(b, before, told_before))
		return -1;
	return flow_builder_any_endless(b, before) ? 0 : flow_builder_check_stop(b, 0);
}

static uint64_t list_app_rate_bps(const void *params)
{
	const struct list_params *p = params;

	return p->app_rate_bps;
}

static int list_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	const struct list_params *p = params;
	int failed;

	b->stop_ps = p->stop_ps;
	failed = list_add_all(b);
	route_table_free(b->routes);
	return failed;
}

const struct weir_traffic_ops traffic_list = {
	.scheme = {
		.name = "list",
		.help = "flows one by one: \"flow = source destination size start\" lines, or a file of "
			"them; path=N behind the start names a flow's path",
		.params_size = sizeof(struct list_params),
		.options = list_options,
	},
	.generate = list_generate,
	.app_rate_bps = list_app_rate_bps,
};
