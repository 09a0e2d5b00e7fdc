/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c -- weir list [KIND]: names, each with the sentence that says what it is; and the catalogue
 * that it and weir help read. */
#include "cli/help.h"
#include "config/nic.h"
#include "config/fabric.h"
#include "config/model.h"
#include "keeper/core/plan.h"
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include "sim/net/network.h"
#include "sim/run/run.h"
#include "sim/traffic/traffic.h"
#include "sim/traffic/workload.h"
#include "train/trainer.h"
#include <string.h>

/* --- the catalogue --- */

static int shelf_workload(size_t i, struct entry *e)
{
	const struct workload_file *w = &workload_files[i];

	*e = (struct entry){ w->name, w->help, NULL, NULL, NULL };
	return w->name != NULL;
}

static int shelf_model(size_t i, struct entry *e)
{
	const struct model_file *f = &model_files[i];
	struct weir_error reason;
	const struct model *m = f->name ? model_load(model_files, f->name, &reason) : NULL;

	*e = (struct entry){ f->name, m ? m->about : "cannot be read", NULL, NULL, NULL };
	return f->name != NULL;
}

static int shelf_metric(size_t i, struct entry *e)
{
	const struct metric *m = &metric_all[i];

	*e = (struct entry){ m->name, m->help, NULL, m->unit, NULL };
	return m->name != NULL;
}

/* Those that runs do not measure by themselves. */
static int shelf_flow_metric(size_t i, struct entry *e)
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
	{ "agent", "learning agents and rules, for switch.tune", &weir_agent_registry, NULL },
	{ "tuner", "tuners, for switch.tune", &weir_tune_registry, NULL },
	{ "fabric", "hop-by-hop flow control, for switch.fabric", &fabric_registry, NULL },
	{ "cc", "congestion controls, for host.cc", &weir_cc_registry, NULL },
	{ "nic", "NIC models of hosts, for host.nic", &nic_registry, NULL },
	{ "topology", "topologies, for network.topology", &topology_registry, NULL },
	{ "traffic", "traffic patterns, for traffic.NAME.pattern", &traffic_registry, NULL },
	{ "workload", "flow-size distributions, for traffic.NAME.sizes", NULL, shelf_workload },
	{ "driver", "drivers for real switches, for keeper.driver", &keeper_driver_registry,
	  NULL },
	{ "trainer", "trainers, for weir train", &trainer_registry, NULL },
	{ "model", "trained models, for option model of acc, fdcc and rl-cc", NULL,
	  shelf_model },
	{ "metric", "metrics of a run, for --metric and --sort", NULL, shelf_metric },
	{ "flow-metric", "further metrics of flows, for --metric", NULL,
	  shelf_flow_metric },
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

/* --- the command --- */

enum { SHELVES_MAX = 16 };

static int list_longest_name(const struct shelf *s)
{
	struct entry e;
	size_t longest = 0;

	for (size_t i = 0; shelf_entry(s, i, &e); i++)
		if (strlen(e.name) > longest)
			longest = strlen(e.name);
	return (int)longest;
}

static void list_print_shelf(const struct shelf *s)
{
	int width = list_longest_name(s);
	struct entry e;

	printf("%s: %s\n", s->name, s->help);
	for (size_t i = 0; shelf_entry(s, i, &e); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s%s%s", e.help, e.unit && *e.unit ? " (" : "",
			 e.unit ? e.unit : "", e.unit && *e.unit ? ")" : "");
		printf("  %-*s  ", width, e.name);
		help_print_wrapped(text, width + 4);
	}
}

static int list_unknown_shelf(const char *name)
{
	const char *names[SHELVES_MAX];
	struct weir_error e;
	size_t count = 0;

	for (const struct shelf *s = shelf_all; s->name; s++)
		names[count++] = s->name;
	weir_error_unknown(&e, "list", name, names, count);
	return cli_error(EXIT_MISTAKE, &e);
}

static int list_main(const struct arguments *a)
{
	const char *name = arguments_word(a, 0);
	int found = 0;

	for (const struct shelf *s = shelf_all; s->name; s++) {
		if (name && strcmp(s->name, name) != 0)
			continue;
		if (found++)
			putchar('\n');
		list_print_shelf(s);
	}
	return found ? EXIT_FINE : list_unknown_shelf(name);
}

const struct command command_list = {
	.name = "list",
	.usage = "[KIND]",
	.help = "lists what can be named: marking, scheduler, cc, topology, traffic, workload, "
		"metric, model",
	.words_max = 1,
	.run = list_main,
	.offer = OFFER_SHELF,
};
