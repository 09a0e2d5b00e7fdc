/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric.c -- every scheme for switch.fabric, one line each; what goes with them. */
#include "config/fabric.h"
#include "config/plugin.h"
#include <inttypes.h>

static const struct fabric_ops fabric_none = {
	.scheme = {
		.name = "none",
		.help = "switches have no flow control between them, or only that of lossless classes",
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

int fabric_parse(const char *spec, const struct fabric_ops **ops, void *params,
		 struct weir_error *e)
{
	*ops = weir_registry_parse(&fabric_registry, spec, params, e);
	return *ops ? 0 : -1;
}

/* The scheme's queues take the place of those of the settings, which must be the defaults. */
static int lay_out(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	struct weir_mark_layout own = { .queues = 1 };

	c->fabric->layout(c, &own);
	if (s->queues != 1 ||
	    !weir_option_is_default(weir_option_find(switch_options, "scheduler"), s))
		return weir_error_set(e,
				      "switch.%s: %s lays out its ports itself, with %" PRIu32
				      " queues and %s; leave queues and scheduler out",
				      s->queues != 1 ? "queues" : "scheduler",
				      c->fabric->scheme.name, own.queues, own.scheduler);
	if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_ROUNDS)
		return weir_error_set(
			e,
			"switch.marking: %s measures the rounds of a scheduler, and that "
			"of %s has none",
			c->mark->scheme.name, c->fabric->scheme.name);
	c->queues = own.queues;
	return any_sched_parse(own.scheduler, own.queues, &c->sched, c->sched_params, e);
}

int fabric_check(struct config *c, struct weir_error *e)
{
	if (fabric_parse(c->switches.fabric, &c->fabric, c->fabric_params, e))
		return weir_error_prefix(e, "switch.fabric: ");
	if (!fabric_is_on(c))
		return 0;
	if (c->mark->layout)
		return weir_error_set(
			e, "switch.fabric: %s, but %s chooses queues itself; take another marking",
			c->fabric->scheme.name, c->mark->scheme.name);
	if (c->fabric->fits && c->fabric->fits(c, e))
		return -1;
	return c->fabric->layout ? lay_out(c, e) : 0;
}
