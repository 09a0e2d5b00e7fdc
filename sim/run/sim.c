/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c -- see weir/sim.h: a simulation that a program drives. */
#include "sim/run/sim.h"
#include "base/input.h"
#include "config/markings.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include "sim/core/agents.h"
#include "sim/core/link.h"
#include "sim/core/mailbox.h"
#include "sim/measure/measure.h"
#include "sim/run/run.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_DEFAULT = 4096, CONNECTIONS_DEFAULT = 1024, NAMES_MAX = 64, NAME_SIZE = 64 };

/* Two and a half weeks: any delay can be added without overflow. */
#define TIME_MAX_PS (INT64_MAX / 6)

/* --- construction --- */

void weir_sim_allow_plugins(const char *folder)
{
	plugin_permit_folder(folder);
}

int sim_new(struct weir_sim **out, struct config *c, const struct weir_sim_plan *plan,
	    struct weir_error *e)
{
	static const struct weir_sim_plan none;
	struct weir_sim *sim = memory_new(1, sizeof(*sim));
	const struct weir_sim_plan *p = plan ? plan : &none;
	const struct engine_plan engine_plan = {
		.threads = p->threads ? p->threads : 1,
		.messages = p->messages ? p->messages : MESSAGES_DEFAULT,
		.connections = p->connections ? p->connections : CONNECTIONS_DEFAULT,
	};

	sim->config = *c;
	if (build_engine(&sim->engine, &sim->net, &sim->config, &engine_plan, e)) {
		weir_sim_free(sim);
		return -1;
	}
	*out = sim;
	return 0;
}

void weir_sim_free(struct weir_sim *sim)
{
	if (!sim)
		return;
	for (uint32_t i = 0; i < sim->watch_count; i++)
		if (sim->watches[i].value == 0)
			probes_free(sim->watches[i].set);
	free(sim->watches);
	for (uint32_t i = 0; sim->own && i < sim->net.link_count; i++)
		memory_free(sim->own[i], 1, sizeof(*sim->own[i]));
	memory_free(sim->own, sim->net.link_count, sizeof(*sim->own));
	if (sim->engine)
		engine_free(sim->engine);
	network_free(&sim->net);
	config_free(&sim->config);
	memory_free(sim, 1, sizeof(*sim));
}

int weir_sim_run_until(struct weir_sim *sim, int64_t time_ps, struct weir_error *e)
{
	if (time_ps < sim->now_ps)
		return weir_error_set(e, "until %" PRId64 " ps; now it is %" PRId64, time_ps,
				      sim->now_ps);
	if (time_ps > TIME_MAX_PS)
		return weir_error_set(e, "until %" PRId64 " ps; at most %" PRId64, time_ps,
				      TIME_MAX_PS);
	if (agents_advance_until(sim->engine, time_ps, e) == ENGINE_REFUSED)
		return -1;
	sim->now_ps = time_ps;
	return plugin_guard_error(sim->engine->guard, e) ? -1 : 0;
}

int64_t weir_sim_now_ps(const struct weir_sim *sim)
{
	return sim->now_ps;
}

int weir_sim_audit(struct weir_sim *sim, struct weir_error *e)
{
	return audit_run(sim->engine, e);
}

/* --- names --- */

uint32_t weir_sim_hosts(const struct weir_sim *sim)
{
	return sim->net.host_count;
}

int weir_sim_find_host(const struct weir_sim *sim, const char *name, uint32_t *host,
		       struct weir_error *e)
{
	char buffer[NAME_SIZE];

	for (uint32_t i = 0; i < sim->net.host_count; i++) {
		*host = i;
		if (strcmp(node_name(&sim->net, sim->net.host_node[i], buffer, sizeof(buffer)),
			   name) == 0)
			return 0;
	}
	return weir_error_set(e, "there is no host %s; there are %u, the first of them is %s",
			      weir_quote(name).text, sim->net.host_count,
			      node_name(&sim->net, sim->net.host_node[0], buffer, sizeof(buffer)));
}

