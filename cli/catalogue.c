/* catalogue.c -- the registries of the library and the simulator, seen as shelves of entries. */
#include "cli/catalogue.h"
#include "sim/config/card.h"
#include "sim/config/fabric.h"
#include "sim/net/network.h"
#include "sim/run/run.h"
#include "sim/traffic/traffic.h"
#include "sim/traffic/workload.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/sched.h"

static int marking_entry(size_t i, struct entry *e)
{
	const struct weir_mark_ops *m = weir_mark_all[i];

	if (m)
		*e = (struct entry){ m->name, m->help, m->cite, NULL, m->options };
	return m != NULL;
}

static int scheduler_entry(size_t i, struct entry *e)
{
	const struct weir_sched_ops *s = weir_sched_all[i];

	if (s)
		*e = (struct entry){ s->name, s->help, s->cite, NULL, s->options };
	return s != NULL;
}

static int cc_entry(size_t i, struct entry *e)
{
	const struct weir_cc_ops *c = weir_cc_all[i];

	if (c)
		*e = (struct entry){ c->name, c->help, c->cite, NULL, c->options };
	return c != NULL;
}

static int fabric_entry(size_t i, struct entry *e)
{
	const struct fabric_ops *f = fabric_all[i];

	if (f)
		*e = (struct entry){ f->name, f->help, f->cite, NULL, f->options };
	return f != NULL;
}

static int card_entry(size_t i, struct entry *e)
{
	const struct card_ops *c = card_all[i];

	if (c)
		*e = (struct entry){ c->name, c->help, c->cite, NULL, c->options };
	return c != NULL;
}

static int topology_entry(size_t i, struct entry *e)
{
	const struct topology_ops *t = topology_all[i];

	if (t)
		*e = (struct entry){ t->name, t->help, NULL, NULL, t->options };
	return t != NULL;
}

static int traffic_entry(size_t i, struct entry *e)
{
	const struct traffic_ops *t = traffic_all[i];

	if (t)
		*e = (struct entry){ t->name, t->help, NULL, NULL, t->options };
	return t != NULL;
}

static int workload_entry(size_t i, struct entry *e)
{
	const struct workload_file *w = &workload_files[i];

	*e = (struct entry){ w->name, w->help, NULL, NULL, NULL };
	return w->name != NULL;
}

static int metric_entry(size_t i, struct entry *e)
{
	const struct metric *m = &metric_all[i];

	*e = (struct entry){ m->name, m->help, NULL, m->unit, NULL };
	return m->name != NULL;
}

const struct shelf shelf_all[] = {
	{ "marking", "marking schemes, for switch.marking", marking_entry },
	{ "scheduler", "schedulers, for switch.scheduler", scheduler_entry },
	{ "fabric", "flow control between switches, for switch.fabric", fabric_entry },
	{ "cc", "congestion controls, for host.cc", cc_entry },
	{ "card", "hosts' network cards, for host.card", card_entry },
	{ "topology", "topologies, for network.topology", topology_entry },
	{ "traffic", "traffic patterns, for traffic.NAME.pattern", traffic_entry },
	{ "workload", "flow-size distributions, for traffic.NAME.sizes", workload_entry },
	{ "metric", "what a run measures", metric_entry },
	{ .name = NULL },
};
