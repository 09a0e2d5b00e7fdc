/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- every tuner, one line each. */
#include "weir/tune.h"
#include "base/registry.h"

extern const struct weir_tune_ops weir_tune_qla;

const struct weir_tune_ops *const weir_tune_all[] = {
	&weir_tune_qla,
	NULL,
};

const struct registry weir_tune_registry = REGISTRY("tuner", weir_tune_all);

const struct weir_tune_ops *weir_tune_find(const char *name)
{
	return weir_registry_find(&weir_tune_registry, name);
}

int weir_tune_parse(const char *spec, const struct weir_tune_ops **ops, void *params,
		    struct weir_error *e)
{
	*ops = weir_registry_parse(&weir_tune_registry, spec, params, e);
	return *ops ? 0 : -1;
}
