/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.c -- the registries of the library and the simulator, seen as shelves of entries. */
#include "cli/catalogue.h"
#include "keeper/drivers/drivers.h"
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include "config/card.h"
#include "config/fabric.h"
#include "config/model.h"
#include "sim/net/network.h"
#include "sim/run/run.h"
#include "sim/traffic/traffic.h"
#include "sim/traffic/workload.h"
#include "train/trainer.h"

static int workload_entry(size_t i, struct entry *e)
{
	const struct workload_file *w = &workload_files[i];

	*e = (struct entry){ w->name, w->help, NULL, NULL, NULL };
	return w->name != NULL;
}

static int model_entry(size_t i, struct entry *e)
{
	const struct model_file *f = &model_files[i];
	struct weir_error reason;
	const struct model *m = f->name ? model_load(model_files, f->name, &reason) : NULL;

	*e = (struct entry){ f->name, m ? m->about : "cannot be read", NULL, NULL, NULL };
	return f->name != NULL;
}

static int metric_entry(size_t i, struct entry *e)
{
	const struct metric *m = &metric_all[i];

	*e = (struct entry){ m->name, m->help, NULL, m->unit, NULL };
	return m->name != NULL;
}

/* Those that runs do not measure by themselves. */
static int flow_metric_entry(size_t i, struct entry *e)
{
	uint32_t at = 0;

	for (; flow_metric_name(at); at++)
		if (metric_index(flow_metric_name(at)) < 0 && i-- == 0)
			break;
	*e = (struct entry){ flow_metric_name(at), flow_metric_help(at), NULL, NULL, NULL };
	if (e->name)
		flow_metric_known(e->name, &e->unit);
	return e->name != NULL;
}

const struct shelf shelf_all[] = {
	{ "marking", "marking schemes, for switch.marking", &weir_mark_registry, NULL },
	{ "scheduler", "schedulers, for switch.scheduler", &weir_sched_registry, NULL },
	{ "agent", "agents, for switch.tune", &weir_agent_registry, NULL },
	{ "tuner", "tuners, for switch.tune", &weir_tune_registry, NULL },
	{ "fabric", "flow control between switches, for switch.fabric", &fabric_registry, NULL },
	{ "cc", "congestion controls, for host.cc", &weir_cc_registry, NULL },
	{ "card", "hosts' network cards, for host.card", &card_registry, NULL },
	{ "topology", "topologies, for network.topology", &topology_registry, NULL },
	{ "traffic", "traffic patterns, for traffic.NAME.pattern", &traffic_registry, NULL },
	{ "workload", "flow-size distributions, for traffic.NAME.sizes", NULL, workload_entry },
	{ "driver", "switches that are there, for driver of weir keeper", &keeper_driver_registry,
	  NULL },
	{ "trainer", "what can be learnt, for weir train", &trainer_registry, NULL },
	{ "model", "trained networks, for option model of a scheme that has one", NULL,
	  model_entry },
	{ "metric", "what a run measures", NULL, metric_entry },
	{ "flow-metric", "what tables make of its flows besides, for --metric", NULL,
	  flow_metric_entry },
	{ .name = NULL },
};

struct entry scheme_entry(const struct weir_scheme *s)
{
	return (struct entry){ s->name, s->help, s->cite, NULL, s->options };
}

int shelf_entry(const struct shelf *s, size_t i, struct entry *e)
{
	const struct weir_scheme *scheme;

	if (s->entry)
		return s->entry(i, e);
	scheme = weir_registry_at(s->schemes, i);
	if (scheme)
		*e = scheme_entry(scheme);
	return scheme != NULL;
}
