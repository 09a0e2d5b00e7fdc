/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_list.c -- flows one by one: source, destination, size, start.
 *
 *	flow = 0 5 2MB 10us
 *	flow = h1 h5 unlimited 0us
 *
 * or the same, without "flow =", in a file. Hosts are numbers or names. Starts count from the
 * section's own start. In place of a time, sent:2 or received:2 starts a flow when flow 2 of the
 * list, counted from 0, is done (gate.h).
 *
 *	flow = 0 5 2MB 10us path=3
 *	flow = 0 5 2MB 10us path=1,2
 *
 * names the flow's path: at each switch that has several equally short ways on, which of these is
 * taken, counted from 0 in the order of the switch's links (flow_path.h). */
#include "base/input.h"
#include "sim/traffic/traffic_make.h"
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

static const char *file_of(const struct maker *m)
{
	const struct list_params *p = m->params;

	return p->file;
}

/* "5" or "h5": the names of hosts are their numbers in every topology. */
static int read_host(struct maker *m, const char *word, uint32_t *host)
{
	const char *digits = word + (word[0] == 'h');
	unsigned long number = strtoul(digits, NULL, 10);

	if (!*digits || digits[strspn(digits, "0123456789")] || strlen(digits) > 9 ||
	    number >= m->net->host_count)
		return weir_error_set(m->e, "there is no host %s; hosts are h0 to h%u",
				      weir_quote(word).text, m->net->host_count - 1);
	*host = (uint32_t)number;
	return 0;
}

/* A line of the list. */
struct listed_flow {
	struct flow_plan plan;
	struct {
		uint64_t flow;
		enum flow_tie kind; /* 0: it starts at a time */
	} after;
	int has_path;
	struct route route; /* where it names its path */
};

/* "sent:2" or "received:2"; anything else is left to be a time. */
static int read_wait(struct maker *m, const char *word, struct listed_flow *f)
{
	static const struct weir_option number = { "flow", WEIR_OPT_COUNT, 0,  NULL,
						   0,      UINT32_MAX,     "", NULL };
	const char *colon = strchr(word, ':');

	f->after.kind = (enum flow_tie)0;
	if (strncmp(word, "sent:", strlen("sent:")) == 0)
		f->after.kind = FLOW_SIGNALS_SENT;
	else if (strncmp(word, "received:", strlen("received:")) == 0)
		f->after.kind = FLOW_SIGNALS_RECEIVED;
	return f->after.kind ? weir_option_parse(&f->after.flow, &number, colon + 1, m->e) : 0;
}

/* "3" or "1,2". */
static int read_choices(const char *text, struct route_choices *c, struct weir_error *e)
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

static int read_path(struct maker *m, const char *word, struct listed_flow *f)
{
	static const char key[] = "path=";
	struct route_choices choices;

	f->has_path = 1;
	if (strncmp(word, key, strlen(key)) != 0)
		return weir_error_set(m->e, "%s: behind the start stands path=, as in path=3",
				      weir_quote(word).text);
	if (traffic_is_persistent(m->c, m->t))
		return weir_error_set(m->e, "%s: a path goes with connections = per-flow",
				      weir_quote(word).text);
	if (!m->routes &&
	    route_table_new(&m->routes, m->net, (int64_t)m->c->network.reroute_delay_ps, m->e))
		return -1;
	if (read_choices(word + strlen(key), &choices, m->e) ||
	    route_choose(m->routes, f->plan.src, f->plan.dst, &choices, &f->route, m->e))
		return weir_error_prefix(m->e, "%s: ", word);
	return 0;
}

static int read_flow(struct maker *m, const char *text, struct listed_flow *p)
{
	static const struct weir_option size = { "size", WEIR_OPT_SIZE,       0,  NULL,
						 1,      FLOW_SIZE_MAX_BYTES, "", NULL };
	static const struct weir_option start = { "start", WEIR_OPT_TIME_PS,       0,  NULL,
						  0,       (uint64_t)START_MAX_PS, "", NULL };
	struct words w;
	uint64_t start_ps = 0;
	int count = words_split(&w, text);

	if (count != 4 && count != 5)
		return weir_error_set(m->e, "a flow is source, destination, size and start, as in "
					    "0 5 2MB 10us");
	if (read_host(m, w.word[0], &p->plan.src) || read_host(m, w.word[1], &p->plan.dst) ||
	    weir_option_parse(&p->plan.size_bytes, &size, w.word[2], m->e) ||
	    read_wait(m, w.word[3], p) ||
	    (!p->after.kind && weir_option_parse(&start_ps, &start, w.word[3], m->e)))
		return -1;
	if (p->plan.src == p->plan.dst)
		return weir_error_set(m->e, "source and destination are both h%u", p->plan.src);
	p->has_path = 0;
	if (count == 5 && read_path(m, w.word[4], p))
		return -1;
	p->plan.start_ps =
		p->after.kind ? WEIR_TIME_NEVER_PS : m->t->start.first_ps + (int64_t)start_ps;
	return maker_check_endless(m, &p->plan, m->e);
}