int weir_sim_find_traffic(const struct weir_sim *sim, const char *name, uint32_t *traffic,
			  struct weir_error *e)
{
	const struct mailboxes *mail = sim->engine->mail;
	const char *names[NAMES_MAX];
	uint32_t named = 0;

	for (uint32_t i = 0; i < mail->section_count; i++) {
		const char *is = sim->config.traffic[mail->sections[i]].name;

		*traffic = i;
		if (strcmp(is, name) == 0)
			return 0;
		if (named < NAMES_MAX)
			names[named++] = is;
	}
	return weir_error_unknown(e, "traffic section with pattern = messages", name, names, named);
}

/* --- observing --- */

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

static int sim_set_link(struct weir_sim *sim, uint32_t link, const char *value,
			struct weir_error *e)
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

static int sim_set_marking(struct weir_sim *sim, uint32_t link, const char *spec,
			   struct weir_error *e)
{
	struct weir_port *port = &engine_egress(sim->engine, link)->port;
	struct weir_port_plan plan = engine_port_plan(sim->engine, link);
	struct own_class *own = memory_new(1, sizeof(*own));
	const struct weir_mark_ops *ops;
	int failed = scheme_parse_mark(spec, &ops, own->mark_params, e);

	if (!failed && sim->net.nodes[sim->net.links[link].from].kind != NODE_SWITCH)
		failed = weir_error_set(e, "it is a host's NIC; name a switch port");
	if (!failed && (ops != sim->config.mark || sim->engine->guard))
		failed =
			weir_error_set(e,
				       "%s: a port keeps the scheme of the scenario, %s, which may "
				       "be no plug-in here; only its settings change",
				       spec, sim->config.mark->scheme.name);
	if (!failed && sim->engine->agents)
		failed = weir_error_set(e, "%s: the ports are tuned by switch.tune = %s", spec,
					weir_quote(sim->config.switches.tune).text);
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
	} settings[] = { { "link", sim_set_link }, { "marking", sim_set_marking } };
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

/* --- messages and calls, between runs --- */

int weir_sim_send(struct weir_sim *sim, const struct weir_sim_message *m, struct weir_error *e)
{
	struct engine *engine = sim->engine;
	struct host *h;

	if (m->from >= sim->net.host_count)
		return weir_error_set(e, "a message from host %u; there are %u, from 0", m->from,
				      sim->net.host_count);
	h = &engine->hosts[m->from];
	if (mailbox_send(engine_worker(engine, h->node), h, m, sim->now_ps, e))
		return -1;
	engine_wake_stopped(engine, h->node, sim->now_ps);
	return 0;
}

int weir_sim_call_at(struct weir_sim *sim, uint32_t host, const struct weir_sim_call *call,
		     struct weir_error *e)
{
	struct host *h;

	if (host >= sim->net.host_count)
		return weir_error_set(e, "a call for host %u; there are %u, from 0", host,
				      sim->net.host_count);
	h = &sim->engine->hosts[host];
	if (mailbox_call_at(sim->engine, h, call, sim->now_ps, e))
		return -1;
	engine_wake_stopped(sim->engine, h->node, call->time_ps);
	return 0;
}

/* --- in a callback --- */

uint32_t weir_sim_turn_host(const struct weir_sim_turn *turn)
{
	return turn->host->number;
}

int64_t weir_sim_turn_now_ps(const struct weir_sim_turn *turn)
{
	return turn->host->now_ps;
}

int weir_sim_turn_send(struct weir_sim_turn *turn, const struct weir_sim_message *m,
		       struct weir_error *e)
{
	return mailbox_send(turn->worker, turn->host, m, turn->host->now_ps, e);
}

int weir_sim_turn_call_at(struct weir_sim_turn *turn, const struct weir_sim_call *call,
			  struct weir_error *e)
{
	return mailbox_call_at(turn->worker->engine, turn->host, call, turn->host->now_ps, e);
}
