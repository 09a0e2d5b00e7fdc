/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_read.c -- parses the lines of measure.probe; see probe.h. */
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
	[PROBE_QUEUE] = { "queue", "pkts", PROBE_ON_PORT | PROBE_ON_QUEUE | PROBE_AT_CHANGE },
	[PROBE_QUEUE_BYTES] = { "queue-bytes", "bytes",
				PROBE_ON_PORT | PROBE_ON_QUEUE | PROBE_AT_CHANGE },
	[PROBE_THROUGHPUT] = { "throughput", "bps",
			       PROBE_ON_PORT | PROBE_ON_QUEUE | PROBE_ON_FLOW | PROBE_ON_TRAFFIC |
				       PROBE_COUNTS },
	[PROBE_WINDOW] = { "window", "bytes", PROBE_ON_FLOW },
	[PROBE_MARKS] = { "marks", "", PROBE_ON_PORT | PROBE_ON_FLOW | PROBE_COUNTS },
	[PROBE_DROPS] = { "drops", "", PROBE_ON_PORT | PROBE_COUNTS },
	[PROBE_PAUSES] = { "pauses", "", PROBE_ON_PORT | PROBE_COUNTS },
	[PROBE_REWARD] = { "reward", "", PROBE_ON_PORT },
	[PROBE_FCT] = { "fct", "ns", PROBE_ON_TRAFFIC | PROBE_COUNTS },
	[PROBE_SCHEME] = { "scheme", "", PROBE_ON_PORT | PROBE_ON_QUEUE },
};

int probe_find(const char *name, struct probe_info *info)
{
	for (uint32_t i = 0; i < PROBE_KINDS; i++)
		if (i != PROBE_SCHEME && strcmp(name, probe_forms[i].name) == 0) {
			*info = (struct probe_info){ probe_forms[i].unit,
						     (probe_forms[i].may & PROBE_COUNTS) != 0 };
			return 1;
		}
	return 0;
}

/* --- reading lines --- */

static int probe_find_form(const char *word, enum probe_kind *kind, struct weir_error *e)
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

static int probe_find_flow(const struct engine *e, const char *word, struct probe *p,
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
	p->on = PROBE_ON_FLOW;
	p->target = (uint32_t)flow;
	return 0;
}

static int probe_find_traffic(const struct engine *e, const char *word, struct probe *p,
			      struct weir_error *error)
{
	enum { NAMES_MAX = 64 };
	const char *name = word + strlen("traffic:"), *names[NAMES_MAX];
	uint32_t count = e->config->traffic_count, named = count < NAMES_MAX ? count : NAMES_MAX;

	p->on = PROBE_ON_TRAFFIC;
	for (p->target = 0; p->target < count; p->target++)
		if (strcmp(e->config->traffic[p->target].name, name) == 0)
			return 0;
	for (uint32_t i = 0; i < named; i++)
		names[i] = e->config->traffic[i].name;
	return weir_error_unknown(error, "traffic section", name, names, named);
}

/* "leaf0->h3" or "leaf0->h3/2". */
static int probe_find_port(const struct engine *e, char *word, struct probe *p,
			   struct weir_error *error)
{
	static const struct weir_option number = { "queue", WEIR_OPT_COUNT,      0,  NULL,
						   0,       WEIR_QUEUES_MAX - 1, "", NULL };
	char *slash = strchr(word, '/');
	uint64_t queue;
	int64_t link;

	p->on = PROBE_ON_PORT;
	p->queue = PROBE_WHOLE_PORT;
	if (slash) {
		p->on = PROBE_ON_QUEUE;
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
	if (p->kind != PROBE_PAUSES &&
	    e->net->nodes[e->net->links[link].from].kind != NODE_SWITCH &&
	    !(nic_has_queue(e->config) && p->on == PROBE_ON_PORT && p->kind != PROBE_SCHEME))
		return weir_error_set(error, "'%s' is a host's NIC; name a port of a switch", word);
	p->target = (uint32_t)link;
	return 0;
}

static int probe_find_target(const struct engine *e, char *word, struct probe *p,
			     struct weir_error *error)
{
	if (strncmp(word, "flow:", strlen("flow:")) == 0)
		return probe_find_flow(e, word, p, error);
	if (strncmp(word, "traffic:", strlen("traffic:")) == 0)
		return probe_find_traffic(e, word, p, error);
	return probe_find_port(e, word, p, error);
}

/* Does this kind of probe go with its target? */
static int probe_check_target(const struct engine *e, const struct probe *p,
			      struct weir_error *error)
{
	static const struct {
		uint32_t on;
		const char *name;
	} targets[] = { { PROBE_ON_PORT, "port" },
			{ PROBE_ON_QUEUE, "queue of a port" },
			{ PROBE_ON_FLOW, "flow" },
			{ PROBE_ON_TRAFFIC, "traffic section" } };
	const char *name = probe_forms[p->kind].name, *has = "";
	char allowed[96] = "";

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (targets[i].on == p->on)
			has = targets[i].name;
		if (probe_forms[p->kind].may & targets[i].on && targets[i].on != PROBE_ON_QUEUE)
			snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed),
				 "%s%s", *allowed ? " or a " : "", targets[i].name);
	}
	if (!(probe_forms[p->kind].may & p->on))
		return weir_error_set(error, "'%s' is of a %s, not of a %s", name, allowed, has);
	if (p->kind == PROBE_THROUGHPUT && p->on == PROBE_ON_QUEUE && e->config->mark->choose_queue)
		return weir_error_set(
			error,
			"%s puts packets into queues of its own choice, which are not "
			"counted one by one; name the port, or traffic:NAME",
			e->config->mark->scheme.name);
	return 0;
}

