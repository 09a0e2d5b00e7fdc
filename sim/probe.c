/* probe.c -- see probe.h. A probe is one line; a series is what it shows, several for "scheme". */
#include "sim/probe.h"
#include "sim/host.h"
#include "sim/words.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum probe_kind { QUEUE, QUEUE_BYTES, THROUGHPUT, WINDOW, MARKS, DROPS, SCHEME };

enum { ON_PORT = 1, ON_FLOW = 2, AT_CHANGE = 4 };

static const struct probe_form {
	const char *name, *unit;
	uint32_t may;
} forms[] = {
	[QUEUE] = { "queue", "pkts", ON_PORT | AT_CHANGE },
	[QUEUE_BYTES] = { "queue-bytes", "bytes", ON_PORT | AT_CHANGE },
	[THROUGHPUT] = { "throughput", "bps", ON_PORT | ON_FLOW },
	[WINDOW] = { "window", "bytes", ON_FLOW },
	[MARKS] = { "marks", "", ON_PORT | ON_FLOW },
	[DROPS] = { "drops", "", ON_PORT },
	[SCHEME] = { "scheme", "", ON_PORT },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]), WHOLE_PORT = -1 };

struct probe {
	enum probe_kind kind;
	uint32_t is_flow;
	uint32_t target;  /* link or flow */
	int queue;        /* WHOLE_PORT, or one of its queues */
	int64_t every_ps; /* 0: at each change */
	int64_t next_ps;
	double before;                  /* of a counter, at the last sample */
	uint32_t series;                /* its first */
	const struct mark_value *value; /* SCHEME */
	struct probe_set *set;
};

struct probe_set {
	struct engine *engine;
	uint32_t probe_count, series_count;
	struct probe *probes;
	struct series *series;
};

/* --- series --- */

void series_add(struct series *s, int64_t time_ps, double value)
{
	if (s->count == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 256;
		s->time_ps = memory_grow(s->time_ps, s->capacity, sizeof(*s->time_ps));
		s->value = memory_grow(s->value, s->capacity, sizeof(*s->value));
	}
	s->time_ps[s->count] = time_ps;
	s->value[s->count++] = value;
}

void series_free(struct series *series, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(series[i].time_ps);
		free(series[i].value);
	}
	free(series);
}

/* --- reading lines --- */

static int find_form(const char *word, enum probe_kind *kind, struct error *e)
{
	const char *names[FORMS];

	for (uint32_t i = 0; i < FORMS; i++) {
		names[i] = forms[i].name;
		if (strcmp(word, forms[i].name) == 0) {
			*kind = (enum probe_kind)i;
			return 0;
		}
	}
	return error_unknown(e, "probe", word, names, FORMS);
}

static int find_flow(const struct engine *e, const char *word, struct probe *p, struct error *error)
{
	static const struct option number = { "flow", OPT_COUNT, 0, NULL, 0, UINT32_MAX, "", NULL };
	uint64_t flow;

	if (option_parse(&flow, &number, word + strlen("flow:"), error))
		return -1;
	if (flow >= e->flows.count)
		return error_set(error, "there is no flow %" PRIu64 "; the last is %u", flow,
				 e->flows.count - 1);
	p->is_flow = 1;
	p->target = (uint32_t)flow;
	return 0;
}

/* "leaf0->h3" or "leaf0->h3/2". */
static int find_port(const struct engine *e, char *word, struct probe *p, struct error *error)
{
	static const struct option number = { "queue", OPT_COUNT,      0,  NULL,
					      0,       QUEUES_MAX - 1, "", NULL };
	char *slash = strchr(word, '/');
	uint64_t queue;
	int64_t link;

	p->queue = WHOLE_PORT;
	if (slash) {
		if (option_parse(&queue, &number, slash + 1, error))
			return -1;
		if (queue >= e->config->queues)
			return error_set(error,
					 "there is no queue %" PRIu64 "; ports have %" PRIu32,
					 queue, e->config->queues);
		p->queue = (int)queue;
		*slash = '\0';
	}
	link = link_find(e->net, word, error);
	if (link < 0)
		return -1;
	if (e->net->nodes[e->net->links[link].from].kind != NODE_SWITCH)
		return error_set(error, "'%s' is a host's card; name a port of a switch", word);
	p->target = (uint32_t)link;
	return 0;
}

