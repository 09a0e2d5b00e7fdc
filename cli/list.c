/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c -- weir list [KIND]: names of one kind, each with its help sentence, or of all kinds with
 * a line each; and the catalogues of names that it and weir help read. */
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

/* --- the catalogues --- */

static int catalogue_workload(size_t i, struct entry *e)
{
	const struct workload_file *w = &workload_files[i];

	*e = (struct entry){ w->name, w->help, NULL, NULL, NULL };
	return w->name != NULL;
}

static int catalogue_model(size_t i, struct entry *e)
{
	const struct model_file *f = &model_files[i];
	struct weir_error reason;
	const struct model *m = f->name ? model_load(model_files, f->name, &reason) : NULL;

	*e = (struct entry){ f->name, m ? m->about : "cannot be read", NULL, NULL, NULL };
	return f->name != NULL;
}

static int catalogue_metric(size_t i, struct entry *e)
{
	const struct metric *m = &metric_all[i];

	*e = (struct entry){ m->name, m->help, NULL, m->unit, NULL };
	return m->name != NULL;
}

/* Metrics that are computed from flow records, and are not stored with runs. */
static int catalogue_flow_metric(size_t i, struct entry *e)
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

const struct catalogue catalogue_all[] = {
	{ "marking", "marking schemes, for switch.marking", &weir_mark_registry, NULL, 0 },
	{ "scheduler", "schedulers, for switch.scheduler", &weir_sched_registry, NULL, 0 },
	{ "agent", "learning agents and rules, for switch.tune", &weir_agent_registry, NULL, 0 },
	{ "tuner", "tuners, for switch.tune", &weir_tune_registry, NULL, 0 },
	{ "fabric", "hop-by-hop flow control, for switch.fabric", &fabric_registry, NULL, 0 },
	{ "cc", "congestion controls, for host.cc", &weir_cc_registry, NULL, 0 },
	{ "nic", "NIC models of hosts, for host.nic", &nic_registry, NULL, 0 },
	{ "topology", "topologies, for network.topology", &topology_registry, NULL, 0 },
	{ "traffic", "traffic patterns, for traffic.NAME.pattern", &traffic_registry, NULL, 0 },
	{ "workload", "flow-size distributions, for traffic.NAME.sizes", NULL, catalogue_workload,
	  0 },
	{ "driver", "drivers for real switches, for keeper.driver", &keeper_driver_registry, NULL,
	  0 },
	{ "trainer", "trainers, for weir train", &trainer_registry, NULL, 0 },
	{ "metric", "metrics of a run, for --metric and --sort", NULL, catalogue_metric, 0 },
	{ "flow-metric", "further metrics of flows, for --metric", NULL, catalogue_flow_metric, 0 },
	{ "model", "trained models, for model of acc, fdcc and rl-cc", NULL, catalogue_model, 1 },
	{ .name = NULL },
};

struct entry scheme_entry(const struct weir_scheme *s)
{
	return (struct entry){ s->name, s->help, s->cite, NULL, s->options };
}

int catalogue_entry(const struct catalogue *s, size_t i, struct entry *e)
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

enum { CATALOGUES_MAX = 16 };

static int list_longest_name(const struct catalogue *s)
{
	struct entry e;
	size_t longest = 0;

	for (size_t i = 0; catalogue_entry(s, i, &e); i++)
		if (strlen(e.name) > longest)
			longest = strlen(e.name);
	return (int)longest;
}

enum list_form { LIST_SHORT, LIST_FULL };

/* One line, cut at a word where it would be longer. */
static void list_print_short(const char *text, int indent)
{
	size_t room = (size_t)(cli_line_width(stdout) - indent), length = strlen(text);

	if (length > room) {
		length = room - strlen(" ...");
		while (length > 0 && text[length] != ' ')
			length--;
	}
	printf("%.*s%s\n", (int)length, text, text[length] ? " ..." : "");
}

static void list_print_catalogue(const struct catalogue *s, enum list_form form)
{
	int width = list_longest_name(s);
	struct entry e;

	printf("%s: %s\n", s->name, s->help);
	for (size_t i = 0; catalogue_entry(s, i, &e); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s%s%s%s", e.help, e.unit && *e.unit ? " (" : "",
			 e.unit ? e.unit : "", e.unit && *e.unit ? ")" : "");
		printf("  %-*s  ", width, e.name);
		if (form == LIST_SHORT)
			list_print_short(text, width + 4);
		else
			help_print_wrapped(text, width + 4);
	}
}

static int list_unknown_name(const char *name)
{
	const char *names[CATALOGUES_MAX];
	struct weir_error e;
	size_t count = 0;

	for (const struct catalogue *s = catalogue_all; s->name; s++)
		names[count++] = s->name;
	weir_error_unknown(&e, "list", name, names, count);
	return cli_error(EXIT_MISTAKE, &e);
}

static int list_main(const struct arguments *a)
{
	const char *name = arguments_word(a, 0);
	int found = 0;

	for (const struct catalogue *s = catalogue_all; s->name; s++) {
		if (name ? strcmp(s->name, name) != 0 : s->is_apart)
			continue;
		if (found++)
			putchar('\n');
		list_print_catalogue(s, name ? LIST_FULL : LIST_SHORT);
	}
	for (const struct catalogue *s = catalogue_all; s->name && !name; s++)
		if (s->is_apart)
			printf("\n%s: %s; see 'weir list %s'\n", s->name, s->help, s->name);
	return found ? EXIT_FINE : list_unknown_name(name);
}

const struct command command_list = {
	.name = "list",
	.usage = "[KIND]",
	.help = "lists what can be named: marking, scheduler, cc, topology, traffic, workload, "
		"metric, model",
	.words_max = 1,
	.run = list_main,
	.offer = OFFER_CATALOGUE,
};
