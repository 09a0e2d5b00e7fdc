/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_read.c -- from the lines of a scenario to probes; see probe.h. */
#include "sim/measure/probe_set.h"
#include "config/nic.h"
#include "sim/core/marking_map.h"
#include "sim/core/agents.h"
#include "base/input.h"
#include "weir/pfc.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct probe_form probe_forms[PROBE_KINDS] = {
	[QUEUE] = { "queue", "pkts", ON_PORT | ON_QUEUE | AT_CHANGE },
	[QUEUE_BYTES] = { "queue-bytes", "bytes", ON_PORT | ON_QUEUE | AT_CHANGE },
	[THROUGHPUT] = { "throughput", "bps", ON_PORT | ON_QUEUE | ON_FLOW | ON_TRAFFIC | COUNTS },
	[WINDOW] = { "window", "bytes", ON_FLOW },
	[MARKS] = { "marks", "", ON_PORT | ON_FLOW | COUNTS },
	[DROPS] = { "drops", "", ON_PORT | COUNTS },
	[PAUSES] = { "pauses", "", ON_PORT | COUNTS },
	[REWARD] = { "reward", "", ON_PORT },
	[FCT] = { "fct", "ns", ON_TRAFFIC | COUNTS },
	[SCHEME] = { "scheme", "", ON_PORT | ON_QUEUE },
};

int probe_find(const char *name, struct probe_info *info)
{
	for (uint32_t i = 0; i < PROBE_KINDS; i++)
		if (i != SCHEME && strcmp(name, probe_forms[i].name) == 0) {
			*info = (struct probe_info){ probe_forms[i].unit,
						     (probe_forms[i].may & COUNTS) != 0 };
			return 1;
		}
	return 0;
}

/* --- reading lines --- */

static int find_form(const char *word, enum probe_kind *kind, struct weir_error *e)
{
	const char *names[PROBE_KINDS];

	for (uint32_t i = 0; i < PROBE_KINDS; i++) {
		names[i] = probe_forms[i].name;
		if (strcmp(word, probe_forms[i].name) == 0) {
			*kind = (enum probe_kind)i;
			return 0;
		}
	}
	return weir_error_unknown(e, "probe", word, names, PROBE_KINDS);
}

static int find_flow(const struct engine *e, const char *word, struct probe *p,
		     struct weir_error *error)
{
	static const struct weir_option number = { "flow", WEIR_OPT_COUNT, 0,  NULL,
						   0,      UINT32_MAX,     "", NULL };
	uint64_t flow;

	if (weir_option_parse(&flow, &number, word + strlen("flow:"), error))
		return -1;
	if (!e->flows.count)
		return weir_error_set(error, "the scenario has no flows");
	if (flow >= e->flows.count)
		return weir_error_set(error, "there is no flow %" PRIu64 "; the last is %u", flow,
				      e->flows.count - 1);
	p->on = ON_FLOW;
	p->target = (uint32_t)flow;
	return 0;
}

static int find_traffic(const struct engine *e, const char *word, struct probe *p,
			struct weir_error *error)
{
	enum { NAMES_MAX = 64 };
	const char *name = word + strlen("traffic:"), *names[NAMES_MAX];
	uint32_t count = e->config->traffic_count, named = count < NAMES_MAX ? count : NAMES_MAX;

	p->on = ON_TRAFFIC;
	for (p->target = 0; p->target < count; p->target++)
		if (strcmp(e->config->traffic[p->target].name, name) == 0)
			return 0;
	for (uint32_t i = 0; i < named; i++)
		names[i] = e->config->traffic[i].name;
	return weir_error_unknown(error, "traffic section", name, names, named);
}

/* "leaf0->h3" or "leaf0->h3/2". */
static int find_port(const struct engine *e, char *word, struct probe *p, struct weir_error *error)
{
	static const struct weir_option number = { "queue", WEIR_OPT_COUNT,      0,  NULL,
						   0,       WEIR_QUEUES_MAX - 1, "", NULL };
	char *slash = strchr(word, '/');
	uint64_t queue;
	int64_t link;

	p->on = ON_PORT;
	p->queue = WHOLE_PORT;
	if (slash) {
		p->on = ON_QUEUE;
		if (weir_option_parse(&queue, &number, slash + 1, error))
			return -1;
		if (queue >= e->config->queues)
			return weir_error_set(error,
					      "there is no queue %" PRIu64 "; ports have %" PRIu32,
					      queue, e->config->queues);
		p->queue = (int)queue;
		*slash = '\0';
	}
	link = link_find(e->net, word, error);
	if (link < 0)
		return -1;
	if (p->kind != PAUSES && e->net->nodes[e->net->links[link].from].kind != NODE_SWITCH &&
	    !(nic_has_queue(e->config) && p->on == ON_PORT && p->kind != SCHEME))
		return weir_error_set(error, "'%s' is a host's card; name a port of a switch",
				      word);
	p->target = (uint32_t)link;
	return 0;
}

static int find_target(const struct engine *e, char *word, struct probe *p,
		       struct weir_error *error)
{
	if (strncmp(word, "flow:", strlen("flow:")) == 0)
		return find_flow(e, word, p, error);
	if (strncmp(word, "traffic:", strlen("traffic:")) == 0)
		return find_traffic(e, word, p, error);
	return find_port(e, word, p, error);
}