/* What a flow waits for may stand further below: the gate is made now and looked at in the end.
 * Room doubles, as the length of a file is not known before. */
static int add_flow(struct maker *m, const char *text)
{
	struct listed_flow p;

	if (read_flow(m, text, &p))
		return -1;
	if (m->list->count == m->list->capacity && maker_reserve(m, (uint64_t)m->list->count + 64))
		return -1;
	maker_add(m, &p.plan);
	if (p.has_path)
		flow_paths_add(&m->list->paths, m->list->count - 1, m->net, &p.route);
	if (p.after.kind) {
		uint32_t gate = gates_add(&m->list->gates, 1, 0);

		maker_tie(m, m->list->count - 1, gate, FLOW_WAITS);
		gates_tie(&m->list->gates,
			  (struct gate_tie){ (uint32_t)p.after.flow, gate, p.after.kind });
	}
	return 0;
}

/* Flows to wait for were counted from the first of the list. */
static int resolve_waits(struct maker *m, uint32_t first_flow, uint32_t first_tell)
{
	struct gate_list *l = &m->list->gates;

	for (uint32_t i = first_tell; i < l->tell_count; i++) {
		struct gate_tie *t = &l->tells[i];
		uint32_t count = m->list->count - first_flow;

		if (t->flow >= count)
			return maker_error(m, "flow",
					   "there is no flow %u to wait for; the last is %u",
					   t->flow, count - 1);
		t->flow += first_flow;
		if (m->list->flows[t->flow].size_bytes == FLOW_UNLIMITED)
			return maker_error(m, "flow", "flow %u has no end to wait for",
					   t->flow - first_flow);
		m->list->flows[t->flow].flags |= (uint8_t)t->kind;
	}
	return 0;
}

static int add_file_lines(struct maker *m, FILE *f)
{
	const char *name = file_of(m);
	char line[512];

	for (int number = 1; fgets(line, sizeof(line), f); number++) {
		if (!strchr(line, '\n') && !feof(f)) {
			weir_error_set(m->e, "the line is too long; allowed are %zu bytes",
				       sizeof(line) - 2);
			return weir_error_prefix(m->e, "traffic.%s.file: %s:%d: ", m->t->name, name,
						 number);
		}
		line[strcspn(line, "#\r\n")] = '\0';
		if (line[strspn(line, " \t")] == '\0')
			continue;
		if (add_flow(m, line))
			return weir_error_prefix(m->e, "traffic.%s.file: %s:%d: ", m->t->name, name,
						 number);
	}
	if (ferror(f))
		return maker_error(m, "file", "cannot read %s: %s", weir_quote(name).text,
				   strerror(errno));
	return 0;
}

static int add_file(struct maker *m)
{
	const char *why;
	FILE *f = input_open(file_of(m), &why);
	int failed;

	if (!f)
		return maker_error(m, "file", "cannot read %s: %s", weir_quote(file_of(m)).text,
				   why);
	failed = add_file_lines(m, f);
	fclose(f);
	return failed;
}

static int add_all(struct maker *m)
{
	const struct traffic_config *t = m->t;
	uint32_t before = m->list->count, told_before = m->list->gates.tell_count;

	if (t->start.first_ps != t->start.last_ps)
		return maker_error(m, "start",
				   "a span, but the list says when each flow starts; give one "
				   "time to count from");
	for (uint32_t i = 0; i < t->flow_lines.count; i++)
		if (add_flow(m, t->flow_lines.lines[i].text))
			return weir_error_prefix(m->e, "traffic.%s.flow: '%.300s': ", t->name,
						 t->flow_lines.lines[i].text);
	if (file_of(m)[0] && add_file(m))
		return -1;
	if (m->list->count == before)
		return maker_error(m, "flow",
				   "not given; pattern list needs lines such as flow = 0 5 2MB "
				   "10us, or a file of them");
	if (resolve_waits(m, before, told_before))
		return -1;
	return maker_any_endless(m, before) ? 0 : maker_check_stop(m, 0);
}

static uint64_t list_app_rate_bps(const void *params)
{
	const struct list_params *p = params;

	return p->app_rate_bps;
}

static int list_generate(struct weir_flow_builder *maker, const void *params)
{
	struct maker *m = maker_of(maker, params);
	const struct list_params *p = params;
	int failed;

	m->stop_ps = p->stop_ps;
	failed = add_all(m);
	route_table_free(m->routes);
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
