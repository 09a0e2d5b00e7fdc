/* registry.c -- every tuner, one line each. */
#include "weir/tune.h"
#include "lib/base/registry.h"

extern const struct weir_tune_ops weir_tune_qla;

const struct weir_tune_ops *const weir_tune_all[] = {
	&weir_tune_qla,
	NULL,
};

static const struct registry registry = REGISTRY("tuner", weir_tune_all, struct weir_tune_ops);

const struct weir_tune_ops *weir_tune_find(const char *name)
{
	return weir_registry_find(&registry, name);
}

int weir_tune_parse(const char *spec, const struct weir_tune_ops **ops, void *params,
		    struct weir_error *e)
{
	const struct weir_tune_ops *found = weir_registry_parse(&registry, spec, params, e);

	if (!found)
		return -1;
	if (found->check && found->check(params, e))
		return weir_error_prefix(e, "%s: ", found->name);
	*ops = found;
	return 0;
}