static int read_every(const struct words *w, int count, struct probe *p, struct error *e)
{
	static const struct option every = { "every", OPT_TIME_PS,     0,  NULL,
					     1000,    UINT64_MAX >> 2, "", NULL };
	uint64_t every_ps;

	if (count == 2) {
		if (forms[p->kind].may & AT_CHANGE && p->queue == WHOLE_PORT)
			return 0;
		return error_set(e, "'%s' needs a time between samples, as in: every 10us",
				 forms[p->kind].name);
	}
	if (count != 4 || strcmp(w->word[2], "every") != 0)
		return error_set(e, "a probe is WHAT TARGET [every TIME]");
	if (option_parse(&every_ps, &every, w->word[3], e))
		return -1;
	p->every_ps = (int64_t)every_ps;
	p->next_ps = 0;
	return 0;
}

static void add_series(struct probe_set *set, const char *name, const char *target,
		       const char *unit)
{
	struct series *s;

	set->series =
		memory_grow(set->series, set->series_count + UINT64_C(1), sizeof(*set->series));
	s = &set->series[set->series_count++];
	*s = (struct series){ .unit = unit };
	snprintf(s->name, sizeof(s->name), "%s %s", name, target);
}

static struct probe *add_probe(struct probe_set *set, const struct probe *p)
{
	set->probes =
		memory_grow(set->probes, set->probe_count + UINT64_C(1), sizeof(*set->probes));
	set->probes[set->probe_count] = *p;
	set->probes[set->probe_count].series = set->series_count;
	return &set->probes[set->probe_count++];
}

/* One probe for each value and queue, or for the port where the scheme's state is the port's. */
static void add_scheme(struct probe_set *set, struct probe *p, const char *target)
{
	const struct config *c = set->engine->config;
	int per_port = c->mark->scope == MARK_STATE_PER_PORT;
	int queues = per_port ? 1 : (int)c->queues;

	for (p->value = c->mark->values; p->value && p->value->name; p->value++) {
		for (int q = 0; q < queues; q++) {
			char name[WORD_SIZE + 16];
			struct probe one = *p;

			if (p->queue != WHOLE_PORT && q != p->queue)
				continue;
			one.queue = q;
			add_probe(set, &one);
			snprintf(name, sizeof(name), queues > 1 ? "%s/%d" : "%s", target, q);
			add_series(set, p->value->name, name, p->value->unit);
		}
	}
}

static int read_probe(struct probe_set *set, const char *line, struct error *e)
{
	struct words w;
	struct probe p = { .set = set, .next_ps = TIME_NEVER_PS, .queue = WHOLE_PORT };
	int count = words_split(&w, line);
	char target[WORD_SIZE];

	if (count < 2)
		return error_set(
			e,
			"a probe is WHAT TARGET [every TIME], as in: queue leaf0->h3 every 10us");
	memcpy(target, w.word[1], sizeof(target));
	if (find_form(w.word[0], &p.kind, e))
		return -1;
	if (strncmp(w.word[1], "flow:", strlen("flow:")) == 0
		    ? find_flow(set->engine, w.word[1], &p, e)
		    : find_port(set->engine, w.word[1], &p, e))
		return -1;
	if (!(forms[p.kind].may & (p.is_flow ? ON_FLOW : ON_PORT)))
		return error_set(e, "'%s' is of a %s, not of a %s", w.word[0],
				 p.is_flow ? "port" : "flow", p.is_flow ? "flow" : "port");
	if (read_every(&w, count, &p, e))
		return -1;
	if (p.kind == SCHEME) {
		add_scheme(set, &p, target);
		return 0;
	}
	add_probe(set, &p);
	add_series(set, w.word[0], target, forms[p.kind].unit);
	return 0;
}

int probes_new(struct probe_set **out, struct engine *e, const struct line_list *lines,
	       struct error *error)
{
	struct probe_set *set = memory_new(1, sizeof(*set));

	*out = set;
	set->engine = e;
	for (uint32_t i = 0; i < lines->count; i++)
		if (read_probe(set, lines->lines[i].text, error))
			return error_prefix(error,
					    "measure.probe: '%.300s': ", lines->lines[i].text);
	return 0;
}

void probes_free(struct probe_set *p)
{
	if (!p)
		return;
	series_free(p->series, p->series_count);
	free(p->probes);
	memory_free(p, 1, sizeof(*p));
}

/* Without those that saw nothing. */
struct series *probes_series(struct probe_set *p, uint32_t *count)
{
	struct series *series = p->series;

