/* SPDX-License-Identifier: BSD-3-Clause */
/* schemes.c -- see schemes.h. */
#include "config/schemes.h"
#include "config/nic.h"
#include "config/fabric.h"
#include "config/model.h"
#include <string.h>

/* --- the parser --- */

const void *scheme_find(const struct registry *builtin, enum plugin_kind kind, const char *name,
			struct weir_error *e)
{
	const void *ops;

	if (is_plugin(name))
		return plugin_find(name, kind, e);
	ops = weir_registry_find(builtin, name);
	if (!ops && plugin_has_path(name, e) == 0)
		weir_registry_unknown(builtin, name, e);
	return ops;
}

const void *scheme_parse(const struct registry *builtin, enum plugin_kind kind, const char *spec,
			 void *params, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const void *ops;

	if (weir_spec_name(spec, name, sizeof(name), e))
		return NULL;
	ops = scheme_find(builtin, kind, name, e);
	if (!ops || weir_scheme_parse(ops, spec, params, e) ||
	    model_attach(model_files, ops, params, e))
		return NULL;
	return ops;
}

int scheme_parse_mark(const char *spec, const struct weir_mark_ops **ops, void *params,
		      struct weir_error *e)
{
	*ops = scheme_parse(&weir_mark_registry, PLUGIN_MARK, spec, params, e);
	return *ops ? 0 : -1;
}

int scheme_parse_sched(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		       void *params, struct weir_error *e)
{
	*ops = scheme_parse(&weir_sched_registry, PLUGIN_SCHED, spec, params, e);
	return *ops ? weir_sched_fits(*ops, params, queues, e) : -1;
}

int scheme_parse_cc(const char *spec, const struct weir_cc_ops **ops, void *params,
		    struct weir_error *e)
{
	*ops = scheme_parse(&weir_cc_registry, PLUGIN_CC, spec, params, e);
	return *ops ? 0 : -1;
}

/* --- switch.tune --- */

enum { NAMES_MAX = 64 };

static const struct weir_scheme tune_none = {
	.name = "none",
	.help = "nobody turns the knobs of the marking scheme",
};

static int tune_unknown(const char *name, struct weir_error *e)
{
	const struct registry *const from[] = { &weir_agent_registry, &weir_tune_registry };
	const char *names[NAMES_MAX] = { tune_none.name };
	size_t count = 1;

	for (size_t r = 0; r < sizeof(from) / sizeof(from[0]); r++)
		for (size_t i = 0; from[r]->all[i] && count < NAMES_MAX; i++)
			names[count++] = weir_registry_at(from[r], i)->name;
	return weir_error_unknown(e, "agent or tuner", name, names, count);
}

/* Is the spec's a tuner? An object may hold both kinds: then the agent is meant. */
static int tune_is_tuner(const char *spec, const char *name, struct weir_error *e)
{
	const struct weir_plugin *p;

	if (!is_plugin(spec))
		return weir_tune_find(name) != NULL;
	p = plugin_load(name, e);
	return p && p->tune && !p->agent;
}

int tune_parse(const char *spec, struct tune_choice *choice, void *params, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];

	*choice = (struct tune_choice){ 0 };
	if (weir_spec_name(spec, name, sizeof(name), e))
		return -1;
	if (strcmp(name, tune_none.name) == 0) {
		choice->scheme = &tune_none;
		return weir_scheme_parse(&tune_none, spec, params, e);
	}
	if (!is_plugin(spec) && !weir_tune_find(name) && !weir_agent_find(name))
		return plugin_has_path(spec, e) ? -1 : tune_unknown(name, e);
	if (tune_is_tuner(spec, name, e)) {
		choice->tuner = scheme_parse(&weir_tune_registry, PLUGIN_TUNE, spec, params, e);
		choice->scheme = choice->tuner ? &choice->tuner->scheme : NULL;
	} else {
		choice->agent = scheme_parse(&weir_agent_registry, PLUGIN_AGENT, spec, params, e);
		choice->scheme = choice->agent ? &choice->agent->scheme : NULL;
	}
	return choice->scheme ? 0 : -1;
}

/* --- switch.fabric --- */

static const struct fabric_ops fabric_none = {
	.scheme = {
		.name = "none",
		.help = "no fabric scheme; PFC of lossless classes still applies",
		.cite = "every network",
	},
};

extern const struct fabric_ops fabric_bfc, fabric_floodgate;

const struct fabric_ops *const fabric_all[] = {
	&fabric_none,
	&fabric_bfc,
	&fabric_floodgate,
	NULL,
};

const struct registry fabric_registry = REGISTRY("fabric", fabric_all);

/* --- option tables --- */

/* Every scheme is read by the same function; the table of its options is what spells it out. */
static int specs_table(const struct weir_scheme *s, const struct weir_option **table)
{
	if (!s)
		return -1;
	*table = s->options;
	return 0;
}

static int specs_read_marking(const char *spec, void *params, const struct weir_option **table,
			      struct weir_error *e)
{
	return specs_table(scheme_parse(&weir_mark_registry, PLUGIN_MARK, spec, params, e), table);
}

/* How many queues there are is another setting, so whether they suit the scheduler is not
 * asked. */
static int specs_read_scheduler(const char *spec, void *params, const struct weir_option **table,
				struct weir_error *e)
{
	return specs_table(scheme_parse(&weir_sched_registry, PLUGIN_SCHED, spec, params, e),
			   table);
}

static int specs_read_cc(const char *spec, void *params, const struct weir_option **table,
			 struct weir_error *e)
{
	return specs_table(scheme_parse(&weir_cc_registry, PLUGIN_CC, spec, params, e), table);
}

static int specs_read_tune(const char *spec, void *params, const struct weir_option **table,
			   struct weir_error *e)
{
	struct tune_choice choice;

	return specs_table(tune_parse(spec, &choice, params, e) ? NULL : choice.scheme, table);
}

static int specs_read_fabric(const char *spec, void *params, const struct weir_option **table,
			     struct weir_error *e)
{
	return specs_table(weir_registry_parse(&fabric_registry, spec, params, e), table);
}

static int specs_read_nic(const char *spec, void *params, const struct weir_option **table,
			  struct weir_error *e)
{
	return specs_table(weir_registry_parse(&nic_registry, spec, params, e), table);
}

const struct weir_scheme_set marking_specs = { { "marking", NULL }, specs_read_marking, is_plugin };
const struct weir_scheme_set scheduler_specs = { { "scheduler", NULL },
						 specs_read_scheduler,
						 is_plugin };
const struct weir_scheme_set cc_specs = { { "congestion control", NULL },
					  specs_read_cc,
					  is_plugin };
const struct weir_scheme_set tune_specs = { { "agent or tuner", NULL },
					    specs_read_tune,
					    is_plugin };
const struct weir_scheme_set fabric_specs = { { "fabric", NULL }, specs_read_fabric, NULL };
const struct weir_scheme_set nic_specs = { { "nic", NULL }, specs_read_nic, NULL };
