/* SPDX-License-Identifier: BSD-3-Clause */
/* specs.c -- see specs.h. */
#include "config/specs.h"
#include "config/card.h"
#include "config/fabric.h"
#include "config/plugin.h"
#include "config/tune.h"

static int marking_read(const char *spec, void *params, const struct weir_option **table,
			struct weir_error *e)
{
	const struct weir_mark_ops *mark;

	if (any_mark_parse(spec, &mark, params, e))
		return -1;
	*table = mark->scheme.options;
	return 0;
}

/* NULL: there is none of that name. */
static const struct weir_sched_ops *scheduler_find(const char *spec, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const struct weir_plugin *p;

	if (weir_spec_name(spec, name, sizeof(name), e))
		return NULL;
	if (!is_plugin(spec))
		return weir_sched_find(name);
	p = plugin_load(name, e);
	return p ? p->sched : NULL;
}

/* How many queues there are is another setting, so whether they suit the scheduler is not asked. */
static int scheduler_read(const char *spec, void *params, const struct weir_option **table,
			  struct weir_error *e)
{
	const struct weir_sched_ops *sched = scheduler_find(spec, e);

	if (!sched) /* which says why */
		return any_sched_parse(spec, 1, &sched, params, e);
	*table = sched->scheme.options;
	return weir_spec_params(spec, params, sched->scheme.options, e);
}

static int cc_read(const char *spec, void *params, const struct weir_option **table,
		   struct weir_error *e)
{
	const struct weir_cc_ops *cc;

	if (any_cc_parse(spec, &cc, params, e))
		return -1;
	*table = cc->scheme.options;
	return 0;
}

static int tune_read(const char *spec, void *params, const struct weir_option **table,
		     struct weir_error *e)
{
	struct tune_choice choice;

	if (tune_parse(spec, &choice, params, e))
		return -1;
	*table = choice.scheme->options;
	return 0;
}

static int fabric_read(const char *spec, void *params, const struct weir_option **table,
		       struct weir_error *e)
{
	const struct fabric_ops *fabric;

	if (fabric_parse(spec, &fabric, params, e))
		return -1;
	*table = fabric->scheme.options;
	return 0;
}

static int card_read(const char *spec, void *params, const struct weir_option **table,
		     struct weir_error *e)
{
	const struct card_ops *card;

	if (card_parse(spec, &card, params, e))
		return -1;
	*table = card->scheme.options;
	return 0;
}

const struct weir_specs marking_specs = { { "marking", NULL }, marking_read, is_plugin };
const struct weir_specs scheduler_specs = { { "scheduler", NULL }, scheduler_read, is_plugin };
const struct weir_specs cc_specs = { { "congestion control", NULL }, cc_read, is_plugin };
const struct weir_specs tune_specs = { { "agent or tuner", NULL }, tune_read, is_plugin };
const struct weir_specs fabric_specs = { { "fabric", NULL }, fabric_read, NULL };
const struct weir_specs card_specs = { { "card", NULL }, card_read, NULL };