static int probe_read_every(const struct words *w, int count, struct probe *p, struct weir_error *e)
{
	static const struct weir_option every = { "every", WEIR_OPT_TIME_PS, 0,  NULL,
						  1000,    UINT64_MAX >> 2,  "", NULL };
	uint64_t every_ps;

	if (count == 2) {
		if (probe_forms[p->kind].may & PROBE_AT_CHANGE && p->queue == PROBE_WHOLE_PORT)
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

static void probe_add_series(struct probe_set *set, const char *name, const char *target,
			     const char *unit)
{
	struct series *s;

	set->series =
		memory_grow(set->series, set->series_count + UINT64_C(1), sizeof(*set->series));
	s = &set->series[set->series_count++];
	*s = (struct series){ .unit = unit };
	snprintf(s->name, sizeof(s->name), "%s %s", name, target);
}

static struct probe *probe_set_add(struct probe_set *set, const struct probe *p)
{
	set->probes =
		memory_grow(set->probes, set->probe_count + UINT64_C(1), sizeof(*set->probes));
	set->probes[set->probe_count] = *p;
	set->probes[set->probe_count].series = set->series_count;
	return &set->probes[set->probe_count++];
}

/* Adds a probe of a value for each queue, or one for the port if the scheme's state is per port. */
static void probe_add_value(struct probe_set *set, const struct probe *p, const char *target,
			    const struct weir_mark_value *value)
{
	const struct config *c = set->engine->config;
	int per_port = c->mark->scope == WEIR_MARK_STATE_PER_PORT;
	int queues = per_port ? 1 : (int)c->queues;

	for (int q = 0; q < queues; q++) {
		char name[WORD_SIZE + 16];
		struct probe one = *p;

		if (p->queue != PROBE_WHOLE_PORT && q != p->queue)
			continue;
		one.queue = q;
		probe_set_add(set, &one);
		snprintf(name, sizeof(name),
			 queues > 1 && p->queue == PROBE_WHOLE_PORT ? "%s/%d" : "%s", target, q);
		probe_add_series(set, value->name, name, value->unit);
	}
}

/* Adds the values of each queue's scheme, if schemes differ between ports or queues. */
static void probe_add_queue_values(struct probe_set *set, const struct probe *p, const char *target)
{
	const struct weir_port_class *kind = engine_port_class(set->engine, p->target);
	uint32_t states = kind->mark_stride ? kind->queues : 1;

	for (uint32_t q = 0; q < states; q++) {
		const void *params;
		const struct weir_mark_ops *mark = marking_of_queue(kind, q, &params);
		char name[WORD_SIZE + 16];
		struct probe one = *p;

		if (p->queue != PROBE_WHOLE_PORT && q != (uint32_t)p->queue)
			continue;
		one.queue = (int)q;
		snprintf(name, sizeof(name),
			 states > 1 && p->queue == PROBE_WHOLE_PORT ? "%s/%u" : "%s", target, q);
		for (one.value = mark->values; one.value && one.value->name; one.value++) {
			probe_set_add(set, &one);
			probe_add_series(set, one.value->name, name, one.value->unit);
		}
	}
}

/* Adds the values of the marking scheme, and those of the agent that tunes it. */
static void probe_add_scheme(struct probe_set *set, struct probe *p, const char *target)
{
	const struct agents *a = set->engine->agents;

	if (set->engine->config->markings)
		probe_add_queue_values(set, p, target);
	else
		for (p->value = set->engine->config->mark->values; p->value && p->value->name;
		     p->value++)
			probe_add_value(set, p, target, p->value);
	p->value = NULL;
	for (uint32_t i = 0; a && i < agents_values(a); i++) {
		const struct weir_mark_value value = { agents_value_name(a, i),
						       agents_value_unit(a, i), NULL };

		p->agent_value = i;
		probe_add_value(set, p, target, &value);
	}
}

/* Adds a probe for each lossless class. */
static void probe_add_pauses(struct probe_set *set, const struct probe *p, const char *target)
{
	for (int k = 0; k < WEIR_PFC_CLASSES; k++) {
		char name[WORD_SIZE + 16];

		if (!(set->engine->config->lossless >> k & 1))
			continue;
		probe_set_add(set, p)->queue = k;
		snprintf(name, sizeof(name), "%s/%d", target, k);
		probe_add_series(set, probe_forms[PROBE_PAUSES].name, name,
				 probe_forms[PROBE_PAUSES].unit);
	}
}

int probe_read(struct probe_set *set, const char *line, struct weir_error *e)
{
	struct words w;
	struct probe p = { .set = set, .next_ps = WEIR_TIME_NEVER_PS, .queue = PROBE_WHOLE_PORT };
	int count = words_split(&w, line);
	char target[WORD_SIZE];

	if (count < 2)
		return weir_error_set(
			e,
			"a probe is WHAT TARGET [every TIME], as in: queue leaf0->h3 every 10us");
	memcpy(target, w.word[1], sizeof(target));
	if (probe_find_form(w.word[0], &p.kind, e))
		return -1;
	if (probe_find_target(set->engine, w.word[1], &p, e) ||
	    probe_check_target(set->engine, &p, e) || probe_read_every(&w, count, &p, e))
		return -1;
	if (p.kind == PROBE_SCHEME) {
		probe_add_scheme(set, &p, target);
		return 0;
	}
	if (p.kind == PROBE_PAUSES) {
		probe_add_pauses(set, &p, target);
		return 0;
	}
	probe_set_add(set, &p);
	probe_add_series(set, w.word[0], target, probe_forms[p.kind].unit);
	return 0;
}
