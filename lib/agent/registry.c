/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- every agent, one line each. */
#include "weir/agent.h"
#include "base/registry.h"

extern const struct weir_agent_ops weir_agent_acc, weir_agent_patience, weir_agent_fixed;

const struct weir_agent_ops *const weir_agent_all[] = {
	&weir_agent_acc,
	&weir_agent_patience,
	&weir_agent_fixed,
	NULL,
};

const struct registry weir_agent_registry = REGISTRY("agent", weir_agent_all);

const struct weir_agent_ops *weir_agent_find(const char *name)
{
	return weir_registry_find(&weir_agent_registry, name);
}

int weir_agent_parse(const char *spec, const struct weir_agent_ops **ops, void *params,
		     struct weir_error *e)
{
	*ops = weir_registry_parse(&weir_agent_registry, spec, params, e);
	return *ops ? 0 : -1;
}
