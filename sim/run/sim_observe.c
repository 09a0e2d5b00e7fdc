/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_observe.c -- see weir/sim.h: looking at a simulation that rests, and changing it. */
#include "sim/run/sim_parts.h"
#include "base/input.h"
#include "config/schemes.h"
#include "config/markings.h"
#include <stdlib.h>
#include <string.h>

/* --- looking --- */

int weir_sim_watch(struct weir_sim *sim, const char *what, uint32_t *watch, struct weir_error *e)
{
	struct probe_set *set;
	uint32_t values;

	if (probes_watch(&set, sim->engine, what, e))
		return -1;
	values = probes_values(set);
	if (!values) {
		probes_free(set);
		return weir_error_set(e, "'%.300s': there is nothing to see", what);
	}
	*watch = sim->watch_count;
	sim->watches = memory_grow(sim->watches, sim->watch_count + (uint64_t)values,
				   sizeof(*sim->watches));
	for (uint32_t i = 0; i < values; i++)
		sim->watches[sim->watch_count++] = (struct sim_watch){ set, i };
	return 0;
}

uint32_t weir_sim_watches(const struct weir_sim *sim)
{
	return sim->watch_count;
}

const char *weir_sim_watch_name(const struct weir_sim *sim, uint32_t watch)
{
	return probes_name(sim->watches[watch].set, sim->watches[watch].value);
}

double weir_sim_observe(struct weir_sim *sim, uint32_t watch)
{
	return probes_read(sim->watches[watch].set, sim->watches[watch].value, sim->now_ps);
}

uint32_t weir_sim_flows(const struct weir_sim *sim)
{
	return sim->engine->flows.count;
}

struct weir_sim_flow weir_sim_flow_at(const struct weir_sim *sim, uint32_t flow)
{
	const struct flow *f = &sim->engine->flows.flows[flow];

	return (struct weir_sim_flow){
		.from = f->src,
		.to = f->dst,
		.traffic = f->traffic,
		.bytes = f->size_bytes,
		.start_ps = f->start_ps,
		.finish_ps = *flow_end_ps(sim->engine, flow),
	};
}

/* --- changing --- */

static int set_link(struct weir_sim *sim, uint32_t link, const char *value, struct weir_error *e)
{
	static const char *const states[] = { "up", "down" };
	struct egress *out = engine_egress(sim->engine, link);
	int is_down = strcmp(value, "down") == 0;

	if (!is_down && strcmp(value, "up") != 0)
		return weir_error_unknown(e, "state of a link", value, states, 2);
	sim->net.links[link].fails_ps = is_down ? sim->now_ps : WEIR_TIME_NEVER_PS;
	out->to |= EGRESS_SLOW_PATH;
	return 0;
}

static int set_marking(struct weir_sim *sim, uint32_t link, const char *spec, struct weir_error *e)
{
	struct weir_port *port = &engine_egress(sim->engine, link)->port;
	struct weir_port_plan plan = engine_port_plan(sim->engine, link);
	struct own_class *own = memory_new(1, sizeof(*own));
	const struct weir_mark_ops *ops;
	int failed = scheme_parse_mark(spec, &ops, own->mark_params, e);

	if (!failed && sim->net.nodes[sim->net.links[link].from].kind != NODE_SWITCH)
		failed = weir_error_set(e, "it is a host's card; name a port of a switch");
	if (!failed && (ops != sim->config.mark || sim->engine->guard))
		failed =
			weir_error_set(e,
				       "%s: a port keeps the scheme of the scenario, %s, which may "
				       "be no plug-in here; only its settings change",
				       spec, sim->config.mark->scheme.name);
	if (!failed && sim->engine->agents)
		failed = weir_error_set(e, "%s: the ports' settings are those of switch.tune = %s",
					spec, weir_quote(sim->config.switches.tune).text);
	plan.mark_params = own->mark_params;
	if (!failed) {
		weir_port_class_init(&own->class, &plan);
		if (marking_state_differs(port->kind, &own->class))
			failed = weir_error_set(
				e,
				"%s: what %s makes of these settings when it begins cannot change",
				spec, ops->scheme.name);
	}
	if (failed) {
		memory_free(own, 1, sizeof(*own));
		return -1;
	}
	if (!sim->own)
		sim->own = memory_new(sim->net.link_count, sizeof(*sim->own));
	memory_free(sim->own[link], 1, sizeof(*own));
	sim->own[link] = own;
	port->kind = &own->class;
	return 0;
}

int weir_sim_set(struct weir_sim *sim, const char *what, const char *value, struct weir_error *e)
{
	static const struct {
		const char *name;
		int (*set)(struct weir_sim *sim, uint32_t link, const char *value,
			   struct weir_error *e);
	} settings[] = { { "link", set_link }, { "marking", set_marking } };
	static const char *const names[] = { "link", "marking" };
	struct words w;
	int64_t link;

	if (words_split(&w, what) != 2)
		return weir_error_set(e, "'%.300s': a setting is WHAT PORT, as in: link sw->h0",
				      what);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(w.word[0], settings[i].name) != 0)
			continue;
		link = link_find(&sim->net, w.word[1], e);
		if (link < 0 || settings[i].set(sim, (uint32_t)link, value, e))
			return weir_error_prefix(e, "'%.300s': ", what);
		return 0;
	}
	return weir_error_unknown(e, "setting", w.word[0], names, sizeof(names) / sizeof(names[0]));
}

void sim_observe_free(struct weir_sim *sim)
{
	for (uint32_t i = 0; i < sim->watch_count; i++)
		if (sim->watches[i].value == 0)
			probes_free(sim->watches[i].set);
	free(sim->watches);
	for (uint32_t i = 0; sim->own && i < sim->net.link_count; i++)
		memory_free(sim->own[i], 1, sizeof(*sim->own[i]));
	memory_free(sim->own, sim->net.link_count, sizeof(*sim->own));
}
