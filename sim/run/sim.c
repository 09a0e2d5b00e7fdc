/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c -- see weir/sim.h: time, messages and calls. Looking and changing are in sim_observe.c. */
#include "sim/run/sim_parts.h"
#include "config/plugin.h"
#include "sim/core/mailbox.h"
#include "sim/measure/measure.h"
#include "sim/run/build.h"
#include "sim/core/agents.h"
#include <inttypes.h>
#include <string.h>

enum { MESSAGES_DEFAULT = 4096, CONNECTIONS_DEFAULT = 1024, NAMES_MAX = 64, NAME_SIZE = 64 };

/* Two weeks and a half: any delay can be added. */
#define TIME_MAX_PS (INT64_MAX / 6)

/* --- its life --- */

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
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (c->traffic[i].ops->takes_messages)
			c->traffic[i].connections = CONNECTIONS_PERSISTENT;
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
	sim_observe_free(sim);
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

/* --- messages and calls, at rest --- */

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

/* --- in a turn --- */

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