/* Has the target what the probe is about? */
static int check_target(const struct engine *e, const struct probe *p, struct weir_error *error)
{
	static const struct {
		uint32_t on;
		const char *name;
	} targets[] = { { ON_PORT, "port" },
			{ ON_QUEUE, "queue of a port" },
			{ ON_FLOW, "flow" },
			{ ON_TRAFFIC, "traffic section" } };
	const char *name = probe_forms[p->kind].name, *has = "";
	char allowed[96] = "";

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (targets[i].on == p->on)
			has = targets[i].name;
		if (probe_forms[p->kind].may & targets[i].on && targets[i].on != ON_QUEUE)
			snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed),
				 "%s%s", *allowed ? " or a " : "", targets[i].name);
	}
	if (!(probe_forms[p->kind].may & p->on))
		return weir_error_set(error, "'%s' is of a %s, not of a %s", name, allowed, has);
	if (p->kind == THROUGHPUT && p->on == ON_QUEUE && e->config->mark->choose_queue)
		return weir_error_set(
			error,
			"%s puts packets into queues of its own choice, which are not "
			"counted one by one; name the port, or traffic:NAME",
			e->config->mark->scheme.name);
	return 0;
}

static int read_every(const struct words *w, int count, struct probe *p, struct weir_error *e)
{
	static const struct weir_option every = { "every", WEIR_OPT_TIME_PS, 0,  NULL,
						  1000,    UINT64_MAX >> 2,  "", NULL };
	uint64_t every_ps;

	if (count == 2) {
		if (probe_forms[p->kind].may & AT_CHANGE && p->queue == WHOLE_PORT)
			return 0;
		return weir_error_set(e, "'%s' needs a time between samples, as in: every 10us",
				      probe_forms[p->kind].name);
	}
	if (count != 4 || strcmp(w->word[2], "every") != 0)
		return weir_error_set(e, "a probe is WHAT TARGET [every TIME]");
	if (weir_option_parse(&every_ps, &every, w->word[3], e))
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

/* One probe of a value for each queue, or for the port where the scheme's state is the port's. */
static void add_value(struct probe_set *set, const struct probe *p, const char *target,
		      const struct weir_mark_value *value)
{
	const struct config *c = set->engine->config;
	int per_port = c->mark->scope == WEIR_MARK_STATE_PER_PORT;
	int queues = per_port ? 1 : (int)c->queues;

	for (int q = 0; q < queues; q++) {
		char name[WORD_SIZE + 16];
		struct probe one = *p;

		if (p->queue != WHOLE_PORT && q != p->queue)
			continue;
		one.queue = q;
		add_probe(set, &one);
		snprintf(name, sizeof(name), queues > 1 && p->queue == WHOLE_PORT ? "%s/%d" : "%s",
			 target, q);
		add_series(set, value->name, name, value->unit);
	}
}

/* What the scheme of each queue shows, where they differ from port to port, or in a port. */
static void add_parts(struct probe_set *set, const struct probe *p, const char *target)
{
	const struct weir_port_class *kind = engine_port_class(set->engine, p->target);
	uint32_t states = kind->mark_stride ? kind->queues : 1;

	for (uint32_t q = 0; q < states; q++) {
		const void *params;
		const struct weir_mark_ops *mark = marking_of_queue(kind, q, &params);
		char name[WORD_SIZE + 16];
		struct probe one = *p;

		if (p->queue != WHOLE_PORT && q != (uint32_t)p->queue)
			continue;
		one.queue = (int)q;
		snprintf(name, sizeof(name), states > 1 && p->queue == WHOLE_PORT ? "%s/%u" : "%s",
			 target, q);
		for (one.value = mark->values; one.value && one.value->name; one.value++) {
			add_probe(set, &one);
			add_series(set, one.value->name, name, one.value->unit);
		}
	}
}

/* What the marking scheme shows, and the agent that turns its knobs. */
static void add_scheme(struct probe_set *set, struct probe *p, const char *target)
{
	const struct agents *a = set->engine->agents;

	if (set->engine->config->markings)
		add_parts(set, p, target);
	else
		for (p->value = set->engine->config->mark->values; p->value && p->value->name;
		     p->value++)
			add_value(set, p, target, p->value);
	p->value = NULL;
	for (uint32_t i = 0; a && i < agents_values(a); i++) {
		const struct weir_mark_value shown = { agents_value_name(a, i),
						       agents_value_unit(a, i), NULL };

		p->agent_value = i;
		add_value(set, p, target, &shown);
	}
}

/* One probe for each class that can be paused. */
static void add_pauses(struct probe_set *set, const struct probe *p, const char *target)
{
	for (int k = 0; k < WEIR_PFC_CLASSES; k++) {
		char name[WORD_SIZE + 16];

		if (!(set->engine->config->lossless >> k & 1))
			continue;
		add_probe(set, p)->queue = k;
		snprintf(name, sizeof(name), "%s/%d", target, k);
		add_series(set, probe_forms[PAUSES].name, name, probe_forms[PAUSES].unit);
	}
}

int probe_read(struct probe_set *set, const char *line, struct weir_error *e)
{
	struct words w;
	struct probe p = { .set = set, .next_ps = WEIR_TIME_NEVER_PS, .queue = WHOLE_PORT };
	int count = words_split(&w, line);
	char target[WORD_SIZE];

	if (count < 2)
		return weir_error_set(
			e,
			"a probe is WHAT TARGET [every TIME], as in: queue leaf0->h3 every 10us");
	memcpy(target, w.word[1], sizeof(target));
	if (find_form(w.word[0], &p.kind, e))
		return -1;
	if (find_target(set->engine, w.word[1], &p, e) || check_target(set->engine, &p, e) ||
	    read_every(&w, count, &p, e))
		return -1;
	if (p.kind == SCHEME) {
		add_scheme(set, &p, target);
		return 0;
	}
	if (p.kind == PAUSES) {
		add_pauses(set, &p, target);
		return 0;
	}
	add_probe(set, &p);
	add_series(set, w.word[0], target, probe_forms[p.kind].unit);
	return 0;
}