	*count = 0;
	for (uint32_t i = 0; i < p->series_count; i++)
		if (series[i].count)
			series[(*count)++] = series[i];
	p->series = NULL;
	p->series_count = 0;
	return series;
}

/* --- sampling --- */

int64_t probes_next_ps(const struct probe_set *p)
{
	int64_t next_ps = TIME_NEVER_PS;

	for (uint32_t i = 0; i < p->probe_count; i++)
		if (p->probes[i].next_ps < next_ps)
			next_ps = p->probes[i].next_ps;
	return next_ps;
}

/* What the port's counter stands at. */
static double port_counter(const struct port *port, enum probe_kind kind)
{
	uint64_t sum = 0;

	if (kind == THROUGHPUT)
		return (double)port->tx_bytes;
	for (uint32_t i = 0; kind == MARKS && i < MARK_REASONS; i++)
		sum += port->marks[i];
	for (uint32_t i = 0; kind == DROPS && i < PORT_DROPS; i++)
		sum += port->drops[i];
	return (double)sum;
}

/* The same of a flow; a connection that is over stands at all of its bytes. */
static double flow_counter(struct engine *e, const struct flow *f, enum probe_kind kind)
{
	const struct flow *opener = &e->flows.flows[f->connection];
	const struct receiver *r;

	if (opener->rx == FLOW_NONE)
		return kind == THROUGHPUT && f->finish_ps >= 0 ? (double)f->size_bytes : 0;
	r = slab_at(&engine_worker(e, e->net->host_node[f->dst])->receivers, opener->rx);
	return kind == THROUGHPUT ? (double)r->bytes : (double)r->marked_pkts;
}

static double flow_window(struct engine *e, const struct flow *f)
{
	const struct flow *opener = &e->flows.flows[f->connection];
	struct sender *s;

	if (opener->tx == FLOW_NONE)
		return 0;
	s = slab_at(&engine_worker(e, e->net->host_node[f->src])->senders, opener->tx);
	return (double)sender_cc(s)->window_bytes;
}

static double queue_length(struct port *port, const struct probe *p)
{
	const struct queue *q = p->queue == WHOLE_PORT ? NULL : port_queues(port) + p->queue;

	if (p->kind == QUEUE)
		return q ? q->pkts : port->pkts;
	return q ? q->bytes : port->bytes;
}

static double read_value(struct probe *p)
{
	struct engine *e = p->set->engine;
	struct port *port = p->is_flow ? NULL : &engine_egress(e, p->target)->port;
	const struct flow *f = p->is_flow ? &e->flows.flows[p->target] : NULL;
	double now, before = p->before;

	if (p->kind == QUEUE || p->kind == QUEUE_BYTES)
		return queue_length(port, p);
	if (p->kind == SCHEME)
		return p->value->read(port_mark_state(port, (uint32_t)p->queue),
				      e->config->mark_params);
	if (p->kind == WINDOW)
		return flow_window(e, f);
	now = f ? flow_counter(e, f, p->kind) : port_counter(port, p->kind);
	p->before = now;
	if (p->kind == THROUGHPUT)
		return bytes_to_bits(now - before) / ps_to_s(p->every_ps);
	return now - before;
}

void probes_sample(struct probe_set *set, int64_t now_ps)
{
	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];

		if (p->next_ps > now_ps)
			continue;

		double value = read_value(p);

		if (!isnan(value))
			series_add(&set->series[p->series], now_ps, value);
		p->next_ps += p->every_ps;
	}
}

/* --- at each change --- */

static void on_change(void *context, const struct port *port, int64_t since_ps)
{
	struct probe_set *set = context;

	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];

		if (!p->every_ps && port == &engine_egress(set->engine, p->target)->port)
			series_add(&set->series[p->series], since_ps,
				   p->kind == QUEUE ? port->pkts : port->bytes);
	}
}

/* The port keeps statistics whether or not it ever holds a packet. */
void probes_begin(struct probe_set *set)
{
	for (uint32_t i = 0; i < set->probe_count; i++) {
		struct probe *p = &set->probes[i];
		struct port *port;

		if (p->every_ps)
			continue;
		port = &engine_egress(set->engine, p->target)->port;
		if (!port->stats)
			engine_begin_stats(
				engine_worker(set->engine, set->engine->net->links[p->target].from),
				port);
		port->stats->on_change = on_change;
		port->stats->context = set;
	}
}

void probes_end(struct probe_set *set)
{
	for (uint32_t i = 0; i < set->probe_count; i++)
		set->probes[i].next_ps = TIME_NEVER_PS;
}
